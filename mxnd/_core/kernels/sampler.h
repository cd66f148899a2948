/* Bilinear sampling of images at given places; numbers outside the image are 0.
 *
 * A place (x, y) between -1 and 1 is the pixel (x + 1) (W - 1) / 2, (y + 1) (H - 1) / 2.  The value there is a product of two
 * hats, so its derivatives by x and y are the same sum over four corners with other weights. */
#ifndef MXND_SAMPLER_H
#define MXND_SAMPLER_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "call.h"

typedef struct { ptrdiff_t samples, channels, height, width, places, dx, dy; } sampler_t;

static inline sampler_t sampler_read(const int64_t *i)
{
    return (sampler_t){i[0], i[1], i[2], i[3], i[4], i[5], i[6]};
}

static inline int sampler_threads(const mxnd_call *c, double work)
{
    return work < 65536.0 ? 1 : c->threads;
}

#define SAMPLER_JOIN_(a, b) a##_##b
#define SAMPLER_JOIN(a, b) SAMPLER_JOIN_(a, b)
#define S(name) SAMPLER_JOIN(name, SAMPLER_TYPE)
#define SAMPLER_TYPE f32
#define T float
#include "sampler_type.h"
#undef SAMPLER_TYPE
#undef T
#define SAMPLER_TYPE f64
#define T double
#include "sampler_type.h"
#undef SAMPLER_TYPE
#undef T
#endif
