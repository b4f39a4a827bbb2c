/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: an evaluation's manifest with a right digest that names more images than there are, as
   many as it may or lines that are none is refused in one sentence, in a time that grows with its
   length. */
#include "claim.h"
#include "refusal.h"
#include <halograd/file_library.h>
#include <halograd/inversion_library.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char head[] = "0 J 0x1p+0 at 0123456789abcdef gradient 0123456789abcdef pieces ";

/* `lines` times `line` and a name, after a head of `pieces`, with its digest. */
static PetscErrorCode write_manifest(int version, const char pieces[], int lines,
                                     const char line[]) {
  const size_t room = strlen(head) + strlen(pieces) + (size_t)lines * (strlen(line) + 24) + 64;
  char *const text = malloc(room), *at = text;
  at += sprintf(at, "halograd evaluation %d\n%s%s\n", version, head, pieces);
  for (int k = 0; k < lines; k++) at += sprintf(at, "%s -rank-%d.h5\n", line, k);
  at += sprintf(at, "end %016llx\n", (unsigned long long)XXH3_64bits(text, (size_t)(at - text)));
  const PetscErrorCode ierr =
      HgFileWrite(PETSC_COMM_WORLD, "crafted/evaluation-0.txt", text, (size_t)(at - text));
  free(text);
  return ierr;
}

/* The journal finds no evaluation in it, and says why. */
static PetscErrorCode refused(HgState m, int version, const char pieces[], int lines,
                              const char line[], const char part[]) {
  const double seconds = 5;
  char text[2048];
  HgJournal journal;
  PetscCall(write_manifest(version, pieces, lines, line));
  const clock_t start = clock();
  const Said said = said_begin();
  PetscCall(HgJournalCreate(m, MPI_COMM_NULL, "crafted", &journal));
  const int told = said_end(said, text, sizeof text);
  claim_at_most((double)(clock() - start) / CLOCKS_PER_SEC, seconds, "%d lines of images", lines);
  claim_that(told == 1 && (claim.rank || strstr(text, part)), "%d sentences, '%s', expected '%s'",
             told, text, part);
  claim_that(!HgJournalFound(journal), "%s images: %d evaluations found", pieces,
             HgJournalFound(journal));
  return HgJournalDestroy(&journal);
}

static PetscErrorCode run(void) {
  static const char good[] = "0 2 0 2 16 0123456789abcdef", other[] = "is not what was written";
  const HgVariable variable = {"m", "K", HG_FIELD, 0};
  const HgMeshSpec spec = {.nx = 8, .ny = 8, .dx = 1, .dy = 1, .ghost = 1};
  char longer[256];
  HgMesh mesh;
  HgState m;
  memset(longer, ' ', sizeof longer);
  snprintf(longer + 200, sizeof longer - 200, "%s", good);
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &variable, &m));
  PetscCall(HgDirectoryCreate(PETSC_COMM_WORLD, "crafted"));
  PetscCall(refused(m, 2, "1048576", 1 << 20, good, "evaluation-0-rank-0.h5': No such file"));
  PetscCall(refused(m, 2, "1048577", (1 << 20) + 1, good, other));
  PetscCall(refused(m, 2, "1048576", 1, good, other));
  PetscCall(refused(m, 2, "2", 1, good, other));
  PetscCall(refused(m, 1, "1", 1, good, "has format 1, of another version of halograd"));
  PetscCall(refused(m, 2, "0", 0, good, other));
  PetscCall(refused(m, 2, "-1", 1, good, other));
  PetscCall(refused(m, 2, "99999999999999999999", 1, good, other));
  PetscCall(refused(m, 2, "1", 1, "0 2 0 2 16 0123456789abcdef rest", other));
  PetscCall(refused(m, 2, "1", 1, "0 2 0 2 16 0123456789abcdef -rank-1.h5\n#", other));
  PetscCall(refused(m, 2, "1", 1, "0 2 0 2 18446744073709551615 0123456789abcdef", other));
  PetscCall(refused(m, 2, "1", 1, "0 2 0 2 99999999999999999999999 0123456789abcdef", other));
  PetscCall(refused(m, 2, "1", 1, "0 2 0 2 16", other));
  PetscCall(refused(m, 2, "1", 1, longer, other));
  return DESTROY(&m, &mesh);
}

CLAIM("crafted manifests are refused, soon", 0, run)
