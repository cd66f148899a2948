/* Padding: rows of the padded array come from rows of the inner one through maps of places. */
#ifndef MXND_PAD_H
#define MXND_PAD_H
#include "movement.h"

enum { PAD_CONSTANT, PAD_EDGE, PAD_REFLECT };
#define MX_PAD_AXES 16

/* `lead` planes; k padded axes of a plane; `block` elements that stay together. */
typedef struct {
    int mode, k, item, type, stream;
    ptrdiff_t lead, block, size[MX_PAD_AXES], before[MX_PAD_AXES], full[MX_PAD_AXES];
    ptrdiff_t rows, plane_in, plane_out;              /* rows of a padded plane; elements of the planes */
    char one[8];
} mx_pad;

/* Reads [mode, lead, block, k, sizes, before, after]; returns 0 when there are too many axes. */
static inline int pad_plan(mx_pad *p, const int64_t *i, int type, int item) {
    p->mode = (int)i[0];
    p->lead = i[1];
    p->block = i[2];
    p->k = (int)i[3];
    p->type = type;
    p->item = item;
    if (p->k > MX_PAD_AXES) return 0;
    p->rows = 1;
    p->plane_in = p->plane_out = p->block;
    for (int a = 0; a < p->k; a++) {
        p->size[a] = i[4 + a];
        p->before[a] = i[4 + p->k + a];
        p->full[a] = p->size[a] + p->before[a] + i[4 + 2 * p->k + a];
        p->plane_in *= p->size[a];
        p->plane_out *= p->full[a];
        if (a < p->k - 1) p->rows *= p->full[a];
    }
    p->stream = p->lead * p->plane_out * item >= MX_STREAM;
    return 1;
}

/* Where place j of padded axis a comes from, or -1 for the constant. */
static inline ptrdiff_t pad_source(const mx_pad *p, int a, ptrdiff_t j) {
    ptrdiff_t n = p->size[a], i = j - p->before[a];
    if (i >= 0 && i < n) return i;
    if (p->mode == PAD_CONSTANT) return -1;
    if (p->mode == PAD_EDGE) return i < 0 ? 0 : n - 1;
    return i < 0 ? -i : 2 * n - 2 - i;
}

/* First element of the inner row that this padded row shows, or -1. */
static inline ptrdiff_t pad_row_source(const mx_pad *p, ptrdiff_t row) {
    ptrdiff_t at = 0, scale = p->block * p->size[p->k - 1];
    for (int a = p->k - 2; a >= 0; a--) {
        ptrdiff_t i = pad_source(p, a, row % p->full[a]);
        if (i < 0) return -1;
        at += i * scale;
        scale *= p->size[a];
        row /= p->full[a];
    }
    return at;
}

/* Units (rows of all planes) [first, last). */
static void pad_part(const mx_pad *p, char *o, const char *s, ptrdiff_t first, ptrdiff_t last) {
    int x = p->k - 1, item = p->item;
    ptrdiff_t n = p->size[x], full = p->full[x], left = p->before[x], right = full - left - n, block = p->block * item;
    o += first * full * block;
    for (ptrdiff_t unit = first; unit < last; unit++, o += full * block) {
        ptrdiff_t at = pad_row_source(p, unit % p->rows);
        if (at < 0) {
            fill(o, p->one, full * p->block, item);
            continue;
        }
        const char *row = s + (unit / p->rows * p->plane_in + at) * item;
        if (p->mode == PAD_CONSTANT) {
            if (left) fill(o, p->one, left * p->block, item);
            if (right) fill(o + (left + n) * block, p->one, right * p->block, item);
        } else {
            for (ptrdiff_t j = 0; j < left; j++) memcpy(o + j * block, row + pad_source(p, x, j) * block, (size_t)block);
            for (ptrdiff_t j = left + n; j < full; j++) memcpy(o + j * block, row + pad_source(p, x, j) * block, (size_t)block);
        }
        if (p->stream) stream_row(o + left * block, row, (size_t)(n * block));
        else memcpy(o + left * block, row, (size_t)(n * block));
    }
    stream_done(p->stream);
}

/* The adjoint on planes [first, last): every padded place adds to the place that it showed. */
#define MX_PAD_BACK(T)                                                                                      \
    static void pad_back_##T(const mx_pad *p, T *o, const T *g, ptrdiff_t first, ptrdiff_t last) {          \
        int x = p->k - 1;                                                                                   \
        ptrdiff_t full = p->full[x], b = p->block;                                                          \
        for (ptrdiff_t plane = first; plane < last; plane++) {                                              \
            T *mine = o + plane * p->plane_in;                                                              \
            const T *from = g + plane * p->plane_out;                                                       \
            memset(mine, 0, (size_t)p->plane_in * sizeof(T));                                               \
            for (ptrdiff_t row = 0; row < p->rows; row++, from += full * b) {                               \
                ptrdiff_t at = pad_row_source(p, row);                                                      \
                if (at < 0) continue;                                                                       \
                for (ptrdiff_t j = 0; j < full; j++) {                                                      \
                    ptrdiff_t i = pad_source(p, x, j);                                                      \
                    if (i < 0) continue;                                                                    \
                    for (ptrdiff_t e = 0; e < b; e++) mine[at + i * b + e] += from[j * b + e];              \
                }                                                                                           \
            }                                                                                               \
        }                                                                                                   \
    }
MX_PAD_BACK(float)
MX_PAD_BACK(double)
MX_PAD_BACK(int32_t)
MX_PAD_BACK(int64_t)
MX_PAD_BACK(uint8_t)

static inline void pad_back(const mx_pad *p, char *o, const char *g, ptrdiff_t first, ptrdiff_t last) {
    switch (p->type) {
    case MX_F32: pad_back_float(p, (float *)o, (const float *)g, first, last); break;
    case MX_F64: pad_back_double(p, (double *)o, (const double *)g, first, last); break;
    case MX_I32: pad_back_int32_t(p, (int32_t *)o, (const int32_t *)g, first, last); break;
    case MX_I64: pad_back_int64_t(p, (int64_t *)o, (const int64_t *)g, first, last); break;
    default: pad_back_uint8_t(p, (uint8_t *)o, (const uint8_t *)g, first, last);
    }
}
#endif
