/* Regions whose cells read scattered places: turned ones (RROIAlign) and ones with moved cells (DeformablePSROIPooling).
 *
 * A cell is a mean of places, each a weighted sum of four pixels.  The weights of a cell serve all channels; channels are
 * shared among threads, as in bands.h. */
#ifndef MXND_POINTS_H
#define MXND_POINTS_H
#include "bands.h"

enum { POINTS_TURNED, POINTS_MOVED };
enum { POINTS_MOST = 1024 };                 /* places along one side of a cell */

typedef struct {
    ptrdiff_t kind, regions, samples, channels, in[2], out[2], group, ratio, classes, order[2];
    double scale, reach;                     /* reach: how far a move of 1 goes, in sizes of the region */
} points_t;

static inline points_t points_read(const mxnd_call *c)
{
    const int64_t *i = c->i;
    return (points_t){i[0], i[1], i[2], i[3], {i[4], i[5]}, {i[6], i[7]}, i[8], i[9], i[10], {i[11], i[12]}, c->d[0], c->d[1]};
}

#define VISION_FILE "points_type.h"
#include "vision_types.h"
#endif
