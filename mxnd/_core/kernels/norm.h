/* Normalisation: what the types share, then both types. */
#ifndef MXND_NORM_H
#define MXND_NORM_H
#include <float.h>
#include "call.h"
#include "loops/math.h"
#define CHUNK 2048              /* elements whose sums are kept in single precision, in the cache */
#define SIMD _Pragma("omp simd")    /* arrays of a loop are the same or apart */
#define SMALL 32768             /* fewer elements are not worth a second thread */

typedef struct { double n, mean, m2; } moments_t;

/* Add n more values: their mean, and the sum of their squared distances from it. */
static inline void join(moments_t *a, double n, double mean, double m2) {
    double d = mean - a->mean, all = a->n + n;
    if (n == 0) return;
    a->m2 += m2 + d * d * a->n * n / all;
    a->mean += d * n / all;
    a->n = all;
}
static inline double positive(double x) { return x < 0 ? 0 : x; }      /* rounding may leave less than nothing; nan stays */

/* A backward pass must know which statistics the forward pass used, whatever the training flag is by then.
   The last bit of the saved 1/std says so: set for the batch's own, clear for the moving ones. */
static inline float marked_f32(float s, int batch) {
    uint32_t u = (m_bits_f32(s) & ~1u) | (batch ? 1 : 0);
    return fabsf(s) == INFINITY ? s : m_from_bits_f32(u);
}
static inline double marked_f64(double s, int batch) {
    uint64_t u = (m_bits_f64(s) & ~(uint64_t)1) | (batch ? 1 : 0);
    return fabs(s) == INFINITY ? s : m_from_bits_f64(u);
}
static inline int mark_of_f32(float s) { return m_bits_f32(s) & 1; }
static inline int mark_of_f64(double s) { return (int)(m_bits_f64(s) & 1); }

#define T float
#define W 16
#define NAME(x) x##_f32
#include "norm_type.h"
#include "norm_rows.h"
#undef T
#undef W
#undef NAME
#define T double
#define W 8
#define NAME(x) x##_f64
#include "norm_type.h"
#include "norm_rows.h"
#undef T
#undef W
#undef NAME
#endif
