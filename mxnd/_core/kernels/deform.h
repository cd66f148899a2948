/* Deformable convolution's patches: pixels read at moved places, laid out as rows for a product with the filters.
 *
 * A place is where an ordinary convolution would read plus an offset; the value there is a product of two hats, so
 * its derivatives by the offset are sums over the same four pixels with other weights, as in sampler.h. */
#ifndef MXND_DEFORM_H
#define MXND_DEFORM_H
#include "bands.h"

enum { DEFORM_BLOCK = 128 };

typedef struct {
    ptrdiff_t samples, channels, parts, in[2], out[2], kernel[2], stride[2], dilate[2], pad[2], order[2];   /* parts: with own offsets */
    ptrdiff_t fade;                         /* pixels outside are 0 (modulated), else the last ones reach one further */
} deform_t;

static inline deform_t deform_read(const int64_t *i)
{
    deform_t d = {i[0], i[1], i[2]};
    for (int a = 0; a < 2; a++) {
        d.in[a] = i[3 + a], d.out[a] = i[5 + a], d.kernel[a] = i[7 + a], d.stride[a] = i[9 + a];
        d.dilate[a] = i[11 + a], d.pad[a] = i[13 + a], d.order[a] = i[15 + a];
    }
    d.fade = i[17];
    return d;
}

#define VISION_FILE "deform_type.h"
#include "vision_types.h"
#endif
