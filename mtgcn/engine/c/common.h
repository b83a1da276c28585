/* What the kernels share. REAL is float or double.

   A sum of a sparse product takes the stored values of a row in their order, a product and an addition at a time (so
   nothing may be contracted or reordered: -ffp-contract=off, no -ffast-math). Whatever the number of runs or threads,
   every run comes out the same to the last bit, and the same as from torch and DGL. */

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
#define BLOCK 64  /* rows that a thread takes at a time */
#define WORTH_THREADS (1 << 18)  /* additions, below which a second thread costs more than it helps */
#define MAY_GO_UNUSED __attribute__((unused))  /* without OpenMP */
#define ALWAYS static inline __attribute__((always_inline))

/* A vector in registers, and one in memory, which may start anywhere. */
typedef REAL vector __attribute__((vector_size(VECTOR)));
typedef REAL vector_at __attribute__((vector_size(VECTOR), aligned(sizeof(REAL)), may_alias));
