/* Fourier transforms of any length, in double precision.
 *
 * Several lines are transformed side by side: number k of line j lies at k * LANES + j, so that the innermost loops run over
 * neighbours.  Lengths whose prime factors are small go factor by factor, from one array to another and back (Stockham's
 * order, which needs no reversal); other lengths become a convolution (Bluestein) of a power of two. */
#ifndef MXND_FOURIER_H
#define MXND_FOURIER_H
#include <math.h>
#include <string.h>
#include "call.h"

typedef ptrdiff_t P;
enum { FFT_MOST = 31, FFT_LANES = 8 };             /* greatest factor that is done as such */
typedef struct { double *re, *im; } fft_numbers;

/* Powers of the n-th root of unity: exp(-2 pi i k / n). */
static void fft_roots(P n, fft_numbers w)
{
    for (P k = 0; k < n; k++) {
        const double a = -6.283185307179586476925 * (double)k / (double)n;
        w.re[k] = cos(a), w.im[k] = sin(a);
    }
}

/* One factor r of the length: n is what is left of it, s the distance of numbers that stay together. */
#define FFT_INLINE static inline __attribute__((always_inline))
FFT_INLINE void fft_pass(const int r, P n, P s, P unit, fft_numbers x, fft_numbers y, fft_numbers w, P whole)
{
    const P m = n / r;
    double cr[FFT_MOST], ci[FFT_MOST];
    for (int k = 0; k < r; k++)
        cr[k] = w.re[whole / r * k], ci[k] = w.im[whole / r * k];
    for (P p = 0; p < m; p++) {
        double tr[FFT_MOST], ti[FFT_MOST];
        for (int j = 0; j < r; j++)
            tr[j] = w.re[j * p * unit], ti[j] = w.im[j * p * unit];
        const double *xr = x.re + s * p, *xi = x.im + s * p;
        double *yr = y.re + s * r * p, *yi = y.im + s * r * p;
        for (P q = 0; q < s; q++) {
            double ar[FFT_MOST], ai[FFT_MOST];
            for (int k = 0; k < r; k++)
                ar[k] = xr[q + s * m * k], ai[k] = xi[q + s * m * k];
            for (int j = 0; j < r; j++) {
                double br = ar[0], bi = ai[0];
                for (int k = 1; k < r; k++) {
                    const double u = cr[j * k % r], v = ci[j * k % r];
                    br += ar[k] * u - ai[k] * v, bi += ar[k] * v + ai[k] * u;
                }
                yr[q + s * j] = br * tr[j] - bi * ti[j], yi[q + s * j] = br * ti[j] + bi * tr[j];
            }
        }
    }
}

static void fft_pass2(P n, P s, P unit, fft_numbers x, fft_numbers y, fft_numbers w)
{
    const P m = n / 2, far = s * m;
    for (P p = 0; p < m; p++) {
        const double c = w.re[p * unit], d = w.im[p * unit];
        const double *xr = x.re + s * p, *xi = x.im + s * p;
        double *restrict yr = y.re + s * 2 * p, *restrict yi = y.im + s * 2 * p;
        for (P q = 0; q < s; q++) {
            const double ar = xr[q], ai = xi[q], br = xr[q + far], bi = xi[q + far], er = ar - br, ei = ai - bi;
            yr[q] = ar + br, yi[q] = ai + bi;
            yr[q + s] = er * c - ei * d, yi[q + s] = er * d + ei * c;
        }
    }
}

static void fft_pass4(P n, P s, P unit, fft_numbers x, fft_numbers y, fft_numbers w)
{
    const P m = n / 4, far = s * m;
    for (P p = 0; p < m; p++) {
        const double c1 = w.re[p * unit], d1 = w.im[p * unit], c2 = w.re[2 * p * unit], d2 = w.im[2 * p * unit];
        const double c3 = w.re[3 * p * unit], d3 = w.im[3 * p * unit];
        const double *xr = x.re + s * p, *xi = x.im + s * p;
        double *restrict yr = y.re + s * 4 * p, *restrict yi = y.im + s * 4 * p;
        for (P q = 0; q < s; q++) {
            const double ar = xr[q] + xr[q + 2 * far], ai = xi[q] + xi[q + 2 * far];
            const double br = xr[q] - xr[q + 2 * far], bi = xi[q] - xi[q + 2 * far];
            const double cr = xr[q + far] + xr[q + 3 * far], ci = xi[q + far] + xi[q + 3 * far];
            const double er = xr[q + far] - xr[q + 3 * far], ei = xi[q + far] - xi[q + 3 * far];
            const double fr = br + ei, fi = bi - er, gr = ar - cr, gi = ai - ci, hr = br - ei, hi = bi + er;
            yr[q] = ar + cr, yi[q] = ai + ci;
            yr[q + s] = fr * c1 - fi * d1, yi[q + s] = fr * d1 + fi * c1;
            yr[q + 2 * s] = gr * c2 - gi * d2, yi[q + 2 * s] = gr * d2 + gi * c2;
            yr[q + 3 * s] = hr * c3 - hi * d3, yi[q + 3 * s] = hr * d3 + hi * c3;
        }
    }
}

/* A factor of what is left of a length: 4 first, then primes; 0 when the least prime factor is too great. */
static int fft_factor(P n)
{
    if (n % 4 == 0)
        return 4;
    for (int r = 2; r <= FFT_MOST; r++)
        if (n % r == 0)
            return r;
    return 0;
}

static int fft_is_smooth(P n)
{
    for (int r; n > 1; n /= r)
        if (!(r = fft_factor(n)))
            return 0;
    return 1;
}

/* Transforms `lanes` lines of a smooth length; the result is in x or in y: returned is which. */
static fft_numbers fft_smooth(P whole, P lanes, fft_numbers x, fft_numbers y, fft_numbers w)
{
    for (P n = whole, s = lanes; n > 1;) {
        const int r = fft_factor(n);
        const P unit = s / lanes;
        switch (r) {
        case 4: fft_pass4(n, s, unit, x, y, w); break;
        case 2: fft_pass2(n, s, unit, x, y, w); break;
        case 3: fft_pass(3, n, s, unit, x, y, w, whole); break;
        case 5: fft_pass(5, n, s, unit, x, y, w, whole); break;
        case 7: fft_pass(7, n, s, unit, x, y, w, whole); break;
        default: fft_pass(r, n, s, unit, x, y, w, whole);
        }
        const fft_numbers t = x;
        x = y, y = t, n /= r, s *= r;
    }
    return x;
}

/* What all threads share: roots, and for Bluestein's way the chirp and the transform of its inverse. */
typedef struct { P n, m; fft_numbers w, chirp, other; } fft_plan;

static fft_numbers fft_part(double **p, P n)
{
    fft_numbers a = {*p, *p + n};
    *p += 2 * n;
    return a;
}

/* Numbers of scratch memory that the plan needs; sets the length that is transformed. */
static P fft_plan_size(fft_plan *f, P n)
{
    f->n = f->m = n;
    if (fft_is_smooth(n))
        return 2 * n;
    for (f->m = 1; f->m < 2 * n - 1;)
        f->m *= 2;
    return 2 * f->m + 2 * n + 2 * f->m;
}

/* to: as many numbers as fft_plan_size said;  spare: 4 * m numbers. */
static void fft_prepare(fft_plan *f, double *to, double *spare)
{
    f->w = fft_part(&to, f->m);
    fft_roots(f->m, f->w);
    if (f->m == f->n)
        return;
    const P n = f->n, m = f->m;
    f->chirp = fft_part(&to, n), f->other = fft_part(&to, m);
    fft_numbers a = fft_part(&spare, m), b = fft_part(&spare, m);
    memset(a.re, 0, (size_t)m * 8), memset(a.im, 0, (size_t)m * 8);
    for (P k = 0, square = 0; k < n; k++) {                             /* square: k * k modulo 2 n */
        const double at = -3.141592653589793238463 * (double)square / (double)n;
        f->chirp.re[k] = cos(at), f->chirp.im[k] = sin(at);
        a.re[k] = f->chirp.re[k], a.im[k] = -f->chirp.im[k];
        if (k)
            a.re[m - k] = a.re[k], a.im[m - k] = a.im[k];
        square = (square + 2 * k + 1) % (2 * n);
    }
    const fft_numbers done = fft_smooth(m, 1, a, b, f->w);
    for (P k = 0; k < m; k++)
        f->other.re[k] = done.re[k] / (double)m, f->other.im[k] = done.im[k] / (double)m;
}

/* Transforms lines; x holds n (Bluestein: m) numbers of each; the result is in x or y. */
static fft_numbers fft_lines(const fft_plan *f, P lanes, fft_numbers x, fft_numbers y)
{
    const P n = f->n, m = f->m;
    if (n == m)
        return fft_smooth(n, lanes, x, y, f->w);
    for (P k = 0; k < n; k++) {
        const double c = f->chirp.re[k], d = f->chirp.im[k];
        for (P j = k * lanes; j < (k + 1) * lanes; j++) {
            const double a = x.re[j], b = x.im[j];
            x.re[j] = a * c - b * d, x.im[j] = a * d + b * c;
        }
    }
    memset(x.re + n * lanes, 0, (size_t)((m - n) * lanes) * 8), memset(x.im + n * lanes, 0, (size_t)((m - n) * lanes) * 8);
    fft_numbers z = fft_smooth(m, lanes, x, y, f->w);
    for (P k = 0; k < m; k++) {                                          /* conjugated, to go back by the same transform */
        const double c = f->other.re[k], d = f->other.im[k];
        for (P j = k * lanes; j < (k + 1) * lanes; j++) {
            const double a = z.re[j], b = z.im[j];
            z.re[j] = a * c - b * d, z.im[j] = -(a * d + b * c);
        }
    }
    z = fft_smooth(m, lanes, z, z.re == x.re ? y : x, f->w);
    for (P k = 0; k < n; k++) {
        const double c = f->chirp.re[k], d = f->chirp.im[k];
        for (P j = k * lanes; j < (k + 1) * lanes; j++) {
            const double a = z.re[j], b = -z.im[j];
            z.re[j] = a * c - b * d, z.im[j] = a * d + b * c;
        }
    }
    return z;
}

/* Lines in and out.  Forward: real numbers to pairs.  Back: pairs to the real part; with both parts exchanged the forward
 * transform is the backward one. */
#define FFT_MOVE(T) \
static void fft_load_##T(const T *from, int back, P n, P count, P lanes, fft_numbers x) \
{ \
    for (P j = 0; j < lanes; j++) { \
        const T *line = from + j * n * (back ? 2 : 1); \
        for (P k = 0; k < n; k++) { \
            x.re[k * lanes + j] = j >= count ? 0 : back ? (double)line[2 * k + 1] : (double)line[k]; \
            x.im[k * lanes + j] = j < count && back ? (double)line[2 * k] : 0; \
        } \
    } \
} \
static void fft_store_##T(fft_numbers x, int back, P n, P count, P lanes, T *to) \
{ \
    for (P j = 0; j < count; j++) { \
        T *line = to + j * n * (back ? 1 : 2); \
        for (P k = 0; k < n; k++) { \
            if (back) \
                line[k] = (T)x.im[k * lanes + j]; \
            else \
                line[2 * k] = (T)x.re[k * lanes + j], line[2 * k + 1] = (T)x.im[k * lanes + j]; \
        } \
    } \
}
FFT_MOVE(float)
FFT_MOVE(double)

/* i: lines, numbers in each. */
static int fft_all(mxnd_call *c, int back)
{
    const P lines = c->i[0], n = c->i[1];
    if (!lines || !n)
        return MX_OK;
    fft_plan f;
    const P shared = fft_plan_size(&f, n), lanes = lines < 3 || f.m > 65536 ? 1 : FFT_LANES, groups = (lines + lanes - 1) / lanes;
    const double work = (double)lines * (double)f.m * 40;
    int threads = work < 200000 ? 1 : groups < c->threads ? (int)groups : c->threads;
    const P own = 4 * f.m * lanes;
    double *scratch = c->take((size_t)(shared + own * threads) * 8);
    if (!scratch)
        return MX_MEMORY_ERROR;
    fft_prepare(&f, scratch, scratch + shared);
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        double *mine = scratch + shared + own * t;
        fft_numbers x = fft_part(&mine, f.m * lanes), y = fft_part(&mine, f.m * lanes);
        for (P g = groups * t / threads; g < groups * (t + 1) / threads; g++) {
            const P first = g * lanes, count = lines - first < lanes ? lines - first : lanes;
            const P from = first * n * (back ? 2 : 1), to = first * n * (back ? 1 : 2);
            if (c->in->type == MX_F64) {
                fft_load_double((const double *)c->in->data + from, back, n, count, lanes, x);
                fft_store_double(fft_lines(&f, lanes, x, y), back, n, count, lanes, (double *)c->out->data + to);
            } else {
                fft_load_float((const float *)c->in->data + from, back, n, count, lanes, x);
                fft_store_float(fft_lines(&f, lanes, x, y), back, n, count, lanes, (float *)c->out->data + to);
            }
        }
    }
    c->give(scratch);
    return MX_OK;
}
#endif
