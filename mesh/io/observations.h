/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/observations.h -- what sensors measured: times, places, values, standard deviations.

   HDF5 layout: time(time) [s], x(sensor) and y(sensor) [m], or on a sphere [degrees_east] and
   [degrees_north], of a mesh with levels z(sensor) [m], <name>(time, sensor), <name>_sigma of shape
   (), (sensor) or (time, sensor) in the unit of <name>, which may have the attribute "correlation"
   [s], one number; the global attribute "observed" holds <name>. Every rank holds all of it. */
#ifndef HALOGRAD_OBSERVATIONS_H
#define HALOGRAD_OBSERVATIONS_H

#include <halograd/mesh.h>

enum { HG_OBSERVATIONS_LABEL = 96 };

typedef struct {
  char name[32], unit[32]; /* of the observed variable, such as "u", "K" */
  int times, sensors;      /* both >= 1 */
  double *time;            /* [times] increasing [s] */
  double *x, *y;           /* [sensors] [m] */
  double *z;               /* [sensors] [m], of a mesh with levels; else 0 */
  bool degrees;            /* x and y are degrees east and north, of a mesh on a sphere */
  bool levels;             /* z counts */
  /* [sensors] for messages: " (gauge 'a' of 'sea.csv')", " (of 'plate.h5')"; "": the number says it
     all */
  char (*label)[HG_OBSERVATIONS_LABEL];
  double *value; /* [times * sensors] value[n * sensors + k] at time n, sensor k */
  double *sigma; /* [times * sensors] standard deviation of each value, > 0; INFINITY: no value */
  /* A misfit counts residuals beyond so many sigma linearly, so that outliers pull no more than
     others (Huber); 0: it squares all. Not kept in files. */
  double huber;
  /* Errors have Student's distribution of so many degrees of freedom, with far outliers: beyond
     sqrt(student) sigma a residual pulls the less the larger it is; 0: they are normal. Not kept in
     files. */
  double student;
  /* Errors of one sensor are correlated over so many seconds, exp(-t / correlation): a misfit
     counts what is new in each residual; 0: they are independent */
  double correlation;
  /* The standard deviation of a value is at least so much of it; 0: as sigma says. Not kept in
     files. */
  double relative;
  /* A misfit compares all readings of a sensor but for a positive factor: normalised
     cross-correlation. Not kept in files. */
  bool shape;
  /* A misfit compares the envelopes of a sensor's readings, evenly apart and without gaps. Not kept
     in files. */
  bool envelope;
} HgObservations;

/* A note kept with the file as a global attribute, such as {"command", "heat_forward -nx 128"}. */
typedef struct {
  const char *attribute, *text;
} HgNote;

/* Room for times x sensors observations of `name` [unit]; all numbers zero, sigma 1, places in
   metres. Collective on `comm`. */
PetscErrorCode HgObservationsCreate(MPI_Comm comm, const char name[], const char unit[], int times,
                                    int sensors, HgObservations **observations);

/* Frees, sets NULL. Not collective. */
PetscErrorCode HgObservationsDestroy(HgObservations **observations);

/* Rank 0 reads `path`, all get the same observations; an objective then says whether their variable
   and unit are its program's. Collective. Errors, each naming file, dataset, expected and found:
   missing, short or alien file; missing dataset; wrong rank or shape; times or places in another
   unit; values not finite; sigma <= 0; times that do not increase; more numbers than the file has
   bytes for; links, filters or layouts that we do not trust. */
PetscErrorCode HgObservationsRead(MPI_Comm comm, const char path[], HgObservations **observations);

/* Rank 0 writes `path` atomically, with `notes` ending in {NULL, NULL} (NULL: none). Collective.
   Errors: as for reading (what could not be read is not written); not writable; disk full. */
PetscErrorCode HgObservationsWrite(MPI_Comm comm, const char path[],
                                   const HgObservations *observations, const HgNote notes[]);

/* value += sigma xi, xi standard normal (Box & Muller) and the same on every rank for one seed; the
   standard deviations become sigma [unit], > 0; gaps stay gaps. Not collective. */
void HgObservationsAddNoise(HgObservations *observations, double sigma, uint64_t seed);

/* Error if places are in metres and the mesh is a sphere, or in degrees and it is none; if they
   have a z and the mesh no levels, or the other way round; and, naming the first of them, if a
   sensor is outside the domain: outside the cells of `mesh` by more than rounding; a periodic axis
   has no outside. Collective. */
PetscErrorCode HgObservationsInside(const HgObservations *observations, HgMesh mesh);

#endif
