/* ROIPooling for one element type T; included by roi.h. */

/* Cells of one axis: inputs from[p] up to to[p]. */
static void V(roi_cells)(T low, T high, T scale, ptrdiff_t in, ptrdiff_t out, ptrdiff_t *from, ptrdiff_t *to)
{
    const T start = (T)round((double)(low * scale)), size = (T)round((double)(high * scale)) - start + 1;
    const T bin = (size > 1 ? size : 1) / (T)out;
    for (ptrdiff_t p = 0; p < out; p++) {
        from[p] = V(inside)((T)floor((double)((T)p * bin)) + start, in);
        to[p] = V(inside)((T)ceil((double)((T)(p + 1) * bin)) + start, in);
    }
}

/* The place of the first largest number of a cell that is not empty. */
static inline ptrdiff_t V(roi_place)(const T *x, ptrdiff_t width, ptrdiff_t y0, ptrdiff_t y1, ptrdiff_t x0, ptrdiff_t x1)
{
    ptrdiff_t best = y0 * width + x0;
    for (ptrdiff_t i = y0; i < y1; i++)
        for (ptrdiff_t j = x0; j < x1; j++)
            if (x[i * width + j] > x[best])
                best = i * width + j;
    return best;
}

/* way: ROI_LARGEST in: data, rois; ROI_SPREAD in: head, rois, data; ROI_TAKE in: values, rois, data (where to look). */
static int V(roi)(mxnd_call *c, int way)
{
    const roi_t g = roi_read(c);
    const ptrdiff_t image = g.in[0] * g.in[1], cells = g.out[0] * g.out[1], both = g.out[0] + g.out[1];
    const T *look = (const T *)c->in[way == ROI_LARGEST ? 0 : 2].data;
    const int status = regions_check(c, c->in + 1, g.regions, 5, g.samples);
    if (status)
        return status;
    if (way == ROI_SPREAD)
        memset(c->out->data, 0, (size_t)c->out->size * sizeof(T));
    if (c->out->size == 0 || g.regions * g.channels * cells == 0)
        return MX_OK;
    const int threads = vision_threads(c, 4.0 * (double)g.regions * (double)g.channels * (double)cells, g.channels);
    ptrdiff_t *memory = c->take((size_t)(2 * both * threads) * sizeof(ptrdiff_t));
    if (!memory)
        return MX_MEMORY_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        ptrdiff_t *y0 = memory + 2 * both * t, *y1 = y0 + g.out[0], *x0 = y1 + g.out[0], *x1 = x0 + g.out[1];
        for (ptrdiff_t r = 0; r < g.regions; r++) {
            const T *box = (const T *)c->in[1].data + 5 * r;
            const ptrdiff_t sample = region_sample((double)box[0], g.samples);
            V(roi_cells)(box[2], box[4], (T)g.scale, g.in[0], g.out[0], y0, y1);
            V(roi_cells)(box[1], box[3], (T)g.scale, g.in[1], g.out[1], x0, x1);
            for (ptrdiff_t j = g.channels * t / threads; j < g.channels * (t + 1) / threads; j++) {
                const ptrdiff_t at = (sample * g.channels + j) * image, pooled = (r * g.channels + j) * cells;
                for (ptrdiff_t k = 0; k < cells; k++) {
                    const ptrdiff_t p = k / g.out[1], q = k % g.out[1];
                    const int some = sample >= 0 && y1[p] > y0[p] && x1[q] > x0[q];
                    const ptrdiff_t place = some ? at + V(roi_place)(look + at, g.in[1], y0[p], y1[p], x0[q], x1[q]) : 0;
                    if (way == ROI_SPREAD) {
                        if (some)
                            ((T *)c->out->data)[place] += ((const T *)c->in->data)[pooled + k];
                    } else
                        ((T *)c->out->data)[pooled + k] = some ? ((const T *)c->in->data)[place] : 0;
                }
            }
        }
    }
    c->give(memory);
    return MX_OK;
}

static int V(roi_largest)(mxnd_call *c) { return V(roi)(c, ROI_LARGEST); }
static int V(roi_spread)(mxnd_call *c) { return V(roi)(c, ROI_SPREAD); }
static int V(roi_take)(mxnd_call *c) { return V(roi)(c, ROI_TAKE); }
