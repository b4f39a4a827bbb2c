# SPDX-License-Identifier: BSD-2-Clause
"""Heat in Devito on all ranks, in the precision of PEERS_PRECISION. usage: heat_devito.py N STEPS forward [levels]

    u' = u + dt kappa lap(u); the halo outside the domain is never written: u = 0 there

Ranks are faster than as many threads (language openmp), here."""
import sys

from devito import Eq, Function, Grid, Operator, TimeFunction, configuration
import heat_problem
import numpy as np
import turns

n, steps, levels = int(sys.argv[1]), int(sys.argv[2]), sys.argv[4:] == ["levels"]
axes = 3 if levels else 2  # y, z, x
configuration["log-level"] = "ERROR"
configuration["mpi"] = "basic"
length = (n - 1) / n  # from the first cell's centre to the last one's
grid = Grid(shape=(n,) * axes, extent=(length,) * axes, dtype=turns.REAL, topology=("*", 1, 1)[:axes])  # strips of rows
u = TimeFunction(name="u", grid=grid, space_order=2, time_order=1)
kappa = Function(name="kappa", grid=grid, space_order=2)
u.data[0] = heat_problem.initial(n, levels)
kappa.data[:] = heat_problem.kappa(n, levels)
operator = Operator(Eq(u.forward, u + grid.stepping_dim.spacing * kappa * u.laplace))
comm = grid.distributor.comm
done = 0


def run():
    global done
    comm.Barrier()
    operator.apply(time_m=done, time_M=done + steps - 1, dt=heat_problem.time_step(n, levels))
    done += steps


turns.take_turns(run, lambda: [u.data_ro_domain[done % 2]], comm)
