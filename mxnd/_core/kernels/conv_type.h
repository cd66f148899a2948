/* Convolution for one element type T; see conv.h. */
#define VL (MM_BYTES / (int)sizeof(T))
#define NR (MM_VECTORS * VL)
#define KC (1536 / (int)sizeof(T))
#define TILE (768 / (int)sizeof(T))         /* columns of a tile */
#define MR MM_ROWS
#define V MM(vector)
#define U MM(unaligned)

typedef T MM(half) __attribute__((vector_size(MM_BYTES / 2), aligned(sizeof(T)), may_alias));

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
    /* short rows: half a vector or one each, while that stays inside */
    if (step == 1 && b - a <= VL / 2 && a == 0)
        for (; rows > 0 && from + VL / 2 <= end; rows--, to += n, from += next) {
            *(MM(half) *)to = *(const MM(half) *)from;
            for (ptrdiff_t i = b; i < n; i++)
                to[i] = 0;
        }
    if (step == 1 && b - a <= VL && a == 0)
        for (; rows > 0 && from + VL <= end; rows--, to += n, from += next) {
            *(U *)to = *(const U *)from;
            for (ptrdiff_t i = b; i < n; i++)
                to[i] = 0;
        }
    for (; rows > 0; rows--, to += n, from += next)
        MM(line)(to, n, a, b, from, step, end);
}

/* `high` whole rows of `wide` pixels of some images, all of which lie in the image; reads and writes up to VL / 2 - 1 numbers more. */
MM_INLINE void MM(whole)(T *to, ptrdiff_t images, ptrdiff_t apart, ptrdiff_t high, ptrdiff_t wide, const T *from, ptrdiff_t next)
{
    for (; images > 0; images--, from += apart) {
        const T *line = from;
        for (ptrdiff_t v = 0; v < high; v++, to += wide, line += next) {
            ptrdiff_t i = 0;
            for (; i + VL <= wide; i += VL)
                *(U *)(to + i) = *(const U *)(line + i);
            for (; i < wide; i += VL / 2)
                *(MM(half) *)(to + i) = *(const MM(half) *)(line + i);
        }
    }
}

/* The same for rows of at most half a vector, of which there are many. */
MM_INLINE void MM(whole_short)(T *to, ptrdiff_t images, ptrdiff_t apart, ptrdiff_t high, ptrdiff_t wide, const T *from, ptrdiff_t next)
{
    for (; images > 0; images--, from += apart) {
        const T *line = from;
#pragma GCC unroll 4
        for (ptrdiff_t v = 0; v < high; v++, to += wide, line += next)
            *(MM(half) *)to = *(const MM(half) *)line;
    }
}

/* Rows k0 .. k1 of the columns of some images (channels of one group; k counts c, then the kernel) for pixels q0 .. q1,
 * one image behind the other.  Row k begins at to + (k - k0) * ld.  The buffer has room for VL numbers more. */
static void MM(columns)(const conv_geometry *g, const T *x, ptrdiff_t images, const T *end, ptrdiff_t k0, ptrdiff_t k1,
                        ptrdiff_t q0, ptrdiff_t q1, T *to, ptrdiff_t ld)
{
    const ptrdiff_t kv = conv_volume(g->ker), iv = conv_volume(g->in), wide = g->out[2], high = g->out[1], s = g->str[2];
    const ptrdiff_t row = q0 / wide, from0 = q0 % wide, z0 = row / high, v0 = row % high;
    const ptrdiff_t rows = (q1 - q0) / wide;
    const int lines = s == 1 && from0 == 0 && rows * wide == q1 - q0 && v0 + rows <= high;       /* whole rows of one plane */
    ptrdiff_t c = k0 / kv, kx = k0 % g->ker[2], ky = k0 / g->ker[2] % g->ker[1], kz = k0 % kv / g->ker[2] / g->ker[1];
    for (ptrdiff_t k = k0; k < k1; k++, to += ld) {
        ptrdiff_t lo, hi, top, bottom;
        conv_span(g, 2, kx, &lo, &hi);
        conv_span(g, 1, ky, &top, &bottom);
        const T *plane = x + c * iv + kx * g->dil[2] - g->pad[2];           /* where pixel 0 of row 0 looks */
        T *out = to;
        ptrdiff_t left = images;
        const ptrdiff_t depth = z0 * g->str[0] + kz * g->dil[0] - g->pad[0];
        if (lines && lo == 0 && hi == wide && top <= v0 && v0 + rows <= bottom && depth >= 0 && depth < g->in[0]) {
            const ptrdiff_t next = g->str[1] * g->in[2];
            const T *from = plane + (depth * g->in[1] + v0 * g->str[1] + ky * g->dil[1] - g->pad[1]) * g->in[2];
            /* the last images, which may be smaller than what is read behind them, take the careful way */
            const T *behind = from + (images - 1) * g->c * iv + (rows - 1) * next + wide + VL / 2;
            ptrdiff_t n = images;
            for (; n > 0 && behind > end; n--)
                behind -= g->c * iv;
            if (wide <= VL / 2)
                MM(whole_short)(out, n, g->c * iv, rows, wide, from, next);
            else
                MM(whole)(out, n, g->c * iv, rows, wide, from, next);
            out += n * rows * wide, plane += n * g->c * iv, left -= n;
        }
        for (; left > 0; left--, plane += g->c * iv) {
            ptrdiff_t q = q0, v = v0, from = from0, z = z0 * g->str[0] + kz * g->dil[0] - g->pad[0];
            for (; q < q1; from = 0) {
                ptrdiff_t n = MM_MIN(wide - from, q1 - q), rows = 1;
                if (z < 0 || z >= g->in[0] || v < top || v >= bottom)
                    memset(out, 0, (size_t)n * sizeof(T));
                else {
                    const T *line = plane + (z * g->in[1] + v * g->str[1] + ky * g->dil[1] - g->pad[1]) * g->in[2];
                    if (n == wide) {
                        rows = bottom - v;
                        if (rows * wide > q1 - q)
                            rows = (q1 - q) / wide;
                        MM(lines)(out, rows, n, lo, hi, line, s, g->str[1] * g->in[2], end);
                    } else
                        MM(line)(out, n, MM_MIN(MM_MAX(lo - from, 0), n), MM_MIN(MM_MAX(hi - from, 0), n), line + from * s, s, end);
                }
                n *= rows, out += n, q += n, v += rows;
                if (v == high)
                    v = 0, z += g->str[0];
            }
        }
        if (++kx == g->ker[2]) {
            kx = 0;
            if (++ky == g->ker[1]) {
                ky = 0;
                if (++kz == g->ker[0])
                    kz = 0, c++;
            }
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
            if (bias || !depth)                     /* without channels there is nothing to add up */
                for (ptrdiff_t f = 0; f < fg; f++)
                    for (ptrdiff_t i = 0; i < count; i++)
                        to[f * ldy + i] = bias ? bias[group * fg + f] : 0;
            for (ptrdiff_t k0 = 0; k0 < depth; k0 += KC) {
                const ptrdiff_t k1 = MM_MIN(k0 + KC, depth);
                const T *b = cols;
                ptrdiff_t ldb = step;
                if (plain && !joined && count % VL == 0)
                    b = xg + k0 * iv + q0, ldb = iv;
                else
                    MM(columns)(g, xg, images, end, k0, k1, q0, q1, cols, step);
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

#include "conv_data.h"
#include "conv_weight.h"

#undef V
#undef U
#undef VL
#undef NR
#undef KC
#undef TILE
#undef MR
