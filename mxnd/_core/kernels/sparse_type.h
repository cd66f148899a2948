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
        T s = 0;
        for (ptrdiff_t j = 0; j < count; j++) {
            if ((uint64_t)ix[j] >= (uint64_t)n) return 1;
            s += v[j] * b[ix[j]];
        }
        o[0] = s;
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

/* alpha a + beta b over the union of rows lo to hi of two csr matrices: the rows are packed one after the other from s[lo]. */
static void NAME(csr_union)(const T *v, const int64_t *ix, const int64_t *p, const T *u, const int64_t *iy, const int64_t *q,
                 ptrdiff_t lo,
                            ptrdiff_t hi, T alpha, T beta, int64_t *s, T *o, int64_t *oi) {
    ptrdiff_t k = s[lo];
    for (ptrdiff_t r = lo; r < hi; r++) {
        ptrdiff_t i = p[r], j = q[r], ni = p[r + 1], nj = q[r + 1];
        while (i < ni && j < nj) {             /* no branch on which side comes next: that is a coin toss */
            int64_t x = ix[i], y = iy[j];
            BITS left = -(BITS)(x <= y), right = -(BITS)(y <= x), a, b;
            T f = alpha * v[i], g = beta * u[j];
            memcpy(&a, &f, sizeof a), memcpy(&b, &g, sizeof b);
            a &= left, b &= right;
            memcpy(&f, &a, sizeof a), memcpy(&g, &b, sizeof b);
            o[k] = f + g;
            oi[k++] = x < y ? x : y;
            i += x <= y, j += y <= x;
        }
        for (; i < ni; i++, k++) o[k] = alpha * v[i], oi[k] = ix[i];
        for (; j < nj; j++, k++) o[k] = beta * u[j], oi[k] = iy[j];
        s[r + 1] = k;
    }
}

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

/* alpha a + beta b over the union of two sorted lists of rows. */
static void NAME(rows_union)(const T *v, const int64_t *ix, ptrdiff_t na, const T *u, const int64_t *iy, ptrdiff_t nb,
                 ptrdiff_t w, T alpha, T beta,
                             T *o, int64_t *oi, int threads) {
    if (threads > 8) threads = 8;
    ptrdiff_t from_a[9] = {0}, from_b[9] = {0}, to[9] = {0};
    int parts = 1;
    for (ptrdiff_t i = 0, j = 0, k = 0, t = 1;; k++) {      /* where each thread starts */
        if (t < threads && i + j >= (na + nb) * t / threads) from_a[t] = i, from_b[t] = j, to[t] = k, parts = (int)++t;
        if (i >= na && j >= nb) break;
        int left = i < na && (j >= nb || ix[i] <= iy[j]), right = j < nb && (i >= na || iy[j] <= ix[i]);
        oi[k] = left ? ix[i] : iy[j];
        i += left, j += right;
    }
    from_a[parts] = na, from_b[parts] = nb;
    #pragma omp parallel for num_threads(parts) if(parts > 1) schedule(static)
    for (int t = 0; t < parts; t++)
        for (ptrdiff_t i = from_a[t], j = from_b[t], k = to[t]; i < from_a[t + 1] || j < from_b[t + 1]; k++) {
            int left = i < na && ix[i] == oi[k], right = j < nb && iy[j] == oi[k];
            const T *a = v + i * w, *b = u + j * w;
            T *to_row = o + k * w;
            if (left && right) for (ptrdiff_t c = 0; c < w; c++) to_row[c] = alpha * a[c] + beta * b[c];
            else if (left) for (ptrdiff_t c = 0; c < w; c++) to_row[c] = alpha * a[c];
            else for (ptrdiff_t c = 0; c < w; c++) to_row[c] = beta * b[c];
            i += left, j += right;
        }
}

/* Rows of g added up by their numbers, into the rows that the map names. */
static void NAME(rows_gather)(const T *g, const int64_t *ids, ptrdiff_t count, ptrdiff_t n, ptrdiff_t w, const uint64_t *bits,
                 const int64_t *ranks,
                              ptrdiff_t rows, T *o, int threads) {
    if (threads > n) threads = n > 0 ? (int)n : 1;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (int t = 0; t < threads; t++) {
        ptrdiff_t lo = n * t / threads, hi = n * (t + 1) / threads;
        ptrdiff_t first = rank_of(bits, ranks, lo), last = t + 1 == threads ? rows : rank_of(bits, ranks, hi);
        memset(o + first * w, 0, (last - first) * w * sizeof(T));
        for (ptrdiff_t j = 0; j < count; j++)
            if (ids[j] >= lo && ids[j] < hi && bits[ids[j] >> 6] >> (ids[j] & 63) & 1) NAME(add_row)(o + rank_of(bits, ranks,
                ids[j]) * w, 1, g + j * w, w);
    }
}

static int NAME(rows_scale)(const T *v, const int64_t *ix, ptrdiff_t count, ptrdiff_t m, ptrdiff_t w, const T *d, int divide, T *o) {
    for (ptrdiff_t k = 0; k < count; k++) {
        if ((uint64_t)ix[k] >= (uint64_t)m) return 1;
        const T *a = v + k * w, *b = d + ix[k] * w;
        T *to = o + k * w;
        if (divide) for (ptrdiff_t c = 0; c < w; c++) to[c] = a[c] / b[c];
        else for (ptrdiff_t c = 0; c < w; c++) to[c] = a[c] * b[c];
    }
    return 0;
}

static int NAME(rows_onto)(const T *v, const int64_t *ix, ptrdiff_t count, ptrdiff_t m, ptrdiff_t w, const T *d, T alpha, T beta,
                T *o, int threads) {
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t r = 0; r < m; r++)
        for (ptrdiff_t k = r * w; k < (r + 1) * w; k++) o[k] = alpha * d[k];
    for (ptrdiff_t k = 0; k < count; k++) {
        if ((uint64_t)ix[k] >= (uint64_t)m) return 1;
        NAME(add_row)(o + ix[k] * w, beta, v + k * w, w);
    }
    return 0;
}

/* One step of an optimizer on the named rows.  a: weight, gradient, states; at: where each row of the gradient lies in the
   weight and in each state.  Narrow rows are gathered, so that a step sees many at once. */
static int NAME(rows_step)(int code, T **a, const int64_t **at, const ptrdiff_t *lengths, ptrdiff_t count, ptrdiff_t w,
                const double *d, int threads) {
    int arrays = STEPS[code].states + 2, bad = 0;
    for (int k = 0; k < arrays; k++)
        if (k != 1) for (ptrdiff_t r = 0; r < count; r++) bad |= (uint64_t)at[k][r] >= (uint64_t)lengths[k];
    if (bad) return 1;
    ptrdiff_t group = w < 64 ? STRETCH / (w > 0 ? w : 1) : 1;
    #pragma omp parallel for num_threads(threads) if(threads > 1) schedule(static)
    for (ptrdiff_t start = 0; start < count; start += group) {
        ptrdiff_t rows = count - start < group ? count - start : group;
        T *s[MOST_ARRAYS];
        if (group == 1) {
            for (int k = 0; k < arrays; k++) s[k] = a[k] + (k == 1 ? start : at[k][start]) * w;
            s[arrays] = s[0];
            STEPS[code].STEP_OF(s, w, d);
            continue;
        }
        T room[MOST_ARRAYS][STRETCH] __attribute__((aligned(64)));
        for (int k = 0; k < arrays; k++) {
            s[k] = room[k];
            if (w == 1) {
                if (k == 1) memcpy(room[k], a[k] + start, rows * sizeof(T));
                else for (ptrdiff_t r = 0; r < rows; r++) room[k][r] = a[k][at[k][start + r]];
            } else for (ptrdiff_t r = 0; r < rows; r++) {
                const T *from = a[k] + (k == 1 ? start + r : at[k][start + r]) * w;
                for (ptrdiff_t c = 0; c < w; c++) room[k][r * w + c] = from[c];
            }
        }
        s[arrays] = room[0];
        STEPS[code].STEP_OF(s, rows * w, d);
        for (int k = 0; k < arrays; k++) {
            if (k == 1) continue;
            const int64_t *to = at[k] + start;
            if (w == 1) for (ptrdiff_t r = 0; r < rows; r++) a[k][to[r]] = room[k][r];
            else for (ptrdiff_t r = 0; r < rows; r++)
                for (ptrdiff_t c = 0; c < w; c++) a[k][to[r] * w + c] = room[k][r * w + c];
        }
    }
    return 0;
}

static void NAME(rows_group_adagrad)(T *weight, const T *g, T *history, const int64_t *at, ptrdiff_t count, ptrdiff_t w,
                 const double *d) {
    T lr = (T)d[0], rescale = (T)d[1], most = d[2] > 0 ? (T)d[2] : (T)INFINITY, eps = (T)d[3];
    for (ptrdiff_t r = 0; r < count; r++) {
        const T *x = g + r * w;
        T sum = 0, *to = weight + at[r] * w;
        for (ptrdiff_t c = 0; c < w; c++) {
            T u = x[c] * rescale;
            u = u > most ? most : u < -most ? -most : u;
            sum += u * u;
        }
        T rate = lr / (T)sqrt((history[at[r]] += sum / (T)w) + eps);
        for (ptrdiff_t c = 0; c < w; c++) {
            T u = x[c] * rescale;
            to[c] -= rate * (u > most ? most : u < -most ? -most : u);
        }
    }
}
#undef LANES
#undef AT
#undef PUT
