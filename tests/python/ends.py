# SPDX-License-Identifier: BSD-2-Clause
"""Claim: an exception that nobody catches ends all ranks with a status that is not 0 and is told once, whether one rank raises it or all
do, also in a function that the library calls; so does what ranks give differently; Ctrl-C ends all ranks; a program that ends well ends with 0 and says nothing.
usage: ends.py SOURCE PYTHON"""
import pathlib
import signal
import subprocess
import sys
import time
import unittest

source, python = sys.argv[1:]
MESH = "import halograd as hg; mesh = hg.Mesh((16, 16)); rank = mesh.comm.rank\n"


def run(text, ranks):
    ran = subprocess.run([f"{source}/scripts/mpirun", "-n", str(ranks), python, "-c", MESH + text], text=True, capture_output=True)
    return ran.returncode, ran.stdout, ran.stderr


class Ends(unittest.TestCase):
    def refused(self, text, ranks, sentence):
        begin = time.time()
        status, _, said = run(text, ranks)
        self.assertNotEqual(status, 0)
        self.assertEqual(said.count(sentence), 1, said)
        self.assertLess(time.time() - begin, 20)

    def test_well(self):
        for ranks in (1, 3):
            self.assertEqual(run("x = hg.zeros(mesh, {'u': 'K'})", ranks)[0::2], (0, ""))

    def test_of_the_library(self):
        for ranks in (1, 3):
            self.refused("hg.Mesh((8, 8), spacing=-1)", ranks, "Error: [mesh] mesh: cell size is -1 x -1 m")

    def test_of_the_library_on_one_rank(self):
        """The others are amid a run, or at their end."""
        for after in ("for k in range(100): x.digest()", ""):
            self.refused(f"x = hg.zeros(mesh, {{'u': 'K'}})\nif rank == 2: x['u'] = [[1, 2]]\n{after}", 3, "Error: 'u': an array of the shape (1, 2), expected (")

    def test_of_one_rank(self):
        self.refused("if rank == 2: raise ValueError('alone')\nhg.Mesh((8, 8))", 3, "ValueError: alone")

    def test_of_all_ranks(self):
        self.refused("nobody", 3, "NameError: name 'nobody' is not defined")

    def test_of_a_function_of_one_rank(self):
        text = "x = hg.zeros(mesh, {'u': 'K'})\nx['u'] = (lambda x, y: 1 / 0) if rank == 1 else (lambda x, y: 0)\nhg.Mesh((8, 8))"
        self.refused(text, 3, "ZeroDivisionError: division by zero")

    def test_of_what_the_library_calls_on_one_rank(self):
        """Amid a run, an inversion, an operator: the others wait for messages of that rank then."""
        for what in ("model.run(x, 20, every=3, watch=alone)", "hg.invert(J, x, seek={'kappa': hg.Bounds(0.1, 9)}, callback=alone)",
                     "hg.invert(J, x, seek={'kappa': hg.Operator('copy', s, k, alone, alone, alone)})"):
            self.refused(f"""
def alone(*arguments):
    assert rank != 2, "alone"
model = hg.Model(hg.Physics.of_library("heat"), mesh, dt=0.1)
x, s, k = model.input(u=1, kappa=1), hg.zeros(mesh, {{"s": "1"}}), hg.zeros(mesh, {{"kappa": "m^2/s"}})
J = hg.Misfit(model, 20).at_end("u", 0, sigma=1)
{what}
""", 3, "AssertionError: alone")

    def test_of_what_ranks_give_differently(self):
        for what, sentence in (("J.gradient(x, wrt='kappa' if rank else ())", "wrt: rank 1 has ['kappa'] where rank 0 has []"),
                               ("hg.invert(J, x, seek={'u' if rank else 'kappa': hg.Bounds(0.1, 9)})", "seek: rank 1 has ['u'] where rank 0 has ['kappa']"),
                               ("x['q'] = rank; J(x)", "[ranks-differ] a rank has 'q' with the digest")):
            self.refused(f"""
heat = hg.Physics("physics warm {{ field u copied, kappa; number q[step]; u' = u + dt * (kappa * (u_E - u) + q[step]); }}")
model = hg.Model(heat, mesh, dt=0.1, q=20)
x = model.input(u=1, kappa=1)
J = hg.Misfit(model, 20).at_end("u", 0, sigma=1)
{what}
""", 2, sentence)

    def test_interrupted_by_mpirun(self):
        """Ctrl-C on several ranks."""
        text = MESH + """
import os, sys
hg.say(*mesh.comm.allgather(os.getpid()))
model = hg.Model(hg.Physics.of_library("heat"), mesh, dt=1e-6)
J = hg.Misfit(model, 2000000000).at_end("u", 0, sigma=1)
sys.stderr.write("begins\\n")
J(model.input(u=1, kappa=1))
"""
        words = [f"{source}/scripts/mpirun", "-n", "3", python, "-c", text]
        running = subprocess.Popen(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        ranks = running.stdout.readline().split()
        self.assertTrue(any("begins" in line for line in running.stderr))
        begin = time.time()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        self.assertNotEqual(running.returncode, 0)
        while any(pathlib.Path(f"/proc/{rank}").exists() for rank in ranks):
            self.assertLess(time.time() - begin, 20)
            time.sleep(0.1)

    def test_interrupted(self):
        """A run of one rank that would take minutes ends at once, and another one may follow."""
        text = """
import os, signal, threading
model = hg.Model(hg.Physics.of_library("heat"), hg.Mesh((200, 200), spacing=0.005), dt=1e-6)
x = model.input(u=1, kappa=1)
J = hg.Misfit(model, 2000000).at_end("u", 0, sigma=1)
for run in (J, J.gradient):
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        run(x)
    except KeyboardInterrupt:
        print("interrupted", hg.Misfit(model, 3).at_end("u", 0, sigma=1)(x) > 0)
"""
        begin = time.time()
        status, out, said = run(text, 1)
        self.assertEqual((status, out), (0, "interrupted True\n" * 2), said)
        self.assertLess(time.time() - begin, 30)


if __name__ == "__main__":
    unittest.main(argv=["ends.py"])
