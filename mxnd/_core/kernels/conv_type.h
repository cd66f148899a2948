/* Convolution for one element type T; see conv.h. */
#define VL (MM_BYTES / (int)sizeof(T))
#define NR (MM_VECTORS * VL)
#define KC (1536 / (int)sizeof(T))
#define TILE (768 / (int)sizeof(T))         /* columns of a tile */
#define V MM(vector)
#define U MM(unaligned)

/* to[i] = from[i * step] for i < n.  May write up to VL - 1 numbers more; reads none at or behind `end`. */
MM_INLINE void MM(run)(T *to, const T *from, ptrdiff_t n, ptrdiff_t step, const T *end)
{
    ptrdiff_t i = 0;
    if (step == 1) {
        for (; i < n && from + i + VL <= end; i += VL)
            *(U *)(to + i) = *(const U *)(from + i);
        for (; i < n; i++)
            to[i] = from[i];
    } else if (step == 2) {
        for (; i < n; i++)
            to[i] = from[2 * i];
    } else
        for (; i < n; i++)
            to[i] = from[i * step];
}

/* One row of pixels of the columns, or a part of it: n numbers, of which those from a to b lie in the image. */
MM_INLINE void MM(line)(T *to, ptrdiff_t n, ptrdiff_t a, ptrdiff_t b, const T *from, ptrdiff_t step, const T *end)
{
    for (ptrdiff_t i = 0; i < a; i++)
        to[i] = 0;
    if (a < b)
        MM(run)(to + a, from + a * step, b - a, step, end);
    for (ptrdiff_t i = b; i < n; i++)
        to[i] = 0;
}

/* `rows` whole rows of pixels. */
static void MM(lines)(T *to, ptrdiff_t rows, ptrdiff_t n, ptrdiff_t a, ptrdiff_t b, const T *from, ptrdiff_t step, ptrdiff_t next,
                      const T *end)
{
    if (step == 1 && b - a <= VL && a == 0)             /* short rows: one vector each, while that stays inside */
        for (; rows > 0 && from + VL <= end; rows--, to += n, from += next) {
            *(U *)to = *(const U *)from;
            for (ptrdiff_t i = b; i < n; i++)
                to[i] = 0;
        }
    for (; rows > 0; rows--, to += n, from += next)
        MM(line)(to, n, a, b, from, step, end);
}

/* Rows k0 .. k1 of the columns of one image (channels of one group; k counts c, then the kernel) for pixels q0 .. q1.
 * Row k begins at to + (k - k0) * ld.  The buffer has room for VL numbers more. */
static void MM(columns)(const conv_geometry *g, const T *x, const T *end, ptrdiff_t k0, ptrdiff_t k1, ptrdiff_t q0, ptrdiff_t q1,
                        T *to, ptrdiff_t ld)
{
    const ptrdiff_t kv = conv_volume(g->ker), iv = conv_volume(g->in), wide = g->out[2], high = g->out[1], s = g->str[2];
    for (ptrdiff_t k = k0; k < k1; k++, to += ld) {
        const ptrdiff_t e = k % kv, kx = e % g->ker[2], ky = e / g->ker[2] % g->ker[1], kz = e / g->ker[2] / g->ker[1];
        const T *plane = x + k / kv * iv + kx * g->dil[2] - g->pad[2];      /* where pixel 0 of row 0 looks */
        ptrdiff_t lo, hi, top, bottom, q = q0, row = q0 / wide, from = q0 % wide;
        conv_span(g, 2, kx, &lo, &hi);
        conv_span(g, 1, ky, &top, &bottom);
        for (T *out = to; q < q1; from = 0) {
            const ptrdiff_t z = row / high * g->str[0] + kz * g->dil[0] - g->pad[0], v = row % high;
            const ptrdiff_t y = v * g->str[1] + ky * g->dil[1] - g->pad[1];
            ptrdiff_t n = MM_MIN(wide - from, q1 - q), rows = 1;
            if (z < 0 || z >= g->in[0] || v < top || v >= bottom)
                memset(out, 0, (size_t)n * sizeof(T));
            else {
                const T *line = plane + (z * g->in[1] + y) * g->in[2];
                if (n == wide) {
                    rows = MM_MIN(bottom - v, (q1 - q) / wide);
                    MM(lines)(out, rows, n, lo, hi, line, s, g->str[1] * g->in[2], end);
                } else
                    MM(line)(out, n, MM_MIN(MM_MAX(lo - from, 0), n), MM_MIN(MM_MAX(hi - from, 0), n), line + from * s, s, end);
            }
            n *= rows, out += n, q += n, row += rows;
        }
    }
}

/* Adds rows of n numbers, `wide` apart, to lines of an image that are `step` apart and take every s-th pixel. */
static inline void MM(add_lines)(T *line, ptrdiff_t s, ptrdiff_t step, const T *in, ptrdiff_t wide, ptrdiff_t rows, ptrdiff_t n)
{
#if MM_MASKED
    if (s == 1 && n <= VL) {
        const MM(mask) some = MM(first)((int)n);
        for (; rows > 0; rows--, line += step, in += wide)
            MM(store)(some, line, (V)MM(load)(some, line) + (V)MM(load)(some, in));
        return;
    }
#endif
    for (; rows > 0; rows--, line += step, in += wide) {
        ptrdiff_t i = 0;
        for (; s == 1 && i + VL <= n; i += VL)
            *(U *)(line + i) += *(const U *)(in + i);
        for (; i < n; i++)
            line[i * s] += in[i];
    }
}

/* The adjoint of columns(): adds rows k0 .. k1, pixels q0 .. q1, to the image they came from. */
static void MM(scatter)(const conv_geometry *g, T *x, ptrdiff_t k0, ptrdiff_t k1, ptrdiff_t q0, ptrdiff_t q1, const T *from_,
                        ptrdiff_t ld)
{
    const ptrdiff_t kv = conv_volume(g->ker), iv = conv_volume(g->in), wide = g->out[2], high = g->out[1], s = g->str[2];
    for (ptrdiff_t k = k0; k < k1; k++, from_ += ld) {
        const ptrdiff_t e = k % kv, kx = e % g->ker[2], ky = e / g->ker[2] % g->ker[1], kz = e / g->ker[2] / g->ker[1];
        T *plane = x + k / kv * iv;
        ptrdiff_t lo, hi, top, bottom, q = q0, row = q0 / wide, from = q0 % wide;
        conv_span(g, 2, kx, &lo, &hi);
        conv_span(g, 1, ky, &top, &bottom);
        const ptrdiff_t shift = kx * g->dil[2] - g->pad[2];
        for (const T *in = from_; q < q1; from = 0) {
            const ptrdiff_t n = MM_MIN(wide - from, q1 - q), v = row % high;
            const ptrdiff_t z = row / high * g->str[0] + kz * g->dil[0] - g->pad[0], y = v * g->str[1] + ky * g->dil[1] - g->pad[1];
            const ptrdiff_t a = MM_MIN(MM_MAX(lo - from, 0), n), b = MM_MIN(MM_MAX(hi - from, a), n);
            ptrdiff_t rows = 1;
            if (a < b && z >= 0 && z < g->in[0] && v >= top && v < bottom) {
                T *line = plane + (z * g->in[1] + y) * g->in[2] + shift + (from + a) * s;
                if (n == wide)
                    rows = MM_MIN(bottom - v, (q1 - q) / wide);
                MM(add_lines)(line, s, g->str[1] * g->in[2], in + a, wide, rows, b - a);
            }
            in += n * rows, q += n * rows, row += rows;
        }
    }
}

/* Whether the columns are the image itself. */
static inline int MM(plain)(const conv_geometry *g)
{
    for (int a = 0; a < 3; a++)
        if (g->ker[a] != 1 || g->str[a] != 1 || g->pad[a] != 0)
            return 0;
    return 1;
}

/* Pixels are cut into blocks of at most TILE columns; of small images a block takes several whole ones. */
typedef struct { ptrdiff_t images, per_image, size, count; } MM(blocks);

static inline MM(blocks) MM(cut)(ptrdiff_t images, ptrdiff_t pixels)
{
    MM(blocks) b = {1, 1, pixels, 0};
    if (pixels > TILE) {
        b.per_image = (pixels + TILE - 1) / TILE;
        b.size = ((pixels + b.per_image - 1) / b.per_image + VL - 1) / VL * VL;
        b.per_image = (pixels + b.size - 1) / b.size;
    } else
        b.images = MM_MIN(MM_MAX(TILE / MM_MAX(pixels, 1), 1), MM_MAX(images, 1));
    b.count = (images + b.images - 1) / b.images * b.per_image;
    return b;
}

/* y from x and w, plus a bias per filter (or NULL). */
static int MM(conv_forward)(mxnd_call *call, const conv_geometry *g, const T *x, const T *w, const T *bias, T *y)
{
    const ptrdiff_t pixels = conv_volume(g->out), iv = conv_volume(g->in), cg = g->c / g->groups, fg = g->f / g->groups;
    const ptrdiff_t depth = cg * conv_volume(g->ker);
    const T *end = x + g->n * g->c * iv;
    const MM(blocks) cut = MM(cut)(g->n, pixels);
    const int plain = MM(plain)(g), joined = cut.images > 1;
    const ptrdiff_t units = cut.count * g->groups, step = (cut.images * cut.size + VL - 1) / VL * VL + (joined ? VL : 0);
    const int threads = (int)MM_MIN(conv_threads(conv_work(g), call->threads), MM_MAX(units, 1));
    const size_t tile = (size_t)(MM_MIN(depth, KC) * step + VL), need = (tile + (size_t)(joined ? fg * step : 0) + 15) / 16 * 16;
    T *scratch = call->take(need * sizeof(T) * (size_t)threads);
    if (!scratch)
        return MX_MEMORY_ERROR;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        T *cols = scratch + need * (size_t)t, *spare = cols + tile;
        ptrdiff_t unit, last;
        mm_chunk(units, threads, t, 1, &unit, &last);
        for (; unit < last; unit++) {
            const ptrdiff_t group = unit % g->groups, block = unit / g->groups;
            const ptrdiff_t first = block / cut.per_image * cut.images, images = MM_MIN(cut.images, g->n - first);
            const ptrdiff_t q0 = block % cut.per_image * cut.size, q1 = MM_MIN(q0 + cut.size, pixels), count = images * (q1 - q0);
            const T *xg = x + (first * g->c + group * cg) * iv, *wg = w + group * fg * depth;
            T *yg = y + (first * g->f + group * fg) * pixels + q0, *to = joined ? spare : yg;
            const ptrdiff_t ldy = joined ? step : pixels;
            if (bias)
                for (ptrdiff_t f = 0; f < fg; f++)
                    for (ptrdiff_t i = 0; i < count; i++)
                        to[f * ldy + i] = bias[group * fg + f];
            for (ptrdiff_t k0 = 0; k0 < depth; k0 += KC) {
                const ptrdiff_t k1 = MM_MIN(k0 + KC, depth);
                const T *b = cols;
                ptrdiff_t ldb = step;
                if (plain && !joined && count % VL == 0)
                    b = xg + k0 * iv + q0, ldb = iv;
                else
                    for (ptrdiff_t i = 0; i < images; i++)
                        MM(columns)(g, xg + i * g->c * iv, end, k0, k1, q0, q1, cols + i * pixels, step);
                for (ptrdiff_t j = 0; j < count; j += NR)
                    MM(panel)(fg, k1 - k0, wg + k0, depth, 1, b + j, ldb, 1, bias || k0, to + j, ldy, MM_MIN(NR, count - j));
            }
            if (joined)
                for (ptrdiff_t i = 0; i < images; i++)
                    for (ptrdiff_t f = 0; f < fg; f++)
                        memcpy(yg + (i * g->f + f) * pixels, spare + f * step + i * pixels, (size_t)pixels * sizeof(T));
        }
    }
    call->give(scratch);
    return MX_OK;
}


/* x from y and w by matrix products and scatter(); a unit owns some channels of one image. */
static int MM(conv_data)(mxnd_call *call, const conv_geometry *g, const T *y, const T *w, const T *bias, T *x)
{
    const ptrdiff_t pixels = conv_volume(g->out), iv = conv_volume(g->in), cg = g->c / g->groups, fg = g->f / g->groups;
    const ptrdiff_t kv = conv_volume(g->ker), depth = cg * kv, size = MM_MIN(TILE, pixels);
    ptrdiff_t block = MM_MAX(MM_MIN(cg, 2 * KC / kv), 1);             /* channels of a unit */
    int threads = conv_threads(conv_work(g), call->threads);
    if (g->n * g->groups < threads)
        block = MM_MIN(block, MM_MAX(cg / threads, 1));
    const ptrdiff_t parts = (cg + block - 1) / block, units = g->n * g->groups * parts, step = (size + VL - 1) / VL * VL;
    threads = (int)MM_MIN(threads, MM_MAX(units, 1));
    const size_t tile = (size_t)(block * kv * step + VL) * sizeof(T);
    const size_t need = (tile + MM(scratch)(block * kv, size, fg) + 63) / 64 * 64 + 64;
    const ptrdiff_t across = (fg + VL - 1) / VL * VL;
    const size_t turned = (size_t)(g->groups * depth * across) * sizeof(T);     /* filters as columns: rows of the products */
    char *scratch = call->take(need * (size_t)threads + turned);
    if (!scratch)
        return MX_MEMORY_ERROR;
    T *wt = (T *)(scratch + need * (size_t)threads);
    for (ptrdiff_t k = 0; k < g->groups; k++)
        MM(turn)(fg, depth, w + k * fg * depth, depth, wt + k * depth * across, across);
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        T *cols = (T *)(scratch + need * (size_t)t);
        void *work = (char *)cols + (tile + 63) / 64 * 64;
        ptrdiff_t unit, last;
        mm_chunk(units, threads, t, 1, &unit, &last);
        for (; unit < last; unit++) {
            const ptrdiff_t part = unit % parts, group = unit / parts % g->groups, image = unit / parts / g->groups;
            const ptrdiff_t c0 = part * block, c1 = MM_MIN(c0 + block, cg);
            T *xc = x + (image * g->c + group * cg + c0) * iv;
            const T *yg = y + (image * g->f + group * fg) * pixels, *wc = wt + (group * depth + c0 * kv) * across;
            for (ptrdiff_t c = 0; c < c1 - c0; c++)
                for (ptrdiff_t i = 0; i < iv; i++)
                    xc[c * iv + i] = bias ? bias[group * cg + c0 + c] : 0;
            for (ptrdiff_t q0 = 0; q0 < pixels; q0 += TILE) {
                const ptrdiff_t q1 = MM_MIN(q0 + TILE, pixels);
                MM(serial)((c1 - c0) * kv, q1 - q0, fg, 1, wc, across, 0, yg + q0, pixels, 0, 0, cols, step, work);
                MM(scatter)(g, xc, 0, (c1 - c0) * kv, q0, q1, cols, step);
            }
        }
    }
    call->give(scratch);
    return MX_OK;
}

/* w from x and y, as the product of the columns of x with y transposed.  Threads share the channels, or, where those are
 * few, the images; each has a sum of its own, with the filters as columns. */
static int MM(conv_weight)(mxnd_call *call, const conv_geometry *g, const T *x, const T *y, T *w)
{
    const ptrdiff_t pixels = conv_volume(g->out), iv = conv_volume(g->in), cg = g->c / g->groups, fg = g->f / g->groups;
    const ptrdiff_t kv = conv_volume(g->ker), depth = cg * kv;
    const ptrdiff_t joins = MM_MIN(MM_MAX(KC / MM_MAX(pixels, 1), 1), MM_MAX(g->n, 1)), size = MM_MIN(KC, pixels);
    const ptrdiff_t step = (joins * size + VL - 1) / VL * VL + VL;
    const T *end = x + g->n * g->c * iv;
    const int plain = MM(plain)(g) && joins == 1;
    int threads = conv_threads(conv_work(g), call->threads);
    const int by_image = g->c < 4 * threads && g->n >= threads;
    ptrdiff_t block = MM_MAX(MM_MIN(cg, KC / 2 / kv), 1);
    if (!by_image && g->groups < threads)
        block = MM_MIN(block, MM_MAX((cg + threads - 1) / threads, 1));
    const ptrdiff_t parts = (cg + block - 1) / block, units = g->groups * parts;
    if (!by_image)
        threads = (int)MM_MIN(threads, units);
    const size_t whole = (size_t)(g->f * depth), tile = (size_t)(block * kv * step + VL);
    const size_t join = joins > 1 ? (size_t)(fg * step) : 0, sum = (size_t)(block * kv * fg + 15) / 16 * 16;
    const size_t own = tile + join + sum + (by_image ? whole : 0);
    const size_t need = (own + MM(scratch)(block * kv, fg, joins * size) / sizeof(T) + 31) / 16 * 16;
    T *scratch = call->take(need * (size_t)threads * sizeof(T));
    if (!scratch)
        return MX_MEMORY_ERROR;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        T *acc = scratch + need * (size_t)t, *part = acc + sum, *cols = part + (by_image ? whole : 0), *rows_y = cols + tile;
        T *work = rows_y + join, *result = by_image && t ? part : w;
        ptrdiff_t u0 = 0, u1 = units, n0 = 0, n1 = g->n;
        if (by_image)
            mm_chunk(g->n, threads, t, 1, &n0, &n1);
        else
            mm_chunk(units, threads, t, 1, &u0, &u1);
        for (ptrdiff_t unit = u0; unit < u1; unit++) {
            const ptrdiff_t group = unit / parts, c0 = unit % parts * block, c1 = MM_MIN(c0 + block, cg), rows = (c1 - c0) * kv;
            memset(acc, 0, (size_t)(rows * fg) * sizeof(T));
            for (ptrdiff_t i = n0; i < n1; i += joins) {
                const ptrdiff_t images = MM_MIN(joins, n1 - i);
                const T *xc = x + (i * g->c + group * cg + c0) * iv, *yg = y + (i * g->f + group * fg) * pixels;
                for (ptrdiff_t q0 = 0; q0 < pixels; q0 += size) {
                    const ptrdiff_t q1 = MM_MIN(q0 + size, pixels), count = images * (q1 - q0);
                    const T *b = yg + q0;
                    for (ptrdiff_t j = 0; j < images && !plain; j++)
                        MM(columns)(g, xc + j * g->c * iv, end, 0, rows, q0, q1, cols + j * pixels, step);
                    if (joins > 1) {
                        b = rows_y;
                        for (ptrdiff_t f = 0; f < fg; f++)
                            for (ptrdiff_t j = 0; j < images; j++)
                                memcpy(rows_y + f * step + j * pixels, yg + (j * g->f + f) * pixels, (size_t)pixels * sizeof(T));
                    }
                    MM(serial)(rows, fg, count, 1, plain ? xc + q0 : cols, plain ? iv : step, 0, b, joins > 1 ? step : pixels, 1,
                               1, acc, fg, work);
                }
            }
            T *to = result + group * fg * depth + c0 * kv;
            for (ptrdiff_t f = 0; f < fg; f++)
                for (ptrdiff_t k = 0; k < rows; k++)
                    to[f * depth + k] = acc[k * fg + f];
        }
    }
    for (int t = 1; t < threads && by_image; t++)
        for (size_t i = 0; i < whole; i++)
            w[i] += scratch[need * (size_t)t + sum + i];
    call->give(scratch);
    return MX_OK;
}

/* Filters for the gradient as a convolution: to[c][f][k] = w[f][c][last - k], group by group. */
static void MM(turn_filters)(const conv_geometry *g, const T *w, T *to)
{
    const ptrdiff_t cg = g->c / g->groups, fg = g->f / g->groups, kv = conv_volume(g->ker);
    for (ptrdiff_t group = 0; group < g->groups; group++)
        for (ptrdiff_t c = 0; c < cg; c++)
            for (ptrdiff_t f = 0; f < fg; f++)
                for (ptrdiff_t k = 0; k < kv; k++)
                    to[((group * cg + c) * fg + f) * kv + k] = w[((group * fg + f) * cg + c) * kv + kv - 1 - k];
}

#undef V
#undef U
#undef VL
#undef NR
#undef KC
#undef TILE
