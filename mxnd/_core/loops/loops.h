/* Elementwise loops: one per expression of elementwise_list.h and element type, made by the preprocessor and
   vectorised by the compiler.  The same file is compiled once per instruction set.

     MXND_UNARY_LIST(F, G, H)   F(name, expr): every type uses the expression; G(name, expr): integers compute in double
                                and truncate; H(name, expr, iexpr): integers use iexpr
     MXND_PARAM_LIST(F, G, H)   the same, with two numbers P0 = b[0] and P1 = b[1]
     MXND_BINARY_LIST(F, G, H)  the same, with two operands

   In an expression x and y are the operands, T is their type, K(c) is the constant c as a T. */
#ifndef MXND_LOOPS_H
#define MXND_LOOPS_H
#include "casts.h"
#include "elementwise_list.h"

#define K(c) ((T)(c))
#define M_STORE(v) ((T)(v))
#define M_STORE_BOOL(v) ((v) != 0)
/* Does the expression contain a function with a scalar routine for far arguments?  A constant for the compiler. */
#define M_USES_FAR(...) (__builtin_strstr(#__VA_ARGS__, "m_far") != NULL)
#define M_SHADOW(first_) m_far_t far_ = {first_, 0}; m_far_t *const m_far = &far_; (void)m_far

/* o[i] = expr for i < m.  Where the expression asks for it, blocks are looked through first: those that hold a far
   argument (see m_far in math.h) take a scalar loop, so that the others can be vectorised. */
#define M_LOOP(STORE, LOAD, expr) \
    if (M_USES_FAR(expr)) { \
        for (ptrdiff_t from = 0, to; from < m; from = to) { \
            int found; \
            to = m - from < MXND_BLOCK ? m : from + MXND_BLOCK; \
            { M_SHADOW(1); for (ptrdiff_t i = from; i < to; i++) { LOAD; (void)(expr); } found = far_.found; } \
            if (found) for (ptrdiff_t i = from; i < to; i++) { LOAD; o[i] = STORE(expr); } \
            else { M_SHADOW(0); _Pragma("GCC ivdep") \
                   for (ptrdiff_t i = from; i < to; i++) { LOAD; o[i] = STORE(expr); } } } \
    } else { M_SHADOW(0); _Pragma("GCC ivdep") for (ptrdiff_t i = 0; i < m; i++) { LOAD; o[i] = STORE(expr); } }
#define M_FILL if (m < n) { T v = o[0]; for (ptrdiff_t i = 1; i < n; i++) o[i] = v; }
#define M_ARGUMENTS const char *a_, ptrdiff_t sa, const char *b_, ptrdiff_t sb, char *o_, ptrdiff_t n

#define M_UNARY_LOOP(name, type, STORE, expr) \
static void name(M_ARGUMENTS) { \
    typedef type T; const T *a = (const T *)a_; T *o = (T *)o_; ptrdiff_t m = sa ? n : 1; \
    (void)b_, (void)sb; \
    if (n <= 0) return; \
    M_LOOP(STORE, T x = a[i]; (void)x, expr) M_FILL }
#define M_PARAM_LOOP(name, type, STORE, expr) \
static void name(M_ARGUMENTS) { \
    typedef type T; const T *a = (const T *)a_, *b = (const T *)b_; T *o = (T *)o_; ptrdiff_t m = sa ? n : 1; \
    T P0 = b[0], P1 = b[1]; \
    (void)sb, (void)P0, (void)P1; \
    if (n <= 0) return; \
    M_LOOP(STORE, T x = a[i]; (void)x, expr) M_FILL }
#define M_BINARY_LOOP(name, type, STORE, expr) \
static void name(M_ARGUMENTS) { \
    typedef type T; const T *a = (const T *)a_, *b = (const T *)b_; T *o = (T *)o_; ptrdiff_t m = sa || sb ? n : 1; \
    if (n <= 0) return; \
    if (sa == sb) { M_LOOP(STORE, T x = a[i]; T y = b[i]; (void)x; (void)y, expr) } \
    else if (sa) { T y = b[0]; (void)y; M_LOOP(STORE, T x = a[i]; (void)x, expr) } \
    else { T x = a[0]; (void)x; M_LOOP(STORE, T y = b[i]; (void)y, expr) } \
    M_FILL }

/* Longer expressions have one loop over two arrays; an operand with stride 0 is repeated in a block.  (gcc fails to
   vectorise some of them, pow for one, when an operand does not change; and it compiles them once, not three times.) */
typedef void (*m_pair)(const char *a, const char *b, char *o, ptrdiff_t m);
static void m_repeat(m_pair loop, int size, M_ARGUMENTS) {
    double block[MXND_BLOCK];
    char *t = (char *)block;
    if (n <= 0) return;
    if (sa == sb) {
        ptrdiff_t m = sa ? n : 1;
        loop(a_, b_, o_, m);
        for (ptrdiff_t i = m * size; i < n * size; i++) o_[i] = o_[i - size];
        return;
    }
    ptrdiff_t all = (n < MXND_BLOCK ? n : MXND_BLOCK) * size;
    memcpy(t, sa ? b_ : a_, (size_t)size);
    for (ptrdiff_t i = size; i < all; i *= 2) memcpy(t + i, t, (size_t)(2 * i < all ? i : all - i));
    for (ptrdiff_t i = 0; i < n; i += MXND_BLOCK) {
        ptrdiff_t m = n - i < MXND_BLOCK ? n - i : MXND_BLOCK;
        loop(sa ? a_ + i * size : t, sb ? b_ + i * size : t, o_ + i * size, m);
    }
}
#define M_REPEAT_LOOP(name, type, STORE, expr) \
static void name##_pair(const char *a_, const char *b_, char *o_, ptrdiff_t m) { \
    typedef type T; const T *a = (const T *)a_, *b = (const T *)b_; T *o = (T *)o_; \
    M_LOOP(STORE, T x = a[i]; T y = b[i]; (void)x; (void)y, expr) } \
static void name(M_ARGUMENTS) { m_repeat(name##_pair, sizeof(type), a_, sa, b_, sb, o_, n); }

/* Run a loop of a wider type on blocks: 16-bit floats in float32, integers in double.  `nb`: elements of b when
   sb = 0 (0 unary, 2 parameters, 1 binary). */
static void m_through(mxnd_loop loop, int type, int wide, int size, int nb, M_ARGUMENTS) {
    double wa[MXND_BLOCK], wb[MXND_BLOCK];
    mxnd_loop widen = mxnd_cast[type][wide], narrow = mxnd_cast[wide][type];
    char *pa = (char *)wa, *pb = (char *)wb;
    if (n <= 0) return;
    if (nb && !sb) widen(b_, 1, NULL, 0, pb, nb);
    if (!sa) widen(a_, 1, NULL, 0, pa, 1);
    ptrdiff_t m = sa || sb ? n : 1;
    for (ptrdiff_t i = 0, k; i < m; i += k) {
        double wo[MXND_BLOCK];
        char *po = (char *)wo;
        k = m - i < MXND_BLOCK ? m - i : MXND_BLOCK;
        if (sa) widen(a_ + i * size, 1, NULL, 0, pa, k);
        if (sb) widen(b_ + i * size, 1, NULL, 0, pb, k);
        loop(pa, sa, pb, sb, po, k);
        narrow(po, 1, NULL, 0, o_ + i * size, k);
    }
    for (ptrdiff_t i = m * size; i < n * size; i++) o_[i] = o_[i - size];
}
#define M_THROUGH(to, from, TYPE, WIDE, size, nb) \
static void to(M_ARGUMENTS) { m_through(from, TYPE, WIDE, size, nb, a_, sa, b_, nb ? sb : 0, o_, n); }
#define M_NARROW_FLOATS(name, nb) \
    M_THROUGH(mx_##name##_f16, mx_##name##_f32, MX_F16, MX_F32, 2, nb) \
    M_THROUGH(mx_##name##_bf16, mx_##name##_f32, MX_BF16, MX_F32, 2, nb)
#define M_FLOATS(LOOP, name, nb, expr) \
    LOOP(mx_##name##_f32, float, M_STORE, expr) LOOP(mx_##name##_f64, double, M_STORE, expr) M_NARROW_FLOATS(name, nb)
#define M_INTEGERS(LOOP, name, expr) \
    LOOP(mx_##name##_u8, uint8_t, M_STORE, expr) LOOP(mx_##name##_i32, int32_t, M_STORE, expr) \
    LOOP(mx_##name##_i8, int8_t, M_STORE, expr) LOOP(mx_##name##_i64, int64_t, M_STORE, expr) \
    LOOP(mx_##name##_bool, uint8_t, M_STORE_BOOL, expr)
#define M_INTEGERS_IN_DOUBLE(name, nb) \
    M_THROUGH(mx_##name##_u8, mx_##name##_f64, MX_U8, MX_F64, 1, nb) \
    M_THROUGH(mx_##name##_i32, mx_##name##_f64, MX_I32, MX_F64, 4, nb) \
    M_THROUGH(mx_##name##_i8, mx_##name##_f64, MX_I8, MX_F64, 1, nb) \
    M_THROUGH(mx_##name##_i64, mx_##name##_f64, MX_I64, MX_F64, 8, nb)

#define M_FOR_F(LOOP, name, nb, expr) M_FLOATS(LOOP, name, nb, expr) M_INTEGERS(LOOP, name, expr)
#define M_FOR_G(LOOP, name, nb, expr) M_FLOATS(LOOP, name, nb, expr) M_INTEGERS_IN_DOUBLE(name, nb)
#define M_FOR_H(LOOP, name, nb, expr, iexpr) M_FLOATS(LOOP, name, nb, expr) M_INTEGERS(LOOP, name, iexpr)
#define M_UNARY_F(name, expr) M_FOR_F(M_UNARY_LOOP, name, 0, expr)
#define M_UNARY_G(name, expr) M_FOR_G(M_UNARY_LOOP, name, 0, expr)
#define M_UNARY_H(name, expr, iexpr) M_FOR_H(M_UNARY_LOOP, name, 0, expr, iexpr)
#define M_PARAM_F(name, expr) M_FOR_F(M_PARAM_LOOP, name, 2, expr)
#define M_PARAM_G(name, expr) M_FOR_G(M_PARAM_LOOP, name, 2, expr)
#define M_PARAM_H(name, expr, iexpr) M_FOR_H(M_PARAM_LOOP, name, 2, expr, iexpr)
#define M_BINARY_F(name, expr) M_FOR_F(M_BINARY_LOOP, name, 1, expr)
#define M_BINARY_G(name, expr) M_FOR_G(M_REPEAT_LOOP, name, 1, expr)
#define M_BINARY_H(name, expr, iexpr) M_FOR_H(M_REPEAT_LOOP, name, 1, expr, iexpr)
MXND_UNARY_LIST(M_UNARY_F, M_UNARY_G, M_UNARY_H)
MXND_PARAM_LIST(M_PARAM_F, M_PARAM_G, M_PARAM_H)
MXND_BINARY_LIST(M_BINARY_F, M_BINARY_G, M_BINARY_H)

#define M_ROW(name, ...) {#name, { \
    [MX_F32] = mx_##name##_f32, [MX_F64] = mx_##name##_f64, [MX_F16] = mx_##name##_f16, [MX_U8] = mx_##name##_u8, \
    [MX_I32] = mx_##name##_i32, [MX_I8] = mx_##name##_i8, [MX_I64] = mx_##name##_i64, __VA_ARGS__ \
    [MX_BF16] = mx_##name##_bf16}},
#define M_ROW_F(name, expr) M_ROW(name, [MX_BOOL] = mx_##name##_bool,)
#define M_ROW_G(name, expr) M_ROW(name, )
#define M_ROW_H(name, expr, iexpr) M_ROW(name, [MX_BOOL] = mx_##name##_bool,)
static const mxnd_row mxnd_rows[] = {
    MXND_UNARY_LIST(M_ROW_F, M_ROW_G, M_ROW_H)
    MXND_PARAM_LIST(M_ROW_F, M_ROW_G, M_ROW_H)
    MXND_BINARY_LIST(M_ROW_F, M_ROW_G, M_ROW_H)
    {NULL, {NULL}}};
#undef K
#endif
