/* The entry points of convolution, which choose the way. */
#ifndef MXND_CONV_WAYS_H
#define MXND_CONV_WAYS_H
#include "conv.h"
#include "winograd.h"

static inline int conv_run_forward_f64(mxnd_call *call, const conv_geometry *g, const double *x, const double *w,
                                       const double *bias, double *y)
{
    if (conv_depthwise(g))
        return mm_direct_f64(call, g, mm_FORWARD_f64, (double *)x, (double *)w, bias, y);
    return mm_conv_forward_f64(call, g, x, w, bias, y);
}

static inline int conv_run_forward_f32(mxnd_call *call, const conv_geometry *g, const float *x, const float *w,
                                       const float *bias, float *y)
{
    if (conv_depthwise(g))
        return mm_direct_f32(call, g, mm_FORWARD_f32, (float *)x, (float *)w, bias, y);
    if (wino_fits(g))
        return wino_forward(call, g, x, w, bias, y);
    return mm_conv_forward_f32(call, g, x, w, bias, y);
}

/* The gradient for the data is a convolution too where that does not multiply much more than it must. */
#define CONV_RUN(F, T)                                                                                               \
    static inline int conv_run_data_##F(mxnd_call *call, const conv_geometry *g, const T *y, const T *w,             \
                                        const T *bias, T *x)                                                         \
    {                                                                                                                \
        conv_geometry t;                                                                                             \
        const int direct = conv_depthwise(g), turns = conv_turned(g, &t);                                            \
        if (direct && !(turns && g->f == g->c))                                                                      \
            return mm_direct_##F(call, g, mm_DATA_##F, x, (T *)w, bias, (T *)y);                                     \
        if (!turns || (!direct && 4 * conv_volume(g->in) > 5 * conv_volume(g->out)))                                 \
            return mm_conv_data_##F(call, g, y, w, bias, x);                                                         \
        T *turned = call->take((size_t)(g->f * (g->c / g->groups) * conv_volume(g->ker)) * sizeof(T));               \
        if (!turned)                                                                                                 \
            return MX_MEMORY_ERROR;                                                                                  \
        mm_turn_filters_##F(g, w, turned);                                                                           \
        const int status = conv_run_forward_##F(call, &t, y, turned, bias, x);                                       \
        call->give(turned);                                                                                          \
        return status;                                                                                               \
    }                                                                                                                \
    static inline int conv_run_weight_##F(mxnd_call *call, const conv_geometry *g, const T *x, const T *y, T *w)     \
    {                                                                                                                \
        if (conv_depthwise(g))                                                                                       \
            return mm_direct_##F(call, g, mm_WEIGHT_##F, (T *)x, w, NULL, (T *)y);                                   \
        return mm_conv_weight_##F(call, g, x, y, NULL, w);                                                                 \
    }
CONV_RUN(f32, float)
CONV_RUN(f64, double)
#endif
