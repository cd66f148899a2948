/* Softmax along one axis, its logarithm and their gradients, in float32 or float64. */
#ifndef MXND_SOFTMAX_H
#define MXND_SOFTMAX_H
#include "call.h"
#include "loops/half.h"
#include "loops/math.h"

typedef ptrdiff_t P;
#define PRAGMA(x) _Pragma(#x)
/* Columns side by side: an eighth of TILE where the cache holds that many, n of at most CACHED bytes. */
enum { TILE = 2048, CACHED = 2048, SHORT = 32, ROWS = 64 };    /* and rows that are turned: how long, how many */

#define T float
#define N(name) name##_f32
#include "softmax_type.h"
#define T double
#define N(name) name##_f64
#include "softmax_type.h"

/* ---- other types: to the type of the computation (float32 or float64) and back ---- */
static void to_working(const mxnd_tensor *x, void *to, int type) {
    P n = x->size;
    if (type == MX_F32) {
        if (x->type == MX_F16) half_to_float((const uint16_t *)x->data, to, n);
        else bfloat_to_float((const uint16_t *)x->data, to, n);
        return;
    }
    double *o = to;
    for (P i = 0; i < n; i++)
        o[i] = x->type == MX_F32 ? ((const float *)x->data)[i]
             : x->type == MX_F16 ? half_to_float1(((const uint16_t *)x->data)[i])
             : bfloat_to_float1(((const uint16_t *)x->data)[i]);
}
static void from_working(const void *from, int type, mxnd_tensor *out) {
    float block[1024];
    for (P at = 0; at < out->size; at += 1024) {
        P n = out->size - at < 1024 ? out->size - at : 1024;
        const float *f = block;
        if (type == MX_F32) f = (const float *)from + at;
        else for (P i = 0; i < n; i++) block[i] = (float)((const double *)from)[at + i];
        if (out->type == MX_F16) float_to_half(f, (uint16_t *)out->data + at, n);
        else if (out->type == MX_BF16) float_to_bfloat(f, (uint16_t *)out->data + at, n);
        else memcpy((float *)out->data + at, f, (size_t)n * 4);
    }
}
static inline int64_t length_at(const mxnd_tensor *t, P i) {
    switch (t->type) {
    case MX_I64: return ((const int64_t *)t->data)[i];
    case MX_I32: return ((const int32_t *)t->data)[i];
    case MX_I8: return ((const int8_t *)t->data)[i];
    default: return ((const uint8_t *)t->data)[i];
    }
}
#endif
