/* Taking and adding elements by places along one axis, and counting elements by ranges. */
#ifndef MXND_ALONG_H
#define MXND_ALONG_H
#include "elements.h"

static inline P place_at(const mxnd_tensor *t, P i, P n) {
    double v;
    P k;
    if (t->type == MX_I64) k = (P)((const int64_t *)t->data)[i];
    else v = element(t->data, i, t->type), k = v > -1e18 && v < 1e18 ? (P)v : v > 0 ? n : -1;
    return k < 0 || k >= n ? -1 : k;
}
/* out[o, i, j] = x[o, index[o, i, j], j]; returns the position of the first index out of range, or -1. */
static P take_along(const mxnd_tensor *x, const mxnd_tensor *index, mxnd_tensor *out, P n, P k, P inner) {
    P item = item_of(x->type);
    for (P i = 0; i < out->size; i++) {
        P p = place_at(index, i, n), from;
        if (p < 0) return i;
        from = (i / (k * inner) * n + p) * inner + i % inner;
        memcpy(out->data + i * item, x->data + from * item, (size_t)item);
    }
    return -1;
}
#define ADD(T, W) ((T *)out->data)[to] = (T)((W)((T *)out->data)[to] + (W)((const T *)g->data)[i]); break
#define ADD16(wide, narrow) \
    ((uint16_t *)out->data)[to] = narrow(wide(((uint16_t *)out->data)[to]) + wide(((const uint16_t *)g->data)[i])); break
/* out[o, index[o, i, j], j] += g[o, i, j], from zero. */
static P put_along(const mxnd_tensor *g, const mxnd_tensor *index, mxnd_tensor *out, P n, P k, P inner) {
    memset(out->data, 0, (size_t)(out->size * item_of(out->type)));
    for (P i = 0; i < g->size; i++) {
        P p = place_at(index, i, n), to;
        if (p < 0) return i;
        to = (i / (k * inner) * n + p) * inner + i % inner;
        switch (g->type) {
        case MX_F32: ADD(float, float);
        case MX_F64: ADD(double, double);
        case MX_F16: ADD16(half_to_float1, float_to_half1);
        case MX_BF16: ADD16(bfloat_to_float1, float_to_bfloat1);
        case MX_I32: ADD(int32_t, uint32_t);
        case MX_I64: ADD(int64_t, uint64_t);
        case MX_BOOL: ((uint8_t *)out->data)[to] |= ((const uint8_t *)g->data)[i]; break;
        default: ADD(uint8_t, uint8_t);
        }
    }
    return -1;
}
#undef ADD
#undef ADD16

/* ---- histogram: bins of equal width between low and high, or between given edges; the last one is closed ---- */
static void even_edges(mxnd_tensor *edges, P bins, double low, double high) {
    for (P i = 0; i <= bins; i++) {
        double e = i == bins ? high : low + (double)i * (high - low) / (double)bins;
        store_f(&e, 1, edges->data, i, edges->type);
    }
}
static void count_into(const mxnd_tensor *x, const mxnd_tensor *edges, int64_t *counts, P bins, int even) {
    double low = element(edges->data, 0, edges->type), high = element(edges->data, bins, edges->type);
    memset(counts, 0, (size_t)bins * 8);
    for (P i = 0; i < x->size; i++) {
        double v = element(x->data, i, x->type);
        P b = 0, end = bins;
        if (!(v >= low && v <= high)) continue;
        if (even && high > low) {                        /* a guess, put right by the edges as they were rounded */
            b = (P)((v - low) / (high - low) * (double)bins);
            b = b < bins ? b : bins - 1;
            while (b > 0 && v < element(edges->data, b, edges->type)) b--;
            while (b + 1 < bins && v >= element(edges->data, b + 1, edges->type)) b++;
        } else {
            while (end - b > 1) {
                P middle = b + (end - b) / 2;
                if (v >= element(edges->data, middle, edges->type)) b = middle;
                else end = middle;
            }
        }
        counts[b]++;
    }
}
#endif
