/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings made by tests. */
#ifndef HALOGRAD_TEST_RECORDED_H
#define HALOGRAD_TEST_RECORDED_H

#include "trajectory_claims.h"
#include <halograd/file_library.h>
#include <halograd/recorder_library.h>
#include <halograd/recording_library.h>

/* The gradient of `op`, which is that of `trajectory`, recorded in `directory`; its fingerprint. */
static inline PetscErrorCode record_gradient(HgTrajectory trajectory, HgOperator op, HgState x,
                                             const HgRecorderSpec *spec, const char directory[],
                                             char text[256]) {
  HgRecorder recorder;
  PetscCall(HgRecorderCreate(trajectory, spec, &recorder));
  PetscErrorCode ierr = HgRecorderArm(recorder, directory);
  if (!ierr) ierr = fingerprint(op, x, trajectory, text);
  PetscCall(HgRecorderDestroy(&recorder));
  return ierr;
}

/* The bytes of a file of a recording, on all ranks of `comm`. */
static inline PetscErrorCode recorded_text(MPI_Comm comm, const char directory[], const char name[],
                                           char **text) {
  char path[256];
  size_t size;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return HgFileReadAll(comm, path, 1 << 24, text, &size);
}

#endif
