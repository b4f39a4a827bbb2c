/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for what files claim: see memory.h. */
#define _GNU_SOURCE /* SEEK_DATA */
#include <errno.h>
#include <fcntl.h>
#include <halograd/error_library.h>
#include <halograd/memory.h>
#include <halograd/memory_library.h>
#include <halograd/options_library.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long budget = 1L << 30; /* [B] until HgInputBegin() */

/* Bytes of memory that all processes of this machine may use. */
static double memory_of_node(void) {
  const double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  return fmin(bytes, HgMemoryGroupLimit("/proc/self/cgroup", "/sys/fs/cgroup"));
}

PetscErrorCode HgInputBegin(void) {
  enum { SHARE = 4, LEAST = 1 << 20 };

  MPI_Comm node;
  int ranks;
  PetscCallMPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_size(node, &ranks));
  PetscCallMPI(MPI_Comm_free(&node));
  budget = (long)(memory_of_node() / SHARE / ranks);
  if (budget < LEAST) budget = LEAST;
  /* nodes may differ: all ranks accept and refuse the same */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &budget, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD));
  return HgOptionReadBytes(MPI_COMM_WORLD, "-input_memory", 1 << 10, 1L << 50, &budget);
}

/* Bytes of a file without its holes; may stop counting at `enough`. `size` if the file system does
   not know of holes. */
static double bytes_there(const char path[], double size, double enough) {
  enum { PIECES = 4096 };

  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool known = false;
  double there = 0;
  off_t end = 0;
  for (int piece = 0; file >= 0 && piece < PIECES && there <= enough; piece++) {
    const off_t at = lseek(file, end, SEEK_DATA);
    known = at >= 0 || errno == ENXIO; /* none behind `end` */
    end = at < 0 ? at : lseek(file, at, SEEK_HOLE);
    if (end <= at) break;
    there += (double)(end - at);
  }
  if (file >= 0) close(file);
  return known ? there : size;
}

bool HgInputFits(const char path[], const char what[], double stored, double held, size_t size,
                 char problem[]) {
  struct stat status = {.st_size = 0};
  if (stored != 0 && stat(path, &status)) {
    snprintf(problem, size, "file '%.500s': %s", path, strerror(errno));
    return false;
  }
  const double all = (double)status.st_size, there = stored > HG_INPUT_PLAIN && stored <= all
                                                         ? bytes_there(path, all, stored)
                                                         : all;
  if (!(stored <= there)) {
    snprintf(problem, size, "file '%.500s': %.100s claims %.0f bytes, but the file has %.0f%s",
             path, what, stored, there, there < all ? ", holes not counted" : " in all");
    return false;
  }
  if (held <= (double)budget) return true;
  snprintf(problem, size,
           "file '%.500s': %.100s needs %.0f bytes of memory, expected at most %ld (-input_memory)",
           path, what, held, budget);
  return false;
}

PetscErrorCode HgInputRequire(MPI_Comm comm, const char path[], const char what[], double stored,
                              double held) {
  char problem[1024];
  bool right = true;
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) right = HgInputFits(path, what, stored, held, sizeof problem, problem);
  return HgAgree(comm, !right, HG_ERR_FILE_FORMAT, "%s", problem);
}
