/* Distributions: blocks of uniform, normal and exponential numbers in vectors, the others one by one. */
#ifndef MXND_DRAWS_H
#define MXND_DRAWS_H
#include "call.h"
#include "philox.h"
#include "loops/math.h"
#include "loops/half.h"
#define PIECE 1024              /* elements made at a time; a whole number of blocks for both types */

/* Unit numbers for the elements from..from + n of a call, from being a multiple of PIECE. */
static void words_for(const mxnd_call *c, ptrdiff_t from, ptrdiff_t n, int wide, uint32_t *w) {
    int each = wide ? 16 : 32;
    philox_fill(c->seed, c->stream + (uint64_t)from / each * 8, w, (n + each - 1) / each);
}

static void unit_f32(const mxnd_call *c, ptrdiff_t from, ptrdiff_t n, float *o) {      /* [0, 1) */
    uint32_t w[PIECE];
    words_for(c, from, n, 0, w);
    for (ptrdiff_t i = 0; i < n; i++) o[i] = (float)(int32_t)(w[i] >> 8) * 0x1p-24f;
}
static void unit_f64(const mxnd_call *c, ptrdiff_t from, ptrdiff_t n, double *o) {
    uint64_t w[PIECE];
    words_for(c, from, n, 1, (uint32_t *)w);
    /* 52 random bits behind the exponent of 1: no conversion of integers, which AVX2 lacks */
    for (ptrdiff_t i = 0; i < n; i++) o[i] = m_from_bits_f64(w[i] >> 12 | 0x3ff0000000000000u) - 1.0;
}
static void exponential_f32(const mxnd_call *c, ptrdiff_t from, ptrdiff_t n, float *o) {
    uint32_t w[PIECE];
    words_for(c, from, n, 0, w);
    for (ptrdiff_t i = 0; i < n; i++) o[i] = -m_log(((float)(int32_t)(w[i] >> 1) + 0.5f) * 0x1p-31f);
}
static void exponential_f64(const mxnd_call *c, ptrdiff_t from, ptrdiff_t n, double *o) {
    uint64_t w[PIECE];
    words_for(c, from, n, 1, (uint32_t *)w);
    for (ptrdiff_t i = 0; i < n; i++) o[i] = -m_log((m_from_bits_f64(w[i] >> 12 | 0x3ff0000000000000u) - 1.0) + 0x1p-53);
}

/* Sine and cosine of t quarter turns, |t| <= 2, by their series on an eighth of a turn to each side. */
M_FN void turn_f32(float t, float *s, float *c) {
    float q = (t + 12582912.0f) - 12582912.0f, x = (t - q) * 1.57079632679f, z = x * x;
    float sine = x + x * z * M_POLY(z, -1.0f / 6, 1.0f / 120, -1.0f / 5040, 1.0f / 362880);
    float cosine = 1.0f + z * M_POLY(z, -0.5f, 1.0f / 24, -1.0f / 720, 1.0f / 40320, -1.0f / 3628800);
    int32_t k = (int32_t)q;
    float u = k & 1 ? cosine : sine, v = k & 1 ? sine : cosine;
    *s = k & 2 ? -u : u;
    *c = (k + 1) & 2 ? -v : v;
}
M_FN void turn_f64(double t, double *s, double *c) {
    double q = (t + 6755399441055744.0) - 6755399441055744.0, x = (t - q) * 1.57079632679489661923, z = x * x;
    double sine = x + x * z * M_POLY(z, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800,
                                     -1.0 / 1307674368000, 1.0 / 355687428096000);
    double cosine = 1.0 + z * M_POLY(z, -0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
                                     -1.0 / 87178291200, 1.0 / 20922789888000);
    /* q is -2 ... 2: its parities without an integer conversion */
    double odd = fabs(q) == 1.0 ? 1.0 : 0.0;
    double u = odd != 0 ? cosine : sine, v = odd != 0 ? sine : cosine;
    *s = q < -0.5 || q > 1.5 ? -u : u;
    *c = q > 0.5 || q < -1.5 ? -v : v;
}

/* Box and Muller: the first half of a block gives the lengths, the second the angles. */
static void normal_f32(const mxnd_call *c, ptrdiff_t from, ptrdiff_t n, float *o) {
    uint32_t w[PIECE];
    float last[32];
    words_for(c, from, n, 0, w);
    for (ptrdiff_t i = 0; i < n; i += 32) {
        float *to = i + 32 <= n ? o + i : last;
        for (int k = 0; k < 16; k++) {
            float r = sqrtf(-2.0f * m_log(((float)(int32_t)(w[i + k] >> 1) + 0.5f) * 0x1p-31f)), s, t;
            turn_f32((float)(int32_t)w[i + 16 + k] * 0x1p-30f, &s, &t);
            to[k] = r * t, to[16 + k] = r * s;
        }
        if (to == last) memcpy(o + i, last, (n - i) * sizeof(float));
    }
}
static void normal_f64(const mxnd_call *c, ptrdiff_t from, ptrdiff_t n, double *o) {
    uint64_t w[PIECE];
    double last[16];
    words_for(c, from, n, 1, (uint32_t *)w);
    for (ptrdiff_t i = 0; i < n; i += 16) {
        double *to = i + 16 <= n ? o + i : last;
        for (int k = 0; k < 8; k++) {
            double u = (m_from_bits_f64(w[i + k] >> 12 | 0x3ff0000000000000u) - 1.0) + 0x1p-53;
            double a = (m_from_bits_f64(w[i + 8 + k] >> 12 | 0x3ff0000000000000u) - 1.5) * 4.0;
            double r = sqrt(-2.0 * m_log(u)), s, t;
            turn_f64(a, &s, &t);
            to[k] = r * t, to[8 + k] = r * s;
        }
        if (to == last) memcpy(o + i, last, (n - i) * sizeof(double));
    }
}

/* ---- one by one, in double; every loop ends, whatever the parameters ---- */

#define MOST_TRIES 4096

static double draw_normal(supply_t *s) {
    double r = sqrt(-2.0 * log(next_unit(s)));
    return r * cos(6.283185307179586 * next_unit(s));
}
/* Marsaglia and Tsang: a cube of a normal number, with rejection; below shape 1 by a power of a uniform one. */
static double draw_gamma(supply_t *s, double shape) {
    if (!(shape > 0)) return shape == 0 ? 0 : NAN;
    if (shape == INFINITY) return INFINITY;
    double small = 1;
    if (shape < 1) small = pow(next_unit(s), 1 / shape), shape += 1;
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        double x = draw_normal(s), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        if (log(next_unit(s)) < 0.5 * x * x + d - d * v + d * log(v)) return d * v * small;
    }
    return d * small;
}
static double log_factorial(double k) {
    if (k < 16) {
        double f = 1;
        for (int i = 2; i <= (int)k; i++) f *= i;
        return log(f);
    }
    double x = k + 1, z = 1 / (x * x);
    return (x - 0.5) * log(x) - x + 0.9189385332046727 + (1.0 / 12 - z * (1.0 / 360 - z / 1260)) / x;
}
/* Small means: count up the distribution function.  Large ones: Hormann's transformed rejection (PTRS). */
static double draw_poisson(supply_t *s, double mean) {
    if (!(mean > 0)) return mean == 0 ? 0 : NAN;
    if (mean > 1e15) return mean == INFINITY ? INFINITY : floor(mean + sqrt(mean) * draw_normal(s) + 0.5);
    if (mean < 12) {
        double u = next_unit(s), p = exp(-mean), k = 0;
        while (u > p && k < 1000) u -= p, k += 1, p *= mean / k;
        return k;
    }
    double root = sqrt(mean), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b, vr = 0.9277 - 3.6224 / (b - 2);
    double ia = log(1.1239 + 1.1328 / (b - 3.4)), lm = log(mean);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        double u = next_unit(s) - 0.5, v = next_unit(s), us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + mean + 0.43);
        if (us >= 0.07 && v <= vr) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        if (log(v) + ia - log(a / (us * us) + b) <= k * lm - mean - log_factorial(k)) return k;
    }
    return floor(mean);
}

enum { D_UNIFORM, D_NORMAL, D_EXPONENTIAL, D_GAMMA, D_POISSON, D_NEGATIVE_BINOMIAL, D_GENERAL_NEGATIVE_BINOMIAL };

static double draw(int what, supply_t *s, double a, double b) {
    switch (what) {
    case D_GAMMA: return draw_gamma(s, a) * b;
    case D_POISSON: return draw_poisson(s, a);
    case D_NEGATIVE_BINOMIAL: return b >= 1 ? (a == a && b == b ? 0 : NAN) : draw_poisson(s, draw_gamma(s, a) * ((1 - b) / b));
    default: return b == 0 ? draw_poisson(s, a) : draw_poisson(s, draw_gamma(s, 1 / b) * (a * b));
    }
}

/* The largest value of an element type below x. */
static double below(double x, int type) {
    if (type == MX_F64) return nextafter(x, -INFINITY);
    float f = (float)x;
    if (f >= x) f = nextafterf(f, -INFINITY);
    if (type == MX_F32) return f;
    uint16_t h = type == MX_F16 ? float_to_half1(f) : float_to_bfloat1(f);
    float back = type == MX_F16 ? half_to_float1(h) : bfloat_to_float1(h);
    if (back > f) h = h & 0x8000 ? h + 1 : h ? h - 1 : 0x8001;
    return type == MX_F16 ? half_to_float1(h) : bfloat_to_float1(h);
}

/* A parameter from an array of any type. */
static double param_at(const mxnd_tensor *t, ptrdiff_t i) {
    switch (t->type) {
    case MX_F32: return ((float *)t->data)[i];
    case MX_F64: return ((double *)t->data)[i];
    case MX_F16: return half_to_float1(((uint16_t *)t->data)[i]);
    case MX_BF16: return bfloat_to_float1(((uint16_t *)t->data)[i]);
    case MX_I32: return ((int32_t *)t->data)[i];
    case MX_I64: return (double)((int64_t *)t->data)[i];
    case MX_I8: return ((int8_t *)t->data)[i];
    default: return ((uint8_t *)t->data)[i];
    }
}

/* Elements from..from + n of a distribution, all with parameters a and b, into o (float or double). */
#define SEGMENT(T, X) \
static void segment_##X(const mxnd_call *c, int what, ptrdiff_t from, ptrdiff_t n, T *o, double a, double b, int type) { \
    T u = (T)a, v = (T)b; \
    switch (what) { \
    case D_UNIFORM: { \
        T top = (T)(b > a ? below(b, type) : b), wide = (T)(b - a); \
        for (ptrdiff_t i = 0; i < n; i++) { T x = u + o[i] * wide; o[i] = x > top ? top : x; } \
        break; } \
    case D_NORMAL: for (ptrdiff_t i = 0; i < n; i++) o[i] = u + o[i] * v; break; \
    case D_EXPONENTIAL: { T w = (T)(1 / a); for (ptrdiff_t i = 0; i < n; i++) o[i] *= w; break; } \
    default: \
        for (ptrdiff_t i = 0; i < n; i++) { \
            supply_t s = supply(c->seed, c->stream + from + i); \
            o[i] = (T)draw(what, &s, a, b); \
        } \
    } \
} \
static void piece_##X(const mxnd_call *c, ptrdiff_t from, ptrdiff_t n, T *o) { \
    int what = (int)c->i[0], type = c->out[0].type; \
    if (what == D_UNIFORM) unit_##X(c, from, n, o); \
    else if (what == D_NORMAL) normal_##X(c, from, n, o); \
    else if (what == D_EXPONENTIAL) exponential_##X(c, from, n, o); \
    if (!c->i[1]) { \
        segment_##X(c, what, from, n, o, c->d[0], c->d[1], type); \
        return; \
    } \
    ptrdiff_t each = c->out[0].size / c->in[0].size; \
    for (ptrdiff_t i = 0; i < n;) {                      /* stretches that share their parameters */ \
        ptrdiff_t k = (from + i) / each, m = (k + 1) * each - (from + i); \
        if (m > n - i) m = n - i; \
        segment_##X(c, what, from + i, m, o + i, param_at(c->in, k), c->nin > 1 ? param_at(c->in + 1, k) : 0, type); \
        i += m; \
    } \
}
SEGMENT(float, f32)
SEGMENT(double, f64)

/* i: distribution, whether inputs hold the parameters; d: parameters otherwise */
static int draw_array(mxnd_call *c) {
    ptrdiff_t n = c->out[0].size;
    int type = c->out[0].type, threads = n < (c->i[0] > D_EXPONENTIAL ? 2048 : 32768) ? 1 : c->threads;
    char *o = c->out[0].data;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t at = 0; at < n; at += PIECE) {
        ptrdiff_t m = n - at < PIECE ? n - at : PIECE;
        float f[PIECE];
        if (type == MX_F32) piece_f32(c, at, m, (float *)o + at);
        else if (type == MX_F64) piece_f64(c, at, m, (double *)o + at);
        else {
            piece_f32(c, at, m, f);
            if (type == MX_F16) float_to_half(f, (uint16_t *)o + at, m);
            else float_to_bfloat(f, (uint16_t *)o + at, m);
        }
    }
    return MX_OK;
}
#endif
