/* The largest number of every window together with its place, which is what max pooling needs to know of its data later
 * on; for one element type T.  A place counts the window's elements, padding included, as a number of type T. */

/* A plane of quarters() that fill it.  Of equal numbers the first counts, line by line. */
static inline void POOL(quarter_places)(const pool_geometry *g, const T *x, T *y, T *place)
{
    T some[QUARTERS];
    T low[QUARTERS];
    const ptrdiff_t wide = g->in[2], lines = pool_volume(g->out) / g->out[2], each = QUARTERS / wide;
    for (ptrdiff_t l = 0, n; l < lines; l += n) {
        n = lines - l < each ? lines - l : each;
        for (ptrdiff_t k = 0; k < n; k++, x += 2 * wide) {
            T *to = some + k * wide;
            T *at = low + k * wide;
#pragma omp simd
            for (ptrdiff_t i = 0; i < wide; i++) {
                const T a = x[i], b = x[wide + i], m = a > LOWEST ? a : LOWEST;
                to[i] = b > m ? b : m;
                at[i] = b > m ? 2 : 0;
            }
        }
        const ptrdiff_t count = n * g->out[2];
#pragma omp simd
        for (ptrdiff_t o = 0; o < count; o++) {
            const T a = some[2 * o], b = some[2 * o + 1];
            const T p = low[2 * o], q = low[2 * o + 1];
            T at = b == a && p > q ? q + 1 : p;
            at = b > a ? q + 1 : at;
            y[o] = b > a ? b : a;
            place[o] = y[o] > LOWEST ? at : NO_PLACE;
        }
        y += count, place += count;
    }
}

/* Any plane, window line by window line. */
static void POOL(line_places)(const pool_geometry *g, const T *x, T *y, T *place)
{
    const ptrdiff_t out = g->out[2], s = g->str[2];
    for (ptrdiff_t oz = 0; oz < g->out[0]; oz++)
        for (ptrdiff_t oy = 0; oy < g->out[1]; oy++, y += out, place += out) {
            ptrdiff_t z0, z1, y0, y1;
            pool_window(g, 0, oz, &z0, &z1);
            pool_window(g, 1, oy, &y0, &y1);
            for (ptrdiff_t o = 0; o < out; o++)
                y[o] = LOWEST, place[o] = NO_PLACE;
            for (ptrdiff_t z = z0; z < z1; z++)
                for (ptrdiff_t v = y0; v < y1; v++)
                    for (ptrdiff_t k = 0; k < g->ker[2]; k++) {
                        const ptrdiff_t u = z - oz * g->str[0] + g->pad[0], w = v - oy * g->str[1] + g->pad[1];
                        const T here = (T)((u * g->ker[1] + w) * g->ker[2] + k);
                        const T *from = x + (z * g->in[1] + v) * g->in[2] + k - g->pad[2];
                        ptrdiff_t first, last;
                        pool_span(g, k, &first, &last);
#pragma omp simd
                        for (ptrdiff_t o = first; o < last; o++) {
                            const T number = from[o * s];
                            place[o] = number > y[o] ? here : place[o];
                            y[o] = number > y[o] ? number : y[o];
                        }
                    }
        }
}

static inline int POOL(whole_quarters)(const pool_geometry *g)
{
    const ptrdiff_t ov = pool_volume(g->out);
    return ov > 0 && POOL(quarters)(g) && pool_volume(g->in) == 4 * ov && g->in[2] <= QUARTERS;
}

/* y and places of g->outer planes of x. */
static inline void POOL(places)(const pool_geometry *g, const T *x, T *y, T *place)
{
    const ptrdiff_t iv = pool_volume(g->in), ov = pool_volume(g->out);
    const int quick = POOL(whole_quarters)(g);
    for (ptrdiff_t i = 0; i < g->outer; i++, x += iv, y += ov, place += ov)
        quick ? POOL(quarter_places)(g, x, y, place) : POOL(line_places)(g, x, y, place);
}

/* w windows of a quick plane side by side: lines are often shorter than a vector, so the length is known to the compiler. */
static inline __attribute__((always_inline)) void POOL(quarter_put)(const T *grad, const T *place, T *dx, ptrdiff_t wide, const int w)
{
    T *under = dx + wide;
#pragma omp simd
    for (int o = 0; o < w; o++) {
        const T g = grad[o], at = place[o];
        dx[2 * o] = at == 0 ? g : 0;
        dx[2 * o + 1] = at == 1 ? g : 0;
        under[2 * o] = at == 2 ? g : 0;
        under[2 * o + 1] = at == 3 ? g : 0;
    }
}

static inline void POOL(quarter_spread)(const T *grad, const T *place, T *dx, ptrdiff_t n, ptrdiff_t wide)
{
    ptrdiff_t o = 0;
    for (; o + 16 <= n; o += 16)
        POOL(quarter_put)(grad + o, place + o, dx + 2 * o, wide, 16);
    for (; o + 4 <= n; o += 4)
        POOL(quarter_put)(grad + o, place + o, dx + 2 * o, wide, 4);
    for (; o < n; o++)
        POOL(quarter_put)(grad + o, place + o, dx + 2 * o, wide, 1);
}

/* Where a place of window (oz, oy, ox) lies in its plane, -1 if it does not. */
static inline ptrdiff_t POOL(place_at)(const pool_geometry *g, ptrdiff_t oz, ptrdiff_t oy, ptrdiff_t ox, T number)
{
    if (!(number >= 0 && number < (T)pool_volume(g->ker)))
        return -1;
    const ptrdiff_t place = (ptrdiff_t)number;
    const ptrdiff_t z = oz * g->str[0] - g->pad[0] + place / (g->ker[1] * g->ker[2]);
    const ptrdiff_t v = oy * g->str[1] - g->pad[1] + place / g->ker[2] % g->ker[1], u = ox * g->str[2] - g->pad[2] + place % g->ker[2];
    return z < 0 || z >= g->in[0] || v < 0 || v >= g->in[1] || u < 0 || u >= g->in[2] ? -1 : (z * g->in[1] + v) * g->in[2] + u;
}

/* dx, g->outer planes: every number of grad at its place, zeros elsewhere; or, where dx is NULL, y from the places of h. */
static inline void POOL(place_move)(const pool_geometry *g, const T *place, const T *grad, T *dx, const T *h, T *y)
{
    const ptrdiff_t iv = pool_volume(g->in), out = g->out[2];
    const int quick = dx && POOL(whole_quarters)(g);
    for (ptrdiff_t i = 0; i < g->outer; i++) {
        T *plane = dx ? dx + i * iv : NULL;
        const T *from = h ? h + i * iv : NULL;
        if (dx && !quick)
            memset(plane, 0, (size_t)iv * sizeof(T));
        for (ptrdiff_t oz = 0; oz < g->out[0]; oz++)
            for (ptrdiff_t oy = 0; oy < g->out[1]; oy++) {
                if (quick) {
                    POOL(quarter_spread)(grad, place, plane + (oz * g->out[1] + oy) * 2 * g->in[2], out, g->in[2]);
                    grad += out, place += out;
                    continue;
                }
                for (ptrdiff_t ox = 0; ox < out; ox++, place++) {
                    const ptrdiff_t at = POOL(place_at)(g, oz, oy, ox, *place);
                    if (!dx)
                        *y++ = at < 0 ? 0 : from[at];
                    else {
                        if (at >= 0)
                            plane[at] += *grad;
                        grad++;
                    }
                }
            }
    }
}
