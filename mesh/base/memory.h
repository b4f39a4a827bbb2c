/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/memory.h -- memory for rows of numbers.

   A step reads a dozen fields at once, more than a processor has entries for pages of 4 KiB: with
   pages of 2 MiB heat steps are 1.2 times as fast. Where the system has none, nothing changes.

   Not from malloc(), which knows nothing of pages: libraries that PETSc links (SuperLU_DIST) make
   it take all memory from one heap, where calloc() may touch every page to clear it, before
   larger pages can be asked for.

   Every allocation of a rank's own can be made to fail by -hg_fault memory:N. */
#ifndef HALOGRAD_MEMORY_H
#define HALOGRAD_MEMORY_H

#include <mpi.h>
#include <petscsys.h>
#include <stdbool.h>
#include <stddef.h>

/* How much memory a reader may take for what a file claims to hold.

   Every reader calls HgInputRequire() before it allocates or reads an amount that a file names. One
   input may take -input_memory BYTES (1GiB, 512MiB) on each rank; the default is

     memory of the node, or of its control group / 4 / ranks on the node. */

enum { HG_INPUT_PLAIN = 16 << 20 }; /* [B] smaller claims need no look at holes */

/* Requires that each rank may take `held` bytes for the contents of file `path`, and that the file
   has at least `stored` bytes for them (0: `path` need not be a file); claims above HG_INPUT_PLAIN
   need that many bytes outside its holes. Rank 0 checks. `what` names the claim: "it", "its
   header", "dataset 'x'". Collective. Error: it may not, in one sentence. */
PetscErrorCode HgInputRequire(MPI_Comm comm, const char path[], const char what[], double stored,
                              double held);

#endif
