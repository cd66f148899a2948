/* Triangular matrices for one element type T: solves, products, inverses; part of linalg_type.h. */

/* A triangular operand: element (i, j) of op(A) is a[i * ld + j], or a[j * ld + i] if turned; lower is that of op(A). */
typedef struct { const T *a; ptrdiff_t ld; int turned, lower, unit; } LA(tri);

MM_INLINE const T *LA(at)(LA(tri) t, ptrdiff_t i, ptrdiff_t j)
{
    return t.turned ? t.a + j * t.ld + i : t.a + i * t.ld + j;
}

MM_INLINE LA(tri) LA(part)(LA(tri) t, ptrdiff_t i)
{
    t.a += i * t.ld + i;
    return t;
}

MM_INLINE LA(tri) LA(turned)(LA(tri) t)
{
    t.turned = !t.turned;
    t.lower = !t.lower;
    return t;
}

/* Where a block of n splits. */
MM_INLINE ptrdiff_t LA(half)(ptrdiff_t n)
{
    return (n / 2 + LA_SMALL - 1) / LA_SMALL * LA_SMALL;
}

/* Rows are eliminated in order; row i of x has nv vectors. */
MM_INLINE void LA(eliminate)(const int nv, ptrdiff_t n, const T *tri, const T *diagonal, V *x)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        V s0 = x[i * nv], s1 = {0}, s2 = {0}, s3 = {0};
        if (nv > 1)
            s1 = x[i * nv + 1];
        if (nv > 2)
            s2 = x[i * nv + 2], s3 = x[i * nv + 3];
        for (ptrdiff_t j = 0; j < i; j++) {
            const T f = tri[i * LA_SMALL + j];
            s0 -= f * x[j * nv];
            if (nv > 1)
                s1 -= f * x[j * nv + 1];
            if (nv > 2) {
                s2 -= f * x[j * nv + 2];
                s3 -= f * x[j * nv + 3];
            }
        }
        const T d = diagonal[i];
        x[i * nv] = s0 / d;
        if (nv > 1)
            x[i * nv + 1] = s1 / d;
        if (nv > 2) {
            x[i * nv + 2] = s2 / d;
            x[i * nv + 3] = s3 / d;
        }
    }
}

/* Rows become sums of those up to them.  What is above the diagonal is left out, not multiplied by 0, which would spread NaN. */
MM_INLINE void LA(accumulate)(const int nv, ptrdiff_t n, const T *tri, const T *diagonal, V *x)
{
    for (ptrdiff_t i = n - 1; i >= 0; i--)
        for (int v = 0; v < nv; v++) {
            V s = x[i * nv + v] * diagonal[i];
            for (ptrdiff_t j = 0; j < i; j++)
                s += tri[i * LA_SMALL + j] * x[j * nv + v];
            x[i * nv + v] = s;
        }
}

#define LA_WIDTH(name, nv)                                                                         \
    static void LA(name##_##nv)(ptrdiff_t n, const T *tri, const T *diagonal, V *x)                \
    {                                                                                              \
        LA(name)(nv, n, tri, diagonal, x);                                                         \
    }
LA_WIDTH(eliminate, 1) LA_WIDTH(eliminate, 2) LA_WIDTH(eliminate, 4)
LA_WIDTH(accumulate, 1) LA_WIDTH(accumulate, 2) LA_WIDTH(accumulate, 4)
#undef LA_WIDTH

/* X of op(A) . X = B for n <= LA_SMALL and m columns, or alpha * op(A) . B, to c or added to it.  Element (i, j) of B is
 * b[i * ldb + j], or b[j * ldb + i] if flat; likewise in c. */
static void LA(small)(int solve, ptrdiff_t n, ptrdiff_t m, T alpha, LA(tri) a, int flat, const T *b, ptrdiff_t ldb, int add, T *c,
                      ptrdiff_t ldc)
{
    T tri[LA_SMALL * LA_SMALL], diagonal[LA_SMALL];
    V x[LA_SMALL * 4];
    T *to = (T *)x;
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t r = a.lower ? i : n - 1 - i;
        for (ptrdiff_t j = 0; j < i; j++)
            tri[i * LA_SMALL + j] = *LA(at)(a, r, a.lower ? j : n - 1 - j);
        diagonal[i] = a.unit ? 1 : *LA(at)(a, r, r);
    }
    for (ptrdiff_t k = 0, cols; k < m; k += cols) {
        const int nv = m - k > 2 * VL ? 4 : m - k > VL ? 2 : 1, wide = nv * VL;
        cols = MM_MIN(m - k, wide);
        for (ptrdiff_t i = 0; i < n; i++) {
            const ptrdiff_t r = a.lower ? i : n - 1 - i;
            const T *row = flat ? b + k * ldb + r : b + r * ldb + k;
            if (!flat && cols == wide)
                for (int v = 0; v < nv; v++)
                    x[i * nv + v] = *(const U *)(row + v * VL);
            else {
                for (ptrdiff_t j = 0; j < cols; j++)
                    to[i * wide + j] = row[flat ? j * ldb : j];
                for (ptrdiff_t j = cols; j < wide; j++)
                    to[i * wide + j] = 0;
            }
        }
        if (nv == 1)
            (solve ? LA(eliminate_1) : LA(accumulate_1))(n, tri, diagonal, x);
        else if (nv == 2)
            (solve ? LA(eliminate_2) : LA(accumulate_2))(n, tri, diagonal, x);
        else
            (solve ? LA(eliminate_4) : LA(accumulate_4))(n, tri, diagonal, x);
        for (ptrdiff_t i = 0; i < n; i++) {
            const ptrdiff_t r = a.lower ? i : n - 1 - i;
            T *row = flat ? c + k * ldc + r : c + r * ldc + k;
            if (!flat && cols == wide)
                for (int v = 0; v < nv; v++) {
                    const V y = alpha * x[i * nv + v];
                    *(U *)(row + v * VL) = add ? (V)*(U *)(row + v * VL) + y : y;
                }
            else
                for (ptrdiff_t j = 0; j < cols; j++) {
                    T *one = row + (flat ? j * ldc : j);
                    *one = add ? *one + alpha * to[i * wide + j] : alpha * to[i * wide + j];
                }
        }
    }
}

/* X of op(A) . X = B (n x m), in place. */
static void LA(solve_left)(la_work *w, ptrdiff_t n, ptrdiff_t m, LA(tri) a, T *b, ptrdiff_t ldb)
{
    if (n <= LA_SMALL) {
        LA(small)(1, n, m, 1, a, 0, b, ldb, 0, b, ldb);
        return;
    }
    const ptrdiff_t h = LA(half)(n);
    T *below = b + h * ldb;
    if (a.lower) {
        LA(solve_left)(w, h, m, a, b, ldb);
        LA(gemm)(w, n - h, m, h, -1, LA(at)(a, h, 0), a.ld, a.turned, b, ldb, 0, 1, below, ldb);
        LA(solve_left)(w, n - h, m, LA(part)(a, h), below, ldb);
    } else {
        LA(solve_left)(w, n - h, m, LA(part)(a, h), below, ldb);
        LA(gemm)(w, h, m, n - h, -1, LA(at)(a, 0, h), a.ld, a.turned, below, ldb, 0, 1, b, ldb);
        LA(solve_left)(w, h, m, a, b, ldb);
    }
}

/* X of X . op(A) = B (m x n), in place. */
static void LA(solve_right)(la_work *w, ptrdiff_t m, ptrdiff_t n, LA(tri) a, T *b, ptrdiff_t ldb)
{
    if (n <= LA_SMALL) {
        LA(small)(1, n, m, 1, LA(turned)(a), 1, b, ldb, 0, b, ldb);
        return;
    }
    const ptrdiff_t h = LA(half)(n);
    if (a.lower) {
        LA(solve_right)(w, m, n - h, LA(part)(a, h), b + h, ldb);
        LA(gemm)(w, m, h, n - h, -1, b + h, ldb, 0, LA(at)(a, h, 0), a.ld, a.turned, 1, b, ldb);
        LA(solve_right)(w, m, h, a, b, ldb);
    } else {
        LA(solve_right)(w, m, h, a, b, ldb);
        LA(gemm)(w, m, n - h, h, -1, b, ldb, 0, LA(at)(a, 0, h), a.ld, a.turned, 1, b + h, ldb);
        LA(solve_right)(w, m, n - h, LA(part)(a, h), b + h, ldb);
    }
}

/* c = alpha * op(A) . b (n x m), or added to c; b and c do not overlap. */
static void LA(times_left)(la_work *w, ptrdiff_t n, ptrdiff_t m, T alpha, LA(tri) a, const T *b, ptrdiff_t ldb, int add, T *c,
                           ptrdiff_t ldc)
{
    if (n <= LA_SMALL) {
        LA(small)(0, n, m, alpha, a, 0, b, ldb, add, c, ldc);
        return;
    }
    const ptrdiff_t h = LA(half)(n);
    const T *under = b + h * ldb;
    T *below = c + h * ldc;
    LA(times_left)(w, h, m, alpha, a, b, ldb, add, c, ldc);
    LA(times_left)(w, n - h, m, alpha, LA(part)(a, h), under, ldb, add, below, ldc);
    if (a.lower)
        LA(gemm)(w, n - h, m, h, alpha, LA(at)(a, h, 0), a.ld, a.turned, b, ldb, 0, 1, below, ldc);
    else
        LA(gemm)(w, h, m, n - h, alpha, LA(at)(a, 0, h), a.ld, a.turned, under, ldb, 0, 1, c, ldc);
}

/* c = alpha * b . op(A) (m x n), or added to c. */
static void LA(times_right)(la_work *w, ptrdiff_t m, ptrdiff_t n, T alpha, LA(tri) a, const T *b, ptrdiff_t ldb, int add, T *c,
                            ptrdiff_t ldc)
{
    if (n <= LA_SMALL) {
        LA(small)(0, n, m, alpha, LA(turned)(a), 1, b, ldb, add, c, ldc);
        return;
    }
    const ptrdiff_t h = LA(half)(n);
    LA(times_right)(w, m, h, alpha, a, b, ldb, add, c, ldc);
    LA(times_right)(w, m, n - h, alpha, LA(part)(a, h), b + h, ldb, add, c + h, ldc);
    if (a.lower)
        LA(gemm)(w, m, h, n - h, alpha, b + h, ldb, 0, LA(at)(a, h, 0), a.ld, a.turned, 1, c, ldc);
    else
        LA(gemm)(w, m, n - h, h, alpha, b, ldb, 0, LA(at)(a, 0, h), a.ld, a.turned, 1, c + h, ldc);
}

/* Columns (on the left) or rows (on the right) i to j of b.  c: the result of a product; NULL to solve in place. */
static void LA(triangular_part)(la_work *w, int right, ptrdiff_t n, ptrdiff_t ld, T alpha, LA(tri) a, T *b, T *c, ptrdiff_t i,
                                ptrdiff_t j)
{
    const ptrdiff_t from = right ? i * ld : i;
    if (c && right)
        LA(times_right)(w, j - i, n, alpha, a, b + from, ld, 0, c + from, ld);
    else if (c)
        LA(times_left)(w, n, j - i, alpha, a, b + from, ld, 0, c + from, ld);
    else if (right)
        LA(solve_right)(w, j - i, n, a, b + from, ld);
    else
        LA(solve_left)(w, n, j - i, a, b + from, ld);
}

/* All m of them, some for each thread.  (A parallel region costs something even for one thread.) */
static void LA(triangular)(la_work *w, int right, ptrdiff_t n, ptrdiff_t m, T alpha, LA(tri) a, T *b, ptrdiff_t ld, T *c)
{
    const int parts = (int)MM_MIN(la_threads(w, (double)n * (double)n * (double)m / 2), (m + VL - 1) / VL);
    if (parts <= 1) {
        LA(triangular_part)(w, right, n, ld, alpha, a, b, c, 0, m);
        return;
    }
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int t = 0; t < parts; t++) {
        la_work one = {w->call, 1, w->room + w->need * (size_t)t, w->need, NULL};
        ptrdiff_t i, j;
        mm_chunk(m, parts, t, VL, &i, &j);
        if (i < j)
            LA(triangular_part)(&one, right, n, ld, alpha, a, b, c, i, j);
    }
}

/* The lower triangle of c (n x n) = alpha * a . a' (a is n x k, or k x n if turned), or added to c; some of the upper one is
 * overwritten too. */
static void LA(square)(la_work *w, ptrdiff_t n, ptrdiff_t k, T alpha, const T *a, ptrdiff_t lda, int turned, int add, T *c,
                       ptrdiff_t ldc)
{
    if (n <= 3 * LA_SMALL) {
        LA(gemm)(w, n, n, k, alpha, a, lda, turned, a, lda, !turned, add, c, ldc);
        return;
    }
    const ptrdiff_t h = LA(half)(n);
    const T *below = a + h * (turned ? 1 : lda);
    LA(square)(w, h, k, alpha, a, lda, turned, add, c, ldc);
    LA(gemm)(w, n - h, h, k, alpha, below, lda, turned, a, lda, !turned, add, c + h * ldc, ldc);
    LA(square)(w, n - h, k, alpha, below, lda, turned, add, c + h * ldc + h, ldc);
}

/* Copies the lower triangle to the upper one, or clears the upper one. */
static void LA(mirror)(ptrdiff_t n, T *a, ptrdiff_t ld, int clear)
{
    for (ptrdiff_t i0 = 0; i0 < n; i0 += 16)
        for (ptrdiff_t j0 = i0; j0 < n; j0 += 16)
            for (ptrdiff_t i = i0; i < MM_MIN(i0 + 16, n); i++)
                for (ptrdiff_t j = MM_MAX(j0, i + 1); j < MM_MIN(j0 + 16, n); j++)
                    a[i * ld + j] = clear ? 0 : a[j * ld + i];
}

/* inverse (n x n, row length ldi) of a lower triangle; the upper one becomes 0.  The diagonal is 1 if unit is set. */
static void LA(inverse_lower)(la_work *w, ptrdiff_t n, LA(tri) a, T *inverse, ptrdiff_t ldi)
{
    if (n <= LA_SMALL) {
        for (ptrdiff_t i = 0; i < n; i++)
            for (ptrdiff_t j = 0; j < n; j++)
                inverse[i * ldi + j] = i == j;
        LA(small)(1, n, n, 1, a, 0, inverse, ldi, 0, inverse, ldi);
        LA(mirror)(n, inverse, ldi, 1);
        return;
    }
    const ptrdiff_t h = LA(half)(n);
    T *below = inverse + h * ldi;
    LA(inverse_lower)(w, h, a, inverse, ldi);
    LA(gemm)(w, n - h, h, h, -1, LA(at)(a, h, 0), a.ld, a.turned, inverse, ldi, 0, 0, below, ldi);
    LA(solve_left)(w, n - h, h, LA(part)(a, h), below, ldi);
    LA(inverse_lower)(w, n - h, LA(part)(a, h), below + h, ldi);
    for (ptrdiff_t i = 0; i < h; i++)
        memset(inverse + i * ldi + h, 0, (size_t)(n - h) * sizeof(T));
}

/* ---- operators: numbers of the call are the batch, n, m and flags ---- */

/* A . X = alpha * B and its kin.  i: batch, n, m, transpose, rightside, lower; d: alpha */
static int LA(trsm_one)(la_work *w, ptrdiff_t q)
{
    mxnd_call *c = w->call;
    const ptrdiff_t n = c->i[1], m = c->i[2], size = n * m;
    const LA(tri) a = {(const T *)c->in[0].data + q * n * n, n, (int)c->i[3], c->i[5] != c->i[3], 0};
    const T *b = (const T *)c->in[1].data + q * size, alpha = (T)c->d[0];
    T *x = (T *)c->out[0].data + q * size;
    for (ptrdiff_t i = 0; i < size; i++)
        x[i] = alpha * b[i];
    LA(triangular)(w, (int)c->i[4], n, m, 1, a, x, c->i[4] ? n : m, NULL);
    return 0;
}

static int LA(trmm_one)(la_work *w, ptrdiff_t q)
{
    mxnd_call *c = w->call;
    const ptrdiff_t n = c->i[1], m = c->i[2];
    const LA(tri) a = {(const T *)c->in[0].data + q * n * n, n, (int)c->i[3], c->i[5] != c->i[3], 0};
    LA(triangular)(w, (int)c->i[4], n, m, (T)c->d[0], a, (T *)c->in[1].data + q * n * m, c->i[4] ? n : m,
                   (T *)c->out[0].data + q * n * m);
    return 0;
}

/* i: batch, n, k, transpose; d: alpha */
static int LA(syrk_one)(la_work *w, ptrdiff_t q)
{
    mxnd_call *c = w->call;
    const ptrdiff_t n = c->i[1], k = c->i[2];
    const T *a = (const T *)c->in[0].data + q * n * k;
    T *out = (T *)c->out[0].data + q * n * n;
    const ptrdiff_t lda = c->i[3] ? n : k;
    if (n <= 256) {                             /* a second triangle costs less than copying the first one */
        LA(gemm)(w, n, n, k, (T)c->d[0], a, lda, (int)c->i[3], a, lda, !c->i[3], 0, out, n);
        return 0;
    }
    LA(square)(w, n, k, (T)c->d[0], a, lda, (int)c->i[3], 0, out, n);
    LA(mirror)(n, out, n, 0);
    return 0;
}
