/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/experiments.h -- many experiments on the same controls, run by groups of ranks side by
   side: J(m) = sum_e J_e(m).

   R ranks are split into G groups of R / G neighbouring ranks. Each group has a mesh of its own,
   all of them cut into the same patches, and a copy of the controls m that is identical to the
   others'. The experiments of a batch are dealt to the groups like cards: card k is run by group k
   mod G, and a group runs its own one after another. J and gradient are sums over experiments that
   are rounded once (sum.h), taken between the ranks that hold the same patch: the same bits on any
   split of the ranks. All that is done with m and the gradient is then done by every group alike;
   an inversion (inversion.h) takes its inner products over the group's mesh. */
#ifndef HALOGRAD_EXPERIMENTS_H
#define HALOGRAD_EXPERIMENTS_H

#include <halograd/operator.h>

/* Experiments, and the groups of ranks that run them. */
typedef struct HgExperiments_s *HgExperiments;

/* `count` experiments for `groups` groups of the ranks of `comm`; 0: as many as there are
   experiments or ranks, whatever is less. The number of groups must divide both, so that groups
   have meshes of as many ranks and as much to do: 4 experiments on 3 ranks are refused with 3 or 0
   groups, in a sentence that names those that are possible, here 1: three ranks that run one
   experiment after another. As long as there are several groups, errors are those of groups
   (error.h): said once if all groups come to HgExperimentsTell() or to the end of the program with
   them; else the first one ends the job. Collective. Errors: the number of groups does not divide
   ranks and experiments. */
PetscErrorCode HgExperimentsCreate(MPI_Comm comm, int count, int groups,
                                   HgExperiments *experiments);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgExperimentsDestroy(HgExperiments *experiments);

/* The calling rank's group. */
typedef struct {
  int number, count; /* of the group, from 0; how many groups there are */
  MPI_Comm comm;     /* its ranks: what its mesh is made of */
  MPI_Comm across;   /* the ranks that hold the same patch, one of each group, numbered by group */
} HgGroup;

/* Borrowed. Not collective. */
const HgGroup *HgExperimentsGroup(HgExperiments experiments);

/* Ends something that groups did apart, with `ierr`: HgErrorMeet() over all groups. If one has
   failed and the others do not come within its patience, being in long experiments, the job ends.
   Collective. */
PetscErrorCode HgExperimentsTell(HgExperiments experiments, PetscErrorCode ierr);

/* The experiments that count from now on are those of mini-batch n = 0, 1, ...: J(m) = count / size
   sum over `size` of them, an estimate of the whole; size 0: all of them. Every epoch of count /
   size (rounded down) mini-batches deals all experiments in an order of its own, so that none comes
   twice in an epoch. The same on every rank: a function of size, seed and n. Collective. Error:
   size out of range. */
PetscErrorCode HgExperimentsDraw(HgExperiments experiments, int size, uint64_t seed, long n);

/* path[size] = `pattern`, the value of `option`, with the number of the experiment in place of %d.
   Collective. Error: no %d in it. */
PetscErrorCode HgExperimentsFile(const char option[], const char pattern[], int experiment,
                                 size_t size, char path[]);

/* J(m) as a functional on the group's mesh; parts[e] is the functional J_e, NULL if this group
   never runs it. J is one of the owners of its parts; `experiments` are borrowed. An error of one
   group ends the evaluation on all, or the job: HgExperimentsTell(). Collective. Errors: a part
   with other controls; while evaluated: a part that is NULL. */
PetscErrorCode HgExperimentsFunctional(HgExperiments experiments, HgOperator parts[],
                                       HgOperator *functional);

#endif
