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

/* The values that dropout leaves, each multiplied by ``scale``, and 0 for the others. */
ALWAYS void masked(int64_t size, const REAL *values, const uint8_t *mask, int bit, REAL scale, REAL *out)
{
    for (int64_t k = 0; k < size; k++) out[k] = values[k] * ((REAL)((mask[k] >> bit) & 1) * scale);
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
            const int64_t *at = pointers + (own ? run * rows : 0);
            const int64_t last = (block + 1) * BLOCK < rows ? (block + 1) * BLOCK : rows;
            REAL kept[AT_ONCE];
            for (int64_t row = block * BLOCK, next; row < last; row = next) {
                const REAL *of = values;
                /* As many rows as there is room for; a row that is longer comes in pieces, the later ones added. */
                for (next = row + 1; next < last && (!mask || at[next + 1] - at[row] <= AT_ONCE);) next++;
                for (int64_t start = at[row], end = at[next], piece; start < end || start == at[row]; start = piece) {
                    piece = mask && end - start > AT_ONCE ? start + AT_ONCE : end;
                    if (mask) masked(piece - start, values + start, mask + run * stored + start, bit, scale, kept);
                    of = mask ? kept - start : values;
                    const int more = add || start > at[row];
                    const int64_t cut[2] = {start, piece};
                    for (int64_t r = row; r < next; r++) {
                        const int whole = next > row + 1, two = whole && r + 2 <= next;
                        for (int64_t c = 0, width; c < channels; c += width) {
                            const REAL *from = x + run * inputs * channels + c;
                            REAL *to = out + (run * rows + r) * channels + c;
                            width = channels - c < WIDE ? 1 : WIDE;
                            if (width == 1) {
                                for (int both = 0; both <= two; both++)
                                    sparse_channel(whole ? at + r + both : cut, columns, of, from, channels, more,
                                                   to + both * channels);
                            } else if (two)
                                sparse_row_pair(at + r, columns, of, from, channels, more, to);
                            else
                                sparse_row(whole ? at + r : cut, columns, of, from, channels, more, to);
                        }
                        r += two;
                    }
                    if (piece == end) break;
                }
            }
        }
}
