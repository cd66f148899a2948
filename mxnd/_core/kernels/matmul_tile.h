/* The inner loop of the matrix product for one element type; part of matmul_type.h. */

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
