/* The CTC loss: forward and backward sums over all alignments, kept as logarithms in double.
 *
 * A label of length L becomes 2 L + 1 places: blanks around and between its classes.  alpha(t, s) is the logarithm of the
 * probability of all ways to place s within the first t steps, beta(t, s) of all ways from there to the end. */
#ifndef MXND_CTC_H
#define MXND_CTC_H
#include <omp.h>
#include <string.h>
#include "call.h"
#include "kernels/index.h"
#include "loops/math.h"

#define CTC_NONE -1e300         /* logarithm of what cannot happen: finite, so that differences are no nan */

typedef struct {
    ptrdiff_t steps, count, classes, labels;
    int blank, has_steps, has_labels, pad;
    int64_t *label, *length, *extent;           /* classes, lengths of the data and of the labels */
} ctc_shape;

/* Scratch of one thread: places and what belongs to them, rows of alpha with two cells in front. */
typedef struct { double *lse, *skip, *lp, *alpha, *beta, *next; int64_t *place; } ctc_work;

static inline ptrdiff_t ctc_row(const ctc_shape *s) { return 2 * s->labels + 5; }
static inline size_t ctc_bytes(const ctc_shape *s)
{
    return (size_t)(s->steps + 5 * ctc_row(s) + (s->steps + 1) * ctc_row(s)) * 8 + 64;
}
static ctc_work ctc_cut(const ctc_shape *s, char *p)
{
    const ptrdiff_t row = ctc_row(s);
    ctc_work w;
    w.lse = (double *)p, w.skip = w.lse + s->steps, w.lp = w.skip + row, w.beta = w.lp + row, w.next = w.beta + row;
    w.place = (int64_t *)(w.next + row);
    w.alpha = (double *)(w.place + row);
    return w;
}

/* Labels and lengths as whole numbers, checked.  inputs: data at `first`, label, lengths. */
static int ctc_read(mxnd_call *c, ctc_shape *s, int first)
{
    *s = (ctc_shape){c->i[0], c->i[1], c->i[2], c->i[3], (int)(c->i[6] ? c->i[2] - 1 : 0), (int)c->i[4], (int)c->i[5], c->i[6] ? -1 : 0};
    const ptrdiff_t N = s->count, L = s->labels;
    s->label = c->take((size_t)(N * L + 2 * N + 1) * sizeof(int64_t));
    if (!s->label)
        return MX_MEMORY_ERROR;
    s->length = s->label + N * L, s->extent = s->length + N;
    const mxnd_tensor *label = c->in + first + 1, *length = label + 1, *extent = length + s->has_steps;
    index_read(s->label, label->data, label->type, 0, N * L);
    if (s->has_steps)
        index_read(s->length, length->data, length->type, 0, N);
    if (s->has_labels)
        index_read(s->extent, extent->data, extent->type, 0, N);
    for (ptrdiff_t n = 0; n < N && !c->error; n++) {
        const int64_t *l = s->label + n * L;
        if (!s->has_steps)
            s->length[n] = s->steps;
        if (!s->has_labels)
            for (s->extent[n] = 0; s->extent[n] < L && l[s->extent[n]] != s->pad; s->extent[n]++) {}
        if (s->length[n] < 0 || s->length[n] > s->steps)
            c->error = "data_lengths holds a length that is negative or larger than the number of steps";
        else if (s->extent[n] < 0 || s->extent[n] > L)
            c->error = "label_lengths holds a length that is negative or larger than the width of label";
        else
            for (ptrdiff_t j = 0; j < s->extent[n] && !c->error; j++)
                if (l[j] < 0 || l[j] >= s->classes) {
                    c->at = l[j], c->bound = s->classes, c->error = "a class in label";
                    c->give(s->label);
                    return MX_INDEX_ERROR;
                } else if (l[j] == s->blank)
                    c->error = "label holds the class of the blank";
    }
    if (c->error)
        c->give(s->label);
    return c->error ? MX_ERROR : MX_OK;
}

/* Places of a label; whether its steps are enough for some alignment. */
static int ctc_places(const ctc_shape *s, ptrdiff_t n, ctc_work *w)
{
    const ptrdiff_t L = s->extent[n];
    const int64_t *l = s->label + n * s->labels;
    ptrdiff_t least = L;
    for (ptrdiff_t j = 0; j <= 2 * L; j++) {
        w->place[j] = j & 1 ? l[j / 2] : s->blank;
        w->skip[j] = j & 1 && j > 1 && l[j / 2] != l[j / 2 - 1] ? 0 : CTC_NONE;
    }
    for (ptrdiff_t j = 1; j < L; j++)
        least += l[j] == l[j - 1];
    return s->length[n] >= least;
}

/* to[j] = log(exp(a[j]) + exp(b[j]) + exp(c[j] + skip[j])) + lp[j] */
static void ctc_step(ptrdiff_t n, const double *a, const double *b, const double *c, const double *skip, const double *lp, double *to)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        const double x = a[j], y = b[j], z = c[j] + skip[j];
        double top = x > y ? x : y;
        top = top > z ? top : z;
        top = top > CTC_NONE ? top : CTC_NONE;
        to[j] = top + m_log(m_exp(x - top) + m_exp(y - top) + m_exp(z - top)) + lp[j];
    }
}

/* Alpha of all steps (row t + 1 after step t); returns the logarithm of the label's probability. */
static double ctc_alpha(const ctc_shape *s, ptrdiff_t n, const ctc_work *w, double (*log_of)(const ctc_shape *, const void *, const
                        ctc_work *, ptrdiff_t, ptrdiff_t, int64_t), const void *x, int keep)
{
    const ptrdiff_t S = 2 * s->extent[n] + 1, row = ctc_row(s);
    for (ptrdiff_t j = 0; j < row; j++)
        w->alpha[j] = CTC_NONE;
    w->alpha[2] = 0;
    for (ptrdiff_t t = 0; t < s->length[n]; t++) {
        const double *from = w->alpha + (keep ? t : t & 1) * row;
        double *to = w->alpha + (keep ? t + 1 : (t + 1) & 1) * row;
        to[0] = to[1] = CTC_NONE;
        for (ptrdiff_t j = 0; j < S; j++)
            w->lp[j] = log_of(s, x, w, n, t, w->place[j]);
        ctc_step(S, from + 2, from + 1, from, w->skip, w->lp, to + 2);
    }
    const double *end = w->alpha + (keep ? s->length[n] : s->length[n] & 1) * row + 2;
    const double a = end[S - 1], b = S > 1 ? end[S - 2] : CTC_NONE, top = a > b ? a : b;
    return isinf(top) ? top : top + log(exp(a - top) + exp(b - top));
}

static int ctc_threads(const mxnd_call *c, const ctc_shape *s)
{
    const double work = (double)s->count * (double)s->steps * (double)(s->classes + 20 * s->labels + 20);
    const int most = c->threads < s->count ? c->threads : (int)s->count;
    return work < 32768 || most < 2 ? 1 : most;
}

#define T float
#define CTC(x) ctc_##x##_f32
#include "ctc_type.h"
#undef T
#undef CTC
#define T double
#define CTC(x) ctc_##x##_f64
#include "ctc_type.h"
#undef T
#undef CTC
#endif
