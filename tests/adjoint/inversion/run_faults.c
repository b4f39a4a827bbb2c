/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: wherever memory, a write, an fsync, a rename or a lock fails on one rank, a run says so in
   one sentence on all ranks or does without, loses nothing that was whole, and the next run has the
   same bits. */
#include "faults.h"
#include "heat_case.h"
#include <dirent.h>
#include <halograd/file_library.h>
#include <halograd/inversion_library.h>
#include <halograd/picture.h>
#include <halograd/report_library.h>
#include <halograd/results.h>
#include <halograd/state_library.h>
#include <unistd.h>

static char folder[64];
static const HeatSpec spec = {
    .nx = 6, .ny = 4, .steps = 3, .snapshot = true, .in_files = true, .slots = 2};

/* Everything that a run makes and that the next one finds. */
typedef struct {
  HeatCase heat;
  HgObservations *observations;
  HgJournal journal;
  HgResults results;
  HgReport report;
  HgState gradient, kappa, lamps;
} Run;

/* What comes out of it. */
typedef struct {
  double J[2];
  char gradient[17], kappa[17];
} Outcome;

static const char *in(const char name[]) {
  static char path[96];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static PetscErrorCode observations(Run *run) {
  int found = 0;
  if (!claim.rank) found = !access(in("observations.h5"), F_OK);
  PetscCallMPI(MPI_Bcast(&found, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  if (found)
    PetscCall(HgObservationsRead(PETSC_COMM_WORLD, in("observations.h5"), &run->observations));
  return HgObservationsWrite(PETSC_COMM_WORLD, in("observations.h5"),
                             found ? run->observations : run->heat.sensors, NULL);
}

static PetscErrorCode evaluate(Run *run, Outcome *out) {
  HgState x = run->heat.x;
  PetscCall(HgOperatorCreateInput(run->heat.op, &run->gradient));
  PetscCall(HgJournalCreate(x, MPI_COMM_NULL, in("journal"), &run->journal));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgJournalEvaluate(run->journal, run->heat.op, k, x, &out->J[k], run->gradient));
    PetscCall(HgStateAXPY(x, -1e-3, run->gradient));
  }
  return HgStateDigest(run->gradient, NULL, out->gradient);
}

/* A field and an array, of which results write the numbering, too. */
static PetscErrorCode results(Run *run) {
  const HgVariable variables[] = {{"v", "K", HG_FIELD, 0}, {"lamp", "W", HG_REPLICATED, 3}};
  PetscCall(HgStateCreate(run->heat.mesh, 2, variables, &run->lamps));
  PetscCall(HgResultsCreate(run->heat.mesh, folder, "results", "a plate", &run->results));
  PetscCall(HgResultsWriteConstant(run->results, run->heat.x, "kappa", NULL, NULL));
  for (int n = 0; n < 2; n++) PetscCall(HgResultsWrite(run->results, n, run->lamps, NULL));
  return HgResultsClose(&run->results);
}

static PetscErrorCode pictures(Run *run, const Outcome *out) {
  const HgPanel panel = {.title = "kappa", .state = run->heat.x, .field = "kappa"};
  PetscCall(HgPictureWrite(PETSC_COMM_WORLD, folder, "picture", 1, &panel));
  PetscCall(HgReportCreate(PETSC_COMM_WORLD, "faults", &run->report));
  PetscCall(HgReportSetReal(run->report, "J", out->J[1]));
  return HgReportWrite(run->report, folder, "done");
}

static PetscErrorCode work(Run *run, Outcome *out) {
  PetscCall(HgDirectoryCreate(PETSC_COMM_WORLD, folder));
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &run->heat));
  PetscCall(observations(run));
  PetscCall(evaluate(run, out));
  PetscCall(results(run));
  PetscCall(pictures(run, out));
  PetscCall(HgProgramCreateConstants(run->heat.program, &run->kappa));
  PetscCall(HgFieldRead(run->kappa, "kappa", in("results.h5"), "kappa"));
  return HgStateDigest(run->kappa, NULL, out->kappa);
}

/* One run, which finds what an earlier one left, but for the last evaluation, which it computes;
   and the end of it, which a program that failed leaves to HgFinalize(). */
static PetscErrorCode run_once(void *context) {
  Outcome *out = context;
  Run run = {.journal = NULL};
  *out = (Outcome){.J = {0, 0}};
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(claim_clear(in("journal/evaluation-1.txt")));
  const PetscErrorCode ierr = work(&run, out);
  HgFaultClear();
  PetscCall(HgReportDestroy(&run.report));
  PetscCall(HgResultsDestroy(&run.results));
  PetscCall(HgJournalDestroy(&run.journal));
  PetscCall(DESTROY(&run.observations, &run.gradient, &run.kappa, &run.lamps));
  PetscCall(heat_destroy(&run.heat));
  return ierr;
}

/* Temporary files in `path` and below. */
static int remains(const char path[]) {
  int found = 0;
  DIR *list = opendir(path);
  for (struct dirent *e; list && (e = readdir(list));) {
    char below[512];
    if (e->d_name[0] == '.') continue;
    const char *end = strrchr(e->d_name, '.');
    found += end && (!strcmp(end, ".tmp") || !strcmp(end, ".part"));
    snprintf(below, sizeof below, "%.200s/%.200s", path, e->d_name);
    found += remains(below);
  }
  if (list) closedir(list);
  return found;
}

/* What an earlier run completed is there, whole. */
static PetscErrorCode require_whole(const char what[]) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  HeatCase heat;
  HgObservations *read;
  HgJournal journal;
  char *text;
  size_t size;
  PetscCall(heat_create(comm, &spec, &heat));
  PetscCall(HgObservationsRead(comm, in("observations.h5"), &read));
  PetscCall(HgObservationsDestroy(&read));
  PetscCall(HgFieldRead(heat.x, "kappa", in("results.h5"), "kappa"));
  PetscCall(HgJournalCreate(heat.x, MPI_COMM_NULL, in("journal"), &journal));
  claim_that(HgJournalFound(journal) >= 1, "%s: the first evaluation is lost", what);
  PetscCall(HgJournalDestroy(&journal));
  PetscCall(HgFileReadAll(comm, in("run.json"), 1 << 20, &text, &size));
  claim_that(size > 3 && !strcmp(text + size - 2, "}\n"), "%s: run.json is cut", what);
  PetscCall(PetscFree(text));
  PetscCall(HgFileReadAll(comm, in("picture.png"), 1 << 20, &text, &size));
  claim_that(size > 12 && !memcmp(text + size - 8, "IEND", 4), "%s: the picture is cut", what);
  PetscCall(PetscFree(text));
  PetscCall(heat_destroy(&heat));
  if (!claim.rank)
    claim_that(!remains(folder) && !remains("test_slots"), "%s leaves temporary files", what);
  return MPI_Barrier(comm);
}

static Outcome expected;

static void require_same(const Outcome *out, const char what[]) {
  for (int k = 0; k < 2; k++) claim_same(out->J[k], expected.J[k], "%s: J of %d", what, k);
  claim_that(!strcmp(out->gradient, expected.gradient), "%s: another gradient", what);
  claim_that(!strcmp(out->kappa, expected.kappa), "%s: another kappa", what);
}

static PetscErrorCode check(void *out, bool failed, const char what[]) {
  if (!failed) require_same(out, what);
  return require_whole(what);
}

static PetscErrorCode test(void) {
  Outcome out;
  const int ranks = claim.ranks;
  snprintf(folder, sizeof folder, "faults_%d", ranks);
  PetscCall(claim_clear(folder));
  PetscCall(claim_clear("test_slots"));
  /* each run has the same schedule, and meets the same points */
  PetscCall(PetscOptionsSetValue(NULL, "-hg_file_cost", "1"));
  PetscCall(run_once(&expected));
  for (int k = 0; k < HG_FAULT_EXCHANGE; k++) {
    PetscCall(faults_try((HgFaultKind)k, run_once, check, &out));
    PetscCall(run_once(&out));
    require_same(&out, "the run after the failures");
  }
  return 0;
}

CLAIM("a failure on one rank is one sentence on all, and nothing whole is lost", 0, test)
