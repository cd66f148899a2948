/* Loss kernels for one element type T; loss.h includes this file once per type. */
#define STRIP 64

/* Softmax along n of data seen as (outer, n, inner).  in: data; i: outer n inner */
static int NAME(softmax_output)(mxnd_call *c) {
    ptrdiff_t N = c->i[0], n = c->i[1], inner = c->i[2];
    const T *x = (T *)c->in[0].data;
    T *y = (T *)c->out[0].data;
    int threads = N * n * inner < SMALL ? 1 : c->threads;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t r = 0; r < N; r++) {
        if (inner == 1) {
            const T *p = x + r * n;
            T *q = y + r * n, top = -INFINITY, sum = 0;
            #pragma omp simd reduction(max:top)
            for (ptrdiff_t k = 0; k < n; k++) top = p[k] > top ? p[k] : top;
            for (ptrdiff_t k = 0; k < n; k++) q[k] = m_exp(p[k] - top);
            #pragma omp simd reduction(+:sum)
            for (ptrdiff_t k = 0; k < n; k++) sum += q[k];
            T scale = 1 / sum;
            for (ptrdiff_t k = 0; k < n; k++) q[k] *= scale;
            continue;
        }
        for (ptrdiff_t j = 0; j < inner; j += STRIP) {
            ptrdiff_t w = inner - j < STRIP ? inner - j : STRIP;
            const T *p = x + r * n * inner + j;
            T *q = y + r * n * inner + j, top[STRIP], sum[STRIP];
            for (ptrdiff_t i = 0; i < w; i++) top[i] = -INFINITY, sum[i] = 0;
            for (ptrdiff_t k = 0; k < n; k++)
                for (ptrdiff_t i = 0; i < w; i++) top[i] = p[k * inner + i] > top[i] ? p[k * inner + i] : top[i];
            for (ptrdiff_t k = 0; k < n; k++)
                for (ptrdiff_t i = 0; i < w; i++) {
                    T e = m_exp(p[k * inner + i] - top[i]);
                    q[k * inner + i] = e, sum[i] += e;
                }
            for (ptrdiff_t i = 0; i < w; i++) sum[i] = 1 / sum[i];
            for (ptrdiff_t k = 0; k < n; k++)
                for (ptrdiff_t i = 0; i < w; i++) q[k * inner + i] *= sum[i];
        }
    }
    return MX_OK;
}

/* What is left of probability minus target.  in: prob label [head]; i: outer n inner, probabilities as label,
   use_ignore, normalization (0 null, 1 batch, 2 valid), divide by inner; d: grad_scale ignore_label smooth_alpha */
static int NAME(softmax_output_backward)(mxnd_call *c) {
    ptrdiff_t N = c->i[0], n = c->i[1], inner = c->i[2], many = c->in[1].size;
    const T *y = (T *)c->in[0].data, *label = (T *)c->in[1].data, *head = c->nin > 2 ? (T *)c->in[2].data : NULL;
    T *dx = (T *)c->out[0].data;
    double scale = c->d[0];
    T ignored = (T)c->d[1], hit = (T)(1 - c->d[2]), miss = n > 1 ? (T)(c->d[2] / (n - 1)) : 0;
    int skip = (int)c->i[4], threads = N * n * inner < SMALL ? 1 : c->threads;
    if (c->i[3]) {
        T s = (T)scale;
        for (ptrdiff_t i = 0; i < c->in[0].size; i++) dx[i] = (y[i] - label[i]) * s;
        if (head) for (ptrdiff_t i = 0; i < c->in[0].size; i++) dx[i] *= head[i];
        return MX_OK;
    }
    if (c->i[5] == 1) scale /= N > 0 ? N : 1;
    if (c->i[5] == 2) {
        ptrdiff_t valid = 0;
        for (ptrdiff_t i = 0; i < many; i++) valid += !skip || label[i] != ignored;
        scale /= valid > 0 ? valid : 1;
    } else if (c->i[6])
        scale /= inner > 0 ? inner : 1;
    T s = (T)scale;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t r = 0; r < N; r++)
        for (ptrdiff_t j = 0; j < inner; j++) {
            ptrdiff_t at = r * n * inner + j, row = r * inner + j;
            T l = row < many ? label[row] : -1;
            if (skip && l == ignored) {
                for (ptrdiff_t k = 0; k < n; k++) dx[at + k * inner] = 0;
                continue;
            }
            ptrdiff_t t = l > -1 && l < n ? (ptrdiff_t)l : -1;
            if (inner == 1) for (ptrdiff_t k = 0; k < n; k++) dx[at + k] = (y[at + k] - miss) * s;
            else for (ptrdiff_t k = 0; k < n; k++) dx[at + k * inner] = (y[at + k * inner] - miss) * s;
            if (t >= 0) dx[at + t * inner] = (y[at + t * inner] - hit) * s;
        }
    if (head) for (ptrdiff_t i = 0; i < c->in[0].size; i++) dx[i] *= head[i];
    return MX_OK;
}

/* Sum over the rows of log(sum(exp(x))) - x[label].  in: data label; i: rows n */
static int NAME(softmax_cross_entropy)(mxnd_call *c) {
    ptrdiff_t N = c->i[0], n = c->i[1];
    const T *x = (T *)c->in[0].data, *label = (T *)c->in[1].data;
    int threads = N * n < SMALL ? 1 : c->threads;
    double loss = 0;
    double *rows = c->take(N * sizeof(double) + 1);
    if (!rows) return MX_MEMORY_ERROR;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t r = 0; r < N; r++) {
        const T *p = x + r * n;
        T top = -INFINITY, sum = 0;
        #pragma omp simd reduction(max:top)
        for (ptrdiff_t k = 0; k < n; k++) top = p[k] > top ? p[k] : top;
        #pragma omp simd reduction(+:sum)
        for (ptrdiff_t k = 0; k < n; k++) sum += m_exp(p[k] - top);
        T l = label[r];
        rows[r] = (double)top + log((double)sum) - (l > -1 && l < n ? p[(ptrdiff_t)l] : 0);
    }
    for (ptrdiff_t r = 0; r < N; r++) loss += rows[r];
    c->give(rows);
    ((T *)c->out[0].data)[0] = (T)loss;
    return MX_OK;
}

static int NAME(sigmoid_output)(mxnd_call *c) {
    const T *x = (T *)c->in[0].data;
    T *y = (T *)c->out[0].data;
    ptrdiff_t size = c->in[0].size;
    int threads = size < SMALL ? 1 : c->threads;
    #pragma omp parallel for simd num_threads(threads) if(parallel: threads > 1) schedule(static)
    for (ptrdiff_t i = 0; i < size; i++) y[i] = m_sigmoid(x[i]);
    return MX_OK;
}

/* in: data label; i: rows n linear; d: margin, regularization coefficient */
static int NAME(svm_backward)(mxnd_call *c) {
    ptrdiff_t N = c->i[0], n = c->i[1];
    const T *x = (T *)c->in[0].data, *label = (T *)c->in[1].data;
    T *dx = (T *)c->out[0].data, m = (T)c->d[0], reg = (T)c->d[1];
    int threads = N * n < SMALL ? 1 : c->threads;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t r = 0; r < N; r++) {
        const T *p = x + r * n;
        T *q = dx + r * n, l = label[r];
        ptrdiff_t t = l > -1 && l < n ? (ptrdiff_t)l : -1;
        if (c->i[2]) {
            for (ptrdiff_t k = 0; k < n; k++) q[k] = m > -p[k] ? reg : 0;
            if (t >= 0) q[t] = m > p[t] ? -reg : 0;
        } else {
            for (ptrdiff_t k = 0; k < n; k++) q[k] = m > -p[k] ? 2 * reg * (m + p[k]) : 0;
            if (t >= 0) q[t] = m > p[t] ? -2 * reg * (m - p[t]) : 0;
        }
    }
    return MX_OK;
}

/* Moves the average activation, then adds the divergence's derivative.  in: head data moving_avg; i: rows n;
   d: target penalty momentum */
static int NAME(kl_sparse_backward)(mxnd_call *c) {
    ptrdiff_t N = c->i[0], n = c->i[1];
    const T *g = (T *)c->in[0].data, *x = (T *)c->in[1].data;
    T *avg = (T *)c->in[2].data, *dx = (T *)c->out[0].data;
    double target = c->d[0], penalty = c->d[1], momentum = c->d[2];
    for (ptrdiff_t k = 0; k < n; k++) {
        double sum = 0;
        for (ptrdiff_t r = 0; r < N; r++) sum += x[r * n + k];
        if (N) avg[k] = (T)(momentum * avg[k] + (1 - momentum) * sum / N);
        T more = (T)(penalty * (-target / avg[k] + (1 - target) / (1 - avg[k])));
        for (ptrdiff_t r = 0; r < N; r++) dx[r * n + k] = g[r * n + k] + more;
    }
    return MX_OK;
}
#undef STRIP
