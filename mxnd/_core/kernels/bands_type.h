/* Bands for one element type T; included by bands.h. */

/* One axis: output p sums count[p] inputs from first[p] on, each times a weight, and divides by divisor[p]. */
typedef struct { ptrdiff_t stride, *first, *count; T *weight, *divisor; } V(band);

static inline size_t V(band_bytes)(ptrdiff_t length, ptrdiff_t stride)
{
    return (size_t)length * (2 * sizeof(ptrdiff_t) + (size_t)(stride + 1) * sizeof(T) + 8);
}

static char *V(band_place)(V(band) *a, char *memory, ptrdiff_t length, ptrdiff_t stride)
{
    a->stride = stride;
    a->first = (ptrdiff_t *)memory;
    a->count = a->first + length;
    a->divisor = (T *)(a->count + length);
    a->weight = a->divisor + length;
    return memory + V(band_bytes)(length, stride) / 8 * 8;
}

/* Inputs from `from` up to `to`, all of weight 1; divided by their number. */
static inline void V(band_mean)(V(band) *a, ptrdiff_t p, ptrdiff_t from, ptrdiff_t to)
{
    a->first[p] = from;
    a->count[p] = to > from ? to - from : 0;
    a->divisor[p] = (T)(to > from ? to - from : 1);
    for (ptrdiff_t k = 0; k < a->count[p]; k++)
        a->weight[p * a->stride + k] = 1;
}

static void V(band_adaptive)(V(band) *a, ptrdiff_t in, ptrdiff_t out)
{
    for (ptrdiff_t p = 0; p < out; p++)
        V(band_mean)(a, p, p * in / out, ((p + 1) * in + out - 1) / out);
}

static void V(band_resize)(V(band) *a, ptrdiff_t in, ptrdiff_t out, int corners)
{
    const T step = out < 2 ? 0 : corners ? (T)(in - 1) / (T)(out - 1) : (T)in / (T)out;     /* one output is the first input */
    for (ptrdiff_t p = 0; p < out; p++) {
        T at = corners ? step * (T)p : step * ((T)p + (T)0.5) - (T)0.5;
        at = at > 0 ? at : 0;
        ptrdiff_t low = (ptrdiff_t)at;
        low = low < in ? low : in - 1;
        a->first[p] = low;
        a->count[p] = low + 1 < in ? 2 : 1;
        a->divisor[p] = 1;
        a->weight[p * a->stride] = low + 1 < in ? 1 - (at - (T)low) : 1;
        if (a->stride > 1)
            a->weight[p * a->stride + 1] = low + 1 < in ? at - (T)low : 0;
    }
}

/* Sample k of n of output p lies at start + p bin + (k + 1/2) bin / n; each adds to two inputs. */
static void V(band_align)(V(band) *a, ptrdiff_t in, ptrdiff_t out, T start, T size, ptrdiff_t ratio)
{
    const T bin = size / (T)out;
    const T many = ratio > 0 ? (T)ratio : (T)ceil((double)bin);
    const int some = many >= 1 && many < (T)9e15 && start - start == 0;
    for (ptrdiff_t p = 0; p < out; p++) {
        T *w = a->weight + p * a->stride;
        ptrdiff_t least = in, most = -1;
        a->first[p] = a->count[p] = 0;
        a->divisor[p] = some ? many : 1;
        if (!some)
            continue;
        memset(w, 0, (size_t)in * sizeof(T));
        const T base = start + (T)p * bin, step = bin / many;
        double from = 0, to = (double)many;                 /* of a huge region only the samples near the image */
        if (step > 0) {
            const double low = floor((-1 - (double)base) / (double)step) - 2, high = ceil(((double)in - (double)base) / (double)step) + 2;
            from = low > from ? low : from;
            to = high < to ? high : to;
        }
        for (double k = from; k < to; k++) {
            T at = base + ((T)k + (T)0.5) * step;
            if (!(at >= -1 && at <= (T)in))
                continue;
            at = at > 0 ? at : 0;
            ptrdiff_t low = (ptrdiff_t)at;
            if (low >= in - 1)
                at = (T)(low = in - 1);
            const ptrdiff_t high = low + 1 < in ? low + 1 : low;
            w[low] += 1 - (at - (T)low);
            w[high] += at - (T)low;
            least = low < least ? low : least;
            most = high > most ? high : most;
        }
        if (most >= least) {
            a->first[p] = least;
            a->count[p] = most - least + 1;
            if (least)
                memmove(w, w + least, (size_t)a->count[p] * sizeof(T));
        }
    }
}

static inline ptrdiff_t V(inside)(T at, ptrdiff_t n) { return at > 0 ? at < (T)n ? (ptrdiff_t)at : n : 0; }

static void V(band_sensitive)(V(band) *a, ptrdiff_t in, ptrdiff_t out, T start, T size)
{
    const T bin = size / (T)out;
    for (ptrdiff_t p = 0; p < out; p++)
        V(band_mean)(a, p, V(inside)((T)floor((double)((T)p * bin + start)), in),
                     V(inside)((T)ceil((double)((T)(p + 1) * bin + start)), in));
}

/* The bands of one axis for region r; box: two numbers per corner, x first. */
static void V(band_fill)(V(band) *a, const bands_t *b, int axis, const T *box)
{
    const ptrdiff_t in = b->in[axis], out = b->out[axis];
    if (b->kind == BANDS_ADAPTIVE)
        V(band_adaptive)(a, in, out);
    else if (b->kind == BANDS_RESIZE)
        V(band_resize)(a, in, out, b->option != 0);
    else {
        const T low = box[1 - axis], high = box[3 - axis], scale = (T)b->scale;
        if (b->kind == BANDS_SENSITIVE) {
            const T start = (T)round((double)low) * scale, size = ((T)round((double)high) + 1) * scale - start;
            V(band_sensitive)(a, in, out, start, size > (T)0.1 ? size : (T)0.1);
            return;
        }
        const T start = low * scale - (b->option ? (T)0.5 : 0), size = high * scale - (b->option ? (T)0.5 : 0) - start;
        V(band_align)(a, in, out, start, b->option || size > 1 || size != size ? size : 1, size > 0 || !b->option ? b->ratio : 0);
    }
}

static void V(band_take)(const bands_t *b, const V(band) *y, const V(band) *x, const T *image, T *out)
{
    const ptrdiff_t plane = b->in[0] * b->in[1];
    for (ptrdiff_t p = 0; p < b->out[0]; p++) {
        const ptrdiff_t part = bands_part(p, b->group[0], b->out[0]) * b->group[1];
        for (ptrdiff_t q = 0; q < b->out[1]; q++) {
            const T *v = image + (part + bands_part(q, b->group[1], b->out[1])) * plane + y->first[p] * b->in[1] + x->first[q];
            const T *wx = x->weight + q * x->stride, *wy = y->weight + p * y->stride;
            const ptrdiff_t n = x->count[q];
            T sum = 0;
            for (ptrdiff_t k = 0; k < y->count[p]; k++, v += b->in[1]) {
                T line = 0;
                for (ptrdiff_t j = 0; j < n; j++)
                    line += wx[j] * v[j];
                sum += wy[k] * line;
            }
            out[p * b->out[1] + q] = sum / (y->divisor[p] * x->divisor[q]);
        }
    }
}

static void V(band_give)(const bands_t *b, const V(band) *y, const V(band) *x, const T *head, T *image)
{
    const ptrdiff_t plane = b->in[0] * b->in[1];
    for (ptrdiff_t p = 0; p < b->out[0]; p++) {
        const ptrdiff_t part = bands_part(p, b->group[0], b->out[0]) * b->group[1];
        for (ptrdiff_t q = 0; q < b->out[1]; q++) {
            T *v = image + (part + bands_part(q, b->group[1], b->out[1])) * plane + y->first[p] * b->in[1] + x->first[q];
            const T *wx = x->weight + q * x->stride, *wy = y->weight + p * y->stride;
            const T g = head[p * b->out[1] + q] / (y->divisor[p] * x->divisor[q]);
            const ptrdiff_t n = x->count[q];
            for (ptrdiff_t k = 0; k < y->count[p]; k++, v += b->in[1]) {
                const T part_of = g * wy[k];
                for (ptrdiff_t j = 0; j < n; j++)
                    v[j] += part_of * wx[j];
            }
        }
    }
}

/* As band_take and band_give where a band has two inputs at most: whole rows first, then columns.  line: room for a row. */
static void V(resize_take)(const bands_t *b, const V(band) *y, const V(band) *x, const T *image, T *out, T *line)
{
    const ptrdiff_t w = b->in[1];
    for (ptrdiff_t p = 0; p < b->out[0]; p++, out += b->out[1]) {
        const T *row = image + y->first[p] * w;
        const T a = y->weight[p * y->stride], c = y->stride > 1 ? y->weight[p * y->stride + 1] : 0;
        for (ptrdiff_t j = 0; j < w; j++)
            line[j] = a * row[j];
        for (ptrdiff_t j = 0; j < w && c != 0; j++)                     /* inputs that do not count may be infinite */
            line[j] += c * row[w + j];
        if (x->stride < 2)
            for (ptrdiff_t q = 0; q < b->out[1]; q++)
                out[q] = line[0];
        else
            for (ptrdiff_t q = 0; q < b->out[1]; q++) {
                const T k = x->weight[2 * q + 1], more = k * line[x->first[q] + (x->count[q] - 1)];
                out[q] = x->weight[2 * q] * line[x->first[q]] + (k != 0 ? more : 0);
            }
    }
}

static void V(resize_give)(const bands_t *b, const V(band) *y, const V(band) *x, const T *head, T *image, T *line)
{
    const ptrdiff_t w = b->in[1];
    for (ptrdiff_t p = 0; p < b->out[0]; p++, head += b->out[1]) {
        T *row = image + y->first[p] * w;
        memset(line, 0, (size_t)w * sizeof(T));
        for (ptrdiff_t q = 0; q < b->out[1]; q++) {
            line[x->first[q]] += x->weight[q * x->stride] * head[q];
            if (x->count[q] > 1 && x->weight[q * x->stride + 1] != 0)
                line[x->first[q] + 1] += x->weight[q * x->stride + 1] * head[q];
        }
        for (ptrdiff_t k = 0; k < y->count[p]; k++)
            for (ptrdiff_t j = 0; j < w && y->weight[p * y->stride + k] != 0; j++)
                row[k * w + j] += y->weight[p * y->stride + k] * line[j];
    }
}

/* in: data (samples, channels groups, height, width) or, to spread, head (regions, channels, out); then the boxes. */
static int V(bands)(mxnd_call *c, int spread)
{
    const bands_t b = bands_read(c);
    const int boxes = b.kind >= BANDS_ALIGN;
    const ptrdiff_t image = b.group[0] * b.group[1] * b.in[0] * b.in[1], cells = b.out[0] * b.out[1];
    if (boxes) {
        const int status = regions_check(c, c->in + 1, b.regions, 5, b.samples);
        if (status)
            return status;
    }
    if (spread || image == 0)
        memset(c->out->data, 0, (size_t)c->out->size * sizeof(T));
    if (c->out->size == 0 || c->in->size == 0)
        return MX_OK;
    const ptrdiff_t sy = bands_stride(&b, 0), sx = bands_stride(&b, 1);
    const int threads = vision_threads(c, 4.0 * (double)b.regions * (double)b.channels * (double)(cells + (boxes ? 0 : image)), b.channels);
    const size_t bytes = V(band_bytes)(b.out[0], sy) + V(band_bytes)(b.out[1], sx) + (size_t)b.in[1] * sizeof(T) + 64;
    char *memory = c->take(bytes * (size_t)threads);
    if (!memory)
        return MX_MEMORY_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        const ptrdiff_t from = b.channels * t / threads, to = b.channels * (t + 1) / threads;
        V(band) y, x;
        T *line = (T *)V(band_place)(&x, V(band_place)(&y, memory + bytes / 8 * 8 * (size_t)t, b.out[0], sy), b.out[1], sx);
        for (ptrdiff_t r = 0; r < b.regions; r++) {
            const T *box = boxes ? (const T *)c->in[1].data + 5 * r : 0;
            const ptrdiff_t sample = boxes ? region_sample((double)box[0], b.samples) : 0;
            if (sample >= 0) {
                V(band_fill)(&y, &b, 0, boxes ? box + 1 : 0);
                V(band_fill)(&x, &b, 1, boxes ? box + 1 : 0);
            }
            for (ptrdiff_t j = from; j < to; j++) {
                const ptrdiff_t at = (sample * b.channels + j) * image, pooled = (r * b.channels + j) * cells;
                if (sample < 0) {
                    if (!spread)
                        memset((T *)c->out->data + pooled, 0, (size_t)cells * sizeof(T));
                } else if (b.kind == BANDS_RESIZE && spread)
                    V(resize_give)(&b, &y, &x, (const T *)c->in->data + pooled, (T *)c->out->data + at, line);
                else if (b.kind == BANDS_RESIZE)
                    V(resize_take)(&b, &y, &x, (const T *)c->in->data + at, (T *)c->out->data + pooled, line);
                else if (spread)
                    V(band_give)(&b, &y, &x, (const T *)c->in->data + pooled, (T *)c->out->data + at);
                else
                    V(band_take)(&b, &y, &x, (const T *)c->in->data + at, (T *)c->out->data + pooled);
            }
        }
    }
    c->give(memory);
    return MX_OK;
}

static int V(bands_take)(mxnd_call *c) { return V(bands)(c, 0); }
static int V(bands_spread)(mxnd_call *c) { return V(bands)(c, 1); }
