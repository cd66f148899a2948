"""Fusing and shared memory change nothing but time and space."""
import random

import numpy as np
import pytest

import mxnd as mx
from mxnd.symbol.fuse import loops, row_length

S, V = mx.sym, mx.sym.Variable
SHAPE = (4, 50)


def some_graph(seed, steps=40):
    r = random.Random(seed)
    pool = [V(f"v{i}") for i in range(3)] + [V("row"), V("one")]
    whole = pool[:3]
    for _ in range(steps):
        c, a, b = r.random(), r.choice(whole[-6:]), r.choice(whole)
        if c < 0.4:
            y = getattr(S, r.choice(["tanh", "sigmoid", "relu", "square", "negative", "sin", "abs"]))(a)
        elif c < 0.65:
            y = S.tanh(r.choice([lambda p, q: p + q, lambda p, q: p * q, lambda p, q: p - q])(a, b))
        elif c < 0.75:
            y = S.tanh(r.choice([S.broadcast_add, S.broadcast_mul])(a, r.choice(pool[3:])))
        elif c < 0.85:
            y = r.choice([a * r.uniform(-1, 1), 1.5 - a])
        elif c < 0.93:
            y = S.reshape(S.reshape(a, shape=(-1,)), shape=SHAPE)
        else:
            y = S.dot(S.tanh(S.dot(a, b, transpose_b=True)), a)
        whole.append(y)
    return S.Group([whole[-1], *(r.choice(whole) for _ in range(r.randrange(3)))])


def results(s, seed, passes):
    rng = np.random.default_rng(seed)
    shapes = {"row": (50,), "one": (1, 1)}
    args = {n: mx.nd.array(rng.normal(size=shapes.get(n, SHAPE)) / 2) for n in s.list_arguments()}
    grads = {n: mx.nd.ones(a.shape) for n, a in args.items()}
    requests = {n: random.Random(seed + k).choice(["write", "add", "null"]) for k, n in enumerate(args)}
    heads = [mx.nd.array(rng.normal(size=SHAPE)) for _ in s.list_outputs()]
    with S.passes(**{"all": False, **(passes or {})}):
        ex = s.bind(mx.cpu(), args, args_grad=grads, grad_req=requests)
    if passes is None:
        ex._planned = None
    out = [y.asnumpy() for y in ex.forward()]
    for training in (True, False, True):
        ex.forward(is_train=training)
        ex.backward(heads)
    return out + [y.asnumpy() for y in ex.outputs] + [g.asnumpy() for g in grads.values()], ex


@pytest.mark.parametrize("seed", range(25))
def test_every_form_gives_the_same_bits(seed):
    s = some_graph(seed)
    plain, _ = results(s, seed, {})
    for passes in ({"fuse": True}, {"share": True}, {"fuse": True, "share": True}, {"all": True}):
        for a, b in zip(plain, results(s, seed, passes)[0], strict=True):
            np.testing.assert_array_equal(a, b)
    for a, b in zip(plain, results(s, seed, None)[0], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_memory_is_shared():
    x, w = V("x"), V("w")
    for _ in range(20):
        x = S.dot(x, w)
    ex = x.simple_bind(mx.cpu(), x=(64, 64), w=(64, 64), grad_req="null")
    ex.forward()
    one = 64 * 64 * 4
    assert ex.memory() == {"arguments": 2 * one, "gradients": 0, "auxiliary": 0, "outputs": one, "planned": 2 * one,
                           "unshared": 19 * one, "peak": 5 * one}
    assert "MB" in ex.debug_str()


def test_fused_groups_and_their_order():
    a, b = V("a"), V("b")
    ex = (S.tanh(a * b + a) * b - 1).simple_bind(mx.cpu(), a=(8,), b=(8,))
    tasks = ex._planned.program(False).tasks
    assert [len(t.steps) for t in tasks] == [5]


@pytest.mark.parametrize("whole, shapes, dims, strides", [
    ((4, 5), [(4, 5), (4, 5)], (20,), [[1], [1]]),
    ((4, 5), [(5,), (4, 5)], (4, 5), [[0, 1], [5, 1]]),
    ((4, 5), [(4, 1), (4, 5)], (4, 5), [[1, 0], [5, 1]]),
    ((2, 3, 4), [(3, 1), (1,), (2, 3, 4)], (2, 3, 4), [[0, 1, 0], [0, 0, 0], [12, 4, 1]]),
    ((2, 3, 4), [(3, 4), (2, 3, 4)], (2, 12), [[0, 1], [12, 1]]),
    ((1, 1), [(1, 1), (1,)], (1,), [[0], [0]]),
    ((), [()], (1,), [[0]])])
def test_loops(whole, shapes, dims, strides):
    assert loops(whole, tuple(shapes)) == (dims, strides)


def test_short_rows_are_left_alone():
    assert row_length((4, 1), (4, 10)) == 10 and row_length((64,), (4, 64)) == 64 and row_length((1,), (4, 3)) == 32


def test_special_values_zero_sizes_and_0d():
    x = V("x")
    s = S.sqrt(S.log(x) * 2 - 1)
    for value in (np.array([0, -1, np.inf, np.nan, 1e38], np.float32), np.zeros((0, 3), np.float32), np.float32(2)):
        arg = mx.nd.array(value, dtype="float32")
        with np.errstate(all="ignore"):
            want = mx.nd.sqrt(mx.nd.log(arg) * 2 - 1).asnumpy()
        np.testing.assert_array_equal(s.bind(mx.cpu(), {"x": arg}).forward()[0].asnumpy(), want)


def test_dropout_gradient_uses_the_mask_of_the_forward():
    x = V("x")
    s = S.Dropout(x, p=0.5) * 1
    grad = mx.nd.zeros((200,))
    ex = s.bind(mx.cpu(), {"x": mx.nd.ones((200,))}, args_grad={"x": grad})
    y = ex.forward(is_train=True)[0].asnumpy()
    ex.backward(mx.nd.ones((200,)))
    np.testing.assert_array_equal(grad.asnumpy(), y)


def test_one_array_for_two_arguments():
    x = mx.nd.array([1, 2, 3])
    ex = (V("a") * V("b")).bind(mx.cpu(), {"a": x, "b": x})
    assert ex.forward()[0].asnumpy().tolist() == [1, 4, 9]


def test_gradient_arrays_as_head_gradients():
    # each gradient needs both head gradients as they were before
    a, b = mx.sym.var("a"), mx.sym.var("b")
    for request, more in (("write", 0), ("add", 1)):
        for view in (lambda g: g, lambda g: g.reshape((3, 1)).reshape((3,))):
            both = mx.nd.array([[1.0, 1, 1], [2, 2, 2]])
            ga, gb = both[0], both[1]
            args = {"a": mx.nd.array([1.0, 2, 3]), "b": mx.nd.array([4.0, 5, 6])}
            ex = mx.sym.Group([a * b, a + b]).bind(mx.cpu(), args, {"a": ga, "b": gb}, request)
            ex.forward(True)
            ex.backward([view(ga), view(gb)])
            assert ga.asnumpy().tolist() == [6 + more, 7 + more, 8 + more]
            assert gb.asnumpy().tolist() == [3 + 2 * more, 4 + 2 * more, 5 + 2 * more]


def net(x, kind):
    y = S.tanh(S.dot(S.sigmoid(x * 2), x))
    if kind == "random":
        y = S.tanh(S.Dropout(y, p=0.5) * 3) + S.random.uniform(shape=(30, 30))
    if kind == "state":
        y = S.sgd_mom_update(y, S.sin(y), V("m"), lr=0.5, momentum=0.9) * y
    return S.Group([S.square(S.exp(y) - y), S.tanh(y * y)])


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("kind", ["plain", "random", "state"])
def test_backward_again_after_one_forward(kind, training):
    s = net(V("x"), kind)
    rng = np.random.default_rng(0)
    data, heads = rng.normal(size=(30, 30)) / 5, [[mx.nd.array(rng.normal(size=(30, 30))) for _ in range(2)] for _ in range(3)]
    found = []
    for on in (True, False):
        with S.passes(**({} if on else {"all": False})):
            ex = s.simple_bind(mx.cpu(), x=(30, 30), grad_req={"x": "write"})
        ex.arg_dict["x"][:] = data
        mx.random.seed(3)
        got = [y.asnumpy() for y in ex.forward(is_train=training)]
        for h in heads:
            ex.backward(h)
            got.append(ex.grad_dict["x"].asnumpy())
        got += [y.asnumpy() for y in (*ex.outputs, *ex.aux_arrays)] + [mx.nd.random.uniform(shape=(5,)).asnumpy()]
        found.append(got)
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)
    assert (found[0][0] == found[0][5]).all()              # the outputs of that forward
