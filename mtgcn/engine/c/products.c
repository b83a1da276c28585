/* Products of sparse matrices with the states of all runs, with dropout on the stored values or without. */

#include "common.h"

/* One row of a product: out = the sum of value_k x[column_k], or added to what is there; vectors or one channel. */
#define SPARSE_ROW(NAME, TYPE, TYPE_AT, COUNT)                                                                         \
    ALWAYS void NAME(int64_t start, int64_t end, const int32_t *columns, const REAL *values, const uint8_t *mask,      \
                     int bit, REAL scale, const REAL *x, int64_t channels, int add, REAL *out)                         \
    {                                                                                                                  \
        TYPE sum[COUNT];                                                                                               \
        for (int i = 0; i < COUNT; i++) {                                                                              \
            sum[i] = (TYPE){0};                                                                                        \
            if (add) sum[i] = ((const TYPE_AT *)out)[i];                                                               \
        }                                                                                                              \
        for (int64_t k = start; k < end; k++) {                                                                        \
            REAL value = values[k];                                                                                    \
            if (mask) value *= (REAL)((mask[k] >> bit) & 1) * scale;                                                   \
            const TYPE_AT *from = (const TYPE_AT *)(x + columns[k] * channels);                                        \
            for (int i = 0; i < COUNT; i++) sum[i] += value * from[i];                                                 \
        }                                                                                                              \
        for (int i = 0; i < COUNT; i++) ((TYPE_AT *)out)[i] = sum[i];                                                  \
    }
SPARSE_ROW(sparse_row, vector, vector_at, PIECES)
SPARSE_ROW(sparse_channel, REAL, REAL, 1)

/* out[run] = X x[run], (runs, inputs, channels) to (runs, rows, channels).

   With ``own``, each run has a matrix of its own, one after the other; otherwise all share one. ``mask`` has a byte for
   each stored value of each run, whose ``bit`` says whether it is kept, and then multiplied by ``scale``. */
void product(int threads, int64_t runs, int64_t rows, int64_t inputs, int64_t channels, int own, const int64_t *pointers,
             const int32_t *columns, const REAL *values, const uint8_t *mask, int bit, double scale, int add,
             const REAL *x, REAL *out)
{
    const int64_t blocks = (rows + BLOCK - 1) / BLOCK, stored = own ? 0 : pointers[rows];
    MAY_GO_UNUSED const int64_t additions = (own ? pointers[runs * rows] : runs * stored) * channels;
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads) if (additions > WORTH_THREADS)
    for (int64_t run = 0; run < runs; run++)
        for (int64_t block = 0; block < blocks; block++) {
            const int64_t *at = pointers + (own ? run * rows : 0);
            const uint8_t *kept = mask ? mask + run * stored : 0;
            const int64_t last = (block + 1) * BLOCK < rows ? (block + 1) * BLOCK : rows;
            for (int64_t row = block * BLOCK; row < last; row++)
                for (int64_t c = 0, width; c < channels; c += width) {
                    const REAL *from = x + run * inputs * channels + c;
                    REAL *to = out + (run * rows + row) * channels + c;
                    const int64_t start = at[row], end = at[row + 1];
                    width = channels - c < WIDE ? 1 : WIDE;
                    if (width == 1)
                        sparse_channel(start, end, columns, values, kept, bit, scale, from, channels, add, to);
                    else if (kept)
                        sparse_row(start, end, columns, values, kept, bit, scale, from, channels, add, to);
                    else
                        sparse_row(start, end, columns, values, 0, bit, scale, from, channels, add, to);
                }
        }
}
