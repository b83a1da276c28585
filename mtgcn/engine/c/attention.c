/* Graph attention over links. */

#include "common.h"

/* Attention over links, for ``heads`` heads of ``units`` channels each. Row i of run r has the links pointers[i] to
   pointers[i + 1], each with its column j and its number ``entry`` among all ``total`` of the graph, by which the bytes
   of ``present`` (absent ones count for nothing) and of ``mask`` (a byte for each head) are found. With ``own`` every run
   has links of its own, one run after the other. With ``shared`` all heads read the same channels of x. */
#define MOST_HEADS 64
#define LINKS                                                                                                          \
    int threads, int64_t runs, int64_t rows, int64_t inputs, int64_t heads, int64_t units, int64_t total, int own,     \
        int shared, double slope, const int64_t *pointers, const int32_t *columns, const int32_t *entries,             \
        MAY_GO_UNUSED const uint8_t *present, const uint8_t *mask, int bit, double scale, const REAL *left,            \
        const REAL *right, const REAL *x

ALWAYS REAL kept(const uint8_t *mask, int64_t place, int bit, REAL scale)
{
    return mask ? (REAL)((mask[place] >> bit) & 1) * scale : 1;
}

ALWAYS void add_scaled(REAL *to, REAL by, const REAL *from, int64_t units)
{
    for (int64_t c = 0; c < units; c++) to[c] += by * from[c];
}

ALWAYS REAL dot(const REAL *a, const REAL *b, int64_t units)
{
    REAL sums[8] = {0};  /* one after the other they would wait for each other */
    int64_t c = 0;
    for (; c + 8 <= units; c += 8)
        for (int i = 0; i < 8; i++) sums[i] += a[c + i] * b[c + i];
    for (; c < units; c++) sums[c % 8] += a[c] * b[c];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/* A number of channels that the compiler knows gives loops without a rest. */
#define FOR_UNITS(CALL)                                                                                                \
    switch (units) {                                                                                                   \
    case 8: CALL(8); break;                                                                                            \
    case 16: CALL(16); break;                                                                                          \
    case 64: CALL(64); break;                                                                                          \
    default: CALL(units);                                                                                              \
    }

/* shares = the softmax over a row's links of LeakyReLU(left_i + right_j), (runs, links, heads), and
   out_i = the sum of mask share x_j, (runs, rows, heads, units). */
void attend(LINKS, REAL *shares, REAL *out)
{
    const int64_t blocks = (rows + BLOCK - 1) / BLOCK, width = shared ? units : heads * units;
    const REAL leak = slope, times = scale;
    MAY_GO_UNUSED const int64_t work = (own ? pointers[runs * rows] : runs * pointers[rows]) * heads * units;
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads) if (work > WORTH_THREADS)
    for (int64_t run = 0; run < runs; run++)
        for (int64_t block = 0; block < blocks; block++) {
            const int64_t *at = pointers + (own ? run * rows : 0), before = own ? 0 : run * pointers[rows];
            const int64_t last = (block + 1) * BLOCK < rows ? (block + 1) * BLOCK : rows;
            const REAL *scores = right + run * inputs * heads, *from = x + run * inputs * width;
            for (int64_t row = block * BLOCK; row < last; row++) {
                const REAL *own_score = left + (run * rows + row) * heads;
                REAL *to = out + (run * rows + row) * heads * units, top[MOST_HEADS], sum[MOST_HEADS];
                for (int64_t h = 0; h < heads; h++) top[h] = -INFINITY, sum[h] = 0;
                for (int64_t c = 0; c < heads * units; c++) to[c] = 0;
                for (int64_t k = at[row]; k < at[row + 1]; k++) {
                    REAL *share = shares + (before + k) * heads;
                    const int there = !present || present[run * total + entries[k]];
                    for (int64_t h = 0; h < heads; h++) {
                        const REAL z = own_score[h] + scores[columns[k] * heads + h], bent = z > 0 ? z : leak * z;
                        share[h] = there ? bent : -INFINITY;
                        if (share[h] > top[h]) top[h] = share[h];
                    }
                }
                for (int64_t k = at[row]; k < at[row + 1]; k++) {
                    REAL *share = shares + (before + k) * heads;
                    for (int64_t h = 0; h < heads; h++) {
                        share[h] = EXP(share[h] - top[h]);
                        sum[h] += share[h];
                    }
                }
#define GATHER(UNITS)                                                                                                  \
    for (int64_t k = at[row]; k < at[row + 1]; k++) {                                                                  \
        REAL *share = shares + (before + k) * heads;                                                                   \
        const REAL *other = from + columns[k] * width;                                                                 \
        const int64_t place = (run * total + entries[k]) * heads;                                                      \
        for (int64_t h = 0; h < heads; h++) {                                                                          \
            share[h] /= sum[h];                                                                                        \
            const REAL by = share[h] * kept(mask, place + h, bit, times);                                              \
            add_scaled(to + h * (UNITS), by, other + (shared ? 0 : h * (UNITS)), UNITS);                               \
        }                                                                                                              \
    }
                FOR_UNITS(GATHER)
            }
        }
}

/* From the gradient of ``out``: that of the scores before LeakyReLU, ``pull`` (runs, links, heads), and of ``left``. */
void attend_rows(LINKS, const REAL *shares, const REAL *gradient, REAL *pull, REAL *to_left)
{
    const int64_t blocks = (rows + BLOCK - 1) / BLOCK, width = shared ? units : heads * units;
    const REAL leak = slope, times = scale;
    MAY_GO_UNUSED const int64_t work = (own ? pointers[runs * rows] : runs * pointers[rows]) * heads * units;
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads) if (work > WORTH_THREADS)
    for (int64_t run = 0; run < runs; run++)
        for (int64_t block = 0; block < blocks; block++) {
            const int64_t *at = pointers + (own ? run * rows : 0), before = own ? 0 : run * pointers[rows];
            const int64_t last = (block + 1) * BLOCK < rows ? (block + 1) * BLOCK : rows;
            const REAL *scores = right + run * inputs * heads, *from = x + run * inputs * width;
            for (int64_t row = block * BLOCK; row < last; row++) {
                const REAL *own_score = left + (run * rows + row) * heads;
                const REAL *g = gradient + (run * rows + row) * heads * units;
                REAL *sum = to_left + (run * rows + row) * heads, mean[MOST_HEADS];
                for (int64_t h = 0; h < heads; h++) mean[h] = 0, sum[h] = 0;
#define ALONG(UNITS)                                                                                                   \
    for (int64_t k = at[row]; k < at[row + 1]; k++) {                                                                  \
        const REAL *share = shares + (before + k) * heads, *other = from + columns[k] * width;                         \
        const int64_t place = (run * total + entries[k]) * heads;                                                      \
        for (int64_t h = 0; h < heads; h++) {                                                                          \
            const REAL along = dot(g + h * (UNITS), other + (shared ? 0 : h * (UNITS)), UNITS);                        \
            const REAL by_share = along * kept(mask, place + h, bit, times);                                           \
            pull[(before + k) * heads + h] = by_share;                                                                 \
            mean[h] += share[h] * by_share;                                                                            \
        }                                                                                                              \
    }
                FOR_UNITS(ALONG)
                for (int64_t k = at[row]; k < at[row + 1]; k++)
                    for (int64_t h = 0; h < heads; h++) {
                        const int64_t place = (before + k) * heads + h;
                        const REAL z = own_score[h] + scores[columns[k] * heads + h];
                        pull[place] = shares[place] * (pull[place] - mean[h]) * (z > 0 ? 1 : leak);
                        sum[h] += pull[place];
                    }
            }
        }
}

/* The same for ``right`` and x, of which ``pointers`` to ``entries`` are now the columns; ``numbers`` says which link of
   a row each one is. */
void attend_columns(int threads, int64_t runs, int64_t rows, int64_t inputs, int64_t heads, int64_t units,
                    int64_t total, int own, int shared, const int64_t *pointers, const int32_t *ends,
                    const int32_t *entries, const int64_t *numbers, const uint8_t *mask, int bit, double scale,
                    const REAL *shares, const REAL *gradient, const REAL *pull, REAL *to_right, REAL *to_x)
{
    const int64_t blocks = (inputs + BLOCK - 1) / BLOCK, width = shared ? units : heads * units;
    const REAL times = scale;
    MAY_GO_UNUSED const int64_t work = (own ? pointers[runs * inputs] : runs * pointers[inputs]) * heads * units;
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads) if (work > WORTH_THREADS)
    for (int64_t run = 0; run < runs; run++)
        for (int64_t block = 0; block < blocks; block++) {
            const int64_t *at = pointers + (own ? run * inputs : 0), before = own ? 0 : run * pointers[inputs];
            const int64_t last = (block + 1) * BLOCK < inputs ? (block + 1) * BLOCK : inputs;
            const REAL *from = gradient + run * rows * heads * units;
            for (int64_t column = block * BLOCK; column < last; column++) {
                REAL *sum = to_right + (run * inputs + column) * heads, *to = to_x + (run * inputs + column) * width;
                for (int64_t h = 0; h < heads; h++) sum[h] = 0;
                for (int64_t c = 0; c < width; c++) to[c] = 0;
#define SCATTER(UNITS)                                                                                                 \
    for (int64_t k = at[column]; k < at[column + 1]; k++) {                                                            \
        const int64_t link = (before + numbers[k]) * heads, place = (run * total + entries[k]) * heads;                \
        const REAL *g = from + ends[k] * heads * (UNITS);                                                              \
        for (int64_t h = 0; h < heads; h++) {                                                                          \
            sum[h] += pull[link + h];                                                                                  \
            const REAL by = shares[link + h] * kept(mask, place + h, bit, times);                                      \
            add_scaled(to + (shared ? 0 : h * (UNITS)), by, g + h * (UNITS), UNITS);                                   \
        }                                                                                                              \
    }
                FOR_UNITS(SCATTER)
            }
        }
}
