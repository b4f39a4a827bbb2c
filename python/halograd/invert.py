# SPDX-License-Identifier: BSD-2-Clause
"""What is sought, and how it is found: <halograd/control.h>, <halograd/inversion.h>."""
import contextlib
import functools
import io
import math
import os
import sys

import numpy as np

from ._core import MPI, Error, Object, alike, alone, callback, check, ffi, lib, real, require, text, whole
from .experiments import Experiments
from .mesh import State, as_state
from .misfit import Misfit, examined
from .operator import Operator
from .posterior import Posterior
from .weights import Discrepancy, scaled, weights_of

ENDINGS = ("under way", "converged", "limit reached", "nothing to do", "failed")


# ---- what is sought ----
FIRST = "the first guess"


def first_guess(x, variable, which):
    """This rank's numbers of it, which are finite on all ranks; `which` state x is."""
    here, mesh = x[variable], x.mesh
    wrong, at = np.argwhere(~np.isfinite(here)), mesh._at[-here.ndim :] if here.ndim > 1 else (0,)
    mine = (*(int(a + o) for a, o in zip(wrong[0], at)), float(here[tuple(wrong[0])])) if len(wrong) else None
    found = min((one for one in mesh.comm.allgather(mine) if one), default=None)
    require(not found, found and f"'{variable}' is {found[-1]} in {which}, in cell ({', '.join(map(str, found[-2::-1]))}), expected finite numbers")
    return here


class Bounds:
    """The variable itself, between two values. `reference`: what Tikhonov's term draws it to."""

    def __init__(self, lower=-math.inf, upper=math.inf, reference=0.0):
        self.lower, self.upper, self.reference, self.name = lower, upper, reference, None

    def _operator(self, misfit, variable):
        return None

    def _bounds(self):
        return self.lower, self.upper

    def _scale(self):
        width = self.upper - self.lower
        return width if math.isfinite(width) and width > 0 else 1.0

    def _first(self, m, name, x, variable, which=FIRST):
        m[name][...] = first_guess(x, variable, which)

    @property
    def _centre(self):
        return self.reference


class _Mapped(Bounds):
    """A variable that is a function of the control `name`."""

    def __init__(self, lower=-math.inf, upper=math.inf, reference=None, name="m"):
        Bounds.__init__(self, lower, upper, reference)
        self.name = name

    def _call(self, create, misfit, variable, *more):
        made = ffi.new("HgOperator *")
        unit = misfit.model.physics.variables[variable][0]
        check(create(misfit.mesh._c, (self.name or variable).encode(), variable.encode(), unit.encode(), *more, made), misfit._comm)
        return made[0]

    def _scale(self):
        return 1.0


class Log(_Mapped):
    """variable = exp(m) > 0; bounds and `reference` are those of the variable. In C: HgParametrisationLog()."""

    def _operator(self, misfit, variable):
        require(self.reference is None or self.reference > 0, f"seek: '{variable}' by its logarithm around {self.reference}, expected a reference above 0")
        return self._call(lib.HgParametrisationLog, misfit, variable)

    def _bounds(self):
        return tuple(-math.inf if v <= 0 else math.log(v) if math.isfinite(v) else v for v in (self.lower, self.upper))

    def _first(self, m, name, x, variable, which=FIRST):
        here, comm = first_guess(x, variable, which), x.mesh.comm
        least, most = comm.allreduce(here.min(), MPI.MIN), comm.allreduce(here.max(), MPI.MAX)
        lower, upper = (max(0, self.lower), self.upper) if which == FIRST else (sys.float_info.min, math.inf)  # a mean may lie beyond bounds
        require(lower <= least and most <= upper, f"seek: '{variable}' is {least:g} to {most:g} in {which}, expected {lower:g} to {upper:g}")
        flat = [math.log(v) if v > 0 else math.nan for v in here.ravel().tolist()]  # with the bits of C
        m[name][...] = np.array(flat).reshape(here.shape)

    @property
    def _centre(self):
        return 0.0 if self.reference is None else math.log(self.reference)


class Uniform(_Mapped):
    """variable = one number in all cells, between two values; it starts as in the first guess. In C: HgParametrisationUniform()."""

    def __init__(self, lower=-math.inf, upper=math.inf, reference=0.0, name=None):
        _Mapped.__init__(self, lower, upper, reference, name)

    def _operator(self, misfit, variable):
        return self._call(lib.HgParametrisationUniform, misfit, variable)

    def _scale(self):
        return Bounds._scale(self)

    def _first(self, m, name, x, variable, which=FIRST):
        here, comm = first_guess(x, variable, which), x.mesh.comm
        least, most = comm.allreduce(here.min(), MPI.MIN), comm.allreduce(here.max(), MPI.MAX)
        require(least == most, f"seek: '{variable}' is {least:g} to {most:g} in {which}, expected one number, as it is sought as one")
        m[name][...] = least

    @property
    def _centre(self):
        return self.reference


class Coarse(_Mapped):
    """variable = the bilinear interpolation of cx x cy numbers, which all start as `first`. In C: HgParametrisationCoarse()."""

    def __init__(self, cx, cy, lower=-math.inf, upper=math.inf, first=0.0, name="theta"):
        _Mapped.__init__(self, lower, upper, first, name)
        self.cx, self.cy = cx, cy

    def _operator(self, misfit, variable):
        return self._call(lib.HgParametrisationCoarse, misfit, variable, self.cx, self.cy)

    def _first(self, m, name, x, variable, which=FIRST):
        m[name][...] = self.reference

    @property
    def _centre(self):
        return self.reference


class Affine(Coarse):
    """variable = a + b x + c y, three numbers, which start as `first`. In C: HgParametrisationAffine()."""

    def __init__(self, first, name="theta"):
        require(np.shape(first) == (3,), f"Affine: first is {first!r}, expected (a, b, c)")
        _Mapped.__init__(self, name=name, reference=first)

    def _operator(self, misfit, variable):
        return self._call(lib.HgParametrisationAffine, misfit, variable)


# ---- operators ----
def sought(seek, x, physics):
    """{variable: how}, of such a dictionary, a name or names."""
    seek = dict(seek) if isinstance(seek, dict) else {name: Bounds() for name in ([seek] if isinstance(seek, str) else seek)}
    for name, how in seek.items():
        require(name not in physics.numbers, f"seek: '{name}' is a number of '{physics.name}', by which J has no derivative; declare it as a field, which hg.Uniform() seeks as one number")
        require(isinstance(how, Operator) or not isinstance(how, Bounds) or how.lower <= how.upper,
                f"bounds of '{name}' are {getattr(how, 'lower', 0):g} and {getattr(how, 'upper', 0):g}, expected lower <= upper")
        require(isinstance(how, (Bounds, Operator)), f"seek: '{name}' as {how!r}, expected hg.Bounds(lower, upper), hg.Log, hg.Uniform, hg.Coarse, hg.Affine or hg.Operator")
    unknown = [name for name in seek if name not in x]
    require(seek and not unknown, f"seek: {', '.join(unknown) or 'nothing'}, expected variables of {', '.join(x)}")
    return seek


class Functional(Object):
    """J(m) = misfit(x(m)) + R(m) for what is sought: an operator of the controls m. Of a list of misfits, with one of their inputs, J is
    their sum, and m the same in all of them. Collective. In C: HgControlCreate(), HgRegularisationCreate(),
    HgExperimentsFunctional()."""

    def __init__(self, misfit, x, seek, tikhonov=0.0, h1=0.0, memory=None, prior_mean=None, prior_deviation=0.0, prior_length=0.0, tv=0.0, tv_epsilon=0.0, h1_along=0.0, experiments=None):
        self.misfits, self.inputs = ([*one] if isinstance(one, (list, tuple)) else [one] for one in (misfit, x))
        require(len(self.misfits) == len(self.inputs) > 0, f"{len(self.misfits)} misfits and {len(self.inputs)} inputs, expected an input for each misfit")
        require(experiments is None or len(self.misfits) == len(experiments.mine), experiments and f"{len(self.misfits)} misfits, expected one for each of experiments.mine: {len(experiments.mine)}")
        misfit, self.x = self.misfits[0], self.inputs[0]
        alike(misfit.mesh.comm, "seek", list(map(str, [seek] if isinstance(seek, str) else seek)))
        for J, x in zip(self.misfits, self.inputs):
            self.seek = sought(seek, as_state(x), J._alive().model.physics)
            require(J.mesh is misfit.mesh, "the misfits are of several meshes, expected one mesh, as what is sought is the same in all")
            J._with_data()
        self.misfit, self.mesh, self._comm = misfit, misfit.mesh, misfit._comm
        prior = {"tikhonov": tikhonov, "h1": h1, "prior_deviation": prior_deviation, "prior_length": prior_length, "tv": tv, "tv_epsilon": tv_epsilon,
                 "h1_along": h1_along}
        for what, weights in prior.items():
            unsought = [name for name in weights if name not in self.seek] if isinstance(weights, dict) else []
            require(not unsought, f"{what}: a weight of '{', '.join(map(str, unsought))}', expected weights of what is sought: {', '.join(self.seek)}")
        self._own = None
        if experiments is None and self.misfits[1:]:
            experiments = self._own = Experiments(len(self.misfits), 1, misfit.mesh.comm)
        self.experiments, self._world = experiments, experiments.world if experiments else misfit.mesh.comm
        self._all = experiments._comm if experiments else misfit._comm  # the ranks that evaluate J
        self._parts = []
        of_x = [J.operator(memory, tuple(self.seek)) for J in self.misfits]
        self._made(misfit)
        self._others = [*self.misfits[1:], *([experiments] if experiments else [])]  # what it is made of, besides
        for one in self._others:
            one._children[id(self)] = self
        try:
            self._build(of_x, prior, prior_mean)
            for k, J in enumerate(self.misfits):
                J.model._require_stable(self.input(of=k))
        except Error:
            self.close()
            raise

    def _free(self):
        for one in self._others:
            one._children.pop(id(self), None)
        for op in reversed(self._parts):
            check(lib.HgOperatorDestroy(ffi.new("HgOperator *", op)), self._comm)
        if self._own:
            self._own.close()

    def _new(self, create, *arguments):
        made = ffi.new("HgOperator *")
        check(create(*arguments, made), self._comm)
        self._parts.append(made[0])
        return made[0]

    def _build(self, of_x, prior, prior_mean):
        """As HgProblem does it, so that J has its bits. of_x: the misfits as operators."""
        names, controls = [ffi.new("char[]", v.encode()) for v in self.seek], []
        for name, (variable, how) in zip(names, self.seek.items()):
            op = how._c if isinstance(how, Operator) else how._operator(self.misfit, variable)
            if op is not None and not isinstance(how, Operator):
                self._parts.append(op)
            controls.append({"variable": name, "parametrisation": op if op is not None else ffi.NULL})
        self._maps = [self._new(lib.HgControlCreate, x._input(), len(controls), ffi.new("HgControl[]", controls)) for x in self.inputs]
        made = ffi.new("HgState *")
        check(lib.HgOperatorCreateInput(self._maps[0], made), self._comm)
        self.m = State(self.mesh, made[0])
        self.controls = {}
        for variable, how in self.seek.items():
            for name in how.first.names if isinstance(how, Operator) else [how.name or variable]:
                self.controls[name] = (variable, how)
        for name, (variable, how) in self.controls.items():
            how._first(self.m, name, self.x, variable)
        self._of_x = of_x
        R_x, R_m = self._regularisations(prior, self._mean(prior_mean))
        if R_x is not None and self.experiments is None:
            of_x = [self._sum("misfit + R", of_x[0], R_x)]
        several = [self._chain("misfit of m" if R_m is not None else "J", *one) for one in zip(self._maps, of_x)]
        outer = several[0] if self.experiments is None else self._new(self.experiments._sum, several)
        self._R = R_m
        if R_x is not None:
            of_m = self._chain("R(x(m))", self._maps[0], R_x)
            self._R = of_m if R_m is None else self._sum("regularisation", of_m, R_m)
        apart = R_m if self.experiments is None else self._R  # what is no part of the misfit of x
        self._J = outer if apart is None else self._sum("J", outer, apart)

    def _of_data(self):
        """The misfits alone, of the controls."""
        several = [self._chain("misfit of m", *one) for one in zip(self._maps, self._of_x)]
        return several[0] if self.experiments is None else self._new(self.experiments._sum, several)

    def _sum(self, name, *parts):
        return self._new(lib.HgOperatorSum, name.encode(), len(parts), ffi.new("HgOperator[]", list(parts)))

    def _chain(self, name, *parts):
        return self._new(lib.HgOperatorChain, name.encode(), len(parts), ffi.new("HgOperator[]", list(parts)))

    def _mean(self, given):
        """What is known of variables before the data, {variable: (a state like x, a state like m)}."""
        if not isinstance(given, dict):
            given = {} if given is None else {v: given[v] if isinstance(given, State) else given for v in self.seek}
        states = self.x.copy(), self.m.like()
        for variable, value in given.items():
            how = self.seek.get(variable)
            require(isinstance(how, Bounds), f"prior_mean: '{variable}', expected variables that are sought, not by hg.Operator: {', '.join(self.seek)}")
            states[0][variable] = value
            how._first(states[1], how.name or variable, states[0], variable, "the prior mean")
        return {variable: states for variable in given}

    def _regularisations(self, prior, mean):
        """R of x and R of m: of a variable that a coarse control makes its smoothness is that of the variable."""
        found = {True: None, False: None}
        for name, (variable, how) in self.controls.items():
            fields = any(not isinstance(other, Uniform) for other in self.seek.values())
            given = weights_of(prior, variable, fields and isinstance(how, Uniform))
            if not any(given.values()):
                require(variable not in mean, f"prior_mean: '{variable}' has no prior, expected tikhonov, h1, tv or prior_deviation above 0")
                continue
            require(not isinstance(how, Affine), f"'{variable}' is sought by hg.Affine, three numbers in no order: expected no tikhonov, h1, tv nor prior_deviation of it")
            alone = isinstance(how, Uniform) and given["deviation"] > 0
            require(not isinstance(how, Uniform) or [k for k, v in given.items() if v] in (["alpha"], ["deviation"]),
                    f"'{variable}' is sought as one number: expected tikhonov or prior_deviation of it, and no h1, tv nor prior_length, which may name the others: {{variable: number}}")
            if alone:
                given = {"alpha": 1 / given["deviation"] / given["deviation"]}
            of_x = not (alone or self.m._is_field(self.m._index(name)))
            pattern, of = (self.x, variable) if of_x else (self.m, name)
            label = ffi.new("char[]", of.encode())
            known = mean[variable][not of_x]._input() if variable in mean else ffi.NULL
            steps = self.misfit.model._steps.get(variable)
            follow = {"spacing": self.misfit.model.dt, "each": self.x[variable].size // steps} if steps else {}
            spec = ffi.new("HgRegularisation *", {"control": label, "reference": how._centre, "mean": known, **follow, **given})
            op = self._new(lib.HgRegularisationCreate, pattern._c, spec)
            found[of_x] = op if found[of_x] is None else self._sum("regularisation", found[of_x], op)
        return found[True], found[False]

    @contextlib.contextmanager
    def _gauss_newton(self, yes):
        """Hessians of the misfits are meanwhile those of Gauss and Newton, if `yes`."""
        for J in self.misfits:
            lib.HgObjectiveSetGaussNewton(J._c, yes)
        try:
            yield
        finally:
            for J in self.misfits:
                lib.HgObjectiveSetGaussNewton(J._c, False)

    def _activate(self):
        for J in self._alive().misfits:
            J.model.active(tuple(self.seek))

    @alone
    def gradient(self, m=None):
        """J(m) and dJ/dm; None: the functional's own m. In C: HgOperatorGradient()."""
        m, J, made = m or self.m, ffi.new("double *"), ffi.new("HgState *")
        self._activate()
        check(lib.HgOperatorCreateGradient(self._J, made), self._comm)
        g = State(self.mesh, made[0])
        check(lib.HgOperatorGradient(self._J, m._input(), J, g._c), self._all)
        return J[0], g

    @alone
    def hessian(self, dm, m=None):
        """J''(m) dm. In C: HgOperatorHessian()."""
        m, h = m or self.m, dm.like()
        self._activate()
        check(lib.HgOperatorHessian(self._J, m._input(), dm._input(), h._c), self._all)
        return h

    @alone
    def doctor(self, m=None, seed=1):
        """Searches for what is wrong with the gradient at m, as Misfit.doctor() does, also in what makes x of m. In C: HgCheckGradient()."""
        self._activate()
        return examined(self, lib.HgCheckGradient, self._J, m or self.m, seed)

    def input(self, m=None, of=0):
        """x(m), a state of its own; of several misfits that of number `of`. In C: HgOperatorApply()."""
        x = self._alive().inputs[of].like()
        check(lib.HgOperatorApply(self._maps[of], (m or self.m)._input(), x._c), self._comm)
        return x

    def regularisation(self, m=None):
        """R(m), a number. In C: HgOperatorApply()."""
        if self._alive()._R is None:
            return 0.0
        made = ffi.new("HgState *")
        check(lib.HgOperatorCreateOutput(self._R, made), self._comm)
        R = State(self.mesh, made[0])
        check(lib.HgOperatorApply(self._R, (m or self.m)._input(), R._c), self._comm)
        return float(R[R.names[0]][0])


# ---- the inversion ----
class Iterate:
    """iteration, evaluations, J, misfit, regularisation, gradient_norm, seconds"""

    def __init__(self, c, R):
        self.iteration, self.evaluations, self.J, self.gradient_norm, self.seconds = c.iteration, c.evaluations, c.J, c.gradient_norm, c.seconds
        self.regularisation, self.misfit = R, c.J - R

    def __repr__(self):
        return f"{self.iteration:5d} {self.J:13.6e} {self.misfit:13.6e} {self.regularisation:13.6e} {self.gradient_norm:10.3e} {self.evaluations:6d} {self.seconds:7.1f} s"


class Found:
    """What an inversion found.

    m, x, final      the controls, the input that belongs to them, the final state; of several misfits those of the first
    J, gradient      J and dJ/dm at m
    misfit           J without R
    misfit_ratio     what measurements have of J over its expectation, which is half their number; nan: there are none
    iterates         J, gradient_norm and more at each iteration
    ending, reason   how it ended, in a word and in a sentence
    converged        is the gradient, or J, as small as was asked for?
    factor           what discrepancy=True has scaled the weights by, else 1
    observed         the observations, of this group of ranks

    In C: HgObjectiveCount()."""

    def __init__(self, functional, iterates, ending, reason, again):
        self.m, self.iterates, self.ending, self.reason = functional.m, iterates, ENDINGS[ending], reason
        self.converged, self.factor = ending == lib.HG_CONVERGED, 1.0
        self.J, self.gradient = functional.gradient()
        misfits, self._world = functional.misfits, functional._world
        across = functional.experiments._across if functional.experiments else MPI.COMM_SELF
        own = [(J.count, J._parts()[-1], lib.HgObjectiveCount(J._c) / 2) for J in misfits]
        counts, parts, expected = zip(*sum(across.allgather(own), []))
        self.count = sum(counts)
        self.x, self.final, self.mesh = functional.input(), misfits[0].final(), functional.mesh
        self.misfit = self.J - functional.regularisation()
        self.misfit_ratio = math.fsum(parts) / math.fsum(expected) if self.count else math.nan
        self.observed, self.sought = [o for J in misfits for o in J.observed], list(functional.seek)
        self._again, self._given, self._digests = again, functional.inputs, [x.digest() for x in functional.inputs]

    def digest(self):
        """What -digest prints in C: "J <hex> gradient <xxh3> state <xxh3>"."""
        return f"J {hexadecimal(self.J)} gradient {self.gradient.digest()} state {self.final.digest()}"

    def posterior(self, pairs, gauss=False):
        """How sure that is, a Posterior from `pairs` eigenpairs: so many that the last eigenvalue is well below 1. `gauss`: by the misfit's
        Hessian of Gauss and Newton, which is never negative, also where m is not quite the minimum. It lives as long as the misfit, or until
        you close it. Collective. In C: HgPosteriorCreate()."""
        changed = [x.digest() for x in self._given] != self._digests
        require(not self._world.allreduce(changed), "posterior(): the input was changed since invert(), expected it as it was; give invert() a copy of what you change")
        functional = self._again()
        try:
            return Posterior(functional, self.m, pairs, gauss)
        except Error:
            functional.close()
            raise

    def to_xarray(self):
        """x as an xarray.Dataset. Collective."""
        return self.x.to_xarray()

    def plot(self, path=None):
        """A picture of what was found and of J over iterations, by matplotlib on rank 0: a figure, or the file `path`. Collective."""
        fields, figure, failed = {name: self.x.gather(name) for name in self.sought}, None, None
        if self._world.rank == 0:
            try:
                figure = self._draw(fields)
                if path:
                    figure.savefig(path, dpi=120)
            except ImportError:
                failed = "plot() needs matplotlib (Debian: python3-matplotlib)"
            except Exception as error:  # all ranks raise it
                failed = f"plot() cannot write '{path}': {getattr(error, 'strerror', None) or error}"
        failed = self._world.bcast(failed)
        require(not failed, failed)
        return figure

    def _draw(self, fields):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4 * (len(fields) + 1), 3.5), layout="constrained")
        axes = figure.subplots(1, len(fields) + 1)
        (x0, y0), (dx, dy), (nx, ny) = self.mesh.origin[:2], self.mesh.spacing[:2], self.mesh.cells[:2]
        for at, (name, field) in zip(axes, fields.items()):
            at.set_title(f"{name} [{self.x.unit(name)}]")
            if field.ndim == 1:  # numbers by step
                at.plot(field)
                continue
            shown = at.imshow(field[len(field) // 2] if field.ndim == 3 else field, origin="lower", extent=(x0 - dx / 2, x0 + (nx - 0.5) * dx, y0 - dy / 2, y0 + (ny - 0.5) * dy))
            figure.colorbar(shown, ax=at)
            for o in self.observed:
                at.plot(*o.places.T[:2], ".", color="white", markersize=3)
        draw = axes[-1].semilogy if min(it.J for it in self.iterates) > 0 else axes[-1].plot
        draw([it.iteration for it in self.iterates], [it.J for it in self.iterates])
        axes[-1].set_title("J over iterations")
        figure._repr_png_ = lambda: png_of(figure)  # Jupyter shows it
        return figure

    def __repr__(self):
        return f"<halograd.Found: {self.reason} after {self.iterates[-1].iteration} iterations, J {self.J:.6e}>"


def png_of(figure):
    """The bytes of a picture."""
    with io.BytesIO() as file:
        figure.savefig(file, format="png")
        return file.getvalue()


def hexadecimal(value):
    """A double as C's %a writes it."""
    head, sign, power = value.hex().partition("p")
    return head.rstrip("0").rstrip(".") + sign + power if "." in head else value.hex()


class _Monitor:
    """Keeps the iterates, shows a line of progress on a terminal, calls the user."""

    def __init__(self, functional, iterations, callback, progress):
        self.functional, self.callback, self.iterates, self.most = functional, callback, [], iterations
        self.shows = functional._world.rank == 0 and (sys.stderr.isatty() if progress is None else progress)

    def see(self, c, m):
        lent = State(self.functional.mesh, m, owned=False)
        try:
            self.iterates.append(Iterate(c, self.functional.regularisation(lent)))
            if self.shows:
                done = 20 * c.iteration // max(1, self.most)
                sys.stderr.write(f"\r[{'#' * done}{'.' * (20 - done)}] {self.iterates[-1]} ")
                sys.stderr.flush()
            if self.callback:
                self.callback(self.iterates[-1], lent)
        finally:
            lent._gone = True

    def end(self):
        if self.shows:
            sys.stderr.write("\n")


@callback("hg_py_iterate")
def _iterate(c, m, context):
    ffi.from_handle(context).see(c, m)
    return 0


NEWTON = ("bnls", "bntr", "bntl", "nls", "ntr")


def invert(misfit, x=None, seek=None, tikhonov=0.0, h1=0.0, tolerance=1e-3, iterations=100, target=0.0, memory=None, callback=None, progress=None, precondition=False,
           prior_mean=None, prior_deviation=0.0, prior_length=0.0, tv=0.0, tv_epsilon=0.0, h1_along=0.0, resume=None, experiments=None, discrepancy=False, method=None, gauss=False):
    """Finds the variables `seek` of x that make J(m) = misfit + R least, by TAO (options ``-tao_...``).

    misfit     a misfit, or a list of them, such as one of each shot: J is then their sum. With `experiments`: those of this group of ranks
    x          the input: its sought variables are the first guess. Of a list of misfits a list. Default: the last input that the model made
    seek       what to find and how: {"kappa": hg.Bounds(0.1, 10)}, or hg.Log(...), hg.Uniform(...), hg.Coarse(...), hg.Affine(...),
               hg.Operator(...); a name or a list of names sets no bounds

    The regularisation R; each weight is a number for all that is sought, or {"kappa": number}:

    tikhonov, h1        weights of the size of what is sought, and of its slopes; h1_along: of numbers q[step, j] along j
    prior_deviation     its standard deviation before the data, over the distance prior_length [m], in place of tikhonov and h1
    tv, tv_epsilon      weight of the total variation, which keeps edges, and the slope below which it is smooth
    prior_mean          what R draws it to, in place of its `reference`: a state, such as found.x, or {"kappa": array}
    discrepancy         True scales all weights by one factor until the data are met as well as their noise explains

    How it goes on, and when it ends:

    tolerance  ends when the norm of the gradient has fallen by this factor
    iterations, target   ends after so many iterations, or when J <= target > 0
    memory     bytes for checkpoints, such as "2GiB", as in J.gradient()
    method     of TAO, such as "bqnls" or "bntr", which uses second derivatives; default: "blmvm". An option -tao_type goes before it
    gauss      True: a method that uses second derivatives takes those of Gauss and Newton, which every model has
    precondition   True solves with R in each iteration: fewer iterations where h1 is strong, or the grid is fine
    callback(iterate, m)   is called at each iterate; copy() m to keep it
    progress   True writes a line of progress on stderr; default: on a terminal
    resume     a folder that keeps every evaluation: if the program was killed, start it again, and it goes on with the same bits

    Collective. In C: HgInversionCreate(), HgInversionSetRules(), HgInversionSolve()."""
    wrong = [one for one in (misfit if isinstance(misfit, (list, tuple)) else [misfit]) if not isinstance(one, Misfit)]
    require(not wrong, f"invert(): '{type(wrong[0] if wrong else 0).__name__}' comes first, expected a misfit, then an input: invert(J, x, seek)")
    x = misfit.model._last if x is None and isinstance(misfit, Misfit) else x
    require(x is not None and seek, "invert(): expected an input x and what to seek, such as seek={\"kappa\": hg.Bounds(0.1, 10)}")
    require(resume is None or isinstance(resume, (str, os.PathLike)), f"invert(): resume is {resume!r}, expected a folder, such as \"evaluations\"")
    require(method is None or isinstance(method, str), f"invert(): method is {method!r}, expected a name of TAO's, such as \"bqnls\"")
    require(not gauss or method in NEWTON, f"invert(): gauss=True is for methods that use second derivatives, method is {method!r}, expected one of {', '.join(NEWTON)}")
    prior = {"tikhonov": tikhonov, "h1": h1, "prior_deviation": prior_deviation, "prior_length": prior_length, "tv": tv, "tv_epsilon": tv_epsilon,
             "h1_along": h1_along}
    rules = {"tolerance": tolerance, "target": target, "iterations": whole(iterations, "invert(): iterations is"), "preconditioned": precondition,
             "method": ffi.NULL if method is None else ffi.new("char[]", method.encode())}

    def once(factor, start, folder):
        again = functools.partial(Functional, misfit, x, seek, memory=memory, prior_mean=prior_mean, experiments=experiments, **scaled(prior, factor))
        with again() as functional, functional._gauss_newton(gauss):
            for name in functional.m if start else ():
                functional.m[name][...] = start[name]
            found = _solved(functional, rules, folder, _Monitor(functional, iterations, callback, progress), again)
            found.factor = factor
            return found

    if not discrepancy:
        return once(1.0, None, resume)
    given = [w for what in ("tikhonov", "h1", "prior_deviation", "tv") for w in (prior[what].values() if isinstance(prior[what], dict) else [prior[what]])]
    require(any(given), "discrepancy: J has no regularisation whose weights could be scaled, expected tikhonov, h1, tv or prior_deviation above 0")
    found = once(1.0, None, resume and os.path.join(resume, "1"))
    require(found.count, "discrepancy: J has goals alone, expected measurements, whose noise it asks for")
    search = Discrepancy(found.count)
    number = 1
    while not search.met(found.misfit_ratio):
        if found.ending in ("nothing to do", "failed"):
            found.reason += "; discrepancy: the search for the weights ends there"
            break
        number += 1
        if number > Discrepancy.MOST or not search.next(found.misfit_ratio):
            found.reason += f"; discrepancy: {search.none(found.factor, found.misfit_ratio)}"
            break
        found = once(search.factor, found.m, resume and os.path.join(resume, str(number)))
    return found


def _solved(functional, rules, resume, monitor, again):
    """Where the inversion of `functional` ends."""
    comm, made, last, reason = functional._comm, ffi.new("HgInversion *"), ffi.new("HgIterate *"), ffi.new("const char **")
    handle = ffi.new_handle(monitor)
    check(lib.HgInversionCreate(functional._J, made), comm)
    try:
        for name, (_, how) in functional.controls.items():
            check(lib.HgInversionSetBounds(made[0], name.encode(), *how._bounds(), how._scale()), comm)
        journal = ffi.NULL if resume is None else ffi.new("char[]", os.fsencode(resume))
        across = ffi.addressof(functional.experiments._group, "across") if functional.experiments else ffi.NULL
        check(lib.HgInversionSetRules(made[0], ffi.new("HgInversionRules *", {**rules, "journal": journal, "across": across})), functional._all)
        check(lib.HgInversionSetPart(made[0], functional._R or ffi.NULL), comm)
        check(lib.HgInversionSetMonitor(made[0], lib.hg_py_monitor(), handle), comm)
        functional._activate()
        check(lib.HgInversionSolve(made[0], functional.m._input(), last, reason), functional._all)
        return Found(functional, monitor.iterates, last.ending, text(reason[0]), again)
    finally:
        monitor.end()
        lib.HgInversionDestroy(made)


def steps_for(time_, largest):
    """(steps, dt) of the longest stable steps that end at `time_` [s]."""
    require(0 < time_ < math.inf and 0 < largest < math.inf, f"steps_for(): {time_:g} s in steps of at most {largest:g} s, expected finite numbers above 0")
    steps = math.ceil(time_ / largest)
    return steps, time_ / steps
