/* ROIPooling: the largest number of each cell of a region.  Its gradient goes to where that number is, so the place is
 * looked for again, and the adjoint takes the numbers at these places. */
#ifndef MXND_ROI_H
#define MXND_ROI_H
#include "bands.h"

typedef struct { ptrdiff_t regions, samples, channels, in[2], out[2]; double scale; } roi_t;
enum { ROI_LARGEST, ROI_SPREAD, ROI_TAKE };

static inline roi_t roi_read(const mxnd_call *c)
{
    const int64_t *i = c->i;
    return (roi_t){i[0], i[1], i[2], {i[3], i[4]}, {i[5], i[6]}, c->d[0]};
}

#define VISION_FILE "roi_type.h"
#include "vision_types.h"
#endif
