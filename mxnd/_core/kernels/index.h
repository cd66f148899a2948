/* Rows found by index: gathered, written and added.  Indices of any dtype become 64-bit places, a
   block at a time; a place outside the array is never read or written. */
#ifndef MXND_INDEX_H
#define MXND_INDEX_H
#include "movement.h"

enum { INDEX_CLIP, INDEX_WRAP, INDEX_RAISE, INDEX_NEGATIVE, INDEX_SKIP };
#define MX_INDEX_BLOCK 1024
#define MX_NOWHERE (-1)

/* ---- places ------------------------------------------------------------------------------------- */

/* n indices from element `first` on, as whole numbers; floats are truncated. */
static void index_read(int64_t *o, const char *data, int type, ptrdiff_t first, ptrdiff_t n) {
#define MX_READ(T) { const T *s = (const T *)data + first; for (ptrdiff_t i = 0; i < n; i++) o[i] = (int64_t)s[i]; break; }
#define MX_READ_REAL(T) { const T *s = (const T *)data + first; for (ptrdiff_t i = 0; i < n; i++) o[i] = whole((double)s[i]); break; }
    switch (type) {
    case MX_F32: MX_READ_REAL(float)
    case MX_F64: MX_READ_REAL(double)
    case MX_F16:
    case MX_BF16: { const uint16_t *s = (const uint16_t *)data + first; for (ptrdiff_t i = 0; i < n; i++) o[i] = whole(float16(s[i], type)); break; }
    case MX_I32: MX_READ(int32_t)
    case MX_I64: MX_READ(int64_t)
    case MX_I8: MX_READ(int8_t)
    default: MX_READ(uint8_t)
    }
#undef MX_READ
#undef MX_READ_REAL
}

/* Brings n indices into [0, size).  Returns -1, or the position of the first one that cannot be. */
static ptrdiff_t index_fit(int64_t *p, ptrdiff_t n, int64_t size, int mode) {
    ptrdiff_t bad = 0;
    if (mode == INDEX_SKIP) {
        for (ptrdiff_t i = 0; i < n; i++) p[i] = p[i] < 0 || p[i] >= size ? MX_NOWHERE : p[i];
        return -1;
    }
    if (size <= 0) return n ? 0 : -1;
    switch (mode) {
    case INDEX_CLIP:
        for (ptrdiff_t i = 0; i < n; i++) {
            int64_t v = p[i] < 0 ? 0 : p[i];
            p[i] = v >= size ? size - 1 : v;
        }
        return -1;
    case INDEX_WRAP:
        for (ptrdiff_t i = 0; i < n; i++)
            if (p[i] < 0 || p[i] >= size) {
                int64_t v = p[i] % size;
                p[i] = v < 0 ? v + size : v;
            }
        return -1;
    case INDEX_NEGATIVE:
        for (ptrdiff_t i = 0; i < n; i++) bad |= p[i] < -size || p[i] >= size;
        if (!bad) {
            for (ptrdiff_t i = 0; i < n; i++) p[i] += p[i] < 0 ? size : 0;
            return -1;
        }
        for (ptrdiff_t i = 0; i < n; i++)
            if (p[i] < -size || p[i] >= size) return i;
        return -1;
    default:
        for (ptrdiff_t i = 0; i < n; i++) bad |= p[i] < 0 || p[i] >= size;
        if (bad)
            for (ptrdiff_t i = 0; i < n; i++)
                if (p[i] < 0 || p[i] >= size) return i;
        return -1;
    }
}

/* How the places of a call are found.  m = 1: index k names row k of one axis.  m > 1: index j * count + k is
   coordinate j of place k. */
typedef struct {
    const char *data;
    int type, m, mode;
    ptrdiff_t count;                                  /* places */
    const int64_t *size;                              /* m lengths */
    int64_t at, bound;                                /* an index that cannot be, and the length it met */
} mx_places;

/* Places [first, first + n), n <= MX_INDEX_BLOCK; returns whether all of them are good. */
static int places_read(mx_places *x, int64_t *o, ptrdiff_t first, ptrdiff_t n) {
    int64_t more[MX_INDEX_BLOCK];
    for (int j = 0; j < x->m; j++) {
        int64_t *p = j ? more : o;
        index_read(p, x->data, x->type, j * x->count + first, n);
        ptrdiff_t bad = index_fit(p, n, x->size[j], x->mode);
        if (bad >= 0) {
            index_read(p, x->data, x->type, j * x->count + first + bad, 1);
            x->at = p[0];
            x->bound = x->size[j];
            return 0;
        }
        if (j) for (ptrdiff_t i = 0; i < n; i++) o[i] = o[i] * x->size[j] + more[i];
    }
    return 1;
}

/* Whether every place is good: asked before an array is written in place. */
static int places_good(mx_places *x) {
    int64_t p[MX_INDEX_BLOCK];
    for (ptrdiff_t k = 0; k < x->count; k += MX_INDEX_BLOCK)
        if (!places_read(x, p, k, x->count - k < MX_INDEX_BLOCK ? x->count - k : MX_INDEX_BLOCK)) return 0;
    return 1;
}

/* ---- rows --------------------------------------------------------------------------------------- */

#define MX_AHEAD 12

static inline void prefetch_row(const char *s, size_t bytes) {
    for (size_t b = 0; b < bytes && b < 1024; b += 64) __builtin_prefetch(s + b);
}

/* o[k] = s[p[k]] */
static void rows_gather(char *o, const char *s, const int64_t *p, ptrdiff_t n, size_t bytes) {
#define MX_ONE(B, T) if (bytes == B) { T *d = (T *)o; const T *f = (const T *)s; for (ptrdiff_t k = 0; k < n; k++) d[k] = f[p[k]]; return; }
    MX_SIZES(MX_ONE)
#undef MX_ONE
    ptrdiff_t k = 0;
    for (ptrdiff_t i = 0; i < MX_AHEAD && i < n; i++) prefetch_row(s + p[i] * (ptrdiff_t)bytes, bytes);
    for (; k + MX_AHEAD < n; k++) {
        prefetch_row(s + p[k + MX_AHEAD] * (ptrdiff_t)bytes, bytes);
        copy_row(o + k * bytes, s + p[k] * (ptrdiff_t)bytes, bytes);
    }
    for (; k < n; k++) copy_row(o + k * bytes, s + p[k] * (ptrdiff_t)bytes, bytes);
}

/* o[p[k]] = s[k], rows of s `from` bytes apart, places outside [lo, hi) left alone. */
static void rows_put(char *o, const char *s, ptrdiff_t from, const int64_t *p, ptrdiff_t n, size_t bytes, int64_t lo, int64_t hi) {
#define MX_ONE(B, T) if (bytes == B) { for (ptrdiff_t k = 0; k < n; k++) if (p[k] >= lo && p[k] < hi) memcpy(o + p[k] * B, s + k * from, B); return; }
    MX_SIZES(MX_ONE)
#undef MX_ONE
    for (ptrdiff_t k = 0; k < n; k++)
        if (p[k] >= lo && p[k] < hi) copy_row(o + p[k] * (ptrdiff_t)bytes, s + k * from, bytes);
}

/* o[p[k]] += s[k] for rows of len elements. */
#define MX_ADD_ROWS(T)                                                                                      \
    static void rows_add_##T(T *o, const T *s, const int64_t *p, ptrdiff_t n, ptrdiff_t len, int64_t lo, int64_t hi) { \
        if (len == 1) {                                                                                     \
            for (ptrdiff_t k = 0; k < n; k++)                                                               \
                if (p[k] >= lo && p[k] < hi) o[p[k]] += s[k];                                               \
            return;                                                                                         \
        }                                                                                                   \
        for (ptrdiff_t k = 0; k < n; k++) {                                                                 \
            if (k + 8 < n && p[k + 8] >= lo && p[k + 8] < hi)                                               \
                prefetch_row((const char *)(o + p[k + 8] * len), (size_t)len * sizeof(T));                  \
            if (p[k] < lo || p[k] >= hi) continue;                                                          \
            T *restrict to = o + p[k] * len;                                                                \
            const T *restrict from = s + k * len;                                                           \
            for (ptrdiff_t e = 0; e < len; e++) to[e] += from[e];                                           \
        }                                                                                                   \
    }
MX_ADD_ROWS(float)
MX_ADD_ROWS(double)
MX_ADD_ROWS(int32_t)
MX_ADD_ROWS(int64_t)
MX_ADD_ROWS(uint8_t)

static void rows_add(char *o, const char *s, const int64_t *p, ptrdiff_t n, ptrdiff_t len, int type, int64_t lo, int64_t hi) {
    switch (type) {
    case MX_F32: rows_add_float((float *)o, (const float *)s, p, n, len, lo, hi); break;
    case MX_F64: rows_add_double((double *)o, (const double *)s, p, n, len, lo, hi); break;
    case MX_I32: rows_add_int32_t((int32_t *)o, (const int32_t *)s, p, n, len, lo, hi); break;
    case MX_I64: rows_add_int64_t((int64_t *)o, (const int64_t *)s, p, n, len, lo, hi); break;
    default: rows_add_uint8_t((uint8_t *)o, (const uint8_t *)s, p, n, len, lo, hi);
    }
}

/* ---- one element out of each line -------------------------------------------------------------------- */

/* Lines of n elements `inner` apart: o[j] = line j's element at index j, for j in [first, last); back: the other way. */
#define MX_PICK(B, T)                                                                                       \
    static int pick_##B(mx_places *x, T *o, const T *s, T *back, ptrdiff_t inner, ptrdiff_t first, ptrdiff_t last) { \
        int64_t p[MX_INDEX_BLOCK], n = x->size[0];                                                          \
        for (ptrdiff_t j0 = first; j0 < last; j0 += MX_INDEX_BLOCK) {                                       \
            ptrdiff_t m = last - j0 < MX_INDEX_BLOCK ? last - j0 : MX_INDEX_BLOCK;                          \
            if (!places_read(x, p, j0, m)) return 0;                                                        \
            if (inner == 1)                                                                                 \
                for (ptrdiff_t j = 0; j < m; j++) p[j] += (j0 + j) * n;                                     \
            else                                                                                            \
                for (ptrdiff_t j = 0; j < m; j++) p[j] = ((j0 + j) / inner * n + p[j]) * inner + (j0 + j) % inner; \
            if (back)                                                                                       \
                for (ptrdiff_t j = 0; j < m; j++) back[p[j]] = s[j0 + j];                                   \
            else                                                                                            \
                for (ptrdiff_t j = 0; j < m; j++) {                                                         \
                    if (j + 16 < m) __builtin_prefetch(s + p[j + 16]);                                      \
                    o[j0 + j] = s[p[j]];                                                                    \
                }                                                                                           \
        }                                                                                                   \
        return 1;                                                                                           \
    }
MX_SIZES(MX_PICK)

static int pick_part(mx_places *x, char *o, const char *s, char *back, ptrdiff_t inner, ptrdiff_t first, ptrdiff_t last, int item) {
#define MX_ONE(B, T) if (item == B) return pick_##B(x, (T *)o, (const T *)s, (T *)back, inner, first, last);
    MX_SIZES(MX_ONE)
#undef MX_ONE
    return 1;
}

/* Rows of `depth` elements, all off but the one at index k. */
static void one_hot_part(mx_places *x, char *o, const char *on, const char *off, ptrdiff_t depth, int item, ptrdiff_t first, ptrdiff_t last) {
    int64_t p[MX_INDEX_BLOCK];
    ptrdiff_t row = depth * item;
    int zero = 1;
    for (int i = 0; i < item; i++) zero &= !off[i];
    for (ptrdiff_t k0 = first; k0 < last; k0 += MX_INDEX_BLOCK) {
        ptrdiff_t m = last - k0 < MX_INDEX_BLOCK ? last - k0 : MX_INDEX_BLOCK;
        places_read(x, p, k0, m);
        for (ptrdiff_t k = 0; k < m; k += 16) {       /* a few rows at a time, while they are in the cache */
            ptrdiff_t w = m - k < 16 ? m - k : 16;
            char *to = o + (k0 + k) * row;
            if (zero) memset(to, 0, (size_t)(w * row));
            else fill(to, off, w * depth, item);
            for (ptrdiff_t i = 0; i < w; i++)
                if (p[k + i] != MX_NOWHERE) memcpy(to + i * row + p[k + i] * item, on, (size_t)item);
        }
    }
}

/* ---- where: o = condition ? x : y; `mask` drops the sign of a zero -------------------------------------- */

#define MX_WHERE(C, T)                                                                                      \
    static void where_##C##_##T(T *restrict o, const C *restrict c, const T *restrict x, const T *restrict y, ptrdiff_t n, C mask) { \
        for (ptrdiff_t i = 0; i < n; i++) o[i] = c[i] & mask ? x[i] : y[i];                                 \
    }
#define MX_WHERE_ALL(B, C) MX_WHERE(C, uint8_t) MX_WHERE(C, uint16_t) MX_WHERE(C, uint32_t) MX_WHERE(C, uint64_t)
MX_SIZES(MX_WHERE_ALL)

static inline uint64_t where_mask(int type) {
    switch (type) {
    case MX_F32: return 0x7fffffff;
    case MX_F64: return 0x7fffffffffffffff;
    case MX_F16: case MX_BF16: return 0x7fff;
    default: return ~(uint64_t)0;
    }
}

static void where_run(char *o, const char *c, int type, int size, const char *x, const char *y, int item, ptrdiff_t n) {
    uint64_t mask = where_mask(type);
#define MX_TWO(C, B, T) if (item == B) where_##C##_##T((T *)o, (const C *)c, (const T *)x, (const T *)y, n, (C)mask);
#define MX_ONE(B, C) if (size == B) { MX_TWO(C, 1, uint8_t) MX_TWO(C, 2, uint16_t) MX_TWO(C, 4, uint32_t) MX_TWO(C, 8, uint64_t) }
    MX_SIZES(MX_ONE)
#undef MX_ONE
#undef MX_TWO
}

/* Elements [first, last); a large output is written past the cache. */
static void where_part(char *o, const char *c, int type, int size, const char *x, const char *y, int item, ptrdiff_t first,
                       ptrdiff_t last, int stream) {
    char line[4096] __attribute__((aligned(64)));
    ptrdiff_t most = stream ? (ptrdiff_t)sizeof(line) / item : last - first;
    for (ptrdiff_t k = first; k < last; k += most) {
        ptrdiff_t n = last - k < most ? last - k : most;
        where_run(stream ? line : o + k * item, c + k * size, type, size, x + k * item, y + k * item, item, n);
        if (stream) stream_row(o + k * item, line, (size_t)(n * item));
    }
    stream_done(stream);
}

/* Whether element k of the condition is not zero. */
static inline int is_set(const char *c, int type, int size, ptrdiff_t k) {
    uint64_t v = 0, mask = where_mask(type);
    memcpy(&v, c + k * size, (size_t)size);
    return (v & mask) != 0;
}
#endif
