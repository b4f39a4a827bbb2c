/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/input.h -- what a file claims to hold is believed as far as its bytes are there and
   memory is meant for it.

   Every reader asks HgInputFits() before it takes memory whose amount a file names, and before it
   reads that much. One input may take -input_memory BYTES (1GiB, 512MiB) on each rank, by default

     memory of the node, or of its control group / 4 / ranks on the node. */
#ifndef HALOGRAD_INPUT_H
#define HALOGRAD_INPUT_H

#include <petscsys.h>
#include <stdbool.h>

enum { HG_INPUT_PLAIN = 16 << 20 }; /* [B] smaller claims need no look at holes */

/* Whether this rank may take `held` bytes for what file `path` claims to hold, for which it needs
   at least `stored` bytes (0: `path` need be no file); claims above HG_INPUT_PLAIN need them
   besides its holes. `what` claims it: "it", "its header", "dataset 'x'". If not, `problem`, of
   `size` bytes, says why in one sentence. Not collective. */
bool HgInputFits(const char path[], const char what[], double stored, double held, size_t size,
                 char problem[]);

/* The same, looked at by rank 0 for all ranks. Collective. Error: that sentence. */
PetscErrorCode HgInputRequire(MPI_Comm comm, const char path[], const char what[], double stored,
                              double held);

#endif
