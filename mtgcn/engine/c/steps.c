/* What is done value by value: dropout, and the steps of Adam. */

#include "common.h"

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
