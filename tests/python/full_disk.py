# SPDX-License-Identifier: BSD-2-Clause
"""Claim: if the disk is full on all ranks, or on one, whatever Python writes ends in one sentence, the same on all ranks: a program that
catches it goes on, one that does not ends with a status that is not 0. Of files the limit stands for a full disk.
usage: full_disk.py SOURCE PYTHON, in a folder of its own"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

source, python = sys.argv[1:]
PROGRAM = """
import resource, sys
import numpy as np
import halograd as hg

TEXT = "physics grow {{ field u [m], rate [1/s]; u' = u + dt * rate * u; }}"
mesh = hg.Mesh((64, 64), spacing=1 / 64)
model = hg.Model(hg.Physics.of_library("heat"), mesh, dt=1e-5)
x = model.input(u=1, kappa=1)
J = hg.Misfit(model, 40).at_end("u", 0, sigma=1)
expected = J(x)
found = hg.invert(J, x, seek={{"kappa": hg.Bounds(0.5, 2)}}, iterations=1)
infinite = resource.RLIM_INFINITY
if {who} in (mesh.comm.rank, None):
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, infinite))

def results():
    with hg.Results(mesh, "full", "heat") as r:
        r.write(0.0, x)

def checkpoints():
    J.gradient(x, slots=1, disk=("full", "4MiB"))

def observed():
    hg.Observed("u", "K", np.full((20000, 2), 0.5), [0.1], np.zeros((1, 20000)), 1).write("full/observed.h5")

def compiled():
    hg.Physics(TEXT)

def picture():
    found.plot("full/found.png")

def write():
    {what}()
    hg.say("written")

{how}
"""
GOES_ON = """
try:
    write()
    sentence = None
except hg.Error as error:
    sentence = error.sentence
resource.setrlimit(resource.RLIMIT_FSIZE, (infinite, infinite))
assert mesh.comm.allgather(sentence) == [sentence] * mesh.comm.size, sentence
assert J(x) == expected and J.gradient(x)[0] == expected
write()
hg.say("refused:", sentence)
"""


def run(what, who, how):
    for folder in ("full", "cache"):
        shutil.rmtree(folder, ignore_errors=True)
        pathlib.Path(folder).mkdir(mode=0o700)
    program, own = PROGRAM.format(what=what, who=who, how=how), {**os.environ, "HALOGRAD_CACHE": f"{os.getcwd()}/cache"}
    ran = subprocess.run([f"{source}/scripts/mpirun", "-n", "3", python, "-c", program], env=own, text=True, capture_output=True)
    return ran.returncode, ran.stdout.splitlines(), ran.stderr


class FullDisk(unittest.TestCase):
    def refused(self, what, begins, who="None"):
        status, out, said = run(what, who, GOES_ON)
        self.assertEqual((status, said), (0, ""), out)
        self.assertEqual(out[0], "written", out)
        self.assertRegex(out[1], f"^refused: {begins}.*File too large")
        status, out, said = run(what, who, "write()")
        self.assertNotEqual(status, 0)
        self.assertEqual((out, said.count("File too large"), said.count("Error: ")), ([], 1, 1), said)
        self.assertRegex(said, f"Error: (\\[[a-z-]+\\] )?{begins}")

    def test_results(self):
        for who in ("None", "0"):
            self.refused("results", "results file 'full/heat.h5': no room for", who)

    def test_checkpoints(self):
        for who in ("None", "2"):
            self.refused("checkpoints", "store: cannot reserve [0-9]+ bytes for [0-9]+ slots under 'full'", who)

    def test_observations(self):
        self.refused("observed", "cannot write file 'full/observed.h5'")

    def test_a_physics(self):
        self.refused("compiled", "hgstencil: cannot write")

    def test_a_picture(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")
        self.refused("picture", "plot\\(\\) cannot write 'full/found.png'")


if __name__ == "__main__":
    unittest.main(argv=["full_disk.py"])
