/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of recordings: declared, compared with each other, and what they ask for without a run.
   */
#include <halograd/file_library.h>
#include <halograd/options_library.h>
#include <halograd/recording_library.h>
#include <halograd/run_library.h>
#include <halograd/show_library.h>
#include <string.h>

enum { MOST_STEPS = 1000000000 };

PetscErrorCode HgRunRecordDeclare(HgRunRecord *r, HgOptions o) {
  PetscCall(HgOptionsGroup(o, "Recording and replay"));
  PetscCall(HgOptionsString(o, "-record",
                            "folder for a recording of both sweeps: states and cotangents",
                            sizeof r->record, r->record));
  PetscCall(HgOptionsLong(o, "-record_every",
                          "record every so many steps, and the last (0: a tenth of the steps)", "",
                          0, MOST_STEPS, &r->spec.every));
  PetscCall(HgOptionsInts(o, "-record_steps", "steps to record, instead of -record_every", 0,
                          MOST_STEPS, 1, HG_RECORD_STEPS, &r->spec.steps, r->spec.step));
  PetscCall(HgOptionsString(o, "-replay", "folder of a recording; -window runs part of it again",
                            sizeof r->replay, r->replay));
  PetscCall(HgOptionsString(o, "-window", "a:b, the steps of -replay to run again and compare",
                            sizeof r->window, r->window));
  PetscCall(HgOptionsString(
      o, "-show", "write steps as files: q@120,lambda@120,gradient@120,lambda@film; norms",
      sizeof r->show, r->show));
  PetscCall(HgOptionsBareLong(
      o, "-adjoint_monitor",
      "print the size of dJ/dq_n every so many steps (no value: 20 times; -1: never)", "",
      HG_MONITOR_OFF, MOST_STEPS, 0, &r->monitor));
  r->spec.sync = true;
  return 0;
}

static PetscErrorCode check_steps(const HgRecorderSpec *spec) {
  for (int k = 0; k < spec->steps; k++)
    for (int l = 0; l < k; l++)
      HgRequire(PETSC_COMM_WORLD, spec->step[l] != spec->step[k], HG_ERR_OPTION_RANGE,
                "option -record_steps: step %d is listed twice, expected each step once",
                spec->step[k]);
  return 0;
}

static PetscErrorCode check_options(HgRunRecord *r, HgOptions o) {
  static const char *const all[] = {"-record_every", "-record_steps"};
  for (int k = 0; k < 2; k++)
    HgRequire(PETSC_COMM_WORLD, !HgOptionsGiven(o, all[k]) || *r->record, HG_ERR_OPTION_CONFLICT,
              "option %s: given without -record, expected the folder to record in", all[k]);
  HgRequire(PETSC_COMM_WORLD, !HgOptionsGiven(o, all[0]) || !HgOptionsGiven(o, all[1]),
            HG_ERR_OPTION_CONFLICT,
            "option -record_steps: given with -record_every, expected one way to choose steps");
  PetscCall(check_steps(&r->spec));
  HgRequire(PETSC_COMM_WORLD, !*r->replay || *r->window, HG_ERR_OPTION_CONFLICT,
            "option -replay: given without -window, expected a:b, the steps to run again; "
            "'halograd list %s' lists the recording",
            r->replay);
  HgRequire(PETSC_COMM_WORLD, !*r->replay || !*r->record, HG_ERR_OPTION_CONFLICT,
            "option -replay: given with -record, expected one of them");
  if (*r->show) PetscCall(HgShowCheck(PETSC_COMM_WORLD, r->show, &r->shown));
  HgRequire(PETSC_COMM_WORLD, !r->shown.norms || *r->record || *r->window, HG_ERR_OPTION_RANGE,
            "option -show: norms are those of a recording, expected -record or -replay with it; "
            "'halograd plot DIR' draws those of one that is there");
  return 0;
}

static PetscErrorCode read_window(HgRunRecord *r) {
  char rest;
  HgRequire(PETSC_COMM_WORLD, *r->replay, HG_ERR_OPTION_CONFLICT,
            "option -window: given without -replay, expected the recording");
  HgRequire(PETSC_COMM_WORLD, sscanf(r->window, "%ld:%ld%c", &r->from, &r->to, &rest) == 2,
            HG_ERR_OPTION_RANGE,
            "option -window: expected a:b, the first and the last step, got '%s'", r->window);
  return 0;
}

/* -replay of a folder with a recording.yaml shows that recording, not those in folders below it. */
static PetscErrorCode require_no_recording(HgRunRecord *r) {
  char head[HG_PATH_SIZE + 32];
  bool found = false;
  snprintf(head, sizeof head, "%s/recording.yaml", r->record);
  if (*r->record) PetscCall(HgFileFind(PETSC_COMM_WORLD, head, &found));
  HgRequire(PETSC_COMM_WORLD, !found, HG_ERR_OPTION_CONFLICT,
            "option -record: '%s' is one recording by itself, expected the folder around it, or "
            "another one",
            r->record);
  return 0;
}

PetscErrorCode HgRunRecordBegin(HgRunRecord *r, HgOptions o, const char whole[]) {
  PetscCall(check_options(r, o));
  PetscCall(require_no_recording(r));
  if (*r->record) PetscCall(HgDirectoryCreate(PETSC_COMM_WORLD, r->record));
  if (!*r->window) return 0;
  HgRequire(PETSC_COMM_WORLD, !whole, HG_ERR_OPTION_CONFLICT,
            "option %s: given with -window, which runs a part of what was recorded and nothing "
            "else, expected one of them",
            whole);
  return read_window(r);
}
