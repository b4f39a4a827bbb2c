/* SPDX-License-Identifier: BSD-2-Clause */
/* What is in a recording's folder, printed: see recording.h. */
#include <halograd/error_library.h>
#include <halograd/file_library.h>
#include <halograd/recording_library.h>
#include <string.h>

typedef struct {
  double bytes;
  int steps; /* that are damaged */
  HgMode direction;
  long n; /* the first of them */
} Damage;

/* Verifies one step, or of HG_NO_MODE the constants, and adds up its bytes. */
static PetscErrorCode verify(HgRecording r, HgMode direction, long n, double *bytes) {
  char stem[HG_GENERATION_STEM];
  HgManifest m;
  PetscCall(HgRecordingManifest(r, direction, n, stem, &m));
  for (int k = 0; k < m.states * m.ranks; k++) *bytes += (double)m.piece[k].bytes;
  const PetscErrorCode ierr = HgGenerationVerify(r->comm, stem, &m);
  PetscCall(HgManifestDestroy(&m));
  return ierr;
}

/* Verifies what a replay needs besides a state; a program without constants has none. They come
   before the first line of the ledger. */
static PetscErrorCode verify_constants(HgRecording r) {
  double bytes;
  bool there, piece;
  PetscCall(HgRecordingFind(r, HG_NO_MODE, 0, &there));
  PetscCall(HgRecordFind(r->comm, r->directory, "constants-c-rank-0.h5", &piece));
  return there || (piece && r->ledger.lines) ? verify(r, HG_NO_MODE, 0, &bytes) : 0;
}

/* Whether the states of a recorded step are on disk. A step that a kill left unfinished is the last
   and has none. */
static PetscErrorCode has_states(HgRecording r, HgMode direction, long n, bool *has) {
  const HgLedgerText *const l = &r->ledger;
  const HgLedgerLine *const last = &l->line[l->lines - 1];
  *has = true;
  if (l->whole || last->direction != direction || last->n != n) return 0;
  return HgRecordingFind(r, direction, n, has);
}

PetscErrorCode HgRecordingVerify(HgRecording r) {
  double bytes = 0;
  for (HgMode direction = HG_PRIMAL; direction < HG_MODES; direction++)
    for (int k = 0; k < r->steps[direction]; k++) {
      const long n = HgRecordingStep(r, direction, k);
      bool has;
      PetscCall(has_states(r, direction, n, &has));
      if (has) PetscCall(verify(r, direction, n, &bytes));
    }
  return verify_constants(r);
}

/* The same; *good: it is intact. Errors are reported after everything is printed. */
static PetscErrorCode look_at(HgRecording r, HgMode direction, long n, Damage *d, bool *good) {
  HgErrorHold(true);
  const PetscErrorCode ierr = verify(r, direction, n, &d->bytes);
  PetscCall(HgErrorTell(r->comm, 0)); /* forgets it */
  HgErrorHold(false);
  *good = !ierr;
  if (ierr && !d->steps++) d->direction = direction, d->n = n;
  return ierr == HG_ERROR_TOLD ? 0 : ierr;
}

static PetscErrorCode view_sweep(HgRecording r, HgMode direction, PetscViewer viewer, Damage *d) {
  int steps = 0;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s:", HgSweepName(direction)));
  for (int k = 0; k < r->steps[direction]; k++) {
    const long n = HgRecordingStep(r, direction, k);
    bool has, good = true;
    PetscCall(has_states(r, direction, n, &has));
    if (!has) break; /* unfinished, not damaged */
    PetscCall(look_at(r, direction, n, d, &good));
    PetscCall(PetscViewerASCIIPrintf(viewer, " %ld%s", n, good ? "" : " (damaged)"));
    steps++;
  }
  return PetscViewerASCIIPrintf(viewer, "%s\n", steps ? "" : " nothing");
}

static PetscErrorCode view_head(const HgRecording r, PetscViewer viewer) {
  const HgRecordHead *h = &r->head;
  const HgMeshSpec *m = &h->grid;
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "recording '%s': program '%s' of '%s'%s%s, halograd %s\n", r->directory, h->program,
      h->application, *h->stage ? ", " : "", h->stage, h->version));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  built by %s, %s\n", h->compiler, h->flags));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "  grid: %d x %d cells on %d x %d patches; %ld steps of %g s\n",
                                   m->nx, m->ny, m->px, m->py, h->steps, h->dt));
  if (m->nz) PetscCall(PetscViewerASCIIPrintf(viewer, "  levels: %d of %g m\n", m->nz, m->dz));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  variables:"));
  for (int k = 0; k < h->variables; k++)
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s %s [%s]%s", k ? "," : "", h->variable[k].name,
                                     h->variable[k].unit,
                                     h->variable[k].constant ? ", constant" : ""));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n  options:"));
  for (const char *c = h->options; *c;) {
    const int length = (int)strcspn(c, "\n");
    if (length > 4) /* - "..." */
      PetscCall(PetscViewerASCIIPrintf(viewer, " %.*s", length - 4, c + 3));
    c += length + (c[length] == '\n');
  }
  return PetscViewerASCIIPrintf(viewer, "\n");
}

PetscErrorCode HgRecordingView(HgRecording r, PetscViewer viewer) {
  Damage d = {.steps = 0};
  PetscCall(view_head(r, viewer));
  PetscCall(view_sweep(r, HG_PRIMAL, viewer, &d));
  if (r->head.sweeps == 2) PetscCall(view_sweep(r, HG_COTANGENT, viewer, &d));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %.1f MiB of states", d.bytes / 1048576));
  if (d.steps) PetscCall(PetscViewerASCIIPrintf(viewer, ", %d steps damaged\n", d.steps));
  else if (r->ledger.whole)
    PetscCall(PetscViewerASCIIPrintf(viewer, ", whole; J %.17g\n", r->ledger.J));
  else PetscCall(PetscViewerASCIIPrintf(viewer, ", not whole: the run did not come to its end\n"));
  PetscCall(PetscViewerFlush(viewer));
  return d.steps ? verify(r, d.direction, d.n, &d.bytes) : verify_constants(r);
}

/* *count may be 0. */
static PetscErrorCode find_recordings(MPI_Comm comm, const char directory[], int *count,
                                      char path[2][HG_RECORD_DIRECTORY]) {
  static const char *const names[] = {"first", "last"};
  bool found;
  *count = 0;
  HgRequire(comm, strlen(directory) < HG_RECORD_DIRECTORY - 8, HG_ERR_FILE_NAME,
            "recording: the name of the folder has %zu bytes, expected less than %d",
            strlen(directory), (int)HG_RECORD_DIRECTORY - 8);
  PetscCall(HgRecordFind(comm, directory, "recording.yaml", &found));
  if (found) {
    snprintf(path[(*count)++], HG_RECORD_DIRECTORY, "%s", directory);
    return 0;
  }
  for (int k = 0; k < 2; k++) {
    snprintf(path[*count], HG_RECORD_DIRECTORY, "%s/%s", directory, names[k]);
    PetscCall(HgRecordFind(comm, path[*count], "recording.yaml", &found));
    *count += found;
  }
  return 0;
}

PetscErrorCode HgRecordingsFind(MPI_Comm comm, const char directory[], int *count,
                                char path[2][HG_RECORD_DIRECTORY]) {
  PetscCall(find_recordings(comm, directory, count, path));
  HgRequire(comm, *count, HG_ERR_FILE_READ,
            "recording: '%s' has none, expected a folder with a recording.yaml, or with first/ or "
            "last/ that has one",
            directory);
  return 0;
}

PetscErrorCode HgRecordingsRequireOne(MPI_Comm comm, size_t size, char directory[]) {
  char path[2][HG_RECORD_DIRECTORY];
  int count;
  PetscCall(HgRecordingsFind(comm, directory, &count, path));
  HgRequire(
      comm, count == 1, HG_ERR_OPTION_CONFLICT,
      "option -window: '%s' has two recordings, expected one of them, -replay %s or -replay %s",
      directory, path[0], path[1]);
  return PetscStrncpy(directory, path[0], size);
}

static PetscErrorCode list_recording(MPI_Comm comm, const char directory[], bool verify) {
  HgRecording r;
  PetscCall(HgRecordingOpen(comm, directory, &r));
  PetscErrorCode ierr =
      verify ? HgRecordingVerify(r) : HgRecordingView(r, PETSC_VIEWER_STDOUT_(comm));
  if (verify && !ierr)
    ierr = PetscPrintf(comm, "recording '%s': every file is what was written%s\n", directory,
                       r->ledger.whole ? "" : ", but the run did not come to its end");
  PetscCall(HgRecordingClose(&r));
  return ierr;
}

/* Lists the generations in a folder, if it exists: evaluations of an inversion, or restart points
   of a gradient. Increases *count. */
static PetscErrorCode list_generations(MPI_Comm comm, const char directory[], bool verify,
                                       int *count) {
  double bytes = 0;
  int here = 0;
  bool found;
  PetscCall(HgFileFind(comm, directory, &found));
  if (!found) return 0;
  const PetscErrorCode ierr =
      HgGenerationsList(comm, directory, verify ? NULL : PETSC_VIEWER_STDOUT_(comm), &here, &bytes);
  *count += here;
  if (ierr || !here) return ierr;
  return PetscPrintf(comm, "'%s': %d kept, %.1f MiB; every file is what was written\n", directory,
                     here, bytes / 1048576);
}

PetscErrorCode HgRecordingsList(MPI_Comm comm, const char directory[], bool verify) {
  char path[2][HG_RECORD_DIRECTORY];
  int count;
  PetscErrorCode ierr = 0;
  PetscCall(find_recordings(comm, directory, &count, path));
  for (int k = 0; !ierr && k < count; k++) ierr = list_recording(comm, path[k], verify);
  if (ierr || count) return ierr;
  ierr = list_generations(comm, directory, verify, &count);
  snprintf(path[0], sizeof path[0], "%s/gradient", directory);
  if (!ierr) ierr = list_generations(comm, path[0], verify, &count);
  HgRequire(comm, ierr || count, HG_ERR_FILE_READ,
            "'%s' has nothing that was kept, expected a recording, or evaluations of an inversion",
            directory);
  return ierr;
}

void HgRecordingTell(const HgRecordingDifference *d, size_t size, char text[]) {
  const bool in_J = d->direction == HG_NO_MODE;
  char level[16] = "";
  snprintf(text, size, "the same bits in %d steps, then they part ",
           d->compared - (d->differ && !in_J));
  if (in_J) {
    HgSentenceAdd(size, text, "in J: %.17g and %.17g", d->value[0], d->value[1]);
    return;
  }
  HgSentenceAdd(size, text, "in the %s sweep at step %ld, variable '%s'", HgSweepName(d->direction),
                d->n, d->variable);
  if (!d->states) {
    HgSentenceAdd(size, text, " (the states of that step were not kept by both)");
    return;
  }
  if (d->cell[2] >= 0) snprintf(level, sizeof level, ", %d", d->cell[2]);
  HgSentenceAdd(size, text,
                ", cell (%d, %d%s), rank %d and rank %d: %.17g and %.17g, %llu units in the last "
                "place apart; %.0f of %.0f numbers differ there, by %llu units at most",
                d->cell[0], d->cell[1], level, d->rank[0], d->rank[1], d->value[0], d->value[1],
                (unsigned long long)d->ulps, d->cells, d->of, (unsigned long long)d->most_ulps);
}

PetscErrorCode HgRecordingsCompare(MPI_Comm comm, const char a[], const char b[]) {
  char path[2][2][HG_RECORD_DIRECTORY];
  int count[2];
  PetscCall(HgRecordingsFind(comm, a, &count[0], path[0]));
  PetscCall(HgRecordingsFind(comm, b, &count[1], path[1]));
  HgRequire(comm, count[0] == count[1], HG_ERR_FILE_MISMATCH,
            "recordings '%s' and '%s': there are %d and %d, expected as many of one as of the "
            "other",
            a, b, count[0], count[1]);
  for (int k = 0; k < count[0]; k++)
    PetscCall(HgRecordingsCompareTwo(comm, NULL, path[0][k], path[1][k]));
  return 0;
}
