/* -doctor, for applications that hand over J, and for those that only make gradients: see run.h. */
#include <halograd/run_library.h>

struct HgRunDoctor_s {
  HgRun run;
  const char *output; /* folder for what does not fit into memory */
  bool asked, done, running;
};

PetscErrorCode HgRunDoctorCreate(HgRun run, const char output[], HgRunDoctorWatch *doctor) {
  PetscCall(PetscNew(doctor));
  (*doctor)->run = run, (*doctor)->output = output;
  return 0;
}

PetscErrorCode HgRunDoctorDestroy(HgRunDoctorWatch *doctor) {
  HgRunDoctorWatch d = *doctor;
  *doctor = NULL;
  if (!d) return 0;
  return PetscFree(d);
}

void HgRunDoctorAsk(HgRunDoctorWatch d, bool asked) { d->asked = asked; }

bool HgRunDoctorWaits(HgRunDoctorWatch d) { return d->asked && !d->done && !d->running; }

PetscErrorCode HgRunDoctor(HgRun run, HgOperator J, HgState m, int bounds,
                           const HgCheckBound bound[]) {
  const HgRunDoctorWatch d = HgRunDoctors(run);
  const HgCheckOptions options = {.bounds = bounds, .bound = bound, .directory = d->output};
  bool sound;
  if (!d->asked) return 0;
  HgRunPause(run, true);
  d->running = true;
  PetscCall(HgCheckGradient(J, m, &options, &sound));
  d->running = false, d->done = true;
  HgRunPause(run, false);
  HgRequire(PETSC_COMM_WORLD, sound, "%s: the doctor has found what is wrong, see above",
            HgRunName(run));
  return 0;
}

/* ---- the first gradient of an application that hands over nothing ---- */
typedef struct {
  HgRunDoctorWatch doctor;
  HgTrajectory trajectory;
  HgState x; /* where the gradient under way began */
} Watch;

static long next(void *self, HgMode direction, long n) {
  const Watch *w = self;
  return w->x && direction == HG_PRIMAL && n == 0 ? 0 : HG_NO_STEP;
}

static PetscErrorCode begin(void *self, HgMode run) {
  Watch *w = self;
  if (run != HG_COTANGENT || w->x || !HgRunDoctorWaits(w->doctor)) return 0;
  return HgProgramCreateInput(HgTrajectoryProgram(w->trajectory), &w->x);
}

static PetscErrorCode see(void *self, const HgTrajectorySight *s) {
  Watch *w = self;
  for (int k = 0; k < HgStateCount(w->x); k++) {
    const char *const name = HgStateVariable(w->x, k)->name;
    const int l = HgStateFind(s->q, name);
    if (l >= 0) PetscCall(HgStateCopyVariable(s->q, l, w->x, k));
    else PetscCall(HgStateCopyVariable(s->constants, HgStateFind(s->constants, name), w->x, k));
  }
  return 0;
}

static PetscErrorCode end(void *self, HgMode run, double J) {
  Watch *w = self;
  HgState x = w->x;
  HgOperator op;
  (void)run;
  if (!x) return 0;
  w->x = NULL;
  PetscCall(HgTrajectoryOperator(w->trajectory, &op));
  PetscCall(HgRunDoctor(w->doctor->run, op, x, 0, NULL));
  PetscCall(HgOperatorDestroy(&op));
  HgRunPause(w->doctor->run, true);
  PetscCall(HgTrajectoryValue(w->trajectory, x, &J)); /* q_N is again that of x */
  HgRunPause(w->doctor->run, false);
  return HgStateDestroy(&x);
}

static void leave(void *self) {
  Watch *w = self;
  (void)PetscFree(w);
}

PetscErrorCode HgRunDoctorAttach(HgRunDoctorWatch doctor, HgTrajectory trajectory) {
  Watch *w;
  if (!doctor->asked) return 0;
  PetscCall(PetscNew(&w));
  w->doctor = doctor, w->trajectory = trajectory;
  return HgTrajectoryAddObserver(
      trajectory,
      &(HgTrajectoryObserver){
          .next = next, .see = see, .begin = begin, .end = end, .leave = leave, .context = w});
}
