/* SPDX-License-Identifier: BSD-2-Clause */
/* What was compiled before: see compile_private.h. A file is KEY.so, a shared library with 16
   digits at its end, the XXH3 of all before: loaders ignore them. */
#include "compile_private.h"
#include <errno.h>
#include <fcntl.h>
#include <halograd/file_library.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { SEAL = 16, PATIENCE = 60 /* [s] */, TICK = 10000000 /* [ns] */ };

static void seal_of(const HgCompiled *library, char seal[SEAL + 1]) {
  snprintf(seal, SEAL + 1, "%016" PRIx64, (uint64_t)XXH3_64bits(library->bytes, library->size));
}

/* The user's own folder, created if missing; false: impossible. */
static bool find_folder(char folder[HG_COMPILE_PATH]) {
  const char *const own = getenv("HALOGRAD_CACHE"), *const cache = getenv("XDG_CACHE_HOME"),
                    *const home = getenv("HOME");
  struct stat status;
  bool made;
  if (own && *own) snprintf(folder, HG_COMPILE_PATH, "%s", own);
  else if (cache && *cache == '/') snprintf(folder, HG_COMPILE_PATH, "%s/halograd", cache);
  else if (home && *home == '/') snprintf(folder, HG_COMPILE_PATH, "%s/.cache/halograd", home);
  else return false;
  if (strlen(folder) > HG_COMPILE_PATH - 64 || HgDirectoriesMake(folder, &made)) return false;
  if (stat(folder, &status) || status.st_uid != geteuid()) return false;
  if (made) return !chmod(folder, 0700); /* whatever umask says: what is there will be run */
  return !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/* Reads it from the cache; false: missing or damaged. */
static bool read_cached(const char path[], HgCompiled *library) {
  char seal[SEAL + 1];
  if (HgCompileRead(path, library)) return false;
  if (library->size > SEAL) {
    library->size -= SEAL;
    seal_of(library, seal);
    if (!memcmp(library->bytes + library->size, seal, SEAL)) return true;
  }
  free(library->bytes);
  library->bytes = NULL;
  return false;
}

/* Writes it to the cache. Failing is no error. */
static void write_cached(const char path[], const HgCompiled *library) {
  char seal[SEAL + 1];
  HgFileDraft draft;
  seal_of(library, seal);
  struct iovec pieces[] = {{library->bytes, library->size}, {seal, SEAL}};
  int why = HgFileDraftBegin(path, &draft);
  if (!why) why = HgFilePiecesWrite(draft.file, pieces, 2);
  (void)HgFileDraftEnd(&draft, why, false);
}

/* Waits for other processes that compile; after too long, compiles as well. */
static int lock_folder(const char folder[]) {
  char path[HG_COMPILE_PATH];
  snprintf(path, sizeof path, "%.*s/.lock", HG_COMPILE_PATH - 8, folder);
  const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  const struct timespec tick = {0, TICK};
  const time_t end = time(NULL) + PATIENCE;
  while (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) && (errno == EWOULDBLOCK || errno == EINTR) &&
         time(NULL) < end)
    nanosleep(&tick, NULL);
  return lock;
}

bool HgCompileCached(const HgCompileKey *key, const HgCompileTools *tools, const char text[],
                     HgCompiled *made, char problem[]) {
  char folder[HG_COMPILE_PATH], path[HG_COMPILE_PATH];
  if (!find_folder(folder)) return HgCompileRun(tools, text, made, problem);
  snprintf(path, sizeof path, "%.*s/%016" PRIx64 "%016" PRIx64 ".so", HG_COMPILE_PATH - 48, folder,
           key->high, key->low);
  if (read_cached(path, made)) return true;
  const int lock = lock_folder(folder);
  bool have = read_cached(path, made); /* another one has made it meanwhile */
  if (!have) {
    have = HgCompileRun(tools, text, made, problem);
    if (have) write_cached(path, made);
  }
  if (lock >= 0) close(lock);
  return have;
}
