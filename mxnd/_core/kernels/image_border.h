/* Borders around images. */
#ifndef MXND_IMAGE_BORDER_H
#define MXND_IMAGE_BORDER_H
#include "kernels/image.h"

enum { BORDER_CONSTANT, BORDER_REPLICATE, BORDER_REFLECT, BORDER_WRAP, BORDER_REFLECT_101 };

/* The old place that place p, counted from the first old one, repeats; -1: none. */
static P border_place(P p, P n, int type)
{
    if (p >= 0 && p < n)
        return p;
    if (type == BORDER_CONSTANT)
        return -1;
    if (type == BORDER_REPLICATE || n == 1)
        return p < 0 ? 0 : n - 1;
    const P period = type == BORDER_WRAP ? n : type == BORDER_REFLECT ? 2 * n : 2 * n - 2;
    const P m = (p % period + period) % period;
    return m < n ? m : type == BORDER_REFLECT ? 2 * n - 1 - m : 2 * n - 2 - m;
}

typedef struct { int type; P h, w, channels, top, left, nh, nw; } border_sizes;

static border_sizes border_read(const int64_t *i)
{
    return (border_sizes){(int)i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7]};
}

/* i: as border_read;  d: a number for each channel. */
static int border_copy(mxnd_call *c)
{
    const border_sizes b = border_read(c->i);
    const P item = item_of(c->in->type), pixel = b.channels * item;
    if (!c->out->size)
        return MX_OK;
    char *fill = c->take((size_t)pixel);
    if (!fill)
        return MX_MEMORY_ERROR;
    store_f(c->d, b.channels, fill, 0, c->in->type);
    for (P i = 0; i < b.nh; i++) {
        const P y = border_place(i - b.top, b.h, b.type);
        for (P j = 0; j < b.nw; j++) {
            const P x = border_place(j - b.left, b.w, b.type);
            memcpy(c->out->data + (i * b.nw + j) * pixel, y < 0 || x < 0 ? fill : c->in->data + (y * b.w + x) * pixel, (size_t)pixel);
        }
    }
    c->give(fill);
    return MX_OK;
}

static int border_add(mxnd_call *c)
{
    const border_sizes b = border_read(c->i);
    memset(c->out->data, 0, (size_t)(c->out->size * item_of(c->out->type)));
    for (P i = 0; i < (c->in->size ? b.nh : 0); i++) {
        const P y = border_place(i - b.top, b.h, b.type);
        for (P j = 0; j < b.nw; j++) {
            const P x = border_place(j - b.left, b.w, b.type), from = (i * b.nw + j) * b.channels, to = (y * b.w + x) * b.channels;
            if (y < 0 || x < 0)
                continue;
            for (P k = 0; k < b.channels; k++)
                if (c->out->type == MX_F64)
                    ((double *)c->out->data)[to + k] += ((const double *)c->in->data)[from + k];
                else
                    ((float *)c->out->data)[to + k] += ((const float *)c->in->data)[from + k];
        }
    }
    return MX_OK;
}
#endif
