# SPDX-License-Identifier: BSD-2-Clause
# Claim: VTK's own reader finds in the .vti files listed by plate.pvd the cells, coordinates, times and values that results.c wrote.
import os
import sys
import xml.etree.ElementTree

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

directory = sys.argv[1]
j, i = numpy.mgrid[0:9, 0:13]


def require(condition, *what):
    if not condition:
        sys.exit("claim broken: " + " ".join(str(w) for w in what))


def read(path):
    require(os.path.exists(path), path, "is missing")
    reader = vtk.vtkXMLImageDataReader()
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(path))
    reader.SetFileName(path)
    require(reader.CanReadFile(path), path, "cannot be read by VTK")
    reader.Update()
    require(not errors, path, "VTK reports an error")
    return reader.GetOutput()


def compare(path, name, offset):
    image = read(path)
    require(image.GetDimensions() == (14, 10, 1), path, image.GetDimensions())
    require(image.GetNumberOfCells() == 13 * 9, path, image.GetNumberOfCells())
    array = image.GetCellData().GetArray(name)
    require(array is not None, path, "has no cell field", name)
    values = vtk_to_numpy(array).reshape(9, 13)
    worst = numpy.abs(values - (offset + i + 1000.0 * j + 1.0 / 3)).max()
    require(worst == 0, path, name, "differs by", worst, "expected the same bits")
    centres = vtk.vtkCellCenters()
    centres.SetInputData(image)
    centres.Update()
    for cell in (0, 12, 13, 13 * 9 - 1):
        x, y, _ = centres.GetOutput().GetPoint(cell)
        require((x, y) == (0.5 + 0.25 * (cell % 13), -1 + 0.5 * (cell // 13)), path, "cell", cell, "is at", x, y)
    return image


steps = xml.etree.ElementTree.parse(directory + "/plate.pvd").getroot().findall("./Collection/DataSet")
require([float(s.get("timestep")) for s in steps] == [0, 0.125, 0.25, 0.25], [s.get("timestep") for s in steps])
for n, step in enumerate(steps):
    path = directory + "/" + step.get("file")
    for name, shift in (("u", 0.0), ("v", 0.5)):
        if n < 2 or (name == "u") == (step.get("part") == "0"):
            image = compare(path, name, 1e6 * min(n, 2) + shift)
    stamp = image.GetFieldData().GetArray("TimeValue")
    require(stamp is not None and stamp.GetValue(0) == float(step.get("timestep")), path, "TimeValue")
for name in ("kappa", "kappa_start"):
    compare(directory + "/plate/" + name + ".vti", name, -7.0)
