/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/file_library.h -- what other rooms of the library need of file.h. */
#ifndef HG_FILE_LIBRARY_H
#define HG_FILE_LIBRARY_H

#include <halograd/file.h>

/* Adds `size` bytes at the end of the file `path`, and fsyncs it if `sync`. Collective; `bytes` and
   `size` count on rank 0 only. Errors: no such file; not writable; no space: the file is then as it
   was. */
PetscErrorCode HgFileAppend(MPI_Comm comm, const char path[], const void *bytes, size_t size,
                            bool sync);

/* ---- HgFileWrite(), piece by piece, by one rank for itself: 0 or an errno is returned ---- */
enum { HG_FILE_NAME = 256 }; /* [B] of a name in a folder, with its final zero */

typedef struct {
  int file, folder;                                      /* file -1: closed */
  char name[HG_FILE_NAME], temporary[HG_FILE_NAME + 32]; /* in the folder */
} HgFileDraft;

/* A file beside `path` that is to be it. */
int HgFileDraftBegin(const char path[], HgFileDraft *draft);

/* `bytes` will be written: a file system that can finds room for all at once, which halves the cost
   of writing to the page cache on ext4. That it cannot is no error. */
void HgFileDraftReserve(HgFileDraft *draft, size_t bytes);

/* The first `done` bytes of *count pieces are behind: *piece and *count become what is left. */
void HgFilePiecesPass(struct iovec **piece, int *count, size_t done);

/* All bytes of the pieces, which it changes, where `file` stands. Returns 0 or an errno. */
int HgFilePiecesWrite(int file, struct iovec *piece, int count);

/* `why` 0: what was written becomes `path`, for good even after a power cut if `sync`; else, and if
   that fails, it is removed. Returns `why` or what failed here; to be called after every Begin. */
int HgFileDraftEnd(HgFileDraft *draft, int why, bool sync);

/* An errno of these in words. */
const char *HgFileReason(int why);

/* Rank 0 locks the file `path`, which is made if missing, as long as its process lives or until
   Unlock; where the file system has no locks, nothing is locked. Collective. Errors: another
   process has it: the sentence `what`; it cannot be opened or locked, or is a symbolic link. */
PetscErrorCode HgFileLock(MPI_Comm comm, const char path[], const char what[], int *lock);
void HgFileUnlock(int *lock);

/* flock() without waiting, `how` LOCK_EX or LOCK_SH: 0; EWOULDBLOCK: another process has it;
   ENOLCK: the file system has no locks, which is said once, with `path`; or another errno. */
int HgFileTryLock(int file, int how, const char path[]);

/* Keeps other runs out of a directory that HgDirectoryCreate() has made: rank 0 locks the file
   .lock there until PETSc ends, and then removes it. Once for all calls of one process. Collective.
   Errors: those of HgFileLock(). */
PetscErrorCode HgDirectoryLock(MPI_Comm comm, const char directory[]);

/* *found: rank 0 sees something called `path`. Collective. Error: it lies behind a link below a
   held folder. */
PetscErrorCode HgFileFind(MPI_Comm comm, const char path[], bool *found);

/* Removes the regular file `path`; nothing happens if there is none. Collective. Errors: it is
   something else; not permitted. */
PetscErrorCode HgFileRemove(MPI_Comm comm, const char path[]);

/* Makes the directory `path` and its parents, and holds it (HgFolderHold()); nothing is made if it
   is there and can be written to. Collective. Errors: empty; something on the way is no directory;
   not writable; a rank does not see what rank 0 writes there. */
PetscErrorCode HgDirectoryCreate(MPI_Comm comm, const char path[]);

/* The same without trying to write, by one rank for itself: 0 or an errno is returned, with `path`
   cut where it happened. *made: the last directory was not there. */
int HgDirectoriesMake(char path[], bool *made);

/* ---- below a folder that the user names no link is followed ----

   The name that a user gives may lead through links. What lies below is the library's: there a link
   is somebody's trap, or a mistake. HgFolderHold() opens the folder `path` until PETSc ends. From
   then on all functions here go from that descriptor to a path below it, folder
   by folder, and fail with ELOOP where one of them is a link; paths are below by their text. If
   `path` is itself below a held folder, it is only looked at. Returns 0 or an errno. */
int HgFolderHold(const char path[]);

/* open(), unlink() and rename() so; a link in the place of the file itself is not followed, either:
   -1 and errno. A point of HG_FAULT_RENAME. */
int HgFileOpen(const char path[], int flags);
int HgFileUnlink(const char path[]);
int HgFileRename(const char from[], const char to[]);

/* Calls act() with every name in the folder `path`, and its descriptor for unlinkat(), until it
   returns what is not 0. Returns that, or an errno. */
typedef int HgFolderFn(void *context, int folder, const char name[]);
int HgFolderEach(const char path[], HgFolderFn *act, void *context);

/* A new, empty file for writing: its descriptor, or -1 and errno. What was called so before is
   removed, never followed: a link, a pipe. Error: it is a directory; the folder is not writable. */
int HgFileNew(const char path[]);

/* Reads the whole of `path`, at most `limit` bytes, on rank 0 and hands it to all ranks; a zero
   byte follows. The caller frees *bytes with PetscFree(). Collective. Errors: missing, not
   readable, no regular file, longer than `limit`, no memory; *bytes is then NULL. */
PetscErrorCode HgFileReadAll(MPI_Comm comm, const char path[], size_t limit, char **bytes,
                             size_t *size);

/* The same for a file of the library's own making: error, too, if it is a symbolic link. */
PetscErrorCode HgFileReadOwn(MPI_Comm comm, const char path[], size_t limit, char **bytes,
                             size_t *size);

/* Opens the folder that `path` lies in: its descriptor, or -1 and errno; *name: what `path` is
   called there. Below a held folder no link is followed. */
int HgFolderAbove(const char path[], const char **name);

/* Closes `folder` unless it is -1, and hands `result` on with its errno. */
int HgFolderLeave(int folder, int result);

#endif
