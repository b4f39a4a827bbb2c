/* Evaluations on disk: see journal.h. */
#include "image_private.h"
#include <errno.h>
#include <fcntl.h>
#include <halograd/fault.h>
#include <halograd/file.h>
#include <halograd/journal.h>
#include <math.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { COMPARED = 2 }; /* evaluations found that are computed again */

enum { HG_PATH = PETSC_MAX_PATH_LEN, HG_LINE = 128, HG_MOST = 1 << 20, HG_LARGEST = 2147483646 };

struct HgJournal_s {
  MPI_Comm comm, across; /* this group's; the first of it keeps, for all */
  bool keeps;
  int rank, ranks, found, lock;
  char directory[HG_PATH - 64];
  HgImage image;
};

/* One image: the patch (global i0, i1, j0, j1) whose cells it has. */
typedef struct {
  int patch[4];
  unsigned long long bytes, digest;
} Piece;

/* One evaluation, as its text has it. */
typedef struct {
  double J;
  char at[17], gradient[17]; /* digests of controls and gradient */
  int pieces;
  Piece *piece;
} Record;

static void text_path(HgJournal o, int k, char path[HG_PATH]) {
  snprintf(path, HG_PATH, "%s/evaluation-%d.txt", o->directory, k);
}

static void piece_path(HgJournal o, int k, int rank, char path[HG_PATH]) {
  snprintf(path, HG_PATH, "%s/evaluation-%d-rank-%d.h5", o->directory, k, rank);
}

static unsigned long long digest_of(const void *bytes, size_t size) {
  return XXH3_64bits(bytes, size);
}

/* ---- the text of an evaluation ---- */
static PetscErrorCode write_text(HgJournal o, int k, const Record *r) {
  char path[HG_PATH], *text = NULL;
  size_t n = 0;
  if (!o->rank) {
    const size_t room = (size_t)HG_LINE * (size_t)(r->pieces + 4);
    PetscCall(PetscMalloc1(room, &text));
    n = (size_t)snprintf(text, room, "halograd evaluation 1\n%d J %a at %s gradient %s pieces %d\n",
                         k, r->J, r->at, r->gradient, r->pieces);
    for (int l = 0; l < r->pieces; l++) {
      const Piece *p = &r->piece[l];
      n += (size_t)snprintf(text + n, room - n, "%d %d %d %d %llu %016llx\n", p->patch[0],
                            p->patch[1], p->patch[2], p->patch[3], p->bytes, p->digest);
    }
    n += (size_t)snprintf(text + n, room - n, "end %016llx\n", digest_of(text, n));
  }
  text_path(o, k, path);
  PetscCall(HgFileWrite(o->comm, path, text, n));
  return PetscFree(text);
}

/* Fills `r`, whose pieces the caller frees; false: this is not what write_text() wrote. */
static bool parse(const char text[], size_t size, int k, Record *r) {
  unsigned long long digest;
  int number, used = 0, end = 0;
  const char *last = size > 21 ? text + size - 21 : NULL; /* "end <16 digits>\n" */
  if (!last || sscanf(last, "end %16llx%n", &digest, &end) != 1 || end != 20 ||
      digest != digest_of(text, size - 21))
    return false;
  if (sscanf(text, "halograd evaluation 1\n%d J %lf at %16s gradient %16s pieces %d\n%n", &number,
             &r->J, r->at, r->gradient, &r->pieces, &used) != 5 ||
      !used || number != k || r->pieces < 1 || r->pieces > HG_MOST)
    return false;
  if (PetscCalloc1(r->pieces, &r->piece)) return false;
  for (int l = 0; l < r->pieces; l++) {
    Piece *p = &r->piece[l];
    text += used, used = 0;
    if (sscanf(text, "%d %d %d %d %llu %16llx\n%n", &p->patch[0], &p->patch[1], &p->patch[2],
               &p->patch[3], &p->bytes, &p->digest, &used) != 6 ||
        !used || p->bytes > HG_LARGEST)
      return false;
  }
  return true;
}

static PetscErrorCode read_record(HgJournal o, int k, Record *r) {
  char path[HG_PATH], *text;
  size_t size;
  text_path(o, k, path);
  *r = (Record){.pieces = 0};
  PetscCall(HgFileReadAll(o->comm, path, (size_t)HG_LINE * HG_MOST, &text, &size));
  const bool good = parse(text, size, k, r);
  PetscCall(PetscFree(text));
  if (good) return 0;
  PetscCall(PetscFree(r->piece));
  return HgError(o->comm, "'%s' is not what was written", path);
}

/* Ends what ranks did each for itself, after HgErrorHold(true). */
static PetscErrorCode agree(HgJournal o, PetscErrorCode ierr) {
  ierr = HgErrorTell(o->comm, ierr);
  HgErrorHold(false);
  return ierr;
}

/* Ends what groups did each for itself. */
static PetscErrorCode meet(HgJournal o, PetscErrorCode ierr) {
  return o->across == MPI_COMM_NULL ? ierr : HgErrorMeet(o->across, ierr);
}

/* ---- the images of an evaluation ---- */

/* Not collective; *bytes is NULL after an error, else the caller's. */
static PetscErrorCode read_piece(HgJournal o, int k, const Record *r, int l, char **bytes) {
  char path[HG_PATH];
  size_t size;
  const Piece *p = &r->piece[l];
  piece_path(o, k, l, path);
  const PetscErrorCode ierr = HgFileReadAll(PETSC_COMM_SELF, path, p->bytes, bytes, &size);
  if (ierr) return ierr;
  if (size == p->bytes && digest_of(*bytes, size) == p->digest) return 0;
  PetscCall(PetscFree(*bytes));
  return HgError(PETSC_COMM_SELF, "'%s' is not what was written: %zu bytes, expected %llu, %s",
                 path, size, p->bytes,
                 size == p->bytes ? "of another XXH3 digest" : "or it is cut");
}

/* Ranks share the images out. */
static PetscErrorCode verify_pieces(HgJournal o, int k, const Record *r) {
  PetscErrorCode ierr = 0;
  HgErrorHold(true);
  for (int l = o->rank; !ierr && l < r->pieces; l += o->ranks) {
    char *bytes;
    ierr = read_piece(o, k, r, l, &bytes);
    PetscCall(PetscFree(bytes));
  }
  return agree(o, ierr);
}

/* The part of `patch` in the calling rank's patch; false: there is none. */
static bool overlap(HgMesh mesh, const int patch[4], int window[4]) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  window[0] = PetscMax(patch[0], p->i_global), window[1] = PetscMin(patch[1], p->i_global + p->nx);
  window[2] = PetscMax(patch[2], p->j_global), window[3] = PetscMin(patch[3], p->j_global + p->ny);
  return window[0] < window[1] && window[2] < window[3];
}

static PetscErrorCode read_own(HgJournal o, int k, const Record *r, HgState gradient) {
  PetscErrorCode ierr = 0;
  for (int l = 0; !ierr && l < r->pieces; l++) {
    char path[HG_PATH], why[256], *bytes;
    int window[4];
    if (!overlap(HgStateMesh(gradient), r->piece[l].patch, window)) continue;
    ierr = read_piece(o, k, r, l, &bytes);
    if (ierr) break;
    piece_path(o, k, l, path);
    if (!HgImageReadPiece(path, (unsigned char *)bytes, r->piece[l].bytes, k, window, gradient, why,
                          sizeof why))
      ierr = HgError(PETSC_COMM_SELF, "'%s': %s", path, why);
    PetscCall(PetscFree(bytes));
  }
  return ierr;
}

static PetscErrorCode read_gradient(HgJournal o, int k, const Record *r, HgState gradient) {
  char digest[17];
  HgErrorHold(true);
  PetscCall(agree(o, read_own(o, k, r, gradient)));
  for (int l = 0; l < HgStateCount(gradient); l++)
    if (HgStateVariable(gradient, l)->kind == HG_FIELD) HgStateSetGhostDepth(gradient, l, 0);
  PetscCall(HgStateDigest(gradient, NULL, digest));
  HgRequire(o->comm, !strcmp(digest, r->gradient),
            "journal: the gradient of evaluation %d in '%s' has digest %s, expected %s", k,
            o->directory, digest, r->gradient);
  return 0;
}

/* `r` has J and the digests. */
static PetscErrorCode keep(HgJournal o, int k, Record r, HgState gradient) {
  const HgPatch *patch = HgMeshGetPatch(HgStateMesh(gradient));
  char path[HG_PATH];
  unsigned char *bytes = HgImageBuffer(o->image);
  size_t count, size = 0;
  const struct iovec *piece = HgImagePieces(o->image, gradient, k, &count);
  for (size_t l = 0; l < count; size += piece[l++].iov_len)
    memcpy(bytes + size, piece[l].iov_base, piece[l].iov_len);
  const Piece own = {
      {patch->i_global, patch->i_global + patch->nx, patch->j_global, patch->j_global + patch->ny},
      size,
      digest_of(bytes, size)};
  piece_path(o, k, o->rank, path);
  HgErrorHold(true);
  PetscCall(agree(o, HgFileWrite(PETSC_COMM_SELF, path, bytes, size)));
  r.pieces = o->ranks;
  PetscCall(PetscMalloc1(o->ranks, &r.piece));
  PetscCallMPI(MPI_Gather(&own, sizeof own, MPI_BYTE, r.piece, sizeof own, MPI_BYTE, 0, o->comm));
  PetscCall(write_text(o, k, &r));
  return PetscFree(r.piece);
}

/* ---- the journal ---- */
static PetscErrorCode find(HgJournal o) {
  for (;; o->found++) {
    char path[HG_PATH];
    Record r;
    int there = 0;
    text_path(o, o->found, path);
    if (!o->rank) there = !access(path, F_OK);
    PetscCallMPI(MPI_Bcast(&there, 1, MPI_INT, 0, o->comm));
    if (!there) return 0;
    PetscErrorCode ierr = read_record(o, o->found, &r);
    if (!ierr) ierr = verify_pieces(o, o->found, &r);
    PetscCall(PetscFree(r.piece));
    if (ierr && ierr != HG_ERROR_TOLD) return ierr;
    if (ierr) HgErrorSay(); /* no error of the run: not kept */
    if (ierr)
      return PetscPrintf(
          o->comm, "journal: evaluation %d is damaged, computed again from there on\n", o->found);
  }
}

static PetscErrorCode lock(HgJournal o) {
  char path[HG_PATH];
  int taken = 0;
  snprintf(path, sizeof path, "%s/lock", o->directory);
  if (!o->rank) {
    o->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    taken = o->lock >= 0 && (HgFault(HG_FAULT_LOCK) || flock(o->lock, LOCK_EX | LOCK_NB)) &&
            errno == EWOULDBLOCK;
  }
  return HgAgree(o->comm, taken, "journal: another run is using '%s'", o->directory);
}

/* The keeper's part. */
static PetscErrorCode start(HgJournal o, HgState m) {
  PetscCall(HgDirectoryCreate(o->comm, o->directory));
  PetscCall(lock(o));
  PetscCall(HgImageCreate(m, &o->image));
  return find(o);
}

PetscErrorCode HgJournalCreate(HgState m, MPI_Comm across, const char directory[],
                               HgJournal *journal) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(m));
  HgJournal o;
  HgRequire(comm, strlen(directory) < sizeof o->directory,
            "journal: the name of its directory has %zu bytes, expected less than %zu",
            strlen(directory), sizeof o->directory);
  for (int k = 0; k < HgStateCount(m); k++) {
    const HgVariable *v = HgStateVariable(m, k);
    HgRequire(comm, v->kind == HG_FIELD || v->kind == HG_REPLICATED,
              "journal: control '%s' is of each rank's own, expected a field or a replicated array",
              v->name);
  }
  PetscCall(PetscNew(&o));
  int group = 0;
  if (across != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_rank(across, &group));
  o->comm = comm, o->across = across, o->keeps = !group, o->lock = -1;
  PetscCallMPI(MPI_Comm_rank(comm, &o->rank));
  PetscCallMPI(MPI_Comm_size(comm, &o->ranks));
  snprintf(o->directory, sizeof o->directory, "%s", directory);
  const PetscErrorCode ierr = meet(o, o->keeps ? start(o, m) : 0);
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
  if (o->lock >= 0) close(o->lock);
  PetscCall(HgImageDestroy(&o->image));
  return PetscFree(o);
}

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

/* The first ones, once more: at the first guess alone, which may be where a regularisation has its
   minimum, two models may agree. */
static PetscErrorCode compare(HgJournal o, HgOperator functional, int k, HgState m, const Record *r,
                              double *J, HgState gradient) {
  char digest[17];
  PetscCall(compute(functional, m, J, gradient));
  PetscCall(HgStateDigest(gradient, NULL, digest));
  HgRequire(o->comm,
            (same_bits(*J, r->J) || (isnan(*J) && isnan(r->J))) && !strcmp(digest, r->gradient),
            "journal: evaluation %d in '%s' gave J = %.17g and a gradient of digest %s, now %.17g "
            "and %s: expected the options and data of the run that was killed",
            k, o->directory, r->J, r->gradient, *J, digest);
  return 0;
}

/* Has this group what the first one has? */
static PetscErrorCode require_alike(HgJournal o, int k, const Record *own) {
  struct {
    double J;
    char at[17], gradient[17];
  } first = {.J = own->J};

  int group;
  if (o->across == MPI_COMM_NULL) return 0;
  memcpy(first.at, own->at, sizeof first.at),
      memcpy(first.gradient, own->gradient, sizeof first.at);
  PetscCallMPI(MPI_Comm_rank(o->across, &group));
  PetscCallMPI(MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, o->across));
  HgRequire(o->comm,
            same_bits(first.J, own->J) && !strcmp(first.at, own->at) &&
                !strcmp(first.gradient, own->gradient),
            "journal: evaluation %d of group %d has J = %.17g at controls of digest %s, of group 0 "
            "%.17g and %s: expected groups that do alike, or a directory for each",
            k, group, own->J, own->at, first.J, first.at);
  return 0;
}

static PetscErrorCode compute_and_keep(HgJournal o, HgOperator functional, int k, HgState m,
                                       double *J, HgState gradient) {
  Record r = {.pieces = 0};
  PetscCall(compute(functional, m, J, gradient));
  r.J = *J;
  PetscCall(HgStateDigest(m, NULL, r.at));
  PetscCall(HgStateDigest(gradient, NULL, r.gradient));
  PetscCall(meet(o, require_alike(o, k, &r)));
  return o->keeps ? keep(o, k, r, gradient) : 0;
}

static PetscErrorCode take(HgJournal o, HgOperator functional, int k, HgState m, double *J,
                           HgState gradient) {
  Record r;
  char at[17];
  PetscCall(read_record(o, k, &r));
  PetscCall(HgStateDigest(m, NULL, at));
  PetscErrorCode ierr =
      strcmp(at, r.at) ? HgError(o->comm,
                                 "journal: evaluation %d in '%s' was at other controls: expected "
                                 "the options and data of the run that was killed",
                                 k, o->directory)
      : k < COMPARED   ? compare(o, functional, k, m, &r, J, gradient)
                       : read_gradient(o, k, &r, gradient);
  if (!ierr && k >= COMPARED) *J = r.J;
  PetscCall(PetscFree(r.piece));
  return ierr;
}

PetscErrorCode HgJournalEvaluate(HgJournal o, HgOperator functional, int k, HgState m, double *J,
                                 HgState gradient) {
  return meet(o, (k < o->found ? take : compute_and_keep)(o, functional, k, m, J, gradient));
}
