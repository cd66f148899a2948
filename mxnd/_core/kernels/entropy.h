/* Thresholds for quantizing, from the entropy of histograms. */
#ifndef MXND_ENTROPY_H
#define MXND_ENTROPY_H
#include <math.h>
#include "kernels/elements.h"

/* Takes a little from the bins that hold something and gives it to the empty ones; 0 when there is not enough to take. */
static int entropy_smooth(double *p, P n)
{
    const double small = 0.0001;
    P full = 0;
    for (P i = 0; i < n; i++)
        full += p[i] != 0;
    if (!full)
        return 0;
    const double taken = small * (double)(n - full) / (double)full;
    if (taken >= 1)
        return 0;
    for (P i = 0; i < n; i++)
        p[i] += p[i] != 0 ? -taken : small;
    return 1;
}

/* Divergence of the bins from .. to - 1, outliers moved into the outermost, from their form in `count` merged bins. */
static double entropy_at(const double *hist, P n, P from, P to, P count, double *p, double *q)
{
    const P size = to - from, merged = size / count;
    double left = 0, right = 0, sum_p = 0, sum_q = 0, found = 0;
    for (P i = 0; i < from; i++)
        left += hist[i];
    for (P i = to; i < n; i++)
        right += hist[i];
    for (P i = 0; i < size; i++)
        p[i] = hist[from + i], q[i] = 0;
    p[0] += left, p[size - 1] += right;
    for (P k = 0; k < count; k++) {
        const P a = k * merged, b = k == count - 1 ? size : a + merged;
        double sum = 0;
        P full = 0;
        for (P i = a; i < b; i++) {                     /* whole counts, and as in MXNet without the first bin */
            const double v = i ? floor(hist[from + i]) : 0;
            sum += v, full += v != 0;
        }
        for (P i = a; i < b; i++)
            if (p[i] != 0 && full)
                q[i] = sum / (double)full;
    }
    if (!entropy_smooth(p, size) || !entropy_smooth(q, size))
        return INFINITY;
    for (P i = 0; i < size; i++)
        sum_p += p[i], sum_q += q[i];
    for (P i = 0; i < size; i++)
        if (p[i] > 0)
            found += q[i] > 0 ? p[i] / sum_p * log(p[i] / sum_p / (q[i] / sum_q)) : INFINITY;
    return found;
}

/* i: number of quantized bins. */
static int entropy_threshold(mxnd_call *c)
{
    const P n = c->in->size, count = c->i[0], middle = n / 2, first = count / 2, tries = middle + 1 - first;
    double *hist = c->take((size_t)(n + tries) * 8 + (size_t)(2 * n * c->threads) * 8);
    if (!hist)
        return MX_MEMORY_ERROR;
    double *found = hist + n, *work = found + tries;
    for (P i = 0; i < n; i++)
        hist[i] = element(c->in->data, i, c->in->type);
    const int threads = (double)n * (double)tries < 1e5 ? 1 : c->threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (P k = t; k < tries; k += threads) {
            const P half = first + k;
            found[k] = entropy_at(hist, n, middle - half, middle + half + 1, count, work + 2 * n * t, work + 2 * n * t + n);
        }
    P best = 0;
    for (P k = 1; k < tries; k++)
        if (found[k] < found[best] || found[best] != found[best])
            best = k;
    *(float *)c->out[0].data = (float)element(c->in[1].data, middle + first + best + 1, c->in[1].type);
    *(float *)c->out[1].data = (float)found[best];
    c->give(hist);
    return MX_OK;
}
#endif
