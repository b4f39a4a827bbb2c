# SPDX-License-Identifier: BSD-2-Clause
# Claim: heat_flux_inverse finds the flux of each step to 5 % where the data have 1 % of noise, by quasi-Newton steps and by Newton's; its checks
# hold and the doctor finds nothing; so with a flux that changes along the wall, too, to 15 %; J, gradient, state and posterior have the same bits on 1, 4, 6 and 16 ranks and with few checkpoints; killed
# and resumed, too; far from the ends Matern's prior has the deviation that it was given; the results have the flux and its truth by step.
# usage: heat_flux.py SOURCE_DIRECTORY HEAT_FLUX_INVERSE
import os
import re
import shutil
import subprocess
import sys

import h5py
import numpy

source, program = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, require as expect

SMALL = ["-nx", "20", "-ny", "10", "-dt", "24", "-steps", "150", "-tikhonov", "1e4", "-digest"]
FEW = ["-steps", "40"]  # where only bits are compared


def run(ranks, output, *arguments):
    command = [source + "/scripts/mpirun", "-n", str(ranks), program, *arguments, "-output", output]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said(done, pattern):
    found = re.findall(pattern, done.stdout, re.M)
    expect(done.returncode == 0 and found, "%s: status %d: %s" % (done.args[5:], done.returncode, done.stderr[:300] + done.stderr[-300:]))
    return found


def error(done):
    return float(said(done, r"^error [\d.]+ -> ([\d.]+)")[0])


default = run(1, "default", "-check", "-hg_program_view")
said(default, r"^  constant q .* 2400 numbers$")
expect(error(default) < 0.05, "error %g" % error(default))
expect(default.stdout.count(" ok\n") == 6, "-check: %s" % default.stdout)
expect(0.9 < float(said(default, r"^misfit / expectation ([\d.]+)")[0]) < 1.1, "the fit: %s" % default.stdout)
with h5py.File("default/heat_flux_inverse.h5", "r") as found:
    q, truth = found["q"][:], found["q_truth"][:]
    expect(q.shape == (2400,) and numpy.linalg.norm(q - truth) < 0.05 * numpy.linalg.norm(truth), "q in the results: %s" % (q.shape,))

sure = {}
for ranks in (1, 6):
    done = run(ranks, "sure%d" % ranks, *SMALL, *FEW, "-iterations", "2", "-newton", "gauss", "-posterior", "8", "-doctor")
    sure[ranks] = said(done, r"^(?:J |posterior|standard|mean).*")
    expect(said(done, r"^doctor .* sound$"), "the doctor: %s" % done.stdout)
expect(len(sure[1]) == 4 and sure[1] == sure[6], "other bits: %s" % sure)
bits = {ranks: said(run(ranks, "bits%d" % ranks, *SMALL, *FEW, "-iterations", "2", *more), r"^J .*") for ranks, more in ((1, []), (4, ["-slots", "3"]), (16, []))}
expect(bits[1] == bits[4] == bits[16], "other bits: %s" % bits)
newton = run(1, "newton", *SMALL, "-steps", "300", "-tao_type", "nls")
expect(error(newton) < 0.05, "Newton: error %g" % error(newton))

PRIOR = [*SMALL[:8], "-digest", "-prior_deviation", "6e-4", "-prior_length", "600", "-precondition"]
whole = run(1, "prior", *PRIOR, "-posterior", "20")
expect(error(whole) < 0.1, "a Matern prior: error %g" % error(whole))
with h5py.File("prior/heat_flux_inverse.h5", "r") as found:
    middle = found["q_deviation_prior"][50:100]
expect(abs(middle / 6e-4 - 1).max() < 0.04, "its deviation: %g to %g" % (middle.min(), middle.max()))
prior = {ranks: said(run(ranks, "prior%d" % ranks, *PRIOR, *FEW, "-iterations", "3", "-posterior", "6"), r"^(?:J |posterior|standard|mean).*") for ranks in (1, 6)}
expect(len(prior[1]) == 4 and prior[1] == prior[6], "other bits: %s" % prior)

SIDE = [*SMALL, "-along"]
along = run(1, "along", *SIDE, "-check", "-doctor", "-iterations", "60")
expect(error(along) < 0.15 and said(along, r"^doctor .* sound$") and along.stdout.count(" ok\n") == 6, "-along: %s" % along.stdout)
with h5py.File("along/heat_flux_inverse.h5", "r") as found:
    q, truth = (found[name][:].reshape(150, 10) for name in ("q", "q_truth"))
    expect(numpy.linalg.norm(q - truth) < 0.15 * numpy.linalg.norm(truth) and truth[50].max() > 3 * truth[50].min(), "q along the wall: %s" % q[50])
bits = {ranks: said(run(ranks, "along%d" % ranks, *SIDE, *FEW, "-iterations", "3", *more), r"^J .*") for ranks, more in ((1, ["-slots", "3"]), (6, []), (16, ["-slots", "9"]))}
expect(bits[1] == bits[6] == bits[16], "other bits along the wall: %s" % bits)
across = run(1, "across", *SIDE, "-h1_along", "2e7", "-check", "-precondition", "-iterations", "60")
expect(error(across) < error(along) and across.stdout.count(" ok\n") == 6, "smooth along the wall: %s" % across.stdout)
expect(error(run(1, "along_newton", *SIDE, "-tao_type", "nls", "-iterations", "4")) < 0.15, "-along by Newton")

LONG = [*SMALL, "-dt", "3", "-steps", "1200", "-iterations", "12"]
whole = said(run(1, "whole", *LONG), r"^J .*")
shutil.rmtree("killed", ignore_errors=True)
job = subprocess.Popen([source + "/scripts/mpirun", "-n", "2", program, *LONG, "-output", "killed", "-resume"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
while job.stdout.readline() and not (os.path.isdir("killed/evaluations") and len(os.listdir("killed/evaluations")) > 2):
    pass
expect(job.poll() is None, "it ended before it was killed")
for pid in subprocess.run(["ps", "-o", "pid=", "--ppid", str(job.pid)], stdout=subprocess.PIPE, text=True).stdout.split():
    subprocess.run(["kill", "-9", pid])
job.wait()
resumed = run(1, "killed", *LONG, "-resume")
expect(said(resumed, r"^J .*") == whole and "evaluations" in resumed.stdout + resumed.stderr, "killed and resumed: %s" % resumed.stdout[-300:])
end("a flux by step")
