# SPDX-License-Identifier: BSD-2-Clause
"""J as a function for JAX, with its gradient:

    f = halograd.jax.function(J, x, wrt="kappa")
    value, g = jax.value_and_grad(lambda weights: f(network(weights, X, Y)))(weights)"""
import numpy as np

from ._bridge import Arrays, missing

try:
    import jax
    import jax.numpy as jnp
    from jax.experimental import io_callback
except ImportError:
    raise missing("jax", "JAX (pip install jax)") from None

# Else JAX runs what calls the library in a thread of its own, beside the program, which may call the library as well, and may wait for ever
# (github.com/jax-ml/jax, issue 24255).
jax.config.update("jax_cpu_enable_async_dispatch", False)


def function(misfit, x, wrt, memory=None, patches=False):
    """f(array, ...) -> J, one array for each variable of `wrt`; all else as in x. It goes through jax.grad and jax.jit.

    Arrays are whole fields [j, i], the same on every rank, as is the gradient: a network in front of it is trained alike on all ranks, with
    the same bits on any number of them. patches=True: this rank's part; what is behind it on several ranks sums over them itself.
    Collective: every rank calls f the same number of times."""
    arrays = Arrays(misfit, x, wrt, memory, patches)

    def real():
        return jax.dtypes.canonicalize_dtype(np.float64)  # double with jax_enable_x64

    def on_host(call, shapes, given):
        return io_callback(call, shapes, *given, ordered=True)  # in one order on all ranks

    def host_value(*given):
        return np.asarray(arrays.value(*given), dtype=real())

    def host_gradient(*given):
        J, g = arrays.gradient(*given)
        return (np.asarray(J, dtype=real()), *(one.astype(array.dtype) for one, array in zip(g, given)))

    @jax.custom_vjp
    def f(*given):
        return on_host(host_value, jax.ShapeDtypeStruct((), real()), given)

    def forward(*given):
        shapes = (jax.ShapeDtypeStruct((), real()), *(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in given))
        J, *g = on_host(host_gradient, shapes, given)
        return J, tuple(g)

    def backward(g, J_bar):
        return tuple((J_bar * one).astype(one.dtype) for one in g)

    f.defvjp(forward, backward)
    def checked(*given):
        arrays.require([jnp.shape(a) for a in given])
        return f(*(jnp.asarray(a) for a in given))

    return checked
