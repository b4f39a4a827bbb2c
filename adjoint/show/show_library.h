/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/show_library.h -- fields of chosen steps, and films of them, as files to look at.

     q@120          q_120, of the forward sweep                          in the variables' units
     lambda@120     lambda_120 = dJ/dq_120                               in 1 / unit, as J has none
     gradient@120   dJ/dc of the steps from 120 on: c_bar of the active  in 1 / unit of the constant
                    constants c, so far
     lambda@film    a film of about 48 steps, in the order of the sweep; q@film, gradient@film
     norms          a picture of a recording: HgNormsDraw()

   with commas between. For KIND@STEP there are, in `directory`,
     KIND_STEP.h5, KIND_STEP.pvd, KIND_STEP/...vti    as results.h writes them, time included;
                                                      variables are u, lambda_u, gradient_kappa
     KIND_STEP.png                                    its fields, up to 8, titled with step and time
   and for KIND@film directory/frames/KIND_0000.png, ... (animation.h). */
#ifndef HG_SHOW_LIBRARY_H
#define HG_SHOW_LIBRARY_H

#include <halograd/recording_library.h>
#include <halograd/trajectory.h>

typedef struct HgShow_s *HgShow;

/* What a list contains. */
typedef struct {
  bool norms;
  bool fields;  /* anything else */
  bool reverse; /* something of the reverse sweep only */
  long last;    /* the largest step in the list */
} HgShowWants;

/* Checks the list `what`. Collective. Errors: it is not valid; more than 16 entries; one twice. */
PetscErrorCode HgShowCheck(MPI_Comm comm, const char what[], HgShowWants *wants);

/* Writes what `what` lists (except norms) from the first gradient of `trajectory` with a finite J;
   until a gradient comes, from the first value. It is an observer: no bit of the run changes. You
   may destroy either one first. Collective. Errors: those of HgShowCheck(); a step beyond the
   trajectory; lambda or a gradient of a trajectory without a store. Later, by the run: a gradient
   without active constants; those of results.h and picture.h. */
PetscErrorCode HgShowCreate(HgTrajectory trajectory, const char what[], const char directory[],
                            HgShow *show);
PetscErrorCode HgShowDestroy(HgShow *show);

/* Ends the run. *gradient: a gradient was shown, not a value. Collective. Error: something in the
   list was never computed (the first is named). */
PetscErrorCode HgShowEnd(HgShow show, bool *gradient);

/* Writes what `what` lists from the states of the recording `recorded`, or of the first one in that
   folder, into `directory`, which is created if missing; films have all recorded steps. Collective.
   Errors: those of HgShowCheck(); a step that was not recorded; a gradient, since only the program
   can add what is in ghosts of constants. */
PetscErrorCode HgShowRecording(MPI_Comm comm, const char recorded[], const char what[],
                               const char directory[]);

/* Prints how lambda_n = dJ/dq_n grows in the reverse sweep.

     adjoint     step       t [s] variable        |lambda|        largest at cell         growth
     adjoint      500         0.5 u             1.2345e+00    -6.7000e-02 (12, 40)             -
     adjoint      475       0.475 u             1.3000e+00     ...                        1.0530

   A line for each variable: |lambda| and the number of largest magnitude, in 1 / unit of the
   variable; growth is |lambda_n| over that of the line before. */

typedef struct HgAdjointMonitor_s *HgAdjointMonitor;

/* Prints steps N, N - every, N - 2 every, ..., and 0 of every gradient of `trajectory`; every = 0:
   about 20 of them. You may destroy either one first. Collective. */
PetscErrorCode HgAdjointMonitorCreate(HgTrajectory trajectory, long every,
                                      HgAdjointMonitor *monitor);
PetscErrorCode HgAdjointMonitorDestroy(HgAdjointMonitor *monitor);

/* Whether anything was printed. Not collective. */
bool HgAdjointMonitorPrinted(HgAdjointMonitor monitor);

/* A picture of |q_n| and |lambda_n| of a recording over n.

   It has a panel for each sweep, with a logarithmic axis and a curve for each variable in its own
   unit (lambda: 1 / unit), also for the cotangents of constants so far. Dots at the lower edge mark
   the observed steps. It reads only the ledger. */

/* Draws the recording `recorded`, or each recording in that folder, as norms.png in its own folder;
   or, unless `directory` is NULL, as directory/norms.png and directory/norms-last.png. Collective.
   Errors: those of HgRecordingOpen() and HgPictureWrite(). */
PetscErrorCode HgNormsDraw(MPI_Comm comm, const char recorded[], const char directory[]);

#endif
