# SPDX-License-Identifier: BSD-2-Clause
# Claim: an exchange of ghosts that cannot start on one rank ends the job on all, in one sentence and without a hang.
# usage: exchange_faults.py SOURCE_DIRECTORY RANKS PROGRAM
# Every exchange that the program starts fails once, on one rank; tests/expect_refusal looks at what is said.
import subprocess
import sys

source, ranks, program = sys.argv[1], int(sys.argv[2]), sys.argv[3]
mpirun = [source + "/scripts/mpirun", "-n", str(ranks)] if ranks > 1 else []
command = mpirun + [program, "-hg_fault"]
said = subprocess.run(command + ["count"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
kinds = next(line for line in said if line.startswith("fault points")).split()[2:]
rows = [line.split()[2:] for line in said if line.startswith("rank ")]
met = [int(row[kinds.index("exchange")]) for row in rows]
failures = 0
if len(met) != ranks or not 1 <= min(met) <= max(met) <= 20:
    print("claim: a small run; it meets these exchanges on its ranks: %s" % met)
    failures += 1
for n in range(1, max(met) + 1):
    rank = n % ranks
    words = "unexpected error .* on rank %d .*the exchange of ghosts cannot start" % rank
    expect = [source + "/tests/expect_refusal", "-t", "60", words]
    failures += subprocess.run(expect + command + ["exchange:%d:%d" % (n, rank)]).returncode != 0
sys.exit(failures != 0)
