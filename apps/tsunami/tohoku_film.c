/* SPDX-License-Identifier: BSD-2-Clause */
#include "tohoku_picture.h"
#include <math.h>

static const double reach = 1; /* of the colours [m]: waves on the way, not the source */

PetscErrorCode TohokuFilmOptions(HgRun run, TohokuFilm *f) {
  const HgOptions o = HgRunOptions(run);
  bool wanted = false;
  *f = (TohokuFilm){.interval = 60};
  PetscCall(HgOptionsGroup(o, "Film"));
  PetscCall(HgOptionsFlag(
      o, "-frames",
      "write a PNG of the waves every -interval, and print the ffmpeg command that makes a film",
      &wanted));
  PetscCall(
      HgOptionsReal(o, "-interval", "model time between frames", "s", "(0, inf)", &f->interval));
  f->wanted = wanted;
  return wanted ? 0
                : HgOptionsRefuse(o, "without -frames", (const char *const[]){"-interval", NULL});
}

PetscErrorCode TohokuFilmStart(TohokuFilm *f, const char directory[], const TohokuSea *sea,
                               const HgObservations *gauges, double tau) {
  const double dt = HgProgramTimeStep(sea->program), steps = f->interval / dt;
  if (!f->wanted) return 0;
  HgRequire(HgMeshComm(sea->mesh), steps >= 1 && steps < 1e9 && steps == floor(steps),
            HG_ERR_OPTION_RANGE, "option -interval: %g s, expected whole steps of %g s",
            f->interval, dt);
  f->sea = sea, f->gauges = gauges, f->tau = tau, f->every = (long)steps;
  return HgAnimationCreate(HgMeshComm(sea->mesh), directory, "tohoku_inverse", &f->animation);
}

PetscErrorCode TohokuFilmAdd(TohokuFilm *f, long n, HgState q) {
  char title[64];
  HgState shown;
  if (!f->animation || n % f->every) return 0;
  snprintf(title, sizeof title, "%.1f minutes after the earthquake",
           (f->tau + (double)n * HgProgramTimeStep(f->sea->program)) / 60);
  PetscCall(TohokuMapLand(f->sea, q, &shown));
  const HgPanel panel = TohokuMapPanel(title, shown, reach, f->gauges);
  PetscCall(HgAnimationAdd(f->animation, 1, &panel));
  return HgStateDestroy(&shown);
}

static PetscErrorCode add_frame(long n, double t, HgState q, void *film) {
  (void)t;
  return TohokuFilmAdd(film, n, q);
}

PetscErrorCode TohokuFilmRun(TohokuFilm *f, HgTrajectory trajectory, HgState x) {
  double J;
  if (!f->animation) return 0;
  return HgTrajectoryWatch(trajectory, x, f->every, add_frame, f, &J);
}

PetscErrorCode TohokuFilmEnd(TohokuFilm *f) { return HgAnimationClose(&f->animation, 24); }
