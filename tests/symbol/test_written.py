"""Values that operators write in place, and random numbers: the same with and without graph passes."""
from importlib import import_module

import numpy as np
import pytest

import mxnd as mx
from mxnd.symbol.passes import NAMES

S, V = mx.sym, mx.sym.Variable
again = import_module("mxnd.symbol.passes.recompute")
SHAPE = (2, 6)


def moved(state, w=None, g=None):
    """An update that writes into the state."""
    return S.sgd_mom_update(V("w") if w is None else w, V("g") if g is None else g, state, lr=0.5, momentum=0.9)


def constant():
    state = S.zeros(SHAPE)
    return [moved(state), state + 1]


def of_constants():
    state = S.ones(SHAPE) * 0.5
    return [moved(state), S.tanh(state)]


def copy():
    x = V("x")
    state = S.identity(x)
    return [moved(state), x * 2, state]


def stopped():
    x = V("x")
    return [moved(S.BlockGrad(S.tanh(x))), S.tanh(x)]


def repeated():
    x = V("x")
    a, b = S.tanh(x), S.tanh(x)
    return [moved(a), b, a]


def reshaped():
    x = S.tanh(V("x"))
    state = S.reshape(S.reshape(x, shape=(-1,)), shape=SHAPE)
    return [moved(state), S.exp(x), state * 2]


def reshaped_after():
    x = S.tanh(V("x"))
    flat = S.reshape(x, shape=(-1,))
    y = moved(x)
    return [y, S.dot(flat, flat)]


def reduced():
    x = V("x")
    state = S.tanh(x) * 0.5
    return [moved(state), S.sum(state), S.max(x * state)]


def read_by_the_backward():
    state = S.relu(V("x")) * 2
    return [moved(state) * state, S.square(state)]


def two_updates():
    m, w, g = V("m"), V("w"), V("g")
    return [moved(m, w, g), m + 1, moved(m, w, g * 2), m * 1]


def gamma_of_constants():
    x, gamma = V("x"), S.ones((6,)) * 3
    y = S.BatchNorm(x, gamma, fix_gamma=True, name="bn")
    return [y, gamma * 2, S.BatchNorm(x * 2, S.ones((6,)) * 3, fix_gamma=False, name="bn2")]


GRAPHS = [constant, of_constants, copy, stopped, repeated, reshaped, reshaped_after, reduced, read_by_the_backward, two_updates,
          gamma_of_constants]


def results(outs, training, how, eager=False):
    s = S.Group(outs)
    with S.passes(**how):
        ex = s.simple_bind(mx.cpu(), **{n: SHAPE for n in "wgxm" if n in s.list_inputs()})
    if eager:
        ex._planned = None
    rng = np.random.default_rng(0)
    for a in (*ex.arg_arrays, *ex.aux_arrays):
        a[:] = rng.uniform(0.1, 1, a.shape)
    heads = [mx.nd.array(rng.normal(size=y.shape)) for y in ex.outputs]
    got = []
    for mode in (training, not training):
        mx.random.seed(5)
        ex.forward(is_train=mode)
        ex.backward(heads)
        got += [a.asnumpy() for a in (*ex.outputs, *ex.grad_arrays, *ex.arg_arrays, *ex.aux_arrays)]
    return got


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("graph", GRAPHS, ids=lambda f: f.__name__)
def test_what_is_written_in_place(graph, training, monkeypatch):
    monkeypatch.setattr(again, "LARGE", 0)
    outs = graph()
    plain = results(outs, training, dict(all=False))
    for how in ({}, *({"all": False, name: True} for name in NAMES)):
        rounded = not how or how.get("reduce")
        for a, b in zip(results(outs, training, how), plain, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6 if rounded else 0, atol=0)
    for a, b in zip(results(outs, training, {}, eager=True), plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_a_constant_that_is_written_begins_anew():
    state = S.zeros((2,))
    ex = moved(state).simple_bind(mx.cpu(), w=(2,), g=(2,))
    ex.arg_dict["g"][:] = 1
    assert [ex.forward()[0].asnumpy().tolist() for _ in range(3)] == [[-0.5, -0.5]] * 3


@pytest.mark.parametrize("training", [False, True])
def test_backward_does_not_move_states_again(training):
    ex = moved(V("m")).simple_bind(mx.cpu(), w=(2,), g=(2,))
    ex.arg_dict["g"][:] = 1
    for k in range(1, 4):
        ex.forward(is_train=training)
        y = ex.outputs[0].asnumpy()
        ex.backward(mx.nd.ones((2,)))
        assert (ex.outputs[0].asnumpy() == y).all()
        np.testing.assert_allclose(ex.aux_dict["m"].asnumpy(), [-0.5 * sum(0.9 ** i for i in range(k))] * 2, rtol=1e-6)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("request_", ["null", "write"])
@pytest.mark.parametrize("first", [lambda x: S.Dropout(x, p=0.5) * 2, lambda x: S.zeros_like(S.Dropout(x, p=0.5)),
                                   lambda x: S.identity(S.Dropout(x, p=0.5)) + S.zeros_like(S.random.normal(shape=(4,))),
                                   lambda x: S.Dropout(S.Dropout(x, p=0.5, mode="always"), p=0.1)])
def test_passes_do_not_change_random_numbers(first, training, request_):
    got = []
    s = S.Group([first(V("x")), S.random.uniform(shape=(3,))])
    for how in (dict(all=False), {}, "eager"):
        with S.passes(**({} if how == "eager" else how)):
            ex = s.simple_bind(mx.cpu(), x=(4,), grad_req=request_)
        if how == "eager":
            ex._planned = None
        ex.arg_dict["x"][:] = 1
        mx.random.seed(3)
        got.append([y.asnumpy().tolist() for y in ex.forward(is_train=training)])
    assert got[0] == got[1] == got[2]


def test_dropout_outside_training_draws_nothing():
    mx.random.seed(3)
    a = mx.nd.random.uniform(shape=(3,)).asnumpy()
    mx.random.seed(3)
    for dtype in ("float32", "float16"):
        mx.nd.Dropout(mx.nd.ones((5,), dtype=dtype), p=0.5)
    assert (mx.nd.random.uniform(shape=(3,)).asnumpy() == a).all()
