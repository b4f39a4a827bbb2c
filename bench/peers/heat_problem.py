# SPDX-License-Identifier: BSD-2-Clause
"""The problem of bench/pairs/own_heat.c: kappa, u_0, d and dt on n x n cells of the unit square, centres (i + 1/2, j + 1/2) / n."""
import numpy as np


def centres(n):
    """x as a row, y as a column"""
    x = (np.arange(n) + 0.5) / n
    return x, x[:, None]


def kappa(n):
    x, y = centres(n)
    return 1 + 0.5 * np.sin(5 * x + 0.3) * np.cos(4 * y)


def initial(n):
    x, y = centres(n)
    return np.sin(np.pi * x) * np.sin(2 * np.pi * y) + x * (1 - y)


def data(n):
    x, y = centres(n)
    return x * y + np.cos(3 * x)


def time_step(n):
    """0.8 of the largest stable one, h^2 / (4 max kappa), for kappa <= 1.5"""
    return 0.8 / (4 * 1.5 * n * n)
