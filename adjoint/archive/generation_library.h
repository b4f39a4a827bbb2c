/* SPDX-License-Identifier: BSD-2-Clause */
/* A generation: states on disk that are there as a whole or not at all, for rooms that stand inside
   this one (evaluations of an inversion, steps of a recording).

     STEM-rank-R.h5, or STEM-NAME-rank-R.h5   an image (image_library.h) of each state and rank
     STEM.txt                                 the manifest, written after them:
                                                "halograd", what it is, and the format's number
                                                its owner's line, and how many images there are
                                                of each image range, size, XXH3 digest and name
                                                end, and the digest of all this

   Every file is written under another name, synced, and renamed: what is killed leaves whole
   generations. Any number of ranks reads them, and no byte reaches HDF5 before its digest has been
   compared. */
#ifndef HG_GENERATION_LIBRARY_H
#define HG_GENERATION_LIBRARY_H

#include <halograd/image_library.h>

enum {
  HG_GENERATION_FORMAT = 2, /* of manifests and images */
  HG_GENERATION_STATES = 4, /* at most */
  HG_GENERATION_LINE = 160,
  HG_GENERATION_NAME = 48,
  HG_GENERATION_STEM = PETSC_MAX_PATH_LEN - 64
};

/* What all generations of a series have in common. */
typedef struct {
  const char *title; /* a word: "evaluation" */
  int states;
  const char *name[HG_GENERATION_STATES]; /* in the names of files; "": not named */
  const bool *kept[HG_GENERATION_STATES]; /* [variables of the state]; NULL: all */
} HgGenerationKind;

/* ---- writing ---- */
typedef struct HgGeneration_s *HgGeneration;

/* For generations of states like `pattern`. `kind` is copied, `title` and `name` are borrowed.
   Collective. Errors: those of HgImageCreate(). */
PetscErrorCode HgGenerationCreate(const HgGenerationKind *kind, const HgState pattern[],
                                  HgGeneration *generation);
PetscErrorCode HgGenerationDestroy(HgGeneration *generation);

/* Bytes of this rank's images of one generation. */
size_t HgGenerationBytes(HgGeneration generation);

/* Called before row j of variable k of `state` number `state` (ghosts, if kept, are rows, too) is
   read in order to be written: what it reads of the row is read once. Rows of a field come from
   south to north. */
typedef void HgGenerationRowFn(void *context, int state, int k, int j);

typedef struct {
  HgGenerationRowFn *row;
  void *context;
} HgGenerationReader;

/* Writes `state`s after `step` steps under `stem`, with `line` in the manifest (one line, no more
   than HG_GENERATION_LINE - 1 bytes). Not `sync`: a power cut may take what a kill leaves.
   `reader`: sees the rows as they are written; may be NULL. Collective. Errors: not writable, no
   space: there is no such generation then. */
PetscErrorCode HgGenerationWrite(HgGeneration generation, const char stem[], const char line[],
                                 long step, const HgState state[], bool sync,
                                 const HgGenerationReader *reader);

/* ---- reading ---- */

/* One image: the patch (global i0, i1, j0, j1) whose cells it has; what its file is called behind
   the stem. */
typedef struct {
  int patch[4];
  unsigned long long bytes, digest;
  char name[HG_GENERATION_NAME];
} HgPiece;

/* Of rank `rank` and state number `state`. */
void HgGenerationName(const HgGenerationKind *kind, int state, int rank,
                      char name[HG_GENERATION_NAME]);

/* What a manifest says. */
typedef struct {
  char title[16], line[HG_GENERATION_LINE];
  int format; /* 0: not known, as the digest is wrong */
  int states, ranks;
  HgPiece *piece; /* [states * ranks], state by state */
} HgManifest;

/* Is there a manifest? Collective. */
PetscErrorCode HgManifestFind(MPI_Comm comm, const char stem[], bool *found);

/* Reads it. `kind` NULL: of any kind, its images as those of one state. Collective. Errors:
   missing; not what was written (named); of another version of the format. */
PetscErrorCode HgManifestRead(MPI_Comm comm, const HgGenerationKind *kind, const char stem[],
                              HgManifest *manifest);
PetscErrorCode HgManifestDestroy(HgManifest *manifest);

/* Ranks share the images out and compare size and digest. Collective. Error: one is missing or not
   what was written (named). */
PetscErrorCode HgGenerationVerify(MPI_Comm comm, const char stem[], const HgManifest *manifest);

/* *bytes: one verified image, to be freed by PetscFree(). Not collective. Errors: as for Verify. */
PetscErrorCode HgGenerationBytesOf(const char stem[], const HgManifest *manifest, int state,
                                   int rank, char **bytes);

/* Prints the generations in `directory`, a line for each that begins with `indent`, and verifies
   them: those whose manifest is called NAME-NUMBER.txt, by name and number. *count: how many there
   are; *bytes: of all images. Collective. Error: a damaged one (the first is named), once all are
   printed. */
PetscErrorCode HgGenerationsList(MPI_Comm comm, const char directory[], PetscViewer viewer,
                                 int *count, double *bytes);

/* Owned cells and arrays of `q`, the state number `state` after `step` steps, on any ranks; no
   ghosts are valid then. Collective. Errors: as for Verify; no state of such variables. */
PetscErrorCode HgGenerationRead(const char stem[], const HgManifest *manifest, int state, long step,
                                HgState q);

#endif
