/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/observations.h -- readings of sensors: times, places, values, standard deviations.

   HDF5 layout: time(time) [s]; x(sensor) and y(sensor) in [m], on a sphere in [degrees_east] and
   [degrees_north]; z(sensor) [m] for meshes with levels; <name>(time, sensor); <name>_sigma of
   shape (), (sensor) or (time, sensor) in the unit of <name>, with an optional attribute
   "correlation" [s], one number. The global attribute "observed" holds <name>. Every rank holds all
   readings. */
#ifndef HALOGRAD_OBSERVATIONS_H
#define HALOGRAD_OBSERVATIONS_H

#include <halograd/mesh.h>

enum { HG_OBSERVATIONS_LABEL = 96 };

typedef struct {
  char name[32], unit[32]; /* of the observed variable, such as "u", "K" */
  int times, sensors;      /* both >= 1 */
  double *time;            /* [times] increasing [s] */
  double *x, *y;           /* [sensors] [m] */
  double *z;               /* [sensors] [m] on meshes with levels; else 0 */
  bool degrees;            /* x and y are degrees east and north, for meshes on a sphere */
  bool levels;             /* z is used */
  /* [sensors] added to a sensor's number in messages: " (gauge 'a' of 'sea.csv')", " (of
     'plate.h5')"; "": nothing */
  char (*label)[HG_OBSERVATIONS_LABEL];
  double *value; /* [times * sensors] value[n * sensors + k] at time n, sensor k */
  double *sigma; /* [times * sensors] standard deviation of each value, > 0; INFINITY: no value */
  /* Residuals beyond this many sigma count linearly in a misfit, so that outliers pull no more than
     others (Huber); 0: all are squared. Not kept in files. */
  double huber;
  /* Degrees of freedom of Student's distribution of the errors, which allows far outliers: beyond
     sqrt(student) sigma, a larger residual pulls less; 0: normal errors. Not kept in files. */
  double student;
  /* Correlation time [s] of the errors of one sensor, exp(-t / correlation): a misfit counts what
     is new in each residual; 0: independent errors. */
  double correlation;
  /* Smallest standard deviation of a reading as a fraction of its value; 0: only sigma counts. Not
     kept in files. */
  double relative;
  /* A misfit compares the readings of a sensor up to a positive factor (normalised
     cross-correlation). Not kept in files. */
  bool shape;
  /* A misfit compares the envelopes of a sensor's readings, which must be evenly spaced in time and
     without gaps. Not kept in files. */
  bool envelope;
} HgObservations;

/* A note for the file, stored as a global attribute, such as {"command", "heat_forward -nx 128"}.
   */
typedef struct {
  const char *attribute, *text;
} HgNote;

/* Creates times x sensors observations of `name` [unit]: all numbers zero, sigma 1, places in
   metres. Collective on `comm`. */
PetscErrorCode HgObservationsCreate(MPI_Comm comm, const char name[], const char unit[], int times,
                                    int sensors, HgObservations **observations);

/* Frees, sets NULL. Not collective. */
PetscErrorCode HgObservationsDestroy(HgObservations **observations);

/* Reads observations from `path` on rank 0 and gives them to all ranks. An objective later checks
   variable and unit. Collective. Errors, each naming file, dataset, what was expected and found:
   missing, short or alien file; missing dataset; wrong rank or shape; times or places in another
   unit; values not finite; sigma <= 0; times that do not increase; more numbers than the file has
   bytes for; links, filters or layouts that we do not trust. */
PetscErrorCode HgObservationsRead(MPI_Comm comm, const char path[], HgObservations **observations);

/* Writes observations to `path` from rank 0, atomically, with `notes` ending in {NULL, NULL} (NULL:
   none). Collective. Errors: not writable; disk full; anything that HgObservationsRead() would
   refuse. */
PetscErrorCode HgObservationsWrite(MPI_Comm comm, const char path[],
                                   const HgObservations *observations, const HgNote notes[]);

/* value += sigma xi, with xi standard normal (Box & Muller), the same on every rank for one seed.
   Sets the standard deviations to sigma [unit], > 0; gaps stay gaps. Not collective. */
void HgObservationsAddNoise(HgObservations *observations, double sigma, uint64_t seed);

/* Checks that places fit the mesh. Collective. Errors: places in metres on a sphere, or in degrees
   on a plane; a z on a mesh without levels, or none on one with levels; a sensor outside the cells
   of `mesh` by more than rounding (the sentence names the first). A periodic axis has no
   outside. */
PetscErrorCode HgObservationsInside(const HgObservations *observations, HgMesh mesh);

#endif
