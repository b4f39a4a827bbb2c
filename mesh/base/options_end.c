/* SPDX-License-Identifier: BSD-2-Clause */
/* -help, and options that were given but not declared: see options.h. */
#include <halograd/error_library.h>
#include <halograd/options_library.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WIDTH = 100 };

/* What PETSc's objects read after HgOptionsEnd(), by the start of the name. */
static const char *const families[] = {"tao_",        "ksp_",
                                       "pc_",         "mat_",
                                       "vec_",        "snes_",
                                       "ts_",         "dm_",
                                       "da_",         "is_",
                                       "sf_",         "log_",
                                       "info",        "fp_trap",
                                       "options_",    "malloc",
                                       "memory_view", "objects_",
                                       "viewer",      "draw_",
                                       "on_error_",   "get_total_flops",
                                       NULL};

/* Declares the options that halograd's own parts read later, in every program. */
static const struct {
  const char *name, *initial, *range, *text;
} own[] = {
    {"-hg_program_view", "", "", "print the exchanges, tiles and blocks of a step"},
    {"-hg_threads", "OMP_NUM_THREADS, else 1", ">= 1", "threads of a rank, which share its rows"},
    {"-hg_time_block", "chosen, 1 to 16", ">= 1", "steps in one exchange and pass over memory"},
    {"-hg_reverse", "the cheaper", "start|stored|single",
     "how blocks of steps are reversed; no effect on single steps"},
    {"-hg_directions", "8", ">= 1",
     "largest number of directions of tangents and Hessians in one sweep"},
    {"-hg_file_cost", "measured", "0 to 1e6", "time of moving a state to or from a file, in steps"},
    {"-hg_fuse", "measured", "true|false", "run several kernels between two exchanges"},
    {"-hg_overlap", "true", "true|false", "compute the interior of patches while messages travel"},
    {"-hg_tile_rows", "chosen", ">= 1", "rows of a tile computed at a time"},
    {"-hg_tile_columns", "chosen", ">= 1", "columns of a tile (with levels: all)"},
    {"-hg_tile_levels", "chosen", ">= 1", "levels of a tile"},
    {"-hg_cache_l2", "the processor's", "16KiB to 16GiB",
     "cache of a core for which tiles are sized"},
    {"-hg_section", "z", "x|y|z, one with a cell: y:12, or xyz",
     "section that pictures show of a field with levels; xyz: three, as walls of a box"},
    {"-hg_collective_check", "false", "true|false", "compare the ranks at every collective call"},
    {"-hg_trace", "false", "true|false", "print halograd's messages and collectives, one per line"},
    {"-hg_trace_all", "false", "true|false", "print all MPI calls, with libhalograd_trace"},
    {"-hg_trace_files", "none", "path", "write the trace to one file per rank"},
    {"-hg_watchdog", "none", "0 to 1e6 s", "end a job in which one rank waits longer than this"},
    {"-hg_watchdog_all", "600 s", "0 to 1e6 s",
     "end a job in which all ranks wait longer than this"},
    {"-hg_fault", "none", "KIND:N[:RANK]",
     "make the N-th operation of a kind fail; count: only count them"},
    {"-input_memory", "a part of the node's", "bytes", "memory for one input on each rank"},
    {NULL, NULL, NULL, NULL}};

const char *HgOptionText(const char name[]) {
  int k = 0;
  while (own[k].name && strcmp(own[k].name, name)) k++;
  return own[k].name ? own[k].text : "";
}

static const char own_title[] = "Options of the library, in every program";

/* Prints all declarations for scripts/options, a line each: title, name, unit, default, range, text
   with tabs between. */
static const char as_table[] = "-hg_help_table";

/* Options that PETSc reads only during the run or in PetscFinalize(), except -..._view. */
static const char *const late[] = {"options_left",         "objects_dump",
                                   "malloc_dump",          "get_total_flops",
                                   "log_view_memory",      "tao_view_solution",
                                   "tao_view_gradient",    "tao_view_stepdirection",
                                   "tao_converged_reason", NULL};

/* Likely options if a name of a family is misspelled. */
static const char *const common[] = {"-tao_type",
                                     "-tao_max_it",
                                     "-tao_max_funcs",
                                     "-tao_gatol",
                                     "-tao_grtol",
                                     "-tao_gttol",
                                     "-tao_monitor",
                                     "-tao_view",
                                     "-tao_ls_type",
                                     "-tao_ls_monitor",
                                     "-tao_fmin",
                                     "-tao_steptol",
                                     "-tao_converged_reason",
                                     "-tao_ls_max_funcs",
                                     "-log_view",
                                     "-options_left",
                                     "-options_view",
                                     "-options_file",
                                     "-malloc_debug",
                                     "-malloc_view",
                                     "-memory_view",
                                     "-info",
                                     "-help",
                                     NULL};

/* Prints `text` in columns [column, WIDTH), the cursor being at `column`. */
static void print_wrapped(int column, const char text[]) {
  int at = column;
  while (*text) {
    const int word = (int)strcspn(text, " ");
    if (at > column && at + 1 + word > WIDTH) at = printf("\n%*s", column, "") - 1;
    else if (at > column) at += printf(" ");
    at += printf("%.*s", word, text);
    text += word + (text[word] == ' ');
  }
  printf("\n");
}

static int widest(int most, int width, int limit) {
  return width > limit ? most : width > most ? width : most;
}

/* Moves from column `at` to `column`, on a new line if `at` is too far right. */
static void go_to(int at, int column) {
  if (at + 2 > column) printf("\n%*s", column, "");
  else printf("%*s", column - at, "");
}

static void print_option(const HgOption *option, int initial_column, int range_column,
                         int text_column) {
  int at = printf("  %s", option->name);
  if (*option->unit) at += printf(" [%s]", option->unit);
  go_to(at, initial_column);
  at = initial_column + printf("%s", option->initial);
  go_to(at, range_column);
  at = range_column + printf("%s", option->range);
  go_to(at, text_column);
  print_wrapped(text_column, option->text);
}

/* Columns as wide as an option needs, within reason. */
static void widen(const HgOption *option, int *name, int *initial, int *range) {
  const int unit = *option->unit ? 3 + (int)strlen(option->unit) : 0;
  *name = widest(*name, (int)strlen(option->name) + unit, 28);
  *initial = widest(*initial, (int)strlen(option->initial), 18);
  *range = widest(*range, (int)strlen(option->range), 20);
}

/* Declares the library's own options after the program's, so that lists have all. */
static void declare_own(HgOptions o) {
  snprintf(o->title[o->groups], sizeof o->title[0], "%s", own_title);
  for (int k = 0; own[k].name; k++) {
    HgOption *const option = &o->option[o->count++];
    *option = (HgOption){.group = o->groups};
    snprintf(option->name, sizeof option->name, "%s", own[k].name);
    snprintf(option->initial, sizeof option->initial, "%s", own[k].initial);
    snprintf(option->range, sizeof option->range, "%s", own[k].range);
    snprintf(option->text, sizeof option->text, "%s", own[k].text);
  }
}

static void print_table(HgOptions o) {
  printf("%s\t%s\n", o->program, o->description);
  for (int k = 0; k < o->count; k++) {
    const HgOption *const option = &o->option[k]; /* of group -1: of none */
    printf("%s\t%s\t%s\t%s\t%s\t%s\n", option->group < 0 ? "" : o->title[option->group],
           option->name, option->unit, option->initial, option->range, option->text);
  }
}

static void print_help(HgOptions o) {
  PetscBool table = PETSC_FALSE;
  declare_own(o);
  if (!PetscOptionsHasName(NULL, NULL, as_table, &table) && table) {
    print_table(o);
    return;
  }
  int name = 6, initial = 7, range = 5;
  for (int k = 0; k < o->count; k++) widen(&o->option[k], &name, &initial, &range);
  const int initial_column = 2 + name + 2, range_column = initial_column + initial + 2,
            text_column = range_column + range + 2;
  const char *const help = HgHelpAsked();
  const size_t length = strlen(o->program);
  const bool headed = help && !strncmp(help, o->program, length) && help[length] == ':';
  if (!headed) printf("%s: %s\n", o->program, o->description);
  if (help && *help) { printf("%s%s", help, help[strlen(help) - 1] == '\n' ? "" : "\n"); }
  printf("\n%-*s%-*s%-*s%s\n", initial_column, "  option", initial + 2, "default", range + 2,
         "range", "meaning");
  for (int k = 0, group = -1; k < o->count; k++) {
    if (o->option[k].group != group) printf("%s\n", o->title[group = o->option[k].group]);
    print_option(&o->option[k], initial_column, range_column, text_column);
  }
  printf("\n");
  print_wrapped(0, "Options can also stand in a file, -options_file FILE, also YAML (nx: 128). "
                   "If one is given twice, the last counts, the command line coming after files.");
  print_wrapped(
      0, "PETSc adds its own: -tao_* for the optimiser (-tao_type, -tao_monitor, "
         "-tao_max_it, -tao_gatol), -log_view for the time and flops of each operator, "
         "-options_view for the values in use, -info, -malloc_debug, -petscrc for .petscrc files.");
  fflush(stdout);
}

/* The number of letters to insert, drop, replace or swap with the next one to turn `b` into `a`,
   ignoring case. Source: Damerau, CACM 7 (1964), in the restricted form. */
static int distance(const char a[], const char b[]) {
  int d[65][65];
  const int m = (int)strlen(a), n = (int)strlen(b);
  if (m > 64 || n > 64) return 64;
  for (int i = 0; i <= m; i++)
    for (int j = 0; j <= n; j++) {
      if (!i || !j) {
        d[i][j] = i + j;
        continue;
      }
      const bool same = !strncasecmp(a + i - 1, b + j - 1, 1);
      d[i][j] = d[i - 1][j - 1] + !same;
      if (d[i - 1][j] + 1 < d[i][j]) d[i][j] = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < d[i][j]) d[i][j] = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && !strncasecmp(a + i - 1, b + j - 2, 1) &&
          !strncasecmp(a + i - 2, b + j - 1, 1) && d[i - 2][j - 2] + 1 < d[i][j])
        d[i][j] = d[i - 2][j - 2] + 1;
    }
  return d[m][n];
}

/* "; did you mean -steps?" for the declared name, or PETSc name, nearest to `name`; "": none is
   near. */
static void find_nearest(HgOptions o, const char name[], char hint[], size_t size) {
  const char *nearest = NULL;
  declare_own(o);
  int least = 1 + (int)strlen(name) / 3; /* "-nx" may be one letter off, "-observations" four */
  for (int k = 0; k < o->count; k++) {
    const int d = distance(name, o->option[k].name);
    if (d < least) least = d, nearest = o->option[k].name;
  }
  for (int k = 0; common[k]; k++) {
    const int d = distance(name, common[k]);
    if (d < least) least = d, nearest = common[k];
  }
  if (!least) nearest = NULL; /* spelled right, only not in use */
  snprintf(hint, size, "%s%s%s", nearest ? "; did you mean " : "", nearest ? nearest : "",
           nearest ? "?" : "");
}

/* `name` without its '-'. */
static bool is_known(const char name[]) {
  for (int k = 0; families[k]; k++)
    if (!strncasecmp(name, families[k], strlen(families[k]))) return true;
  for (int k = 0; own[k].name; k++)
    if (!strcasecmp(name, own[k].name + 1)) return true;
  return !strcasecmp(name, as_table + 1);
}

static bool is_read_late(const char name[]) {
  const size_t length = strlen(name);
  if (length > 5 && !strcasecmp(name + length - 5, "_view")) return true;
  for (int k = 0; late[k]; k++)
    if (!strcasecmp(name, late[k])) return true;
  return false;
}

/* The first option that was given but never read, and is not `excused`; "" if there is none. */
static PetscErrorCode find_unused(bool excused(const char[]), char name[], size_t size) {
  PetscInt count;
  char **names, **values;
  *name = 0;
  PetscCall(PetscOptionsLeftGet(NULL, &count, &names, &values));
  for (PetscInt k = 0; k < count && !*name; k++)
    if (!excused(names[k])) snprintf(name, size, "-%s", names[k]);
  PetscCall(PetscOptionsLeftRestore(NULL, &count, &names, &values));
  return 0;
}

/* A word of the command line that is neither a name nor the value of the name before it. */
static PetscErrorCode find_stray(const char **stray) {
  int argc;
  char **argv;
  bool value_may_follow = false;
  *stray = NULL;
  PetscCall(PetscGetArgs(&argc, &argv));
  for (int k = 1; k < argc && !*stray; k++) {
    PetscBool key;
    PetscCall(PetscOptionsValidKey(argv[k], &key));
    if (!key && !value_may_follow) *stray = argv[k];
    value_may_follow = key;
  }
  return 0;
}

PetscErrorCode HgOptionsEnd(HgOptions o) {
  char name[128], hint[128];
  const char *stray;
  if (HgHelpAsked()) {
    int rank;
    PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
    if (!rank) print_help(o);
    return HG_ENDED;
  }
  PetscCall(find_unused(is_known, name, sizeof name));
  const char *equals = strchr(name, '=');
  HgRequire(o->comm, !equals, HG_ERR_OPTION_UNKNOWN,
            "unknown option %s; expected the value after a blank: %.*s %s", name,
            (int)(equals - name), name, equals + 1);
  if (*name) {
    find_nearest(o, name, hint, sizeof hint);
    return HgError(o->comm, HG_ERR_OPTION_UNKNOWN,
                   "unknown option %s%s -help lists the options of %s", name, *hint ? hint : ";",
                   o->program);
  }
  PetscCall(find_stray(&stray));
  HgRequire(o->comm, !stray, HG_ERR_OPTION_UNKNOWN,
            "'%.80s' on the command line belongs to no option; -help lists the options of %s",
            stray, o->program);
  o->ended = true;
  return 0;
}

PetscErrorCode HgOptionsCheckUnused(HgOptions o) {
  char name[128], hint[128];
  PetscCall(find_unused(is_read_late, name, sizeof name));
  if (!*name) return 0;
  find_nearest(o, name, hint, sizeof hint);
  return HgError(o->comm, HG_ERR_OPTION_UNKNOWN, "option %s is used by nothing in this run of %s%s",
                 name, o->program, hint);
}
