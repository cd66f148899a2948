/* Running sums along one axis of [outer, n, inner], and the products of all the other elements. */
#ifndef MXND_SCAN_H
#define MXND_SCAN_H
#include "reduce_store.h"

/* ---- running sums of contiguous rows ----
   Vectors are summed within (log2 of the lanes steps); a block's base is kept in double. */
#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX2__)
#define LANES 8
#else
#define LANES 4
#endif
typedef float lanes_f __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t lanes_i __attribute__((vector_size(4 * LANES)));
#if LANES == 16
#define UP1 {16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
#define UP2 {16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}
#define UP4 {16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
#define UP8 {16, 16, 16, 16, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7}
#define LAST {15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15}
#elif LANES == 8
#define UP1 {8, 0, 1, 2, 3, 4, 5, 6}
#define UP2 {8, 8, 0, 1, 2, 3, 4, 5}
#define UP4 {8, 8, 8, 8, 0, 1, 2, 3}
#define LAST {7, 7, 7, 7, 7, 7, 7, 7}
#else
#define UP1 {4, 0, 1, 2}
#define UP2 {4, 4, 0, 1}
#define LAST {3, 3, 3, 3}
#endif
static void cumsum_row_f32(const float *x, float *o, P n) {
    const lanes_f zero = {0};
    double base = 0;
    P i = 0;
    while (i + LANES <= n) {
        P end = n - i < 1024 ? n : i + 1024;
        float start = (float)base;
        lanes_f carry = zero, offset = zero + start;
        for (; i + LANES <= end; i += LANES) {
            lanes_f v = *(const lanes_f *)(x + i);
            v += __builtin_shuffle(v, zero, (lanes_i)UP1);
            v += __builtin_shuffle(v, zero, (lanes_i)UP2);
#if LANES >= 8
            v += __builtin_shuffle(v, zero, (lanes_i)UP4);
#endif
#if LANES >= 16
            v += __builtin_shuffle(v, zero, (lanes_i)UP8);
#endif
            v += carry;
            *(lanes_f *)(o + i) = v + offset;
            carry = __builtin_shuffle(v, (lanes_i)LAST);
        }
        base += carry[0];
    }
    for (; i < n; i++) base += x[i], o[i] = (float)base;
}
#define SIMPLE(type, T, S) \
static void cumsum_row_##type(const T *x, T *o, P n) { \
    S sum = 0; \
    for (P i = 0; i < n; i++) sum += (S)x[i], o[i] = (T)sum; \
} \
/* Columns of [n, w] with rows `stride` apart. */ \
static void cumsum_cols_##type(const T *x, T *o, P n, P stride, P w) { \
    for (P c = 0; c < w; c += 512) { \
        S sum[512]; \
        P m = w - c < 512 ? w - c : 512; \
        for (P j = 0; j < m; j++) sum[j] = 0; \
        for (P i = 0; i < n; i++) { \
            const T *p = x + i * stride + c; \
            T *q = o + i * stride + c; \
            PRAGMA(omp simd) \
            for (P j = 0; j < m; j++) sum[j] += (S)p[j], q[j] = (T)sum[j]; \
        } \
    } \
}
#define cumsum_row_f32 cumsum_row_f32_plain
SIMPLE(f32, float, double)
#undef cumsum_row_f32
SIMPLE(f64, double, double)
SIMPLE(u8, uint8_t, uint8_t)
SIMPLE(i32, int32_t, uint32_t)
SIMPLE(i64, int64_t, uint64_t)
#undef SIMPLE

/* Rows or columns first..last of the [outer, inner] places; the type is that of the output. */
#define SCAN(type, T) \
    if (inner == 1) cumsum_row_##type((const T *)x + at, (T *)o + at, n); \
    else cumsum_cols_##type((const T *)x + at, (T *)o + at, n, inner, m); \
    break
static void cumsum_range(const char *x, char *o, P n, P inner, int type, P first, P last) {
    for (P i = first; i < last; ) {
        P j = i % inner, m = inner == 1 ? 1 : last - i < inner - j ? last - i : inner - j, at = i / inner * n * inner + j;
        switch (type) {
        case MX_F32: SCAN(f32, float);
        case MX_F64: SCAN(f64, double);
        case MX_I32: SCAN(i32, int32_t);
        case MX_I64: SCAN(i64, int64_t);
        default: SCAN(u8, uint8_t);
        }
        i += m;
    }
}
#undef SCAN

/* Any type to the type that a running sum is worked out in: float32 for 16-bit results. */
static void convert(const mxnd_tensor *x, P first, P last, void *out, int type) {
    double v[256];
    int64_t w[256];
    for (P i = first; i < last; i += 256) {
        P m = last - i < 256 ? last - i : 256;
        if (is_float(x->type)) {
            for (P j = 0; j < m; j++) v[j] = element(x->data, i + j, x->type);
            store_f(v, m, out, i, type);
        } else {
            for (P j = 0; j < m; j++)
                w[j] = x->type == MX_I64 ? ((const int64_t *)x->data)[i + j] : (int64_t)element(x->data, i + j, x->type);
            store_i(w, m, out, i, type);
        }
    }
}

/* ---- products of the others ----
   o[i] = product of x[j] over the places j != i of the same group; nothing is divided.  before: scratch of a group. */
static void others_group(const double *x, double *o, P n) {
    double p = 1;
    for (P i = 0; i < n; i++) o[i] = p, p *= x[i];
    p = 1;
    for (P i = n - 1; i >= 0; i--) o[i] *= p, p *= x[i];
}
/* Every place of the reduced groups of one output, in order: gathers to v or scatters from it. */
static P others_move(const group_t *g, int left, P at, double *v, P k, const mxnd_tensor *x, mxnd_tensor *out) {
    if (left == 0) {
        if (out) store_f(v + k, 1, out->data, at, out->type);
        else v[k] = element(x->data, at, x->type);
        return k + 1;
    }
    if (!g->reduced) return others_move(g + 1, left - 1, at, v, k, x, out);
    for (P i = 0; i < g->n; i++) k = others_move(g + 1, left - 1, at + i * g->stride, v, k, x, out);
    return k;
}
static void others_range(const reduce_t *r, const mxnd_tensor *x, mxnd_tensor *out, P first, P last, double *scratch) {
    for (P i = first; i < last; i++) {
        P at = 0, rest = i;
        for (int a = r->count - 1; a >= 0; a--)
            if (!r->g[a].reduced) at += rest % r->g[a].n * r->g[a].stride, rest /= r->g[a].n;
        others_move(r->g, r->count, at, scratch, 0, x, NULL);
        others_group(scratch, scratch + r->reduced, r->reduced);
        others_move(r->g, r->count, at, scratch + r->reduced, 0, x, out);
    }
}
#endif
