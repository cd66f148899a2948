/* Deformable convolution for one element type T; included by deform.h. */

/* The two pixels of one axis and their weights (order 1: the derivatives); false where nothing is read. */
static inline int V(deform_hat)(T at, ptrdiff_t n, ptrdiff_t order, ptrdiff_t fade, ptrdiff_t place[2], T weight[2])
{
    if (!(at < (T)n) || !(fade ? at > -1 : at >= 0))
        return 0;
    const ptrdiff_t low = (ptrdiff_t)floor((double)at);
    const T part = at - (T)low;
    const int edge = low >= n - 1;
    place[0] = low < 0 ? 0 : low;
    place[1] = edge ? n - 1 : low + 1;
    weight[0] = order ? -1 : 1 - part;
    weight[1] = order ? 1 : part;
    if (low < 0)
        weight[0] = 0;
    if (edge)
        weight[1] = 0;
    if (edge && !fade)
        weight[0] = order ? 0 : 1;
    return 1;
}

/* Pixels and weights of n places from place number `first` on of kernel element k; offset: y plane, then x plane. */
static void V(deform_corners)(const deform_t *d, const T *offset, ptrdiff_t k, ptrdiff_t first, ptrdiff_t n, ptrdiff_t *pixel, T *weight)
{
    const ptrdiff_t cells = d->out[0] * d->out[1];
    const ptrdiff_t ky = k / d->kernel[1] * d->dilate[0] - d->pad[0], kx = k % d->kernel[1] * d->dilate[1] - d->pad[1];
    for (ptrdiff_t p = 0; p < n; p++) {
        const ptrdiff_t y = (first + p) / d->out[1], x = (first + p) % d->out[1];
        ptrdiff_t py[2], px[2];
        T wy[2], wx[2];
        const int some = V(deform_hat)((T)(y * d->stride[0] + ky) + offset[first + p], d->in[0], d->order[0], d->fade, py, wy)
                         && V(deform_hat)((T)(x * d->stride[1] + kx) + offset[cells + first + p], d->in[1], d->order[1], d->fade, px, wx);
        for (int a = 0; a < 4; a++) {
            pixel[a * DEFORM_BLOCK + p] = some ? py[a >> 1] * d->in[1] + px[a & 1] : 0;
            weight[a * DEFORM_BLOCK + p] = some ? wy[a >> 1] * wx[a & 1] : 0;
        }
    }
}

/* in: data or, to spread, head (samples, channels kernel, out); offset (samples, parts kernel 2, out) */
static int V(deform)(mxnd_call *c, int spread)
{
    const deform_t d = deform_read(c->i);
    const ptrdiff_t image = d.in[0] * d.in[1], cells = d.out[0] * d.out[1], taps = d.kernel[0] * d.kernel[1];
    const ptrdiff_t each = d.channels / d.parts, groups = d.samples * d.parts;
    if (spread || image == 0)
        memset(c->out->data, 0, (size_t)c->out->size * sizeof(T));
    if (c->out->size == 0 || c->in->size == 0)
        return MX_OK;
    const double work = 8.0 * (double)groups * (double)taps * (double)cells * (double)(each + 4);
    /* units of work that write to places of their own: kernel elements, or shares of the channels */
    const int many = vision_threads(c, work, c->threads);
    const ptrdiff_t shares = spread ? (groups < many && each >= many ? many : 1) : taps;
    const int threads = vision_threads(c, work, groups * shares);
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (ptrdiff_t u = 0; u < groups * shares; u++) {
        const ptrdiff_t g = u / shares, share = u % shares;
        const ptrdiff_t k0 = spread ? 0 : share, k1 = spread ? taps : share + 1;
        const ptrdiff_t c0 = spread ? each * share / shares : 0, c1 = spread ? each * (share + 1) / shares : each;
        ptrdiff_t pixel[4 * DEFORM_BLOCK];
        T weight[4 * DEFORM_BLOCK];
        for (ptrdiff_t k = k0; k < k1; k++)
            for (ptrdiff_t first = 0; first < cells; first += DEFORM_BLOCK) {
                const ptrdiff_t n = cells - first < DEFORM_BLOCK ? cells - first : DEFORM_BLOCK;
                V(deform_corners)(&d, (const T *)c->in[1].data + (g * taps + k) * 2 * cells, k, first, n, pixel, weight);
                for (ptrdiff_t j = c0; j < c1; j++) {
                    const ptrdiff_t row = ((g * each + j) * taps + k) * cells + first, plane = (g * each + j) * image;
                    if (spread) {
                        const T *head = (const T *)c->in->data + row;
                        T *o = (T *)c->out->data + plane;
                        for (ptrdiff_t p = 0; p < n; p++)
                            for (int a = 0; a < 4; a++) {
                                const T w = weight[a * DEFORM_BLOCK + p];
                                o[pixel[a * DEFORM_BLOCK + p]] += w != 0 ? w * head[p] : 0;
                            }
                        continue;
                    }
                    const T *x = (const T *)c->in->data + plane;
                    T *o = (T *)c->out->data + row;
                    for (ptrdiff_t p = 0; p < n; p++) {
                        T sum = 0;
                        for (int a = 0; a < 4; a++) {
                            const T v = weight[a * DEFORM_BLOCK + p] * x[pixel[a * DEFORM_BLOCK + p]];
                            sum += weight[a * DEFORM_BLOCK + p] != 0 ? v : 0;           /* a pixel that does not count may be infinite */
                        }
                        o[p] = sum;
                    }
                }
            }
    }
    return MX_OK;
}

static int V(deform_take)(mxnd_call *c) { return V(deform)(c, 0); }
static int V(deform_spread)(mxnd_call *c) { return V(deform)(c, 1); }
