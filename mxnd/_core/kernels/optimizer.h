/* Optimizer updates: every array is read and written once, in stretches that stay in the cache.  16-bit arrays are
   converted stretch by stretch, so weights, gradients and states may have types of their own. */
#ifndef MXND_OPTIMIZER_H
#define MXND_OPTIMIZER_H
#include "call.h"
#include "loops/math.h"
#include "loops/half.h"
#define STRETCH 1024
#define MOST_ARRAYS 6

#define T float
#define NAME(x) x##_f32
#define SQRT sqrtf
#include "optimizer_steps.h"
#undef T
#undef NAME
#undef SQRT
#define T double
#define NAME(x) x##_f64
#define SQRT sqrt
#include "optimizer_steps.h"
#undef T
#undef NAME
#undef SQRT

typedef void (*step_f32_t)(float **, ptrdiff_t, const double *);
typedef void (*step_f64_t)(double **, ptrdiff_t, const double *);
static const struct { step_f32_t f32; step_f64_t f64; int states; } STEPS[] = {      /* in the order of ops/optimizer.py */
#define BOTH(name, states) {name##_f32, name##_f64, states}
    BOTH(sgd, 0), BOTH(sgd_mom, 1), BOTH(nag_mom, 1), BOTH(adam, 2), BOTH(adamw, 2), BOTH(ftrl, 2), BOTH(rmsprop, 1),
    BOTH(rmspropalex, 3), BOTH(signsgd, 0), BOTH(signum, 1), BOTH(ftml, 3), BOTH(lamb1, 2), BOTH(adagrad, 1),
#undef BOTH
};

static inline int width_of(int type) { return type == MX_F64 ? 8 : type == MX_F32 ? 4 : 2; }
static void load_stretch(const mxnd_tensor *t, ptrdiff_t at, ptrdiff_t n, float *to) {
    const char *p = t->data + at * width_of(t->type);
    if (t->type == MX_F16) half_to_float((const uint16_t *)p, to, n);
    else if (t->type == MX_BF16) bfloat_to_float((const uint16_t *)p, to, n);
    else if (t->type == MX_F64) for (ptrdiff_t i = 0; i < n; i++) to[i] = (float)((const double *)p)[i];
    else memcpy(to, p, n * sizeof(float));
}
static void store_stretch(const mxnd_tensor *t, ptrdiff_t at, ptrdiff_t n, const float *from) {
    char *p = t->data + at * width_of(t->type);
    if (t->type == MX_F16) float_to_half(from, (uint16_t *)p, n);
    else if (t->type == MX_BF16) float_to_bfloat(from, (uint16_t *)p, n);
    else if (t->type == MX_F64) for (ptrdiff_t i = 0; i < n; i++) ((double *)p)[i] = from[i];
    else memcpy(p, from, n * sizeof(float));
}

/* Run a step over whole arrays.  t: weight, gradient, states..., new weight; keep: also write the new weight into t[0]. */
static void run_step(int code, const mxnd_tensor **t, int keep, const double *d, int threads) {
    ptrdiff_t size = t[0]->size;
    int count = STEPS[code].states + 3, wide = t[0]->type == MX_F64;
    if (size < 32768) threads = 1;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t at = 0; at < size; at += STRETCH) {
        ptrdiff_t n = size - at < STRETCH ? size - at : STRETCH;
        if (wide) {
            double *a[MOST_ARRAYS];
            for (int k = 0; k < count; k++) a[k] = (double *)t[k]->data + at;
            STEPS[code].f64(a, n, d);
            if (keep) memcpy(a[0], a[count - 1], n * sizeof(double));
            continue;
        }
        float room[MOST_ARRAYS][STRETCH] __attribute__((aligned(64))), *a[MOST_ARRAYS];
        for (int k = 0; k < count; k++) {
            int direct = t[k]->type == MX_F32;
            a[k] = direct ? (float *)t[k]->data + at : room[k];
            if (!direct && k < count - 1) load_stretch(t[k], at, n, room[k]);
        }
        STEPS[code].f32(a, n, d);
        for (int k = 2; k < count; k++)
            if (t[k]->type != MX_F32) store_stretch(t[k], at, n, room[k]);
        if (keep) store_stretch(t[0], at, n, a[count - 1]);
    }
}

static double number_at(const mxnd_tensor *t, ptrdiff_t i) {
    float f;
    if (t->type == MX_F64) return ((const double *)t->data)[i];
    load_stretch(t, i, 1, &f);
    return f;
}

static void copy_weight(const mxnd_tensor *from, const mxnd_tensor *to) {
    float room[STRETCH];
    if (from->type == to->type) {
        if (to->data != from->data) memmove(to->data, from->data, from->size * width_of(from->type));
        return;
    }
    for (ptrdiff_t at = 0; at < from->size; at += STRETCH) {
        ptrdiff_t n = from->size - at < STRETCH ? from->size - at : STRETCH;
        load_stretch(from, at, n, room);
        store_stretch(to, at, n, room);
    }
}

/* i: step, groups of arrays, inputs in a group, place in the group of the weight to work on, whether it is kept up to date,
      what the last inputs hold: 0 nothing, 1 rates and decays, 2 the factor of the gradient, 3 two norms (r1 r2);
   d: lr and wd of each group, then the numbers that all groups share (rescale, clip, ...) */
static int optimizer_update(mxnd_call *c) {
    int code = (int)c->i[0], groups = (int)c->i[1], each = (int)c->i[2];
    int master = (int)c->i[3], keep = (int)c->i[4], last = (int)c->i[5];
    for (int k = 0; k < groups; k++) {
        const mxnd_tensor *in = c->in + k * each, *t[MOST_ARRAYS];
        double d[16] = {c->d[2 * k], c->d[2 * k + 1]};
        for (int i = 0; i < 10; i++) d[2 + i] = c->d[2 * groups + i];
        if (last == 1) d[0] = number_at(c->in + groups * each, k), d[1] = number_at(c->in + groups * each + 1, k);
        if (last == 2) {
            d[2] = number_at(c->in + groups * each, 0);
            if (!isfinite(d[2]) || d[2] == 0) {          /* gradients overflowed: this step is left out */
                copy_weight(in, c->out + k);
                continue;
            }
        }
        if (last == 3) {                                 /* d[4], d[5]: bounds of r1 */
            double r1 = number_at(in + 2, 0), r2 = number_at(in + 3, 0);
            if (d[4] >= 0 && r1 < d[4]) r1 = d[4];
            if (d[5] >= 0 && r1 > d[5]) r1 = d[5];
            if (r1 != 0 && r2 != 0) d[0] *= r1 / r2;
        }
        int m = 0;
        t[m++] = in + master;
        t[m++] = in + 1;
        for (int s = 0; s < STEPS[code].states; s++) t[m++] = in + 2 + s;
        t[m] = c->out + k;
        run_step(code, t, keep, d, c->threads);
    }
    return MX_OK;
}

static double square_sum(const mxnd_tensor *t, int threads) {
    double all = 0;
    if (t->size < 32768) threads = 1;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static) reduction(+:all)
    for (ptrdiff_t at = 0; at < t->size; at += STRETCH) {
        ptrdiff_t n = t->size - at < STRETCH ? t->size - at : STRETCH;
        if (t->type == MX_F64) {
            const double *x = (const double *)t->data + at;
            double s = 0;
            _Pragma("omp simd reduction(+:s)")
            for (ptrdiff_t i = 0; i < n; i++) s += x[i] * x[i];
            all += s;
        } else {
            float room[STRETCH], s = 0;
            const float *x = (const float *)t->data + at;
            if (t->type != MX_F32) load_stretch(t, at, n, room), x = room;
            _Pragma("omp simd reduction(+:s)")
            for (ptrdiff_t i = 0; i < n; i++) s += x[i] * x[i];
            all += s;
        }
    }
    return all;
}

/* LAMB for several weights: the direction into scratch memory, its norm and the weight's, then the step.
   i: groups, inputs in a group, place of the weight to work on; d: for each group lr, wd, 1 / bias of mean and of var;
   then rescale clip beta1 beta2 epsilon lower upper */
static int multi_lamb(mxnd_call *c) {
    int groups = (int)c->i[0], each = (int)c->i[1], master = (int)c->i[2];
    const double *all = c->d + 4 * groups;
    for (int k = 0; k < groups; k++) {
        const mxnd_tensor *in = c->in + k * each, *w = in + master;
        const double *own = c->d + 4 * k;
        double d[16] = {own[0], own[1], all[0], all[1], all[2], all[3], all[4], own[2], own[3]}, rate = own[0];
        mxnd_tensor way = *w;                            /* float32, or float64 with float64 weights */
        way.type = w->type == MX_F64 ? MX_F64 : MX_F32;
        way.data = c->take(w->size * width_of(way.type) + 1);
        if (!way.data) return MX_MEMORY_ERROR;
        const mxnd_tensor *first[] = {w, in + 1, in + 2, in + 3, &way}, *second[] = {w, &way, c->out + k};
        run_step(11, first, 0, d, c->threads);
        double r1 = sqrt(square_sum(w, c->threads)), r2 = sqrt(square_sum(&way, c->threads));
        if (all[5] >= 0 && r1 < all[5]) r1 = all[5];
        if (all[6] >= 0 && r1 > all[6]) r1 = all[6];
        if (r1 != 0 && r2 != 0) rate *= r1 / r2;
        double step[16] = {rate, 0, 1, -1};
        run_step(0, second, master > 0, step, c->threads);
        c->give(way.data);
    }
    return MX_OK;
}

/* ---- helpers of optimizers that look at many arrays ---- */

/* out[k] = lr scaled by the norms.  in: lrs, sums of squares of weights and of gradients, wds; d: eta eps rescale */
static int lars_rates(mxnd_call *c) {
    for (ptrdiff_t i = 0; i < c->out[0].size; i++) {
        double lr = number_at(c->in, i), wd = number_at(c->in + 3, i);
        double w = sqrt(number_at(c->in + 1, i)), g = sqrt(number_at(c->in + 2, i));
        double got = w > 0 && g > 0 ? lr * c->d[0] * w / (g * c->d[2] + wd * w + c->d[1]) : lr;
        float f = (float)got;
        if (c->out[0].type == MX_F64) ((double *)c->out[0].data)[i] = got;
        else store_stretch(c->out, i, 1, &f);
    }
    return MX_OK;
}

static int square_sums(mxnd_call *c) {
    for (int k = 0; k < c->nin; k++) ((float *)c->out[0].data)[k] = (float)square_sum(c->in + k, c->threads);
    return MX_OK;
}

/* 1 if every number of every array is finite, else 0 */
static int all_finite(mxnd_call *c) {
    int good = 1;
    for (int k = 0; k < c->nin && good; k++) {
        const mxnd_tensor *t = c->in + k;
        uint64_t bad = 0;
        if (t->type == MX_F64)
            for (ptrdiff_t i = 0; i < t->size; i++)
                bad |= (((const uint64_t *)t->data)[i] & 0x7ff0000000000000u) == 0x7ff0000000000000u;
        else if (t->type == MX_F32) {
            uint32_t some = 0;
            for (ptrdiff_t i = 0; i < t->size; i++) some |= (((const uint32_t *)t->data)[i] & 0x7f800000u) == 0x7f800000u;
            bad = some;
        } else {
            uint16_t mask = t->type == MX_F16 ? 0x7c00 : 0x7f80, some = 0;
            for (ptrdiff_t i = 0; i < t->size; i++) some |= (((const uint16_t *)t->data)[i] & mask) == mask;
            bad = some;
        }
        good = bad == 0;
    }
    ((float *)c->out[0].data)[0] = (float)good;
    return MX_OK;
}

/* Adagrad with one sum of squares for each row.  in: weight grad history; d: lr rescale clip epsilon;
   i: rows, elements of a row */
static int group_adagrad(mxnd_call *c) {
    ptrdiff_t rows = c->i[0], n = c->i[1];
    int wide = c->in[0].type == MX_F64, threads = rows * n < 32768 ? 1 : c->threads;
    double lr = c->d[0], rescale = c->d[1], most = c->d[2] > 0 ? c->d[2] : INFINITY, eps = c->d[3];
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t r = 0; r < rows; r++) {
        double sum = 0;
        for (int pass = 0; pass < 2; pass++) {
            double h = number_at(c->in + 2, r), rate = 0;
            float f;
            if (pass) {
                h += sum / n, f = (float)h;
                if (wide) ((double *)c->in[2].data)[r] = h;
                else store_stretch(c->in + 2, r, 1, &f);
                rate = lr / sqrt(h + eps);
            }
            for (ptrdiff_t i = r * n; i < (r + 1) * n; i++) {
                double g = number_at(c->in + 1, i) * rescale;
                g = g > most ? most : g < -most ? -most : g;
                if (!pass) {
                    sum += g * g;
                    continue;
                }
                double w = number_at(c->in, i) - rate * g;
                f = (float)w;
                if (wide) ((double *)c->out[0].data)[i] = w;
                else store_stretch(c->out, i, 1, &f);
            }
        }
    }
    return MX_OK;
}
#endif
