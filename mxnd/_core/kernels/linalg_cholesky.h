/* Cholesky factors, and inverses from them, for one element type T; part of linalg_type.h. */

/* Cholesky factor of at most LA_SMALL rows, from and to the lower triangle of a. */
static int LA(factor_small)(ptrdiff_t n, T *a, ptrdiff_t ld)
{
    T u[LA_SMALL * LA_SMALL];                    /* the transposed factor, so that rows are updated */
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j <= i; j++)
            u[j * LA_SMALL + i] = a[i * ld + j];
    for (ptrdiff_t k = 0; k < n; k++) {
        T *row = u + k * LA_SMALL;
        if (!(row[k] > 0))
            return 1;
        const T d = row[k] = (T)sqrt((double)row[k]), f = 1 / d;
        for (ptrdiff_t i = k + 1; i < n; i++)
            row[i] *= f;
        for (ptrdiff_t j = k + 1; j < n; j++)
            LA(add)(n - j, -row[j], row + j, u + j * LA_SMALL + j);
    }
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j <= i; j++)
            a[i * ld + j] = u[j * LA_SMALL + i];
    return 0;
}

/* Cholesky factor, from and to the lower triangle of a; the upper one is overwritten.  Non-zero: not positive definite. */
static int LA(factor)(la_work *w, ptrdiff_t n, T *a, ptrdiff_t ld)
{
    if (n <= LA_SMALL)
        return LA(factor_small)(n, a, ld);
    const ptrdiff_t h = LA(half)(n);
    T *below = a + h * ld;
    if (LA(factor)(w, h, a, ld))
        return 1;
    LA(triangular)(w, 1, h, n - h, 1, (LA(tri)){a, ld, 1, 0, 0}, below, ld, NULL);
    LA(square)(w, n - h, h, -1, below, ld, 0, 1, below + h, ld);
    return LA(factor)(w, n - h, below + h, ld);
}

/* The lower triangle of c = l' . l for a lower triangle l with zeros above; c and l do not overlap. */
static void LA(square_lower)(la_work *w, ptrdiff_t n, const T *l, ptrdiff_t ldl, T *c, ptrdiff_t ldc)
{
    if (n <= 2 * LA_SMALL) {
        LA(gemm)(w, n, n, n, 1, l, ldl, 1, l, ldl, 0, 0, c, ldc);
        return;
    }
    const ptrdiff_t h = LA(half)(n);
    const T *below = l + h * ldl;
    LA(square_lower)(w, h, l, ldl, c, ldc);
    LA(square)(w, h, n - h, 1, below, ldl, 1, 1, c, ldc);
    LA(gemm)(w, n - h, h, n - h, 1, below + h, ldl, 1, below, ldl, 0, 0, c + h * ldc, ldc);
    LA(square_lower)(w, n - h, below + h, ldl, c + h * ldc + h, ldc);
}

/* i: batch, n, lower */
static int LA(potrf_one)(la_work *w, ptrdiff_t q)
{
    mxnd_call *c = w->call;
    const ptrdiff_t n = c->i[1];
    const T *a = (const T *)c->in[0].data + q * n * n;
    T *out = (T *)c->out[0].data + q * n * n;
    if (c->i[2])
        memcpy(out, a, (size_t)(n * n) * sizeof(T));
    else
        LA(transpose)(n, n, a, n, out, n);
    if (LA(factor)(w, n, out, n))
        return 1;
    LA(mirror)(n, out, n, 1);
    if (!c->i[2]) {                              /* the factor of the upper triangle is the transposed one */
        LA(mirror)(n, out, n, 0);
        for (ptrdiff_t i = 1; i < n; i++)
            memset(out + i * n, 0, (size_t)i * sizeof(T));
    }
    return 0;
}

static int LA(potri_one)(la_work *w, ptrdiff_t q)
{
    mxnd_call *c = w->call;
    const ptrdiff_t n = c->i[1];
    const LA(tri) a = {(const T *)c->in[0].data + q * n * n, n, !c->i[2], 1, 0};
    T *out = (T *)c->out[0].data + q * n * n, *inverse = (T *)w->own;
    for (ptrdiff_t i = 0; i < n; i++)
        if (a.a[i * n + i] == 0)
            return 1;
    LA(inverse_lower)(w, n, a, inverse, n);
    LA(square_lower)(w, n, inverse, n, out, n);
    LA(mirror)(n, out, n, 0);
    return 0;
}
