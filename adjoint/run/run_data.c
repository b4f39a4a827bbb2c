/* Where a file of the project's data is. */
#include <halograd/run.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where data lie that were installed with this program, wherever both were moved. */
static void beside_program(size_t size, char folder[]) {
  const ssize_t length = readlink("/proc/self/exe", folder, size - 1);
  folder[length > 0 ? length : 0] = 0;
  char *slash = strrchr(folder, '/');
  if (slash) *slash = 0;
  const size_t used = strlen(folder);
  snprintf(folder + used, size - used, "/%s", HALOGRAD_DATA_FROM_PROGRAM);
  char *whole = realpath(folder, NULL); /* without ".." */
  if (whole) snprintf(folder, size, "%s", whole);
  free(whole);
}

PetscErrorCode HgRunDataPath(const char name[], size_t size, char path[]) {
  char beside[HG_PATH_SIZE];
  const char *const folders[] = {beside, HALOGRAD_DATA_SOURCE, HALOGRAD_DATA_INSTALLED};
  beside_program(sizeof beside, beside);
  for (int k = 0; k < 3; k++) {
    snprintf(path, size, "%s/%s", folders[k], name);
    if (!access(path, R_OK)) return 0;
  }
  if (!access(name, R_OK)) return PetscStrncpy(path, name, size);
  snprintf(path, size, "%s (in none of %s:%s:%s)", name, folders[0], folders[1], folders[2]);
  return 0;
}
