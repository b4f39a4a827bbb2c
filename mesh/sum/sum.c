/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/real_library.h>
#include <halograd/sum_library.h>
#include <math.h>
#include <string.h>

enum {
  LIMB_BITS = 40,
  LOWEST = -1074,        /* exponent of the smallest double */
  CARRY_AFTER = 1 << 22, /* additions of less than 2^40 each that a limb has room for */
  LANES = HG_VECTOR_BYTES / (int)sizeof(double), /* side by side */
  BLOCK = 1024,                                  /* 8 KiB: a block stays in the first-level cache */
  PART_BITS = 50,                                /* 2^10 numbers of 50 bits add up within int64 */
  AHEAD = 2048,                                  /* bytes to fetch ahead */
  LARGEST_EXPONENT = 1021, /* from here on the pre-rounding constant could overflow */
  GUESS = 2048             /* a guess of 2^bound is kept as GUESS + bound */
};

void HgSumReset(HgSum *sum) { memset(sum, 0, sizeof *sum); }

/* Brings every limb but the last into [0, 2^40). */
static void carry(HgSum *sum) {
  for (int k = 0; k + 1 < HG_SUM_LIMBS; k++) {
    const int64_t up = sum->limb[k] >> LIMB_BITS; /* floor, for negative limbs too */
    sum->limb[k] &= ((int64_t)1 << LIMB_BITS) - 1;
    sum->limb[k + 1] += up;
  }
  sum->pending = 0;
}

__extension__ typedef __int128 Wide;

/* sum += m 2^(position - 1074) with |m| < 2^62 */
static void add_integer(HgSum *sum, int64_t m, int position) {
  const int64_t mask = ((int64_t)1 << LIMB_BITS) - 1;
  int64_t *limb = sum->limb + position / LIMB_BITS;
  Wide shifted = (Wide)m * ((int64_t)1 << position % LIMB_BITS);
  limb[0] += (int64_t)shifted & mask;
  shifted >>= LIMB_BITS;
  limb[1] += (int64_t)shifted & mask;
  limb[2] += (int64_t)(shifted >> LIMB_BITS);
  if (++sum->pending >= CARRY_AFTER) carry(sum);
}

/* The reference: x = m 2^(position - 1074) with a whole m of at most 53 bits. */
static void add_one(HgSum *sum, double x) {
  if (!isfinite(x)) {
    sum->not_finite++;
    return;
  }
  int exponent;
  const double fraction = frexp(x, &exponent); /* 1/2 <= |fraction| < 1, or 0 */
  int position = exponent - 53 - LOWEST, bits = 53;
  if (position < 0) bits += position, position = 0; /* subnormal */
  add_integer(sum, (int64_t)ldexp(fraction, bits), position);
}

/* The fast twin takes blocks of numbers apart into whole multiples of two powers of two, all lanes
   at once. With M = 3/2 2^(52 + e) and |x| <= 2^(50 + e), x + M is M plus x rounded to a multiple
   of 2^e: its bits, read as an integer, are those of M plus that multiple, so that integers add up
   exactly what is split off; x - ((x + M) - M) is exact too and goes to the next lower part. */
typedef double Vector __attribute__((vector_size(LANES * sizeof(double))));
typedef uint64_t Bits __attribute__((vector_size(LANES * sizeof(uint64_t))));

typedef union {
  double x[BLOCK];
  Vector v[BLOCK / LANES];
} Block;

/* Two neighbouring parts: multiples of 2^high up to 2^bound, and of 2^low below them. */
typedef struct {
  int high, low;
  double m_high, m_low;
} Window;

static inline uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* 3/2 2^exponent, of normal numbers */
static inline double three_halves(int exponent) {
  const uint64_t bits = (uint64_t)(exponent + 1023) << 52 | UINT64_C(1) << 51;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline Window window_below(int bound) {
  if (bound < LOWEST + 2 * PART_BITS) bound = LOWEST + 2 * PART_BITS;
  const int high = bound - PART_BITS, low = high - PART_BITS;
  return (Window){high, low, three_halves(52 + high), three_halves(52 + low)};
}

/* Vectors are handed on by address: by value they have no ABI on machines with shorter ones. */
static inline uint64_t any(const Bits *a) {
  uint64_t all = 0;
  for (int l = 0; l < LANES; l++) all |= (*a)[l];
  return all;
}

/* What the lanes of integers hold besides M, which every vector added to every lane; modulo 2^64 on
   the way. */
static int64_t multiples(const Bits *lanes, int vectors, double m) {
  uint64_t total = 0;
  for (int l = 0; l < LANES; l++) total += (*lanes)[l] - (uint64_t)vectors * bits_of(m);
  return (int64_t)total;
}

static void add_lanes(HgSum *sum, int vectors, const Window *w, const Bits *high, const Bits *low) {
  add_integer(sum, multiples(high, vectors, w->m_high), w->high - LOWEST);
  add_integer(sum, multiples(low, vectors, w->m_low), w->low - LOWEST);
}

/* Adds what the window holds of every number, keeps the remainders; returns whether there are any.
   */
static bool split_block(HgSum *sum, Block *block, int vectors, const Window *w) {
  Bits high = {0}, low = {0}, rest = {0};
  for (int v = 0; v < vectors; v++) {
    const Vector x = block->v[v], a = x + w->m_high, y = x - (a - w->m_high), b = y + w->m_low,
                 z = y - (b - w->m_low);
    high += (Bits)a, low += (Bits)b;
    rest |= (Bits)z << 1; /* without the sign: -0 is nothing */
    block->v[v] = z;
  }
  add_lanes(sum, vectors, w, &high, &low);
  return any(&rest);
}

/* Any numbers, from the largest down: two parts of 50 bits hold all down to 2^-48 of it, what is
   left takes further passes. Leaves a bound that the next numbers will keep, too, if they are
   of similar size. */
static void add_block(HgSum *sum, Block *block, int n) {
  uint64_t largest = 0;
  for (int i = 0; i < n; i++) {
    const uint64_t magnitude = bits_of(block->x[i]) & (UINT64_MAX >> 1);
    largest = magnitude > largest ? magnitude : largest;
  }
  int bound = (int)(largest >> 52) - 1022; /* |x| < 2^bound */
  sum->guess = GUESS + (bound < LARGEST_EXPONENT ? bound + 1 : LARGEST_EXPONENT);
  if (bound > LARGEST_EXPONENT) { /* NaNs and infinities come here as well */
    for (int i = 0; i < n; i++) add_one(sum, block->x[i]);
    return;
  }
  while (n % LANES) block->x[n++] = 0;
  for (bool more = largest; more; bound -= 2 * PART_BITS) {
    const Window w = window_below(bound);
    more = split_block(sum, block, n / LANES, &w);
  }
}

/* The processor alone fetches two arrays too late: dot products of 64 M numbers reached 11 GB/s,
   now 20. The address may lie beyond the end of the array. */
static inline void fetch_ahead(const double *x) {
  __builtin_prefetch((const void *)((uintptr_t)x + AHEAD));
}

/* u = x, or x y if there is y: n numbers, and zeros */
static inline void load(int n, const double *x, const double *y, Vector *u) {
  Vector v = {0};
  if (n < LANES) *u = v;
  memcpy(u, x, sizeof *x * (size_t)n);
  if (!y) return;
  memcpy(&v, y, sizeof *y * (size_t)n);
  *u *= v;
}

/* Sums of what a window holds of vectors, and bits that say what it does not hold. */
typedef struct {
  Bits high, low, rest, outside;
} Lanes;

static inline __attribute__((always_inline)) void add_vector(Lanes *l, const Vector *u,
                                                             const Window *w, uint64_t first) {
  const Vector a = *u + w->m_high, d = *u - (a - w->m_high), b = d + w->m_low,
               z = d - (b - w->m_low);
  l->high += (Bits)a, l->low += (Bits)b;
  l->rest |= (Bits)z << 1;
  l->outside |= (Bits)a - first; /* below 2^52 if x + M has the exponent of M */
}

/* The same without copies and in one pass for up to BLOCK numbers that fit the window of
   the guess; else adds nothing, returns false. */
static inline __attribute__((always_inline)) bool add_fitting(HgSum *sum, int n, const double *x,
                                                              const double *y) {
  const Window w = window_below((int)sum->guess - GUESS);
  const uint64_t first = bits_of(w.m_high) - (UINT64_C(1) << 51);
  Lanes l = {0};
  Vector u;
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    fetch_ahead(x + i);
    if (y) fetch_ahead(y + i);
    load(LANES, x + i, y ? y + i : NULL, &u);
    add_vector(&l, &u, &w, first);
  }
  if (i < n) {
    load(n - i, x + i, y ? y + i : NULL, &u);
    add_vector(&l, &u, &w, first);
  }
  if (any(&l.rest) || any(&l.outside) >> 52) return false;
  add_lanes(sum, (n + LANES - 1) / LANES, &w, &l.high, &l.low);
  return true;
}

/* sum += x_i, or x_i y_i if there is y; inlined into both */
static inline __attribute__((always_inline)) void add_all(HgSum *sum, size_t n, const double *x,
                                                          const double *y) {
  Block block;
  if (n < LANES) {
    for (size_t i = 0; i < n; i++) add_one(sum, y ? x[i] * y[i] : x[i]);
    return;
  }
  for (size_t i = 0; i < n; i += BLOCK) {
    const double *const z = y ? y + i : NULL;
    const int count = n - i < BLOCK ? (int)(n - i) : BLOCK;
    if (sum->guess && add_fitting(sum, count, x + i, z)) continue;
    for (int k = 0; k < count; k++) block.x[k] = z ? x[i + k] * z[k] : x[i + k];
    add_block(sum, &block, count);
  }
}

void(HgSumAdd)(HgSum *sum, size_t n, const double x[]) { add_all(sum, n, x, NULL); }

void(HgSumAddProducts)(HgSum *sum, size_t n, const double x[], const double y[]) {
  add_all(sum, n, x, y);
}

#ifdef HALOGRAD_SINGLE
void HgSumAddFloats(HgSum *sum, size_t n, const float x[], const float y[]) {
  double part[BLOCK];
  for (size_t i = 0; i < n; i += BLOCK) {
    const size_t count = n - i < BLOCK ? n - i : BLOCK;
    for (size_t k = 0; k < count; k++) part[k] = y ? (double)x[i + k] * y[i + k] : x[i + k];
    add_all(sum, count, part, NULL);
  }
}
#endif

void HgSumAddSum(HgSum *sum, HgSum *other) {
  carry(other);
  for (int k = 0; k < HG_SUM_LIMBS; k++) sum->limb[k] += other->limb[k];
  sum->not_finite += other->not_finite;
  if (++sum->pending >= CARRY_AFTER) carry(sum);
}

static int bit(const HgSum *sum, int position) {
  return position >= 0 && (sum->limb[position / LIMB_BITS] >> (position % LIMB_BITS) & 1);
}

double HgSumValue(HgSum *sum) {
  if (sum->not_finite) return NAN;
  carry(sum);
  HgSum s = *sum;
  const bool negative = s.limb[HG_SUM_LIMBS - 1] < 0;
  if (negative) {
    for (int k = 0; k < HG_SUM_LIMBS; k++) s.limb[k] = -s.limb[k];
    carry(&s);
  }
  int k = HG_SUM_LIMBS - 1;
  while (k >= 0 && !s.limb[k]) k--;
  if (k < 0) return 0;
  const int highest = k * LIMB_BITS + 63 - __builtin_clzll((unsigned long long)s.limb[k]);
  const int lowest = highest > 52 ? highest - 52 : 0; /* of the 53 bits that are kept */
  uint64_t m = 0;
  for (int position = highest; position >= lowest; position--)
    m = 2 * m + (uint64_t)bit(&s, position);
  bool rest = false; /* anything below the first bit that is dropped */
  for (int l = 0; l <= (lowest - 1) / LIMB_BITS && lowest > 0; l++) {
    const int bits = lowest - 1 - l * LIMB_BITS;
    rest = rest || (bits >= LIMB_BITS ? s.limb[l] : s.limb[l] & (((int64_t)1 << bits) - 1));
  }
  if (bit(&s, lowest - 1) && (rest || m & 1)) m++;
  const double value = ldexp((double)m, lowest + LOWEST);
  return negative ? -value : value;
}

/* A sum is nothing but 64-bit integers, so that sums are reduced where they are. */
_Static_assert(sizeof(HgSum) == (HG_SUM_LIMBS + 3) * sizeof(int64_t), "HgSum has no gaps");

enum { NUMBERS = sizeof(HgSum) / sizeof(int64_t) };

static PetscErrorCode prepare(MPI_Comm comm, int count, HgSum sums[]) {
  enum { MOST = 1 << 20 };

  HgRequire(comm, count >= 0 && count <= MOST, HG_ERR_ARGUMENT,
            "sum: %d sums reduced at once, expected 0 to %d", count, MOST);
  for (int k = 0; k < count; k++) {
    carry(&sums[k]);
    sums[k].guess = 0;
  }
  return 0;
}

PetscErrorCode HgSumReduce(MPI_Comm comm, int count, HgSum sums[], double values[]) {
  PetscCall(prepare(comm, count, sums));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, count * NUMBERS, MPI_INT64_T, MPI_SUM, comm));
  for (int k = 0; k < count; k++) values[k] = HgSumValue(&sums[k]);
  return 0;
}

PetscErrorCode HgSumReduceBegin(MPI_Comm comm, int count, HgSum sums[], MPI_Request *request) {
  PetscCall(prepare(comm, count, sums));
  PetscCallMPI(
      MPI_Iallreduce(MPI_IN_PLACE, sums, count * NUMBERS, MPI_INT64_T, MPI_SUM, comm, request));
  return 0;
}
