/* SSD: prior boxes, training targets, and detections, for one element type T; included by boxes.h. */

/* i: height, width, number of sizes, of ratios, clip; d: steps y and x, offsets y and x, sizes, ratios.  out: (1, n, 4) */
static int B(multibox_prior)(mxnd_call *c)
{
    const ptrdiff_t height = c->i[0], width = c->i[1], sizes = c->i[2], ratios = c->i[3], each = sizes + ratios - 1;
    const T step_y = c->d[0] > 0 ? (T)c->d[0] : 1 / (T)height, step_x = c->d[1] > 0 ? (T)c->d[1] : 1 / (T)width;
    T *o = (T *)c->out->data;
    for (ptrdiff_t i = 0; i < height; i++)
        for (ptrdiff_t j = 0; j < width; j++)
            for (ptrdiff_t k = 0; k < each; k++, o += 4) {
                const T size = (T)c->d[4 + (k < sizes ? k : 0)], ratio = (T)sqrt(c->d[4 + sizes + (k < sizes ? 0 : k - sizes + 1)]);
                const T y = ((T)i + (T)c->d[2]) * step_y, x = ((T)j + (T)c->d[3]) * step_x;
                const T w = size * (T)height / (T)width * ratio / 2, h = size / ratio / 2;
                o[0] = x - w, o[1] = y - h, o[2] = x + w, o[3] = y + h;
                for (int a = 0; a < 4 && c->i[4]; a++)
                    o[a] = B(least)(B(most)(o[a], 0), 1);
            }
    return MX_OK;
}

typedef struct { T overlap; ptrdiff_t truth; int flag; } B(match);          /* flag: 1 positive, 0 negative, -1 neither */

/* Among the true boxes the one that overlaps anchor j most. */
static inline void B(best_truth)(B(match) *m, const T *overlaps, ptrdiff_t truths)
{
    m->overlap = -1, m->truth = -1;
    for (ptrdiff_t k = 0; k < truths; k++)
        if (overlaps[k] > m->overlap)
            m->overlap = overlaps[k], m->truth = k;
}

/* i: samples, anchors, labels, numbers per label, classes, (unused); d: overlap limit, ignored label, mining ratio, mining limit,
 * variances.  out: shifts (samples, anchors 4), their mask, classes (samples, anchors) */
static void B(target_one)(const mxnd_call *c, ptrdiff_t s, char *memory)
{
    const ptrdiff_t anchors = c->i[1], width = c->i[3], classes = c->i[4];
    const T *a = (const T *)c->in[0].data, *label = (const T *)c->in[1].data + s * c->i[2] * width;
    const T *score = (const T *)c->in[2].data + s * classes * anchors;
    T *shift = (T *)c->out[0].data + s * anchors * 4, *mask = (T *)c->out[1].data + s * anchors * 4;
    T *kind = (T *)c->out[2].data + s * anchors;
    ptrdiff_t truths = 0, positives = 0;
    memset(shift, 0, (size_t)(4 * anchors) * sizeof(T));
    memset(mask, 0, (size_t)(4 * anchors) * sizeof(T));
    for (ptrdiff_t j = 0; j < anchors; j++)
        kind[j] = (T)c->d[1];
    while (truths < c->i[2] && label[truths * width] != -1)              /* class -1 ends the labels */
        truths++;
    if (truths == 0)
        return;
    ranked_t *ranked = (ranked_t *)memory;
    B(match) *match = (B(match) *)(ranked + 2 * anchors);
    T *overlaps = (T *)(match + anchors);
    char *taken = (char *)(overlaps + anchors * truths);
    memset(taken, 0, (size_t)truths);
    for (ptrdiff_t j = 0; j < anchors; j++) {
        match[j] = (B(match)){-1, -1, -1};
        for (ptrdiff_t k = 0; k < truths; k++)
            overlaps[j * truths + k] = B(overlap)(a + 4 * j, label + k * width + 1);
    }
    for (ptrdiff_t round = 0; round < truths; round++) {                 /* every true box gets the anchor that overlaps it most */
        ptrdiff_t best = -1, truth = -1;
        T most = (T)1e-6;
        for (ptrdiff_t j = 0; j < anchors; j++) {
            if (match[j].flag == 1)
                continue;
            for (ptrdiff_t k = 0; k < truths; k++)
                if (!taken[k] && overlaps[j * truths + k] > most)
                    most = overlaps[j * truths + k], best = j, truth = k;
        }
        if (best < 0)
            break;
        match[best] = (B(match)){most, truth, 1};
        taken[truth] = 1;
        positives++;
    }
    for (ptrdiff_t j = 0; j < anchors; j++) {                            /* other anchors that overlap one enough are positive too */
        if (match[j].flag == 1)
            continue;
        B(best_truth)(match + j, overlaps + j * truths, truths);
        if (c->d[0] > 0 && match[j].truth >= 0 && match[j].overlap > (T)c->d[0])
            match[j].flag = 1, positives++;
    }
    if (c->d[2] > 0) {                                                   /* negatives: where the background is least believed in */
        const double want = (double)positives * c->d[2], most = (double)(anchors - positives);
        ptrdiff_t some = 0, negatives = (ptrdiff_t)(want < most ? want : most);
        for (ptrdiff_t j = 0; j < anchors; j++) {
            if (match[j].flag == 1 || !(match[j].overlap < (T)c->d[3]))
                continue;
            T top = score[j], sum = 0;
            for (ptrdiff_t k = 1; k < classes; k++)
                top = B(most)(top, score[k * anchors + j]);
            for (ptrdiff_t k = 0; k < classes; k++)
                sum += (T)exp((double)(score[k * anchors + j] - top));
            ranked[some++] = (ranked_t){rank_key(-exp((double)(score[j] - top)) / (double)sum), j};
        }
        rank(ranked, some, ranked + anchors);
        for (ptrdiff_t k = 0; k < some && k < negatives; k++)
            match[ranked[k].place].flag = 0;
    } else
        for (ptrdiff_t j = 0; j < anchors; j++)
            match[j].flag = match[j].flag == 1;
    for (ptrdiff_t j = 0; j < anchors; j++) {
        if (match[j].flag == 0)
            kind[j] = 0;
        if (match[j].flag != 1)
            continue;
        const T *truth = label + match[j].truth * width, *p = a + 4 * j, *q = truth + 1;
        const T aw = p[2] - p[0], ah = p[3] - p[1], ax = (p[0] + p[2]) / 2, ay = (p[1] + p[3]) / 2;
        const T gw = q[2] - q[0], gh = q[3] - q[1], gx = (q[0] + q[2]) / 2, gy = (q[1] + q[3]) / 2;
        kind[j] = truth[0] + 1;
        shift[4 * j] = (gx - ax) / aw / (T)c->d[4];
        shift[4 * j + 1] = (gy - ay) / ah / (T)c->d[5];
        shift[4 * j + 2] = (T)log((double)(gw / aw)) / (T)c->d[6];
        shift[4 * j + 3] = (T)log((double)(gh / ah)) / (T)c->d[7];
        for (int k = 0; k < 4; k++)
            mask[4 * j + k] = 1;
    }
}

static int B(multibox_target)(mxnd_call *c)
{
    const ptrdiff_t samples = c->i[0], anchors = c->i[1], labels = c->i[2];
    if (samples * anchors == 0)
        return MX_OK;
    const int threads = box_threads(c, 16.0 * (double)samples * (double)anchors * (double)(labels + 1), samples);
    const size_t each = 2 * sizeof(ranked_t) + sizeof(B(match)) + (size_t)labels * sizeof(T);
    const size_t bytes = ((size_t)anchors * each + (size_t)labels) / 64 * 64 + 64;
    return box_each(c, samples, threads, bytes, B(target_one));
}

/* i: samples, classes, anchors, clip, force, topk; d: score limit, overlap limit, variances.  out: (samples, anchors, 6) */
static void B(detect_one)(const mxnd_call *c, ptrdiff_t s, char *memory)
{
    const ptrdiff_t classes = c->i[1], anchors = c->i[2], topk = c->i[5];
    const T *score = (const T *)c->in[0].data + s * classes * anchors, *shift = (const T *)c->in[1].data + s * anchors * 4;
    T *out = (T *)c->out->data + s * anchors * 6;
    ranked_t *ranked = (ranked_t *)memory;
    T *copy = (T *)(ranked + 2 * anchors), *best = copy, *kind = copy + anchors;        /* the copy is made when these are done with */
    B(boxes) b;
    ptrdiff_t n = 0;
    for (ptrdiff_t k = 0; k < anchors * 6; k++)
        out[k] = -1;
    for (ptrdiff_t j = 0; j < anchors; j++)
        best[j] = -1, kind[j] = 0;
    for (ptrdiff_t k = 1; k < classes; k++)
        for (ptrdiff_t j = 0; j < anchors; j++) {
            const T v = score[k * anchors + j];
            kind[j] = v > best[j] ? (T)k : kind[j];
            best[j] = v > best[j] ? v : best[j];
        }
    for (ptrdiff_t j = 0; j < anchors; j++) {
        if (kind[j] == 0 || best[j] < (T)c->d[0])
            continue;
        const T *a = (const T *)c->in[2].data + 4 * j, *v = shift + 4 * j;
        const T aw = a[2] - a[0], ah = a[3] - a[1], ax = (a[0] + a[2]) / 2, ay = (a[1] + a[3]) / 2;
        const T x = v[0] * (T)c->d[2] * aw + ax, y = v[1] * (T)c->d[3] * ah + ay;
        const T w = (T)exp((double)(v[2] * (T)c->d[4])) * aw / 2, h = (T)exp((double)(v[3] * (T)c->d[5])) * ah / 2;
        T *o = out + 6 * n;
        o[0] = kind[j] - 1, o[1] = best[j], o[2] = x - w, o[3] = y - h, o[4] = x + w, o[5] = y + h;
        for (int k = 2; k < 6 && c->i[3]; k++)
            o[k] = B(most)(0, B(least)(1, o[k]));
        ranked[n] = (ranked_t){rank_key((double)best[j]), n};
        n++;
    }
    if (n == 0 || !(c->d[1] > 0 && c->d[1] <= 1))                       /* nothing is suppressed, nor sorted */
        return;
    memcpy(copy, out, (size_t)(6 * n) * sizeof(T));
    rank(ranked, n, ranked + anchors);
    const ptrdiff_t kept = topk > 0 && topk < n ? topk : n;
    B(boxes_place)(&b, (char *)(copy + 6 * anchors), kept);
    for (ptrdiff_t k = 0; k < kept; k++) {
        memcpy(out + 6 * k, copy + 6 * ranked[k].place, 6 * sizeof(T));
        B(boxes_set)(&b, k, out + 6 * k + 2, c->i[4] ? 0 : out[6 * k], 0);
    }
    B(suppress)(&b, (T)c->d[1], 1, 0, -1);
    for (ptrdiff_t k = 0; k < n; k++)
        if (k >= kept || b.gone[k])
            out[6 * k] = -1;
}

static int B(multibox_detection)(mxnd_call *c)
{
    const ptrdiff_t samples = c->i[0], anchors = c->i[2];
    if (c->out->size == 0)
        return MX_OK;
    const int threads = box_threads(c, (double)samples * (double)anchors * (double)anchors, samples);
    const size_t bytes = ((size_t)anchors * (2 * sizeof(ranked_t) + 6 * sizeof(T)) + B(boxes_bytes)(anchors)) / 64 * 64 + 128;
    return box_each(c, samples, threads, bytes, B(detect_one));
}
