/* Pooling over windows of 1 to 3 axes, and what its gradients need.
 *
 * Data are (outer, depth, height, width, inner): inner is 1 for channels before pixels, and the number of
 * channels for channels last.  Rows are worked on as a whole, so that the loops run along memory. */
#ifndef MXND_POOLING_H
#define MXND_POOLING_H
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "call.h"

enum { POOL_MAX, POOL_AVG, POOL_SUM, POOL_LP };
enum { NO_PLACE = -1 };                       /* of a window without a number: see windows_type.h */
enum { QUARTERS = 1024 };                     /* numbers of lines that are combined at a time */

typedef struct {
    ptrdiff_t outer, inner, kind, power;      /* power: of lp */
    ptrdiff_t count_pad;                      /* avg divides by the window's size, padding included */
    ptrdiff_t old;                            /* as Pooling_v1: padding is zeros, ties share the gradient, avg divides by all */
    ptrdiff_t in[3], out[3], ker[3], str[3], pad[3];
} pool_geometry;

static inline pool_geometry pool_read(const int64_t *i)
{
    pool_geometry g = {i[0], i[1], i[2], i[3], i[4], i[5]};
    for (int a = 0; a < 3; a++)
        g.in[a] = i[6 + a], g.out[a] = i[9 + a], g.ker[a] = i[12 + a], g.str[a] = i[15 + a], g.pad[a] = i[18 + a];
    return g;
}

/* The part of window o that lies inside the data. */
static inline void pool_window(const pool_geometry *g, int axis, ptrdiff_t o, ptrdiff_t *from, ptrdiff_t *to)
{
    const ptrdiff_t start = o * g->str[axis] - g->pad[axis], end = start + g->ker[axis];
    *from = start < 0 ? 0 : start < g->in[axis] ? start : g->in[axis];
    *to = end < *from ? *from : end < g->in[axis] ? end : g->in[axis];
}

/* What window o contributes to the number that avg divides by. */
static inline ptrdiff_t pool_count(const pool_geometry *g, int axis, ptrdiff_t o)
{
    const ptrdiff_t start = o * g->str[axis] - g->pad[axis], end = start + g->ker[axis], edge = g->in[axis] + g->pad[axis];
    ptrdiff_t from, to;
    if (g->old)
        return g->ker[axis];
    if (g->count_pad)
        return start < edge ? (end < edge ? end : edge) - start : 0;
    pool_window(g, axis, o, &from, &to);
    return to - from;
}

static inline int pool_clipped(const pool_geometry *g, const ptrdiff_t *o)
{
    for (int a = 0; a < 3; a++) {
        const ptrdiff_t start = o[a] * g->str[a] - g->pad[a];
        if (start < 0 || (g->pad[a] && start + g->ker[a] > g->in[a]))
            return 1;
    }
    return 0;
}

/* Columns of the output that meet the data at element k of the window along the last axis. */
static inline void pool_span(const pool_geometry *g, ptrdiff_t k, ptrdiff_t *from, ptrdiff_t *to)
{
    const ptrdiff_t first = g->pad[2] - k, s = g->str[2], end = g->in[2] + first;
    const ptrdiff_t a = first <= 0 ? 0 : (first + s - 1) / s;
    ptrdiff_t b = end <= 0 ? 0 : (end + s - 1) / s;
    b = b < g->out[2] ? b : g->out[2];
    *from = a < b ? a : b;
    *to = b;
}

static inline ptrdiff_t pool_volume(const ptrdiff_t *s) { return s[0] * s[1] * s[2]; }

static inline int pool_threads(const pool_geometry *g, int threads)
{
    double most = (double)g->outer * (double)g->inner * (double)(pool_volume(g->in) + pool_volume(g->out)) / 32768.0;
    most = most < (double)g->outer ? most : (double)g->outer;
    return most < threads ? (most < 1 ? 1 : (int)most) : threads;
}

#define POOL_JOIN_(a, b) pool_##a##_##b
#define POOL_JOIN(a, b) POOL_JOIN_(a, b)
#define POOL(name) POOL_JOIN(name, POOL_TYPE)
#define POOL_TYPE f32
#define T float
#define LOWEST (-FLT_MAX)
#include "pooling_type.h"
#include "windows_type.h"
#undef POOL_TYPE
#undef T
#undef LOWEST
#define POOL_TYPE f64
#define T double
#define LOWEST (-DBL_MAX)
#include "pooling_type.h"
#include "windows_type.h"
#undef POOL_TYPE
#undef T
#undef LOWEST
#endif
