# SPDX-License-Identifier: BSD-2-Clause
"""Claim: a text becomes a physics with its variables, numbers and tables; a wrong one is an exception with line, column and caret on every
rank, and nothing of a text is run."""
import halograd as hg
import numpy as np
import pytest
from conftest import HEAT, WORLD


def test_what_it_declares(heat):
    assert heat.name == "heat"
    assert heat.variables == {"u": ("K", "centre"), "kappa": ("m^2/s", "centre"), "f": ("K/s", "centre")}
    assert heat.numbers == {"decay": "1/s"} and heat.tables == {}


def test_from_a_file(tmp_path):
    path = tmp_path / "decay.stencil"
    path.write_text("physics decay { field u [m], rate [1/s]; u' = u - dt * rate * u; }")
    assert hg.Physics(path).variables["rate"] == ("1/s", "centre")
    assert hg.Physics(str(path)).name == "decay"


def test_a_wrong_text():
    with pytest.raises(hg.TextError) as told:
        hg.Physics("physics a {\n  field u;\n  u' = u + nobody;\n}")
    assert (told.value.line, told.value.column) == (3, 12)
    assert str(told.value).split("\n")[1:] == ["    u' = u + nobody;", "             ^"]
    assert isinstance(told.value, hg.Error) and told.value.sentence.endswith("'nobody' is not declared")


def test_another_text_on_another_rank():
    if WORLD.size == 1:
        pytest.skip("on one rank there is no other one")
    with pytest.raises(hg.Error, match="same text on all ranks"):
        hg.Physics(HEAT + "# another" * (WORLD.rank == WORLD.size - 1))


@pytest.mark.parametrize("evil", ["\"); system(\"touch evil", "$(touch evil)", "`touch evil`", "*/", "\n#include </etc/passwd>", "\\", "é☃"])
def test_nothing_of_a_text_is_run(evil, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        hg.Physics(f"physics a {{ field u [{evil}]; u' = u; }}")
    except hg.Error as error:
        assert "C compiler" not in str(error)
    if "\n" not in evil:
        assert hg.Physics(f"# {evil}\nphysics a {{ field u; u' = u; }}").name == "a"
    assert not list(tmp_path.iterdir())


def test_a_zero_byte():
    with pytest.raises(hg.Error, match="zero byte"):
        hg.Physics(HEAT + "\0")


def test_numbers_are_given_by_name(heat, mesh):
    with pytest.raises(hg.Error, match="its decay is not given"):
        hg.Model(heat, mesh, dt=1e-4)
    with pytest.raises(hg.Error, match="no number or table dekay"):
        hg.Model(heat, mesh, dt=1e-4, decay=1, dekay=2)


def test_a_table(mesh):
    pushed = hg.Physics("physics pushed { field u [m]; table push[step] [m/s]; u' = u + dt * push[step]; }")
    push = np.array([1.0, 2.0, 4.0, 8.0])
    with hg.Model(pushed, mesh, dt=0.5, push=push) as model:
        q = model.run(model.input(), 4)
        assert np.all(q["u"] == 0.5 * push.sum())


def test_of_the_library():
    assert hg.Physics.of_library("heat_forced").numbers == {"decay": "1/s"}
    with pytest.raises(hg.Error, match="expected one of heat, "):
        hg.Physics.of_library("heta")


def test_the_largest_step(heat, mesh):
    with hg.Model(heat, mesh, dt=1e-4, decay=0) as model:
        x = model.input(kappa=lambda x, y: 1 + x)
        assert model.largest_step(x) == pytest.approx(1 / (2 * (1 + 0.05 * 23.5) * (1 / 0.05**2 + 1 / 0.04**2)), rel=1e-14)
