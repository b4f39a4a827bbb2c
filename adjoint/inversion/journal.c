/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluations on disk: see inversion_library.h. */
#include <halograd/error_library.h>
#include <halograd/file_library.h>
#include <halograd/generation_library.h>
#include <halograd/inversion_library.h>
#include <math.h>
#include <string.h>

enum { COMPARED = 2 }; /* evaluations found that are computed again, unless asked otherwise */

static const HgGenerationKind evaluation = {"evaluation", 1, {""}, {NULL}};

struct HgJournal_s {
  MPI_Comm comm, across; /* this group's; the first of it keeps, for all */
  bool keeps;
  int found, compared, lock;
  char directory[HG_GENERATION_STEM - 32];
  HgGeneration generation;
};

/* One evaluation, as its manifest has it. */
typedef struct {
  double J;
  char at[17], gradient[17]; /* digests of controls and gradient */
  HgManifest manifest;
} Record;

static void stem_of(HgJournal o, int k, char stem[HG_GENERATION_STEM]) {
  snprintf(stem, HG_GENERATION_STEM, "%s/evaluation-%d", o->directory, k);
}

/* The caller destroys r->manifest. */
static PetscErrorCode read_record(HgJournal o, int k, Record *r) {
  char stem[HG_GENERATION_STEM];
  int number;
  stem_of(o, k, stem);
  PetscCall(HgManifestRead(o->comm, &evaluation, stem, &r->manifest));
  if (sscanf(r->manifest.line, "%d J %lf at %16s gradient %16s", &number, &r->J, r->at,
             r->gradient) == 4 &&
      number == k)
    return 0;
  PetscCall(HgManifestDestroy(&r->manifest));
  return HgError(o->comm, HG_ERR_FILE_DAMAGED, "'%s.txt' is not what was written", stem);
}

/* Agrees on errors after groups worked on their own. */
static PetscErrorCode agree_groups(HgJournal o, PetscErrorCode ierr) {
  return o->across == MPI_COMM_NULL ? ierr : HgErrorMeet(o->across, ierr);
}

static PetscErrorCode read_gradient(HgJournal o, int k, const Record *r, HgState gradient) {
  char stem[HG_GENERATION_STEM], digest[17];
  stem_of(o, k, stem);
  PetscCall(HgGenerationRead(stem, &r->manifest, 0, k, gradient));
  PetscCall(HgStateDigest(gradient, NULL, digest));
  HgRequire(o->comm, !strcmp(digest, r->gradient), HG_ERR_FILE_DAMAGED,
            "journal: the gradient of evaluation %d in '%s' has digest %s, expected %s", k,
            o->directory, digest, r->gradient);
  return 0;
}

/* `r` has J and the digests. */
static PetscErrorCode write_record(HgJournal o, int k, const Record *r, HgState gradient) {
  char stem[HG_GENERATION_STEM], line[HG_GENERATION_LINE];
  stem_of(o, k, stem);
  snprintf(line, sizeof line, "%d J %a at %s gradient %s", k, r->J, r->at, r->gradient);
  return HgGenerationWrite(o->generation, stem, line, k, &gradient, true, NULL);
}

/* ---- the journal ---- */
static PetscErrorCode verify(HgJournal o, int k, const char stem[]) {
  Record r;
  PetscCall(read_record(o, k, &r));
  const PetscErrorCode ierr = HgGenerationVerify(o->comm, stem, &r.manifest);
  PetscCall(HgManifestDestroy(&r.manifest));
  return ierr;
}

static PetscErrorCode find_records(HgJournal o) {
  for (;; o->found++) {
    char stem[HG_GENERATION_STEM];
    bool there;
    stem_of(o, o->found, stem);
    PetscCall(HgManifestFind(o->comm, stem, &there));
    if (!there) return 0;
    const PetscErrorCode ierr = verify(o, o->found, stem);
    if (ierr && ierr != HG_ERROR_TOLD) return ierr;
    if (ierr) HgErrorSay(); /* no error of the run: not kept */
    if (ierr)
      return PetscPrintf(
          o->comm, "journal: evaluation %d is damaged, computed again from there on\n", o->found);
  }
}

/* Called on the keeping group. */
static PetscErrorCode start(HgJournal o, HgState m) {
  char path[HG_GENERATION_STEM], taken[HG_GENERATION_STEM + 64];
  snprintf(path, sizeof path, "%s/lock", o->directory);
  snprintf(taken, sizeof taken, "journal: another run is using '%s'", o->directory);
  PetscCall(HgDirectoryCreate(o->comm, o->directory));
  PetscCall(HgFileLock(o->comm, path, taken, &o->lock));
  PetscCall(HgGenerationCreate(&evaluation, &m, &o->generation));
  return find_records(o);
}

PetscErrorCode HgJournalCreate(HgState m, MPI_Comm across, const char directory[],
                               HgJournal *journal) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(m));
  HgJournal o;
  HgRequire(comm, strlen(directory) < sizeof o->directory, HG_ERR_FILE_NAME,
            "journal: the name of its directory has %zu bytes, expected less than %zu",
            strlen(directory), sizeof o->directory);
  for (int k = 0; k < HgStateCount(m); k++) {
    const HgVariable *v = HgStateVariable(m, k);
    HgRequire(comm, v->kind == HG_FIELD || v->kind == HG_REPLICATED, HG_ERR_CONTROL,
              "journal: control '%s' is of each rank's own, expected a field or a replicated array",
              v->name);
  }
  PetscCall(PetscNew(&o));
  int group = 0;
  if (across != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_rank(across, &group));
  o->comm = comm, o->across = across, o->keeps = !group, o->lock = -1;
  o->compared = COMPARED;
  snprintf(o->directory, sizeof o->directory, "%s", directory);
  const PetscErrorCode ierr = agree_groups(o, o->keeps ? start(o, m) : 0);
  if (ierr) {
    PetscCall(HgJournalDestroy(&o));
    return ierr;
  }
  if (across != MPI_COMM_NULL) PetscCallMPI(MPI_Bcast(&o->found, 1, MPI_INT, 0, across));
  *journal = o;
  return 0;
}

PetscErrorCode HgJournalDestroy(HgJournal *journal) {
  HgJournal o = *journal;
  *journal = NULL;
  if (!o) return 0;
  HgFileUnlock(&o->lock);
  PetscCall(HgGenerationDestroy(&o->generation));
  return PetscFree(o);
}

void HgJournalSetCompared(HgJournal o, int evaluations) { o->compared = evaluations; }

int HgJournalFound(HgJournal o) { return o->found; }

static bool same_bits(double a, double b) { return !memcmp(&a, &b, sizeof a); }

static PetscErrorCode compute(HgOperator functional, HgState m, double *J, HgState gradient) {
  PetscCall(HgOperatorGradient(functional, m, J, gradient));
  if (!isfinite(*J)) { /* outside the model's domain a gradient says nothing */
    *J = NAN;
    PetscCall(HgStateZero(gradient));
  }
  return 0;
}

/* Repeats the first evaluations. Two models may agree at the first guess, which may be the minimum
   of a regularisation. */
static PetscErrorCode compare(HgJournal o, HgOperator functional, int k, HgState m, const Record *r,
                              double *J, HgState gradient) {
  char digest[17];
  PetscCall(compute(functional, m, J, gradient));
  PetscCall(HgStateDigest(gradient, NULL, digest));
  HgRequire(o->comm,
            (same_bits(*J, r->J) || (isnan(*J) && isnan(r->J))) && !strcmp(digest, r->gradient),
            HG_ERR_FILE_MISMATCH,
            "journal: evaluation %d in '%s' gave J = %.17g and a gradient of digest %s, now %.17g "
            "and %s: expected the options and data of the run that was killed",
            k, o->directory, r->J, r->gradient, *J, digest);
  return 0;
}

/* Error: this group's evaluation differs from the first group's. */
static PetscErrorCode require_alike(HgJournal o, int k, const Record *own) {
  Record first = *own;
  int group;
  if (o->across == MPI_COMM_NULL) return 0;
  PetscCallMPI(MPI_Comm_rank(o->across, &group));
  PetscCallMPI(MPI_Bcast(&first, offsetof(Record, manifest), MPI_BYTE, 0, o->across));
  HgRequire(o->comm,
            same_bits(first.J, own->J) && !strcmp(first.at, own->at) &&
                !strcmp(first.gradient, own->gradient),
            HG_ERR_RANKS_DIFFER,
            "journal: evaluation %d of group %d has J = %.17g at controls of digest %s, of group 0 "
            "%.17g and %s: expected groups that do alike, or a directory for each",
            k, group, own->J, own->at, first.J, first.at);
  return 0;
}

static PetscErrorCode compute_and_keep(HgJournal o, HgOperator functional, int k, HgState m,
                                       double *J, HgState gradient) {
  Record r = {.J = 0};
  /* Before groups look at each other's. */
  PetscCall(agree_groups(o, compute(functional, m, J, gradient)));
  r.J = *J;
  PetscCall(HgStateDigest(m, NULL, r.at));
  PetscCall(HgStateDigest(gradient, NULL, r.gradient));
  PetscCall(agree_groups(o, require_alike(o, k, &r)));
  return o->keeps ? write_record(o, k, &r, gradient) : 0;
}

static PetscErrorCode read_evaluation(HgJournal o, HgOperator functional, int k, HgState m,
                                      double *J, HgState gradient) {
  Record r;
  char at[17];
  PetscCall(read_record(o, k, &r));
  PetscCall(HgStateDigest(m, NULL, at));
  PetscErrorCode ierr =
      strcmp(at, r.at)  ? HgError(o->comm, HG_ERR_FILE_MISMATCH,
                                  "journal: evaluation %d in '%s' was at other controls: expected "
                                   "the options and data of the run that was killed",
                                  k, o->directory)
      : k < o->compared ? compare(o, functional, k, m, &r, J, gradient)
                        : read_gradient(o, k, &r, gradient);
  if (!ierr && k >= o->compared) *J = r.J;
  PetscCall(HgManifestDestroy(&r.manifest));
  return ierr;
}

PetscErrorCode HgJournalEvaluate(HgJournal o, HgOperator functional, int k, HgState m, double *J,
                                 HgState gradient) {
  return agree_groups(
      o, (k < o->found ? read_evaluation : compute_and_keep)(o, functional, k, m, J, gradient));
}
