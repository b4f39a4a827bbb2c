/* Whose evaluations are: a digest of J, kept beside them, without computing any. */
#include <halograd/file.h>
#include <halograd/restart.h>
#include <halograd/run_library.h>
#include <string.h>
#include <xxhash.h>

/* A made-up point, the same on any decomposition, where a regularisation has no minimum. */
static PetscErrorCode make_up(HgState m) {
  for (int k = 0; k < HgStateCount(m); k++) {
    const char *const name = HgStateVariable(m, k)->name;
    PetscCall(HgStateSetConstant(m, name, 1.0625));
    if (HgIsField(HgStateVariable(m, k))) PetscCall(HgStateAddNoise(m, name, 0.1, 1));
  }
  return 0;
}

PetscErrorCode HgRunEachTrajectory(HgOperator op, HgState x, HgRunVisit *visit, void *context) {
  const HgTrajectory trajectory = HgTrajectoryOf(op);
  if (trajectory) return visit(context, trajectory, x);
  for (int k = 0;; k++) {
    HgOperator part;
    HgState at;
    PetscCall(HgOperatorPart(op, x, k, &part, &at));
    if (!at) return 0;
    if (part) PetscCall(HgRunEachTrajectory(part, at, visit, context));
    PetscCall(HgStateDestroy(&at));
  }
}

/* *sum += its digest; in any order, as groups have trajectories of their own. */
static PetscErrorCode add_trajectory(void *sum, HgTrajectory trajectory, HgState x) {
  char key[17];
  PetscCall(HgRestartDigest(trajectory, x, key));
  *(uint64_t *)sum += XXH3_64bits(key, strlen(key));
  return 0;
}

/* J and gradient of the regularisation, which has no trajectory; the same in all groups. */
static PetscErrorCode regularisation_digest(HgOperator R, HgState m, char digest[64]) {
  HgState gradient;
  double J;
  char bits[17];
  strcpy(digest, "none");
  if (!R) return 0;
  PetscCall(HgOperatorCreateGradient(R, &gradient));
  PetscCall(HgOperatorGradient(R, m, &J, gradient));
  PetscCall(HgStateDigest(gradient, NULL, bits));
  snprintf(digest, 64, "%a %s", J, bits);
  return HgStateDestroy(&gradient);
}

static PetscErrorCode key_at(HgInversion inversion, MPI_Comm across, HgState m, char text[128]) {
  uint64_t sum = 0;
  char R[64];
  PetscCall(make_up(m));
  PetscCall(HgRunEachTrajectory(HgInversionFunctional(inversion), m, add_trajectory, &sum));
  PetscCall(regularisation_digest(HgInversionPart(inversion), m, R));
  if (across != MPI_COMM_NULL)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, across));
  snprintf(text, 128, "halograd functional 1\ntrajectories %016llx\nregularisation %s\n",
           (unsigned long long)sum, R);
  return 0;
}

/* *other: what is in the file `path` is another text. */
static PetscErrorCode compare(MPI_Comm comm, const char path[], const char text[], bool *other) {
  char *kept;
  size_t size;
  PetscCall(HgFileReadAll(comm, path, 4096, &kept, &size));
  *other = size != strlen(text) || memcmp(kept, text, size);
  return PetscFree(kept);
}

PetscErrorCode HgRunCheckKey(HgInversion inversion, MPI_Comm across, const char directory[],
                             int found) {
  char path[HG_FILE_PATH], text[128];
  bool there, other = false;
  int group = 0;
  HgState m;
  PetscCall(HgOperatorCreateInput(HgInversionFunctional(inversion), &m));
  const MPI_Comm comm = HgMeshComm(HgStateMesh(m));
  PetscCall(key_at(inversion, across, m, text));
  PetscCall(HgStateDestroy(&m));
  snprintf(path, sizeof path, "%s/functional.txt", directory);
  PetscCall(HgFileFind(comm, path, &there));
  if (found && there) PetscCall(compare(comm, path, text, &other));
  HgRequire(comm, !other,
            "option -resume: the %d evaluations in '%s' are of another J: expected the options and "
            "data of the run that was killed, or another -output",
            found, directory);
  if (across != MPI_COMM_NULL) {
    PetscCallMPI(MPI_Comm_rank(across, &group));
    PetscCallMPI(MPI_Barrier(across)); /* all have looked */
  }
  if (group || (found && there)) return 0;
  return HgFileWrite(comm, path, text, strlen(text));
}
