/* Normalisation kernels for one element type.  norm.h includes this file once per type, with
   T (the element), W (elements in 64 bytes), and NAME(x) set.  Sums are kept in short vectors over
   chunks that stay in the cache, and joined in double, so long groups lose no digits. */
typedef T NAME(vec) __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
#define VEC NAME(vec)
#define LOAD(p) (*(const VEC *)(p))
#define FILL(x) ((T)(x) - (VEC){0})

static inline double NAME(add_up)(VEC v) {
    double s = 0;
    for (int k = 0; k < W; k++) s += v[k];
    return s;
}

/* Sum over rows of n elements each, `step` apart. */
static double NAME(sum)(const T *x, ptrdiff_t rows, ptrdiff_t n, ptrdiff_t step) {
    VEC a = {0}, b = {0};
    double rest = 0;
    for (ptrdiff_t r = 0; r < rows; r++, x += step) {
        ptrdiff_t i = 0;
        for (; i + 2 * W <= n; i += 2 * W) a += LOAD(x + i), b += LOAD(x + i + W);
        for (; i + W <= n; i += W) a += LOAD(x + i);
        for (; i < n; i++) rest += x[i];
    }
    return NAME(add_up)(a + b) + rest;
}

/* Sum of squared distances from the mean, by way of m, a rough mean; *mean gets what m lacks. */
static double NAME(spread)(const T *x, ptrdiff_t rows, ptrdiff_t n, ptrdiff_t step, T m, double *mean) {
    VEC a = {0}, b = {0}, s = {0}, t = {0}, c = FILL(m);
    double rest = 0, sum = 0, all = (double)rows * n;
    for (ptrdiff_t r = 0; r < rows; r++, x += step) {
        ptrdiff_t i = 0;
        for (; i + 2 * W <= n; i += 2 * W) {
            VEC u = LOAD(x + i) - c, v = LOAD(x + i + W) - c;
            a += u * u, b += v * v, s += u, t += v;
        }
        for (; i + W <= n; i += W) {
            VEC u = LOAD(x + i) - c;
            a += u * u, s += u;
        }
        for (; i < n; i++) rest += (double)(x[i] - m) * (x[i] - m), sum += x[i] - m;
    }
    sum += NAME(add_up)(s + t);
    *mean = m + sum / all;
    return NAME(add_up)(a + b) + rest - sum * sum / all;
}

/* Mean and biased variance of rows x n elements, reading memory once: chunks small enough for the cache. */
static void NAME(moments)(const T *x, ptrdiff_t rows, ptrdiff_t n, ptrdiff_t step, double *mean, double *var) {
    moments_t all = {0, 0, 0};
    if (n >= CHUNK) {
        for (ptrdiff_t r = 0; r < rows; r++)
            for (ptrdiff_t i = 0; i < n; i += CHUNK) {
                ptrdiff_t m = n - i < CHUNK ? n - i : CHUNK;
                const T *p = x + r * step + i;
                double mid = NAME(sum)(p, 1, m, 0) / m, m2 = NAME(spread)(p, 1, m, 0, (T)mid, &mid);
                join(&all, m, mid, m2);
            }
    } else if (n) {
        ptrdiff_t many = CHUNK / n;
        for (ptrdiff_t r = 0; r < rows; r += many) {
            ptrdiff_t k = rows - r < many ? rows - r : many;
            double mid = NAME(sum)(x + r * step, k, n, step) / (k * n);
            double m2 = NAME(spread)(x + r * step, k, n, step, (T)mid, &mid);
            join(&all, k * n, mid, m2);
        }
    }
    *mean = all.n ? all.mean : NAN;
    *var = all.n ? positive(all.m2) / all.n : NAN;
}

/* Sums of g and of g * (x - m). */
static void NAME(dots)(const T *g, const T *x, ptrdiff_t n, T m, double *sg, double *sgx) {
    VEC c = FILL(m);
    double u = 0, v = 0;
    for (ptrdiff_t at = 0; at < n; at += CHUNK) {
        ptrdiff_t stop = n - at < CHUNK ? n : at + CHUNK, i = at;
        VEC a = {0}, b = {0};
        for (; i + W <= stop; i += W) {
            VEC h = LOAD(g + i);
            a += h, b += h * (LOAD(x + i) - c);
        }
        for (; i < stop; i++) u += g[i], v += (double)g[i] * (x[i] - m);
        u += NAME(add_up)(a), v += NAME(add_up)(b);
    }
    *sg += u, *sgx += v;
}

/* Sums down the columns of g and of g * (x - m), in single precision for 64 rows at a time.  few: room for 2 C elements */
static void NAME(column_dots)(const T *g, const T *x, ptrdiff_t rows, ptrdiff_t C, const T *m, double *sums, T *few) {
    T *u = few, *v = few + C;
    for (ptrdiff_t k = 0; k < 2 * C; k++) sums[k] = 0, few[k] = 0;
    for (ptrdiff_t r = 0; r < rows; r++) {
        const T *h = g + r * C, *p = x + r * C;
        SIMD for (ptrdiff_t k = 0; k < C; k++) u[k] += h[k], v[k] += h[k] * (p[k] - m[k]);
        if ((r & 63) != 63 && r + 1 < rows) continue;
        for (ptrdiff_t k = 0; k < C; k++) sums[2 * k] += u[k], sums[2 * k + 1] += v[k], u[k] = v[k] = 0;
    }
}

/* ---- batch normalisation: data seen as (outer, channels, inner) ---- */

/* Moments per channel when channels are the last axis: whole rows at a time, one part of the rows. */
static void NAME(column_moments)(const T *x, ptrdiff_t rows, ptrdiff_t C, double *mean, double *m2, T *mid) {
    T *dev = mid + C, *off = dev + C;
    ptrdiff_t many = 16384 / C < 8 ? 8 : 16384 / C, seen = 0;
    for (ptrdiff_t c = 0; c < C; c++) mean[c] = m2[c] = 0;
    for (ptrdiff_t r = 0; r < rows; r += many) {
        ptrdiff_t k = rows - r < many ? rows - r : many;
        const T *p = x + r * C;
        for (ptrdiff_t c = 0; c < C; c++) mid[c] = dev[c] = off[c] = 0;
        for (ptrdiff_t i = 0; i < k; i++)
            SIMD for (ptrdiff_t c = 0; c < C; c++) mid[c] += p[i * C + c];
        for (ptrdiff_t c = 0; c < C; c++) mid[c] /= (T)k;
        for (ptrdiff_t i = 0; i < k; i++)
            SIMD for (ptrdiff_t c = 0; c < C; c++) {
                T d = p[i * C + c] - mid[c];
                dev[c] += d * d, off[c] += d;
            }
        double share = (double)k / (seen + k), weight = (double)seen * share;
        for (ptrdiff_t c = 0; c < C; c++) {
            double more = (double)off[c] / k, d = mid[c] + more - mean[c];
            mean[c] += d * share;
            m2[c] += dev[c] - more * off[c] + d * d * weight;
        }
        seen += k;
    }
}

static int NAME(batch_moments)(mxnd_call *c, const T *x, ptrdiff_t N, ptrdiff_t C, ptrdiff_t S, double *mean, double *var) {
    int threads = N * C * S < SMALL ? 1 : c->threads;
    if (S > 1 || C == 1) {
        #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
        for (ptrdiff_t k = 0; k < C; k++)
            NAME(moments)(x + k * S, N, S, C * S, mean + k, var + k);
        return MX_OK;
    }
    int parts = N < 2 * threads ? 1 : threads;
    char *room = c->take(parts * C * (2 * sizeof(double) + 3 * sizeof(T)) + 1);
    if (!room) return MX_MEMORY_ERROR;
    double *means = (double *)room, *m2s = means + parts * C;
    T *small = (T *)(m2s + parts * C);
    #pragma omp parallel for num_threads(threads) if(parts > 1) schedule(static)
    for (int p = 0; p < parts; p++) {
        ptrdiff_t from = N * p / parts, to = N * (p + 1) / parts;
        NAME(column_moments)(x + from * C, to - from, C, means + p * C, m2s + p * C, small + 3 * p * C);
    }
    for (ptrdiff_t k = 0; k < C; k++) {
        moments_t all = {0, 0, 0};
        for (int p = 0; p < parts; p++)
            join(&all, N * (p + 1) / parts - N * p / parts, means[p * C + k], m2s[p * C + k]);
        mean[k] = all.n ? all.mean : NAN;
        var[k] = all.n ? positive(all.m2) / all.n : NAN;
    }
    c->give(room);
    return MX_OK;
}

/* y = (x - m) * a + b, with m, a and b per channel. */
static void NAME(scale_channels)(mxnd_call *c, const T *x, T *y, ptrdiff_t N, ptrdiff_t C, ptrdiff_t S,
                                 const T *a, const T *m, const T *b) {
    int threads = N * C * S < SMALL ? 1 : c->threads;
    if (S > 1) {
        #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
        for (ptrdiff_t r = 0; r < N * C; r++) {
            T u = a[r % C], v = b[r % C], w = m[r % C];
            const T *p = x + r * S;
            T *q = y + r * S;
            SIMD for (ptrdiff_t i = 0; i < S; i++) q[i] = (p[i] - w) * u + v;
        }
    } else {
        #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
        for (ptrdiff_t r = 0; r < N; r++) {
            const T *p = x + r * C;
            T *q = y + r * C;
            SIMD for (ptrdiff_t k = 0; k < C; k++) q[k] = (p[k] - m[k]) * a[k] + b[k];
        }
    }
}

/* in: data gamma beta moving_mean moving_var; out: output mean invstd; i: outer channels inner fix_gamma global; d: eps */
static int NAME(batch_norm)(mxnd_call *c) {
    ptrdiff_t N = c->i[0], C = c->i[1], S = c->i[2];
    const T *x = (T *)c->in[0].data, *beta = (T *)c->in[2].data;
    T *gamma = (T *)c->in[1].data, *out = (T *)c->out[0].data, *mean = (T *)c->out[1].data, *inv = (T *)c->out[2].data;
    int batch = c->training && !c->i[4];
    double eps = c->d[0];
    double *mid = c->take(2 * C * sizeof(double) + 2 * C * sizeof(T) + 1), *var = mid + C;
    if (!mid) return MX_MEMORY_ERROR;
    T *scale = (T *)(var + C), *shift = scale + C;
    if (batch) {
        int bad = NAME(batch_moments)(c, x, N, C, S, mid, var);
        if (bad) {
            c->give(mid);
            return bad;
        }
    } else
        for (ptrdiff_t k = 0; k < C; k++) mid[k] = ((T *)c->in[3].data)[k], var[k] = ((T *)c->in[4].data)[k];
    for (ptrdiff_t k = 0; k < C; k++) {
        if (c->i[3]) gamma[k] = 1;
        mean[k] = (T)mid[k];
        inv[k] = NAME(marked)((T)(1 / sqrt(var[k] + eps)), batch);
        scale[k] = inv[k] * gamma[k];
        shift[k] = (T)(beta[k] - (mid[k] - mean[k]) * scale[k]);       /* with what rounding took from the mean */
    }
    NAME(scale_channels)(c, x, out, N, C, S, scale, mean, shift);
    c->give(mid);
    return MX_OK;
}

/* in: g data gamma mean invstd moving_mean moving_var; out: for data, gamma, beta;
   i: outer channels inner fix_gamma; d: eps momentum.  Moves the moving statistics. */
static int NAME(batch_norm_backward)(mxnd_call *c) {
    ptrdiff_t N = c->i[0], C = c->i[1], S = c->i[2], M = N * S;
    const T *g = (T *)c->in[0].data, *x = (T *)c->in[1].data, *gamma = (T *)c->in[2].data;
    const T *mean = (T *)c->in[3].data, *inv = (T *)c->in[4].data;
    T *mm = (T *)c->in[5].data, *mv = (T *)c->in[6].data;
    T *dx = (T *)c->out[0].data, *dgamma = (T *)c->out[1].data, *dbeta = (T *)c->out[2].data;
    int threads = M * C < SMALL ? 1 : c->threads, batch = C ? NAME(mark_of)(inv[0]) : 0, fix = (int)c->i[3];
    double eps = c->d[0], momentum = c->d[1];
    int parts = S > 1 || N < 2 * threads ? 1 : threads;
    double *sums = c->take(2 * parts * C * (sizeof(double) + sizeof(T)) + 3 * C * sizeof(T) + 1);
    if (!sums) return MX_MEMORY_ERROR;
    T *A = (T *)(sums + 2 * parts * C), *B = A + C, *D = B + C, *few = D + C;
    if (S > 1) {
        #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
        for (ptrdiff_t k = 0; k < C; k++) {
            double sg = 0, sgx = 0;
            for (ptrdiff_t r = 0; r < N; r++) NAME(dots)(g + (r * C + k) * S, x + (r * C + k) * S, S, mean[k], &sg, &sgx);
            sums[2 * k] = sg, sums[2 * k + 1] = sgx;
        }
    } else {
        #pragma omp parallel for num_threads(threads) if(parts > 1) schedule(static)
        for (int p = 0; p < parts; p++) {
            ptrdiff_t from = N * p / parts, to = N * (p + 1) / parts;
            NAME(column_dots)(g + from * C, x + from * C, to - from, C, mean, sums + 2 * p * C, few + 2 * p * C);
        }
        for (int p = 1; p < parts; p++)
            for (ptrdiff_t k = 0; k < 2 * C; k++) sums[k] += sums[2 * p * C + k];
    }
    for (ptrdiff_t k = 0; k < C; k++) {
        double s = inv[k], a = (fix ? 1 : gamma[k]) * s, sg = sums[2 * k], sgx = sums[2 * k + 1];
        dbeta[k] = (T)sg;
        dgamma[k] = fix ? 0 : (T)(sgx * s);
        A[k] = (T)a;
        B[k] = batch ? (T)(-a * s * s * sgx / M) : 0;
        D[k] = batch ? (T)(-a * sg / M) : 0;
        if (batch && M) {
            mm[k] = (T)(mm[k] * momentum + mean[k] * (1 - momentum));
            mv[k] = (T)(mv[k] * momentum + (1 / (s * s) - eps) * (1 - momentum));
        }
    }
    if (S > 1) {
        #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
        for (ptrdiff_t r = 0; r < N * C; r++) {
            T a = A[r % C], b = B[r % C], d = D[r % C], m = mean[r % C];
            SIMD for (ptrdiff_t i = r * S; i < (r + 1) * S; i++) dx[i] = a * g[i] + (b * (x[i] - m) + d);
        }
    } else {
        #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
        for (ptrdiff_t r = 0; r < N; r++)
            SIMD for (ptrdiff_t k = 0; k < C; k++)
                dx[r * C + k] = A[k] * g[r * C + k] + (B[k] * (x[r * C + k] - mean[k]) + D[k]);
    }
    c->give(sums);
    return MX_OK;
}
#undef VEC
#undef LOAD
#undef FILL
