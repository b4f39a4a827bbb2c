# SPDX-License-Identifier: BSD-2-Clause
"""The problem of bench/wave/own_wave.c: p at the start, m, damping, sources, dt on n x n cells of 10 m, rows from south to north."""
import numpy as np

cell, time_step, amplitude, shots = 10.0, 1.5e-3, 1e4, 4


def length(n):
    return cell * n


def centres(n):
    """x as a row, y as a column"""
    x = cell * np.arange(n)
    return x, x[:, None]


def pressure(n):
    x, y = centres(n)
    return 1 + 0.5 * np.sin(3 * x / length(n)) * np.cos(2 * y / length(n))


def squared_speed(n):
    x, y = centres(n)
    return 4e6 * (1 + 0.25 * np.sin(3 * x / length(n)) * np.cos(2 * y / length(n)))


def damping(n):
    x, y = centres(n)
    width = 150.0
    inner = length(n) - cell - width
    depth = np.maximum(np.maximum(width - x, x - inner), np.maximum(width - y, y - inner)) / width
    return 70 * np.maximum(depth, 0) ** 2


def shot_cells(n):
    """(column, row) of each source"""
    return [(n * (1 + k) // 5, n // 4) for k in range(shots)]


def wavelet(steps):
    """By step."""
    return np.sin(2 * np.pi * 15 * time_step * np.arange(1, steps + 1))
