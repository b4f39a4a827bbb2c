/* SPDX-License-Identifier: BSD-2-Clause */
/* The way to a file, for mesh/file only. */
#ifndef HALOGRAD_FILE_PRIVATE_H
#define HALOGRAD_FILE_PRIVATE_H

#include <halograd/file.h>

/* Opens the folder that `path` lies in: its descriptor, or -1 and errno; *name: what `path` is
   called there. Below a held folder no link is followed. */
int HgFolderAbove(const char path[], const char **name);

/* Closes `folder` unless it is -1, and hands `result` on with its errno. */
int HgFolderLeave(int folder, int result);

#endif
