/* SPDX-License-Identifier: BSD-2-Clause */
/* A file system without locks, to be loaded before the C library (LD_PRELOAD): flock() fails with
   the errno that FLOCK_ERRNO names. */
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>

int flock(int file, int how) {
  const char *const why = getenv("FLOCK_ERRNO");
  (void)file, (void)how;
  errno = why ? atoi(why) : ENOLCK;
  return -1;
}
