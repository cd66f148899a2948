/* The gradient of convolution for the data, as products and the adjoint of the columns; part of conv_type.h. */
#define MOST_TAPS 32                        /* of a filter's row, in gather() */
#define MOST_ROWS 64                        /* of a filter */

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

#if MM_MASKED
/* The same for `channels` channels and whole rows r0 .. r1 of pixels, when pixels lie side by side (stride 1): every piece
 * of an image's line stays in a register while all that belongs to it is added, which scatter() would store and reload
 * for each element of the filter. */
static void MM(gather)(const conv_geometry *g, T *x, ptrdiff_t channels, ptrdiff_t r0, ptrdiff_t r1, const T *cols, ptrdiff_t ld)
{
    const ptrdiff_t wide = g->out[2], high = g->out[1], taps = g->ker[2], apart = ld - g->dil[2];
    MM(mask) some[MOST_TAPS];
    for (ptrdiff_t x0 = 0; x0 < g->in[2]; x0 += VL) {
        const ptrdiff_t n = MM_MIN(VL, g->in[2] - x0), shift = x0 + g->pad[2];     /* lane 0 is pixel `shift` of element 0 */
        for (ptrdiff_t k = 0; k < taps; k++) {
            const ptrdiff_t first = shift - k * g->dil[2], a = MM_MIN(MM_MAX(-first, 0), n), b = MM_MIN(wide - first, n);
            some[k] = MM(between)((int)a, (int)MM_MAX(a, b));
        }
        const MM(mask) all = MM(first)((int)n);
        for (ptrdiff_t line = 0; line < channels * g->in[0] * g->in[1]; line++) {
            const ptrdiff_t y = line % g->in[1] + g->pad[1], plane = line / g->in[1];
            const ptrdiff_t z = plane % g->in[0] + g->pad[0], c = plane / g->in[0];
            const T *rows[MOST_ROWS];
            int count = 0;
            for (ptrdiff_t kz = 0; kz < g->ker[0]; kz++) {
                const ptrdiff_t u = conv_met(z - kz * g->dil[0], g->str[0], g->out[0]);
                for (ptrdiff_t ky = 0; ky < g->ker[1] && u >= 0; ky++) {
                    const ptrdiff_t v = conv_met(y - ky * g->dil[1], g->str[1], high), row = u * high + v;
                    if (v >= 0 && row >= r0 && row < r1)
                        rows[count++] = cols + ((c * g->ker[0] + kz) * g->ker[1] + ky) * taps * ld + (row - r0) * wide + shift;
                }
            }
            V sum = (V)MM(load)(all, x + line * g->in[2] + x0), more = {0};
            for (ptrdiff_t k = 0, from = 0; k < taps; k++, from += apart) {
                const MM(mask) here = some[k];
                int i = 0;
                for (; i + 2 <= count; i += 2) {
                    sum += (V)MM(load)(here, rows[i] + from);
                    more += (V)MM(load)(here, rows[i + 1] + from);
                }
                if (i < count)
                    sum += (V)MM(load)(here, rows[i] + from);
            }
            MM(store)(all, x + line * g->in[2] + x0, sum + more);
        }
    }
}
#endif

/* x from y and w by matrix products and scatter(); a unit owns some channels of one image. */
static int MM(conv_data)(mxnd_call *call, const conv_geometry *g, const T *y, const T *w, const T *bias, T *x)
{
    const ptrdiff_t pixels = conv_volume(g->out), iv = conv_volume(g->in), cg = g->c / g->groups, fg = g->f / g->groups;
    const int gathers = MM_MASKED && g->str[2] == 1 && g->out[2] > 0 && g->out[2] <= TILE && g->ker[2] <= MOST_TAPS
        && g->ker[0] * g->ker[1] <= MOST_ROWS;
    const ptrdiff_t kv = conv_volume(g->ker), depth = cg * kv, wide = g->out[2];
    const ptrdiff_t size = MM_MIN(gathers ? TILE / wide * wide : TILE, pixels);
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
            for (ptrdiff_t q0 = 0; q0 < pixels; q0 += size) {
                const ptrdiff_t q1 = MM_MIN(q0 + size, pixels);
                MM(serial)((c1 - c0) * kv, q1 - q0, fg, 1, wc, across, 0, yg + q0, pixels, 0, 0, cols, step, work);
#if MM_MASKED
                if (gathers) {
                    MM(gather)(g, xc, c1 - c0, q0 / wide, q1 / wide, cols, step);
                    continue;
                }
#endif
                MM(scatter)(g, xc, 0, (c1 - c0) * kv, q0, q1, cols, step);
            }
        }
    }
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

#undef MOST_TAPS
#undef MOST_ROWS
