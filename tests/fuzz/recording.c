/* SPDX-License-Identifier: BSD-2-Clause */
/* Readers of a recording's text, its head and its ledger: with a right digest, as somebody may have
   made it, a text gives what it says, or one sentence. */
#include "fuzz.h"
#include <halograd/recording_library.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static char directory[64];

static void remove_directory(void) { rmdir(directory); }

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  snprintf(directory, sizeof directory, "/dev/shm/halograd-%ld-recording", (long)getpid());
  if (mkdir(directory, 0700)) abort();
  atexit(remove_directory);
  fuzz_start("recording/recording.yaml");
  return 0;
}

static bool is_ledger(const uint8_t *data, size_t size) {
  static const char head[] = "# halograd ledger";
  return size >= sizeof head - 1 && !memcmp(data, head, sizeof head - 1);
}

/* Its last line, or that of a head. */
static int print_end(char text[], size_t room, const uint8_t *data, size_t size) {
  const unsigned long long digest = XXH3_64bits(data, size);
  long lines = -2; /* the first are the titles */
  for (size_t k = 0; k < size; k++) lines += data[k] == '\n';
  if (!is_ledger(data, size)) return snprintf(text, room, "# end %016llx\n", digest);
  return snprintf(text, room, "# whole: J 0x1p+0, %ld lines, XXH3 %016llx\n", lines, digest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { END = 96 };

  HgRecordHead h;
  HgLedgerText l;
  char *const text = malloc(size + END);
  if (!text) return 0;
  memcpy(text, data, size);
  const int end = print_end(text + size, END, data, size);
  fuzz_file((uint8_t *)text, size + (size_t)end);
  free(text);
  if (is_ledger(data, size)) {
    if (!HgLedgerRead(PETSC_COMM_SELF, fuzz_path, &l) && l.lines && !l.line) abort();
    return HgLedgerTextDestroy(&l) ? 1 : 0;
  }
  if (!HgRecordHeadRead(PETSC_COMM_SELF, directory, &h) &&
      (h.grid.nx < 1 || h.grid.ny < 1 || h.grid.nz < 0 ||
       strlen(h.application) >= sizeof h.application || !h.variable))
    abort();
  return HgRecordHeadDestroy(&h) ? 1 : 0;
}
