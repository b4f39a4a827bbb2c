# SPDX-License-Identifier: BSD-2-Clause
"""The acoustic wave of apps/gallery/acoustic.stencil or, with levels, of apps/fwi/acoustic_volume.stencil in Devito, in the precision of PEERS_PRECISION.
usage: wave_devito.py N STEPS ROUNDS forward|gradient [levels]

    p' = (2 p - (1 - a) p_old + dt^2 (m lap(p) + w s)) / (1 + a)    a = dt damping

space order 8, time order 2; the halo outside the domain is never written: p = 0 there. Sources are sparse points, as Devito's users
have them. The gradient of J = 1/2 ||p(T)||^2 with respect to m stores all p, and goes back with v = p_bar / (1 + a):

    m_bar += dt^2 lap(p_n) v_(n+1)    v_n = (2 v_(n+1) + lap(dt^2 m v_(n+1)) - (1 - a) v_(n+2)) / (1 + a)

On several ranks, or with OMP_NUM_THREADS threads on one (DEVITO_LANGUAGE=openmp)."""
import os
import sys

from devito import Eq, Function, Grid, Inc, Operator, SparseTimeFunction, TimeFunction, configuration
import devito.finite_differences.finite_difference as coefficients
import numpy as np
import turns
import wave_problem as problem

coefficients._PRECISION = 20  # Devito rounds the numbers of its differences to 9 digits otherwise
n, steps, rounds, what = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
levels = sys.argv[5:] == ["levels"]
axes = 3 if levels else 2  # y, z, x
configuration["log-level"] = "ERROR"
ranks = int(os.environ.get("OMPI_COMM_WORLD_SIZE", 1))
if ranks > 1:
    configuration["mpi"] = "basic"
length = problem.cell * (n - 1)  # from the first cell's centre to the last one's
grid = Grid(shape=(n,) * axes, extent=(length,) * axes, dtype=turns.REAL, topology=("*", 1, 1)[:axes])  # strips of rows
dt, at = grid.stepping_dim.spacing, {"dt": problem.time_step}
comm = grid.distributor.comm if ranks > 1 else None
m, damping = (Function(name=name, grid=grid, space_order=8) for name in ("m", "damping"))
m.data[:] = problem.squared_speed(n, levels)
damping.data[:] = problem.damping(n, levels)
a = dt * damping


def forward(save):
    """(p, the operator): p[0] is p_old at the start, p[1] p; step k makes p[k + 2] at time k + 1."""
    total = steps * (1 if save else rounds + 1)
    p = TimeFunction(name="p", grid=grid, space_order=8, time_order=2, save=steps + 2 if save else None)
    source = SparseTimeFunction(name="source", grid=grid, npoint=problem.shots, nt=total + 2)
    source.coordinates.data[:] = problem.cell * np.array(problem.shot_cells(n, levels))
    times = np.concatenate([[0], problem.wavelet(total), [0]])
    source.data[:] = problem.amplitude * np.repeat(times[:, None], problem.shots, axis=1)
    step = Eq(p.forward, (2 * p - (1 - a) * p.backward + dt**2 * m * p.laplace) / (1 + a))
    return p, Operator([step] + source.inject(field=p.forward, expr=source * dt**2 / (1 + a)))


def start(p):
    for k in range(2):
        p.data[k] = problem.pressure(n, levels)


def forward_rounds():
    p, operator = forward(False)
    start(p)
    done = 0

    def run():
        nonlocal done
        operator.apply(time_m=done + 1, time_M=done + steps, **at)
        done += steps

    return run, lambda: [p.data_ro_domain[(done + 1) % 3]]


def gradient_rounds():
    p, operator = forward(True)
    v = TimeFunction(name="v", grid=grid, space_order=8, time_order=2)
    m_bar = Function(name="m_bar", grid=grid, space_order=8)
    back = Eq(v.backward, (2 * v - (1 - a) * v.forward + (dt**2 * m * v).laplace) / (1 + a))
    reverse = Operator([Inc(m_bar, dt**2 * p.backward.laplace * v), back])
    start(p)

    def run():
        operator.apply(time_m=1, time_M=steps, **at)
        last = steps + 1
        end = np.asarray(p.data_ro_domain[last])
        v.data[(last + 1) % 3] = 0
        v.data_local[last % 3] = end / (1 + problem.time_step * np.asarray(damping.data_ro_domain))
        m_bar.data[:] = 0
        reverse.apply(time_m=2, time_M=last, **at)
        value = 0.5 * float(np.sum(end * end))
        return comm.allreduce(value) if comm else value

    return run, lambda: [m_bar.data_ro_domain[:]]


run, fields = forward_rounds() if what == "forward" else gradient_rounds()
turns.take_turns(run, fields, comm)
