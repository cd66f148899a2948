/* argmax and argmin along one axis of [outer, n, inner], of float32, float64 and int64; other types are widened. */
#ifndef MXND_ARGREDUCE_H
#define MXND_ARGREDUCE_H
#include "reduce_store.h"

#define T float
#define W int32_t
#define N(name) name##_f32
#define FLOATING 1
#include "argreduce_type.h"
#define T double
#define W int64_t
#define N(name) name##_f64
#define FLOATING 1
#include "argreduce_type.h"
#define T int64_t
#define W int64_t
#define N(name) name##_i64
#define FLOATING 0
#include "argreduce_type.h"

#define ROW(type, T) return smallest ? argmin_row_##type((const T *)x, n) : argmax_row_##type((const T *)x, n)
static P arg_row(const char *x, P n, int type, int smallest) {
    switch (type) {
    case MX_F32: ROW(f32, float);
    case MX_F64: ROW(f64, double);
    default: ROW(i64, int64_t);
    }
}
#define COLS(type, T) (smallest ? argmin_cols_##type((const T *)x, n, stride, k, place) \
                                : argmax_cols_##type((const T *)x, n, stride, k, place)); break
static void arg_cols(const char *x, P n, P stride, P k, int type, int smallest, int64_t *place) {
    switch (type) {
    case MX_F32: COLS(f32, float);
    case MX_F64: COLS(f64, double);
    default: COLS(i64, int64_t);
    }
}
#undef ROW
#undef COLS

static void *widen_all(const mxnd_tensor *x, void *to) {
    P item = item_of(x->type);
    for (P at = 0; at < x->size; at += WIDE) {
        P n = x->size - at < WIDE ? x->size - at : WIDE;
        widen(x->data + at * item, (wide_t *)((char *)to + at * (is_float(x->type) ? 4 : 8)), 0, n, x->type);
    }
    return to;
}

/* Outputs first..last of the [outer, inner] positions. */
static void arg_range(const char *x, P n, P inner, int type, int smallest, mxnd_tensor *out, P first, P last) {
    int64_t place[256];
    P item = item_of(type);
    for (P i = first; i < last; ) {
        P o = i / inner, j = i % inner, m = last - i < 256 ? last - i : 256;
        if (inner == 1) {
            for (P a = 0; a < m; a++) place[a] = arg_row(x + (i + a) * n * item, n, type, smallest);
        } else {
            m = m < inner - j ? m : inner - j;
            arg_cols(x + (o * n * inner + j) * item, n, inner, m, type, smallest, place);
        }
        store_i(place, m, out->data, i, out->type);
        i += m;
    }
}
#endif
