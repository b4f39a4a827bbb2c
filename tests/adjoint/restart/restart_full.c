/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: wherever a disk is full, or fsync or a rename fails, on one rank, while a gradient under
   way is kept, the run ends with one sentence on all ranks, no generation that was whole is lost,
   and the next run goes on from the newest with the same bits. */
#include "faults.h"
#include "heat_case.h"
#include <dirent.h>
#include <halograd/restart_library.h>

enum { STEPS = 5, FEW = 2, LEAST = 40 /* full disks */ };

static const char folder[] = "full";

static struct {
  char expected[256];
  long whole; /* generations written before the fault */
  int tried[HG_FAULTS], refused[HG_FAULTS];
} seen;

static HgFaultKind kind;

static PetscErrorCode gradient(bool kept, long *written, HgMode *sweep, char text[256]) {
  const HeatSpec spec = {.nx = 7,
                         .ny = 6,
                         .steps = kind == HG_FAULT_WRITE ? STEPS : FEW,
                         .conservative = true,
                         .snapshot = true,
                         .slots = 2};
  HeatCase c;
  HgRestart restart = NULL;
  long n;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  if (kept)
    PetscCall(HgRestartCreate(
        c.trajectory,
        &(HgRestartSpec){.directory = folder, .interval = 0, .unsynced = kind != HG_FAULT_FSYNC},
        &restart));
  const PetscErrorCode ierr = fingerprint(c.op, c.x, c.trajectory, text);
  if (kept) HgRestartWentOn(restart, sweep, &n);
  if (kept) *written = HgRestartWritten(restart);
  PetscCall(HgRestartDestroy(&restart));
  PetscCall(heat_destroy(&c));
  return ierr;
}

static PetscErrorCode work(void *unused) {
  HgMode sweep;
  char text[256];
  (void)unused;
  return gradient(true, &seen.whole, &sweep, text);
}

/* Texts in the folder: generations that count. */
static PetscErrorCode count_texts(int *count) {
  *count = 0;
  DIR *const list = claim.rank ? NULL : opendir(folder);
  for (struct dirent *e; list && (e = readdir(list));)
    *count += strlen(e->d_name) > 4 && !strcmp(e->d_name + strlen(e->d_name) - 4, ".txt");
  if (list) closedir(list);
  PetscCallMPI(MPI_Bcast(count, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  return 0;
}

static PetscErrorCode check(void *unused, bool failed, const char what[]) {
  HgMode sweep = HG_NO_MODE;
  long written;
  int texts;
  char text[256];
  (void)unused;
  seen.tried[kind]++, seen.refused[kind] += failed;
  if (!failed) return 0;
  PetscCall(count_texts(&texts));
  claim_that(texts >= (seen.whole > 1 ? 2 : (int)seen.whole),
             "%s: %ld generations were whole, %d are left", what, seen.whole, texts);
  PetscCall(gradient(true, &written, &sweep, text));
  claim_that((sweep != HG_NO_MODE) == (texts > 0), "%s: the next run goes on in sweep %d from %d",
             what, (int)sweep, texts);
  claim_that(!strcmp(text, seen.expected), "%s: the next run has '%s', expected '%s'", what, text,
             seen.expected);
  PetscCall(count_texts(&texts));
  claim_that(!texts, "%s: %d generations are left of a gradient that is through", what, texts);
  return 0;
}

static PetscErrorCode test(void) {
  HgMode sweep;
  static const HgFaultKind kinds[] = {HG_FAULT_WRITE, HG_FAULT_FSYNC, HG_FAULT_RENAME};
  PetscCall(set_option("-hg_time_block", 1));
  for (int k = 0; k < 3; k++) {
    kind = kinds[k];
    PetscCall(gradient(true, &seen.whole, &sweep, seen.expected)); /* of a test that was killed */
    PetscCall(gradient(false, NULL, NULL, seen.expected));
    PetscCall(faults_try(kind, work, check, NULL));
    claim_that(seen.refused[kind] == seen.tried[kind] - 1, "%s: %d of %d are refused",
               HgFaultName(kind), seen.refused[kind], seen.tried[kind] - 1);
  }
  claim_that(seen.refused[HG_FAULT_WRITE] >= LEAST, "%d full disks, expected at least %d",
             seen.refused[HG_FAULT_WRITE], LEAST);
  return 0;
}

CLAIM("a full disk loses no generation that was whole", 0, test)
