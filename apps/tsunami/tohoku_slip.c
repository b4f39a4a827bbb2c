/* SPDX-License-Identifier: BSD-2-Clause */
#include "tohoku_slip.h"
#include "tohoku_rupture.h"
#include <halograd/control.h>
#include <math.h>
#include <string.h>

static const double rigidity = 40e9; /* [Pa] */

/* When subfaults slip. */
static PetscErrorCode read_onsets(HgOptions o, TohokuSlip *s) {
  PetscCall(HgOptionsFlag(o, "-onsets",
                          "also find the onset of each subfault's slip (false: all slip at -tau)",
                          &s->onsets));
  PetscCall(HgOptionsReal(o, "-rise", "how long a subfault slips", "s", "(0, 1000]", &s->rise));
  PetscCall(
      HgOptionsReal(o, "-rupture_speed",
                    "largest speed of the rupture from the epicentre; a subfault slips no earlier",
                    "m/s", "(0, 1e5]", &s->speed));
  PetscCall(HgOptionsReal(o, "-largest_delay",
                          "largest delay of a subfault after the rupture could reach it", "s",
                          "(0, 1000]", &s->longest));
  return HgOptionsReal(o, "-delay_tikhonov", "weight of the squared delays", "1/s^2", "[0, inf)",
                       &s->later);
}

PetscErrorCode TohokuSlipOptions(HgRun run, TohokuEvent *event, HgCommon *common, TohokuSlip *s) {
  static const char *const sources[] = {"surface", "slip"};
  const HgOptions o = HgRunOptions(run);
  *s = (TohokuSlip){
      .largest = 100, .weight = 0.01, .rise = 60, .speed = 3000, .longest = 180, .later = 1e-5};
  if (!HgOptionsGiven(o, "-topography"))
    PetscCall(HgRunDataPath(event->subfaults, sizeof s->file, s->file));
  PetscCall(HgOptionsGroup(o, "Subfaults"));
  PetscCall(HgOptionsString(o, "-subfaults", "text table of subfaults and their published slip",
                            sizeof s->file, s->file));
  PetscCall(HgOptionsChoice(
      o, "-source", "what to find: the uplift of the sea's surface, or the slip of subfaults", 2,
      sources, &s->sought));
  PetscCall(HgOptionsFlag(
      o, "-vertical_motion",
      "use only the vertical motion of the floor, and ignore slopes that move sideways",
      &s->vertical));
  PetscCall(HgOptionsReal(o, "-largest_slip", "largest slip of a subfault", "m", "(0, 1000]",
                          &s->largest));
  PetscCall(HgOptionsReal(o, "-slip_tikhonov", "weight of the squared slip", "1/m^2", "[0, inf)",
                          &s->weight));
  PetscCall(read_onsets(o, s));
  HgRequire(PETSC_COMM_WORLD, !s->onsets || (s->sought && !event->forward), HG_ERR_OPTION_CONFLICT,
            "option -onsets: expected -source slip, and no -forward or -chile");
  static const char *const of_slip[] = {"-largest_slip", "-slip_tikhonov", NULL},
                           *const of_onsets[] = {"-rise", "-rupture_speed", "-largest_delay",
                                                 "-delay_tikhonov", NULL};
  if (!s->file[0])
    PetscCall(HgOptionsRefuse(o, "without -subfaults on a sea of your own",
                              (const char *const[]){"-vertical_motion", NULL}));
  if (!s->sought) PetscCall(HgOptionsRefuse(o, "without -source slip", of_slip));
  if (!s->onsets) return HgOptionsRefuse(o, "without -onsets", of_onsets);
  common->steps -= (long)((event->rupture - event->tau) / common->dt);
  event->tau = event->rupture;
  return 0;
}

static PetscErrorCode find_earliest(const TohokuSea *sea, const TohokuSource *source,
                                    TohokuSlip *s) {
  const double radius = HgMeshGetSpec(sea->mesh)->radius;
  PetscCall(PetscMalloc1(s->faults->count, &s->earliest));
  for (int k = 0; k < s->faults->count; k++)
    s->earliest[k] =
        HgSubfaultDistance(&s->faults->fault[k], radius, source->longitude, source->latitude) /
        s->speed;
  return 0;
}

static PetscErrorCode create_units(HgMesh mesh, const HgSubfaults *faults, HgState *units) {
  HgVariable *fields;
  PetscCall(PetscMalloc1(faults->count, &fields));
  for (int k = 0; k < faults->count; k++)
    fields[k] = (HgVariable){faults->fault[k].name, "1", HG_FIELD, 0, false};
  PetscCall(HgStateCreate(mesh, faults->count, fields, units));
  return PetscFree(fields);
}

/* Of a subfault somewhere else the sea sees next to nothing, which would still be compared. */
static PetscErrorCode require_inside(const TohokuSea *sea, const TohokuSlip *s) {
  double end[4];
  TohokuSeaEdges(sea, end);
  const double x = 0.5 * (end[0] + end[1]), y = 0.5 * (end[2] + end[3]);
  for (int k = 0; k < s->faults->count; k++) {
    const HgSubfault *f = &s->faults->fault[k];
    HgRequire(HgMeshComm(sea->mesh),
              fabs(remainder(f->longitude - x, 360)) <= end[1] - x &&
                  fabs(f->latitude - y) <= end[3] - y,
              HG_ERR_DATA,
              "subfaults '%s': '%s' begins at %g E, %g N, expected inside the sea, %.10g to %.10g "
              "E, %.10g to %.10g N",
              s->file, f->name, f->longitude, f->latitude, end[0], end[1], end[2], end[3]);
  }
  return 0;
}

PetscErrorCode TohokuSlipCreate(HgRun run, const TohokuEvent *event, const TohokuSea *sea,
                                const TohokuSource *source, TohokuSlip *s) {
  static const HgVariable surface = {"eta", "m", HG_FIELD, 0};
  HgRequire(PETSC_COMM_WORLD, s->file[0] || !(event->forward || s->sought), HG_ERR_OPTION_CONFLICT,
            "option %s: expected a file of subfaults, -subfaults, for a sea of your own",
            !event->forward                               ? "-source slip"
            : HgOptionsGiven(HgRunOptions(run), "-chile") ? "-chile"
                                                          : "-forward");
  if (!s->file[0]) return 0;

  PetscCall(HgSubfaultsRead(PETSC_COMM_WORLD, s->file, &s->faults));
  PetscCall(require_inside(sea, s));
  PetscCall(find_earliest(sea, source, s));
  PetscCall(create_units(sea->mesh, s->faults, &s->units));
  PetscCall(HgStateCreate(sea->mesh, 1, &surface, &s->published));
  PetscCall(HgSubfaultsUplift(s->faults, sea->floor, s->vertical ? NULL : "b", sea->floor, "h",
                              s->units));
  PetscCall(TohokuSlipAdd(s, -INFINITY, INFINITY, s->published));
  return TohokuSourceTell(run, source, s->published, "published source", "published.");
}

PetscErrorCode TohokuSlipDestroy(TohokuSlip *s) {
  PetscCall(HgStateDestroy(&s->published));
  PetscCall(HgStateDestroy(&s->units));
  PetscCall(PetscFree(s->earliest));
  return HgSubfaultsDestroy(&s->faults);
}

PetscErrorCode TohokuSlipAdd(const TohokuSlip *s, double from, double to, HgState eta) {
  int index;
  PetscCall(HgStateIndex(eta, "eta", &index));
  for (int k = 0; k < s->faults->count; k++) {
    const double slip = HgSubfaultsSlip(s->faults, k, to) - HgSubfaultsSlip(s->faults, k, from);
    if (slip != 0) PetscCall(HgStateAXPYVariable(eta, index, slip, s->units, k));
  }
  HgStateSetGhostDepth(eta, index, 0);
  return 0;
}

/* ---- slip that is sought ---- */

/* The operator (slip, delay) -> state at tau. */
static PetscErrorCode create_rupture(const TohokuSlip *s, const TohokuSea *sea, double tau,
                                     HgOperator *op) {
  const TohokuRuptureSpec spec = {s->rise, s->earliest, s->units};
  const double dt = HgProgramTimeStep(sea->program), steps = tau / dt;
  double latest = 0;
  for (int k = 0; k < s->faults->count; k++)
    latest = fmax(latest, s->earliest[k] + s->longest + s->rise);
  HgRequire(
      PETSC_COMM_WORLD, tau >= latest, HG_ERR_OPTION_RANGE,
      "option -tau: %g s with -onsets, expected at least %g s, when the last subfault has slipped "
      "at the latest",
      tau, latest);
  HgRequire(PETSC_COMM_WORLD, steps == floor(steps), HG_ERR_OPTION_RANGE,
            "option -tau: %g s with -onsets, expected whole steps of %g s", tau, dt);
  return TohokuRuptureCreate(sea, &spec, (int)steps, op);
}

PetscErrorCode TohokuSlipSeek(const TohokuSlip *s, const TohokuSea *sea, double tau,
                              HgProblem problem) {
  static const char *const carried[] = {"eta", "u", "v", NULL};
  const HgRegularisation small = {.control = "slip", .alpha = s->weight},
                         soon = {.control = "delay", .alpha = s->later};
  HgOperator uplift;
  if (s->onsets) {
    PetscCall(create_rupture(s, sea, tau, &uplift));
    PetscCall(HgProblemMap(problem, uplift, carried));
    PetscCall(HgProblemBound(problem, "delay", 0, s->longest, s->rise));
    PetscCall(HgProblemRegularise(problem, &soon));
  } else {
    PetscCall(HgParametrisationBasis(s->units, "slip", "m", "eta", "m", &uplift));
    PetscCall(HgProblemControl(problem, "eta", uplift));
  }
  PetscCall(HgOperatorDestroy(&uplift));
  PetscCall(HgProblemBound(problem, "slip", 0, s->largest, 0));
  return HgProblemRegularise(problem, &small);
}

PetscErrorCode TohokuSlipCheck(const TohokuSlip *s, HgState x, HgProblem problem) {
  HgState m = HgProblemGet(problem).controls, first;
  if (!s->onsets) return HgProblemCheck(problem, x);
  PetscCall(HgStateDuplicate(m, &first));
  PetscCall(HgStateCopy(m, first));
  PetscCall(HgStateRandom(m, 1));
  double *slip = HgStateArray(m, HgStateFind(m, "slip")),
         *delay = HgStateArray(m, HgStateFind(m, "delay"));
  for (int k = 0; k < s->faults->count; k++) {
    slip[k] = fmin(1, s->largest) * (0.5 + 0.4 * slip[k]);
    delay[k] = s->longest * (0.5 + 0.4 * delay[k]);
  }
  PetscCall(HgProblemCheck(problem, x));
  PetscCall(HgStateCopy(first, m));
  return HgStateDestroy(&first);
}

PetscErrorCode TohokuSlipLifted(const TohokuSlip *s, HgState controls, HgState *lifted) {
  int index;
  PetscCall(HgStateIndex(controls, "slip", &index));
  PetscCall(HgStateDuplicate(s->published, lifted));
  for (int k = 0; k < s->faults->count; k++)
    PetscCall(HgStateAXPYVariable(*lifted, 0, HgStateArray(controls, index)[k], s->units, k));
  return 0;
}

/* ---- what was found ---- */

/* Moment and magnitude, in words. */
static double tell_moment(const char what[], const HgSubfaults *f, const double slip[]) {
  const double moment = HgSubfaultsMoment(f, rigidity, slip);
  char words[96] = "nothing slips";
  int top = 0;
  for (int k = 1; k < f->count; k++)
    if (slip[k] > slip[top]) top = k;
  if (moment > 0)
    snprintf(words, sizeof words, "magnitude %.2f at 40 GPa, most of it %.1f m on %s",
             (log10(moment) - 9.05) / 1.5, slip[top], f->fault[top].name);
  (void)PetscPrintf(PETSC_COMM_WORLD, "%s: moment %.3g N m, %s\n", what, moment, words);
  return moment;
}

/* The mean time of the moment: sum area slip (onset + rise/2) / sum area slip, 0 of no slip; of the
   published one likewise, by windows. */
static PetscErrorCode tell_onsets(HgReport report, const TohokuSlip *s, const double slip[],
                                  const double delay[]) {
  const HgSubfaults *f = s->faults;
  double moment[2] = {0, 0}, times[2] = {0, 0}, *onset;
  PetscCall(PetscMalloc1(f->count, &onset));
  for (int k = 0; k < f->count; k++) {
    const double area = f->fault[k].fault.length * f->fault[k].fault.width;
    onset[k] = s->earliest[k] + delay[k];
    moment[0] += area * slip[k];
    times[0] += area * slip[k] * (onset[k] + 0.5 * s->rise);
    for (int w = 0; w < f->windows; w++) {
      moment[1] += area * f->fault[k].slip[w];
      times[1] += area * f->fault[k].slip[w] * (f->fault[k].start + (w + 0.5) * f->window);
    }
  }
  for (int k = 0; k < 2; k++) times[k] = moment[k] != 0 ? times[k] / moment[k] : 0;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "mean time of the moment: %.0f s, published %.0f s after the origin time\n",
                        times[0], times[1]));
  PetscCall(HgReportSetReals(report, "onset", f->count, onset));
  PetscCall(HgReportSetReal(report, "moment_time", times[0]));
  PetscCall(HgReportSetReal(report, "published.moment_time", times[1]));
  return PetscFree(onset);
}

PetscErrorCode TohokuSlipTell(HgRun run, const TohokuSlip *s, HgState controls) {
  const HgReport report = HgRunReport(run);
  const HgSubfaults *f = s->faults;
  double *published;
  int index, delay;
  PetscCall(HgStateIndex(controls, "slip", &index));
  const double *slip = HgStateArray(controls, index);
  PetscCall(PetscMalloc1(f->count, &published));
  for (int k = 0; k < f->count; k++) published[k] = HgSubfaultsSlip(f, k, INFINITY);
  const double moment = tell_moment("slip", f, slip);
  PetscCall(HgReportSetReals(report, "slip", f->count, slip));
  PetscCall(HgReportSetReal(report, "moment", moment));
  PetscCall(
      HgReportSetReal(report, "published.moment", tell_moment("published slip", f, published)));
  PetscCall(PetscFree(published));
  if (!s->onsets) return 0;
  PetscCall(HgStateIndex(controls, "delay", &delay));
  return tell_onsets(report, s, slip, HgStateArray(controls, delay));
}
