# SPDX-License-Identifier: BSD-2-Clause
"""Many experiments on groups of ranks: <halograd/experiments.h>."""
from ._core import MPI, Object, check, comm_of, ffi, lib, whole


class Comm(MPI.Intracomm):
    """A communicator of `owner`, which frees it."""


def comm_from(handle, owner):
    comm = Comm()
    comm.owner = owner
    lib.hg_py_put_comm(MPI._addressof(comm), handle)
    return comm


class Experiments(Object):
    """`count` experiments, such as shots, that `groups` groups of ranks run side by side (0: as many as there are experiments or ranks,
    whatever is less). The ranks of a group share a mesh, hg.Mesh(..., comm=ex.comm), and make a misfit and an input for each of the
    experiments `ex.mine`, in their order: hg.invert(misfits, inputs, seek, experiments=ex). J is the sum over all experiments, with the same
    bits on any number of groups.

    mine     numbers of this group's experiments
    comm     its ranks, an mpi4py communicator
    number, groups   of this group, from 0, and how many there are

    Collective. In C: HgExperimentsCreate()."""

    def __init__(self, count, groups=0, comm=None):
        self.world, self.count = comm if comm is not None else MPI.COMM_WORLD, whole(count, "Experiments: count is")
        self._comm, made = comm_of(self.world), ffi.new("HgExperiments *")
        check(lib.HgExperimentsCreate(self._comm, self.count, whole(groups, "Experiments: groups is"), made), self._comm)
        self._handle, group = made[0], lib.HgExperimentsGroup(made[0])
        self.comm, self._across, self._group = comm_from(group.comm, self), comm_from(group.across, self), group
        self.number, self.groups, self.mine = group.number, group.count, range(group.number, self.count, group.count)
        self._made()

    def _free(self):
        check(lib.HgExperimentsDestroy(ffi.new("HgExperiments *", self._c)), self._comm)

    def _sum(self, several, made):
        """J as a functional: the sum of all experiments' ones, of which this group has `several`."""
        parts = ffi.new("HgOperator[]", self.count)
        for number, one in zip(self.mine, several):
            parts[number] = one
        return lib.HgExperimentsFunctional(self._c, parts, made)
