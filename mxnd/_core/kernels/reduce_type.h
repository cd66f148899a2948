/* Reduction loops for one element type: rows reduce runs of contiguous elements, cols add up whole rows.
   Included by reduce.h with T, N (names), FLOATING, the accumulators S (sums: double or uint64_t, which wraps) and A (extremes:
   double or int64_t), and the lane types LS (sums), LQ (squares) and LP (products). */

/* One contiguous run.  Long ones of floats go as four streams, which hides the latency of the additions; each block of
   4096 elements is summed in the lane type and added to the accumulator. */
#define ADDITIVE(name, LANE, ID, MAP, OP, SYMBOL) \
static ALWAYS S N(name##_row)(const T *x, P n) { \
    S total = (S)ID; \
    P at = 0; \
    while (FLOATING && at + 1024 <= n) { \
        P m = n - at < 4096 ? n - at : 4096, q = m / 4; \
        const T *p = x + at; \
        LANE s0 = ID, s1 = ID, s2 = ID, s3 = ID; \
        PRAGMA(omp simd reduction(SYMBOL:s0, s1, s2, s3)) \
        for (P i = 0; i < q; i++) { \
            s0 = OP(s0, (LANE)MAP(p[i])); s1 = OP(s1, (LANE)MAP(p[i + q])); \
            s2 = OP(s2, (LANE)MAP(p[i + 2 * q])); s3 = OP(s3, (LANE)MAP(p[i + 3 * q])); \
        } \
        total = (S)OP(total, (S)OP(OP((S)s0, (S)s1), OP((S)s2, (S)s3))); \
        at += 4 * q; \
    } \
    while (at < n) { \
        P end = n - at < 4096 ? n : at + 4096; \
        LANE s0 = ID; \
        PRAGMA(omp simd reduction(SYMBOL:s0)) \
        for (P i = at; i < end; i++) s0 = OP(s0, (LANE)MAP(x[i])); \
        total = (S)OP(total, (S)s0); \
        at = end; \
    } \
    return total; \
} \
static ALWAYS void N(name##_fixed)(const T *x, P rows, const P n, S *acc) { \
    for (P i = 0; i < rows; i++) { \
        LANE s = (LANE)MAP(x[i * n]); \
        for (P j = 1; j < n; j++) s = OP(s, (LANE)MAP(x[i * n + j])); \
        acc[i] = (S)s; \
    } \
} \
/* Rows of a few floats: 64 rows side by side. */ \
static void N(name##_rows)(const void *data, P rows, P n, void *out) { \
    const T *x = data; \
    S *acc = out; \
    if (FLOATING && n == 8) N(name##_fixed)(x, rows, 8, acc); \
    else if (FLOATING && n == 4) N(name##_fixed)(x, rows, 4, acc); \
    else if (FLOATING && n < 16) \
        for (P i = 0; i < rows; i += 64) { \
            LANE s[64]; \
            const T *p = x + i * n; \
            P m = rows - i < 64 ? rows - i : 64; \
            for (int r = 0; r < 64; r++) s[r] = ID; \
            if (m == 64) \
                for (P j = 0; j < n; j++) \
                    for (int r = 0; r < 64; r++) s[r] = OP(s[r], (LANE)MAP(p[r * n + j])); \
            else \
                for (P j = 0; j < n; j++) \
                    for (P r = 0; r < m; r++) s[r] = OP(s[r], (LANE)MAP(p[r * n + j])); \
            for (P r = 0; r < m; r++) acc[i + r] = (S)s[r]; \
        } \
    else \
        for (P i = 0; i < rows; i++) acc[i] = N(name##_row)(x + i * n, n); \
} \
/* Eight rows at a time are added in the lane type, then once to the accumulators. */ \
static void N(name##_cols)(const void *data, P r, P stride, P k, void *out) { \
    const T *x = data; \
    S *restrict acc = out; \
    P i = 0; \
    for (; FLOATING && i + 8 <= r; i += 8) { \
        const T *p0 = x + i * stride, *p1 = p0 + stride, *p2 = p1 + stride, *p3 = p2 + stride; \
        const T *p4 = p3 + stride, *p5 = p4 + stride, *p6 = p5 + stride, *p7 = p6 + stride; \
        PRAGMA(omp simd) \
        for (P j = 0; j < k; j++) { \
            LANE a = OP((LANE)MAP(p0[j]), (LANE)MAP(p1[j])), b = OP((LANE)MAP(p2[j]), (LANE)MAP(p3[j])); \
            LANE c = OP((LANE)MAP(p4[j]), (LANE)MAP(p5[j])), d = OP((LANE)MAP(p6[j]), (LANE)MAP(p7[j])); \
            acc[j] = (S)OP(acc[j], (S)OP(OP(a, b), OP(c, d))); \
        } \
    } \
    for (; i < r; i++) { \
        const T *p = x + i * stride; \
        PRAGMA(omp simd) \
        for (P j = 0; j < k; j++) acc[j] = (S)OP(acc[j], (S)(LANE)MAP(p[j])); \
    } \
}

/* The extreme value.  A comparison drops NaN, so rows also note whether they saw one; a choice between two
   elements (PICK) keeps it. */
#define PICK(CMP, v, m) (((v) CMP (m)) | IS_NAN(v) ? (v) : (m))
#define EXTREME(name, CMP, SYMBOL) \
static ALWAYS A N(name##_row)(const T *x, P n) { \
    T m0 = x[0], m1 = m0, m2 = m0, m3 = m0; \
    int bad = IS_NAN(m0); \
    P at = 0; \
    while (FLOATING && at + 1024 <= n) { \
        P m = n - at < 4096 ? n - at : 4096, q = m / 4; \
        const T *p = x + at; \
        PRAGMA(omp simd reduction(SYMBOL:m0, m1, m2, m3) reduction(|:bad)) \
        for (P i = 0; i < q; i++) { \
            T a = p[i], b = p[i + q], c = p[i + 2 * q], d = p[i + 3 * q]; \
            m0 = a CMP m0 ? a : m0; m1 = b CMP m1 ? b : m1; m2 = c CMP m2 ? c : m2; m3 = d CMP m3 ? d : m3; \
            bad |= IS_NAN(a) | IS_NAN(b) | IS_NAN(c) | IS_NAN(d); \
        } \
        at += 4 * q; \
    } \
    if (at < n) { \
        PRAGMA(omp simd reduction(SYMBOL:m0) reduction(|:bad)) \
        for (P i = at; i < n; i++) { \
            T a = x[i]; \
            m0 = a CMP m0 ? a : m0; \
            bad |= IS_NAN(a); \
        } \
    } \
    m0 = m1 CMP m0 ? m1 : m0; m2 = m3 CMP m2 ? m3 : m2; \
    return bad ? A_NAN : (A)(m2 CMP m0 ? m2 : m0); \
} \
static void N(name##_rows)(const void *data, P rows, P n, void *out) { \
    const T *x = data; \
    A *acc = out; \
    if (FLOATING && n < 16) \
        for (P i = 0; i < rows; i += 64) { \
            T s[64]; \
            const T *p = x + i * n; \
            P m = rows - i < 64 ? rows - i : 64; \
            for (P r = 0; r < m; r++) s[r] = p[r * n]; \
            if (m == 64) \
                for (P j = 1; j < n; j++) \
                    for (int r = 0; r < 64; r++) { T v = p[r * n + j]; s[r] = PICK(CMP, v, s[r]); } \
            else \
                for (P j = 1; j < n; j++) \
                    for (P r = 0; r < m; r++) { T v = p[r * n + j]; s[r] = PICK(CMP, v, s[r]); } \
            for (P r = 0; r < m; r++) acc[i + r] = (A)s[r]; \
        } \
    else \
        for (P i = 0; i < rows; i++) acc[i] = N(name##_row)(x + i * n, n); \
} \
static void N(name##_cols)(const void *data, P r, P stride, P k, void *out) { \
    T best[1024]; \
    for (P c = 0; c < k && r; c += 1024) { \
        const T *x = (const T *)data + c; \
        A *acc = (A *)out + c; \
        P w = k - c < 1024 ? k - c : 1024, i = 1; \
        for (P j = 0; j < w; j++) best[j] = x[j]; \
        for (; i + 2 <= r; i += 2) { \
            const T *p = x + i * stride, *q = p + stride; \
            PRAGMA(omp simd) \
            for (P j = 0; j < w; j++) { \
                T v = p[j], u = q[j], m = best[j]; \
                m = PICK(CMP, v, m); \
                best[j] = PICK(CMP, u, m); \
            } \
        } \
        for (; i < r; i++) { \
            const T *p = x + i * stride; \
            PRAGMA(omp simd) \
            for (P j = 0; j < w; j++) { T v = p[j], m = best[j]; best[j] = PICK(CMP, v, m); } \
        } \
        for (P j = 0; j < w; j++) acc[j] = PICK(CMP, (A)best[j], acc[j]); \
    } \
}

#if FLOATING
#define IS_NAN(v) ((v) != (v))
#define A_NAN ((A)NAN)
#define NOT_NAN_OR_0(v) ((v) == (v) ? (v) : 0)
#define NOT_NAN_OR_1(v) ((v) == (v) ? (v) : 1)
#else
#define IS_NAN(v) 0
#define A_NAN 0
#endif
ADDITIVE(sum, LS, 0, SAME, PLUS, +)
ADDITIVE(prod, LP, 1, SAME, TIMES, *)
ADDITIVE(abs, LS, 0, MAGNITUDE, PLUS, +)
#define MAP_SQUARE(v) ((LQ)(v) * (LQ)(v))
ADDITIVE(square, LQ, 0, MAP_SQUARE, PLUS, +)
#undef MAP_SQUARE
#if FLOATING
ADDITIVE(nansum, LS, 0, NOT_NAN_OR_0, PLUS, +)
ADDITIVE(nanprod, LP, 1, NOT_NAN_OR_1, TIMES, *)
#endif
EXTREME(max, >, max)
EXTREME(min, <, min)
#undef ADDITIVE
#undef EXTREME
#undef PICK
#undef IS_NAN
#undef A_NAN
#undef NOT_NAN_OR_0
#undef NOT_NAN_OR_1
#undef T
#undef A
#undef N
#undef FLOATING
#undef LS
#undef LQ
#undef LP
#undef S
#undef MAGNITUDE
