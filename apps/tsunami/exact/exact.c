/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact.h"
#include "exact_evidence.h"
#include "exact_rows.h"
#include "tohoku_compare.h"
#include <halograd/results.h>
#include <math.h>

const double ExactBand = 1.959964;

PetscErrorCode ExactOptions(HgRun run, Exact *e) {
  static const char *const priors[] = {"hand", "auto"};
  const HgOptions o = HgRunOptions(run);
  *e = (Exact){.run = run, .until = 1e6};
  PetscCall(HgOptionsGroup(o, "Exact posterior"));
  PetscCall(HgOptionsString(
      o, "-precompute",
      "compute the map from the source to all readings into this folder, for -online",
      sizeof e->precompute, e->precompute));
  PetscCall(HgOptionsChoice(o, "-prior",
                            "with -precompute, how -h1 and -tikhonov are chosen: by hand, or by "
                            "the evidence of the readings (auto)",
                            2, priors, &e->prior));
  PetscCall(HgOptionsString(
      o, "-online",
      "find the source and its uncertainty with the map in this folder of -precompute",
      sizeof e->online, e->online));
  return HgOptionsReal(o, "-until",
                       "with -online, use readings up to this time after the origin time", "min",
                       "[0, 1e6]", &e->until);
}

bool ExactAsked(const Exact *e) { return e->precompute[0] || e->online[0]; }

PetscErrorCode ExactRefuse(const Exact *e, const TohokuEvent *event) {
  static const char *const none[] = {"-until", NULL}, *const chosen[] = {"-prior", NULL},
                           *const iterates[] = {"-tolerance",    "-iterations", "-resume",
                                                "-posterior",    "-newton",     "-huber",
                                                "-correlation",  "-relative",   "-prior_deviation",
                                                "-prior_mean",   "-tv",         "-discrepancy",
                                                "-precondition", "Recording",   "-leave_out",
                                                "-shape",        "-envelope",   "-evidence",
                                                "-student",      NULL},
                           *const film[] = {"-frames", NULL},
                           *const bounds[] = {"-largest_slip", NULL},
                           *const prior[] = {"-h1",
                                             "-tikhonov",
                                             "-prior_radius",
                                             "-prior_power",
                                             "-prior_longitude",
                                             "-prior_latitude",
                                             "-slip_tikhonov",
                                             "Checkpoints",
                                             NULL};
  const HgOptions o = HgRunOptions(e->run);
  const char *const with = e->online[0] ? "with -online" : "with -precompute";
  if (!e->online[0]) PetscCall(HgOptionsRefuse(o, "without -online", none));
  if (!e->precompute[0]) PetscCall(HgOptionsRefuse(o, "without -precompute", chosen));
  if (!ExactAsked(e)) return 0;
  HgRequire(PETSC_COMM_WORLD, !(e->online[0] && e->precompute[0]), HG_ERR_OPTION_CONFLICT,
            "option -online: given with -precompute, expected one run for each");
  HgRequire(PETSC_COMM_WORLD, !event->forward && !e->slip->onsets && !e->sea->nonlinear,
            HG_ERR_OPTION_CONFLICT,
            "option %s: expected an inversion that is linear: no -forward, -chile, -onsets or "
            "-physics nonlinear",
            e->online[0] ? "-online" : "-precompute");
  HgRequire(PETSC_COMM_WORLD, !e->common->check && !e->common->doctor, HG_ERR_OPTION_CONFLICT,
            "option %s: given %s, expected an inversion", e->common->check ? "-check" : "-doctor",
            with);
  PetscCall(HgOptionsRefuse(o, with, iterates));
  PetscCall(HgOptionsRefuse(o, with, bounds));
  return HgOptionsRefuse(o, with, e->online[0] ? prior : film);
}

static const char *gauges_of(const ExactMap *map) { return map->gauges == 1 ? "gauge" : "gauges"; }

/* ---- in advance ---- */

static ExactPrior prior_by_hand(const Exact *e) {
  const bool slip = e->slip->sought;
  return (ExactPrior){slip ? 0 : e->inverse->h1, slip ? e->slip->weight : e->inverse->tikhonov, 1};
}

/* All that follows from G under the prior; the one by hand is told beside that by evidence. */
static PetscErrorCode follow(const Exact *e, const ExactSource *source,
                             const ExactReadings *readings, ExactMap *map) {
  ExactPrior prior = prior_by_hand(e);
  PetscCall(ExactMapFactor(source, readings, &prior, map));
  PetscCall(ExactTellPrior(e, source, true, map, readings));
  if (e->prior == EXACT_PRIOR_HAND) return 0;
  PetscCall(ExactEvidenceMaximise(source, readings, map->G, &prior));
  PetscCall(ExactMapFactor(source, readings, &prior, map));
  return ExactTellPrior(e, source, false, map, readings);
}

static PetscErrorCode precompute(const Exact *e, const ExactSource *source,
                                 const ExactReadings *readings) {
  const double start = MPI_Wtime();
  const ExactPrior prior = prior_by_hand(e);
  double norm = 0, reversed;
  ExactMap map;
  PetscCall(ExactSourceRequireProper(source, &prior));
  PetscCall(ExactMapCreate(source, readings->count, readings->gauges, &map));
  PetscCall(
      ExactRowsRun(e->run, e->common, e->sea, e->gauges, e->observations, readings, source, map.G));
  reversed = MPI_Wtime();
  PetscCall(follow(e, source, readings, &map));
  PetscCall(ExactMapWrite(source, e->observations, e->precompute, &map));
  for (size_t k = 0; k < (size_t)map.readings * (size_t)map.unknowns; k++)
    norm += map.G[k] * map.G[k];
  norm = sqrt(norm);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "map from %d %s to %d readings of %d %s in %s/exact.h5: %.3g s for "
                        "the reversed runs, %.3g s for what follows from them\n",
                        map.unknowns, source->slip ? "subfaults" : "cells", map.readings,
                        map.gauges, gauges_of(&map), e->precompute, reversed - start,
                        MPI_Wtime() - reversed));
  PetscCall(HgReportSetReal(HgRunReport(e->run), "exact.norm", norm));
  PetscCall(HgRunDigest(e->run, norm, NULL, map.state, e->common->digest));
  PetscCall(ExactMapDestroy(&map));
  return HgRunFinish(e->run, e->common, "the map is written");
}

/* ---- once readings come ---- */

static PetscErrorCode write_results(const Exact *e, HgState source, HgState deviation,
                                    HgState before) {
  const struct {
    HgState state;
    const char *as, *text;
  } all[] = {{source, "source", "surface at the start, mean"},
             {deviation, "eta_deviation", "standard deviation of the surface at the start"},
             {before, "eta_deviation_prior", "standard deviation before the data"}};

  HgResults results;
  PetscCall(
      HgResultsCreate(e->sea->mesh, e->common->output, "tohoku_inverse", "tsunami", &results));
  PetscCall(HgResultsWriteConstant(results, e->sea->floor, "b", NULL, "elevation"));
  for (int k = 0; k < (int)(sizeof all / sizeof *all); k++)
    PetscCall(HgResultsWriteConstant(results, all[k].state, "eta", all[k].as, all[k].text));
  PetscCall(HgResultsWrite(results, 0, source, NULL));
  return HgResultsClose(&results);
}

/* How the gauges fit; the source's size and likeness. */
static PetscErrorCode tell_source(const Exact *e, const ExactKnown *known, HgState source) {
  const HgObservations *o = e->observations;
  double *fitted, ratio;
  int r = 0;
  PetscCall(PetscMalloc1((size_t)o->times * (size_t)o->sensors, &fitted));
  for (int at = 0; at < o->times * o->sensors; at++)
    fitted[at] = e->gauges->seen[at] ? known->predicted[r++] : NAN;
  PetscCall(TohokuGaugesFit(e->run, e->gauges, o, fitted, &ratio));
  PetscCall(TohokuGaugesPeaks(e->run, e->gauges, o, fitted));
  PetscCall(TohokuSourceTell(e->run, e->source, source, "source", ""));
  if (known->readings) PetscCall(TohokuCompare(e->run, e->source, e->slip, source));
  return PetscFree(fitted);
}

static PetscErrorCode show(const Exact *e, const ExactSource *source, const ExactMap *map,
                           const ExactReadings *readings, ExactKnown *known) {
  HgState surface, deviation, before;
  PetscCall(ExactSourceSurface(source, known->source, &surface));
  PetscCall(ExactSourceDeviation(source, known->readings, map->X, map->before, &deviation));
  PetscCall(ExactSourceDeviation(source, 0, NULL, map->before, &before));
  PetscCall(tell_source(e, known, surface));
  PetscCall(write_results(e, surface, deviation, before));
  PetscCall(ExactPicture(e, source, map, readings, known));
  PetscCall(ExactFilm(e, source, map, readings, known->readings));
  PetscCall(HgRunDigest(e->run, known->J, NULL, surface, e->common->digest));
  PetscCall(HgStateDestroy(&before));
  PetscCall(HgStateDestroy(&deviation));
  return HgStateDestroy(&surface);
}

static PetscErrorCode online(const Exact *e, ExactSource *source, const ExactReadings *readings) {
  const int count = ExactReadingsUntil(readings, 60 * e->until - e->gauges->tau);
  ExactMap map;
  ExactKnown known;
  double start = MPI_Wtime(), read, took;
  PetscCall(ExactMapRead(source, e->gauges, e->observations, readings, e->online, &map));
  read = MPI_Wtime() - start;
  PetscCall(ExactKnownCreate(&map, &known));
  start = MPI_Wtime();
  PetscCall(ExactKnownUpdate(&map, readings, count, &known));
  if (count == map.readings) PetscCall(ExactKnownLeaveOut(&map, readings, &known));
  took = MPI_Wtime() - start;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%d of %d readings of %d %s: posterior in %.3g ms, after %.3g ms to "
                        "read the map\n",
                        count, map.readings, map.gauges, gauges_of(&map), 1e3 * took, 1e3 * read));
  PetscCall(HgReportSetReal(HgRunReport(e->run), "exact.seconds", took));
  PetscCall(HgReportSetReal(HgRunReport(e->run), "exact.read_seconds", read));
  PetscCall(ExactTell(e, source, &map, readings, &known));
  PetscCall(show(e, source, &map, readings, &known));
  PetscCall(ExactKnownDestroy(&known));
  PetscCall(ExactMapDestroy(&map));
  return HgRunFinish(e->run, e->common, "the posterior is exact");
}

PetscErrorCode ExactRun(const Exact *e) {
  ExactSource source;
  ExactReadings readings;
  PetscCall(HgOptionsCheckUnused(HgRunOptions(e->run)));
  PetscCall(ExactSourceCreate(e->sea, e->source, e->slip, &source));
  PetscCall(ExactReadingsCreate(e->gauges, e->observations, &readings));
  PetscCall(e->online[0] ? online(e, &source, &readings) : precompute(e, &source, &readings));
  PetscCall(ExactReadingsDestroy(&readings));
  return ExactSourceDestroy(&source);
}
