/* Whole numbers, categories, permutations, and the masks of Dropout and of the randomised LeakyReLU. */
#ifndef MXND_SAMPLING_H
#define MXND_SAMPLING_H
#include "draws.h"

/* i: low, number of values (as uint64) */
static int random_integers(mxnd_call *c) {
    ptrdiff_t n = c->out[0].size;
    int64_t low = c->i[0];
    uint64_t many = (uint64_t)c->i[1];
    int wide = c->out[0].type == MX_I64, threads = n < 32768 ? 1 : c->threads;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t at = 0; at < n; at += PIECE) {
        uint64_t w[PIECE];
        ptrdiff_t m = n - at < PIECE ? n - at : PIECE;
        words_for(c, at, m, 1, (uint32_t *)w);
        if (wide) {
            int64_t *o = (int64_t *)c->out[0].data + at;
            for (ptrdiff_t i = 0; i < m; i++) o[i] = (int64_t)((uint64_t)low + (many ? scaled_word(w[i], many) : w[i]));
        } else {
            int32_t *o = (int32_t *)c->out[0].data + at;
            /* the upper 32 bits of a product of 64 by 32 bits; the range 2^32 itself takes the upper word */
            uint64_t k = (uint32_t)many;
            if (k) for (ptrdiff_t i = 0; i < m; i++)
                o[i] = (int32_t)(low + (int64_t)(((w[i] >> 32) * k + (((w[i] & 0xffffffffu) * k) >> 32)) >> 32));
            else for (ptrdiff_t i = 0; i < m; i++) o[i] = (int32_t)(low + (int64_t)(w[i] >> 32));
        }
    }
    return MX_OK;
}

/* ---- categories ---- */

static void store_number(mxnd_tensor *t, ptrdiff_t i, double x) {
    switch (t->type) {
    case MX_F32: ((float *)t->data)[i] = (float)x; break;
    case MX_F64: ((double *)t->data)[i] = x; break;
    case MX_F16: ((uint16_t *)t->data)[i] = float_to_half1((float)x); break;
    case MX_BF16: ((uint16_t *)t->data)[i] = float_to_bfloat1((float)x); break;
    case MX_I32: ((int32_t *)t->data)[i] = (int32_t)x; break;
    case MX_I64: ((int64_t *)t->data)[i] = (int64_t)x; break;
    case MX_I8: ((int8_t *)t->data)[i] = (int8_t)x; break;
    default: ((uint8_t *)t->data)[i] = (uint8_t)x;
    }
}

/* in: probabilities (rows, many); out: categories [log probabilities]; i: rows many draws of each */
static int multinomial(mxnd_call *c) {
    ptrdiff_t rows = c->i[0], many = c->i[1], each = c->i[2];
    if (rows > 0 && each > 0 && many == 0) {
        c->error = "data has no categories; expected a last axis of at least 1";
        return MX_ERROR;
    }
    double *sums = c->take(many * sizeof(double) + 1);
    if (!sums) return MX_MEMORY_ERROR;
    for (ptrdiff_t r = 0; r < rows; r++) {
        double all = 0;
        int wrong = 0;                                   /* negative or NaN */
        for (ptrdiff_t k = 0; k < many; k++) {
            double p = param_at(c->in, r * many + k);
            wrong |= !(p >= 0);
            sums[k] = all += p;
        }
        if (wrong || !(all > 0) || all == INFINITY) {
            c->give(sums);
            c->error = "a row holds no probabilities; expected numbers >= 0 with a positive, finite sum";
            return MX_ERROR;
        }
        int threads = each * 16 < 32768 ? 1 : c->threads;
        #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
        for (ptrdiff_t i = 0; i < each; i++) {
            supply_t s = supply(c->seed, c->stream + r * each + i);
            double u = next_unit(&s) * all;
            ptrdiff_t low = 0, high = many - 1;          /* the first category whose sum exceeds u */
            while (low < high) {
                ptrdiff_t mid = (low + high) / 2;
                if (sums[mid] > u) high = mid;
                else low = mid + 1;
            }
            while (low > 0 && sums[low] == sums[low - 1]) low--;      /* u == all: not a category of probability 0 */
            store_number(c->out, r * each + i, (double)low);
            if (c->nout > 1) store_number(c->out + 1, r * each + i, log(param_at(c->in, r * many + low)));
        }
    }
    c->give(sums);
    return MX_OK;
}

/* ---- permutations along the first axis ---- */

#define SHUFFLE(T) { \
    T *o = (T *)c->out[0].data; \
    for (ptrdiff_t i = rows - 1; i > 0; i--) { \
        if ((i & 511) == 511 || i == rows - 1) words_for(c, i & ~(ptrdiff_t)511, 512, 1, (uint32_t *)w); \
        ptrdiff_t j = (ptrdiff_t)scaled_word(w[i & 511], (uint64_t)i + 1); \
        T t = o[i]; o[i] = o[j]; o[j] = t; \
    } }

/* i: rows, elements of a row */
static int shuffle_rows(mxnd_call *c) {
    static const int item[MX_TYPES] = {[MX_F32] = 4, [MX_F64] = 8, [MX_F16] = 2, [MX_U8] = 1, [MX_I32] = 4, [MX_I8] = 1,
                                       [MX_I64] = 8, [MX_BOOL] = 1, [MX_BF16] = 2};
    ptrdiff_t rows = c->i[0], bytes = c->i[1] * item[c->in[0].type];
    uint64_t w[512];
    memcpy(c->out[0].data, c->in[0].data, rows * bytes);
    if (bytes == 1) SHUFFLE(uint8_t)
    else if (bytes == 2) SHUFFLE(uint16_t)
    else if (bytes == 4) SHUFFLE(uint32_t)
    else if (bytes == 8) SHUFFLE(uint64_t)
    else if (bytes) {
        char *o = c->out[0].data;
        ptrdiff_t *order = c->take(rows * sizeof(ptrdiff_t) + 1);
        if (!order) return MX_MEMORY_ERROR;
        for (ptrdiff_t i = 0; i < rows; i++) order[i] = i;
        for (ptrdiff_t i = rows - 1; i > 0; i--) {
            if ((i & 511) == 511 || i == rows - 1) words_for(c, i & ~(ptrdiff_t)511, 512, 1, (uint32_t *)w);
            ptrdiff_t j = (ptrdiff_t)scaled_word(w[i & 511], (uint64_t)i + 1), t = order[i];
            order[i] = order[j], order[j] = t;
        }
        int threads = rows * bytes < 131072 ? 1 : c->threads;
        #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
        for (ptrdiff_t i = 0; i < rows; i++) memcpy(o + i * bytes, c->in[0].data + order[i] * bytes, bytes);
        c->give(order);
    }
    return MX_OK;
}

/* Different classes of a log-uniform distribution.  out: classes (rows, n), tries (rows); i: rows n range */
static int unique_zipfian(mxnd_call *c) {
    ptrdiff_t rows = c->i[0], n = c->i[1], slots = 4;
    int64_t range = c->i[2], *o = (int64_t *)c->out[0].data, *tries = (int64_t *)c->out[1].data;
    while (slots < 2 * n) slots *= 2;
    int64_t *seen = c->take(slots * sizeof(int64_t));
    if (!seen) return MX_MEMORY_ERROR;
    double wide = log((double)range + 1);
    for (ptrdiff_t r = 0; r < rows; r++) {
        supply_t s = supply(c->seed, c->stream + r * n);
        int64_t count = 0;
        for (ptrdiff_t k = 0; k < slots; k++) seen[k] = -1;
        for (ptrdiff_t i = 0; i < n;) {
            int64_t v = (int64_t)(exp(next_unit(&s) * wide)) - 1;
            v = v < 0 ? 0 : v % range;
            count++;
            ptrdiff_t k = (ptrdiff_t)(((uint64_t)v * 0x9E3779B97F4A7C15u) >> 20) & (slots - 1);
            while (seen[k] >= 0 && seen[k] != v) k = (k + 1) & (slots - 1);
            if (seen[k] == v) continue;
            seen[k] = v;
            o[r * n + i++] = v;
        }
        tries[r] = count;
    }
    c->give(seen);
    return MX_OK;
}

/* ---- masks ---- */

#define MASKS(T, X) \
/* what an element is multiplied by; i: apply outside training, ndim of a shared mask or 0; d: probability of zero */ \
static int dropout_##X(mxnd_call *c) { \
    const T *x = (T *)c->in[0].data; \
    T *y = (T *)c->out[0].data, *mask = (T *)c->out[1].data; \
    ptrdiff_t n = c->in[0].size, m = c->out[1].size; \
    double p = c->d[0]; \
    T keep = (T)(1 - p), scale = p < 1 ? (T)(1 / (1 - p)) : 0; \
    int on = (c->training || c->i[0]) && p > 0, same = m == n, threads = n < 32768 ? 1 : c->threads; \
    if (!on) { \
        for (ptrdiff_t i = 0; i < m; i++) mask[i] = 1; \
        memcpy(y, x, n * sizeof(T)); \
        return MX_OK; \
    } \
    _Pragma("omp parallel for num_threads(threads) if(threads > 1) schedule(static)") \
    for (ptrdiff_t at = 0; at < m; at += PIECE) { \
        ptrdiff_t w = m - at < PIECE ? m - at : PIECE; \
        T *k = mask + at; \
        unit_##X(c, at, w, k); \
        if (same) for (ptrdiff_t i = 0; i < w; i++) k[i] = k[i] < keep ? scale : 0, y[at + i] = x[at + i] * k[i]; \
        else for (ptrdiff_t i = 0; i < w; i++) k[i] = k[i] < keep ? scale : 0; \
    } \
    if (same || !n) return MX_OK; \
    /* rows along the last axis; the mask has length 1 along shared axes */ \
    int nd = c->in[0].ndim; \
    ptrdiff_t last = c->in[0].shape[nd - 1], step = c->out[1].shape[nd - 1] == 1 ? 0 : 1; \
    _Pragma("omp parallel for num_threads(threads) if(threads > 1) schedule(static)") \
    for (ptrdiff_t r = 0; r < n / last; r++) { \
        ptrdiff_t rest = r, at = 0, stride = c->out[1].shape[nd - 1]; \
        for (int a = nd - 2; a >= 0; a--) { \
            ptrdiff_t size = c->in[0].shape[a], i = rest % size; \
            if (c->out[1].shape[a] != 1) at += i * stride; \
            stride *= c->out[1].shape[a], rest /= size; \
        } \
        const T *p_ = x + r * last, *k = mask + at; \
        T *q = y + r * last; \
        if (step) for (ptrdiff_t i = 0; i < last; i++) q[i] = p_[i] * k[i]; \
        else for (ptrdiff_t i = 0; i < last; i++) q[i] = p_[i] * k[0]; \
    } \
    return MX_OK; \
} \
/* out: output, slope used; d: lower upper */ \
static int random_slopes_##X(mxnd_call *c) { \
    const T *x = (T *)c->in[0].data; \
    T *y = (T *)c->out[0].data, *mask = (T *)c->out[1].data, low = (T)c->d[0], wide = (T)(c->d[1] - c->d[0]); \
    T middle = (T)((c->d[0] + c->d[1]) / 2); \
    ptrdiff_t n = c->in[0].size; \
    int threads = n < 32768 ? 1 : c->threads; \
    _Pragma("omp parallel for num_threads(threads) if(threads > 1) schedule(static)") \
    for (ptrdiff_t at = 0; at < n; at += PIECE) { \
        ptrdiff_t w = n - at < PIECE ? n - at : PIECE; \
        T *k = mask + at; \
        if (c->training) unit_##X(c, at, w, k); \
        for (ptrdiff_t i = 0; i < w; i++) { \
            T s = c->training ? low + k[i] * wide : middle, v = x[at + i]; \
            k[i] = v > 0 ? 1 : s; \
            y[at + i] = v * k[i]; \
        } \
    } \
    return MX_OK; \
}
MASKS(float, f32)
MASKS(double, f64)
#endif
