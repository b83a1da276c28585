/* Propagation by an adjacency matrix of ones between two scalings. */

#include "common.h"

#define TOGETHER 5  /* runs that share one walk along a row; their sums still fit into the registers */

/* One row of a propagation for so many ``runs``, whose states lie ``step`` (read) and ``stride`` (written) apart. */
#define SUMMED_ROW(NAME, TYPE, TYPE_AT, COUNT)                                                                         \
    ALWAYS void NAME(int64_t start, int64_t end, const int32_t *columns, const REAL *in_scale, REAL out_scale,         \
                     const REAL *x, int64_t step, int64_t channels, int runs, REAL *out, int64_t stride)               \
    {                                                                                                                  \
        TYPE sum[TOGETHER][COUNT];                                                                                     \
        for (int run = 0; run < runs; run++)                                                                           \
            for (int i = 0; i < COUNT; i++) sum[run][i] = (TYPE){0};                                                   \
        for (int64_t k = start; k < end; k++) {                                                                        \
            const REAL scale = in_scale[columns[k]];                                                                   \
            const REAL *from = x + columns[k] * channels;                                                              \
            for (int run = 0; run < runs; run++)                                                                       \
                for (int i = 0; i < COUNT; i++) sum[run][i] += ((const TYPE_AT *)(from + run * step))[i] * scale;      \
        }                                                                                                              \
        for (int run = 0; run < runs; run++)                                                                           \
            for (int i = 0; i < COUNT; i++) ((TYPE_AT *)(out + run * stride))[i] = sum[run][i] * out_scale;            \
    }
SUMMED_ROW(summed_row, vector, vector_at, PIECES)
SUMMED_ROW(summed_channel, REAL, REAL, 1)

/* out[run] = S_out A S_in x[run] for a matrix A of ones, (runs, inputs, channels) to (runs, rows, channels). */
void propagate(int threads, int64_t runs, int64_t rows, int64_t inputs, int64_t channels, const int64_t *pointers,
               const int32_t *columns, const REAL *in_scale, const REAL *out_scale, const REAL *x, REAL *out)
{
    const int64_t step = inputs * channels, stride = rows * channels;
    MAY_GO_UNUSED const int64_t additions = runs * pointers[rows] * channels;
#pragma omp parallel for schedule(static) num_threads(threads) if (additions > WORTH_THREADS)
    for (int64_t row = 0; row < rows; row++)
        for (int64_t run = 0; run < runs; run += TOGETHER)
            for (int64_t c = 0, width; c < channels; c += width) {
                const int64_t start = pointers[row], end = pointers[row + 1];
                const int count = runs - run < TOGETHER ? runs - run : TOGETHER;
                const REAL *from = x + run * step + c;
                REAL *to = out + run * stride + row * channels + c, scale = out_scale[row];
                width = channels - c < WIDE ? 1 : WIDE;
                if (width == 1)
                    summed_channel(start, end, columns, in_scale, scale, from, step, channels, count, to, stride);
                else if (count == TOGETHER)
                    summed_row(start, end, columns, in_scale, scale, from, step, channels, TOGETHER, to, stride);
                else
                    for (int one = 0; one < count; one++, from += step, to += stride)
                        summed_row(start, end, columns, in_scale, scale, from, step, channels, 1, to, stride);
            }
}
