/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/mailbox_library.h -- letters between one server and its workers, answered as they come.

   Rank 0 of the communicator is the server, every other rank a worker. A letter is a fixed number
   of integers ("words") and doubles. Each side waits for an answer before it writes to the same
   peer again, so at most one letter is on its way between two ranks. Every wait has a time limit,
   so that a peer that is slow, stopped or dead is noticed. A rank that waits sleeps up to 1 ms at a
   time. */
#ifndef HG_MAILBOX_LIBRARY_H
#define HG_MAILBOX_LIBRARY_H

#include <halograd/error.h>
#include <stdint.h>

typedef struct HgMailbox_s *HgMailbox;

/* Creates a mailbox for letters of `words` integers and `numbers` doubles between the ranks of
   `comm` (duplicated). Collective. Errors: a letter of 2^31 bytes or more; ranks differ in its
   size. */
PetscErrorCode HgMailboxCreate(MPI_Comm comm, int words, size_t numbers, HgMailbox *mailbox);

/* Frees; letters that were not taken are lost. Collective. */
PetscErrorCode HgMailboxDestroy(HgMailbox *mailbox);

/* Sends a copy to `peer` and returns at once; numbers NULL: sends only the words. Not collective.
   Errors: `peer` is neither the server nor a worker of this server. */
PetscErrorCode HgMailboxPost(HgMailbox mailbox, int peer, const int64_t words[],
                             const double numbers[]);

/* Waits at most `seconds` for a letter of `peer`; *arrived: there is one. Not collective. Errors:
   those of HgMailboxPost(). */
PetscErrorCode HgMailboxWait(HgMailbox mailbox, int peer, double seconds, bool *arrived);

/* Whether a letter of `peer` has arrived; does not wait. Not collective. */
bool HgMailboxArrived(HgMailbox mailbox, int peer);

/* Takes the letter of `peer` that has arrived. `numbers` may be NULL; it does not change if none
   were sent. Not collective. Error: there is no letter. */
PetscErrorCode HgMailboxTake(HgMailbox mailbox, int peer, int64_t words[], double numbers[]);

#endif
