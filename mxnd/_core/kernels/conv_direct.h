/* Convolution by direct loops for one element type T, where a group holds one channel and few filters (depthwise).
 *
 * A channel is copied into a frame: padding in place, and every row split by the stride (columns 0, s, 2 s, ... first),
 * so that each element of a filter meets consecutive numbers of the frame. */
#define VL (MM_BYTES / (int)sizeof(T))
#define V MM(vector)
#define U MM(unaligned)
#define WIDE 4                                  /* vectors of a row at once */

typedef struct {
    ptrdiff_t rows, high, part, row, taps;      /* high: rows of one depth; part: length of a part; row: of a whole row */
} MM(frame);

static inline MM(frame) MM(frame_of)(const conv_geometry *g)
{
    MM(frame) f;
    f.high = g->in[1] + 2 * g->pad[1];
    f.rows = (g->in[0] + 2 * g->pad[0]) * f.high;
    f.part = g->out[2] + (g->ker[2] - 1) * g->dil[2] / g->str[2] + (WIDE + 1) * VL;
    f.row = f.part * g->str[2];
    f.taps = conv_volume(g->ker);
    return f;
}

/* Where pixel 0 of a row of y finds each element of a filter, and where a row of y begins. */
static void MM(taps)(const conv_geometry *g, const MM(frame) *f, ptrdiff_t *at)
{
    for (ptrdiff_t t = 0; t < f->taps; t++) {
        const ptrdiff_t x = t % g->ker[2] * g->dil[2], y = t / g->ker[2] % g->ker[1] * g->dil[1],
                        z = t / g->ker[2] / g->ker[1] * g->dil[0];
        at[t] = (z * f->high + y) * f->row + x % g->str[2] * f->part + x / g->str[2];
    }
}

static inline ptrdiff_t MM(row_at)(const conv_geometry *g, const MM(frame) *f, ptrdiff_t row)
{
    return (row / g->out[1] * g->str[0] * f->high + row % g->out[1] * g->str[1]) * f->row;
}

/* Copies a channel into its frame (whose padding is zero), or back from it. */
static void MM(framed)(const conv_geometry *g, const MM(frame) *f, T *x, T *frame, int back)
{
    const ptrdiff_t s = g->str[2], wide = g->in[2];
    for (ptrdiff_t z = 0; z < g->in[0]; z++)
        for (ptrdiff_t y = 0; y < g->in[1]; y++, x += wide) {
            T *to = frame + ((z + g->pad[0]) * f->high + y + g->pad[1]) * f->row;
            for (ptrdiff_t part = 0; part < s; part++) {
                /* column c of the padded row is number c / s of part c % s */
                ptrdiff_t first = (g->pad[2] - part + s - 1) / s;
                first = MM_MAX(first, 0);
                const ptrdiff_t from = first * s + part - g->pad[2];
                ptrdiff_t n = from < wide ? (wide - from + s - 1) / s : 0;
                n = MM_MIN(n, f->part - first);
                T *row = to + part * f->part + first;
                if (back)
                    for (ptrdiff_t i = 0; i < n; i++)
                        x[from + i * s] = row[i];
                else if (s == 1)
                    memcpy(row, x + from, (size_t)MM_MAX(n, 0) * sizeof(T));
                else
                    for (ptrdiff_t i = 0; i < n; i++)
                        row[i] = x[from + i * s];
            }
        }
}

static void MM(direct_row)(const T *frame, const ptrdiff_t *at, const T *w, ptrdiff_t taps, T bias, T *y, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i += WIDE * VL) {
        V s0 = (V){0} + bias, s1 = s0, s2 = s0, s3 = s0;
        for (ptrdiff_t t = 0; t < taps; t++) {
            const T *x = frame + at[t] + i;
            s0 += w[t] * *(const U *)x, s1 += w[t] * *(const U *)(x + VL);
            s2 += w[t] * *(const U *)(x + 2 * VL), s3 += w[t] * *(const U *)(x + 3 * VL);
        }
        if (n - i >= WIDE * VL) {
            *(U *)(y + i) = s0, *(U *)(y + i + VL) = s1, *(U *)(y + i + 2 * VL) = s2, *(U *)(y + i + 3 * VL) = s3;
        } else {
            T last[WIDE * VL];
            *(U *)last = s0, *(U *)(last + VL) = s1, *(U *)(last + 2 * VL) = s2, *(U *)(last + 3 * VL) = s3;
            memcpy(y + i, last, (size_t)(n - i) * sizeof(T));
        }
    }
}

/* The frame gets what a row of y spreads over it. */
static void MM(direct_spread)(T *frame, const ptrdiff_t *at, const T *w, ptrdiff_t taps, const T *y, ptrdiff_t n)
{
    for (ptrdiff_t t = 0; t < taps; t++) {
        T *x = frame + at[t];
        ptrdiff_t i = 0;
        for (; i + VL <= n; i += VL)
            *(U *)(x + i) += w[t] * *(const U *)(y + i);
        for (; i < n; i++)
            x[i] += w[t] * y[i];
    }
}

/* sums[t] += the products of a row of y with what element t meets.  Behind the row's end both are masked. */
static void MM(direct_sums)(const T *frame, const ptrdiff_t *at, V *sums, ptrdiff_t taps, const T *y, ptrdiff_t n)
{
    ptrdiff_t i = 0;
    for (; i + VL <= n; i += VL) {
        const V v = *(const U *)(y + i);
        for (ptrdiff_t t = 0; t < taps; t++)
            sums[t] += v * *(const U *)(frame + at[t] + i);
    }
    if (i == n)
        return;
    T last[VL] = {0};
    ITYPE mask[VL];
    for (int q = 0; q < VL; q++)
        mask[q] = q < n - i ? -1 : 0;
    memcpy(last, y + i, (size_t)(n - i) * sizeof(T));
    MM(places) keep;
    V v;
    memcpy(&keep, mask, sizeof keep);
    memcpy(&v, last, sizeof v);
    for (ptrdiff_t t = 0; t < taps; t++)
        sums[t] += v * (V)((MM(places))(V)*(const U *)(frame + at[t] + i) & keep);
}

enum { MM(FORWARD), MM(DATA), MM(WEIGHT) };

/* One of the three; a unit is one channel of one image, or for the filters one channel of all images. */
static int MM(direct)(mxnd_call *call, const conv_geometry *g, int what, T *x, T *w, const T *bias, T *y)
{
    const MM(frame) f = MM(frame_of)(g);
    const ptrdiff_t fg = g->f / g->groups, pixels = conv_volume(g->out), iv = conv_volume(g->in);
    const ptrdiff_t rows = g->out[0] * g->out[1], wide = g->out[2], images = what == MM(WEIGHT) ? 1 : g->n;
    const ptrdiff_t units = images * g->c, repeat = what == MM(WEIGHT) ? g->n : 1;
    const int threads = (int)MM_MIN(conv_threads(conv_work(g), call->threads), MM_MAX(units, 1));
    const size_t size = (size_t)(f.rows * f.row + 16) / 16 * 16 + 16, sums = (size_t)(fg * f.taps * VL + 15) / 16 * 16;
    const size_t table = ((size_t)f.taps * sizeof(ptrdiff_t) + 63) / 64 * 64;
    char *scratch = call->take(table + (size + sums) * sizeof(T) * (size_t)threads);
    if (!scratch)
        return MX_MEMORY_ERROR;
    ptrdiff_t *at = (ptrdiff_t *)scratch;
    MM(taps)(g, &f, at);
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        T *frame = (T *)(scratch + table) + (size + sums) * (size_t)t;
        V *sum = (V *)(frame + size);
        ptrdiff_t unit, last;
        mm_chunk(units, threads, t, 1, &unit, &last);
        memset(frame, 0, size * sizeof(T));
        for (; unit < last; unit++) {
            const ptrdiff_t c = unit % g->c;
            T *wc = w + c * fg * f.taps;
            if (what == MM(WEIGHT))
                memset(sum, 0, sums * sizeof(T));
            for (ptrdiff_t r = 0; r < repeat; r++) {
                const ptrdiff_t image = what == MM(WEIGHT) ? r : unit / g->c;
                T *xc = x + (image * g->c + c) * iv, *yc = y + (image * g->f + c * fg) * pixels;
                if (what == MM(DATA))
                    memset(frame, 0, size * sizeof(T));
                else
                    MM(framed)(g, &f, xc, frame, 0);
                for (ptrdiff_t k = 0; k < fg; k++)
                    for (ptrdiff_t row = 0; row < rows; row++) {
                        T *yr = yc + k * pixels + row * wide, *place = frame + MM(row_at)(g, &f, row);
                        if (what == MM(FORWARD))
                            MM(direct_row)(place, at, wc + k * f.taps, f.taps, bias ? bias[c * fg + k] : 0, yr, wide);
                        else if (what == MM(DATA))
                            MM(direct_spread)(place, at, wc + k * f.taps, f.taps, yr, wide);
                        else
                            MM(direct_sums)(place, at, sum + k * f.taps, f.taps, yr, wide);
                    }
                if (what == MM(DATA)) {
                    for (ptrdiff_t i = 0; i < iv; i++)
                        xc[i] = 0;
                    MM(framed)(g, &f, xc, frame, 1);
                    for (ptrdiff_t i = 0; i < iv && bias; i++)
                        xc[i] += bias[c];
                }
            }
            for (ptrdiff_t k = 0; k < fg * f.taps && what == MM(WEIGHT); k++) {
                T total = 0;
                for (int i = 0; i < VL; i++)
                    total += sum[k][i];
                wc[k] = total;
            }
        }
    }
    call->give(scratch);
    return MX_OK;
}

#undef V
#undef U
#undef VL
#undef WIDE
