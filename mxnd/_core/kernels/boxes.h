/* Boxes: overlaps, suppression of boxes that overlap better ones, matching, and the rules of SSD and of region proposals.
 *
 * Boxes are worked on as four rows of corners, so that comparing one box with all later ones runs along memory.
 * Comparisons with a number that is not one are false: such boxes overlap nothing. */
#ifndef MXND_BOXES_H
#define MXND_BOXES_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "call.h"

enum { BOX_CORNER, BOX_CENTER };                 /* x1 y1 x2 y2, or x y width height */

typedef struct { double key; ptrdiff_t place; } ranked_t;

/* Higher keys first, equal ones in their order. */
static int ranked_before(const void *a, const void *b)
{
    const ranked_t *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? 1 : -1) : x->place < y->place ? -1 : 1;
}

static inline double rank_key(double v) { return v == v ? v : -INFINITY; }

static inline int box_threads(const mxnd_call *c, double work, ptrdiff_t parts)
{
    const int most = work < 32768.0 ? 1 : c->threads;
    return parts < most ? (parts < 1 ? 1 : (int)parts) : most;
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
