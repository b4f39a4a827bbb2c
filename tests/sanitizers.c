/* SPDX-License-Identifier: BSD-2-Clause */
/* Linked into every program of an Asan build, so that it needs no environment. */
int dlclose(void *handle);
const char *__asan_default_options(void);
const char *__lsan_default_options(void);
const char *__ubsan_default_options(void);

/* Modules that Open MPI unloads at the end stay loaded, so that a leak report can name them. */
int dlclose(void *handle) {
  (void)handle;
  return 0;
}

const char *__asan_default_options(void) { return "detect_leaks=1:strict_string_checks=1"; }

const char *__lsan_default_options(void) {
  return "print_suppressions=0:suppressions=" HALOGRAD_SUPPRESSIONS;
}

const char *__ubsan_default_options(void) { return "print_stacktrace=1:halt_on_error=1"; }
