/* Pooling for one element type T; see pooling.h. */

static inline T POOL(raised)(T x, ptrdiff_t power) { return power == 1 ? x : power == 2 ? x * x : x * x * x; }
static inline T POOL(root)(T x, ptrdiff_t power)
{
    return power == 1 ? x : power == 2 ? (T)sqrt((double)x) : (T)cbrt((double)x);
}

/* to[i] = the combination of from[i], i < n, with what is there. */
static inline void POOL(combine)(ptrdiff_t kind, ptrdiff_t power, T *to, const T *from, ptrdiff_t n)
{
    if (kind == POOL_MAX) {
#pragma omp simd
        for (ptrdiff_t i = 0; i < n; i++)
            to[i] = from[i] > to[i] ? from[i] : to[i];
    } else if (kind == POOL_LP && power > 1) {
#pragma omp simd
        for (ptrdiff_t i = 0; i < n; i++)
            to[i] += power == 2 ? from[i] * from[i] : from[i] * from[i] * from[i];
    } else {
#pragma omp simd
        for (ptrdiff_t i = 0; i < n; i++)
            to[i] += from[i];
    }
}

/* to[o] = combination of row[o * s + k] for k < ker.  A NaN is no largest number, wherever it stands. */
static inline __attribute__((always_inline)) void POOL(across)(int max, const ptrdiff_t ker, const ptrdiff_t s, const T *row,
                                                               T *to, ptrdiff_t n)
{
#pragma omp simd
    for (ptrdiff_t o = 0; o < n; o++) {
        T m = max && !(row[o * s] > LOWEST) ? LOWEST : row[o * s];
        for (ptrdiff_t k = 1; k < ker; k++) {
            T v = row[o * s + k];
            m = max ? (v > m ? v : m) : m + v;
        }
        to[o] = m;
    }
}

static void POOL(across_any)(int max, ptrdiff_t ker, ptrdiff_t s, const T *row, T *to, ptrdiff_t n)
{
    if (ker == 2 && s == 2)
        max ? POOL(across)(1, 2, 2, row, to, n) : POOL(across)(0, 2, 2, row, to, n);
    else if (ker == 3 && s == 2)
        max ? POOL(across)(1, 3, 2, row, to, n) : POOL(across)(0, 3, 2, row, to, n);
    else if (ker == 3 && s == 1)
        max ? POOL(across)(1, 3, 1, row, to, n) : POOL(across)(0, 3, 1, row, to, n);
    else
        for (ptrdiff_t o = 0; o < n; o++) {
            T m = max && !(row[o * s] > LOWEST) ? LOWEST : row[o * s];
            for (ptrdiff_t k = 1; k < ker; k++) {
                T v = row[o * s + k];
                m = max ? (v > m ? v : m) : m + v;
            }
            to[o] = m;
        }
}

/* One plane, inner = 1: window rows are combined into one row (with what stands for padding at its ends), then
 * that row is combined across. */
static void POOL(plane)(const pool_geometry *g, const T *x, T *y, T *row)
{
    const ptrdiff_t wide = g->in[2], out = g->out[2], pad = g->pad[2], length = (out - 1) * g->str[2] + g->ker[2];
    const T none = g->kind == POOL_MAX ? LOWEST : 0;
    const ptrdiff_t use = wide < length - pad ? wide : length - pad;         /* columns of the data in any window */
    ptrdiff_t o[3];
    for (o[0] = 0; o[0] < g->out[0]; o[0]++)
        for (o[1] = 0; o[1] < g->out[1]; o[1]++, y += out) {
            ptrdiff_t z0, z1, y0, y1;
            pool_window(g, 0, o[0], &z0, &z1);
            pool_window(g, 1, o[1], &y0, &y1);
            const int whole = !pad && use == length;
            const T *from = row;
            if (whole && z1 - z0 == 1 && y1 - y0 == 1 && (g->kind != POOL_LP || g->power == 1))
                from = x + (z0 * g->in[1] + y0) * wide;
            else {
                for (ptrdiff_t i = 0; i < length; i++)
                    row[i] = none;
                for (ptrdiff_t z = z0; z < z1; z++)
                    for (ptrdiff_t v = y0; v < y1; v++)
                        if (use > 0)
                            POOL(combine)(g->kind, g->power, row + pad, x + (z * g->in[1] + v) * wide, use);
            }
            POOL(across_any)(g->kind == POOL_MAX, g->ker[2], g->str[2], from, y, out);
            if (g->kind == POOL_AVG) {
                const ptrdiff_t rows = pool_count(g, 0, o[0]) * pool_count(g, 1, o[1]);
                for (ptrdiff_t i = 0; i < out; i++) {
                    const ptrdiff_t count = rows * pool_count(g, 2, i);
                    y[i] = count > 0 ? y[i] / (T)count : 0;
                }
            } else if (g->kind == POOL_LP)
                for (ptrdiff_t i = 0; i < out; i++)
                    y[i] = POOL(root)(y[i], g->power);
            else if (g->kind == POOL_MAX && g->old)
                for (o[2] = 0; o[2] < out; o[2]++)
                    if (pool_clipped(g, o) && !(y[o[2]] > 0))
                        y[o[2]] = 0;
        }
}

/* One image with channels last. */
static void POOL(channels)(const pool_geometry *g, const T *x, T *y)
{
    const ptrdiff_t n = g->inner;
    const T none = g->kind == POOL_MAX ? LOWEST : 0;
    ptrdiff_t o[3], a[3], b[3];
    for (o[0] = 0; o[0] < g->out[0]; o[0]++)
        for (o[1] = 0; o[1] < g->out[1]; o[1]++)
            for (o[2] = 0; o[2] < g->out[2]; o[2]++, y += n) {
                ptrdiff_t count = 1;
                for (int i = 0; i < 3; i++) {
                    pool_window(g, i, o[i], a + i, b + i);
                    count *= pool_count(g, i, o[i]);
                }
                for (ptrdiff_t i = 0; i < n; i++)
                    y[i] = none;
                for (ptrdiff_t z = a[0]; z < b[0]; z++)
                    for (ptrdiff_t v = a[1]; v < b[1]; v++)
                        for (ptrdiff_t u = a[2]; u < b[2]; u++)
                            POOL(combine)(g->kind, g->power, y, x + ((z * g->in[1] + v) * g->in[2] + u) * n, n);
                for (ptrdiff_t i = 0; i < n; i++)
                    if (g->kind == POOL_AVG)
                        y[i] = count > 0 ? y[i] / (T)count : 0;
                    else if (g->kind == POOL_LP)
                        y[i] = POOL(root)(y[i], g->power);
            }
}

/* Whether windows are 2x2, two apart, and none of them is cut off. */
static inline int POOL(quarters)(const pool_geometry *g)
{
    return g->inner == 1 && !g->old && g->ker[0] == 1 && g->str[0] == 1 && g->ker[1] == 2 && g->ker[2] == 2 && g->str[1] == 2
        && g->str[2] == 2 && !g->pad[0] && !g->pad[1] && !g->pad[2] && g->out[0] <= g->in[0] && 2 * g->out[1] <= g->in[1]
        && 2 * g->out[2] <= g->in[2];
}

/* A plane of such windows, which fill it: pairs of lines are combined, some at a time, and then neighbours.  Both loops
 * are long, although the lines may be shorter than a vector. */
static inline __attribute__((always_inline)) void POOL(quarter_plane)(const int max, const pool_geometry *g, const T *x, T *y)
{
    T some[QUARTERS];
    const ptrdiff_t wide = g->in[2], lines = pool_volume(g->out) / g->out[2], each = QUARTERS / wide;
    const T by = (T)(g->kind == POOL_AVG ? 0.25 : 1);
    for (ptrdiff_t l = 0, n; l < lines; l += n) {
        n = lines - l < each ? lines - l : each;
        T *to = some;
        for (ptrdiff_t k = 0; k < n; k++, x += 2 * wide, to += wide) {
#pragma omp simd
            for (ptrdiff_t i = 0; i < wide; i++) {
                const T a = x[i], b = x[wide + i], m = a > LOWEST ? a : LOWEST;
                to[i] = max ? (b > m ? b : m) : a + b;
            }
        }
#pragma omp simd
        for (ptrdiff_t o = 0; o < n * g->out[2]; o++) {
            const T a = some[2 * o], b = some[2 * o + 1];
            y[o] = max ? (b > a ? b : a) : (a + b) * by;
        }
        y += n * g->out[2];
    }
}

static inline int POOL(forward)(mxnd_call *call, const pool_geometry *g, const T *x, T *y)
{
    const int threads = pool_threads(g, call->threads);
    const ptrdiff_t iv = pool_volume(g->in) * g->inner, ov = pool_volume(g->out) * g->inner;
    ptrdiff_t length = (g->out[2] - 1) * g->str[2] + g->ker[2] + g->in[2] + 16;
    T *rows = call->take((size_t)(length * threads) * sizeof(T));
    if (!rows)
        return MX_MEMORY_ERROR;
    const int quarters = ov > 0 && POOL(quarters)(g) && g->kind != POOL_LP && iv == 4 * ov && g->in[2] <= QUARTERS;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (ptrdiff_t i = 0; i < g->outer; i++) {
        if (quarters && g->kind == POOL_MAX)
            POOL(quarter_plane)(1, g, x + i * iv, y + i * ov);
        else if (quarters)
            POOL(quarter_plane)(0, g, x + i * iv, y + i * ov);
        else if (g->inner == 1)
            POOL(plane)(g, x + i * iv, y + i * ov, rows + length * omp_get_thread_num());
        else
            POOL(channels)(g, x + i * iv, y + i * ov);
    }
    call->give(rows);
    return MX_OK;
}

/* Where the largest number of every window of an output row lies in its plane (the first of equals), -1 for none. */
static inline __attribute__((always_inline)) void POOL(locate_row)(const pool_geometry *g, const ptrdiff_t s, const T *x,
                                                                   ptrdiff_t oz, ptrdiff_t oy, T *best, int32_t *at)
{
    ptrdiff_t z0, z1, y0, y1;
    pool_window(g, 0, oz, &z0, &z1);
    pool_window(g, 1, oy, &y0, &y1);
    for (ptrdiff_t o = 0; o < g->out[2]; o++)
        best[o] = LOWEST, at[o] = -1;
    for (ptrdiff_t z = z0; z < z1; z++)
        for (ptrdiff_t y = y0; y < y1; y++)
            for (ptrdiff_t k = 0; k < g->ker[2]; k++) {
                ptrdiff_t from, to;
                pool_span(g, k, &from, &to);
                const ptrdiff_t base = (z * g->in[1] + y) * g->in[2] + k - g->pad[2];
#pragma omp simd
                for (ptrdiff_t o = from; o < to; o++) {
                    const T v = x[base + o * s];
                    const int more = v > best[o];
                    best[o] = more ? v : best[o];
                    at[o] = more ? (int32_t)(base + o * s) : at[o];
                }
            }
}

static void POOL(locate)(const pool_geometry *g, const T *x, ptrdiff_t oz, ptrdiff_t oy, T *best, int32_t *at)
{
    if (g->str[2] == 2)
        POOL(locate_row)(g, 2, x, oz, oy, best, at);
    else if (g->str[2] == 1)
        POOL(locate_row)(g, 1, x, oz, oy, best, at);
    else
        POOL(locate_row)(g, g->str[2], x, oz, oy, best, at);
}

/* Every position of x whose number is that of the window o (channel c): spread g to them, or gather h from them.
 * For channels last and for Pooling_v1, where all of them count. */
static T POOL(each)(const pool_geometry *g, const T *x, const ptrdiff_t *o, ptrdiff_t c, T spread, T *dx, const T *h)
{
    ptrdiff_t a[3], b[3], place = -1;
    T best = g->old && pool_clipped(g, o) ? 0 : LOWEST, sum = 0;
    for (int i = 0; i < 3; i++)
        pool_window(g, i, o[i], a + i, b + i);
    for (int pass = 0; pass < 2; pass++)
        for (ptrdiff_t z = a[0]; z < b[0]; z++)
            for (ptrdiff_t v = a[1]; v < b[1]; v++)
                for (ptrdiff_t u = a[2]; u < b[2]; u++) {
                    const ptrdiff_t at = ((z * g->in[1] + v) * g->in[2] + u) * g->inner + c;
                    if (!pass && x[at] > best)
                        best = x[at], place = at;
                    else if (pass && (g->old ? x[at] == best : at == place)) {
                        if (dx)
                            dx[at] += spread;
                        else
                            sum += h[at];
                    }
                }
    return sum;
}

/* w windows of quarters() side by side: the first of the largest numbers gets the gradient, the others get 0. */
static inline __attribute__((always_inline)) void POOL(quarter_some)(const T *x, const T *grad, T *dx, ptrdiff_t line, const int w)
{
    const T *below = x + line;
    T *under = dx + line;
#pragma omp simd
    for (int o = 0; o < w; o++) {
        const T a = x[2 * o], b = x[2 * o + 1], c = below[2 * o], d = below[2 * o + 1], g = grad[o];
        T best = a > LOWEST ? a : LOWEST, to_a = a > LOWEST ? g : 0, to_b = b > best ? g : 0;
        to_a = b > best ? 0 : to_a;
        best = b > best ? b : best;
        T to_c = c > best ? g : 0;
        to_a = c > best ? 0 : to_a;
        to_b = c > best ? 0 : to_b;
        best = c > best ? c : best;
        dx[2 * o] = d > best ? 0 : to_a;
        dx[2 * o + 1] = d > best ? 0 : to_b;
        under[2 * o] = d > best ? 0 : to_c;
        under[2 * o + 1] = d > best ? g : 0;
    }
}

/* A row of them: rows are often shorter than a vector, so the lengths are known to the compiler. */
static inline void POOL(quarter_row)(const T *x, const T *grad, T *dx, ptrdiff_t n, ptrdiff_t line)
{
    ptrdiff_t o = 0;
    for (; o + 16 <= n; o += 16)
        POOL(quarter_some)(x + 2 * o, grad + o, dx + 2 * o, line, 16);
    for (; o + 8 <= n; o += 8)
        POOL(quarter_some)(x + 2 * o, grad + o, dx + 2 * o, line, 8);
    for (; o + 4 <= n; o += 4)
        POOL(quarter_some)(x + 2 * o, grad + o, dx + 2 * o, line, 4);
    for (; o < n; o++)
        POOL(quarter_some)(x + 2 * o, grad + o, dx + 2 * o, line, 1);
}

/* dx gets g at the largest number of every window (h is NULL), or y gets h from there (dx is NULL). */
static inline int POOL(max_move)(mxnd_call *call, const pool_geometry *g, const T *x, const T *grad, T *dx, const T *h, T *y)
{
    const int threads = pool_threads(g, call->threads);
    const ptrdiff_t iv = pool_volume(g->in) * g->inner, ov = pool_volume(g->out) * g->inner, wide = (g->out[2] + 15) / 16 * 16;
    char *rows = call->take((size_t)(wide * threads) * (sizeof(T) + sizeof(int32_t)));
    if (!rows)
        return MX_MEMORY_ERROR;
    const int quarters = dx && POOL(quarters)(g), by_row = g->inner == 1 && !g->old && iv < INT32_MAX;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (ptrdiff_t i = 0; i < g->outer; i++) {
        T *best = (T *)(rows + (size_t)(omp_get_thread_num() * wide) * (sizeof(T) + sizeof(int32_t)));
        int32_t *at = (int32_t *)(best + wide);
        const T *xi = x + i * iv, *hi = h ? h + i * iv : NULL;
        T *di = dx ? dx + i * iv : NULL;
        ptrdiff_t o[3], q = i * ov;
        if (dx && !(quarters && pool_volume(g->in) == 4 * pool_volume(g->out)))
            memset(di, 0, (size_t)iv * sizeof(T));
        if (quarters) {
            for (o[0] = 0; o[0] < g->out[0]; o[0]++)
                for (o[1] = 0; o[1] < g->out[1]; o[1]++, q += g->out[2]) {
                    const ptrdiff_t from = (o[0] * g->in[1] + 2 * o[1]) * g->in[2];
                    POOL(quarter_row)(xi + from, grad + q, di + from, g->out[2], g->in[2]);
                }
            continue;
        }
        for (o[0] = 0; o[0] < g->out[0]; o[0]++)
            for (o[1] = 0; o[1] < g->out[1]; o[1]++) {
                if (by_row) {
                    POOL(locate)(g, xi, o[0], o[1], best, at);
                    for (ptrdiff_t k = 0; k < g->out[2]; k++, q++)
                        if (dx) {
                            if (at[k] >= 0)
                                di[at[k]] += grad[q];
                        } else
                            y[q] = at[k] >= 0 ? hi[at[k]] : 0;
                    continue;
                }
                for (o[2] = 0; o[2] < g->out[2]; o[2]++)
                    for (ptrdiff_t c = 0; c < g->inner; c++, q++) {
                        const T got = POOL(each)(g, xi, o, c, dx ? grad[q] : 0, di, hi);
                        if (!dx)
                            y[q] = got;
                    }
            }
    }
    call->give(rows);
    return MX_OK;
}

/* w numbers of a line of grad to the windows of quarters() side by side. */
static inline __attribute__((always_inline)) void POOL(quarter_fill)(const T *grad, T scale, T *dx, ptrdiff_t line, const int w)
{
    T *under = dx + line;
#pragma omp simd
    for (int o = 0; o < w; o++) {
        const T g = grad[o] * scale;
        dx[2 * o] = g, dx[2 * o + 1] = g;
        under[2 * o] = g, under[2 * o + 1] = g;
    }
}

/* A plane of such windows, which fill it. */
static inline void POOL(quarter_fills)(const pool_geometry *g, const T *grad, T *dx)
{
    const T scale = (T)(g->kind == POOL_AVG ? 0.25 : 1);
    const ptrdiff_t n = g->out[2], lines = pool_volume(g->out) / n;
    for (ptrdiff_t l = 0; l < lines; l++, grad += n, dx += 2 * g->in[2]) {
        ptrdiff_t o = 0;
        for (; o + 16 <= n; o += 16)
            POOL(quarter_fill)(grad + o, scale, dx + 2 * o, g->in[2], 16);
        for (; o + 4 <= n; o += 4)
            POOL(quarter_fill)(grad + o, scale, dx + 2 * o, g->in[2], 4);
        for (; o < n; o++)
            POOL(quarter_fill)(grad + o, scale, dx + 2 * o, g->in[2], 1);
    }
}

/* The adjoint of sum and avg: every number of the output goes to its whole window. */
static inline int POOL(sum_back)(mxnd_call *call, const pool_geometry *g, const T *grad, T *dx)
{
    const int threads = pool_threads(g, call->threads);
    const ptrdiff_t n = g->inner, iv = pool_volume(g->in) * n, ov = pool_volume(g->out) * n, line = g->in[2] * n;
    T *rows = call->take((size_t)(line * threads) * sizeof(T) + 64);
    if (!rows)
        return MX_MEMORY_ERROR;
    const int quarters = ov > 0 && POOL(quarters)(g) && iv == 4 * ov;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (ptrdiff_t i = 0; i < g->outer; i++) {
        if (quarters) {
            POOL(quarter_fills)(g, grad + i * ov, dx + i * iv);
            continue;
        }
        T *row = rows + line * omp_get_thread_num(), *di = dx + i * iv;
        const T *gi = grad + i * ov;
        memset(di, 0, (size_t)iv * sizeof(T));
        for (ptrdiff_t oz = 0; oz < g->out[0]; oz++)
            for (ptrdiff_t oy = 0; oy < g->out[1]; oy++) {
                ptrdiff_t z0, z1, y0, y1;
                const ptrdiff_t count = pool_count(g, 0, oz) * pool_count(g, 1, oy);
                memset(row, 0, (size_t)line * sizeof(T));
                for (ptrdiff_t ox = 0; ox < g->out[2]; ox++, gi += n) {
                    ptrdiff_t x0, x1, all = count * pool_count(g, 2, ox);
                    const T scale = g->kind == POOL_AVG ? (all > 0 ? 1 / (T)all : 0) : 1;
                    pool_window(g, 2, ox, &x0, &x1);
                    for (ptrdiff_t u = x0; u < x1; u++)
                        for (ptrdiff_t c = 0; c < n; c++)
                            row[u * n + c] += gi[c] * scale;
                }
                pool_window(g, 0, oz, &z0, &z1);
                pool_window(g, 1, oy, &y0, &y1);
                for (ptrdiff_t z = z0; z < z1; z++)
                    for (ptrdiff_t y = y0; y < y1; y++) {
                        T *to = di + (z * g->in[1] + y) * line;
#pragma omp simd
                        for (ptrdiff_t u = 0; u < line; u++)
                            to[u] += row[u];
                    }
            }
    }
    call->give(rows);
    return MX_OK;
}
