"""Recurrent layers: RNN."""
from .declare import FLOATS, F, op
from .norm_formulas import once
from .params import REQUIRED, choice, flag, integer, number
from .reverse import pull_back
from .rnn_formula import Sizes, recurrent
from .shapes import show, unify

MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")
RNN = dict(state_size=integer(REQUIRED, at_least=1), num_layers=integer(REQUIRED, at_least=1), bidirectional=flag(),
           mode=choice(REQUIRED, "gru", "lstm", "rnn_relu", "rnn_tanh"), p=number(0.0, at_least=0.0, at_most=1.0),
           state_outputs=flag(), projection_size=integer(None, at_least=1), lstm_state_clip_min=number(None),
           lstm_state_clip_max=number(None), lstm_state_clip_nan=flag(), use_sequence_length=flag())


def inputs(p):
    return "data parameters state" + " state_cell" * (p.mode == "lstm") + " sequence_length" * p.use_sequence_length


def states(p):
    """How many kinds of states a layer has: lstm has cells too."""
    return 1 + (p.mode == "lstm")


def check(p):
    if p.mode != "lstm" and p.projection_size is not None:
        raise ValueError(f"projection_size has no meaning for mode {p.mode!r}; expected mode 'lstm'")
    low, high = p.lstm_state_clip_min, p.lstm_state_clip_max
    if (low is None) != (high is None):
        raise ValueError("one of lstm_state_clip_min and lstm_state_clip_max is missing; expected both or none")
    if low is not None and not low <= high:
        raise ValueError(f"lstm_state_clip_min is {low}; expected at most lstm_state_clip_max, which is {high}")
    if low is not None and p.mode != "lstm":
        raise ValueError(f"lstm_state_clip_min has no meaning for mode {p.mode!r}; expected mode 'lstm'")


def rnn_shapes(p, ins, outs):
    check(p)
    data, rest = ins[0], list(ins[1:])
    n = 1 + p.bidirectional
    width = p.projection_size or p.state_size
    if data is not None and len(data) != 3:
        raise ValueError(f"data has shape {show(data)}; expected (steps, sequences, length of an input)")
    data = data or (None, None, None)
    for s, axis in ((rest[1], 1), (outs[0], 1), (rest[-1] if p.use_sequence_length else None, 0)):
        if data[1] is None and s is not None and len(s) > axis:
            data = (data[0], s[axis], data[2])
    if data[0] is None and outs[0] is not None and len(outs[0]) == 3:
        data = (outs[0][0], *data[1:])
    layers = p.num_layers * n
    rest[0] = unify(rest[0], (None if data[2] is None else Sizes(p, data).parameters,),
                    "shape of parameters and the one needed")
    wide = [(layers, data[1], width), (layers, data[1], p.state_size)][:states(p)]
    rest[1:1 + states(p)] = [unify(s, w, f"shape of {name} and (layers times directions, sequences, length of a state)")
                             for s, w, name in zip(rest[1:], wide, ("state", "state_cell"))]
    if p.use_sequence_length:
        rest[-1] = unify(rest[-1], (data[1],), "shape of sequence_length and number of sequences")
    made = [(data[0], data[1], n * width), *wide, (None,), None]
    if None not in data:
        s = Sizes(p, data)
        made[-2:] = [(s.reserve(p),), s.mask(p)]
    return [data, *rest], [unify(a, b, "expected and worked-out output shapes") for a, b in zip(outs, made)]


def rnn_types(p, ins, outs):
    """One dtype for all but the lengths, which may have any."""
    count = 2 + states(p)
    t = next((v for v in (*ins[:count], *outs) if v is not None), None)
    for v in (*ins[:count], *outs):
        if v is not None and v != t:
            raise ValueError(f"inputs have different dtypes: {t} and {v}; expected one dtype (use astype)")
    return [t] * count + [v or t for v in ins[count:]], [t] * len(outs)


def rnn_numbers(p, data):
    s = Sizes(p, data)
    clip = p.lstm_state_clip_min is not None
    return [MODES.index(p.mode), s.steps, s.count, s.input, s.hidden, s.proj, s.layers, s.ways, int(p.use_sequence_length), int(clip),
            int(p.lstm_state_clip_nan), int(s.mask(p) != (0,)), s.weights,
            p.lstm_state_clip_min if clip else 0.0, p.lstm_state_clip_max if clip else 0.0, p.p]


def rnn_grad(p, g, x, y):
    heads = g[:1 + states(p)] if p.state_outputs else g[:1]
    part = once(lambda: F._backward_RNN(*heads, *x, y[0], y[-2], y[-1], **p._asdict()))
    return [part(i) for i in range(2 + states(p))] + [None] * p.use_sequence_length


def visible(p):
    return 1 + states(p) if p.state_outputs else 1


op("RNN", inputs="data parameters state state_cell sequence_length", takes=inputs, params=RNN, aliases="_npx_rnn",
   outputs=lambda p: ("output", "state_output", "statecell_output")[:1 + states(p)] + ("reserve", "mask"),
   visible=visible, stored=visible, shapes=rnn_shapes, types=rnn_types, kernel="rnn",
   kernel_types=FLOATS, arguments=lambda p, ins, outs: rnn_numbers(p, ins[0]), random=True, uses_mode=True, grad=rnn_grad,
   samples=(dict(inputs=[(3, 2, 2), (21,), (1, 2, 3)], params=dict(state_size=3, num_layers=1, mode="rnn_tanh", state_outputs=True)),
            dict(inputs=[(2, 2, 1), (208,), (4, 2, 2), (4, 2, 2), [1, 2]],
                 params=dict(state_size=2, num_layers=2, mode="lstm", bidirectional=True, use_sequence_length=True)),
            dict(inputs=[(3, 2, 2), (63,), (1, 2, 3)], params=dict(state_size=3, num_layers=1, mode="gru", p=0.5))),
   doc="""Recurrent layers over data (steps, sequences, length of an input): rnn_relu, rnn_tanh, lstm or gru.

    output is (steps, sequences, directions * state_size), or with projection_size that in state_size's place.  state and, with
    lstm, state_cell hold the first states (layers * directions, sequences, state_size); state_outputs also returns the last ones.

    parameters is one vector: for each layer and direction the weights of the input (gates * state_size, inputs), those of the
    state (gates * state_size, state_size) and with projection_size those of the projection (projection_size, state_size); then
    for each layer and direction the two biases (gates * state_size).  Gates are i f g o (lstm) or r z n (gru), with
    n = tanh(Wx + b + r * (Rh + c)).  Bidirectional layers join both directions along the last axis.

    p is dropped from the inputs of all layers but the first while training.  lstm_state_clip_min and _max limit the cells;
    lstm_state_clip_nan lets nan pass.  With use_sequence_length each sequence has its own number of steps: outputs behind them
    are 0, last states are those at its end, and the backward direction starts there.  Floats.""",
   example="mx.nd.RNN(mx.nd.ones((3, 1, 2)), mx.nd.ones((12,)), mx.nd.zeros((1, 1, 2)), state_size=2, num_layers=1, mode='rnn_tanh')")


# ---- first derivative, by a kernel -----------------------------------------------------------------------

def head_count(p):
    return 1 + states(p) if p.state_outputs else 1


def backward_inputs(p):
    heads = ("head", "state_head", "cell_head")[:head_count(p)]
    return (*heads, *inputs(p).split(), "output", "reserve", "mask")


def backward_shapes(p, ins, outs):
    k = head_count(p)
    given = ins[k:-3]
    got, made = rnn_shapes(p, given, [ins[-3], *([*ins[1:k]] if k > 1 else [None] * states(p)), ins[-2], ins[-1]])
    return [made[0], *made[1:k], *got, made[0], *made[-2:]], [unify(o, s) for o, s in zip(outs, got)]


def backward_types(p, ins, outs):
    at = head_count(p) + 2 + states(p)
    some = [v for i, v in enumerate(ins) if i != at or not p.use_sequence_length]
    t = next((v for v in (*some, *outs) if v is not None), None)
    for v in (*some, *outs):
        if v is not None and v != t:
            raise ValueError(f"inputs have different dtypes: {t} and {v}; expected one dtype (use astype)")
    return [v or t for v in ins], [t] * len(outs)


def backward_grad(p, g, x, y):
    """Of the derivative as a function of heads and inputs; what forward kept is only a shortcut for the kernel."""
    k, count = head_count(p), 2 + states(p)
    heads, given, mask = x[:k], x[k:-3], x[-1]
    rest = [None] * (len(x) - k - count)
    if 0 in given[0].shape[:2]:                         # no step: last states are the first ones
        return [None, *g[2:count][:k - 1], *[None] * count, *rest]

    def derivative(*v):
        return pull_back(lambda *i: recurrent(p, *i), v[k:], [*v[:k], *[None] * (1 + states(p) - k)], count)
    part = once(lambda: pull_back(derivative, [*heads, *given, mask], g, k + count))
    return [part(i) for i in range(k + count)] + rest


op("_backward_RNN", inputs="head state_head cell_head data parameters state state_cell sequence_length output reserve mask",
   takes=backward_inputs, params=RNN, outputs=lambda p: ("data_grad", "parameters_grad", "state_grad", "cell_grad")[:2 + states(p)],
   shapes=backward_shapes, types=backward_types, kernel="rnn_backward", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: (lambda n: [*n[:13], int(p.state_outputs), *n[13:]])(rnn_numbers(p, ins[head_count(p)])),
   grad=backward_grad, doc="First derivative of RNN, from what it kept of its steps.")
