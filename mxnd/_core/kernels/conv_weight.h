/* The gradient of convolution for the filters; part of conv_type.h. */

/* How the sum over pixels for the filters is cut: into chunks of pixels, of several small images or a part of one, and
 * units of channels.  The filters are the columns of the product.  `few` filters at the end, which would take a vector of
 * their own, are done by sums along the pixels instead, and so are all filters where they are few. */
typedef struct {
    const conv_geometry *g;
    const T *x, *end;
    ptrdiff_t pixels, iv, cg, fg, kv, joins, size, per, chunks, step, few, most, panels, block, parts, units;
    int plain;
} MM(weight_job);

static MM(weight_job) MM(weight_plan)(const conv_geometry *g, const T *x)
{
    MM(weight_job) s = {g, x, x + g->n * g->c * conv_volume(g->in), conv_volume(g->out), conv_volume(g->in),
                        g->c / g->groups, g->f / g->groups, conv_volume(g->ker)};
    s.joins = MM_MIN(MM_MAX(KC / s.pixels, 1), g->n);
    s.size = MM_MIN(KC, s.pixels);
    s.per = (s.pixels + s.size - 1) / s.size;
    s.chunks = (g->n + s.joins - 1) / s.joins * s.per;
    s.step = (s.joins * s.size + VL - 1) / VL * VL + VL;
    s.few = s.fg <= 12 ? s.fg : s.fg > VL && s.fg % VL <= 4 ? s.fg % VL : 0;
    s.most = s.fg - s.few;
    s.panels = s.step * ((s.most + VL - 1) / VL * VL + s.few);
    s.plain = MM(plain)(g) && s.joins == 1;
    s.block = MM_MAX(MM_MIN(s.cg, KC / 2 / s.kv), 1);
    return s;
}

/* Numbers of scratch memory for the columns of a unit. */
static inline ptrdiff_t MM(weight_tile)(const MM(weight_job) *s) { return (s->plain ? 0 : s->block * s->kv * s->step) + VL; }

/* One chunk of y for a group as panels of the product, and the few filters' pixels behind one another.
 * y: the chunk's first image. */
static void MM(weight_turn)(const MM(weight_job) *s, ptrdiff_t chunk, ptrdiff_t group, const T *y, T *to)
{
    const ptrdiff_t first = chunk / s->per * s->joins, images = MM_MIN(s->joins, s->g->n - first);
    const ptrdiff_t q0 = chunk % s->per * s->size, n = MM_MIN(s->size, s->pixels - q0), count = images * n;
    T *along = to + s->panels - s->few * s->step;
    for (ptrdiff_t i = 0; i < images; i++) {
        const T *from = y + (i * s->g->f + group * s->fg) * s->pixels + q0;
        for (ptrdiff_t j = 0; j < s->most; j += NR) {
            const ptrdiff_t cols = MM_MIN(NR, s->most - j), wide = (cols + VL - 1) / VL * VL;
            MM(turn)(cols, n, from + j * s->pixels, s->pixels, to + j * count + i * n * wide, wide);
        }
        for (ptrdiff_t j = 0; j < s->few; j++)
            memcpy(along + j * s->step + i * n, from + (s->most + j) * s->pixels, (size_t)n * sizeof(T));
    }
}

/* Adds one chunk to the sums of one unit, whose elements are rows and whose filters are columns. */
static void MM(weight_add)(const MM(weight_job) *s, ptrdiff_t chunk, ptrdiff_t unit, T *cols, const T *turned, T *sums)
{
    const conv_geometry *g = s->g;
    const ptrdiff_t first = chunk / s->per * s->joins, images = MM_MIN(s->joins, g->n - first), group = unit / s->parts;
    const ptrdiff_t q0 = chunk % s->per * s->size, q1 = MM_MIN(q0 + s->size, s->pixels), count = images * (q1 - q0);
    const ptrdiff_t c0 = unit % s->parts * s->block, rows = (MM_MIN(c0 + s->block, s->cg) - c0) * s->kv;
    const T *xc = s->x + (first * g->c + group * s->cg + c0) * s->iv, *a = s->plain ? xc + q0 : cols;
    const ptrdiff_t lda = s->plain ? s->iv : s->step;
    if (!s->plain)
        MM(columns)(g, xc, images, s->end, 0, rows, q0, q1, cols, s->step);
    for (ptrdiff_t i = 0, r, left = (rows + MR - 1) / MR; i < rows; i += r, left--) {
        r = (rows - i + left - 1) / left;
        for (ptrdiff_t j = 0; j < s->most; j += NR) {
            const ptrdiff_t n = MM_MIN(NR, s->most - j);
            MM(panel)(r, count, a + i * lda, lda, 1, turned + j * count, (n + VL - 1) / VL * VL, 1, 1, sums + i * s->fg + j, s->fg, n);
        }
    }
    if (s->few)
        MM(inner)(rows, s->few, count, 1, a, lda, turned + s->panels - s->few * s->step, s->step, 1, sums + s->most, s->fg);
}

/* The sums of one unit into the filters. */
static void MM(weight_put)(const MM(weight_job) *s, ptrdiff_t unit, const T *sums, T *w)
{
    const ptrdiff_t c0 = unit % s->parts * s->block, rows = (MM_MIN(c0 + s->block, s->cg) - c0) * s->kv;
    const ptrdiff_t depth = s->cg * s->kv;
    w += unit / s->parts * s->fg * depth + c0 * s->kv;
    for (ptrdiff_t f = 0; f < s->fg; f++)
        for (ptrdiff_t k = 0; k < rows; k++)
            w[f * depth + k] = sums[k * s->fg + f];
}

/* y where it is zero but for one number a window, at the places (see windows_type.h). */
typedef struct { const T *grad, *place; const pool_geometry *p; } MM(filled);

/* Some images of it. */
static void MM(fill)(const MM(filled) *windows, const conv_geometry *g, ptrdiff_t first, ptrdiff_t images, T *to)
{
    pool_geometry p = *windows->p;
    const ptrdiff_t from = first * g->f * pool_volume(p.out);
    p.outer = images * g->f;
    POOL_JOIN(place_move, MM_TYPE)(&p, windows->place + from, windows->grad + from, to, NULL, NULL);
}

/* w from x and y (or windows, if y is NULL), as the product of the columns of x with y transposed.  Where the filters are small and the pixels many,
 * each thread sums some chunks for all units; otherwise threads share the units, and keep what they have turned of y
 * while that is not too much. */
static int MM(conv_weight)(mxnd_call *call, const conv_geometry *g, const T *x, const T *y, const MM(filled) *windows, T *w)
{
    const ptrdiff_t whole = g->f * (g->c / g->groups) * conv_volume(g->ker);
    if (g->n * conv_volume(g->out) * whole == 0) {
        memset(w, 0, (size_t)whole * sizeof(T));
        return MX_OK;
    }
    MM(weight_job) s = MM(weight_plan)(g, x);
    int threads = conv_threads(conv_work(g), call->threads);
    const int by_chunk = s.chunks >= 4 * threads && (whole <= 1 << 17 || g->c < 4 * threads);
    if (!by_chunk && g->groups < threads)
        s.block = MM_MIN(s.block, MM_MAX((s.cg + threads - 1) / threads, 1));
    s.parts = (s.cg + s.block - 1) / s.block, s.units = g->groups * s.parts;
    if (!by_chunk)
        threads = (int)MM_MIN(threads, s.units);
    const ptrdiff_t unit_size = s.block * s.kv * s.fg, kept = !by_chunk && s.chunks * s.panels <= 1 << 20 ? s.chunks : 1;
    const ptrdiff_t tile = MM(weight_tile)(&s), sum = by_chunk ? s.units * unit_size : unit_size;
    const ptrdiff_t image = g->f * s.pixels, filled = y ? 0 : by_chunk ? s.joins * image : 0;
    const size_t own = (size_t)(sum + tile + kept * s.panels + filled + 15) / 16 * 16;
    const size_t all = y || by_chunk ? 0 : (size_t)(g->n * image);
    T *scratch = call->take((own * (size_t)threads + all) * sizeof(T));
    if (!scratch)
        return MX_MEMORY_ERROR;
    if (all) {
        T *to = scratch + own * (size_t)threads;
        MM(fill)(windows, g, 0, g->n, to);
        y = to;
    }
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        T *sums = scratch + own * (size_t)t, *cols = sums + sum, *turned = cols + tile, *some = turned + kept * s.panels;
        ptrdiff_t first, last, held = -1;
        mm_chunk(by_chunk ? s.chunks : s.units, threads, t, 1, &first, &last);
        if (by_chunk) {
            memset(sums, 0, (size_t)sum * sizeof(T));
            for (ptrdiff_t chunk = first; chunk < last; chunk++) {
                const ptrdiff_t at = chunk / s.per * s.joins;
                if (filled && at != held)
                    MM(fill)(windows, g, held = at, MM_MIN(s.joins, g->n - at), some);
                for (ptrdiff_t unit = 0; unit < s.units; unit++) {
                    if (unit % s.parts == 0)
                        MM(weight_turn)(&s, chunk, unit / s.parts, filled ? some : y + at * image, turned);
                    MM(weight_add)(&s, chunk, unit, cols, turned, sums + unit * unit_size);
                }
            }
        } else
            for (ptrdiff_t unit = first; unit < last; unit++) {
                const int turn = kept == 1 || unit == first || unit % s.parts == 0;
                memset(sums, 0, (size_t)sum * sizeof(T));
                for (ptrdiff_t chunk = 0; chunk < s.chunks; chunk++) {
                    T *panels = turned + (kept > 1 ? chunk * s.panels : 0);
                    if (turn)
                        MM(weight_turn)(&s, chunk, unit / s.parts, y + chunk / s.per * s.joins * image, panels);
                    MM(weight_add)(&s, chunk, unit, cols, panels, sums);
                }
                MM(weight_put)(&s, unit, sums, w);
            }
    }
    if (by_chunk) {
        for (int t = 1; t < threads; t++)
            for (ptrdiff_t i = 0; i < sum; i++)
                scratch[i] += scratch[own * (size_t)t + (size_t)i];
        for (ptrdiff_t unit = 0; unit < s.units; unit++)
            MM(weight_put)(&s, unit, scratch + unit * unit_size, w);
    }
    call->give(scratch);
    return MX_OK;
}
