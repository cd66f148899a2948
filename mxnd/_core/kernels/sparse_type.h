/* Sparse kernels for one element type T.  v, ix, p: values, columns and row starts of a csr matrix.  Every column is
   compared with its bound before use; a bad one sets *bad and is left out. */
typedef T NAME(vec) __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
#define LANES ((ptrdiff_t)(64 / sizeof(T)))
#define AT(x) (*(const NAME(vec) *)(x))
#define PUT(x) (*(NAME(vec) *)(x))

/* One row of csr . dense: the row's sum stays in registers, 4 vectors at a time.  ahead: entries up to the end of the matrix, for
   the prefetch, which runs on into the next row. */
static int NAME(dot_row)(const T *v, const int64_t *ix, ptrdiff_t count, ptrdiff_t ahead, const T *b, ptrdiff_t n, ptrdiff_t w,
                T *o) {
    int bad = 0;
    ptrdiff_t at = 0;
    if (w == 1) {
        T s0 = 0, s1 = 0, s2 = 0, s3 = 0;                  /* additions do not wait for each other */
        ptrdiff_t j = 0;
        for (; j + 4 <= count; j += 4) {
            uint64_t c0 = ix[j], c1 = ix[j + 1], c2 = ix[j + 2], c3 = ix[j + 3], most = n;
            if (c0 >= most || c1 >= most || c2 >= most || c3 >= most) return 1;
            s0 += v[j] * b[c0], s1 += v[j + 1] * b[c1], s2 += v[j + 2] * b[c2], s3 += v[j + 3] * b[c3];
        }
        for (; j < count; j++) {
            if ((uint64_t)ix[j] >= (uint64_t)n) return 1;
            s0 += v[j] * b[ix[j]];
        }
        o[0] = (s0 + s1) + (s2 + s3);
        return 0;
    }
    for (; at + 4 * LANES <= w; at += 4 * LANES) {
        NAME(vec) a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0};
        for (ptrdiff_t j = 0; j < count; j++) {
            if ((uint64_t)ix[j] >= (uint64_t)n) return 1;
            if (j + AHEAD < ahead) {           /* any address may be asked for: a bad one does nothing */
                const char *next = (const char *)b + (uint64_t)(ix[j + AHEAD] * w + at) * sizeof(T);
                __builtin_prefetch(next), __builtin_prefetch(next + 64), __builtin_prefetch(next + 128),
                                   __builtin_prefetch(next + 192);
            }
            const T *r = b + ix[j] * w + at;
            T x = v[j];
            a0 += x * AT(r), a1 += x * AT(r + LANES), a2 += x * AT(r + 2 * LANES), a3 += x * AT(r + 3 * LANES);
        }
        PUT(o + at) = a0, PUT(o + at + LANES) = a1, PUT(o + at + 2 * LANES) = a2, PUT(o + at + 3 * LANES) = a3;
    }
    for (; at + LANES <= w; at += LANES) {
        NAME(vec) a = {0};
        for (ptrdiff_t j = 0; j < count; j++) {
            if ((uint64_t)ix[j] >= (uint64_t)n) return 1;
            a += v[j] * AT(b + ix[j] * w + at);
        }
        PUT(o + at) = a;
    }
    if (at < w) {
        for (ptrdiff_t k = at; k < w; k++) o[k] = 0;
        for (ptrdiff_t j = 0; j < count; j++) {
            if ((uint64_t)ix[j] >= (uint64_t)n) return 1;
            const T *r = b + ix[j] * w;
            T x = v[j];
            for (ptrdiff_t k = at; k < w; k++) o[k] += x * r[k];
        }
    }
    return bad;
}

static int NAME(csr_dot)(const T *v, const int64_t *ix, const int64_t *p, ptrdiff_t m, ptrdiff_t n, ptrdiff_t w, const T *b,
                T *o, int threads) {
    int bad = 0;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(dynamic, 64) reduction(|:bad)
    for (ptrdiff_t r = 0; r < m; r++)
        bad |= NAME(dot_row)(v + p[r], ix + p[r], p[r + 1] - p[r], p[m] - p[r], b, n, w, o + r * w);
    return bad;
}

/* o[k] += x * g[k] */
static inline void NAME(add_row)(T *o, T x, const T *g, ptrdiff_t w) {
    ptrdiff_t k = 0;
    for (; k + LANES <= w; k += LANES) PUT(o + k) = AT(o + k) + x * AT(g + k);
    for (; k < w; k++) o[k] += x * g[k];
}

/* csr transposed . dense, into the rows that the map names (no map: all rows).  Each thread owns a range of columns and walks
   all entries, so every sum is made by one thread in the order of the rows. */
static int NAME(csr_dot_t)(const T *v, const int64_t *ix, const int64_t *p, ptrdiff_t m, ptrdiff_t n, ptrdiff_t w, const T *g,
                           const uint64_t *bits, const int64_t *ranks, ptrdiff_t rows, T *o, int threads) {
    int bad = 0;
    if (threads > n) threads = n > 0 ? (int)n : 1;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static) reduction(|:bad)
    for (int t = 0; t < threads; t++) {
        ptrdiff_t lo = n * t / threads, hi = n * (t + 1) / threads;
        ptrdiff_t first = bits ? rank_of(bits, ranks, lo) : lo, last = t + 1 == threads ? rows : bits ? rank_of(bits, ranks, hi) : hi;
        memset(o + first * w, 0, (last - first) * w * sizeof(T));
        for (ptrdiff_t r = 0; r < m; r++) {
            const T *gr = g + r * w;
            for (ptrdiff_t j = p[r]; j < p[r + 1]; j++) {
                ptrdiff_t c = ix[j];
                if (bits && (uint64_t)c < (uint64_t)n && !(bits[c >> 6] >> (c & 63) & 1)) { bad = 1; continue; }
                if (c < lo || c >= hi) { bad |= (uint64_t)c >= (uint64_t)n; continue; }
                if (j + 6 < p[m] && !bits && (uint64_t)ix[j + 6] < (uint64_t)n) {
                    const char *next = (const char *)(o + ix[j + 6] * w);
                    for (ptrdiff_t k = 0; k < 256 && k < (ptrdiff_t)(w * sizeof(T)); k += 64) __builtin_prefetch(next + k, 1);
                }
                ptrdiff_t at = bits ? rank_of(bits, ranks, c) : c;
                if (w == 1) o[at] += v[j] * gr[0];
                else NAME(add_row)(o + at * w, v[j], gr, w);
            }
        }
    }
    return bad;
}

/* The same with ascending columns and all rows wanted: one panel of columns after the other, small enough that its part of the
   result stays in the cache; `next` says for each row where its next panel starts. */
static int NAME(csr_dot_t_panels)(const T *v, const int64_t *ix, const int64_t *p, ptrdiff_t m, ptrdiff_t n, ptrdiff_t w,
                const T *g, T *o,
                                  ptrdiff_t panel, int64_t *cursors, int threads) {
    int bad = 0;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static) reduction(|:bad)
    for (int t = 0; t < threads; t++) {
        ptrdiff_t lo = n * t / threads, hi = n * (t + 1) / threads;
        int64_t *next = cursors + m * t;
        for (ptrdiff_t r = 0; r < m; r++) {
            ptrdiff_t a = p[r], b = p[r + 1];
            bad |= a < b && (ix[a] < 0 || ix[b - 1] >= n);
            if (lo) while (a < b) {
                ptrdiff_t mid = (a + b) / 2;
                if (ix[mid] < lo) a = mid + 1;
                else b = mid;
            }
            next[r] = a;
        }
        for (ptrdiff_t from = lo; from < hi && !bad; from += panel) {
            ptrdiff_t to = from + panel < hi ? from + panel : hi;
            memset(o + from * w, 0, (to - from) * w * sizeof(T));
            for (ptrdiff_t r = 0; r < m; r++) {
                ptrdiff_t j = next[r], end = p[r + 1];
                ptrdiff_t stop = j, at = 0;
                while (stop < end && ix[stop] >= from && ix[stop] < to) stop++;
                next[r] = stop;
                const T *gr = g + r * w;
                for (; at + 4 * LANES <= w; at += 4 * LANES) {
                    NAME(vec) g0 = AT(gr + at), g1 = AT(gr + at + LANES), g2 = AT(gr + at + 2 * LANES), g3 = AT(gr + at + 3 * LANES);
                    for (ptrdiff_t k = j; k < stop; k++) {
                        T *to_row = o + ix[k] * w + at, x = v[k];
                        PUT(to_row) = AT(to_row) + x * g0;
                        PUT(to_row + LANES) = AT(to_row + LANES) + x * g1;
                        PUT(to_row + 2 * LANES) = AT(to_row + 2 * LANES) + x * g2;
                        PUT(to_row + 3 * LANES) = AT(to_row + 3 * LANES) + x * g3;
                    }
                }
                if (at < w) for (ptrdiff_t k = j; k < stop; k++) NAME(add_row)(o + ix[k] * w + at, v[k], gr + at, w - at);
            }
        }
    }
    return bad;
}

/* dense . csr: out row i is the sum of the csr's rows by a[i]. */
static int NAME(dense_csr)(const T *a, ptrdiff_t m, ptrdiff_t k, const T *v, const int64_t *ix, const int64_t *p, ptrdiff_t n,
                T *o, int threads) {
    int bad = 0;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static) reduction(|:bad)
    for (ptrdiff_t i = 0; i < m; i++) {
        T *row = o + i * n;
        memset(row, 0, n * sizeof(T));
        for (ptrdiff_t r = 0; r < k; r++) {
            T x = a[i * k + r];
            if (x == 0) continue;
            for (ptrdiff_t j = p[r]; j < p[r + 1]; j++) {
                if ((uint64_t)ix[j] >= (uint64_t)n) { bad = 1; continue; }
                row[ix[j]] += x * v[j];
            }
        }
    }
    return bad;
}

/* dense . csr transposed: out[i, r] is the product of row i and the csr's row r. */
static int NAME(dense_csr_t)(const T *a, ptrdiff_t m, ptrdiff_t n, const T *v, const int64_t *ix, const int64_t *p,
                ptrdiff_t rows, T *o, int threads) {
    int bad = 0;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static) reduction(|:bad)
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t r = 0; r < rows; r++) {
            T s = 0;
            for (ptrdiff_t j = p[r]; j < p[r + 1]; j++) {
                if ((uint64_t)ix[j] >= (uint64_t)n) { bad = 1; continue; }
                s += a[i * n + ix[j]] * v[j];
            }
            o[i * rows + r] = s;
        }
    return bad;
}

/* One step of merging v, ix from i and u, iy from j into o, oi at k.  No branch on which side comes next: that is a coin toss. */
#define MERGE_STEP(i, j, k) { \
    int64_t x = ix[i], y = iy[j]; \
    BITS left = -(BITS)(x <= y), right = -(BITS)(y <= x), a, b; \
    T f = alpha * v[i], g = beta * u[j]; \
    memcpy(&a, &f, sizeof a), memcpy(&b, &g, sizeof b); \
    a &= left, b &= right; \
    memcpy(&f, &a, sizeof a), memcpy(&g, &b, sizeof b); \
    o[k] = f + g; \
    oi[k++] = x < y ? x : y; \
    i += x <= y, j += y <= x; }
#define MERGE_REST(i, ni, j, nj, k) { \
    for (; i < ni; i++, k++) o[k] = alpha * v[i], oi[k] = ix[i]; \
    for (; j < nj; j++, k++) o[k] = beta * u[j], oi[k] = iy[j]; }

/* alpha a + beta b over the union of rows lo to hi of two csr matrices: the rows are packed one after the other from s[lo].
   A step waits for the one before, so long rows are merged in two halves side by side; the second one moves down when the
   first turns out shorter than it could be.  For a moment that needs the room of the row's entries in both matrices, which
   only the last row may not have (when the next one belongs to another thread). */
static void NAME(csr_union)(const T *v, const int64_t *ix, const int64_t *p, const T *u, const int64_t *iy, const int64_t *q,
                            ptrdiff_t lo, ptrdiff_t hi, int alone, T alpha, T beta, int64_t *s, T *o, int64_t *oi) {
    ptrdiff_t k = s[lo];
    for (ptrdiff_t r = lo; r < hi; r++) {
        ptrdiff_t i = p[r], j = q[r], ni = p[r + 1], nj = q[r + 1];
        if (ni - i + nj - j >= 24 && i < ni && (alone || s[r] + ni - i + nj - j <= s[hi])) {
            ptrdiff_t i_mid = i + (ni - i) / 2, j_mid = j, top = nj;
            while (j_mid < top) {
                ptrdiff_t mid = (j_mid + top) / 2;
                if (iy[mid] < ix[i_mid]) j_mid = mid + 1;
                else top = mid;
            }
            ptrdiff_t i2 = i_mid, j2 = j_mid, start = k + i_mid - i + j_mid - j, k2 = start;
            while (i < i_mid && j < j_mid && i2 < ni && j2 < nj) {
                MERGE_STEP(i, j, k)
                MERGE_STEP(i2, j2, k2)
            }
            while (i < i_mid && j < j_mid) MERGE_STEP(i, j, k)
            while (i2 < ni && j2 < nj) MERGE_STEP(i2, j2, k2)
            MERGE_REST(i, i_mid, j, j_mid, k)
            MERGE_REST(i2, ni, j2, nj, k2)
            if (start > k) {
                memmove(o + k, o + start, (k2 - start) * sizeof(T));
                memmove(oi + k, oi + start, (k2 - start) * sizeof(int64_t));
            }
            k += k2 - start;
        } else {
            while (i < ni && j < nj) MERGE_STEP(i, j, k)
            MERGE_REST(i, ni, j, nj, k)
        }
        s[r + 1] = k;
    }
}
#undef MERGE_STEP
#undef MERGE_REST

static void NAME(csr_common)(const T *v, const int64_t *ix, const int64_t *p, const T *u, const int64_t *iy, const int64_t *q,
                 ptrdiff_t lo,
                             ptrdiff_t hi, int64_t *s, T *o, int64_t *oi) {
    ptrdiff_t k = s[lo];
    for (ptrdiff_t r = lo; r < hi; r++) {
        ptrdiff_t i = p[r], j = q[r], ni = p[r + 1], nj = q[r + 1];
        while (i < ni && j < nj) {
            int64_t x = ix[i], y = iy[j];
            if (x == y) o[k] = v[i] * u[j], oi[k++] = x;
            i += x <= y, j += y <= x;
        }
        s[r + 1] = k;
    }
}

/* Each stored value times (or over) the dense element at its place; steps of 0 repeat the dense array. */
static int NAME(csr_scale)(const T *v, const int64_t *ix, const int64_t *p, ptrdiff_t m, ptrdiff_t n, const T *d,
                ptrdiff_t by_row, ptrdiff_t by_column,
                           int divide, T *o, int threads) {
    int bad = 0;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static) reduction(|:bad)
    for (ptrdiff_t r = 0; r < m; r++)
        for (ptrdiff_t j = p[r]; j < p[r + 1]; j++) {
            if ((uint64_t)ix[j] >= (uint64_t)n) { bad = 1; continue; }
            T x = d[r * by_row + ix[j] * by_column];
            o[j] = divide ? v[j] / x : v[j] * x;
        }
    return bad;
}

/* o = alpha dense, then beta times each stored value added at its place. */
static int NAME(csr_onto)(const T *v, const int64_t *ix, const int64_t *p, ptrdiff_t m, ptrdiff_t n, const T *d, T alpha, T beta,
                T *o, int threads) {
    int bad = 0;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static) reduction(|:bad)
    for (ptrdiff_t r = 0; r < m; r++) {
        for (ptrdiff_t k = r * n; k < (r + 1) * n; k++) o[k] = alpha * d[k];
        for (ptrdiff_t j = p[r]; j < p[r + 1]; j++) {
            if ((uint64_t)ix[j] >= (uint64_t)n) { bad = 1; continue; }
            o[r * n + ix[j]] += beta * v[j];
        }
    }
    return bad;
}

/* Sums of values (kind 0), magnitudes (1) or squares (2), over columns (one sum a row) or over rows; root: their square roots. */
static int NAME(csr_sums)(const T *v, const int64_t *ix, const int64_t *p, ptrdiff_t m, ptrdiff_t n, int over_columns, int kind,
                int root,
                          double factor, double *sums, T *o, int threads) {
    int bad = 0;
    if (over_columns) {
        #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
        for (ptrdiff_t r = 0; r < m; r++) {
            double s = 0;
            for (ptrdiff_t j = p[r]; j < p[r + 1]; j++) s += kind == 2 ? (double)v[j] * v[j] : kind == 1 && v[j] < 0 ? -v[j] : v[j];
            o[r] = (T)((root ? sqrt(s) : s) * factor);
        }
        return 0;
    }
    memset(sums, 0, n * sizeof(double));
    for (ptrdiff_t j = p[0]; j < p[m]; j++) {
        if ((uint64_t)ix[j] >= (uint64_t)n) { bad = 1; continue; }
        sums[ix[j]] += kind == 2 ? (double)v[j] * v[j] : kind == 1 && v[j] < 0 ? -v[j] : v[j];
    }
    for (ptrdiff_t c = 0; c < n; c++) o[c] = (T)((root ? sqrt(sums[c]) : sums[c]) * factor);
    return bad;
}

#include "sparse_rows_type.h"
#undef LANES
#undef AT
#undef PUT
