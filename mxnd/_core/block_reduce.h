/* Reduces one block of a fused group: short vectors, then double. */
#ifndef MXND_BLOCK_REDUCE_H
#define MXND_BLOCK_REDUCE_H
#include <math.h>
#include <stddef.h>

enum { BLOCK_SUM, BLOCK_MAX, BLOCK_MIN };

static inline double block_start(int kind) { return kind == BLOCK_SUM ? 0.0 : kind == BLOCK_MAX ? -INFINITY : INFINITY; }

/* NaN wins in an extreme, as in the reduction kernels. */
static inline double block_join(int kind, double a, double b) {
    if (kind == BLOCK_SUM) return a + b;
    if (a != a || b != b) return NAN;
    return kind == BLOCK_MAX ? (b > a ? b : a) : (b < a ? b : a);
}

#define LANES 16
#define REDUCE(T, NAME)                                                                                       \
static double NAME(int kind, const T *x, ptrdiff_t n) {                                                       \
    T lane[LANES];                                                                                            \
    int bad = 0;                                                                                              \
    ptrdiff_t i = 0;                                                                                          \
    for (int k = 0; k < LANES; k++) lane[k] = (T)block_start(kind);                                           \
    if (kind == BLOCK_SUM) {                                                                                  \
        for (; i + LANES <= n; i += LANES) for (int k = 0; k < LANES; k++) lane[k] += x[i + k];               \
        for (; i < n; i++) lane[i % LANES] += x[i];                                                           \
    } else {                                                                                                  \
        int odd[LANES] = {0};                                                                                 \
        for (; i + LANES <= n; i += LANES)                                                                    \
            if (kind == BLOCK_MAX) for (int k = 0; k < LANES; k++) {                                          \
                odd[k] |= x[i + k] != x[i + k], lane[k] = x[i + k] > lane[k] ? x[i + k] : lane[k];            \
            } else for (int k = 0; k < LANES; k++)                                                            \
                odd[k] |= x[i + k] != x[i + k], lane[k] = x[i + k] < lane[k] ? x[i + k] : lane[k];            \
        for (; i < n; i++) lane[0] = (T)block_join(kind, lane[0], x[i]);                                      \
        for (int k = 0; k < LANES; k++) bad |= odd[k];                                                        \
    }                                                                                                         \
    double all = lane[0];                                                                                     \
    for (int k = 1; k < LANES; k++) all = block_join(kind, all, lane[k]);                                     \
    return bad ? NAN : all;                                                                                   \
}
REDUCE(float, block_reduce_f32)
REDUCE(double, block_reduce_f64)
#undef REDUCE
#undef LANES
#endif
