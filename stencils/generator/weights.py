# SPDX-License-Identifier: BSD-2-Clause
"""What is the same in all cells: computed once a call, into the struct Weights k."""
import expression as ex
from ctext import TWICE, Names, Text, camel, wrapped

OF_BOX = {"dx": "box->dx", "dy": "box->dy", "dt": "box->dt", "t": "box->t", "x0": "box->x0", "y0": "box->y0", "step": "(double)box->step",
          "nx": "(double)box->nx_global", "ny": "(double)box->ny_global", "dz": "box->dz", "z0": "box->z0", "nz": "(double)box->nz"}


class Weights:
    def __init__(self, physics, several):
        """several: the file has more stencils than this."""
        self.prefix = f"{physics.name}_" if several else ""
        self.type = camel(self.prefix) + "Weights"
        self.physics, self.members, self.names = physics, {}, Names()
        self.member_of_parameter = {p.name: p.member for p in physics.parameters}
        self.tables = {}

    def member(self, node):
        """k.name of a uniform node."""
        if node not in self.members:
            self.members[node] = self.names.new(self.called(node))
        return f"k.{self.members[node]}"

    def called(self, node):
        named = self.physics.names.get(node)
        if named:
            return named
        if node.op == "sym":
            return node.data
        parts = []
        for factor in self.factors(node):
            if factor.op == "sym" or factor in self.physics.names:
                parts.append(self.called(factor))
            else:
                return f"c{len(self.members)}"
        return "_".join(parts) if len(parts) <= 3 else f"c{len(self.members)}"

    def factors(self, node):
        return [f for a in node.args for f in self.factors(a)] if node.op == "mul" and node not in self.physics.names else [node]

    def table(self, name):
        """k.name of a table's numbers."""
        self.tables[name] = True
        return f"k.{name}_of"

    # ---- C ----
    def struct(self):
        if not self.members and not self.tables:
            return ""
        numbers = "HgReal " + ", ".join(self.members.values()) + ";" if self.members else ""
        lines = ["/* What is the same in all cells. */", "typedef struct {"]
        lines += [wrapped(numbers, 2)] if numbers else []
        lines += [f"  const double *{name}_of;" for name in self.tables] + [f"}} {self.type};"]
        return "\n".join(lines)

    def function(self):
        """static Weights weights(box, params)"""
        if not self.members and not self.tables:
            return ""
        local, lines, names = {}, [], Names([self.type])

        def leaf(node):
            if node in local:
                return local[node]
            if node.op == "table":
                name, _, at = node.data
                return f"entry(p->{name}, p->{name}_count, box->step{f' {at:+d}' if at else ''})"
            if node.op == "sym":
                return f"p->{self.member_of_parameter[node.data]}" if node.data in self.member_of_parameter else OF_BOX[node.data]
            return None

        text = Text(leaf)
        for node in self.named_nodes():
            local_name = names.new(self.physics.names.get(node, f"c{len(local)}"))
            lines.append(wrapped(f"const double {local_name} = {text(node)};", 2))
            local[node] = local_name
        values = [f".{member} = {text(node)}" for node, member in self.members.items()]
        values += [f".{name}_of = p->{name}" for name in self.tables]
        head = [f"static inline {self.type} {self.prefix}weights(const HgBox *box, const void *params) {{"]
        if any("p->" in line for line in lines + values):
            head.append(f"  const {self.physics.struct[0]} *p = params;")
        else:
            head.append("  (void)params;")
        if not any("box->" in line for line in lines + values):
            head.append("  (void)box;")
        return "\n".join(head + lines + [wrapped(f"return ({self.type}){{{', '.join(values)}}};", 2), "}"])

    def named_nodes(self):
        """What gets a name of its own on the way: lets, and what is needed more than once."""
        nodes, uses = ex.reached(self.members), {}
        for node in nodes:
            for a in node.args:
                uses[a] = uses.get(a, 0) + (2 if node.op in TWICE else 1)
        return [n for n in nodes if n.args and n.op not in ex.CONDITIONS and (n in self.physics.names or uses.get(n, 0) > 1)]
