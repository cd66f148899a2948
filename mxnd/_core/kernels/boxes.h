/* Boxes: overlaps, suppression of boxes that overlap better ones, matching, and the rules of SSD and of region proposals.
 *
 * Boxes are worked on as four rows of corners, so that comparing one box with all later ones runs along memory.
 * Comparisons with a number that is not one are false: such boxes overlap nothing. */
#ifndef MXND_BOXES_H
#define MXND_BOXES_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "call.h"

enum { BOX_CORNER, BOX_CENTER };                 /* x1 y1 x2 y2, or x y width height */

typedef struct { double key; ptrdiff_t place; } ranked_t;

/* Sorts n items by falling keys; equal ones stay in their order.  spare: room for n items. */
static void rank(ranked_t *x, ptrdiff_t n, ranked_t *spare)
{
    enum { RUN = 8 };
    ranked_t *from = x, *to = spare;
    for (ptrdiff_t a = 0; a < n; a += RUN)
        for (ptrdiff_t k = a + 1; k < n && k < a + RUN; k++) {
            const ranked_t v = x[k];
            ptrdiff_t j = k;
            for (; j > a && x[j - 1].key < v.key; j--)
                x[j] = x[j - 1];
            x[j] = v;
        }
    for (ptrdiff_t run = RUN; run < n; run *= 2) {
        for (ptrdiff_t a = 0; a < n; a += 2 * run) {
            const ptrdiff_t middle = a + run < n ? a + run : n, end = a + 2 * run < n ? a + 2 * run : n;
            ptrdiff_t i = a, j = middle;
            for (ptrdiff_t k = a; k < end; k++) {
                const int second = j < end && (i >= middle || from[j].key > from[i].key);
                to[k] = from[second ? j : i];
                i += !second;
                j += second;
            }
        }
        ranked_t *other = from;
        from = to;
        to = other;
    }
    if (from != x)
        memcpy(x, from, (size_t)n * sizeof(ranked_t));
}

static inline double rank_key(double v) { return v == v ? v : -INFINITY; }

static inline int box_threads(const mxnd_call *c, double work, ptrdiff_t parts)
{
    const int most = work < 32768.0 ? 1 : c->threads;
    return parts < most ? (parts < 1 ? 1 : (int)parts) : most;
}

/* Runs one(call, sample, scratch) for every sample; each thread has scratch memory of its own. */
static inline int box_each(mxnd_call *c, ptrdiff_t samples, int threads, size_t bytes,
                           void (*one)(const mxnd_call *, ptrdiff_t, char *))
{
    char *memory = c->take(bytes * (size_t)threads);
    if (!memory)
        return MX_MEMORY_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static, 1)
    for (int t = 0; t < threads; t++)
        for (ptrdiff_t s = t; s < samples; s += threads)
            one(c, s, memory + bytes * (size_t)t);
    c->give(memory);
    return MX_OK;
}

#define BOX_JOIN_(a, b) a##_##b
#define BOX_JOIN(a, b) BOX_JOIN_(a, b)
#define B(name) BOX_JOIN(name, BOX_TYPE)
#define BOX_TYPE f32
#define T float
#include "boxes_type.h"
#include "multibox_type.h"
#include "proposal_type.h"
#undef BOX_TYPE
#undef T
#define BOX_TYPE f64
#define T double
#include "boxes_type.h"
#include "multibox_type.h"
#include "proposal_type.h"
#undef BOX_TYPE
#undef T
#endif
