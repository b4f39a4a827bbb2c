/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/kernel.h -- the kernel contract, in plain C11: all that a kernel may see.

   A kernel computes the box it is given and nothing else. It is pure: no MPI, no PETSc, no
   allocation, no threads, no state. The executor chooses the boxes, and every choice gives the same
   bits. Therefore the value of each cell is ONE arithmetic expression in a fixed order. A box may
   reach beyond the patch. Across a periodic edge its cells have global indices below 0 or from
   nx_global on; a kernel that depends on position takes them modulo nx_global.

   On a mesh with levels a row is a slab: level k of u[j] begins at u[j] + k pitch, the one level of
   a surface at u[j]. A kernel that computes levels says so (HgStencil.levels). */
#ifndef HALOGRAD_KERNEL_H
#define HALOGRAD_KERNEL_H

#include <halograd/location.h>
#include <halograd/real.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  /* cells to compute: i in [i0, i1), j in [j0, j1), patch-local; ghosts have i < 0, i >= nx ... */
  int i0, i1, j0, j1;
  int k0, k1;                 /* levels to compute, k in [k0, k1); without levels [0, 1) */
  int i_global, j_global;     /* global index of patch-local cell (0,0) */
  int nx_global, ny_global;   /* cells of the whole domain */
  int nz;                     /* levels of the whole domain, which patches do not cut; or 1 */
  ptrdiff_t pitch;            /* numbers from a level of a row to the next */
  double x0, y0;              /* centre of global cell (0,0) [m]; on a sphere [degrees] */
  double dx, dy;              /* cell size [m]; on a sphere R dlambda, R dphi */
  double z0, dz;              /* of levels: centre of the first, thickness [m] */
  const HgLatitude *latitude; /* [j_global + j] on a sphere, on a plane NULL: HgLatitudeOfRow() */
  double dt;                  /* time step of the program [s] */
  double t;                   /* time at the start of the step [s], step dt */
  long step;                  /* number of the step, from 0 */
  /* for adjoints that set (HgStencil.sets): bit k says that x_bar[k] starts from nothing, that is,
     from zeros[i] = 0, i in [i0, i1) */
  unsigned fresh;
  const HgReal *zeros;
} HgBox;

/* The metric of row j, patch-local: on a sphere that of its latitude, else cosines of 1 and sines
   of 0. Read once per row it costs nothing. */
static inline HgLatitude HgLatitudeOfRow(const HgBox *box, int j) {
  return box->latitude ? box->latitude[box->j_global + j] : (HgLatitude){1, 0, 1, 0};
}

typedef const HgReal *const *HgRows; /* read as u[j][i] */
typedef HgReal *const *HgRowsOut;    /* written as u[j][i] */

/* apply    y      = F(x)             on the box; reads x within its declared radius of the box
   tangent  dy     = F'(x) dx         likewise, x and dx
   adjoint  x_bar += F'(x)^T y_bar    on the box, in gather form: each cell of x_bar sums the
                                      contributions of its neighbours' y_bar in a fixed order, and
                                      writes only its own cell. Reads y_bar within R (the largest
                                      radius among the reads) and x within its adjoint radius.
                                      x_bar[k] is NULL where it is not wanted.
   second   dx_bar += F'(x)^T dy_bar + (F''(x) dx)^T y_bar
                                      the tangent of the adjoint, as x moves by dx and y_bar by
                                      dy_bar. Reads dx where the adjoint may read x, dy_bar as
                                      y_bar, adds to dx_bar as the adjoint to x_bar.

   x[], dx[], x_bar[], dx_bar[] are in the order of `reads`; y[], dy[], y_bar[], dy_bar[] in that of
   `writes`. */
typedef void HgApplyFn(const HgBox *box, const void *params, const HgRows x[], const HgRowsOut y[]);
typedef void HgTangentFn(const HgBox *box, const void *params, const HgRows x[], const HgRows dx[],
                         const HgRowsOut dy[]);
typedef void HgAdjointFn(const HgBox *box, const void *params, const HgRows x[],
                         const HgRows y_bar[], const HgRowsOut x_bar[]);
typedef void HgSecondFn(const HgBox *box, const void *params, const HgRows x[], const HgRows dx[],
                        const HgRows y_bar[], const HgRows dy_bar[], const HgRowsOut dx_bar[]);

/* Row j of x_bar[k], NULL if it is not wanted, and its contents before. HgContribute() adds a
   contribution to cell i. */
typedef struct {
  HgReal *row;
  const HgReal *before;
} HgCotangent;

/* Row j of x_bar[k] for HgContribute(). */
static inline HgCotangent HgCotangentRow(const HgBox *box, const HgRowsOut x_bar[], int k, int j) {
  HgReal *const row = x_bar[k] ? x_bar[k][j] : NULL;
  return (HgCotangent){row, box->fresh >> k & 1 ? box->zeros : row};
}

/* The same for level `level`. */
static inline HgCotangent HgCotangentLevel(const HgBox *box, const HgRowsOut x_bar[], int k, int j,
                                           int level) {
  HgReal *const row = x_bar[k] ? x_bar[k][j] + level * box->pitch : NULL;
  return (HgCotangent){row, box->fresh >> k & 1 ? box->zeros : row};
}

/* The same for a surface: the contributions of all levels are added to one row; levels outside the
   domain contribute nothing. */
static inline HgCotangent HgCotangentSurface(const HgBox *box, const HgRowsOut x_bar[], int k,
                                             int j, int level) {
  HgReal *const row = x_bar[k] && level >= 0 && level < box->nz ? x_bar[k][j] : NULL;
  return (HgCotangent){row, box->fresh >> k & 1 && level == 0 ? box->zeros : row};
}

/* Adds `contribution` to cell i of the row; sets it where the adjoint starts from nothing. */
static inline void HgContribute(HgCotangent to, int i, HgReal contribution) {
  to.row[i] = to.before[i] + contribution;
}

typedef struct {
  const char *name;
  int radius; /* cells that apply and tangent read around a cell */
  /* radius in which the adjoint reads x; HG_ADJOINT_UNUSED: it reads no x at all */
  int adjoint_radius;
} HgRead;

enum { HG_ADJOINT_UNUSED = -1 };

/* What a .stencil states of a variable; a physics that contradicts it is refused. */
typedef struct {
  const char *name, *unit; /* unit NULL: nothing said */
  int location;            /* HgLocation; HG_ANYWHERE: nothing said */
  bool surface;            /* of a stencil with levels: it has one */
} HgStated;

enum { HG_ANYWHERE = -1 };

/* A table of doubles that the params point to: offsets in their struct of its address and, if it is
   read by step, of the long that counts its entries. A table read by i or j has one entry for each
   column or row. */
typedef struct {
  char axis; /* 's', 'i' or 'j' */
  size_t table, count;
} HgTable;

typedef struct HgStencil_s {
  const char *name;
  const HgRead *reads;       /* terminated by a NULL name; order = order of x[] */
  const char *const *writes; /* NULL-terminated; order = order of y[] */
  HgApplyFn *apply;
  HgTangentFn *tangent;
  HgAdjointFn *adjoint;
  /* NULL: none. A stencil whose adjoint reads no x is linear (or affine) and needs none: its second
     is its adjoint, applied to dy_bar. */
  HgSecondFn *second;
  /* Pairs (read, constant), terminated by NULL, or NULL: the adjoint reads x of the first only for
     x_bar of the second. If that is NULL, x of the first may be NULL, too. */
  const char *const (*only_for)[2];
  /* Pairs (write, read), terminated by NULL, or NULL: the last writes, but never all, are unchanged
     copies of reads, as in p_old' = p. apply and tangent skip those whose y[k] is NULL: inside a
     time block they are not copied. */
  const char *const (*copies)[2];
  /* The adjoint sets x_bar[k] where bit k of box->fresh says so, as HgContribute() does; others are
     handed zeros there, which takes longer. */
  bool sets;
  /* It uses HgLatitudeOfRow(). A stencil that reads neighbours without it would be wrong on a
     sphere, so programs on spheres refuse it. */
  bool spherical;
  /* It computes levels k in [k0, k1), for meshes with levels. */
  bool levels;
  /* It reads all levels of a column, [0, nz), whichever it computes, for sums over columns. */
  bool columns;
  /* Bytes of its params, 0: none. A program keeps a copy of them, so that a step stays the same
     function; the targets of pointers in them must not change either. */
  size_t params_size;
  const char *params_name; /* of their struct; NULL: not stated, and not compared */
  const HgTable *tables;   /* compared between ranks; terminated by axis 0; NULL: none */
  const HgStated *stated;  /* terminated by a NULL name; NULL: none */
  /* NULL, or this stencil and the one before it in the step as one. It reads what the two read
     apart from what lies between, and writes what this one writes, with the same bits. It has
     `apply`, and may have `adjoint`: this one's, with x as `inlined` reads it and x_bar of what
     this one reads. Programs run it where nothing else reads what lies between. */
  const struct HgStencil_s *inlined;
  const struct HgStencil_s *const *of; /* of an inlined one: the two stencils */
} HgStencil;

/* Helpers for five-point kernels: three rows around a cell, and a Laplacian.

   Row pointers are read once per j, so that the loop over i is plain arithmetic on contiguous
   numbers and vectorises. Sums pair opposite neighbours: mirrored data give mirrored bits. */

/* HG_VECTOR stands before the loop over i. It says that no row written is a row read, so nothing
   must be checked at run time. (gcc 12 and clang 14 ignore `restrict` on local variables: short
   boxes pay for the checks, and with many rows clang gives up. In release builds clang warns if
   such a loop does not vectorise.)

   HG_APART: not inlined. If several loops over stages land in one function, clang 14 does not
   vectorise all of them. */
#if defined(__GNUC__)
#define HG_APART __attribute__((noinline))
#else
#define HG_APART
#endif
#if defined(__clang__) && defined(NDEBUG)
#define HG_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__) && !defined(__clang__)
#define HG_VECTOR _Pragma("GCC ivdep")
#else
#define HG_VECTOR
#endif

/* Rows j - 1, j and j + 1 of a field. */
typedef struct {
  const HgReal *south, *at, *north;
} HgAround;

/* The rows around row j of u, patch-local. */
static inline HgAround HgRowsAround(HgRows u, int j) {
  return (HgAround){u[j - 1], u[j], u[j + 1]};
}

/* rx (u_W + u_E - 2u) + ry (u_S + u_N - 2u), with rx = 1/dx^2, ry = 1/dy^2 [1/m^2] */
static inline HgReal HgLaplacian(HgReal rx, HgReal ry, HgAround u, int i) {
  return rx * ((u.at[i - 1] + u.at[i + 1]) - 2 * u.at[i]) +
         ry * ((u.south[i] + u.north[i]) - 2 * u.at[i]);
}

#endif
