/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a generation: see generation_library.h. */
#include <halograd/file_library.h>
#include <halograd/generation_library.h>
#include <string.h>

#define XXH_INLINE_ALL /* the library's copy is built for SSE2 only, half as fast */
#include <xxhash.h>

enum { PIECE_LINE = 160, LAST_LINE = 32 };

struct HgGeneration_s {
  MPI_Comm comm;
  int rank, ranks;
  HgGenerationKind kind;
  HgImage image[HG_GENERATION_STATES];
};

PetscErrorCode HgGenerationCreate(const HgGenerationKind *kind, const HgState pattern[],
                                  HgGeneration *generation) {
  HgGeneration g;
  PetscCall(PetscNew(&g));
  g->comm = HgMeshComm(HgStateMesh(pattern[0])), g->kind = *kind;
  PetscCallMPI(MPI_Comm_rank(g->comm, &g->rank));
  PetscCallMPI(MPI_Comm_size(g->comm, &g->ranks));
  PetscErrorCode ierr = 0;
  for (int k = 0; !ierr && k < kind->states; k++)
    ierr = HgImageCreate(pattern[k], kind->kept[k], &g->image[k]);
  for (int k = 0; !ierr && k < kind->states; k++) HgImageDropBuffer(g->image[k]);
  if (ierr) PetscCall(HgGenerationDestroy(&g));
  else *generation = g;
  return ierr;
}

PetscErrorCode HgGenerationDestroy(HgGeneration *generation) {
  HgGeneration g = *generation;
  *generation = NULL;
  if (!g) return 0;
  for (int k = 0; k < g->kind.states; k++) PetscCall(HgImageDestroy(&g->image[k]));
  return PetscFree(g);
}

size_t HgGenerationBytes(HgGeneration g) {
  size_t bytes = 0;
  for (int k = 0; k < g->kind.states; k++) bytes += HgImageSize(g->image[k]);
  return bytes;
}

/* Returns 0 or an errno. */
static int write_image(HgGeneration g, int k, const char path[], HgState q, long step, bool sync,
                       HgMeasuring measuring, HgPiece *own) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  HgFileDraft draft;
  uint64_t digest = 0;
  int why = HgFileDraftBegin(path, &draft);
  if (!why) HgFileDraftReserve(&draft, HgImageSize(g->image[k]));
  if (!why) why = HgImageWrite(g->image[k], q, step, draft.file, measuring, &digest);
  why = HgFileDraftEnd(&draft, why, sync);
  *own = (HgPiece){{p->i_global, p->i_global + p->nx, p->j_global, p->j_global + p->ny},
                   HgImageSize(g->image[k]),
                   digest,
                   ""};
  HgGenerationName(&g->kind, k, g->rank, own->name);
  return why;
}

/* On rank 0. Returns 0 or an errno. */
static int write_manifest(HgGeneration g, const char path[], const char line[],
                          const HgPiece piece[], size_t room, char text[], bool sync) {
  const int pieces = g->ranks * g->kind.states;
  HgFileDraft draft;
  size_t n = (size_t)snprintf(text, room, "halograd %s %d\n%s pieces %d\n", g->kind.title,
                              HG_GENERATION_FORMAT, line, pieces);
  for (int l = 0; l < pieces; l++) {
    const HgPiece *p = &piece[l];
    n += (size_t)snprintf(text + n, room - n, "%d %d %d %d %llu %016llx %s\n", p->patch[0],
                          p->patch[1], p->patch[2], p->patch[3], p->bytes, p->digest, p->name);
  }
  const unsigned long long digest = XXH3_64bits(text, n);
  n += (size_t)snprintf(text + n, room - n, "end %016llx\n", digest);
  int why = HgFileDraftBegin(path, &draft);
  if (!why) why = HgFilePiecesWrite(draft.file, &(struct iovec){text, n}, 1);
  return HgFileDraftEnd(&draft, why, sync);
}

static PetscErrorCode finish(HgGeneration g, const char stem[], const char line[],
                             const HgPiece own[], bool sync) {
  const size_t room =
      (size_t)PIECE_LINE * (size_t)(g->ranks * g->kind.states) + strlen(line) + 128 + LAST_LINE;
  char path[PETSC_MAX_PATH_LEN], *text = NULL;
  HgPiece *piece = NULL;
  int why = 0;
  if (!g->rank) {
    PetscCall(PetscMalloc1(g->ranks * g->kind.states, &piece));
    PetscCall(PetscMalloc1(room, &text));
  }
  for (int k = 0; k < g->kind.states; k++)
    PetscCallMPI(MPI_Gather(&own[k], sizeof own[k], MPI_BYTE, piece ? piece + k * g->ranks : NULL,
                            sizeof own[k], MPI_BYTE, 0, g->comm));
  snprintf(path, sizeof path, "%s.txt", stem);
  if (!g->rank) why = write_manifest(g, path, line, piece, room, text, sync);
  PetscCall(PetscFree(text));
  PetscCall(PetscFree(piece));
  return HgAgree(g->comm, why, HG_ERR_FILE_WRITE, "cannot write file '%s': %s", path,
                 HgFileReason(why));
}

PetscErrorCode HgGenerationWrite(HgGeneration g, const char stem[], const char line[], long step,
                                 const HgState state[], bool sync, const HgMeasuring measuring[]) {
  HgPiece own[HG_GENERATION_STATES];
  char path[PETSC_MAX_PATH_LEN];
  size_t bytes = 0;
  int why = 0;
  HgRequire(g->comm, strlen(stem) < HG_GENERATION_STEM && strlen(line) < HG_GENERATION_LINE,
            HG_ERR_FILE_NAME, "generation '%.80s': its name has %zu bytes, expected less than %d",
            stem, strlen(stem), HG_GENERATION_STEM);
  for (int k = 0; k < g->kind.states; k++)
    HgRequire(g->comm, HgImageFits(g->image[k], state[k]), HG_ERR_VARIABLE,
              "generation '%s': a state of other variables than those it was made for", stem);
  snprintf(path, sizeof path, "%s.txt", stem);
  PetscCall(HgFileRemove(g->comm, path)); /* of an earlier one, before its images change */
  for (int k = 0; !why && k < g->kind.states; k++) {
    char name[HG_GENERATION_NAME];
    HgGenerationName(&g->kind, k, g->rank, name);
    snprintf(path, sizeof path, "%s%s", stem, name);
    bytes = HgImageSize(g->image[k]);
    why = write_image(g, k, path, state[k], step, sync, measuring ? measuring[k] : NULL, &own[k]);
  }
  PetscCall(HgAgree(g->comm, why, HG_ERR_FILE_WRITE, "cannot write file '%s' (%zu bytes): %s", path,
                    bytes, HgFileReason(why)));
  return finish(g, stem, line, own, sync);
}
