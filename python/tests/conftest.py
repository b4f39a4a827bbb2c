# SPDX-License-Identifier: BSD-2-Clause
"""The tests of the Python package run on any number of ranks: mpirun -n 4 python3 -m pytest python/tests. A test that fails on one rank
ends all of them, which may wait for it. Tests that are marked `one_rank` see nothing of ranks: -m "not one_rank" leaves them out."""
import sys

import halograd as hg
import pytest
from mpi4py import MPI

HEAT = """physics heat {
  field u [K] fixed 0, kappa [m^2/s] copied > 0, f [K/s] fixed 0;
  number decay [1/s];
  let lap(c) = ((c_W + c_E) - 2 * c) / (dx * dx) + ((c_S + c_N) - 2 * c) / (dy * dy);
  u' = u + dt * (kappa * lap(u) + exp(-decay * t) * f);
  stable dt <= 1 / (2 * max(kappa) * (1 / (dx * dx) + 1 / (dy * dy)));
}"""
WORLD = MPI.COMM_WORLD


def pytest_configure(config):
    config.addinivalue_line("markers", "one_rank: what it claims has nothing to do with ranks")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed and WORLD.size > 1:
        sys.stderr.write(f"rank {WORLD.rank} of {WORLD.size}: {item.nodeid}\n{report.longreprtext}\n")
        sys.stderr.flush()
        WORLD.Abort(1)


@pytest.fixture(scope="session")
def heat():
    return hg.Physics(HEAT)


@pytest.fixture
def mesh():
    with hg.Mesh((24, 17), spacing=(0.05, 0.04)) as made:
        yield made


@pytest.fixture
def model(heat, mesh):
    with hg.Model(heat, mesh, dt=2e-4, decay=3.0) as made:
        yield made


@pytest.fixture
def x(model):
    return model.input(u=lambda x, y: x * (1 + y), kappa=lambda x, y: 1 + 0.3 * x - 0.2 * y, f=2.0)


@pytest.fixture
def J(model, x):
    places, times = [(0.3, 0.2), (0.61, 0.33), (1.0, 0.5)], [0.002, 0.004]
    with hg.Misfit(model, steps=20).sensors("u", places, times, [[0.3, 0.8, float("nan")], [0.2, 0.7, 1.1]], sigma=0.1) as made:
        yield made
