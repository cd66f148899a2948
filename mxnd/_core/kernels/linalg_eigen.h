/* Eigenvalues and eigenvectors of symmetric matrices, for one element type T; part of linalg_type.h.
 *
 * Householder reflections make the matrix tridiagonal; the implicit QL iteration with Wilkinson's shift (Golub and Van Loan,
 * "Matrix Computations", section 8.3) finds its eigenvalues in double.  Its rotations are kept and applied to the
 * eigenvectors, which are rows, many at a time: per column block, so that the block stays in the cache. */

#ifndef LA_KEPT
# define LA_KEPT 4096          /* rotations kept before they are applied */
# define LA_WIDE (4 * VL)      /* columns that are turned together */
#endif
typedef struct { T c, s; int32_t row; } LA(rotation);

/* Rows row and row + 1 of u (cols columns, row length ld) are turned by each rotation in order. */
static void LA(rotate_part)(ptrdiff_t cols, T *u, ptrdiff_t ld, const LA(rotation) *r, ptrdiff_t count)
{
    for (ptrdiff_t k = 0; k < count; k++) {
        const T c = r[k].c, s = r[k].s;
        T *x = u + (ptrdiff_t)r[k].row * ld, *y = x + ld;
        if (cols == LA_WIDE)
            for (int j = 0; j < 4; j++) {
                const V a = *(U *)(x + j * VL), b = *(U *)(y + j * VL);
                *(U *)(x + j * VL) = c * a - s * b;
                *(U *)(y + j * VL) = s * a + c * b;
            }
        else
            for (ptrdiff_t j = 0; j < cols; j++) {
                const T a = x[j], b = y[j];
                x[j] = c * a - s * b;
                y[j] = s * a + c * b;
            }
    }
}

static void LA(rotate)(la_work *w, ptrdiff_t n, T *u, ptrdiff_t ld, const LA(rotation) *r, ptrdiff_t count)
{
    const int threads = la_threads(w, 4.0 * (double)count * (double)n);
    if (threads == 1) {
        for (ptrdiff_t i = 0; i < n; i += LA_WIDE)
            LA(rotate_part)(MM_MIN(LA_WIDE, n - i), u + i, ld, r, count);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (ptrdiff_t i = 0; i < n; i += LA_WIDE)
        LA(rotate_part)(MM_MIN(LA_WIDE, n - i), u + i, ld, r, count);
}

/* Eigenvalues d of the tridiagonal matrix with diagonal d and e beside it; u gets its rotations.  Non-zero: no convergence. */
static int LA(ql)(la_work *w, ptrdiff_t n, double *d, double *e, T *u, ptrdiff_t ld, LA(rotation) *kept)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t l = 0; l < n; l++)
        for (int turns = 0;; turns++) {
            ptrdiff_t m = l;
            while (m < n - 1 && fabs(e[m]) > 1.2e-16 * (fabs(d[m]) + fabs(d[m + 1])))
                m++;
            if (m == l)
                break;
            if (turns == 100)
                return 1;
            double g = (d[l + 1] - d[l]) / (2 * e[l]), c = 1, s = 1, p = 0;
            g = d[m] - d[l] + e[l] / (g + copysign(sqrt(g * g + 1), g));
            ptrdiff_t i = m - 1;
            for (; i >= l; i--) {
                const double f = s * e[i], b = c * e[i], r = sqrt(f * f + g * g);
                e[i + 1] = r;
                if (r == 0) {                    /* the matrix fell apart */
                    d[i + 1] -= p;
                    e[m] = 0;
                    break;
                }
                s = f / r;
                c = g / r;
                g = d[i + 1] - p;
                const double t = (d[i] - g) * s + 2 * c * b;
                p = s * t;
                d[i + 1] = g + p;
                g = c * t - b;
                kept[count++] = (LA(rotation)){(T)c, (T)s, (int32_t)i};
                if (count == LA_KEPT) {
                    LA(rotate)(w, n, u, ld, kept, count);
                    count = 0;
                }
            }
            if (i >= l)
                continue;
            d[l] -= p;
            e[l] = g;
            e[m] = 0;
        }
    LA(rotate)(w, n, u, ld, kept, count);
    return 0;
}

/* Rows from first to last of the trailing matrix: a -= v' . x + x' . v, and what they add to p = a . next. */
static void LA(update)(ptrdiff_t first, ptrdiff_t last, ptrdiff_t from, T *a, ptrdiff_t ld, const T *v, const T *x, const T *next,
                       T *p)
{
    for (ptrdiff_t i = first; i < last; i++) {
        T *row = a + i * ld;
        const T vi = v ? v[i] : 0, xi = v ? x[i] : 0, f = next[i];
        T sum = 0;
        if (v)
#pragma omp simd reduction(+ : sum)
            for (ptrdiff_t j = from; j < i; j++) {
                const T b = row[j] - vi * x[j] - xi * v[j];
                row[j] = b;
                sum += b * next[j];
                p[j] += b * f;
            }
        else
#pragma omp simd reduction(+ : sum)
            for (ptrdiff_t j = from; j < i; j++) {
                sum += row[j] * next[j];
                p[j] += row[j] * f;
            }
        row[i] -= 2 * vi * xi;
        p[i] += sum + row[i] * f;
    }
}

/* The lower triangle of a becomes tridiagonal: d, e; rows of v and tau are the reflectors.  room: threads * n numbers. */
static void LA(tridiagonal)(la_work *w, ptrdiff_t n, T *a, ptrdiff_t ld, double *d, double *e, T *v, T *tau, T *room)
{
    const T *before = NULL;                      /* the step before, whose update is done together with this product */
    T *x = room + n * w->threads, *old = x + n;
    for (ptrdiff_t k = 0; k + 1 < n; k++) {
        T *y = v + k * ld, *row = y + k + 1;      /* column k below the diagonal */
        const ptrdiff_t m = n - k - 1;
        if (before)
            a[k * ld + k] -= 2 * before[k] * old[k];
        d[k] = a[k * ld + k];
        for (ptrdiff_t i = k + 1; i < n; i++) {
            T b = a[i * ld + k];
            if (before)
                b -= before[i] * old[k] + old[i] * before[k];
            y[i] = b;
        }
        memset(y, 0, (size_t)(k + 1) * sizeof(T));
        tau[k] = LA(reflector)(m, row);
        e[k] = row[0];
        row[0] = 1;
        const int parts = m > 512 ? w->threads : 1;
        memset(room, 0, (size_t)(n * parts) * sizeof(T));
        if (parts == 1) {
            LA(update)(k + 1, n, k + 1, a, ld, before, old, y, room);
        } else {
#pragma omp parallel for num_threads(parts) schedule(static, 1)
            for (int t = 0; t < parts; t++) {    /* shares of equal area of the triangle */
                const ptrdiff_t i = k + 1 + (ptrdiff_t)((double)m * sqrt((double)t / parts));
                const ptrdiff_t j = t + 1 == parts ? n : k + 1 + (ptrdiff_t)((double)m * sqrt((double)(t + 1) / parts));
                LA(update)(i, j, k + 1, a, ld, before, old, y, room + n * t);
            }
        }
        for (int t = 1; t < parts; t++)
            LA(add)(m, 1, room + n * t + k + 1, room + k + 1);
        const T half = (T)0.5 * tau[k] * tau[k] * LA(sum)(m, room + k + 1, row);
        for (ptrdiff_t i = k + 1; i < n; i++)
            x[i] = tau[k] * room[i] - half * y[i];
        T *other = old;
        old = x;
        x = other;
        before = y;
    }
    d[n - 1] = n > 1 ? a[(n - 1) * (ld + 1)] - 2 * before[n - 1] * old[n - 1] : a[0];
}

/* Bytes of own memory for eigenvectors of n x n. */
static size_t LA(syevd_room)(ptrdiff_t n, int threads)
{
    return (size_t)(3 * n * LA(stride)(n) + (threads + 4) * n + 3 * (n + LA_BLOCK) * LA_BLOCK) * sizeof(T) + (size_t)n * 24 +
           LA_KEPT * sizeof(LA(rotation)) + 256;
}

/* i: batch, n; outputs U (rows), eigenvalues */
static int LA(syevd_one)(la_work *w, ptrdiff_t q)
{
    mxnd_call *c = w->call;
    const ptrdiff_t n = c->i[1], ld = LA(stride)(n);
    const T *from = (const T *)c->in[0].data + q * n * n;
    T *out = (T *)c->out[0].data + q * n * n, *values = (T *)c->out[1].data + q * n;
    double *d = (double *)w->own, *e = d + n;
    int64_t *order = (int64_t *)(e + n);
    LA(rotation) *kept = (LA(rotation) *)(order + n);
    T *a = (T *)(kept + LA_KEPT), *u = a + n * ld, *v = u + n * ld, *tau = v + n * ld, *room = tau + n;
    T *s = room + (w->threads + 3) * n;
    T most = 0, odd = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j <= i; j++) {
            const T b = from[i * n + j];
            odd += b - b;                        /* NaN once there is one, or an infinity */
            most = MM_MAX(most, b < 0 ? -b : b);
        }
    if (odd != 0) {
        for (ptrdiff_t i = 0; i < n * n; i++)
            out[i] = (T)NAN;
        for (ptrdiff_t i = 0; i < n; i++)
            values[i] = (T)NAN;
        return 0;
    }
    int power = 0;                               /* squares must not overflow or vanish */
    if (most > 0 && (most < (T)1e-6 || most > (T)1e6))
        frexp((double)most, &power);
    const double down = ldexp(1, -power / 2), rest = ldexp(1, -power - -power / 2);
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j <= i; j++)
            a[i * ld + j] = (T)((double)from[i * n + j] * down * rest);
    LA(tridiagonal)(w, n, a, ld, d, e, v, tau, room);
    for (ptrdiff_t i = 0; i + 1 < n; i += LA_BLOCK)
        LA(block)(MM_MIN(LA_BLOCK, n - 1 - i), n - i, v + i * ld + i, ld, tau + i, s + i * LA_BLOCK);
    LA(orthogonal)(w, n, n, n - 1, 1, v, ld, s, u, ld, s + (n + LA_BLOCK) * LA_BLOCK);
    if (LA(ql)(w, n, d, e, u, ld, kept))
        return 1;
    for (ptrdiff_t i = 0; i < n; i++) {
        ptrdiff_t j = i;
        for (; j > 0 && d[order[j - 1]] > d[i]; j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
    for (ptrdiff_t i = 0; i < n; i++) {          /* the largest number of each eigenvector is positive */
        const T *row = u + order[i] * ld;
        ptrdiff_t best = 0;
        for (ptrdiff_t j = 1; j < n; j++)
            if (fabs((double)row[j]) > fabs((double)row[best]))
                best = j;
        const T sign = row[best] < 0 ? -1 : 1;
        for (ptrdiff_t j = 0; j < n; j++)
            out[i * n + j] = sign * row[j];
        values[i] = (T)(d[order[i]] / down / rest);
    }
    return 0;
}
