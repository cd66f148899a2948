/* Products, and dealing a batch to threads, for one element type T; see linalg.h. */

/* c = alpha * a . b (m x n over k), added to c if add is set; ta, tb: the operand is stored transposed. */
static void LA(gemm)(la_work *w, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, T alpha, const T *a, ptrdiff_t lda, int ta, const T *b,
                     ptrdiff_t ldb, int tb, int add, T *c, ptrdiff_t ldc)
{
    if (m <= 0 || n <= 0)
        return;
    if (la_threads(w, (double)m * (double)n * (double)k) == 1 ||
        MM(product)(w->call, m, n, k, alpha, a, lda, ta, b, ldb, tb, add, c, ldc) != MX_OK)
        MM(serial)(m, n, k, alpha, a, lda, ta, b, ldb, tb, add, c, ldc, w->room);
}

/* Row length to work with: rows that lie a large power of two apart would share the same few places of the cache. */
MM_INLINE ptrdiff_t LA(stride)(ptrdiff_t n)
{
    return n * (ptrdiff_t)sizeof(T) % 512 == 0 ? n + 64 / (ptrdiff_t)sizeof(T) : n;
}

/* y += x * s, and the sum of x * y, over n numbers. */
MM_INLINE void LA(add)(ptrdiff_t n, T s, const T *x, T *y)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++)
        y[i] += s * x[i];
}

MM_INLINE T LA(sum)(ptrdiff_t n, const T *x, const T *y)
{
    T s = 0;
#pragma omp simd reduction(+ : s)
    for (ptrdiff_t i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

MM_INLINE T LA(largest)(ptrdiff_t n, const T *x)
{
    T s = 0;
#pragma omp simd reduction(max : s)
    for (ptrdiff_t i = 0; i < n; i++) {
        const T v = x[i] < 0 ? -x[i] : x[i];
        s = v > s ? v : s;
    }
    return s;
}

/* to (n x m) = from (m x n) transposed. */
static void LA(transpose)(ptrdiff_t m, ptrdiff_t n, const T *from, ptrdiff_t ld, T *to, ptrdiff_t ldt)
{
    for (ptrdiff_t i0 = 0; i0 < m; i0 += 16)
        for (ptrdiff_t j0 = 0; j0 < n; j0 += 16)
            for (ptrdiff_t j = j0; j < MM_MIN(j0 + 16, n); j++)
                for (ptrdiff_t i = i0; i < MM_MIN(i0 + 16, m); i++)
                    to[j * ldt + i] = from[i * ld + j];
}

/* Matrices i to j; the first that fails, or j. */
static ptrdiff_t LA(some)(la_work *w, ptrdiff_t i, ptrdiff_t j, la_job job)
{
    while (i < j && !job(w, i))
        i++;
    return i;
}

/* Runs the job for every matrix.  The first matrix that fails is named by the call's at and bound. */
static int LA(run)(mxnd_call *call, la_batch b, const char *failure, la_job job)
{
    const double all = b.work * (double)b.count;
    const int worth = all / 65536.0 < call->threads ? MM_MAX((int)(all / 65536.0), 1) : call->threads;
    const int inside = b.count < 4 && b.count < call->threads && all > 2 * LA_SHARE ? worth : 1;
    const int across = inside > 1 ? 1 : (int)MM_MIN(worth, MM_MAX(b.count, 1));
    const size_t need = (MM(scratch)(b.size, b.size, b.size) + 63) / 64 * 64, own = (b.own + 63) / 64 * 64;
    const size_t each = need * (size_t)inside + own;
    char *room = call->take(each * (size_t)across + 64);
    ptrdiff_t first = b.count;
    if (!room)
        return MX_MEMORY_ERROR;
    if (across == 1) {
        la_work w = {call, inside, room + own, need, room};
        first = LA(some)(&w, 0, b.count, job);
    } else {
#pragma omp parallel for num_threads(across) schedule(static, 1) reduction(min : first)
        for (int t = 0; t < across; t++) {
            char *mine = room + each * (size_t)t;
            la_work w = {call, 1, mine + own, need, mine};
            ptrdiff_t i, j;
            mm_chunk(b.count, across, t, 1, &i, &j);
            const ptrdiff_t failed = LA(some)(&w, i, j, job);
            first = failed < j ? MM_MIN(first, failed) : first;
        }
    }
    call->give(room);
    if (first == b.count)
        return MX_OK;
    call->error = failure;
    call->at = first;
    call->bound = b.count;
    return MX_ERROR;
}

#include "linalg_tri.h"
#include "linalg_cholesky.h"
#include "linalg_lu.h"
#include "linalg_qr.h"
#include "linalg_eigen.h"
