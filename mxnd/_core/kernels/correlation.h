/* Correlation: patches of one image compared with displaced patches of another, and what its gradients are made of.
 *
 * Every way runs over the same products: sample, displacement, channel, place in the patch, row and column.  They gather
 * into the output (n, displacements, rows, columns), or spread it over one of the padded images. */
#ifndef MXND_CORRELATION_H
#define MXND_CORRELATION_H
#include "bands.h"

/* f of the pixels a and b;  h and g: another image, and the output, that f multiplies.  SIGN: of a - b.
 * FIRST and SECOND: h and what is spread over lie where a is, or where b is. */
enum { CORR_PRODUCT, CORR_DISTANCE, CORR_SIGN_FIRST, CORR_SIGN_SECOND, CORR_SPREAD_FIRST, CORR_SPREAD_SECOND, CORR_SPREAD_SIGN_FIRST,
       CORR_SPREAD_SIGN_SECOND };

typedef struct { ptrdiff_t way, samples, channels, height, width, rows, columns, kernel, reach, step1, step2, pad; } corr_t;

static inline corr_t corr_read(const int64_t *i)
{
    return (corr_t){i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9], i[10], i[11]};
}

#define VISION_FILE "correlation_type.h"
#include "vision_types.h"
#endif
