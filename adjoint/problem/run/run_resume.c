/* SPDX-License-Identifier: BSD-2-Clause */
/* -resume: inversions that were killed go on, and gradients inside of them; and whose evaluations
   are kept, a digest of J without computing any. */
#include <halograd/file_library.h>
#include <halograd/inversion_library.h>
#include <halograd/run_library.h>
#include <halograd/state_library.h>
#include <string.h>
#include <xxhash.h>

static const char slow[] = "; -record_interval 0 writes where a gradient is whenever a block of "
                           "steps ends, which can make "
                           "the run a hundred times slower";

PetscErrorCode HgRunResumeDeclare(HgRun run) {
  const HgOptions o = run->options;
  static const char *const more[] = {"-record_interval", "-resume_compare"};
  PetscCall(HgOptionsFlag(o, "-resume",
                          "keep every evaluation in the output folder and continue from those "
                          "found there, even inside a gradient",
                          &run->resume.wanted));
  PetscCall(HgOptionsReal(o, "-record_interval",
                          "with -resume, time between two records inside a gradient (0: after "
                          "every block of steps, which is many times slower)",
                          "s", "[0, inf)", &run->resume.interval));
  PetscCall(HgOptionsInt(o, "-resume_compare",
                         "evaluations found by -resume that are computed again and compared", "", 0,
                         2, &run->resume.compared));
  for (int k = 0; k < 2; k++)
    HgRequire(PETSC_COMM_WORLD, run->resume.wanted || !HgOptionsGiven(o, more[k]),
              HG_ERR_OPTION_CONFLICT, "option %s: given without -resume, expected both", more[k]);
  return 0;
}

PetscErrorCode HgRunKeepGradients(HgWatched *w) {
  const HgRun run = w->run;
  char group[32], path[HG_PATH_SIZE + 64];
  if (!run->resume.wanted) return 0;
  HgRunGroup(run, sizeof group, group);
  snprintf(path, sizeof path, "%s/evaluations/gradient%s", run->output, group);
  return HgRestartCreate(w->trajectory,
                         &(HgRestartSpec){.directory = path, .interval = run->resume.interval},
                         &w->restart);
}

/* ---- stages: the inversions of a run, one after another ---- */
PetscErrorCode HgRunStagesDestroy(HgRun run) {
  for (HgInversionStage *s = run->stage, *before; s; s = before) {
    before = s->before;
    PetscCall(PetscFree(s));
  }
  return 0;
}

static bool has(HgRun run, const char name[]) {
  for (const HgInversionStage *s = run->stage; s; s = s->before)
    if (!strcmp(s->name, name)) return true;
  return false;
}

static PetscErrorCode add(HgRun run, const char name[], bool apart) {
  HgInversionStage *s;
  PetscCall(PetscNew(&s));
  s->apart = apart, s->before = run->stage;
  PetscCall(PetscStrncpy(s->name, name, sizeof s->name));
  run->stage = s;
  return 0;
}

PetscErrorCode HgRunStage(HgRun run, const char name[], bool apart) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  const MPI_Comm comm = PETSC_COMM_WORLD;
  const size_t length = strlen(name);
  HgRequire(comm, length > 0 && length < HG_RUN_STAGE_NAME && strspn(name, letters) == length,
            HG_ERR_ARGUMENT,
            "stage '%s': expected a name of 1 to %d letters, digits, '-', '_' or '.'", name,
            HG_RUN_STAGE_NAME - 1);
  HgRequire(comm, !has(run, name), HG_ERR_ARGUMENT,
            "stage '%s': this run has one of that name, expected another name", name);
  HgRequire(comm, !run->stage || run->stage->begun, HG_ERR_CALL_ORDER,
            "stage '%s': stage '%s' has no inversion yet, expected HgProblemInvert()", name,
            run->stage->name);
  return add(run, name, apart);
}

/* *stage: of the inversion that begins. If it has no name, it gets the next free number. */
static PetscErrorCode begin_stage(HgRun run, const HgInversionStage **stage) {
  char number[16];
  int count = 1;
  for (const HgInversionStage *s = run->stage; s; s = s->before) count++;
  do snprintf(number, sizeof number, "%d", count++);
  while (has(run, number));
  if (!run->stage) PetscCall(add(run, "", false));
  else if (run->stage->begun) PetscCall(add(run, number, false));
  run->stage->begun = true;
  *stage = run->stage;
  return 0;
}

/* ---- whose evaluations they are ---- */

/* An arbitrary point, the same on any decomposition, for a regularisation without a minimum. */
static PetscErrorCode make_up(HgState m) {
  for (int k = 0; k < HgStateCount(m); k++) {
    const char *const name = HgStateVariable(m, k)->name;
    PetscCall(HgStateSetConstant(m, name, 1.0625));
    if (HgIsField(HgStateVariable(m, k))) PetscCall(HgStateAddNoise(m, name, 0.1, 1));
  }
  return 0;
}

/* *sum += its digest. The order does not matter: groups have different trajectories. */
static PetscErrorCode add_trajectory(void *sum, HgTrajectory trajectory, HgState x) {
  char key[17];
  PetscCall(HgRestartDigest(trajectory, x, key));
  *(uint64_t *)sum += XXH3_64bits(key, strlen(key));
  return 0;
}

/* The digest of J and gradient of the regularisation, which has no trajectory. The same in all
   groups. */
static PetscErrorCode regularisation_digest(HgOperator R, HgState m, char digest[64]) {
  HgState gradient;
  double J;
  char bits[17];
  strcpy(digest, "none");
  if (!R) return 0;
  PetscCall(HgOperatorCreateGradient(R, &gradient));
  PetscCall(HgOperatorGradient(R, m, &J, gradient));
  PetscCall(HgStateDigest(gradient, NULL, bits));
  snprintf(digest, 64, "%a %s", J, bits);
  return HgStateDestroy(&gradient);
}

static PetscErrorCode key_at(HgInversion inversion, MPI_Comm across, HgState m, char text[128]) {
  uint64_t sum = 0;
  char R[64];
  PetscCall(make_up(m));
  PetscCall(HgRunEachTrajectory(HgInversionFunctional(inversion), m, add_trajectory, &sum));
  PetscCall(regularisation_digest(HgInversionPart(inversion), m, R));
  if (across != MPI_COMM_NULL)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, across));
  snprintf(text, 128, "halograd functional 1\ntrajectories %016llx\nregularisation %s\n",
           (unsigned long long)sum, R);
  return 0;
}

/* *other: the file `path` has another text. */
static PetscErrorCode compare(MPI_Comm comm, const char path[], const char text[], bool *other) {
  char *kept;
  size_t size;
  PetscCall(HgFileReadAll(comm, path, 4096, &kept, &size));
  *other = size != strlen(text) || memcmp(kept, text, size);
  return PetscFree(kept);
}

/* Checks that the `found` evaluations of `inversion` in `directory` are of the same J: programs,
   data, steps and regularisation. Compares a digest with the one in functional.txt, or writes it if
   none were found or there is none. Collective, over `across` too. Error: another J. */
static PetscErrorCode check_key(HgInversion inversion, MPI_Comm across, const char directory[],
                                int found) {
  char path[HG_FILE_PATH], text[128];
  bool there, other = false;
  int group = 0;
  HgState m;
  PetscCall(HgOperatorCreateInput(HgInversionFunctional(inversion), &m));
  const MPI_Comm comm = HgMeshComm(HgStateMesh(m));
  PetscCall(key_at(inversion, across, m, text));
  PetscCall(HgStateDestroy(&m));
  snprintf(path, sizeof path, "%s/functional.txt", directory);
  PetscCall(HgFileFind(comm, path, &there));
  if (found && there) PetscCall(compare(comm, path, text, &other));
  HgRequire(comm, !other, HG_ERR_FILE_MISMATCH,
            "option -resume: the %d evaluations in '%s' are of another J: expected the options, "
            "data and precision of the run that was killed, or another -output",
            found, directory);
  if (across != MPI_COMM_NULL) {
    PetscCallMPI(MPI_Comm_rank(across, &group));
    PetscCallMPI(MPI_Barrier(across)); /* all have looked */
  }
  if (group || (found && there)) return 0;
  return HgFileWrite(comm, path, text, strlen(text));
}

PetscErrorCode HgRunResume(HgRun run, HgInversion inversion) {
  char group[32], path[HG_PATH_SIZE + 64 + HG_RUN_STAGE_NAME];
  const HgInversionStage *s = NULL;
  int found;
  PetscCall(begin_stage(run, &s));
  if (!run->resume.wanted) return 0;
  HgRunGroup(run, sizeof group, group);
  snprintf(path, sizeof path, "%s/evaluations%s%s%s", run->output, *s->name ? "/stage-" : "",
           s->name, s->apart ? group : "");
  const MPI_Comm across =
      *group && !s->apart ? HgExperimentsGroup(run->experiments)->across : MPI_COMM_NULL;
  PetscCall(HgInversionSetJournal(inversion, across, path, &found));
  PetscCall(HgInversionSetCompared(inversion, run->resume.compared));
  HgRunSuspend(run, true);
  PetscCall(check_key(inversion, across, path, found));
  HgRunSuspend(run, false);
  if (run->record.found < 0) run->record.found = found;
  return PetscPrintf(PETSC_COMM_WORLD, "resume: %d evaluations found in %s%s\n", found, path,
                     run->resume.interval > 0 ? "" : slow);
}
