/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/file_library.h>
#include <halograd/memory.h>
#include <halograd/operator_library.h>
#include <halograd/recording_library.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LINE = 512 };

static const char head[] =
    "# halograd ledger 1: norm = sqrt(sum x^2), least and largest x in the unit of the line, and "
    "their cells (i, j), or entries (k, 0) of arrays; digest: XXH3 of the XXH3 of "
    "each row, from south to north\n"
    "sweep,step,time [s],variable,unit,norm,least,least i,least j,largest,largest i,largest j,"
    "digest\n";

struct HgLedger_s {
  MPI_Comm comm;
  int rank;
  bool sync;
  char path[PETSC_MAX_PATH_LEN];
  long lines;
  XXH3_state_t *hash; /* of all so far, on rank 0 */
};

const char *HgSweepName(HgMode direction) {
  return direction == HG_COTANGENT ? "reverse" : "forward";
}

bool HgSweepReached(HgMode sweep, long at, HgMode direction, long n) {
  if (sweep == direction) return sweep == HG_PRIMAL ? n <= at : n >= at;
  return sweep == HG_COTANGENT && direction == HG_PRIMAL;
}

/* A file with `text`, of so many lines below the head. */
static PetscErrorCode create(MPI_Comm comm, const char path[], bool sync, const char text[],
                             size_t size, long lines, HgLedger *ledger) {
  HgLedger l;
  PetscCall(PetscNew(&l));
  l->comm = comm, l->sync = sync, l->lines = lines;
  PetscCallMPI(MPI_Comm_rank(comm, &l->rank));
  PetscCall(PetscStrncpy(l->path, path, sizeof l->path));
  l->hash = XXH3_createState();
  PetscErrorCode ierr = HgAgree(comm, !l->hash, HG_ERR_MEMORY, "ledger: no memory for a digest");
  if (!ierr) {
    XXH3_64bits_reset(l->hash);
    XXH3_64bits_update(l->hash, text, size);
    ierr = HgFileWrite(comm, path, text, size);
  }
  if (ierr) PetscCall(HgLedgerDestroy(&l));
  else *ledger = l;
  return ierr;
}

PetscErrorCode HgLedgerCreate(MPI_Comm comm, const char path[], bool sync, HgLedger *ledger) {
  return create(comm, path, sync, head, strlen(head), 0, ledger);
}

PetscErrorCode HgLedgerDestroy(HgLedger *ledger) {
  HgLedger l = *ledger;
  *ledger = NULL;
  if (!l) return 0;
  XXH3_freeState(l->hash);
  return PetscFree(l);
}

static PetscErrorCode append(HgLedger l, const char text[], size_t size) {
  if (!l->rank) XXH3_64bits_update(l->hash, text, size);
  return HgFileAppend(l->comm, l->path, text, size, l->sync);
}

static size_t print_line(HgMode direction, long n, double t, const HgVariable *v,
                         const HgMeasure *m, char line[LINE]) {
  char unit[128];
  HgUnitQuotient("1", v->unit, sizeof unit, unit);
  return (size_t)snprintf(line, LINE, "%s,%ld,%.17g,%s,\"%s\",%.17g,%.17g,%d,%d,%.17g,%d,%d,%s\n",
                          HgSweepName(direction), n, t, v->name,
                          direction == HG_COTANGENT ? unit : v->unit, m->norm, m->least,
                          m->least_at[0], m->least_at[1], m->largest, m->largest_at[0],
                          m->largest_at[1], m->digest);
}

PetscErrorCode HgLedgerAdd(HgLedger l, HgMode direction, long n, double t, HgState state,
                           const bool kept[], HgMeasuring *measuring) {
  const int count = HgStateCount(state);
  HgMeasure *measure;
  char *text;
  size_t size = 0;
  PetscCall(PetscMalloc2(count, &measure, (size_t)count * LINE, &text));
  PetscCall(HgMeasuringEnd(measuring, measure));
  for (int k = 0; k < count; k++) {
    if (kept && !kept[k]) continue;
    size += print_line(direction, n, t, HgStateVariable(state, k), &measure[k], text + size);
    l->lines++;
  }
  const PetscErrorCode ierr = append(l, text, size);
  PetscCall(PetscFree2(measure, text));
  return ierr;
}

PetscErrorCode HgLedgerEnd(HgLedger l, double J) {
  char line[LINE];
  const int size =
      snprintf(line, sizeof line, "# whole: J %a, %ld lines, XXH3 %016llx\n", J, l->lines,
               l->rank ? 0 : (unsigned long long)XXH3_64bits_digest(l->hash));
  return append(l, line, (size_t)size);
}

/* ---- reading ---- */

/* Reads a step's line. Copies it first, because sscanf() would measure all text behind it. */
static bool read_line(const char at[], HgLedgerLine *l) {
  char line[LINE], sweep[16];
  HgMeasure *const m = &l->measure;
  const size_t length = strcspn(at, "\n");
  int unit = 0, used = 0;
  if (length >= sizeof line) return false;
  memcpy(line, at, length);
  line[length] = 0;
  if (sscanf(line, "%15[a-z],%ld,%lf,%31[^,],\"%n", sweep, &l->n, &l->t, l->variable, &unit) != 4 ||
      !unit)
    return false;
  const char *const rest = strchr(line + unit, '"'); /* of "", too */
  if (!rest || (size_t)(rest - line - unit) >= sizeof l->unit) return false;
  snprintf(l->unit, sizeof l->unit, "%.*s", (int)(rest - line - unit), line + unit);
  if (sscanf(rest, "\",%lf,%lf,%d,%d,%lf,%d,%d,%16[0-9a-f]%n", &m->norm, &m->least, &m->least_at[0],
             &m->least_at[1], &m->largest, &m->largest_at[0], &m->largest_at[1], m->digest,
             &used) != 8 ||
      rest[used] || strlen(m->digest) != 16)
    return false;
  for (l->direction = HG_PRIMAL; l->direction < HG_MODES; l->direction++)
    if (!strcmp(sweep, HgSweepName(l->direction))) return true;
  return false;
}

/* Reads the last line, if there is one; false: it contradicts the lines before. */
static bool read_end(const char text[], const char *line, HgLedgerText *l) {
  long lines;
  unsigned long long digest;
  int used = 0;
  if (sscanf(line, "# whole: J %la, %ld lines, XXH3 %16llx\n%n", &l->J, &lines, &digest, &used) !=
          3 ||
      !used || line[used] || lines != l->lines)
    return false;
  l->whole = digest == XXH3_64bits(text, (size_t)(line - text));
  return l->whole;
}

/* Whether it is the last line, except for its end. */
static bool complete(const char line[]) {
  double J;
  long lines;
  int used = 0;
  return sscanf(line, "# whole: J %la, %ld lines, XXH3 %*16[0-9a-f]%n", &J, &lines, &used) == 2 &&
         used && line[used];
}

static bool parse(const char text[], HgLedgerText *l) {
  const char *line = text + strlen(head), *next;
  if (strncmp(text, head, strlen(head))) return false;
  for (; (next = strchr(line, '\n')); line = next + 1) {
    if (*line == '#') return read_end(text, line, l);
    if (!read_line(line, &l->line[l->lines])) return false;
    l->lines++;
  }
  return !*line || !complete(line); /* a kill cuts the last line */
}

PetscErrorCode HgLedgerRead(MPI_Comm comm, const char path[], HgLedgerText *l) {
  char *text;
  size_t size, room = 1;
  *l = (HgLedgerText){.J = NAN};
  PetscCall(HgFileReadOwn(comm, path, INT_MAX - 1, &text, &size));
  for (size_t k = 0; k < size; k++) room += text[k] == '\n';
  const PetscErrorCode ierr =
      HgInputRequire(comm, path, "its table of lines", 0, (double)room * sizeof *l->line);
  if (ierr) PetscCall(PetscFree(text));
  if (ierr) return ierr;
  PetscCall(PetscMalloc1(room, &l->line));
  const bool good = strlen(text) == size && parse(text, l);
  PetscCall(PetscFree(text));
  if (good) return 0;
  PetscCall(HgLedgerTextDestroy(l));
  return HgError(comm, HG_ERR_FILE_DAMAGED, "'%s' is not what was written", path);
}

/* ---- going on ---- */

/* Removes all after step `at` of `sweep`; returns the lines left below the head. */
static long shorten(char text[], HgMode sweep, long at, size_t *size) {
  const char *line = text + strlen(head), *next;
  char *to = text + strlen(head);
  HgLedgerLine l;
  long lines = 0;
  for (; (next = strchr(line, '\n')); line = next + 1) {
    if (!read_line(line, &l) || !HgSweepReached(sweep, at, l.direction, l.n)) continue;
    memmove(to, line, (size_t)(next + 1 - line));
    to += next + 1 - line, lines++;
  }
  *size = (size_t)(to - text);
  return lines;
}

PetscErrorCode HgLedgerGoOn(MPI_Comm comm, const char path[], bool sync, HgMode sweep, long at,
                            HgLedger *ledger) {
  char *text;
  size_t size;
  PetscCall(HgFileReadOwn(comm, path, INT_MAX - 1, &text, &size));
  PetscErrorCode ierr = 0;
  if (strncmp(text, head, strlen(head)))
    ierr = HgError(comm, HG_ERR_FILE_DAMAGED, "'%s' is not what was written", path);
  if (!ierr) {
    const long lines = shorten(text, sweep, at, &size);
    ierr = create(comm, path, sync, text, size, lines, ledger);
  }
  PetscCall(PetscFree(text));
  return ierr;
}

PetscErrorCode HgLedgerTextDestroy(HgLedgerText *l) { return PetscFree(l->line); }
