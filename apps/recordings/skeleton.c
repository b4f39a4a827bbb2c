/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of an application of your own: see skeleton.h. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "skeleton.h"
#include <errno.h>
#include <halograd/file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 40, ROOM = 8192 };

/* In names and texts @ stands for the name. */
static const struct {
  const char *name, *text;
} files[] = {
    {"@.stencil",
     "# @: u spreads by diffusion and grows towards 1 at a rate r, u_t = D lap(u) + r u (1 - u).\n"
     "physics @ {\n"
     "  field u copied, D [m^2/s] copied > 0, r [1/s];\n"
     "  let lap = ((u_W + u_E) - 2 * u) / (dx * dx) + ((u_S + u_N) - 2 * u) / (dy * dy);\n"
     "  u' = u + dt * (D * lap + r * u * (1 - u));\n"
     "  stable dt <= 0.5 / (max(D) * (1 / (dx * dx) + 1 / (dy * dy)) + max(r));\n"
     "}\n"},
    {"@_inverse.c",
     "/* @_inverse: finds the growth rate r(x, y) from sensors that see u at ten times. */\n"
     "#include \"@.h\"\n"
     "#include <halograd/problem.h>\n"
     "#include <math.h>\n"
     "\n"
     "static double first(double x, double y) { /* u at the start */\n"
     "  return exp(-20 * (pow(x - 0.3, 2) + pow(y - 0.4, 2)));\n"
     "}\n"
     "\n"
     "static double hidden(double x, double y) { /* the r that makes the data of this twin */\n"
     "  return 8 + 6 * exp(-25 * (pow(x - 0.6, 2) + pow(y - 0.5, 2)));\n"
     "}\n"
     "\n"
     "static const HgGiven given[] = {{\"u\", .field = first},\n"
     "                                {\"D\", .value = 0.01},\n"
     "                                {\"r\", .value = 8, .least = 1, .most = 20},\n"
     "                                {.variable = NULL}};\n"
     "static const HgSensors sensors = {\"u\", 10, 10, .times = 10, .sigma = 0.01, .seed = 1};\n"
     "\n"
     "static PetscErrorCode @_inverse(void) {\n"
     "  HgCommon common = {.nx = 48, .ny = 48, .dt = 0.004, .steps = 100, .slots = 20};\n"
     "  HgInverse inverse = {.h1 = 1, .tolerance = 5e-3, .iterations = 40};\n"
     "  const HgMeshSpec square = {.x0 = 1.0 / 96, .y0 = 1.0 / 96, .dx = 1.0 / 48, .dy = 1.0 / "
     "48};\n"
     "  HgRun run;\n"
     "  HgProblem problem;\n"
     "\n"
     "  PetscCall(HgRunStart(\"@_inverse\", \"finds a growth rate\", &common, &inverse, &run));\n"
     "  PetscCall(HgProblemCreatePhysics(run, &common, &square, &@_physics, NULL, given, "
     "&problem));\n"
     "  PetscCall(HgProblemSeek(problem, \"r\", 8, 1, 20, &inverse)); /* around 8, 1 <= r <= 20 "
     "*/\n"
     "  PetscCall(HgProblemTwin(problem, &(HgGiven){\"r\", .field = hidden}, &sensors));\n"
     "  return HgProblemComplete(&problem, &run, &inverse);\n"
     "}\n"
     "\n"
     "int main(int n, char **words) { return HgMain(n, words, \"\", @_inverse); }\n"},
    {"CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\n"
                       "project(@ LANGUAGES C)\n"
                       "if(NOT CMAKE_BUILD_TYPE)\n"
                       "  set(CMAKE_BUILD_TYPE Release)\n"
                       "endif()\n"
                       "find_package(halograd REQUIRED)\n"
                       "hg_add_stencil(@.stencil)\n"
                       "add_executable(@_inverse @_inverse.c)\n"
                       "target_link_libraries(@_inverse PRIVATE @_stencil)\n"},
    {"@.py",
     "\"\"\"The same in Python: mpirun -n 4 python3 @.py\"\"\"\n"
     "import pathlib\n"
     "\n"
     "import halograd as hg\n"
     "import numpy as np\n"
     "\n"
     "physics = hg.Physics(pathlib.Path(__file__).with_name(\"@.stencil\"))\n"
     "mesh = hg.Mesh((48, 48), spacing=1 / 48)\n"
     "model, steps = hg.Model(physics, mesh, dt=0.004), 100\n"
     "first = np.exp(-20 * ((mesh.x - 0.3) ** 2 + (mesh.y - 0.4) ** 2))\n"
     "hidden = 8 + 6 * np.exp(-25 * ((mesh.x - 0.6) ** 2 + (mesh.y - 0.5) ** 2))\n"
     "\n"
     "# The data of this twin: what the sensors see in a run with the hidden r.\n"
     "places = [((i + 0.5) / 10, (j + 0.5) / 10) for j in range(10) for i in range(10)]\n"
     "times = [0.04 * n for n in range(1, 11)]\n"
     "with hg.Misfit(model, steps).sensors(\"u\", places, times, np.zeros((10, 100)), sigma=1) as "
     "seen:\n"
     "    seen(model.input(u=first, D=0.01, r=hidden))\n"
     "    data = seen.predicted() + 0.01 * np.random.default_rng(1).standard_normal((10, 100))\n"
     "\n"
     "x = model.input(u=first, D=0.01, r=8)\n"
     "J = hg.Misfit(model, steps).sensors(\"u\", places, times, data, sigma=0.01)\n"
     "found = hg.invert(J, x, seek={\"r\": hg.Bounds(1, 20)}, h1=1, tolerance=5e-3, "
     "iterations=40)\n"
     "error = abs(found.x.gather(\"r\") - mesh.gather(hidden)).max()\n"
     "found.plot(\"@.png\")\n"
     "hg.say(f\"{found}; r is off by at most {error:.2f}; see @.png\")\n"}};

/* `from` with each @ as `name`. */
static void fill(const char from[], const char name[], size_t size, char to[]) {
  size_t used = 0;
  for (; *from && used + strlen(name) < size; from++) {
    if (*from == '@') used += (size_t)snprintf(to + used, size - used, "%s", name);
    else to[used++] = *from;
  }
  to[used] = 0;
}

static bool is_name(const char name[]) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz_", digits[] = "0123456789";
  const size_t start = strspn(name, letters);
  for (const char *c = name; *c; c++)
    if (!strchr(letters, *c) && !strchr(digits, *c)) return false;
  return start && strlen(name) <= LONGEST;
}

/* Where CMake finds the package: the installation that this program belongs to, else PREFIX. */
static void find_prefix(size_t size, char prefix[]) {
  static const char config[] = HALOGRAD_PACKAGE "/halogradConfig.cmake";
  char file[HG_FILE_PATH + sizeof config];
  char *self = realpath("/proc/self/exe", NULL);
  snprintf(prefix, size, "PREFIX");
  for (int k = 0; self && k < 2; k++) /* of PREFIX/bin/halograd */
    if (strrchr(self, '/')) *strrchr(self, '/') = 0;
  snprintf(file, sizeof file, "%s/%s", self ? self : "", config);
  if (self && strlen(self) < size && !access(file, R_OK)) snprintf(prefix, size, "%s", self);
  free(self);
}

PetscErrorCode SkeletonWrite(MPI_Comm comm, const char name[]) {
  char path[3 * LONGEST + 48], file[2 * LONGEST + 32], text[ROOM], prefix[HG_FILE_PATH];
  int rank;
  HgRequire(comm, is_name(name), HG_ERR_FILE_NAME,
            "new: '%s' names files and a physics in C, expected at most %d lower-case letters, "
            "digits and _, a letter first",
            name, LONGEST);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  const bool fails = !rank && mkdir(name, 0777);
  PetscCall(HgAgree(comm, fails, HG_ERR_FILE_WRITE, "new: the folder '%s' cannot be made: %s", name,
                    strerror(errno)));
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    fill(files[k].name, name, sizeof file, file);
    fill(files[k].text, name, sizeof text, text);
    snprintf(path, sizeof path, "%s/%s", name, file);
    PetscCall(HgFileWrite(comm, path, text, strlen(text)));
  }
  find_prefix(sizeof prefix, prefix);
  return PetscPrintf(
      comm,
      "halograd: %s/ has %s.stencil, %s_inverse.c, CMakeLists.txt and %s.py\n"
      "  in C:      cd %s && cmake -S . -B build -DCMAKE_PREFIX_PATH=\"%s\" && "
      "cmake --build build && mpirun -n 4 build/%s_inverse\n%s"
      "  in Python: cd %s && mpirun -n 4 python3 %s.py\n",
      name, name, name, name, name, prefix, name,
      strcmp(prefix, "PREFIX") ? "" : "             PREFIX is where halograd is installed\n", name,
      name);
}
