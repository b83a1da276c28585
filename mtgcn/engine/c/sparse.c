/* Products with sparse matrices. */

#include "common.h"

#define AT_ONCE 4096  /* stored values whose dropout is applied before they are used */

/* Rows of a product, side by side so that no sum waits for another: out = the sum of value_k x[column_k], or added to
   what is there; vectors or one channel. Row i has the places ``at[i]`` to ``at[i + 1]``. */
#define SPARSE_ROWS(NAME, TYPE, TYPE_AT, COUNT, ROWS)                                                                  \
    ALWAYS void NAME(const int64_t *at, const int32_t *columns, const REAL *values, const REAL *x, int64_t channels,   \
                     int add, REAL *out)                                                                               \
    {                                                                                                                  \
        TYPE sum[ROWS][COUNT];                                                                                         \
        int64_t shortest = at[1] - at[0];                                                                              \
        for (int row = 0; row < ROWS; row++) {                                                                         \
            if (at[row + 1] - at[row] < shortest) shortest = at[row + 1] - at[row];                                    \
            for (int i = 0; i < COUNT; i++) {                                                                          \
                sum[row][i] = (TYPE){0};                                                                               \
                if (add) sum[row][i] = ((const TYPE_AT *)(out + row * channels))[i];                                   \
            }                                                                                                          \
        }                                                                                                              \
        for (int64_t k = 0; k < shortest; k++)                                                                         \
            for (int row = 0; row < ROWS; row++) {                                                                     \
                const TYPE_AT *from = (const TYPE_AT *)(x + columns[at[row] + k] * channels);                          \
                for (int i = 0; i < COUNT; i++) sum[row][i] += values[at[row] + k] * from[i];                          \
            }                                                                                                          \
        for (int row = 0; row < ROWS; row++) {                                                                         \
            for (int64_t k = at[row] + shortest; k < at[row + 1]; k++) {                                               \
                const TYPE_AT *from = (const TYPE_AT *)(x + columns[k] * channels);                                    \
                for (int i = 0; i < COUNT; i++) sum[row][i] += values[k] * from[i];                                    \
            }                                                                                                          \
            for (int i = 0; i < COUNT; i++) ((TYPE_AT *)(out + row * channels))[i] = sum[row][i];                      \
        }                                                                                                              \
    }
SPARSE_ROWS(sparse_row_pair, vector, vector_at, PIECES, 2)
SPARSE_ROWS(sparse_row, vector, vector_at, PIECES, 1)
SPARSE_ROWS(sparse_channel, REAL, REAL, 1, 1)

/* The same for any number of rows, two at a time while there are two, and all channels. */
static __attribute__((noinline)) void sparse_rows(int64_t rows, const int64_t *at, const int32_t *columns,
                                                  const REAL *values, const REAL *x, int64_t channels, int add,
                                                  REAL *out)
{
    for (int64_t row = 0, many = 2; row < rows; row += many) {
        if (row + 1 == rows) many = 1;
        for (int64_t c = 0, width; c < channels; c += width) {
            REAL *to = out + row * channels + c;
            width = channels - c < WIDE ? 1 : WIDE;
            if (width == 1)
                for (int64_t one = 0; one < many; one++)
                    sparse_channel(at + row + one, columns, values, x + c, channels, add, to + one * channels);
            else if (many == 2)
                sparse_row_pair(at + row, columns, values, x + c, channels, add, to);
            else
                sparse_row(at + row, columns, values, x + c, channels, add, to);
        }
    }
}

/* The same for values of which dropout leaves some, each multiplied by ``scale``. It is applied to as many rows at once
   as there is room for; a row for which there is none comes in pieces, each added to those before. */
ALWAYS void masked_rows(int64_t rows, const int64_t *at, const int32_t *columns, const REAL *values, const uint8_t *mask,
                        int bit, REAL scale, const REAL *x, int64_t channels, int add, REAL *out)
{
    REAL kept[AT_ONCE];
    for (int64_t row = 0, next; row < rows; row = next) {
        for (next = row + 1; next < rows && at[next + 1] - at[row] <= AT_ONCE;) next++;
        int64_t start = at[row], size;
        do {
            size = at[next] - start > AT_ONCE ? AT_ONCE : at[next] - start;
            const REAL *value = values + start;
            const uint8_t *bits = mask + start;
            for (int64_t k = 0; k < size; k++) kept[k] = value[k] * ((REAL)((bits[k] >> bit) & 1) * scale);
            const int64_t piece[2] = {start, start + size};
            const int whole = size == at[next] - at[row];
            sparse_rows(next - row, whole ? at + row : piece, columns, kept - start, x, channels,
                        add || start > at[row], out + row * channels);
        } while ((start += size) < at[next]);
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
    MAY_GO_UNUSED const int64_t additions = (own ? pointers[runs * rows] : runs * stored) * channels;
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads) if (additions > WORTH_THREADS)
    for (int64_t run = 0; run < runs; run++)
        for (int64_t block = 0; block < blocks; block++) {
            const int64_t first = block * BLOCK, many = rows - first < BLOCK ? rows - first : BLOCK;
            const int64_t *at = pointers + (own ? run * rows : 0) + first;
            const REAL *from = x + run * inputs * channels;
            REAL *to = out + (run * rows + first) * channels;
            if (mask)
                masked_rows(many, at, columns, values, mask + run * stored, bit, scale, from, channels, add, to);
            else
                sparse_rows(many, at, columns, values, from, channels, add, to);
        }
}
