/* Sorting by value alone: keys turn into elements again, so no places are kept.  And one long row for several threads. */
#ifndef MXND_SORT_PLAIN_H
#define MXND_SORT_PLAIN_H
#include "sort.h"

static inline int plain_width(int type) { return type == MX_F64 || type == MX_I64 ? 8 : item_of(type) == 1 ? 1 : 4; }

#define PRAGMA(x) _Pragma(#x)
#define PUT(T, expression) \
    PRAGMA(omp simd) \
    for (P i = first; i < last; i++) { ((T *)o)[i * stride] = (T)(expression); } \
    return
/* Elements of the sorted keys first..last; o may be where the keys are. */
static void plain_put(const void *keys, char *o, P stride, int type, int flags, P first, P last) {
    const uint32_t *k = keys;
    const uint64_t *w = keys;
    uint32_t flip = flags & DESCENDING ? 0xffffffffu : 0;
    uint64_t flip_w = flags & DESCENDING ? ~(uint64_t)0 : 0;
    switch (type) {
    case MX_F32: PUT(uint32_t, element_32(k[i], 0x7fc00000u, flip));
    case MX_F16: PUT(uint16_t, element_32(k[i], 0x7e000000u, flip) >> 16);
    case MX_BF16: PUT(uint16_t, element_32(k[i], 0x7fc00000u, flip) >> 16);
    case MX_I32: PUT(uint32_t, k[i] ^ 0x80000000u ^ flip);
    case MX_F64: PUT(uint64_t, element_64(w[i], flip_w));
    case MX_I64: PUT(uint64_t, w[i] ^ 0x8000000000000000u ^ flip_w);
    }
}
#undef PUT
static void plain_keys(const char *x, P stride, int type, int flags, void *keys, P first, P last) {
    for (P at = first; at < last; at += BLOCK) {
        P m = last - at < BLOCK ? last - at : BLOCK;
        if (plain_width(type) == 8) keys_wide(x, at, m, stride, type, flags, (uint64_t *)keys + at);
        else keys_narrow(x, at, m, stride, type, flags, (uint32_t *)keys + at);
    }
}
/* Bytes are counted. */
static void plain_bytes(const char *x, char *o, P n, P stride, int type, int flags) {
    P count[256] = {0}, at = 0;
    uint8_t flip = (uint8_t)((flags & DESCENDING ? 255 : 0) ^ (type == MX_I8 ? 128 : 0));
    for (P i = 0; i < n; i++) count[(uint8_t)x[i * stride] ^ flip]++;
    for (int k = 0; k < 256; k++)
        for (P i = 0; i < count[k]; i++) o[at++ * stride] = (char)(k ^ flip);
}
#if !HAVE_QUICK
#define DIGITS(name, K, PASSES) \
static void name(K *a, K *other, P n) { \
    K *from = a, *to = other; \
    for (int pass = 0; pass < PASSES; pass++) { \
        P c[256] = {0}, at = 0; \
        for (P i = 0; i < n; i++) c[from[i] >> (8 * pass) & 255]++; \
        if (n && c[from[0] >> (8 * pass) & 255] == n) continue; \
        for (int d = 0; d < 256; d++) { \
            P m = c[d]; \
            c[d] = at; \
            at += m; \
        } \
        for (P i = 0; i < n; i++) to[c[from[i] >> (8 * pass) & 255]++] = from[i]; \
        K *t = from; \
        from = to, to = t; \
    } \
    if (from != a) memcpy(a, from, (size_t)n * sizeof(K)); \
}
DIGITS(digits_u32, uint32_t, 4)
DIGITS(digits_u64, uint64_t, 8)
#undef DIGITS
#endif
static void plain_sort(void *keys, void *other, P n, int width) {
#if HAVE_QUICK
    (void)other;
    if (width == 8) quick_u64(keys, n);
    else quick_u32(keys, n);
#else
    if (width == 8) digits_u64(keys, other, n);
    else digits_u32(keys, other, n);
#endif
}
static void plain_range(const mxnd_tensor *x, mxnd_tensor *out, P n, P inner, int flags, char *scratch, P first, P last) {
    P item = item_of(x->type);
    int width = plain_width(x->type);
    flags |= SIGNED_ZERO;
    for (P i = first; i < last; i++) {
        P at = (i / inner * n * inner + i % inner) * item;
        if (width == 1) {
            plain_bytes(x->data + at, out->data + at, n, inner, x->type, flags);
            continue;
        }
        char *keys = inner == 1 && item == width ? out->data + at : scratch;          /* where they fit, in the result itself */
        plain_keys(x->data + at, inner, x->type, flags, keys, 0, n);
        plain_sort(keys, scratch + n * width, n, width);
        plain_put(keys, out->data + at, inner, x->type, flags, 0, n);
    }
}

/* ---- one long row for several threads: steps that can each be split ---- */
typedef struct { P first, last; } piece_t;
/* Cut the keys into pieces, each above the one before; returns how many. */
static int cut(void *keys, P n, int width, piece_t *pieces, int most) {
    int count = 1;
    pieces[0] = (piece_t){0, n};
#if HAVE_QUICK
    while (count < most) {
        int big = 0;
        for (int i = 1; i < count; i++) if (pieces[i].last - pieces[i].first > pieces[big].last - pieces[big].first) big = i;
        P a = pieces[big].first, m = pieces[big].last - a, next, low;
        if (m < 8192) break;
        low = width == 8 ? halve_u64((uint64_t *)keys + a, m, &next) : halve_u32((uint32_t *)keys + a, m, &next);
        pieces[big] = (piece_t){a, a + low};
        pieces[count++] = (piece_t){a + next, a + m};
    }
#else
    (void)keys, (void)width, (void)most;
#endif
    return count;
}
static void sort_piece(void *keys, int width, piece_t p) {
#if HAVE_QUICK
    plain_sort((char *)keys + p.first * width, NULL, p.last - p.first, width);
#else
    (void)keys, (void)width, (void)p;
#endif
}
static void item_keys(const char *x, P stride, int type, int flags, uint64_t *a, P first, P last) {
    uint32_t keys[BLOCK];
    for (P at = first; at < last; at += BLOCK) {
        P m = last - at < BLOCK ? last - at : BLOCK;
        keys_narrow(x, at, m, stride, type, flags, keys);
        for (P i = 0; i < m; i++) a[at + i] = (uint64_t)keys[i] << 32 | (uint64_t)(at + i);
    }
}
static int can_share(void) { return HAVE_QUICK; }
#endif
