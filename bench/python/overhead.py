# SPDX-License-Identifier: BSD-2-Clause
"""Row `python`: what a gradient costs in Python beside the C call alone, one by numbers by step beside one that only reads them, and how
long a text takes to become a physics.

usage: overhead.py GALLERY MPIRUN
GALLERY: the folder of the texts. MPIRUN: how ranks are started."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import halograd as hg

N, STEPS, ROUNDS = 256, 500, 9
CACHED = """
import sys, time
import halograd as hg
from mpi4py import MPI
MPI.COMM_WORLD.barrier()
begin = time.perf_counter()
hg.Physics(sys.argv[1])
taken = MPI.COMM_WORLD.allreduce(time.perf_counter() - begin, MPI.MAX)
if MPI.COMM_WORLD.rank == 0:
    print(taken)
"""


def show(run, own, beside, ratios, goal):
    """A line of the dashboard, as bench.c prints it: `ratios` of all rounds, and the most that is allowed."""
    low, median, high = statistics.quantiles(ratios, n=4)
    print(f"{'python':14} {run:30} {own:16} {beside:38} {median:8.3f} {f'({low:.3f} .. {high:.3f})':20} {min(ratios):8.3f}"
          f"  <= {goal:g} {'ok' if median <= goal else 'MISSED'}", flush=True)
    line = {"row": "python", "run": run, "halograd": own, "beside": beside, "ratio": median, "low": low, "high": high, "best": min(ratios),
            "goal": f"<= {goal:g}"}
    if os.environ.get("BENCH_LINES"):
        with open(os.environ["BENCH_LINES"], "a") as kept:
            print(json.dumps(line), file=kept)


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def gradients():
    """J.gradient() beside HgTrajectoryGradient() of the same run, in turns."""
    mesh, dt = hg.Mesh((N, N), spacing=1 / N), 0.2 / N**2
    model = hg.Model(hg.Physics.of_library("heat_forced"), mesh, dt, decay=10)
    x = model.input(kappa=1.0, f=lambda x, y: x * y)
    J = hg.Misfit(model, STEPS).sensors("u", [(0.3, 0.4), (0.7, 0.6)], [STEPS * dt], [[0.1, 0.2]], sigma=0.01)
    _, g = J.gradient(x)
    value = hg.ffi.new("double *")
    own, bare = [], []
    for _ in range(5 * ROUNDS):
        own.append(seconds(lambda: J.gradient(x)))
        bare.append(seconds(lambda: hg.lib.HgTrajectoryGradient(J._trajectory, x._c, 1.0, value, g._c)))
    show(f"gradient {N}^2, {STEPS} steps", f"{statistics.median(own):.3f} s", f"HgTrajectoryGradient() {statistics.median(bare):.3f} s",
         [a / b for a, b in zip(own, bare)], 1.02)


HEATED = """physics heated {{
  field u [K] copied, kappa [m^2/s] copied > 0, wall [1/m] copied;
  {} q[step] [K m/s];
  let lap(c) = ((c_W + c_E) - 2 * c) / dx^2 + ((c_S + c_N) - 2 * c) / dy^2;
  u' = u + dt * (kappa * lap(u) + wall * q[step]);
}}"""


def numbers_by_step(n, steps):
    """The gradient by a flux at each step and by u at the start, beside that by u alone with the flux in a table."""
    dt, runs, mesh = 0.2 / n**2, [], hg.Mesh((n, n), spacing=1 / n)
    flux = [1 + k / steps for k in range(steps)]
    for kind, given, sought in (("number", steps, {"q": flux}), ("table", flux, {})):
        model = hg.Model(hg.Physics(HEATED.format(kind)), mesh, dt, q=given)
        x = model.input(kappa=1, wall=lambda x, y: n * (x * n < 1), u=lambda x, y: x * y, **sought)
        J = hg.Misfit(model, steps).snapshot("u", steps, lambda x, y: x + y, sigma=1)
        runs.append((lambda J=J, x=x, wrt=tuple(sought): J.gradient(x, slots=50, wrt=wrt), []))
    for _ in range(ROUNDS + 1):
        for run, taken in runs:
            begin = time.process_time()
            run()
            taken.append(time.process_time() - begin)
    own, table = (taken[1:] for _, taken in runs)
    show(f"{steps} numbers by step, {n}^2", f"{statistics.median(own):.3f} s", f"numbers in a table {statistics.median(table):.3f} s",
         [a / b for a, b in zip(own, table)], 1.1)


def texts(gallery, mpirun):
    """From the text to the loaded physics: the first time, and from the cache."""
    for path in sorted(gallery.glob("*.stencil")):
        text = path.read_text()
        taken = [seconds(lambda k=k: hg.Physics(f"{text}# {k}")) for k in range(5)]
        show(f"{path.stem}, first time", f"{statistics.median(taken):.2f} s", "the goal 2 s", [t / 2 for t in taken], 1)
    around = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_"))}  # this process is a rank, too
    for ranks in (1, 16):
        command = [*mpirun, "-n", str(ranks), sys.executable, "-c", CACHED, str(path)]
        hg.Physics(text)
        taken = [float(subprocess.run(command, capture_output=True, text=True, check=True, env=around).stdout) for _ in range(ROUNDS)]
        show(f"{path.stem}, cached, {ranks} rank{'s' * (ranks > 1)}", f"{1e3 * statistics.median(taken):.0f} ms", "the goal 50 ms",
             [t / 0.05 for t in taken], 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(HALOGRAD_CACHE=cache, CCACHE_DISABLE="1")  # a compiler that remembers would be no first time
        gradients()
        numbers_by_step(64, 10000)
        numbers_by_step(256, 1000)
        texts(pathlib.Path(sys.argv[1]), sys.argv[2:])
