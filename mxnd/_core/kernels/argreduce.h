/* argmax and argmin along one axis of [outer, n, inner], of any type. */
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

/* Types without loops of their own: blocks are widened, the best so far before the elements of the next block. */
static P arg_row_widened(const char *x, P n, int type, int smallest) {
    wide_t wide;
    const int to = is_float(type) ? MX_F32 : MX_I64;
    P item = item_of(type), place = 0;
    widen(x, &wide, 0, 1, type);
    for (P at = 1; at < n; at += WIDE - 1) {
        P m = n - at < WIDE - 1 ? n - at : WIDE - 1, better;
        widen(x + at * item, &wide, 1, m, type);
        better = arg_row((const char *)&wide, m + 1, to, smallest);
        if (better) {
            place = at + better - 1;
            if (to == MX_F32) wide.f[0] = wide.f[better];
            else wide.i[0] = wide.i[better];
        }
    }
    return place;
}
enum { ARG_COLS = 256, ARG_ROWS = WIDE / ARG_COLS };
static void arg_cols_widened(const char *x, P n, P stride, P k, int type, int smallest, int64_t *place) {
    wide_t wide;
    int64_t better[ARG_COLS];
    const int to = is_float(type) ? MX_F32 : MX_I64;
    P item = item_of(type);
    for (P c = 0; c < k; c += ARG_COLS) {
        P w = k - c < ARG_COLS ? k - c : ARG_COLS;
        widen(x + c * item, &wide, 0, w, type);
        for (P j = 0; j < w; j++) place[c + j] = 0;
        for (P at = 1; at < n; at += ARG_ROWS - 1) {
            P h = n - at < ARG_ROWS - 1 ? n - at : ARG_ROWS - 1;
            for (P i = 0; i < h; i++) widen(x + ((at + i) * stride + c) * item, &wide, (i + 1) * ARG_COLS, w, type);
            arg_cols((const char *)&wide, h + 1, ARG_COLS, w, to, smallest, better);
            for (P j = 0; j < w; j++) {
                P b = better[j];
                if (!b) continue;
                place[c + j] = at + b - 1;
                if (to == MX_F32) wide.f[j] = wide.f[b * ARG_COLS + j];
                else wide.i[j] = wide.i[b * ARG_COLS + j];
            }
        }
    }
}

static P arg_any_row(const char *x, P n, int type, int smallest) {
    return has_loops(type) ? arg_row(x, n, type, smallest) : arg_row_widened(x, n, type, smallest);
}

/* The better of two elements, the first if they are equal. */
static P arg_better(const char *x, P a, P b, int type, int smallest) {
    char two[16];
    P item = item_of(type);
    memcpy(two, x + a * item, item);
    memcpy(two + item, x + b * item, item);
    return arg_any_row(two, 2, type, smallest) ? b : a;
}

/* Outputs first..last of the [outer, inner] positions. */
static void arg_range(const char *x, P n, P inner, int type, int smallest, mxnd_tensor *out, P first, P last) {
    int64_t place[256];
    P item = item_of(type);
    for (P i = first; i < last; ) {
        P o = i / inner, j = i % inner, m = last - i < 256 ? last - i : 256;
        if (inner == 1) {
            for (P a = 0; a < m; a++) place[a] = arg_any_row(x + (i + a) * n * item, n, type, smallest);
        } else {
            m = m < inner - j ? m : inner - j;
            (has_loops(type) ? arg_cols : arg_cols_widened)(x + (o * n * inner + j) * item, n, inner, m, type, smallest, place);
        }
        store_i(place, m, out->data, i, out->type);
        i += m;
    }
}

/* One long row, on several threads; its place goes to output o. */
enum { ARG_PARTS = 256 };
static void arg_long_row(const char *x, P n, int type, int smallest, mxnd_tensor *out, P o, int threads) {
    int64_t place[ARG_PARTS];
    P item = item_of(type), parts = threads < ARG_PARTS ? threads : ARG_PARTS;
    parts = parts < n ? parts : n;
#pragma omp parallel for num_threads((int)parts) schedule(static, 1)
    for (P k = 0; k < parts; k++) {
        P from = n / parts * k, to = k + 1 == parts ? n : from + n / parts;
        place[k] = from + arg_any_row(x + from * item, to - from, type, smallest);
    }
    for (P k = 1; k < parts; k++) place[0] = arg_better(x, place[0], place[k], type, smallest);
    store_i(place, 1, out->data, o, out->type);
}
#endif
