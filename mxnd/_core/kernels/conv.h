/* Convolution, and what its gradients need, for 1 to 3 spatial axes, channels before pixels.
 *
 * Everywhere x is the larger image (n, c, in), w the filters (f, c / groups, kernel) and y the image that the
 * filters give (n, f, out), whichever of them a kernel computes:
 *   forward   y from x and w          (Convolution)
 *   data      x from y and w          (its gradient for the data; Deconvolution)
 *   weight    w from x and y          (its gradient for the filters)
 * All are matrix products with the columns of x: row k holds, for every pixel of y, the number that element k of
 * a filter meets.  Only tiles of the columns are ever made, in scratch memory that stays in cache. */
#ifndef MXND_CONV_H
#define MXND_CONV_H
#include "matmul.h"
#include "pooling.h"

typedef struct {
    ptrdiff_t n, c, f, groups;
    ptrdiff_t in[3], out[3], ker[3], str[3], dil[3], pad[3];      /* depth, height, width; 1, 1, 1, 1, 0 if missing */
} conv_geometry;

/* From the call's numbers, in the order of the structure. */
static inline conv_geometry conv_read(const int64_t *i)
{
    conv_geometry g = {i[0], i[1], i[2], i[3]};
    for (int a = 0; a < 3; a++) {
        g.in[a] = i[4 + a], g.out[a] = i[7 + a], g.ker[a] = i[10 + a];
        g.str[a] = i[13 + a], g.dil[a] = i[16 + a], g.pad[a] = i[19 + a];
    }
    return g;
}

static inline ptrdiff_t conv_volume(const ptrdiff_t *s) { return s[0] * s[1] * s[2]; }

/* Pixels of y along one axis that meet the image at element k of the filter: from .. to. */
static inline void conv_span(const conv_geometry *g, int axis, ptrdiff_t k, ptrdiff_t *from, ptrdiff_t *to)
{
    ptrdiff_t first = g->pad[axis] - k * g->dil[axis], s = g->str[axis], end = g->in[axis] + first;
    ptrdiff_t a = first <= 0 ? 0 : s == 1 ? first : (first + s - 1) / s, b = end <= 0 ? 0 : s == 1 ? end : (end + s - 1) / s;
    b = MM_MIN(b, g->out[axis]);
    *from = MM_MIN(a, b);
    *to = b;
}

/* The pixel of y that is `steps` pixels away from pixel 0, where windows are s apart and y has n; -1 for none. */
static inline ptrdiff_t conv_met(ptrdiff_t steps, ptrdiff_t s, ptrdiff_t n)
{
    if (steps < 0 || (s != 1 && steps % s))
        return -1;
    const ptrdiff_t at = s == 1 ? steps : steps / s;
    return at < n ? at : -1;
}

/* Threads worth using for this many multiplications. */
static inline int conv_threads(double work, int threads)
{
    double most = work / 65536.0;
    return most < threads ? MM_MAX((int)most, 1) : threads;
}

static inline double conv_work(const conv_geometry *g)
{
    return (double)g->n * (double)g->f * (double)conv_volume(g->out) * (double)(g->c / g->groups * conv_volume(g->ker));
}

/* The geometry under which the gradient for the data is itself a convolution (with turned filters), if it is. */
static inline int conv_turned(const conv_geometry *g, conv_geometry *t)
{
    *t = (conv_geometry){g->n, g->f, g->c, g->groups};
    for (int a = 0; a < 3; a++) {
        t->in[a] = g->out[a], t->out[a] = g->in[a], t->ker[a] = g->ker[a], t->str[a] = 1, t->dil[a] = g->dil[a];
        t->pad[a] = g->dil[a] * (g->ker[a] - 1) - g->pad[a];
        if (g->str[a] != 1 || t->pad[a] < 0 || g->in[a] != g->out[a] + g->dil[a] * (g->ker[a] - 1) - 2 * g->pad[a])
            return 0;
    }
    return 1;
}

/* Whether direct loops win: one channel and few filters in a group. */
static inline int conv_depthwise(const conv_geometry *g)
{
    return g->c == g->groups && g->groups > 1 && g->f / g->groups <= 4;
}

#define MM_TYPE f32
#define T float
#define ITYPE int32_t
#include "conv_type.h"
#include "conv_direct.h"
#undef MM_TYPE
#undef T
#undef ITYPE
#define MM_TYPE f64
#define T double
#define ITYPE int64_t
#include "conv_type.h"
#include "conv_direct.h"
#undef MM_TYPE
#undef T
#undef ITYPE

#endif
