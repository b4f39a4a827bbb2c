# SPDX-License-Identifier: BSD-2-Clause
"""Where in its cell an expression makes sense: a set of (x, y, z), each 0 (centre) or 1 (half a cell on), mod 1.

Neighbours that are added, multiplied, compared or chosen from (a difference, any mean, an upwind value) lie where they do, or half-way: an
odd number of cells apart, both. All else that is combined has a place in common."""
from errors import StencilError

NAMES = {"centre": (0, 0, 0), "x_face": (1, 0, 0), "y_face": (0, 1, 0), "corner": (1, 1, 0),
         "z_face": (0, 0, 1), "xz_edge": (1, 0, 1), "yz_edge": (0, 1, 1), "vertex": (1, 1, 1)}
IN_LEVELS = ("z_face", "xz_edge", "yz_edge")  # only where cells lie in levels
ALL = frozenset(NAMES.values())


def declared(name):
    return frozenset([NAMES[name]]) if name else ALL


def text(sites):
    return " or ".join(name for name, site in NAMES.items() if site in sites)


def common(values, what):
    sites = ALL
    for n, v in enumerate(values):
        if not sites & v.sites:
            before = next((u for u in values[:n] if not u.sites & v.sites), values[n - 1])
            raise StencilError(f"{what} of what lives at {text(sites)} and at {text(v.sites)}; a sum, product or choice of two neighbours, such as "
                               "(u > 0 ? h : h_E), lies half-way too, and a variable without 'at' anywhere", v.span, [(text(before.sites), before.span)])
        sites = sites & v.sites
    return sites


def without_factors(node):
    """Numbers and what is the same in all cells do not move anything."""
    while node.op in ("mul", "div", "neg"):
        node.graph.spend(1)
        cells = [a for a in node.args if a.level]
        if len(cells) != 1 or (node.op == "div" and node.args[1].level):
            break
        node = cells[0]
    return node


def gathered(values, home):
    """Values that are shifts of one another, which have one home, count as one, which lies half-way too if they span an odd number of cells."""
    groups = {}
    for v in values:
        key, *offset = home(without_factors(v.node))
        groups.setdefault(key, []).append((*offset, v))
    whole = []
    for group in groups.values():
        sites = group[0][3].sites
        for axis in range(3):
            at = [g[axis] for g in group]
            if (max(at) - min(at)) % 2:
                sites = sites | {tuple((1 - s[a]) if a == axis else s[a] for a in range(3)) for s in sites}
        whole.append(group[0][3]._replace(sites=sites))
    return whole


def of_sum(graph, values):
    return common(gathered(values, graph.home), "a sum")


def of_product(graph, values):
    """Also of a choice, of min and max."""
    return common(gathered(values, graph.shape), "a product or choice")


def check_target(variable, value):
    if variable.location and NAMES[variable.location] not in value.sites:
        raise StencilError(f"'{variable.name}' lives at {variable.location}, but this at {text(value.sites)}", value.span, [("declared here", variable.span)])
