/* Whether two arrays are close, and where an array is not zero. */
#ifndef MXND_LOGIC_H
#define MXND_LOGIC_H
#include <math.h>
#include <string.h>
#include "kernels/elements.h"

static inline int far(double a, double b, double rtol, double atol, int equal_nan)
{
    if (a == b)
        return 0;
    if (isnan(a) || isnan(b))
        return !(equal_nan && isnan(a) && isnan(b));
    return isinf(a) || isinf(b) || !(fabs(a - b) <= atol + rtol * fabs(b));
}

/* Elements of blocks are compared without a branch on the answer; the first block with a far pair ends the search. */
#define FAR_BLOCK(T) \
static P far_##T(const T *a, const T *b, P n, double rtol, double atol, int equal_nan) \
{ \
    P bad = 0; \
    for (P i = 0; i < n; i++) \
        bad += !(fabs((double)a[i] - (double)b[i]) <= atol + rtol * fabs((double)b[i])) || isinf((double)b[i]); \
    if (!bad) \
        return 0; \
    for (P i = 0; i < n; i++) \
        if (far(a[i], b[i], rtol, atol, equal_nan)) \
            return 1; \
    return 0; \
}
FAR_BLOCK(float)
FAR_BLOCK(double)

static P far_block(const mxnd_tensor *a, const mxnd_tensor *b, P from, P n, double rtol, double atol, int equal_nan)
{
    if (a->type == MX_F32 && b->type == MX_F32)
        return far_float((const float *)a->data + from, (const float *)b->data + from, n, rtol, atol, equal_nan);
    if (a->type == MX_F64 && b->type == MX_F64)
        return far_double((const double *)a->data + from, (const double *)b->data + from, n, rtol, atol, equal_nan);
    for (P i = from; i < from + n; i++)
        if (far(element(a->data, i, a->type), element(b->data, i, b->type), rtol, atol, equal_nan))
            return 1;
    return 0;
}

static int allclose(mxnd_call *c)
{
    const P n = c->in->size, block = 4096, blocks = (n + block - 1) / block;
    const int threads = n < 65536 ? 1 : c->threads;
    int bad = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : bad) if (threads > 1)
    for (P k = 0; k < blocks; k++)
        if (!bad)
            bad |= (int)far_block(c->in, c->in + 1, k * block, n - k * block < block ? n - k * block : block, c->d[0], c->d[1],
                                  (int)c->i[0]);
    *(uint8_t *)c->out->data = !bad;
    return MX_OK;
}

/* Half floats: only the sign bit may be set in a zero. */
#define PLACES(T, SET) { \
    const T *x = (const T *)c->in->data; \
    for (P i = 0; i < n; i++) \
        if (SET) { \
            if (found < count) \
                to[found] = i; \
            found++; \
        } \
} break

static int mask_places(mxnd_call *c)
{
    int64_t *to = (int64_t *)c->out->data;
    const P n = c->in->size, count = c->out->size;
    P found = 0;
    switch (c->in->type) {
    case MX_F32: PLACES(float, x[i] != 0);
    case MX_F64: PLACES(double, x[i] != 0);
    case MX_F16: case MX_BF16: PLACES(uint16_t, x[i] & 0x7fff);
    case MX_I32: PLACES(int32_t, x[i]);
    case MX_I64: PLACES(int64_t, x[i]);
    default: PLACES(uint8_t, x[i]);
    }
    if (found == count)
        return MX_OK;
    c->error = "another number of elements is not zero; expected count of them";
    return MX_ERROR;
}
#endif
