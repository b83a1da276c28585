/* Products of sparse matrices with the states of all runs, with dropout on the stored values or without. */

#include "common.h"

#if defined(__AVX512BW__) && defined(__AVX512VL__)
#include <immintrin.h>
#define CAN_COMPRESS (sizeof(REAL) == 4)
#else
#define CAN_COMPRESS 0
#endif

#define TOGETHER 4  /* runs whose sums take turns, since each addition waits for the one before it */
#define NEAR (1 << 20)  /* bytes that a core has close by: runs that do not fit there together take no turns */
#define AT_ONCE 1024  /* stored values that dropout looks at in one go */

/* Stored values after dropout: all of them, some times 0, or only those that stay.

   A value that is dropped adds 0 to a sum, so that leaving it out changes no bit and saves half of the work. */
typedef struct {
    REAL values[AT_ONCE + 16];
    int32_t columns[AT_ONCE + 16];  /* of those that stay */
    uint16_t stays[AT_ONCE / 16 + 1];  /* which of 16 stay */
    int32_t before[AT_ONCE / 16 + 1];  /* how many stay before these 16 */
} dropped;

#if defined(__AVX512BW__) && defined(__AVX512VL__)
static void compress(int64_t size, const int32_t *columns, const REAL *values, const uint8_t *mask, int bit, REAL scale,
                     dropped *to)
{
    const __m128i chosen = _mm_set1_epi8(1 << bit);
    const __m512 by = _mm512_set1_ps(scale);
    int32_t count = 0;
    for (int64_t k = 0; k < size; k += 16) {
        const __mmask16 there = size - k < 16 ? (1 << (size - k)) - 1 : 0xffff;
        const __mmask16 stays = _mm_test_epi8_mask(_mm_maskz_loadu_epi8(there, mask + k), chosen);
        const __m512 scaled = _mm512_mul_ps(_mm512_maskz_loadu_ps(there, values + k), by);
        const __m512i ends = _mm512_maskz_loadu_epi32(there, columns + k);
        to->stays[k / 16] = stays, to->before[k / 16] = count;
        _mm512_storeu_ps(to->values + count, _mm512_maskz_compress_ps(stays, scaled));
        _mm512_storeu_si512(to->columns + count, _mm512_maskz_compress_epi32(stays, ends));
        count += __builtin_popcount(stays);
    }
    if (size % 16 == 0) to->stays[size / 16] = 0, to->before[size / 16] = count;
}
#endif

static void drop_some(int64_t size, const int32_t *columns, const REAL *values, const uint8_t *mask, int bit, REAL scale,
                      dropped *to)
{
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    if (CAN_COMPRESS) {
        compress(size, columns, values, mask, bit, scale, to);
        return;
    }
#endif
    for (int64_t k = 0; k < size; k++) to->values[k] = values[k] * ((REAL)((mask[k] >> bit) & 1) * scale);
}

/* Return where value k stands after dropout. */
ALWAYS int64_t place(const dropped *in, int64_t k)
{
    return CAN_COMPRESS ? in->before[k / 16] + __builtin_popcount(in->stays[k / 16] & ((1 << k % 16) - 1)) : k;
}

/* One row for ``runs``, whose states lie ``step`` (read) and ``stride`` (written) apart: out = the sum of
   value_k x[column_k], or added to what is there. */
#define SUMMED_ROW(NAME, TYPE, TYPE_AT, COUNT)                                                                         \
    ALWAYS void NAME(int runs, int64_t start, int64_t end, const int32_t *columns, const REAL *values, const REAL *x,  \
                     int64_t step, int64_t channels, int add, REAL *out, int64_t stride)                               \
    {                                                                                                                  \
        TYPE sum[TOGETHER][COUNT];                                                                                     \
        for (int run = 0; run < runs; run++)                                                                           \
            for (int i = 0; i < COUNT; i++) {                                                                          \
                sum[run][i] = (TYPE){0};                                                                               \
                if (add) sum[run][i] = ((const TYPE_AT *)(out + run * stride))[i];                                     \
            }                                                                                                          \
        for (int64_t k = start; k < end; k++) {                                                                        \
            const REAL value = values[k];                                                                              \
            const REAL *from = x + columns[k] * channels;                                                              \
            for (int run = 0; run < runs; run++)                                                                       \
                for (int i = 0; i < COUNT; i++) sum[run][i] += value * ((const TYPE_AT *)(from + run * step))[i];      \
        }                                                                                                              \
        for (int run = 0; run < runs; run++)                                                                           \
            for (int i = 0; i < COUNT; i++) ((TYPE_AT *)(out + run * stride))[i] = sum[run][i];                        \
    }
SUMMED_ROW(summed_vectors, vector, vector_at, PIECES)
SUMMED_ROW(summed_channel, REAL, REAL, 1)

ALWAYS void summed_row(int runs, int64_t start, int64_t end, const int32_t *columns, const REAL *values, const REAL *x,
                       int64_t step, int64_t channels, int add, REAL *out, int64_t stride)
{
    int64_t c = 0;
    for (; channels - c >= WIDE; c += WIDE)
        summed_vectors(runs, start, end, columns, values, x + c, step, channels, add, out + c, stride);
    for (; c < channels; c++)
        summed_channel(runs, start, end, columns, values, x + c, step, channels, add, out + c, stride);
}

/* Some rows of one run, with dropout. */
static void dropped_rows(int64_t row, int64_t last, const int64_t *at, const int32_t *columns, const REAL *values,
                         const uint8_t *mask, int bit, REAL scale, const REAL *x, int64_t channels, int add, REAL *out)
{
    dropped here;
    int64_t start = at[row], end = start;
    for (int begun = 0; row < last;) {
        if (at[row] >= end || begun) {  /* nothing of this row, or the rest of it, has been looked at */
            start = end, end = at[last] - start < AT_ONCE ? at[last] : start + AT_ONCE;
            drop_some(end - start, columns + start, values + start, mask + start, bit, scale, &here);
        }
        const int64_t from = begun ? start : at[row], to = at[row + 1] < end ? at[row + 1] : end;
        summed_row(1, place(&here, from - start), place(&here, to - start), CAN_COMPRESS ? here.columns : columns + start,
                   here.values, x, 0, channels, add || begun, out + row * channels, 0);
        begun = to < at[row + 1];
        row += !begun;
    }
}

/* out[run] = X x[run], (runs, inputs, channels) to (runs, rows, channels).

   With ``own``, each run has a matrix of its own, one after the other; otherwise all share one. ``mask`` has a byte for
   each stored value of each run, whose ``bit`` says whether it is kept, and then multiplied by ``scale``. */
void product(int threads, int64_t runs, int64_t rows, int64_t inputs, int64_t channels, int own, const int64_t *pointers,
             const int32_t *columns, const REAL *values, const uint8_t *mask, int bit, double scale, int add,
             const REAL *x, REAL *out)
{
    const int64_t blocks = (rows + BLOCK - 1) / BLOCK, stored = own ? 0 : pointers[rows];
    const int64_t step = inputs * channels, stride = rows * channels;
    const int turns = !own && !mask && TOGETHER * step * (int64_t)sizeof(REAL) <= NEAR;
    const int64_t together = turns ? TOGETHER : 1, groups = (runs + together - 1) / together;
    MAY_GO_UNUSED const int64_t additions = (own ? pointers[runs * rows] : runs * stored) * channels;
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads) if (additions > WORTH_THREADS)
    for (int64_t group = 0; group < groups; group++)
        for (int64_t block = 0; block < blocks; block++) {
            const int64_t run = group * together, count = runs - run < together ? runs - run : together;
            const int64_t *at = pointers + (own ? run * rows : 0);
            const int64_t first = block * BLOCK, last = first + BLOCK < rows ? first + BLOCK : rows;
            const REAL *from = x + run * step;
            REAL *to = out + run * stride;
            if (mask)
                dropped_rows(first, last, at, columns, values, mask + run * stored, bit, scale, from, channels, add, to);
            else
#define FOR_RUNS(RUNS)                                                                                                 \
    summed_row(RUNS, at[row], at[row + 1], columns, values, from, step, channels, add, to + row * channels, stride)
                for (int64_t row = first; row < last; row++)
                    switch (count) {  /* a number that the compiler knows keeps the sums in registers */
                    case TOGETHER: FOR_RUNS(TOGETHER); break;
                    case 3: FOR_RUNS(3); break;
                    case 2: FOR_RUNS(2); break;
                    default: FOR_RUNS(1);
                    }
        }
}
