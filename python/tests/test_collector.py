# SPDX-License-Identifier: BSD-2-Clause
"""Claim: the garbage collector may run anywhere, at other moments on each rank, also inside what the library calls: nothing hangs or crashes, and
the bits are those without it."""
import gc
import random
import sys

import halograd as hg
import numpy as np
from conftest import WORLD


def in_a_circle(*things):
    """Only the collector frees them."""
    circle = list(things)
    circle.append(circle)


def work(heat, seed):
    """Runs, inversions, operators and objects that nobody closes, in an order that `seed` draws, on all ranks alike; what comes out."""
    order, out = random.Random(seed), []
    for _ in range(6):
        mesh = hg.Mesh((18, 13), spacing=0.05)
        model = hg.Model(heat, mesh, dt=2e-4, decay=3.0)
        x = model.input(u=lambda x, y: x * (1 + y), kappa=1.0, f=2.0)
        J = hg.Misfit(model, steps=8).at_end("u", 0, sigma=1)
        whole = x["kappa"]  # keeps the state

        def watch(n, t, q):
            in_a_circle(q.copy(), q)
            out.append(q.copy().digest())

        def gradient():
            value, g = J.gradient(x, slots=order.choice((1, 3, 8)))
            in_a_circle(g, g["u"])
            out.extend((value, g.copy().digest()))

        def second():
            in_a_circle(J.hessian(x, x.like().random(2)))
            out.append(J.tangent(x, [x.like().random(k) for k in (1, 2)])[1].tolist())

        def run():
            in_a_circle(model.run(x, 5, every=2, watch=watch))

        def operator():
            s = hg.zeros(mesh, {"s": "1"})
            s["s"] = 1.1
            square = hg.Operator("square", s, hg.zeros(mesh, {"kappa": "m^2/s"}),
                                 lambda s, k: k["kappa"].__setitem__(..., s["s"] ** 2),
                                 lambda s, ds, dk: dk["kappa"].__setitem__(..., 2 * s["s"] * ds["s"]),
                                 lambda s, k_bar, s_bar: s_bar["s"].__iadd__(2 * s["s"] * k_bar["kappa"]))
            found = hg.invert(J, x, seek={"kappa": square}, iterations=3, callback=lambda it, m: in_a_circle(it, m.copy(), m))
            out.append(found.digest())
            in_a_circle(found, square)

        def invert():
            found = hg.invert(J, x, seek={"kappa": hg.Log(0.3, 3)}, h1=1, iterations=3)
            in_a_circle(found)
            out.append(found.J)

        for step in order.sample((gradient, second, run, operator, invert, gradient), 6):
            step()
        whole[...] = 1.0
        in_a_circle(x, whole, J, model, mesh)  # the last three live on: they are not closed
        if order.random() < 0.5:
            mesh.close()
    return out


def test_anywhere(heat):
    gc.disable()
    expected = work(heat, 1)
    gc.freeze()  # what is there already, all modules, is never garbage: the collector need not look at it each time
    numbers, runs = random.Random(1000 + WORLD.rank), [0]

    def now_and_then(frame, event, argument):
        if numbers.random() < 0.01:
            runs[0] += 1
            gc.collect(numbers.randrange(3))

    sys.setprofile(now_and_then)  # at each call of a function, and at each return
    try:
        found = work(heat, 1)
    finally:
        sys.setprofile(None)
        gc.unfreeze()
        gc.enable()
    assert found == expected and len(found) > 60
    ran = WORLD.allgather(runs[0])
    assert min(ran) > 30 and (WORLD.size == 1 or len(set(ran)) > 1), ran


def test_after_the_program_has_let_go(heat):
    """What circles keep is freed when the collector comes, which is other ranks' affair at another time."""
    mesh = hg.Mesh((18, 13), spacing=0.05)
    x = hg.zeros(mesh, {"u": "K"})
    gc.collect()
    before = mesh._states
    for k in range(50):
        in_a_circle(x.copy())
        if k % 7 == WORLD.rank:
            gc.collect()
        assert np.isfinite(x.dot(x))
    gc.collect()
    x.dot(x)
    assert mesh._states == before
