/* The steps forward for one element type; included by rnn.h once per type. */

/* What one layer and direction works with. */
typedef struct {
    const rnn_shape *s;
    ptrdiff_t way;
    const T *state, *cell;          /* at the beginning */
    const T *bias;                  /* slots * hidden: input and recurrent biases added up, but for gru's third gate */
    T *gates, *cells;               /* of all steps */
    T *out;                         /* the layer's output, rows ways * state apart */
    T *now[2], *full;               /* states before and after a step; lstm's states before the projection */
    RN(packed) recurrent, projection;
} RN(layer);

/* Gates, cell and state of one sequence at one step, units from u0 to u1. */
static void RN(lstm)(const rnn_shape *s, T *restrict a, const T *restrict b, const T *restrict before, T *restrict cell,
                     T *restrict h, ptrdiff_t u0, ptrdiff_t u1)
{
    const ptrdiff_t H = s->hidden;
#pragma omp simd
    for (ptrdiff_t u = u0; u < u1; u++) {
        const T i = m_sigmoid((T)(a[u] + b[u])), f = m_sigmoid((T)(a[H + u] + b[H + u]));
        const T g = m_tanh((T)(a[2 * H + u] + b[2 * H + u]));
        cell[u] = f * before[u] + i * g;
        a[u] = i, a[H + u] = f, a[2 * H + u] = g;
    }
    if (s->clip) {
        const T low = (T)s->low, high = (T)s->high;
        const int keeps_nan = s->clip_nan;
        for (ptrdiff_t u = u0; u < u1; u++) {
            const T v = cell[u], w = v > low ? v : low;         /* nan becomes low */
            cell[u] = keeps_nan && v != v ? v : w < high ? w : high;
        }
    }
#pragma omp simd
    for (ptrdiff_t u = u0; u < u1; u++) {
        const T o = m_sigmoid((T)(a[3 * H + u] + b[3 * H + u]));
        a[3 * H + u] = o;
        h[u] = o * m_tanh(cell[u]);
    }
}

static void RN(gru)(const rnn_shape *s, T *restrict a, const T *restrict b, const T *restrict before, T *restrict h,
                    ptrdiff_t u0, ptrdiff_t u1)
{
    const ptrdiff_t H = s->hidden;
#pragma omp simd
    for (ptrdiff_t u = u0; u < u1; u++) {
        const T r = m_sigmoid((T)(a[u] + b[u])), z = m_sigmoid((T)(a[H + u] + b[H + u])), part = a[3 * H + u] + b[3 * H + u];
        const T n = m_tanh((T)(a[2 * H + u] + b[2 * H + u] + r * part));
        a[u] = r, a[H + u] = z, a[2 * H + u] = n, a[3 * H + u] = part;
        h[u] = (1 - z) * n + z * before[u];
    }
}

static void RN(simple)(const rnn_shape *s, T *restrict a, const T *restrict b, T *restrict h, ptrdiff_t u0, ptrdiff_t u1)
{
    if (s->mode == RNN_RELU)
        for (ptrdiff_t u = u0; u < u1; u++) {
            const T v = a[u] + b[u];
            h[u] = a[u] = v < 0 ? 0 : v;
        }
    else
        for (ptrdiff_t u = u0; u < u1; u++)
            h[u] = a[u] = m_tanh((T)(a[u] + b[u]));
}

/* Step t (the k-th of this direction) of some sequences and units. */
static void RN(step)(const RN(layer) *l, const rnn_team *team, ptrdiff_t k, int d, int a)
{
    const rnn_shape *s = l->s;
    const ptrdiff_t H = s->hidden, N = s->count, row = s->slots * H, t = l->way ? s->steps - 1 - k : k;
    const ptrdiff_t earlier = l->way ? t + 1 : t - 1, u0 = MM_MIN(H, a * l->recurrent.each);
    const ptrdiff_t u1 = MM_MIN(H, u0 + l->recurrent.each), ldo = s->ways * s->state;
    const T *before = l->now[k & 1];
    T *after = s->proj ? l->full : l->now[~k & 1], *gates = l->gates + t * N * row;
    ptrdiff_t r0, r1;
    RN(rows)(s, team, d, &r0, &r1);
    for (ptrdiff_t b = 0; b < l->recurrent.blocks; b++) {
        ptrdiff_t u;
        const ptrdiff_t cols = RN(block)(&l->recurrent, a, b, &u);
        for (int g = 0; cols && g < s->gates; g++) {
            const int slot = rnn_slot(s, g);
            RN(times_block)(&l->recurrent, a, b, g, 0, s->state, r1 - r0, before + r0 * s->state, s->state, slot == g,
                            gates + r0 * row + slot * H + u, row, cols);
        }
    }
    for (ptrdiff_t r = r0; r < r1; r++) {
        T *g = gates + r * row, *h = after + r * H, *out = l->out + (t * N + r) * ldo + l->way * s->state;
        const T *c = k ? l->cells + (earlier * N + r) * H : l->cell + r * H;
        T *cell = l->cells + (t * N + r) * H;
        if (!rnn_has(s, r, t)) {                        /* past the end: states stay as they are */
            for (int q = 0; q < s->slots; q++)
                memset(g + q * H + u0, 0, (size_t)(u1 - u0) * sizeof(T));
            if (s->mode == RNN_LSTM)
                memcpy(cell + u0, c + u0, (size_t)(u1 - u0) * sizeof(T));
            if (!s->proj) {
                memcpy(h + u0, before + r * H + u0, (size_t)(u1 - u0) * sizeof(T));
                memset(out + u0, 0, (size_t)(u1 - u0) * sizeof(T));
            }
            continue;
        }
        if (s->mode == RNN_LSTM)
            RN(lstm)(s, g, l->bias, c, cell, h, u0, u1);
        else if (s->mode == RNN_GRU)
            RN(gru)(s, g, l->bias, before + r * H, h, u0, u1);
        else
            RN(simple)(s, g, l->bias, h, u0, u1);
        if (!s->proj)
            memcpy(out + u0, h + u0, (size_t)(u1 - u0) * sizeof(T));
    }
}

/* The projection behind a step of the lstm. */
static void RN(project)(const RN(layer) *l, const rnn_team *team, ptrdiff_t k, int d, int a)
{
    const rnn_shape *s = l->s;
    const ptrdiff_t P = s->proj, N = s->count, t = l->way ? s->steps - 1 - k : k, ldo = s->ways * P;
    T *after = l->now[~k & 1];
    ptrdiff_t r0, r1;
    RN(rows)(s, team, d, &r0, &r1);
    for (ptrdiff_t b = 0; b < l->projection.blocks; b++) {
        ptrdiff_t u;
        const ptrdiff_t cols = RN(block)(&l->projection, a, b, &u);
        if (!cols)
            continue;
        RN(times_block)(&l->projection, a, b, 0, 0, s->hidden, r1 - r0, l->full + r0 * s->hidden, s->hidden, 0,
                        after + r0 * P + u, P, cols);
        for (ptrdiff_t r = r0; r < r1; r++) {
            T *out = l->out + (t * N + r) * ldo + l->way * P + u;
            if (rnn_has(s, r, t))
                memcpy(out, after + r * P + u, (size_t)cols * sizeof(T));
            else {
                memset(out, 0, (size_t)cols * sizeof(T));
                memcpy(after + r * P + u, l->now[k & 1] + r * P + u, (size_t)cols * sizeof(T));
            }
        }
    }
}

static void RN(all_steps)(const RN(layer) *l, const rnn_team *team)
{
    const rnn_shape *s = l->s;
#pragma omp parallel num_threads(team->threads) if (team->threads > 1)
    {
        const int id = omp_get_thread_num(), many = omp_get_num_threads();
        for (ptrdiff_t k = 0; k < s->steps; k++) {
            for (int i = id; i < team->threads; i += many)
                RN(step)(l, team, k, i / team->across, i % team->across);
            if (team->across > 1) {
#pragma omp barrier
            }
            if (s->proj) {
                for (int i = id; i < team->threads; i += many)
                    RN(project)(l, team, k, i / team->across, i % team->across);
                if (team->across > 1) {
#pragma omp barrier
                }
            }
        }
    }
}

/* The mask between layers: 0, or 1 / (1 - p); outside training 1. */
static void RN(draw_mask)(mxnd_call *c, const rnn_shape *s, T *mask, ptrdiff_t n)
{
    const T keep = (T)(1 - s->p), scale = s->p < 1 ? (T)(1 / (1 - s->p)) : 0;
    const int use = n < 32768 ? 1 : c->threads;
#pragma omp parallel for num_threads(use) if (use > 1) schedule(static)
    for (ptrdiff_t at = 0; at < n; at += PIECE) {
        const ptrdiff_t w = MM_MIN(PIECE, n - at);
        if (c->training)
            RN(unit)(c, at, w, mask + at);
        for (ptrdiff_t i = at; i < at + w; i++)
            mask[i] = !c->training ? 1 : mask[i] < keep ? scale : 0;
    }
}

/* in: data parameters state [cell] [lengths]; out: output state [cell] reserve mask */
static int RN(forward)(mxnd_call *c, rnn_shape *s)
{
    const int lstm = s->mode == RNN_LSTM;
    const ptrdiff_t H = s->hidden, N = s->count, S = s->state, rows = s->gates * H, row = s->slots * H, wide = s->ways * S;
    const T *weights = (T *)c->in[1].data, *state = (T *)c->in[2].data, *cell = lstm ? (T *)c->in[3].data : NULL;
    T *out = (T *)c->out[0].data, *last = (T *)c->out[1].data, *last_cell = lstm ? (T *)c->out[2].data : NULL;
    T *reserve = (T *)c->out[2 + lstm].data, *mask = (T *)c->out[3 + lstm].data;
    const rnn_team team = rnn_share(s, c->threads, LANES);
    RN(layer) l = {.s = s};
    l.recurrent = RN(layout)(S, H, team.across, s->gates);
    if (s->proj)
        l.projection = RN(layout)(H, S, team.across, 1);
    char *scratch = NULL;
    T *bias = NULL, *input = NULL;
    for (int pass = 0; pass < 2; pass++) {
        size_t used = 0;
        bias = RN(piece)(scratch, &used, row);
        l.now[0] = RN(piece)(scratch, &used, N * S);
        l.now[1] = RN(piece)(scratch, &used, N * S);
        l.full = RN(piece)(scratch, &used, s->proj ? N * H : 0);
        l.recurrent.data = RN(piece)(scratch, &used, RN(packed_size)(&l.recurrent));
        l.projection.data = RN(piece)(scratch, &used, s->proj ? RN(packed_size)(&l.projection) : 0);
        input = RN(piece)(scratch, &used, s->drops ? s->steps * N * wide : 0);
        if (!pass && !(scratch = c->take(used + 64)))
            return MX_MEMORY_ERROR;
    }
    memset(l.full, 0, s->proj ? (size_t)(N * H) * sizeof(T) : 0);     /* rows of sequences that have ended are never written */
    if (s->drops)
        RN(draw_mask)(c, s, mask, c->out[3 + lstm].size);
    int status = MX_OK;
    for (ptrdiff_t layer = 0; layer < s->layers && !status; layer++) {
        const ptrdiff_t in = rnn_width(s, layer), all = s->steps * N * wide;
        const T *x = layer ? reserve + rnn_output_at(s, layer - 1) : (T *)c->in[0].data;
        if (layer && s->drops) {
            RN(masked)(all, x, mask + (layer - 1) * all, input, c->threads);
            x = input;
        }
        l.out = layer < s->layers - 1 ? reserve + rnn_output_at(s, layer) : out;
        for (ptrdiff_t way = 0; way < s->ways && !status; way++) {
            const ptrdiff_t at = layer * s->ways + way;
            const rnn_places p = rnn_find(s, layer, way);
            const T *bx = weights + p.input_bias, *bh = weights + p.recurrent_bias;
            l.way = way;
            l.gates = reserve + rnn_gates_at(s, layer, way);
            l.cells = l.gates + s->steps * N * row;
            l.state = state + at * N * S;
            l.cell = lstm ? cell + at * N * H : NULL;
            l.bias = bias;
            for (ptrdiff_t u = 0; u < rows; u++)
                bias[u] = s->mode == RNN_GRU && u >= 2 * H ? bx[u] : bx[u] + bh[u];
            if (s->mode == RNN_GRU)
                memcpy(bias + rows, bh + 2 * H, (size_t)H * sizeof(T));
            if (s->steps * N)
                status = MM(product)(c, s->steps * N, rows, in, 1, x, in, 0, weights + p.input, in, 1, 0, l.gates, row);
            if (status)
                break;
            RN(pack_all)(&l.recurrent, weights + p.recurrent, H * S, 1, team.threads);
            if (s->proj)
                RN(pack_all)(&l.projection, weights + p.projection, 0, 1, team.threads);
            memcpy(l.now[0], l.state, (size_t)(N * S) * sizeof(T));
            RN(all_steps)(&l, &team);
            memcpy(last + at * N * S, l.now[s->steps & 1], (size_t)(N * S) * sizeof(T));
            if (lstm) {
                const T *end = s->steps ? l.cells + (way ? 0 : s->steps - 1) * N * H : l.cell;
                memcpy(last_cell + at * N * H, end, (size_t)(N * H) * sizeof(T));
            }
        }
    }
    c->give(scratch);
    return status;
}
