#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Draws the plots of the page of figures from the figures of the bench.
usage: plots.py FIGURES.json OUTPUT"""
import json
import pathlib
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

PEERS = re.compile(r"PETSc (?:TSEULER|TSAdjoint)|Devito|mpi4jax(?:, plain)?|jax\.grad|JAX(?:, plain)?|hand-fused sweep|plain loop|DMGlobalToLocal")
FORWARD = re.compile(r"own (?:forward|single steps)")
COLOURS = {"PETSc": "#b5473c", "Devito": "#3b6fb6", "JAX": "#7b4fa3", "mpi4jax": "#7b4fa3", "jax.grad": "#7b4fa3", "hand-fused": "#52832f", "plain": "#52832f", "own": "#3b6fb6", "DMGlobalToLocal": "#b5473c"}


def pretty(text):
    return text.replace("^2", "²").replace(" x ", " × ")


def bars(figures, output, label, log):
    """One bar for each figure, from 1 to its ratio; of a range without a ratio the middle."""
    if len(figures) < 5:
        sys.exit(f"plots.py: only {len(figures)} figures for {output}")
    plt.rcParams.update({"font.size": 8, "font.family": "DejaVu Sans", "axes.spines.top": False, "axes.spines.right": False})
    fig, axes = plt.subplots(figsize=(8, 0.9 + 0.2 * len(figures)), layout="constrained")
    for k, (figure, name) in enumerate(figures):
        low, high = figure["low"], figure["high"]
        value = figure["ratio"] or (low * high) ** 0.5
        axes.barh(-k, value - 1 if log else value, left=1 if log else 0, color=next(c for p, c in COLOURS.items() if name.startswith(p)), height=0.62)
        if low and high:
            axes.plot([low, high], [-k, -k], color="black", linewidth=0.9)
        if figure["goal"]:
            axes.plot([float(figure["goal"].split()[1])] * 2, [-k - 0.42, -k + 0.42], color="black", linewidth=1.4)
    axes.set_yticks([-k for k in range(len(figures))], [pretty(f"{f['row']}: {f['run']}  |  {name} ({f['machine']})") for f, name in figures])
    if log:
        axes.set_xscale("log")
        axes.axvline(1, color="black", linewidth=0.7)
        axes.set_xticks([0.5, 1, 2, 5, 10, 20, 50, 100], ["0.5", "1", "2", "5", "10", "20", "50", "100"])
        axes.minorticks_off()
    axes.grid(axis="x", linewidth=0.4, alpha=0.6)
    axes.set_axisbelow(True)
    axes.set_ylim(-len(figures) + 0.4, 0.6)
    axes.set_xlabel(label)
    fig.savefig(output, dpi=160, metadata={"Software": None})
    plt.close(fig)


figures = json.loads(pathlib.Path(sys.argv[1]).read_text())["figures"]
folder = pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
known = [f for f in figures if f["ratio"] or (f["low"] and f["high"])]
speed = [(f, PEERS.match(f["beside"])[0]) for f in known if PEERS.match(f["beside"]) and not (f["goal"] or "").startswith("<=")]
gradient = [(f, FORWARD.match(f["beside"])[0]) for f in known if FORWARD.match(f["beside"]) and "gradient" in f["row"] + f["run"]]
bars(speed, folder / "speed.png", "speed of halograd / speed of the peer", log=True)
bars(gradient, folder / "gradient.png", "time of a gradient / time of a forward run", log=False)
