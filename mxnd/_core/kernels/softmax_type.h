/* Softmax loops for one element type; included by softmax.h with T and N.  Places are the [outer, inner] positions of
   an array [outer, n, inner]; with inner > 1 neighbouring places are worked on side by side.  x is multiplied by scale
   first.  Sums go over blocks in T, and over all blocks in double. */

/* exp(scale x) / sum or its logarithm for one contiguous row. */
static void N(softmax_row)(const T *x, T *o, P n, T scale, int log) {
    T top = -(T)INFINITY, least = (T)INFINITY;
    double sum = 0;
    if (scale < 0) {
        PRAGMA(omp simd reduction(min:least))
        for (P i = 0; i < n; i++) least = x[i] < least ? x[i] : least;
        top = least * scale;
    } else {
        PRAGMA(omp simd reduction(max:top))
        for (P i = 0; i < n; i++) top = x[i] > top ? x[i] : top;
        top *= scale;
    }
    for (P at = 0; at < n; at += 4096) {
        P end = n - at < 4096 ? n : at + 4096;
        T s = 0;
        if (log) {
            PRAGMA(omp simd reduction(+:s))
            for (P i = at; i < end; i++) s += m_exp(x[i] * scale - top);
        } else {
            PRAGMA(omp simd reduction(+:s))
            for (P i = at; i < end; i++) {
                T e = m_exp(x[i] * scale - top);
                o[i] = e;
                s += e;
            }
        }
        sum += (double)s;
    }
    if (log) {
        T l = m_log((T)sum);
        PRAGMA(omp simd)
        for (P i = 0; i < n; i++) o[i] = (x[i] * scale - top) - l;
    } else {
        T f = (T)(1 / sum);
        PRAGMA(omp simd)
        for (P i = 0; i < n; i++) o[i] *= f;
    }
}
/* Columns; o may be x. */
static void N(softmax_cols)(const T *x, T *o, P n, P stride, P w, T scale, int log) {
    T top[TILE], last[TILE];
    double sum[TILE];
    for (P j = 0; j < w; j++) top[j] = x[j] * scale, sum[j] = 0;
    for (P i = 1; i < n; i++) {
        const T *p = x + i * stride;
        PRAGMA(omp simd)
        for (P j = 0; j < w; j++) {
            T v = p[j] * scale, m = top[j];
            top[j] = v > m ? v : m;
        }
    }
    for (P i = 0; i < n; i++) {
        const T *p = x + i * stride;
        T *q = o + i * stride;
        if (log)
            PRAGMA(omp simd)
            for (P j = 0; j < w; j++) sum[j] += (double)m_exp(p[j] * scale - top[j]);
        else
            PRAGMA(omp simd)
            for (P j = 0; j < w; j++) {
                T e = m_exp(p[j] * scale - top[j]);
                q[j] = e;
                sum[j] += (double)e;
            }
    }
    if (log) for (P j = 0; j < w; j++) last[j] = m_log((T)sum[j]);
    else for (P j = 0; j < w; j++) last[j] = (T)(1 / sum[j]);
    for (P i = 0; i < n; i++) {
        const T *p = x + i * stride;
        T *q = o + i * stride;
        if (log)
            PRAGMA(omp simd)
            for (P j = 0; j < w; j++) q[j] = (p[j] * scale - top[j]) - last[j];
        else
            PRAGMA(omp simd)
            for (P j = 0; j < w; j++) q[j] *= last[j];
    }
}

/* The gradient for a row, from the head gradient g and the result y. */
static void N(backward_row)(const T *g, const T *y, T *o, P n, T scale, int log) {
    double sum = 0;
    for (P at = 0; at < n; at += 4096) {
        P end = n - at < 4096 ? n : at + 4096;
        T s = 0;
        if (log) {
            PRAGMA(omp simd reduction(+:s))
            for (P i = at; i < end; i++) s += g[i];
        } else {
            PRAGMA(omp simd reduction(+:s))
            for (P i = at; i < end; i++) s += g[i] * y[i];
        }
        sum += (double)s;
    }
    T s = (T)sum;
    if (log) {
        PRAGMA(omp simd)
        for (P i = 0; i < n; i++) o[i] = scale * (g[i] - m_exp(y[i]) * s);
    } else {
        PRAGMA(omp simd)
        for (P i = 0; i < n; i++) o[i] = scale * ((g[i] - s) * y[i]);
    }
}
static void N(backward_cols)(const T *g, const T *y, T *o, P n, P stride, P w, T scale, int log) {
    double sum[TILE];
    for (P j = 0; j < w; j++) sum[j] = 0;
    for (P i = 0; i < n; i++) {
        const T *p = g + i * stride, *q = y + i * stride;
        if (log)
            PRAGMA(omp simd)
            for (P j = 0; j < w; j++) sum[j] += (double)p[j];
        else
            PRAGMA(omp simd)
            for (P j = 0; j < w; j++) sum[j] += (double)(p[j] * q[j]);
    }
    for (P i = 0; i < n; i++) {
        const T *p = g + i * stride, *q = y + i * stride;
        T *r = o + i * stride;
        if (log)
            PRAGMA(omp simd)
            for (P j = 0; j < w; j++) r[j] = scale * (p[j] - m_exp(q[j]) * (T)sum[j]);
        else
            PRAGMA(omp simd)
            for (P j = 0; j < w; j++) r[j] = scale * ((p[j] - (T)sum[j]) * q[j]);
    }
}

/* Rows of a few elements are turned into columns first. */
static void N(turn)(const T *x, T *to, P n, P rows) {
    for (P j = 0; j < n; j++)
        for (P i = 0; i < rows; i++) to[j * ROWS + i] = x[i * n + j];
}
static void N(turn_back)(const T *x, T *to, P n, P rows) {
    for (P i = 0; i < rows; i++)
        for (P j = 0; j < n; j++) to[i * n + j] = x[j * ROWS + i];
}

/* Places first..last.  length: how many elements of each place count (the others become 0), or NULL. */
static void N(softmax_range)(const T *x, T *o, P n, P inner, T scale, int log, const int64_t *length, T *row, P first, P last) {
    P tile = n * (P)sizeof(T) <= CACHED ? TILE / 8 : TILE;
    for (P i = first; i < last; ) {
        P j = i % inner, at = i / inner * n * inner + j, m = 1;
        if (length) {
            P k = length[i] < 0 ? 0 : length[i] < n ? length[i] : n;
            for (P a = 0; a < k; a++) row[a] = x[at + a * inner];
            N(softmax_row)(row, row, k, scale, log);
            for (P a = 0; a < n; a++) o[at + a * inner] = a < k ? row[a] : 0;
        } else if (inner == 1 && n <= SHORT) {
            T turned[SHORT * ROWS];
            m = last - i < ROWS ? last - i : ROWS;
            N(turn)(x + at, turned, n, m);
            N(softmax_cols)(turned, turned, n, ROWS, m, scale, log);
            N(turn_back)(turned, o + at, n, m);
        } else if (inner == 1) {
            N(softmax_row)(x + at, o + at, n, scale, log);
        } else {
            m = last - i < inner - j ? last - i : inner - j;
            m = m < tile ? m : tile;
            N(softmax_cols)(x + at, o + at, n, inner, m, scale, log);
        }
        i += m;
    }
}
static void N(backward_range)(const T *g, const T *y, T *o, P n, P inner, T scale, int log, P first, P last) {
    P tile = n * (P)sizeof(T) <= CACHED ? TILE / 8 : TILE;
    for (P i = first; i < last; ) {
        P j = i % inner, at = i / inner * n * inner + j, m = 1;
        if (inner == 1 && n <= SHORT) {
            T head[SHORT * ROWS], result[SHORT * ROWS];
            m = last - i < ROWS ? last - i : ROWS;
            N(turn)(g + at, head, n, m);
            N(turn)(y + at, result, n, m);
            N(backward_cols)(head, result, head, n, ROWS, m, scale, log);
            N(turn_back)(head, o + at, n, m);
        } else if (inner == 1) {
            N(backward_row)(g + at, y + at, o + at, n, scale, log);
        } else {
            m = last - i < inner - j ? last - i : inner - j;
            m = m < tile ? m : tile;
            N(backward_cols)(g + at, y + at, o + at, n, inner, m, scale, log);
        }
        i += m;
    }
}
#undef T
#undef N
