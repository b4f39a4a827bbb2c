# SPDX-License-Identifier: BSD-2-Clause
# Makes HDF5 files as other people's programs would, good and bad ones, and manifest.txt: kind|file|words of the refusal (none: accepted).
import os
import struct
import sys

import h5py
import numpy

directory = sys.argv[1]
os.makedirs(directory, exist_ok=True)
manifest = []
TIMES, SENSORS = 5, 3


def observations(name, words, change=None, libver="latest"):
    with h5py.File(directory + "/" + name, "w", libver=libver) as f:
        f.attrs["observed"] = numpy.bytes_("u")
        for key, values, unit in (
            ("time", numpy.arange(TIMES), "s"),  # integers
            ("x", numpy.array([0.25, 0.5, 0.75], "f4"), "m"),
            ("y", numpy.array([0.25, 0.5, 0.75]), "m"),
            ("u", numpy.arange(TIMES * SENSORS, dtype=float).reshape(TIMES, SENSORS), "K"),
            ("u_sigma", 0.5, "K"),
        ):
            f[key] = values
            f[key].attrs["units"] = numpy.bytes_(unit)
        if change:
            change(f)
    manifest.append("|".join(["observations", name] + words))


def replace(key, values, unit=None, **options):
    def change(f):
        old = f[key].attrs["units"]
        del f[key]
        d = f.create_dataset(key, data=values, **options)
        d.attrs["units"] = numpy.bytes_(unit) if unit else old

    return change


def value(key, index, number):
    def change(f):
        v = f[key][()]
        v = v.astype(float)
        v[index] = number
        replace(key, v)(f)

    return change


def remove(key):
    def change(f):
        del f[key]

    return change


def soft(f):
    f["elsewhere"] = f["u"]
    del f["u"]
    f["u"] = h5py.SoftLink("/elsewhere")


def external_link(f):
    del f["u"]
    f["u"] = h5py.ExternalLink("plain.h5", "/u")


def external_storage(f):
    del f["u"]
    space = h5py.h5s.create_simple((TIMES, SENSORS))
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_external(b"/etc/passwd", 0, 8 * TIMES * SENSORS)
    h5py.h5d.create(f.id, b"u", h5py.h5t.IEEE_F64LE, space, plan)
    f["u"].attrs["units"] = numpy.bytes_("K")


def virtual(f):
    layout = h5py.VirtualLayout(shape=(TIMES, SENSORS), dtype=float)
    layout[:] = h5py.VirtualSource(directory + "/plain.h5", "u", shape=(TIMES, SENSORS))
    del f["u"]
    f.create_virtual_dataset("u", layout)
    f["u"].attrs["units"] = numpy.bytes_("K")


def damage(name):
    """The rank of a virtual dataset's selection is 65538: HDF5 1.10 does not survive to open it."""
    with open(directory + "/" + name, "r+b") as f:
        hyperslab, length, rank = struct.pack("<3I", 2, 1, 0), struct.pack("<I", 24), struct.pack("<I", 2)
        at = f.read().index(hyperslab + length + rank)
        f.seek(at + 16)
        f.write(struct.pack("<I", 65538))


def lookup3(b):
    """HDF5's checksum of a block of metadata."""
    turn = lambda x, k: (x << k | x >> 32 - k) & 0xFFFFFFFF
    x, words = [0xDEADBEEF + len(b) & 0xFFFFFFFF] * 3, [b[k : k + 12].ljust(12, b"\0") for k in range(0, len(b), 12)]
    for n, word in enumerate(words):
        x = [u + v & 0xFFFFFFFF for u, v in zip(x, struct.unpack("<3I", word))]
        for k, by in enumerate((4, 6, 8, 16, 19, 4) if n + 1 < len(words) else ()):
            a, b_, c = k % 3, (k + 1) % 3, (k + 2) % 3
            x[a] = (x[a] - x[c] & 0xFFFFFFFF) ^ turn(x[c], by)
            x[c] = x[c] + x[b_] & 0xFFFFFFFF
    for k, by in enumerate((14, 11, 25, 16, 4, 14, 24)):
        a, b_ = (k + 2) % 3, (k + 1) % 3
        x[a] = (x[a] ^ x[b_]) - turn(x[b_], by) & 0xFFFFFFFF
    return x[2]


def forge(name, what, words, old, new, change=None, signature=b"OHDR"):
    """plain.h5 but for bytes of the block that holds `old`, whose checksum is right."""
    observations(name, ["'%s'" % what] + words, change)
    path = directory + "/" + name
    with open(path, "rb") as f:
        b = bytearray(f.read())
    for begin in [k for k in range(len(b)) if b.startswith(signature, k)]:
        sums = lambda n: lookup3(b[begin : begin + n]) == int.from_bytes(b[begin + n : begin + n + 4], "little")
        size = next((n for n in range(8, min(600, len(b) - begin)) if sums(n)), 0)
        at = b.find(old, begin, begin + size)
        if at >= 0:
            b[at : at + len(new)] = new
            b[begin + size : begin + size + 4] = lookup3(b[begin : begin + size]).to_bytes(4, "little")
            with open(path, "wb") as f:
                f.write(b)
            return
    raise ValueError(name + ": what is to be changed is not there")


def many(f):
    """Attributes of time in a heap."""
    for k in range(20):
        f["time"].attrs["a%d" % k] = k


def chunked(f):
    replace("u", numpy.ones((TIMES, SENSORS)), chunks=(2, SENSORS), fletcher32=True)(f)


def huge(f):
    del f["time"], f["u"]
    f.create_dataset("time", (2**30,), dtype=float)  # never written: takes no space
    f["time"].attrs["units"] = numpy.bytes_("s")
    f.create_dataset("u", (2**30, SENSORS), dtype=float)
    f["u"].attrs["units"] = numpy.bytes_("K")


def group(f):
    del f["u"]
    f.create_group("u").attrs["units"] = numpy.bytes_("K")


def number_as_unit(f):
    f["u"].attrs["units"] = 3


zeros = numpy.zeros((TIMES, SENSORS))
observations("plain.h5", [])
observations("old.h5", ["old format", "libver='v110'"], libver="earliest")
observations("fletcher.h5", [], replace("u", zeros, fletcher32=True))
observations("sigma_by_sensor.h5", [], replace("u_sigma", numpy.ones(SENSORS)))
observations("sigma_by_value.h5", [], replace("u_sigma", zeros + 1))
observations("no_u.h5", ["'u'", "no dataset"], remove("u"))
observations("no_sigma.h5", ["'u_sigma'", "no dataset"], remove("u_sigma"))
observations("no_time.h5", ["'time'", "no dataset"], remove("time"))
observations("not_observed.h5", ["'observed'", "no attribute"], lambda f: f.attrs.__delitem__("observed"))
observations("no_unit.h5", ["'u'", "no attribute 'units'"], lambda f: f["u"].attrs.__delitem__("units"))
observations("unit_variable.h5", ["'u'", "fixed length"], lambda f: f["u"].attrs.__setitem__("units", "K"))
observations("unit_number.h5", ["'u'", "not a text"], number_as_unit)
observations("unit_time.h5", ["'time'", "'h'"], replace("time", numpy.arange(TIMES), "h"))
observations("unit_sigma.h5", ["'u_sigma'", "'mK'"], replace("u_sigma", 1.0, "mK"))
observations("flat.h5", ["'u'", "shape 15"], replace("u", zeros.ravel()))
observations("transposed.h5", ["'u'", "3 x 5"], replace("u", zeros.T))
observations("short_y.h5", ["'y'", "expected 3 numbers"], replace("y", numpy.zeros(2)))
observations("no_sensors.h5", ["'x'", "expected one dimension"], replace("x", numpy.zeros(0)))
observations("cube.h5", ["'u'", "dimensions"], replace("u", numpy.zeros((2, 2, 2, 2, 2))))
observations("nan.h5", ["'u'", "nan"], value("u", (1, 2), numpy.nan))
observations("inf_time.h5", ["'time'", "inf"], value("time", 4, numpy.inf))
observations("unsorted.h5", ["time[2]", "comes before"], value("time", 2, 0.5))
observations("repeated.h5", ["time[2]", "repeats"], value("time", 2, 1))
observations("sigma_zero.h5", ["deviation", "is 0"], replace("u_sigma", 0.0))
observations("sigma_negative.h5", ["deviation", "-1"], replace("u_sigma", -numpy.ones(SENSORS)))
observations("soft.h5", ["'u'", "link"], soft)
observations("external_link.h5", ["'u'", "link"], external_link)
observations("external_storage.h5", ["'u'", "other files"], external_storage)
observations("virtual.h5", ["'u'", "virtual"], virtual)
observations("virtual_damaged.h5", ["'u'", "virtual"], virtual)
damage("virtual_damaged.h5")
# right checksums, but what HDF5 1.10 does not survive, or believes: it is refused before HDF5 looks
nowhere, address = b"\xff" * 8, lambda n: n.to_bytes(8, "little")
damaged = ["is damaged"]
forge("links_nowhere.h5", "/", damaged, b"\0\0" + 2 * nowhere, b"\0\0\xfe", None, b"OCHK")
forge("attributes_nowhere.h5", "time", damaged, b"\0\0" + 2 * nowhere, b"\0\0\xfe")
forge("chunk_of_0.h5", "time", damaged, b"\0\2\1\2\10", b"\0\2\1\0\10", replace("time", numpy.arange(TIMES), chunks=(2,)))
forge("chunk_of_16.h5", "u", damaged, b"\0\3\1\2\3\10", b"\0\3\1\2\3\20", chunked)
forge("chunks_beyond.h5", "u", damaged, address(3), address(3 << 40), chunked, b"FAHD")
forge("extent_of_65_axes.h5", "u", damaged, b"\2\2\1\1" + address(TIMES), b"\2\101")
forge("extent_of_2_to_63.h5", "u", damaged, address(TIMES) + address(SENSORS) + address(TIMES), b"\0" * 7 + b"\x80")
forge("type_of_0.h5", "y", damaged, b"\x11\x20\x3f\0\x08", b"\x11\x20\x3f\0\0")
forge("type_of_members.h5", "y", damaged, b"\x11\x20\x3f\0\x08", b"\x36\xff\x3f\0\x08")
forge("header_without_end.h5", "time", damaged, b"\x08\x12\0", b"\x08\xff\xff")
forge("heap_of_2.h5", "time", damaged, b"\4\0\0\4\0\0\0\0\0\0", b"\2\0", many, b"FRHP")
forge("heap_at_itself.h5", "time", damaged, b"FRHP", b"FRHP" + b"\0" * 10, many, b"FRHP")
forge("tree_of_100.h5", "time", damaged, b"\x64\x28", b"\x64\x64", many, b"BTHD")
observations("gzip.h5", ["'u'", "compressed"], replace("u", zeros, compression="gzip"))
observations("text.h5", ["'u'", "no plain numbers"], replace("u", numpy.full((TIMES, SENSORS), b"1.0")))
observations("huge.h5", ["'time'", "bytes"], huge)
observations("group.h5", ["'u'", "dataset"], group)


def field(name, words, shape=(6, 8), unit="K", bad=None, x=None):
    with h5py.File(directory + "/" + name, "w", libver="latest") as f:
        values = numpy.arange(numpy.prod(shape), dtype=float).reshape(shape)
        if bad is not None:
            values[bad] = numpy.nan
        f["u"] = values
        f["u"].attrs["units"] = numpy.bytes_(unit)
        if x is not None:
            f["x"] = x
    manifest.append("|".join(["field", name] + words))


field("field.h5", [])
field("field_x.h5", [], x=numpy.arange(8.0))
field("field_shape.h5", ["'u'", "6 x 9"], shape=(6, 9))
field("field_transposed.h5", ["'u'", "8 x 6"], shape=(8, 6))
field("field_time.h5", ["'u'", "2 x 6 x 8"], shape=(2, 6, 8))
field("field_unit.h5", ["'u'", "'m'"], unit="m")
field("field_nan.h5", ["[5, 7]", "nan"], bad=(5, 7))
field("field_shifted.h5", ["'x'", "mesh"], x=numpy.arange(8.0) + 0.5)
field("field_coarse.h5", ["'x'", "8 numbers"], x=numpy.arange(4.0))
field("field_elsewhere.h5", ["'x'", "link"], x=h5py.SoftLink("/u"))


def series(name, words, time=(0.0, 7.25), unit="s"):
    with h5py.File(directory + "/" + name, "w", libver="latest") as f:
        f["u"] = numpy.arange(2 * 6 * 8, dtype=float).reshape(2, 6, 8) - 48
        f["u"].attrs["units"] = numpy.bytes_("K")
        if time is not None:
            f["time"] = numpy.array(time)
            f["time"].attrs["units"] = numpy.bytes_(unit)
    manifest.append("|".join(["series", name] + words))


series("series.h5", [])
series("series_time_wide.h5", ["'time'", "2 x 300"], time=numpy.full((2, 300), 7.25))
series("series_time_short.h5", ["'time'", "expected 2"], time=(7.25,))
series("series_time_one.h5", ["'time'", "a single number"], time=7.25)
series("series_hours.h5", ["'time'", "'hours since 2011-03-11'"], unit="hours since 2011-03-11")
series("series_no_time.h5", ["'time'", "no dataset"], time=None)
with open(directory + "/manifest.txt", "w") as f:
    f.write("\n".join(manifest) + "\n")
