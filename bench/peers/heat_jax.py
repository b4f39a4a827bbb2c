# SPDX-License-Identifier: BSD-2-Clause
"""Heat in JAX on one core. usage: heat_jax.py N STEPS forward|gradient [levels]

    u' = u + dt kappa lap(u), u = 0 outside;    J = 1/2 |u(T) - d|^2

Of four ways to write the Laplacian this one, each neighbour shifted in by a pad of its own, is the fastest forward; with the states
stored and the rest of a step computed again (jax.checkpoint) its gradient is, too."""
import sys

import one_core
import heat_problem
import jax
import jax.numpy as jnp
import turns

n, steps, what, levels = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:] == ["levels"]
dt, r = heat_problem.time_step(n, levels), float(n) ** 2


def second(u, axis):
    pads = lambda before: [(before, 1 - before) if k == axis else (0, 0) for k in range(u.ndim)]
    below = jnp.pad(jax.lax.slice_in_dim(u, 0, n - 1, axis=axis), pads(1))
    above = jnp.pad(jax.lax.slice_in_dim(u, 1, n, axis=axis), pads(0))
    return r * ((below + above) - 2 * u)


def laplacian(u):
    along = second(u, u.ndim - 1) + second(u, 0)
    return along + second(u, 1) if levels else along


def advance(u, kappa):
    step = jax.checkpoint(lambda u: u + dt * (kappa * laplacian(u)))
    return jax.lax.scan(lambda u, _: (step(u), None), u, length=steps)[0]


def misfit(u, kappa, d):
    return 0.5 * jnp.sum((advance(u, kappa) - d) ** 2)


u, kappa = jnp.asarray(heat_problem.initial(n, levels)), jnp.asarray(heat_problem.kappa(n, levels))
if what == "forward":
    result = [u]
    compiled = jax.jit(advance, donate_argnums=0)

    def run():
        result[0] = jax.block_until_ready(compiled(result[0], kappa))

else:
    result = []
    d = jnp.asarray(heat_problem.data(n, levels))
    compiled = jax.jit(jax.value_and_grad(misfit, argnums=(0, 1)))

    def run():
        result.clear()  # the last ones' memory
        J, bars = jax.block_until_ready(compiled(u, kappa, d))
        result[:] = bars
        return J


turns.take_turns(run, lambda: result)
