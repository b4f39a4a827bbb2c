/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a generation: see generation_library.h. */
#include <halograd/error_library.h>
#include <halograd/file_library.h>
#include <halograd/generation_library.h>
#include <halograd/state_library.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MOST = 1 << 20, LONGEST = 192, END = 21 }; /* END: "end <16 digits>\n" */

void HgGenerationName(const HgGenerationKind *kind, int state, int rank,
                      char name[HG_GENERATION_NAME]) {
  snprintf(name, HG_GENERATION_NAME, "%s%.16s-rank-%d.h5", *kind->name[state] ? "-" : "",
           kind->name[state], rank);
}

/* ---- the manifest ---- */
PetscErrorCode HgManifestFind(MPI_Comm comm, const char stem[], bool *found) {
  char path[PETSC_MAX_PATH_LEN];
  snprintf(path, sizeof path, "%s.txt", stem);
  return HgFileFind(comm, path, found);
}

/* The number of images; *text is then behind it. 0: no manifest of this kind. */
static int parse_head(const HgGenerationKind *kind, const char **text, HgManifest *m) {
  static const char word[] = " pieces ";
  int pieces = 0, used = 0;
  if (sscanf(*text, "halograd %15[a-z] %9d", m->title, &m->format) != 2) return 0;
  if (m->format != HG_GENERATION_FORMAT || (kind && strcmp(m->title, kind->title))) return 0;
  const char *const title_end = strchr(*text, '\n');
  const char *const first = title_end ? title_end + 1 : "", *const end = strchr(first, '\n');
  const char *at = NULL;
  for (const char *c = first; end && (c = strstr(c, word)) && c < end; c++) at = c;
  if (!at || at - first >= HG_GENERATION_LINE) return 0;
  if (sscanf(at, " pieces %d%n", &pieces, &used) != 1 || at[used] != '\n') return 0;
  memcpy(m->line, first, (size_t)(at - first));
  m->line[at - first] = 0, m->states = kind ? kind->states : 1;
  *text = end + 1;
  return pieces >= 1 && pieces <= MOST && pieces % m->states == 0 ? pieces : 0;
}

/* Fills `m`; the caller frees its pieces. False: it was damaged, or there is no memory. */
static bool parse(const HgGenerationKind *kind, const char text[], size_t size, HgManifest *m,
                  bool *no_memory) {
  char end[END + 1];
  if (size <= END) return false;
  snprintf(end, sizeof end, "end %016llx\n", (unsigned long long)XXH3_64bits(text, size - END));
  if (memcmp(text + size - END, end, END)) return false; /* "A" is no "a", either */
  const char *const behind = text + size;
  const int pieces = parse_head(kind, &text, m);
  if (!pieces) return false;
  *no_memory = PetscCalloc1(pieces, &m->piece) != 0;
  if (*no_memory) return false;
  m->ranks = pieces / m->states;
  for (int l = 0; l < pieces; l++) {
    HgPiece *p = &m->piece[l];
    const char *const line_end =
        memchr(text, '\n', PetscMin((size_t)LONGEST - 1, (size_t)(behind - text)));
    char line[LONGEST], expected[HG_GENERATION_NAME];
    int used = 0;
    if (!line_end) return false;
    memcpy(line, text, (size_t)(line_end - text) + 1); /* sscanf() measures all that follows */
    line[line_end - text + 1] = 0;
    text = line_end + 1;
    if (sscanf(line, "%d %d %d %d %llu %16llx %47[-a-z0-9.]%n", &p->patch[0], &p->patch[1],
               &p->patch[2], &p->patch[3], &p->bytes, &p->digest, p->name, &used) != 7 ||
        line[used] != '\n' || p->bytes > SIZE_MAX / 2 || p->name[0] != '-')
      return false;
    if (!kind) continue;
    HgGenerationName(kind, l / m->ranks, l % m->ranks, expected);
    if (strcmp(p->name, expected)) return false;
  }
  return true;
}

PetscErrorCode HgManifestRead(MPI_Comm comm, const HgGenerationKind *kind, const char stem[],
                              HgManifest *m) {
  char path[PETSC_MAX_PATH_LEN], *text;
  size_t size;
  bool no_memory = false;
  *m = (HgManifest){.states = 0};
  snprintf(path, sizeof path, "%s.txt", stem);
  PetscCall(HgFileReadOwn(comm, path, (size_t)LONGEST * MOST, &text, &size));
  const bool good = parse(kind, text, size, m, &no_memory);
  PetscCall(PetscFree(text));
  const PetscErrorCode ierr =
      HgAgree(comm, no_memory, HG_ERR_MEMORY, "no memory for what '%s' says", path);
  if (!ierr && good) return 0;
  PetscCall(HgManifestDestroy(m));
  HgRequire(comm, !m->format || m->format == HG_GENERATION_FORMAT, HG_ERR_FILE_FORMAT,
            "'%s' has format %d, of another version of halograd, expected %d: go on with that "
            "version, or name another folder",
            path, m->format, HG_GENERATION_FORMAT);
  return ierr ? ierr : HgError(comm, HG_ERR_FILE_DAMAGED, "'%s' is not what was written", path);
}

PetscErrorCode HgManifestDestroy(HgManifest *m) { return PetscFree(m->piece); }

/* ---- the images ---- */

/* *bytes: one verified image; free it with PetscFree(). Errors: as for HgGenerationVerify(). */
static PetscErrorCode bytes_of(const char stem[], const HgManifest *m, int state, int rank,
                               char **bytes) {
  char path[PETSC_MAX_PATH_LEN];
  size_t size;
  const HgPiece *p = &m->piece[state * m->ranks + rank];
  snprintf(path, sizeof path, "%s%s", stem, p->name);
  const PetscErrorCode ierr = HgFileReadOwn(PETSC_COMM_SELF, path, p->bytes, bytes, &size);
  if (ierr) return ierr;
  if (size == p->bytes && XXH3_64bits(*bytes, size) == p->digest) return 0;
  PetscCall(PetscFree(*bytes));
  return HgError(PETSC_COMM_SELF, HG_ERR_FILE_DAMAGED,
                 "'%s' is not what was written: %zu bytes, expected %llu, %s", path, size, p->bytes,
                 size == p->bytes ? "of another XXH3 digest" : "or it is cut");
}

/* Agrees on errors after ranks worked on their own, after HgErrorHold(true). */
static PetscErrorCode agree(MPI_Comm comm, PetscErrorCode ierr) {
  ierr = HgErrorTell(comm, ierr);
  HgErrorHold(false);
  return ierr;
}

PetscErrorCode HgGenerationVerify(MPI_Comm comm, const char stem[], const HgManifest *m) {
  PetscErrorCode ierr = 0;
  int own, ranks;
  PetscCallMPI(MPI_Comm_rank(comm, &own));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  HgErrorHold(true);
  for (int l = own; !ierr && l < m->states * m->ranks; l += ranks) {
    char *bytes;
    ierr = bytes_of(stem, m, l / m->ranks, l % m->ranks, &bytes);
    PetscCall(PetscFree(bytes));
  }
  return agree(comm, ierr);
}

/* The intersection of `patch` with the calling rank's patch; false: empty. */
static bool overlap(HgMesh mesh, const int patch[4], int window[4]) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  window[0] = PetscMax(patch[0], p->i_global), window[1] = PetscMin(patch[1], p->i_global + p->nx);
  window[2] = PetscMax(patch[2], p->j_global), window[3] = PetscMin(patch[3], p->j_global + p->ny);
  return window[0] < window[1] && window[2] < window[3];
}

static PetscErrorCode read_own(const char stem[], const HgManifest *m, int state, long step,
                               HgState q) {
  PetscErrorCode ierr = 0;
  for (int l = 0; !ierr && l < m->ranks; l++) {
    const HgPiece *p = &m->piece[state * m->ranks + l];
    char why[256], *bytes;
    int window[4];
    if (!overlap(HgStateMesh(q), p->patch, window)) continue;
    ierr = bytes_of(stem, m, state, l, &bytes);
    if (ierr) break;
    if (!HgImageRead((unsigned char *)bytes, p->bytes, step, window, q, why, sizeof why))
      ierr = HgError(PETSC_COMM_SELF, HG_ERR_FILE_FORMAT, "'%s%s': %s", stem, p->name, why);
    PetscCall(PetscFree(bytes));
  }
  return ierr;
}

PetscErrorCode HgGenerationRead(const char stem[], const HgManifest *m, int state, long step,
                                HgState q) {
  HgErrorHold(true);
  PetscCall(agree(HgMeshComm(HgStateMesh(q)), read_own(stem, m, state, step, q)));
  for (int l = 0; l < HgStateCount(q); l++)
    if (HgStateVariable(q, l)->kind == HG_FIELD) HgStateSetGhostDepth(q, l, 0);
  return 0;
}
