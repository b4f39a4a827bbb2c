# SPDX-License-Identifier: BSD-2-Clause
"""Claim: experiments that groups of ranks run side by side are inverted with the same bits on any number of groups, also after an end in
the middle, and what is wrong on one group ends in one sentence on all."""
import os

import halograd as hg
import numpy as np
import pytest
from conftest import HEAT, WORLD

COUNT = 4
GROUPS = [groups for groups in (1, 2, 4) if WORLD.size % groups == 0]


def lamps(ex, decay=3.0):
    """A misfit and an input of each of this group's experiments, whose lamps stand elsewhere; kappa is to be found."""
    mesh = hg.Mesh((24, 17), spacing=(0.05, 0.04), comm=ex.comm)
    model = hg.Model(hg.Physics(HEAT), mesh, dt=2e-4, decay=decay)
    places, times, misfits, inputs = [(0.1 + 0.2 * i, 0.1 + 0.15 * j) for i in range(6) for j in range(4)], [0.002, 0.004], [], []
    for k in ex.mine:
        x = model.input(kappa=lambda x, y: 1 + 0.5 * x * y, f=lambda x, y, k=k: 900 * np.exp(-20 * ((x - 0.3 * k) ** 2 + (y - 0.3) ** 2)))
        with hg.Misfit(model, 20).sensors("u", places, times, np.zeros((2, 24)), sigma=1) as blind:
            blind(x)
            data = blind.predicted()
        x["kappa"] = 1
        misfits.append(hg.Misfit(model, 20).sensors("u", places, times, data, sigma=1e-3))
        inputs.append(x)
    return mesh, misfits, inputs


SEEK = {"seek": {"kappa": hg.Bounds(0.1, 2)}, "h1": 1e-3, "iterations": 6}


def test_same_bits(tmp_path):
    folder = WORLD.bcast(str(tmp_path))
    found = []
    for groups in GROUPS:
        with hg.Experiments(COUNT, groups) as ex:
            mesh, misfits, inputs = lamps(ex)
            assert [*ex.mine] == list(range(ex.number, COUNT, groups)) and ex.comm.size * groups == WORLD.size
            kept = os.path.join(folder, str(groups))

            def end(iterate, m):
                if iterate.iteration == 3:
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                hg.invert(misfits, inputs, experiments=ex, resume=kept, callback=end, **SEEK)
            one = hg.invert(misfits, inputs, experiments=ex, resume=kept, **SEEK)
            picture = one.plot(os.path.join(kept, "found.png"))
            assert (picture is None) == (WORLD.rank > 0) and one.count == COUNT * 48
            found.append((one.J, one.misfit_ratio, one.m.digest(), one.gradient.digest()))
    with hg.Experiments(COUNT, 1) as ex:
        mesh, misfits, inputs = lamps(ex)
        one = hg.invert(misfits, inputs, **SEEK)  # a list alone
        found.append((one.J, one.misfit_ratio, one.m.digest(), one.gradient.digest()))
    assert len(set(found)) == 1 and len(set(WORLD.allgather(found[0]))) == 1


def test_refusals():
    with pytest.raises(hg.Error, match="expected at least one"):
        hg.Experiments(0)
    with pytest.raises(hg.Error, match="cannot be dealt evenly to 3 groups"):
        hg.Experiments(4, 3)
    with hg.Experiments(COUNT, GROUPS[-1]) as ex:
        mesh, misfits, inputs = lamps(ex)
        with pytest.raises(hg.Error, match="expected one for each of experiments.mine"):
            hg.invert(misfits + misfits, inputs + inputs, "kappa", experiments=ex)
        inputs[0]["f"][0, 0] = np.nan if ex.number == GROUPS[-1] - 1 and mesh.comm.rank == 0 else 0
        with pytest.raises(hg.Error, match="not-finite|is nan|not finite"):
            hg.invert(misfits, inputs, "kappa", experiments=ex)
