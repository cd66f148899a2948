/* The CTC loss and its first derivative for one element type; included by ctc.h once per type. */

static double CTC(log_of)(const ctc_shape *s, const void *x, const ctc_work *w, ptrdiff_t n, ptrdiff_t t, int64_t k)
{
    return (double)((const T *)x)[(t * s->count + n) * s->classes + k] - w->lse[t];
}

/* Logarithms of the sums of exponentials of all classes. */
static void CTC(sums)(const ctc_shape *s, const T *x, ptrdiff_t n, const ctc_work *w)
{
    for (ptrdiff_t t = 0; t < s->length[n]; t++) {
        const T *row = x + (t * s->count + n) * s->classes;
        T top = -INFINITY;
        double sum = 0;
#pragma omp simd reduction(max : top)
        for (ptrdiff_t k = 0; k < s->classes; k++)
            top = row[k] > top ? row[k] : top;
        const T base = isinf(top) ? 0 : top;
#pragma omp simd reduction(+ : sum)
        for (ptrdiff_t k = 0; k < s->classes; k++)
            sum += (double)m_exp((T)(row[k] - base));
        w->lse[t] = (double)base + log(sum);
    }
}

/* in: data label [lengths of data] [lengths of labels]; out: loss */
static int CTC(loss)(mxnd_call *c)
{
    ctc_shape s;
    int status = ctc_read(c, &s, 0);
    if (status)
        return status;
    const int threads = ctc_threads(c, &s);
    const size_t need = (ctc_bytes(&s) - (size_t)(s.steps + 1) * ctc_row(&s) * 8 + (size_t)ctc_row(&s) * 16 + 63) / 64 * 64;
    char *scratch = c->take(need * (size_t)threads);
    if (!scratch) {
        c->give(s.label);
        return MX_MEMORY_ERROR;
    }
    const T *x = (T *)c->in[0].data;
    T *loss = (T *)c->out[0].data;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (ptrdiff_t n = 0; n < s.count; n++) {
        ctc_work w = ctc_cut(&s, scratch + need * (size_t)(threads > 1 ? omp_get_thread_num() : 0));
        if (!ctc_places(&s, n, &w)) {
            loss[n] = 0;
            continue;
        }
        CTC(sums)(&s, x, n, &w);
        loss[n] = (T)(0 - ctc_alpha(&s, n, &w, CTC(log_of), x, 0));
    }
    c->give(scratch);
    c->give(s.label);
    return MX_OK;
}

/* Gradient of one sequence's loss, times head. */
static void CTC(derive)(const ctc_shape *s, const T *x, ptrdiff_t n, ctc_work *w, T head, T *dx)
{
    const ptrdiff_t S = 2 * s->extent[n] + 1, row = ctc_row(s), K = s->classes, steps = s->length[n];
    const ptrdiff_t apart = s->count * K;
    CTC(sums)(s, x, n, w);
    const double ll = ctc_alpha(s, n, w, CTC(log_of), x, 1);
    double *beta = w->beta, *next = w->next;
    for (ptrdiff_t j = 0; j < row; j++)
        beta[j] = next[j] = CTC_NONE;
    beta[S - 1] = 0;
    if (S > 1)
        beta[S - 2] = 0;
    for (ptrdiff_t t = steps - 1; t >= 0; t--) {
        const double *alpha = w->alpha + (t + 1) * row + 2;
        const T *from = x + n * K + t * apart, lse = (T)w->lse[t];
        T *to = dx + n * K + t * apart;
#pragma omp simd
        for (ptrdiff_t k = 0; k < K; k++)
            to[k] = m_exp((T)(from[k] - lse)) * head;
        for (ptrdiff_t j = 0; j < S; j++)
            to[w->place[j]] -= (T)exp(alpha[j] + beta[j] - ll) * head;
        /* one step back: beta(t - 1, j) from j, j + 1 and, past a blank, j + 2 */
        for (ptrdiff_t j = 0; j < S; j++)
            beta[j] += (double)from[w->place[j]] - w->lse[t];
        for (ptrdiff_t j = 0; j < S; j++)
            w->lp[j] = j + 2 < S ? w->skip[j + 2] : CTC_NONE;
        beta[S] = beta[S + 1] = CTC_NONE;
        for (ptrdiff_t j = 0; j < S; j++) {
            const double p = beta[j], q = beta[j + 1], r = beta[j + 2] + w->lp[j];
            double top = p > q ? p : q;
            top = top > r ? top : r;
            top = top > CTC_NONE ? top : CTC_NONE;
            next[j] = top + m_log(m_exp(p - top) + m_exp(q - top) + m_exp(r - top));
        }
        double *spare = beta;
        beta = next, next = spare;
    }
}

/* in: head, then as for the loss; out: gradient of data */
static int CTC(backward)(mxnd_call *c)
{
    ctc_shape s;
    int status = ctc_read(c, &s, 1);
    if (status)
        return status;
    const int threads = ctc_threads(c, &s);
    const size_t need = (ctc_bytes(&s) + 63) / 64 * 64;
    char *scratch = c->take(need * (size_t)threads);
    if (!scratch) {
        c->give(s.label);
        return MX_MEMORY_ERROR;
    }
    const T *head = (T *)c->in[0].data, *x = (T *)c->in[1].data;
    T *dx = (T *)c->out[0].data;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (ptrdiff_t n = 0; n < s.count; n++) {
        ctc_work w = ctc_cut(&s, scratch + need * (size_t)(threads > 1 ? omp_get_thread_num() : 0));
        const int possible = ctc_places(&s, n, &w);
        for (ptrdiff_t t = possible ? s.length[n] : 0; t < s.steps; t++)
            memset(dx + (t * s.count + n) * s.classes, 0, (size_t)s.classes * sizeof(T));
        if (possible)
            CTC(derive)(&s, x, n, &w, head[n], dx);
    }
    c->give(scratch);
    c->give(s.label);
    return MX_OK;
}
