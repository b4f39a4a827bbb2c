#include "tohoku_slip.h"
#include <halograd/parametrisation.h>
#include <math.h>
#include <string.h>

static const double rigidity = 40e9; /* [Pa] */

PetscErrorCode TohokuSlipOptions(HgRun run, const TohokuEvent *event, TohokuSlip *s) {
  static const char *const sources[] = {"surface", "slip"};
  const HgOptions o = HgRunOptions(run);
  *s = (TohokuSlip){.largest = 100, .weight = 0.01};
  if (!HgOptionsGiven(o, "-topography"))
    PetscCall(HgRunDataPath(event->subfaults, sizeof s->file, s->file));
  PetscCall(HgOptionsGroup(o, "Subfaults"));
  PetscCall(HgOptionsPath(o, "-subfaults", "text table of subfaults and their published slip",
                          sizeof s->file, s->file));
  PetscCall(HgOptionsChoice(o, "-source", "what is sought", 2, sources, &s->sought));
  PetscCall(HgOptionsFlag(o, "-vertical_motion",
                          "of the floor alone; slopes that move sideways lift nothing",
                          &s->vertical));
  PetscCall(HgOptionsReal(o, "-largest_slip", "of a subfault", "m", "(0, 1000]", &s->largest));
  return HgOptionsReal(o, "-slip_tikhonov", "weight of its square", "1/m^2", "[0, inf)",
                       &s->weight);
}

static PetscErrorCode create_units(HgMesh mesh, const HgSubfaults *faults, HgState *units) {
  HgVariable *fields;
  PetscCall(PetscMalloc1(faults->count, &fields));
  for (int k = 0; k < faults->count; k++)
    fields[k] = (HgVariable){faults->fault[k].name, "1", HG_FIELD, 0};
  PetscCall(HgStateCreate(mesh, faults->count, fields, units));
  return PetscFree(fields);
}

PetscErrorCode TohokuSlipCreate(HgRun run, const TohokuEvent *event, const TohokuSea *sea,
                                const TohokuSource *source, TohokuSlip *s) {
  static const HgVariable surface = {"eta", "m", HG_FIELD, 0};
  HgRequire(PETSC_COMM_WORLD, s->file[0] || !(event->forward || s->sought),
            "option %s: expected a file of subfaults, -subfaults, for a sea of your own",
            event->forward ? "-forward" : "-source slip");
  if (!s->file[0]) return 0;

  PetscCall(HgSubfaultsRead(PETSC_COMM_WORLD, s->file, &s->faults));
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

PetscErrorCode TohokuSlipSeek(const TohokuSlip *s, HgProblem problem) {
  const HgRegularisation small = {.control = "slip", .alpha = s->weight};
  HgOperator uplift;
  PetscCall(HgParametrisationBasis(s->units, "slip", "m", "eta", "m", &uplift));
  PetscCall(HgProblemControl(problem, "eta", uplift));
  PetscCall(HgOperatorDestroy(&uplift));
  PetscCall(HgProblemBound(problem, "slip", 0, s->largest));
  return HgProblemRegularise(problem, &small);
}

/* Moment and magnitude, in words. */
static double tell_moment(const char what[], const HgSubfaults *f, const double slip[]) {
  const double moment = HgSubfaultsMoment(f, rigidity, slip);
  int top = 0;
  for (int k = 1; k < f->count; k++)
    if (slip[k] > slip[top]) top = k;
  (void)PetscPrintf(PETSC_COMM_WORLD,
                    "%s: moment %.3g N m, magnitude %.2f at 40 GPa, most of it %.1f m on %s\n",
                    what, moment, (log10(moment) - 9.05) / 1.5, slip[top], f->fault[top].name);
  return moment;
}

PetscErrorCode TohokuSlipTell(HgRun run, const TohokuSlip *s, HgState controls) {
  const HgReport report = HgRunReport(run);
  const HgSubfaults *f = s->faults;
  double *published;
  int index;
  PetscCall(HgStateIndex(controls, "slip", &index));
  const double *slip = HgStateArray(controls, index);
  PetscCall(PetscMalloc1(f->count, &published));
  for (int k = 0; k < f->count; k++) published[k] = HgSubfaultsSlip(f, k, INFINITY);
  const double moment = tell_moment("slip", f, slip);
  PetscCall(HgReportSetReals(report, "slip", f->count, slip));
  PetscCall(HgReportSetReal(report, "moment", moment));
  PetscCall(
      HgReportSetReal(report, "published.moment", tell_moment("published slip", f, published)));
  return PetscFree(published);
}
