/* Images reduced or enlarged along both axes at once: what ROIAlign, PSROIPooling, AdaptiveAvgPooling2D and
 * BilinearResize2D have in common.
 *
 * Output row p is a weighted sum of a band of input rows, divided by a number, and output columns likewise; an output
 * pixel is the product of the two.  Bands follow from the sizes alone, or from a box per region of interest.  The
 * adjoint spreads the outputs back over the same bands.  Channels are shared among threads: every thread works on all
 * regions, so two threads never add to one pixel. */
#ifndef MXND_BANDS_H
#define MXND_BANDS_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "call.h"

enum { BANDS_ADAPTIVE, BANDS_RESIZE, BANDS_ALIGN, BANDS_SENSITIVE };

typedef struct {
    ptrdiff_t kind, regions, samples, channels, in[2], out[2];      /* channels: of the output */
    ptrdiff_t group[2];                                             /* parts of the image that take their own channels */
    ptrdiff_t option, ratio;                                        /* aligned or align_corners; samples per output pixel */
    double scale;
} bands_t;

static inline bands_t bands_read(const mxnd_call *c)
{
    const int64_t *i = c->i;
    return (bands_t){i[0], i[1], i[2], i[3], {i[4], i[5]}, {i[6], i[7]}, {i[8], i[9]}, i[10], i[11], c->d[0]};
}

/* Which part of the image output pixel p belongs to. */
static inline ptrdiff_t bands_part(ptrdiff_t p, ptrdiff_t groups, ptrdiff_t length) { return p * groups / length; }

/* How many weights a band can need. */
static inline ptrdiff_t bands_stride(const bands_t *b, int axis)
{
    const ptrdiff_t n = b->in[axis];
    if (b->kind == BANDS_RESIZE)
        return n < 2 ? n : 2;
    if (b->kind == BANDS_ADAPTIVE)
        return n / b->out[axis] + 2 < n ? n / b->out[axis] + 2 : n;
    return n;
}

/* The sample that a region looks at: -1 for padding (a negative number), -2 for one that is not there. */
static inline ptrdiff_t region_sample(double at, ptrdiff_t samples)
{
    if (!(at < (double)samples))
        return -2;
    return at <= -1 ? -1 : (ptrdiff_t)at;
}

/* Checks the samples that all regions (rows of `width` numbers) name. */
static int regions_check(mxnd_call *c, const mxnd_tensor *rois, ptrdiff_t rows, ptrdiff_t width, ptrdiff_t samples)
{
    for (ptrdiff_t r = 0; r < rows; r++) {
        const double at = rois->type == MX_F64 ? ((const double *)rois->data)[r * width] : ((const float *)rois->data)[r * width];
        if (region_sample(at, samples) == -2) {
            c->at = at > 9e18 ? INT64_MAX : at == at ? (int64_t)at : INT64_MIN;
            c->bound = samples;
            c->error = "the sample that a region names";
            return MX_INDEX_ERROR;
        }
    }
    return MX_OK;
}

static inline int vision_threads(const mxnd_call *c, double work, ptrdiff_t parts)
{
    const int most = work < 65536.0 ? 1 : c->threads;
    return parts < most ? (parts < 1 ? 1 : (int)parts) : most;
}

#define VISION_JOIN_(a, b) a##_##b
#define VISION_JOIN(a, b) VISION_JOIN_(a, b)
#define V(name) VISION_JOIN(name, VISION_TYPE)
#define VISION_FILE "bands_type.h"
#include "vision_types.h"
#endif
