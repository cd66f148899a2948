/* Householder reflectors that act on rows, and LQ factors, for one element type T; part of linalg_type.h.
 *
 * H = 1 - tau * v' . v for a row v.  Some of them together are 1 - V' . S . V with the vectors as rows of V and a triangular S
 * (Schreiber and Van Loan, "A storage-efficient WY representation", 1989), so that most work is products of matrices. */

#ifndef LA_BLOCK
# define LA_BLOCK 32
#endif

/* Turns row x of n numbers into (beta, 0, ...): x[0] becomes beta, the rest of x the rest of v, whose first number is 1. */
static T LA(reflector)(ptrdiff_t n, T *x)
{
    const T most = LA(largest)(n - 1, x + 1);
    if (!(most > 0))                             /* nothing to do */
        return most == 0 || n < 2 ? 0 : most;
    const double scale = most, first = x[0] / scale;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t i = 1; i < n; i++) {
        const double v = (double)x[i] / scale;
        sum += v * v;
    }
    const double norm = sqrt(first * first + sum), beta = first < 0 ? norm : -norm;
    const double f = 1 / (first - beta) / scale;
    for (ptrdiff_t i = 1; i < n; i++)
        x[i] = (T)((double)x[i] * f);
    x[0] = (T)(beta * scale);
    return (T)((beta - first) / beta);
}

/* S (b x b, row length LA_BLOCK) of H_0 . H_1 ... for the rows of v (b x n). */
static void LA(block)(ptrdiff_t b, ptrdiff_t n, const T *v, ptrdiff_t ld, const T *tau, T *s)
{
    for (ptrdiff_t j = 0; j < b; j++) {
        T with[LA_BLOCK];
        for (ptrdiff_t i = 0; i < j; i++)
            with[i] = -tau[j] * LA(sum)(n, v + i * ld, v + j * ld);
        for (ptrdiff_t i = 0; i < b; i++) {
            T sum = 0;
            for (ptrdiff_t k = i; k < j; k++)
                sum += s[i * LA_BLOCK + k] * with[k];
            s[i * LA_BLOCK + j] = i < j ? sum : i == j ? tau[j] : 0;
        }
    }
}

/* x (m x n) = x . (1 - V' . S . V), with S transposed if turned; room: 2 * m * LA_BLOCK numbers. */
static void LA(reflect)(la_work *w, ptrdiff_t m, ptrdiff_t n, ptrdiff_t b, const T *v, ptrdiff_t ldv, const T *s, int turned, T *x,
                        ptrdiff_t ldx, T *room)
{
    T *more = room + m * LA_BLOCK;
    LA(gemm)(w, m, b, n, 1, x, ldx, 0, v, ldv, 1, 0, room, LA_BLOCK);
    LA(gemm)(w, m, b, b, 1, room, LA_BLOCK, 0, s, LA_BLOCK, turned, 0, more, LA_BLOCK);
    LA(gemm)(w, m, n, b, -1, more, LA_BLOCK, 0, v, ldv, 0, 1, x, ldx);
}

/* q (rows x n) = the first rows of H_k-1 ... H_1 . H_0.  Row i of v (k x n) has i + shift zeros and a 1 in front; s holds S of each
 * block of LA_BLOCK rows. */
static void LA(orthogonal)(la_work *w, ptrdiff_t rows, ptrdiff_t n, ptrdiff_t k, ptrdiff_t shift, const T *v, ptrdiff_t ldv,
                           const T *s, T *q, ptrdiff_t ldq, T *room)
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < n; j++)
            q[i * ldq + j] = i == j;
    for (ptrdiff_t i = (k - 1) / LA_BLOCK * LA_BLOCK; i >= 0 && k > 0; i -= LA_BLOCK) {
        const ptrdiff_t from = i + shift;        /* what is before stays as it is */
        if (from < rows)
            LA(reflect)(w, rows - from, n - from, MM_MIN(LA_BLOCK, k - i), v + i * ldv + from, ldv, s + i * LA_BLOCK, 1,
                        q + from * ldq + from, ldq, room);
    }
}

/* Bytes of own memory for LQ factors of m x n. */
static size_t LA(lq_room)(ptrdiff_t m, ptrdiff_t n)
{
    return (size_t)(2 * m * LA(stride)(n) + m + 3 * (m + LA_BLOCK) * LA_BLOCK) * sizeof(T) + 64;
}

/* i: batch, m, n with m <= n; outputs Q, L */
static int LA(gelqf_one)(la_work *w, ptrdiff_t number)
{
    mxnd_call *c = w->call;
    const ptrdiff_t m = c->i[1], n = c->i[2], ld = LA(stride)(n);
    T *q = (T *)c->out[0].data + number * m * n, *l = (T *)c->out[1].data + number * m * m;
    T *a = (T *)w->own, *v = a + m * ld, *tau = v + m * ld, *s = tau + m, *room = s + (m + LA_BLOCK) * LA_BLOCK;
    for (ptrdiff_t i = 0; i < m; i++)
        memcpy(a + i * ld, (const T *)c->in[0].data + (number * m + i) * n, (size_t)n * sizeof(T));
    for (ptrdiff_t i = 0; i < m; i += LA_BLOCK) {
        const ptrdiff_t b = MM_MIN(LA_BLOCK, m - i);
        for (ptrdiff_t r = i; r < i + b; r++) {
            T *x = a + r * ld, *y = v + r * ld;
            tau[r] = LA(reflector)(n - r, x + r);
            memset(y, 0, (size_t)r * sizeof(T));
            memcpy(y + r, x + r, (size_t)(n - r) * sizeof(T));
            y[r] = 1;
            for (ptrdiff_t j = r + 1; j < i + b; j++)
                LA(add)(n - r, -tau[r] * LA(sum)(n - r, y + r, a + j * ld + r), y + r, a + j * ld + r);
        }
        LA(block)(b, n - i, v + i * ld + i, ld, tau + i, s + i * LA_BLOCK);
        if (i + b < m)
            LA(reflect)(w, m - i - b, n - i, b, v + i * ld + i, ld, s + i * LA_BLOCK, 0, a + (i + b) * ld + i, ld, room);
    }
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < m; j++)
            l[i * m + j] = j <= i ? a[i * ld + j] : 0;
    LA(orthogonal)(w, m, n, m, 0, v, ld, s, q, n, room);
    return 0;
}
