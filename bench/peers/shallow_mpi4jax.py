# SPDX-License-Identifier: BSD-2-Clause
"""The step of shallow_jax.py on strips of rows, one on each rank, with mpi4jax between them.
usage: mpirun -n RANKS shallow_mpi4jax.py NX NY STEPS plain|forward"""
import sys

import one_core
import jax
import jax.numpy as jnp
from mpi4jax import sendrecv
from mpi4py import MPI
import shallow_jax

nx, ny, steps = map(int, sys.argv[1:4])
comm = MPI.COMM_WORLD
first, last = comm.rank == 0, comm.rank == comm.size - 1
south, north = MPI.PROC_NULL if first else comm.rank - 1, MPI.PROC_NULL if last else comm.rank + 1
rows = slice(ny * comm.rank // comm.size, ny * (comm.rank + 1) // comm.size)


def halo(x, beyond):
    """Ghosts as in JAX alone, but for the rows of the strips beside this one."""
    below, above = shallow_jax.walls(x, beyond)
    from_south = sendrecv(x[-1:], below, source=south, dest=north, comm=comm)
    from_north = sendrecv(x[:1], above, source=north, dest=south, comm=comm)
    return shallow_jax.enclose(below if first else from_south, x, above if last else from_north)


variables, constants = jax.tree.map(lambda field: jnp.asarray(field[rows]), shallow_jax.initial(nx, ny))
north_wall = (jnp.arange(ny)[rows] == ny - 1)[:, None]
shallow_jax.serve_forward(variables, constants, steps, halo, north_wall, sys.argv[4], comm)
