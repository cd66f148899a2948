/* Sorting, ranking and selection along one axis of [outer, n, inner].  Elements become whole-number keys that sort in
   the wanted order, NaN last either way; an item is a key with the place that it came from. */
#ifndef MXND_SORT_H
#define MXND_SORT_H
#include "elements.h"
#include "quick.h"

enum { BLOCK = 256 };
enum { DESCENDING = 1, SIGNED_ZERO = 2 };                /* flags: SIGNED_ZERO sorts -0 before 0 instead of as equal */
typedef struct { uint64_t key, place; } item_t;

static inline uint32_t key_32(uint32_t b, uint32_t nan, uint32_t flip, uint32_t zero) {
    b = b == zero ? 0 : b;
    uint32_t k = b ^ ((uint32_t)((int32_t)b >> 31) | 0x80000000u);
    return (b & 0x7fffffffu) > nan ? 0xffffffffu : k ^ flip;
}
static inline uint64_t key_64(uint64_t b, uint64_t flip, uint64_t zero) {
    b = b == zero ? 0 : b;
    uint64_t k = b ^ ((uint64_t)((int64_t)b >> 63) | 0x8000000000000000u);
    return (b & 0x7fffffffffffffffu) > 0x7ff0000000000000u ? ~(uint64_t)0 : k ^ flip;
}
/* From keys back to elements (keys with SIGNED_ZERO). */
static inline uint32_t element_32(uint32_t k, uint32_t nan, uint32_t flip) {
    uint32_t b = k ^ flip;
    b = b & 0x80000000u ? b ^ 0x80000000u : ~b;
    return k == 0xffffffffu ? nan : b;
}
static inline uint64_t element_64(uint64_t k, uint64_t flip) {
    uint64_t b = k ^ flip;
    b = b & 0x8000000000000000u ? b ^ 0x8000000000000000u : ~b;
    return k == ~(uint64_t)0 ? 0x7ff8000000000000u : b;
}
#define KEYS(T, expression) \
    if (stride == 1) for (P i = 0; i < m; i++) { T v = ((const T *)x)[at + i]; keys[i] = (expression); } \
    else for (P i = 0; i < m; i++) { T v = ((const T *)x)[(at + i) * stride]; keys[i] = (expression); } \
    return
/* Keys of m elements from place at on, of the types of up to 32 bits. */
static void keys_narrow(const char *x, P at, P m, P stride, int type, int flags, uint32_t *keys) {
    uint32_t flip = flags & DESCENDING ? 0xffffffffu : 0, zero = flags & SIGNED_ZERO ? 0 : 0x80000000u;
    switch (type) {
    case MX_F32: KEYS(uint32_t, key_32(v, 0x7f800000u, flip, zero));
    case MX_F16: KEYS(uint16_t, key_32((uint32_t)v << 16, 0x7c000000u, flip, zero));
    case MX_BF16: KEYS(uint16_t, key_32((uint32_t)v << 16, 0x7f800000u, flip, zero));
    case MX_I32: KEYS(uint32_t, (v ^ 0x80000000u) ^ flip);
    case MX_I8: KEYS(uint8_t, (uint32_t)(uint8_t)(v ^ 0x80u ^ flip));
    default: KEYS(uint8_t, (uint32_t)(uint8_t)(v ^ flip));
    }
}
static void keys_wide(const char *x, P at, P m, P stride, int type, int flags, uint64_t *keys) {
    uint64_t flip = flags & DESCENDING ? ~(uint64_t)0 : 0, zero = flags & SIGNED_ZERO ? 0 : 0x8000000000000000u;
    uint32_t narrow[BLOCK];
    switch (type) {
    case MX_F64: KEYS(uint64_t, key_64(v, flip, zero));
    case MX_I64: KEYS(uint64_t, (v ^ 0x8000000000000000u) ^ flip);
    default:
        keys_narrow(x, at, m, stride, type, flags, narrow);
        for (P i = 0; i < m; i++) keys[i] = narrow[i];
    }
}
#undef KEYS

/* Whether k of n items are few enough to be picked out rather than to sort all. */
static inline int is_few(P n, P k) { return k < n / 8 && n > 1024; }

/* Keys of 32 bits: one number holds key and place, and no two are equal. */
#define E uint64_t
#define N(name) name##_narrow
#define KEY uint32_t
#define FIRST(a, b) ((a) < (b))
#define DIGIT(e, pass) ((e) >> (32 + 8 * (pass)) & 255)
#define PASSES 4
#define MAKE(k, i) ((uint64_t)(k) << 32 | (uint64_t)(i))
#define KEY_OF(e) ((uint32_t)((e) >> 32))
#if HAVE_QUICK
#define QUICK(a, n) quick_u64(a, n)
#endif
#include "sort_type.h"
#define E item_t
#define N(name) name##_wide
#define KEY uint64_t
#define FIRST(a, b) ((a).key < (b).key || ((a).key == (b).key && (a).place < (b).place))
#define DIGIT(e, pass) ((e).key >> (8 * (pass)) & 255)
#define PASSES 8
#define MAKE(k, i) ((item_t){k, (uint64_t)(i)})
#define KEY_OF(e) ((e).key)
#include "sort_type.h"

static inline int is_wide(int type, P n) { return type == MX_F64 || type == MX_I64 || n > 0xffffffffLL; }
/* Bytes of scratch for one place. */
static inline P order_room(int type, P n, P k) {
    P items = is_few(n, k) ? 2 * k + 2 * BLOCK : n;
    return 2 * items * (is_wide(type, n) ? (P)sizeof(item_t) : 8);
}

#if HAVE_QUICK
/* Places in the order of 64-bit keys, in narrow items: sorted by the 32 highest bits that differ, then runs of equal ones
   by the whole key.  Gives up (returns 0) on a long run. */
static int tight(const char *x, P n, P stride, int type, int flags, uint64_t *a, uint64_t *keys) {
    enum { RUN = 1024 };
    uint64_t differ = 0;
    item_t run[RUN], other[RUN];
    int shift = 0;
    for (P at = 0; at < n; at += BLOCK) keys_wide(x, at, n - at < BLOCK ? n - at : BLOCK, stride, type, flags, keys + at);
    for (P i = 0; i < n; i++) differ |= keys[i] ^ keys[0];
    while (differ >> shift > 0xffffffffu) shift++;
    for (P i = 0; i < n; i++) a[i] = (keys[i] >> shift) << 32 | (uint64_t)i;
    quick_u64(a, n);
    if (shift)
        for (P i = 0, j; i < n; i = j) {
            for (j = i + 1; j < n && a[j] >> 32 == a[i] >> 32; j++)
                if (j - i == RUN) return 0;
            if (j - i == 1) continue;
            for (P k = i; k < j; k++) run[k - i] = (item_t){keys[(uint32_t)a[k]], (uint32_t)a[k]};
            sort_wide(run, other, j - i);
            for (P k = i; k < j; k++) a[k] = run[k - i].place;
        }
    return 1;
}
#endif

enum { WANT_INDICES, WANT_VALUES, WANT_MASK };
#define MOVE(T) for (i = 0; i < k; i++) ((T *)o)[i * step] = ((const T *)x)[PLACE(i) * step]; break
#define ONES(T, one) for (i = 0; i < k; i++) ((T *)o)[PLACE(i) * step] = one; break
#define PLACE(i) ((P)(wide ? ((const item_t *)a)[i].place : (uint32_t)((const uint64_t *)a)[i]))
static void put_values(const char *x, char *o, P k, P step, P item, int wide, const void *a) {
    P i;
    switch (item) {
    case 8: MOVE(uint64_t);
    case 4: MOVE(uint32_t);
    case 2: MOVE(uint16_t);
    default: MOVE(uint8_t);
    }
}
static void put_mask(char *o, P k, P step, int type, int wide, const void *a) {
    P i;
    switch (type) {
    case MX_F32: ONES(float, 1.0f);
    case MX_F64: ONES(double, 1.0);
    case MX_F16: ONES(uint16_t, 0x3c00);
    case MX_BF16: ONES(uint16_t, 0x3f80);
    case MX_I32: ONES(int32_t, 1);
    case MX_I64: ONES(int64_t, 1);
    default: ONES(uint8_t, 1);
    }
}
static void put_indices(mxnd_tensor *out, P at, P k, P step, int wide, const void *a) {
    int64_t place[BLOCK];
    if (out->type == MX_F32 && step == 1 && !wide) {
        for (P i = 0; i < k; i++) ((float *)out->data)[at + i] = (float)(uint32_t)((const uint64_t *)a)[i];
        return;
    }
    for (P i = 0; i < k; i += BLOCK) {
        P m = k - i < BLOCK ? k - i : BLOCK;
        for (P j = 0; j < m; j++) place[j] = PLACE(i + j);
        if (step == 1) store_i(place, m, out->data, at + i, out->type);
        else for (P j = 0; j < m; j++) store_i(place + j, 1, out->data, at + (i + j) * step, out->type);
    }
}
#undef MOVE
#undef ONES
#undef PLACE

/* Places first..last of the [outer, inner] ones: sort, and store what is wanted (places: NULL or indices as well). */
static void order_range(const mxnd_tensor *x, mxnd_tensor *out, mxnd_tensor *places, P n, P inner, P k, int flags, int want,
                        char *scratch, P first, P last) {
    P item = item_of(x->type);
    for (P i = first; i < last; i++) {
        P o = i / inner, j = i % inner, at = o * n * inner + j, to = o * k * inner + j;
        const char *row = x->data + at * item;
        char *other = scratch + order_room(x->type, n, k) / 2;
        int wide = is_wide(x->type, n);
#if HAVE_QUICK
        if (wide && n <= 0xffffffffLL && !is_few(n, k) &&
            tight(row, n, inner, x->type, flags, (uint64_t *)scratch, (uint64_t *)other))
            wide = 0;
        else
#endif
        if (wide) order_wide(row, n, inner, x->type, flags, k, (item_t *)scratch, (item_t *)other);
        else order_narrow(row, n, inner, x->type, flags, k, (uint64_t *)scratch, (uint64_t *)other);
        if (want == WANT_VALUES) put_values(row, out->data + to * item, k, inner, item, wide, scratch);
        if (want == WANT_INDICES) put_indices(out, to, k, inner, wide, scratch);
        if (want == WANT_MASK) put_mask(out->data + at * item, k, inner, out->type, wide, scratch);
        if (places) put_indices(places, to, k, inner, wide, scratch);
    }
}
#endif
