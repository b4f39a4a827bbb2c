#include <halograd/sum.h>
#include <math.h>
#include <string.h>
enum { LIMB_BITS = 40, LOWEST = -1074, BLOCK = 512, LANES = 8, CARRY_AFTER = 1 << 22 };
static const int64_t limb_base = (int64_t)1 << LIMB_BITS;
__extension__ typedef unsigned __int128 Wide;
void HgSumReset(HgSum *sum) { memset(sum, 0, sizeof *sum); }
/* Brings every limb but the last into [0, 2^40). */
static void carry(HgSum *sum) {
  for (int k = 0; k + 1 < HG_SUM_LIMBS; k++) {
    const int64_t up = sum->limb[k] >> LIMB_BITS; /* floor, also for negative limbs */
    sum->limb[k] -= up * limb_base;
    sum->limb[k + 1] += up;
  }
  sum->pending = 0;
}
static void count_additions(HgSum *sum, int64_t additions) {
  sum->pending += additions;
  if (sum->pending >= CARRY_AFTER) carry(sum);
}
/* The reference: x = m 2^(p - 1074) with an integer m of at most 53 bits goes to three limbs. */
static void add_one(HgSum *sum, double x) {
  if (!isfinite(x)) {
    sum->not_finite++;
    return;
  }
  if (x == 0) return;
  int exponent;
  const double fraction = frexp(fabs(x), &exponent); /* in [1/2, 1) */
  int position = exponent - 53 - LOWEST;
  uint64_t m = (uint64_t)ldexp(fraction, 53);
  if (position < 0) m >>= -position, position = 0; /* a subnormal: the bits shifted out are zero */
  const int k = position / LIMB_BITS;
  const Wide wide = (Wide)m << (position % LIMB_BITS);
  for (int l = 0; l < 3; l++) {
    const int64_t part = (int64_t)((wide >> (LIMB_BITS * l)) & (Wide)(limb_base - 1));
    sum->limb[k + l] += x < 0 ? -part : part;
  }
  count_additions(sum, 1);
}
/* The fast twin: a block of doubles is split limb by limb, all elements at once. With M = 3/2 2^(52 + lsb) the difference (x + M) - M is x
   rounded to a multiple of 2^lsb, and what is left is exact; 512 such multiples of at most 41 bits add up exactly in doubles. */
typedef double Vector __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t Bits __attribute__((vector_size(LANES * sizeof(int64_t))));
typedef struct {
  Vector x[BLOCK / LANES];
} Block;
static void add_lanes(HgSum *sum, int k, Vector lanes) {
  const int scale = -(LOWEST + LIMB_BITS * k); /* 2^scale itself may be out of range */
  const double a = ldexp(1, scale / 2), b = ldexp(1, scale - scale / 2);
  for (int l = 0; l < LANES; l++) sum->limb[k] += (int64_t)(lanes[l] * a * b);
}
static void add_block(HgSum *sum, Block *b, int vectors, Bits largest) {
  int64_t top = 0;
  for (int l = 0; l < LANES; l++) top = largest[l] > top ? largest[l] : top;
  const int exponent = (int)(top >> 52); /* biased; 0 for subnormals */
  if (exponent >= 1023 + 900) {          /* M would overflow, or a value that is not finite */
    for (int v = 0; v < vectors; v++)
      for (int l = 0; l < LANES; l++) add_one(sum, b->x[v][l]);
    return;
  }
  int k = (exponent ? exponent - 1023 - LOWEST : 52) / LIMB_BITS;
  Bits left = {top, 0, 0, 0, 0, 0, 0, 0};
  while (k >= 0 && (left[0] | left[1] | left[2] | left[3] | left[4] | left[5] | left[6] |
                    left[7])) { /* two limbs a pass */
    const double high = ldexp(1.5, 52 + LOWEST + LIMB_BITS * k),
                 low = k ? ldexp(1.5, 52 + LOWEST + LIMB_BITS * (k - 1)) : 0;
    Vector high_sum = {0}, low_sum = {0};
    Bits rest = {0};
    if (k)
      for (int v = 0; v < vectors; v++) {
        const Vector x = b->x[v], a = (x + high) - high, y = x - a, c = (y + low) - low, z = y - c;
        high_sum += a, low_sum += c;
        rest |= (Bits)z << 1; /* without the sign: -0 is nothing */
        b->x[v] = z;
      }
    else
      for (int v = 0; v < vectors; v++) high_sum += (b->x[v] + high) - high;
    add_lanes(sum, k, high_sum);
    if (k) add_lanes(sum, k - 1, low_sum);
    left = rest;
    k -= 2;
  }
  count_additions(sum, 1 << 9); /* a limb grew by at most 512 x 2^41 */
}
static inline Bits magnitude_max(Bits largest, Vector x) {
  const Bits m = (Bits)x & INT64_MAX, more = m > largest;
  return (m & more) | (largest & ~more);
}
static inline Vector load(const double *x) {
  Vector v;
  memcpy(&v, x, sizeof v);
  return v;
}
void HgSumAdd(HgSum *sum, size_t n, const double x[]) {
  Block b;
  for (; n >= LANES;) {
    const size_t count = n < BLOCK ? n / LANES * LANES : BLOCK;
    Bits largest = {0};
    for (size_t v = 0; v < count / LANES; v++) {
      b.x[v] = load(x + LANES * v);
      largest = magnitude_max(largest, b.x[v]);
    }
    add_block(sum, &b, (int)(count / LANES), largest);
    x += count, n -= count;
  }
  for (size_t i = 0; i < n; i++) add_one(sum, x[i]);
}
void HgSumAddProducts(HgSum *sum, size_t n, const double x[], const double y[]) {
  Block b;
  for (; n >= LANES;) {
    const size_t count = n < BLOCK ? n / LANES * LANES : BLOCK;
    Bits largest = {0};
    for (size_t v = 0; v < count / LANES; v++) {
      b.x[v] = load(x + LANES * v) * load(y + LANES * v);
      largest = magnitude_max(largest, b.x[v]);
    }
    add_block(sum, &b, (int)(count / LANES), largest);
    x += count, y += count, n -= count;
  }
  for (size_t i = 0; i < n; i++) add_one(sum, x[i] * y[i]);
}
void HgSumAddSum(HgSum *sum, HgSum *other) {
  carry(other);
  for (int k = 0; k < HG_SUM_LIMBS; k++) sum->limb[k] += other->limb[k];
  sum->not_finite += other->not_finite;
  count_additions(sum, 1);
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
PetscErrorCode HgSumReduce(MPI_Comm comm, int count, HgSum sums[], double values[]) {
  enum { MOST = 16 };
  HgRequire(comm, count >= 0 && count <= MOST, "sum: %d sums reduced at once, expected at most %d",
            count, MOST);
  int64_t packed[MOST][HG_SUM_LIMBS + 1];
  for (int k = 0; k < count; k++) {
    carry(&sums[k]);
    memcpy(packed[k], sums[k].limb, sizeof sums[k].limb);
    packed[k][HG_SUM_LIMBS] = sums[k].not_finite;
  }
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, packed, count * (HG_SUM_LIMBS + 1), MPI_INT64_T, MPI_SUM, comm));
  for (int k = 0; k < count; k++) {
    memcpy(sums[k].limb, packed[k], sizeof sums[k].limb);
    sums[k].not_finite = packed[k][HG_SUM_LIMBS];
    values[k] = HgSumValue(&sums[k]);
  }
  return 0;
}
