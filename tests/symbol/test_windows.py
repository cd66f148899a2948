"""The passes `postpone` and `windows`: convolution, activation and max pooling as one operator."""
import numpy as np
import pytest

import mxnd as mx

S, V = mx.sym, mx.sym.Variable


def steps(ex, with_gradient=True):
    return [s.op.name for t in ex._planned.program(with_gradient).tasks for s in t.steps]


def bound(s, shapes, seed, dtype="float32", requests="write", **passes):
    """An executor with random arrays after a forward and a backward."""
    rng = np.random.default_rng(seed)
    with S.passes(**passes):
        ex = s.simple_bind(mx.cpu(), grad_req=requests, type_dict=dict.fromkeys(s.list_arguments(), dtype), **shapes)
    for x in ex.arg_arrays:
        x[:] = rng.normal(size=x.shape)
    for g in ex.grad_arrays:
        if g is not None:
            g[:] = 1
    heads = [mx.nd.array(rng.normal(size=y.shape), dtype=dtype) for y in ex.outputs]
    for _ in range(2):
        ex.forward(is_train=True)
        ex.backward(heads)
    return ex


def agree(a, b, tolerance):
    for x, y in zip((*a.outputs, *a.grad_arrays), (*b.outputs, *b.grad_arrays)):
        if x is not None:
            x, y = x.asnumpy(), y.asnumpy()
            np.testing.assert_allclose(x, y, rtol=0, atol=tolerance * max(1, np.abs(y).max()))


NETS = {
    "quarters": (lambda f: S.Pooling(f(S.Convolution(V("x"), kernel=(5, 5), num_filter=6, name="c")), kernel=(2, 2), stride=(2, 2)),
                 (5, 2, 16, 12)),
    "overlapping": (lambda f: S.Pooling(f(S.Convolution(V("x"), kernel=(3, 3), pad=(1, 1), stride=(1, 2), num_filter=4, num_group=2,
                                                        name="c")), kernel=(3, 3), stride=(2, 2), pad=(1, 1)), (3, 4, 11, 13)),
    "one axis": (lambda f: S.Pooling(f(S.Convolution(V("x"), kernel=(3,), num_filter=5, no_bias=True, name="c")), kernel=(4,),
                                     stride=(3,)), (4, 3, 20)),
    "three axes": (lambda f: S.Pooling(f(S.Convolution(V("x"), kernel=(2, 2, 2), num_filter=3, name="c")), kernel=(2, 1, 2),
                                       stride=(1, 2, 2)), (2, 2, 5, 6, 7)),
    "global": (lambda f: S.Pooling(f(S.Convolution(V("x"), kernel=(3, 3), num_filter=4, name="c")), global_pool=True), (2, 2, 9, 8)),
    "one sample": (lambda f: S.Pooling(f(S.Convolution(V("x"), kernel=(3, 3), num_filter=30, name="c")), kernel=(2, 2), stride=(2, 2)),
                   (1, 8, 32, 32)),
}
FUNCTIONS = {"plain": lambda x: x, "relu": S.relu, "tanh": S.tanh, "softsign": lambda x: S.Activation(x, act_type="softsign"),
             "two": lambda x: S.sigmoid(S.relu(x))}


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("net", NETS)
def test_same_as_the_plain_graph(net, function, dtype, threads):
    make, shape = NETS[net]
    s = make(FUNCTIONS[function])
    before = mx.set_num_threads(threads)
    try:
        for seed, requests in enumerate(["write", {"x": "add", "c_weight": "add", "c_bias": "null"}, {"x": "null", "c_weight": "write"}]):
            if isinstance(requests, dict):
                requests = {n: requests.get(n, "write") for n in s.list_arguments()}
            ex, plain = (bound(s, dict(x=shape), seed, dtype, requests, **p) for p in ({}, dict(all=False)))
            assert "_conv_windows" in steps(ex) and "Pooling" not in steps(ex)
            assert "_conv_windows" not in steps(plain)
            agree(ex, plain, 1e-5 if dtype == "float32" else 1e-13)
    finally:
        mx.set_num_threads(before)


def test_gradient_goes_to_the_first_of_equal_numbers():
    s = S.Pooling(S.Convolution(V("x"), V("w"), kernel=(1, 1), num_filter=1, no_bias=True), kernel=(2, 2), stride=(2, 2))
    for block in ([[0, 0], [0, 0]], [[0, 1], [1, 0]], [[0, 0], [1, 1]], [[2, 1], [2, 1]], [[0, 0], [0, 3]]):
        ex = s.bind(mx.cpu(), dict(x=mx.nd.array(np.tile(block, (1, 1, 2, 3))), w=mx.nd.ones((1, 1, 1, 1))),
                    args_grad=dict(x=mx.nd.zeros((1, 1, 4, 6))))
        ex.forward(is_train=True)
        ex.backward(mx.nd.ones((1, 1, 2, 3)))
        assert "_conv_windows" in steps(ex)
        first = np.zeros(4)
        first[np.argmax(block)] = 1
        assert (ex.grad_dict["x"].asnumpy() == np.tile(first.reshape(2, 2), (1, 1, 2, 3))).all()


@pytest.mark.parametrize("shape, window", [((1, 2, 4, 4), (2, 2)), ((1, 2, 16), (2,)), ((1, 2, 16), (3,)), ((1, 2, 4, 5), (1, 2))])
def test_windows_without_a_number_have_no_gradient(shape, window):
    def run(**passes):
        s = S.Pooling(S.Convolution(V("x"), V("w"), V("b"), kernel=(1,) * len(window), num_filter=2, num_group=2), kernel=window,
                      stride=tuple(max(2, k) if k > 1 else 1 for k in window))
        x = np.arange(float(np.prod(shape))).reshape(shape)
        x[0, 0, ..., :window[-1]] = np.nan
        x[0, 1, ..., 2] = np.nan
        x[0, 1, ..., 0] = -np.inf
        x[0, 1, ..., -1:] = np.nan
        one = dict(x=mx.nd.array(x), w=mx.nd.ones((2, 1, *(1 for _ in window))), b=mx.nd.ones((2,)))
        with S.passes(**passes):
            ex = s.bind(mx.cpu(), one, args_grad={k: mx.nd.zeros(v.shape) for k, v in one.items() if k != "w"})
        y = ex.forward(is_train=True)[0]
        head = mx.nd.arange(1, y.size + 1).reshape(y.shape)
        ex.backward(mx.nd.where(y < -1e38, mx.nd.full(y.shape, np.inf), head))          # whatever comes in, nothing goes on
        assert ("_conv_windows" in steps(ex)) == (not passes)
        return y.asnumpy(), ex.grad_dict["x"].asnumpy(), ex.grad_dict["b"].asnumpy()
    got, want = run(), run(all=False)
    assert not np.isnan(want[0]).any() and (want[0] < -1e38).any()
    for a, b in zip(got, want):
        np.testing.assert_array_equal(a, b)


def test_what_others_read_stays():
    conv = S.Convolution(V("x"), kernel=(3, 3), num_filter=2, name="c")
    act = S.relu(conv, name="act")
    pool = S.Pooling(act, kernel=(2, 2), stride=(2, 2))
    shapes = dict(x=(2, 3, 8, 8))

    def left(s, **kw):
        return steps(bound(s, shapes, 0, **kw))
    assert {"_conv_windows"} <= set(left(pool))
    assert "Convolution" in left(S.Group([pool, conv])) and "Convolution" in left(S.Group([pool, act]))
    assert "Convolution" in left(S.Group([pool, S.sum(conv)]))
    assert "Convolution" in left(S.Pooling(act, kernel=(2, 2), stride=(2, 2), pool_type="avg"))
    assert "Convolution" in left(S.Pooling(act, kernel=(3, 3), stride=(1, 1), pad=(1, 1)))              # as many as before
    assert "Convolution" in left(S.Pooling(act, kernel=(3, 3), stride=(2, 2), pooling_convention="full"))
    assert "Convolution" in left(S.Pooling(S.negative(conv), kernel=(2, 2), stride=(2, 2)))             # falls
    with mx.AttrScope(__force_mirroring__="True"):
        mirrored = S.relu(conv)
    assert "Convolution" in left(S.Pooling(mirrored, kernel=(2, 2), stride=(2, 2)))
    assert "Convolution" in left(pool, windows=False) and "Convolution" in left(pool, postpone=False)
    for other in (S.Group([pool, conv]), S.Pooling(S.tanh(pool), kernel=(2, 2), stride=(1, 1))):
        agree(bound(other, shapes, 1), bound(other, shapes, 1, all=False), 1e-5)


def test_a_changed_weight_is_used():
    s = NETS["quarters"][0](S.tanh)
    ex = bound(s, dict(x=(5, 2, 16, 12)), 0, requests="null")
    for scale in (1, 0.5, 2):
        ex.arg_dict["c_weight"][:] = scale
        x, b = ex.arg_dict["x"], ex.arg_dict["c_bias"]
        want = mx.nd.Convolution(x, ex.arg_dict["c_weight"], b, kernel=(5, 5), num_filter=6)
        want = mx.nd.tanh(mx.nd.Pooling(want, kernel=(2, 2), stride=(2, 2)))
        np.testing.assert_allclose(ex.forward()[0].asnumpy(), want.asnumpy(), atol=1e-6)


def test_places_from_anywhere_are_checked():
    for wrong in (-1, 4, 1e30, np.nan, np.inf, -np.inf, 0.5):
        place = mx.nd.full((1, 1, 2, 2), wrong)
        largest = dict(window=(2, 2), window_stride=(2, 2), window_pad=(0, 0))
        for shape in ((4, 4), (5, 5)):
            y = mx.nd._internal._windows_spread(mx.nd.ones((1, 1, 2, 2)), place, shape=shape, **largest)
            assert y.sum().asscalar() in (0, 4)
        mx.nd._internal._windows_take(mx.nd.ones((1, 1, 4, 4)), place, **largest).wait_to_read()
    with pytest.raises(mx.MXNetError, match="window"):
        mx.nd._internal._windows_take(mx.nd.ones((1, 1, 4, 4)), mx.nd.ones((1, 1, 2, 2)), window=(2, 2), window_stride=(2, 2),
                                      window_pad=(2, 0))


def test_inputs_that_are_written_in_between():
    """A momentum update writes the weight after the convolution has read it: the convolution may not wait."""
    conv = S.Convolution(V("x"), V("w"), no_bias=True, kernel=(3, 3), num_filter=2)
    stepped = S.sgd_mom_update(S.BlockGrad(S.ones((2, 3, 3, 3))), S.ones((2, 3, 3, 3)), V("w"), lr=1.0, momentum=0.9)
    pool = S.Pooling(S.broadcast_add(S.relu(conv), S.sum(stepped, keepdims=True) * 0), kernel=(2, 2), stride=(2, 2))
    both = S.Group([S.Pooling(S.relu(conv), kernel=(2, 2), stride=(2, 2)), stepped, pool])
    shapes = dict(x=(2, 3, 8, 8))
    results = []
    for passes in ({}, dict(all=False)):
        with S.passes(**passes):
            ex = both.simple_bind(mx.cpu(), grad_req="null", **shapes)
        for x in (*ex.arg_arrays, *ex.aux_arrays):
            x[:] = np.random.default_rng(3).normal(size=x.shape)
        results.append([y.asnumpy() for y in ex.forward(is_train=True)])
    for got, want in zip(*results):
        np.testing.assert_allclose(got, want, atol=1e-5)
