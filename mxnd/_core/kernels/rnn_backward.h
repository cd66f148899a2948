/* The steps back for one element type; included by rnn.h once per type. */

/* What one layer and direction works with, going back. */
typedef struct {
    const rnn_shape *s;
    ptrdiff_t way;
    const T *state, *cell;          /* at the beginning */
    const T *gates, *cells, *out;   /* what forward kept of all steps; out's rows are ways * state apart */
    const T *head;                  /* gradient of out */
    T *dgates;                      /* of all steps: in front of the activations, in the gates' slots */
    T *dstate, *dcell;              /* of one step, at the end those of the beginning */
    T *dproj, *dfull, *full;        /* lstm with a projection: states' gradients of all steps, those in front of the
                                       projection of one step, states in front of it of all steps */
    RN(packed) recurrent, projection;
} RN(back);

static void RN(lstm_back)(const rnn_shape *s, const T *restrict a, const T *restrict cell, const T *restrict before,
                          const T *restrict dh, T *restrict dc, T *restrict da, ptrdiff_t u0, ptrdiff_t u1)
{
    const ptrdiff_t H = s->hidden;
    const T low = s->clip ? (T)s->low : -(T)INFINITY, high = s->clip ? (T)s->high : (T)INFINITY;
#pragma omp simd
    for (ptrdiff_t u = u0; u < u1; u++) {
        const T i = a[u], f = a[H + u], g = a[2 * H + u], o = a[3 * H + u], c = m_tanh(cell[u]);
        const T raw = f * before[u] + i * g, d = dc[u] + dh[u] * o * (1 - c * c), in = raw >= low && raw <= high ? d : 0;
        da[u] = in * g * i * (1 - i);
        da[H + u] = in * before[u] * f * (1 - f);
        da[2 * H + u] = in * i * (1 - g * g);
        da[3 * H + u] = dh[u] * c * o * (1 - o);
        dc[u] = in * f;
    }
}

/* dh becomes what reaches the earlier state past the gates. */
static void RN(gru_back)(const rnn_shape *s, const T *restrict a, const T *restrict before, T *restrict dh, T *restrict da,
                         ptrdiff_t u0, ptrdiff_t u1)
{
    const ptrdiff_t H = s->hidden;
#pragma omp simd
    for (ptrdiff_t u = u0; u < u1; u++) {
        const T r = a[u], z = a[H + u], n = a[2 * H + u], part = a[3 * H + u], d = dh[u];
        const T dn = d * (1 - z) * (1 - n * n);
        da[u] = dn * part * r * (1 - r);
        da[H + u] = d * (before[u] - n) * z * (1 - z);
        da[2 * H + u] = dn;
        da[3 * H + u] = dn * r;
        dh[u] = d * z;
    }
}

static void RN(simple_back)(const rnn_shape *s, const T *restrict a, T *restrict dh, T *restrict da, ptrdiff_t u0, ptrdiff_t u1)
{
    const int relu = s->mode == RNN_RELU;
    for (ptrdiff_t u = u0; u < u1; u++) {
        const T h = a[u];
        da[u] = relu ? (h > 0 ? dh[u] : 0) : dh[u] * (1 - h * h);
        dh[u] = 0;
    }
}

/* The state that step t of sequence n began with. */
static inline const T *RN(before)(const RN(back) *l, ptrdiff_t n, ptrdiff_t t)
{
    const rnn_shape *s = l->s;
    const ptrdiff_t earlier = l->way ? t + 1 : t - 1;
    if (earlier < 0 || earlier >= s->steps || !rnn_has(s, n, earlier))
        return l->state + n * s->state;
    return l->out + (earlier * s->count + n) * s->ways * s->state + l->way * s->state;
}

/* Step t (the k-th of this direction): gradients of the gates of some sequences and units. */
static void RN(step_back)(const RN(back) *l, const rnn_team *team, ptrdiff_t k, int d, int a)
{
    const rnn_shape *s = l->s;
    const ptrdiff_t H = s->hidden, N = s->count, row = s->slots * H, t = l->way ? s->steps - 1 - k : k;
    const ptrdiff_t earlier = l->way ? t + 1 : t - 1, each = s->proj ? l->projection.each : l->recurrent.each;
    const ptrdiff_t u0 = MM_MIN(H, a * each), u1 = MM_MIN(H, u0 + each), ldo = s->ways * s->state;
    ptrdiff_t r0, r1;
    RN(rows)(s, team, d, &r0, &r1);
    for (ptrdiff_t b = 0; s->proj && b < l->projection.blocks; b++) {
        ptrdiff_t u;
        const ptrdiff_t cols = RN(block)(&l->projection, a, b, &u);
        if (cols)
            RN(times_block)(&l->projection, a, b, 0, 0, s->proj, r1 - r0, l->dproj + (t * N + r0) * s->proj, s->proj, 0,
                            l->dfull + r0 * H + u, H, cols);
    }
    for (ptrdiff_t r = r0; r < r1; r++) {
        const T *g = l->gates + (t * N + r) * row, *head = l->head + (t * N + r) * ldo + l->way * s->state;
        const T *cell = l->cells + (t * N + r) * H, *c = k ? l->cells + (earlier * N + r) * H : l->cell + r * H;
        T *da = l->dgates + (t * N + r) * row, *dh = s->proj ? l->dfull + r * H : l->dstate + r * H;
        if (!rnn_has(s, r, t)) {
            for (int q = 0; q < s->slots; q++)
                memset(da + q * H + u0, 0, (size_t)(u1 - u0) * sizeof(T));
            continue;
        }
        for (ptrdiff_t u = u0; u < u1 && !s->proj; u++)
            dh[u] += head[u];
        if (s->mode == RNN_LSTM) {
            RN(lstm_back)(s, g, cell, c, dh, l->dcell + r * H, da, u0, u1);
            if (!s->proj)
                memset(dh + u0, 0, (size_t)(u1 - u0) * sizeof(T));
        } else if (s->mode == RNN_GRU)
            RN(gru_back)(s, g, RN(before)(l, r, t), dh, da, u0, u1);
        else
            RN(simple_back)(s, g, dh, da, u0, u1);
    }
}

/* With a projection: the gradient of the states of step t, all of it. */
static void RN(gather_back)(const RN(back) *l, const rnn_team *team, ptrdiff_t k, int d, int a)
{
    const rnn_shape *s = l->s;
    const ptrdiff_t P = s->proj, N = s->count, t = l->way ? s->steps - 1 - k : k;
    const ptrdiff_t u0 = MM_MIN(P, a * l->recurrent.each), u1 = MM_MIN(P, u0 + l->recurrent.each);
    ptrdiff_t r0, r1;
    RN(rows)(s, team, d, &r0, &r1);
    for (ptrdiff_t r = r0; r < r1; r++) {
        const T *head = l->head + (t * N + r) * s->ways * P + l->way * P;
        T *to = l->dproj + (t * N + r) * P, *dh = l->dstate + r * P;
        const int has = rnn_has(s, r, t);
        for (ptrdiff_t u = u0; u < u1; u++) {
            to[u] = has ? dh[u] + head[u] : 0;
            dh[u] = has ? 0 : dh[u];
        }
    }
}

/* What the gates of step t pass to the state before it. */
static void RN(pass_back)(const RN(back) *l, const rnn_team *team, ptrdiff_t k, int d, int a)
{
    const rnn_shape *s = l->s;
    const ptrdiff_t H = s->hidden, row = s->slots * H, t = l->way ? s->steps - 1 - k : k;
    ptrdiff_t r0, r1;
    RN(rows)(s, team, d, &r0, &r1);
    const T *da = l->dgates + (t * s->count + r0) * row;
    for (ptrdiff_t b = 0; b < l->recurrent.blocks; b++) {
        ptrdiff_t u;
        const ptrdiff_t cols = RN(block)(&l->recurrent, a, b, &u), first = (s->mode == RNN_GRU ? 2 : s->gates) * H;
        T *to = l->dstate + r0 * s->state + u;
        if (!cols)
            continue;
        RN(times_block)(&l->recurrent, a, b, 0, 0, first, r1 - r0, da, row, 1, to, s->state, cols);
        if (s->mode == RNN_GRU)
            RN(times_block)(&l->recurrent, a, b, 0, first, H, r1 - r0, da + 3 * H, row, 1, to, s->state, cols);
    }
}

static void RN(all_steps_back)(const RN(back) *l, const rnn_team *team)
{
    const rnn_shape *s = l->s;
#pragma omp parallel num_threads(team->threads) if (team->threads > 1)
    {
        const int id = omp_get_thread_num(), many = omp_get_num_threads();
        for (ptrdiff_t k = s->steps - 1; k >= 0; k--) {
            for (int i = id; i < team->threads && s->proj; i += many)
                RN(gather_back)(l, team, k, i / team->across, i % team->across);
            if (team->across > 1 && s->proj) {
#pragma omp barrier
            }
            for (int i = id; i < team->threads; i += many)
                RN(step_back)(l, team, k, i / team->across, i % team->across);
            if (team->across > 1) {
#pragma omp barrier
            }
            for (int i = id; i < team->threads; i += many)
                RN(pass_back)(l, team, k, i / team->across, i % team->across);
        }
    }
}

/* Gradients of one direction's weights and biases; x: the layer's input. */
static int RN(weights_back)(mxnd_call *c, const RN(back) *l, const T *x, ptrdiff_t in, const rnn_places *p, T *to, T *spare)
{
    const rnn_shape *s = l->s;
    const ptrdiff_t H = s->hidden, S = s->state, N = s->count, all = s->steps * N, row = s->slots * H, rows = s->gates * H;
    const ptrdiff_t wide = s->ways * S, inner = all - N;
    const T *later = l->dgates + (l->way ? 0 : N * row), *states = l->out + (l->way ? N * wide : 0) + l->way * S;
    const T *first = l->dgates + (l->way ? inner * row : 0);
    int e = MM(product)(c, rows, in, all, 1, l->dgates, row, 1, x, in, 0, 0, to + p->input, in);
    if (l->way && !s->whole) {                  /* every sequence begins at its own end */
        for (ptrdiff_t n = 0; n < N; n++)
            if (s->length[n])
                memcpy(spare + n * row, l->dgates + ((s->length[n] - 1) * N + n) * row, (size_t)row * sizeof(T));
            else
                memset(spare + n * row, 0, (size_t)row * sizeof(T));
        first = spare;
    }
    for (int part = 0; part < 1 + (s->mode == RNN_GRU) && !e; part++) {
        const ptrdiff_t slot = part ? 3 * H : 0, some = part ? H : s->mode == RNN_GRU ? 2 * H : rows;
        T *w = to + p->recurrent + (part ? 2 * H * S : 0);
        e = MM(product)(c, some, S, N, 1, first + slot, row, 1, l->state, S, 0, 0, w, S);
        if (!e && inner)
            e = MM(product)(c, some, S, inner, 1, later + slot, row, 1, states, wide, 0, 1, w, S);
        RN(column_sums)(all, some, l->dgates + slot, row, to + p->recurrent_bias + (part ? 2 * H : 0), c->threads);
    }
    RN(column_sums)(all, rows, l->dgates, row, to + p->input_bias, c->threads);
    if (!e && s->proj) {
        for (ptrdiff_t i = 0; i < all; i++)
#pragma omp simd
            for (ptrdiff_t u = 0; u < H; u++)
                l->full[i * H + u] = l->gates[i * row + 3 * H + u] * m_tanh(l->cells[i * H + u]);
        e = MM(product)(c, S, H, all, 1, l->dproj, S, 1, l->full, H, 0, 0, to + p->projection, H);
    }
    return e;
}

/* in: head [state head [cell head]] data parameters state [cell] [lengths] output reserve mask; a state's head is there with
 * `heads`.  out: gradients of data, parameters, state, cell */
static int RN(backward)(mxnd_call *c, rnn_shape *s, int heads)
{
    const int lstm = s->mode == RNN_LSTM, at_data = 1 + (heads ? 1 + lstm : 0), at_kept = at_data + 3 + lstm + s->lengths;
    const ptrdiff_t H = s->hidden, N = s->count, S = s->state, row = s->slots * H, wide = s->ways * S;
    const ptrdiff_t steps = s->steps * N, all = steps * wide;
    const T *weights = (T *)c->in[at_data + 1].data, *reserve = (T *)c->in[at_kept + 1].data, *mask = (T *)c->in[at_kept + 2].data;
    const T *dlast = heads ? (T *)c->in[1].data : NULL, *dlast_cell = heads && lstm ? (T *)c->in[2].data : NULL;
    T *dx = (T *)c->out[0].data, *dw = (T *)c->out[1].data, *dstate = (T *)c->out[2].data;
    T *dcell = lstm ? (T *)c->out[3].data : NULL;
    const rnn_team team = rnn_share(s, c->threads, LANES);
    RN(back) l = {.s = s};
    l.recurrent = RN(layout)(s->gates * H, S, team.across, 1);
    if (s->proj)
        l.projection = RN(layout)(S, H, team.across, 1);
    char *scratch = NULL;
    T *input = NULL, *heads_of[2] = {NULL, NULL}, *spare = NULL;
    for (int pass = 0; pass < 2; pass++) {
        size_t used = 0;
        l.dgates = RN(piece)(scratch, &used, steps * row);
        l.dproj = RN(piece)(scratch, &used, s->proj ? steps * S : 0);
        l.dfull = RN(piece)(scratch, &used, s->proj ? N * H : 0);
        l.full = RN(piece)(scratch, &used, s->proj ? steps * H : 0);
        l.recurrent.data = RN(piece)(scratch, &used, RN(packed_size)(&l.recurrent));
        l.projection.data = RN(piece)(scratch, &used, s->proj ? RN(packed_size)(&l.projection) : 0);
        spare = RN(piece)(scratch, &used, s->whole ? 0 : N * row);
        input = RN(piece)(scratch, &used, s->drops ? all : 0);
        heads_of[0] = RN(piece)(scratch, &used, s->layers > 1 ? all : 0);
        heads_of[1] = RN(piece)(scratch, &used, s->layers > 2 ? all : 0);
        if (!pass && !(scratch = c->take(used + 64)))
            return MX_MEMORY_ERROR;
    }
    if (!steps)
        memset(dw, 0, (size_t)c->out[1].size * sizeof(T));
    if (heads)
        memcpy(dstate, dlast, (size_t)c->out[2].size * sizeof(T));
    else
        memset(dstate, 0, (size_t)c->out[2].size * sizeof(T));
    if (lstm && heads)
        memcpy(dcell, dlast_cell, (size_t)c->out[3].size * sizeof(T));
    else if (lstm)
        memset(dcell, 0, (size_t)c->out[3].size * sizeof(T));
    int status = MX_OK;
    for (ptrdiff_t layer = s->layers - 1; steps && layer >= 0 && !status; layer--) {
        const ptrdiff_t in = rnn_width(s, layer);
        const T *x = layer ? reserve + rnn_output_at(s, layer - 1) : (T *)c->in[at_data].data;
        T *to = layer ? heads_of[layer & 1 && s->layers > 2] : dx;
        if (layer && s->drops) {
            RN(masked)(all, x, mask + (layer - 1) * all, input, c->threads);
            x = input;
        }
        l.head = layer == s->layers - 1 ? (T *)c->in[0].data : heads_of[(layer + 1) & 1 && s->layers > 2];
        l.out = layer == s->layers - 1 ? (T *)c->in[at_kept].data : reserve + rnn_output_at(s, layer);
        for (ptrdiff_t way = 0; way < s->ways && !status; way++) {
            const ptrdiff_t at = layer * s->ways + way;
            const rnn_places p = rnn_find(s, layer, way);
            l.way = way;
            l.gates = reserve + rnn_gates_at(s, layer, way);
            l.cells = l.gates + steps * row;
            l.state = (T *)c->in[at_data + 2].data + at * N * S;
            l.cell = lstm ? (T *)c->in[at_data + 3].data + at * N * H : NULL;
            l.dstate = dstate + at * N * S;
            l.dcell = lstm ? dcell + at * N * H : NULL;
            RN(pack_all)(&l.recurrent, weights + p.recurrent, 0, 0, team.threads);
            if (s->proj)
                RN(pack_all)(&l.projection, weights + p.projection, 0, 0, team.threads);
            RN(all_steps_back)(&l, &team);
            status = RN(weights_back)(c, &l, x, in, &p, dw, spare);
            if (!status)
                status = MM(product)(c, steps, in, s->gates * H, 1, l.dgates, row, 0, weights + p.input, in, 0, way > 0, to, in);
        }
        if (layer && s->drops)
            RN(masked)(all, to, mask + (layer - 1) * all, to, c->threads);
    }
    c->give(scratch);
    return status;
}
