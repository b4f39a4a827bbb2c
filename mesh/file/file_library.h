/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/file_library.h -- what other rooms of the library need of file.h. */
#ifndef HG_FILE_LIBRARY_H
#define HG_FILE_LIBRARY_H

#include <halograd/file.h>

/* Appends `size` bytes to the file `path`, and fsyncs it if `sync`. `bytes` and `size` count on
   rank 0 only. Collective. Errors, which leave the file unchanged: no such file; not writable; no
   space. */
PetscErrorCode HgFileAppend(MPI_Comm comm, const char path[], const void *bytes, size_t size,
                            bool sync);

/* ---- HgFileWrite() in pieces, by one rank alone; returns 0 or an errno ---- */
enum { HG_FILE_NAME = 256 }; /* [B] of a name in a folder, with its final zero */

typedef struct {
  int file, folder;                                      /* file -1: closed */
  char name[HG_FILE_NAME], temporary[HG_FILE_NAME + 32]; /* in the folder */
} HgFileDraft;

/* Creates a temporary file beside `path`, which will replace it. */
int HgFileDraftBegin(const char path[], HgFileDraft *draft);

/* Reserves space for `bytes` at once, if the file system can: this halves the cost of writing to
   the page cache on ext4. It is no error if it cannot. */
void HgFileDraftReserve(HgFileDraft *draft, size_t bytes);

/* Drops the first `done` bytes of *count pieces: *piece and *count become the rest. */
void HgFilePiecesPass(struct iovec **piece, int *count, size_t done);

/* Writes all bytes of the pieces, which it changes, at the position of `file`. Returns 0 or an
   errno. */
int HgFilePiecesWrite(int file, struct iovec *piece, int count);

/* Call it after every Begin. `why` 0: renames the file to `path`; with `sync` it survives a power
   cut. Otherwise, or if that fails, removes it. Returns `why`, or the errno of a failure here. */
int HgFileDraftEnd(HgFileDraft *draft, int why, bool sync);

/* An errno of these functions in words. */
const char *HgFileReason(int why);

/* Locks the file `path` on rank 0, until its process ends or Unlock; creates it if missing. If the
   file system has no locks, nothing is locked. Collective. Errors: another process has it (the
   sentence `what`); it cannot be opened or locked, or is a symbolic link. */
PetscErrorCode HgFileLock(MPI_Comm comm, const char path[], const char what[], int *lock);
void HgFileUnlock(int *lock);

/* flock() without waiting, `how` LOCK_EX or LOCK_SH. Returns 0; EWOULDBLOCK: another process has
   it; ENOLCK: the file system has no locks, which is printed once, with `path`; or another
   errno. */
int HgFileTryLock(int file, int how, const char path[]);

/* Keeps other runs out of a directory of HgDirectoryCreate(): rank 0 locks the file .lock there
   until PETSc ends, and then removes it. Calls of one process share the lock. Collective. Errors:
   those of HgFileLock(). */
PetscErrorCode HgDirectoryLock(MPI_Comm comm, const char directory[]);

/* *found: something called `path` exists on rank 0. Collective. Error: it is behind a link below a
   held folder. */
PetscErrorCode HgFileFind(MPI_Comm comm, const char path[], bool *found);

/* Removes the regular file `path`, if there is one. Collective. Errors: it is not a regular file;
   not permitted. */
PetscErrorCode HgFileRemove(MPI_Comm comm, const char path[]);

/* Creates the directory `path` with its parents, unless it is there and writable, and holds it
   (HgFolderHold()). Collective. Errors: an empty name; a part of the path is not a directory; not
   writable; a rank does not see what rank 0 writes there. */
PetscErrorCode HgDirectoryCreate(MPI_Comm comm, const char path[]);

/* The same by one rank alone, without testing that it is writable. Returns 0; or an errno, with
   `path` cut where it failed. *made: the last directory was not there. */
int HgDirectoriesMake(char path[], bool *made);

/* ---- no links are followed below a folder that the user names ----

   The name that a user gives may lead through links. What is below belongs to the library: a link
   there is an attack or a mistake. HgFolderHold() opens the folder `path` until PETSc ends. From
   then on all functions here go from its descriptor to a path below it, folder by folder, and fail
   with ELOOP at a link; whether a path is below is decided by its text. If `path` is itself below a
   held folder, it is only checked. Returns 0 or an errno. */
int HgFolderHold(const char path[]);

/* open(), unlink() and rename() in this way. They do not follow a link in the place of the file
   itself, either: -1 and errno. Rename is a point of HG_FAULT_RENAME. */
int HgFileOpen(const char path[], int flags);
int HgFileUnlink(const char path[]);
int HgFileRename(const char from[], const char to[]);

/* Calls act() with every name in the folder `path`, and the folder's descriptor for unlinkat(),
   until it returns something other than 0. Returns that, or an errno. */
typedef int HgFolderFn(void *context, int folder, const char name[]);
int HgFolderEach(const char path[], HgFolderFn *act, void *context);

/* Creates an empty file for writing: returns its descriptor, or -1 and errno. Removes what had this
   name before and never follows it (a link, a pipe). Error: it is a directory; the folder is not
   writable. */
int HgFileNew(const char path[]);

/* Reads the whole file `path`, at most `limit` bytes, on rank 0 and gives it to all ranks, with a
   zero byte at the end. Free *bytes with PetscFree(). Collective. Errors, which set *bytes to NULL:
   missing, not readable, not a regular file, longer than `limit`, no memory. */
PetscErrorCode HgFileReadAll(MPI_Comm comm, const char path[], size_t limit, char **bytes,
                             size_t *size);

/* The same for a file that the library itself wrote. Error also: a symbolic link. */
PetscErrorCode HgFileReadOwn(MPI_Comm comm, const char path[], size_t limit, char **bytes,
                             size_t *size);

/* Opens the folder of `path`: returns its descriptor, or -1 and errno; *name: the name of `path` in
   it. Follows no link below a held folder. */
int HgFolderAbove(const char path[], const char **name);

/* Closes `folder` unless it is -1; returns `result` and keeps errno. */
int HgFolderLeave(int folder, int result);

#endif
