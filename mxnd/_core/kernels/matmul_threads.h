/* The matrix product on several threads, and many products at once, for one element type; part of matmul_type.h. */

/* Threads for a product: a share below some 200 thousand steps (60 thousand where memory is the limit) does not pay. */
static int MM(threads)(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, int threads)
{
    double work = (double)m * (double)n * (double)k;
    double most = work / (m == 1 || n == 1 ? 32768.0 : 131072.0);
    return most < threads ? MM_MAX((int)most, 1) : threads;
}

/* As serial(), on the call's threads and with its scratch memory. */
static int MM(product)(mxnd_call *call, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, T alpha, const T *a, ptrdiff_t lda, int ta,
                       const T *b, ptrdiff_t ldb, int tb, int add, T *c, ptrdiff_t ldc)
{
    const int threads = MM(threads)(m, n, k, call->threads);
    if (threads == 1) {
        const size_t need = MM(scratch)(m, n, k);
        if (need <= 8192) {
            char local[8192] __attribute__((aligned(64)));
            MM(serial)(m, n, k, alpha, a, lda, ta, b, ldb, tb, add, c, ldc, local);
            return MX_OK;
        }
        void *scratch = call->take(need);
        if (!scratch)
            return MX_MEMORY_ERROR;
        MM(serial)(m, n, k, alpha, a, lda, ta, b, ldb, tb, add, c, ldc, scratch);
        call->give(scratch);
        return MX_OK;
    }
    const ptrdiff_t tiles = ((m + MR - 1) / MR) * ((n + VL - 1) / VL);
    if (tiles < 2 * threads && k >= 64 * threads) {         /* c is small: every thread sums a part of k */
        const size_t part = ((size_t)(m * n) * sizeof(T) + 63) / 64 * 64;
        const size_t need = (MM(scratch)(m, n, (k + threads - 1) / threads) + 63) / 64 * 64;
        char *scratch = call->take((part + need) * (size_t)threads);
        if (!scratch)
            return MX_MEMORY_ERROR;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
        for (int t = 0; t < threads; t++) {
            ptrdiff_t from, to;
            char *mine = scratch + (part + need) * (size_t)t;
            mm_chunk(k, threads, t, 1, &from, &to);
            MM(serial)(m, n, to - from, alpha, a + from * (ta ? lda : 1), lda, ta, b + from * (tb ? 1 : ldb), ldb, tb,
                       t == 0 && add, t ? (T *)mine : c, t ? n : ldc, mine + part);
        }
        for (int t = 1; t < threads; t++) {
            const T *more = (const T *)(scratch + (part + need) * (size_t)t);
            for (ptrdiff_t i = 0; i < m; i++)
                for (ptrdiff_t j = 0; j < n; j++)
                    c[i * ldc + j] += more[i * n + j];
        }
        call->give(scratch);
        return MX_OK;
    }
    int down = 1;                               /* threads along m; the others go along n */
    double least = 1e300;
    for (int d = 1; d <= threads; d++)
        if (threads % d == 0) {
            ptrdiff_t rows = ((m + MR - 1) / MR + d - 1) / d * MR, e = threads / d;
            ptrdiff_t cols = ((n + VL - 1) / VL + e - 1) / e * VL;
            double cost = (double)rows * (double)cols + 8.0 * (double)cols + (double)rows;
            if (cost < least)
                least = cost, down = d;
        }
    const int across = threads / down;
    const size_t need = (MM(scratch)(m / down + MR, n / across + VL, k) + 63) / 64 * 64;
    char *scratch = call->take(need * (size_t)threads);
    if (!scratch)
        return MX_MEMORY_ERROR;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        ptrdiff_t i, i1, j, j1;
        mm_chunk(m, down, t / across, MR, &i, &i1);
        mm_chunk(n, across, t % across, n == 1 ? 1 : VL, &j, &j1);
        if (i < i1 && j < j1)
            MM(serial)(i1 - i, j1 - j, k, alpha, a + i * (ta ? 1 : lda), lda, ta, b + j * (tb ? ldb : 1), ldb, tb, add,
                       c + i * ldc + j, ldc, scratch + need * (size_t)t);
    }
    call->give(scratch);
    return MX_OK;
}

/* outer x inner products; operand x of product (o, q) begins at x + (o * inner * size of x) + q * step of x. */
typedef struct { ptrdiff_t outer, ld, step; int turned; } MM(operand);

static int MM(batch)(mxnd_call *call, ptrdiff_t outer, ptrdiff_t inner, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, T alpha,
                     const T *a, MM(operand) x, const T *b, MM(operand) y, int add, T *c, MM(operand) z)
{
    const ptrdiff_t count = outer * inner;
    const double work = (double)m * (double)n * (double)k * (double)count;
    int threads = work / 65536.0 < call->threads ? MM_MAX((int)(work / 65536.0), 1) : call->threads;
    if (count < threads && count < 4) {
        for (ptrdiff_t q = 0; q < count; q++) {
            ptrdiff_t o = q / inner, i = q % inner;
            int e = MM(product)(call, m, n, k, alpha, a + o * x.outer + i * x.step, x.ld, x.turned, b + o * y.outer + i * y.step,
                                y.ld, y.turned, add, c + o * z.outer + i * z.step, z.ld);
            if (e)
                return e;
        }
        return MX_OK;
    }
    threads = (int)MM_MIN(threads, MM_MAX(count, 1));
    const size_t need = (MM(scratch)(m, n, k) + 63) / 64 * 64;
    char *scratch = call->take(need * (size_t)threads);
    if (!scratch)
        return MX_MEMORY_ERROR;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        ptrdiff_t from, to;
        mm_chunk(count, threads, t, 1, &from, &to);
        for (ptrdiff_t q = from; q < to; q++) {
            ptrdiff_t o = q / inner, i = q % inner;
            MM(serial)(m, n, k, alpha, a + o * x.outer + i * x.step, x.ld, x.turned, b + o * y.outer + i * y.step, y.ld,
                       y.turned, add, c + o * z.outer + i * z.step, z.ld, scratch + need * (size_t)t);
        }
    }
    call->give(scratch);
    return MX_OK;
}
