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

#include "matmul_tile.h"

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

/* Elements of a (0 to VL - 1) and b (from VL) by their places. */
typedef ITYPE MM(places) __attribute__((vector_size(MM_BYTES)));
MM_INLINE V MM(pick)(V a, V b, MM(places) at)
{
#ifdef __clang__
    V r;
    for (int i = 0; i < VL; i++)
        r[i] = at[i] < VL ? a[at[i]] : b[at[i] - VL];
    return r;
#else
    return __builtin_shuffle(a, b, at);
#endif
}

/* Places of halves, for a and b in blocks of h lanes: the first block of a, the first of b, the third of a, ...; and the rest. */
#define HALVES(lo, hi, h)                                                                                            \
    MM(places) lo, hi;                                                                                               \
    _Pragma("GCC unroll 16") for (int i_ = 0; i_ < VL; i_++) {                                                       \
        lo[i_] = i_ & (h) ? VL + i_ - (h) : i_;                                                                      \
        hi[i_] = i_ & (h) ? VL + i_ : i_ + (h);                                                                      \
    }

/* r[VL] as rows -> columns, by halving blocks.  Everything is unrolled: places are constants then, and r are registers. */
MM_INLINE void MM(transpose_by)(V *r, const int h)
{
    if (h >= VL)
        return;
    HALVES(lo, hi, h)
#pragma GCC unroll 16
    for (int i = 0; i < VL; i++)
        if (!(i & h)) {
            V x = r[i], y = r[i + h];
            r[i] = MM(pick)(x, y, lo);
            r[i + h] = MM(pick)(x, y, hi);
        }
}

MM_INLINE void MM(transpose)(V *r)
{
    MM(transpose_by)(r, 8);
    MM(transpose_by)(r, 4);
    MM(transpose_by)(r, 2);
    MM(transpose_by)(r, 1);
}

/* to[q * step + i] = from[i * ld + q] for i < rows, q < k; step is a multiple of VL, and columns behind `rows` become 0. */
static void MM(turn)(ptrdiff_t rows, ptrdiff_t k, const T *from, ptrdiff_t ld, T *to, ptrdiff_t step)
{
    for (ptrdiff_t i = 0; i < step; i += VL) {
        const int some = (int)MM_MAX(MM_MIN(rows - i, VL), 0);
        ptrdiff_t q = 0;
        for (; q + VL <= k; q += VL) {
            V r[VL];
            if (some == VL) {
#pragma GCC unroll 16
                for (int t = 0; t < VL; t++)
                    r[t] = *(const U *)(from + (i + t) * ld + q);
            } else
#pragma GCC unroll 16
                for (int t = 0; t < VL; t++)
                    r[t] = t < some ? (V)*(const U *)(from + (i + t) * ld + q) : (V){0};
            MM(transpose)(r);
#pragma GCC unroll 16
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
MM_INLINE void MM(sums_by)(V *r, const int h)
{
    if (h >= VL)
        return;
    HALVES(lo, hi, h)
#pragma GCC unroll 16
    for (int i = 0; i < h; i++)
        r[i] = MM(pick)(r[i], r[i + h], lo) + MM(pick)(r[i], r[i + h], hi);
}

MM_INLINE V MM(sums)(V *r)
{
    MM(sums_by)(r, 8);
    MM(sums_by)(r, 4);
    MM(sums_by)(r, 2);
    MM(sums_by)(r, 1);
    return r[0];
}

/* Both operands contiguous along k (b transposed): r x w accumulators that run along k. */
MM_INLINE void MM(along)(const int r, const int w, ptrdiff_t k, const T *a, ptrdiff_t lda, const T *b, ptrdiff_t ldb, T alpha,
                         int add, T *c, ptrdiff_t ldc)
{
    V s[16];                                    /* rows i and j at i * w + j; as long as the longest vector */
    T total[16];
    ptrdiff_t p = 0;
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        s[i] = (V){0};
    for (; p + VL <= k; p += VL) {
        V x[8];
#pragma GCC unroll 8
        for (int j = 0; j < w; j++)
            x[j] = *(const U *)(b + j * ldb + p);
#pragma GCC unroll 8
        for (int i = 0; i < r; i++) {
            V y = *(const U *)(a + i * lda + p);
#pragma GCC unroll 8
            for (int j = 0; j < w; j++)
                s[i * w + j] += y * x[j];
        }
    }
#if MM_MASKED
    if (p < k) {
        const MM(mask) some = MM(first)((int)(k - p));
        V x[8];
#pragma GCC unroll 8
        for (int j = 0; j < w; j++)
            x[j] = (V)MM(load)(some, b + j * ldb + p);
#pragma GCC unroll 8
        for (int i = 0; i < r; i++) {
            V y = (V)MM(load)(some, a + i * lda + p);
#pragma GCC unroll 8
            for (int j = 0; j < w; j++)
                s[i * w + j] += y * x[j];
        }
        p = k;
    }
#endif
#pragma GCC unroll 2
    for (int i = 0; i < r * w; i += VL)
        *(U *)(total + i) = MM(sums)(s + i);
    for (int i = 0; i < r; i++)
        for (int j = 0; j < w; j++) {
            T sum = total[i * w + j];
            for (ptrdiff_t q = p; q < k && !MM_MASKED; q++)
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
ALONG(1, 1) ALONG(4, 1) ALONG(8, 1) ALONG(1, 2) ALONG(8, 2) ALONG(1, 4) ALONG(1, 8) ALONG(2, 4) ALONG(3, 4) ALONG(4, 4)

static void MM(inner)(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, T alpha, const T *a, ptrdiff_t lda, const T *b, ptrdiff_t ldb,
                      int add, T *c, ptrdiff_t ldc)
{
    /* Depth is cut so that the rows in use stay in the first-level cache. */
    const ptrdiff_t deep = m <= 4 || n <= 4 ? k : 4096 / (ptrdiff_t)sizeof(T);
    for (ptrdiff_t p = 0; p < k || p == 0; p += deep, add = 1) {
        const ptrdiff_t kk = MM_MIN(deep, k - p);
        for (ptrdiff_t j = 0, w; j < n; j += w) {
            const T *y = b + j * ldb + p;
            w = m == 1 && n - j >= 8 ? 8 : n - j >= 4 ? 4 : n - j >= 2 && m >= 8 ? 2 : 1;
            for (ptrdiff_t i = 0, r; i < m; i += r) {
                const T *x = a + i * lda + p;
                T *to = c + i * ldc + j;
                r = w <= 2 && m - i >= 8 ? 8 : MM_MIN(m - i, 4);
                if (w == 8)
                    MM(along_1_8)(kk, x, lda, y, ldb, alpha, add, to, ldc);
                else if (w == 4)
                    (r == 4 ? MM(along_4_4) : r == 3 ? MM(along_3_4) : r == 2 ? MM(along_2_4) : MM(along_1_4))(
                        kk, x, lda, y, ldb, alpha, add, to, ldc);
                else if (w == 2) {
                    r = r < 8 ? 1 : r;
                    (r == 8 ? MM(along_8_2) : MM(along_1_2))(kk, x, lda, y, ldb, alpha, add, to, ldc);
                } else {
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
    if (tb && !ta && (k >= VL ? m <= 4 || n <= 4 || ((m <= 24 || n <= 12) && k >= 4 * VL) : MM_MASKED && m <= 16 && n <= 16)) {
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

#include "matmul_threads.h"

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
#undef HALVES
