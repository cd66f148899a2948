/* Correlation for one element type T; included by correlation.h. */

/* An image with zeros around it. */
static void V(corr_pad)(const corr_t *s, const T *x, T *out)
{
    const ptrdiff_t h = s->height + 2 * s->pad, w = s->width + 2 * s->pad;
    memset(out, 0, (size_t)(s->samples * s->channels * h * w) * sizeof(T));
    for (ptrdiff_t k = 0; k < s->samples * s->channels; k++)
        for (ptrdiff_t i = 0; i < s->height; i++)
            memcpy(out + (k * h + i + s->pad) * w + s->pad, x + (k * s->height + i) * s->width, (size_t)s->width * sizeof(T));
}

static void V(corr_cut)(const corr_t *s, const T *x, T *out)
{
    const ptrdiff_t h = s->height + 2 * s->pad, w = s->width + 2 * s->pad;
    for (ptrdiff_t k = 0; k < s->samples * s->channels; k++)
        for (ptrdiff_t i = 0; i < s->height; i++)
            memcpy(out + (k * s->height + i) * s->width, x + (k * h + i + s->pad) * w + s->pad, (size_t)s->width * sizeof(T));
}

static inline T V(corr_sign)(T a, T b) { return a >= b ? 1 : -1; }

/* One row: a and b advance by `step`; h is read, or the image to is added to, beside one of them. */
static void V(corr_row)(ptrdiff_t way, const T *a, const T *b, const T *h, T *o, T *to, ptrdiff_t n, ptrdiff_t step)
{
    ptrdiff_t j;
    switch (way) {
    case CORR_PRODUCT:
        for (j = 0; j < n; j++)
            o[j] += a[j * step] * b[j * step];
        return;
    case CORR_DISTANCE:
        for (j = 0; j < n; j++)
            o[j] += (T)fabs((double)(a[j * step] - b[j * step]));
        return;
    case CORR_SIGN_FIRST:
        for (j = 0; j < n; j++)
            o[j] += V(corr_sign)(a[j * step], b[j * step]) * h[j * step];
        return;
    case CORR_SIGN_SECOND:
        for (j = 0; j < n; j++)
            o[j] -= V(corr_sign)(a[j * step], b[j * step]) * h[j * step];
        return;
    case CORR_SPREAD_FIRST:
        for (j = 0; j < n; j++)
            to[j * step] += o[j] * b[j * step];
        return;
    case CORR_SPREAD_SECOND:
        for (j = 0; j < n; j++)
            to[j * step] += o[j] * a[j * step];
        return;
    case CORR_SPREAD_SIGN_FIRST:
        for (j = 0; j < n; j++)
            to[j * step] += o[j] * V(corr_sign)(a[j * step], b[j * step]);
        return;
    default:
        for (j = 0; j < n; j++)
            to[j * step] -= o[j] * V(corr_sign)(a[j * step], b[j * step]);
    }
}

/* All rows of one sample, displacement and channel. */
static void V(corr_plane)(const corr_t *s, ptrdiff_t n, ptrdiff_t d, ptrdiff_t c, const T *a, const T *b, const T *h, T *out, T *to)
{
    const ptrdiff_t height = s->height + 2 * s->pad, width = s->width + 2 * s->pad, radius = s->reach / s->step2, grid = 2 * radius + 1;
    const ptrdiff_t move = (d / grid - radius) * s->step2 * width + (d % grid - radius) * s->step2;
    const int second = s->way == CORR_SIGN_SECOND || s->way == CORR_SPREAD_SECOND || s->way == CORR_SPREAD_SIGN_SECOND;
    for (ptrdiff_t k = 0; k < s->kernel; k++)
        for (ptrdiff_t l = 0; l < s->kernel; l++)
            for (ptrdiff_t i = 0; i < s->rows; i++) {
                const ptrdiff_t at = ((n * s->channels + c) * height + i * s->step1 + s->reach + k) * width + s->reach + l;
                const ptrdiff_t beside = second ? at + move : at;
                V(corr_row)(s->way, a ? a + at : 0, b ? b + at + move : 0, h ? h + beside : 0,
                            out + ((n * grid * grid + d) * s->rows + i) * s->columns, to ? to + beside : 0, s->columns, s->step1);
            }
}

/* in: CORR_PRODUCT, DISTANCE: a, b; SIGN: h, a, b; SPREAD_FIRST: g, b; SPREAD_SECOND: g, a; SPREAD_SIGN: g, a, b. */
static int V(correlation)(mxnd_call *c)
{
    const corr_t s = corr_read(c->i);
    const int spread = s.way >= CORR_SPREAD_FIRST;
    const ptrdiff_t grid = 2 * (s.reach / s.step2) + 1, displacements = grid * grid, cells = s.rows * s.columns;
    const ptrdiff_t padded = s.samples * s.channels * (s.height + 2 * s.pad) * (s.width + 2 * s.pad);
    const double work = (double)s.samples * (double)displacements * (double)s.channels * (double)(cells * s.kernel * s.kernel);
    if (work == 0) {
        memset(c->out->data, 0, (size_t)c->out->size * sizeof(T));
        return MX_OK;
    }
    T *memory = c->take((size_t)(3 * padded + (spread ? s.samples * displacements * cells : 0)) * sizeof(T)), *to = memory + 2 * padded;
    if (!memory)
        return MX_MEMORY_ERROR;
    const T *a = 0, *b = 0, *h = 0;
    const int three = s.way == CORR_SIGN_FIRST || s.way == CORR_SIGN_SECOND || s.way == CORR_SPREAD_SIGN_FIRST
                      || s.way == CORR_SPREAD_SIGN_SECOND, first = three || spread ? 1 : 0;
    if (s.way != CORR_SPREAD_FIRST) {
        V(corr_pad)(&s, (const T *)c->in[first].data, memory);
        a = memory;
    }
    if (s.way != CORR_SPREAD_SECOND) {
        V(corr_pad)(&s, (const T *)c->in[s.way == CORR_SPREAD_FIRST ? 1 : first + 1].data, memory + padded);
        b = memory + padded;
    }
    const T share = 1 / ((T)(s.kernel * s.kernel) * (T)s.channels);
    if (spread) {
        const ptrdiff_t planes = s.samples * s.channels;
        const int threads = vision_threads(c, 2 * work, planes);
        T *g = memory + 3 * padded;
        for (ptrdiff_t k = 0; k < s.samples * displacements * cells; k++)
            g[k] = ((const T *)c->in->data)[k] * share;
        memset(to, 0, (size_t)padded * sizeof(T));
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
        for (ptrdiff_t k = 0; k < planes; k++)
            for (ptrdiff_t d = 0; d < displacements; d++)
                V(corr_plane)(&s, k / s.channels, d, k % s.channels, a, b, h, g, to);
        V(corr_cut)(&s, to, (T *)c->out->data);
    } else {
        const ptrdiff_t planes = s.samples * displacements;
        const int threads = vision_threads(c, 2 * work, planes);
        if (three) {
            V(corr_pad)(&s, (const T *)c->in->data, to);
            h = to;
        }
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
        for (ptrdiff_t k = 0; k < planes; k++) {
            T *o = (T *)c->out->data + k * cells;
            memset(o, 0, (size_t)cells * sizeof(T));
            for (ptrdiff_t j = 0; j < s.channels; j++)
                V(corr_plane)(&s, k / displacements, k % displacements, j, a, b, h, (T *)c->out->data, 0);
            for (ptrdiff_t j = 0; j < cells; j++)
                o[j] *= share;
        }
    }
    c->give(memory);
    return MX_OK;
}
