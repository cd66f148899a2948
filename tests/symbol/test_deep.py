"""Deep and wide graphs: no recursion, and work in proportion to the size."""
import copy
import pickle
import time

import pytest

import mxnd as mx

S, V = mx.sym, mx.sym.Variable


@pytest.mark.slow
def test_fifty_thousand_nodes():
    y = V("x")
    for _ in range(25000):
        y = S.tanh(y) * 0.9
    text = y.tojson()
    assert S.load_json(text).tojson() == text
    assert pickle.loads(pickle.dumps(y)).list_outputs() == copy.deepcopy(y).list_outputs() == y.list_outputs()
    assert y.infer_shape(x=(2, 3))[1] == [(2, 3)]
    assert y(x=V("z")).list_arguments() == ["z"]
    assert len(y.get_internals()) == 50001 and y.debug_str().count("Op:") == 50000
    ex = y.simple_bind(mx.cpu(), x=(2, 3))
    ex.forward(is_train=True)
    ex.backward(mx.nd.ones((2, 3)))
    del ex, y


def test_shared_parts_are_counted_once():
    y = V("x")
    for _ in range(30):
        y = y + y
    ex = y.simple_bind(mx.cpu(), x=(2,))
    ex.arg_dict["x"][:] = 1
    assert ex.forward(is_train=True)[0].asnumpy().tolist() == [2.0 ** 30] * 2
    ex.backward(mx.nd.ones((2,)))
    assert ex.grad_dict["x"].asnumpy().tolist() == [2.0 ** 30] * 2


def test_very_many_readers_of_one_input():
    # the same operator with other numbers: comparing each with all before took quadratic time
    n = 6000
    x = V("x")
    y = S.add_n(*[x * float(k) for k in range(n)])
    ex = y.simple_bind(mx.cpu(), x=(2,))
    ex.arg_dict["x"][:] = 1
    start = time.perf_counter()
    ex.forward(is_train=True)
    assert time.perf_counter() - start < 8                 # 1.5 s; 25 s before
    ex.backward(mx.nd.ones((2,)))
    for got in (ex.outputs[0], ex.grad_dict["x"]):
        assert abs(got.asnumpy()[0] / (n * (n - 1) / 2) - 1) < 1e-4


def test_a_picture_of_many_nodes_of_one_name():
    y = V("x")
    for _ in range(8000):
        y = S.tanh(y, name="t")
    start = time.perf_counter()
    source = mx.viz.plot_network(y).source
    assert time.perf_counter() - start < 8                 # 0.3 s; minutes before
    assert source.count('"t (8000)"') > 0
