/* Elements of any type: their sizes, reading one, and storing numbers as another type. */
#ifndef MXND_ELEMENTS_H
#define MXND_ELEMENTS_H
#include "call.h"
#include "loops/half.h"

typedef ptrdiff_t P;

static inline int is_float(int type) { return type == MX_F32 || type == MX_F64 || type == MX_F16 || type == MX_BF16; }
static inline P item_of(int type) {
    static const char size[MX_TYPES] = {4, 8, 2, 1, 4, 1, 8, 1, 2};
    return size[type];
}

static inline int64_t whole(double v) { return v > -9.2233720368547758e18 && v < 9.2233720368547758e18 ? (int64_t)v : INT64_MIN; }

static void store_f(const double *v, P n, void *out, P at, int type) {
    P i;
    switch (type) {
    case MX_F32: for (i = 0; i < n; i++) ((float *)out)[at + i] = (float)v[i]; break;
    case MX_F64: for (i = 0; i < n; i++) ((double *)out)[at + i] = v[i]; break;
    case MX_F16: for (i = 0; i < n; i++) ((uint16_t *)out)[at + i] = float_to_half1((float)v[i]); break;
    case MX_BF16: for (i = 0; i < n; i++) ((uint16_t *)out)[at + i] = float_to_bfloat1((float)v[i]); break;
    case MX_U8: for (i = 0; i < n; i++) ((uint8_t *)out)[at + i] = (uint8_t)whole(v[i]); break;
    case MX_I8: for (i = 0; i < n; i++) ((int8_t *)out)[at + i] = (int8_t)whole(v[i]); break;
    case MX_I32: for (i = 0; i < n; i++) ((int32_t *)out)[at + i] = (int32_t)whole(v[i]); break;
    case MX_I64: for (i = 0; i < n; i++) ((int64_t *)out)[at + i] = whole(v[i]); break;
    default: for (i = 0; i < n; i++) ((uint8_t *)out)[at + i] = v[i] != 0;
    }
}
static void store_i(const int64_t *v, P n, void *out, P at, int type) {
    P i;
    switch (type) {
    case MX_F32: for (i = 0; i < n; i++) ((float *)out)[at + i] = (float)v[i]; break;
    case MX_F64: for (i = 0; i < n; i++) ((double *)out)[at + i] = (double)v[i]; break;
    case MX_F16: for (i = 0; i < n; i++) ((uint16_t *)out)[at + i] = float_to_half1((float)v[i]); break;
    case MX_BF16: for (i = 0; i < n; i++) ((uint16_t *)out)[at + i] = float_to_bfloat1((float)v[i]); break;
    case MX_U8: case MX_I8: for (i = 0; i < n; i++) ((uint8_t *)out)[at + i] = (uint8_t)v[i]; break;
    case MX_I32: for (i = 0; i < n; i++) ((int32_t *)out)[at + i] = (int32_t)v[i]; break;
    case MX_I64: memcpy((int64_t *)out + at, v, (size_t)n * 8); break;
    default: for (i = 0; i < n; i++) ((uint8_t *)out)[at + i] = v[i] != 0;
    }
}

static inline double element(const char *x, P i, int type) {
    switch (type) {
    case MX_F32: return ((const float *)x)[i];
    case MX_F64: return ((const double *)x)[i];
    case MX_F16: return half_to_float1(((const uint16_t *)x)[i]);
    case MX_BF16: return bfloat_to_float1(((const uint16_t *)x)[i]);
    case MX_I32: return ((const int32_t *)x)[i];
    case MX_I64: return (double)((const int64_t *)x)[i];
    case MX_I8: return ((const int8_t *)x)[i];
    default: return ((const uint8_t *)x)[i];
    }
}
#endif
