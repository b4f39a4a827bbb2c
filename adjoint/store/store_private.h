/* The inside of a store, for adjoint/store/store*.c only. */
#ifndef HALOGRAD_STORE_PRIVATE_H
#define HALOGRAD_STORE_PRIVATE_H

#include <halograd/store.h>

/* What a kind of store does; slot numbers and steps have been checked before. */
typedef struct {
  HgState (*slot)(void *self, int slot);
  PetscErrorCode (*put)(void *self, int slot, long step, HgState q);
  PetscErrorCode (*get)(void *self, int slot, long step, HgState scratch, HgState *q);
  void (*bytes)(void *self, size_t *memory, size_t *files);
  PetscErrorCode (*destroy)(void *self);
} HgStoreTable;

/* A store of `slots` empty slots that hands `self` to the functions of `table` and owns it. */
PetscErrorCode HgStoreCreate(MPI_Comm comm, int slots, const HgStoreTable *table, void *self,
                             HgStore *store);

/* What the ranks of this machine ask for together, and the least that one of them says there is.
   Collective. */
PetscErrorCode HgStoreOnMachine(MPI_Comm comm, double own, double there, double *wanted,
                                double *least);

/* Where its files are, for HgStoreCreateLike(). */
enum { HG_STORE_DIRECTORY = 4096 };

void HgStoreSetDirectory(HgStore store, const char directory[]);

#endif
