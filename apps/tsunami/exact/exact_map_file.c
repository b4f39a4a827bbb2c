/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of a map: exact_map.h. */
#include "exact_map.h"
#include <halograd/results.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const name = "exact";

/* Of the head: which sea, box and readings the map is of. */
enum {
  NX,
  NY,
  UNKNOWNS,
  READINGS,
  GAUGES,
  DT,
  H1,
  TIKHONOV,
  NOISE,
  SLIP,
  SEA,
  SEA_LOW,
  SOURCE,
  SOURCE_LOW
};

/* Digests are numbers of 64 bits: two halves that doubles hold. */
static void set_digest(const char hex[17], double half[2]) {
  const unsigned long long all = strtoull(hex, NULL, 16);
  half[0] = (double)(all >> 32), half[1] = (double)(all & 0xffffffffu);
}

static PetscErrorCode fill_head(const ExactSource *s, double head[]) {
  char hex[17];
  const HgMeshSpec *m = HgMeshGetSpec(s->sea->mesh);
  head[NX] = m->nx, head[NY] = m->ny, head[DT] = HgProgramTimeStep(s->sea->program);
  head[SLIP] = s->slip != NULL, head[UNKNOWNS] = s->count;
  PetscCall(HgStateDigest(s->sea->x, NULL, hex));
  set_digest(hex, &head[SEA]);
  if (s->slip) PetscCall(HgStateDigest(s->slip->units, NULL, hex));
  else PetscCall(HgStateDigest(s->surface->factors, "box", hex));
  set_digest(hex, &head[SOURCE]);
  return 0;
}

PetscErrorCode ExactMapWrite(const ExactSource *source, const HgObservations *o,
                             const char folder[], ExactMap *map) {
  const ExactBox *box = &source->box;
  HgResults results;
  PetscCall(fill_head(source, map->head));
  map->head[READINGS] = map->readings, map->head[GAUGES] = map->gauges;
  map->head[H1] = map->prior.h1, map->head[TIKHONOV] = map->prior.tikhonov;
  map->head[NOISE] = map->prior.noise;
  PetscCall(PetscArraycpy(map->gauge_east, o->x, map->gauges));
  PetscCall(PetscArraycpy(map->gauge_north, o->y, map->gauges));
  PetscCall(PetscArraycpy(map->a, box->a, box->cells));
  PetscCall(PetscArraycpy(map->east, box->east, box->cells));
  PetscCall(PetscArraycpy(map->north, box->north, box->cells));
  PetscCall(HgResultsCreate(source->sea->mesh, folder, name, "from the source to all readings",
                            &results));
  PetscCall(HgResultsWrite(results, 0, map->state, NULL));
  return HgResultsClose(&results);
}

/* ---- reading ---- */

/* The file; error: there is none. */
static PetscErrorCode find(MPI_Comm comm, const char folder[], size_t size, char path[]) {
  int rank, there = 0;
  snprintf(path, size, "%s/%s.h5", folder, name);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) there = !access(path, F_OK);
  PetscCallMPI(MPI_Bcast(&there, 1, MPI_INT, 0, comm));
  HgRequire(comm, there, HG_ERR_FILE_READ,
            "option -online '%s': there is no file '%s', expected a folder that -precompute has "
            "written",
            folder, path);
  return 0;
}

/* Is it of this sea and source? */
static PetscErrorCode require_head(const ExactSource *s, const char path[],
                                   double head[EXACT_HEAD]) {
  const HgVariable variable = {"head", "1", HG_REPLICATED, EXACT_HEAD};
  const MPI_Comm comm = HgMeshComm(s->sea->mesh);
  double here[EXACT_HEAD] = {0};
  HgState state;
  PetscCall(HgStateCreate(s->sea->mesh, 1, &variable, &state));
  PetscCall(HgResultsRead(state, path, 0, NULL));
  PetscCall(PetscArraycpy(head, HgStateArray(state, 0), EXACT_HEAD));
  PetscCall(HgStateDestroy(&state));
  PetscCall(fill_head(s, here));
  HgRequire(
      comm,
      head[NX] == here[NX] && head[NY] == here[NY] && head[DT] == here[DT] &&
          head[SEA] == here[SEA] && head[SEA_LOW] == here[SEA_LOW],
      HG_ERR_FILE_MISMATCH,
      "file '%s': it is of another sea, of %g x %g cells and steps of %g s, expected this one "
      "of %g x %g and %g s, with the same floor, sponge and shores",
      path, head[NX], head[NY], head[DT], here[NX], here[NY], here[DT]);
  HgRequire(comm, head[SLIP] == here[SLIP], HG_ERR_FILE_MISMATCH,
            "file '%s': it is of %s as the source, expected -source %s with it", path,
            head[SLIP] > 0 ? "slip" : "a surface", head[SLIP] > 0 ? "slip" : "surface");
  HgRequire(comm, head[SOURCE] == here[SOURCE] && head[SOURCE_LOW] == here[SOURCE_LOW],
            HG_ERR_FILE_MISMATCH,
            "file '%s': it is of another source, of %g %s, expected the same %s", path,
            head[UNKNOWNS], s->slip ? "subfaults" : "cells",
            s->slip ? "-subfaults and -vertical_motion"
                    : "-box_west, -box_east, -box_south and -box_north");
  return 0;
}

/* Is it of these gauges and readings? */
static PetscErrorCode require_readings(const TohokuGauges *g, const HgObservations *o,
                                       const ExactReadings *readings, const char path[],
                                       const ExactMap *map) {
  for (int k = 0; k < map->gauges; k++)
    HgRequire(PETSC_COMM_WORLD, map->gauge_east[k] == o->x[k] && map->gauge_north[k] == o->y[k],
              HG_ERR_FILE_MISMATCH,
              "file '%s': its gauge %d stands at %g E, %g N, expected gauge '%s' at %g E, %g N",
              path, k + 1, map->gauge_east[k], map->gauge_north[k], g->gauge[k].name, o->x[k],
              o->y[k]);
  for (int r = 0; r < map->readings; r++)
    HgRequire(
        PETSC_COMM_WORLD,
        map->gauge[r] == readings->gauge[r] && map->time[r] == readings->time[r] &&
            map->sigma[r] == readings->sigma[r],
        HG_ERR_FILE_MISMATCH,
        "file '%s': its reading %d is that of gauge %g %g s after the source with sigma %g m, "
        "expected %d, %g s and %g m, as -gauges, -windows and -tau say",
        path, r + 1, map->gauge[r] + 1, map->time[r], map->sigma[r], readings->gauge[r] + 1,
        readings->time[r], readings->sigma[r]);
  return 0;
}

PetscErrorCode ExactMapRead(ExactSource *source, const TohokuGauges *g, const HgObservations *o,
                            const ExactReadings *readings, const char folder[], ExactMap *map) {
  char path[HG_PATH_SIZE + 16];
  double head[EXACT_HEAD];
  PetscCall(find(PETSC_COMM_WORLD, folder, sizeof path, path));
  PetscCall(require_head(source, path, head));
  HgRequire(PETSC_COMM_WORLD, head[READINGS] == readings->count && head[GAUGES] == readings->gauges,
            HG_ERR_FILE_MISMATCH,
            "file '%s': it is of %g readings of %g gauges, expected the %d of %d that -gauges and "
            "-windows have",
            path, head[READINGS], head[GAUGES], readings->count, readings->gauges);
  PetscCall(ExactMapCreate(source, readings->count, readings->gauges, map));
  PetscCall(HgResultsRead(map->state, path, 0, NULL));
  PetscCall(require_readings(g, o, readings, path, map));
  map->prior = (ExactPrior){head[H1], head[TIKHONOV], head[NOISE]};
  return PetscArraycpy(source->box.a, map->a, source->box.cells);
}
