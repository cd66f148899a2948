/* Region proposals for one element type T; included by boxes.h. */

/* Base anchor number k around the first pixel: corners of a box of one ratio and scale. */
static void B(base_anchor)(const mxnd_call *c, ptrdiff_t k, T out[4])
{
    const ptrdiff_t scales = c->i[7];
    const double stride = (double)c->i[9], middle = 0.5 * (stride - 1);
    const float ratio = (float)c->d[1 + scales + k / scales], scale = (float)c->d[1 + k % scales];
    const float area = floorf((float)(stride * stride) / ratio);
    const float side = floorf(sqrtf(area) + 0.5f), width = side * scale, height = floorf(side * ratio + 0.5f) * scale;
    out[0] = (T)(middle - 0.5 * ((double)width - 1)), out[1] = (T)(middle - 0.5 * ((double)height - 1));
    out[2] = (T)(middle + 0.5 * ((double)width - 1)), out[3] = (T)(middle + 0.5 * ((double)height - 1));
}

static inline T B(held)(T v, T most) { return B(most)(B(least)(v, most), 0); }

/* i: samples, anchors per pixel, height, width, boxes before and after suppression, least size, scales, iou_loss, stride;
 * d: overlap limit, scales, ratios.  in: cls_prob, bbox_pred, im_info (samples, 3).  out: (samples after, 5), (samples after, 1) */
static void B(proposal_one)(const mxnd_call *c, ptrdiff_t s, char *memory)
{
    const ptrdiff_t each = c->i[1], height = c->i[2], width = c->i[3], plane = height * width, count = each * plane, after = c->i[5];
    const T *score = (const T *)c->in[0].data + (2 * s + 1) * count, *shift = (const T *)c->in[1].data + s * 4 * count;
    const T *info = (const T *)c->in[2].data + 3 * s;
    const T stride = (T)c->i[9], least = (T)c->i[6] * info[2];
    const T rows = (T)trunc((double)(info[0] / stride)), columns = (T)trunc((double)(info[1] / stride));
    T *out = (T *)c->out[0].data + 5 * s * after, *out_score = (T *)c->out[1].data + s * after;
    ranked_t *ranked = (ranked_t *)memory;
    T *box = (T *)(ranked + 2 * count);
    B(boxes) b;
    for (ptrdiff_t a = 0; a < each; a++) {
        T base[4];
        B(base_anchor)(c, a, base);
        for (ptrdiff_t k = 0; k < plane; k++) {
            const ptrdiff_t i = k / width, j = k % width, at = k * each + a;
            T *o = box + 4 * at, d[4], p[4], v = score[a * plane + k];
            for (int q = 0; q < 4; q++) {
                d[q] = shift[(4 * a + q) * plane + k];
                p[q] = base[q] + (T)(q & 1 ? i : j) * stride;
            }
            if (c->i[8]) {                                               /* shifts of the corners themselves */
                for (int q = 0; q < 4; q++)
                    o[q] = p[q] + d[q];
            } else {
                const T w = p[2] - p[0] + 1, h = p[3] - p[1] + 1;
                const T x = d[0] * w + p[0] + (w - 1) / 2, y = d[1] * h + p[1] + (h - 1) / 2;
                const T nw = (T)exp((double)d[2]) * w, nh = (T)exp((double)d[3]) * h;
                o[0] = x - (nw - 1) / 2, o[1] = y - (nh - 1) / 2, o[2] = x + (nw - 1) / 2, o[3] = y + (nh - 1) / 2;
            }
            for (int q = 0; q < 4; q++)
                o[q] = B(held)(o[q], info[q & 1 ? 0 : 1] - 1);
            if ((T)i >= rows || (T)j >= columns)
                v = -1;
            if (o[2] - o[0] + 1 < least || o[3] - o[1] + 1 < least) {
                o[0] -= least / 2, o[1] -= least / 2, o[2] += least / 2, o[3] += least / 2;
                v = -1;
            }
            ranked[at] = (ranked_t){rank_key((double)v), at};
        }
    }
    rank(ranked, count, ranked + count);
    const ptrdiff_t before = c->i[4] > 0 && c->i[4] < count ? c->i[4] : count;
    B(boxes_place)(&b, (char *)(box + 4 * count), before);
    for (ptrdiff_t k = 0; k < before; k++)
        B(boxes_set)(&b, k, box + 4 * ranked[k].place, 0, 1);
    const ptrdiff_t stayed = B(suppress)(&b, (T)c->d[0], 0, 1, after);
    for (ptrdiff_t k = 0, from = 0; k < after; k++, from++) {
        if (k % stayed == 0)
            from = 0;                                                    /* too few: they are repeated */
        while (b.gone[from])
            from++;
        T *o = out + 5 * k;
        o[0] = (T)s, o[1] = b.x1[from], o[2] = b.y1[from], o[3] = b.x2[from], o[4] = b.y2[from];
        out_score[k] = (T)ranked[from].key;
    }
}

static int B(proposal)(mxnd_call *c)
{
    const ptrdiff_t samples = c->i[0], count = c->i[1] * c->i[2] * c->i[3];
    if (c->out[0].size == 0)
        return MX_OK;
    const int threads = box_threads(c, 64.0 * (double)samples * (double)count, samples);
    const size_t bytes = ((size_t)count * (2 * sizeof(ranked_t) + 4 * sizeof(T)) + B(boxes_bytes)(count)) / 64 * 64 + 128;
    return box_each(c, samples, threads, bytes, B(proposal_one));
}
