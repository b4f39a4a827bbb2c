/* SPDX-License-Identifier: BSD-2-Clause */
/* A DART gauge: every rank parses the same text and fits the same tide. See dart.h. */
#include <ctype.h>
#include <halograd/dart.h>
#include <halograd/memory.h>
#include <halograd/table.h>
#include <math.h>
#include <petscmat.h>
#include <string.h>
#include <time.h>

enum { LARGEST_FILE = 1 << 28 };

static const double missing = 9990; /* [m] */

typedef struct {
  int64_t utc;   /* seconds since 1970 */
  double height; /* [m] */
} Reading;

typedef struct {
  MPI_Comm comm;
  const char *path; /* files, names between commas */
  int count;
  Reading *reading; /* in order of time, once all are there */
  int zeros;        /* heights of 0, which stand for none */
} Record;

/* Seconds since 1970 of year, month, day, hour, minute, second, UTC; false: there is no such time.
   */
static bool utc_of(const double field[6], int64_t *utc) {
  static const double least[] = {1970, 1, 1, 0, 0, 0}, most[] = {9999, 12, 31, 23, 59, 60};
  for (int k = 0; k < 6; k++)
    if (!(field[k] >= least[k] && field[k] <= most[k]) || field[k] != floor(field[k])) return false;
  struct tm t = {.tm_year = (int)field[0] - 1900, .tm_mon = (int)field[1] - 1, .tm_mday = 1};
  struct tm next = {.tm_year = t.tm_year, .tm_mon = t.tm_mon + 1, .tm_mday = 1};
  const int64_t month = timegm(&t), days = (timegm(&next) - month) / 86400;
  const bool leap = field[5] < 60 || (field[3] == 23 && field[4] == 59);
  *utc = month + ((int64_t)field[2] - 1) * 86400 + (int64_t)field[3] * 3600 +
         (int64_t)field[4] * 60 + (int64_t)field[5];
  return field[2] <= (double)days && leap;
}

/* "2011-03-11T05:46:24", whose digits alone may differ, and perhaps a Z. */
static PetscErrorCode read_origin(const Record *r, const char origin[], int64_t *utc) {
  static const char pattern[] = "0000-00-00T00:00:00";
  size_t k = 0;
  double f[6] = {0};
  for (int field = 0; pattern[k]; k++) {
    if (pattern[k] != '0' ? origin[k] != pattern[k] : !isdigit((unsigned char)origin[k])) break;
    if (pattern[k] == '0') f[field] = 10 * f[field] + (origin[k] - '0');
    else field++;
  }
  const bool right = !pattern[k] && (!origin[k] || !strcmp(origin + k, "Z"));
  HgRequire(r->comm, right && utc_of(f, utc), HG_ERR_DATA,
            "gauge '%s': its origin time is '%.40s', expected one in UTC and whole seconds such as "
            "2011-03-11T05:46:24",
            r->path, origin);
  return 0;
}

/* Eight numbers: the time, the mode, the height, or MM, which is missing; or eight words, which are
   titles that begin with no #, and missing as well. */
static bool read_row(char line[], Reading *reading) {
  double number[8];
  char *rest = line, *cell;
  int cells = 0, words = 0;
  while ((cell = strtok_r(rest, " \t", &rest)) && cells < 8) {
    const bool none = cells == 7 && !strcmp(cell, "MM"),
               word = isalpha((unsigned char)*cell) || !strcmp(cell, "-");
    words += word && !none;
    if (word) number[cells] = missing;
    else if (!HgTableNumber(cell, 1e5, &number[cells])) return false;
    cells++;
  }
  if (cell || cells != 8 || words % 8) return false;
  reading->height = number[7];
  return words || (number[7] >= 0 && utc_of(number, &reading->utc));
}

static int by_time(const void *a, const void *b) {
  const Reading *r = a, *s = b;
  if (r->utc != s->utc) return r->utc < s->utc ? -1 : 1;
  return (r->height > s->height) - (r->height < s->height);
}

/* A byte that looks like a blank, or like nothing, is found by its number alone. */
static PetscErrorCode require_plain(MPI_Comm comm, const char path[], int line, const char row[]) {
  size_t k = 0;
  while (row[k] && (isspace((unsigned char)row[k]) || (row[k] >= ' ' && row[k] < 127))) k++;
  const unsigned byte = (unsigned char)row[k], next = byte ? (unsigned char)row[k + 1] : 0;
  HgRequire(comm, !byte, HG_ERR_FILE_FORMAT,
            "file '%s', line %d, byte %zu is 0x%02X%s, expected digits and blanks, as NDBC writes "
            "them",
            path, line, k + 1, byte,
            byte == 0xA0 || (byte == 0xC2 && next == 0xA0) ? ", a no-break space" : "");
  return 0;
}

/* Adds the readings of one file. */
static PetscErrorCode read_text(Record *r, const char path[], char *text) {
  const int rows = HgTableRows(text);
  int line = 0;
  char *row, *start;
  HgRequire(r->comm, rows, HG_ERR_FILE_FORMAT,
            "file '%s': no rows of readings, expected NDBC's text", path);
  HgRequire(r->comm, rows < INT_MAX - r->count, HG_ERR_DATA, "gauge '%s': more than %d readings",
            r->path, INT_MAX);
  const size_t bytes = sizeof *r->reading * ((size_t)r->count + (size_t)rows);
  PetscCall(HgInputRequire(r->comm, path, "its rows", 2.0 * rows, (double)bytes));
  PetscCall(PetscRealloc(bytes, &r->reading));
  while ((start = text, row = HgTableLine(&text, &line))) {
    if (!*row || *row == '#') continue;
    char copy[64];
    snprintf(copy, sizeof copy, "%s", row);
    PetscCall(require_plain(r->comm, path, line, start));
    Reading *const next = &r->reading[r->count];
    HgRequire(r->comm, read_row(row, next), HG_ERR_FILE_FORMAT,
              "file '%s', line %d: '%s', expected year month day hour minute second mode height, "
              "as NDBC writes them",
              path, line, copy);
    r->zeros += next->height == 0;
    r->count += next->height > 0 && next->height < missing;
  }
  return 0;
}

/* All readings of all files, in order: a record goes on in the file of the next year. */
static PetscErrorCode read_files(Record *r) {
  int files = 0;
  char **path = NULL;
  PetscCall(PetscStrToArray(r->path, ',', &files, &path));
  PetscErrorCode ierr =
      files ? 0
            : HgError(r->comm, HG_ERR_DATA,
                      "gauge: '%s' names no file, expected names between commas", r->path);
  for (int f = 0; !ierr && f < files; f++) {
    char *text, *begin;
    ierr = HgTableRead(r->comm, path[f], LARGEST_FILE, "NDBC's, unpacked if it was packed (.gz)",
                       &text, &begin);
    if (ierr) break;
    ierr = read_text(r, path[f], begin);
    PetscCall(PetscFree(text));
  }
  if (!ierr && r->count) qsort(r->reading, (size_t)r->count, sizeof *r->reading, by_time);
  PetscCall(PetscStrToArrayDestroy(files, path));
  return ierr;
}

/* T_0 .. T_degree at a time; those of the first and the last reading are -1 and 1. */
static void chebyshev(const Reading *first, const Reading *last, int64_t utc, int degree,
                      double value[]) {
  const double span = PetscMax((double)(last->utc - first->utc), 1),
               at = 2 * (double)(utc - first->utc) / span - 1;
  double before = 1, now = at;
  for (int k = 0; k <= degree; k++) {
    value[k] = before;
    const double next = 2 * at * now - before;
    before = now, now = next;
  }
}

/* Do the factors Q R of a matrix determine all of its columns? */
static PetscErrorCode has_full_rank(Mat factored, int rows, int columns, bool *full) {
  static const double small = 1e-12;
  const double *entry;
  PetscCall(MatDenseGetArrayRead(factored, &entry));
  *full = true;
  for (int c = 0; c < columns; c++)
    *full = *full && fabs(entry[(size_t)c * (size_t)rows + (size_t)c]) > small * fabs(entry[0]);
  return MatDenseRestoreArrayRead(factored, &entry);
}

/* The time [s] that a reading stands for: half of that between its neighbours, at an end all of
   that to its neighbour; at most `longest`, which a gauge's usual mode leaves between two readings.
   */
static double time_of(int count, const Reading reading[], int k) {
  static const double longest = 900;
  const int before = PetscMax(k - 1, 0), after = PetscMin(k + 1, count - 1);
  if (before == after) return longest;
  return fmin((double)(reading[after].utc - reading[before].utc) / (after - before), longest);
}

/* coefficient = argmin sum_k w_k (height_k - sum_c A_kc coefficient_c)^2, A_kc = T_c(t_k), w_k the
   time that a reading stands for, by QR factors of sqrt(w) A; *one: there is one such. */
static PetscErrorCode fit(const HgDart *d, int count, const Reading reading[], double coefficient[],
                          bool *one) {
  const int columns = d->degree + 1;
  Mat a;
  Vec height, found;
  double *entry, *h, value[HG_DART_DEGREE + 1];
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, count, columns, NULL, &a));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, count, &height));
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, columns, coefficient, &found));
  PetscCall(MatDenseGetArrayWrite(a, &entry));
  PetscCall(VecGetArrayWrite(height, &h));
  for (int k = 0; k < count; k++) {
    chebyshev(reading, reading + count - 1, reading[k].utc, d->degree, value);
    const double root = d->equal ? 1 : sqrt(time_of(count, reading, k));
    for (int c = 0; c < columns; c++)
      entry[(size_t)c * (size_t)count + (size_t)k] = root * value[c];
    h[k] = root * reading[k].height;
  }
  PetscCall(VecRestoreArrayWrite(height, &h));
  PetscCall(MatDenseRestoreArrayWrite(a, &entry));
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatQRFactor(a, NULL, NULL));
  PetscCall(has_full_rank(a, count, columns, one));
  if (*one) PetscCall(MatSolve(a, height, found));
  PetscCall(VecDestroy(&found));
  PetscCall(VecDestroy(&height));
  return MatDestroy(&a);
}

/* Takes the tide from the heights of `count` readings around the origin. */
static PetscErrorCode take_tide(const Record *r, const HgDart *d, int count, Reading reading[]) {
  double coefficient[HG_DART_DEGREE + 1], value[HG_DART_DEGREE + 1];
  bool one = false;
  HgRequire(r->comm, count > d->degree, HG_ERR_DATA,
            "gauge '%s': %d readings from %g s before to %g s after %s, expected %d at least for a "
            "tide of degree %d",
            r->path, count, d->before, d->after, d->origin, d->degree + 1, d->degree);
  PetscCall(HgInputRequire(r->comm, r->path, "the fit of its tide", 0,
                           sizeof(double) * (double)count * (d->degree + 3)));
  PetscCall(fit(d, count, reading, coefficient, &one));
  HgRequire(
      r->comm, one, HG_ERR_DATA,
      "gauge '%s': the times of its %d readings do not determine a tide of degree %d, expected "
      "a lower degree",
      r->path, count, d->degree);
  for (int k = 0; k < count; k++) {
    chebyshev(reading, reading + count - 1, reading[k].utc, d->degree, value);
    for (int c = 0; c <= d->degree; c++) reading[k].height -= value[c] * coefficient[c];
  }
  return 0;
}

/* Several readings at one time, in order of height, become one if they agree, and none if not. */
static int settle(int count, Reading reading[]) {
  int kept = 0;
  for (int first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && reading[end].utc == reading[first].utc;) end++;
    if (reading[first].height == reading[end - 1].height) reading[kept++] = reading[first];
  }
  return kept;
}

static bool is_kept(const HgDart *d, int64_t origin, const Reading *reading) {
  const double t = (double)(reading->utc - origin);
  return t >= 0 && t <= d->last && reading->utc % 86400 % d->every == 0;
}

static PetscErrorCode keep(const Record *r, const HgDart *d, int64_t origin, int count,
                           const Reading reading[], HgObservations **observations) {
  int times = 0;
  for (int k = 0; k < count; k++) times += is_kept(d, origin, &reading[k]);
  HgRequire(
      r->comm, times, HG_ERR_DATA,
      "gauge '%s': no reading at a multiple of %d s in the %g s after %s, expected one at least",
      r->path, d->every, d->last, d->origin);
  PetscCall(HgObservationsCreate(r->comm, "eta", "m", times, 1, observations));
  HgObservations *o = *observations;
  o->degrees = true, o->x[0] = d->longitude, o->y[0] = d->latitude;
  for (int k = 0, n = 0; k < count; k++) {
    if (!is_kept(d, origin, &reading[k])) continue;
    o->time[n] = (double)(reading[k].utc - origin);
    o->value[n] = reading[k].height, o->sigma[n++] = d->sigma;
  }
  return 0;
}

static PetscErrorCode check(MPI_Comm comm, const char path[], const HgDart *d) {
  HgRequire(comm,
            d->before >= 0 && d->after >= 0 && d->before + d->after > 0 && d->last >= 0 &&
                d->last <= d->after && isfinite(d->before + d->after),
            HG_ERR_DATA,
            "gauge '%s': a tide from %g s before to %g s after its origin and waves up to %g s, "
            "expected times that are not negative, waves within the tide",
            path, d->before, d->after, d->last);
  HgRequire(
      comm, d->degree >= 0 && d->degree <= HG_DART_DEGREE && d->every > 0, HG_ERR_DATA,
      "gauge '%s': a tide of degree %d, readings every %d s, expected 0 to %d, and at least 1 "
      "s",
      path, d->degree, d->every, HG_DART_DEGREE);
  return 0;
}

/* The readings around the origin, in order. */
static PetscErrorCode find_waves(const Record *r, const HgDart *d, int64_t origin,
                                 HgObservations **observations) {
  int first = 0, end;
  while (first < r->count && (double)(r->reading[first].utc - origin) < -d->before) first++;
  for (end = first; end < r->count; end++)
    if ((double)(r->reading[end].utc - origin) > d->after) break;
  Reading *const around = &r->reading[first];
  PetscCall(take_tide(r, d, end - first, around));
  return keep(r, d, origin, settle(end - first, around), around, observations);
}

PetscErrorCode HgDartRead(MPI_Comm comm, const char paths[], const HgDart *d, int *zeros,
                          HgObservations **observations) {
  Record r = {.comm = comm, .path = paths};
  int64_t origin = 0;
  *observations = NULL;
  PetscCall(check(comm, paths, d));
  PetscCall(read_origin(&r, d->origin, &origin));
  PetscErrorCode ierr = read_files(&r);
  if (!ierr) ierr = find_waves(&r, d, origin, observations);
  *zeros = r.zeros;
  PetscCall(PetscFree(r.reading));
  return ierr;
}
