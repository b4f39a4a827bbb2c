"""Claim: an app whose kernels hgstencil has written passes all its checks, finds more than it was given, and has the same bits on 1 and
4 ranks.
usage: gallery.py SOURCE PROGRAM; silent if the claim holds"""
import pathlib
import re
import subprocess
import sys

source, program = pathlib.Path(sys.argv[1]), sys.argv[2]
failures, digests = [], set()
for ranks in ("1", "4"):
    words = [source / "scripts/mpirun", "-n", ranks, program, "-nx", "24", "-ny", "24", "-steps", "300", "-iterations", "6", "-check", "-digest", "-output", f"output_{ranks}"]
    ran = subprocess.run(words, text=True, capture_output=True)
    said = ran.stdout + ran.stderr
    error = re.search(r"error (\S+) -> (\S+) ", said)
    digest = re.findall(r"^J 0x.*$", said, re.M)
    if ran.returncode or "check stencil gray_scott:" not in said or not re.search(r"check stencil gray_scott: .* ok", said):
        failures.append(f"on {ranks} ranks: exit status {ran.returncode}, {said}")
    elif not error or not float(error[2]) < float(error[1]) or not digest:
        failures.append(f"on {ranks} ranks: expected digests and an error that falls, said {said}")
    digests.add(tuple(digest))
if len(digests) > 1:
    failures.append(f"other bits on 4 ranks: {digests}")
for failure in failures:
    print(f"claim fails: the gallery's apps run: {failure}")
sys.exit(bool(failures))
