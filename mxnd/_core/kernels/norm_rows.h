/* Normalisation of rows (LayerNorm, InstanceNorm, GroupNorm), L2Normalization and LRN for one type; see norm_type.h. */
#define VEC NAME(vec)
#define LOAD(p) (*(const VEC *)(p))
#define FILL(x) ((T)(x) - (VEC){0})
#define STRIP 64

/* ---- LayerNorm: data seen as (outer, n, inner), normalised along n, with gamma and beta along n ---- */

static void NAME(layer_strip)(const T *x, T *y, const T *gamma, const T *beta, ptrdiff_t n, ptrdiff_t inner, ptrdiff_t w,
                              double eps, T *mean, T *std) {
    double sum[STRIP] = {0}, dev[STRIP] = {0};
    T m[STRIP], s[STRIP];
    for (ptrdiff_t k = 0; k < n; k++)
        for (ptrdiff_t j = 0; j < w; j++) sum[j] += x[k * inner + j];
    for (ptrdiff_t j = 0; j < w; j++) m[j] = (T)(sum[j] / n);
    for (ptrdiff_t k = 0; k < n; k++)
        for (ptrdiff_t j = 0; j < w; j++) {
            double d = x[k * inner + j] - m[j];
            dev[j] += d * d;
        }
    for (ptrdiff_t j = 0; j < w; j++) {
        double v = sqrt(dev[j] / n + eps);
        mean[j] = m[j], std[j] = (T)v, s[j] = (T)(1 / v);
    }
    for (ptrdiff_t k = 0; k < n; k++)
        for (ptrdiff_t j = 0; j < w; j++) y[k * inner + j] = (x[k * inner + j] - m[j]) * s[j] * gamma[k] + beta[k];
}

/* in: data gamma beta; out: output mean std; i: outer n inner; d: eps */
static int NAME(layer_norm)(mxnd_call *c) {
    ptrdiff_t N = c->i[0], n = c->i[1], inner = c->i[2];
    const T *x = (T *)c->in[0].data, *gamma = (T *)c->in[1].data, *beta = (T *)c->in[2].data;
    T *y = (T *)c->out[0].data, *mean = (T *)c->out[1].data, *std = (T *)c->out[2].data;
    double eps = c->d[0];
    int threads = N * n * inner < SMALL ? 1 : c->threads;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t r = 0; r < N; r++) {
        if (inner != 1) {
            for (ptrdiff_t j = 0; j < inner; j += STRIP)
                NAME(layer_strip)(x + r * n * inner + j, y + r * n * inner + j, gamma, beta, n, inner,
                                  inner - j < STRIP ? inner - j : STRIP, eps, mean + r * inner + j, std + r * inner + j);
            continue;
        }
        double mid, var;
        NAME(moments)(x + r * n, 1, n, n, &mid, &var);
        double v = sqrt(var + eps);
        T m = (T)mid, s = (T)(1 / v), rest = (T)((m - mid) / v);         /* what rounding took from the mean */
        mean[r] = m, std[r] = (T)v;
        const T *p = x + r * n;
        T *q = y + r * n;
        SIMD for (ptrdiff_t k = 0; k < n; k++) q[k] = ((p[k] - m) * s + rest) * gamma[k] + beta[k];
    }
    return MX_OK;
}

static void NAME(layer_row_backward)(const T *g, const T *x, const T *gamma, ptrdiff_t n, T m, T std, T *dx, T *ag, T *ab) {
    VEC a = {0}, b = {0}, mv = FILL(m);
    double u = 0, v = 0, s = 1 / (double)std;
    ptrdiff_t k = 0;
    for (; k + W <= n; k += W) {
        VEC h = LOAD(g + k) * LOAD(gamma + k);
        a += h, b += h * (LOAD(x + k) - mv);
        if ((k & (CHUNK - 1)) == CHUNK - W) u += NAME(add_up)(a), v += NAME(add_up)(b), a = b = (VEC){0};
    }
    for (; k < n; k++) u += g[k] * gamma[k], v += (double)(g[k] * gamma[k]) * (x[k] - m);
    u += NAME(add_up)(a), v += NAME(add_up)(b);
    T one = (T)(u / n), two = (T)(v / n * s * s), t = (T)s;
    SIMD for (k = 0; k < n; k++) {
        T d = x[k] - m;
        dx[k] = t * (g[k] * gamma[k] - one - d * two);
        ag[k] += g[k] * d * t;
        ab[k] += g[k];
    }
}

static void NAME(layer_strip_backward)(const T *g, const T *x, const T *gamma, ptrdiff_t n, ptrdiff_t inner, ptrdiff_t w,
                                       const T *mean, const T *std, T *dx, T *ag, T *ab) {
    double u[STRIP] = {0}, v[STRIP] = {0};
    T one[STRIP], two[STRIP], t[STRIP];
    for (ptrdiff_t k = 0; k < n; k++)
        for (ptrdiff_t j = 0; j < w; j++) {
            T h = g[k * inner + j] * gamma[k];
            u[j] += h, v[j] += (double)h * (x[k * inner + j] - mean[j]);
        }
    for (ptrdiff_t j = 0; j < w; j++) {
        double s = 1 / (double)std[j];
        one[j] = (T)(u[j] / n), two[j] = (T)(v[j] / n * s * s), t[j] = (T)s;
    }
    for (ptrdiff_t k = 0; k < n; k++) {
        T sg = 0, sb = 0;
        for (ptrdiff_t j = 0; j < w; j++) {
            ptrdiff_t i = k * inner + j;
            T d = x[i] - mean[j];
            dx[i] = t[j] * (g[i] * gamma[k] - one[j] - d * two[j]);
            sg += g[i] * d * t[j];
            sb += g[i];
        }
        ag[k] += sg, ab[k] += sb;
    }
}

/* in: g data gamma mean std; out: for data, gamma, beta; i: outer n inner */
static int NAME(layer_norm_backward)(mxnd_call *c) {
    ptrdiff_t N = c->i[0], n = c->i[1], inner = c->i[2];
    const T *g = (T *)c->in[0].data, *x = (T *)c->in[1].data, *gamma = (T *)c->in[2].data;
    const T *mean = (T *)c->in[3].data, *std = (T *)c->in[4].data;
    T *dx = (T *)c->out[0].data, *dgamma = (T *)c->out[1].data, *dbeta = (T *)c->out[2].data;
    int threads = N * n * inner < SMALL ? 1 : c->threads, parts = N < 2 * threads ? 1 : threads;
    size_t room = 2 * n * (sizeof(double) + sizeof(T));
    room = (room + 127) & ~(size_t)63;
    char *all = c->take(parts * room);
    if (!all) return MX_MEMORY_ERROR;
    #pragma omp parallel for num_threads(threads) if(parts > 1) schedule(static)
    for (int p = 0; p < parts; p++) {
        double *sums = (double *)(all + p * room);
        T *ag = (T *)(sums + 2 * n), *ab = ag + n;
        for (ptrdiff_t k = 0; k < 2 * n; k++) sums[k] = 0, ag[k] = 0;
        ptrdiff_t stop = N * (p + 1) / parts, since = 0;
        for (ptrdiff_t r = N * p / parts; r < stop; r++) {
            if (inner == 1)
                NAME(layer_row_backward)(g + r * n, x + r * n, gamma, n, mean[r], std[r], dx + r * n, ag, ab);
            for (ptrdiff_t j = 0; inner != 1 && j < inner; j += STRIP, since++)
                NAME(layer_strip_backward)(g + r * n * inner + j, x + r * n * inner + j, gamma, n, inner,
                                           inner - j < STRIP ? inner - j : STRIP, mean + r * inner + j, std + r * inner + j,
                                           dx + r * n * inner + j, ag, ab);
            if (++since < 64 && r + 1 < stop) continue;
            for (ptrdiff_t k = 0; k < 2 * n; k++) sums[k] += ag[k], ag[k] = 0;     /* ab follows ag */
            since = 0;
        }
    }
    for (ptrdiff_t k = 0; k < n; k++) {
        double u = 0, v = 0;
        for (int p = 0; p < parts; p++) u += ((double *)(all + p * room))[k], v += ((double *)(all + p * room))[n + k];
        dgamma[k] = (T)u, dbeta[k] = (T)v;
    }
    c->give(all);
    return MX_OK;
}

/* ---- InstanceNorm, GroupNorm: rows of K, gamma and beta by row modulo G ---- */

/* in: data gamma beta; out: output mean std; i: rows G K; d: eps */
static int NAME(group_norm)(mxnd_call *c) {
    ptrdiff_t R = c->i[0], G = c->i[1], K = c->i[2];
    const T *x = (T *)c->in[0].data, *gamma = (T *)c->in[1].data, *beta = (T *)c->in[2].data;
    T *y = (T *)c->out[0].data, *mean = (T *)c->out[1].data, *std = (T *)c->out[2].data;
    double eps = c->d[0];
    int threads = R * K < SMALL ? 1 : c->threads;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t r = 0; r < R; r++) {
        double mid, var;
        NAME(moments)(x + r * K, 1, K, K, &mid, &var);
        double v = sqrt(var + eps);
        T m = (T)mid, s = (T)(gamma[r % G] / v), b = (T)(beta[r % G] + (m - mid) * s);
        mean[r] = m, std[r] = (T)v;
        const T *p = x + r * K;
        T *q = y + r * K;
        SIMD for (ptrdiff_t k = 0; k < K; k++) q[k] = (p[k] - m) * s + b;
    }
    return MX_OK;
}

/* in: g data gamma mean std; out: for data, gamma, beta; i: rows G K */
static int NAME(group_norm_backward)(mxnd_call *c) {
    ptrdiff_t R = c->i[0], G = c->i[1], K = c->i[2];
    const T *g = (T *)c->in[0].data, *x = (T *)c->in[1].data, *gamma = (T *)c->in[2].data;
    const T *mean = (T *)c->in[3].data, *std = (T *)c->in[4].data;
    T *dx = (T *)c->out[0].data, *dgamma = (T *)c->out[1].data, *dbeta = (T *)c->out[2].data;
    int threads = R * K < SMALL ? 1 : c->threads;
    double *sums = c->take(2 * R * sizeof(double) + 1);
    if (!sums) return MX_MEMORY_ERROR;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t r = 0; r < R; r++) {
        double u = 0, v = 0, s = 1 / (double)std[r];
        const T *p = x + r * K, *h = g + r * K;
        NAME(dots)(h, p, K, mean[r], &u, &v);
        sums[2 * r] = v * s, sums[2 * r + 1] = u;
        double a = gamma[r % G] * s;
        T t = (T)a, one = (T)(a * u / K), two = (T)(a * v / K * s * s), m = mean[r], *q = dx + r * K;
        SIMD for (ptrdiff_t k = 0; k < K; k++) q[k] = t * h[k] - one - (p[k] - m) * two;
    }
    for (ptrdiff_t k = 0; k < G; k++) {
        double u = 0, v = 0;
        for (ptrdiff_t r = k; r < R; r += G) u += sums[2 * r], v += sums[2 * r + 1];
        dgamma[k] = (T)u, dbeta[k] = (T)v;
    }
    c->give(sums);
    return MX_OK;
}

static double NAME(squares)(const T *x, ptrdiff_t n) {
    T s = 0;
    _Pragma("omp simd reduction(+:s)")
    for (ptrdiff_t i = 0; i < n; i++) s += x[i] * x[i];
    return s;
}

/* ---- L2Normalization: data seen as (outer, n, inner), divided by the length along n ---- */

/* in: data; out: output norm; i: outer n inner; d: eps */
static int NAME(l2_norm)(mxnd_call *c) {
    ptrdiff_t N = c->i[0], n = c->i[1], inner = c->i[2];
    const T *x = (T *)c->in[0].data;
    T *y = (T *)c->out[0].data, *norm = (T *)c->out[1].data;
    double eps = c->d[0];
    int threads = N * n * inner < SMALL ? 1 : c->threads;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t r = 0; r < N; r++)
        for (ptrdiff_t j = 0; j < inner; j += STRIP) {
            ptrdiff_t w = inner - j < STRIP ? inner - j : STRIP, at = r * n * inner + j;
            double sum[STRIP] = {0};
            T s[STRIP];
            if (inner == 1)
                for (ptrdiff_t k = 0; k < n; k += CHUNK) sum[0] += NAME(squares)(x + at + k, n - k < CHUNK ? n - k : CHUNK);
            if (inner == 1 && !(sum[0] <= DBL_MAX)) {           /* the squares overflowed float32 */
                sum[0] = 0;
                for (ptrdiff_t k = 0; k < n; k++) sum[0] += (double)x[at + k] * x[at + k];
            }
            for (ptrdiff_t k = 0; inner != 1 && k < n; k++)
                for (ptrdiff_t i = 0; i < w; i++) sum[i] += (double)x[at + k * inner + i] * x[at + k * inner + i];
            for (ptrdiff_t i = 0; i < w; i++) {
                double v = sqrt(sum[i] + eps);
                norm[r * inner + j + i] = (T)v, s[i] = (T)(1 / v);
            }
            if (inner == 1)
                SIMD for (ptrdiff_t k = 0; k < n; k++) y[at + k] = x[at + k] * s[0];
            for (ptrdiff_t k = 0; inner != 1 && k < n; k++)
                for (ptrdiff_t i = 0; i < w; i++) y[at + k * inner + i] = x[at + k * inner + i] * s[i];
        }
    return MX_OK;
}

/* (g - y sum(g y)) / norm.  in: g data norm; i: outer n inner */
static int NAME(l2_norm_backward)(mxnd_call *c) {
    ptrdiff_t N = c->i[0], n = c->i[1], inner = c->i[2];
    const T *g = (T *)c->in[0].data, *x = (T *)c->in[1].data, *norm = (T *)c->in[2].data;
    T *dx = (T *)c->out[0].data;
    int threads = N * n * inner < SMALL ? 1 : c->threads;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t r = 0; r < N; r++)
        for (ptrdiff_t j = 0; j < inner; j += STRIP) {
            ptrdiff_t w = inner - j < STRIP ? inner - j : STRIP, at = r * n * inner + j;
            double sum[STRIP] = {0};
            T s[STRIP], t[STRIP];
            if (inner == 1) {
                double none = 0;
                NAME(dots)(g + at, x + at, n, 0, &none, sum);
            }
            for (ptrdiff_t k = 0; inner != 1 && k < n; k++)
                for (ptrdiff_t i = 0; i < w; i++) sum[i] += (double)g[at + k * inner + i] * x[at + k * inner + i];
            for (ptrdiff_t i = 0; i < w; i++) {
                double v = norm[r * inner + j + i];
                s[i] = (T)(1 / v), t[i] = (T)(sum[i] / (v * v * v));
            }
            if (inner == 1)
                SIMD for (ptrdiff_t k = 0; k < n; k++) dx[at + k] = g[at + k] * s[0] - x[at + k] * t[0];
            for (ptrdiff_t k = 0; inner != 1 && k < n; k++)
                for (ptrdiff_t i = 0; i < w; i++) {
                    ptrdiff_t q = at + k * inner + i;
                    dx[q] = g[q] * s[i] - x[q] * t[i];
                }
        }
    return MX_OK;
}

/* ---- sums over a window of neighbouring channels; data seen as (outer, C, inner) ---- */

/* out[ch] = base + scale * sum of f(in[q]) for q from ch - low to ch + high; squares: f = square, else identity.
   i: outer C inner low high squares; d: base scale */
static int NAME(window_sum)(mxnd_call *c) {
    ptrdiff_t N = c->i[0], C = c->i[1], inner = c->i[2], low = c->i[3], high = c->i[4];
    int squares = (int)c->i[5];
    const T *x = (T *)c->in[0].data;
    T *y = (T *)c->out[0].data, base = (T)c->d[0], scale = (T)c->d[1];
    int threads = N * C * inner < SMALL ? 1 : c->threads;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t r = 0; r < N * C; r++) {
        ptrdiff_t ch = r % C, from = ch < low ? 0 : ch - low, to = ch + high >= C ? C - 1 : ch + high;
        for (ptrdiff_t j = 0; j < inner; j += STRIP) {
            ptrdiff_t w = inner - j < STRIP ? inner - j : STRIP;
            T sum[STRIP] = {0};
            for (ptrdiff_t q = from; q <= to; q++) {
                const T *p = x + (r - ch + q) * inner + j;
                if (squares) for (ptrdiff_t i = 0; i < w; i++) sum[i] += p[i] * p[i];
                else for (ptrdiff_t i = 0; i < w; i++) sum[i] += p[i];
            }
            for (ptrdiff_t i = 0; i < w; i++) y[r * inner + j + i] = base + scale * sum[i];
        }
    }
    return MX_OK;
}

/* in: data norm; out = data * norm ^ -beta; d: beta */
static int NAME(lrn_scale)(mxnd_call *c) {
    const T *x = (T *)c->in[0].data, *n = (T *)c->in[1].data;
    T *y = (T *)c->out[0].data, b = (T)-c->d[0];
    ptrdiff_t size = c->in[0].size;
    int threads = size < SMALL / 4 ? 1 : c->threads;
    #pragma omp parallel for simd num_threads(threads) if(parallel: threads > 1) schedule(static)
    for (ptrdiff_t i = 0; i < size; i++) y[i] = x[i] * m_exp(b * m_log(n[i]));
    return MX_OK;
}
#undef VEC
#undef LOAD
#undef FILL
#undef STRIP
