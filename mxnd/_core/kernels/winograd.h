/* Convolution with 3x3 filters and stride 1 by Winograd's F(4x4, 3x3), float32, one group.
 *
 * A tile of 4x4 pixels of y needs 6x6 of x.  Both the tile and the filters are transformed to 6x6 points, at which
 * channels are summed by 36 plain matrix products: 36 multiplications for 16 pixels where the direct way takes 144.
 * The price is rounding: about 1e-5 of the largest output.  MXND_WINOGRAD=0 in the environment turns it off.
 *
 * WINO_TILES tiles are worked on at once; vectors run along tiles. */
#ifndef MXND_WINOGRAD_H
#define MXND_WINOGRAD_H
#include <stdlib.h>
#include "conv.h"

#define WINO_TILES 48
#define WINO_ROOM (WINO_TILES + 16)             /* vectors may reach over the last tile */
#define WINO_LINE (4 * WINO_ROOM + 16)
#define WINO_FILTERS 64                         /* filters whose products stay in cache */
#define VL (MM_BYTES / 4)
typedef mm_vector_f32 wino_v;
typedef mm_unaligned_f32 wino_u;

static int wino_wanted = -1;

static inline int wino_fits(const conv_geometry *g)
{
    if (wino_wanted < 0) {
        const char *set = getenv("MXND_WINOGRAD");
        wino_wanted = !set || strcmp(set, "0") != 0;
    }
    if (!wino_wanted || g->groups != 1 || g->in[0] != 1 || g->ker[0] != 1 || g->pad[0] != 0)
        return 0;
    for (int a = 1; a < 3; a++)
        if (g->ker[a] != 3 || g->str[a] != 1 || g->dil[a] != 1)
            return 0;
    /* Products at 36 points for every tile, transforms of tiles and of filters, against 9 products a pixel. */
    const double tiles = (double)(g->n * ((g->out[1] + 3) / 4) * ((g->out[2] + 3) / 4));
    const double cost = 36 * (tiles * (1 + 12.0 / (double)g->f + 12.0 / (double)g->c) + 70);
    return cost < 9 * 0.9 * (double)(g->n * conv_volume(g->out));
}

/* The six points of six numbers (rows or columns of a tile). */
#define WINO_INPUT(d0, d1, d2, d3, d4, d5, o0, o1, o2, o3, o4, o5)                                                   \
    do {                                                                                                             \
        wino_v p = d4 - 4 * d2, q = d3 - 4 * d1, r = d4 - d2, s = 2 * (d3 - d1);                                     \
        o0 = 4 * d0 - 5 * d2 + d4;                                                                                   \
        o1 = p + q;                                                                                                  \
        o2 = p - q;                                                                                                  \
        o3 = r + s;                                                                                                  \
        o4 = r - s;                                                                                                  \
        o5 = 4 * d1 - 5 * d3 + d5;                                                                                   \
    } while (0)

/* Four pixels from six points. */
#define WINO_OUTPUT(m0, m1, m2, m3, m4, m5, o0, o1, o2, o3)                                                          \
    do {                                                                                                             \
        wino_v p = m1 + m2, q = m1 - m2, r = m3 + m4, s = m3 - m4;                                                   \
        o0 = m0 + p + r;                                                                                             \
        o1 = q + 2 * s;                                                                                              \
        o2 = p + 4 * r;                                                                                              \
        o3 = q + 8 * s + m5;                                                                                         \
    } while (0)

/* Even and odd elements of a and b in a row; and the way back. */
MM_INLINE void wino_part(wino_v a, wino_v b, wino_v *even, wino_v *odd)
{
    mm_places_f32 e, o;
    for (int i = 0; i < VL; i++)
        e[i] = 2 * i, o[i] = 2 * i + 1;
    *even = mm_pick_f32(a, b, e);
    *odd = mm_pick_f32(a, b, o);
}

MM_INLINE void wino_mix(wino_v even, wino_v odd, wino_v *a, wino_v *b)
{
    mm_places_f32 x, y;
    for (int i = 0; i < VL; i++) {
        x[i] = i / 2 + (i & 1) * VL;
        y[i] = VL / 2 + i / 2 + (i & 1) * VL;
    }
    *a = mm_pick_f32(even, odd, x);
    *b = mm_pick_f32(even, odd, y);
}

/* From one matrix of points to the next; not a power of two, which would crowd one part of the cache. */
static inline ptrdiff_t wino_step(ptrdiff_t size) { return (size + 15) / 16 * 16 + 16; }

#define WINO_FILTER(a, b, c, o0, o1, o2, o3, o4, o5)                                                                 \
    do {                                                                                                             \
        const float p = (a + c) * (1 / 6.0f), q = b * (1 / 6.0f), r = a * (1 / 24.0f) + c * (1 / 6.0f), s = b * (1 / 12.0f); \
        o0 = a * 0.25f;                                                                                              \
        o1 = -p - q;                                                                                                 \
        o2 = q - p;                                                                                                  \
        o3 = r + s;                                                                                                  \
        o4 = r - s;                                                                                                  \
        o5 = c;                                                                                                      \
    } while (0)

/* Filter f of w (f, c, 3, 3) to row f of 36 matrices (f, c). */
static void wino_filter(const conv_geometry *g, const float *w, float *u, ptrdiff_t f)
{
    enum { SOME = 64 };                         /* channels at once */
    const ptrdiff_t step = wino_step(g->f * g->c);
    float o[36][SOME];
    for (ptrdiff_t c0 = 0; c0 < g->c; c0 += SOME) {
        const ptrdiff_t n = MM_MIN(SOME, g->c - c0);
        const float *k = w + (f * g->c + c0) * 9;
#pragma omp simd
        for (ptrdiff_t i = 0; i < n; i++) {
            const float *e = k + 9 * i;
            float h[18];
            WINO_FILTER(e[0], e[3], e[6], h[0], h[3], h[6], h[9], h[12], h[15]);
            WINO_FILTER(e[1], e[4], e[7], h[1], h[4], h[7], h[10], h[13], h[16]);
            WINO_FILTER(e[2], e[5], e[8], h[2], h[5], h[8], h[11], h[14], h[17]);
            WINO_FILTER(h[0], h[1], h[2], o[0][i], o[1][i], o[2][i], o[3][i], o[4][i], o[5][i]);
            WINO_FILTER(h[3], h[4], h[5], o[6][i], o[7][i], o[8][i], o[9][i], o[10][i], o[11][i]);
            WINO_FILTER(h[6], h[7], h[8], o[12][i], o[13][i], o[14][i], o[15][i], o[16][i], o[17][i]);
            WINO_FILTER(h[9], h[10], h[11], o[18][i], o[19][i], o[20][i], o[21][i], o[22][i], o[23][i]);
            WINO_FILTER(h[12], h[13], h[14], o[24][i], o[25][i], o[26][i], o[27][i], o[28][i], o[29][i]);
            WINO_FILTER(h[15], h[16], h[17], o[30][i], o[31][i], o[32][i], o[33][i], o[34][i], o[35][i]);
        }
        for (int p = 0; p < 36; p++)
            memcpy(u + p * step + f * g->c + c0, o[p], (size_t)n * sizeof(float));
    }
}

/* Tiles next to each other in one row of one image. */
typedef struct { ptrdiff_t image, y, x, count, at; } wino_run;

static int wino_runs(const conv_geometry *g, ptrdiff_t first, ptrdiff_t tiles, wino_run *runs)
{
    const ptrdiff_t wide = (g->out[2] + 3) / 4, high = (g->out[1] + 3) / 4;
    int n = 0;
    for (ptrdiff_t at = 0; at < tiles; n++) {
        const ptrdiff_t t = first + at, left = wide - t % wide;
        runs[n] = (wino_run){t / wide / high, t / wide % high * 4, t % wide * 4, MM_MIN(left, tiles - at), at};
        at += runs[n].count;
    }
    return n;
}

/* The 36 points of one channel's tiles: to[point * step + tile]. */
static void wino_input(const conv_geometry *g, const float *x, ptrdiff_t channel, const wino_run *runs, int n, float *to,
                       ptrdiff_t step)
{
    float staged[36][WINO_ROOM], rows[6][WINO_LINE], down[6][WINO_LINE];
    const ptrdiff_t high = g->in[1], wide = g->in[2];
    for (int r = 0; r < n; r++) {
        const wino_run *run = runs + r;
        const float *plane = x + (run->image * g->c + channel) * high * wide, *d[6];
        const ptrdiff_t length = 4 * run->count + 2, x0 = run->x - g->pad[2], lo = MM_MAX(-x0, 0), hi = MM_MIN(wide - x0, length);
        for (int i = 0; i < 6; i++) {
            const ptrdiff_t y = run->y - g->pad[1] + i;
            d[i] = rows[i];
            if (y < 0 || y >= high || lo >= hi) {
                memset(rows[i], 0, (size_t)(length + VL) * sizeof(float));
                continue;
            }
            for (ptrdiff_t q = 0; q < lo; q++)
                rows[i][q] = 0;
            for (ptrdiff_t q = lo; q < hi; q++)
                rows[i][q] = plane[y * wide + x0 + q];
            for (ptrdiff_t q = hi; q < length + VL; q++)
                rows[i][q] = 0;
        }
        for (ptrdiff_t q = 0; q < length; q += VL) {
            wino_v a[6], o0, o1, o2, o3, o4, o5;
            for (int i = 0; i < 6; i++)
                a[i] = *(const wino_u *)(d[i] + q);
            WINO_INPUT(a[0], a[1], a[2], a[3], a[4], a[5], o0, o1, o2, o3, o4, o5);
            *(wino_u *)(down[0] + q) = o0, *(wino_u *)(down[1] + q) = o1, *(wino_u *)(down[2] + q) = o2;
            *(wino_u *)(down[3] + q) = o3, *(wino_u *)(down[4] + q) = o4, *(wino_u *)(down[5] + q) = o5;
        }
        for (ptrdiff_t t = 0; t < run->count; t += VL)
            for (int i = 0; i < 6; i++) {
                const float *q = down[i] + 4 * t;
                wino_v a, b, c, e, p0, p1, p2, p3, p4, p5, skip, o0, o1, o2, o3, o4, o5;
                wino_part(*(const wino_u *)q, *(const wino_u *)(q + VL), &a, &b);
                wino_part(*(const wino_u *)(q + 2 * VL), *(const wino_u *)(q + 3 * VL), &c, &e);
                wino_part(a, c, &p0, &p2);
                wino_part(b, e, &p1, &p3);
                q += 4;                                     /* the next tile's first two */
                wino_part(*(const wino_u *)q, *(const wino_u *)(q + VL), &a, &b);
                wino_part(*(const wino_u *)(q + 2 * VL), *(const wino_u *)(q + 3 * VL), &c, &e);
                wino_part(a, c, &p4, &skip);
                wino_part(b, e, &p5, &skip);
                WINO_INPUT(p0, p1, p2, p3, p4, p5, o0, o1, o2, o3, o4, o5);
                float *s = staged[6 * i] + run->at + t;
                *(wino_u *)s = o0, *(wino_u *)(s + WINO_ROOM) = o1, *(wino_u *)(s + 2 * WINO_ROOM) = o2;
                *(wino_u *)(s + 3 * WINO_ROOM) = o3, *(wino_u *)(s + 4 * WINO_ROOM) = o4, *(wino_u *)(s + 5 * WINO_ROOM) = o5;
            }
    }
    for (int p = 0; p < 36; p++)
        for (int t = 0; t < WINO_TILES; t += VL)
            *(wino_u *)(to + p * step + t) = *(const wino_u *)(staged[p] + t);
}

/* One filter's tiles from their 36 points, m[point * step + tile], into y. */
static void wino_output(const conv_geometry *g, const float *m, ptrdiff_t step, ptrdiff_t filter, float bias,
                        const wino_run *runs, int n, ptrdiff_t tiles, float *y)
{
    float lines[4][4 * WINO_TILES];
    for (ptrdiff_t t = 0; t < tiles; t += VL) {
        wino_v z[4][6];
        for (int j = 0; j < 6; j++) {
            const float *p = m + j * step + t;
            const wino_v a = *(const wino_u *)p, b = *(const wino_u *)(p + 6 * step), c = *(const wino_u *)(p + 12 * step),
                         d = *(const wino_u *)(p + 18 * step), e = *(const wino_u *)(p + 24 * step),
                         f = *(const wino_u *)(p + 30 * step);
            WINO_OUTPUT(a, b, c, d, e, f, z[0][j], z[1][j], z[2][j], z[3][j]);
        }
        for (int i = 0; i < 4; i++) {
            wino_v o0, o1, o2, o3, a, b, c, d;
            WINO_OUTPUT(z[i][0], z[i][1], z[i][2], z[i][3], z[i][4], z[i][5], o0, o1, o2, o3);
            wino_mix(o0 + bias, o2 + bias, &a, &c);         /* 0 2 0 2 ... */
            wino_mix(o1 + bias, o3 + bias, &b, &d);         /* 1 3 1 3 ... */
            wino_v *to = (wino_v *)__builtin_assume_aligned(lines[i] + 4 * t, 4);
            wino_v r0, r1, r2, r3;
            wino_mix(a, b, &r0, &r1);
            wino_mix(c, d, &r2, &r3);
            *(wino_u *)to = r0, *(wino_u *)(to + 1) = r1, *(wino_u *)(to + 2) = r2, *(wino_u *)(to + 3) = r3;
        }
    }
    const ptrdiff_t high = g->out[1], wide = g->out[2];
    for (int r = 0; r < n; r++) {
        float *plane = y + (runs[r].image * g->f + filter) * high * wide;
        const ptrdiff_t length = MM_MIN(4 * runs[r].count, wide - runs[r].x);
        for (ptrdiff_t i = 0; i < 4 && runs[r].y + i < high; i++)
            memcpy(plane + (runs[r].y + i) * wide + runs[r].x, lines[i] + 4 * runs[r].at, (size_t)length * sizeof(float));
    }
}

static int wino_forward(mxnd_call *call, const conv_geometry *g, const float *x, const float *w, const float *bias, float *y)
{
    const ptrdiff_t tiles = g->n * ((g->out[1] + 3) / 4) * ((g->out[2] + 3) / 4), blocks = (tiles + WINO_TILES - 1) / WINO_TILES;
    const int threads = (int)MM_MIN(conv_threads(conv_work(g), call->threads), MM_MAX(blocks, 1));
    const ptrdiff_t step_u = wino_step(g->f * g->c), step_v = wino_step(g->c * WINO_TILES),
                    step_m = wino_step(WINO_FILTERS * WINO_TILES);
    const size_t need = (size_t)(36 * (step_v + step_m));
    float *u = call->take(((size_t)(36 * step_u) + need * (size_t)threads) * sizeof(float));
    if (!u)
        return MX_MEMORY_ERROR;
    float *scratch = u + 36 * step_u;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
#pragma omp for schedule(static)
        for (ptrdiff_t f = 0; f < g->f; f++)
            wino_filter(g, w, u, f);
        float *v = scratch + need * (size_t)omp_get_thread_num(), *m = v + 36 * step_v;
        wino_run runs[WINO_TILES];
#pragma omp for schedule(static)
        for (ptrdiff_t b = 0; b < blocks; b++) {
            const ptrdiff_t count = MM_MIN(WINO_TILES, tiles - b * WINO_TILES), used = (count + VL - 1) / VL * VL;
            const int n = wino_runs(g, b * WINO_TILES, count, runs);
            for (ptrdiff_t c = 0; c < g->c; c++)
                wino_input(g, x, c, runs, n, v + c * WINO_TILES, step_v);
            for (ptrdiff_t f0 = 0; f0 < g->f; f0 += WINO_FILTERS) {
                const ptrdiff_t filters = MM_MIN(WINO_FILTERS, g->f - f0);
                for (ptrdiff_t p = 0; p < 36; p++)
                    for (ptrdiff_t t = 0; t < used; t += MM_VECTORS * VL)
                        mm_panel_f32(filters, g->c, u + p * step_u + f0 * g->c, g->c, 1, v + p * step_v + t, WINO_TILES, 1, 0,
                                     m + p * step_m + t, WINO_TILES, MM_MIN(MM_VECTORS * VL, used - t));
                for (ptrdiff_t f = 0; f < filters; f++)
                    wino_output(g, m + f * WINO_TILES, step_m, f0 + f, bias ? bias[f0 + f] : 0, runs, n, count, y);
            }
        }
    }
    call->give(u);
    return MX_OK;
}

#undef VL
#endif
