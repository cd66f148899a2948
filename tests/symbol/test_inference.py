"""Shapes and dtypes, in both directions."""
import numpy as np
import pytest

import mxnd as mx

S, V = mx.sym, mx.sym.Variable


def mlp():
    x = S.Activation(S.FullyConnected(V("data"), num_hidden=8, name="fc1"), act_type="relu")
    return S.FullyConnected(x, num_hidden=3, name="fc2")


def test_forward():
    assert mlp().infer_shape(data=(5, 4)) == ([(5, 4), (8, 4), (8,), (3, 8), (3,)], [(5, 3)], [])
    assert mlp().infer_shape((5, 4)) == mlp().infer_shape(data=(5, 4))


def test_backward_through_a_chain():
    a, b = V("a"), V("b")
    s = S.tanh(a) + S.exp(b * 2)
    assert s.infer_shape(b=(2, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [])
    assert s.infer_shape_partial(a=(2, 0), b=(0, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [])


def test_unknown():
    with pytest.warns(UserWarning, match="not enough"):
        assert mlp().infer_shape() == (None, None, None)
    assert (V("a") + 1).infer_shape_partial() == ([()], [()], [])
    assert V("a", shape=(2, 0)).infer_shape_partial() == ([(2, 0)], [(2, 0)], [])
    assert (V("a", shape=(2, 3)) * 2).infer_shape(a=(2, 4))[0] == [(2, 4)]


def test_errors_name_node_input_and_shapes():
    text = r"FullyConnected 'fc1'.*'weight' \(fc1_weight\) has shape \(8, 3\); expected \(8, 4\)"
    with pytest.raises(mx.MXNetError, match=text):
        mlp().infer_shape(data=(5, 4), fc1_weight=(8, 3))
    with pytest.raises(mx.MXNetError, match="no argument 'no'"):
        mlp().infer_shape(no=(1,))
    with pytest.raises(TypeError):
        mlp().infer_shape(data=5)
    with pytest.raises(ValueError):
        mlp().infer_shape((5, 4), data=(5, 4))


def test_types():
    assert mlp().infer_type(data="float64") == ([np.float64] * 5, [np.float64], [])
    bn = S.BatchNorm(V("x"), name="bn").infer_type(x="float16")
    assert bn == ([np.float16, np.float32, np.float32], [np.float16], [np.float32, np.float32])
    assert (V("q", dtype="int32") + 1).infer_type() == ([np.int32], [np.int32], [])
    assert mlp().infer_type_partial() == ([None] * 5, [None], [])
    with pytest.raises(mx.MXNetError, match="dtype"):
        (V("a") + V("b")).infer_type(a="int32", b="float32")


@pytest.mark.parametrize("shape", [(2.5, 3), ("2", 3), ([2], 3)])
def test_a_shape_has_whole_numbers(shape):
    for infer in (V("a").infer_shape, V("a").infer_shape_partial):
        with pytest.raises(TypeError, match="whole numbers"):
            infer(a=shape)
    assert V("a").infer_shape(a=(np.int64(2), True))[1] == [(2, 1)]
