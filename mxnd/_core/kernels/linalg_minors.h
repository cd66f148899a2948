/* Derivatives of the determinant, right for singular matrices too; in double, after the f64 routines of linalg.h.
 *
 * With A = W' . S . Q for rotations W, an orthogonal Q and a diagonal S (one-sided Jacobi method, Golub and Van Loan,
 * "Matrix Computations", section 8.6), det(A + N) = det(Q) det(S + W N Q').  Derivatives of det(S + N') are sums of minors of
 * the directions times products of the other diagonal numbers; nothing is divided by what may be zero. */

#define LA_MOST_DIRECTIONS 8

typedef struct {
    ptrdiff_t n, zeros;                  /* rows; how many numbers of s are zero */
    int k;                               /* directions */
    double *w, *s, *q, *logs, *h;        /* h: the result for S */
    double *e[LA_MOST_DIRECTIONS];       /* the directions, turned by w and q */
    double all;                          /* the logarithm of the product of all numbers that are not zero */
} la_minors;

/* Rows of q become orthogonal by rotations w from the left, then are normalized: w . a = s . q. */
static void la_jacobi(ptrdiff_t n, double *w, double *s, double *q)
{
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++)
            w[i * n + j] = i == j;
    for (int turn = 0, again = 1; again && turn < 60; turn++) {
        again = 0;
        for (ptrdiff_t i = 0; i < n; i++)
            for (ptrdiff_t j = i + 1; j < n; j++) {
                double *x = q + i * n, *y = q + j * n;
                const double a = la_sum_f64(n, x, x), b = la_sum_f64(n, y, y), c = la_sum_f64(n, x, y);
                if (c == 0 || !(fabs(c) > 2e-16 * sqrt(a) * sqrt(b)))
                    continue;
                again |= fabs(c) > 1e-15 * sqrt(a) * sqrt(b);
                const double z = (b - a) / (2 * c), t = copysign(1, z) / (fabs(z) + sqrt(1 + z * z));
                const double cosine = 1 / sqrt(1 + t * t), sine = cosine * t;
                for (int both = 0; both < 2; both++, x = w + i * n, y = w + j * n)
#pragma omp simd
                    for (ptrdiff_t p = 0; p < n; p++) {
                        const double u = x[p], v = y[p];
                        x[p] = cosine * u - sine * v;
                        y[p] = sine * u + cosine * v;
                    }
            }
    }
    double most = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        s[i] = sqrt(la_sum_f64(n, q + i * n, q + i * n));
        most = MM_MAX(most, s[i]);
    }
    const double least = most * (double)n * 2.3e-16;
    for (int tiny = 0; tiny < 2; tiny++)
        for (ptrdiff_t i = 0; i < n; i++) {
            double *x = q + i * n;
            if ((s[i] <= least) != tiny)
                continue;
            if (!tiny) {
                for (ptrdiff_t p = 0; p < n; p++)
                    x[p] /= s[i];
                continue;
            }
            s[i] = 0;                            /* lost in rounding: any row orthogonal to the others will do */
            double best = 0;
            for (ptrdiff_t from = 0, chosen = -1;; from++) {
                if (from == n)                   /* none is far from the others: take the farthest */
                    from = chosen;
                for (ptrdiff_t p = 0; p < n; p++)
                    x[p] = p == from;
                for (int pass = 0; pass < 2; pass++)
                    for (ptrdiff_t j = 0; j < n; j++)
                        if (s[j] > least || j < i)
                            la_add_f64(n, -la_sum_f64(n, q + j * n, x), q + j * n, x);
                const double norm = sqrt(la_sum_f64(n, x, x));
                if (norm > 0.5 || from == chosen) {
                    for (ptrdiff_t p = 0; p < n; p++)
                        x[p] /= norm;
                    break;
                }
                if (norm > best)
                    best = norm, chosen = from;
            }
        }
}

/* Determinant of rows r ... of the directions in the columns of `at` that are still free. */
static double la_minor(const la_minors *x, const ptrdiff_t *at, int r, unsigned free)
{
    double sum = 0, sign = 1;
    if (r == x->k)
        return 1;
    for (int m = 0; m <= x->k; m++)
        if (free >> m & 1) {
            const double v = x->e[r][at[r] * x->n + at[m]];
            if (v != 0)
                sum += sign * v * la_minor(x, at, r + 1, free & ~(1u << m));
            sign = -sign;
        }
    return sum;
}

/* Adds the terms of all choices of different rows at[level] ... at[k]; zeros: how many of those chosen have s = 0. */
static void la_visit(la_minors *x, ptrdiff_t *at, int level, ptrdiff_t zeros, double logs)
{
    if (level > x->k) {
        if (zeros < x->zeros)
            return;
        const double product = exp(x->all - logs);
        for (int m = 0; m <= x->k; m++) {
            const double v = la_minor(x, at, 0, ((2u << x->k) - 1) & ~(1u << m));
            x->h[at[x->k] * x->n + at[m]] += ((x->k + m) & 1 ? -product : product) * v;
        }
        return;
    }
    for (ptrdiff_t i = 0; i < x->n; i++) {
        int used = 0;
        for (int j = 0; j < level; j++)
            used |= at[j] == i;
        if (used)
            continue;
        at[level] = i;
        la_visit(x, at, level + 1, zeros + (x->s[i] == 0), logs + x->logs[i]);
    }
}

/* h (n x n) = the gradient of the derivative of det(a) along the k directions e, by orthogonal factors. */
static void la_by_angles(la_work *w, la_minors *x, const double *a, char *own)
{
    const ptrdiff_t n = x->n;
    const double most = la_largest_f64(n * n, a);
    int power = 0;
    double sign = 1, *room = x->logs + n;
    if (most > 0)
        frexp(most, &power);
    for (ptrdiff_t i = 0; i < n * n; i++)
        x->q[i] = ldexp(a[i], -power);
    la_jacobi(n, x->w, x->s, x->q);
    la_factors_f64 f = la_lu_of_f64(w, n, x->q, own);
    for (ptrdiff_t i = 0; i < n; i++)
        if ((f.a[i * n + i] < 0) != (f.swaps[i] != i))
            sign = -sign;
    x->all = 0;
    x->zeros = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        x->logs[i] = x->s[i] == 0 ? 0 : log(x->s[i]) + power * 0.6931471805599453094;
        x->zeros += x->s[i] == 0;
        x->all += x->logs[i];
    }
    for (int j = 0; j < x->k; j++) {
        mm_serial_f64(n, n, n, 1, x->w, n, 0, x->e[j], n, 0, 0, room, n, w->room);
        mm_serial_f64(n, n, n, 1, room, n, 0, x->q, n, 1, 0, x->e[j], n, w->room);
    }
    memset(x->h, 0, (size_t)(n * n) * sizeof(double));
    ptrdiff_t at[LA_MOST_DIRECTIONS + 1];
    if (x->zeros <= x->k + 1)
        la_visit(x, at, 0, 0, 0);
    mm_serial_f64(n, n, n, sign, x->w, n, 1, x->h, n, 0, 0, room, n, w->room);
    mm_serial_f64(n, n, n, 1, room, n, 0, x->q, n, 0, 0, x->h, n, w->room);
}

static size_t la_minors_room(ptrdiff_t n, ptrdiff_t k)
{
    return (size_t)((5 + k) * n * n + 2 * n) * sizeof(double) + la_lu_room_f64(n) + 64;
}

static void la_read(const mxnd_tensor *x, ptrdiff_t from, ptrdiff_t count, double *to)
{
    for (ptrdiff_t i = 0; i < count; i++)
        to[i] = x->type == MX_F64 ? ((const double *)x->data)[from + i] : (double)((const float *)x->data)[from + i];
}

/* i: batch, n; inputs: the matrix, then the directions */
static int la_minors_one(la_work *w, ptrdiff_t q)
{
    mxnd_call *c = w->call;
    const ptrdiff_t n = c->i[1], size = n * n;
    la_minors x = {.n = n, .k = c->nin - 1};
    double *a = (double *)w->own;
    x.h = a + size;
    x.w = x.h + size;
    x.q = x.w + size;
    for (int j = 0; j < x.k; j++)
        la_read(c->in + 1 + j, q * size, size, x.e[j] = x.q + size * (1 + j));
    x.s = x.q + size * (1 + x.k);
    x.logs = x.s + n;                            /* n numbers, and n * n of room */
    char *own = (char *)(x.logs + n + size);
    la_read(c->in, q * size, size, a);
    int regular = x.k == 0;
    if (regular) {                               /* the cofactors are det(A) times the inverse, unless a pivot is nearly zero */
        la_factors_f64 f = la_lu_of_f64(w, n, a, own);
        double least = INFINITY, most = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            const double v = fabs(f.a[i * n + i]);
            least = MM_MIN(least, v);
            most = MM_MAX(most, v);
        }
        regular = least > 1e-6 * most;
        if (regular) {
            int64_t power;
            const double d = la_determinant_f64(f, n, &power);
            la_inverse_of_f64(w, f, n, x.w);
            for (ptrdiff_t i = 0; i < n; i++)
                for (ptrdiff_t j = 0; j < n; j++)
                    x.h[i * n + j] = la_scaled_f64(d * x.w[j * n + i], power);
        }
    }
    if (!regular)
        la_by_angles(w, &x, a, own);
    for (ptrdiff_t i = 0; i < size; i++)
        if (c->out[0].type == MX_F64)
            ((double *)c->out[0].data)[q * size + i] = x.h[i];
        else
            ((float *)c->out[0].data)[q * size + i] = (float)x.h[i];
    return 0;
}
