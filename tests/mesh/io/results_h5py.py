# SPDX-License-Identifier: BSD-2-Clause
# Claim: h5py (and xarray, where it has an HDF5 engine) finds in plate.h5 what results.c wrote, exactly, with CF coordinates.
import importlib.util
import sys

import h5py
import numpy

directory = sys.argv[1]
j, i = numpy.mgrid[0:9, 0:13]
times = numpy.array([0.0, 0.125, 0.25])


def field(offset):
    return offset + i + 1000.0 * j + 1.0 / 3


expected = {
    "x": 0.5 + 0.25 * numpy.arange(13),
    "y": -1 + 0.5 * numpy.arange(9),
    "time": times,
    "kappa": field(-7.0),
    "kappa_start": field(-7.0),
    "u": numpy.stack([field(1e6 * n) for n in range(3)]),
    "v": numpy.stack([field(1e6 * n + 0.5) for n in range(3)]),
    "sums": numpy.array([[10 * n + k + 0.1 for k in range(3)] for n in range(3)]),
    "sums_start": None,
}
units = {"x": "m", "y": "m", "time": "s", "kappa": "m^2/s", "u": "K", "v": "m/s", "sums": "K"}


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def require(condition, *what):
    if not condition:
        sys.exit("claim broken: " + " ".join(str(w) for w in what))


with h5py.File(directory + "/plate.h5", "r") as file:
    require("own" not in file, "an array of each rank's own was written")
    for name, values in expected.items():
        require(name in file, name, "is missing")
        found = file[name][()]
        if values is None:
            continue
        require(found.dtype == numpy.float64 and found.shape == values.shape, name, found.dtype, found.shape)
        worst = numpy.abs(found - values).max()
        require(worst == 0, name, "differs by", worst, "expected the same bits")
    for name, unit in units.items():
        require(text(file[name].attrs["units"]) == unit, name, "units", file[name].attrs["units"])
    require(text(file["v"].attrs["location"]) == "y face" and "location" not in file["u"].attrs, "location")
    require(text(file.attrs["Conventions"]) == "CF-1.8", "Conventions", file.attrs["Conventions"])
    require(text(file.attrs["title"]) == "a plate", "title", file.attrs["title"])
    require("claims_mesh_io" in text(file.attrs["history"]), "history", file.attrs["history"])
    for name, scales in {"u": ["time", "y", "x"], "kappa": ["y", "x"], "sums": ["time", "sums_index"]}.items():
        found = [file[name].dims[k][0].name.strip("/") for k in range(len(scales))]
        require(found == scales, name, "has the dimension scales", found, "expected", scales)
    require(text(file["time"].attrs["axis"]) == "T" and text(file["x"].attrs["axis"]) == "X", "axis")
    require(file.id.get_filesize() < 2**18, "file of", file.id.get_filesize(), "bytes: reserved space was kept")
engines = [e for e in ("h5netcdf", "netcdf4") if importlib.util.find_spec({"netcdf4": "netCDF4"}.get(e, e))]
for engine in engines:
    import xarray

    with xarray.open_dataset(directory + "/plate.h5", engine=engine) as data:
        require(data["u"].dims == ("time", "y", "x"), engine, data["u"].dims)
        value = float(data["u"].sel(time=0.125, x=1.0, y=-0.5))
        require(abs(value - (1e6 + 2 + 1000 + 1 / 3)) < 1e-9, engine, "u at (0.125, -0.5, 1.0) is", value)
        require(data["u"].attrs["units"] == "K", engine, data["u"].attrs)
