# SPDX-License-Identifier: BSD-2-Clause
"""Three dimensions against numpy: a step of heat, of sound, of heat on a globe, of sums over columns and of elastic waves as their texts say, and its gradient by complex steps, which
know nothing of adjoints; views, sensors and files with levels."""
import halograd as hg
import numpy as np
import pytest

HEAT = """physics block in xyz {
  field u [K] fixed 0, kappa [m^2/s] > 0, f [K/s];
  let lap(c) = (c_W + c_E - 2 * c) / dx^2 + (c_S + c_N - 2 * c) / dy^2 + (c_D + c_U - 2 * c) / dz^2;
  u' = u + dt * (kappa * lap(u) + f);
}"""
SOUND = """physics sound in xyz {
  field p [Pa] fixed 0, p_old [Pa], m [m^2/s^2];
  let lap(c) = (c_E - 2 * c + c_W) / dx^2 + (c_N - 2 * c + c_S) / dy^2
             + (-c_UU + 16 * c_U - 30 * c + 16 * c_D - c_DD) / (12 * dz^2);
  p' = 2 * p - p_old + dt^2 * m * lap(p);
  p_old' = p;
}"""
ELASTIC = """physics solid in xyz {
  field vx [m/s] at x_face fixed 0, vy [m/s] at y_face fixed 0, vz [m/s] at z_face fixed 0,
        sxx [Pa] fixed 0, syy [Pa] fixed 0, szz [Pa] fixed 0,
        sxy [Pa] at corner fixed 0, sxz [Pa] at xz_edge fixed 0, syz [Pa] at yz_edge fixed 0,
        lambda [Pa], mu [Pa], light [m^3/kg] surface;
  stencil velocity {
    vx' = vx + dt * light * ((sxx_E - sxx) / dx + (sxy - sxy_S) / dy + (sxz - sxz_D) / dz);
    vy' = vy + dt * light * ((sxy - sxy_W) / dx + (syy_N - syy) / dy + (syz - syz_D) / dz);
    vz' = vz + dt * light * ((sxz - sxz_W) / dx + (syz - syz_S) / dy + (szz_U - szz) / dz);
  }
  stencil stress {
    let div = (vx - vx_W) / dx + (vy - vy_S) / dy + (vz - vz_D) / dz;
    sxx' = sxx + dt * (lambda * div + 2 * mu * (vx - vx_W) / dx);
    syy' = syy + dt * (lambda * div + 2 * mu * (vy - vy_S) / dy);
    szz' = szz + dt * (lambda * div + 2 * mu * (vz - vz_D) / dz);
    sxy' = sxy + dt * mu * ((vx_N - vx) / dy + (vy_E - vy) / dx);
    sxz' = sxz + dt * mu * ((vx_U - vx) / dz + (vz_E - vz) / dx);
    syz' = syz + dt * mu * ((vy_U - vy) / dz + (vz_N - vz) / dy);
  }
}"""
GLOBE = """physics air in xyz {
  field u [K] fixed 0, kappa [m^2/s] > 0;
  let north = north_cosine * (u_N - u) / dy;
  u' = u + dt * kappa * ((u_W - 2 * u + u_E) / (cosine * dx)^2 + (north - north_S) / (cosine * dy) + (u_D - 2 * u + u_U) / dz^2);
}"""
OCEAN = """physics ocean in xyz {
  field b [m/s^2], w [m^2/s^2], p [m^2/s^2] copied, q [m^2/s^2] copied, s [m^2/s^2] surface copied, u [m/s] fixed 0;
  stencil weight { w' = b * dz * (1 + 0.1 [s^4/m^2] * b^2); }
  column p' = above(w);
  column q' = below(w);
  column s' = sum(w);
  stencil move { u' = u - dt * ((p_E - p) + 0.3 * (q_N - q) + 2 * (s_E - s)) / dx; }
  stencil drift { b' = b - dt * (0.1 [m/s^2] * (u - u_W) / dx + 0.2 [m/s^2] * (u - u_D) / dz); }
}"""
CELLS, SPACING, DT = (6, 7, 5), (0.5, 0.4, 0.3), 0.01
DEGREES = {"origin": (10, -40, 0.15), "spacing": (20, 12, 0.3), "radius": 1.5}


def at(a, x, y, z):
    """a[k + z, j + y, i + x], 0 outside."""
    wide = np.pad(a, 2)
    nz, ny, nx = a.shape
    return wide[2 + z : 2 + z + nz, 2 + y : 2 + y + ny, 2 + x : 2 + x + nx]


def second(a, axis):
    there, back = (at(a, *(s * (n == axis) for n in range(3))) for s in (1, -1))
    return (there - 2 * a + back) / SPACING[axis] ** 2


def heat(q):
    u = q["u"]
    return {"u": u + DT * (q["kappa"] * sum(second(u, n) for n in range(3)) + q["f"])}


def sound(q):
    p = q["p"]
    vertical = (-at(p, 0, 0, 2) + 16 * at(p, 0, 0, 1) - 30 * p + 16 * at(p, 0, 0, -1) - at(p, 0, 0, -2)) / (12 * SPACING[2] ** 2)
    return {"p": 2 * p - q["p_old"] + DT**2 * q["m"] * (second(p, 0) + second(p, 1) + vertical), "p_old": p}


def elastic(q):
    def back(a, n):
        return (a - at(a, *(-(n == k) for k in range(3)))) / SPACING[n]

    def on(a, n):
        return (at(a, *(int(n == k) for k in range(3))) - a) / SPACING[n]

    v = {"vx": q["vx"] + DT * q["light"] * (on(q["sxx"], 0) + back(q["sxy"], 1) + back(q["sxz"], 2)),
         "vy": q["vy"] + DT * q["light"] * (back(q["sxy"], 0) + on(q["syy"], 1) + back(q["syz"], 2)),
         "vz": q["vz"] + DT * q["light"] * (back(q["sxz"], 0) + back(q["syz"], 1) + on(q["szz"], 2))}
    div = back(v["vx"], 0) + back(v["vy"], 1) + back(v["vz"], 2)
    lam, mu = q["lambda"], q["mu"]
    s = {"sxx": q["sxx"] + DT * (lam * div + 2 * mu * back(v["vx"], 0)), "syy": q["syy"] + DT * (lam * div + 2 * mu * back(v["vy"], 1)),
         "szz": q["szz"] + DT * (lam * div + 2 * mu * back(v["vz"], 2)), "sxy": q["sxy"] + DT * mu * (on(v["vx"], 1) + on(v["vy"], 0)),
         "sxz": q["sxz"] + DT * mu * (on(v["vx"], 2) + on(v["vz"], 0)), "syz": q["syz"] + DT * mu * (on(v["vy"], 2) + on(v["vz"], 1))}
    return {**v, **s}


def globe(q):
    x, y, z = np.radians(DEGREES["spacing"][0]) * DEGREES["radius"], np.radians(DEGREES["spacing"][1]) * DEGREES["radius"], DEGREES["spacing"][2]
    latitude = np.radians(DEGREES["origin"][1] + DEGREES["spacing"][1] * np.arange(CELLS[1]))[:, None]
    half, u = np.radians(DEGREES["spacing"][1]) / 2, q["u"]
    east = (at(u, -1, 0, 0) - 2 * u + at(u, 1, 0, 0)) / (np.cos(latitude) * x) ** 2
    north = (np.cos(latitude + half) * (at(u, 0, 1, 0) - u) - np.cos(latitude - half) * (u - at(u, 0, -1, 0))) / (np.cos(latitude) * y**2)
    return {"u": u + DT * q["kappa"] * (east + north + (at(u, 0, 0, -1) - 2 * u + at(u, 0, 0, 1)) / z**2)}


def ocean(q):
    def next_one(a, axis):
        return np.concatenate([np.take(a, range(1, a.shape[axis]), axis), np.take(a, [-1], axis)], axis)

    b, u = q["b"], q["u"]
    w = b * SPACING[2] * (1 + 0.1 * b**2)
    p, below, s = np.cumsum(w[::-1], 0)[::-1], np.cumsum(w, 0), w.sum(0)[None]
    u = u - DT * ((next_one(p, 2) - p) + 0.3 * (next_one(below, 1) - below) + 2 * (next_one(s, 2) - s)) / SPACING[0]
    return {"u": u, "b": b - DT * (0.1 * (u - at(u, -1, 0, 0)) / SPACING[0] + 0.2 * (u - at(u, 0, 0, -1)) / SPACING[2])}


SCHEMES = [(HEAT, heat, ["u"]), (SOUND, sound, ["p", "p_old"]), (GLOBE, globe, ["u"]), (OCEAN, ocean, ["b", "u"]), (ELASTIC, elastic, ["vx", "vz", "sxx", "syz"])]


def close(a, b, within=1e-12):
    return np.abs(a - b).max() <= within * max(1e-300, np.abs(b).max())


def check_step_and_gradient(text, step, seen, within):
    with hg.Mesh(CELLS, **(DEGREES if text is GLOBE else {"spacing": SPACING})) as mesh, hg.Model(hg.Physics(text), mesh, dt=DT) as model:
        x = model.input().random(3)
        for name in x:
            if name in ("kappa", "m", "lambda", "mu", "light"):
                x[name] = x[name] + 2
        q = {name: x.gather(name).astype(float) for name in x}
        after = step(q)
        made = model.run(x, 1)
        for name in made:
            assert close(made.gather(name), after[name], within), name
        data = {name: 0.3 * after[name] + 0.1 for name in seen}
        with hg.Misfit(model, steps=1) as J:
            for name in seen:
                J.at_end(name, data[name], 0.5)
            value, gradient = J.gradient(x)
        mine = {name: gradient.gather(name) for name in gradient}

    def cost(q):
        now = step(q)
        return sum((((now[name] - data[name]) / 0.5) ** 2).sum() for name in seen) / 2

    assert close(value, cost(q), within)
    for name in q:
        expected, cells = np.zeros(q[name].shape), range(0, q[name].size, 1 if q[name].size < 250 and len(q) < 5 else 17)
        for cell in cells:
            moved = {k: a.astype(complex) for k, a in q.items()}
            moved[name].flat[cell] += 1e-30j
            expected.flat[cell] = cost(moved).imag / 1e-30
        asked = np.isin(np.arange(q[name].size), cells).reshape(q[name].shape)
        assert np.abs(mine[name] - expected)[asked].max() <= within * max(1, np.abs(expected).max()), name


@pytest.mark.parametrize("text, step, seen", SCHEMES)
def test_a_step_and_its_gradient(text, step, seen):
    check_step_and_gradient(text, step, seen, 1e-12)


def test_checks_and_doctor_of_sums_over_columns():
    with hg.Mesh(CELLS, spacing=SPACING) as mesh, hg.Model(hg.Physics(OCEAN), mesh, dt=DT) as model, hg.Misfit(model, steps=5) as J:
        x = model.input().random(3)
        J.at_end("b", 0 * x["b"], 0.5)
        assert J.check(x) and J.doctor(x)


FLAT = """physics plate {
  field u [K] fixed 0, kappa [m^2/s] copied > 0;
  let lap(c) = (c_W + c_E - 2 * c) / dx^2 + (c_S + c_N - 2 * c) / dy^2;
  u' = u + dt * kappa * lap(u);
}"""
DEEP = """physics plate in xyz {
  field u [K] fixed 0 in x fixed 0 in y copied in z, kappa [m^2/s] > 0;
  let lap(c) = (c_W + c_E - 2 * c) / dx^2 + (c_S + c_N - 2 * c) / dy^2 + (c_D + c_U - 2 * c) / dz^2;
  u' = u + dt * kappa * lap(u);
}"""


@pytest.mark.parametrize("nz, periodic", [(1, False), (1, True), (4, False), (3, True)])
def test_what_is_the_same_at_all_heights_has_the_bits_of_two_dimensions(nz, periodic):
    found = []
    for cells, text in ((CELLS[:2], FLAT), ((*CELLS[:2], nz), DEEP)):
        axes = len(cells)
        with hg.Mesh(cells, spacing=SPACING[:axes], periodic=(False, False, periodic)[:axes]) as mesh:
            with hg.Model(hg.Physics(text), mesh, dt=DT) as model:
                x = model.input(u=(np.sin(mesh.x) * np.cos(3 * mesh.y)) + np.zeros(mesh.shape), kappa=1.3)
                with hg.Misfit(model, steps=9) as J:
                    J.at_end("u", np.zeros(mesh.shape), 1.0)
                    value, gradient = J.gradient(x)
                found.append((value, model.run(x, 9).gather("u"), gradient.gather("u"), gradient.gather("kappa")))
    flat, deep = found
    assert close(deep[0], nz * flat[0])
    assert all((level == flat[1]).all() for level in deep[1])
    for a, b in zip(flat[2:], deep[2:]):  # what walls hand back is rounded
        assert all(close(level, a) for level in b)


def test_views_functions_and_files(tmp_path_factory):
    with hg.Mesh(CELLS, spacing=SPACING) as mesh:
        x = hg.zeros(mesh, {"u": "K"})
        x["u"] = lambda x, y, z: x + 10 * y + 100 * z
        assert x["u"].shape == mesh.shape and mesh.shape[0] == CELLS[2]
        assert close(np.array(x["u"]), mesh.x + 10 * mesh.y + 100 * mesh.z)
        whole = x.gather("u")
        assert whole.shape == CELLS[::-1]
        x["u"] = 2 * whole
        assert close(np.array(x["u"]), 2 * (mesh.x + 10 * mesh.y + 100 * mesh.z))
        assert x.like().dot(x) == 0


def test_sensors_between_levels():
    places = np.array([(1.03, 1.2, 0.61), (2.6, 2.3, 1.1), (0.7, 0.9, 0.2)])  # trilinear: exact for a plane
    with hg.Mesh(CELLS, spacing=SPACING) as mesh, hg.Model(hg.Physics(HEAT), mesh, dt=DT) as model:
        x = model.input(u=lambda x, y, z: 1 + x - 2 * y + 3 * z, kappa=1e-300, f=0)
        with hg.Misfit(model, steps=2) as J:
            J.sensors("u", places, [0.0], np.zeros((1, 3)), 1.0)
            assert close(J(x), ((1 + places @ (1, -2, 3)) ** 2).sum() / 2)
            assert J.check(x).ok
        with pytest.raises(hg.Error, match="z = 9 m, expected inside the domain"), hg.Misfit(model, steps=2) as J:
            J.sensors("u", [(1, 1, 9)], [0.0], np.zeros((1, 1)), 1.0)
        with pytest.raises(hg.Error, match="have no z, but the mesh has some levels"), hg.Misfit(model, steps=2) as J:
            J.sensors("u", [(1, 1)], [0.0], np.zeros((1, 1)), 1.0)


def test_what_is_refused(heat):
    with hg.Mesh(CELLS, spacing=SPACING) as mesh:
        with pytest.raises(hg.Error, match="is for meshes without levels, but the mesh has some"):
            hg.Model(heat, mesh, dt=DT, decay=1)
    with hg.Mesh(CELLS[:2], spacing=SPACING[:2]) as mesh:
        with pytest.raises(hg.Error, match="is for meshes with levels, but the mesh has none; set nz and dz"):
            hg.Model(hg.Physics(HEAT), mesh, dt=DT)
    with pytest.raises(hg.Error, match="cells has 4 numbers"):
        hg.Mesh((2, 2, 2, 2))
