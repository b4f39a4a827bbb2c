/* SPDX-License-Identifier: BSD-2-Clause */
/* Declared options and their checked values: see options.h. */
#include <errno.h>
#include <halograd/error_library.h>
#include <halograd/memory_library.h>
#include <halograd/options_library.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xxhash.h>

static HgOptions all; /* freed when PETSc ends, so that an error on the way needs no care */
static bool registered;

static PetscErrorCode free_all(void) {
  free(all);
  all = NULL;
  registered = false;
  return 0;
}

PetscErrorCode HgOptionsCreate(MPI_Comm comm, const char program[], const char description[],
                               HgOptions *options) {
  char *database;
  PetscCall(PetscOptionsGetAll(NULL, &database));
  const unsigned long long digest = XXH3_64bits(database, strlen(database));
  PetscCall(PetscFree(database));
  PetscCall(HgRequireAlike(comm, "options of %s with the digest %016llx", program, digest));
  free(all);
  all = HgAllocate(1, sizeof *all);
  PetscCall(HgAgree(comm, !all, HG_ERR_MEMORY, "no memory for the options of %s", program));
  all->comm = comm;
  snprintf(all->program, sizeof all->program, "%s", program);
  snprintf(all->description, sizeof all->description, "%s", description);
  if (!registered) PetscCall(PetscRegisterFinalize(free_all)); /* PETSc has room for few */
  registered = true;
  *options = all;
  return 0;
}

PetscErrorCode HgOptionsGroup(HgOptions o, const char title[]) {
  PetscCheck(o->groups < HG_OPTIONS_MOST, o->comm, PETSC_ERR_PLIB, "too many groups of options");
  snprintf(o->title[o->groups], sizeof o->title[0], "%s", title);
  o->groups++;
  return 0;
}

/* Declares an option. *given: it has a text to read, NULL if it has no value. */
static PetscErrorCode declare(HgOptions o, const char name[], const char text[], const char unit[],
                              const char range[], const char initial[], HgOption **option,
                              const char **value, bool *given) {
  PetscBool valid, found = PETSC_FALSE;
  PetscCall(PetscOptionsValidKey(name, &valid));
  PetscCheck(valid, o->comm, PETSC_ERR_PLIB, "'%s' is no name of an option", name);
  HgRequire(o->comm, !o->ended, HG_ERR_CALL_ORDER,
            "option %s is declared after all were read; expected before HgOptionsEnd(), which "
            "HgRunCommon() calls",
            name);
  PetscCheck(o->count < HG_OPTIONS_MOST, o->comm, PETSC_ERR_PLIB, "too many options");
  for (int k = 0; k < o->count; k++)
    PetscCheck(strcasecmp(o->option[k].name, name), o->comm, PETSC_ERR_PLIB,
               "option %s is declared twice", name);
  HgOption *next = *option = &o->option[o->count++];
  snprintf(next->name, sizeof next->name, "%s", name);
  snprintf(next->text, sizeof next->text, "%s", text);
  snprintf(next->unit, sizeof next->unit, "%s", unit);
  snprintf(next->range, sizeof next->range, "%s", range);
  snprintf(next->initial, sizeof next->initial, "%s", initial);
  snprintf(next->value, sizeof next->value, "%s", initial);
  next->group = o->groups - 1;
  PetscCall(PetscOptionsFindPair(NULL, NULL, name, value, &found));
  if (found && (!*value || !**value)) *value = NULL;
  *given = next->given = found && !HgHelpAsked();
  return 0;
}

/* Error: an option expected something [unit], and got `value`; NULL: no value. Leaves out what
   stands in brackets in its meaning, which is for -help. */
static PetscErrorCode refuse_value(MPI_Comm comm, const char name[], const char text[],
                                   const char unit[], const char expected[], const char value[]) {
  const char *const quote = value ? "'" : "", *const bracket = strstr(text, " (");
  return HgError(comm, HG_ERR_OPTION_RANGE, "option %s (%.*s): expected %s%s%s%s, got %s%.80s%s%s",
                 name, bracket ? (int)(bracket - text) : HG_OPTION_TEXT, text, expected,
                 *unit ? " [" : "", unit, *unit ? "]" : "", quote, value ? value : "no value",
                 quote, value && strlen(value) > 80 ? "..." : "");
}

static PetscErrorCode refuse(HgOptions o, const HgOption *option, const char expected[],
                             const char value[]) {
  return refuse_value(o->comm, option->name, option->text, option->unit, expected, value);
}

/* The same for an option of the library's own. */
static PetscErrorCode refuse_own(MPI_Comm comm, const char name[], const char expected[],
                                 const char value[]) {
  return refuse_value(comm, name, HgOptionText(name), "", expected, *value ? value : NULL);
}

/* Whether `text` consists of an optional sign and `digits`. */
static bool decimal(const char text[], const char digits[]) {
  const char *start = text + (*text == '-' || *text == '+');
  return *start && !start[strspn(start, digits)];
}

/* A whole number in [min, max], and nothing else. */
static bool parse_long(const char text[], long min, long max, long *value) {
  if (!text || !decimal(text, "0123456789")) return false;
  errno = 0;
  *value = strtol(text, NULL, 10);
  return !errno && *value >= min && *value <= max;
}

/* `bare`: the default if the option has no value; NULL: it needs a value. */
static PetscErrorCode read_long(HgOptions o, const char name[], const char text[],
                                const char unit[], long min, long max, const long *bare,
                                long *value) {
  char range[HG_OPTION_TEXT], initial[32], expected[HG_OPTION_TEXT + 32];
  const char *got;
  HgOption *option;
  bool given;
  const bool below = min > INT_MIN, above = max < INT_MAX;
  if (below && above) snprintf(range, sizeof range, "%ld to %ld", min, max);
  else if (below) snprintf(range, sizeof range, ">= %ld", min);
  else if (above) snprintf(range, sizeof range, "<= %ld", max);
  else snprintf(range, sizeof range, "any integer");
  if (max >= INT_MAX || min <= INT_MIN) /* the sentence gives the limit that the type sets */
    snprintf(expected, sizeof expected, "a whole number from %ld to %ld", min, max);
  else snprintf(expected, sizeof expected, "a whole number from %s", range);
  snprintf(initial, sizeof initial, "%ld", *value);
  PetscCall(declare(o, name, text, unit, range, initial, &option, &got, &given));
  if (!given) return 0;
  long parsed = bare ? *bare : 0;
  if (!(got ? parse_long(got, min, max, &parsed) : bare != NULL))
    return refuse(o, option, expected, got);
  *value = parsed;
  snprintf(option->value, sizeof option->value, "%ld", parsed);
  return 0;
}

PetscErrorCode HgOptionsLong(HgOptions o, const char name[], const char text[], const char unit[],
                             long min, long max, long *value) {
  return read_long(o, name, text, unit, min, max, NULL, value);
}

PetscErrorCode HgOptionsBareLong(HgOptions o, const char name[], const char text[],
                                 const char unit[], long min, long max, long bare, long *value) {
  return read_long(o, name, text, unit, min, max, &bare, value);
}

PetscErrorCode HgOptionsInt(HgOptions o, const char name[], const char text[], const char unit[],
                            int min, int max, int *value) {
  long wide = *value;
  PetscCall(HgOptionsLong(o, name, text, unit, min, max, &wide));
  *value = (int)wide;
  return 0;
}

/* Digits and a unit: 262144, 256KiB. */
static bool read_bytes(const char text[], long *bytes) {
  static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};

  enum { MOST_DIGITS = 18 };

  const size_t digits = strspn(text, "0123456789");
  if (!digits || digits > MOST_DIGITS) return false;
  const long number = strtol(text, NULL, 10);
  for (int k = 0; k < 5; k++)
    if (!strcmp(text + digits, units[k]) && number <= LONG_MAX >> 10 * k) {
      *bytes = number << 10 * k;
      return true;
    }
  return false;
}

static void write_bytes(long bytes, size_t size, char text[]) {
  static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; unit < 4 && bytes && bytes % 1024 == 0; unit++) bytes /= 1024;
  snprintf(text, size, "%ld%s", bytes, units[unit]);
}

static void name_bytes(long min, long max, size_t size, char range[]) {
  char least[32], most[32];
  write_bytes(min, sizeof least, least);
  write_bytes(max, sizeof most, most);
  snprintf(range, size, "%s to %s", least, most);
}

PetscErrorCode HgOptionsBytes(HgOptions o, const char name[], const char text[], long min, long max,
                              long *value) {
  char range[HG_OPTION_TEXT], initial[32], expected[HG_OPTION_TEXT + 32];
  const char *got;
  HgOption *option;
  bool given;
  long bytes;
  name_bytes(min, max, sizeof range, range);
  snprintf(expected, sizeof expected, "bytes from %s", range);
  write_bytes(*value, sizeof initial, initial);
  PetscCall(declare(o, name, text, "", range, initial, &option, &got, &given));
  if (!given) return 0;
  if (!got || !read_bytes(got, &bytes) || bytes < min || bytes > max)
    return refuse(o, option, expected, got);
  *value = bytes;
  write_bytes(bytes, sizeof option->value, option->value);
  return 0;
}

/* *value: the text of an option of the library's own, "" if it has no value, NULL if it is not
   given. */
static PetscErrorCode find(const char name[], const char **value) {
  PetscBool given = PETSC_FALSE;
  PetscCall(PetscOptionsFindPair(NULL, NULL, name, value, &given));
  if (!given) *value = NULL;
  else if (!*value) *value = "";
  return 0;
}

PetscErrorCode HgOptionReadBytes(MPI_Comm comm, const char name[], long min, long max,
                                 long *value) {
  char range[HG_OPTION_TEXT], expected[HG_OPTION_TEXT + 32];
  const char *got;
  long bytes;
  PetscCall(find(name, &got));
  if (!got) return 0;
  name_bytes(min, max, sizeof range, range);
  snprintf(expected, sizeof expected, "bytes from %s", range);
  if (!read_bytes(got, &bytes) || bytes < min || bytes > max)
    return refuse_own(comm, name, expected, got);
  *value = bytes;
  return 0;
}

/* Reads the number at *at, up to a comma or the end, and moves *at behind it. */
static bool next_number(const char **at, int min, int max, int *number) {
  char digits[16];
  long parsed = 0;
  const size_t length = strcspn(*at, ",");
  if (length >= sizeof digits) return false;
  memcpy(digits, *at, length);
  digits[length] = 0;
  *at += length;
  const bool good = parse_long(digits, min, max, &parsed);
  *number = (int)parsed;
  return good;
}

static void write_numbers(int count, const int numbers[], size_t size, char text[]) {
  snprintf(text, size, "%s", count ? "" : "none");
  for (int k = 0; k < count; k++) HgSentenceAdd(size, text, "%s%d", k ? "," : "", numbers[k]);
}

PetscErrorCode HgOptionsInts(HgOptions o, const char name[], const char text[], int min, int max,
                             int fewest, int most, int *count, int values[]) {
  enum { MOST = 512 };

  char range[HG_OPTION_TEXT], initial[HG_OPTION_TEXT], expected[HG_OPTION_TEXT + 64];
  const char *got;
  HgOption *option;
  bool given;
  int numbers[MOST], found = 0;
  PetscCheck(fewest >= 1 && fewest <= most && most <= MOST, o->comm, PETSC_ERR_PLIB,
             "option %s: %d to %d numbers", name, fewest, most);
  snprintf(range, sizeof range, "%d to %d", min, max);
  if (fewest == most) snprintf(expected, sizeof expected, "%d", most);
  else snprintf(expected, sizeof expected, "%d to %d", fewest, most);
  HgSentenceAdd(sizeof expected, expected, " whole numbers from %s with commas between", range);
  write_numbers(*count, values, sizeof initial, initial);
  PetscCall(declare(o, name, text, "", range, initial, &option, &got, &given));
  if (!given) return 0;
  for (const char *at = got; at && found < most; at++) {
    if (!next_number(&at, min, max, &numbers[found])) return refuse(o, option, expected, got);
    found++;
    if (!*at) break;
    if (found == most) return refuse(o, option, expected, got);
  }
  if (found < fewest) return refuse(o, option, expected, got);
  *count = found;
  memcpy(values, numbers, (size_t)found * sizeof *values);
  write_numbers(found, numbers, sizeof option->value, option->value);
  return 0;
}

typedef struct {
  double low, high;
  bool low_open, high_open;
} Interval;

static bool read_interval(const char text[], Interval *range) {
  char *end;
  if (*text != '(' && *text != '[') return false;
  range->low_open = *text == '(';
  range->low = strtod(text + 1, &end);
  if (end == text + 1 || *end != ',') return false;
  text = end + 1;
  range->high = strtod(text, &end);
  range->high_open = *end == ')';
  return end != text && (*end == ')' || *end == ']') && !end[1] && range->low <= range->high;
}

/* The shortest decimal number that is read back as `value`. */
static void shortest(double value, char text[], size_t size) {
  for (int digits = 6; digits <= 17; digits++) { /* %g drops what zeros it can */
    snprintf(text, size, "%.*g", digits, value);
    if (strtod(text, NULL) == value) return;
  }
}

PetscErrorCode HgOptionsReal(HgOptions o, const char name[], const char text[], const char unit[],
                             const char range[], double *value) {
  char words[128], initial[40], expected[192], low[40], high[40], *end;
  const char *got;
  HgOption *option;
  Interval limits;
  bool given;
  PetscCheck(read_interval(range, &limits), o->comm, PETSC_ERR_PLIB,
             "option %s: '%s' is no interval such as \"(0, inf)\"", name, range);
  shortest(limits.low, low, sizeof low);
  shortest(limits.high, high, sizeof high);
  if (isinf(limits.low) && isinf(limits.high)) snprintf(words, sizeof words, "any");
  else if (isinf(limits.high))
    snprintf(words, sizeof words, "%s %s", limits.low_open ? ">" : ">=", low);
  else if (isinf(limits.low))
    snprintf(words, sizeof words, "%s %s", limits.high_open ? "<" : "<=", high);
  else snprintf(words, sizeof words, "%s", range);
  if (isinf(limits.low) && isinf(limits.high))
    snprintf(expected, sizeof expected, "a finite number");
  else if (isinf(limits.low) || isinf(limits.high))
    snprintf(expected, sizeof expected, "a finite number %s", words);
  else snprintf(expected, sizeof expected, "a number in %s", words);
  shortest(*value, initial, sizeof initial);
  PetscCall(declare(o, name, text, unit, words, initial, &option, &got, &given));
  if (!given) return 0;
  if (!got || !decimal(got, "0123456789.eE+-")) return refuse(o, option, expected, got);
  errno = 0;
  const double parsed = strtod(got, &end);
  const bool vanishes = errno && parsed == 0; /* a smaller one than there are */
  if (vanishes || *end || !isfinite(parsed) || parsed < limits.low || parsed > limits.high ||
      (limits.low_open && parsed == limits.low) || (limits.high_open && parsed == limits.high))
    return refuse(o, option, expected, got);
  *value = parsed;
  shortest(parsed, option->value, sizeof option->value);
  return 0;
}

PetscErrorCode HgOptionsChoice(HgOptions o, const char name[], const char text[], int count,
                               const char *const names[], int *value) {
  char range[HG_OPTION_TEXT] = "", expected[HG_OPTION_TEXT + 32];
  const char *got;
  HgOption *option;
  bool given;
  PetscCheck(*value >= 0 && *value < count, o->comm, PETSC_ERR_PLIB, "option %s: no such default",
             name);
  for (int k = 0; k < count; k++)
    HgSentenceAdd(sizeof range, range, "%s%s", k ? "|" : "", names[k]);
  snprintf(expected, sizeof expected, "one of %s", range);
  PetscCall(declare(o, name, text, "", range, names[*value], &option, &got, &given));
  if (!given) return 0;
  for (int k = 0; got && k < count; k++)
    if (!strcmp(got, names[k])) {
      *value = k;
      snprintf(option->value, sizeof option->value, "%s", names[k]);
      return 0;
    }
  return refuse(o, option, expected, got);
}

/* 0 for "no" and the like, 1 for "yes" and the like or NULL (no value), -1 for another word. */
static int flag_of(const char *got) {
  static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
  int k = 0;
  if (!got) return true;
  while (k < 8 && strcasecmp(got, words[k])) k++;
  return k < 8 ? k % 2 : -1;
}

#define HG_FLAGS "true or false, yes or no, on or off, 1 or 0, or no value"

PetscErrorCode HgOptionsFlag(HgOptions o, const char name[], const char text[], bool *value) {
  const char *got;
  HgOption *option;
  bool given;
  PetscCall(
      declare(o, name, text, "", "true|false", *value ? "true" : "false", &option, &got, &given));
  if (!given) return 0;
  const int flag = flag_of(got);
  if (flag < 0) return refuse(o, option, HG_FLAGS, got);
  *value = flag;
  snprintf(option->value, sizeof option->value, "%s", *value ? "true" : "false");
  return 0;
}

PetscErrorCode HgOptionsString(HgOptions o, const char name[], const char text[], size_t size,
                               char value[]) {
  char expected[128];
  const char *got;
  HgOption *option;
  bool given, plain = true;
  PetscCall(declare(o, name, text, "", "text", *value ? value : "none", &option, &got, &given));
  if (!given) return 0;
  for (const char *c = got; c && *c; c++) plain = plain && (unsigned char)*c >= 32 && *c != 127;
  snprintf(expected, sizeof expected, "a text of 1 to %zu plain bytes", size - 1);
  if (!got || !plain || strlen(got) >= size) return refuse(o, option, expected, got);
  strcpy(value, got);
  snprintf(option->value, sizeof option->value, "%s", got);
  return 0;
}

bool HgOptionsGiven(HgOptions o, const char name[]) {
  for (int k = 0; k < o->count; k++)
    if (!strcasecmp(o->option[k].name, name)) return o->option[k].given;
  return false;
}

static bool stands_for(HgOptions o, const char name[], const HgOption *option) {
  if (*name == '-') return !strcasecmp(option->name, name);
  return option->group >= 0 && !strncmp(o->title[option->group], name, strlen(name));
}

PetscErrorCode HgOptionsRefuse(HgOptions o, const char other[], const char *const names[]) {
  const bool lacks = !strncmp(other, "without -", strlen("without -"));
  const char *const why = strncmp(other, "with ", strlen("with ")) ? "where it changes nothing"
                                                                   : "which does not take it";
  for (; *names; names++)
    for (const HgOption *k = o->option; k < o->option + o->count; k++)
      HgRequire(o->comm, !k->given || !stands_for(o, *names, k), HG_ERR_OPTION_CONFLICT,
                "option %s: given %s, %s, expected %s", k->name, other, why,
                lacks ? "with it, or not at all" : "without");
  return 0;
}

bool HgOptionsValue(HgOptions o, int index, const char **name, const char **value) {
  if (index < 0 || index >= o->count) return false;
  *name = o->option[index].name;
  *value = o->option[index].value;
  return true;
}

PetscErrorCode HgOptionReadInt(MPI_Comm comm, const char name[], int min, int max, int *value) {
  char expected[64];
  const char *got;
  long parsed;
  PetscCall(find(name, &got));
  if (!got) return 0;
  snprintf(expected, sizeof expected, "a whole number from %d to %d", min, max);
  if (!parse_long(got, min, max, &parsed)) return refuse_own(comm, name, expected, got);
  *value = (int)parsed;
  return 0;
}

PetscErrorCode HgOptionReadReal(MPI_Comm comm, const char name[], double min, double max,
                                double *value) {
  char expected[64], *end;
  const char *got;
  PetscCall(find(name, &got));
  if (!got) return 0;
  snprintf(expected, sizeof expected, "a number from %g to %g", min, max);
  const double parsed = decimal(got, "0123456789.eE+-") ? strtod(got, &end) : NAN;
  if (!(parsed >= min && parsed <= max) || *end) return refuse_own(comm, name, expected, got);
  *value = parsed;
  return 0;
}

PetscErrorCode HgOptionReadFlag(MPI_Comm comm, const char name[], bool *value) {
  const char *got;
  PetscCall(find(name, &got));
  if (!got) return 0;
  const int flag = flag_of(*got ? got : NULL);
  if (flag < 0) return refuse_own(comm, name, HG_FLAGS, got);
  *value = flag;
  return 0;
}
