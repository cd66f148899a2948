/* Scattered places for one element type T; included by points.h. */

/* The weights of one cell: n pixels, to be divided by a number. */
typedef struct { ptrdiff_t n, *pixel; T *weight, divisor; } V(cell);

static inline void V(cell_add)(V(cell) *cell, const points_t *s, T y, T x, T factor)
{
    const ptrdiff_t h = s->in[0], w = s->in[1];
    const ptrdiff_t y0 = y < (T)(h - 1) ? (ptrdiff_t)y : h - 1, x0 = x < (T)(w - 1) ? (ptrdiff_t)x : w - 1;
    const ptrdiff_t y1 = y0 + 1 < h ? y0 + 1 : y0, x1 = x0 + 1 < w ? x0 + 1 : x0;
    const T py = y - (T)y0, px = x - (T)x0;
    const T wy[2] = {s->order[0] ? -1 : 1 - py, s->order[0] ? 1 : py}, wx[2] = {s->order[1] ? -1 : 1 - px, s->order[1] ? 1 : px};
    const ptrdiff_t at[4] = {y0 * w + x0, y0 * w + x1, y1 * w + x0, y1 * w + x1};
    for (int a = 0; a < 4; a++) {
        cell->pixel[cell->n] = at[a];
        cell->weight[cell->n++] = factor * wy[a >> 1] * wx[a & 1];
    }
}

/* How many places a cell has along an axis of this size; 0 where the size is not finite. */
static inline ptrdiff_t V(turned_places)(const points_t *s, int axis, T size)
{
    const T bin = size / (T)s->out[axis];
    return s->ratio > 0 ? s->ratio : !(bin < (T)9e15) ? 0 : (ptrdiff_t)ceil((double)bin);
}

static void V(turned_cell)(V(cell) *cell, const points_t *s, const T *box, ptrdiff_t p, ptrdiff_t q)
{
    const T scale = (T)s->scale, angle = box[5] * (T)(3.14159265358979323846 / 180);
    const T width = box[3] * scale > 1 ? box[3] * scale : 1, height = box[4] * scale > 1 ? box[4] * scale : 1;
    const T cosine = (T)cos((double)angle), sine = (T)sin((double)angle);
    const ptrdiff_t ny = V(turned_places)(s, 0, height), nx = V(turned_places)(s, 1, width);
    const T bh = height / (T)s->out[0], bw = width / (T)s->out[1];
    cell->n = 0;
    cell->divisor = (T)(ny * nx > 0 ? ny * nx : 1);
    for (ptrdiff_t i = 0; i < ny; i++)
        for (ptrdiff_t j = 0; j < nx; j++) {
            const T v = -height / 2 + (T)p * bh + ((T)i + (T)0.5) * bh / (T)ny, u = -width / 2 + (T)q * bw + ((T)j + (T)0.5) * bw / (T)nx;
            const T x = u * cosine + v * sine + box[1] * scale, y = v * cosine - u * sine + box[2] * scale;
            if (y >= -1 && y <= (T)s->in[0] && x >= -1 && x <= (T)s->in[1])
                V(cell_add)(cell, s, y > 0 ? y : 0, x > 0 ? x : 0, 1);
        }
}

/* move: the cell's (x, y), or NULL */
static void V(moved_cell)(V(cell) *cell, const points_t *s, const T *box, const T *move, ptrdiff_t p, ptrdiff_t q)
{
    const T scale = (T)s->scale, half = (T)0.5, h = (T)s->in[0], w = (T)s->in[1];
    const ptrdiff_t cells = s->out[0] * s->out[1], n = s->ratio;
    const T left = (T)round((double)box[1]) * scale - half, top = (T)round((double)box[2]) * scale - half;
    T width = ((T)round((double)box[3]) + 1) * scale - half - left, height = ((T)round((double)box[4]) + 1) * scale - half - top;
    width = width > (T)0.1 ? width : (T)0.1;
    height = height > (T)0.1 ? height : (T)0.1;
    const T bw = width / (T)s->out[1], bh = height / (T)s->out[0], reach = (T)s->reach;
    const T x0 = (T)q * bw + left + (move ? move[p * s->out[1] + q] * reach * width : 0);
    const T y0 = (T)p * bh + top + (move ? move[cells + p * s->out[1] + q] * reach * height : 0);
    const T factor = (s->order[1] ? reach * width : 1) * (s->order[0] ? reach * height : 1);
    ptrdiff_t count = 0;
    cell->n = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            const T x = x0 + (T)j * (bw / (T)n), y = y0 + (T)i * (bh / (T)n);
            if (!(x >= -half && x <= w - half && y >= -half && y <= h - half))
                continue;
            count++;
            /* at an edge a place does not move */
            if (!((s->order[1] && (x < 0 || x > w - 1)) || (s->order[0] && (y < 0 || y > h - 1))))
                V(cell_add)(cell, s, y > 0 ? (y < h - 1 ? y : h - 1) : 0, x > 0 ? (x < w - 1 ? x : w - 1) : 0, factor);
        }
    cell->divisor = (T)(count ? count : 1);
}

/* The most places that a cell has along each axis; -1 when a region asks for too many. */
static ptrdiff_t V(points_most)(const mxnd_call *c, const points_t *s)
{
    if (s->kind == POINTS_MOVED || s->ratio > 0)
        return s->ratio > POINTS_MOST ? -1 : s->ratio * s->ratio;
    ptrdiff_t most = 1;
    for (ptrdiff_t r = 0; r < s->regions; r++) {
        const T *box = (const T *)c->in[1].data + 6 * r;
        const T w = box[3] * (T)s->scale, h = box[4] * (T)s->scale;
        const ptrdiff_t ny = V(turned_places)(s, 0, h > 1 ? h : 1), nx = V(turned_places)(s, 1, w > 1 ? w : 1);
        if (ny > POINTS_MOST || nx > POINTS_MOST)
            return -1;
        most = ny * nx > most ? ny * nx : most;
    }
    return most;
}

/* in: data (samples, channels groups, height, width) or, to spread, head; rois; moves (regions, classes 2, out) where there are some */
static int V(points)(mxnd_call *c, int spread)
{
    const points_t s = points_read(c);
    const ptrdiff_t image = s.in[0] * s.in[1], planes = s.group * s.group * image, cells = s.out[0] * s.out[1];
    const ptrdiff_t row = s.kind == POINTS_TURNED ? 6 : 5, each = s.channels / s.classes;
    const T *moves = s.kind == POINTS_MOVED && c->nin > 2 ? (const T *)c->in[2].data : 0;
    const int status = regions_check(c, c->in + 1, s.regions, row, s.samples);
    if (status)
        return status;
    if (spread || image == 0)
        memset(c->out->data, 0, (size_t)c->out->size * sizeof(T));
    if (c->out->size == 0 || c->in->size == 0)
        return MX_OK;
    const ptrdiff_t most = V(points_most)(c, &s);
    if (most < 0) {
        c->error = "a cell of a region reads more than 1024 places along one side; expected smaller regions, or fewer samples";
        return MX_VALUE_ERROR;
    }
    const int threads = vision_threads(c, 8.0 * (double)(s.regions * s.channels) * (double)(cells * most), s.channels);
    const size_t bytes = (size_t)(4 * most + 8) * (sizeof(ptrdiff_t) + sizeof(T)) / 8 * 8;
    char *memory = c->take(bytes * (size_t)threads);
    if (!memory)
        return MX_MEMORY_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        const ptrdiff_t from = s.channels * t / threads, to = s.channels * (t + 1) / threads;
        V(cell) cell = {.pixel = (ptrdiff_t *)(memory + bytes * (size_t)t)};
        cell.weight = (T *)(cell.pixel + 4 * most);
        for (ptrdiff_t r = 0; r < s.regions; r++) {
            const T *box = (const T *)c->in[1].data + row * r;
            const ptrdiff_t sample = region_sample((double)box[0], s.samples);
            for (ptrdiff_t k = 0; k < cells; k++) {
                const ptrdiff_t p = k / s.out[1], q = k % s.out[1];
                const ptrdiff_t part = bands_part(p, s.group, s.out[0]) * s.group + bands_part(q, s.group, s.out[1]);
                ptrdiff_t last = -1;
                for (ptrdiff_t j = from; j < to; j++) {
                    if (j / each != last) {
                        last = j / each;
                        if (sample < 0)
                            cell.n = 0, cell.divisor = 1;
                        else if (s.kind == POINTS_TURNED)
                            V(turned_cell)(&cell, &s, box, p, q);
                        else
                            V(moved_cell)(&cell, &s, box, moves ? moves + (r * s.classes + last) * 2 * cells : 0, p, q);
                    }
                    const ptrdiff_t at = sample < 0 ? 0 : (sample * s.channels + j) * planes + part * image;
                    const ptrdiff_t out = (r * s.channels + j) * cells + k;
                    if (spread) {
                        T *o = (T *)c->out->data + at;
                        const T g = ((const T *)c->in->data)[out] / cell.divisor;
                        for (ptrdiff_t a = 0; a < cell.n; a++)
                            o[cell.pixel[a]] += g * cell.weight[a];
                        continue;
                    }
                    const T *x = (const T *)c->in->data + at;
                    T sum = 0;
                    for (ptrdiff_t a = 0; a < cell.n; a++)
                        sum += x[cell.pixel[a]] * cell.weight[a];
                    ((T *)c->out->data)[out] = sum / cell.divisor;
                }
            }
        }
    }
    c->give(memory);
    return MX_OK;
}

static int V(points_take)(mxnd_call *c) { return V(points)(c, 0); }
static int V(points_spread)(mxnd_call *c) { return V(points)(c, 1); }
