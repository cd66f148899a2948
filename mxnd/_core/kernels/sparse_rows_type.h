/* Kernels on row_sparse arrays for one element type T; included by sparse_type.h. */
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
