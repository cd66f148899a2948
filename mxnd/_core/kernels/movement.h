/* Moving elements without looking at them: strided views to contiguous arrays and back, rows, fills. */
#ifndef MXND_MOVEMENT_H
#define MXND_MOVEMENT_H
#include <string.h>
#include "call.h"
#include "transpose.h"

/* ---- single elements ---------------------------------------------------------------------------- */

static inline uint16_t bits16(float v, int type) {
    uint32_t x;
    memcpy(&x, &v, 4);
    uint32_t sign = x >> 16 & 0x8000, size = x & 0x7fffffff;
    if (type == MX_BF16) return (uint16_t)(size > 0x7f800000 ? x >> 16 | 0x40 : (x + 0x7fff + (x >> 16 & 1)) >> 16);
    if (size > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    if (size >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
    if (size < 0x38800000) {                          /* subnormal: let the addition round */
        float magic = 0.5f, w;
        memcpy(&w, &size, 4);
        w += magic;
        memcpy(&size, &w, 4);
        return (uint16_t)(sign | (size - 0x3f000000));
    }
    return (uint16_t)(sign | (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13);
}

static inline float float16(uint16_t h, int type) {
    uint32_t x;
    float v;
    if (type == MX_BF16) {
        x = (uint32_t)h << 16;
        memcpy(&v, &x, 4);
        return v;
    }
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, size = h & 0x7fff;
    if (size >= 0x7c00) x = sign | 0x7f800000 | (size & 0x3ff) << 13;
    else if (size >= 0x400) x = sign | ((size << 13) + 0x38000000);
    else {
        v = (float)size * 0x1p-24f;
        return sign ? -v : v;
    }
    memcpy(&v, &x, 4);
    return v;
}

/* A double as a 64-bit integer: truncated; NaN and what does not fit become the ends of the range. */
static inline int64_t whole(double v) {
    return v > -9.2e18 && v < 9.2e18 ? (int64_t)v : v > 0 ? INT64_MAX : INT64_MIN;
}

/* The bytes of number v as an element of this type. */
static inline void element(char *o, double v, int type) {
    float f = (float)v;
    int64_t w = whole(v);
    uint16_t h;
    switch (type) {
    case MX_F32: memcpy(o, &f, 4); break;
    case MX_F64: memcpy(o, &v, 8); break;
    case MX_F16: case MX_BF16: h = bits16(f, type); memcpy(o, &h, 2); break;
    case MX_BOOL: *o = v != 0; break;
    case MX_I64: memcpy(o, &w, 8); break;
    case MX_I32: { int32_t i = w > INT32_MAX || w < INT32_MIN ? INT32_MIN : (int32_t)w; memcpy(o, &i, 4); break; }
    default: *o = (char)w;
    }
}

#define MX_SIZES(F) F(1, uint8_t) F(2, uint16_t) F(4, uint32_t) F(8, uint64_t)

/* n copies of one element. */
static inline void fill(char *o, const char *one, ptrdiff_t n, int item) {
#define MX_FILL(B, T) if (item == B) { T v, *p = (T *)o; memcpy(&v, one, B); for (ptrdiff_t i = 0; i < n; i++) p[i] = v; return; }
    MX_SIZES(MX_FILL)
#undef MX_FILL
}

/* ---- whole arrays, by as many threads as are given ---------------------------------------------- */

#define MX_LARGE (1 << 19)                            /* bytes from which threads pay */

static inline void copy_bytes(char *o, const char *s, ptrdiff_t n, int threads) {
    if (o == s || n <= 0) return;
    if (threads < 2 || n < MX_LARGE) {
        memcpy(o, s, (size_t)n);
        return;
    }
    ptrdiff_t part = (n / threads + 4096) & ~(ptrdiff_t)4095;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        if (t * part < n) memcpy(o + t * part, s + t * part, (size_t)(n - t * part < part ? n - t * part : part));
}

static inline void zero_bytes(char *o, ptrdiff_t n, int threads) {
    if (n <= 0) return;
    if (threads < 2 || n < MX_LARGE) {
        memset(o, 0, (size_t)n);
        return;
    }
    ptrdiff_t part = (n / threads + 4096) & ~(ptrdiff_t)4095;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        if (t * part < n) memset(o + t * part, 0, (size_t)(n - t * part < part ? n - t * part : part));
}

static inline void fill_all(char *o, const char *one, ptrdiff_t n, int item, int threads) {
    int zero = 1;
    for (int i = 0; i < item; i++) zero &= !one[i];
    if (zero) {
        zero_bytes(o, n * item, threads);
        return;
    }
    if (threads < 2 || n * item < MX_LARGE) {
        fill(o, one, n, item);
        return;
    }
    ptrdiff_t part = (n / threads + 1024) & ~(ptrdiff_t)1023;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        if (t * part < n) fill(o + t * part * item, one, n - t * part < part ? n - t * part : part, item);
}

/* ---- rows --------------------------------------------------------------------------------------- */

#define MX_STREAM ((ptrdiff_t)16 << 20)               /* bytes of output from which it is written past the cache */

static inline void stream_done(int stream) {
#if defined(__SSE2__)
    if (stream) _mm_sfence();
#else
    (void)stream;
#endif
}

/* A row written past the cache: its whole lines, that is; the ends may share lines with their neighbours. */
static inline void stream_row(char *o, const char *s, size_t bytes) {
#if defined(__SSE2__)
    size_t head = (64 - (uintptr_t)o % 64) % 64, i;
    if (bytes >= 256) {
        memcpy(o, s, head);
        for (i = head; i + 64 <= bytes; i += 64) stream_line(o + i, s + i);
        memcpy(o + i, s + i, bytes - i);
        return;
    }
#endif
    memcpy(o, s, bytes);
}

static inline void copy_row(char *o, const char *s, size_t bytes) {
    if (bytes > 1024 || bytes < 16) {
        memcpy(o, s, bytes);
        return;
    }
    if (bytes < 64) {                                 /* two or four overlapping moves */
        if (bytes > 32) {
            memcpy(o + 16, s + 16, 16);
            memcpy(o + bytes - 32, s + bytes - 32, 16);
        }
        memcpy(o, s, 16);
        memcpy(o + bytes - 16, s + bytes - 16, 16);
        return;
    }
    for (size_t i = 0; i + 64 <= bytes; i += 64) memcpy(o + i, s + i, 64);
    memcpy(o + bytes - 64, s + bytes - 64, 64);
}

/* rows of equal length, `to` and `from` bytes apart. */
static inline void copy_rows(char *o, ptrdiff_t to, const char *s, ptrdiff_t from, ptrdiff_t rows, size_t bytes, int stream) {
    if (to == (ptrdiff_t)bytes && from == (ptrdiff_t)bytes) {
        memcpy(o, s, bytes * (size_t)rows);
        return;
    }
    if (stream && bytes >= 256) {
        for (ptrdiff_t i = 0; i < rows; i++) stream_row(o + i * to, s + i * from, bytes);
        stream_done(1);
        return;
    }
#define MX_ROW(B, T) if (bytes == B) { for (ptrdiff_t i = 0; i < rows; i++) memcpy(o + i * to, s + i * from, B); return; }
    MX_SIZES(MX_ROW)
    MX_ROW(12, )
    MX_ROW(16, )
#undef MX_ROW
    for (ptrdiff_t i = 0; i < rows; i++) copy_row(o + i * to, s + i * from, bytes);
}

/* ---- views -------------------------------------------------------------------------------------- */

#define MX_VIEW_AXES 64
/* One array seen through sizes and strides (in elements).  `units` is the work that is shared out. */
typedef struct {
    int n, item, across, stream;                      /* axes; element size; the axis that turns with the last, or -1 */
    ptrdiff_t offset, units;
    ptrdiff_t size[MX_VIEW_AXES], stride[MX_VIEW_AXES], out[MX_VIEW_AXES];
} mx_view;

/* Reads [offset, n, sizes, strides], drops axes of length 1 and joins those that stay together.
   turning: the kernel can transpose.  Returns how many elements the view has, or -1 for too many axes. */
static inline ptrdiff_t view_plan(mx_view *v, const int64_t *i, int item, int turning) {
    ptrdiff_t total = 1, back = 1;
    int n = (int)i[1], m = 0;
    const int64_t *size = i + 2, *stride = i + 2 + n;
    if (n > MX_VIEW_AXES) return -1;
    v->offset = i[0];
    v->item = item;
    v->across = -1;
    for (int a = 0; a < n; a++) {
        total *= size[a];
        if (size[a] == 1) continue;
        if (m && v->stride[m - 1] == stride[a] * size[a]) {
            v->size[m - 1] *= size[a];
            v->stride[m - 1] = stride[a];
        } else {
            v->size[m] = size[a];
            v->stride[m++] = stride[a];
        }
    }
    if (!m) {
        v->size[0] = v->stride[0] = 1;
        m = 1;
    }
    v->n = m;
    for (int a = m - 1; a >= 0; a--) {
        v->out[a] = back;
        back *= v->size[a];
    }
    ptrdiff_t last = v->stride[m - 1], best = last < 0 ? -last : last;
    v->units = m == 1 ? total : total / (v->size[m - 1] ? v->size[m - 1] : 1);
    if (best > 1 && turning)
        for (int a = m - 2; a >= 0; a--) {
            ptrdiff_t s = v->stride[a] < 0 ? -v->stride[a] : v->stride[a];
            if (s && s < best) {
                best = s;
                v->across = a;
            }
        }
    v->stream = total * item >= MX_STREAM;
    if (v->across >= 0 && total) {                     /* a unit is a panel of a transposition */
        ptrdiff_t rows = v->size[v->across], cols = v->size[m - 1];
        ptrdiff_t width = panel_columns(rows);
        v->units = total / rows / cols * ((rows + MX_TALL - 1) / MX_TALL) * ((cols + width - 1) / width);
    }
    return total;
}

/* `rows` rows of `len` elements with input strides, into contiguous memory (back: out of it). */
#define MX_VIEW_ROWS(T)                                                                                     \
    static void view_rows_##T(T *o, const T *s, ptrdiff_t rows, ptrdiff_t len, ptrdiff_t from, ptrdiff_t step) { \
        if (len < 8 && rows > 8) {                                                                          \
            for (ptrdiff_t r0 = 0; r0 < rows; r0 += 512) {                                                  \
                ptrdiff_t r1 = r0 + 512 < rows ? r0 + 512 : rows;                                           \
                for (ptrdiff_t j = 0; j < len; j++)                                                         \
                    for (ptrdiff_t r = r0; r < r1; r++) o[r * len + j] = s[r * from + j * step];            \
            }                                                                                               \
            return;                                                                                         \
        }                                                                                                   \
        for (ptrdiff_t r = 0; r < rows; r++, o += len, s += from) {                                         \
            if (step == 0)                                                                                  \
                for (ptrdiff_t j = 0; j < len; j++) o[j] = s[0];                                            \
            else if (step == -1)                                                                            \
                for (ptrdiff_t j = 0; j < len; j++) o[j] = s[-j];                                           \
            else if (step == 2)                                                                             \
                for (ptrdiff_t j = 0; j < len; j++) o[j] = s[2 * j];                                        \
            else                                                                                            \
                for (ptrdiff_t j = 0; j < len; j++) o[j] = s[j * step];                                     \
        }                                                                                                   \
    }                                                                                                       \
    static void view_back_##T(T *o, const T *s, ptrdiff_t rows, ptrdiff_t len, ptrdiff_t to, ptrdiff_t step) { \
        for (ptrdiff_t r = 0; r < rows; r++, o += to, s += len)                                             \
            for (ptrdiff_t j = 0; j < len; j++) o[j * step] = s[j];                                         \
    }
MX_VIEW_ROWS(uint8_t)
MX_VIEW_ROWS(uint16_t)
MX_VIEW_ROWS(uint32_t)
MX_VIEW_ROWS(uint64_t)

static inline void view_rows(const mx_view *v, char *o, const char *s, ptrdiff_t rows, ptrdiff_t len, ptrdiff_t from, ptrdiff_t step) {
    char line[4096];
    ptrdiff_t most = (ptrdiff_t)sizeof(line) / v->item;
    if (step == 1) {
        copy_rows(o, len * v->item, s, from * v->item, rows, (size_t)(len * v->item), v->stream);
        return;
    }
#define MX_ONE(B, T)                                                                                        \
    if (v->item == B) {                                                                                     \
        if (!v->stream || len < most) {                                                                     \
            view_rows_##T((T *)o, (const T *)s, rows, len, from, step);                                     \
            return;                                                                                         \
        }                                                                                                   \
        for (ptrdiff_t r = 0; r < rows; r++, o += len * B)                                                  \
            for (ptrdiff_t j = 0; j < len; j += most) {                                                     \
                ptrdiff_t w = len - j < most ? len - j : most;                                              \
                view_rows_##T((T *)line, (const T *)s + r * from + j * step, 1, w, 0, step);                \
                stream_row(o + j * B, line, (size_t)(w * B));                                               \
            }                                                                                               \
        stream_done(1);                                                                                     \
    }
    MX_SIZES(MX_ONE)
#undef MX_ONE
}

static inline void view_back(const mx_view *v, char *o, const char *s, ptrdiff_t rows, ptrdiff_t len, ptrdiff_t to, ptrdiff_t step) {
    if (step == 1) {
        copy_rows(o, to * v->item, s, len * v->item, rows, (size_t)(len * v->item), v->stream);
        return;
    }
#define MX_ONE(B, T) if (v->item == B) view_back_##T((T *)o, (const T *)s, rows, len, to, step);
    MX_SIZES(MX_ONE)
#undef MX_ONE
}

/* The transposing part of view_copy: units are panels, those of one matrix side by side along its rows. */
static void view_turn(const mx_view *v, char *o, const char *s, ptrdiff_t first, ptrdiff_t last) {
    int n = v->n, x = v->across, axis[MX_VIEW_AXES], m = 0;
    ptrdiff_t rows = v->size[x], cols = v->size[n - 1], D = v->out[x], S = v->stride[n - 1], at[MX_VIEW_AXES];
    ptrdiff_t width = panel_columns(rows), down = (rows + MX_TALL - 1) / MX_TALL, panels = down * ((cols + width - 1) / width);
    ptrdiff_t panel = first % panels, rest = first / panels, from = v->offset, to = 0;
    for (int a = n - 2; a >= 0; a--)
        if (a != x) {
            axis[m] = a;
            at[m] = rest % v->size[a];
            rest /= v->size[a];
            from += at[m] * v->stride[a];
            to += at[m++] * v->out[a];
        }
    for (ptrdiff_t unit = first; unit < last; unit++) {
        ptrdiff_t r = panel % down * MX_TALL, c = panel / down * width;
        turn(o + (to + r * D + c) * v->item, D, s + (from + r * v->stride[x] + c * S) * v->item, S, v->stride[x],
             rows - r < MX_TALL ? rows - r : MX_TALL, cols - c < width ? cols - c : width, v->item, v->stream);
        if (++panel < panels) continue;
        panel = 0;
        for (int k = 0; k < m; k++) {
            int a = axis[k];
            from += v->stride[a];
            to += v->out[a];
            if (++at[k] < v->size[a]) break;
            from -= v->stride[a] * v->size[a];
            to -= v->out[a] * v->size[a];
            at[k] = 0;
        }
    }
    stream_done(v->stream);
}

/* Units [first, last) of o = view of s; with back, of view of o = s. */
static void view_run(const mx_view *v, char *o, const char *s, ptrdiff_t first, ptrdiff_t last, int back) {
    int n = v->n, item = v->item;
    if (n == 1) {
        ptrdiff_t at = v->offset + first * v->stride[0];
        if (back) view_back(v, o + at * item, s + first * item, 1, last - first, 0, v->stride[0]);
        else view_rows(v, o + first * item, s + at * item, 1, last - first, 0, v->stride[0]);
        return;
    }
    ptrdiff_t len = v->size[n - 1], step = v->stride[n - 1], at[MX_VIEW_AXES], rest = first, place = v->offset;
    for (int a = n - 2; a >= 0; a--) {
        at[a] = rest % v->size[a];
        rest /= v->size[a];
        place += at[a] * v->stride[a];
    }
    while (first < last) {
        ptrdiff_t rows = v->size[n - 2] - at[n - 2], jump = v->stride[n - 2];
        if (rows > last - first) rows = last - first;
        if (back) view_back(v, o + place * item, s + first * len * item, rows, len, jump, step);
        else view_rows(v, o + first * len * item, s + place * item, rows, len, jump, step);
        first += rows;
        place -= at[n - 2] * jump;
        at[n - 2] = 0;
        for (int a = n - 3; a >= 0; a--) {
            place += v->stride[a];
            if (++at[a] < v->size[a]) break;
            place -= v->stride[a] * v->size[a];
            at[a] = 0;
        }
    }
}

static inline void view_copy_part(const mx_view *v, char *o, const char *s, ptrdiff_t first, ptrdiff_t last) {
    if (v->across >= 0) view_turn(v, o, s, first, last);
    else view_run(v, o, s, first, last, 0);
}
#endif
