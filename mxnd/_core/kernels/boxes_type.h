/* Boxes for one element type T; included by boxes.h. */

static inline T B(least)(T a, T b) { return a < b ? a : b; }
static inline T B(most)(T a, T b) { return a > b ? a : b; }

static inline void B(to_corners)(const T *x, int format, T out[4])
{
    const T w = x[2] / 2, h = x[3] / 2;
    out[0] = format == BOX_CENTER ? x[0] - w : x[0];
    out[1] = format == BOX_CENTER ? x[1] - h : x[1];
    out[2] = format == BOX_CENTER ? x[0] + w : x[2];
    out[3] = format == BOX_CENTER ? x[1] + h : x[3];
}

/* more: what is added to lengths (1 where corners are pixels) */
static inline T B(area)(T x1, T y1, T x2, T y2, T more)
{
    const T w = x2 - x1 + more, h = y2 - y1 + more;
    return w < 0 || h < 0 ? 0 : w * h;
}

static inline T B(overlap)(const T *a, const T *b)
{
    const T w = B(least)(a[2], b[2]) - B(most)(a[0], b[0]), h = B(least)(a[3], b[3]) - B(most)(a[1], b[1]);
    if (!(w > 0 && h > 0))
        return 0;
    const T both = B(area)(a[0], a[1], a[2], a[3], 0) + B(area)(b[0], b[1], b[2], b[3], 0) - w * h;
    return both > 0 ? w * h / both : 0;
}

/* n boxes in order of preference: corners, areas, classes, and which of them are gone. */
typedef struct { ptrdiff_t n; T *x1, *y1, *x2, *y2, *area, *kind, *gone; } B(boxes);

static inline size_t B(boxes_bytes)(ptrdiff_t n) { return (size_t)n * 7 * sizeof(T) + 64; }

static void B(boxes_place)(B(boxes) *b, char *memory, ptrdiff_t n)
{
    T *x = (T *)memory;
    *b = (B(boxes)){n, x, x + n, x + 2 * n, x + 3 * n, x + 4 * n, x + 5 * n, x + 6 * n};
}

static inline void B(boxes_set)(B(boxes) *b, ptrdiff_t k, const T corners[4], T kind, T more)
{
    b->x1[k] = corners[0], b->y1[k] = corners[1], b->x2[k] = corners[2], b->y2[k] = corners[3];
    b->area[k] = B(area)(corners[0], corners[1], corners[2], corners[3], more);
    b->kind[k] = kind;
    b->gone[k] = 0;
}

/* Every box that stays removes the later ones of its kind that overlap it by more than the limit (closed: or by as much);
 * ends when `wanted` have stayed.  Returns how many did. */
static ptrdiff_t B(suppress)(const B(boxes) *b, T limit, int closed, T more, ptrdiff_t wanted)
{
    ptrdiff_t stayed = 0;
    for (ptrdiff_t i = 0; i < b->n; i++) {
        if (b->gone[i])
            continue;
        if (++stayed == wanted)
            return stayed;
        const T x1 = b->x1[i], y1 = b->y1[i], x2 = b->x2[i], y2 = b->y2[i], area = b->area[i], kind = b->kind[i];
        const T *restrict bx1 = b->x1, *restrict by1 = b->y1, *restrict bx2 = b->x2, *restrict by2 = b->y2;
        const T *restrict areas = b->area, *restrict kinds = b->kind;
        T *restrict gone = b->gone;                                      /* of the same width as the rest, so that the loop vectorises */
        for (ptrdiff_t j = i + 1; j < b->n; j++) {
            const T w = B(least)(x2, bx2[j]) - B(most)(x1, bx1[j]) + more, h = B(least)(y2, by2[j]) - B(most)(y1, by1[j]) + more;
            const T shared = (w > 0 ? w : 0) * (h > 0 ? h : 0), part = shared > 0 ? shared / (area + areas[j] - shared) : 0;
            const int out = ((part > limit) | (closed & (part == limit))) & (kind == kinds[j]);
            gone[j] = out ? 1 : gone[j];
        }
    }
    return stayed;
}

/* i: rows of lhs, rows of rhs, format */
static int B(box_iou)(mxnd_call *c)
{
    const ptrdiff_t n = c->i[0], m = c->i[1];
    const int threads = box_threads(c, 16.0 * (double)n * (double)m, n);
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (ptrdiff_t k = 0; k < n; k++) {
        T a[4], b[4];
        B(to_corners)((const T *)c->in[0].data + 4 * k, (int)c->i[2], a);
        for (ptrdiff_t j = 0; j < m; j++) {
            B(to_corners)((const T *)c->in[1].data + 4 * j, (int)c->i[2], b);
            ((T *)c->out->data)[k * m + j] = B(overlap)(a, b);
        }
    }
    return MX_OK;
}

/* Rows of one sample that stay, best first; the rest of out is -1, of places -1. */
static void B(nms_one)(const mxnd_call *c, const T *x, T *out, int64_t *places, char *memory)
{
    const int64_t *i = c->i;
    const ptrdiff_t n = i[1], w = i[2], coord = i[4], score = i[5], id = i[6];
    const int by_kind = id >= 0 && !i[8];
    ranked_t *ranked = (ranked_t *)memory;
    B(boxes) b;
    ptrdiff_t valid = 0, at = 0;
    for (ptrdiff_t k = 0; k < n; k++)
        if (x[k * w + score] > (T)c->d[1] && !(id >= 0 && i[7] >= 0 && x[k * w + id] == (T)i[7]))
            ranked[valid++] = (ranked_t){(double)x[k * w + score], k};
    rank(ranked, valid, ranked + n);
    valid = i[3] > 0 && i[3] < valid ? i[3] : valid;
    B(boxes_place)(&b, memory + (size_t)(2 * n) * sizeof(ranked_t), valid);
    for (ptrdiff_t k = 0; k < valid; k++) {
        T corners[4];
        const T *row = x + ranked[k].place * w;
        B(to_corners)(row + coord, (int)i[9], corners);
        B(boxes_set)(&b, k, corners, by_kind ? row[id] : 0, 0);
    }
    B(suppress)(&b, (T)c->d[0], 0, 0, -1);
    for (ptrdiff_t k = 0; k < valid; k++) {
        if (b.gone[k])
            continue;
        T *o = out + at * w;
        memcpy(o, x + ranked[k].place * w, (size_t)w * sizeof(T));
        if (i[9] != i[10]) {
            const T x1 = b.x1[k], y1 = b.y1[k], x2 = b.x2[k], y2 = b.y2[k];
            const int corner = i[10] == BOX_CORNER;
            o[coord] = corner ? x1 : (x1 + x2) / 2;
            o[coord + 1] = corner ? y1 : (y1 + y2) / 2;
            o[coord + 2] = corner ? x2 : x2 - x1;
            o[coord + 3] = corner ? y2 : y2 - y1;
        }
        places[at++] = ranked[k].place;
    }
    for (ptrdiff_t k = at * w; k < n * w; k++)
        out[k] = -1;
    for (ptrdiff_t k = at; k < n; k++)
        places[k] = -1;
}

/* i: samples, boxes, width, topk, coord_start, score_index, id_index, background_id, force, formats in and out; d: limits of
 * overlap and score.  out: data, places (int64).  topk 0 keeps everything as it is. */
static int B(box_nms)(mxnd_call *c)
{
    const ptrdiff_t samples = c->i[0], n = c->i[1], w = c->i[2];
    int64_t *places = (int64_t *)c->out[1].data;
    if (c->i[3] == 0) {
        memcpy(c->out[0].data, c->in->data, (size_t)c->in->size * sizeof(T));
        for (ptrdiff_t k = 0; k < samples * n; k++)
            places[k] = k % n;
        return MX_OK;
    }
    if (samples * n == 0)
        return MX_OK;
    const int threads = box_threads(c, (double)samples * (double)n * (double)n, samples);
    const size_t bytes = ((size_t)(2 * n) * sizeof(ranked_t) + B(boxes_bytes)(n)) / 64 * 64 + 64;
    char *memory = c->take(bytes * (size_t)threads);
    if (!memory)
        return MX_MEMORY_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static, 1)
    for (int t = 0; t < threads; t++)
        for (ptrdiff_t k = t; k < samples; k += threads)
            B(nms_one)(c, (const T *)c->in->data + k * n * w, (T *)c->out[0].data + k * n * w, places + k * n, memory + bytes * (size_t)t);
    c->give(memory);
    return MX_OK;
}

/* Rows by place (int64, -1: none), and the adjoint.  i: samples, boxes, width */
static int B(rows_by_place)(mxnd_call *c, int spread)
{
    const ptrdiff_t samples = c->i[0], n = c->i[1], w = c->i[2];
    const int64_t *places = (const int64_t *)c->in[1].data;
    const T *x = (const T *)c->in->data;
    T *o = (T *)c->out->data;
    memset(o, 0, (size_t)c->out->size * sizeof(T));
    for (ptrdiff_t k = 0; k < samples * n; k++) {
        if (places[k] < 0)
            continue;
        if (places[k] >= n) {
            c->at = places[k];
            c->bound = n;
            return MX_INDEX_ERROR;
        }
        const ptrdiff_t there = k / n * n + (ptrdiff_t)places[k], from = spread ? k : there, to = spread ? there : k;
        for (ptrdiff_t j = 0; j < w; j++)
            o[to * w + j] += x[from * w + j];
    }
    return MX_OK;
}

static int B(place_take)(mxnd_call *c) { return B(rows_by_place)(c, 0); }
static int B(place_spread)(mxnd_call *c) { return B(rows_by_place)(c, 1); }

/* Pairs of a row and a column by score, best first, each used once.  i: samples, rows, columns, ascending, topk; d: limit */
static int B(matching)(mxnd_call *c)
{
    const ptrdiff_t samples = c->i[0], n = c->i[1], m = c->i[2], topk = c->i[4];
    const int up = c->i[3] != 0;
    for (ptrdiff_t k = 0; k < c->out[0].size; k++)
        ((T *)c->out[0].data)[k] = -1;
    for (ptrdiff_t k = 0; k < c->out[1].size; k++)
        ((T *)c->out[1].data)[k] = -1;
    if (samples * n * m == 0)
        return MX_OK;
    const int threads = box_threads(c, 16.0 * (double)samples * (double)n * (double)m, samples);
    ranked_t *memory = c->take((size_t)threads * (size_t)(2 * n * m) * sizeof(ranked_t));
    if (!memory)
        return MX_MEMORY_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        ranked_t *ranked = memory + (ptrdiff_t)t * 2 * n * m;
        for (ptrdiff_t s = t; s < samples; s += threads) {
            const T *x = (const T *)c->in->data + s * n * m;
            T *rows = (T *)c->out[0].data + s * n, *columns = (T *)c->out[1].data + s * m;
            ptrdiff_t count = 0, some = 0;
            for (ptrdiff_t k = 0; k < n * m; k++)
                if (up ? x[k] < (T)c->d[0] : x[k] > (T)c->d[0])                          /* others would end the search */
                    ranked[some++] = (ranked_t){up ? -(double)x[k] : (double)x[k], k};
            rank(ranked, some, ranked + n * m);
            for (ptrdiff_t k = 0; k < some; k++) {
                const ptrdiff_t r = ranked[k].place / m, q = ranked[k].place % m;
                if (rows[r] != -1 || columns[q] != -1)
                    continue;
                rows[r] = (T)q;
                columns[q] = (T)r;
                if (topk > 0 && ++count > topk)                                          /* one more than topk, as 1.9.1 */
                    break;
            }
        }
    }
    c->give(memory);
    return MX_OK;
}
