"""Every graph pass alone, and all of them, give what the plain graph gives."""
import random
import threading
from contextlib import nullcontext
from importlib import import_module

import numpy as np
import pytest

import mxnd as mx
from mxnd.symbol.passes import NAMES, current

S, V = mx.sym, mx.sym.Variable
ROWS = (4, 30)
ROUNDED = ("absorb", "reduce")                 # these change the order of roundings
again = import_module("mxnd.symbol.passes.recompute")


def some_graph(seed, steps=30, mirror=0.0):
    """Matrices of one shape under all kinds of operators; some repeat, some are constants or copies.
    mirror: how many of them are made again in the backward."""
    r, which = random.Random(seed), random.Random(seed)
    return grown(r, steps, lambda: mx.AttrScope(__force_mirroring__="True") if which.random() < mirror else nullcontext())


def grown(r, steps, scope):
    pool = [V("a"), V("b"), V("c")]
    for k in range(steps):
        with scope():
            pool.append(one_more(r, pool, k))
    outs = [pool[-1], *(r.choice(pool) for _ in range(r.randrange(3)))]
    if r.random() < 0.5:
        outs.append(r.choice([S.mean, S.sum, S.max])(pool[-1] * pool[-2]))
    return S.Group(outs)


def one_more(r, pool, k):
    x, y = r.choice(pool[-5:]), r.choice(pool)
    kind = r.randrange(14)
    if kind < 3:
        z = getattr(S, r.choice(["tanh", "sigmoid", "relu", "abs", "sin"]))(x)
    elif kind < 5:
        z = S.tanh(r.choice([lambda p, q: p + q, lambda p, q: p * q, lambda p, q: p - q])(x, y))
    elif kind == 5:
        z = S.tanh(x) * S.tanh(x) + (x * 0.5 - x * 0.5)              # repeated
    elif kind == 6:
        z = x * r.choice([0.0, -0.0]) + y
    elif kind == 7:
        z = x + S.broadcast_add(S.ones(ROWS) * r.uniform(-1, 1), S.arange(30) * 0.01)
    elif kind == 8:
        z = r.choice([S.identity, S.BlockGrad, lambda v: S.reshape(v, shape=ROWS), lambda v: S.Dropout(v, p=0.0)])(x)
    elif kind == 9:
        z = S.broadcast_sub(x, r.choice([S.mean, S.sum, S.max])(x * 0.1 + y, axis=1, keepdims=True))
    elif kind == 10:
        z = S.tanh(S.dot(S.dot(x, y, transpose_b=True) * 0.1, y))
    elif kind == 11:
        z = S.BatchNorm(x, fix_gamma=r.random() < 0.5, name=f"bn{k}")
    elif kind == 12:
        z = S.reshape(S.transpose(S.reshape(x, shape=(2, 60))), shape=ROWS) * 0.7
    else:
        z = S.FullyConnected(x, num_hidden=30, name=f"fc{k}")
    return z


def results(s, seed, training, requests=None, **passes):
    """(names, outputs, gradients and auxiliary states) after a forward and a backward."""
    rng = np.random.default_rng(seed)
    r = random.Random(seed)
    names = s.list_arguments()
    shapes = {n: ROWS for n in "abc" if n in names}
    requests = requests or {n: r.choice(["write", "add", "null"]) for n in names}
    with S.passes(**passes):
        ex = s.simple_bind(mx.cpu(), grad_req=requests, **shapes)
    for x in (*ex.arg_arrays, *ex.aux_arrays):
        x[:] = rng.uniform(0.1, 0.6, size=x.shape)
    for g in ex.grad_arrays:
        if g is not None:
            g[:] = 1
    heads = [mx.nd.array(rng.normal(size=y.shape)) for y in ex.outputs]
    for _ in range(2):
        ex.forward(is_train=training)
        first = [y.asnumpy() for y in ex.outputs]
        ex.backward(heads)
    arrays = [*first, *(y.asnumpy() for y in ex.outputs), *(g.asnumpy() for g in ex.grad_arrays if g is not None),
              *(x.asnumpy() for x in (*ex.arg_arrays, *ex.aux_arrays))]
    return arrays, ex


def same(got, want, exact):
    for a, b in zip(got, want, strict=True):
        if exact:
            np.testing.assert_array_equal(a, b)
        else:
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4 * max(1, np.abs(b).max(initial=0)))


@pytest.mark.parametrize("seed", range(12))
def test_every_pass_alone(seed, monkeypatch):
    monkeypatch.setattr(again, "LARGE", 0)
    s = some_graph(seed)
    training = seed % 3 != 0
    plain, _ = results(s, seed, training, all=False)
    for name in NAMES:
        same(results(s, seed, training, all=False, **{name: True})[0], plain, name not in ROUNDED)


@pytest.mark.parametrize("seed", range(12, 52))
def test_all_passes(seed, monkeypatch):
    monkeypatch.setattr(again, "LARGE", 0)
    s = some_graph(seed)
    training = seed % 3 != 0
    requests = "null" if seed % 4 == 0 else None
    plain, _ = results(s, seed, training, requests, all=False)
    same(results(s, seed, training, requests, **dict.fromkeys(ROUNDED, False))[0], plain, True)
    same(results(s, seed, training, requests)[0], plain, False)


def tasks(s, training=False, grad_req="null", shapes=None, **passes):
    with S.passes(**passes):
        ex = s.simple_bind(mx.cpu(), grad_req=grad_req, **(shapes or {}))
    return [[step.op.name for step in t.steps] for t in ex._planned.program(grad_req != "null", training).tasks], ex


def test_constants_are_folded():
    x = V("x")
    s = x + (S.ones((2, 3)) * 2 + S.sqrt(S.full((2, 3), 9.0)))
    got, ex = tasks(s, shapes=dict(x=(2, 3)))
    assert got == [["broadcast_add"]] or got == [["elemwise_add"]] or len(got) == 1
    assert ex.forward()[0].asnumpy().tolist() == [[5.0] * 3] * 2
    assert len(tasks(s, shapes=dict(x=(2, 3)), fold=False, fuse=False)[0]) > 3
    assert (S.zeros((2,)) + 1).simple_bind(mx.cpu()).forward()[0].asnumpy().tolist() == [1, 1]


def test_random_numbers_are_no_constants_and_differ():
    s = S.Group([S.random.uniform(shape=(50,)), S.random.uniform(shape=(50,))])
    ex = s.simple_bind(mx.cpu())
    a, b = (y.asnumpy() for y in ex.forward())
    assert (a != b).any() and (ex.forward()[0].asnumpy() != a).any()


def test_repeated_steps_run_once_unless_zeros_differ_in_sign():
    x = V("x")
    got, _ = tasks(S.Group([S.dot(x, x), S.dot(x, x) + 1]), shapes=dict(x=(2, 2)))
    assert sum(t == ["dot"] for t in got) == 1
    ex = S.Group([x * 0.0, x * -0.0]).simple_bind(mx.cpu(), x=(2,))
    ex.arg_dict["x"][:] = 1
    assert [np.signbit(y.asnumpy()).tolist() for y in ex.forward()] == [[False, False], [True, True]]


def test_copies_go_and_variables_as_outputs_stay_apart():
    x = V("x")
    got, ex = tasks(S.Group([S.identity(S.BlockGrad(x)), S.Dropout(x, p=0.5)]), shapes=dict(x=(5,)))
    assert got == []
    ex.arg_dict["x"][:] = 3
    y = ex.forward()
    assert [v.asnumpy().tolist() for v in y] == [[3.0] * 5] * 2
    y[0][:] = 7
    assert ex.arg_dict["x"].asnumpy().tolist() == [3.0] * 5 and ex.forward()[0].asnumpy().tolist() == [3.0] * 5
    assert ex.forward(is_train=True)[1].asnumpy().tolist() != [3.0] * 5          # dropout works while training


def conv_net(**bn):
    x = S.Convolution(V("x"), kernel=(3, 3), pad=(1, 1), num_filter=8, name="c")
    return S.relu(S.BatchNorm(x, name="bn", **bn))


@pytest.mark.parametrize("bn", [dict(fix_gamma=False), dict(fix_gamma=True, eps=0.1), dict(fix_gamma=False, use_global_stats=True)])
@pytest.mark.parametrize("training", [False, True])
def test_batch_norm_is_absorbed_and_never_stale(bn, training):
    s = conv_net(**bn)
    shapes = dict(x=(16, 3, 16, 16))
    got, ex = tasks(s, training, shapes=shapes)
    inside = [name for t in got for name in t]
    assert ("BatchNorm" in inside) == (training and not bn.get("use_global_stats", False))
    plain = s.bind(mx.cpu(), ex.arg_arrays, aux_states=ex.aux_arrays, grad_req="null")
    plain._planned.passes = dict.fromkeys(NAMES, False)
    rng = np.random.default_rng(0)
    for _ in range(3):
        for x in (*ex.arg_arrays, *ex.aux_arrays):
            x[:] = rng.uniform(0.2, 2, size=x.shape)
        gamma = ex.arg_dict["bn_gamma"].asnumpy()
        a = ex.forward(is_train=training)[0].asnumpy()
        assert (ex.arg_dict["bn_gamma"].asnumpy() == gamma).all()                    # no gradients: it stays
        ex.arg_dict["bn_gamma"][:] = gamma
        b = plain.forward(is_train=training)[0].asnumpy()
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4 * np.abs(b).max())


def test_batch_norm_stays_where_it_has_to():
    def kept(s, grad_req="null", **shapes):
        return any("BatchNorm" in t for t in tasks(s, grad_req=grad_req, shapes=shapes)[0])
    assert not kept(conv_net(), x=(16, 3, 16, 16))
    assert kept(conv_net(), "write", x=(16, 3, 16, 16))                                       # a gradient flows
    assert kept(conv_net(), x=(1, 3, 4, 4))                                                  # small: not worth it
    assert kept(conv_net(axis=2), x=(16, 3, 16, 16))                                          # not the filters' axis
    ex = conv_net().simple_bind(mx.cpu(), x=(16, 3, 16, 16))                                 # one that also has gradients
    assert any(step.op.name == "BatchNorm" for t in ex._planned.program(False).tasks for step in t.steps)
    inner = conv_net().get_internals()
    assert kept(S.Group([inner["bn_output"], inner["c_output"]]), x=(16, 3, 16, 16))    # the plain result is wanted too


@pytest.mark.parametrize("seed", range(60, 80))
def test_mirroring_of_random_nodes_gives_the_same_bits(seed):
    training = seed % 3 != 0
    plain, _ = results(some_graph(seed), seed, training, all=False)
    mirrored, _ = results(some_graph(seed, mirror=0.5), seed, training, all=False)
    same(mirrored, plain, True)
    same(results(some_graph(seed, mirror=0.5), seed, training, **dict.fromkeys(ROUNDED, False))[0], plain, True)


def deep(mirror):
    x = V("x")
    for k in range(12):
        with mx.AttrScope(**({"__force_mirroring__": "True"} if mirror and k % 4 else {})):
            x = S.sigmoid(S.tanh(x) * 1.5)
    return S.sum(x)


@pytest.mark.parametrize("kind", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("shape, axis, joins", [
    ((3, 5), (), True), ((70, 1000), (), True), ((6, 3000), 1, True), ((7, 40, 60), (1, 2), True), ((7, 40, 60), (0, 1, 2), True),
    ((300, 2), 0, False), ((5, 20), 1, False), ((4, 300, 2), 1, False), ((2, 3, 600), -1, True), ((9, 300), 1, False), ((1, 1), (), True)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_reductions_join_the_group(kind, shape, axis, joins, keepdims, dtype):
    x, row = V("x"), V("row")
    y = S.broadcast_mul(S.tanh(x), row) - 0.25
    s = S.Group([getattr(S, kind)(y, axis=axis, keepdims=keepdims), y])
    rng = np.random.default_rng(3)
    args = {"x": mx.nd.array(rng.normal(size=shape), dtype=dtype), "row": mx.nd.array(rng.normal(size=(1,) * len(shape)), dtype=dtype)}
    ex = s.bind(mx.cpu(), args)
    groups = [[step.op.name for step in t.steps] for t in ex._planned.program(False).tasks]
    assert (len(groups) == 1) == joins
    got = [v.asnumpy() for v in ex.forward()]
    with S.passes(reduce=False):
        want = [v.asnumpy() for v in s.bind(mx.cpu(), args).forward()]
    np.testing.assert_array_equal(got[1], want[1])
    size = want[1].size / want[0].size
    if kind in ("max", "min"):
        np.testing.assert_array_equal(got[0], want[0])
    else:
        unit = (np.finfo(dtype).eps * 8) * (size if kind == "sum" else 1) * np.abs(want[1]).max()
        assert got[0].shape == want[0].shape and np.abs(got[0] - want[0]).max() <= unit
    args["x"].reshape((-1,))[:1] = np.nan
    got, want = ex.forward()[0].asnumpy(), s.bind(mx.cpu(), args).forward()[0].asnumpy()
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    assert np.isnan(got.ravel()[0])


def test_a_group_may_end_in_several_reductions_that_others_read():
    x = V("x")
    e = S.exp(S.broadcast_sub(x * 2, S.max(x * 2, axis=1, keepdims=True)))
    s = S.Group([S.broadcast_div(e, S.sum(e, axis=1, keepdims=True)), S.mean(e), S.max(e), S.min(e * 3, axis=1), S.sum(e)])
    data = np.random.default_rng(0).normal(size=(20, 700)).astype("float32")
    got = [y.asnumpy() for y in s.bind(mx.cpu(), {"x": mx.nd.array(data)}).forward()]
    with S.passes(all=False):
        want = [y.asnumpy() for y in s.bind(mx.cpu(), {"x": mx.nd.array(data)}).forward()]
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)
    names = [{step.op.name for step in t.steps} for t in s.bind(mx.cpu(), {"x": mx.nd.array(data)})._planned.program(False).tasks]
    assert any({"exp", "sum", "mean"} <= n for n in names)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_reductions_on_any_number_of_threads(threads):
    x = V("x")
    s = S.Group([S.sum(x * x), S.max(x * 3, axis=1), S.mean(S.abs(x), axis=(1, 2))])
    data = np.random.default_rng(1).normal(size=(5, 100, 700)).astype("float32")
    ex = s.bind(mx.cpu(), {"x": mx.nd.array(data)})
    before = mx.set_num_threads(threads)
    try:
        a, b, c = (y.asnumpy() for y in ex.forward())
    finally:
        mx.set_num_threads(before)
    np.testing.assert_allclose(a, [(data.astype(float) ** 2).sum()], rtol=1e-6)
    np.testing.assert_array_equal(b, (data * np.float32(3)).max(axis=1))
    np.testing.assert_allclose(c, np.abs(data).mean(axis=(1, 2)), rtol=1e-6)


def test_mirroring_takes_less_memory_and_gives_the_same_bits(monkeypatch):
    def run(s):
        ex = s.simple_bind(mx.cpu(), x=(200, 50))
        ex.arg_dict["x"][:] = np.random.default_rng(0).normal(size=(200, 50))
        y = ex.forward(is_train=True)[0].asnumpy()
        ex.backward(mx.nd.ones(y.shape))
        return y, ex.grad_dict["x"].asnumpy(), ex.memory()["planned"]
    y, g, plain = run(deep(False))
    y2, g2, less = run(deep(True))
    monkeypatch.setenv("MXNET_BACKWARD_DO_MIRROR", "1")
    y3, g3, _ = run(deep(False))
    assert (y == y2).all() and (y == y3).all() and (g == g2).all() and (g == g3).all()
    assert less < 0.8 * plain


def test_mirroring_environment_keeps_layers(monkeypatch):
    monkeypatch.setenv("MXNET_BACKWARD_DO_MIRROR", "1")
    s = S.sum(S.tanh(S.FullyConnected(S.tanh(S.FullyConnected(V("x"), num_hidden=40, name="a")), num_hidden=40, name="b")))
    got, _ = tasks(s, True, "write", dict(x=(30, 20)))
    names = [n for t in got for n in t]
    assert names.count("FullyConnected") == 2 and names.count("tanh") > 2


def test_cheap_results_are_made_again():
    x = V("x")
    s = S.sum(S.square(S.relu(x) * 2 + 1))
    memory = {}
    for on in (True, False):
        ex = tasks(s, True, "write", dict(x=(400, 500)), recompute=on, fuse=False)[1]
        ex.forward(is_train=True)
        ex.backward(mx.nd.ones((1,)))
        memory[on] = ex.memory()["planned"]
    assert memory[True] < memory[False]


def test_names_of_passes(monkeypatch):
    with pytest.raises(mx.MXNetError, match="no pass 'nothing'"), S.passes(nothing=True):
        pass
    x = V("x")
    s = S.dot(x, x) + S.dot(x, x)
    count = {}
    for value in ("", "-common", "none", "none,common"):
        monkeypatch.setenv("MXND_PASSES", value)
        count[value] = sum(t == ["dot"] for t in tasks(s, shapes=dict(x=(2, 2)))[0])
    assert count == {"": 1, "-common": 2, "none": 2, "none,common": 1}
    monkeypatch.setenv("MXND_PASSES", "fold,nosuch")
    with pytest.raises(mx.MXNetError, match="nosuch"):
        s.simple_bind(mx.cpu(), x=(2, 2))


def test_threads_have_passes_of_their_own():
    inside, outside = threading.Barrier(2), threading.Barrier(2)
    seen = {}

    def first():
        with S.passes(fuse=False):
            inside.wait(10)
            outside.wait(10)                           # left while the other thread is inside
        seen["first"] = current()["fuse"]

    def second():
        inside.wait(10)
        with S.passes(share=False):
            seen["inside"] = current()["fuse"], current()["share"]
            outside.wait(10)
            threads[0].join(10)
        seen["second"] = current()["fuse"], current()["share"]
    threads = [threading.Thread(target=f) for f in (first, second)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(10)
    assert seen == {"first": True, "inside": (True, False), "second": (True, True)} and current()["fuse"]


def test_order_is_the_same_every_time():
    s = some_graph(5)
    shapes = {n: ROWS for n in "abc" if n in s.list_arguments()}
    assert tasks(s, True, "write", shapes)[0] == tasks(S.load_json(s.tojson()), True, "write", shapes)[0]


def test_a_residual_net_keeps_one_value_per_convolution():
    def conv(x, name):
        return S.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=8, no_bias=True, name=name)
    x = conv(V("x"), "c")
    for k in range(4):
        y = conv(S.relu(S.BatchNorm(x, name=f"b{k}")), f"c{k}")
        x = x + conv(S.relu(S.BatchNorm(y, name=f"d{k}")), f"e{k}")
    one, memory = 16 * 8 * 32 * 32 * 4, {}
    for on in (True, False):
        with S.passes(recompute=on):
            ex = S.sum(x).simple_bind(mx.cpu(), x=(16, 3, 32, 32))
        for a in ex.arg_arrays:
            a[:] = np.random.default_rng(1).normal(size=a.shape) / 4
        ex.forward(is_train=True)
        ex.backward(mx.nd.ones((1,)))
        memory[on] = ex.memory()["planned"] / one, [g.asnumpy() for g in ex.grad_arrays]
    assert memory[True][0] < 12 and memory[False][0] > 17           # 9 convolutions, 8 of them with BatchNorm and relu before
    same(memory[True][1], memory[False][1], True)
