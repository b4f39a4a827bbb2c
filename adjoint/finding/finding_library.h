/* How findings are made; for adjoint/finding and the doctor. */
#ifndef HG_FINDING_LIBRARY_H
#define HG_FINDING_LIBRARY_H

#include <halograd/finding.h>
#include <halograd/operator.h>
#include <math.h>

/* The larger of both; NaN is larger than any number. */
static inline double HgDoctorWorse(double a, double b) { return a > b || isnan(a) ? a : b; }

/* The next finding of a report, filled with what is known of all; NULL: the report is full. Those
   of a remark's kind are kept apart. */
HgDoctorFinding *HgDoctorFind(HgDoctorReport *report, HgDoctorKind kind, long step);

/* The findings of the lowest rank of `comm` that has any become those of all. Collective. */
PetscErrorCode HgDoctorAgree(MPI_Comm comm, HgDoctorReport *report);

/* What is found in `more` is added to `report`, as within `within` ("": said already). */
void HgDoctorMerge(const HgDoctorReport *more, const char within[], HgDoctorReport *report);

/* Its remarks alone. */
void HgDoctorMergeRemarks(const HgDoctorReport *more, HgDoctorReport *report);

/* ---- finding_cells.c: where ---- */

/* Where <F' dx, y_bar> and <dx, x_bar> differ most; both have a single variable that is not 0, and
   x_bar = F'(x)^T y_bar. Sets place, i, j, rank; of an array i. Collective. */
PetscErrorCode HgDoctorCell(HgOperator part, HgState x, int read, HgState dx, HgState y_bar,
                            HgState x_bar, double bound, HgDoctorFinding *finding);

/* Where variable k of a and b differ most: sets i, j, rank, was (a), is (b), and place for a
   variable of a program on that mesh; *largest: by how much, 0: nowhere. Collective. */
PetscErrorCode HgDoctorDifference(HgState a, HgState b, int k, double *largest,
                                  HgDoctorFinding *finding);

/* The side of the domain, or of the patches, that the finding's cell is nearest to. */
HgDoctorSide HgDoctorSideOf(HgMesh mesh, const HgDoctorFinding *finding);

#endif
