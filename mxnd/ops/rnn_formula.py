"""Recurrent layers as a formula of other operators: what derivatives beyond the first are made of."""
from .declare import F

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


class Sizes:
    """What the parameters and the data's shape say about a recurrent layer."""

    def __init__(self, p, data):
        self.steps, self.count, self.input = data
        self.hidden, self.proj = p.state_size, p.projection_size or 0
        self.state = self.proj or self.hidden
        self.ways, self.layers, self.rows = 1 + p.bidirectional, p.num_layers, GATES[p.mode] * p.state_size

    @property
    def weights(self):
        """Numbers in front of the biases."""
        both = self.rows * self.state + self.proj * self.hidden
        return self.ways * (self.rows * self.input + both
                            + (self.layers - 1) * (self.rows * self.ways * self.state + both))

    @property
    def parameters(self):
        return self.weights + self.layers * self.ways * 2 * self.rows

    def reserve(self, p):
        """Numbers that the forward kernel keeps: gates and cells, and outputs of all layers but the last."""
        slots = {"lstm": 5, "gru": 4}.get(p.mode, 1)
        return self.steps * self.count * self.ways * (self.layers * slots * self.hidden + (self.layers - 1) * self.state)

    def mask(self, p):
        """Shape of the dropout masks between layers."""
        return (self.layers - 1, self.steps, self.count, self.ways * self.state) if p.p and self.layers > 1 else (0,)


def cut(x, begin, end, axis=0):
    return F.slice_axis(x, axis=axis, begin=begin, end=end)


class Vector:
    """The parameters, taken from the front in pieces."""

    def __init__(self, x):
        self.x, self.at = x, 0

    def take(self, *shape):
        n = 1
        for v in shape:
            n *= v
        self.at += n
        return F._reshape_to(cut(self.x, self.at - n, self.at), shape=shape)


def unpack(s, parameters):
    """{(layer, direction): input, recurrent and projection weights (or None), input and recurrent biases}"""
    v, out = Vector(parameters), {}
    places = [(i, k) for i in range(s.layers) for k in range(s.ways)]
    for i, k in places:
        out[i, k] = [v.take(s.rows, s.ways * s.state if i else s.input), v.take(s.rows, s.state),
                     v.take(s.proj, s.hidden) if s.proj else None]
    for place in places:
        out[place] += [v.take(s.rows), v.take(s.rows)]
    return out


def step(p, s, x, h, c, weights):
    """Next state and cell; x: the input's part of the gates, its bias included."""
    _, recurrent, projection, _, bias = weights
    y = F.FullyConnected(h, recurrent, bias, num_hidden=s.rows)

    def gate(v, i):
        return cut(v, i * s.hidden, (i + 1) * s.hidden, axis=1)
    if p.mode == "gru":
        r, z = (F.sigmoid(gate(x, i) + gate(y, i)) for i in (0, 1))
        n = F.tanh(gate(x, 2) + r * gate(y, 2))
        return n + z * (h - n), None
    if p.mode != "lstm":
        return (F.relu if p.mode == "rnn_relu" else F.tanh)(x + y), None
    i, f, o = (F.sigmoid(gate(x, k) + gate(y, k)) for k in (0, 1, 3))
    c = f * c + i * F.tanh(gate(x, 2) + gate(y, 2))
    if p.lstm_state_clip_min is not None:
        c = F.clip(c, a_min=p.lstm_state_clip_min, a_max=p.lstm_state_clip_max)
    h = o * F.tanh(c)
    return (h if projection is None else F.FullyConnected(h, projection, num_hidden=s.proj, no_bias=True)), c


def direction(p, s, x, h, c, weights, has, backward):
    """(outputs of all steps, last state, last cell); has: per step, which sequences have it, or None."""
    flat = F._reshape_to(x, shape=(s.steps * s.count, x.shape[2]))
    gates = F.FullyConnected(flat, weights[0], weights[3], num_hidden=s.rows)
    out = [None] * s.steps
    for t in reversed(range(s.steps)) if backward else range(s.steps):
        new, cell = step(p, s, cut(gates, t * s.count, (t + 1) * s.count), h, c, weights)
        out[t] = new
        if has is not None:
            out[t] = F.where(has[t], new, F.zeros_like(new))
            new = F.where(has[t], new, h)
            cell = cell if cell is None else F.where(has[t], cell, c)
        h, c = new, cell
    return F.stack(*out, num_args=s.steps, axis=0), h, c


def recurrent(p, data, parameters, state, *rest):
    """[output, last states (, last cells)] of a layer with at least one step and one sequence; rest: cells with lstm,
    lengths with use_sequence_length, and the dropout mask."""
    s, lstm = Sizes(p, data.shape), p.mode == "lstm"
    weights, x, states, cells, has = unpack(s, parameters), data, [], [], None
    if p.use_sequence_length:
        has = [F._greater_scalar(rest[-2], scalar=float(t)) for t in range(s.steps)]

    def first(v, at, width):
        return F._reshape_to(cut(v, at, at + 1), shape=(s.count, width))
    for i in range(s.layers):
        if i and p.p:
            x = x * F._reshape_to(cut(rest[-1], i - 1, i), shape=x.shape)
        outs = []
        for k in range(s.ways):
            at = i * s.ways + k
            out, h, c = direction(p, s, x, first(state, at, s.state), first(rest[0], at, s.hidden) if lstm else None,
                                  weights[i, k], has, k == 1)
            outs.append(out)
            states.append(h)
            cells.append(c)
        x = outs[0] if s.ways == 1 else F.Concat(*outs, num_args=2, dim=2)
    many = len(states)
    return [x, F.stack(*states, num_args=many, axis=0)] + ([F.stack(*cells, num_args=many, axis=0)] if lstm else [])
