# SPDX-License-Identifier: BSD-2-Clause
"""The adjoint kernel as C, and its tangent: a loop for each cotangent, and one for all of them where all are wanted."""
import expression as ex
from kernel import REVERSE, Kernel, uses
from loop import Loop
from ctext import comment, wrapped


MOST_TOGETHER, MOST_ROWS = 4, 13  # cotangents, and rows that one loop reads and writes unless it saves much arithmetic
EXPLAINED = {
    "adjoint": "All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only itself.",
    "second": "The tangent of the adjoint, as x moves by dx and y_bar by dy_bar.",
}


class ReverseKernel(Kernel):
    def text(self):
        lines = self.stage_types() + self.stage_functions()
        calls = {}
        for name in self.roots:
            more, calls[name] = self.row_function(f"{self.prefix}{self.bar(name)}_row", [name])
            lines += more
        together = {}
        for n, targets in enumerate(self.together()):
            more, together[targets] = self.row_function(f"{self.prefix}{self.mark}together{n}_bar_rows", list(targets))
            lines += more
        silent = [r for r in self.bars if r not in self.roots]
        rows = self.over_rows(self.row(calls, together, silent))
        return "\n".join(lines + [comment([EXPLAINED[self.kind]])] + self.opening(rows) + rows + ["}"])

    def bar(self, name):
        return f"{self.mark}{name}_bar"

    @property
    def mark(self):
        return "d" if self.kind == "second" else ""

    def row_function(self, function, targets):
        """(lines, the call): the row j of some cotangents."""
        loop = Loop(self, [self.roots[t] for t in targets], 2)
        bars = [loop.names.new(self.bar(t)) for t in targets]
        body = loop.body([lambda text, b=b: f"HgContribute({b}, i, {text});" for b in bars])
        arrays = self.arrays([self.roots[t] for t in targets])
        k = ["k"] if uses(body, r"\bk\.") else []
        row = [name for name in ("j", "level") if uses(body, rf"\b{name}\b")]
        parameters = ["const HgBox *box"] + [f"{self.weights.type} k"] * bool(k) + [d for d, _ in arrays] + [f"int {name}" for name in row] + [f"HgCotangent {b}" for b in bars]
        if len(targets) == 1:
            text = comment([f"{self.bar(targets[0])} += {self.short(self.roots[targets[0]])}"])
        else:
            text = comment(["The same where all of them are wanted: rows come from memory once."])
        lines = [text, wrapped(f"static inline void {function}({', '.join(parameters)}) {{", 0, 4), *body, "}", ""]
        box = "&part" if self.groups else "box"
        outside = [self.outside[t] for t in targets]
        return lines, f"{function}({', '.join([box, *k, *(a for _, a in arrays), *row, *outside])});"

    @property
    def outside(self):
        """The names of the cotangents' rows in the kernel itself."""
        names = self.names.copy()
        return {r: names.new(self.bar(r)) for r in self.bars}

    def row(self, calls, together, silent):
        """One row of all that is wanted."""
        names = self.outside
        rows = ", ".join(f"{names[r]} = {self.cotangent(r)}(box, {REVERSE[self.kind]}, {k}, j{', level' * self.physics.levels})" for k, r in enumerate(self.bars))
        lines = [wrapped(f"const HgCotangent {rows};", 4)]
        box = "&part" if self.groups else "box"
        lines += [wrapped(f"if ({names[r]}.row) nothing_to({box}, {names[r]});", 4) for r in silent]
        done = set()
        wanted = lambda targets: " && ".join(f"{names[t]}.row" for t in targets)
        for targets, call in together.items():
            if done & {*targets}:
                continue
            written = tuple(t for t in targets if t in self.physics.written)
            part = written if written != targets and written in together else ()
            lines += [wrapped(f"if ({wanted(targets)}) {{", 4), wrapped(call, 6), "    } else {"]
            if part:
                lines += [wrapped(f"if ({wanted(part)}) {{", 6), wrapped(together[part], 8), "      } else {"]
                lines += [wrapped(f"if ({names[t]}.row) {calls[t]}", 8) for t in part] + ["      }"]
            lines += [wrapped(f"if ({names[t]}.row) {calls[t]}", 6) for t in targets if t not in part] + ["    }"]
            done.update(targets)
        return lines + [wrapped(f"if ({names[t]}.row) {calls[t]}", 4) for t in calls if t not in done]

    def cotangent(self, read):
        """How its row is found."""
        if not self.physics.levels:
            return "HgCotangentRow"
        return "HgCotangentSurface" if read in self.physics.surfaces else "HgCotangentLevel"

    def together(self):
        """Cotangents that one loop computes where all of them are wanted: those that share arithmetic, or rows and not too many. First those
        of what a step writes, which always are; a cluster without its constants is one, too."""
        clusters, of_constant = [], lambda name: name not in self.physics.written
        for name, node in sorted(self.roots.items(), key=lambda root: of_constant(root[0])):
            for cluster in clusters if name not in self.physics.surfaces else ():
                if cluster[0] not in self.physics.surfaces and len(cluster) < MOST_TOGETHER and self.fit([self.roots[t] for t in cluster], node):
                    cluster.append(name)
                    break
            else:
                clusters.append([name])
        found = [tuple(c) for c in clusters if len(c) > 1]
        without = [tuple(t for t in c if not of_constant(t)) for c in found]
        return list(dict.fromkeys(found + [c for c in without if len(c) > 1]))

    @staticmethod
    def fit(nodes, node):
        """Is one loop faster? It is if it saves much arithmetic. With few rows it is, too, if it saves some, or most loads of one cotangent, or
        some loads where these take the time: a loop that computes more than it reads runs as fast alone, from registers that suffice."""
        mine, theirs = set(ex.reached([node])), set(ex.reached(nodes))
        cost = lambda part: sum(n.price for n in part if n.args)
        rows = lambda part: {(*n.data[:2], *n.data[3:]) for n in part if n.op == "read"}
        saved, least = cost(mine & theirs), min(cost(mine), cost(theirs))
        if saved and 4 * saved >= least:
            return True
        common, used = len(rows(mine) & rows(theirs)), len(rows(mine | theirs)) + 2 * (len(nodes) + 1)
        most = 2 * common > min(len(rows(mine)), len(rows(theirs)))
        return used <= MOST_ROWS and (saved or most or common and least >= 4 and cost(mine | theirs) <= 2 * used)
