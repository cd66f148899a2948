/* Casts between any two element types, a -> o, with MXNet's rules: a float truncates toward zero; out of range or nan
   gives the minimum of int32 and int64, and 8-bit integers wrap modulo 256; bool is x != 0. */
#ifndef MXND_CASTS_H
#define MXND_CASTS_H
#include "call.h"
#include "half.h"
#include "math.h"
#define MXND_BLOCK 512

M_FN int32_t m_to_i32(double x) { return x > -2147483649.0 && x < 2147483648.0 ? (int32_t)x : INT32_MIN; }
M_FN int64_t m_to_i64(double x) {
    return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t)x : INT64_MIN;
}
M_FN int32_t m_to_i32f(float x) { return x >= -2147483648.0f && x < 2147483648.0f ? (int32_t)x : INT32_MIN; }
M_FN int64_t m_to_i64f(float x) {
    return x >= -9223372036854775808.0f && x < 9223372036854775808.0f ? (int64_t)x : INT64_MIN;
}
M_FN uint8_t m_to_u8(double x) {                         /* modulo 256, without 64-bit integers */
    double t = trunc(x), r = t - 256.0 * floor(t * (1.0 / 256.0));
    return (uint8_t)(int32_t)(r >= 0.0 && r < 256.0 ? r : 0.0);
}
/* a float beyond int32 is a multiple of 256, and so is the minimum of int32 */
M_FN uint8_t m_to_u8f(float x) { return (uint8_t)m_to_i32f(x); }

#define MXND_CAST(from, to, A, O, expr) \
static void mx_cast_##from##_##to(const char *a_, ptrdiff_t sa, const char *b, ptrdiff_t sb, char *o_, ptrdiff_t n) { \
    const A *a = (const A *)a_; O *o = (O *)o_; \
    (void)b, (void)sb; \
    if (n <= 0) return; \
    ptrdiff_t m = sa ? n : 1; \
    _Pragma("GCC ivdep") for (ptrdiff_t i = 0; i < m; i++) { A x = a[i]; o[i] = (O)(expr); } \
    if (!sa) { O v = o[0]; for (ptrdiff_t i = 1; i < n; i++) o[i] = v; } }
#define MXND_CASTS_FLOAT(from, A, f) \
    MXND_CAST(from, f32, A, float, x) MXND_CAST(from, f64, A, double, x) \
    MXND_CAST(from, u8, A, uint8_t, m_to_u8##f(x)) MXND_CAST(from, i8, A, int8_t, m_to_u8##f(x)) \
    MXND_CAST(from, i32, A, int32_t, m_to_i32##f(x)) MXND_CAST(from, i64, A, int64_t, m_to_i64##f(x)) \
    MXND_CAST(from, bool, A, uint8_t, x != 0)
#define MXND_CASTS_INT(from, A) \
    MXND_CAST(from, f32, A, float, x) MXND_CAST(from, f64, A, double, x) MXND_CAST(from, u8, A, uint8_t, x) \
    MXND_CAST(from, i8, A, int8_t, x) MXND_CAST(from, i32, A, int32_t, x) MXND_CAST(from, i64, A, int64_t, x) \
    MXND_CAST(from, bool, A, uint8_t, x != 0)
MXND_CASTS_FLOAT(f32, float, f)
MXND_CASTS_FLOAT(f64, double, )
MXND_CASTS_INT(u8, uint8_t)
MXND_CASTS_INT(i8, int8_t)
MXND_CASTS_INT(i32, int32_t)
MXND_CASTS_INT(i64, int64_t)
MXND_CASTS_INT(bool, uint8_t)

/* 16-bit floats go by way of float32. */
#define MXND_CAST_16(name, A, O, read, body) \
static void mx_cast_##name(const char *a_, ptrdiff_t sa, const char *b, ptrdiff_t sb, char *o_, ptrdiff_t n) { \
    float t[MXND_BLOCK]; \
    (void)b, (void)sb; \
    if (n <= 0) return; \
    for (ptrdiff_t i = 0, m = sa ? n : 1, k; i < m; i += k) { \
        const A *a = (const A *)a_ + i; O *o = (O *)o_ + i; \
        k = m - i < MXND_BLOCK ? m - i : MXND_BLOCK; \
        read; body; } \
    if (!sa) { O *o = (O *)o_, v = o[0]; for (ptrdiff_t i = 1; i < n; i++) o[i] = v; } }
#define MXND_CAST_FROM_16(from, read, to, O) \
    MXND_CAST_16(from##_##to, uint16_t, O, read(a, t, k), \
                 mx_cast_f32_##to((const char *)t, 1, NULL, 0, (char *)o, k))
#define MXND_CAST_TO_16(from, A, to, write) \
    MXND_CAST_16(from##_##to, A, uint16_t, mx_cast_##from##_f32((const char *)a, 1, NULL, 0, (char *)t, k), \
                 write(t, o, k))
#define MXND_CASTS_16(type, read, write) \
    MXND_CAST_16(type##_f32, uint16_t, float, (void)t, read(a, o, k)) \
    MXND_CAST_16(f32_##type, float, uint16_t, (void)t, write(a, o, k)) \
    MXND_CAST_16(type##_##type, uint16_t, uint16_t, (void)t, memmove(o, a, 2 * (size_t)k)) \
    MXND_CAST_FROM_16(type, read, f64, double) MXND_CAST_FROM_16(type, read, u8, uint8_t) \
    MXND_CAST_FROM_16(type, read, i32, int32_t) MXND_CAST_FROM_16(type, read, i8, int8_t) \
    MXND_CAST_FROM_16(type, read, i64, int64_t) MXND_CAST_FROM_16(type, read, bool, uint8_t) \
    MXND_CAST_TO_16(f64, double, type, write) MXND_CAST_TO_16(u8, uint8_t, type, write) \
    MXND_CAST_TO_16(i32, int32_t, type, write) MXND_CAST_TO_16(i8, int8_t, type, write) \
    MXND_CAST_TO_16(i64, int64_t, type, write) MXND_CAST_TO_16(bool, uint8_t, type, write)
MXND_CASTS_16(f16, half_to_float, float_to_half)
MXND_CASTS_16(bf16, bfloat_to_float, float_to_bfloat)
MXND_CAST_16(f16_bf16, uint16_t, uint16_t, half_to_float(a, t, k), float_to_bfloat(t, o, k))
MXND_CAST_16(bf16_f16, uint16_t, uint16_t, bfloat_to_float(a, t, k), float_to_half(t, o, k))

#define MXND_CAST_ROW(from) { \
    [MX_F32] = mx_cast_##from##_f32, [MX_F64] = mx_cast_##from##_f64, [MX_F16] = mx_cast_##from##_f16, \
    [MX_U8] = mx_cast_##from##_u8, [MX_I32] = mx_cast_##from##_i32, [MX_I8] = mx_cast_##from##_i8, \
    [MX_I64] = mx_cast_##from##_i64, [MX_BOOL] = mx_cast_##from##_bool, [MX_BF16] = mx_cast_##from##_bf16 }
static const mxnd_loop mxnd_cast[MX_TYPES][MX_TYPES] = {
    [MX_F32] = MXND_CAST_ROW(f32), [MX_F64] = MXND_CAST_ROW(f64), [MX_F16] = MXND_CAST_ROW(f16),
    [MX_U8] = MXND_CAST_ROW(u8), [MX_I32] = MXND_CAST_ROW(i32), [MX_I8] = MXND_CAST_ROW(i8),
    [MX_I64] = MXND_CAST_ROW(i64), [MX_BOOL] = MXND_CAST_ROW(bool), [MX_BF16] = MXND_CAST_ROW(bf16)};
#endif
