/* im2col and col2im: all columns of all images, kept instead of used at once.  Threads share the channels of all images. */
#ifndef MXND_COLUMNS_H
#define MXND_COLUMNS_H
#include "conv.h"

/* Columns of the channels first .. last (counted over all images), for elements of one size. */
#define COLUMNS(T) \
static void columns_##T(const conv_geometry *g, const T *x, T *to, ptrdiff_t first, ptrdiff_t last) \
{ \
    const ptrdiff_t wide = g->out[2], s = g->str[2], iv = conv_volume(g->in); \
    for (ptrdiff_t c = first; c < last; c++) \
        for (ptrdiff_t kz = 0; kz < g->ker[0]; kz++) \
        for (ptrdiff_t ky = 0; ky < g->ker[1]; ky++) \
        for (ptrdiff_t kx = 0; kx < g->ker[2]; kx++) { \
            ptrdiff_t lo, hi; \
            conv_span(g, 2, kx, &lo, &hi); \
            for (ptrdiff_t oz = 0; oz < g->out[0]; oz++) \
            for (ptrdiff_t oy = 0; oy < g->out[1]; oy++, to += wide) { \
                const ptrdiff_t z = oz * g->str[0] + kz * g->dil[0] - g->pad[0]; \
                const ptrdiff_t y = oy * g->str[1] + ky * g->dil[1] - g->pad[1]; \
                if (z < 0 || z >= g->in[0] || y < 0 || y >= g->in[1] || lo >= hi) { \
                    memset(to, 0, (size_t)wide * sizeof(T)); \
                    continue; \
                } \
                const T *line = x + c * iv + (z * g->in[1] + y) * g->in[2] + (kx * g->dil[2] - g->pad[2] + lo * s); \
                memset(to, 0, (size_t)lo * sizeof(T)); \
                if (s == 1) \
                    memcpy(to + lo, line, (size_t)(hi - lo) * sizeof(T)); \
                else \
                    for (ptrdiff_t i = lo; i < hi; i++, line += s) \
                        to[i] = *line; \
                memset(to + hi, 0, (size_t)(wide - hi) * sizeof(T)); \
            } \
        } \
}
COLUMNS(uint8_t)
COLUMNS(uint16_t)
COLUMNS(uint32_t)
COLUMNS(uint64_t)

static int columns_all(mxnd_call *c, int item)
{
    const conv_geometry g = conv_read(c->i);
    const ptrdiff_t channels = g.n * g.c, each = conv_volume(g.ker) * conv_volume(g.out);
    const int threads = conv_threads((double)channels * (double)each * 8, c->threads);
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        ptrdiff_t first, last;
        mm_chunk(channels, threads, t, 1, &first, &last);
        char *to = c->out->data + first * each * item;
        switch (item) {
        case 1: columns_uint8_t(&g, (const uint8_t *)c->in->data, (uint8_t *)to, first, last); break;
        case 2: columns_uint16_t(&g, (const uint16_t *)c->in->data, (uint16_t *)to, first, last); break;
        case 4: columns_uint32_t(&g, (const uint32_t *)c->in->data, (uint32_t *)to, first, last); break;
        default: columns_uint64_t(&g, (const uint64_t *)c->in->data, (uint64_t *)to, first, last);
        }
    }
    return MX_OK;
}

static int columns_add(mxnd_call *c)
{
    const conv_geometry g = conv_read(c->i);
    const int wide = c->in->type == MX_F64;
    const ptrdiff_t channels = g.n * g.c, iv = conv_volume(g.in), kv = conv_volume(g.ker), pixels = conv_volume(g.out);
    const int threads = conv_threads((double)channels * (double)(kv * pixels) * 8, c->threads);
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        ptrdiff_t first, last;
        mm_chunk(channels, threads, t, 1, &first, &last);
        for (ptrdiff_t k = first; k < last; k++) {
            char *x = c->out->data + k * iv * (wide ? 8 : 4), *from = c->in->data + k * kv * pixels * (wide ? 8 : 4);
            memset(x, 0, (size_t)iv * (wide ? 8 : 4));
            if (wide)
                mm_scatter_f64(&g, (double *)x, 0, kv, 0, pixels, (const double *)from, pixels);
            else
                mm_scatter_f32(&g, (float *)x, 0, kv, 0, pixels, (const float *)from, pixels);
        }
    }
    return MX_OK;
}
#endif
