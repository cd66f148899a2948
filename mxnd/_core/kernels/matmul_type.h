/* The matrix product for one element type T; see matmul.h. */
#define VL (MM_BYTES / (int)sizeof(T))
#define MR MM_ROWS
#define NV MM_VECTORS
#define NR (NV * VL)
#define KC (1536 / (int)sizeof(T))      /* depth of a panel: KC * MR numbers of a stay in the first-level cache */
#define NC (MM_BLOCK / (KC * (int)sizeof(T)) / NR * NR)
#define MC (8 * MR)
#define V MM(vector)
#define U MM(unaligned)
typedef T V __attribute__((vector_size(MM_BYTES)));
typedef T U __attribute__((vector_size(MM_BYTES), aligned(sizeof(T)), may_alias));

/* c (mr rows, cols <= nv * VL columns) = alpha * a . b, added to c if add is set.  The sums are variables of
 * their own, not an array, which the compiler would spill to memory around the loop. */
#define ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define ZERO(i) V s##i##0 = {0}, s##i##1 = {0}, s##i##2 = {0};
#define STEP(i)                                                                                                      \
    if (i < mr) {                                                                                                    \
        T y = a[i * ai];                                                                                             \
        s##i##0 += y * x0;                                                                                           \
        if (nv > 1)                                                                                                  \
            s##i##1 += y * x1;                                                                                       \
        if (nv > 2)                                                                                                  \
            s##i##2 += y * x2;                                                                                       \
    }
#define PUT(to, plus, s) *(U *)(to) = plus ? (V)(*(U *)(to) + alpha * s) : alpha * s;
#define LAST(i) (nv == 1 ? s##i##0 : nv == 2 ? s##i##1 : s##i##2)
#if MM_MASKED
# define WRITE(i)                                                                                                    \
    if (i < mr) {                                                                                                    \
        PUT(c + i * ldc, add, s##i##0)                                                                               \
        if (nv > 1)                                                                                                  \
            PUT(c + i * ldc + VL, add, s##i##1)                                                                      \
        if (nv > 2)                                                                                                  \
            PUT(c + i * ldc + 2 * VL, add, s##i##2)                                                                  \
    }
# define WRITE_SOME(i)                                                                                               \
    if (i < mr) {                                                                                                    \
        T *end = c + i * ldc + (nv - 1) * VL;                                                                        \
        if (nv > 1)                                                                                                  \
            PUT(c + i * ldc, add, s##i##0)                                                                           \
        if (nv > 2)                                                                                                  \
            PUT(c + i * ldc + VL, add, s##i##1)                                                                      \
        MM(store)(first, end, add ? (V)MM(load)(first, end) + alpha * LAST(i) : alpha * LAST(i));                    \
    }
#else
# define WRITE(i)                                                                                                    \
    if (i < mr) {                                                                                                    \
        if (nv > 1)                                                                                                  \
            PUT(c + i * ldc, add, s##i##0)                                                                           \
        if (nv > 2)                                                                                                  \
            PUT(c + i * ldc + VL, add, s##i##1)                                                                      \
        PUT(end + i * lde, add_end, LAST(i))                                                                         \
    }
#endif

MM_INLINE void MM(tile)(const int mr, const int nv, ptrdiff_t k, const T *a, ptrdiff_t ai, ptrdiff_t ap, const T *b,
                        ptrdiff_t bp, T alpha, int add, T *c, ptrdiff_t ldc, ptrdiff_t cols)
{
    ROWS(ZERO)
    for (int i = 0; i < mr; i++)
        for (int j = 0; j < nv; j++)
            __builtin_prefetch(c + i * ldc + j * VL, 1, 3);
    const ptrdiff_t rest = cols - (nv - 1) * VL;        /* columns of the last vector */
#if MM_MASKED
    const MM(mask) first = MM(first)((int)MM_MIN(rest, VL));
#endif
    for (ptrdiff_t p = 0; p < k; p++, a += ap, b += bp) {
        V x0, x1, x2;
#if MM_MASKED
        x0 = nv == 1 ? (V)MM(load)(first, b) : (V)*(const U *)b;
        if (nv > 1)
            x1 = nv == 2 ? (V)MM(load)(first, b + VL) : (V)*(const U *)(b + VL);
        if (nv > 2)
            x2 = (V)MM(load)(first, b + 2 * VL);
#else
        x0 = *(const U *)b;
        if (nv > 1)
            x1 = *(const U *)(b + VL);
        if (nv > 2)
            x2 = *(const U *)(b + 2 * VL);
#endif
        ROWS(STEP)
    }
#if MM_MASKED
    if (rest >= VL) {
        ROWS(WRITE)
        return;
    }
    ROWS(WRITE_SOME)
#else
    /* The last vector may hold fewer columns than it has room for: then it goes through memory of our own. */
    T spare[MR * VL], *end = rest < VL ? spare : c + (nv - 1) * VL;
    const ptrdiff_t lde = rest < VL ? VL : ldc;
    const int add_end = add && rest >= VL;
    ROWS(WRITE)
    if (rest < VL)
        for (int i = 0; i < mr; i++)
            for (ptrdiff_t q = 0; q < rest; q++) {
                T *to = c + i * ldc + (nv - 1) * VL + q;
                *to = add ? *to + spare[i * VL + q] : spare[i * VL + q];
            }
#endif
}

typedef void (*MM(tile_f))(ptrdiff_t, const T *, ptrdiff_t, ptrdiff_t, const T *, ptrdiff_t, T, int, T *, ptrdiff_t,
                           ptrdiff_t);
#define TILE(r, v)                                                                                                   \
    static void MM(tile_##r##_##v)(ptrdiff_t k, const T *a, ptrdiff_t ai, ptrdiff_t ap, const T *b, ptrdiff_t bp,    \
                                   T alpha, int add, T *c, ptrdiff_t ldc, ptrdiff_t cols)                            \
    {                                                                                                                \
        MM(tile)(r, v, k, a, ai, ap, b, bp, alpha, add, c, ldc, cols);                                               \
    }
#if MM_VECTORS == 3
# define TILES(r) TILE(r, 1) TILE(r, 2) TILE(r, 3)
# define NAMES(r) {MM(tile_##r##_1), MM(tile_##r##_2), MM(tile_##r##_3)}
#else
# define TILES(r) TILE(r, 1) TILE(r, 2)
# define NAMES(r) {MM(tile_##r##_1), MM(tile_##r##_2)}
#endif
TILES(1) TILES(2) TILES(3) TILES(4)
#if MM_ROWS >= 6
TILES(5) TILES(6)
#endif
#if MM_ROWS >= 8
TILES(7) TILES(8)
#endif
static const MM(tile_f) MM(tiles)[MR][NV] = {
    NAMES(1), NAMES(2), NAMES(3), NAMES(4),
#if MM_ROWS >= 6
    NAMES(5), NAMES(6),
#endif
#if MM_ROWS >= 8
    NAMES(7), NAMES(8),
#endif
};

/* All rows of c over one panel of b (at most NR columns).  Rows are dealt evenly to the tiles. */
static void MM(panel)(ptrdiff_t m, ptrdiff_t k, const T *a, ptrdiff_t ai, ptrdiff_t ap, const T *b, ptrdiff_t bp, T alpha,
                      int add, T *c, ptrdiff_t ldc, ptrdiff_t cols)
{
    int nv = (int)((cols + VL - 1) / VL);
    for (ptrdiff_t left = (m + MR - 1) / MR; left > 0; left--) {
        ptrdiff_t r = (m + left - 1) / left;
        MM(tiles)[r - 1][nv - 1](k, a, ai, ap, b, bp, alpha, add, c, ldc, cols);
        a += r * ai;
        c += r * ldc;
        m -= r;
    }
}

/* r[VL] as rows -> columns, by halving blocks. */
MM_INLINE void MM(transpose)(V *r)
{
    typedef ITYPE M __attribute__((vector_size(MM_BYTES)));
    for (int h = VL / 2; h > 0; h /= 2) {
        M lo, hi;
        for (int i = 0; i < VL; i++) {
            lo[i] = i & h ? VL + i - h : i;
            hi[i] = i & h ? VL + i : i + h;
        }
        for (int i = 0; i < VL; i++)
            if (!(i & h)) {
                V x = r[i], y = r[i + h];
                r[i] = __builtin_shuffle(x, y, lo);
                r[i + h] = __builtin_shuffle(x, y, hi);
            }
    }
}

/* to[q * step + i] = from[i * ld + q] for i < rows, q < k; step is a multiple of VL, and columns behind `rows` become 0. */
static void MM(turn)(ptrdiff_t rows, ptrdiff_t k, const T *from, ptrdiff_t ld, T *to, ptrdiff_t step)
{
    for (ptrdiff_t i = 0; i < step; i += VL) {
        const int some = (int)MM_MAX(MM_MIN(rows - i, VL), 0);
        ptrdiff_t q = 0;
        for (; q + VL <= k; q += VL) {
            V r[VL];
            if (some == VL)
                for (int t = 0; t < VL; t++)
                    r[t] = *(const U *)(from + (i + t) * ld + q);
            else
                for (int t = 0; t < VL; t++)
                    r[t] = t < some ? (V)*(const U *)(from + (i + t) * ld + q) : (V){0};
            MM(transpose)(r);
            for (int t = 0; t < VL; t++)
                *(U *)(to + (q + t) * step + i) = r[t];
        }
        for (; q < k; q++)
            for (int t = 0; t < VL; t++)
                to[q * step + i + t] = t < some ? from[(i + t) * ld + q] : 0;
    }
}

/* k rows of `cols` (<= NR) numbers of b into a panel whose rows are `wide` long, zeros behind. */
static void MM(pack_b)(ptrdiff_t k, ptrdiff_t cols, const T *b, ptrdiff_t ldb, int turned, T *to, ptrdiff_t wide)
{
    if (turned) {
        MM(turn)(cols, k, b, ldb, to, wide);
        return;
    }
    const ptrdiff_t whole = cols / VL * VL;
    for (ptrdiff_t p = 0; p < k; p++) {
        const T *from = b + p * ldb;
        T *out = to + p * wide;
        for (ptrdiff_t q = 0; q < whole; q += VL)
            *(U *)(out + q) = *(const U *)(from + q);
        for (ptrdiff_t q = whole; q < wide; q++)
            out[q] = q < cols ? from[q] : 0;
    }
}

/* One vector whose lane i is the sum of the lanes of r[i]; r is used up. */
MM_INLINE V MM(sums)(V *r)
{
    typedef ITYPE M __attribute__((vector_size(MM_BYTES)));
    for (int h = VL / 2; h > 0; h /= 2) {
        M lo, hi;
        for (int i = 0; i < VL; i++) {
            lo[i] = i & h ? VL + i - h : i;
            hi[i] = i & h ? VL + i : i + h;
        }
        for (int i = 0; i < h; i++)
            r[i] = __builtin_shuffle(r[i], r[i + h], lo) + __builtin_shuffle(r[i], r[i + h], hi);
    }
    return r[0];
}

/* Both operands contiguous along k (b transposed): r x w accumulators that run along k. */
MM_INLINE void MM(along)(const int r, const int w, ptrdiff_t k, const T *a, ptrdiff_t lda, const T *b, ptrdiff_t ldb, T alpha,
                         int add, T *c, ptrdiff_t ldc)
{
    V s[16];                                    /* rows i and j at i * w + j; as long as the longest vector */
    T total[16];
    for (int i = 0; i < 16; i++)
        s[i] = (V){0};
    ptrdiff_t p = 0;
    for (; p + VL <= k; p += VL) {
        V x[8];
        for (int j = 0; j < w; j++)
            x[j] = *(const U *)(b + j * ldb + p);
        for (int i = 0; i < r; i++) {
            V y = *(const U *)(a + i * lda + p);
            for (int j = 0; j < w; j++)
                s[i * w + j] += y * x[j];
        }
    }
    for (int i = 0; i < r * w; i += VL)
        *(U *)(total + i) = MM(sums)(s + i);
    for (int i = 0; i < r; i++)
        for (int j = 0; j < w; j++) {
            T sum = total[i * w + j];
            for (ptrdiff_t q = p; q < k; q++)
                sum += a[i * lda + q] * b[j * ldb + q];
            c[i * ldc + j] = add ? c[i * ldc + j] + alpha * sum : alpha * sum;
        }
}

#define ALONG(r, w)                                                                                                  \
    static void MM(along_##r##_##w)(ptrdiff_t k, const T *a, ptrdiff_t lda, const T *b, ptrdiff_t ldb, T alpha,      \
                                    int add, T *c, ptrdiff_t ldc)                                                    \
    {                                                                                                                \
        MM(along)(r, w, k, a, lda, b, ldb, alpha, add, c, ldc);                                                      \
    }
ALONG(1, 1) ALONG(4, 1) ALONG(8, 1) ALONG(1, 4) ALONG(1, 8) ALONG(2, 4) ALONG(3, 4) ALONG(4, 4)

static void MM(inner)(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, T alpha, const T *a, ptrdiff_t lda, const T *b, ptrdiff_t ldb,
                      int add, T *c, ptrdiff_t ldc)
{
    /* Depth is cut so that the rows in use stay in the first-level cache. */
    const ptrdiff_t deep = m <= 4 || n <= 4 ? k : 4096 / (ptrdiff_t)sizeof(T);
    for (ptrdiff_t p = 0; p < k || p == 0; p += deep, add = 1) {
        const ptrdiff_t kk = MM_MIN(deep, k - p);
        for (ptrdiff_t j = 0, w; j < n; j += w) {
            const T *y = b + j * ldb + p;
            w = m == 1 && n - j >= 8 ? 8 : n - j >= 4 ? 4 : 1;
            for (ptrdiff_t i = 0, r; i < m; i += r) {
                const T *x = a + i * lda + p;
                T *to = c + i * ldc + j;
                r = w == 1 && m - i >= 8 ? 8 : MM_MIN(m - i, 4);
                if (w == 8)
                    MM(along_1_8)(kk, x, lda, y, ldb, alpha, add, to, ldc);
                else if (w == 4)
                    (r == 4 ? MM(along_4_4) : r == 3 ? MM(along_3_4) : r == 2 ? MM(along_2_4) : MM(along_1_4))(
                        kk, x, lda, y, ldb, alpha, add, to, ldc);
                else {
                    r = r < 4 ? 1 : r;
                    (r == 8 ? MM(along_8_1) : r == 4 ? MM(along_4_1) : MM(along_1_1))(kk, x, lda, y, ldb, alpha, add, to, ldc);
                }
            }
        }
    }
}

/* One row of c: sums of scaled rows of b, eight rows of b at a time, so that memory is read in order. */
static void MM(row)(ptrdiff_t n, ptrdiff_t k, T alpha, const T *a, ptrdiff_t ap, const T *b, ptrdiff_t ldb, int add, T *c)
{
    if (!add)
        memset(c, 0, (size_t)n * sizeof(T));
    ptrdiff_t p = 0;
    for (; p + 8 <= k; p += 8, b += 8 * ldb) {
        T x[8];
        for (int i = 0; i < 8; i++)
            x[i] = alpha * a[(p + i) * ap];
        const T *b0 = b, *b1 = b + ldb, *b2 = b1 + ldb, *b3 = b2 + ldb, *b4 = b3 + ldb, *b5 = b4 + ldb, *b6 = b5 + ldb,
                *b7 = b6 + ldb;
#pragma omp simd
        for (ptrdiff_t j = 0; j < n; j++)
            c[j] += ((x[0] * b0[j] + x[1] * b1[j]) + (x[2] * b2[j] + x[3] * b3[j])) +
                    ((x[4] * b4[j] + x[5] * b5[j]) + (x[6] * b6[j] + x[7] * b7[j]));
    }
    for (; p < k; p++, b += ldb) {
        T x = alpha * a[p * ap];
#pragma omp simd
        for (ptrdiff_t j = 0; j < n; j++)
            c[j] += x * b[j];
    }
}

/* Scratch numbers that serial() may need. */
static inline size_t MM(scratch)(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k)
{
    size_t kk = (size_t)MM_MIN(k, KC), nn = (size_t)MM_MIN((n + VL - 1) / VL * VL, NC);
    return (kk * nn + kk * (size_t)MM_MIN((m + MR - 1) / MR * MR, MC) + 64) * sizeof(T);
}

/* One thread.  ta, tb: the operand is stored transposed.  add: to what c holds. */
static void MM(serial)(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, T alpha, const T *a, ptrdiff_t lda, int ta, const T *b,
                       ptrdiff_t ldb, int tb, int add, T *c, ptrdiff_t ldc, void *scratch)
{
    if (k <= 0) {
        for (ptrdiff_t i = 0; i < m && !add; i++)
            memset(c + i * ldc, 0, (size_t)n * sizeof(T));
        return;
    }
    if (n == 1 && !tb && ldb == 1)
        tb = 1, ldb = k;
    if (m == 1 && ta && lda == 1)
        ta = 0, lda = k;
    if (n == 1 && ldc == 1 && ta && tb) {
        MM(row)(m, k, alpha, b, 1, a, lda, add, c);
        return;
    }
    if (m == 1 && !tb && n >= VL) {
        MM(row)(n, k, alpha, a, ta ? lda : 1, b, ldb, add, c);
        return;
    }
    if (tb && !ta && k >= VL && (m <= 4 || n <= 4 || ((m <= 24 || n <= 12) && k >= 4 * VL))) {
        MM(inner)(m, n, k, alpha, a, lda, b, ldb, add, c, ldc);
        return;
    }
    const int packs_b = tb || (m >= 6 * MR && (n >= 8 * NR || k * n * (ptrdiff_t)sizeof(T) > MM_BLOCK / 4));
    const int packs_a = ta && n > NR;     /* rows of a are read where they lie */
    const ptrdiff_t ai = ta ? 1 : lda, ap = ta ? lda : 1;
    T *pb = scratch, *pa = pb + MM_MIN(k, KC) * MM_MIN((n + VL - 1) / VL * VL, NC);
    for (ptrdiff_t j0 = 0; j0 < n; j0 += NC) {
        ptrdiff_t jn = MM_MIN(NC, n - j0);
        for (ptrdiff_t p0 = 0; p0 < k; p0 += KC) {
            ptrdiff_t kk = MM_MIN(KC, k - p0);
            int more = add || p0 > 0;
            for (ptrdiff_t j = 0; j < jn; j += NR) {        /* panel j begins at pb + j * kk */
                const ptrdiff_t cols = MM_MIN(NR, jn - j), whole = cols / VL * VL, wide = (cols + VL - 1) / VL * VL;
                const T *from = tb ? b + (j0 + j) * ldb + p0 : b + p0 * ldb + j0 + j;
                if (packs_b)
                    MM(pack_b)(kk, cols, from, ldb, tb, pb + j * kk, wide);
                else if (whole < cols && !MM_MASKED)        /* only the last columns, which fill no vector */
                    MM(pack_b)(kk, cols - whole, from + whole, ldb, 0, pb, VL);
            }
            for (ptrdiff_t i0 = 0; i0 < m; i0 += MC) {
                ptrdiff_t in = MM_MIN(MC, m - i0), step = ai, next = ap;
                const T *pi = a + i0 * ai + p0 * ap;
                if (packs_a) {
                    for (ptrdiff_t i = 0; i < in; i += MR) {
                        T *to = pa + i * kk;
                        if (in - i >= MR)
                            for (ptrdiff_t p = 0; p < kk; p++)
                                memcpy(to + p * MR, pi + p * ap + i, MR * sizeof(T));
                        else
                            for (ptrdiff_t p = 0; p < kk; p++)
                                for (ptrdiff_t q = 0; q < in - i; q++)
                                    to[p * MR + q] = pi[p * ap + i + q];
                    }
                    step = 1, next = MR;
                }
                for (ptrdiff_t i = 0; i < in; i += MR) {
                    ptrdiff_t rows = MM_MIN(MR, in - i);
                    const T *ar = packs_a ? pa + i * kk : pi + i * ai;
                    T *ci = c + (i0 + i) * ldc + j0;
                    for (ptrdiff_t j = 0; j < jn; j += NR) {
                        ptrdiff_t cols = MM_MIN(NR, jn - j);
                        if (packs_b)
                            MM(panel)(rows, kk, ar, step, next, pb + j * kk, (cols + VL - 1) / VL * VL, alpha, more, ci + j, ldc,
                                      cols);
                        else {
                            const ptrdiff_t whole = MM_MASKED ? cols : cols / VL * VL;
                            if (whole)
                                MM(panel)(rows, kk, ar, step, next, b + p0 * ldb + j0 + j, ldb, alpha, more, ci + j, ldc, whole);
                            if (whole < cols)
                                MM(panel)(rows, kk, ar, step, next, pb, VL, alpha, more, ci + j + whole, ldc, cols - whole);
                        }
                    }
                }
            }
        }
    }
}

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

#undef V
#undef U
#undef VL
#undef MR
#undef NV
#undef NR
#undef KC
#undef NC
#undef MC
#undef ROWS
#undef ZERO
#undef STEP
#undef WRITE
#undef WRITE_SOME
#undef LAST
#undef PUT
#undef TILE
#undef TILES
#undef NAMES
#undef ALONG
