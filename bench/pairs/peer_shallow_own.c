/* SPDX-License-Identifier: BSD-2-Clause */
/* The peer of own_shallow.h, in doubles: made from our problem, compared with it. */
#include "bench.h"
#include "own_shallow.h"
#include <halograd/program_library.h>
#include <math.h>

static const char *const names[PEER_FIELDS] = {"h", "u", "v", "h_t", "u_t", "v_t", "b", "f", "nu"};

PetscErrorCode OwnShallowPeer(const OwnShallow *o, bool uniform, PeerShallow *p) {
  const MPI_Comm comm = HgMeshComm(o->shallow.mesh);
  const HgMeshSpec *m = HgMeshGetSpec(o->shallow.mesh);
  const HgPatch *patch = HgMeshGetPatch(o->shallow.mesh);
  PetscCall(PeerShallowCreate(comm, m->nx, m->ny, p));
  PetscCall(HgAgree(comm, patch->nx != p->nx || patch->ny != p->ny, HG_ERR_CHECK_FAILED,
                    "bench: our patch is %d x %d cells, the peer's %d x %d: expected the same",
                    patch->nx, patch->ny, p->nx, p->ny));
  p->dx = m->dx, p->dy = m->dy, p->dt = HgProgramTimeStep(o->shallow.program);
  p->gravity = o->shallow.params.gravity, p->epsilon = o->shallow.params.scheme.epsilon;
  p->uniform = uniform, p->steps = o->steps;
  for (int k = 0; k < PEER_FIELDS; k++) {
    HgReal *const *from = HgStateRows(o->shallow.x, HgStateFind(o->shallow.x, names[k]));
    for (int j = 0; j < p->ny; j++) PetscCall(PetscArraycpy(p->field[k][j], from[j], p->nx));
  }
  return PeerShallowFill(p);
}

PetscErrorCode OwnShallowSame(const OwnShallow *o, const PeerShallow *p) {
  const MPI_Comm comm = HgMeshComm(o->shallow.mesh);
  HgRequire(comm, o->step == p->step, HG_ERR_CHECK_FAILED,
            "bench: we are at step %ld, the peer at step %ld", o->step, p->step);
  double value[PEER_CARRIED] = {0}, difference[PEER_CARRIED] = {0}; /* the largest */
  for (int k = 0; k < PEER_CARRIED; k++) {
    HgReal *const *ours = HgStateRows(o->q, HgStateFind(o->q, names[k]));
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++) {
        difference[k] = fmax(difference[k], fabs(ours[j][i] - p->field[k][j][i]));
        value[k] = fmax(value[k], fabs(ours[j][i]));
      }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, PEER_CARRIED, MPI_DOUBLE, MPI_MAX, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, difference, PEER_CARRIED, MPI_DOUBLE, MPI_MAX, comm));
  for (int k = 0; k < PEER_CARRIED; k++) {
    const double scale = k < PEER_H_T ? value[k] : value[k - PEER_H_T] / p->dt;
    HgRequire(comm, value[k] > 0 && difference[k] <= 1e-12 * scale, HG_ERR_CHECK_FAILED,
              "bench: '%s' differs from the peer's by %g after %ld steps, expected at most 1e-12 "
              "of %g",
              names[k], difference[k], o->step, scale);
  }
  return 0;
}
