/* From accumulators to results: the mean's division, the norm's root, and the conversion to the output's type. */
#ifndef MXND_REDUCE_STORE_H
#define MXND_REDUCE_STORE_H
#include "reduce.h"

enum { FINISH_PLAIN, FINISH_MEAN, FINISH_ROOT };

/* Root of the sum of squares of one output's elements, scaled by the largest so that no square leaves the range
   of float64. */
typedef struct { double scale, sum; } scaled_t;
static void norm_walk(const group_t *g, int left, const char *x, P at, int type, scaled_t *s) {
    if (left == 0) {
        double v = fabs(element(x, at, type)), q;
        if (v == 0) return;
        if (!is_float(type)) s->scale = 1, s->sum += v * v;       /* no square of a whole number leaves the range */
        else if (v == s->scale) s->sum += 1;
        else if (v <= s->scale) q = v / s->scale, s->sum += q * q;
        else q = s->scale / v, s->sum = s->sum * q * q + 1, s->scale = v;
    } else if (g->reduced) {
        for (P i = 0; i < g->n; i++) norm_walk(g + 1, left - 1, x, at + i * g->stride, type, s);
    } else {
        norm_walk(g + 1, left - 1, x, at, type, s);
    }
}
static double norm_scaled(const reduce_t *r, const mxnd_tensor *x, P output) {
    scaled_t s = {0, 0};
    P at = 0;
    for (int i = r->count - 1; i >= 0; i--)
        if (!r->g[i].reduced) at += output % r->g[i].n * r->g[i].stride, output /= r->g[i].n;
    norm_walk(r->g, r->count, x->data, at, x->type, &s);
    return s.scale * sqrt(s.sum);
}

/* n results from place `at` of out on; the accumulators are changed. */
static void reduce_store(const reduce_t *r, int finish, acc_t *acc, P n, const mxnd_tensor *x, mxnd_tensor *out, P at) {
    P i;
    if (finish == FINISH_ROOT) {
        double v[256];
        for (P j = 0; j < n; j += 256) {
            P m = n - j < 256 ? n - j : 256;
            for (i = 0; i < m; i++) v[i] = sqrt(r->floating ? acc[j + i].d : (double)acc[j + i].u);
            if (x->type == MX_F64 || x->type == MX_I32 || x->type == MX_I64)
                for (i = 0; i < m; i++)
                    if (x->type != MX_F64 || v[i] == INFINITY || v[i] < 1e-145) v[i] = norm_scaled(r, x, at + j + i);
            store_f(v, m, out->data, at + j, out->type);
        }
    } else if (r->floating) {
        if (finish == FINISH_MEAN) for (i = 0; i < n; i++) acc[i].d /= (double)r->reduced;
        store_f(&acc->d, n, out->data, at, out->type);
    } else {
        if (finish == FINISH_MEAN && out->type != MX_BOOL)
            for (i = 0; i < n; i++) acc[i].i = r->reduced ? acc[i].i / r->reduced : 0;
        store_i(&acc->i, n, out->data, at, out->type);
    }
}

/* The results of task i (counted without blocks), from its accumulators. */
static void reduce_finish(const reduce_t *r, const tasks_t *t, int finish, P i, acc_t *acc, const mxnd_tensor *x,
                          mxnd_tensor *out) {
    P k2 = r->count > 2 ? r->g[2].n : 1, j2 = i % t->n2 * t->w2, j0 = i / t->n2 * t->w0;
    P m0 = r->g[0].n - j0 < t->w0 ? r->g[0].n - j0 : t->w0, m2 = k2 - j2 < t->w2 ? k2 - j2 : t->w2;
    if (m2 == k2)
        reduce_store(r, finish, acc, m0 * m2 * t->deep, x, out, j0 * k2 * t->deep);
    else
        for (P a = 0; a < m0; a++)
            reduce_store(r, finish, acc + a * m2 * t->deep, m2 * t->deep, x, out, ((j0 + a) * k2 + j2) * t->deep);
}

/* Task i from start to end, where its accumulators fit on the stack. */
static void reduce_whole(const reduce_t *r, const tasks_t *t, int finish, P i, const mxnd_tensor *x, mxnd_tensor *out) {
    acc_t acc[FEW];
    reduce_task(r, t, i, x->data, acc);
    reduce_finish(r, t, finish, i, acc, x, out);
}
#endif
