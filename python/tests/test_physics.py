# SPDX-License-Identifier: BSD-2-Clause
"""Claim: a text becomes a physics with its variables, numbers and tables; a wrong one is an exception with line, column and caret on every
rank."""
import re

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


def refused(run, dt, largest):
    """Every run with a dt that is too long: one sentence, the same on all ranks, that names both steps; the printed one is stable."""
    with pytest.raises(hg.Error, match="beyond the stability limit, expected at most .*; take a smaller one, and more steps$") as told:
        run()
    assert told.value.id == "time-step" and WORLD.allgather(told.value.sentence) == [told.value.sentence] * WORLD.size
    named = [float(number) for number in re.findall(r"([0-9.e-]+) s\b", told.value.sentence)]
    assert named[0] == dt and largest * (1 - 2e-5) < named[1] <= largest, told.value.sentence


def test_a_step_that_is_too_long(heat, mesh):
    with hg.Model(heat, mesh, dt=3e-4, decay=0) as model, hg.Misfit(model, 5).at_end("u", 0, sigma=1) as J:
        x = model.input(kappa=1, u=1)
        assert J(x) > 0
        x["kappa"][-1:, -1:] = 2 if WORLD.rank == WORLD.size - 1 else 1  # one cell, which one rank owns
        y, d, largest = x.like(), x.like(), 1 / (4 * (1 / 0.05**2 + 1 / 0.04**2))
        y["kappa"] = 1
        seek = {"kappa": hg.Bounds(0.1, 10)}
        for run in (lambda: J(x), lambda: J.gradient(x), lambda: J.tangent(x, d), lambda: J.hessian(x, [d, d]), lambda: J.check(x), lambda: J.doctor(x),
                    lambda: model.run(x, 2), lambda: hg.invert(J, x, seek=seek), lambda: J.scipy(x, seek)):
            refused(run, 3e-4, largest)
        assert J(y) == 0 and J.gradient(y)[0] == 0
        x["kappa"] = 1
        refused(lambda: hg.invert(J, x, seek={"kappa": hg.Coarse(2, 2, first=2.0)}), 3e-4, largest)


def test_a_step_that_is_too_long_for_levels():
    flat = "physics deep in xyz { field u [K] fixed 0, kappa [m^2/s] copied; let lap = (u_D + u_U - 2 * u) / dz^2; u' = u + dt * kappa * lap; stable dt <= dz^2 / (2 * max(kappa)); }"
    with hg.Mesh((6, 5, 4), spacing=(1, 1, 0.1)) as mesh, hg.Model(hg.Physics(flat), mesh, dt=0.006) as model:
        refused(lambda: model.run(model.input(kappa=1), 2), 0.006, 0.005)
