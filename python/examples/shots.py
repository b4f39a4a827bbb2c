# SPDX-License-Identifier: BSD-2-Clause
"""Full-waveform inversion in small: the square of the speed of sound below ground, from five shots and scipy. mpirun -n 4 python3 shots.py"""
import halograd as hg
import numpy as np
import scipy.optimize

SOUND = """physics sound {
  field p [Pa] fixed 0, p_old [Pa], m [m^2/s^2] > 0, damping [1/s], source [Pa/s^2];
  table wavelet[step] [1];
  let lap(f) = (f_W + f_E - 2 * f) / dx^2 + (f_S + f_N - 2 * f) / dy^2;
  p' = (2 * p - (1 - dt * damping) * p_old + dt^2 * (m * lap(p) + wavelet[step] * source)) / (1 + dt * damping);
  p_old' = p;
  stable dt <= 1 / sqrt(max(m) * (1 / dx^2 + 1 / dy^2));
}"""
cells, h, dt, steps = 60, 16.0, 3e-3, 300
time = dt * np.arange(steps + 1)
phase = (np.pi * 10 * (time - 0.12)) ** 2  # of a Ricker wavelet
mesh = hg.Mesh((cells, cells), spacing=h)
model = hg.Model(hg.Physics(SOUND), mesh, dt, wavelet=(1 - 2 * phase) * np.exp(-phase))


def bump(x, y, width):
    return np.exp(-((mesh.x - x) ** 2 + (mesh.y - y) ** 2) / width**2)


edge = np.minimum(np.minimum(mesh.x, cells * h - mesh.x), np.minimum(mesh.y, cells * h - mesh.y))
damping = 60 * np.clip(1 - edge / 130, 0, None) ** 2
hidden = (2000 + 250 * bump(330, 480, 110) - 200 * bump(640, 420, 120)) ** 2
receivers, times = [(40 + 40 * k, 900) for k in range(23)], dt * np.arange(20, steps + 1, 4)
shots = []
for k in range(5):
    x = model.input(m=hidden, damping=damping, source=1e6 * bump(150 + 160 * k, 880, 25))
    with hg.Misfit(model, steps).sensors("p", receivers, times, np.zeros((len(times), 23)), sigma=1) as seen:
        seen(x)
        data = seen.predicted()
    x["m"] = 4e6
    shots.append(hg.Misfit(model, steps).sensors("p", receivers, times, data, sigma=0.05).scipy(x, "m"))


def J(v):
    values, gradients = zip(*(shot(v * 1e6) for shot in shots))
    return sum(values), 1e6 * sum(gradients)


start = shots[0].x0 / 1e6
found = scipy.optimize.minimize(J, start, jac=True, method="L-BFGS-B", bounds=[(2.5, 6.5)] * len(start), options={"maxiter": 30})
truth = mesh.gather(hidden).ravel() / 1e6
before, after = (np.linalg.norm(v - truth) / np.linalg.norm(truth) for v in (start, found.x))
hg.say(f"J {J(start)[0]:.1f} -> {found.fun:.6e}, error of m {before:.4f} -> {after:.4f}")
