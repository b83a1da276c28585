/* What training spends its time on, for all runs at once: sparse products, dropout, the inner part of a reconstruction
   attention and the steps of Adam. REAL is float or double.

   A sum of a sparse product takes the stored values of a row in their order, a product and an addition at a time (so nothing may be
   contracted or reordered: -ffp-contract=off, no -ffast-math). Whatever the number of runs or threads, every run comes
   out the same to the last bit, and the same as from torch and DGL. */

#include <math.h>
#include <stdint.h>

#define FMA(a, b, c) _Generic((a), float: fmaf, double: fma)(a, b, c)
#define EXP(a) _Generic((a), float: expf, double: exp)(a)

#if defined(__AVX512F__)
#define VECTOR 64  /* bytes of a register; a longer vector type would be taken apart in memory, twenty times slower */
#elif defined(__AVX__)
#define VECTOR 32
#else
#define VECTOR 16
#endif
#define PIECES (64 / VECTOR)  /* vectors that are summed in one walk along a row */
#define WIDE (64 / (int)sizeof(REAL))  /* channels that they hold */
#define TOGETHER 5  /* runs that share one walk along a row; their sums still fit into the registers */
#define BLOCK 64  /* rows that a thread takes at a time */
#define WORTH_THREADS (1 << 18)  /* additions, below which a second thread costs more than it helps */
#define MAY_GO_UNUSED __attribute__((unused))  /* without OpenMP */
#define ALWAYS static inline __attribute__((always_inline))

/* A vector in registers, and one in memory, which may start anywhere. */
typedef REAL vector __attribute__((vector_size(VECTOR)));
typedef REAL vector_at __attribute__((vector_size(VECTOR), aligned(sizeof(REAL)), may_alias));

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

/* out = y with the values kept whose byte has the ``bit``, times ``scale``, and the others 0, where y is x or, if there
   is a ``gate``, 0 wherever that is not positive: with x as its own gate the rectifier, otherwise its gradient. */
void drop(int threads, int64_t size, const uint8_t *mask, int bit, double scale, const REAL *x, const REAL *gate,
          REAL *out)
{
#pragma omp parallel for schedule(static) num_threads(threads) if (size > WORTH_THREADS)
    for (int64_t k = 0; k < size; k++) {
        const REAL kept = x[k] * ((REAL)((mask[k] >> bit) & 1) * (REAL)scale);
        out[k] = gate && gate[k] <= 0 ? 0 : kept;  /* what is not a number stays */
    }
}

/* The inner part of a reconstruction risk, for arrays (runs, size): inner = the sum of (fitted - 2 cross) weights, and
   what is left of the cross product, fitted - cross, takes the place of ``fitted``. */
void residual(int threads, int64_t runs, int64_t size, const REAL *cross, const REAL *weights, REAL *fitted, double *inner)
{
#pragma omp parallel for schedule(static) num_threads(threads) if (runs * size > WORTH_THREADS / 4)
    for (int64_t run = 0; run < runs; run++) {
        double sums[8] = {0};  /* one after the other they would wait for each other */
        const REAL *x = cross + run * size, *w = weights + run * size;
        REAL *f = fitted + run * size;
        for (int64_t k = 0; k < size; k++) {
            sums[k % 8] += (f[k] - 2 * x[k]) * w[k];
            f[k] -= x[k];
        }
        inner[run] = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
}

/* Adam's moments: L2 is added to the gradient as λ B, then it moves the ``mean`` and the ``square``, and is cleared.
   Products and sums are those of torch's add, lerp and addcmul. */
void moments(int threads, int64_t size, double l2, double part_1, double part_2, double keep_2, const REAL *weights,
             REAL *gradient, REAL *mean, REAL *square)
{
    const REAL decay = l2, first = part_1, second = part_2, keep = keep_2;
#pragma omp parallel for schedule(static) num_threads(threads) if (size > WORTH_THREADS / 8)
    for (int64_t k = 0; k < size; k++) {
        const REAL g = l2 ? FMA(weights[k], decay, gradient[k]) : gradient[k];
        mean[k] = FMA(first, g - mean[k], mean[k]);
        square[k] = FMA(second * g, g, square[k] * keep);
        gradient[k] = 0;
    }
}

/* Adam's step, a learning rate for each run of (runs, size) weights: factor rate mean / (root / divisor + epsilon). */
void step(int threads, int64_t runs, int64_t size, double divisor, double epsilon, double factor, const REAL *rates,
          const REAL *mean, const REAL *root, REAL *weights)
{
    const REAL by = divisor, tiny = epsilon, times = factor;
#pragma omp parallel for schedule(static) num_threads(threads) if (runs * size > WORTH_THREADS / 8)
    for (int64_t run = 0; run < runs; run++)
        for (int64_t k = run * size; k < (run + 1) * size; k++)
            weights[k] += times * (rates[run] * mean[k]) / (root[k] / by + tiny);
}

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
