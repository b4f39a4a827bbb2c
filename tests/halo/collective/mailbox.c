/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a server answers letters of all its workers, each with what it was sent, while one of them
   is slow; a wait ends in time; letters that nobody takes hold nobody up; wrong use is refused. */
#include "claim.h"
#include "refusal.h"
#include <halograd/mailbox_library.h>
#include <time.h>

enum { ROUNDS = 30, NUMBERS = 5000, WORDS = 3 };

static int rank, size;

static double number(int from, int round, int i) { return 1000. * from + round + 1e-6 * i; }

static void sleep_ms(int ms) { nanosleep(&(struct timespec){0, 1000000L * ms}, NULL); }

/* Rank 1 is slow: the others have all their answers long before it has. */
static PetscErrorCode worker(HgMailbox box) {
  static double numbers[NUMBERS];
  int64_t words[WORDS];
  bool arrived;
  for (int round = 0; round < ROUNDS; round++) {
    if (rank == 1) sleep_ms(3);
    for (int i = 0; i < NUMBERS; i++) numbers[i] = number(rank, round, i);
    PetscCall(HgMailboxPost(box, 0, (int64_t[]){rank, round, -7}, round % 2 ? numbers : NULL));
    PetscCall(HgMailboxWait(box, 0, 60, &arrived));
    claim_that(arrived, "round %d: an answer", round);
    PetscCall(HgMailboxTake(box, 0, words, numbers));
    claim_that(words[0] == 2 * rank && words[1] == round + 1, "round %d: words %lld %lld", round,
               (long long)words[0], (long long)words[1]);
    claim_same(numbers[NUMBERS - 1], number(0, round, rank), "round %d: a number of it", round);
  }
  return 0;
}

static PetscErrorCode server(HgMailbox box) {
  static double numbers[NUMBERS];
  int64_t words[WORDS];
  int letters[64] = {0}, before_slow = 0;
  bool arrived;
  const double before = MPI_Wtime();
  for (int left = (size - 1) * ROUNDS; left;) {
    if (!claim_at_most(MPI_Wtime() - before, 60, "%d letters are still to come", left)) return 0;
    sleep_ms(1);
    for (int w = 1; w < size; w++) {
      if (!HgMailboxArrived(box, w)) continue;
      numbers[NUMBERS - 1] = -1;
      PetscCall(HgMailboxTake(box, w, words, numbers));
      const int round = letters[w]++;
      claim_that(words[0] == w && words[1] == round && words[2] == -7, "words of worker %d", w);
      claim_same(numbers[NUMBERS - 1], round % 2 ? number(w, round, NUMBERS - 1) : -1,
                 "numbers of worker %d in round %d", w, round);
      numbers[NUMBERS - 1] = number(0, round, w);
      PetscCall(HgMailboxPost(box, w, (int64_t[]){2 * w, round + 1, 0}, numbers));
      before_slow += w > 1 && letters[1] < ROUNDS;
      left--;
    }
  }
  if (size == 1) return 0;
  const double start = MPI_Wtime();
  PetscCall(HgMailboxWait(box, 1, 0.05, &arrived));
  claim_that(!arrived && MPI_Wtime() - start >= 0.05, "a wait for nothing ends after 0.05 s");
  if (size > 2)
    claim_that(before_slow > ROUNDS, "only %d letters came before the slow worker's", before_slow);
  return 0;
}

/* Two letters of each worker, one more than it should write, too long to be sent before they are
   received; none is taken. */
static PetscErrorCode not_taken(void) {
  enum { LONG = 100000 };

  static double numbers[LONG];
  HgMailbox box;
  bool arrived;
  PetscCall(HgMailboxCreate(PETSC_COMM_WORLD, WORDS, LONG, &box));
  for (int k = 0; k < 2 && rank; k++)
    PetscCall(HgMailboxPost(box, 0, (int64_t[WORDS]){k}, numbers));
  for (int w = 1; w < size && !rank; w++) {
    PetscCall(HgMailboxWait(box, w, 60, &arrived));
    claim_that(arrived, "a letter of rank %d", w);
  }
  return HgMailboxDestroy(&box);
}

static PetscErrorCode run(void) {
  HgMailbox box;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  PetscCall(HgMailboxCreate(PETSC_COMM_WORLD, WORDS, NUMBERS, &box));
  PetscCall(rank ? worker(box) : server(box));
  PetscCall(HgMailboxDestroy(&box));
  PetscCall(not_taken());
  if (size > 1)
    REFUSED(HgMailboxCreate(PETSC_COMM_WORLD, WORDS, (size_t)rank, &box), "letters of",
            "give all ranks the same");
  REFUSED(HgMailboxCreate(PETSC_COMM_WORLD, WORDS, (size_t)1 << 28, &box), "expected at most");
  /* On each rank by itself. */
  PetscCall(HgMailboxCreate(PETSC_COMM_WORLD, WORDS, 1, &box));
  char text[512];
  const int64_t words[WORDS] = {0};
  Said said = said_begin();
  PetscErrorCode ierr = HgMailboxPost(box, rank, words, NULL);
  said_here(said, text, sizeof text);
  claim_that(ierr == HG_ERROR_TOLD && strstr(text, rank ? "the server" : "a worker"), "'%s'", text);
  said = said_begin();
  ierr = HgMailboxTake(box, rank ? 0 : 1, (int64_t[WORDS]){0}, NULL);
  said_here(said, text, sizeof text);
  claim_that(ierr == HG_ERROR_TOLD && strstr(text, "there is none"), "'%s'", text);
  return HgMailboxDestroy(&box);
}

CLAIM("a server answers all its workers while one of them is slow", 0, run)
