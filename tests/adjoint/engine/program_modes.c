/* Streaming past the cache and overlapping messages with work change no bit of J, gradient and
   final state. */
#include "claim.h"
#include "heat_case.h"
#include "trajectory_claims.h"

static PetscErrorCode run(const HeatSpec *spec, bool stream, bool overlap, char text[256]) {
  HeatCase c;
  PetscCall(PetscOptionsSetValue(NULL, "-hg_stream", stream ? "1" : "0"));
  PetscCall(PetscOptionsSetValue(NULL, "-hg_overlap", overlap ? "1" : "0"));
  PetscCall(heat_create(PETSC_COMM_WORLD, spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
  return heat_destroy(&c);
}

static PetscErrorCode test(void) {
  for (int walls = 0; walls < WALLS;
       walls++) { /* wide enough for several segments, patches thick enough to overlap */
    const HeatSpec spec = {.nx = 5003,
                           .ny = 4 * 66,
                           .py = 0,
                           .steps = 3,
                           .walls = (Walls)walls,
                           .conservative = walls % 2,
                           .snapshot = true,
                           .policy = HG_SCHEDULE_STORE_ALL,
                           .slots = 3};
    char plain[256], text[256];
    PetscCall(run(&spec, false, false, plain));
    for (int mode = 1; mode < 4; mode++) {
      PetscCall(run(&spec, mode & 1, mode & 2, text));
      claim_that(!strcmp(text, plain), "walls %d, stream %d, overlap %d: '%s', plainly '%s'", walls,
                 mode & 1, mode >> 1, text, plain);
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("streaming and overlapping change no bit", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
