/* SPDX-License-Identifier: BSD-2-Clause */
#include "survey.h"
#include <math.h>

static const double depth_of_lines = 30; /* of shots and receivers [m] */

static const double along = EARTH_WIDTH - 2 * EARTH_SPONGE,
                    across = EARTH_ACROSS - 2 * EARTH_SPONGE; /* between the sponges [m] */

/* Place k of `count`, from 0 to 1. */
static double fraction(int k, int count) { return count > 1 ? k / (count - 1.0) : 0.5; }

static double on_line(int k, int count) { return EARTH_SPONGE + along * fraction(k, count); }

PetscErrorCode SurveyLines(int shots, int receivers, bool levels, Survey *s) {
  const int lines = levels ? (int)fmax(1, round(receivers * across / along)) : 1;
  *s = (Survey){.shots = shots, .spreads = 1, .wavelets = 1};
  PetscCall(PetscCalloc1(shots, &s->shot));
  PetscCall(PetscCalloc1(1, &s->spread));
  PetscCall(PetscCalloc1(1, &s->wavelet));
  PetscCall(PetscMalloc1(receivers * lines, &s->receiver));
  for (int e = 0; e < shots; e++)
    s->shot[e].place =
        (SurveyPlace){on_line(e, shots), levels ? (e % 2 - 0.5) * 0.5 * across : 0, depth_of_lines};
  for (int k = 0; k < receivers * lines; k++)
    s->receiver[k] = (SurveyPlace){on_line(k % receivers, receivers),
                                   across * (fraction(k / receivers, lines) - 0.5), depth_of_lines};
  s->spread[0] = (SurveySpread){receivers * lines, s->receiver};
  return 0;
}

PetscErrorCode SurveyDestroy(Survey *s) {
  for (int k = 0; k < s->wavelets; k++) PetscCall(WaveletDestroy(&s->wavelet[k]));
  PetscCall(PetscFree(s->shot));
  PetscCall(PetscFree(s->spread));
  PetscCall(PetscFree(s->receiver));
  return PetscFree(s->wavelet);
}
