/* SPDX-License-Identifier: BSD-2-Clause */
/* recording.yaml: what was recorded, on which grid, by which command. */
#include <halograd/file_library.h>
#include <halograd/recording_library.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LARGEST = 1 << 20, LINE = 256, END = 23 }; /* END: "# end <16 digits>\n" */

static const char title[] = "# halograd recording 1\n", single[] = "precision: single\n",
                  stage[] = "stage: ";
static const char *const kinds[] = {"field", "ghosted", "replicated", "local"};

bool HgRecordedConstants(const HgRecordHead *h) {
  for (int k = 0; k < h->variables; k++)
    if (h->variable[k].constant) return true;
  return false;
}

bool HgSameGrid(const HgMeshSpec *a, const HgMeshSpec *b) {
  return a->nx == b->nx && a->ny == b->ny && a->nz == b->nz && a->dx == b->dx && a->dy == b->dy;
}

static const char *kind_of(const HgRecorded *v) { return v->surface ? "surface" : kinds[v->kind]; }

/* Variable k in words. */
static void say_variable(const HgRecordHead *h, int k, size_t size, char text[]) {
  const HgRecorded *const v = k < h->variables ? &h->variable[k] : NULL;
  if (!v) snprintf(text, size, "none more");
  else
    snprintf(text, size, "%s '%s' (%s, %d)", v->constant ? "constant" : "carried", v->name,
             kind_of(v), v->size);
}

bool HgRecordedAlike(const HgRecordHead *a, const HgRecordHead *b, size_t size, char a_has[],
                     char b_has[]) {
  for (int k = 0; k < PetscMax(a->variables, b->variables); k++) {
    say_variable(a, k, size, a_has), say_variable(b, k, size, b_has);
    if (strcmp(a_has, b_has)) return false;
  }
  return true;
}

/* Replaces quotation marks, which would end a text too early. */
static void print_quoted(FILE *file, const char text[]) {
  fputc('"', file);
  for (const char *c = text; *c && *c != '\n'; c++) fputc(*c == '"' ? '\'' : *c, file);
  fputc('"', file);
}

static void print(const HgRecordHead *h, FILE *file) {
  fprintf(file, "%sapplication: %s\n", title, h->application);
  if (*h->stage) fprintf(file, "%s%s\n", stage, h->stage);
  fprintf(file, "program: %s\nversion: %s\n", h->program, h->version);
  fprintf(file, "compiler: %s\nflags: %s\n%s", h->compiler, h->flags, h->single ? single : "");
  const HgMeshSpec *const m = &h->grid;
  fprintf(file, "grid: [%d, %d]\npatches: [%d, %d]\nperiodic: [%d, %d]\n", m->nx, m->ny, m->px,
          m->py, m->periodic_x, m->periodic_y);
  if (m->nz)
    fprintf(
        file,
        "levels: [%d, %d, %.17g, %.17g] # how many, periodic, the first's height, m, thickness, "
        "m\n",
        m->nz, m->periodic_z, m->z0, m->dz);
  fprintf(file, "origin: [%.17g, %.17g] # m\nspacing: [%.17g, %.17g] # m\n", m->x0, m->y0, m->dx,
          m->dy);
  fprintf(file, "steps: %ld\ndt: %.17g # s\nsweeps: %d\nobserved:", h->steps, h->dt, h->sweeps);
  for (int k = 0; k < h->observed; k++)
    fprintf(file, " %ld:%ld:%ld", h->observation[k][0], h->observation[k][1], h->observation[k][2]);
  fprintf(file, " # first:last:every step that J looks at\n");
  if (*h->input)
    fprintf(file, "input: %s J_bar %a # the gradient's x, its digest\n", h->input, h->J_bar);
  fprintf(file, "variables:\n");
  for (int k = 0; k < h->variables; k++) {
    const HgRecorded *v = &h->variable[k];
    fprintf(file, "- {role: %s, kind: %s, size: %d, name: ", v->constant ? "constant" : "carried",
            kind_of(v), v->size);
    print_quoted(file, v->name);
    fprintf(file, ", unit: ");
    print_quoted(file, v->unit);
    fprintf(file, "}\n");
  }
  fprintf(file, "options:\n");
  for (const char *c = h->options; c && *c; c = strchr(c, '\n') ? strchr(c, '\n') + 1 : "") {
    fprintf(file, "- ");
    print_quoted(file, c);
    fprintf(file, "\n");
  }
}

PetscErrorCode HgRecordHeadWrite(MPI_Comm comm, const char directory[], const HgRecordHead *h) {
  char path[PETSC_MAX_PATH_LEN], *text = NULL;
  size_t size = 0;
  FILE *const file = open_memstream(&text, &size);
  if (file) print(h, file);
  bool failed = !file || fflush(file);
  if (!failed) fprintf(file, "# end %016llx\n", (unsigned long long)XXH3_64bits(text, size));
  if (file) failed |= fclose(file) != 0;
  snprintf(path, sizeof path, "%s/recording.yaml", directory);
  PetscErrorCode ierr =
      HgAgree(comm, failed, HG_ERR_MEMORY, "no memory for the text of '%s'", path);
  if (!ierr) ierr = HgFileWrite(comm, path, text, size);
  free(text);
  return ierr;
}

/* ---- reading ---- */

/* Copies the rest of a line "key: ..." into `value`, and moves *at behind it. */
static bool read_key(const char **at, const char key[], size_t size, char value[]) {
  const size_t length = strlen(key);
  const char *const end = strchr(*at, '\n');
  if (strncmp(*at, key, length) || !end) return false;
  const char *const from = *at + length;
  if (from > end || (size_t)(end - from) >= size) return false;
  memcpy(value, from, (size_t)(end - from));
  value[end - from] = 0;
  *at = end + 1;
  return true;
}

/* Reads a number behind `mark`; returns what follows it, NULL: there is none. sscanf() would
   measure all text behind each number. */
static const char *take_long(const char *at, char mark, long *number) {
  char *end;
  if (*at != mark) return NULL;
  *number = strtol(at + 1, &end, 10);
  return end > at + 1 ? end : NULL;
}

/* The steps that J looks at. */
static bool take_observed(const char **at, HgRecordHead *h) {
  static const char key[] = "observed:";
  const char *c = *at + strlen(key), *const end = strchr(*at, '\n');
  int most = 0;
  if (strncmp(*at, key, strlen(key)) || !end) return false;
  for (const char *d = c; d < end; d++) most += *d == ' ';
  if (PetscMalloc1(most + 1, &h->observation)) return !(h->no_memory = true);
  for (; h->observed < most; h->observed++) {
    long *const n = h->observation[h->observed];
    const char *next = c;
    for (int k = 0; next && k < 3; k++) next = take_long(next, k ? ':' : ' ', &n[k]);
    if (!next || n[2] < 1) break;
    c = next;
  }
  *at = end + 1;
  return !strncmp(c, " #", 2);
}

/* Recordings of values have no such line. */
static bool take_input(const char **at, HgRecordHead *h) {
  char v[LINE];
  return !read_key(at, "input: ", LINE, v) ||
         (sscanf(v, "%16[0-9a-f] J_bar %la", h->input, &h->J_bar) == 2 && strlen(h->input) == 16);
}

static bool take_numbers(const char **at, HgRecordHead *h) {
  char v[LINE];
  HgMeshSpec *const m = &h->grid;
  int periodic[3] = {0};
  bool good = read_key(at, "grid: ", LINE, v) && sscanf(v, "[%d, %d]", &m->nx, &m->ny) == 2;
  good = good && read_key(at, "patches: ", LINE, v) && sscanf(v, "[%d, %d]", &m->px, &m->py) == 2;
  good = good && read_key(at, "periodic: ", LINE, v) &&
         sscanf(v, "[%d, %d]", &periodic[0], &periodic[1]) == 2;
  if (good && read_key(at, "levels: ", LINE, v))
    good = sscanf(v, "[%d, %d, %lf, %lf]", &m->nz, &periodic[2], &m->z0, &m->dz) == 4 && m->nz > 0;
  m->periodic_x = periodic[0], m->periodic_y = periodic[1], m->periodic_z = periodic[2];
  good = good && read_key(at, "origin: ", LINE, v) && sscanf(v, "[%lf, %lf]", &m->x0, &m->y0) == 2;
  good = good && read_key(at, "spacing: ", LINE, v) && sscanf(v, "[%lf, %lf]", &m->dx, &m->dy) == 2;
  good = good && read_key(at, "steps: ", LINE, v) && sscanf(v, "%ld", &h->steps) == 1;
  good = good && read_key(at, "dt: ", LINE, v) && sscanf(v, "%lf", &h->dt) == 1;
  good = good && read_key(at, "sweeps: ", LINE, v) && sscanf(v, "%d", &h->sweeps) == 1;
  (void)read_key(at, "states: ", LINE, v); /* of recordings of before */
  return good && take_observed(at, h) && take_input(at, h) && read_key(at, "variables:", LINE, v) &&
         m->nx > 0 && m->ny > 0 && m->dx > 0 && m->dy > 0;
}

static bool take_variable(const char **at, HgRecorded *v) {
  char line[LINE], role[16], kind[16];
  int unit = 0;
  if (!read_key(at, "- ", LINE, line)) return false;
  if (sscanf(line, "{role: %15[a-z], kind: %15[a-z], size: %d, name: \"%31[^\"]\", unit: \"%n",
             role, kind, &v->size, v->name, &unit) != 4 ||
      !unit)
    return false;
  const size_t length = strcspn(line + unit, "\""); /* of "", too */
  if (length >= sizeof v->unit || strcmp(line + unit + length, "\"}")) return false;
  memcpy(v->unit, line + unit, length);
  v->constant = !strcmp(role, "constant");
  v->surface = !strcmp(kind, "surface");
  if (v->surface) snprintf(kind, sizeof kind, "%s", kinds[HG_FIELD]);
  for (int k = 0; k < 4; k++)
    if (!strcmp(kind, kinds[k])) {
      v->kind = (HgKind)k;
      return v->size >= 0;
    }
  return false;
}

/* The caller frees what it fills; false: damaged. */
static bool parse(char text[], size_t size, HgRecordHead *h) {
  unsigned long long digest;
  int used = 0;
  char line[LINE];
  const char *at = text + strlen(title);
  char *const last = size > END && text[size - 1] == '\n' ? text + size - END : NULL;
  if (!last || sscanf(last, "# end %16llx%n", &digest, &used) != 1 || used != END - 1 ||
      digest != XXH3_64bits(text, size - END) || strncmp(text, title, strlen(title)))
    return false;
  *last = 0;
  if (!read_key(&at, "application: ", HG_RECORD_NAME, h->application) ||
      (!strncmp(at, stage, strlen(stage)) && !read_key(&at, stage, HG_RECORD_NAME, h->stage)) ||
      !read_key(&at, "program: ", HG_RECORD_NAME, h->program) ||
      !read_key(&at, "version: ", HG_RECORD_NAME, h->version) ||
      !read_key(&at, "compiler: ", HG_RECORD_BUILD, h->compiler) ||
      !read_key(&at, "flags: ", HG_RECORD_BUILD, h->flags))
    return false;
  h->single = !strncmp(at, single, strlen(single));
  if (h->single) at += strlen(single);
  if (!take_numbers(&at, h)) return false;
  for (const char *c = at; !strncmp(c, "- ", 2) && strchr(c, '\n'); c = strchr(c, '\n') + 1)
    h->variables++;
  if (PetscCalloc1(h->variables + 1, &h->variable)) return !(h->no_memory = true);
  for (int k = 0; k < h->variables; k++)
    if (!take_variable(&at, &h->variable[k])) return false;
  if (!read_key(&at, "options:", LINE, line)) return false;
  h->no_memory = PetscStrallocpy(at, &h->options) != 0;
  return !h->no_memory;
}

PetscErrorCode HgRecordHeadRead(MPI_Comm comm, const char directory[], HgRecordHead *h) {
  char path[PETSC_MAX_PATH_LEN], *text;
  size_t size;
  *h = (HgRecordHead){.steps = 0};
  snprintf(path, sizeof path, "%s/recording.yaml", directory);
  PetscCall(HgFileReadOwn(comm, path, LARGEST, &text, &size));
  const bool good = parse(text, size, h);
  PetscCall(PetscFree(text));
  PetscErrorCode ierr =
      HgAgree(comm, h->no_memory, HG_ERR_MEMORY, "no memory for what '%s' says", path);
  if (!ierr && good) return 0;
  PetscCall(HgRecordHeadDestroy(h));
  return ierr ? ierr : HgError(comm, HG_ERR_FILE_DAMAGED, "'%s' is not what was written", path);
}

PetscErrorCode HgRecordHeadDestroy(HgRecordHead *h) {
  PetscCall(PetscFree(h->variable));
  PetscCall(PetscFree(h->observation));
  return PetscFree(h->options);
}
