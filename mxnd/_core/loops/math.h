/* Scalar maths that gcc vectorises by itself: no branches, no calls, no tables.  Everything named m_* may be used
   in the expressions of the declarations; each picks its version by the type of its argument.
   Compile with -O3 -fno-math-errno -fno-trapping-math, never with -ffast-math.  C, C++ and CUDA. */
#ifdef __GNUC__
#include_next <math.h>                                   /* the C library's, even where -I names this folder */
#else
#include <math.h>
#endif
#ifndef MXND_MATH_H
#define MXND_MATH_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "coefficients.h"

#ifdef __CUDACC__
#define M_FN static __host__ __device__ __forceinline__
#define M_SLOW static __host__ __device__ __noinline__
#elif defined(__GNUC__)
#define M_FN static inline __attribute__((always_inline, unused))
#define M_SLOW static __attribute__((noinline, unused))
#else
#define M_FN static inline
#define M_SLOW static
#endif

/* M_POLY(x, c0, c1, ...) = c0 + x * (c1 + x * ...), up to 26 coefficients. */
#define M_H1(x, a) (a)
#define M_H2(x, a, ...) ((a) + (x) * M_H1(x, __VA_ARGS__))
#define M_H3(x, a, ...) ((a) + (x) * M_H2(x, __VA_ARGS__))
#define M_H4(x, a, ...) ((a) + (x) * M_H3(x, __VA_ARGS__))
#define M_H5(x, a, ...) ((a) + (x) * M_H4(x, __VA_ARGS__))
#define M_H6(x, a, ...) ((a) + (x) * M_H5(x, __VA_ARGS__))
#define M_H7(x, a, ...) ((a) + (x) * M_H6(x, __VA_ARGS__))
#define M_H8(x, a, ...) ((a) + (x) * M_H7(x, __VA_ARGS__))
#define M_H9(x, a, ...) ((a) + (x) * M_H8(x, __VA_ARGS__))
#define M_H10(x, a, ...) ((a) + (x) * M_H9(x, __VA_ARGS__))
#define M_H11(x, a, ...) ((a) + (x) * M_H10(x, __VA_ARGS__))
#define M_H12(x, a, ...) ((a) + (x) * M_H11(x, __VA_ARGS__))
#define M_H13(x, a, ...) ((a) + (x) * M_H12(x, __VA_ARGS__))
#define M_H14(x, a, ...) ((a) + (x) * M_H13(x, __VA_ARGS__))
#define M_H15(x, a, ...) ((a) + (x) * M_H14(x, __VA_ARGS__))
#define M_H16(x, a, ...) ((a) + (x) * M_H15(x, __VA_ARGS__))
#define M_H17(x, a, ...) ((a) + (x) * M_H16(x, __VA_ARGS__))
#define M_H18(x, a, ...) ((a) + (x) * M_H17(x, __VA_ARGS__))
#define M_H19(x, a, ...) ((a) + (x) * M_H18(x, __VA_ARGS__))
#define M_H20(x, a, ...) ((a) + (x) * M_H19(x, __VA_ARGS__))
#define M_H21(x, a, ...) ((a) + (x) * M_H20(x, __VA_ARGS__))
#define M_H22(x, a, ...) ((a) + (x) * M_H21(x, __VA_ARGS__))
#define M_H23(x, a, ...) ((a) + (x) * M_H22(x, __VA_ARGS__))
#define M_H24(x, a, ...) ((a) + (x) * M_H23(x, __VA_ARGS__))
#define M_H25(x, a, ...) ((a) + (x) * M_H24(x, __VA_ARGS__))
#define M_H26(x, a, ...) ((a) + (x) * M_H25(x, __VA_ARGS__))
#define M_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20, _21, _22, \
    _23, _24, _25, _26, NAME, ...) NAME
#define M_POLY(x, ...) M_PICK(__VA_ARGS__, M_H26, M_H25, M_H24, M_H23, M_H22, M_H21, M_H20, M_H19, M_H18, M_H17, \
    M_H16, M_H15, M_H14, M_H13, M_H12, M_H11, M_H10, M_H9, M_H8, M_H7, M_H6, M_H5, M_H4, M_H3, M_H2, M_H1, \
    )(x, __VA_ARGS__)

M_FN uint32_t m_bits_f32(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
M_FN uint64_t m_bits_f64(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }
M_FN float m_from_bits_f32(uint32_t u) { float x; memcpy(&x, &u, 4); return x; }
M_FN double m_from_bits_f64(uint64_t u) { double x; memcpy(&x, &u, 8); return x; }

/* Functions that need a scalar routine for a few arguments (sin of 1e10) take `far`:
     NULL                  compute, whatever the argument: has branches;
     first pass            *far becomes 1 if some argument needs the routine; the value is not used;
     second pass           *far was 0: no branches.
   The loops shadow m_far (see M_GUARDED in loops.h); elsewhere it is NULL. */
typedef struct { int first, found; } m_far_t;
#if !defined(__CUDACC__)
static m_far_t *const m_far
#ifdef __GNUC__
    __attribute__((unused))
#endif
    = 0;
#define M_FAR m_far
#else
#define M_FAR ((m_far_t *)0)
#endif


/* a - a * b.  Where a was chosen from two values the compiler joins the product and the difference in vectors, but not
   always in the rest of a loop: an element's value may not depend on where it stands. */
#ifdef __FMA__
#define M_LESS_F32(a, b) __builtin_fmaf(-(a), b, a)
#define M_LESS_F64(a, b) __builtin_fma(-(a), b, a)
#else
#define M_LESS_F32(a, b) ((a) - (a) * (b))
#define M_LESS_F64(a, b) ((a) - (a) * (b))
#endif
#include "math_f32.h"
#include "math_f64.h"

/* Whole-number helpers: nothing traps, whatever the operands. */
M_FN int64_t m_idiv_i64(int64_t x, int64_t y) {          /* toward zero; x / 0 = 0 */
    return y == 0 ? 0 : y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}
M_FN int64_t m_imod_i64(int64_t x, int64_t y) {          /* the divisor's sign; x mod 0 = 0 */
    int64_t r = y == 0 || y == -1 ? 0 : x % y;
    return r != 0 && (r ^ y) < 0 ? r + y : r;
}
/* Shorter operands divide in floating point, which vectorises: no quotient is rounded up to a whole number. */
M_FN int32_t m_idiv_i32(int32_t x, int32_t y) {
    double q = (double)x / (y == 0 ? 1.0 : (double)y);
    q = q > 2147483647.0 ? -2147483648.0 : q;            /* the minimum over -1 */
    return y == 0 ? 0 : (int32_t)q;
}
M_FN int32_t m_imod_i32(int32_t x, int32_t y) {
    double d = y == 0 || y == -1 ? 1.0 : (double)y, a = (double)x, r = a - floor(a / d) * d;
    return (int32_t)r;
}
M_FN int32_t m_idiv_i8(int32_t x, int32_t y) {
    float q = (float)x / (float)(y == 0 ? 1 : y);
    return y == 0 ? 0 : (int32_t)q;
}
M_FN int32_t m_imod_i8(int32_t x, int32_t y) {
    int32_t r = x - m_idiv_i8(x, y) * y;
    r = y == 0 ? 0 : r;
    return r != 0 && (r ^ y) < 0 ? r + y : r;
}
M_FN int64_t m_ipow_i64(int64_t x, int64_t y) {          /* modulo 2^64; 0 ** negative is set by M_IPOW */
    uint64_t b = (uint64_t)x, r = 1;
    if (y < 0) return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0;
    for (uint64_t e = (uint64_t)y; e; e >>= 1, b *= b)
        if (e & 1) r *= b;
    return (int64_t)r;
}

#ifdef __cplusplus
#define M_UNARY(name) \
    M_FN float m_##name(float x) { return m_##name##_f32(x); } \
    M_FN double m_##name(double x) { return m_##name##_f64(x); }
#define M_BINARY(name) \
    M_FN float m_##name(float x, float y) { return m_##name##_f32(x, y); } \
    M_FN double m_##name(double x, double y) { return m_##name##_f64(x, y); }
#define M_FAR1(name) \
    M_FN float m_##name(float x) { return m_##name##_f32(x, 0); } \
    M_FN double m_##name(double x) { return m_##name##_f64(x, 0); }
#define M_FAR2(name) \
    M_FN float m_##name(float x, float y) { return m_##name##_f32(x, y, 0); } \
    M_FN double m_##name(double x, double y) { return m_##name##_f64(x, y, 0); }
M_UNARY(exp) M_UNARY(expm1) M_UNARY(log) M_UNARY(log2) M_UNARY(log10) M_UNARY(log1p) M_UNARY(sqrt) M_UNARY(rsqrt)
M_UNARY(cbrt) M_UNARY(rcbrt) M_UNARY(arcsin) M_UNARY(arccos) M_UNARY(arctan) M_UNARY(sinh) M_UNARY(cosh)
M_UNARY(tanh) M_UNARY(arcsinh) M_UNARY(arccosh) M_UNARY(arctanh) M_UNARY(erf) M_UNARY(erfinv) M_UNARY(gamma)
M_UNARY(gammaln) M_UNARY(digamma) M_UNARY(sigmoid) M_UNARY(softrelu) M_UNARY(floor) M_UNARY(ceil) M_UNARY(trunc)
M_UNARY(round) M_UNARY(rint) M_UNARY(abs) M_BINARY(pow) M_BINARY(hypot) M_BINARY(polygamma)
M_FAR1(sin) M_FAR1(cos) M_FAR1(tan)
M_FAR2(mod)
#define M_INTEGER(type, wide, suffix) \
    M_FN type m_idiv(type x, type y) { return (type)m_idiv_##suffix((wide)x, (wide)y); } \
    M_FN type m_imod(type x, type y) { return (type)m_imod_##suffix((wide)x, (wide)y); } \
    M_FN type m_ipow(type x, type y) { \
        return x == 0 && (int64_t)y < 0 ? (type)((uint64_t)1 << (8 * sizeof(type) - 1)) \
                                        : (type)m_ipow_i64((int64_t)x, (int64_t)y); }
M_INTEGER(int8_t, int32_t, i8) M_INTEGER(uint8_t, int32_t, i8) M_INTEGER(int32_t, int32_t, i32)
M_INTEGER(int64_t, int64_t, i64)
#else
#define M_OF(name, x) _Generic((x), float: m_##name##_f32, double: m_##name##_f64)
#define m_exp(x) M_OF(exp, x)(x)
#define m_expm1(x) M_OF(expm1, x)(x)
#define m_log(x) M_OF(log, x)(x)
#define m_log2(x) M_OF(log2, x)(x)
#define m_log10(x) M_OF(log10, x)(x)
#define m_log1p(x) M_OF(log1p, x)(x)
#define m_sqrt(x) M_OF(sqrt, x)(x)
#define m_rsqrt(x) M_OF(rsqrt, x)(x)
#define m_cbrt(x) M_OF(cbrt, x)(x)
#define m_rcbrt(x) M_OF(rcbrt, x)(x)
#define m_sin(x) M_OF(sin, x)(x, M_FAR)
#define m_cos(x) M_OF(cos, x)(x, M_FAR)
#define m_tan(x) M_OF(tan, x)(x, M_FAR)
#define m_arcsin(x) M_OF(arcsin, x)(x)
#define m_arccos(x) M_OF(arccos, x)(x)
#define m_arctan(x) M_OF(arctan, x)(x)
#define m_sinh(x) M_OF(sinh, x)(x)
#define m_cosh(x) M_OF(cosh, x)(x)
#define m_tanh(x) M_OF(tanh, x)(x)
#define m_arcsinh(x) M_OF(arcsinh, x)(x)
#define m_arccosh(x) M_OF(arccosh, x)(x)
#define m_arctanh(x) M_OF(arctanh, x)(x)
#define m_erf(x) M_OF(erf, x)(x)
#define m_erfinv(x) M_OF(erfinv, x)(x)
#define m_gamma(x) M_OF(gamma, x)(x)
#define m_gammaln(x) M_OF(gammaln, x)(x)
#define m_digamma(x) M_OF(digamma, x)(x)
#define m_sigmoid(x) M_OF(sigmoid, x)(x)
#define m_softrelu(x) M_OF(softrelu, x)(x)
#define m_floor(x) M_OF(floor, x)(x)
#define m_ceil(x) M_OF(ceil, x)(x)
#define m_trunc(x) M_OF(trunc, x)(x)
#define m_round(x) M_OF(round, x)(x)
#define m_rint(x) M_OF(rint, x)(x)
#define m_abs(x) _Generic((x), float: m_abs_f32, double: m_abs_f64, int8_t: m_abs_i32, uint8_t: m_abs_i32, \
    int32_t: m_abs_i32, int64_t: m_abs_i64)(x)
#define m_pow(x, y) M_OF(pow, x)(x, y)
#define m_hypot(x, y) M_OF(hypot, x)(x, y)
#define m_polygamma(n, x) M_OF(polygamma, x)(n, x)
#define m_mod(x, y) M_OF(mod, x)(x, y, M_FAR)
#define M_IOF(name, x) _Generic((x), int8_t: m_##name##_i8, uint8_t: m_##name##_i8, int32_t: m_##name##_i32, \
    int64_t: m_##name##_i64)
#define m_idiv(x, y) M_IOF(idiv, x)(x, y)
#define m_imod(x, y) M_IOF(imod, x)(x, y)
#define m_ipow(x, y) \
    ((x) == 0 && (int64_t)(y) < 0 ? (int64_t)(~(uint64_t)0 << (8 * sizeof(x) - 1)) : m_ipow_i64(x, y))
#endif
M_FN int32_t m_abs_i32(int32_t x) { return x < 0 ? (int32_t)(0 - (uint32_t)x) : x; }
M_FN int64_t m_abs_i64(int64_t x) { return x < 0 ? (int64_t)(0 - (uint64_t)x) : x; }
#endif
