"""Where in its cell an expression makes sense: a set of (x, y), each 0 (centre) or 1 (half a cell on), mod 1.

A difference or a mean of two neighbours lies where they do, as an upwind difference does, or half-way: an odd number of cells apart,
both. What is added, multiplied or compared has a place in common."""
from errors import StencilError

NAMES = {"centre": (0, 0), "x_face": (1, 0), "y_face": (0, 1), "corner": (1, 1)}
ALL = frozenset(NAMES.values())


def declared(name):
    return frozenset([NAMES[name]]) if name else ALL


def text(sites):
    return " or ".join(name for name, site in NAMES.items() if site in sites)


def common(values, span, what):
    sites = ALL
    for n, v in enumerate(values):
        if not sites & v.sites:
            before = next((u for u in values[:n] if not u.sites & v.sites), values[n - 1])
            raise StencilError(f"{what} of what lives at {text(sites)} and at {text(v.sites)}", v.span, [(text(before.sites), before.span)])
        sites = sites & v.sites
    return sites


def of_product(values, span):
    return common(values, span, "a product or choice")


def without_factors(graph, node):
    """Numbers and what is the same in all cells do not move anything."""
    while node.op in ("mul", "div", "neg"):
        cells = [a for a in node.args if a.level]
        if len(cells) != 1 or (node.op == "div" and node.args[1].level):
            break
        node = cells[0]
    return node


def of_sum(graph, values, span):
    """Terms that are shifts of one another count as one, which lies half-way too if they span an odd number of cells."""
    groups = {}
    for v in values:
        home, x, y = graph.home(without_factors(graph, v.node))
        groups.setdefault(home, []).append((x, y, v))
    whole = []
    for group in groups.values():
        sites = group[0][2].sites
        for axis in (0, 1):
            at = [g[axis] for g in group]
            if (max(at) - min(at)) % 2:
                sites = sites | {tuple((1 - s[a]) if a == axis else s[a] for a in (0, 1)) for s in sites}
        whole.append(group[0][2]._replace(sites=sites))
    return common(whole, span, "a sum")


def check_target(variable, value):
    if variable.location and NAMES[variable.location] not in value.sites:
        raise StencilError(f"'{variable.name}' lives at {variable.location}, but this at {text(value.sites)}", value.span, [("declared here", variable.span)])
