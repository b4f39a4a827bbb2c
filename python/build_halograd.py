# SPDX-License-Identifier: BSD-2-Clause
"""Makes the C extensions _halograd and _halograd_single: every public function of the library, declared as its headers declare it, so that
the compiler compares each signature.
usage: build_halograd.py MODULE.c HEADER...    writes the C file of a module; setup.py compiles it itself"""
import atexit
import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import cffi

# What the headers take from MPI and PETSc.
TYPES = """
typedef ... *MPI_Comm;
typedef int... PetscErrorCode;
typedef ... *PetscViewer;
typedef int... PetscBool;
"""

# What Python adds: functions that the library calls, and what it prints, caught.
OWN = """
extern "Python" int hg_py_iterate(const HgIterate *, HgState, void *);
extern "Python" int hg_py_watch(long, double, HgState, void *);
extern "Python" int hg_py_interrupted(void);
extern "Python" void hg_py_note(const HgCheckNote *, void *);
extern "Python" double hg_py_field(double, double, void *);
extern "Python" double hg_py_volume(double, double, double, void *);
extern "Python" int hg_py_apply(void *, HgState, HgState);
extern "Python" int hg_py_tangent(void *, HgState, HgState, HgState);
extern "Python" int hg_py_adjoint(void *, HgState, HgState, HgState);
int hg_py_start(void);
int hg_py_heed_interrupts(HgTrajectory);
void hg_py_catch(bool);
const char *hg_py_caught(void);
MPI_Comm hg_py_comm(uintptr_t);
void hg_py_put_comm(uintptr_t, MPI_Comm);
HgOperatorTable *hg_py_operators(void);
HgMonitorFn *hg_py_monitor(void);
HgWatchFn *hg_py_watcher(void);
extern const char *const hg_py_prefix;
extern const char *const hg_py_comments[];
static const int HG_PY_RAISED;
"""

SOURCE = r"""
#include <petscsys.h>
#include <stdarg.h>
#include <stdint.h>
#include <time.h>
%(includes)s

const char *const hg_py_prefix = %(prefix)s;
const char *const hg_py_comments[] = {%(comments)s, NULL}; /* a function, what its header says of it, the next one, ... */

#define HG_PY_RAISED ((int)HG_ERROR_TOLD) /* Python tells it */

static int hg_py_iterate(const HgIterate *, HgState, void *);
static int hg_py_watch(long, double, HgState, void *);
static int hg_py_apply(void *, HgState, HgState);
static int hg_py_tangent(void *, HgState, HgState, HgState);
static int hg_py_adjoint(void *, HgState, HgState, HgState);

/* Ctrl-C in a run of one rank, in which Python does not come to handle it otherwise: now and then it is asked, and a run that is to end
   wants to see its next step. mpirun ends ranks that are several. */
static struct {
  struct timespec asked;
  int pending;
} hg_py_interrupt;

static int hg_py_interrupted(void);

static PetscErrorCode hg_py_begins(void *context, HgMode run) {
  (void)context, (void)run;
  hg_py_interrupt.pending = 0;
  return 0;
}

static long hg_py_next(void *context, HgMode direction, long n) {
  struct timespec now;
  (void)context, (void)direction;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double waited = (double)(now.tv_sec - hg_py_interrupt.asked.tv_sec) + 1e-9 * (double)(now.tv_nsec - hg_py_interrupt.asked.tv_nsec);
  if (waited > 0.1) hg_py_interrupt.asked = now, hg_py_interrupt.pending |= hg_py_interrupted();
  return hg_py_interrupt.pending ? n : HG_NO_STEP;
}

static PetscErrorCode hg_py_see(void *context, const HgTrajectorySight *sight) {
  (void)context, (void)sight;
  return hg_py_interrupt.pending ? HG_PY_RAISED : 0;
}

static int hg_py_heed_interrupts(HgTrajectory trajectory) {
  const HgTrajectoryObserver observer = {.next = hg_py_next, .see = hg_py_see, .begin = hg_py_begins, .context = &hg_py_interrupt, .without_q = true};
  return HgTrajectoryAddObserver(trajectory, &observer);
}

/* Before mpi4py, so that the library starts MPI as it does in C. */
static int hg_py_start(void) {
  static char name[] = "python", *words[] = {name, NULL}, **argv = words;
  int argc = 1;
  const PetscErrorCode ierr = HgInitialize(&argc, &argv, "halograd in Python\n");
  if (!ierr) HgErrorHold(true);
  return ierr;
}

/* An MPI_Comm lies at that address in mpi4py. */
static MPI_Comm hg_py_comm(uintptr_t address) { return *(MPI_Comm *)address; }
static void hg_py_put_comm(uintptr_t address, MPI_Comm comm) { *(MPI_Comm *)address = comm; }

/* What the library prints, while it is caught. */
static struct {
  char *text;
  size_t used, room;
  PetscErrorCode (*prints)(FILE *, const char[], va_list);
} hg_py_print;

static PetscErrorCode hg_py_keep(FILE *file, const char format[], va_list list) {
  char line[4096];
  const int length = vsnprintf(line, sizeof line, format, list);
  const size_t more = length < 0 ? 0 : length < (int)sizeof line ? (size_t)length : sizeof line - 1;
  (void)file;
  if (hg_py_print.used + more + 1 > hg_py_print.room) {
    const size_t room = 2 * (hg_py_print.used + more + 1);
    char *const text = realloc(hg_py_print.text, room);
    if (!text) return 0;
    hg_py_print.text = text, hg_py_print.room = room;
  }
  memcpy(hg_py_print.text + hg_py_print.used, line, more);
  hg_py_print.used += more;
  hg_py_print.text[hg_py_print.used] = 0;
  return 0;
}

static void hg_py_catch(bool on) {
  if (on && !hg_py_print.prints) {
    hg_py_print.prints = PetscVFPrintf, PetscVFPrintf = hg_py_keep, hg_py_print.used = 0;
    if (hg_py_print.text) hg_py_print.text[0] = 0;
  } else if (!on && hg_py_print.prints) {
    PetscVFPrintf = hg_py_print.prints, hg_py_print.prints = NULL;
  }
}

static const char *hg_py_caught(void) { return hg_py_print.text ? hg_py_print.text : ""; }

static PetscErrorCode hg_py_apply_of(void *self, HgState x, HgState y) { return hg_py_apply(self, x, y); }
static PetscErrorCode hg_py_tangent_of(void *self, HgState x, HgState dx, HgState dy) {
  return hg_py_tangent(self, x, dx, dy);
}
static PetscErrorCode hg_py_adjoint_of(void *self, HgState x, HgState y_bar, HgState x_bar) {
  return hg_py_adjoint(self, x, y_bar, x_bar);
}
static HgOperatorTable *hg_py_operators(void) {
  static HgOperatorTable table = {
      .apply = hg_py_apply_of, .tangent = hg_py_tangent_of, .adjoint = hg_py_adjoint_of};
  return &table;
}
static PetscErrorCode hg_py_iterate_of(const HgIterate *it, HgState m, void *context) {
  return hg_py_iterate(it, m, context);
}
static HgMonitorFn *hg_py_monitor(void) { return hg_py_iterate_of; }
static PetscErrorCode hg_py_watch_of(long n, double t, HgState q, void *context) {
  return hg_py_watch(n, t, q, context);
}
static HgWatchFn *hg_py_watcher(void) { return hg_py_watch_of; }
"""


def ordered(headers):
    """Each after those that it includes."""
    by_name, done = {pathlib.Path(h).name: pathlib.Path(h) for h in headers}, {}

    def visit(name):
        if name in by_name and name not in done:
            done[name] = None
            text = by_name[name].read_text()
            for other in re.findall(r"#include <halograd/([^>]+)>", text):
                visit(other)
            done.pop(name)
            done[name] = text

    for name in sorted(by_name):
        visit(name)
    return done


def without_bodies(text):
    """Functions that are written out are left out."""
    while True:
        found = re.search(r"static inline[^;{]*\{", text)
        if not found:
            return text
        depth, at = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        text = text[: found.start()] + text[at:]


def constants(text):
    """Numbers of enums, and lengths in structs, are asked of the compiler."""
    for name in re.findall(r"\(\*\w+\)\[(HG_\w+)\]", text):  # of what a pointer points to the length must be known
        text = re.sub(rf"\[{name}\]", f"[{re.search(rf'{name} = ([0-9]+)', text)[1]}]", text)
    text = re.sub(r"\benum(\s+\w+)?\s*\{([^{}]*)\}", lambda e: f"enum{e[1] or ''} {{{re.sub(r'=[^,}]+', '= ...', e[2])}}}", text)
    return re.sub(r"\[(HG_\w+)(?: \+ \d+)?\](?=[^()]*[;,][^()]*\})", "[...]", text)


def declarations(header, single):
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    text = re.sub(r"^#ifdef HALOGRAD_SINGLE\n.*?^#(else|endif)$", "", text, flags=re.S | re.M)
    text = text.replace("typedef double HgReal;", "typedef float HgReal;") if single else text
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*\n", "", text, flags=re.M)
    text = re.sub(r"PETSC_ATTRIBUTE_FORMAT\(\d+, \d+\)", "", text)
    text = text.replace("HG_ERROR_IDS(HG_ERROR_ID)", "...")  # a list that the preprocessor writes
    # cffi writes no C for pointers to arrays of constants: these members stay unknown to Python
    text = re.sub(r"\bstruct (\w* ?)\{([^{}]*?)const char \*const \(\*\w+\)\[2\];([^{}]*)\}",
                  lambda s: f"struct {s[1]}{{" + re.sub(r"const char \*const \(\*\w+\)\[2\];", "", s[0][s[0].index("{") + 1 : -1]) + "...; }", text)
    text = re.sub(r"\bextern const (Hg\w+ [\w, \n]+;)", r"extern \1", text)  # cffi takes no address of a constant
    text = constants(without_bodies(text))
    return re.sub(r"\[HG_\w+\]", "[]", re.sub(r"\b(\w+)\[(HG_\w+)\](?=[^{};]*\))", r"\1[]", text))


def comments(header):
    """{function: its declaration, and the comment above it}. A comment goes for all declarations that follow without a blank line."""
    found, waiting, depth = {}, None, 0
    for token in re.finditer(r"/\*(.*?)\*/|\n[ \t]*\n|[{}]|^[^#\s][^;{}()/]*\b(Hg\w+)\([^;{}]*;", header, re.S | re.M):
        if token[0] in "{}":
            depth += {"{": 1, "}": -1}[token[0]]
        elif depth:
            continue
        elif token[0].startswith("/*"):
            waiting = "\n".join(re.sub("^   ", "", line).rstrip() for line in token[1].strip().split("\n"))
        elif token[2]:
            found[token[2]] = f"{' '.join(token[0].split())}\n{waiting}" if waiting else ""
        else:
            waiting = None
    return found


def quoted(text):
    """As a string of C."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")
    return f'"{escaped}"'


def builder(headers, single, prefix=""):
    """cffi's builder for these public headers."""
    ffi = cffi.FFI()
    texts = ordered(headers)
    ffi.cdef(TYPES)
    for name, text in texts.items():
        try:
            ffi.cdef(declarations(text, single))
        except Exception as error:
            raise SystemExit(f"halograd: the declarations of <halograd/{name}> are not understood: {error}")
    ffi.cdef(OWN)
    includes = "\n".join(f"#include <halograd/{name}>" for name in texts)
    said = {name: said for text in texts.values() for name, said in comments(text).items()}
    listed = ", ".join(f"{quoted(name)}, {quoted(said[name])}" for name in said if said[name])
    return ffi, SOURCE % {"includes": includes, "prefix": quoted(prefix), "comments": listed}


# ---- pip install ----
def asked(*words, of="halograd"):
    ran = subprocess.run(["pkg-config", "--print-errors", *words, of], text=True, capture_output=True)
    if ran.returncode:
        raise SystemExit("halograd: pkg-config does not find the C library: install it and add its lib/pkgconfig to PKG_CONFIG_PATH, or set HALOGRAD_BUILD to "
                         f"the folder that it was built in; it says: {' '.join(ran.stderr.split())}")
    return ran.stdout.strip()


@functools.lru_cache(None)
def install(tree):
    """What a build tree has, for pkg-config."""
    if tree:
        if not (pathlib.Path(tree) / "cmake_install.cmake").exists():
            raise SystemExit(f"halograd: HALOGRAD_BUILD is '{tree}', expected a folder that 'cmake --build' has built halograd in")
        place = tempfile.mkdtemp(prefix="halograd-")
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        subprocess.run(["cmake", "--install", tree, "--prefix", place], check=True, stdout=subprocess.DEVNULL)
        folders = [str(f.parent) for f in pathlib.Path(place).rglob("halograd.pc")]
        os.environ["PKG_CONFIG_PATH"] = os.pathsep.join(folders + [os.environ.get("PKG_CONFIG_PATH", "")])


def found(library):
    """(headers, flags of the compiler, of the linker, prefix) of the installed library, or of a build tree."""
    tree = os.environ.get("HALOGRAD_BUILD")
    install(tree)
    try:
        flags, links = asked("--cflags", of=library), asked("--libs", of=library)
    except FileNotFoundError:
        raise SystemExit("halograd: there is no pkg-config, which says where the library is (Debian: pkg-config)") from None
    headers = sorted(pathlib.Path(asked("--variable=includedir"), "halograd").glob("*.h"))
    return headers, shlex.split(flags), shlex.split(links), "" if tree else asked("--variable=prefix")


def of_pip(library="halograd"):
    """For setup.py."""
    headers, flags, links, prefix = found(library)
    ffi, source = builder(headers, library == "halograd_single", str(pathlib.Path(prefix).resolve()) if prefix else "")
    folders = places = [word[2:] for word in links if word.startswith("-L")]
    if os.environ.get("HALOGRAD_BUILD"):  # what was installed is gone by then: a shared library is found where it was built
        places = [str(pathlib.Path(os.environ["HALOGRAD_BUILD"]).resolve())]
    shared = [f"-Wl,-rpath,{place}" for place in places]
    ffi.set_source("_" + library, source, extra_compile_args=[*flags, "-std=gnu11"], library_dirs=folders, extra_link_args=[*links, *shared])
    return ffi


def of_pip_single():
    """The library of floats."""
    return of_pip("halograd_single")


if __name__ == "__main__":
    module = pathlib.Path(sys.argv[1]).stem
    ffi, source = builder(sys.argv[2:], module == "_halograd_single")
    ffi.set_source(module, source)
    ffi.emit_c_code(sys.argv[1])
