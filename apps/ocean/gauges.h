/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/gauges.h -- gauges: heights of the sea surface at places and times, as text tables.

     eta = h + b - sea_level [m]: thickness h, height of the bottom b, sea level as in topography.h

     # gauge 1 x 12000 y 30000 [m]       or, on a sphere, [degrees] east and north
     # gauge 2 x 22000 y 30000 [m]
     # sigma 0.01 [m]
     time [s],gauge 1 [m],gauge 2 [m]
     0,0.0012,-0.0003

   An empty cell is a gap. Files gauge00001.txt of GeoClaw are read as well. data/README.md has the
   format in full. */
#ifndef HALOGRAD_GAUGES_H
#define HALOGRAD_GAUGES_H

#include <halograd/observations.h>
#include <halograd/state.h>

/* Reads the files `paths`, names with commas between, on rank 0. All ranks get the same
   observations of "eta" [m], the gauges of the first file first. If files have different times,
   there are gaps as for empty cells: an infinite sigma. `degrees`: places must be in degrees
   instead of metres. GeoClaw's files state no unit: it is assumed to be this one. `sigma`: the
   standard deviation of all values of files that state none [m], > 0. Collective. Errors, with file
   and line, expected and found: a missing or foreign file; a gauge without place, column or values;
   places in the other unit; a wrong number of columns; what is not a finite number; times that do
   not increase; sigma <= 0. */
PetscErrorCode HgGaugesRead(MPI_Comm comm, const char paths[], bool degrees, double sigma,
                            HgObservations **observations);

/* Writes `path` atomically on rank 0, with `notes` (NULL: none) as comments. Numbers are written
   with all their bits, gaps as empty cells. All values must have one standard deviation. `names` of
   the gauges: 1 to 31 characters without blanks and commas; NULL: 1, 2, ... Collective. Errors: as
   for reading; another name; not writable; disk full. */
PetscErrorCode HgGaugesWrite(MPI_Comm comm, const char path[], const HgObservations *observations,
                             const char *const names[], const HgNote notes[]);

#endif
