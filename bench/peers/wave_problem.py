# SPDX-License-Identifier: BSD-2-Clause
"""The problems of bench/wave/own_wave.c and, with levels, of bench/levels/own_volume.c: p at the start, m, damping, sources, dt on n x n
or n x n x n cells of 10 m; arrays by y, z and x, rows from south to north."""
import numpy as np

cell, time_step, amplitude, shots = 10.0, 1.5e-3, 1e4, 4


def length(n):
    return cell * n


def centres(n, levels):
    """x, y, z, to be broadcast"""
    x = cell * np.arange(n)
    return (x, x[:, None, None], x[:, None]) if levels else (x, x[:, None], 0)


def shape(n, levels):
    x, y, z = centres(n, levels)
    return np.sin(3 * x / length(n)) * np.cos(2 * y / length(n) - z / length(n))


def pressure(n, levels=False):
    return 1 + 0.5 * shape(n, levels)


def squared_speed(n, levels=False):
    return 4e6 * (1 + 0.25 * shape(n, levels))


def damping(n, levels=False):
    x, y, z = centres(n, levels)
    width = 150.0
    inner = length(n) - cell - width
    within = [np.maximum(width - at, at - inner) for at in ((x, y, z) if levels else (x, y))]
    depth = np.maximum(within[0], within[1]) if not levels else np.maximum(np.maximum(within[0], within[1]), within[2])
    return 70 * np.maximum(depth / width, 0) ** 2


def shot_cells(n, levels=False):
    """(row, level, column) of each source"""
    return [(n // 4,) + ((n // 4,) if levels else ()) + (n * (1 + k) // 5,) for k in range(shots)]


def wavelet(steps):
    """By step."""
    return np.sin(2 * np.pi * 15 * time_step * np.arange(1, steps + 1))
