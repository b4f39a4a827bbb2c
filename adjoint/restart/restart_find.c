/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose a generation is, and how a gradient goes on from it: see restart.h. */
#include "restart_private.h"
#include <halograd/boundary_library.h>
#include <halograd/error_library.h>
#include <halograd/objective_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <halograd/version.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

const char *HgRestartSweep(HgMode sweep) { return sweep == HG_PRIMAL ? "first" : "reverse"; }

/* ---- the key ---- */

/* Digests two steps from an artificial state: the effect of kernels, params and boundaries. */
static PetscErrorCode probe(HgRestart r) {
  HgState x;
  if (r->probed) return 0;
  PetscCall(HgProgramCreateInput(r->program, &x));
  for (int k = 0; k < HgStateCount(x); k++) {
    const char *const name = HgStateVariable(x, k)->name;
    PetscCall(HgStateSetConstant(x, name, 1));
    PetscCall(HgStateAddNoise(x, name, 0.1, 1));
  }
  PetscCall(HgTrajectoryProbe(r->trajectory, x, r->probe[0], r->probe[1]));
  r->probed = true;
  return HgStateDestroy(&x);
}

/* *digest: of the ghosts beside frozen walls, which are part of x but not of its digest; a sum, the
   same on any decomposition. Layers further out follow from these. */
static PetscErrorCode frozen_ghosts(HgRestart r, uint64_t *digest) {
  const HgMesh mesh = HgProgramMesh(r->program);
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  *digest = 0;
  for (int k = 0; k < HgStateCount(r->x); k++) {
    const HgVariable *v = HgStateVariable(r->x, k);
    HgBoundary walls;
    if (v->kind != HG_FIELD) continue;
    PetscCall(HgProgramGetBoundary(r->program, v->name, &walls));
    if (!HgBoundaryFreezes(mesh, &walls)) continue;
    const int levels = HgStateLevels(r->x, k), beyond = !v->surface && s->nz && !s->periodic_z;
    for (int level = -beyond; level < levels + beyond; level++)
      for (int j = -p->wall_south; j < p->ny + p->wall_north; j++)
        for (int i = -p->wall_west; i < p->nx + p->wall_east; i++) {
          if (i >= 0 && i < p->nx && j >= 0 && j < p->ny && level >= 0 && level < levels) continue;

          const struct {
            double value;
            int64_t k, i, j;
          } ghost = {HgStateLevel(r->x, k, level)[j][i], k + 4096 * level, p->i_global + i,
                     p->j_global + j};

          *digest += XXH3_64bits(&ghost, sizeof ghost);
        }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, digest, 1, MPI_UINT64_T, MPI_SUM, r->comm));
  return 0;
}

PetscErrorCode HgRestartKey(HgRestart r) {
  const HgMeshSpec *m = HgMeshGetSpec(HgProgramMesh(r->program));
  char text[1024], x[17];
  uint64_t observations, ghosts;
  PetscCall(HgStateDigest(r->x, NULL, x));
  PetscCall(frozen_ghosts(r, &ghosts));
  PetscCall(HgObjectiveDigest(r->objective, &observations));
  const int length = snprintf(
      text, sizeof text,
      "%s|%.200s|%d %d %d %d|%a %a %a %a|%a %ld|%s %s|%016llx|%016llx|%s|%016llx|%a",
      HALOGRAD_VERSION, HgProgramName(r->program), m->nx, m->ny, m->periodic_x, m->periodic_y,
      m->x0, m->y0, m->dx, m->dy, HgProgramTimeStep(r->program), HgTrajectorySteps(r->trajectory),
      r->probe[0], r->probe[1], (unsigned long long)observations, (unsigned long long)r->variables,
      x, (unsigned long long)ghosts, r->J_bar);
  snprintf(r->key, sizeof r->key, "%016llx",
           (unsigned long long)XXH3_64bits(text, (size_t)PetscMin(length, (int)sizeof text - 1)));
  return 0;
}

/* Encodes which variables of x are active. */
static uint64_t active_variables(HgProgram program, HgState x) {
  uint64_t variables = 0;
  for (int k = 0; k < HgStateCount(x); k++)
    variables = variables * 3 + (uint64_t)HgProgramActive(program, k) + 1;
  return variables;
}

PetscErrorCode HgRestartDigest(HgTrajectory trajectory, HgState x, char key[17]) {
  const HgProgram program = HgTrajectoryProgram(trajectory);
  struct HgRestart_s r = {.trajectory = trajectory,
                          .program = program,
                          .objective = HgTrajectoryObjective(trajectory),
                          .comm = HgMeshComm(HgProgramMesh(program)),
                          .x = x,
                          .J_bar = 1,
                          .variables = active_variables(program, x)};
  PetscCall(probe(&r));
  PetscCall(HgRestartKey(&r));
  return PetscStrncpy(key, r.key, sizeof r.key);
}

/* ---- a gradient begins ---- */
static PetscErrorCode find_active(HgRestart r) {
  HgState constants;
  PetscCall(PetscFree(r->active));
  r->constants = false;
  PetscCall(HgProgramCreateConstants(r->program, &constants));
  if (!constants) return 0;
  PetscCall(PetscCalloc1(HgStateCount(constants), &r->active));
  r->constants = HgProgramActiveConstants(r->program, constants, r->active);
  return HgStateDestroy(&constants);
}

static PetscErrorCode make_observed(HgRestart r) {
  const size_t kept = HgObjectiveKept(r->objective);
  const HgVariable list = {"observed", "1", HG_REPLICATED, (int)PetscMax(kept, 1)};
  HgRequire(r->comm, kept < INT32_MAX, HG_ERR_ARGUMENT,
            "restart: %zu measurements, expected fewer than %d", kept, INT32_MAX);
  if (r->observed && HgStateVariable(r->observed, 0)->size == list.size) return 0;
  PetscCall(HgStateDestroy(&r->observed));
  for (int k = 0; k < HG_MODES; k++) PetscCall(HgGenerationDestroy(&r->generation[k]));
  return HgStateCreate(HgProgramMesh(r->program), 1, &list, &r->observed);
}

PetscErrorCode HgRestartOpen(HgRestart r, HgState x, double J_bar) {
  r->x = x, r->J_bar = J_bar, *r->key = 0, r->sweep = HG_NO_MODE;
  r->went_on = (HgTrajectoryPlace){.sweep = HG_NO_MODE};
  PetscCall(HgManifestDestroy(&r->manifest));
  const uint64_t variables = active_variables(r->program, x);
  PetscCall(make_observed(r)); /* terms may have been added */
  if (r->probed && r->variables == variables) return 0;
  r->probed = false, r->variables = variables;
  for (int k = 0; k < HG_MODES; k++) PetscCall(HgGenerationDestroy(&r->generation[k]));
  PetscCall(find_active(r));
  PetscCall(HgRestartHighest(r->comm, r->directory, &r->number));
  return probe(r);
}

PetscErrorCode HgRestartForget(HgRestart r) {
  const bool there = r->through && r->sweep != HG_NO_MODE;
  r->through = false;
  return there ? HgRestartRemove(r->comm, r->directory, r->key, r->number + 1) : 0;
}

/* ---- going on ---- */
static bool parse_line(const HgRestart r, const char line[], HgTrajectoryPlace *p) {
  char key[17], sweep[8];
  if (sscanf(line, "%16s %7s %ld J %lf", key, sweep, &p->n, &p->J) != 4) return false;
  for (int k = 0; k < HG_MODES; k++)
    if (k != HG_TANGENT && !strcmp(sweep, HgRestartSweep((HgMode)k))) p->sweep = (HgMode)k;
  return p->sweep != HG_NO_MODE && !strcmp(key, r->key) && p->n >= 0 &&
         p->n <= HgTrajectorySteps(r->trajectory);
}

/* Verifies a generation. Both sweeps have one title; its line has the number of states. */
static PetscErrorCode verify(HgRestart r, const char stem[], HgTrajectoryPlace *p) {
  HgManifest m;
  PetscCall(HgManifestRead(r->comm, NULL, stem, &m));
  const bool ours = parse_line(r, m.line, p);
  PetscCall(HgManifestDestroy(&m));
  HgRequire(r->comm, ours, HG_ERR_FILE_DAMAGED, "'%s.txt' is not what was written", stem);
  const HgGenerationKind kind = HgRestartKind(p->sweep, r->constants ? r->active : NULL);
  PetscCall(HgManifestRead(r->comm, &kind, stem, &r->manifest));
  const PetscErrorCode ierr = HgGenerationVerify(r->comm, stem, &r->manifest);
  if (ierr) PetscCall(HgManifestDestroy(&r->manifest));
  return ierr;
}

PetscErrorCode HgRestartFind(HgRestart r, HgTrajectoryPlace *place) {
  long number[HG_RESTART_CANDIDATES];
  char stem[HG_GENERATION_STEM];
  int count = 0;
  if (!r->number) return 0;
  PetscCall(HgRestartKey(r));
  PetscCall(HgRestartList(r->comm, r->directory, r->key, number, &count));
  for (int k = 0; k < count; k++) {
    *place = (HgTrajectoryPlace){.sweep = HG_NO_MODE};
    HgRestartStem(r->directory, r->key, number[k], stem);
    const PetscErrorCode ierr = verify(r, stem, place);
    if (ierr && ierr != HG_ERROR_TOLD) return ierr;
    if (!ierr) {
      r->sweep = place->sweep, r->n = place->n, r->from = number[k], r->went_on = *place;
      return PetscPrintf(r->comm,
                         "restart: a gradient of '%s' goes on at step %ld of its %s sweep\n",
                         HgProgramName(r->program), place->n, HgRestartSweep(place->sweep));
    }
    HgErrorSay(); /* no error of the run: not kept */
    PetscCall(PetscPrintf(r->comm, "restart: '%s' is damaged, %s\n", stem,
                          k + 1 < count ? "the one before it serves" : "the gradient begins anew"));
  }
  *place = (HgTrajectoryPlace){.sweep = HG_NO_MODE};
  return 0;
}

/* Reads cotangents of active constants, with ghosts outside walls; ignores others. */
static PetscErrorCode read_constants(HgRestart r, const char stem[], long n,
                                     HgState constants_bar) {
  HgVariable *list;
  HgState kept;
  int count = 0;
  PetscCall(PetscMalloc1(HgStateCount(constants_bar), &list));
  for (int k = 0; k < HgStateCount(constants_bar); k++)
    if (r->active[k]) list[count++] = *HgStateVariable(constants_bar, k);
  PetscErrorCode ierr = HgStateCreate(HgProgramMesh(r->program), count, list, &kept);
  if (!ierr) ierr = HgGenerationRead(stem, &r->manifest, HG_RESTART_CONSTANTS, n, kept);
  if (!ierr) ierr = HgStateCopyShared(kept, constants_bar);
  PetscCall(HgStateDestroy(&kept));
  PetscCall(PetscFree(list));
  return ierr;
}

PetscErrorCode HgRestartRestore(void *self, HgTrajectoryPlace *p) {
  HgRestart r = self;
  char stem[HG_GENERATION_STEM];
  HgRestartStem(r->directory, r->key, r->from, stem);
  PetscCall(HgGenerationRead(stem, &r->manifest, HG_RESTART_STATE, p->n, p->state));
  PetscCall(HgGenerationRead(stem, &r->manifest, HG_RESTART_OBSERVED, p->n, r->observed));
  PetscCall(HgObjectiveRestore(r->objective, HgStateArray(r->observed, 0)));
  if (p->sweep == HG_PRIMAL) return 0;
  PetscCall(HgGenerationRead(stem, &r->manifest, HG_RESTART_FINAL, p->n, p->final));
  return r->constants ? read_constants(r, stem, p->n, p->constants_bar) : 0;
}
