/* SPDX-License-Identifier: BSD-2-Clause */
/* What rank 0 does to make a physics of its text, and what it keeps: for adjoint/compile alone. */
#ifndef HG_COMPILE_PRIVATE_H
#define HG_COMPILE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HG_COMPILE_PATH = 1024, HG_COMPILE_PROBLEM = 1024, HG_COMPILE_INCLUDES = 2 };

/* The symbol that a program looks for in what it loads. */
#define HG_COMPILED_ENTRY "hg_compiled_physics"

typedef struct {
  char generator[HG_COMPILE_PATH]; /* hgstencil */
  int includes;
  char include[HG_COMPILE_INCLUDES][HG_COMPILE_PATH]; /* that hold the folder halograd/ */
  char compiler[HG_COMPILE_PATH];
  bool own_machine; /* for the instruction set of this processor */
  bool gnu;         /* is it gcc? */
} HgCompileTools;

/* Bytes of a shared library. */
typedef struct {
  size_t size;
  char *bytes; /* free() */
} HgCompiled;

/* What else than the text the library depends on. */
typedef struct {
  uint64_t low, high;
} HgCompileKey;

/* ---- compile_tools.c ---- */

/* Finds them, and *key of `text` with them, unless something is missing: a sentence in
   `problem`. */
bool HgCompileFind(const char text[], HgCompileTools *tools, HgCompileKey *key, char problem[]);

/* A digest of what compilers know of this processor. */
uint64_t HgCompileProcessor(void);

/* ---- compile_run.c ---- */

/* Runs the command argv[], without a shell, in the folder `work`, and what it prints goes to the
   file `log` there: its exit status, or -1 and errno if it did not start. */
int HgCompileSpawn(const char work[], const char log[], const char *const argv[]);

/* Reads all of a file, with a 0 behind it: 0 or an errno. */
int HgCompileRead(const char path[], HgCompiled *file);

/* The library of a text, made in a folder of its own that is gone afterwards. If that fails: false,
   and a sentence in `problem`. */
bool HgCompileRun(const HgCompileTools *tools, const char text[], HgCompiled *made, char problem[]);

/* ---- compile_cache.c ---- */

/* The library of that key if it is in the cache and whole; else what HgCompileRun() makes, which is
   then put there as far as possible. Runs that want the same at once wait for the one that makes
   it. */
bool HgCompileCached(const HgCompileKey *key, const HgCompileTools *tools, const char text[],
                     HgCompiled *made, char problem[]);

#endif
