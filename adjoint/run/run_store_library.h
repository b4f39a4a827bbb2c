/* Where the checkpoints of a run are kept: so many slots, or as many as a budget of bytes holds. */
#ifndef HG_RUN_STORE_LIBRARY_H
#define HG_RUN_STORE_LIBRARY_H

#include <halograd/run.h>

/* -slots -store -memory_slots -checkpoint_memory -checkpoint_disk; collective, as HgOptions is. */
PetscErrorCode HgRunStoreDeclare(HgOptions options, HgCommon *common);

/* What they say together, once HgOptionsEnd() has read them. Collective. Errors: options that
   exclude each other. */
PetscErrorCode HgRunStoreCheck(HgOptions options, HgCommon *common);

/* Error: one of them was given to a run that reverses nothing. */
PetscErrorCode HgRunStoreRefuse(HgOptions options);

/* The stores of a run, for each mesh and list of carried variables; NULL: none. */
typedef struct HgRunStore_s *HgRunStore;

/* *store: one for states as `program` carries them with as many slots as `common` asks for, in
   memory and in files, or more; made if it is not there. Collective. Errors: a budget below one
   state; those of store.h. */
PetscErrorCode HgRunStoreOf(HgRunStore *stores, MPI_Comm comm, HgProgram program,
                            const HgCommon *common, HgStore *store);
PetscErrorCode HgRunStoresDestroy(HgRunStore *stores);

#endif
