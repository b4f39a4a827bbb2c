/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: topography and the still water over it have the same bits on any decomposition, and so has
   the sentence that refuses land or a hole. */
#include "refusal.h"
#include "same_bits.h"
#include <halograd/topography.h>

static const char *directory;

/* The digits of a digest of b and of h. */
static PetscErrorCode read_on(MPI_Comm comm, Layout layout, const char name[], bool periodic,
                              char text[LAYOUT_TEXT]) {
  HgMesh mesh;
  HgState q;
  char path[4096], bottom[17] = "", depth[17] = "";
  const HgMeshSpec spec = {.nx = 24,
                           .ny = 18,
                           .px = layout.px,
                           .py = layout.py,
                           .x0 = 500,
                           .y0 = 300,
                           .dx = 47,
                           .dy = 39,
                           .ghost = 1,
                           .periodic_x = periodic};
  const HgVariable variables[] = {{"b", "m", HG_FIELD, 0}, {"h", "m", HG_FIELD, 0}};
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 2, variables, &q));
  snprintf(path, sizeof path, "%s/%s", directory, name);
  const Said said = said_begin();
  PetscErrorCode ierr = HgTopographyRead(q, "b", path, NULL);
  if (!ierr) ierr = HgTopographyStillWater(q, "b", -500, 10, "h");
  if (!ierr) ierr = HgStateDigest(q, "b", bottom);
  if (!ierr) ierr = HgStateDigest(q, "h", depth);
  memset(text, 0, LAYOUT_TEXT);
  said_here(said, text, LAYOUT_TEXT); /* one rank speaks, the others say nothing */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, text, LAYOUT_TEXT, MPI_UNSIGNED_CHAR, MPI_MAX, comm));
  claim_that(!ierr == !strncmp(name, "deep", 4), "'%s' %s", name, ierr ? text : "is accepted");
  if (!ierr) snprintf(text, LAYOUT_TEXT, "%s %s", bottom, depth);
  return DESTROY(&q, &mesh);
}

static const char *const files[] = {"deep.tt3", "deep.nc", "deep_xy.nc",
                                    "yx_.nc",   "hole.nc", "hole.asc"};

/* seed: which file, and whether x is periodic */
static PetscErrorCode run_on(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  return read_on(comm, layout, files[seed / 2], seed % 2, text);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  claim_begin("topography has the same bits on any decomposition", 0);
  directory = argv[1];
  for (long k = 0; !ierr && k < 2 * (long)(sizeof files / sizeof *files); k++)
    ierr = expect_same_on_layouts(files[k / 2], run_on, k);
  return claim_end(ierr);
}
