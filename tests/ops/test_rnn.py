"""RNN against a plain loop over the steps in NumPy, and its derivatives against differences."""
import numpy as np
import pytest

import mxnd as mx

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
MODES = list(GATES)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def unpack(v, gates, inputs, hidden, layers, ways, proj):
    """Weights and biases by layer and direction: the layout that MXNet's files have."""
    at, state = 0, proj or hidden

    def take(*shape):
        nonlocal at
        at += int(np.prod(shape))
        return v[at - int(np.prod(shape)):at].reshape(shape)
    weights = []
    for layer in range(layers):
        for _ in range(ways):
            weights.append([take(gates * hidden, ways * state if layer else inputs), take(gates * hidden, state)]
                           + ([take(proj, hidden)] if proj else [np.eye(hidden)]))
    for w in weights:
        w += [take(gates * hidden), take(gates * hidden)]
    assert at == len(v)
    return weights


def step(mode, x, h, c, weights, clip):
    wx, wh, wr, bx, bh = weights
    a, b = wx @ x + bx, wh @ h + bh
    if mode == "gru":
        (r, z, n), (r2, z2, n2) = np.split(a, 3), np.split(b, 3)
        r, z = sigmoid(r + r2), sigmoid(z + z2)
        return (1 - z) * np.tanh(n + r * n2) + z * h, c
    if mode != "lstm":
        return (np.maximum(a + b, 0) if mode == "rnn_relu" else np.tanh(a + b)), c
    i, f, g, o = np.split(a + b, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    if clip:
        c = np.clip(c, *clip)
    return wr @ (sigmoid(o) * np.tanh(c)), c


def plain(x, v, h0, c0, lengths, mode, hidden, layers=1, ways=1, proj=0, clip=None):
    """[output, last states, last cells], one sequence at a time."""
    steps, count, inputs = x.shape
    weights = unpack(v, GATES[mode], inputs, hidden, layers, ways, proj)
    h1, c1 = h0.copy(), c0.copy()
    for layer in range(layers):
        out = np.zeros((steps, count, ways * (proj or hidden)))
        for way in range(ways):
            k = layer * ways + way
            for n in range(count):
                h, c = h0[k, n], c0[k, n]
                order = range(lengths[n]) if way == 0 else reversed(range(lengths[n]))
                for t in order:
                    h, c = step(mode, x[t, n], h, c, weights[k], clip)
                    out[t, n, way * len(h):(way + 1) * len(h)] = h
                h1[k, n], c1[k, n] = h, c
        x = out
    return [x, h1, c1][:3 if mode == "lstm" else 2]


class Case:
    def __init__(self, mode, steps=3, count=2, inputs=2, hidden=3, layers=1, ways=1, proj=0, lengths=None, clip=None, scale=0.7,
                 seed=0, **more):
        rng = np.random.default_rng(seed)
        state = proj or hidden
        rows = GATES[mode] * hidden
        size = sum(ways * (rows * ((ways * state if i else inputs) + state + 2) + proj * hidden) for i in range(layers))
        self.arrays = [rng.normal(size=(steps, count, inputs)), rng.normal(size=size) * scale,
                       rng.normal(size=(layers * ways, count, state))]
        self.cells = rng.normal(size=(layers * ways, count, hidden))
        if mode == "lstm":
            self.arrays.append(self.cells)
        self.lengths = lengths
        self.params = dict(state_size=hidden, num_layers=layers, mode=mode, bidirectional=ways == 2, state_outputs=True, **more)
        if proj:
            self.params["projection_size"] = proj
        if clip:
            self.params.update(lstm_state_clip_min=clip[0], lstm_state_clip_max=clip[1])
        if lengths is not None:
            self.params["use_sequence_length"] = True
        self.plain = dict(mode=mode, hidden=hidden, layers=layers, ways=ways, proj=proj, clip=clip)

    def run(self, arrays):
        extra = [] if self.lengths is None else [mx.nd.array(self.lengths, dtype="int32")]
        return mx.nd.RNN(*arrays, *extra, **self.params)

    def expected(self):
        steps, count, _ = self.arrays[0].shape
        lengths = [steps] * count if self.lengths is None else self.lengths
        return plain(*self.arrays[:3], self.cells, lengths, **self.plain)

    def nd(self, dtype="float64"):
        return [mx.nd.array(v, dtype=dtype) for v in self.arrays]


SMALL = [Case(m, **k) for m in MODES for k in (
    {}, dict(layers=2, ways=2), dict(layers=3, steps=1, count=1, inputs=1, hidden=1),
    dict(steps=4, count=5, layers=2, ways=2, lengths=[4, 0, 1, 3, 2]))]
SMALL += [Case("lstm", layers=2, ways=2, proj=2), Case("lstm", ways=2, proj=2, lengths=[0, 2]),
          Case("lstm", steps=5, clip=(-0.3, 0.2), layers=2)]
LARGE = [Case(m, steps=5, count=17, inputs=33, hidden=70, ways=2, scale=0.1, lengths=[k % 6 for k in range(17)]) for m in MODES]
LARGE += [Case(m, steps=4, count=2, inputs=9, hidden=300, layers=2, scale=0.05) for m in MODES]        # few sequences, many units
LARGE += [Case("lstm", steps=4, count=2, inputs=9, hidden=300, ways=2, scale=0.05, proj=131, lengths=[3, 4]),
          Case("lstm", steps=4, count=40, inputs=9, hidden=130, ways=2, scale=0.05, proj=70)]


def name(case):
    return case.params["mode"]


@pytest.mark.parametrize("dtype, tol", [("float64", 1e-11), ("float32", 2e-5)])
@pytest.mark.parametrize("case", SMALL + LARGE, ids=name)
def test_is_the_plain_loop(case, dtype, tol):
    for y, want in zip(case.run(case.nd(dtype)), case.expected(), strict=True):
        assert np.dtype(y.dtype) == dtype
        np.testing.assert_allclose(y.asnumpy(), want, rtol=tol, atol=tol)


def derivative(case, values, order, heads, direction):
    """The order-th derivative of the outputs times heads along a direction; always with the same random numbers."""
    arrays = [mx.nd.array(v, dtype="float64") for v in values]
    for a in arrays:
        a.attach_grad()
    mx.random.seed(3)
    with mx.autograd.record():
        y = None
        for out, w in zip(case.run(arrays), heads):
            t = (out * mx.nd.array(w, dtype="float64")).sum()
            y = t if y is None else y + t
        for _ in range(order):
            grads = mx.autograd.grad(y, arrays, create_graph=True)
            y = None
            for g, d in zip(grads, direction):
                t = (g * mx.nd.array(d, dtype="float64")).sum()
                y = t if y is None else y + t
    return y.asscalar()


def compare(case, order, rtol=2e-5):
    rng = np.random.default_rng(order)
    heads = [rng.uniform(0.5, 1.5, v.shape) for v in case.expected()]
    direction = [rng.uniform(-1, 1, v.shape) / max(1, v.size / 50) for v in case.arrays]
    e = 1e-5

    def at(t):
        return derivative(case, [v + t * d for v, d in zip(case.arrays, direction)], order - 1, heads, direction)
    numeric = (at(e) - at(-e)) / (2 * e)
    np.testing.assert_allclose(derivative(case, case.arrays, order, heads, direction), numeric, rtol=rtol,
                               atol=1e-6 * max(1.0, abs(at(0.0))))


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("case", [Case(m, steps=2, layers=2, ways=2, hidden=2, lengths=[2, 1]) for m in MODES]
                         + [Case("lstm", steps=2, proj=1, hidden=2), Case("lstm", clip=(-0.3, 0.2)),
                            Case("gru", layers=2, hidden=2, p=0.5), Case("lstm", layers=3, hidden=2, p=0.4, count=1)], ids=name)
def test_derivatives(case, order):
    compare(case, order)


@pytest.mark.parametrize("case", SMALL + LARGE, ids=name)
def test_first_derivative(case):
    compare(case, 1, 1e-4)


@pytest.mark.parametrize("case", SMALL[:2] + LARGE[:1], ids=name)
def test_unused_states_have_no_head(case):
    """Without state_outputs the gradient is that with zero heads for the last states."""
    grads = []
    for wanted in (False, True):
        arrays = case.nd()
        for a in arrays:
            a.attach_grad()
        extra = [] if case.lengths is None else [mx.nd.array(case.lengths)]
        with mx.autograd.record():
            y = mx.nd.RNN(*arrays, *extra, **case.params | dict(state_outputs=wanted))
            y = y[0] if wanted else y
        y.backward()
        grads.append([a.grad.asnumpy() for a in arrays])
    for a, b in zip(*grads):
        np.testing.assert_array_equal(a, b)


def test_dropout():
    case = Case("rnn_relu", steps=50, count=20, inputs=1, hidden=20, layers=2, p=0.25)
    x, w, h = case.nd()
    np.testing.assert_allclose(case.run([x, w, h])[0].asnumpy(), case.expected()[0], rtol=1e-10, atol=1e-10)    # none in prediction
    # the second layer passes its input on: what reaches it is 0 or 4/3 of what left the first
    eye = np.zeros(w.shape)
    eye[420:820] = np.eye(20).ravel()
    eye[1220:1240] = 1.0                    # a bias of the first layer: its states are 1
    w = mx.nd.array(eye, dtype="float64")
    mx.random.seed(0)
    with mx.autograd.train_mode():
        y = case.run([x, w, h * 0])[0].asnumpy()
    assert set(np.unique(y.round(12))) == {0.0, round(4 / 3, 12)}
    dropped = (y == 0).mean()
    assert abs(dropped - 0.25) < 0.01
    assert len({row.tobytes() for row in y.reshape(50, -1)}) == 50, "every step has a mask of its own"


def test_half_precision():
    case = Case("lstm", layers=2, ways=2)
    for y, want in zip(case.run(case.nd("float16")), case.expected()):
        assert np.dtype(y.dtype) == "float16"
        np.testing.assert_allclose(y.asnumpy(), want, rtol=2e-2, atol=1e-2)


@pytest.mark.parametrize("mode", MODES)
def test_no_steps_or_sequences(mode):
    for steps, count in ((0, 2), (3, 0)):
        case = Case(mode, steps=steps, count=count, layers=2, ways=2)
        arrays = case.nd()
        for a in arrays:
            a.attach_grad()
        with mx.autograd.record():
            y = case.run(arrays)
        mx.autograd.backward(y)
        for got, want in zip(y, case.expected()):
            np.testing.assert_array_equal(got.asnumpy(), want)
        assert (arrays[1].grad.asnumpy() == 0).all() and (arrays[2].grad.asnumpy() == 1).all()
        compare(case, 1)


def test_wrong_calls():
    x, w, h, c = Case("lstm").nd()
    call = mx.nd.RNN
    good = dict(state_size=3, num_layers=1, mode="lstm")
    for arrays, params, text in (
            ((x, w[:-1], h, c), {}, r"'parameters' has a wrong shape|shape of parameters.*\(84,\)"),
            ((x, w, h[:, :1], c), {}, "shape of state"),
            ((x, w, h, c[:, :, :2]), {}, "shape of state_cell"),
            ((x[0], w, h, c), {}, "expected .steps, sequences"),
            ((x, w, h), {}, "expected 4"),
            ((x, w, h, c.astype("float32")), {}, "different dtypes"),
            ((x, w, h, c, mx.nd.array([4, 1])), dict(use_sequence_length=True), "sequence_length holds a length"),
            ((x, w, h, c, mx.nd.array([-1, 1])), dict(use_sequence_length=True), "sequence_length holds a length"),
            ((x, w, h, c, mx.nd.array([1])), dict(use_sequence_length=True), "shape of sequence_length"),
            ((x, w, h, c), dict(lstm_state_clip_min=0.0), "lstm_state_clip_max is missing"),
            ((x, w, h, c), dict(lstm_state_clip_min=1.0, lstm_state_clip_max=0.0), "at most lstm_state_clip_max"),
            ((x, w, h), dict(mode="gru", projection_size=2), "projection_size has no meaning"),
            ((x, w, h, c), dict(p=1.5), "'p'"),
            ((x, w, h, c), dict(num_layers=0), "'num_layers'")):
        with pytest.raises(mx.MXNetError, match=f"RNN.*({text})"):
            call(*arrays, **good | params)


def test_cells_that_are_not_numbers():
    case = Case("lstm", clip=(-1, 1))
    x, w, h, c = case.nd()
    c[:] = float("nan")
    assert not np.isnan(case.run([x, w, h, c])[0].asnumpy()).any()
    case.params["lstm_state_clip_nan"] = True
    assert np.isnan(case.run([x, w, h, c])[0].asnumpy()).all()


def test_symbols_infer_shapes():
    s = mx.sym.RNN(mx.sym.Variable("x"), state_size=3, num_layers=2, mode="lstm", bidirectional=True, state_outputs=True,
                   use_sequence_length=True, name="r")
    args, outs, _ = s.infer_shape(x=(5, 4, 2))
    assert s.list_arguments() == ["x", "r_parameters", "r_state", "r_state_cell", "r_sequence_length"]
    assert s.list_outputs() == ["r_output", "r_state_output", "r_statecell_output"]
    assert args == [(5, 4, 2), (24 * (2 + 3 + 2) + 24 * (6 + 3 + 2),), (4, 4, 3), (4, 4, 3), (4,)]
    assert outs == [(5, 4, 6), (4, 4, 3), (4, 4, 3)]
    state_first = mx.sym.RNN(mx.sym.Variable("x"), state_size=3, num_layers=1, mode="gru", name="r")
    assert state_first.infer_shape_partial(x=(5, 0, 2), r_state=(1, 4, 3))[1] == [(5, 4, 3)]


def test_states_of_open_shape():
    """Files of layers hold first states as zeros of shape (layers, 0, units): the 0 is decided by the data."""
    zeros = mx.sym._internal._zeros(shape=(1, 0, 3), dtype="float64", name="begin")
    s = mx.sym.RNN(mx.sym.Variable("x"), mx.sym.Variable("w"), zeros, state_size=3, num_layers=1, mode="rnn_tanh", name="r")
    case = Case("rnn_tanh")
    x, w, _ = case.nd()
    case.arrays[2][:] = 0
    assert s.infer_shape(x=(3, 2, 2))[0] == [(3, 2, 2), (21,)]
    ex = s.bind(mx.cpu(), {"x": x, "w": w}, args_grad={"w": w * 0})
    for monitor in (False, True):           # the planned run, and the one operator by operator
        seen = []
        if monitor:
            ex.set_monitor_callback(lambda name, array: seen.append(name))
        np.testing.assert_allclose(ex.forward(is_train=True)[0].asnumpy(), case.expected()[0], rtol=1e-10)
        assert bool(seen) == monitor
        ex.backward([mx.nd.ones((3, 2, 3), dtype="float64")])
    assert np.abs(ex.grad_dict["w"].asnumpy()).sum() > 0
    alone = mx.sym._internal._zeros(shape=(2, 0))
    assert alone.bind(mx.cpu(), {}).forward()[0].shape == (2, 0)
