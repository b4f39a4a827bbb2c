# SPDX-License-Identifier: BSD-2-Clause
"""Orders of convergence in three dimensions: heat, sound and elastic waves of test_levels.py in a periodic box, a plane wave oblique to all
axes. In dx the error is that against the equation; in dt that against the wave of the grid, whose wave number is the differences' symbol.
python3 test_orders.py prints the table of docs/levels.md."""
import halograd as hg
import numpy as np
import pytest
from test_levels import ELASTIC, HEAT, SOUND

pytestmark = pytest.mark.one_rank

SIZES, WAVE = (1.0, 1.2, 0.9), 2 * np.pi / np.array([1.0, 1.2, 0.9])
HALF = {"vx": "x", "vy": "y", "vz": "z", "sxy": "xy", "sxz": "xz", "syz": "yz"}
END, LAMBDA, MU, LIGHT, KAPPA, SQUARE = 0.25, 1.0, 0.7, 0.8, 0.03, 1.5


def symbol(d, on_grid, fourth=False):
    """Wave numbers that differences see: (u_E - u) / dx, and along z for sound -u_UU + 16 u_U ... of order 4."""
    k = 2 * np.sin(WAVE * d / 2) / d if on_grid else WAVE.copy()
    if on_grid and fourth:
        k[2] = np.sqrt((15 - 16 * np.cos(WAVE[2] * d[2]) + np.cos(2 * WAVE[2] * d[2])) / 6) / d[2]
    return k


def heat(k, dt, t):
    return {"u": lambda phase: np.exp(-KAPPA * (k @ k) * t) * np.cos(phase)}


def sound(k, dt, t):
    omega = np.sqrt(SQUARE * (k @ k))
    return {"p": lambda phase: np.cos(phase - omega * t), "p_old": lambda phase: np.cos(phase - omega * (t - dt))}


def elastic(k, dt, t):
    """A pressure wave: v along k, s = -lambda k.v - 2 mu k v over omega; v is half a step earlier."""
    omega = np.sqrt(LIGHT * (LAMBDA + 2 * MU) * (k @ k))
    made = {name: lambda phase, one=one: one * np.cos(phase - omega * (t - dt / 2)) for name, one in zip(("vx", "vy", "vz"), k)}
    for i, a in enumerate("xyz"):
        for j, b in enumerate("xyz"):
            if i <= j:
                size = -(LAMBDA * (k @ k) * (i == j) + 2 * MU * k[i] * k[j]) / omega
                made["s" + a + b] = lambda phase, size=size: size * np.cos(phase - omega * t)
    return made


CASES = {"heat": (HEAT, heat, {"kappa": KAPPA}), "sound": (SOUND, sound, {"m": SQUARE}),
         "elastic": (ELASTIC, elastic, {"lambda": LAMBDA, "mu": MU, "light": LIGHT})}


def error(case, n, steps, on_grid):
    """The largest error over the largest value, after `steps` steps to END on n^3 cells."""
    text, wave, constants = CASES[case]
    d, dt = np.array(SIZES) / n, END / steps
    with hg.Mesh((n, n, n), spacing=tuple(d), periodic=True) as mesh, hg.Model(hg.Physics(text), mesh, dt=dt) as model:
        k = symbol(d, on_grid, case == "sound")

        def fields(t):
            for name, value in wave(k, dt, t).items():
                x, y, z = ((at + step / 2 * (axis in HALF.get(name, ""))) for at, step, axis in zip((mesh.x, mesh.y, mesh.z), d, "xyz"))
                yield name, value(WAVE[0] * x + WAVE[1] * y + WAVE[2] * z)

        q = model.input(**constants)
        for name, value in fields(0):
            q[name] = value
        after = model.run(q, steps)
        worst = 0
        for name, value in fields(END):
            whole, expected = after.gather(name), mesh.gather(value)
            worst = max(worst, np.abs(whole - expected).max() / np.abs(expected).max())
    return worst


ROWS = [  # what, the order, (cells along an axis, steps) of two runs
    ("heat", "dx", 2, (12, 16), (24, 64)), ("heat", "dt", 1, (12, 16), (12, 64)),
    ("sound", "dx", 2, (12, 16), (24, 32)), ("sound", "dt", 2, (12, 16), (12, 32)),
    ("elastic", "dx", 2, (12, 16), (24, 32)), ("elastic", "dt", 2, (12, 16), (12, 32))]


def measure(case, what, coarse, fine):
    e = [error(case, *run, what == "dt") for run in (coarse, fine)]
    ratio = fine[0] / coarse[0] if what == "dx" else fine[1] / coarse[1]
    return e, np.log(e[0] / e[1]) / np.log(ratio)


@pytest.mark.parametrize("case, what, order, coarse, fine", ROWS)
def test_order(case, what, order, coarse, fine):
    errors, found = measure(case, what, coarse, fine)
    assert abs(found - order) < 0.15, (errors, found)


if __name__ == "__main__":
    print("| scheme | in | cells, steps | error | order |\n|---|---|---|---|---|")
    for case, what, order, coarse, fine in ROWS:
        e, found = measure(case, what, coarse, fine)
        print(f"| {case} | {what} | {coarse[0]}³, {coarse[1]} → {fine[0]}³, {fine[1]} | {e[0]:.2e} → {e[1]:.2e} | {found:.2f} |")
