/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/gauges.h -- gauges: the height of the sea surface at places and times, as text tables.

   eta = h + b - sea_level [m]: thickness h, height of the bottom b, sea level as in topography.h.
     # gauge 1 x 12000 y 30000 [m]       or, on a sphere, [degrees] east and north
     # gauge 2 x 22000 y 30000 [m]
     # sigma 0.01 [m]
     time [s],gauge 1 [m],gauge 2 [m]
     0,0.0012,-0.0003
   data/README.md has the format in full: an empty cell is a gap, GeoClaw's gauge00001.txt are read
   as well. */
#ifndef HALOGRAD_GAUGES_H
#define HALOGRAD_GAUGES_H

#include <halograd/observations.h>
#include <halograd/state.h>

/* Reads the files `paths`, names between commas, on rank 0; all ranks get the same observations of
   "eta" [m], the gauges of the first file first. Where files have other times than each other there
   are gaps, as for empty cells: an infinite sigma. `degrees`: in what places are expected, instead
   of metres; those of GeoClaw's files, which do not say it, are taken for such. `sigma`: the
   standard deviation of every value where a file gives none [m], > 0. Collective. Errors, each
   naming file, line, expected and found: missing or alien file; a gauge without place, column or
   any value; places in the other unit; a column too few or too many; what is no number or not
   finite; times that do not increase; sigma <= 0. */
PetscErrorCode HgGaugesRead(MPI_Comm comm, const char paths[], bool degrees, double sigma,
                            HgObservations **observations);

/* Rank 0 writes `path` atomically, with `notes` (NULL: none) as comments, every number with all its
   bits, gaps as empty cells; one standard deviation must serve for all values. `names` of the
   gauges, of 1 to 31 characters without blanks and commas; NULL: 1, 2, ... Collective. Errors: as
   for reading; another name; not writable; disk full. */
PetscErrorCode HgGaugesWrite(MPI_Comm comm, const char path[], const HgObservations *observations,
                             const char *const names[], const HgNote notes[]);

#endif
