/* LU factors with row exchanges, for one element type T; part of linalg_type.h. */

#ifndef LA_PANEL
# define LA_PANEL 16
#endif

/* Factors at most LA_PANEL columns, kept as rows of a buffer (n x m) so that columns are contiguous. */
static void LA(lu_panel)(ptrdiff_t m, ptrdiff_t n, T *a, ptrdiff_t ld, int32_t *swaps, T *p)
{
    LA(transpose)(m, n, a, ld, p, m);
    for (ptrdiff_t k = 0; k < n; k++) {
        T *column = p + k * m, most = column[k] < 0 ? -column[k] : column[k];
        ptrdiff_t best = k;
        for (ptrdiff_t i = k + 1; i < m; i++) {
            const T v = column[i] < 0 ? -column[i] : column[i];
            if (v > most)
                most = v, best = i;
        }
        swaps[k] = (int32_t)best;
        if (best != k)
            for (ptrdiff_t j = 0; j < n; j++) {
                const T v = p[j * m + k];
                p[j * m + k] = p[j * m + best];
                p[j * m + best] = v;
            }
        const T pivot = column[k];
        if (pivot == 0)
            continue;
        for (ptrdiff_t i = k + 1; i < m; i++)
            column[i] /= pivot;
        for (ptrdiff_t j = k + 1; j < n; j++)
            LA(add)(m - k - 1, -p[j * m + k], column + k + 1, p + j * m + k + 1);
    }
    LA(transpose)(n, m, p, m, a, ld);
}

static void LA(swap_rows)(ptrdiff_t from, ptrdiff_t to, ptrdiff_t cols, T *a, ptrdiff_t ld, const int32_t *swaps)
{
    for (ptrdiff_t i = from; i < to; i++)
        if (swaps[i] != i) {
            T *x = a + i * ld, *y = a + swaps[i] * ld;
            for (ptrdiff_t j = 0; j < cols; j++) {
                const T v = x[j];
                x[j] = y[j];
                y[j] = v;
            }
        }
}

/* a (m x n, m >= n) becomes its factors; row i was exchanged with row swaps[i].  A column without a pivot is left as it is. */
static void LA(lu)(la_work *w, ptrdiff_t m, ptrdiff_t n, T *a, ptrdiff_t ld, int32_t *swaps, T *panel)
{
    if (n <= LA_PANEL) {
        LA(lu_panel)(m, n, a, ld, swaps, panel);
        return;
    }
    const ptrdiff_t h = (n / 2 + LA_PANEL - 1) / LA_PANEL * LA_PANEL;
    T *below = a + h * ld;
    LA(lu)(w, m, h, a, ld, swaps, panel);
    LA(swap_rows)(0, h, n - h, a + h, ld, swaps);
    LA(solve_left)(w, h, n - h, (LA(tri)){a, ld, 0, 1, 1}, a + h, ld);
    LA(gemm)(w, m - h, n - h, h, -1, below, ld, 0, a + h, ld, 0, 1, below + h, ld);
    LA(lu)(w, m - h, n - h, below + h, ld, swaps + h, panel);
    for (ptrdiff_t i = h; i < n; i++)
        swaps[i] += (int32_t)h;
    LA(swap_rows)(h, n, h, a, ld, swaps);
}

/* Bytes of own memory for factors of n x n. */
static size_t LA(lu_room)(ptrdiff_t n)
{
    return (size_t)(n * n + LA_PANEL * n + n) * sizeof(T) + (size_t)n * sizeof(int32_t) + 64;
}

typedef struct { T *a, *panel, *row; int32_t *swaps; } LA(factors);

static LA(factors) LA(lu_of)(la_work *w, ptrdiff_t n, const T *a, char *own)
{
    LA(factors) f;
    f.a = (T *)own;
    f.panel = f.a + n * n;
    f.row = f.panel + LA_PANEL * n;
    f.swaps = (int32_t *)(f.row + n);
    memcpy(f.a, a, (size_t)(n * n) * sizeof(T));
    LA(lu)(w, n, n, f.a, n, f.swaps, f.panel);
    return f;
}

/* The determinant as number * 2 ** power, which cannot overflow on the way. */
static double LA(determinant)(LA(factors) f, ptrdiff_t n, int64_t *power)
{
    double d = 1;
    *power = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        int e = 0;
        d = frexp(d * (double)f.a[i * n + i], &e);
        *power += e;
        if (f.swaps[i] != i)
            d = -d;
    }
    return d;
}

/* inverse = that of the factored matrix, whose diagonal has no zero. */
static void LA(inverse_of)(la_work *w, LA(factors) f, ptrdiff_t n, T *inverse)
{
    LA(inverse_lower)(w, n, (LA(tri)){f.a, n, 0, 1, 1}, inverse, n);
    LA(triangular)(w, 0, n, n, 1, (LA(tri)){f.a, n, 0, 0, 0}, inverse, n, NULL);
    int32_t *order = (int32_t *)f.panel;         /* column order[j] of the result is column j of what was solved for */
    for (ptrdiff_t i = 0; i < n; i++)
        order[i] = (int32_t)i;
    for (ptrdiff_t i = 0; i < n; i++) {
        const int32_t v = order[i];
        order[i] = order[f.swaps[i]];
        order[f.swaps[i]] = v;
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        T *row = inverse + i * n;
        for (ptrdiff_t j = 0; j < n; j++)
            f.row[order[j]] = row[j];
        memcpy(row, f.row, (size_t)n * sizeof(T));
    }
}

static double LA(scaled)(double d, int64_t power)
{
    return ldexp(d, (int)MM_MAX(MM_MIN(power, 5000), -5000));
}

/* i: batch, n */
static int LA(det_one)(la_work *w, ptrdiff_t q)
{
    mxnd_call *c = w->call;
    const ptrdiff_t n = c->i[1];
    int64_t power;
    const double d = LA(determinant)(LA(lu_of)(w, n, (const T *)c->in[0].data + q * n * n, w->own), n, &power);
    ((T *)c->out[0].data)[q] = (T)(d == 0 ? 0 : LA(scaled)(d, power));
    return 0;
}

static int LA(slogdet_one)(la_work *w, ptrdiff_t q)
{
    mxnd_call *c = w->call;
    const ptrdiff_t n = c->i[1];
    int64_t power;
    const double d = LA(determinant)(LA(lu_of)(w, n, (const T *)c->in[0].data + q * n * n, w->own), n, &power);
    ((T *)c->out[0].data)[q] = (T)(d != d ? d : (d > 0) - (d < 0));
    ((T *)c->out[1].data)[q] = (T)(log(fabs(d)) + (d != 0 ? (double)power * 0.6931471805599453094 : 0.0));
    return 0;
}

/* i: batch, n, whether a singular matrix gives zeros (and is no error) */
static int LA(inverse_one)(la_work *w, ptrdiff_t q)
{
    mxnd_call *c = w->call;
    const ptrdiff_t n = c->i[1];
    T *out = (T *)c->out[0].data + q * n * n;
    LA(factors) f = LA(lu_of)(w, n, (const T *)c->in[0].data + q * n * n, w->own);
    for (ptrdiff_t i = 0; i < n; i++)
        if (f.a[i * n + i] == 0) {
            memset(out, 0, (size_t)(n * n) * sizeof(T));
            return !c->i[2];
        }
    LA(inverse_of)(w, f, n, out);
    return 0;
}
