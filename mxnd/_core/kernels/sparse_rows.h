/* Kernels on row_sparse arrays; included by sparse.h. */
#ifndef MXND_SPARSE_ROWS_H
#define MXND_SPARSE_ROWS_H

/* Counts of rows with a value before each row. */
static int rows_count(mxnd_call *c) {
    ptrdiff_t m = c->out[0].size - 1, w = m > 0 ? c->in[0].size / m : 0;
    int64_t *s = (int64_t *)c->out[0].data;
    int threads = few_threads(c, (double)c->in[0].size);
    uint64_t mask = value_bits(c->in[0].type);
    s[0] = 0;
#define RUN(U) { \
        _Pragma("omp parallel for num_threads(threads) if(threads > 1) schedule(static)") \
        for (ptrdiff_t r = 0; r < m; r++) { \
            const U *row = (const U *)DATA(0) + r * w; \
            U any = 0; \
            for (ptrdiff_t at = 0; at < w && !(any & (U)mask); at += 256) { \
                ptrdiff_t end = w - at < 256 ? w : at + 256; \
                for (ptrdiff_t k = at; k < end; k++) any |= row[k]; \
            } \
            s[r + 1] = (any & (U)mask) != 0; \
        } \
    }
    EACH_SIZE(item_bytes(c->in[0].type), RUN)
#undef RUN
    for (ptrdiff_t r = 0; r < m; r++) s[r + 1] += s[r];
    return MX_OK;
}

static int rows_fill(mxnd_call *c) {
    ptrdiff_t m = c->in[1].size - 1, w = m > 0 ? c->in[0].size / m * item_bytes(c->in[0].type) : 0;
    const int64_t *s = WHOLE(1);
    int64_t *oi = (int64_t *)c->out[1].data;
    if (starts_wrong(c->in + 1, c->out[1].size)) FAIL("starts are not those of the rows");
    for (ptrdiff_t r = 0; r < m; r++)
        if (s[r + 1] > s[r]) memcpy(c->out[0].data + s[r] * w, DATA(0) + r * w, w), oi[s[r]] = r;
    return MX_OK;
}

static int rows_dense(mxnd_call *c) {
    ptrdiff_t count = c->in[1].size, m = c->i[0], w = m > 0 ? c->out[0].size / m * item_bytes(c->out[0].type) : 0;
    const int64_t *ix = WHOLE(1);
    int ascending = 1, threads = few_threads(c, (double)c->out[0].size);
    for (ptrdiff_t k = 0; k < count; k++) {
        if ((uint64_t)ix[k] >= (uint64_t)m) FAIL(BAD_ROW);
        ascending &= !k || ix[k - 1] < ix[k];
    }
    if (!ascending) {
        memset(c->out[0].data, 0, m * w);
        for (ptrdiff_t k = 0; k < count; k++) memcpy(c->out[0].data + ix[k] * w, DATA(0) + k * w, w);
        return MX_OK;
    }
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t k = 0; k <= count; k++) {             /* the gap before row k, and the row */
        ptrdiff_t from = k ? ix[k - 1] + 1 : 0, to = k < count ? ix[k] : m;
        memset(c->out[0].data + from * w, 0, (to - from) * w);
        if (k < count) memcpy(c->out[0].data + to * w, DATA(0) + k * w, w);
    }
    return MX_OK;
}

/* How many rows two ascending lists name: together, and in common. */
static int rows_merge_count(mxnd_call *c) {
    const int64_t *ix = WHOLE(0), *iy = WHOLE(1);
    ptrdiff_t i = 0, j = 0, na = c->in[0].size, nb = c->in[1].size;
    int64_t both = 0;
    while (i < na && j < nb) {
        int64_t x = ix[i], y = iy[j];
        both += x == y, i += x <= y, j += y <= x;
    }
    ((int64_t *)c->out[0].data)[0] = na + nb - both, ((int64_t *)c->out[0].data)[1] = both;
    return MX_OK;
}

/* in: rows, numbers of both; d: alpha, beta */
static int rows_union(mxnd_call *c) {
    ptrdiff_t na = c->in[1].size, nb = c->in[3].size, w = c->i[0];
    int threads = few_threads(c, (double)c->out[0].size);
    int64_t *oi = (int64_t *)c->out[1].data;
    ptrdiff_t both = 0;
    for (ptrdiff_t i = 0, j = 0; i < na && j < nb;) {
        int64_t x = WHOLE(1)[i], y = WHOLE(3)[j];
        both += x == y, i += x <= y, j += y <= x;
    }
    if (c->out[1].size != na + nb - both) FAIL("the union has another number of rows");
    BY_TYPE(c->out, rows_union, ((void *)DATA(0), WHOLE(1), na, (void *)DATA(2), WHOLE(3), nb, w, c->d[0], c->d[1],
            (void *)c->out[0].data, oi,
                                threads));
    return MX_OK;
}

/* Where each of the wanted rows is in an ascending list, -1 where it is not: a search that starts from the last place and
   doubles its steps, so that ascending wishes are quick. */
static int rows_find(mxnd_call *c) {
    int64_t *o = (int64_t *)c->out[0].data;
    const int64_t *ix = WHOLE(0), *wanted = WHOLE(1);
    ptrdiff_t n = c->in[0].size, lo = 0;
    for (ptrdiff_t k = 0; k < c->out[0].size; k++) {
        int64_t row = wanted[k];
        if (lo >= n || ix[lo] > row) lo = 0;
        ptrdiff_t step = 1, hi = lo;
        while (hi < n && ix[hi] < row) lo = hi + 1, hi += step, step *= 2;
        if (hi > n) hi = n;
        while (lo < hi) {
            ptrdiff_t mid = (lo + hi) / 2;
            if (ix[mid] < row) lo = mid + 1;
            else hi = mid;
        }
        o[k] = lo < n && ix[lo] == row ? lo : -1;
    }
    return MX_OK;
}
/* Rows at the given places; zeros for -1. */
static int rows_pick(mxnd_call *c) {
    ptrdiff_t n = c->i[0], w = c->i[1] * item_bytes(c->in[0].type);
    for (ptrdiff_t k = 0; k < c->in[1].size; k++) {
        int64_t at = WHOLE(1)[k];
        if (at >= n) { c->at = at, c->bound = n; return MX_INDEX_ERROR; }
        if (at < 0) memset(c->out[0].data + k * w, 0, w);
        else memcpy(c->out[0].data + k * w, DATA(0) + at * w, w);
    }
    return MX_OK;
}

/* in: rows of the gradient, their numbers, bits, ranks; i: size of the table, width, rows */
static int rows_gather(mxnd_call *c) {
    ptrdiff_t n = c->i[0], w = c->i[1], rows = c->i[2];
    const int64_t *ranks = WHOLE(3);
    if (set_wrong(c->in + 2, rows)) FAIL("the set of rows is not that of the gradient");
    BY_TYPE(c->out, rows_gather, ((void *)DATA(0), WHOLE(1), c->in[1].size, n, w, (const uint64_t *)DATA(2), ranks, rows,
            (void *)c->out[0].data,
                                 few_threads(c, (double)c->in[0].size)));
    return MX_OK;
}

static int rows_scale(mxnd_call *c) {
    int bad = BY_TYPE(c->out, rows_scale, ((void *)DATA(0), WHOLE(1), c->in[1].size, c->i[0], c->i[1], (void *)DATA(2),
                      (int)c->i[2], (void *)c->out[0].data));
    if (bad) FAIL(BAD_ROW);
    return MX_OK;
}

static int rows_onto(mxnd_call *c) {
    int bad = BY_TYPE(c->out, rows_onto, ((void *)DATA(0), WHOLE(1), c->in[1].size, c->i[0], c->i[1], (void *)DATA(2), c->d[0],
                      c->d[1],
                                         (void *)c->out[0].data, few_threads(c, (double)c->out[0].size)));
    if (bad) FAIL(BAD_ROW);
    return MX_OK;
}

/* in: weight, gradient's rows, states..., then for the weight and each state where the gradient's rows lie in it;
   i: step, width; d: as for optimizer_update.  Weight and states are written in place. */
static int rows_update(mxnd_call *c) {
    int code = (int)c->i[0], states = STEPS[code].states;
    ptrdiff_t w = c->i[1], count = w ? c->in[1].size / w : 0, lengths[MOST_ARRAYS];
    void *a[MOST_ARRAYS];
    const int64_t *at[MOST_ARRAYS];
    if (c->nin != 2 * states + 3) FAIL("as many arrays as the step has states are expected");
    for (int k = 0; k < states + 2; k++) {
        a[k] = DATA(k), lengths[k] = w ? c->in[k].size / w : 0;
        int place = states + 2 + (k > 1 ? k - 1 : 0);
        at[k] = WHOLE(place);
        if (c->in[place].size != count) FAIL("as many places as rows are expected");
    }
    int threads = few_threads(c, (double)count * w);
    int bad = WIDE ? rows_step_f64(code, (double **)a, at, lengths, count, w, c->d, threads)
                   : rows_step_f32(code, (float **)a, at, lengths, count, w, c->d, threads);
    if (bad) FAIL("a row of the gradient is not a row of the weight");
    return MX_OK;
}

/* in: weight, gradient's rows, history, row numbers; i: rows, width */
static int rows_group_adagrad(mxnd_call *c) {
    ptrdiff_t count = c->in[3].size, w = c->i[1];
    for (ptrdiff_t k = 0; k < count; k++) if ((uint64_t)WHOLE(3)[k] >= (uint64_t)c->i[0]) FAIL(BAD_ROW);
    if (WIDE) rows_group_adagrad_f64((double *)DATA(0), DOUBLES(1), (double *)DATA(2), WHOLE(3), count, w, c->d);
    else rows_group_adagrad_f32((float *)DATA(0), FLOATS(1), (float *)DATA(2), WHOLE(3), count, w, c->d);
    return MX_OK;
}
#endif
