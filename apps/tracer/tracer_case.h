/* A cloud of tracer in a known flow: its mesh, program and hidden release, and data of a twin. For
   tracer_inverse. */
#ifndef TRACER_CASE_H
#define TRACER_CASE_H
#include <halograd/advection_diffusion.h>
#include <halograd/run.h>

typedef struct {
  HgMesh mesh;
  HgProgram program;
  HgState x; /* c_0 = 0, vx, vy, D */
} Tracer;

/* The largest stable step [s] on nx x ny cells. */
double TracerLargestStep(int nx, int ny);

/* The periodic unit square on a mesh `finer` times as fine as common's, its step finer^2 times as
   short. Error: cells so large that central differences give wiggles (cell Peclet number above 2).
   Collective. */
PetscErrorCode TracerCreate(const HgCommon *common, int finer, Tracer *tracer);
PetscErrorCode TracerDestroy(Tracer *tracer);

/* The release that is to be found, c_0 [kg/m^3]: a large cloud and a small one. */
double TracerHidden(double x, double y, void *unused);

/* What 8 x 8 sensors see 8 times in the second half of the run: computed on a mesh twice as fine,
   plus noise of standard deviation sigma [kg/m^3] that depends on `seed` only. Collective. */
PetscErrorCode TracerTwin(const HgCommon *common, double sigma, uint64_t seed,
                          HgObservations **data);

#endif
