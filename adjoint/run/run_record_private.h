/* What -record, -replay, -compare, -show and their relatives say, and what of a run they watch. */
#ifndef HALOGRAD_RUN_RECORD_PRIVATE_H
#define HALOGRAD_RUN_RECORD_PRIVATE_H

#include <halograd/adjoint_monitor_library.h>
#include <halograd/growth_library.h>
#include <halograd/recorder.h>
#include <halograd/run_library.h>
#include <halograd/show.h>

enum { HG_MONITOR_OFF = -1 };

/* One trajectory of the run, and its observers; all but the monitor are made once it is chosen. */
typedef struct Watched_s {
  HgRunRecord record;
  HgTrajectory trajectory; /* NULL: it is gone */
  bool goes_on;            /* what an earlier run has recorded of it may go on */
  HgRecorder recorder;
  HgAdjointMonitor monitor;
  bool reversed; /* it has made a gradient */
  HgShow show;
  HgGrowth growth;
  struct Watched_s *before;
} Watched;

struct HgRunRecord_s {
  const char *application;
  char record[HG_PATH_SIZE], replay[HG_PATH_SIZE], compare[2 * HG_PATH_SIZE];
  char window[48], show[HG_PATH_SIZE], output[HG_PATH_SIZE];
  long from, to;         /* of the window */
  bool reverse, tangent; /* and back; or of the tangent */
  bool replaying;        /* it is under way */
  int found;             /* evaluations of the first inversion; -1: none has begun */
  HgShowWants shown;     /* what -show lists */
  HgRecorderSpec spec;
  bool growth;
  long monitor; /* HG_MONITOR_OFF; 0: every so many that there are about 20 lines */
  int paused;
  HgRunValues values;
  Watched *watched;    /* the last one */
  Watched *chosen;     /* what is recorded, shown, looked at; NULL: no run has begun */
  bool differentiated; /* by its gradient: for good */
  bool last;           /* the next gradient is that of what was found */
  int parts;           /* trajectories whose gradients were made */
};

#endif
