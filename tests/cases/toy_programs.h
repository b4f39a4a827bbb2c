/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs drawn at random: 2 to 6 toy stencils that read some cells around and multiply, on
   variables of any role behind walls of any kind, on thin and thick grids. */
#ifndef HALOGRAD_TEST_TOY_PROGRAMS_H
#define HALOGRAD_TEST_TOY_PROGRAMS_H

#include <halograd/location_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <stdlib.h>

enum { NAMES = 6, TERMS = 6, READS = 3, WRITES = 2, TAPS = 3 };

static const char *const names[NAMES] = {"a", "b", "c", "d", "e", "f"};

typedef struct {
  int di, dj;
  double weight;
  int dk, unused; /* both 0 without levels; no bytes that nobody sets: ranks compare params */
} Tap;

/* y[w] = the sum of all reads at their taps + the product of two reads, each at a tap of its
   own. */
typedef struct {
  HgStencil stencil;
  HgRead read[READS + 1];
  const char *write[WRITES + 1];
  const char *copy[2][2];     /* the last write is that read unchanged; NULL: none is */
  HgStated stated[NAMES + 1]; /* which are surfaces */
  bool surface[READS + 1];
  int reads, writes, factor[WRITES][2];
  Tap tap[WRITES][READS][TAPS], product[WRITES][2];
} Toy;

/* Which cells are wet: all, or such of blocks of so many cells. */
typedef struct {
  int width, height; /* 0: all */
  double wet;        /* how many of them */
  uint64_t seed;
} DrawnMask;

typedef struct {
  int terms, inactive; /* inactive: a constant that is no control, if it is one; -1: none */
  Toy toy[TERMS];
  unsigned used, written; /* names, as bits */
  HgBoundary walls[NAMES];
  HgLocation location[NAMES];
  HgMeshSpec mesh; /* its ghosts are no wider than need be */
  DrawnMask mask;
} Draw;

/* ---- toys ---- */

/* Cell (i, j) of a level that is `level` numbers further: k pitch. */
typedef struct {
  int i, j;
  ptrdiff_t level, pitch;
} Cell;

static double at(const Toy *t, const HgRows x[], int k, Cell c, const Tap *tap) {
  const ptrdiff_t level = t->surface[k] ? 0 : c.level + tap->dk * c.pitch;
  return tap->weight * x[k][c.j + tap->dj][level + c.i + tap->di];
}

/* The cell whose tap points to c; its level where that is a surface is the reader's. */
static Cell behind(Cell c, const Tap *tap) {
  return (Cell){c.i - tap->di, c.j - tap->dj, c.level - tap->dk * c.pitch, c.pitch};
}

static double bar_at(const HgRows y_bar[], int w, Cell c) { return y_bar[w][c.j][c.level + c.i]; }

static double sum(const Toy *t, int w, const HgRows x[], Cell c) {
  double y = 0;
  for (int k = 0; k < t->reads; k++)
    for (int n = 0; n < TAPS; n++) y += at(t, x, k, c, &t->tap[w][k][n]);
  return y;
}

static double product(const Toy *t, int w, const HgRows a[], const HgRows b[], Cell c) {
  return at(t, a, t->factor[w][0], c, &t->product[w][0]) *
         at(t, b, t->factor[w][1], c, &t->product[w][1]);
}

/* For all cells c of a box. */
#define FOR_CELLS(b, c)                                                                            \
  for (Cell c = {(b)->i0, (b)->j0, (b)->k0 * (b)->pitch, (b)->pitch}; c.j < (b)->j1; c.j++)        \
    for (c.level = (b)->k0 * c.pitch; c.level < (b)->k1 * c.pitch; c.level += c.pitch)             \
      for (c.i = (b)->i0; c.i < (b)->i1; c.i++)

static void toy_apply(const HgBox *b, const void *toy, const HgRows x[], const HgRowsOut y[]) {
  const Toy *t = toy;
  for (int w = 0; w < t->writes; w++)
    if (y[w]) FOR_CELLS(b, c) y[w][c.j][c.level + c.i] = sum(t, w, x, c) + product(t, w, x, x, c);
}

static void toy_tangent(const HgBox *b, const void *toy, const HgRows x[], const HgRows dx[],
                        const HgRowsOut dy[]) {
  const Toy *t = toy;
  for (int w = 0; w < t->writes; w++)
    if (dy[w]) FOR_CELLS(b, c)
  dy[w][c.j][c.level + c.i] = sum(t, w, dx, c) + product(t, w, dx, x, c) + product(t, w, x, dx, c);
}

/* The cotangent that cell c of read k gets from its readers: each sits where its tap points back
   from. */
static double cotangent(const Toy *t, int k, const HgRows x[], const HgRows y_bar[], Cell c) {
  double sum = 0;
  for (int w = 0; w < t->writes; w++) {
    for (int n = 0; n < TAPS; n++) {
      const Tap *tap = &t->tap[w][k][n];
      sum += tap->weight * bar_at(y_bar, w, behind(c, tap));
    }
    for (int n = 0; n < 2; n++) {
      const Tap *own = &t->product[w][n], *other = &t->product[w][1 - n];
      const Cell reader = behind(c, own);
      if (t->factor[w][n] == k)
        sum +=
            own->weight * bar_at(y_bar, w, reader) * at(t, x, t->factor[w][1 - n], reader, other);
    }
  }
  return sum;
}

/* Its tangent. */
static double owed_more(const Toy *t, int k, const HgRows x[], const HgRows dx[],
                        const HgRows y_bar[], const HgRows dy_bar[], Cell c) {
  double sum = cotangent(t, k, x, dy_bar, c);
  for (int w = 0; w < t->writes; w++)
    for (int n = 0; n < 2; n++) {
      const Tap *own = &t->product[w][n], *other = &t->product[w][1 - n];
      const Cell reader = behind(c, own);
      if (t->factor[w][n] == k)
        sum +=
            own->weight * bar_at(y_bar, w, reader) * at(t, dx, t->factor[w][1 - n], reader, other);
    }
  return sum;
}

/* The row of x_bar[k] that cell c lies in; a surface's gets what all levels give it. */
static HgCotangent row_of(const HgBox *b, const Toy *t, const HgRowsOut x_bar[], int k, Cell c) {
  const int level = c.pitch ? (int)(c.level / c.pitch) : 0;
  return t->surface[k] ? HgCotangentSurface(b, x_bar, k, c.j, level)
                       : HgCotangentLevel(b, x_bar, k, c.j, level);
}

static void toy_adjoint(const HgBox *b, const void *toy, const HgRows x[], const HgRows y_bar[],
                        const HgRowsOut x_bar[]) {
  const Toy *t = toy;
  for (int k = 0; k < t->reads; k++) FOR_CELLS(b, c) {
      HgCotangent to = row_of(b, t, x_bar, k, c);
      if (!t->stencil.sets) to.before = to.row;
      if (to.row) HgContribute(to, c.i, cotangent(t, k, x, y_bar, c));
    }
}

static void toy_second(const HgBox *b, const void *toy, const HgRows x[], const HgRows dx[],
                       const HgRows y_bar[], const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const Toy *t = toy;
  for (int k = 0; k < t->reads; k++) FOR_CELLS(b, c) {
      const HgCotangent to = row_of(b, t, dx_bar, k, c);
      if (to.row) HgContribute(to, c.i, owed_more(t, k, x, dx, y_bar, dy_bar, c));
    }
}

/* ---- drawing ---- */
typedef struct {
  uint64_t seed, drawn;
} Dice;

static double roll_real(Dice *d) { return HgRandom(d->seed, d->drawn++); }

static int roll(Dice *d, int n) { return PetscMin(n - 1, (int)((roll_real(d) + 1) / 2 * n)); }

static Tap roll_tap(Dice *d, int radius, double scale) {
  const int di = roll(d, 2 * radius + 1) - radius, dj = roll(d, 2 * radius + 1) - radius;
  return (Tap){di, dj, (roll(d, 2) ? scale : -scale) * (0.75 + roll_real(d) / 4), 0};
}

/* One of a set of names, which are bits. */
static int roll_name(Dice *d, unsigned set) {
  int k;
  do k = roll(d, NAMES);
  while (!(set >> k & 1));
  return k;
}

/* Reads that the adjoint multiplies by: each factor's where the other one's readers are. */
static void roll_products(Dice *d, Toy *t) {
  for (int w = 0; w < t->writes; w++) {
    Tap *const p = t->product[w];
    int *const f = t->factor[w];
    for (int n = 0; n < 2; n++) {
      f[n] = roll(d, t->reads);
      p[n] = roll_tap(d, t->read[f[n]].radius, 0.7);
    }
    const int apart = PetscMax(abs(p[0].di - p[1].di), abs(p[0].dj - p[1].dj));
    for (int n = 0; n < 2; n++)
      t->read[f[n]].adjoint_radius = PetscMax(t->read[f[n]].adjoint_radius, apart);
  }
}

/* What a step has done with its names so far. In a tidy one what is carried is not read once it is
   written, but by a forward-backward one, and all work is read: several such steps can be reversed
   at once. */
typedef struct {
  bool tidy, forward_backward;
  int radius;                        /* of reads, at most */
  unsigned carried, written, unread; /* unread: work that no stencil has read yet */
} Sofar;

static void roll_reads(Dice *d, Sofar *s, Toy *t, bool first, bool last) {
  unsigned readable = (1u << NAMES) - 1;
  const unsigned new = s->carried & s->written;
  if (s->tidy && !s->forward_backward) readable &= ~new;
  const int wanted = s->tidy && last ? READS : 1 + roll(d, READS);
  while (readable && t->reads < wanted) {
    const bool leans = s->forward_backward && readable & new &&roll(d, 2);
    const int name = first && !t->reads     ? 0
                     : s->tidy && s->unread ? roll_name(d, s->unread)
                     : leans                ? roll_name(d, readable & new)
                                            : roll_name(d, readable);
    t->read[t->reads++] = (HgRead){names[name], roll(d, s->radius + 1), HG_ADJOINT_UNUSED};
    readable &= ~(1u << name), s->unread &= ~(1u << name);
    if (!(s->written >> name & 1)) s->carried |= 1u << name;
  }
}

/* The last name is a constant, if it is read. */
static void roll_writes(Dice *d, Sofar *s, Toy *t, bool last) {
  const unsigned all = (1u << (NAMES - 1)) - 1;
  unsigned writable = s->tidy ? all & ~(1 | s->unread | (s->carried & s->written)) : all;
  const bool few = s->tidy && (last || s->unread & (s->unread - 1));
  for (int k = few ? 1 : 1 + roll(d, WRITES); k > 0; k--) {
    const int name = (last && !t->writes) || !writable ? 0 : roll_name(d, writable);
    if (!name && t->writes) break;
    t->write[t->writes++] = names[name];
    writable &= ~(1u << name), s->written |= 1u << name;
    if (!(s->carried >> name & 1)) s->unread |= 1u << name;
  }
}

static void roll_toy(Dice *d, Sofar *s, Toy *t, bool first, bool last) {
  *t = (Toy){.stencil = {.name = "toy", .apply = toy_apply, .tangent = toy_tangent}};
  t->stencil.params_size = sizeof *t;
  t->stencil.adjoint = toy_adjoint, t->stencil.sets = roll(d, 2);
  t->stencil.second = toy_second;
  t->stencil.reads = t->read, t->stencil.writes = t->write; /* a toy stays where it is */
  roll_reads(d, s, t, first, last);
  roll_writes(d, s, t, last);
  for (int w = 0; w < t->writes; w++)
    for (int k = 0; k < t->reads; k++)
      for (int n = 0; n < TAPS; n++)
        t->tap[w][k][n] = roll_tap(d, t->read[k].radius, 0.5 / (TAPS * t->reads));
  roll_products(d, t);
}

static HgSide roll_side(Dice *d) {
  const HgSideKind kind = (HgSideKind)(HG_FROZEN + roll(d, 4));
  return (HgSide){kind, kind == HG_MIRROR ? 2 * roll(d, 2) - 1 : roll_real(d)};
}

/* Cells along an axis of so many patches: as few as ghosts allow, or more. */
static int roll_cells(Dice *d, int patches, int depth) {
  return patches * depth + (roll(d, 3) ? 8 + roll(d, 40) : roll(d, 3));
}

static void roll_mesh(Dice *d, int depth, HgMeshSpec *m) {
  int size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  *m = (HgMeshSpec){.dx = 1, .dy = 1, .ghost = depth};
  do m->px = 1 + roll(d, size);
  while (size % m->px);
  m->py = size / m->px;
  const int least = size <= 4 && !roll(d, 16) ? 64 : depth; /* from 64 on messages fly meanwhile */
  m->nx = roll_cells(d, m->px, least), m->ny = roll_cells(d, m->py, least);
  m->periodic_x = !roll(d, 4), m->periodic_y = !roll(d, 4);
}

/* Of many terms with two results the second becomes a copy of something that the term reads, mostly
   with the same walls. */
static inline void roll_copies(Dice *d, Draw *p) {
  for (int k = 0; k < p->terms; k++) {
    Toy *const t = &p->toy[k];
    const int w = t->writes - 1, read = roll(d, t->reads);
    if (w < 1 || !roll(d, 4)) continue;
    for (int l = 0; l < t->reads; l++)
      for (int n = 0; n < TAPS; n++) t->tap[w][l][n] = (Tap){0, 0, 0, 0};
    t->product[w][0] = t->product[w][1] = (Tap){0, 0, 0, 0};
    t->tap[w][read][0].weight = 1;
    t->copy[0][0] = t->write[w], t->copy[0][1] = t->read[read].name;
    t->stencil.copies = (const char *const(*)[2])t->copy;
    if (roll(d, 4))
      p->walls[t->write[w][0] - names[0][0]] = p->walls[t->read[read].name[0] - names[0][0]];
  }
}

/* Locations, and sides closed where there are faces on walls. */
static void roll_closed(Dice *d, Draw *p) {
  for (int k = 0; k < NAMES; k++) {
    p->location[k] = (HgLocation)roll(d, 4);
    HgSide *const sides[] = {&p->walls[k].west, &p->walls[k].east, &p->walls[k].south,
                             &p->walls[k].north};
    for (int s = 0; s < 4; s++) {
      const double faces = s < 2 ? HgLocationEast(p->location[k]) : HgLocationNorth(p->location[k]);
      if (faces > 0 && roll(d, 3)) sides[s]->kind = HG_CLOSED;
    }
  }
}

static inline void roll_mask(Dice *d, DrawnMask *m) {
  static const int widths[] = {1, 7, 30}, heights[] = {1, 3, 12};
  static const double wet[] = {0.02, 0.2, 0.5, 0.9};
  *m = (DrawnMask){widths[roll(d, 3)], heights[roll(d, 3)], wet[roll(d, 4)], d->seed};
}

/* ---- levels: what has been drawn, in a third dimension ---- */

static int between(int low, int at, int high) { return PetscMax(low, PetscMin(at, high)); }

static void roll_levels_of(Dice *d, unsigned surfaces, Toy *t) {
  int radius[READS]; /* of a surface none */
  for (int k = 0; k < t->reads; k++) {
    t->surface[k] = surfaces >> (t->read[k].name[0] - names[0][0]) & 1;
    radius[k] = t->surface[k] ? 0 : t->read[k].radius;
  }
  for (int w = 0; w < t->writes; w++) {
    for (int k = 0; k < t->reads; k++)
      for (int n = 0; n < TAPS; n++) t->tap[w][k][n].dk = roll(d, 2 * radius[k] + 1) - radius[k];
    Tap *const p = t->product[w];
    const int *const f = t->factor[w];
    const int apart = PetscMax(abs(p[0].di - p[1].di), abs(p[0].dj - p[1].dj));
    const int first = radius[f[0]], second = radius[f[1]];
    p[1].dk = roll(d, 2 * second + 1) - second;
    p[0].dk = between(p[1].dk - apart, roll(d, 2 * first + 1) - first, p[1].dk + apart);
    p[0].dk = between(-first, p[0].dk, first);
    p[1].dk = between(p[0].dk - apart, p[1].dk, p[0].dk + apart);
  }
  int stated = 0;
  for (int k = 0; k < t->reads; k++)
    if (t->surface[k]) {
      t->stated[stated].name = t->read[k].name, t->stated[stated].location = HG_ANYWHERE;
      t->stated[stated++].surface = true;
    }
  t->stencil.levels = true, t->stencil.stated = t->stated;
}

/* Constants may be surfaces; a copy's tap points to its own cell. */
static inline void roll_levels(Dice *d, Draw *p) {
  static const int many[] = {1, 2, 3, 5, 7, 12, 37};
  HgMeshSpec *const m = &p->mesh;
  const unsigned surfaces = roll(d, 2) ? p->used & ~p->written : 0;
  int depth = 1;
  for (int k = 0; k < p->terms; k++) {
    Toy *const t = &p->toy[k];
    roll_levels_of(d, surfaces, t);
    for (int l = 0; l < t->reads; l++)
      depth = PetscMax(depth, PetscMax(t->read[l].radius, t->read[l].adjoint_radius));
    if (t->copy[0][0])
      for (int l = 0; l < t->reads; l++)
        for (int n = 0; n < TAPS; n++) t->tap[t->writes - 1][l][n].dk = 0;
  }
  do m->nz = many[roll(d, 7)];
  while (m->nz < depth);
  m->dz = 1, m->periodic_z = !roll(d, 4);
  m->nx = PetscMin(m->nx, m->px * depth + 24), m->ny = PetscMin(m->ny, m->py * depth + 12);
  for (int k = 0; k < NAMES; k++) {
    p->walls[k].below = roll_side(d), p->walls[k].above = roll_side(d);
    if (!roll(d, 3) && p->location[k] != HG_CORNER)
      p->location[k] = (HgLocation)(p->location[k] | HG_Z_FACE);
    HgSide *const sides[] = {&p->walls[k].below, &p->walls[k].above};
    for (int s = 0; s < 2; s++)
      if (HgLocationUp(p->location[k]) > 0 && roll(d, 2)) sides[s]->kind = HG_CLOSED;
  }
}

static void roll_any(Dice *d, bool forward_backward, Draw *p) {
  Sofar s = {.tidy = roll(d, 3), .radius = 1 + roll(d, 2)};
  s.forward_backward = forward_backward, s.tidy = s.tidy || forward_backward;
  *p = (Draw){.terms = 2 + roll(d, TERMS - 1)};
  int depth = 1;
  for (int k = 0; k < p->terms; k++) {
    Toy *const t = &p->toy[k];
    roll_toy(d, &s, t, !k, k == p->terms - 1);
    for (int l = 0; l < t->reads; l++)
      depth = PetscMax(depth, PetscMax(t->read[l].radius, t->read[l].adjoint_radius));
  }
  p->used = s.carried | s.written, p->written = s.written;
  p->inactive = roll(d, NAMES + 1) - 1;
  for (int k = 0; k < NAMES; k++) {
    const HgSide w = roll_side(d), e = roll_side(d), south = roll_side(d), north = roll_side(d);
    p->walls[k] = roll(d, 2) ? (HgBoundary){w, e, south, north} : HgBoundaryAll(w.kind, w.value);
  }
  roll_mesh(d, depth, &p->mesh);
}

static inline void roll_program(Dice *d, Draw *p) { roll_any(d, false, p); }

/* Terms read what earlier ones of their step have written of what is carried. */
static inline void roll_forward_backward(Dice *d, Draw *p) { roll_any(d, true, p); }

/* ---- what is drawn, made ---- */

/* The program, not set up yet. */
static inline PetscErrorCode drawn_program(const Draw *d, HgMesh mesh, HgProgram *program) {
  PetscCall(HgProgramCreate(mesh, "random", 1, program));
  for (int k = 0; k < d->terms; k++)
    PetscCall(HgProgramAddStencil(*program, &d->toy[k].stencil, &d->toy[k]));
  for (int k = 0; k < NAMES; k++)
    if (d->used >> k & 1) {
      PetscCall(HgProgramSetBoundary(*program, names[k], d->walls[k]));
      PetscCall(HgProgramSetLocation(*program, names[k], d->location[k]));
    }
  return 0;
}

static inline int wrapped(int i, int n, bool periodic) { return periodic ? (i % n + n) % n : i; }

/* Random cells, and what frozen walls hold. */
static inline PetscErrorCode fill_drawn(HgState x, uint64_t seed) {
  if (!x) return 0;
  PetscCall(HgStateRandom(x, seed));
  const HgMeshSpec *m = HgMeshGetSpec(HgStateMesh(x));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int k = 0; k < HgStateCount(x); k++) {
    const bool surface = HgStateVariable(x, k)->surface || !m->nz;
    const int beyond = surface ? 0 : HgStateGhostLevels(x), levels = HgStateLevels(x, k);
    for (int level = -beyond; level < levels + beyond; level++)
      for (int j = -m->ghost; j < p->ny + m->ghost; j++)
        for (int i = -m->ghost; i < p->nx + m->ghost; i++) {
          const int at = wrapped(p->i_global + i, m->nx, m->periodic_x);
          const int line = wrapped(p->j_global + j, m->ny, m->periodic_y);
          const int high = wrapped(level, levels, m->periodic_z);
          if (at < 0 || at >= m->nx || line < 0 || line >= m->ny || high < 0 || high >= levels)
            HgStateLevel(x, k, level)[j][i] =
                HgRandom(seed + (uint64_t)k, (uint64_t)(1000000 * high + 1000 * line + at));
        }
  }
  return 0;
}

/* To a program that is set up. */
static inline PetscErrorCode set_drawn_mask(const Draw *d, HgProgram program) {
  static const HgVariable wet[] = {{"wet", "1", HG_FIELD, 0, true}};
  const HgPatch *p = HgMeshGetPatch(HgProgramMesh(program));
  const DrawnMask *m = &d->mask;
  HgState state;
  if (!m->width) return 0;
  PetscCall(HgStateCreate(HgProgramMesh(program), 1, wet, &state));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const int block = (p->j_global + j) / m->height * 1000 + (p->i_global + i) / m->width;
      HgStateRows(state, 0)[j][i] = HgRandom(m->seed, 100000 + (uint64_t)block) < 2 * m->wet - 1;
    }
  PetscCall(HgProgramSetMask(program, state, "wet"));
  return HgStateDestroy(&state);
}

#endif
