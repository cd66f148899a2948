/* Kernels on csr matrices (values, columns, row starts) and row_sparse arrays (rows, their numbers).
   Row numbers and columns come from users: every kernel checks them before it follows them. */
#ifndef MXND_SPARSE_H
#define MXND_SPARSE_H
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include "call.h"
#include "optimizer.h"

/* A set of numbers below n as bits, with the count of members before each word: member c is number rank_of(c). */
static inline ptrdiff_t rank_of(const uint64_t *bits, const int64_t *ranks, ptrdiff_t c) {
    return ranks[c >> 6] + __builtin_popcountll(bits[c >> 6] & (((uint64_t)1 << (c & 63)) - 1));
}

#define AHEAD 10          /* entries between a prefetch and its use */

#define T float
#define NAME(x) x##_f32
#define STEP_OF f32
#define BITS uint32_t
#include "sparse_type.h"
#undef T
#undef NAME
#undef STEP_OF
#undef BITS
#define T double
#define NAME(x) x##_f64
#define STEP_OF f64
#define BITS uint64_t
#include "sparse_type.h"
#undef T
#undef NAME
#undef STEP_OF
#undef BITS

#define DATA(k) (c->in[k].data)
#define WHOLE(k) ((const int64_t *)c->in[k].data)
#define FLOATS(k) ((const float *)c->in[k].data)
#define DOUBLES(k) ((const double *)c->in[k].data)
#define WIDE (c->in[0].type == MX_F64)
#define BY_TYPE(out, name, ...) ((out)->type == MX_F64 ? name##_f64 __VA_ARGS__ : name##_f32 __VA_ARGS__)
#define FAIL(text) return c->error = (text), MX_ERROR

static const char *const BAD_COLUMN = "a column of the csr matrix is out of range; check_format() tells more";
static const char *const BAD_ROW = "a row number of the row_sparse array is out of range; check_format() tells more";
static const char *const BAD_STARTS = "indptr of the csr matrix must start at 0, never decrease, and end within data";

static int starts_wrong(const mxnd_tensor *p, ptrdiff_t stored) {
    const int64_t *s = (const int64_t *)p->data;
    int wrong = p->size < 1 || s[0] != 0;
    for (ptrdiff_t r = 0; !wrong && r + 1 < p->size; r++) wrong = s[r + 1] < s[r];
    return wrong || s[p->size - 1] > stored;
}
/* inputs k, k + 1, k + 2 are values, columns and starts */
#define STARTS(k) if (starts_wrong(c->in + (k) + 2, c->in[k].size < c->in[(k) + 1].size ? c->in[k].size : c->in[(k) + 1].size)) FAIL(BAD_STARTS)
static inline int few_threads(const mxnd_call *c, double work) { return work < 32768 ? 1 : c->threads; }

/* ---- dense and csr: any element type; a float is zero when all but its sign is ---- */

static inline int item_bytes(int type) {
    return type == MX_F64 || type == MX_I64 ? 8 : type == MX_F32 || type == MX_I32 ? 4 : type == MX_F16 || type == MX_BF16 ? 2 : 1;
}
static inline uint64_t value_bits(int type) {
    return type == MX_F64 ? ~((uint64_t)1 << 63) : type == MX_F32 ? 0x7fffffff : type == MX_F16 || type == MX_BF16 ? 0x7fff : ~(uint64_t)0;
}
#define EACH_SIZE(bytes, RUN) \
    if ((bytes) == 8) RUN(uint64_t) else if ((bytes) == 4) RUN(uint32_t) else if ((bytes) == 2) RUN(uint16_t) else RUN(uint8_t)

/* Which of up to 64 elements are not zero, as bits. */
#define NOT_ZERO(U) static inline uint64_t not_zero_##U(const U *x, ptrdiff_t n, U some) { \
    uint64_t bits = 0; \
    for (ptrdiff_t k = 0; k < n; k++) bits |= (uint64_t)((x[k] & some) != 0) << k; \
    return bits; }
NOT_ZERO(uint8_t)
NOT_ZERO(uint16_t)
#if defined(__AVX512F__)
#include <immintrin.h>
static inline uint64_t not_zero_uint32_t(const uint32_t *x, ptrdiff_t n, uint32_t some) {
    uint64_t bits = 0;
    const __m512i mask = _mm512_set1_epi32((int)some);
    for (ptrdiff_t k = 0; k < n; k += 16) {
        __mmask16 there = n - k >= 16 ? (__mmask16)0xffff : (__mmask16)((1 << (n - k)) - 1);
        bits |= (uint64_t)_mm512_test_epi32_mask(_mm512_maskz_loadu_epi32(there, x + k), mask) << k;
    }
    return bits;
}
static inline uint64_t not_zero_uint64_t(const uint64_t *x, ptrdiff_t n, uint64_t some) {
    uint64_t bits = 0;
    const __m512i mask = _mm512_set1_epi64((long long)some);
    for (ptrdiff_t k = 0; k < n; k += 8) {
        __mmask8 there = n - k >= 8 ? (__mmask8)0xff : (__mmask8)((1 << (n - k)) - 1);
        bits |= (uint64_t)_mm512_test_epi64_mask(_mm512_maskz_loadu_epi64(there, x + k), mask) << k;
    }
    return bits;
}
#else
NOT_ZERO(uint32_t)
NOT_ZERO(uint64_t)
#endif

/* Where the rows of the csr form start, and which elements it stores: a bit for each, rows begin with a word. */
static int csr_count(mxnd_call *c) {
    ptrdiff_t m = c->out[0].size - 1, n = m > 0 ? c->in[0].size / m : 0, words = (n + 63) / 64;
    int64_t *s = (int64_t *)c->out[0].data;
    uint64_t mask = value_bits(c->in[0].type), *bits = (uint64_t *)c->out[1].data;
    int threads = few_threads(c, (double)m * n);
    s[0] = 0;
#define RUN(U) { \
        const U *x = (const U *)DATA(0); \
        _Pragma("omp parallel for num_threads(threads) if(threads > 1) schedule(static)") \
        for (ptrdiff_t r = 0; r < m; r++) { \
            int64_t sum = 0; \
            for (ptrdiff_t k = 0; k < words; k++) { \
                uint64_t b = not_zero_##U(x + r * n + 64 * k, n - 64 * k < 64 ? n - 64 * k : 64, (U)mask); \
                bits[r * words + k] = b; \
                sum += __builtin_popcountll(b); \
            } \
            s[r + 1] = sum; \
        } \
    }
    EACH_SIZE(item_bytes(c->in[0].type), RUN)
#undef RUN
    for (ptrdiff_t r = 0; r < m; r++) s[r + 1] += s[r];
    return MX_OK;
}

/* in: dense, starts, bits */
static int csr_fill(mxnd_call *c) {
    ptrdiff_t m = c->in[1].size - 1, n = m > 0 ? c->in[0].size / m : 0, words = (n + 63) / 64;
    const int64_t *s = WHOLE(1);
    const uint64_t *bits = (const uint64_t *)DATA(2);
    int64_t *oi = (int64_t *)c->out[1].data;
    int threads = few_threads(c, (double)m * n);
    if (c->in[2].size != m * words || starts_wrong(c->in + 1, c->out[0].size)) FAIL("starts and bits are not those of the matrix");
#define RUN(U) { \
        const U *x = (const U *)DATA(0); \
        U *o = (U *)c->out[0].data; \
        _Pragma("omp parallel for num_threads(threads) if(threads > 1) schedule(static)") \
        for (ptrdiff_t r = 0; r < m; r++) { \
            int64_t to = s[r]; \
            for (ptrdiff_t k = 0; k < words; k++) \
                for (uint64_t b = bits[r * words + k]; b; b &= b - 1, to++) { \
                    int64_t column = 64 * k + __builtin_ctzll(b); \
                    if (to >= s[r + 1] || column >= n) break; \
                    o[to] = x[r * n + column]; \
                    oi[to] = column; \
                } \
        } \
    }
    EACH_SIZE(item_bytes(c->in[0].type), RUN)
#undef RUN
    return MX_OK;
}

static int csr_dense(mxnd_call *c) {
    STARTS(0);
    ptrdiff_t m = c->in[2].size - 1, n = m > 0 ? c->out[0].size / m : 0;
    const int64_t *ix = WHOLE(1), *p = WHOLE(2);
    int bad = 0, threads = few_threads(c, (double)c->out[0].size);
#define RUN(U) { \
        const U *v = (const U *)DATA(0); \
        _Pragma("omp parallel for num_threads(threads) if(threads > 1) schedule(static) reduction(|:bad)") \
        for (ptrdiff_t r = 0; r < m; r++) { \
            U *row = (U *)c->out[0].data + r * n; \
            memset(row, 0, n * sizeof(U)); \
            for (ptrdiff_t j = p[r]; j < p[r + 1]; j++) { \
                if ((uint64_t)ix[j] >= (uint64_t)n) { bad = 1; continue; } \
                row[ix[j]] = v[j]; \
            } \
        } \
    }
    EACH_SIZE(item_bytes(c->out[0].type), RUN)
#undef RUN
    if (bad) FAIL(BAD_COLUMN);
    return MX_OK;
}

/* Whether a csr matrix is sound (an error if not), and whether columns ascend in each row: out 1 or 0.
   in: columns, starts; i: number of columns, stored values */
static int csr_check(mxnd_call *c) {
    const int64_t *ix = WHOLE(0), *p = WHOLE(1);
    ptrdiff_t n = c->i[0], m = c->in[1].size - 1;
    if (starts_wrong(c->in + 1, c->i[1] < c->in[0].size ? c->i[1] : c->in[0].size)) FAIL(BAD_STARTS);
    int sorted = 1, bad = 0, threads = few_threads(c, (double)p[m]);
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static) reduction(|:bad) reduction(&:sorted)
    for (ptrdiff_t r = 0; r < m; r++) {
        for (ptrdiff_t j = p[r]; j < p[r + 1]; j++) bad |= (uint64_t)ix[j] >= (uint64_t)n;
        for (ptrdiff_t j = p[r] + 1; j < p[r + 1]; j++) sorted &= ix[j - 1] < ix[j];
    }
    if (bad) FAIL(BAD_COLUMN);
    ((int64_t *)c->out[0].data)[0] = sorted;
    return MX_OK;
}

typedef struct { int64_t key, at; } place;
static int by_key(const void *a, const void *b) {
    const place *x = (const place *)a, *y = (const place *)b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->at > y->at) - (x->at < y->at);
}
/* Columns in ascending order in each row; of a column that comes twice the later value comes later. */
static int csr_sort(mxnd_call *c) {
    STARTS(0);
    ptrdiff_t m = c->in[2].size - 1, longest = 1;
    const int64_t *ix = WHOLE(1), *p = WHOLE(2);
    int bytes = item_bytes(c->in[0].type);
    for (ptrdiff_t r = 0; r < m; r++) if (p[r + 1] - p[r] > longest) longest = p[r + 1] - p[r];
    place *room = (place *)c->take(longest * sizeof(place));
    if (!room) return MX_MEMORY_ERROR;
    memcpy(c->out[0].data, DATA(0), c->out[0].size * bytes);
    memcpy(c->out[1].data, DATA(1), c->out[1].size * sizeof(int64_t));
    for (ptrdiff_t r = 0; r < m; r++) {
        ptrdiff_t count = p[r + 1] - p[r];
        for (ptrdiff_t j = 0; j < count; j++) room[j].key = ix[p[r] + j], room[j].at = p[r] + j;
        qsort(room, count, sizeof(place), by_key);
        for (ptrdiff_t j = 0; j < count; j++) {
            ((int64_t *)c->out[1].data)[p[r] + j] = room[j].key;
            memcpy(c->out[0].data + (p[r] + j) * bytes, DATA(0) + room[j].at * bytes, bytes);
        }
    }
    c->give(room);
    return MX_OK;
}

/* ---- products ---- */

/* Whether bits and ranks (two arrays) are no set of that many members. */
static int set_wrong(const mxnd_tensor *set, ptrdiff_t members) {
    const uint64_t *bits = (const uint64_t *)set[0].data;
    const int64_t *ranks = (const int64_t *)set[1].data;
    int64_t sum = 0;
    for (ptrdiff_t k = 0; k < set[0].size; k++) {
        if (ranks[k] != sum) return 1;
        sum += __builtin_popcountll(bits[k]);
    }
    return sum != members || ranks[set[0].size] != sum;
}

/* in: values, columns, starts, dense */
static int csr_dot(mxnd_call *c) {
    STARTS(0);
    ptrdiff_t m = c->in[2].size - 1, n = c->i[0], w = c->i[1];
    int threads = few_threads(c, (double)c->in[0].size * w + (double)m * w);
    int bad = BY_TYPE(c->out, csr_dot, ((void *)DATA(0), WHOLE(1), WHOLE(2), m, n, w, (void *)DATA(3), (void *)c->out[0].data,
                      threads));
    if (bad) FAIL(BAD_COLUMN);
    return MX_OK;
}

#define PANEL 4194304          /* bytes of the result that stay in the cache */

/* in: values, columns, starts, dense[, bits, ranks: which rows of the result are wanted];
   i: columns, width, rows of the result, whether columns ascend in each row */
static int csr_dot_t(mxnd_call *c) {
    STARTS(0);
    ptrdiff_t m = c->in[2].size - 1, n = c->i[0], w = c->i[1], rows = c->i[2];
    const uint64_t *bits = c->nin > 4 ? (const uint64_t *)DATA(4) : NULL;
    const int64_t *ranks = bits ? WHOLE(5) : NULL;
    int threads = few_threads(c, (double)c->in[0].size * w + (double)rows * w);
    if (bits && set_wrong(c->in + 4, rows)) FAIL("the set of columns is not that of the csr matrix");
    ptrdiff_t width = w * item_bytes(c->out[0].type), panel = width ? PANEL / width : 0;
    int64_t *cursors = NULL;
    if (c->i[3] && !bits && panel && 2 * panel < n && c->in[0].size > 4 * m * (n / panel + 1) / 2) {
        cursors = (int64_t *)c->take((size_t)m * threads * sizeof(int64_t) + 64);
        if (!cursors) return MX_MEMORY_ERROR;
    }
    int bad = cursors
        ? BY_TYPE(c->out, csr_dot_t_panels, ((void *)DATA(0), WHOLE(1), WHOLE(2), m, n, w, (void *)DATA(3),
                  (void *)c->out[0].data, panel, cursors, threads))
        : BY_TYPE(c->out, csr_dot_t, ((void *)DATA(0), WHOLE(1), WHOLE(2), m, n, w, (void *)DATA(3), bits, ranks, rows,
                  (void *)c->out[0].data, threads));
    if (cursors) c->give(cursors);
    if (bad) FAIL(BAD_COLUMN);
    return MX_OK;
}

/* Which numbers below i[0] occur in the input, as bits, and the counts before each word. */
static int set_of(mxnd_call *c) {
    ptrdiff_t n = c->i[0], words = (n + 63) / 64, count = c->in[0].size;
    uint64_t *bits = (uint64_t *)c->out[0].data;
    int64_t *ranks = (int64_t *)c->out[1].data, sum = 0;
    const int64_t *ix = WHOLE(0);
    memset(bits, 0, words * 8);
    for (ptrdiff_t j = 0; j < count; j++) {
        if ((uint64_t)ix[j] >= (uint64_t)n) { c->at = ix[j], c->bound = n; return MX_INDEX_ERROR; }
        bits[ix[j] >> 6] |= (uint64_t)1 << (ix[j] & 63);
    }
    for (ptrdiff_t k = 0; k < words; k++) ranks[k] = sum, sum += __builtin_popcountll(bits[k]);
    ranks[words] = sum;
    return MX_OK;
}
/* The members of such a set, ascending. */
static int set_members(mxnd_call *c) {
    const uint64_t *bits = (const uint64_t *)DATA(0);
    int64_t *o = (int64_t *)c->out[0].data;
    ptrdiff_t k = 0, most = c->out[0].size;
    for (ptrdiff_t i = 0; i < c->in[0].size; i++)
        for (uint64_t b = bits[i]; b && k < most; b &= b - 1) o[k++] = i * 64 + __builtin_ctzll(b);
    while (k < most) o[k++] = 0;
    return MX_OK;
}

/* in: dense, values, columns, starts; i: rows and columns of dense, columns of the product, whether the csr is transposed */
static int dense_csr(mxnd_call *c) {
    STARTS(1);
    ptrdiff_t m = c->i[0], k = c->i[1], n = c->i[2];
    int bad, threads = few_threads(c, (double)m * c->in[1].size + (double)m * n);
    if (c->i[3]) bad = BY_TYPE(c->out, dense_csr_t, ((void *)DATA(0), m, k, (void *)DATA(1), WHOLE(2), WHOLE(3), n,
        (void *)c->out[0].data, threads));
    else bad = BY_TYPE(c->out, dense_csr, ((void *)DATA(0), m, k, (void *)DATA(1), WHOLE(2), WHOLE(3), n, (void *)c->out[0].data,
                       threads));
    if (bad) FAIL(BAD_COLUMN);
    return MX_OK;
}

/* ---- two csr matrices ---- */

/* in: values, columns, starts of both; i: whether only what both store counts; d: alpha, beta.  out: values and columns, with
   room for all, and the starts.  One thread packs the rows as it goes; several first count the rows of the result. */
static int csr_merge(mxnd_call *c) {
    STARTS(0);
    STARTS(3);
    const int64_t *ix = WHOLE(1), *p = WHOLE(2), *iy = WHOLE(4), *q = WHOLE(5);
    ptrdiff_t m = c->in[2].size - 1;
    int64_t *oi = (int64_t *)c->out[1].data, *s = (int64_t *)c->out[2].data;
    void *o = c->out[0].data;
    int common = (int)c->i[0], threads = few_threads(c, (double)p[m] + q[m]);
    s[0] = 0;
    if (threads > 1) {
        #pragma omp parallel for num_threads(threads) schedule(static)
        for (ptrdiff_t r = 0; r < m; r++) {
            ptrdiff_t i = p[r], j = q[r], ni = p[r + 1], nj = q[r + 1], both = 0;
            while (i < ni && j < nj) {
                int64_t x = ix[i], y = iy[j];
                both += x == y, i += x <= y, j += y <= x;
            }
            s[r + 1] = common ? both : ni - p[r] + nj - q[r] - both;
        }
        for (ptrdiff_t r = 0; r < m; r++) s[r + 1] += s[r];
        #pragma omp parallel for num_threads(threads) schedule(static)
        for (int t = 0; t < threads; t++) {
            ptrdiff_t lo = m * t / threads, hi = m * (t + 1) / threads;
            if (common) BY_TYPE(c->out, csr_common, ((void *)DATA(0), ix, p, (void *)DATA(3), iy, q, lo, hi, s, o, oi));
            else BY_TYPE(c->out, csr_union, ((void *)DATA(0), ix, p, (void *)DATA(3), iy, q, lo, hi, 0, c->d[0], c->d[1], s, o, oi));
        }
        return MX_OK;
    }
    if (common) BY_TYPE(c->out, csr_common, ((void *)DATA(0), ix, p, (void *)DATA(3), iy, q, 0, m, s, o, oi));
    else BY_TYPE(c->out, csr_union, ((void *)DATA(0), ix, p, (void *)DATA(3), iy, q, 0, m, 1, c->d[0], c->d[1], s, o, oi));
    return MX_OK;
}

/* ---- csr and dense ---- */

static int csr_scale(mxnd_call *c) {
    STARTS(0);
    ptrdiff_t m = c->in[2].size - 1;
    int bad = BY_TYPE(c->out, csr_scale, ((void *)DATA(0), WHOLE(1), WHOLE(2), m, c->i[0], (void *)DATA(3), c->i[1], c->i[2],
                      (int)c->i[3],
                                         (void *)c->out[0].data, few_threads(c, (double)c->in[0].size)));
    if (bad) FAIL(BAD_COLUMN);
    return MX_OK;
}

static int csr_onto(mxnd_call *c) {
    STARTS(0);
    ptrdiff_t m = c->in[2].size - 1, n = m > 0 ? c->out[0].size / m : 0;
    int bad = BY_TYPE(c->out, csr_onto, ((void *)DATA(0), WHOLE(1), WHOLE(2), m, n, (void *)DATA(3), c->d[0], c->d[1],
                      (void *)c->out[0].data,
                                        few_threads(c, (double)c->out[0].size)));
    if (bad) FAIL(BAD_COLUMN);
    return MX_OK;
}

/* i: columns, over columns, kind, root; d: factor */
static int csr_sums(mxnd_call *c) {
    STARTS(0);
    ptrdiff_t m = c->in[2].size - 1, n = c->i[0];
    double *room = (double *)c->take((c->i[1] ? 1 : n + 1) * sizeof(double));
    if (!room) return MX_MEMORY_ERROR;
    int bad = BY_TYPE(c->out, csr_sums, ((void *)DATA(0), WHOLE(1), WHOLE(2), m, n, (int)c->i[1], (int)c->i[2], (int)c->i[3],
                      c->d[0], room,
                                        (void *)c->out[0].data, few_threads(c, (double)c->in[0].size)));
    c->give(room);
    if (bad) FAIL(BAD_COLUMN);
    return MX_OK;
}

#include "sparse_rows.h"
#endif
