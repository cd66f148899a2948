/* Numbers as 8-bit integers with a range, and back. */
#ifndef MXND_QUANTIZE_H
#define MXND_QUANTIZE_H
#include <float.h>
#include <math.h>
#include <string.h>
#include "kernels/elements.h"

#define QUANTIZE_PARALLEL _Pragma("omp parallel for num_threads(threads) schedule(static) if (threads > 1)")
static inline int quantize_threads(P n, int threads) { return n < 32768 ? 1 : threads; }
static inline P quantize_at(P n, int k, int parts) { return n / parts * k + (k < n % parts ? k : n % parts); }

/* Least and greatest element; nans are passed over.  Sixteen of each, so that vectors find them. */
#define ENDS(T, LEAST, MOST) \
static void ends_##T(const T *x, P from, P to, double *low, double *high) \
{ \
    T a[16], b[16]; \
    for (int k = 0; k < 16; k++) \
        a[k] = MOST, b[k] = LEAST; \
    P i = from; \
    for (; i + 16 <= to; i += 16) \
        for (int k = 0; k < 16; k++) \
            a[k] = x[i + k] < a[k] ? x[i + k] : a[k], b[k] = x[i + k] > b[k] ? x[i + k] : b[k]; \
    for (; i < to; i++) \
        a[0] = x[i] < a[0] ? x[i] : a[0], b[0] = x[i] > b[0] ? x[i] : b[0]; \
    for (int k = 0; k < 16; k++) { \
        if ((double)a[k] < *low) *low = (double)a[k]; \
        if ((double)b[k] > *high) *high = (double)b[k]; \
    } \
}
ENDS(float, -INFINITY, INFINITY)
ENDS(double, -INFINITY, INFINITY)
ENDS(int32_t, INT32_MIN, INT32_MAX)

static void range_of(const mxnd_tensor *x, int threads, double *low, double *high)
{
    const int t = quantize_threads(x->size, threads);
    double least = INFINITY, most = -INFINITY;
#pragma omp parallel for num_threads(t) schedule(static) reduction(min : least) reduction(max : most) if (t > 1)
    for (int k = 0; k < t; k++) {
        const P from = quantize_at(x->size, k, t), to = quantize_at(x->size, k + 1, t);
        if (x->type == MX_F32) ends_float((const float *)x->data, from, to, &least, &most);
        else if (x->type == MX_F64) ends_double((const double *)x->data, from, to, &least, &most);
        else ends_int32_t((const int32_t *)x->data, from, to, &least, &most);
    }
    *low = x->size && least <= most ? least : 0, *high = x->size && least <= most ? most : 0;       /* nothing but nans: 0 */
}

/* Rounded, halves to even, and kept in the type; nan becomes the greatest. */
#define ROUNDED(T, U, R, LOW, HIGH) \
static void rounded_##T##_##U(const T *x, P from, P to, R scale, U *q) \
{ \
    for (P i = from; i < to; i++) { \
        R v = (R)x[i] * scale; \
        v = v > (R)LOW ? v : v == v ? (R)LOW : (R)HIGH; \
        v = v < (R)HIGH ? v : (R)HIGH; \
        q[i] = (U)(int32_t)(sizeof(R) == 4 ? (R)rintf((float)v) : (R)rint((double)v)); \
    } \
}
ROUNDED(float, int8_t, float, -128, 127)
ROUNDED(float, uint8_t, float, 0, 255)
ROUNDED(double, int8_t, double, -128, 127)
ROUNDED(double, uint8_t, double, 0, 255)
ROUNDED(int32_t, int8_t, float, -128, 127)
ROUNDED(int32_t, uint8_t, float, 0, 255)

static void store_ends(mxnd_call *c, double low, double high)
{
    *(float *)c->out[1].data = (float)low;
    *(float *)c->out[2].data = (float)high;
}

static inline double limit_of(double low, double high) { return fabs(low) > fabs(high) ? fabs(low) : fabs(high); }

/* i: where the range comes from, whether uint8 keeps both ends;  d: ends, steps to the limit. */
static int quantize(mxnd_call *c)
{
    enum { FROM_INPUTS, FROM_PARAMETERS, FROM_DATA };
    const mxnd_tensor *x = c->in;
    const P n = x->size;
    const int is_unsigned = c->out->type == MX_U8, threads = quantize_threads(n, c->threads);
    double low = c->d[0], high = c->d[1], unit = 1;
    if (x->type == MX_I8 || x->type == MX_U8) {
        if (c->i[0] != FROM_PARAMETERS)
            low = x->type == MX_U8 ? 0 : -127.5, high = x->type == MX_U8 ? 255.5 : 127.5;
        memcpy(c->out->data, x->data, (size_t)n);
        store_ends(c, low, high);
        return MX_OK;
    }
    if (x->type == MX_I32)
        unit = limit_of(element(c->in[1].data, 0, c->in[1].type), element(c->in[2].data, 0, c->in[2].type)) / 2147483647.0;
    if (c->i[0] == FROM_INPUTS)
        low = element(c->in[1].data, 0, c->in[1].type), high = element(c->in[2].data, 0, c->in[2].type);
    else if (c->i[0] == FROM_DATA) {
        range_of(x, c->threads, &low, &high);
        low *= unit, high *= unit;
    }
    const double limit = limit_of(low, high), scale = limit > 0 ? c->d[2] / limit * unit : 0;
    if (!is_unsigned)
        low = -limit, high = limit;
    else if (!c->i[1])
        low = 0, high = limit;
    store_ends(c, low, high);
QUANTIZE_PARALLEL
    for (int k = 0; k < threads; k++) {
        const P from = quantize_at(n, k, threads), to = quantize_at(n, k + 1, threads);
#define RUN(T, R) \
        if (is_unsigned) rounded_##T##_uint8_t((const T *)x->data, from, to, (R)scale, (uint8_t *)c->out->data); \
        else rounded_##T##_int8_t((const T *)x->data, from, to, (R)scale, (int8_t *)c->out->data)
        if (x->type == MX_F32) { RUN(float, float); }
        else if (x->type == MX_F64) { RUN(double, double); }
        else { RUN(int32_t, float); }
#undef RUN
    }
    return MX_OK;
}

/* d: steps to the limit of int8 and of uint8. */
static int dequantize(mxnd_call *c)
{
    const mxnd_tensor *x = c->in;
    const double limit = limit_of(element(c->in[1].data, 0, c->in[1].type), element(c->in[2].data, 0, c->in[2].type));
    const float scale = (float)(limit / c->d[x->type == MX_U8]);
    const int threads = quantize_threads(x->size, c->threads);
    float *o = (float *)c->out->data;
QUANTIZE_PARALLEL
    for (int k = 0; k < threads; k++) {
        const P from = quantize_at(x->size, k, threads), to = quantize_at(x->size, k + 1, threads);
        if (x->type == MX_U8)
            for (P i = from; i < to; i++) o[i] = (float)((const uint8_t *)x->data)[i] * scale;
        else
            for (P i = from; i < to; i++) o[i] = (float)((const int8_t *)x->data)[i] * scale;
    }
    return MX_OK;
}

/* The same elements, and the two ends. */
static int with_ends(mxnd_call *c)
{
    memcpy(c->out->data, c->in->data, (size_t)(c->in->size * item_of(c->in->type)));
    store_ends(c, element(c->in[1].data, 0, c->in[1].type), element(c->in[2].data, 0, c->in[2].type));
    return MX_OK;
}
#endif
