/* SPDX-License-Identifier: BSD-2-Clause */
/* A generation: states on disk that are there completely or not at all, such as an evaluation of an
   inversion or a step of a recording.

     STEM-rank-R.h5, or STEM-NAME-rank-R.h5   an image (image_library.h) of each state and rank
     STEM.txt                                 the manifest, written after them:
                                                "halograd", what it is, and the format's number
                                                its owner's line, and how many images there are
                                                of each image range, size, XXH3 digest and name
                                                end, and the digest of all this

   Every file is written under another name, synced, and renamed: a killed run leaves complete
   generations. Any number of ranks can read them. No byte reaches HDF5 before its digest has been
   checked. */
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

/* What the generations of a series have in common. */
typedef struct {
  const char *title; /* a word: "evaluation" */
  int states;
  const char *name[HG_GENERATION_STATES]; /* for names of files; "": not named */
  const bool *kept[HG_GENERATION_STATES]; /* [variables of the state]; NULL: all */
} HgGenerationKind;

/* ---- writing ---- */
typedef struct HgGeneration_s *HgGeneration;

/* Prepares generations of states like `pattern`. `kind` is copied; its `title` and `name` are
   borrowed. Collective. Errors: those of HgImageCreate(). */
PetscErrorCode HgGenerationCreate(const HgGenerationKind *kind, const HgState pattern[],
                                  HgGeneration *generation);
PetscErrorCode HgGenerationDestroy(HgGeneration *generation);

/* Bytes of this rank's images of one generation. */
size_t HgGenerationBytes(HgGeneration generation);

/* Writes the states after `step` steps under `stem`, with `line` in the manifest (one line of at
   most HG_GENERATION_LINE - 1 bytes). Without `sync` it survives a kill, but perhaps not a power
   cut. measuring[k], unless it or `measuring` is NULL, measures state k as it is written.
   Collective. Errors, which leave no such generation: not writable; no space. */
PetscErrorCode HgGenerationWrite(HgGeneration generation, const char stem[], const char line[],
                                 long step, const HgState state[], bool sync,
                                 const HgMeasuring measuring[]);

/* ---- reading ---- */

/* One image: its patch (global i0, i1, j0, j1), and its file's name after the stem. */
typedef struct {
  int patch[4];
  unsigned long long bytes, digest;
  char name[HG_GENERATION_NAME];
} HgPiece;

/* The name of the image of rank `rank` and state number `state`. */
void HgGenerationName(const HgGenerationKind *kind, int state, int rank,
                      char name[HG_GENERATION_NAME]);

/* The contents of a manifest. */
typedef struct {
  char title[16], line[HG_GENERATION_LINE];
  int format; /* 0: not known, because the digest is wrong */
  int states, ranks;
  HgPiece *piece; /* [states * ranks], state by state */
} HgManifest;

/* *found: there is a manifest. Collective. */
PetscErrorCode HgManifestFind(MPI_Comm comm, const char stem[], bool *found);

/* Reads a manifest. `kind` NULL: of any kind, with its images as those of one state. Collective.
   Errors: missing; damaged (named); another version of the format. */
PetscErrorCode HgManifestRead(MPI_Comm comm, const HgGenerationKind *kind, const char stem[],
                              HgManifest *manifest);
PetscErrorCode HgManifestDestroy(HgManifest *manifest);

/* Checks size and digest of all images; the ranks share them out. Collective. Error: one is missing
   or damaged (named). */
PetscErrorCode HgGenerationVerify(MPI_Comm comm, const char stem[], const HgManifest *manifest);

/* Verifies the generations in `directory` whose manifests are called NAME-NUMBER.txt and prints a
   line for each, by name and number. *count: how many there are; *bytes: of all images. Collective.
   Error, after all are printed: a damaged one (the first is named). */
PetscErrorCode HgGenerationsList(MPI_Comm comm, const char directory[], PetscViewer viewer,
                                 int *count, double *bytes);

/* Reads state number `state` after `step` steps into owned cells and arrays of `q`, on any ranks;
   afterwards no ghosts are valid. Collective. Errors: as for Verify; a state of other variables. */
PetscErrorCode HgGenerationRead(const char stem[], const HgManifest *manifest, int state, long step,
                                HgState q);

#endif
