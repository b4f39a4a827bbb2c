# SPDX-License-Identifier: BSD-2-Clause
"""The published shallow-water case (docs/shallow-water.md) in JAX on one core.
usage: shallow_jax.py NX NY STEPS plain|forward|gradient|constants

plain: forward as one writes it; in the others barriers keep XLA from computing ghosts, F, G, q and P anew for each of their readers.
constants: the gradient with respect to b, f and nu too. A step is written for the rows of one strip, to which `halo` adds a ghost on
each side, so that shallow_mpi4jax.py has the same step."""
import sys

import one_core
import jax
import jax.numpy as jnp
import numpy as np
import turns

dx = dy = 5000.0
gravity, depth, epsilon = 9.81, 100.0, 0.1
dt = 0.125 * dx / np.sqrt(gravity * depth)
ZERO, COPY = "zero", "copy"  # what a row of ghosts outside a wall holds


def initial(nx, ny):
    """h, u, v and b, f, nu as ny x nx arrays"""
    length_x, length_y = (nx - 1) * dx, (ny - 1) * dy
    x, y = np.arange(nx) * dx, np.arange(-1, ny + 1) * dy  # y of the ghost rows, too
    u = 10 * np.exp(-((y - 0.5 * length_y) ** 2) / (0.02 * length_x) ** 2)
    f = 2e-4 + 2e-11 * y
    balance = np.cumsum(-dy * u * f / gravity)
    balance -= balance.mean()
    wave = 0.2 * np.sin(10 * np.pi * x / length_x) * np.cos(8 * np.pi * y[1:-1, None] / length_y)
    column, zero = np.ones((1, nx)), np.zeros((ny, nx))
    h = depth + balance[1:-1, None] + wave
    return (h, u[1:-1, None] * column, zero), (zero, f[1:-1, None] * column, zero + 1e-3 * 2e-4 * dx * dx)


def walls(x, beyond):
    """The rows of ghosts outside the walls."""
    return (x[:1], x[-1:]) if beyond == COPY else (jnp.zeros_like(x[:1]), jnp.zeros_like(x[-1:]))


def enclose(below, x, above):
    """x between those rows, and columns that wrap around."""
    x = jnp.concatenate([below, x, above])
    return jnp.concatenate([x[:, -1:], x, x[:, :1]], axis=1)


def halo(x, beyond):
    """One ghost on each side of x; rows outside a wall as said."""
    below, above = walls(x, beyond)
    return enclose(below, x, above)


def make_step(halo, north_wall, keep=jax.lax.optimization_barrier):
    """(state, constants with ghosts) -> state; north_wall: True in the row of v that lies on the wall; keep(x): x, computed once."""

    def tendencies(h, u, v, b, f):
        """Of the owned cells; all with ghosts. F and P begin at the western ghost, G and q at the south-western one."""
        h_east, h_north = h[:, :-1] + h[:, 1:], h[:-1] + h[1:]
        F, G = 0.5 * h_east * u[:, :-1], 0.5 * h_north * v[:-1]
        curl = (v[:-1, 1:] - v[:-1, :-1]) / dx - (u[1:, :-1] - u[:-1, :-1]) / dy
        q = (f[:-1, :-1] + curl) / (0.25 * (h_east[:-1] + h_east[1:]))
        energy = (u[1:, 1:] ** 2 + u[1:, :-1] ** 2) + (v[1:, 1:] ** 2 + v[:-1, 1:] ** 2)
        P = gravity * (h[1:, 1:] + b[1:, 1:]) + 0.25 * energy  # begins at the first owned cell
        F, G, q, P = keep((F, G, q, P))
        qG = q[:, 1:] * (G[:, 1:-1] + G[:, 2:])
        qF = q[1:] * (F[1:-1] + F[2:])
        h_t = -((F[1:-1, 1:] - F[1:-1, :-1]) / dx + (G[1:, 1:-1] - G[:-1, 1:-1]) / dy)
        u_t = 0.25 * (qG[1:] + qG[:-1]) - (P[:-1, 1:] - P[:-1, :-1]) / dx
        v_t = -0.25 * (qF[:, 1:] + qF[:, :-1]) - (P[1:, :-1] - P[:-1, :-1]) / dy
        return h_t, u_t, jnp.where(north_wall, 0, v_t)

    def friction(c, nu):
        """c + dt div(nu grad c) of the owned cells"""
        X = nu[1:-1, :-1] * (c[1:-1, 1:] - c[1:-1, :-1]) / dx
        Y = nu[:-1, 1:-1] * (c[1:, 1:-1] - c[:-1, 1:-1]) / dy
        return c[1:-1, 1:-1] + dt * ((X[:, 1:] - X[:, :-1]) / dx + (Y[1:] - Y[:-1]) / dy)

    def step(state, constants):
        h, u, v, h_t, u_t, v_t, n = state
        b, f, nu = constants
        now, before = jnp.where(n == 0, 1, 1.5 + epsilon), jnp.where(n == 0, 0, -0.5 - epsilon)
        ghosted = keep((halo(h, COPY), halo(u, COPY), halo(v, ZERO)))
        rates = tendencies(*ghosted, b, f)
        h, u, v = (c + dt * (now * new + before * old) for c, new, old in zip((h, u, v), rates, (h_t, u_t, v_t)))
        u, v = keep((halo(u, COPY), halo(v, ZERO)))
        return h, friction(u, nu), jnp.where(north_wall, 0, friction(v, nu)), *rates, n + 1

    return step


def start(h, u, v):
    """The state of step 0; its tendencies count for nothing."""
    zero = jnp.zeros_like(h)
    return h, u, v, zero, zero, zero, 0


def make_advance(step, halo, steps):
    def advance(state, constants):
        b, f, nu = constants
        ghosted = halo(b, COPY), halo(f, COPY), halo(nu, ZERO)
        return jax.lax.scan(lambda s, _: (step(s, ghosted), None), state, length=steps)[0]

    return advance


def make_gradient(step, steps, north_wall, count):
    """J = 1/2 |h(T) - D|^2 and its gradient for the first `count` of h, u, v, b, f, nu. A step keeps its state alone: what else
    jax.grad would keep of 16 steps of 3600 x 1800 cells does not fit into memory."""
    advance = make_advance(jax.checkpoint(step), halo, steps)

    def misfit(*fields):
        h, u, v = fields[:3]
        state = advance(start(h, u, jnp.where(north_wall, 0, v)), fields[3:])
        return 0.5 * jnp.sum((state[0] - depth) ** 2)

    return jax.jit(jax.value_and_grad(misfit, argnums=tuple(range(count))))


def serve_forward(variables, constants, steps, halo, north_wall, what, comm=None):
    """Rounds of `steps` steps, each going on where the last one ended."""
    step = make_step(halo, north_wall, lambda x: x) if what == "plain" else make_step(halo, north_wall)
    advance = jax.jit(make_advance(step, halo, steps))
    state = start(*variables)

    def run():
        nonlocal state
        state = jax.block_until_ready(advance(state, constants))

    turns.take_turns(run, lambda: state[:3], comm)


def serve_gradient(variables, constants, steps, north_wall, count):
    gradient = make_gradient(make_step(halo, north_wall), steps, north_wall, count)
    bars = ()

    def run():
        nonlocal bars
        bars = ()  # the last ones' memory
        J, bars = jax.block_until_ready(gradient(*variables, *constants))
        return J

    turns.take_turns(run, lambda: bars)


def main(nx, ny, steps, what):
    variables, constants = jax.tree.map(jnp.asarray, initial(nx, ny))
    north_wall = (jnp.arange(ny) == ny - 1)[:, None]
    if what in ("forward", "plain"):
        serve_forward(variables, constants, steps, halo, north_wall, what)
    else:
        serve_gradient(variables, constants, steps, north_wall, 3 if what == "gradient" else 6)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), sys.argv[4])
