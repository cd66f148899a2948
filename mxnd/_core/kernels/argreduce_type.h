/* Positions of extremes for one element type; included by argreduce.h with T, W (a whole number as wide), N, FLOATING
   and the names of the row reductions.  The first of equal elements wins; NaN counts as the extreme. */
#if FLOATING
#define IS_NAN(v) ((v) != (v))
#else
#define IS_NAN(v) 0
#endif
#define ARG(name, CMP) \
static P N(arg##name##_row)(const T *x, P n) { \
    T best = x[0]; \
    P place = 0; \
    if (n < 16 || IS_NAN(best)) { \
        for (P i = 1; i < n && !IS_NAN(best); i++) \
            if (x[i] CMP best || IS_NAN(x[i])) best = x[i], place = i; \
        return place; \
    } \
    for (P at = 0; at < n; at += 4096) { \
        T e = (T)N(name##_row)(x + at, n - at < 4096 ? n - at : 4096); \
        if (at && !(e CMP best) && !IS_NAN(e)) continue; \
        best = e, place = at; \
        if (IS_NAN(e)) break; \
    } \
    for (; !IS_NAN(best) && place + 64 <= n; place += 64) { \
        int found = 0; \
        for (int j = 0; j < 64; j++) found |= x[place + j] == best; \
        if (found) break; \
    } \
    while (IS_NAN(best) ? !IS_NAN(x[place]) : x[place] != best) place++; \
    return place; \
} \
static void N(arg##name##_cols)(const T *x, P n, P stride, P k, int64_t *place) { \
    enum { ROWS = 1 << 30 }; \
    for (P c = 0; c < k; c += 256) { \
        T best[256]; \
        P w = k - c < 256 ? k - c : 256; \
        for (P j = 0; j < w; j++) best[j] = x[c + j], place[c + j] = 0; \
        for (P at = 0; at < n; at += ROWS) { \
            W where[256]; \
            P m = n - at < ROWS ? n - at : ROWS; \
            for (P j = 0; j < w; j++) where[j] = -1; \
            for (P i = 0; i < m; i++) { \
                const T *p = x + (at + i) * stride + c; \
                W row = (W)i; \
                PRAGMA(omp simd) \
                for (P j = 0; j < w; j++) { \
                    T v = p[j], b = best[j]; \
                    int take = (v CMP b) | (IS_NAN(v) & !IS_NAN(b)); \
                    where[j] = take ? row : where[j]; \
                    best[j] = take ? v : b; \
                } \
            } \
            for (P j = 0; j < w; j++) if (where[j] >= 0) place[c + j] = at + where[j]; \
        } \
    } \
}
ARG(max, >)
ARG(min, <)
#undef ARG
#undef IS_NAN
#undef T
#undef W
#undef N
#undef FLOATING
