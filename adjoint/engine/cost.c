/* What a stage costs by count: the numbers of a cell that its calls read and write, those that come
   from memory or go there HG_MEMORY_NUMBER times as much as those that stay in the cache. It compares
   plans of one program; it predicts no time. */
#include "engine_private.h"

/* Numbers that a value moves between memory and cache: it comes in, it goes out. */
static int memory_numbers(const HgPass *pass, const HgStage *g, int value) {
  bool in = false, out = false;
  for (int c = g->first; c < g->last; c++) {
    const HgCall *call = &pass->call[c];
    for (int k = 0; k < call->uses; k++) in = in || call->use[k].value == value;
    for (int k = 0; k < call->outs; k++)
      if (call->out[k] == value) {
        out = true;
        in = in ||
             (call->mode == HG_COTANGENT && !call->fresh[k] && c == pass->value[value].first_out);
      }
  }
  return pass->value[value].buffered ? 0 : in + out;
}

double HgStageCost(HgProgram p, HgMode mode, const HgStage *g) {
  const HgPass *pass = &p->pass[mode];
  double cost = 0;
  for (int c = g->first; c < g->last; c++) cost += pass->call[c].uses + pass->call[c].outs;
  for (int value = 0; value < HG_MODES * p->versions; value++)
    cost += HG_MEMORY_NUMBER * memory_numbers(pass, g, value);
  return cost;
}
