# SPDX-License-Identifier: BSD-2-Clause
"""The linear tsunami of bench/tsunami/own_tsunami.h in JAX on one core. usage: tsunami_jax.py NX NY STEPS plain|forward|gradient

    u'   = keep_u (u + dt f_c v_at_u - dt g/(R cos(phi)) (eta_E - eta)/dlambda)
    v'   = keep_v (v - dt f_n u'_at_v - dt g/R (eta_N - eta)/dphi)
    eta' = keep (eta - dt/(R cos(phi)) ((h_u u' - (h_u u')_W)/dlambda + (cos_n h_v v' - (cos_n h_v v')_S)/dphi))

J = 1/2 |eta(T)|^2, with respect to eta, u and v, v = 0 on the northern wall. plain: as one writes it; in the others a barrier keeps XLA from computing u' and v' anew for each
of their readers, forward and, by its own rule, backward. The step is linear in what is differentiated, so that jax.grad keeps no state."""
import sys

import one_core
import jax
import jax.numpy as jnp
import numpy as np
import turns

gravity, rotation, radius, deepest, shallowest, land = 9.81, 7.292115e-5, 6371e3, 5200.0, 200.0, 0.2


def depths(nx, ny):
    """At centres; 0 on land and in the columns and rows outside, of which there is one on each side."""
    x, y = (np.arange(nx) + 0.5) / nx, (np.arange(ny)[:, None] + 0.5) / ny
    coast = land + 0.1 * np.sin(9 * y)
    return np.pad(np.where(x < coast, 0, shallowest + (deepest - shallowest) * (1 - np.exp(-6 * (x - coast)))), 1)


def face(a, b):
    return np.where((a > 0) & (b > 0), 0.5 * (a + b), 0)


def problem(nx, ny):
    """eta, u, v; h_u, h_v, keep, keep_u, keep_v; and by row, as columns, what a step multiplies with"""
    h = depths(nx, ny)
    here, h_u, h_v = h[1:-1, 1:-1], face(h[1:-1, 1:-1], h[1:-1, 2:]), face(h[1:-1, 1:-1], h[2:, 1:-1])
    x, y = (np.arange(nx) + 0.5) / nx - 0.5, (np.arange(ny)[:, None] + 0.5) / ny - 0.5
    eta = np.where(here > 0, np.exp(-200 * (x**2 + y**2)), 0)
    dx, dy = np.radians(25 / nx) * radius, np.radians(23 / ny) * radius
    dt = 0.9 / np.sqrt(gravity * deepest * (1 / (dx * np.cos(np.radians(48))) ** 2 + 1 / dy**2))
    phi = np.radians(25 + 23 / ny * np.arange(ny))[:, None]
    north = phi + np.radians(23 / ny) / 2
    rows = dict(
        turn=dt * 2 * rotation * np.sin(phi) / 4,
        turn_north=dt * 2 * rotation * np.sin(north) / 4,
        slope=dt * gravity / (np.cos(phi) * dx),
        slope_north=np.full_like(phi, dt * gravity / dy),
        r=dt / (np.cos(phi) * dx),
        s=dt / (np.cos(phi) * dy),
        north=np.cos(north),
    )
    fields = dict(h_u=h_u, h_v=h_v, keep=1.0 * (here > 0), keep_u=1.0 * (h_u > 0), keep_v=1.0 * (h_v > 0))
    return (eta, 0 * eta, 0 * eta), fields | rows


def west(x):
    return jnp.pad(x[:, :-1], ((0, 0), (1, 0)))


def east(x):
    return jnp.pad(x[:, 1:], ((0, 0), (0, 1)))


def south(x):
    return jnp.pad(x[:-1], ((1, 0), (0, 0)))


def north(x):
    return jnp.pad(x[1:], ((0, 1), (0, 0)))


def make_step(barrier):
    def step(eta, u, v, c):
        at_u = (v + east(v)) + (south(v) + south(east(v)))
        u = barrier(c["keep_u"] * (u + (c["turn"] * at_u - c["slope"] * (east(eta) - eta))))
        at_v = (west(u) + u) + (west(north(u)) + north(u))
        v = barrier(c["keep_v"] * (v - (c["turn_north"] * at_v + c["slope_north"] * (north(eta) - eta))))
        U, V = c["h_u"] * u, c["north"] * (c["h_v"] * v)
        eta = c["keep"] * (eta - (c["r"] * (U - west(U)) + c["s"] * (V - south(V))))
        return eta, u, v

    return step


def make_advance(step, steps):
    return lambda q, c: jax.lax.scan(lambda q, _: (step(*q, c), None), q, length=steps)[0]


def main(nx, ny, steps, what):
    q, constants = jax.tree.map(jnp.asarray, problem(nx, ny))
    advance = make_advance(make_step((lambda x: x) if what == "plain" else jax.lax.optimization_barrier), steps)
    result = list(q)
    if what == "gradient":

        def misfit(q, c):
            eta, u, v = q
            return 0.5 * jnp.sum(advance((eta, u, v.at[-1].set(0)), c)[0] ** 2)

        gradient = jax.jit(jax.value_and_grad(misfit))

        def run():
            J, result[:] = jax.block_until_ready(gradient(q, constants))
            return J

    else:
        forward = jax.jit(advance)

        def run():
            result[:] = jax.block_until_ready(forward(tuple(result), constants))

    turns.take_turns(run, lambda: result)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), sys.argv[4])
