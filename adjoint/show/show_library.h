/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/show_library.h -- fields of chosen steps, and films of them, as files to look at.

     q@120          q_120, of the first sweep                            in the variables' units
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

/* What such a list asks for. */
typedef struct {
  bool norms;
  bool fields;  /* anything else */
  bool reverse; /* of it, what comes by in the reverse sweep alone */
  long last;    /* the largest step that is listed */
} HgShowWants;

/* Is `what` such a list? Collective. Errors: it is not; more than 16 of them; one twice. */
PetscErrorCode HgShowCheck(MPI_Comm comm, const char what[], HgShowWants *wants);

/* Writes what `what` lists, but for norms, of the first gradient of `trajectory` whose J is
   finite, and until it comes of the first value. An observer: no bit of the run changes. Either
   may be destroyed first. Collective. Errors: those of HgShowCheck(); a step that the trajectory
   has not got; lambda or a gradient of a trajectory without a store. Later, by the run: a
   gradient without active constants; those of results.h and picture.h. */
PetscErrorCode HgShowCreate(HgTrajectory trajectory, const char what[], const char directory[],
                            HgShow *show);
PetscErrorCode HgShowDestroy(HgShow *show);

/* The run is over. *gradient: a gradient was shown, not a value. Collective. Error: something
   was never there to be shown (the first is named). */
PetscErrorCode HgShowEnd(HgShow show, bool *gradient);

/* What `what` lists, without a run, from the states of the recording `recorded`, or of the first
   one in that folder (films: of all its steps), into `directory`, which is made if it is missing.
   Collective. Errors: those of HgShowCheck(); a step that was not recorded; a gradient, in which
   what lies in ghosts of constants is the program's to add. */
PetscErrorCode HgShowRecording(MPI_Comm comm, const char recorded[], const char what[],
                               const char directory[]);

/* Prints how lambda_n = dJ/dq_n grows on its way back.

     adjoint     step       t [s] variable        |lambda|        largest at cell         growth
     adjoint      500         0.5 u             1.2345e+00    -6.7000e-02 (12, 40)             -
     adjoint      475       0.475 u             1.3000e+00     ...                        1.0530

   A line for each variable; |lambda|, and the number of largest magnitude, in 1 / unit of the
   variable; growth: |lambda_n| over what the line before said. */

typedef struct HgAdjointMonitor_s *HgAdjointMonitor;

/* Steps N, N - every, N - 2 every, ..., and 0, of every gradient of `trajectory`; every = 0: about
   20 of them. Either may be destroyed first. Collective. */
PetscErrorCode HgAdjointMonitorCreate(HgTrajectory trajectory, long every,
                                      HgAdjointMonitor *monitor);
PetscErrorCode HgAdjointMonitorDestroy(HgAdjointMonitor *monitor);

/* Has anything been printed? Not collective. */
bool HgAdjointMonitorPrinted(HgAdjointMonitor monitor);

/* |q_n| and |lambda_n| of a recording over n, as a picture.

   A panel for each sweep, on a logarithmic axis, a curve for each variable in its own unit
   (lambda: 1 / unit), cotangents of constants so far among them; dots at the lower edge mark the
   steps that J looks at. Of the ledger alone: no state is read. */

/* Draws `recorded`, or each recording in that folder, as norms.png of its own folder; or as
   directory/norms.png, directory/norms-last.png unless `directory` is NULL. Collective. Errors:
   those of HgRecordingOpen() and HgPictureWrite(). */
PetscErrorCode HgNormsDraw(MPI_Comm comm, const char recorded[], const char directory[]);

#endif
