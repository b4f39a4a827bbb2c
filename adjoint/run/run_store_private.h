/* Where the checkpoints of a run are kept: so many slots, or as many as a budget of bytes holds. */
#ifndef HALOGRAD_RUN_STORE_PRIVATE_H
#define HALOGRAD_RUN_STORE_PRIVATE_H

#include <halograd/run.h>

/* -slots -store -memory_slots -checkpoint_memory -checkpoint_disk; collective, as HgOptions is. */
PetscErrorCode HgRunStoreDeclare(HgOptions options, HgCommon *common);

/* What they say together, once HgOptionsEnd() has read them. Collective. Errors: options that
   exclude each other. */
PetscErrorCode HgRunStoreCheck(HgOptions options, HgCommon *common);

/* The store of a trajectory of `program`. Collective. Errors: a budget below one state; those of
   store.h. */
PetscErrorCode HgRunStoreCreate(MPI_Comm comm, HgProgram program, const HgCommon *common,
                                HgStore *store);

#endif
