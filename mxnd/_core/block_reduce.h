/* Reduces one block of a fused group: short vectors, then double. */
#ifndef MXND_BLOCK_REDUCE_H
#define MXND_BLOCK_REDUCE_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOCK_SUM, BLOCK_MAX, BLOCK_MIN };

static inline double block_start(int kind) { return kind == BLOCK_SUM ? 0.0 : kind == BLOCK_MAX ? -INFINITY : INFINITY; }

/* NaN wins in an extreme, as in the reduction kernels. */
static inline double block_join(int kind, double a, double b) {
    if (kind == BLOCK_SUM) return a + b;
    if (a != a || b != b) return NAN;
    return kind == BLOCK_MAX ? (b > a ? b : a) : (b < a ? b : a);
}

#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")       /* comparisons in vectors */
#define LANES 16
#define EXTREME(T, CMP)                                                                                       \
    {                                                                                                         \
        for (; i + LANES <= n; i += LANES) for (int k = 0; k < LANES; k++)                                    \
            odd[k] |= x[i + k] != x[i + k], lane[k] = x[i + k] CMP lane[k] ? x[i + k] : lane[k];              \
        for (; i < n; i++) odd[0] |= x[i] != x[i], lane[0] = x[i] CMP lane[0] ? x[i] : lane[0];               \
        for (int k = 1; k < LANES; k++) odd[0] |= odd[k], lane[0] = lane[k] CMP lane[0] ? lane[k] : lane[0];  \
        return odd[0] ? NAN : lane[0];                                                                        \
    }
#define REDUCE(T, I, NAME)                                                                                    \
static double NAME(int kind, const T *x, ptrdiff_t n) {                                                       \
    T lane[LANES];                                                                                            \
    I odd[LANES] = {0};                                                                                       \
    ptrdiff_t i = 0;                                                                                          \
    for (int k = 0; k < LANES; k++) lane[k] = (T)block_start(kind);                                           \
    if (kind == BLOCK_MAX) EXTREME(T, >)                                                                      \
    if (kind == BLOCK_MIN) EXTREME(T, <)                                                                      \
    for (; i + LANES <= n; i += LANES) for (int k = 0; k < LANES; k++) lane[k] += x[i + k];                   \
    for (; i < n; i++) lane[i % LANES] += x[i];                                                               \
    double a = 0, b = 0;                                                                                      \
    for (int k = 0; k < LANES; k += 2) a += lane[k], b += lane[k + 1];                                        \
    return a + b;                                                                                             \
}
REDUCE(float, int32_t, block_reduce_f32)
REDUCE(double, int64_t, block_reduce_f64)
#undef REDUCE
#undef EXTREME
#undef LANES
#pragma GCC pop_options
#endif
