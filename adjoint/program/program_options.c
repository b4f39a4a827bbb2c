/* SPDX-License-Identifier: BSD-2-Clause */
/* How a program is to be run, as its options say. */
#include "program_private.h"
#include <halograd/options_library.h>
#include <stdlib.h>
#include <string.h>

/* Threads that share a rank's patch: -hg_threads, or OMP_NUM_THREADS. The default is one, as there
   may be a rank on every core. */
static PetscErrorCode read_threads(HgProgram p) {
  const char *const from_environment = getenv("OMP_NUM_THREADS");
  const MPI_Comm comm = HgMeshComm(p->mesh);
  PetscBool given;
  char *end = NULL;

  enum { MOST = 1024 };

  p->threads = 1;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-hg_threads", &given));
  PetscCall(HgOptionReadInt(comm, "-hg_threads", 1, MOST, &p->threads));
  if (!given) { /* ranks may have environments of their own */
    const bool told = from_environment && from_environment[0];
    const long threads = told ? strtol(from_environment, &end, 10) : 1;
    const bool wrong = threads < 1 || threads > MOST || (told && *end != 0 && *end != ',');
    PetscCall(HgAgree(comm, wrong, HG_ERR_ENVIRONMENT,
                      "environment OMP_NUM_THREADS: '%s', expected 1 to %d", from_environment,
                      MOST));
    p->threads = (int)threads;
  }
#if !defined(_OPENMP)
  HgRequire(comm, !given || p->threads == 1, HG_ERR_OPTION_CONFLICT,
            "option -hg_threads: %d given, but halograd was built without OpenMP", p->threads);
  p->threads = 1;
#endif
  return 0;
}

static PetscErrorCode read_reverse(HgProgram p) {
  static const char *const ways[] = {"cheaper", "start", "stored", "single"};
  char text[16] = "cheaper";
  int k = 0;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-hg_reverse", text, sizeof text, NULL));
  while (k < 4 && strcmp(text, ways[k])) k++;
  HgRequire(HgMeshComm(p->mesh), k < 4, HG_ERR_OPTION_RANGE,
            "option -hg_reverse: '%s' given, expected cheaper, start, stored or single", text);
  p->blocks->reverse = (HgReverse)k;
  return 0;
}

/* Reads the options of running a program; docs/design.md lists them. */
PetscErrorCode HgProgramReadOptions(HgProgram p) {
  enum { MOST = 1 << 30 };

  const MPI_Comm comm = HgMeshComm(p->mesh);
  PetscBool given, fuse;
  p->hides_messages = true, p->blocks->most = HG_TIME_BLOCK_STEPS;
  if (!p->dual) p->fuse = true; /* a dual is planned as its program is */
  PetscCall(HgOptionReadFlag(comm, "-hg_overlap", &p->hides_messages));
  PetscCall(HgOptionReadFlag(comm, "-hg_fuse", &p->fuse));
  PetscCall(HgOptionReadInt(comm, "-hg_tile_rows", 0, MOST, &p->tile_rows));
  PetscCall(HgOptionReadInt(comm, "-hg_tile_columns", 0, MOST, &p->tile_columns));
  PetscCall(HgOptionReadInt(comm, "-hg_tile_levels", 0, MOST, &p->tile_levels));
  PetscCall(HgOptionReadInt(comm, "-hg_time_block", 1, HG_TIME_BLOCK_MOST, &p->blocks->most));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-hg_time_block", &given));
  p->blocks->given = given, p->blocks->back_most = p->blocks->most;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-hg_fuse", &fuse));
  p->blocks->open = !given && !fuse;
  PetscCall(read_reverse(p));
  PetscCall(read_threads(p));
  return HgCacheRead(comm, &p->cache);
}
