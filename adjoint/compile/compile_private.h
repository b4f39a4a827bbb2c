/* SPDX-License-Identifier: BSD-2-Clause */
/* How rank 0 makes a physics from its text, and the cache; for adjoint/compile only. */
#ifndef HG_COMPILE_PRIVATE_H
#define HG_COMPILE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HG_COMPILE_PATH = 1024, HG_COMPILE_PROBLEM = 1024, HG_COMPILE_INCLUDES = 2 };

/* The symbol to look up in a loaded library. */
#define HG_COMPILED_ENTRY "hg_compiled_physics"

typedef struct {
  char generator[HG_COMPILE_PATH]; /* hgstencil */
  int includes;
  char include[HG_COMPILE_INCLUDES][HG_COMPILE_PATH]; /* folders that contain halograd/ */
  char compiler[HG_COMPILE_PATH];
  bool own_machine; /* compile for the instruction set of this processor */
  bool gnu;         /* the compiler is gcc */
} HgCompileTools;

/* Bytes of a shared library. */
typedef struct {
  size_t size;
  char *bytes; /* free() */
} HgCompiled;

/* A digest of all that a library depends on. */
typedef struct {
  uint64_t low, high;
} HgCompileKey;

/* ---- compile_tools.c ---- */

/* Finds the tools, and *key of `text` with them. False: something is missing; `problem` says
   what. */
bool HgCompileFind(const char text[], HgCompileTools *tools, HgCompileKey *key, char problem[]);

/* A digest of the features of this processor that compilers use. */
uint64_t HgCompileProcessor(void);

/* ---- compile_run.c ---- */

/* Runs the command argv[], without a shell, in the folder `work`, with its output in the file `log`
   there. Returns its exit status; -1 and errno if it did not start. */
int HgCompileSpawn(const char work[], const char log[], const char *const argv[]);

/* Reads a whole file and appends a zero byte. Returns 0 or an errno. */
int HgCompileRead(const char path[], HgCompiled *file);

/* Makes the library of a text in a folder of its own, and removes the folder. False: it failed;
   `problem` says why. */
bool HgCompileRun(const HgCompileTools *tools, const char text[], HgCompiled *made, char problem[]);

/* ---- compile_cache.c ---- */

/* Gives the library of the key from the cache if it is there and complete; otherwise that of
   HgCompileRun(), and stores it if possible. Runs that want the same library wait for the one that
   makes it. */
bool HgCompileCached(const HgCompileKey *key, const HgCompileTools *tools, const char text[],
                     HgCompiled *made, char problem[]);

#endif
