/* Dense products, of widths that are multiples of ``SIDE``. They sum over k one after the other, each product and sum in
   one step, as math libraries do while k is small; where it is not, ``SPAN`` at a time, each from zero. */

#include "common.h"

#define SPAN 192
#define SIDE 16
#define ACROSS (SIDE * (int)sizeof(REAL) / VECTOR)  /* vectors that hold so many channels */
#define TALL (VECTOR < 32 ? 2 : 8 / ACROSS)  /* rows whose sums fit into the registers */
#define BROAD (VECTOR < 64 ? TALL : 2 * TALL)  /* of which there are twice as many with the largest vectors */
#ifdef __clang__
#pragma STDC FP_CONTRACT ON
#else
#pragma GCC optimize("fp-contract=fast")
#endif

#define DENSE_ROWS(NAME, ROWS)                                                                                         \
    ALWAYS void NAME(int64_t inner, int64_t columns, int less, const REAL *x, const REAL *w, REAL *out)                \
    {                                                                                                                  \
        vector sum[ROWS][ACROSS];                                                                                      \
        for (int row = 0; row < ROWS; row++)                                                                           \
            for (int i = 0; i < ACROSS; i++) sum[row][i] = (vector){0};                                                \
        for (int64_t k = 0; k < inner; k++)                                                                            \
            for (int i = 0; i < ACROSS; i++) {                                                                         \
                const vector by = ((const vector_at *)(w + k * columns))[i];                                           \
                for (int row = 0; row < ROWS; row++) sum[row][i] += x[row * inner + k] * by;                           \
            }                                                                                                          \
        for (int row = 0; row < ROWS; row++)                                                                           \
            for (int i = 0; i < ACROSS; i++) {                                                                         \
                vector_at *to = (vector_at *)(out + row * columns) + i;                                                \
                *to = less ? sum[row][i] - *to : sum[row][i];                                                          \
            }                                                                                                          \
    }
DENSE_ROWS(dense_rows, TALL)
DENSE_ROWS(dense_row, 1)

/* out[run] = x[run] w[run], (runs, rows, inner) times (runs, inner, columns), less what is in ``out`` if told to. */
void dense(int threads, int64_t runs, int64_t rows, int64_t inner, int64_t columns, int less, const REAL *x,
           const REAL *w, REAL *out)
{
    const int64_t blocks = (rows + BLOCK - 1) / BLOCK;
    MAY_GO_UNUSED const int64_t additions = runs * rows * inner * columns;
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads) if (additions > WORTH_THREADS)
    for (int64_t run = 0; run < runs; run++)
        for (int64_t block = 0; block < blocks; block++) {
            const int64_t last = (block + 1) * BLOCK < rows ? (block + 1) * BLOCK : rows;
            for (int64_t row = block * BLOCK, many = 1; row < last; row += many)
                for (int64_t c = 0; c < columns; c += SIDE) {
                    const REAL *from = x + (run * rows + row) * inner, *by = w + run * inner * columns + c;
                    REAL *to = out + (run * rows + row) * columns + c;
                    many = row + TALL <= last ? TALL : 1;
                    if (many == TALL)
                        dense_rows(inner, columns, less, from, by, to);
                    else
                        dense_row(inner, columns, less, from, by, to);
                }
        }
}

/* out[run] = x[run]ᵀ y[run], (runs, rows, left) and (runs, rows, right) to (runs, left, right). */
void across(int threads, int64_t runs, int64_t rows, int64_t left, int64_t right, const REAL *x, const REAL *y, REAL *out)
{
    MAY_GO_UNUSED const int64_t additions = runs * rows * left * right;
#pragma omp parallel for schedule(static) num_threads(threads) if (additions > WORTH_THREADS)
    for (int64_t run = 0; run < runs; run++)
        for (int64_t start = 0; start < rows || start == 0; start += SPAN) {
            const int64_t end = start + SPAN < rows ? start + SPAN : rows;
            for (int64_t l = 0; l < left; l += BROAD)
                for (int64_t c = 0; c < right; c += SIDE) {
                    vector sum[BROAD][ACROSS];
                    for (int r = 0; r < BROAD; r++)
                        for (int i = 0; i < ACROSS; i++) sum[r][i] = (vector){0};
                    for (int64_t row = start; row < end; row++) {
                        const REAL *a = x + (run * rows + row) * left + l, *b = y + (run * rows + row) * right + c;
                        for (int i = 0; i < ACROSS; i++) {
                            const vector by = ((const vector_at *)b)[i];
                            for (int r = 0; r < BROAD; r++) sum[r][i] += a[r] * by;
                        }
                    }
                    for (int r = 0; r < BROAD; r++)
                        for (int i = 0; i < ACROSS; i++) {
                            vector_at *to = (vector_at *)(out + (run * left + l + r) * right + c) + i;
                            if (start) sum[r][i] += *to;
                            *to = sum[r][i];
                        }
                }
        }
}
/* The inner part of a reconstruction risk, for cross products and weights (runs, rows, channels) and the Gram matrix of
   the states (runs, channels, channels), channels a multiple of ``SIDE`` and at most ``SPAN``. With fitted = weights gram,
   inner = the sum of (fitted - 2 cross) weights, and fitted - cross goes to ``left`` where it is wanted. */
void residual(int threads, int64_t runs, int64_t rows, int64_t channels, const REAL *cross, const REAL *weights,
              const REAL *gram, REAL *left, double *inner)
{
#pragma omp parallel for schedule(static) num_threads(threads) if (runs * rows * channels > WORTH_THREADS / 4)
    for (int64_t run = 0; run < runs; run++) {
        double sums[8] = {0};  /* one after the other they would wait for each other */
        REAL fitted[TALL * SPAN];
        for (int64_t row = 0, many = 1; row < rows; row += many) {
            const int64_t at = (run * rows + row) * channels;
            many = row + TALL <= rows ? TALL : 1;
            for (int64_t c = 0; c < channels; c += SIDE) {
                const REAL *by = gram + run * channels * channels + c;
                if (many == TALL)
                    dense_rows(channels, channels, 0, weights + at, by, fitted + c);
                else
                    dense_row(channels, channels, 0, weights + at, by, fitted + c);
            }
            for (int64_t k = 0; k < many * channels; k += 8)
                for (int i = 0; i < 8; i++) sums[i] += (fitted[k + i] - 2 * cross[at + k + i]) * weights[at + k + i];
            if (left)
                for (int64_t k = 0; k < many * channels; k++) left[at + k] = fitted[k] - cross[at + k];
        }
        inner[run] = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
}
