# SPDX-License-Identifier: BSD-2-Clause
"""J as a function for PyTorch, with its gradient:

    f = halograd.torch.function(J, x, wrt="kappa")
    f(network(X, Y)).backward()"""
import numpy as np

from ._bridge import Arrays, missing

try:
    import torch
except ImportError:
    raise missing("torch", "PyTorch (pip install torch; Debian: python3-torch)") from None


def function(misfit, x, wrt, memory=None, patches=False):
    """f(tensor, ...) -> J, one tensor for each variable of `wrt`; all else as in x.

    Tensors are whole fields [j, i], the same on every rank, as is the gradient: a network in front of it is trained alike on all ranks, with
    the same bits on any number of them. patches=True: this rank's part; what is behind it on several ranks sums over them itself.
    Collective: every rank calls f the same number of times."""
    arrays = Arrays(misfit, x, wrt, memory, patches)

    def plain(tensors):
        return [t.detach().cpu().numpy() for t in tensors]

    class J(torch.autograd.Function):
        @staticmethod
        def forward(context, *tensors):
            if not any(context.needs_input_grad):
                return tensors[0].new_tensor(arrays.value(*plain(tensors)))
            value, gradients = arrays.gradient(*plain(tensors))
            context.save_for_backward(*(torch.from_numpy(np.ascontiguousarray(g)).to(t) for g, t in zip(gradients, tensors)))
            return tensors[0].new_tensor(value)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(context, J_bar):
            return tuple(J_bar * g for g in context.saved_tensors)

    return lambda *tensors: J.apply(*tensors)
