/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/experiments.h -- many experiments with the same controls, run by groups of ranks side by
   side: J(m) = sum_e J_e(m).

   R ranks are split into G groups of R / G neighbouring ranks. Each group has its own mesh, all cut
   into the same patches, and its own identical copy of the controls m. The experiments of a batch
   are dealt to the groups like cards: group k mod G runs card k, one card after another. J and
   gradient are sums over experiments, rounded once (sum.h), over the ranks that hold the same
   patch: the same bits for any split of the ranks. Every group then does the same with m and the
   gradient; an inversion (inversion.h) takes its inner products over the group's mesh. */
#ifndef HALOGRAD_EXPERIMENTS_H
#define HALOGRAD_EXPERIMENTS_H

#include <halograd/operator.h>

/* Experiments, and the groups of ranks that run them. */
typedef struct HgExperiments_s *HgExperiments;

/* Creates `count` experiments for `groups` groups of the ranks of `comm`; 0: as many groups as
   there are experiments or ranks, whichever is less. The number of groups must divide both, so that
   all groups have equally many ranks and equal work. Other numbers are refused with a list of valid
   ones: 4 experiments on 3 ranks need 1 group, whose three ranks run one experiment after another.
   With several groups, errors are those of groups (error.h): told once if all groups bring them to
   HgExperimentsTell() or to the end of the program; otherwise the first one ends the job.
   Collective. Errors: the number of groups does not divide ranks and experiments. */
PetscErrorCode HgExperimentsCreate(MPI_Comm comm, int count, int groups,
                                   HgExperiments *experiments);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgExperimentsDestroy(HgExperiments *experiments);

/* The calling rank's group. */
typedef struct {
  int number, count; /* number of this group, from 0; number of groups */
  MPI_Comm comm;     /* its ranks: what its mesh is made of */
  MPI_Comm across;   /* the ranks with the same patch: rank g is of group g */
} HgGroup;

/* The calling rank's group; borrowed. Not collective. */
const HgGroup *HgExperimentsGroup(HgExperiments experiments);

/* Ends work that groups did apart; `ierr` is the calling rank's result. If it is an error on some
   rank, it is told once (error.h), and all ranks return it. If others do not come within the
   patience of a group that has failed, being in long experiments, the job ends. Collective. */
PetscErrorCode HgExperimentsTell(HgExperiments experiments, PetscErrorCode ierr);

/* Chooses the experiments that count from now on, mini-batch n = 0, 1, ...: J(m) = count / size
   times the sum over `size` of them, an estimate of the whole; size 0: all of them. Every epoch of
   count / size (rounded down) mini-batches deals all experiments in a new order, so none comes
   twice in an epoch. The same on every rank: a function of size, seed and n. Collective. Error:
   size out of range. */
PetscErrorCode HgExperimentsDraw(HgExperiments experiments, int size, uint64_t seed, long n);

/* path[size] = `pattern`, the value of `option`, with %d replaced by the number of the experiment.
   Collective. Error: no %d. */
PetscErrorCode HgExperimentsFile(const char option[], const char pattern[], int experiment,
                                 size_t size, char path[]);

/* J(m) as a functional on the group's mesh. parts[e] is the functional J_e, NULL if this group
   never runs it. Becomes an owner of the parts and borrows `experiments`. An error of one group
   ends the evaluation on all groups, or the job: HgExperimentsTell(). Collective. Errors: a part
   with other controls; while evaluating: a part that is NULL. */
PetscErrorCode HgExperimentsFunctional(HgExperiments experiments, HgOperator parts[],
                                       HgOperator *functional);

#endif
