/* Recurrent layers for both types: one pass over the steps forward (rnn_forward.h) and one back (rnn_backward.h).
 *
 * The data's products with the input weights are made for all steps at once.  What has to be made step by step is the
 * product of the states with the recurrent weights (rnn_steps.h): the weights are packed once, in blocks of columns,
 * and threads share the work by sequences, or by units where there are few sequences; then they meet at every step.
 *
 * Gates lie in `slots` of `hidden` numbers a sequence: lstm i f g o; gru r z n and the recurrent part of n; else the state.
 * The reserve keeps for backward, layer by layer and direction by direction: gates (steps, sequences, slots, hidden) and
 * the lstm's cells (steps, sequences, hidden); behind those of all layers the outputs of all layers but the last. */
#ifndef MXND_RNN_H
#define MXND_RNN_H
#include "kernels/matmul.h"
#include "kernels/index.h"
#include "kernels/draws.h"
#include "loops/math.h"

enum { RNN_RELU, RNN_TANH, RNN_LSTM, RNN_GRU };

typedef struct {
    int mode, gates, slots;             /* matrices a layer and direction has, slots that a sequence keeps */
    ptrdiff_t steps, count, input;      /* steps, sequences, length of an input */
    ptrdiff_t hidden, proj, state;      /* units, length of the projection or 0, length of a state */
    ptrdiff_t layers, ways;             /* layers, directions */
    int lengths, clip, clip_nan, whole; /* sequences have lengths; cells are clipped; all lengths are the whole */
    int drops;                          /* there is a mask between layers */
    ptrdiff_t weights;                  /* numbers in front of the biases */
    double low, high, p;
    int64_t *length;                    /* of each sequence, or NULL */
} rnn_shape;

static rnn_shape rnn_read(const int64_t *i, const double *d)
{
    static const int gates[] = {1, 1, 4, 3}, slots[] = {1, 1, 4, 4};
    rnn_shape s = {.mode = (int)i[0], .gates = gates[i[0]], .slots = slots[i[0]], .steps = i[1], .count = i[2], .input = i[3],
                   .hidden = i[4], .proj = i[5], .state = i[5] ? i[5] : i[4], .layers = i[6], .ways = i[7],
                   .lengths = (int)i[8], .clip = (int)i[9], .clip_nan = (int)i[10], .drops = (int)i[11], .weights = i[12],
                   .low = d[0], .high = d[1], .p = d[2]};
    return s;
}

/* Length of one input of a layer. */
static inline ptrdiff_t rnn_width(const rnn_shape *s, ptrdiff_t layer) { return layer ? s->ways * s->state : s->input; }

/* Places in the parameters of one layer and direction. */
typedef struct { ptrdiff_t input, recurrent, projection, input_bias, recurrent_bias; } rnn_places;

static rnn_places rnn_find(const rnn_shape *s, ptrdiff_t layer, ptrdiff_t way)
{
    const ptrdiff_t rows = s->gates * s->hidden, both = rows * s->state + s->proj * s->hidden;
    const ptrdiff_t first = s->ways * (rows * s->input + both), other = s->ways * (rows * s->ways * s->state + both);
    rnn_places p;
    p.input = (layer ? first + (layer - 1) * other : 0) + way * (rows * rnn_width(s, layer) + both);
    p.recurrent = p.input + rows * rnn_width(s, layer);
    p.projection = p.recurrent + rows * s->state;
    p.input_bias = s->weights + (layer * s->ways + way) * 2 * rows;
    p.recurrent_bias = p.input_bias + rows;
    return p;
}

/* Numbers in the reserve for the gates and cells of one direction, and where a layer's parts begin. */
static inline ptrdiff_t rnn_kept(const rnn_shape *s)
{
    return s->steps * s->count * s->hidden * (s->slots + (s->mode == RNN_LSTM));
}
static inline ptrdiff_t rnn_gates_at(const rnn_shape *s, ptrdiff_t layer, ptrdiff_t way)
{
    return (layer * s->ways + way) * rnn_kept(s);
}
static inline ptrdiff_t rnn_output_at(const rnn_shape *s, ptrdiff_t layer)
{
    return s->layers * s->ways * rnn_kept(s) + layer * s->steps * s->count * s->ways * s->state;
}

/* Slot of a gate's recurrent part: that of gru's third gate is kept apart. */
static inline int rnn_slot(const rnn_shape *s, int gate) { return s->mode == RNN_GRU && gate == 2 ? 3 : gate; }

/* Lengths into scratch memory; returns MX_OK or the kind of error. */
static int rnn_lengths(mxnd_call *c, rnn_shape *s, int input)
{
    s->length = NULL;
    s->whole = 1;
    if (!s->lengths)
        return MX_OK;
    s->length = c->take(((size_t)s->count + 1) * sizeof(int64_t));
    if (!s->length)
        return MX_MEMORY_ERROR;
    index_read(s->length, c->in[input].data, c->in[input].type, 0, s->count);
    for (ptrdiff_t n = 0; n < s->count; n++) {
        if (s->length[n] < 0 || s->length[n] > s->steps) {
            c->at = s->length[n], c->bound = s->steps;
            c->error = "sequence_length holds a length that is negative or larger than the number of steps";
            c->give(s->length);
            return MX_ERROR;
        }
        s->whole &= s->length[n] == s->steps;
    }
    return MX_OK;
}
static void rnn_done(mxnd_call *c, rnn_shape *s) { if (s->length) c->give(s->length); }

/* Whether sequence n has step t. */
static inline int rnn_has(const rnn_shape *s, ptrdiff_t n, ptrdiff_t t) { return s->whole || t < s->length[n]; }

/* How the threads share a step: `down` parts of the sequences times `across` parts of the units. */
typedef struct { int threads, down, across; } rnn_team;

static rnn_team rnn_share(const rnn_shape *s, int threads, ptrdiff_t lanes)
{
    const double step = (double)s->count * (double)s->hidden * (double)s->gates * (double)(s->state + 8);
    rnn_team t = {1, 1, 1};
    if (step * (double)s->steps < 262144 || threads < 2)
        return t;
    for (int d = 1; d <= threads; d++)
        if (threads % d == 0 && (s->count >= 8 * d || step < 200000.0 * threads) && s->count >= d)
            t.down = d;
    t.across = threads / t.down;
    if (step < 200000.0 * threads)          /* meeting at every step would not pay */
        t.across = 1;
    while (t.across > 1 && MM_MIN(s->hidden, s->state) < lanes * t.across)
        t.across--;
    t.threads = t.down * t.across;
    return t;
}

#define RNN_JOIN_(a, b) rnn_##a##_##b
#define RNN_JOIN(a, b) RNN_JOIN_(a, b)
#define RN(name) RNN_JOIN(name, MM_TYPE)
#define rnn_unit_f32 unit_f32
#define rnn_unit_f64 unit_f64

#define MM_TYPE f32
#define T float
#include "rnn_steps.h"
#include "rnn_forward.h"
#include "rnn_backward.h"
#undef MM_TYPE
#undef T
#undef LANES
#undef DEEP
#define MM_TYPE f64
#define T double
#include "rnn_steps.h"
#include "rnn_forward.h"
#include "rnn_backward.h"
#undef MM_TYPE
#undef T
#undef LANES
#undef DEEP
#endif
