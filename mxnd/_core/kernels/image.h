/* Images, channels last: layout and size.  Colour is in image_colour.h. */
#ifndef MXND_IMAGE_H
#define MXND_IMAGE_H
#include <math.h>
#include <string.h>
#include "kernels/elements.h"

static inline int image_threads(P n, int threads) { return n < 32768 ? 1 : threads; }

/* ---- to_tensor: i: images, pixels, channels */
#define IMAGE_TYPES(X) X(float) X(double) X(uint8_t) X(int8_t) X(int32_t) X(int64_t)
#define TO_TENSOR(T) \
static void to_tensor_##T(const T *x, float *y, P pixels, P channels, P from, P to) \
{ \
    if (channels == 3) { \
        for (P i = from; i < to; i++) \
            y[i] = (float)x[3 * i] / 255.0f, y[pixels + i] = (float)x[3 * i + 1] / 255.0f, \
            y[2 * pixels + i] = (float)x[3 * i + 2] / 255.0f; \
        return; \
    } \
    for (P c = 0; c < channels; c++) \
        for (P i = from; i < to; i++) \
            y[c * pixels + i] = (float)x[i * channels + c] / 255.0f; \
}
IMAGE_TYPES(TO_TENSOR)

static int to_tensor(mxnd_call *c)
{
    const P images = c->i[0], pixels = c->i[1], channels = c->i[2];
    const int threads = image_threads(c->in->size, c->threads);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (P n = 0; n < images; n++) {
            const P at = n * pixels * channels, from = pixels * t / threads, to = pixels * (t + 1) / threads;
            float *y = (float *)c->out->data + at;
            const char *x = c->in->data + at * item_of(c->in->type);
            switch (c->in->type) {
            case MX_F32: to_tensor_float((const float *)x, y, pixels, channels, from, to); break;
            case MX_F64: to_tensor_double((const double *)x, y, pixels, channels, from, to); break;
            case MX_U8: to_tensor_uint8_t((const uint8_t *)x, y, pixels, channels, from, to); break;
            case MX_I8: to_tensor_int8_t((const int8_t *)x, y, pixels, channels, from, to); break;
            case MX_I32: to_tensor_int32_t((const int32_t *)x, y, pixels, channels, from, to); break;
            default: to_tensor_int64_t((const int64_t *)x, y, pixels, channels, from, to);
            }
        }
    return MX_OK;
}

/* ---- normalize: i: images, channels, pixels;  d: means, deviations */
static int normalize(mxnd_call *c)
{
    const P planes = c->i[0] * c->i[1], channels = c->i[1], pixels = c->i[2];
    const int threads = image_threads(c->in->size, c->threads);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (P k = 0; k < planes; k++) {
        const double mean = c->d[k % channels], deviation = c->d[channels + k % channels];
        if (c->in->type == MX_F64) {
            const double *x = (const double *)c->in->data + k * pixels;
            double *y = (double *)c->out->data + k * pixels;
            for (P i = 0; i < pixels; i++)
                y[i] = (x[i] - mean) / deviation;
        } else {
            const float *x = (const float *)c->in->data + k * pixels, m = (float)mean, d = (float)deviation;
            float *y = (float *)c->out->data + k * pixels;
            for (P i = 0; i < pixels; i++)
                y[i] = (x[i] - m) / d;
        }
    }
    return MX_OK;
}

/* ---- flip_if: i: lines before, their number along the axis, elements after */
static int flip_if(mxnd_call *c)
{
    const P before = c->i[0], n = c->i[1], bytes = c->i[2] * item_of(c->in->type);
    const int turn = element(c->in[1].data, 0, c->in[1].type) != 0;
    if (!turn) {
        memcpy(c->out->data, c->in->data, (size_t)(before * n * bytes));
        return MX_OK;
    }
    for (P k = 0; k < before; k++)
        for (P i = 0; i < n; i++)
            memcpy(c->out->data + (k * n + i) * bytes, c->in->data + (k * n + n - 1 - i) * bytes, (size_t)bytes);
    return MX_OK;
}

/* ---- resize: i: interp, images, old height and width, new height and width, channels */

/* Where a new pixel lies among the old ones: behind `at`, and how much of the next one it takes, counted from centre to centre.
 * At the ends there is one pixel: columns take it whole, rows as the sum of two parts, which bytes round differently. */
typedef struct { P at, next; float share; } image_place;
static void image_places(image_place *to, P old, P new_, int bilinear, int columns)
{
    const double step = 1.0 / ((double)new_ / (double)old);
    for (P i = 0; i < new_; i++) {
        if (!bilinear) {
            P at = (P)floor((double)i * step);
            at = at < old ? at : old - 1;
            to[i] = (image_place){at, at, 0};
            continue;
        }
        const float f = (float)(((double)i + 0.5) * step - 0.5);
        const P at = (P)floorf(f);
        to[i] = (image_place){at, at + 1, f - (float)at};
        if (at < 0 || at >= old - 1)
            to[i].at = to[i].next = at < 0 ? 0 : old - 1, to[i].share = columns ? 0 : to[i].share;
    }
}

#define RESIZE(T, SUM) \
static void resize_##T(const image_place *rows, const image_place *columns, const T *x, T *y, P w, P nw, P ch, P from, P to) \
{ \
    for (P i = from; i < to; i++) { \
        const T *a = x + rows[i].at * w * ch, *b = x + rows[i].next * w * ch; \
        const SUM down = (SUM)rows[i].share; \
        for (P j = 0; j < nw; j++) { \
            const P p = columns[j].at * ch, q = columns[j].next * ch; \
            const SUM right = (SUM)columns[j].share; \
            for (P c = 0; c < ch; c++) { \
                const SUM top = (SUM)a[p + c] * (1 - right) + (SUM)a[q + c] * right; \
                const SUM low = (SUM)b[p + c] * (1 - right) + (SUM)b[q + c] * right; \
                y[(i * nw + j) * ch + c] = (T)(top * (1 - down) + low * down); \
            } \
        } \
    } \
} \
static void resize_add_##T(const image_place *rows, const image_place *columns, T *x, const T *y, P w, P nw, P ch, P from, P to) \
{ \
    for (P i = from; i < to; i++) { \
        T *a = x + rows[i].at * w * ch, *b = x + rows[i].next * w * ch; \
        const SUM down = (SUM)rows[i].share; \
        for (P j = 0; j < nw; j++) { \
            const P p = columns[j].at * ch, q = columns[j].next * ch; \
            const SUM right = (SUM)columns[j].share; \
            for (P c = 0; c < ch; c++) { \
                const SUM g = y[(i * nw + j) * ch + c], top = g * (1 - down), low = g * down; \
                a[p + c] += (T)(top * (1 - right)), a[q + c] += (T)(top * right); \
                b[p + c] += (T)(low * (1 - right)), b[q + c] += (T)(low * right); \
            } \
        } \
    } \
}
RESIZE(float, float)
RESIZE(double, double)

/* Bytes: weights of 11 bits, products of 22, rounded at the end. */
static void resize_bytes(const image_place *rows, const image_place *columns, const uint8_t *x, uint8_t *y, P w, P nw, P ch, P from,
                         P to)
{
    for (P i = from; i < to; i++) {
        const uint8_t *a = x + rows[i].at * w * ch, *b = x + rows[i].next * w * ch;
        const int32_t low = (int32_t)rintf(rows[i].share * 2048), high = (int32_t)rintf((1 - rows[i].share) * 2048);
        for (P j = 0; j < nw; j++) {
            const P p = columns[j].at * ch, q = columns[j].next * ch;
            const int32_t right = (int32_t)rintf(columns[j].share * 2048), left = (int32_t)rintf((1 - columns[j].share) * 2048);
            for (P c = 0; c < ch; c++) {
                const int32_t s = a[p + c] * left + a[q + c] * right, t = b[p + c] * left + b[q + c] * right;
                y[(i * nw + j) * ch + c] = (uint8_t)((((high * (s >> 4)) >> 16) + ((low * (t >> 4)) >> 16) + 2) >> 2);
            }
        }
    }
}

/* Half the size in both directions: the mean of four pixels. */
static void halve_bytes(const uint8_t *x, uint8_t *y, P w, P nw, P ch, P from, P to)
{
    for (P i = from; i < to; i++)
        for (P j = 0; j < nw; j++)
            for (P c = 0; c < ch; c++) {
                const uint8_t *a = x + (2 * i * w + 2 * j) * ch + c;
                y[(i * nw + j) * ch + c] = (uint8_t)((a[0] + a[ch] + a[w * ch] + a[w * ch + ch] + 2) >> 2);
            }
}

static int image_resize(mxnd_call *c, int add)
{
    const int bilinear = (int)c->i[0], type = c->out->type;
    const P images = c->i[1], h = c->i[2], w = c->i[3], nh = c->i[4], nw = c->i[5], ch = c->i[6], item = item_of(type);
    if (!c->out->size)
        return MX_OK;
    image_place *rows = c->take((size_t)(nh + nw + 1) * sizeof *rows), *columns = rows + nh;
    if (!rows)
        return MX_MEMORY_ERROR;
    image_places(rows, h, nh, bilinear, 0);
    image_places(columns, w, nw, bilinear, 1);
    const int half = bilinear && h == 2 * nh && w == 2 * nw;
    if (add)
        memset(c->out->data, 0, (size_t)(c->out->size * item));
    const int threads = add ? 1 : image_threads(c->out->size, c->threads);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (P n = 0; n < images; n++) {
            const P from = nh * t / threads, to = nh * (t + 1) / threads;
            char *large = (add ? c->out : c->in)->data + n * h * w * ch * item;
            char *small = (add ? c->in : c->out)->data + n * nh * nw * ch * item;
            if (type == MX_U8 && half)
                halve_bytes((const uint8_t *)large, (uint8_t *)small, w, nw, ch, from, to);
            else if (type == MX_U8)
                resize_bytes(rows, columns, (const uint8_t *)large, (uint8_t *)small, w, nw, ch, from, to);
            else if (type == MX_F32 && add)
                resize_add_float(rows, columns, (float *)large, (const float *)small, w, nw, ch, from, to);
            else if (type == MX_F32)
                resize_float(rows, columns, (const float *)large, (float *)small, w, nw, ch, from, to);
            else if (add)
                resize_add_double(rows, columns, (double *)large, (const double *)small, w, nw, ch, from, to);
            else
                resize_double(rows, columns, (const double *)large, (double *)small, w, nw, ch, from, to);
        }
    c->give(rows);
    return MX_OK;
}
#endif
