# SPDX-License-Identifier: BSD-2-Clause
"""The problems of bench/pairs/own_heat.c and, with levels, of bench/levels/own_volume.c: kappa, u_0, d and dt on n x n cells of the unit
square or n x n x n of the cube, centres (i + 1/2, j + 1/2, k + 1/2) / n; arrays by y, z and x."""
import numpy as np


def centres(n, levels):
    """x, y, z, to be broadcast"""
    x = (np.arange(n) + 0.5) / n
    return (x, x[:, None, None], x[:, None]) if levels else (x, x[:, None], 0)


def kappa(n, levels=False):
    x, y, z = centres(n, levels)
    return 1 + 0.5 * np.sin(5 * x + 0.3) * np.cos(4 * y - z)


def initial(n, levels=False):
    x, y, z = centres(n, levels)
    return np.sin(np.pi * x) * np.sin(2 * np.pi * y) * np.cos(z) + x * (1 - y)


def data(n, levels=False):
    x, y, z = centres(n, levels)
    return x * y + np.cos(3 * x - z)


def time_step(n, levels=False):
    """0.8 of the largest stable one, h^2 / (2 max kappa) / dimensions, for kappa <= 1.5"""
    return 0.8 / ((6 if levels else 4) * 1.5 * n * n)
