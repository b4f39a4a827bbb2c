# SPDX-License-Identifier: BSD-2-Clause
"""The diffusivity of a plate from 144 thermometers with 1 % noise, as heat_inverse finds it: mpirun -n 4 python3 heat_inverse.py"""
import math

import halograd as hg


def lamps(x, y):
    total = 0.0
    for k in range(9):
        from_x, from_y = x - (0.2 + 0.3 * (k % 3)), y - (0.2 + 0.3 * (k // 3))
        total += 400 * math.exp(-(from_x * from_x + from_y * from_y) / (0.1 * 0.1))
    return total


heat, h = hg.Physics.of_library("heat_forced"), 1 / 33
mesh = hg.Mesh((32, 32), spacing=h, origin=(h, h))
steps, dt = hg.steps_for(0.05, largest=1 / (2 * 2.5 * (2 / (h * h))))
model = hg.Model(heat, mesh, dt, decay=10)
x = model.input(kappa=1, f=lamps)
J = hg.Misfit(model, steps).observations(hg.data("plate.h5"), unit="K")
found = hg.invert(J, x, seek={"kappa": hg.Log(0.2, 2.5, reference=1)}, h1=30, tolerance=3e-3)
hg.say(f"{found.reason}: misfit / expectation {found.misfit_ratio:.4f}\n{found.digest()}")
