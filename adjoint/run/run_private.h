/* What a run knows for its problems: for adjoint/run only. */
#ifndef HALOGRAD_RUN_PRIVATE_H
#define HALOGRAD_RUN_PRIVATE_H

#include <halograd/run.h>

/* A problem of the run seeks `variable` of the program's input; "": all of them. */
PetscErrorCode HgRunSeek(HgRun run, HgProgram program, const char variable[]);

/* Does one? */
bool HgRunSeeks(HgRun run, HgProgram program, const char variable[]);

#endif
