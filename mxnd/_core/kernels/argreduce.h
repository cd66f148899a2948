/* argmax and argmin along one axis of [outer, n, inner]. */
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
#define T uint8_t
#define W int32_t
#define N(name) name##_u8
#define FLOATING 0
#include "argreduce_type.h"
#define T int8_t
#define W int32_t
#define N(name) name##_i8
#define FLOATING 0
#include "argreduce_type.h"
#define T int32_t
#define W int32_t
#define N(name) name##_i32
#define FLOATING 0
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
    case MX_I32: ROW(i32, int32_t);
    case MX_I64: ROW(i64, int64_t);
    case MX_I8: ROW(i8, int8_t);
    default: ROW(u8, uint8_t);
    }
}
#define COLS(type, T) (smallest ? argmin_cols_##type((const T *)x, n, stride, k, place) \
                                : argmax_cols_##type((const T *)x, n, stride, k, place)); break
static void arg_cols(const char *x, P n, P stride, P k, int type, int smallest, int64_t *place) {
    switch (type) {
    case MX_F32: COLS(f32, float);
    case MX_F64: COLS(f64, double);
    case MX_I32: COLS(i32, int32_t);
    case MX_I64: COLS(i64, int64_t);
    case MX_I8: COLS(i8, int8_t);
    default: COLS(u8, uint8_t);
    }
}
#undef ROW
#undef COLS

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
