/* Element types in kernels: what lies in memory, and the type T it is computed in.

   Which of its storage types a kernel meets is told by the code at run time: that branch is the same for all threads,
   and one kernel each for float, double and the integers keeps the module small. */
#ifndef MXND_CUDA_TYPES_H
#define MXND_CUDA_TYPES_H
#include <stddef.h>
#include <stdint.h>
#include "call.h"
#include "../loops/math.h"
#ifdef MXND_CUDA_ON_HOST
#include "../loops/half.h"
MX_HD float half_to_float_(uint16_t h) { return half_to_float1(h); }
MX_HD float bfloat_to_float_(uint16_t h) { return bfloat_to_float1(h); }
MX_HD uint16_t float_to_half_(float x) { return float_to_half1(x); }
MX_HD uint16_t float_to_bfloat_(float x) { return float_to_bfloat1(x); }
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
MX_HD float half_to_float_(uint16_t h) { return __half2float(__ushort_as_half(h)); }
MX_HD float bfloat_to_float_(uint16_t h) { return __bfloat162float(__ushort_as_bfloat16(h)); }
MX_HD uint16_t float_to_half_(float x) { return __half_as_ushort(__float2half_rn(x)); }
MX_HD uint16_t float_to_bfloat_(float x) { return __bfloat16_as_ushort(__float2bfloat16_rn(x)); }
#endif

/* fetch(p, i, type, T()): element i as a T.  float also reads 16-bit floats, double also integers. */
template <class T> MX_HD T fetch(const void *p, ptrdiff_t i, int type, T) { (void)type; return ((const T *)p)[i]; }
MX_HD float fetch(const void *p, ptrdiff_t i, int type, float) {
    if (type == MX_F32) return ((const float *)p)[i];
    uint16_t h = ((const uint16_t *)p)[i];
    return type == MX_F16 ? half_to_float_(h) : bfloat_to_float_(h);
}
MX_HD double fetch(const void *p, ptrdiff_t i, int type, double) {
    switch (type) {
        case MX_F64: return ((const double *)p)[i];
        case MX_I64: return (double)((const int64_t *)p)[i];
        case MX_I32: return (double)((const int32_t *)p)[i];
        case MX_I8: return (double)((const int8_t *)p)[i];
        default: return (double)((const uint8_t *)p)[i];
    }
}

/* Out of double with MXNet's rules: toward zero; out of range or nan: the minimum, and 8 bits modulo 256. */
MX_HD int32_t double_to_i32(double x) { return x > -2147483649.0 && x < 2147483648.0 ? (int32_t)x : INT32_MIN; }
MX_HD int64_t double_to_i64(double x) {
    return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t)x : INT64_MIN;
}
MX_HD uint8_t double_to_u8(double x) {
    double t = trunc(x), r = t - 256.0 * floor(t * (1.0 / 256.0));
    return (uint8_t)(int32_t)(r >= 0.0 && r < 256.0 ? r : 0.0);
}

/* store(p, i, type, value): the reverse.  uint8_t also writes bool. */
template <class T> MX_HD void store(void *p, ptrdiff_t i, int type, T v) { (void)type; ((T *)p)[i] = v; }
MX_HD void store(void *p, ptrdiff_t i, int type, uint8_t v) { ((uint8_t *)p)[i] = type == MX_BOOL ? v != 0 : v; }
MX_HD void store(void *p, ptrdiff_t i, int type, float v) {
    if (type == MX_F32) ((float *)p)[i] = v;
    else ((uint16_t *)p)[i] = type == MX_F16 ? float_to_half_(v) : float_to_bfloat_(v);
}
MX_HD void store(void *p, ptrdiff_t i, int type, double v) {
    switch (type) {
        case MX_F64: ((double *)p)[i] = v; break;
        case MX_I64: ((int64_t *)p)[i] = double_to_i64(v); break;
        case MX_I32: ((int32_t *)p)[i] = double_to_i32(v); break;
        default: ((uint8_t *)p)[i] = double_to_u8(v);
    }
}
#endif
