/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/error_id.h -- the kinds of errors, as in "halograd: error [id]: sentence".

   Ids are few and do not change, so that scripts and tests can match them while sentences improve.
   ID(NAME, id, what to do): HG_ERR_NAME in C, `id` in brackets, and a row of docs/errors.md, which
   scripts/errors writes from here. */
#ifndef HALOGRAD_ERROR_ID_H
#define HALOGRAD_ERROR_ID_H

#define HG_ERROR_IDS(ID)                                                                           \
  ID(OPTION_UNKNOWN, "option-unknown",                                                             \
     "The program has no such option, or nothing in this run uses it. `-help` lists the options.") \
  ID(OPTION_RANGE, "option-range",                                                                 \
     "The value of an option is out of its range. The sentence says what the option takes.")       \
  ID(OPTION_CONFLICT, "option-conflict",                                                           \
     "Two options exclude each other, or one needs another. Leave one out, or add the other.")     \
  ID(ENVIRONMENT, "environment",                                                                   \
     "The machine or the environment lacks something: descriptors, a preloaded library, threads, " \
     "a folder that all ranks see.")                                                               \
  ID(MEMORY, "memory",                                                                             \
     "There is not enough memory. Take fewer slots or more ranks, or keep states on disk "         \
     "(`-store hdf5`).")                                                                           \
  ID(RANKS_DIFFER, "ranks-differ",                                                                 \
     "The ranks were given different options, arguments, data or texts. Give all ranks the "       \
     "same; draw noise from one seed.")                                                            \
  ID(RANK_LOST, "rank-lost",                                                                       \
     "A rank has not answered for too long. Its own output, or the machine's log, says why.")      \
  ID(FILE_READ, "file-read", "A file or folder is missing or cannot be read. Look at its path.")   \
  ID(FILE_WRITE, "file-write",                                                                     \
     "A file or folder cannot be written. Look for a full disk, a quota or missing rights.")       \
  ID(FILE_NAME, "file-name", "A name of a file or folder is empty, too long or not allowed.")      \
  ID(FILE_FORMAT, "file-format",                                                                   \
     "A file is not what its reader expects. The sentence names the line or the object.")          \
  ID(FILE_DAMAGED, "file-damaged",                                                                 \
     "A file of ours is not what was written: its digest is wrong, or parts are missing. Restore " \
     "it, or remove the folder and run again.")                                                    \
  ID(FILE_MISMATCH, "file-mismatch",                                                               \
     "A folder belongs to another run: other options, data, grid or program. Name another "        \
     "folder, "                                                                                    \
     "or give the options of that run.")                                                           \
  ID(FILE_BUSY, "file-busy", "Another run uses the folder. Wait for it, or name another folder.")  \
  ID(MESH, "mesh", "The mesh cannot be made: sizes, spacing, patches or sphere are wrong.")        \
  ID(HALO, "halo",                                                                                 \
     "A patch has fewer cells, or the mesh fewer ghosts, than an exchange needs. Take fewer "      \
     "patches, or more ghosts.")                                                                   \
  ID(BOUNDARY, "boundary",                                                                         \
     "What lies beyond a wall is not stated, or cannot be. State it in the physics or by "         \
     "`HgProgramSetBoundary()`.")                                                                  \
  ID(VARIABLE_UNKNOWN, "variable-unknown", "There is no variable of that name; the list follows.") \
  ID(VARIABLE, "variable", "A variable has another kind, size or mesh than the call takes.")       \
  ID(ARGUMENT, "argument", "An argument of a function is out of its range.")                       \
  ID(CALL_ORDER, "call-order",                                                                     \
     "A function was called too early or too late, such as before `...SetUp()`.")                  \
  ID(STENCIL, "stencil", "A stencil is declared wrongly: reads, writes, radii or kernels.")        \
  ID(PHYSICS, "physics", "A physics, its numbers or its tables are stated or given wrongly.")      \
  ID(COMPILE, "compile",                                                                           \
     "A text of a physics cannot be compiled. The sentence quotes `hgstencil` or the compiler.")   \
  ID(TIME_STEP, "time-step",                                                                       \
     "The time step is beyond the largest stable one. Take a smaller `-dt`.")                      \
  ID(LIMIT_BROKEN, "limit-broken",                                                                 \
     "A field left the range that its physics states, such as a depth above 0. A smaller step or " \
     "another start may help.")                                                                    \
  ID(NOT_FINITE, "not-finite",                                                                     \
     "A number that must be finite is not: data, a start, J or a gradient.")                       \
  ID(OPERATOR, "operator", "Operators do not fit each other or their variables.")                  \
  ID(NO_DERIVATIVE, "no-derivative",                                                               \
     "A derivative is asked for that the operator does not have, or no states are kept for it.")   \
  ID(DATA, "data", "Observations, gauges, charts or sources do not fit the run.")                  \
  ID(CONTROL, "control",                                                                           \
     "Controls, bounds, a parametrisation, a regularisation or a method are given wrongly.")       \
  ID(INVERSION_FAILED, "inversion-failed",                                                         \
     "The optimiser ended without success. What is written is the best point it found.")           \
  ID(NOTHING_TO_DO, "nothing-to-do",                                                               \
     "The gradient is exactly 0: no observation depends on the controls.")                         \
  ID(CHECK_FAILED, "check-failed",                                                                 \
     "A check found something wrong. The lines above the sentence say what.")                      \
  ID(RECORDING_LACKS, "recording-lacks",                                                           \
     "A recording does not have, or cannot have, what is asked for. `halograd list` lists it.")    \
  ID(STOPPED, "stopped", "The run was stopped and kept its state. The same command goes on.")      \
  ID(UNEXPECTED, "unexpected",                                                                     \
     "PETSc, MPI or a function of yours returned an error code. The sentence names the place.")

typedef enum {

#define HG_ERROR_ID(name, id, what) HG_ERR_##name,
  HG_ERROR_IDS(HG_ERROR_ID)
#undef HG_ERROR_ID
} HgErrorId;

#endif
