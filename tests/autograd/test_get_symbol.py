"""Symbols of recorded computations: bound again, they compute the same."""
import json

import numpy as np
import pytest

import mxnd as mx

nd = mx.nd


def attached(*shape, seed=0):
    x = nd.array(np.random.default_rng(seed).uniform(0.2, 1, shape))
    x.attach_grad()
    return x


def computed_again(y, **arrays):
    s = mx.autograd.get_symbol(y)
    assert mx.sym.load_json(s.tojson()).tojson() == s.tojson()
    aux = {k: arrays.pop(k) for k in s.list_auxiliary_states()}
    assert sorted(arrays) == sorted(s.list_arguments())
    got = s.bind(mx.cpu(), arrays, aux_states=aux).forward()[0]
    np.testing.assert_allclose(got.asnumpy(), y.asnumpy(), rtol=1e-6)
    return s


def test_names_and_attributes():
    x, w, b, c = attached(2, 3), attached(4, 3, seed=1), attached(4, seed=2), nd.ones((1, 4))
    with mx.autograd.record():
        y = nd.broadcast_add(nd.FullyConnected(x * 2 + 1, w, b, num_hidden=4), c)
    s = computed_again(y, var0=x, var1=w, var2=b, null0=c)
    rows = [(n["op"], n["name"], n.get("attrs")) for n in json.loads(s.tojson())["nodes"] if n["op"] != "null"]
    assert rows == [("_mul_scalar", "node_0", {"scalar": "2.0"}), ("_plus_scalar", "node_1", {"scalar": "1.0"}),
                    ("FullyConnected", "node_2", {"num_hidden": "4"}), ("broadcast_add", "node_3", None)]
    assert s.list_outputs() == ["node_3_output"]


def test_views_and_indices_are_operators_of_mxnet():
    x = attached(4, 3)
    with mx.autograd.record():
        y = x[1] * x.reshape((3, 4))[2, :3] + x[[2, 0]][1] + x[1:3].T[:, 1]
    s = computed_again(y, var0=x, null0=nd.array([2, 0]))
    assert not [n["op"] for n in json.loads(s.tojson())["nodes"] if n["op"].startswith(("_part", "_reshape_to", "_gather"))]


@pytest.mark.parametrize("name, call", [
    ("LeakyReLU", lambda x: nd.LeakyReLU(x, act_type="leaky", slope=0.1)), ("LeakyReLU", lambda x: nd.LeakyReLU(x, act_type="elu")),
    ("LeakyReLU", lambda x: nd.LeakyReLU(x, act_type="selu")), ("LeakyReLU", lambda x: nd.LeakyReLU(x, act_type="gelu")),
    ("Activation", lambda x: nd.Activation(x, act_type="softrelu")), ("diag", lambda x: nd.diag(x, k=1)),
    ("diag", lambda x: nd.diag(x[0], k=-1)),
    ("UpSampling", lambda x: nd.UpSampling(x.reshape((1, 1, 3, 4)), scale=2, sample_type="nearest"))])
def test_parts_of_operators_are_operators_of_mxnet(name, call):
    x = attached(3, 4)
    with mx.autograd.record():
        y = call(x - 0.5)
    names = [n["op"] for n in json.loads(computed_again(y, var0=x).tojson())["nodes"] if n["op"] != "null"]
    assert name in names and not [n for n in names if n.startswith("_") and n != "_minus_scalar"]


def test_prelu():
    x, gamma = attached(2, 3), attached(3, seed=1)
    with mx.autograd.record():
        y = nd.LeakyReLU(x - 0.5, gamma, act_type="prelu")
    s = computed_again(y, var0=x, var1=gamma)
    assert "_prelu" not in s.tojson()


def test_several_outputs():
    x = attached(2, 4)
    with mx.autograd.record():
        a, b = nd.split(x, num_outputs=2)
        y = b * 3 - a
    computed_again(y, var0=x)
    assert mx.autograd.get_symbol(b).list_outputs() == ["node_0_output1"]


def test_auxiliary_states():
    x, g, b = attached(5, 3), attached(3, seed=1), attached(3, seed=2)
    mean, var = nd.zeros((3,)), nd.ones((3,))
    with mx.autograd.record(train_mode=False):
        y = nd.BatchNorm(x, g, b, mean, var, fix_gamma=False)
    assert computed_again(y, var0=x, var1=g, var2=b, null0=mean, null1=var).list_auxiliary_states() == ["null0", "null1"]


def test_array_attached_after_its_use():
    x, c = attached(2), nd.array([5, 6])
    with mx.autograd.record():
        y = x * c
    c.attach_grad()
    computed_again(y, var0=x, null0=nd.array([5, 6]))


def test_deep():
    x = attached(2)
    with mx.autograd.record():
        y = x
        for _ in range(3000):
            y = y * 1.0
    computed_again(y, var0=x)


def test_loop_is_unrolled():
    x = attached(3, 2)
    with mx.autograd.record():
        _, y = nd.contrib.foreach(lambda d, s: (d, s * d), x, nd.ones((2,)))
    computed_again(y, var0=x, null0=nd.ones((2,)))


def test_refused():
    with pytest.raises(mx.MXNetError, match="not recorded"):
        mx.autograd.get_symbol(nd.ones((2,)))

    class Twice(mx.autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, g):
            return g * 2
    x = attached(2)
    with mx.autograd.record():
        y = Twice()(x)
    with pytest.raises(mx.MXNetError, match="Function"):
        mx.autograd.get_symbol(y)
    assert mx.autograd.get_symbol(x).list_arguments() == ["var0"]
