/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of options, looked at before PETSc reads them: it would wait for a pipe, read a device
   without end, and follow a file that includes itself until the stack is full. */
#include <errno.h>
#include <fcntl.h>
#include <halograd/error_library.h>
#include <halograd/options_library.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 8, MOST_BYTES = 16 << 20, LEAST_BYTES = 4096, WHY = 512 };

/* What is wrong with a file, and where it was named. Bytes that may still be read from all files;
   each counts as LEAST_BYTES at least. */
typedef struct {
  char path[WHY], why[WHY], from[WHY];
  size_t left;
} Fault;

static bool note_fault(Fault *fault, const char path[], const char from[], const char why[]) {
  snprintf(fault->path, sizeof fault->path, "%s", path);
  snprintf(fault->from, sizeof fault->from, "%s", from);
  snprintf(fault->why, sizeof fault->why, "%s", why);
  return false;
}

/* Reads up to `most` bytes. stat() does not help: files of /proc have size 0, and some have no end.
   Does not wait for data. *text grows with what is read, because a file may name thousands of small
   ones. Returns the number of bytes, or -1 and errno. */
static ssize_t read_bytes(const char path[], size_t most, char **text) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  size_t got = 0, room = 0;
  ssize_t n = file < 0 ? -1 : 1;
  while (n > 0 && got < most) {
    if (got == room) {
      room = room ? 2 * room : LEAST_BYTES;
      char *const more = realloc(*text, room + 1);
      n = more ? 1 : -1;
      if (!more) break;
      *text = more;
    }
    n = read(file, *text + got, (room < most ? room : most) - got);
    if (n < 0 && errno == EINTR) n = 1;
    else if (n > 0) got += (size_t)n;
  }
  const int why = errno;
  if (file >= 0) close(file);
  errno = why;
  return n < 0 ? -1 : (ssize_t)got;
}

/* The text of a file, to be freed; NULL after an error, which is in `fault`. */
static char *read_text(const char path[], const char from[], Fault *fault) {
  char words[128], *text = NULL;
  const ssize_t got = read_bytes(path, fault->left + 1, &text);
  const char *why = got < 0 ? strerror(errno) : NULL;
  const size_t counts = got < LEAST_BYTES ? LEAST_BYTES : (size_t)got;
  if (got >= 0 && counts > fault->left) {
    snprintf(words, sizeof words,
             "it has more bytes than the %d that all files of options may have", MOST_BYTES);
    why = words;
  } else if (got >= 0) {
    text[got] = 0;
    if (strlen(text) < (size_t)got) why = "it has a byte 0, expected text"; /* PETSc reads on */
    fault->left -= counts;
  }
  if (!why) return text;
  free(text);
  note_fault(fault, path, from, why);
  return NULL;
}

/* Whether a word of the text, separated by `spaces`, has ${ without }. PETSc expands environment
   variables in names of files, and crashes (signal 11) if a variable's name does not end. */
static bool is_open(const char text[], const char spaces[]) {
  bool open = false;
  for (const char *c = text; *c; c++)
    if (c[0] == '$' && c[1] == '{') open = true;
    else if (*c == '}') open = false;
    else if (open && strchr(spaces, *c)) break;
  return open;
}

/* Whether a word names another file, as an option (-options_file) or a key of YAML (options_file:).
   *yaml: that file is read as YAML whatever its name. */
static bool includes(const char word[], bool *yaml) {
  while (*word == '-') word++;
  char name[32];
  snprintf(name, sizeof name, "%s", word);
  name[strcspn(name, ":")] = 0;
  *yaml = !strcasecmp(name, "options_file_yaml");
  return *yaml || !strcasecmp(name, "options_file");
}

static bool ends_with(const char text[], const char end[]) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && !strcmp(text + length - tail, end);
}

/* What would keep YAML's reader busy; NULL: nothing. Nesting takes time that grows with its square;
   aliases multiply what they stand for. Counts brackets, and marks of lists and keys in a line. */
static const char *yaml_trouble(const char text[]) {
  enum { DEEPEST_YAML = 32 };

  int brackets = 0, marks = 0;
  char before = ' ';
  for (const char *c = text; *c; before = *c++) {
    const bool starts = strchr(" \t\r\n,:[{", before);
    if (*c == '\n') marks = 0;
    if (*c == '[' || *c == '{') brackets++;
    if ((*c == ']' || *c == '}') && brackets) brackets--;
    if (starts && strchr("-?:", *c) && strchr(" \t\r\n", c[1])) marks++;
    if (brackets + marks > DEEPEST_YAML) return "lists and keys are nested more than 32 deep";
    if (starts && *c == '*' && !strchr(" \t\r\n", c[1]))
      return "it has an alias (*name), expected values";
  }
  return NULL;
}

static bool is_readable(const char path[], const char from[], int depth, bool yaml, Fault *fault);

/* Checks the files that a text names. Comments end with the line. */
static bool follow(char text[], const char path[], int depth, bool yaml, Fault *fault) {
  static const char space[] = " \t\r\n,={}\"'";
  for (char *c = text; (c = strchr(c, '#'));)
    while (*c && *c != '\n') *c++ = ' ';
  const char *const trouble = is_open(text, " \t\r\n") ? "a '${' has no '}' in the same word"
                              : yaml                   ? yaml_trouble(text)
                                                       : NULL;
  if (trouble) return note_fault(fault, path, "", trouble);
  bool next = false, next_yaml = false, right = true;
  char *rest = NULL;
  for (char *word = strtok_r(text, space, &rest); right && word;
       word = strtok_r(NULL, space, &rest)) {
    if (next) right = is_readable(word, path, depth + 1, next_yaml, fault);
    next = !next && includes(word, &next_yaml);
  }
  return right;
}

static bool is_readable(const char path[], const char from[], int depth, bool yaml, Fault *fault) {
  struct stat status;
  char words[128];
  const size_t length = strlen(path);
  if (strstr(path, "${") || (length && path[length - 1] == '$'))
    return note_fault(fault, path, from, "expected a name without variables as ${HOME}");
  if (stat(path, &status)) return note_fault(fault, path, from, strerror(errno));
  if (S_ISDIR(status.st_mode)) return note_fault(fault, path, from, "it is a directory");
  if (!S_ISREG(status.st_mode)) return note_fault(fault, path, from, "it is no regular file");
  if (access(path, R_OK)) return note_fault(fault, path, from, strerror(errno));
  if (depth > DEEPEST) {
    snprintf(words, sizeof words, "files include files %d deep, or one includes itself", depth);
    return note_fault(fault, path, from, words);
  }
  if (status.st_size > MOST_BYTES) {
    snprintf(words, sizeof words, "it has %lld bytes, expected at most %d",
             (long long)status.st_size, MOST_BYTES);
    return note_fault(fault, path, from, words);
  }
  char *text = read_text(path, from, fault);
  if (!text) return false;
  yaml = yaml || ends_with(path, ".yaml") || ends_with(path, ".yml");
  const bool right = follow(text, path, depth, yaml, fault);
  free(text);
  return right;
}

bool HgOptionsFileCheck(const char option[], const char path[], size_t size, char why[]) {
  Fault fault = {"", "", "", MOST_BYTES};
  if (is_readable(path, "", 1, ends_with(option, "_yaml"), &fault)) return true;
  const bool inner = *fault.from;
  snprintf(why, size, "option %s: expected a file of options, cannot read '%s'%s%s%s: %s", option,
           fault.path, inner ? ", named in '" : "", fault.from, inner ? "'" : "", fault.why);
  return false;
}

/* Whether PETSc takes `word` for an option's name: a dash or two and a letter. "-1.5" is a value.
   */
static bool names_option(const char word[]) {
  const char *c = word[0] == '-' && word[1] == '-' ? word + 2 : word + 1;
  return word[0] == '-' && ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z'));
}

/* Checks a word with the next one; NULL: there is none. */
static bool is_right(const char word[], const char next[], size_t size, char why[]) {
  bool yaml;
  if (is_open(word, "")) {
    snprintf(why, size, "option or value '%s': its '${' has no '}'", word);
    return false;
  }
  if (word[0] != '-' || !includes(word, &yaml)) return true;
  if (next && !names_option(next)) return HgOptionsFileCheck(word, next, size, why);
  snprintf(why, size, "option %s: expected the name of a file, got nothing", word);
  return false;
}

static bool environment_is_right(size_t size, char why[]) {
  static const char space[] = " \t\r\n\"'";
  const char *const given = getenv("PETSC_OPTIONS");
  char *const text = given ? strdup(given) : NULL, *rest = NULL;
  bool right = true;
  for (char *word = text ? strtok_r(text, space, &rest) : NULL, *next; right && word; word = next) {
    next = strtok_r(NULL, space, &rest);
    right = is_right(word, next, size, why);
  }
  free(text);
  return right;
}

/* Compares the words of all ranks of PETSC_COMM_WORLD with those of the first. */
static PetscErrorCode require_alike(MPI_Comm comm, int argc, char *const argv[]) {
  char *first = NULL;
  size_t used = 0;
  int rank, size = 0, differ = 0;
  MPI_Comm_rank(comm, &rank);
  for (int k = 1; !rank && k < argc; k++) size += (int)strlen(argv[k]) + 1;
  MPI_Bcast(&size, 1, MPI_INT, 0, comm);
  first = calloc((size_t)size + 1, 1);
  const PetscErrorCode ierr =
      HgAgree(comm, !first, HG_ERR_MEMORY, "no memory for %d bytes of options", size);
  if (ierr) {
    free(first);
    return ierr;
  }
  for (int k = 1; !rank && k < argc; used += strlen(argv[k++]) + 1) strcpy(first + used, argv[k]);
  MPI_Bcast(first, size, MPI_CHAR, 0, comm);
  const char *own = NULL, *other = first, *const end = first + size;
  for (int k = 1; !differ && (k < argc || other < end); k++) {
    own = k < argc ? argv[k] : NULL;
    differ = !own || other >= end || strcmp(own, other) != 0;
    if (!differ) other += strlen(other) + 1;
  }
  char words[2][128] = {"nothing", "nothing"};
  if (own) snprintf(words[0], sizeof words[0], "'%.120s'", own);
  if (other < end) snprintf(words[1], sizeof words[1], "'%.120s'", other);
  const PetscErrorCode alike =
      HgAgree(comm, differ, HG_ERR_RANKS_DIFFER,
              "the ranks were started with different options: rank %d has %s where rank 0 has "
              "%s, expected the same on all (mpirun -n RANKS PROGRAM OPTIONS, without colons)",
              rank, words[0], words[1]);
  free(first);
  return alike;
}

PetscErrorCode HgOptionsCheck(int argc, char *const argv[]) {
  char why[4 * WHY] = "";
  int rank;
  const PetscErrorCode ierr = require_alike(
      PETSC_COMM_WORLD == MPI_COMM_NULL ? MPI_COMM_WORLD : PETSC_COMM_WORLD, argc, argv);
  if (ierr) return ierr;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool right = true;
  for (int k = 1; !rank && right && k < argc; k++)
    right = is_right(argv[k], k + 1 < argc ? argv[k + 1] : NULL, sizeof why, why);
  if (!rank && right && !environment_is_right(sizeof why, why)) {
    right = false;
    HgSentenceAdd(sizeof why, why, " (in the environment's PETSC_OPTIONS)");
  }
  return HgAgree(MPI_COMM_WORLD, !right, HG_ERR_OPTION_RANGE, "%s", why);
}
