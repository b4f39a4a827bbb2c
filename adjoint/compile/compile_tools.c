/* SPDX-License-Identifier: BSD-2-Clause */
/* Where hgstencil, the headers and the compiler are, and what they are: see compile_private.h. */
#define _GNU_SOURCE /* dladdr() */
#include "compile_private.h"
#include <dlfcn.h>
#include <errno.h>
#include <halograd/file_library.h>
#include <halograd/physics_compile.h>
#include <halograd/real_library.h>
#include <halograd/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static bool path_of(char path[HG_COMPILE_PATH], const char folder[], const char name[]) {
  const int length = snprintf(path, HG_COMPILE_PATH, "%s/%s", folder, name);
  return length > 0 && length < HG_COMPILE_PATH && !access(path, R_OK);
}

/* An installation below `prefix`. */
static bool find_installed(const char prefix[], HgCompileTools *t) {
  char header[HG_COMPILE_PATH];
  t->includes = 1;
  return path_of(t->generator, prefix, HALOGRAD_GENERATOR) &&
         path_of(t->include[0], prefix, HALOGRAD_INCLUDE) &&
         path_of(header, t->include[0], "halograd/physics.h");
}

static const char place; /* in the file with this code */

/* The installation that the file with this code belongs to: a program, or a shared library. */
static bool find_beside(HgCompileTools *t) {
  static const char *const up[] = {HALOGRAD_PREFIX_FROM_PROGRAM, HALOGRAD_PREFIX_FROM_LIBRARY};
  char prefix[HG_COMPILE_PATH];
  Dl_info self;
  if (!dladdr(&place, &self) || !self.dli_fname) return false;
  char *file = realpath(strchr(self.dli_fname, '/') ? self.dli_fname : "/proc/self/exe", NULL);
  char *const slash = file ? strrchr(file, '/') : NULL;
  bool found = false;
  if (slash) *slash = 0;
  for (int k = 0; slash && k < 2 && !found; k++)
    found = path_of(prefix, file, up[k]) && find_installed(prefix, t);
  free(file);
  return found;
}

/* The tree that the library was built from. */
static bool find_source(HgCompileTools *t) {
  static const char *const include[] = {HALOGRAD_INCLUDES_BUILT};
  char header[HG_COMPILE_PATH];
  t->includes = HG_COMPILE_INCLUDES;
  snprintf(t->generator, sizeof t->generator, "%s", HALOGRAD_GENERATOR_SOURCE);
  for (int k = 0; k < t->includes; k++)
    snprintf(t->include[k], sizeof t->include[k], "%s", include[k]);
  return !access(t->generator, R_OK) && path_of(header, t->include[0], "halograd/physics.h");
}

static bool find_generator(HgCompileTools *t, char problem[]) {
  const char *const prefix = getenv("HALOGRAD_PREFIX");
  if (prefix && *prefix) {
    if (find_installed(prefix, t)) return true;
    snprintf(problem, HG_COMPILE_PROBLEM,
             "HALOGRAD_PREFIX: no %s and %s/halograd are below '%s', expected the folder that "
             "halograd is installed in",
             HALOGRAD_GENERATOR, HALOGRAD_INCLUDE, prefix);
    return false;
  }
  if (find_beside(t) || find_source(t) || find_installed(HALOGRAD_PREFIX_CONFIGURED, t))
    return true;
  snprintf(problem, HG_COMPILE_PROBLEM,
           "hgstencil and its headers are neither beside this program nor in '%s' nor below '%s': "
           "set HALOGRAD_PREFIX to the folder that halograd is installed in",
           HALOGRAD_GENERATOR_SOURCE, HALOGRAD_PREFIX_CONFIGURED);
  return false;
}

/* Adds the compiler's version to the digest; *gnu: it is gcc. */
static bool ask_version(const char compiler[], XXH3_state_t *digest, bool *gnu) {
  static const char LOG[] = "version";
  char work[] = "/tmp/halograd-XXXXXX", path[64];
  HgCompiled said = {0, NULL};
  if (!mkdtemp(work)) return false;
  const bool runs = !HgCompileSpawn(work, LOG, (const char *const[]){compiler, "--version", NULL});
  snprintf(path, sizeof path, "%s/%s", work, LOG);
  const bool read = runs && !HgCompileRead(path, &said);
  if (read) XXH3_128bits_update(digest, said.bytes, said.size);
  *gnu = read && strstr(said.bytes, "Free Software Foundation");
  free(said.bytes);
  unlink(path);
  rmdir(work);
  return read;
}

static bool find_compiler(HgCompileTools *t, XXH3_state_t *digest, char problem[]) {
  const char *const own = getenv("HALOGRAD_CC");
  const char *const names[] = {HALOGRAD_C_COMPILER, "cc"};
  const bool given = own && *own;
  for (int k = 0; k < (given ? 1 : 2); k++) {
    snprintf(t->compiler, sizeof t->compiler, "%s", given ? own : names[k]);
    if (ask_version(t->compiler, digest, &t->gnu)) return true;
  }
  if (given)
    snprintf(problem, HG_COMPILE_PROBLEM,
             "HALOGRAD_CC: '%s --version' does not run, expected a C compiler", own);
  else
    snprintf(problem, HG_COMPILE_PROBLEM,
             "a physics is compiled while the program runs, but there is no C compiler: neither "
             "'%s' nor 'cc' runs; install one (Debian: gcc) or name it in HALOGRAD_CC",
             HALOGRAD_C_COMPILER);
  return false;
}

/* Files of the folder, in any order. */
typedef struct {
  const char *folder, *ending;
  uint64_t digest;
} Folder;

static int add_file(void *context, int folder, const char name[]) {
  Folder *const f = context;
  HgCompiled file = {0, NULL};
  char path[HG_COMPILE_PATH];
  const size_t length = strlen(name), end = strlen(f->ending);
  (void)folder;
  if (length < end || strcmp(name + length - end, f->ending)) return 0;
  if (!path_of(path, f->folder, name) || HgCompileRead(path, &file)) return 0;
  f->digest += XXH3_64bits_withSeed(file.bytes, file.size, XXH3_64bits(name, length));
  free(file.bytes);
  return 0;
}

static void add_folder(const char folder[], const char ending[], XXH3_state_t *digest) {
  Folder f = {.folder = folder, .ending = ending};
  HgFolderEach(folder, add_file, &f);
  XXH3_128bits_update(digest, &f.digest, sizeof f.digest);
}

static void add_tools(const HgCompileTools *t, XXH3_state_t *digest) {
  char folder[HG_COMPILE_PATH];
  snprintf(folder, sizeof folder, "%s", t->generator);
  *strrchr(folder, '/') = 0;
  add_folder(folder, ".py", digest);
  for (int k = 0; k < t->includes; k++)
    if (path_of(folder, t->include[k], "halograd")) add_folder(folder, ".h", digest);
}

uint64_t HgCompileProcessor(void) {
  static const char *const known[] = {"vendor_id", "cpu family", "model",    "stepping",
                                      "flags",     "cache size", "Features", "CPU "};
  char line[8192];
  uint64_t digest = 0;
  FILE *const file = fopen("/proc/cpuinfo", "r");
  while (file && fgets(line, sizeof line, file) && *line != '\n')
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
      if (!strncmp(line, known[k], strlen(known[k])))
        digest = XXH3_64bits_withSeed(line, strlen(line), digest);
  if (file) fclose(file);
  return digest;
}

bool HgCompileFind(const char text[], HgCompileTools *tools, HgCompileKey *key, char problem[]) {
  const struct {
    uint64_t processor;
    size_t sizes[3];
  } fixed = {tools->own_machine ? HgCompileProcessor() : 0,
             {sizeof(HgPhysics), sizeof(HgStencil), sizeof(HgBox)}};

  static const char made[] = HALOGRAD_VERSION HALOGRAD_COMPILE_FLAGS HALOGRAD_MACHINE_FLAGS;
  XXH3_state_t *const digest = XXH3_createState();
  if (!digest) {
    snprintf(problem, HG_COMPILE_PROBLEM, "no memory for a digest");
    return false;
  }
  XXH3_128bits_reset(digest);
  const bool found = find_generator(tools, problem) && find_compiler(tools, digest, problem);
  if (found) {
    add_tools(tools, digest);
    XXH3_128bits_update(digest, &fixed, sizeof fixed);
    XXH3_128bits_update(digest, made, sizeof made);
    XXH3_128bits_update(digest, tools->compiler, strlen(tools->compiler) + 1);
    XXH3_128bits_update(digest, text, strlen(text));
    const XXH128_hash_t hash = XXH3_128bits_digest(digest);
    *key = (HgCompileKey){hash.low64, hash.high64};
  }
  XXH3_freeState(digest);
  return found;
}
