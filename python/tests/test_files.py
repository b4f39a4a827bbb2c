# SPDX-License-Identifier: BSD-2-Clause
"""Claim: results and observations that Python writes are read again with the same bits, by Python, xarray and the library; a recording of a
program in C is opened as xarray."""
import os
import pathlib
import resource
import subprocess

import halograd as hg
import numpy as np
import pytest
from conftest import WORLD


@pytest.fixture
def folder(tmp_path_factory):
    """The same for all ranks."""
    return pathlib.Path(WORLD.bcast(str(tmp_path_factory.mktemp("files"))))


def test_results(model, x, folder):
    digests = []
    with hg.Results(model.mesh, folder, "heat", "a plate") as results:
        results.constant(x, "kappa").constant(x, "f", called="source")

        def write(n, t, q):
            results.write(t, q)
            digests.append(q.digest())

        model.run(x, 10, every=5, watch=write)
    q = model.state()
    assert [hg.read(q, folder / "heat.h5", k) for k in (0, 1, -1)] == [0, 5 * 2e-4, 10 * 2e-4]
    assert q.digest() == digests[-1] and len(set(digests)) == 3
    hg.read(q, folder / "heat.h5", 1)
    assert q.digest() == digests[1]
    with pytest.raises(hg.Error, match="nowhere.h5"):
        hg.read(q, folder / "nowhere.h5")
    xarray, _ = pytest.importorskip("xarray"), pytest.importorskip("h5netcdf")
    data = xarray.load_dataset(folder / "heat.h5", engine="h5netcdf")
    assert data["u"].shape == (3, 17, 24) and np.array_equal(data["kappa"].values, x.gather("kappa")) and "source" in data


def test_results_that_are_refused(model, x, folder):
    """Nothing remains of them, neither when they begin nor when they are written, but what was there before."""
    infinite = resource.RLIM_INFINITY

    def remains(place, kept, action):
        with pytest.raises(hg.Error) as told:
            action(folder / place)
        WORLD.barrier()
        assert "had ended" not in str(told.value)
        assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*")) == sorted(kept), told.value
        WORLD.barrier()

    def disk_full(place, room):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, infinite))
        try:
            with hg.Results(model.mesh, place, "heat") as results:
                results.write(0.0, x)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (infinite, infinite))

    def wrong(place):
        with hg.Results(model.mesh, place, "heat") as results:
            results.write(0.0, x, ["nobody"])

    remains("new/deep/", (), lambda place: disk_full(place, 16))
    remains("new/deep", (), wrong)
    remains(f"new/{'n' * 300}", (), lambda place: hg.Results(model.mesh, place, "heat"))
    remains("new/deep", (), lambda place: hg.Results(model.mesh, place, "a/b"))
    if WORLD.rank == 0:
        (folder / "old/heat.h5").mkdir(parents=True)
    WORLD.barrier()
    remains("old", ("old", "old/heat.h5"), lambda place: hg.Results(model.mesh, place, "heat"))
    with hg.Results(model.mesh, folder / "new/deep", "heat") as results:
        results.write(0.0, x)
    assert hg.read(model.state(), folder / "new/deep/heat.h5") == 0.0


def test_a_store_on_a_full_disk(heat, folder):
    """Ten million checkpoints of 2 MiB."""
    with hg.Mesh((512, 512)) as mesh, hg.Model(heat, mesh, dt=0.1, decay=0) as model, hg.Misfit(model, 10**7).at_end("u", 0, sigma=1) as J:
        with pytest.raises(hg.Error, match="cannot reserve 9999999 slots.* free: No space left") as told:
            J.gradient(model.input(kappa=1), slots=1, disk=(folder / "slots", "1000TiB"))
    assert told.value.id == "file-write"
    WORLD.barrier()
    assert not list(folder.iterdir())


def test_observations(J, x, model, folder):
    gaps = J.observed[0]
    with pytest.raises(hg.Error, match="expected a finite number"):
        gaps.write(folder / "gaps.h5")
    observed = hg.Observed("u", "K", gaps.places, gaps.times, np.nan_to_num(gaps.values), sigma=[[0.1, 0.2, 0.3]])
    observed.write(folder / "seen.h5")
    again = hg.Observed.read(folder / "seen.h5")
    for name in ("places", "times", "values", "sigma"):
        assert np.array_equal(getattr(again, name), getattr(observed, name))
    assert (again.name, again.unit) == ("u", "K") and "3 sensors at 2 times" in repr(again)
    values = []
    for given in (observed, again, folder / "seen.h5"):
        with hg.Misfit(model, 20).observations(given) as K:
            values.append(K(x))
            assert K.count == 6
    assert values[0] == values[1] == values[2] > 0
    with pytest.raises(hg.Error, match="is in 'K', expected 'm'"):
        hg.Observed.read(folder / "seen.h5", unit="m")


def test_a_recording(folder):
    pytest.importorskip("xarray")
    program = os.environ.get("HALOGRAD_TEST_PROGRAM")
    if not program:
        pytest.skip("HALOGRAD_TEST_PROGRAM names no heat_inverse")
    own = tuple(key for key in os.environ if key.startswith(("OMPI_", "PMIX_", "PRTE_", "ORTE_", "PMI_")))
    plain = {key: value for key, value in os.environ.items() if key not in own}
    if WORLD.rank == 0:
        words = [program, "-iterations", "0", "-record", str(folder / "kept"), "-output", str(folder / "output")]
        subprocess.run(words, env={**plain, "OMPI_MCA_ess_singleton_isolated": "1"}, check=True, stdout=subprocess.DEVNULL)
    WORLD.barrier()
    data = hg.recording(folder / "kept/first", "q@0,q@545,lambda@545")
    assert data["u"].shape == (2, 32, 32) and not data["u"][0].any() and data["u"][1].values.max() > 1
    assert "lambda_u" in data
    with pytest.raises(hg.Error, match="no state of step 3"):
        hg.recording(folder / "kept/first", "q@3")
    with pytest.raises(hg.Error, match="expected a list of"):
        hg.recording(folder / "kept/first", "q@film")
