/* Brightness, contrast, saturation, hue and light of images, and the random numbers for them. */
#ifndef MXND_IMAGE_COLOUR_H
#define MXND_IMAGE_COLOUR_H
#include "kernels/image.h"
#include "kernels/philox.h"

enum { BRIGHTNESS, CONTRAST, SATURATION, HUE, LIGHTING, JITTER, FLIP };       /* KINDS of ops/image.py */
static const double GREY[3] = {0.299, 0.587, 0.114};

/* The principal components of the colours of ImageNet, each times its deviation, by column. */
static const double LIGHT[3][3] = {{55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009},
                                   {55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140},
                                   {55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203}};

/* How far a channel is from the least to the greatest of the new colour: hue runs around from 0 to 6, `at` is the channel's. */
static inline double hue_share(double hue, double at)
{
    double d = fabs(hue - at);
    d = 2 - (d > 3 ? 6 - d : d);
    return d < 0 ? 0 : d > 1 ? 1 : d;
}

/* turn: from 0 to 6. */
static inline void turn_hue(const double *x, double turn, double *y)
{
    const double a = x[0] > x[1] ? x[0] : x[1], b = x[0] > x[1] ? x[1] : x[0];
    const double most = a > x[2] ? a : x[2], least = b < x[2] ? b : x[2], span = most - least;
    if (!(span > 0)) {
        y[0] = x[0], y[1] = x[1], y[2] = x[2];
        return;
    }
    double hue = most == x[0] ? (x[1] - x[2]) / span : most == x[1] ? (x[2] - x[0]) / span + 2 : (x[0] - x[1]) / span + 4;
    hue += turn;
    hue = hue < 0 ? hue + 6 : hue >= 6 ? hue - 6 : hue;
    y[0] = least + span * hue_share(hue, 0), y[1] = least + span * hue_share(hue, 2), y[2] = least + span * hue_share(hue, 4);
}

/* Whole numbers are cut off after the point, as MXNet does, but hue, which comes back from divisions, is rounded. */
#define STORE_FLOAT(T, v, LOW, HIGH) (T)(v)
#define STORE_WHOLE(T, v, LOW, HIGH) ((v) <= (LOW) ? (T)(LOW) : (v) >= (HIGH) ? (T)(HIGH) : (T)(v))
#define ADJUST(T, R, STORE, LOW, HIGH, ROUND) \
static double grey_##T(const T *x, P channels, P from, P to) \
{ \
    double sum = 0; \
    if (channels == 1) \
        for (P i = from; i < to; i++) sum += (double)x[i]; \
    else \
        for (P i = from; i < to; i++) \
            sum += GREY[0] * (double)x[3 * i] + GREY[1] * (double)x[3 * i + 1] + GREY[2] * (double)x[3 * i + 2]; \
    return sum; \
} \
static double sum_##T(const T *x, P n) \
{ \
    double sum = 0; \
    for (P i = 0; i < n; i++) sum += (double)x[i]; \
    return sum; \
} \
static void adjust_##T(int kind, int adjoint, P pixels, P channels, const double *f, const T *x, T *y) \
{ \
    const R a = (R)f[0], rest = 1 - a; \
    if (kind == BRIGHTNESS) { \
        for (P i = 0; i < pixels * channels; i++) { const R v = (R)x[i] * a; y[i] = STORE(T, v, LOW, HIGH); } \
    } else if (kind == CONTRAST && !adjoint) { \
        const R b = rest * (R)(pixels ? grey_##T(x, channels, 0, pixels) / (double)pixels : 0); \
        for (P i = 0; i < pixels * channels; i++) { const R v = (R)x[i] * a + b; y[i] = STORE(T, v, LOW, HIGH); } \
    } else if (kind == CONTRAST) { \
        const double g = pixels ? sum_##T(x, pixels * channels) / (double)pixels : 0; \
        for (P i = 0; i < pixels * channels; i++) { \
            const R v = (R)x[i] * a + rest * (R)(g * (channels == 1 ? 1 : GREY[i % 3])); \
            y[i] = STORE(T, v, LOW, HIGH); \
        } \
    } else if (channels != 3) { \
        memcpy(y, x, (size_t)(pixels * channels) * sizeof(T)); \
    } else if (kind == SATURATION) { \
        for (P i = 0; i < 3 * pixels; i += 3) { \
            const R u[3] = {(R)x[i], (R)x[i + 1], (R)x[i + 2]}; \
            const R g = rest * (adjoint ? u[0] + u[1] + u[2] : u[0] * (R)GREY[0] + u[1] * (R)GREY[1] + u[2] * (R)GREY[2]); \
            for (int c = 0; c < 3; c++) { \
                const R v = u[c] * a + (adjoint ? g * (R)GREY[c] : g); \
                y[i + c] = STORE(T, v, LOW, HIGH); \
            } \
        } \
    } else if (kind == HUE) { \
        const double turn = isfinite(f[0]) ? 6 * (f[0] - floor(f[0])) : 0; \
        for (P i = 0; i < 3 * pixels; i += 3) { \
            double u[3] = {(double)x[i], (double)x[i + 1], (double)x[i + 2]}, v[3]; \
            turn_hue(u, turn, v); \
            for (int c = 0; c < 3; c++) y[i + c] = STORE(T, ROUND(v[c]), LOW, HIGH); \
        } \
    } else { \
        R light[3]; \
        for (int c = 0; c < 3; c++) light[c] = (R)(LIGHT[c][0] * f[0] + LIGHT[c][1] * f[1] + LIGHT[c][2] * f[2]); \
        for (P i = 0; i < 3 * pixels; i += 3) \
            for (int c = 0; c < 3; c++) { \
                const R v = (R)x[i + c] + light[c]; \
                y[i + c] = STORE(T, v, LOW, HIGH); \
            } \
    } \
} \
/* factors of a jitter: brightness, contrast, saturation and hue, then the order of the four */ \
static void jitter_##T(P pixels, P channels, const double *f, const T *x, T *y) \
{ \
    memcpy(y, x, (size_t)(pixels * channels) * sizeof(T)); \
    for (int k = 0; k < 4; k++) { \
        const int kind = (int)f[4 + k] & 3; \
        if (kind == HUE ? f[kind] != 0 : f[kind] != 1) \
            adjust_##T(kind, 0, pixels, channels, f + kind, y, y); \
    } \
}
ADJUST(float, float, STORE_FLOAT, 0, 0, )
ADJUST(double, double, STORE_FLOAT, 0, 0, )
ADJUST(uint8_t, float, STORE_WHOLE, 0, 255, rint)
ADJUST(int8_t, float, STORE_WHOLE, -128, 127, rint)
ADJUST(int32_t, double, STORE_WHOLE, INT32_MIN, INT32_MAX, rint)
ADJUST(int64_t, double, STORE_WHOLE, INT64_MIN, INT64_MAX, rint)

/* i: kind, adjoint, pixels, channels;  factors from the second input or from d. */
static int image_adjust(mxnd_call *c)
{
    const int kind = (int)c->i[0], adjoint = (int)c->i[1];
    const P pixels = c->i[2], channels = c->i[3];
    double f[8] = {0};
    const P count = kind == LIGHTING ? 3 : kind == JITTER ? 8 : 1;
    for (P k = 0; k < count; k++)
        f[k] = c->nin > 1 ? element(c->in[1].data, k, c->in[1].type) : c->d[k];
#define RUN(T) \
    if (kind == JITTER) jitter_##T(pixels, channels, f, (const T *)c->in->data, (T *)c->out->data); \
    else adjust_##T(kind, adjoint, pixels, channels, f, (const T *)c->in->data, (T *)c->out->data)
    switch (c->in->type) {
    case MX_F32: RUN(float); break;
    case MX_F64: RUN(double); break;
    case MX_U8: RUN(uint8_t); break;
    case MX_I8: RUN(int8_t); break;
    case MX_I32: RUN(int32_t); break;
    default: RUN(int64_t);
    }
#undef RUN
    return MX_OK;
}

static inline double between(supply_t *s, double low, double high) { return low + (high - low) * next_unit(s); }

/* i: kind;  d: the numbers of the operator. */
static int image_factors(mxnd_call *c)
{
    float *y = (float *)c->out->data;
    supply_t s = supply(c->seed, c->stream);
    switch (c->i[0]) {
    case FLIP:
        y[0] = next64(&s) >> 63 ? 1 : 0;
        break;
    case LIGHTING:                                            /* normal numbers, after Box and Muller */
        for (int k = 0; k < 3; k++) {
            const double r = sqrt(-2 * log(next_unit(&s)));
            y[k] = (float)(c->d[0] * r * cos(6.283185307179586 * next_unit(&s)));
        }
        break;
    case JITTER:
        for (int k = 0; k < 4; k++) {
            y[k] = (float)((k == HUE ? 0 : 1) + between(&s, -c->d[k], c->d[k]));
            y[4 + k] = (float)k;
        }
        for (int k = 3; k > 0; k--) {
            const int j = (int)scaled_word(next64(&s), (uint64_t)k + 1);
            const float t = y[4 + k];
            y[4 + k] = y[4 + j], y[4 + j] = t;
        }
        break;
    default:
        y[0] = (float)between(&s, c->d[0], c->d[1]);
    }
    return MX_OK;
}
#endif
