/* SPDX-License-Identifier: BSD-2-Clause */
/* What reversing a block costs by count: the numbers of a cell that its calls read and write, those
   that come from memory or go there HG_MEMORY_NUMBER times as much as those that stay in the cache.
   It compares plans of one program; it predicts no time. And what steps consist of, touch and, in
   reverse, read. */
#include <halograd/block_library.h>
#include <halograd/mesh_library.h>

enum { HG_MEMORY_NUMBER = 3 };

/* Numbers of a value that are read from memory or written to it. */
static int memory_numbers(HgBlock b, const HgStage *g, int value) {
  bool in = false, out = false;
  for (int c = g->first; c < g->last; c++) {
    const HgCall *call = &b->call[c];
    for (int k = 0; k < call->uses; k++) in = in || call->use[k].value == value;
    for (int k = 0; k < call->outs; k++)
      if (call->out[k] == value) {
        out = true;
        in =
            in || (call->mode == HG_COTANGENT && !call->fresh[k] && c == b->value[value].first_out);
      }
  }
  return b->value[value].buffered ? b->value[value].loaded_first : in + out;
}

static double stage_cost(HgBlock b, const HgStage *g) {
  double cost = 0;
  for (int c = g->first; c < g->last; c++) cost += b->call[c].uses + b->call[c].outs;
  for (int value = 0; value < HG_MODES * b->versions; value++)
    cost += HG_MEMORY_NUMBER * memory_numbers(b, g, value);
  return cost;
}

bool HgProgramHasOperators(HgProgram p) {
  for (int k = 0; k < p->terms; k++)
    if (p->term[k].part.op) return true;
  return false;
}

double HgProgramStepBytes(HgProgram p) {
  const HgMeshSpec *m = HgMeshGetSpec(p->mesh);
  const double cells = (double)m->nx * m->ny * HgMeshLevels(p->mesh) / (m->px * m->py);
  return p->versions * cells * (double)sizeof(HgReal);
}

bool HgBlockReversible(HgBlock b) {
  for (int c = 0; c < b->calls; c++)
    for (int k = 0; k < b->call[c].outs && b->call[c].mode == HG_PRIMAL; k++)
      if (b->stored && HgValueVersion(b, b->call[c].out[k])->saved) return false;
  return b->stages == 1;
}

bool HgBlockReadsState(HgBlock b) {
  for (int c = 0; c < b->calls; c++) {
    const HgCall *call = &b->call[c];
    if (call->mode == HG_PRIMAL || b->program->term[call->term].part.op) return true;
    for (int k = 0; k < call->uses; k++) {
      const int value = call->use[k].value;
      if (HgValueMode(b, value) == HG_PRIMAL && HgValueVersion(b, value)->place != HG_AT_CONSTANTS)
        return true;
    }
  }
  return false;
}

double HgBlockCost(HgBlock b) {
  const HgProgram p = b->program;
  const int states = b->stored ? b->steps : 1; /* stored on the way */
  double cost = 0;
  for (int g = 0; g < b->stages; g++) cost += stage_cost(b, &b->stage[g]);
  for (int k = 0; k < p->variables; k++)
    if (p->variable[k].role == HG_CARRIED) cost += states * HG_MEMORY_NUMBER;
  return cost / b->steps;
}
