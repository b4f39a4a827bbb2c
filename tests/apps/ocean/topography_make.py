# SPDX-License-Identifier: BSD-2-Clause
# Makes topography as other people's programs would, good and bad: ESRI and GeoClaw text, netCDF-4 by h5py, by xarray and by netCDF's
# own tools; and manifest.txt: kind|file|words of the refusal. Kinds: bilinear (accepted, holds plane()), order N (accepted, holds
# waves() on N points per cell), degrees (accepted with the origin 10 E, 40 N), globe (accepted on a sphere across its ends, holds
# ridge() between points at OFFSET and whole degrees from there), hole, refused.
import os
import subprocess
import sys
import zlib

import h5py
import numpy

directory = sys.argv[1]
os.makedirs(directory, exist_ok=True)
manifest = []
# the test's mesh has its cell centres at x = 500, 600 ... 1600 m, y = 300, 380 ... 1020 m
plane = lambda x, y: -1000 + 0.5 * x - 0.25 * y + 1e-3 * x * y
waves = lambda x, y: -500 - 100 * numpy.sin(x / 400) * numpy.cos(y / 300)


def add(kind, name, *words):
    manifest.append("|".join([kind, name, *words]))


def grid(x, y, f=plane):
    return f(x[None, :], y[:, None])


def text(name, x, y, z, order="esri", place="center", cell=None, nodata="-9999", lines=None, head=None, form="%.17g"):
    dx, dy = x[1] - x[0], y[1] - y[0]
    west, south = (x[0] - dx / 2, y[0] - dy / 2) if place == "corner" else (x[0], y[0])
    place = "lower" if place == "lower" else "ll" + place
    cell = cell or ["cellsize", "%.17g" % dx]
    pairs = [["ncols", str(len(x))], ["nrows", str(len(y))], ["x" + place, "%.17g" % west], ["y" + place, "%.17g" % south], cell]
    if nodata:
        pairs.append(["NODATA_value", nodata])
    if head:
        pairs = head(pairs)
    with open(directory + "/" + name, "w") as f:
        for p in pairs:
            f.write("   ".join(p if order == "esri" else p[1:] + p[:1]) + "\n")
        if lines == "one":  # GeoClaw's type 2: a number per line
            f.write("".join((form + "\n") % v for v in z[::-1].ravel()))
        else:
            f.write("".join(" ".join(form % v for v in row) + " \n" for row in z[::-1]))


x, y = 450.0 + 50 * numpy.arange(25), 250.0 + 50 * numpy.arange(17)
z = grid(x, y)
for order in "esri", "geoclaw":
    for place in "corner", "center", "lower":
        name = "%s_%s.asc" % (order, place)
        text(name, x, y, z, order, place)
        add("bilinear", name)
text("type2.tt2", x, y, z, "geoclaw", "lower", lines="one")
add("bilinear", "type2.tt2")
long_y = 200.0 + 125 * numpy.arange(8)
text("two_sizes.tt3", x, long_y, grid(x, long_y), "geoclaw", "lower", ["cellsize", "50", "125"])
add("bilinear", "two_sizes.tt3")
text("gdal.asc", x, long_y, grid(x, long_y), "esri", "corner", ["dx", "50"], head=lambda p: p[:5] + [["dy", "125"]] + p[5:])
add("bilinear", "gdal.asc")
text("upper_case.asc", x, y, z, head=lambda p: [[q[0].upper(), *q[1:]] for q in p], nodata=None)
add("bilinear", "upper_case.asc")
text("long_numbers.asc", x, y, z, form="%.300f")
add("bilinear", "long_numbers.asc")
with open(directory + "/marked.asc", "wb") as f:
    f.write(b"\xef\xbb\xbf" + open(directory + "/esri_corner.asc", "rb").read())
add("bilinear", "marked.asc")
exact_x, exact_y = 500.0 + 100 * numpy.arange(12), 300.0 + 80 * numpy.arange(10)
text("exact.tt3", exact_x, exact_y, grid(exact_x, exact_y), "geoclaw", "lower", ["cellsize", "100", "80"])
add("bilinear", "exact.tt3")
# headers are rounded: what differs by less than a thousandth of a cell is a cell centre, or half-way between two, or a third
text("rounded.tt3", exact_x, exact_y, grid(exact_x, exact_y), "geoclaw", "lower", ["cellsize", "100.002", "79.996"], head=lambda p: [["xlower", "500.06"] if q[0] == "xlower" else q for q in p])
add("bilinear", "rounded.tt3")
half_x, half_y = 450.0 + 100 * numpy.arange(13), 300 + 80 / 3 * numpy.arange(28)
text("rounded_parts.tt3", half_x, half_y, grid(half_x, half_y), "geoclaw", "lower", ["cellsize", "99.995", "26.667"], head=lambda p: [["ylower", "299.99"] if q[0] == "ylower" else q for q in p])
add("bilinear", "rounded_parts.tt3")
text("rounded_much.tt3", exact_x + 0.2, exact_y, grid(exact_x, exact_y), "geoclaw", "lower", ["cellsize", "100", "80"])
add("refused", "rounded_much.tt3", "from x = 500.2 to 1600.2", "500 to 1600 m")
# the mesh's cell centres always lie in the middle of four points
for cut in 1, 3, 9:
    wx, wy = 450 + 100 / cut * numpy.arange(12 * cut + 1), 260 + 80 / cut * numpy.arange(10 * cut + 1)
    name = "waves_%d.tt3" % cut
    text(name, wx, wy, grid(wx, wy, waves), "geoclaw", "lower", ["cellsize", "%.17g" % (100 / cut), "%.17g" % (80 / cut)])
    add("order %d" % cut, name)


# ---- text that is refused ----
def bad(name, words, **options):
    text(name, x, y, options.pop("z", z), **options)
    add("refused", name, *words)


def edit(name, change, *words):
    with open(directory + "/esri_corner.asc") as f:
        content = change(f.read())
    with open(directory + "/" + name, "w") as f:
        f.write(content)
    add("refused", name, *words)


def without(label):
    return lambda p: [q for q in p if q[0] != label]


def put(label, *numbers):
    return lambda p: [[label, *numbers] if q[0] == label else q for q in p]


for label in "ncols", "nrows", "xllcenter", "yllcenter", "cellsize":
    bad("no_%s.asc" % label, [label.replace("center", "corner"), "no '"], head=without(label))
bad("too_long.asc", ["'-565.0", "in row 1, column 1", "number of at most 351 characters"], form="%.400f")
bad("twice.asc", ["'nrows' comes twice"], head=lambda p: p + [["nrows", "3"]])
bad("cell_and_dx.asc", ["comes twice"], head=lambda p: p + [["dx", "3"]])
bad("label.asc", ["'depth'", "expected the labels ncols"], head=lambda p: p + [["depth", "3"]])
bad("two_labels.asc", ["'nrows'", "a label and a number"], head=lambda p: [["ncols", "25", "nrows", "17"]])
bad("two_numbers.asc", ["2 numbers for 'ncols'", "expected 1"], head=put("ncols", "25", "17"))
bad("three_numbers.asc", ["3 numbers for 'cellsize'", "expected 1 or 2"], head=put("cellsize", "25", "17", "3"))
bad("label_alone.asc", ["0 numbers for 'ncols'"], head=put("ncols"))
bad("half_column.asc", ["'ncols' is 25.5", "whole"], head=put("ncols", "25.5"))
bad("negative.asc", ["-25 points along x"], head=put("ncols", "-25"))
bad("one_row.asc", ["1 points along y", "2 to"], head=put("nrows", "1"))
bad("huge.asc", ["header of 1000000000 x 1000000000 elevations claims", "bytes"], head=lambda p: put("nrows", "1000000000")(put("ncols", "1000000000")(p)))
bad("overflow.asc", ["claims", "bytes"], head=put("ncols", "1e300"))
bad("infinite.asc", ["'ncols' is inf"], head=put("ncols", "1e400"))
bad("cell_zero.asc", ["'cellsize' is 0", "positive"], head=put("cellsize", "0"))
bad("cell_huge.asc", ["1.7e+308", "expected finite coordinates"], head=put("cellsize", "1.7e308"))
bad("cell_negative.asc", ["'cellsize' is -50", "positive"], head=put("cellsize", "-50"))
bad("place_nan.asc", ["'xllcorner' is nan", "finite"], head=put("xllcenter", "nan"))
edit("truncated.asc", lambda s: s[: len(s) * 3 // 4], "it ends after", "expected 25 x 17")
edit("short.asc", lambda s: s[:400], "header of 25 x 17 elevations claims", "the file has 400 in all")
edit("header_only.asc", lambda s: "\n".join(s.split("\n")[:6]), "no elevations after its header")
edit("empty.asc", lambda s: "", "no elevations")
edit("longer.asc", lambda s: s + "3\n", "more than 25 x 17")
edit("word.asc", lambda s: s.rstrip().rsplit(None, 30)[0] + " x" + " 1" * 29, "'x' in row 16, column 21", "a number")
edit("comma.asc", lambda s: s.replace(" ", ", "), "header", "expected")
with open(directory + "/binary.asc", "wb") as f:
    f.write(bytes(range(256)) * 10)
add("refused", "binary.asc", "topography")
for name, xs, ys, words in (
    ("west.asc", x[2:], y, ["from x = 550 to 1650", "500 to 1600 m"]),
    ("east.asc", x[:-2], y, ["from x = 450 to 1550", "500 to 1600 m"]),
    ("south.asc", x, y[2:], ["from y = 350 to 1050", "300 to 1020 m"]),
    ("north.asc", x, y[:-2], ["from y = 250 to 950", "300 to 1020 m"]),
):
    text(name, xs, ys, grid(xs, ys))
    add("refused", name, *words)
text("corner_is_not_center.asc", exact_x, exact_y, grid(exact_x, exact_y), "geoclaw", "corner", ["cellsize", "100", "80"])
with open(directory + "/corner_is_not_center.asc") as f:
    content = f.read().replace(" xllcorner", " xllcenter").replace(" yllcorner", " yllcenter")
with open(directory + "/corner_is_not_center.asc", "w") as f:
    f.write(content)
add("refused", "corner_is_not_center.asc", "from x = ", "500 to 1600")


# ---- holes: in the last case nobody needs the point, and the file is accepted ----
def hole(name, i, j, value, words, nodata="-9999"):
    holed = z.copy()
    holed[j, i] = value
    text(name, x, y, holed, nodata=nodata)
    add("refused" if words else "hole", name, *words)


hole("hole.asc", 9, 5, -9999, ["no data around cell (4, 2) at (900, 460) m"])
hole("hole_other.asc", 9, 5, -32768, ["no data around cell (4, 2)"], nodata="-32768")
hole("hole_default.asc", 9, 5, -9999, ["no data around cell (4, 2)", "-9999 stands for no data, the default of NODATA_value", "add a line 'NODATA_value -32768'"], nodata=None)
hole("nan.asc", 9, 5, numpy.nan, ["no data around cell (4, 2)"])
hole("inf.asc", 9, 5, -numpy.inf, ["no data around cell (4, 2)"])
hole("fill.asc", 9, 5, -32768, ["-32768 m around cell (4, 2) at (900, 460) m", "expected -12000 to 9000 m"])
hole("fill_of_netcdf.asc", 9, 5, 9.96921e36, ["9.96921e+36 m around cell (4, 2) at (900, 460) m"])
hole("hole_unused.asc", 0, 16, -9999, [])


# ---- netCDF-4 ----
def netcdf(kind, name, words=(), x=x, y=y, f=plane, dims="yx", names=("x", "y", "z"), units=("m", "m", "m"), change=None, fill=None, dtype="f8", **options):
    values = grid(x, y, f) if dims == "yx" else grid(x, y, f).T
    with h5py.File(directory + "/" + name, "w", libver=options.pop("libver", "latest")) as h:
        h[names[0]], h[names[1]] = x, y
        h.create_dataset(names[2], data=values.astype(dtype), **options)
        for key, unit in zip(names, units):
            if unit:
                h[key].attrs["units"] = numpy.bytes_(unit)
        for key in names[:2]:
            h[key].make_scale(key)
        for k in range(2):
            h[names[2]].dims[k].attach_scale(h[names["xy".index(dims[k])]])
        if fill is not None:
            h[names[2]].attrs["_FillValue"] = numpy.array([fill], dtype)
        if change:
            change(h)
    add(kind, name, *words)


for dims in "yx", "xy":
    for across in "", "down_x", "down_y", "down_x_down_y":
        netcdf("bilinear", "%s_%s.nc" % (dims, across), x=x[::-1] if "x" in across else x, y=y[::-1] if "y" in across else y, dims=dims)
uneven = numpy.sort(numpy.concatenate([x, [512.5, 601, 1599.5]]))
netcdf("bilinear", "uneven.nc", x=uneven)
netcdf("bilinear", "rounded.nc", x=(450 + 50 * numpy.arange(25) + 0.02 * (-1) ** numpy.arange(25)).astype("f4"), f=lambda x, y: plane(numpy.round(x.astype("f8") / 50) * 50, y))
netcdf("bilinear", "single.nc", f=lambda x, y: -100 + x / 4 - y / 8, dtype="f4")
netcdf("bilinear", "chunks.nc", chunks=(4, 5), fletcher32=True)
netcdf("bilinear", "names.nc", names=("Easting", "northing", "elevation"), units=("metre", "meters", "m"))
netcdf("bilinear", "with_others.nc", change=lambda h: h.update({"x_bounds": numpy.zeros((25, 2)), "crs": 3, "time": numpy.zeros(4), "title": b"text"}))
netcdf("bilinear", "square.nc", x=x[:25], y=200 + 40.0 * numpy.arange(25), dims="xy")  # only the scales tell the axes apart
netcdf("degrees", "degrees.nc", x=10 + 0.01 * numpy.arange(4), y=40 + 0.01 * numpy.arange(4), names=("lon", "lat", "elevation"), units=("degrees_east", "degrees_north", "m"))
netcdf("degrees", "turned.nc", x=-350 + 0.01 * numpy.arange(4), y=40 + 0.01 * numpy.arange(4), f=lambda lon, lat: plane(lon + 360, lat), names=("lon", "lat", "elevation"), units=("degrees_east", "degrees_north", "m"))
world_x, world_y = -180 + 1.0000000003 * numpy.arange(361), -90 + 1.0000000003 * numpy.arange(181)  # beyond the pole by rounding
text("world.asc", world_x, world_y, grid(world_x, world_y))
add("degrees", "world.asc")
# all round the globe, whose ends any sea may cross: 180 twice, or cells' middles; rising, falling, the other order of dimensions
ridge = lambda lon, lat: -3000 + 10 * abs((lon + 0.0) % 360 - 180) + lat / 2
globe_y = -10 + 5.0 * numpy.arange(5)
for name, lon, options in (
    ("globe_180.nc", -180 + numpy.arange(361.0), {}),
    ("globe_360.nc", numpy.arange(361.0), {}),
    ("globe_359.nc", numpy.arange(360.0), {"dims": "xy"}),
    ("globe_middles.nc", -179.5 + numpy.arange(360.0), {}),
    ("globe_down.nc", 180 - numpy.arange(361.0), {}),
    ("globe_down_xy.nc", 359.5 - numpy.arange(360.0), {"dims": "xy"}),
    ("globe_single.nc", 1e-5 - 180 + numpy.arange(361.0), {"dtype": "f4"}),
):
    netcdf("globe", name, ["0.5" if lon[0] % 1 == 0.5 else "0"], x=lon, y=globe_y, f=ridge, names=("lon", "lat", "z"), units=("degrees_east", "degrees_north", "m"), **options)
globe_x = -180 + numpy.arange(361.0)
text("globe.asc", globe_x, globe_y, ridge(globe_x[None, :], globe_y[:, None]), "geoclaw", "lower", ["cellsize", "1", "5"])
add("globe", "globe.asc", "0")
netcdf("refused", "degrees_alone.nc", ["x is in degrees", "origin"], x=10 + 0.01 * numpy.arange(4), y=40 + 0.01 * numpy.arange(4), names=("lon", "lat", "z"), units=("degrees_east", "degrees_north", "m"))
netcdf("refused", "north_x.nc", ["'lon' is in 'degrees_north', expected 'm', 'degrees' or 'degrees_east'"], names=("lon", "lat", "z"), units=("degrees_north", "degrees_north", "m"))
netcdf("refused", "east_y.nc", ["'lat' is in 'degrees_east', expected 'm', 'degrees' or 'degrees_north'"], names=("lon", "lat", "z"), units=("m", "degrees_east", "m"))
holed = lambda v: lambda h: h["z"].__setitem__((5, 9), v)
netcdf("refused", "hole.nc", ["no data around cell (4, 2)"], fill=-32768, dtype="i2", change=holed(-32768))
netcdf("refused", "nan.nc", ["no data around cell (4, 2)"], change=holed(numpy.nan))
netcdf("hole", "hole_unused.nc", fill=-32768.0, change=lambda h: h["z"].__setitem__((16, 0), -32768))


def missing(h):
    h["z"].attrs["missing_value"] = 1e30
    h["z"][5, 9] = 1e30


netcdf("refused", "missing_value.nc", ["no data around cell (4, 2)"], change=missing)
netcdf("refused", "unit.nc", ["'z' is in 'ft'", "'m'"], units=("m", "m", "ft"))
netcdf("refused", "unit_x.nc", ["'x' is in 'km'", "'m', 'degrees' or 'degrees_east'"], units=("km", "m", "m"))
netcdf("bilinear", "no_unit.nc", units=("m", "m", None))  # counts as text does, which cannot say it
netcdf("bilinear", "no_unit_y.nc", units=("m", None, "m"))
netcdf("degrees", "gmt.nc", x=10 + 0.01 * numpy.arange(4), y=40 + 0.01 * numpy.arange(4), units=(None, None, None), fill=numpy.nan, chunks=(3, 4), compression=3, shuffle=True, libver="earliest")
netcdf("refused", "down.nc", ["'z' is positive 'down'", "'up'"], change=lambda h: h["z"].attrs.__setitem__("positive", numpy.bytes_("down")))
def pack(scale, offset):
    def change(h):
        h["z"][...] = (h["z"][()] - offset) / scale
        h["z"].attrs.update({"scale_factor": scale, "add_offset": numpy.float32(offset)})

    return change


netcdf("bilinear", "packed.nc", change=pack(-0.25, 5), fill=-9999.0)
netcdf("refused", "packed_hole.nc", ["no data around cell (4, 2)"], fill=-32768.0, change=lambda h: [pack(0.5, 100)(h), h["z"].__setitem__((5, 9), -32768)])
for scale in 0.0, numpy.nan, numpy.inf:
    netcdf("refused", "packed_%g.nc" % scale, ["'z' is packed, scale_factor %g and add_offset 0" % scale], change=lambda h: h["z"].attrs.update({"scale_factor": scale, "add_offset": 0.0}))
netcdf("bilinear", "neutral.nc", change=lambda h: h["z"].attrs.update({"scale_factor": 1.0, "add_offset": 0.0, "positive": numpy.bytes_("up")}))
netcdf("refused", "fill_text.nc", ["'z' has an attribute that is not one number"], change=lambda h: h["z"].attrs.__setitem__("_FillValue", numpy.bytes_("none")))
bent = x.copy()
bent[7] = bent[5]
netcdf("refused", "bent.nc", ["x[7] = 700 after 750", "only rise"], x=bent)
flat = y[::-1].copy()
flat[4] = flat[3]
netcdf("refused", "flat.nc", ["y[4] = 900 after 900", "only fall"], y=flat)
broken = x.copy()
broken[3] = numpy.nan
netcdf("refused", "x_nan.nc", ["'x' at [3] is nan"], x=broken)
netcdf("refused", "west.nc", ["from x = 550 to 1650"], x=x[2:])
netcdf("refused", "one_row.nc", ["1 points along y"], y=y[:1])
for libver in "earliest", "v108", "v110":
    netcdf("bilinear", "gzip_%s.nc" % libver, chunks=(4, 5), compression="gzip", shuffle=True, fletcher32=True, libver=libver)
    netcdf("bilinear", "%s.nc" % libver, dims="xy", libver=libver)


def first_chunk(packed):
    """HDF5 1.10 believes that a chunk inflates to a chunk, and reads beyond what is less."""
    return lambda h: h["z"].id.write_direct_chunk((0, 0), packed)


packed = dict(chunks=(4, 5), compression="gzip")
for name, chunk in ("short", zlib.compress(bytes(8))), ("none", zlib.compress(b"")), ("long", zlib.compress(bytes(10**6))), ("cut", zlib.compress(bytes(160))[:-6]), ("plain", bytes(160)):
    netcdf("refused", "chunk_%s.nc" % name, ["'z' has a chunk that does not inflate to its size"], change=first_chunk(chunk), **packed)
netcdf("refused", "lzf.nc", ["'z' is compressed", "deflate and shuffle at most; nccopy -k nc4 -d 0 OLD NEW"], compression="lzf")
netcdf("refused", "scaled.nc", ["'z' is compressed"], f=lambda x, y: numpy.rint(plane(x, y)), dtype="i4", scaleoffset=0)
netcdf("refused", "unit_text.nc", ["'z'", "fixed length"], change=lambda h: h["z"].attrs.__setitem__("units", "m"))
netcdf("refused", "no_x.nc", ["no one-dimensional coordinate 'x'"], names=("a", "y", "z"))
netcdf("refused", "two_x.nc", ["both 'lon' and 'x'"], change=lambda h: h.__setitem__("lon", x))


def no_scale(h):
    h["z"].dims[0].detach_scale(h["y"])


def second(name, unit, dtype="f8"):
    def add_second(h):
        h[name] = (h["z"][()] * 0).astype(dtype)
        h[name].dims[0].attach_scale(h["y"])
        h[name].dims[1].attach_scale(h["x"])
        if unit:
            h[name].attrs["units"] = numpy.bytes_(unit)

    return add_second


def soft(h):
    h["elsewhere"] = h["z"]
    del h["z"]
    h["z"] = h5py.SoftLink("/elsewhere")


def list_of_text(h):
    del h["x"].attrs["REFERENCE_LIST"]
    h["x"].attrs["REFERENCE_LIST"] = numpy.bytes_("z")


def shorter(h):
    values = h["x"][:-1]
    h.move("x", "old")
    h["x"] = values
    h["x"].attrs["units"] = numpy.bytes_("m")
    h["x"].attrs.create("REFERENCE_LIST", h["old"].attrs["REFERENCE_LIST"], dtype=h["old"].attrs.get_id("REFERENCE_LIST").dtype)


netcdf("refused", "no_scale.nc", ["no dataset of two dimensions", "'y'"], change=no_scale)
netcdf("refused", "two_z.nc", ["both 'z' and 'zz'", "say which, -topography '", "two_z.nc?z'"], change=second("zz", "m"))
add("bilinear", "two_z.nc?z")
add("refused", "two_z.nc?zzz", "two_z.nc': no dataset 'zzz' of two dimensions")
add("refused", "two_z.nc?x", "two_z.nc': no dataset 'x' of two dimensions")
add("refused", "esri_corner.asc?z", "it is text, which has no variable 'z'")
netcdf("refused", "two_bare.nc", ["both 'a' and 'z'"], units=("m", "m", None), change=second("a", None))
netcdf("bilinear", "gebco.nc", change=second("tid", "1", "i1"))  # which of them is in metres
netcdf("bilinear", "gebco_short.nc", change=second("a_tid", "1", "i2"))
netcdf("bilinear", "bare_tid.nc", change=second("a_tid", None, "i2"))
add("refused", "gebco_short.nc?a_tid", "'a_tid' is in '1', expected 'm'")
netcdf("bilinear", "what?.nc")
netcdf("bilinear", "soft.nc", change=soft)  # the data itself is found under its own name, the link is not followed
netcdf("refused", "list_of_text.nc", ["'x' has a REFERENCE_LIST"], change=list_of_text)
netcdf("refused", "shorter.nc", ["'x' has 24 numbers, but 'z' has 25"], change=shorter)
netcdf("refused", "many.nc", ["more than are looked at"], change=lambda h: [h.__setitem__("a%d" % k, k) for k in range(80)])
with open(directory + "/truncated.nc", "wb") as f:
    with open(directory + "/yx_.nc", "rb") as g:
        f.write(g.read()[:3000])
add("refused", "truncated.nc", "truncated.nc", "truncated or damaged")
# deep enough everywhere, with no digits that are round
deep = lambda x, y: -900 - 300 * numpy.sin(x / 333) * numpy.cos(y / 217)
fine_x, fine_y = 431 + 7.3 * numpy.arange(170), 222 + 9.1 * numpy.arange(90)
text("deep.tt3", fine_x, fine_y, grid(fine_x, fine_y, deep), "geoclaw", "lower", ["cellsize", "7.3", "9.1"])
netcdf("deep", "deep.nc", x=fine_x, y=fine_y[::-1], f=deep, dtype="f4", chunks=(17, 31))
netcdf("deep", "deep_xy.nc", x=fine_x[::-1], y=fine_y, f=deep, dims="xy")
manifest = [line for line in manifest if not line.startswith("deep")]
# ---- by netCDF's own tools, and by xarray ----
with open(directory + "/own.cdl", "w") as f:
    f.write("netcdf own {\ndimensions: lon = %d; lat = %d;\nvariables:\n" % (len(x), len(y)))
    f.write('double lon(lon); lon:units = "m"; float lat(lat); lat:units = "m"; char crs; crs:grid_mapping_name = "mercator";\n')
    f.write('double elevation(lat, lon); elevation:units = "m"; elevation:_FillValue = -1e30; elevation:positive = "up";\ndata:\n')
    for key, values in ("lon", x), ("lat", y), ("elevation", z.ravel()):
        f.write("%s = %s;\n" % (key, ", ".join("%.17g" % v for v in values)))
    f.write("}\n")
subprocess.run(["ncgen", "-4", "-o", directory + "/own.nc", directory + "/own.cdl"], check=True)
add("bilinear", "own.nc")
subprocess.run(["ncgen", "-3", "-o", directory + "/classic.nc", directory + "/own.cdl"], check=True)
add("refused", "classic.nc", "netCDF-3", "nccopy -k nc4 -d 0 OLD NEW")
subprocess.run(["nccopy", "-k", "nc4", "-d", "0", directory + "/classic.nc", directory + "/copied.nc"], check=True)
add("bilinear", "copied.nc")
import xarray

metres = {"units": numpy.array("m", "S")}  # plain "m" would become a text of variable length
data = xarray.Dataset({"z": (("x", "y"), z.T, metres)}, coords={"x": ("x", x, metres), "y": ("y", y, metres)})
data.to_netcdf(directory + "/h5netcdf.nc", engine="h5netcdf")
add("bilinear", "h5netcdf.nc")
subprocess.run(["nccopy", "-k", "nc4", "-d", "0", directory + "/h5netcdf.nc", directory + "/xarray.nc"], check=True)
add("bilinear", "xarray.nc")
with open(directory + "/manifest.txt", "w") as f:
    f.write("\n".join(manifest) + "\n")
