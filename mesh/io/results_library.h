/* halograd/results_library.h -- what other rooms of the library need of results.h. */
#ifndef HG_RESULTS_LIBRARY_H
#define HG_RESULTS_LIBRARY_H

#include <halograd/results.h>

/* Adds a text to the file as a global attribute, such as "references" or "comment". Collective.
   Errors: the file has one of that name: Conventions, title, history, source. */
PetscErrorCode HgResultsNote(HgResults results, const char attribute[], const char text[]);

/* Abandons: removes the temporary file and this run's .vti and .pvd, frees, sets NULL; no error if
   *results is NULL. Results that are neither closed nor destroyed end as after an error when PETSc
   ends. Collective. */
PetscErrorCode HgResultsDestroy(HgResults *results);

/* Reads the two-dimensional `dataset` (y, x) of the HDF5 file `path` into field `name` of `state`,
   each rank its own part. Collective. Errors: file missing, short or not HDF5; dataset missing or
   not exactly ny x nx numbers; unit other than the variable's; a value not finite (names the cell);
   links, filters, layouts or HDF5 formats (without checksums) that we do not trust. The field is
   then unchanged. */
PetscErrorCode HgFieldRead(HgState state, const char name[], const char path[],
                           const char dataset[]);

/* The same of a series: `dataset` (time, y, x) at time `index`, counted from 0, or from the end if
   it is negative: -1 is the last. *time [s] is that of the file's coordinate "time" (NULL: not
   wanted). Collective. Errors also: no such time; "time" is not in s, or not as long as the
   series. */
PetscErrorCode HgFieldReadAt(HgState state, const char name[], const char path[],
                             const char dataset[], long index, double *time);

#endif
