/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: what cannot be recorded, read or compared is refused in one sentence on all ranks that
   names it; wherever a write, fsync, rename or lock fails, a recording says so, and what was whole
   stays so; no damage passes. */
#include "faults.h"
#include "heat_case.h"
#include "recorded.h"
#include "shallow_case.h"
#include <halograd/file_library.h>
#include <halograd/trajectory_library.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEPS = 6 };

static const HeatSpec small = {.nx = 9, .ny = 16, .steps = STEPS, .slots = 3};
static HeatCase heat;

static PetscErrorCode record(const HgRecorderSpec *spec, const char directory[]) {
  char text[256];
  return record_gradient(heat.trajectory, heat.op, heat.x, spec, directory, text);
}

static PetscErrorCode list(const char directory[]) {
  HgRecording r;
  PetscViewer nowhere;
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, directory, &r));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", &nowhere));
  const PetscErrorCode ierr = HgRecordingView(r, nowhere);
  PetscCall(PetscViewerDestroy(&nowhere));
  PetscCall(HgRecordingClose(&r));
  return ierr;
}

/* ---- what cannot be recorded ---- */
static PetscErrorCode write_file(const char path[], const char text[]) {
  return HgFileWrite(PETSC_COMM_WORLD, path, text, strlen(text));
}

static PetscErrorCode count_steps(const char directory[], int sweeps, int *steps) {
  char *text;
  *steps = 0;
  PetscCall(recorded_text(PETSC_COMM_WORLD, directory, "steps.csv", &text));
  for (const char *c = text; (c = strstr(c, "\nforward,")); c++) ++*steps;
  claim_that((strstr(text, "\nreverse,") != NULL) == (sweeps == 2), "%s: %d sweeps", directory,
             sweeps);
  return PetscFree(text);
}

static PetscErrorCode specs(void) {
  int steps;
  double J;
  HgRecorder recorder;
  REFUSED(record(&(HgRecorderSpec){.every = 2, .steps = 1}, "spec"), "more than one way");
  REFUSED(record(&(HgRecorderSpec){.steps = 2, .step = {0, 7}}, "spec"), "step 7", "0 to 6");
  REFUSED(record(&(HgRecorderSpec){.every = -3}, "spec"), "every -3", "not negative");
  REFUSED(record(&(HgRecorderSpec){.steps = HG_RECORD_STEPS + 1}, "spec"), "17 listed",
          "at most 16");
  PetscCall(record(&(HgRecorderSpec){.every = LONG_MAX}, "spec"));
  PetscCall(count_steps("spec", 2, &steps));
  claim_that(steps == 2, "every step that is none: %d recorded, expected 2", steps);
  PetscCall(record(&(HgRecorderSpec){.every = 1}, "spec"));
  PetscCall(count_steps("spec", 2, &steps));
  claim_that(steps == STEPS + 1, "every step: %d recorded, expected %d", steps, STEPS + 1);
  /* a value has one sweep; while its trajectory is suspended a recorder waits */
  PetscCall(HgRecorderCreate(heat.trajectory, &(HgRecorderSpec){.every = 3}, &recorder));
  PetscCall(HgRecorderArm(recorder, "spec"));
  const HgTrajectorySuspended before = HgTrajectorySuspend(heat.trajectory);
  PetscCall(HgTrajectoryValue(heat.trajectory, heat.x, &J));
  HgTrajectoryResume(heat.trajectory, &before);
  claim_that(HgRecorderArmed(recorder), "a suspended recorder waits");
  PetscCall(HgTrajectoryValue(heat.trajectory, heat.x, &J));
  claim_that(!HgRecorderArmed(recorder), "a recorder records once");
  PetscCall(count_steps("spec", 1, &steps));
  claim_that(steps == 3, "a value, every third: %d recorded, expected 3", steps);
  char text[256];
  PetscCall(fingerprint(heat.op, heat.x, heat.trajectory, text));
  PetscCall(HgTrajectoryValue(heat.trajectory, heat.x, &J));
  PetscCall(HgRecorderDestroy(&recorder));
  PetscCall(count_steps("spec", 2, &steps)); /* the gradient has taken the value's place */
  return list("spec");
}

static PetscErrorCode folders(void) {
  ShallowCase water;
  const ShallowSpec spec = {.nx = 9, .ny = 16, .steps = 2, .slots = 2};
  const HgRecorderSpec every = {.every = 2};
  char text[256];
  PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &water));
  PetscCall(record(&every, "heat"));
  REFUSED(record_gradient(water.trajectory, water.op, water.x, &every, "heat", text), "'heat'",
          "program 'heat'");
  PetscCall(record_gradient(water.trajectory, water.op, water.x, &every, "water", text));
  PetscCall(shallow_destroy(&water));
  REFUSED(HgRecordingsCompare(PETSC_COMM_WORLD, "heat", "water"), "program");
  REFUSED(HgRecordingsCompare(PETSC_COMM_WORLD, "heat", "nothing"), "'nothing' has none");
  REFUSED(HgRecordingsList(PETSC_COMM_WORLD, "nothing", false),
          "'nothing' has nothing that was kept");
  PetscCall(HgDirectoryCreate(PETSC_COMM_WORLD, "foreign"));
  PetscCall(HgFileRemove(PETSC_COMM_WORLD, "foreign/recording.yaml")); /* of an earlier test */
  PetscCall(write_file("foreign/steps.csv", "mine"));
  REFUSED(record(&every, "foreign"), "foreign/steps.csv", "recording.yaml");
  PetscCall(write_file("foreign/recording.yaml", "mine"));
  REFUSED(record(&every, "foreign"), "foreign/recording.yaml", "not what was written");
  PetscCall(write_file("heat/mine.txt", "mine"));
  PetscCall(record(&every, "heat"));
  claim_that(!access("heat/mine.txt", F_OK), "a foreign file stays");
  REFUSED(record(&every, "heat/mine.txt"), "heat/mine.txt");
  HgRecorder one, two;
  PetscCall(HgRecorderCreate(heat.trajectory, &every, &one));
  PetscCall(HgRecorderCreate(heat.trajectory, &every, &two));
  PetscCall(HgRecorderArm(one, "heat"));
  REFUSED(HgRecorderArm(two, "heat"), "another run is recording in 'heat'");
  PetscCall(HgRecorderDestroy(&one));
  return HgRecorderDestroy(&two);
}

/* A unit is "" unless a program says which. */
static PetscErrorCode no_unit(HgProgram program, void *unused) {
  (void)unused;
  return HgProgramSetUnit(program, "kappa", "");
}

static PetscErrorCode units(void) {
  HeatSpec spec = small;
  HeatCase c;
  char text[256];
  spec.more = no_unit;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 3}, "unit", text));
  PetscCall(heat_destroy(&c));
  return list("unit");
}

/* Of names that only begin as ours do, and of what a killed run had not finished. */
static PetscErrorCode left_names(void) {
  static const char *const foreign[] = {"forward-000000014.txt.mine", "constants.txt.notes",
                                        "reverse-000000003-lambda-rank-x.h5", "steps.csv.tmp"},
                           *const ours[] = {"recording.yaml.77.tmp", "steps.csv.77.tmp",
                                            "forward-000000003.txt.77.tmp",
                                            "forward-000000003-q-rank-0.h5.77.tmp"};
  const HgRecorderSpec every = {.every = 3};
  char path[64];
  PetscCall(record(&every, "names"));
  for (int k = 0; k < 4; k++) {
    snprintf(path, sizeof path, "names/%s", foreign[k]);
    PetscCall(write_file(path, "mine"));
    snprintf(path, sizeof path, "names/%s", ours[k]);
    PetscCall(write_file(path, "cut"));
  }
  PetscCall(record(&every, "names"));
  for (int k = 0; k < 4; k++) {
    snprintf(path, sizeof path, "names/%s", foreign[k]);
    claim_that(!access(path, F_OK), "'%s' is foreign and stays", path);
    snprintf(path, sizeof path, "names/%s", ours[k]);
    claim_that(access(path, F_OK), "'%s' is of a killed run and goes", path);
  }
  /* killed before its head was there */
  PetscCall(HgDirectoryCreate(PETSC_COMM_WORLD, "begun"));
  PetscCall(write_file("begun/recording.yaml.77.tmp", "cut"));
  return record(&every, "begun");
}

/* Killed, or without space, between its head and its ledger: the next gradient is recorded. */
static PetscErrorCode without_ledger(void) {
  HgRecorder recorder;
  char text[256];
  PetscCall(record(&(HgRecorderSpec){.every = 3}, "headed"));
  PetscCall(HgFileRemove(PETSC_COMM_WORLD, "headed/steps.csv"));
  PetscCall(
      HgRecorderCreate(heat.trajectory, &(HgRecorderSpec){.every = 3, .goes_on = true}, &recorder));
  PetscCall(HgRecorderArm(recorder, "headed"));
  PetscCall(HgRecorderKeep(recorder));
  claim_that(HgRecorderArmed(recorder), "a recording without a ledger is not whole");
  PetscCall(fingerprint(heat.op, heat.x, heat.trajectory, text));
  PetscCall(HgRecorderDestroy(&recorder));
  return list("headed");
}

/* ---- what fails while it is recorded ---- */
static PetscErrorCode work(void *context) {
  return record(&(HgRecorderSpec){.every = 3, .sync = true}, context);
}

/* What is there can be listed; only a run that was not refused has left a whole recording. */
static PetscErrorCode check(void *context, bool failed, const char what[]) {
  HgRecording r;
  int there = 0;
  char path[128];
  snprintf(path, sizeof path, "%s/recording.yaml", (const char *)context);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!claim.rank) there = !access(path, F_OK);
  snprintf(path, sizeof path, "%s/steps.csv", (const char *)context);
  if (!claim.rank) there = there && !access(path, F_OK);
  PetscCallMPI(MPI_Bcast(&there, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  claim_that(failed || there, "%s: a run that ends well has a recording", what);
  if (!there) return 0;
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, context, &r));
  claim_that(r->ledger.whole == !failed, "%s: refused %d, whole %d", what, failed, r->ledger.whole);
  PetscCall(HgRecordingClose(&r));
  return list(context);
}

static PetscErrorCode faults(void) {
  char folder[] = "faults";
  PetscCall(faults_try(HG_FAULT_WRITE, work, check, folder));
  PetscCall(faults_try(HG_FAULT_FSYNC, work, check, folder));
  PetscCall(faults_try(HG_FAULT_RENAME, work, check, folder));
  return faults_try(HG_FAULT_LOCK, work, NULL, folder);
}

/* ---- what was damaged ---- */

/* A comparison of ledgers is not all: states on disk of either are looked at, too. */
static PetscErrorCode compare_damaged(const char name[]) {
  if (!strstr(name, ".txt") && !strstr(name, ".h5")) return 0;
  REFUSED(HgRecordingsCompare(PETSC_COMM_WORLD, "spec", "sound"), name);
  REFUSED(HgRecordingsCompare(PETSC_COMM_WORLD, "sound", "spec"), name);
  return 0;
}

static PetscErrorCode damage(const char name[]) {
  char path[128], *bytes;
  size_t size;
  snprintf(path, sizeof path, "spec/%s", name);
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, path, 1 << 24, &bytes, &size));
  const size_t stride = PetscMax((size_t)1, size / 40);
  for (size_t at = (size - 1) % stride; at < size; at += stride) { /* the last one, too */
    bytes[at] = (char)~bytes[at];
    PetscCall(HgFileWrite(PETSC_COMM_WORLD, path, bytes, size));
    refusal_begin();
    const PetscErrorCode ierr = list("spec");
    claim_that(ierr, "byte %zu of %zu of '%s' is damaged", at, size, name);
    if (ierr) PetscCall(refusal_end(PETSC_COMM_WORLD, ierr, name, NULL));
    else PetscCall(refusal_or_success(PETSC_COMM_WORLD, ierr, name));
    if (at == (size - 1) % stride) PetscCall(compare_damaged(name));
    bytes[at] = (char)~bytes[at];
  }
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, path, bytes, size - size / 3));
  if (strcmp(name, "steps.csv")) REFUSED(list("spec"), name);
  PetscCall(compare_damaged(name));
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, path, bytes, size));
  PetscCall(HgFileRemove(PETSC_COMM_WORLD, path));
  REFUSED(list("spec"), strcmp(name, "recording.yaml") ? name : "'spec' has none");
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, path, bytes, size));
  PetscCall(PetscFree(bytes));
  return list("spec");
}

static PetscErrorCode test(void) {
  static const char *const names[] = {"recording.yaml",
                                      "steps.csv",
                                      "forward-000000003.txt",
                                      "forward-000000003-q-rank-0.h5",
                                      "reverse-000000003-constants-rank-0.h5",
                                      "constants.txt",
                                      "constants-c-rank-0.h5"};
  PetscCall(heat_create(PETSC_COMM_WORLD, &small, &heat));
  PetscCall(specs());
  PetscCall(folders());
  PetscCall(units());
  PetscCall(left_names());
  PetscCall(without_ledger());
  PetscCall(faults());
  PetscCall(record(&(HgRecorderSpec){.every = 3}, "spec"));
  PetscCall(record(&(HgRecorderSpec){.every = 3}, "sound"));
  PetscCall(HgRecordingsCompare(PETSC_COMM_WORLD, "spec", "sound"));
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) PetscCall(damage(names[k]));
  REFUSED(list("elsewhere"), "'elsewhere' has none");
  return heat_destroy(&heat);
}

CLAIM("what cannot be recorded or read is refused in one sentence", 0, test)
