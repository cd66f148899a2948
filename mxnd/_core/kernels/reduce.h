/* Reductions over any axes.  The shape is merged into groups of axes that are kept or reduced; the innermost one or
   two groups are done by loops for the element type (reduce_type.h), the outer ones by walking. */
#ifndef MXND_REDUCE_H
#define MXND_REDUCE_H
#include <math.h>
#include "call.h"
#include "elements.h"

#ifndef ALWAYS
#define ALWAYS inline __attribute__((always_inline))
#endif
#define PRAGMA(x) _Pragma(#x)
#define SAME(v) (v)
#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
#define MAGNITUDE_INT(v) ((v) < 0 ? 0 - (uint64_t)(v) : (uint64_t)(v))

#define T float
#define N(name) name##_f32
#define FLOATING 1
#define S double
#define A double
#define LS float
#define LQ double
#define LP double
#define MAGNITUDE fabsf
#include "reduce_type.h"
#define T double
#define N(name) name##_f64
#define FLOATING 1
#define S double
#define A double
#define LS double
#define LQ double
#define LP double
#define MAGNITUDE fabs
#include "reduce_type.h"
#define T int64_t
#define N(name) name##_i64
#define FLOATING 0
#define S uint64_t
#define A int64_t
#define LS uint64_t
#define LQ uint64_t
#define LP uint64_t
#define MAGNITUDE MAGNITUDE_INT
#include "reduce_type.h"

/* ---- kinds ---- */
enum { R_SUM, R_PROD, R_ABS, R_SQUARE, R_NANSUM, R_NANPROD, R_MAX, R_MIN, R_KINDS };
typedef union { double d; int64_t i; uint64_t u; } acc_t;

static ALWAYS void merge_f(int kind, double *into, const double *from, P n) {
    for (P i = 0; i < n; i++) {
        double a = into[i], b = from[i];
        into[i] = kind == R_MAX ? (b > a || b != b ? b : a) : kind == R_MIN ? (b < a || b != b ? b : a)
                : kind == R_PROD || kind == R_NANPROD ? a * b : a + b;
    }
}
static ALWAYS void merge_i(int kind, int64_t *into, const int64_t *from, P n) {
    for (P i = 0; i < n; i++) {
        int64_t a = into[i], b = from[i];
        into[i] = kind == R_MAX ? (b > a ? b : a) : kind == R_MIN ? (b < a ? b : a)
                : kind == R_PROD || kind == R_NANPROD ? (int64_t)((uint64_t)a * (uint64_t)b)
                : (int64_t)((uint64_t)a + (uint64_t)b);
    }
}
typedef void (*rows_fn)(const void *x, P rows, P n, void *acc);
typedef void (*cols_fn)(const void *x, P r, P stride, P k, void *acc);
typedef struct { rows_fn rows; cols_fn cols; } loops_t;
enum { AS_F32, AS_F64, AS_I64 };   /* 16-bit floats are reduced as float32, narrow whole numbers as int64 */
#define BOTH(name, type) {name##_rows_##type, name##_cols_##type}
#define TYPES(fname, iname) {BOTH(fname, f32), BOTH(fname, f64), BOTH(iname, i64)}
static const loops_t reduce_loops[R_KINDS][3] = {
    TYPES(sum, sum), TYPES(prod, prod), TYPES(abs, abs), TYPES(square, square), TYPES(nansum, sum),
    TYPES(nanprod, prod), TYPES(max, max), TYPES(min, min)};

/* ---- groups of axes ---- */
typedef struct { P n, stride; int reduced; } group_t;
typedef struct {
    int kind, type, floating, count;   /* count of groups: the first is kept, then reduced and kept in turn */
    P item, kept, reduced;             /* bytes of an element; outputs; elements of each */
    loops_t loops;
    group_t g[72];
} reduce_t;

/* Merge axes; bit a of mask: axis a is reduced. */
static void reduce_plan(reduce_t *r, int kind, const mxnd_tensor *x, int64_t mask) {
    r->kind = kind, r->type = x->type, r->floating = is_float(x->type), r->item = item_of(x->type);
    r->loops = reduce_loops[kind][!r->floating ? AS_I64 : x->type == MX_F64 ? AS_F64 : AS_F32];
    r->g[0] = (group_t){1, 0, 0};
    r->count = 1;
    r->kept = r->reduced = 1;
    for (int a = 0; a < x->ndim; a++) {
        int reduced = mask >> a & 1;
        P n = x->shape[a];
        if (reduced) r->reduced *= n;
        else r->kept *= n;
        if (n == 1) continue;
        if (r->g[r->count - 1].reduced == reduced) r->g[r->count - 1].n *= n;
        else r->g[r->count++] = (group_t){n, 0, reduced};
    }
    if (r->count == 1) r->g[r->count++] = (group_t){1, 0, 1};
    P stride = 1;
    for (int i = r->count - 1; i >= 0; i--) r->g[i].stride = stride, stride *= r->g[i].n;
}

static void acc_start(const reduce_t *r, acc_t *acc, P n) {
    acc_t first = {0};
    switch (r->kind) {
    case R_PROD: case R_NANPROD: if (r->floating) first.d = 1; else first.i = 1; break;
    case R_MAX: if (r->floating) first.d = -INFINITY; else first.i = INT64_MIN; break;
    case R_MIN: if (r->floating) first.d = INFINITY; else first.i = INT64_MAX; break;
    default: break;
    }
    for (P i = 0; i < n; i++) acc[i] = first;
}
static void acc_merge(const reduce_t *r, acc_t *into, const acc_t *from, P n) {
    if (r->floating) merge_f(r->kind, &into->d, &from->d, n);
    else merge_i(r->kind, &into->i, &from->i, n);
}

/* ---- types without loops of their own: blocks are widened first ---- */
enum { WIDE = 4096, WIDE_COLS = 512 };
typedef union { float f[WIDE]; int64_t i[WIDE]; } wide_t;
#define WIDEN(T) for (P j = 0; j < n; j++) o->i[at + j] = ((const T *)x)[j]; break
static void widen(const char *x, wide_t *o, P at, P n, int type) {
    switch (type) {
    case MX_F16: half_to_float((const uint16_t *)x, o->f + at, n); break;
    case MX_BF16: bfloat_to_float((const uint16_t *)x, o->f + at, n); break;
    case MX_I32: WIDEN(int32_t);
    case MX_I8: WIDEN(int8_t);
    default: WIDEN(uint8_t);
    }
}
#undef WIDEN
static inline int has_loops(int type) { return type == MX_F32 || type == MX_F64 || type == MX_I64; }
static void reduce_rows(const reduce_t *r, const char *x, P count, P n, acc_t *acc) {
    wide_t wide;
    if (has_loops(r->type)) {
        r->loops.rows(x, count, n, acc);
    } else if (n <= WIDE) {
        P some = WIDE / (n ? n : 1);
        for (P i = 0; i < count; i += some) {
            P m = count - i < some ? count - i : some;
            widen(x + i * n * r->item, &wide, 0, m * n, r->type);
            r->loops.rows(&wide, m, n, acc + i);
        }
    } else {
        acc_start(r, acc, count);
        for (P i = 0; i < count; i++)
            for (P j = 0; j < n; j += WIDE) {
                P m = n - j < WIDE ? n - j : WIDE;
                acc_t part;
                widen(x + (i * n + j) * r->item, &wide, 0, m, r->type);
                r->loops.rows(&wide, 1, m, &part);
                acc_merge(r, acc + i, &part, 1);
            }
    }
}
static void reduce_cols(const reduce_t *r, const char *x, P n, P stride, P k, acc_t *acc) {
    wide_t wide;
    if (has_loops(r->type)) {
        r->loops.cols(x, n, stride, k, acc);
        return;
    }
    for (P i = 0; i < n; i += WIDE / WIDE_COLS)
        for (P j = 0; j < k; j += WIDE_COLS) {
            P h = n - i < WIDE / WIDE_COLS ? n - i : WIDE / WIDE_COLS, w = k - j < WIDE_COLS ? k - j : WIDE_COLS;
            for (P a = 0; a < h; a++) widen(x + ((i + a) * stride + j) * r->item, &wide, a * WIDE_COLS, w, r->type);
            r->loops.cols(&wide, h, WIDE_COLS, w, acc + j);
        }
}

/* Columns of [n, k].  Narrow ones go several rows side by side, so that a vector is full. */
static void reduce_columns(const reduce_t *r, const char *x, P n, P stride, P k, acc_t *acc) {
    if (k < 32 && n >= 64 && stride == k) {
        acc_t wide[64];
        P m = 64 / k, rows = n / m;
        acc_start(r, wide, m * k);
        reduce_cols(r, x, rows, m * k, m * k, wide);
        for (P i = 0; i < m; i++) acc_merge(r, acc, wide + i * k, k);
        x += rows * m * k * r->item;
        n -= rows * m;
    }
    reduce_cols(r, x, n, stride, k, acc);
}

/* Add what lies at x, in the groups g (left of them), to the accumulators: one for each kept place. */
static void reduce_walk(const reduce_t *r, const group_t *g, int left, const char *x, acc_t *acc) {
    P n = g->n, step = 0;
    if (left == 2 && !g->reduced) {
        acc_t some[256];
        for (P i = 0; i < n; i += 256) {
            P m = n - i < 256 ? n - i : 256;
            reduce_rows(r, x + i * g->stride * r->item, m, g[1].n, some);
            acc_merge(r, acc + i, some, m);
        }
        return;
    }
    if (left == 2) {
        reduce_columns(r, x, n, g->stride, g[1].n, acc);
        return;
    }
    if (!g->reduced) {
        step = 1;
        for (int i = 1; i < left; i++) step *= g[i].reduced ? 1 : g[i].n;
    }
    for (P i = 0; i < n; i++) reduce_walk(r, g + 1, left - 1, x + i * g->stride * r->item, acc + i * step);
}

/* ---- tasks: ranges of the first kept group, of the next kept one, and blocks of the reduced one between ---- */
enum { FEW = 4096, MUCH = 65536, BLOCKS = 16 };
typedef struct {
    P w0, w2, deep, size;              /* widths; outputs below group 2; accumulators of a task */
    P n0, n2, blocks, tasks;
} tasks_t;
static P parts(P n, P width) { return n ? (n + width - 1) / width : 0; }

/* Blocks depend on the shape alone, so that results do not depend on the number of threads. */
static void reduce_tasks(const reduce_t *r, tasks_t *t) {
    P k0 = r->g[0].n, k2 = r->count > 2 ? r->g[2].n : 1, all = r->kept * r->reduced, each, fit;
    t->deep = 1;
    for (int i = 4; i < r->count; i += 2) t->deep *= r->g[i].n;
    each = all / (k0 ? k0 : 1);
    fit = k2 * t->deep;
    fit = FEW / (fit ? fit : 1);
    t->w2 = k2;
    if (fit == 0) t->w2 = FEW / t->deep ? FEW / t->deep : 1;
    t->w0 = MUCH / (each ? each : 1);
    if (t->w0 > fit) t->w0 = fit;
    if (t->w0 < 1) t->w0 = 1;
    if (t->w0 > k0) t->w0 = k0 ? k0 : 1;
    t->n0 = parts(k0, t->w0), t->n2 = parts(k2, t->w2 ? t->w2 : 1);
    t->blocks = 1;
    if (t->n0 * t->n2 > 0 && t->n0 * t->n2 < BLOCKS && all / (t->n0 * t->n2) >= 2 * MUCH) {
        t->blocks = all / (t->n0 * t->n2) / MUCH;
        if (t->blocks > BLOCKS) t->blocks = BLOCKS;
        if (t->blocks > r->g[1].n) t->blocks = r->g[1].n;
        if (t->blocks > 1) t->w0 = 1, t->n0 = k0;
    }
    t->size = t->w0 * t->w2 * t->deep;
    t->tasks = t->n0 * t->n2 * t->blocks;
}

/* Task number i: block, then place in group 2, run fastest.  Fills acc[t->size]. */
static void reduce_task(const reduce_t *r, const tasks_t *t, P i, const char *x, acc_t *acc) {
    group_t g[72];
    P block = i % t->blocks, j2 = i / t->blocks % t->n2 * t->w2, j0 = i / t->blocks / t->n2 * t->w0;
    memcpy(g, r->g, (size_t)r->count * sizeof *g);
    P first = g[1].n * block / t->blocks, last = g[1].n * (block + 1) / t->blocks;
    g[0].n = g[0].n - j0 < t->w0 ? g[0].n - j0 : t->w0;
    g[1].n = last - first;
    x += (j0 * g[0].stride + first * g[1].stride) * r->item;
    if (r->count > 2) {
        g[2].n = g[2].n - j2 < t->w2 ? g[2].n - j2 : t->w2;
        x += j2 * g[2].stride * r->item;
    }
    acc_start(r, acc, t->size);
    reduce_walk(r, g, r->count, x, acc);
}
#endif
