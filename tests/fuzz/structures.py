# SPDX-License-Identifier: BSD-2-Clause
# Makes HDF5 files that are right as files and wrong in what they hold, which bytes that are flipped hardly ever are: of the files that the
# readers of observations, results, topography and images take, some objects are made anew with other types, extents, layouts, filters, links and
# attributes. The same files for the same seed; the harnesses take what is behind the digests.
# usage: structures.py DIRECTORY NUMBER [SEED]      writes DIRECTORY/<reader>/structure-<seed>-<number>.h5
import os
import random
import resource
import sys

import h5py
import numpy
from h5py import h5d, h5f, h5p, h5s, h5t

directory, number = sys.argv[1], int(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
draw = random.Random(seed)


# ---- what the readers take: {dataset: (values, attributes)}, attributes of the file ----
def text(words):
    return numpy.bytes_(words)


def observations():
    u = numpy.arange(6.0).reshape(2, 3)
    return {
        "time": (numpy.arange(2.0), {"units": text("s")}),
        "x": (numpy.arange(3.0), {"units": text("m")}),
        "y": (numpy.arange(3.0), {"units": text("m")}),
        "u": (u, {"units": text("K")}),
        "u_sigma": (draw.choice((numpy.float64(1), numpy.ones(3), u + 1)), {"units": text("K")}),
    }, {"observed": text("u")}


def results():
    u, unit = numpy.arange(96.0).reshape(2, 6, 8), {"units": text("m")}
    return {
        "time": (numpy.arange(2.0), {"units": text("s")}),
        "x": (numpy.arange(8.0), unit),
        "y": (numpy.arange(6.0), unit),
        "u": (draw.choice((u, u, u[0])), {"units": text("K")}),
        "a": (numpy.arange(6.0).reshape(2, 3), {"units": text("W")}),
    }, {"title": text("results")}


def topography():
    x, y = numpy.arange(400.0, 1000, 50), numpy.arange(200.0, 600, 40)
    z = {"units": text("m"), "positive": text("up"), "_FillValue": -9999.0, "scale_factor": 1.0, "add_offset": 0.0}
    return {"x": (x, {"units": text("m")}), "y": (y, {"units": text("m")}), "z": (numpy.outer(y, x), z)}, {}


def image():
    kind = lambda k, unit: {"kind": text(k), "unit": text(unit)}
    field = dict(kind("field", "K"), range=numpy.array([-1, 4, -1, 4], "i4"))
    return {
        "step": (numpy.array([2], "i8"), {}),
        "variables/u": (numpy.ones((5, 5)), field),
        "variables/lamps": (numpy.ones(3), kind("replicated array", "W")),
    }, {"format": text("halograd checkpoint 1")}


# ---- what else there may be ----
def odd_float():
    t = h5t.IEEE_F64LE.copy()
    t.set_fields(*draw.choice(((63, 52, 11, 0, 52), (31, 23, 8, 0, 23), (63, 48, 15, 0, 48), (15, 10, 5, 0, 10))))
    if draw.random() < 0.5:
        t.set_ebias(draw.choice((0, 1, 1023, 1 << 14)))
    return t


def odd_integer():
    t = h5t.STD_I64LE.copy()
    t.set_precision(draw.choice((1, 7, 33, 63)))
    if draw.random() < 0.5:
        t.set_offset(draw.choice((0, 1)))
    return t


def string(size):
    t = h5t.C_S1.copy()
    t.set_size(size)
    t.set_strpad(draw.choice((h5t.STR_NULLTERM, h5t.STR_NULLPAD, h5t.STR_SPACEPAD)))
    return t


def compound():
    t = h5t.create(h5t.COMPOUND, 16)
    t.insert(b"dataset", 0, h5t.STD_REF_OBJ)
    t.insert(b"dimension", 8, draw.choice((h5t.STD_I32LE, h5t.IEEE_F64LE, h5t.STD_I8LE)))
    return t


def enumeration():
    t = h5t.enum_create(h5t.STD_I32LE)
    t.enum_insert(b"a", 1)
    return t


TYPES = [
    lambda: draw.choice((h5t.STD_I8LE, h5t.STD_U8LE, h5t.STD_I16BE, h5t.STD_I32LE, h5t.STD_U32LE, h5t.STD_I64LE, h5t.STD_I64BE, h5t.STD_U64LE)),
    lambda: draw.choice((h5t.IEEE_F32LE, h5t.IEEE_F32BE, h5t.IEEE_F64LE, h5t.IEEE_F64BE, h5t.NATIVE_LDOUBLE)),
    odd_float,
    odd_integer,
    lambda: string(draw.choice((1, 2, 255, 256, 257, 70000))),
    lambda: string(h5t.VARIABLE),
    compound,
    enumeration,
    lambda: h5t.array_create(h5t.IEEE_F64LE, draw.choice(((1,), (4,), (2, 2), (300,)))),
    lambda: h5t.vlen_create(h5t.IEEE_F64LE),
    lambda: h5t.create(h5t.OPAQUE, draw.choice((1, 8, 16))),
    lambda: draw.choice((h5t.STD_B8LE, h5t.STD_REF_OBJ, h5t.STD_REF_DSETREG)),
]
SIZES = (0, 1, 2, 3, 4, 5, 10, 12, 257, 1 << 16, 1 << 31, 1 << 40)


def space(shape=None):
    how = draw.randrange(8)
    if shape is not None and how < 4:
        return h5s.create_simple(shape) if shape else h5s.create(h5s.SCALAR)
    if how == 4:
        return h5s.create(draw.choice((h5s.SCALAR, h5s.NULL)))
    sizes = tuple(draw.choice(SIZES[:9] if draw.random() < 0.8 else SIZES) for _ in range(draw.choice((1, 1, 2, 2, 3, 4, 32))))
    most = tuple(h5s.UNLIMITED if draw.random() < 0.3 else n for n in sizes)
    return h5s.create_simple(sizes, most)


def storage(extent):
    plan, rank = h5p.create(h5p.DATASET_CREATE), extent.get_simple_extent_ndims()
    how = draw.randrange(7)
    if how == 0:
        plan.set_layout(h5d.COMPACT)
    elif how == 1:
        plan.set_external(b"/etc/hostname", 0, draw.choice((8, 1 << 20, h5p.UNLIMITED if hasattr(h5p, "UNLIMITED") else 8)))
    elif how == 2:
        where = h5s.create_simple((3,), (h5s.UNLIMITED,))
        plan.set_virtual(extent, draw.choice((b".", b"/dev/zero", b"source-%b.h5")), b"x", where)
    elif how > 3 and rank:
        plan.set_chunk(tuple(draw.choice((1, 2, 5, 64)) for _ in range(rank)))
        for filter in draw.sample(("deflate", "shuffle", "fletcher32", "scaleoffset", "nbit"), draw.choice((0, 1, 2))):
            {"deflate": lambda: plan.set_deflate(4), "shuffle": plan.set_shuffle, "fletcher32": plan.set_fletcher32, "scaleoffset": lambda: plan.set_scaleoffset(h5z_int(), 3),
             "nbit": lambda: plan.set_filter(5)}[filter]()
    if draw.random() < 0.3 and extent.get_simple_extent_npoints() < 1 << 16:
        plan.set_alloc_time(draw.choice((h5d.ALLOC_TIME_EARLY, h5d.ALLOC_TIME_LATE, h5d.ALLOC_TIME_INCR)))
    if draw.random() < 0.3:
        plan.set_attr_phase_change(0, 0)
    return plan


def h5z_int():
    return h5py.h5z.SO_INT


def attribute(owner, name, values):
    """The attribute, or another one of its name, or none."""
    how = draw.randrange(5)
    if name in owner.attrs:
        del owner.attrs[name]
    if how == 0:
        return
    if how == 1:
        owner.attrs[name] = draw.choice((1, 2.5, numpy.nan, numpy.bytes_("x" * draw.choice((0, 1, 255, 256, 4000))), "words", numpy.arange(9), values))
        return
    h5py.h5a.create(owner.id, name.encode(), draw.choice(TYPES)(), space(numpy.shape(values) if how == 2 else None))


def dataset(f, name, values):
    """Another dataset of that name, or something else."""
    how = draw.randrange(12)
    if name in f:
        del f[name]
    if how == 0:
        return
    if how == 1:
        f[name] = draw.choice((h5py.SoftLink("/" + name), h5py.SoftLink("/nothing"), h5py.ExternalLink("/dev/zero", "/x"), h5py.ExternalLink("", "/x")))
    elif how == 2:
        f.create_group(name)["x"] = 1.0
    elif how == 3:
        f[name] = f["/"]  # a loop
    elif how == 4:
        f[name] = numpy.dtype("f8")  # a named type
    elif how == 5:
        f[name] = draw.choice([f[k] for k in f if isinstance(f[k], h5py.Dataset)] or [f["/"]])
    elif how == 6:
        f[name] = draw.choice((values * numpy.nan, values * numpy.inf, values - values, -values, values * 1e308)) if values.dtype.kind == "f" else -values
    else:
        extent = space(numpy.shape(values))
        type = draw.choice(TYPES)() if how < 10 else h5t.IEEE_F64LE
        h5d.create(f["/"].id, name.encode(), type, extent, storage(extent), h5p_links())


def h5p_links():
    links = h5p.create(h5p.LINK_CREATE)
    links.set_create_intermediate_group(True)
    return links


def mutate(f, contents, attributes):
    names = sorted(contents)
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        name = draw.choice(names)
        if draw.random() < 0.5:
            dataset(f, name, contents[name][0])
            if name in f and isinstance(f.get(name), h5py.Dataset):
                for key, value in contents[name][1].items():
                    if key not in f[name].attrs:
                        f[name].attrs[key] = value
        elif draw.random() < 0.2 and attributes:
            key = draw.choice(sorted(attributes))
            attribute(f, key, attributes[key])
        else:
            owner = f.get(name)
            keys = sorted(contents[name][1]) + ["REFERENCE_LIST", "CLASS", "other"]
            if isinstance(owner, h5py.Dataset):
                key = draw.choice(keys)
                attribute(owner, key, contents[name][1].get(key, 1.0))


def make(path, reader):
    contents, attributes = reader()
    libver = draw.choice(("latest", "latest", "latest", "v110", "v108", "earliest"))
    with h5py.File(path, "w", libver=libver, userblock_size=draw.choice((0,) * 9 + (512,)), track_order=draw.random() < 0.3) as f:
        f.attrs.update(attributes)
        for name, (values, own) in contents.items():
            f[name] = values
            f[name].attrs.update(own)
        if "z" in contents:
            for k, name in enumerate("yx"):
                f[name].make_scale(name)
                f["z"].dims[k].attach_scale(f[name])
        for _ in range(8):
            try:
                mutate(f, contents, attributes)
                break
            except (ValueError, TypeError, KeyError, OSError, OverflowError, RuntimeError):
                continue  # HDF5 does not write everything; what was changed before stays


def in_a_process_of_its_own(path, reader, own_seed):
    """HDF5 may end a program that writes such things; files of more than a MiB are not wanted."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
            draw.seed(own_seed)
            make(path, reader)
            status = 0
        finally:
            os._exit(status)
    if os.waitpid(child, 0)[1] and os.path.exists(path):
        os.unlink(path)


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"
sys.stderr.flush()
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what NumPy and HDF5 say of it
for reader, name in ((observations, "observations"), (results, "results"), (topography, "topography_hdf5"), (image, "image")):
    os.makedirs(os.path.join(directory, name), exist_ok=True)
    for k in range(number):
        path = os.path.join(directory, name, "structure-%d-%d.h5" % (seed, k))
        in_a_process_of_its_own(path, reader, "%d %s %d" % (seed, name, k))
