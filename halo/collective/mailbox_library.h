/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/mailbox.h -- letters between one server and its workers, answered as they come.

   Rank 0 of the communicator is the server, every other rank a worker. A letter is a fixed number
   of integers ("words") and doubles. Each side waits for an answer before it writes to the same
   peer again, so that there is at most one letter on its way between two ranks. No rank waits for
   ever: every wait has an end, so that a peer that is slow, stopped or dead is noticed. While it
   waits a rank sleeps, up to 1 ms at a time. */
#ifndef HG_MAILBOX_LIBRARY_H
#define HG_MAILBOX_LIBRARY_H

#include <halograd/error.h>
#include <stdint.h>

typedef struct HgMailbox_s *HgMailbox;

/* Letters of `words` integers and `numbers` doubles between the ranks of `comm` (duplicated).
   Collective. Errors: a letter of 2^31 bytes or more; the ranks differ in its size. */
PetscErrorCode HgMailboxCreate(MPI_Comm comm, int words, size_t numbers, HgMailbox *mailbox);

/* Letters that were not taken are lost. Collective. */
PetscErrorCode HgMailboxDestroy(HgMailbox *mailbox);

/* Sends a copy to `peer` and returns at once; numbers NULL: the words alone travel. Not collective.
   Errors: `peer` is neither the server nor a worker of this server. */
PetscErrorCode HgMailboxPost(HgMailbox mailbox, int peer, const int64_t words[],
                             const double numbers[]);

/* Waits at most `seconds` for a letter of `peer`; *arrived: is there one? Not collective. Errors:
   those of HgMailboxPost(). */
PetscErrorCode HgMailboxWait(HgMailbox mailbox, int peer, double seconds, bool *arrived);

/* Is a letter of `peer` there? Looks, does not wait. Not collective. */
bool HgMailboxArrived(HgMailbox mailbox, int peer);

/* Takes the letter of `peer` that has arrived; `numbers` NULL, or unchanged if none came. Not
   collective. Error: there is no letter. */
PetscErrorCode HgMailboxTake(HgMailbox mailbox, int peer, int64_t words[], double numbers[]);

#endif
