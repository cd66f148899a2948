/* Bilinear sampling for one element type T; included by sampler.h. */

/* The two pixels along one axis and their weights; order: 0 the value, 1 the derivative. */
static inline ptrdiff_t S(hat)(T at, ptrdiff_t length, ptrdiff_t order, T weight[2], int inside[2])
{
    const T scale = (T)(length - 1) / 2;
    T x = (at + 1) * scale, low;
    ptrdiff_t first;
    x = x > -2 ? x : -2;                                  /* also NaN: far outside */
    x = x < (T)(length + 1) ? x : (T)(length + 1);
    low = (T)floor((double)x);
    first = (ptrdiff_t)low;
    weight[0] = order ? -scale : 1 - (x - low);
    weight[1] = order ? scale : x - low;
    inside[0] = first >= 0 && first < length;
    inside[1] = first + 1 >= 0 && first + 1 < length;
    return first;
}

/* For every place of one sample its four pixels and their weights; those outside become pixel 0 with weight 0. */
static void S(corners)(const sampler_t *s, const T *grid, ptrdiff_t *pixel, T *weight, int threads)
{
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (ptrdiff_t p = 0; p < s->places; p++) {
        T wx[2], wy[2];
        int ix[2], iy[2];
        const ptrdiff_t x = S(hat)(grid[p], s->width, s->dx, wx, ix), y = S(hat)(grid[s->places + p], s->height, s->dy, wy, iy);
        for (int k = 0; k < 4; k++) {
            const int a = k & 1, b = k >> 1, in = ix[a] && iy[b];
            pixel[k * s->places + p] = in ? (y + b) * s->width + x + a : 0;
            weight[k * s->places + p] = in ? wx[a] * wy[b] : 0;
        }
    }
}

static void *S(corner_memory)(mxnd_call *c, const sampler_t *s, ptrdiff_t **pixel, T **weight)
{
    char *memory = c->take((size_t)(4 * s->places) * (sizeof(ptrdiff_t) + sizeof(T)) + 1);
    *pixel = (ptrdiff_t *)memory;
    *weight = (T *)(memory + (size_t)(4 * s->places) * sizeof(ptrdiff_t));
    return memory;
}

static inline void S(sample_row)(const sampler_t *s, const ptrdiff_t *q, const T *w, const T *x, T *o)
{
    const ptrdiff_t n = s->places;
    for (ptrdiff_t p = 0; p < n; p++) {
        T sum = 0;
        for (int a = 0; a < 4; a++) {
            const T v = w[a * n + p] * x[q[a * n + p]];
            sum += w[a * n + p] != 0 ? v : 0;             /* a pixel that does not count may be infinite */
        }
        o[p] = sum;
    }
}

static inline void S(spread_row)(const sampler_t *s, const ptrdiff_t *q, const T *w, const T *g, T *o)
{
    const ptrdiff_t n = s->places;
    for (ptrdiff_t p = 0; p < n; p++)
        for (int a = 0; a < 4; a++)
            if (w[a * n + p] != 0)
                o[q[a * n + p]] += w[a * n + p] * g[p];
}

/* in: images (samples, channels, height, width) or, to spread, numbers at the places (samples, channels, places); and
 * grid (samples, 2, places); out: the other one of the two */
static int S(bilinear)(mxnd_call *c, const int spread)
{
    const sampler_t s = sampler_read(c->i);
    const ptrdiff_t image = s.height * s.width, from = spread ? s.places : image, to = spread ? image : s.places;
    ptrdiff_t *q;
    T *w;
    if (spread || image == 0)
        memset(c->out->data, 0, (size_t)c->out->size * sizeof(T));
    if (image == 0)
        return MX_OK;
    char *memory = S(corner_memory)(c, &s, &q, &w);
    if (!memory)
        return MX_MEMORY_ERROR;
    const int threads = sampler_threads(c, 8.0 * (double)(s.channels + 4) * (double)s.places);
    for (ptrdiff_t k = 0; k < s.samples; k++) {
        S(corners)(&s, (const T *)c->in[1].data + k * 2 * s.places, q, w, threads);
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
        for (ptrdiff_t j = 0; j < s.channels; j++) {
            const T *x = (const T *)c->in[0].data + (k * s.channels + j) * from;
            T *o = (T *)c->out->data + (k * s.channels + j) * to;
            (spread ? S(spread_row) : S(sample_row))(&s, q, w, x, o);
        }
    }
    c->give(memory);
    return MX_OK;
}

static int S(bilinear_sample)(mxnd_call *c) { return S(bilinear)(c, 0); }
static int S(bilinear_spread)(mxnd_call *c) { return S(bilinear)(c, 1); }

/* ---- places: i: samples, height, width, whether they are moved pixels (warp) instead of an affine map ---- */

static inline T S(unit)(ptrdiff_t k, ptrdiff_t n) { return n > 1 ? (T)(2 * k) / (T)(n - 1) - 1 : -1; }

static int S(grid)(mxnd_call *c)
{
    const ptrdiff_t rows = c->i[0], h = c->i[1], w = c->i[2], image = h * w;
    const T sx = w > 1 ? (T)2 / (T)(w - 1) : 2, sy = h > 1 ? (T)2 / (T)(h - 1) : 2;
    for (ptrdiff_t n = 0; n < rows; n++) {
        T *x = (T *)c->out->data + n * 2 * image, *y = x + image;
        const T *in = (const T *)c->in->data + n * (c->i[3] ? 2 * image : 6);
        for (ptrdiff_t i = 0; i < h; i++)
            for (ptrdiff_t j = 0; j < w; j++) {
                const ptrdiff_t p = i * w + j;
                const T a = S(unit)(j, w), b = S(unit)(i, h);
                x[p] = c->i[3] ? (in[p] + (T)j) * sx - 1 : in[0] * a + in[1] * b + in[2];
                y[p] = c->i[3] ? (in[image + p] + (T)i) * sy - 1 : in[3] * a + in[4] * b + in[5];
            }
    }
    return MX_OK;
}

static int S(grid_backward)(mxnd_call *c)
{
    const ptrdiff_t rows = c->i[0], h = c->i[1], w = c->i[2], image = h * w;
    const T sx = w > 1 ? (T)2 / (T)(w - 1) : 2, sy = h > 1 ? (T)2 / (T)(h - 1) : 2;
    for (ptrdiff_t n = 0; n < rows; n++)
        for (int k = 0; k < 2; k++) {
            const T *g = (const T *)c->in->data + (2 * n + k) * image;
            T *o = (T *)c->out->data + n * (c->i[3] ? 2 * image : 6) + k * (c->i[3] ? image : 3);
            double sums[3] = {0, 0, 0};
            for (ptrdiff_t i = 0; i < h; i++)
                for (ptrdiff_t j = 0; j < w; j++) {
                    const T v = g[i * w + j];
                    if (c->i[3]) {
                        o[i * w + j] = v * (k ? sy : sx);
                        continue;
                    }
                    sums[0] += (double)v * (double)S(unit)(j, w);
                    sums[1] += (double)v * (double)S(unit)(i, h);
                    sums[2] += (double)v;
                }
            for (int q = 0; q < 3 && !c->i[3]; q++)
                o[q] = (T)sums[q];
        }
    return MX_OK;
}
