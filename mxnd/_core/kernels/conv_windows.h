/* Convolution of which only the largest number of every window is kept, and its gradients: the full image exists only
 * for a few samples at a time, in the cache.  Numbers of the call: those of conv_geometry, then those of pool_geometry
 * (whose `in` is the convolution's `out`). */
#ifndef MXND_CONV_WINDOWS_H
#define MXND_CONV_WINDOWS_H
#include "conv_ways.h"

enum { CONV_NUMBERS = 22, WINDOWS_KEPT = 1 << 19 };        /* bytes of full images at a time */

/* How many samples are worked on at a time, such that all threads have some. */
static inline ptrdiff_t windows_block(const conv_geometry *g, int threads, size_t item)
{
    const ptrdiff_t size = g->f * conv_volume(g->out) * (ptrdiff_t)item, fit = WINDOWS_KEPT / MM_MAX(size, 1);
    return MM_MAX(MM_MIN(fit, (g->n + threads - 1) / threads), 1);
}

/* threads share the samples; where these are few, each convolution has `inside` threads instead */
typedef struct { conv_geometry g; pool_geometry p; ptrdiff_t block, blocks, in, out, pooled; int threads, inside; } windows_job;

static inline windows_job windows_plan(const mxnd_call *call, size_t item)
{
    windows_job j = {conv_read(call->i), pool_read(call->i + CONV_NUMBERS)};
    const int threads = conv_threads(conv_work(&j.g), call->threads), shared = j.g.n >= 2 * threads;
    j.threads = shared ? threads : 1, j.inside = shared ? 1 : threads;
    j.block = windows_block(&j.g, j.threads, item);
    j.blocks = (j.g.n + j.block - 1) / j.block;
    j.in = j.g.c * conv_volume(j.g.in), j.out = j.g.f * conv_volume(j.g.out), j.pooled = j.g.f * pool_volume(j.p.out);
    return j;
}

/* What is done with the full images of some samples, from `first` on, in a thread's own memory. */
typedef int (*windows_some)(mxnd_call *call, const windows_job *j, const conv_geometry *g, const pool_geometry *p,
                            ptrdiff_t first, void *full);

static int windows_each(mxnd_call *call, const windows_job *j, size_t item, windows_some some)
{
    const size_t own = ((size_t)(j->block * j->out) * item + 63) / 64 * 64;
    char *scratch = call->take(own * (size_t)j->threads);
    if (!scratch)
        return MX_MEMORY_ERROR;
    int status = MX_OK;
#pragma omp parallel for num_threads(j->threads) schedule(static, 1) if (j->threads > 1)
    for (int t = 0; t < j->threads; t++) {
        ptrdiff_t b, last;
        mm_chunk(j->blocks, j->threads, t, 1, &b, &last);
        for (int got = MX_OK; b < last && got == MX_OK; b++) {
            mxnd_call one = *call;
            conv_geometry g = j->g;
            pool_geometry p = j->p;
            const ptrdiff_t first = b * j->block;
            one.threads = j->inside, g.n = MM_MIN(j->block, j->g.n - first), p.outer = g.n * g.f;
            got = some(&one, j, &g, &p, first, scratch + own * (size_t)t);
            if (got != MX_OK) {
#pragma omp atomic write
                status = got;
            }
        }
    }
    call->give(scratch);
    return status;
}

#define CONV_WINDOWS(F, T)                                                                                           \
    static int conv_windows_some_##F(mxnd_call *call, const windows_job *j, const conv_geometry *g,                  \
                                     const pool_geometry *p, ptrdiff_t first, void *full)                            \
    {                                                                                                                \
        const T *bias = call->nin > 2 ? (const T *)call->in[2].data : NULL;                                          \
        const int status = conv_run_forward_##F(call, g, (const T *)call->in[0].data + first * j->in,                \
                                                (const T *)call->in[1].data, bias, full);                            \
        if (status == MX_OK)                                                                                         \
            pool_places_##F(p, full, (T *)call->out[0].data + first * j->pooled,                                     \
                            (T *)call->out[1].data + first * j->pooled);                                             \
        return status;                                                                                               \
    }                                                                                                                \
    static int conv_windows_data_some_##F(mxnd_call *call, const windows_job *j, const conv_geometry *g,             \
                                          const pool_geometry *p, ptrdiff_t first, void *full)                       \
    {                                                                                                                \
        pool_place_move_##F(p, (const T *)call->in[1].data + first * j->pooled,                                      \
                            (const T *)call->in[0].data + first * j->pooled, full, NULL, NULL);                      \
        return conv_run_data_##F(call, g, full, (const T *)call->in[2].data, NULL,                                   \
                                 (T *)call->out[0].data + first * j->in);                                            \
    }                                                                                                                \
    /* inputs: x, w and perhaps bias; outputs: the largest numbers, their places */                                  \
    static int conv_windows_forward_##F(mxnd_call *call)                                                             \
    {                                                                                                                \
        const windows_job j = windows_plan(call, sizeof(T));                                                         \
        return windows_each(call, &j, sizeof(T), conv_windows_some_##F);                                             \
    }                                                                                                                \
    /* inputs: gradient of the largest numbers, places, w; output: that of x */                                      \
    static int conv_windows_data_##F(mxnd_call *call)                                                                \
    {                                                                                                                \
        const windows_job j = windows_plan(call, sizeof(T));                                                         \
        return windows_each(call, &j, sizeof(T), conv_windows_data_some_##F);                                        \
    }                                                                                                                \
    /* inputs: gradient of the largest numbers, places, x; output: that of w */                                      \
    static int conv_windows_weight_##F(mxnd_call *call)                                                              \
    {                                                                                                                \
        const windows_job j = windows_plan(call, sizeof(T));                                                         \
        const mm_filled_##F windows = {(const T *)call->in[0].data, (const T *)call->in[1].data, &j.p};              \
        const T *x = (const T *)call->in[2].data;                                                                    \
        T *w = (T *)call->out[0].data;                                                                               \
        if (!conv_depthwise(&j.g))                                                                                   \
            return mm_conv_weight_##F(call, &j.g, x, NULL, &windows, w);                                             \
        T *full = call->take((size_t)(j.g.n * j.out) * sizeof(T));                                                   \
        if (!full)                                                                                                   \
            return MX_MEMORY_ERROR;                                                                                  \
        pool_place_move_##F(&j.p, windows.place, windows.grad, full, NULL, NULL);                                    \
        const int status = conv_run_weight_##F(call, &j.g, x, full, w);                                              \
        call->give(full);                                                                                            \
        return status;                                                                                               \
    }
CONV_WINDOWS(f32, float)
CONV_WINDOWS(f64, double)
#endif
