# SPDX-License-Identifier: BSD-2-Clause
"""Shots of a SEG-Y file as fwi reads them: FOLDER/survey.csv for -shots_table says where they were fired, FOLDER/shot-0.h5, shot-1.h5, ...
for -observations hold their traces. A shot is what has one source. Dead traces are left out.
usage: segy_shots.py FILE FOLDER [--line X0,Y0,X1,Y1] [--levels] [--scale PASCAL] [--noise FRACTION]"""
import argparse
import pathlib
import sys

import h5py
import numpy as np
import segyio
from segyio import TraceField as field

UNITS = {"time": "s", "x": "m", "y": "m", "z": "m", "p": "Pa", "p_sigma": "Pa"}


def options():
    o = argparse.ArgumentParser(description="Shots of a SEG-Y file as fwi reads them.")
    o.add_argument("file"), o.add_argument("folder", type=pathlib.Path)
    o.add_argument("--line", default="0,0,1,0", help="X0,Y0,X1,Y1: x begins at the first place and grows towards the second one; y is to the left")
    o.add_argument("--levels", action="store_true", help="for a volume, fwi -nz; else for a section along the line")
    o.add_argument("--scale", type=float, default=1, help="[Pa] of 1 in the traces")
    o.add_argument("--noise", type=float, default=0.05, help="standard deviation of a reading, over the root mean square of its shot")
    return o.parse_args()


def scaled(f, scalar, *names):
    """Numbers of all traces: a scalar above 0 multiplies, below 0 divides."""
    s = f.attributes(scalar)[:].astype(float)
    factor = np.where(s < 0, 1 / np.where(s < 0, -s, 1), np.where(s > 0, s, 1))
    return [f.attributes(name)[:] * factor for name in names]


def places(f, line):
    """x, y and depth of the sources and of the receivers, of all traces."""
    x0, y0, x1, y1 = map(float, line.split(","))
    along = np.array([x1 - x0, y1 - y0]) / np.hypot(x1 - x0, y1 - y0)
    sx, sy, gx, gy = scaled(f, field.SourceGroupScalar, field.SourceX, field.SourceY, field.GroupX, field.GroupY)
    below, surface, height = scaled(f, field.ElevationScalar, field.SourceDepth, field.SourceSurfaceElevation, field.ReceiverGroupElevation)
    return [
        np.stack([(x - x0) * along[0] + (y - y0) * along[1], (y - y0) * along[0] - (x - x0) * along[1], depth], axis=1)
        for x, y, depth in ((sx, sy, below - surface), (gx, gy, -height))
    ]


def write(path, time, receivers, traces, o):
    x, y, depth = receivers.T
    values = {"time": time, "x": x, "p": traces.T, "p_sigma": o.noise * np.sqrt(np.mean(traces.astype(float) ** 2))}
    values.update({"y": y, "z": -depth} if o.levels else {"y": -depth})
    with h5py.File(path, "w", libver="v110") as file:
        file.attrs["observed"] = np.bytes_("p")
        for name, numbers in values.items():
            file[name] = np.asarray(numbers, "f4" if name == "p" else "f8")
            file[name].attrs["units"] = np.bytes_(UNITS[name])


o = options()
with segyio.open(o.file, ignore_geometry=True) as f:
    sources, receivers = places(f, o.line)
    time, traces = f.samples / 1000, f.trace.raw[:] * np.float32(o.scale)
    dead = (f.attributes(field.TraceIdentificationCode)[:] == 2) | ~np.isfinite(traces).all(axis=1) | ~traces.any(axis=1)
if dead.all():
    sys.exit(f"segy_shots.py: {o.file}: all {len(dead)} traces are dead")
o.folder.mkdir(parents=True, exist_ok=True)
_, begins, shot_of = np.unique(sources[~dead].round(3), axis=0, return_index=True, return_inverse=True)
rows = ["kind,x [m],y [m],depth [m],wavelet" if o.levels else "kind,x [m],depth [m],wavelet"]
for e, first in enumerate(np.argsort(begins)):  # in the order of the file
    own = np.flatnonzero(~dead)[shot_of.ravel() == first]
    x, y, depth = sources[own[0]]
    rows.append(f"shot,{x:.3f}," + (f"{y:.3f}," if o.levels else "") + f"{depth:.3f},")
    write(o.folder / f"shot-{e}.h5", time, receivers[own], traces[own], o)
(o.folder / "survey.csv").write_text("\n".join(rows) + "\n")
print(f"{len(begins)} shots, {len(dead) - dead.sum()} traces of {len(time)} readings, {time[1] - time[0]:g} s apart; {dead.sum()} dead traces left out")
