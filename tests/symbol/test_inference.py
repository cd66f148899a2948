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


OPEN = {"zeros": S.zeros, "ones": S.ones, "full": lambda shape: S.full(shape, 2),
        "uniform": lambda shape: S.random.uniform(shape=shape), "normal": lambda shape: S.random.normal(shape=shape)}


@pytest.mark.parametrize("name", OPEN)
def test_zero_in_a_new_array_stands_for_any_size(name):
    # the first state of a recurrent net, for any batch
    make, fc = OPEN[name], S.FullyConnected(V("x"), num_hidden=4, name="fc")
    known = [(7, 3), (4, 3), (4,)]
    for s in (make((0, 4)) + fc, fc + make((0, 0)), S.tanh(make((0, 4))) * 2 + fc, S.concat(make((0, 2)), fc, dim=1)):
        args, outs, _ = s.infer_shape(x=(7, 3))
        assert args == known and outs[0][0] == 7
        text = s.tojson()
        for on in (True, False):
            with S.passes(all=on):
                ex = s.simple_bind(mx.cpu(), x=(7, 3))
            for e, batch in ((ex, 7), (ex.reshape(x=(2, 3)), 2)):
                assert e.forward(is_train=True)[0].shape == (batch, *outs[0][1:])
                e.backward([mx.nd.ones(e.outputs[0].shape)])
                e.set_monitor_callback(lambda name, array: None)           # operator by operator
                assert e.forward()[0].shape == (batch, *outs[0][1:])
        assert s.tojson() == text
    with pytest.raises(mx.MXNetError, match="expected"):
        (make((0, 5)) + fc).infer_shape(x=(7, 3))
    with pytest.warns(UserWarning, match="not enough"):
        assert make((0, 4)).infer_shape() == (None, None, None)
    assert make((0, 4)).infer_shape_partial()[1] == [(0, 4)]
    assert (make((0, 4)) * 2).eval()[0].shape == make((0, 4)).simple_bind(mx.cpu()).forward()[0].shape == (0, 4)
    assert (make((0, 4)) + fc).bind(mx.cpu(), [mx.nd.ones((6, 3)), mx.nd.ones((4, 3)), mx.nd.ones((4,))]).forward()[0].shape == (6, 4)


@pytest.mark.parametrize("make, shape", [
    (lambda x: S.sum(x, axis=1), (0, 6)), (lambda x: S.mean(x), (1,)), (lambda x: S.max(x, axis=(1, 2), keepdims=True), (0, 1, 1)),
    (lambda x: S.norm(x, axis=2), (0, 4)), (lambda x: S.argmax(x, axis=1), (0, 6)), (lambda x: S.cumsum(x, axis=1), (0, 4, 6)),
    (lambda x: S.cumsum(x), (0,)), (lambda x: S.repeat(x, repeats=2, axis=1), (0, 8, 6)),
    (lambda x: S.repeat(x, repeats=2, axis=0), (0, 4, 6)),
    (lambda x: S.repeat(x, repeats=2), (0,))])
def test_an_unknown_batch_passes_through(make, shape):
    assert make(V("x")).infer_shape_partial(x=(0, 4, 6))[1] == [shape]
    assert make(V("x")).infer_shape_partial(x=(5, 4, 6))[1] == make(V("x")).infer_shape(x=(5, 4, 6))[1]


@pytest.mark.filterwarnings("ignore:_.*the fraction of")
@pytest.mark.parametrize("number", [1, 2.5])
def test_numbers_with_bool_arrays_give_int64(number):
    x = mx.sym.var("x").astype("bool")
    for s in (x + number, number - x, x * number, x > number, number == x):
        assert s.infer_type(x="float32")[1] == [np.int64]
        got = s.bind(mx.cpu(), {"x": mx.nd.array([0, 1])}).forward()[0]
        assert got.dtype == np.int64
    whole = (x * 3 - 1).bind(mx.cpu(), {"x": mx.nd.array([0, 1, 5])}).forward()[0]
    assert whole.asnumpy().tolist() == [-1, 2, 2]


def test_shapes_of_indices_and_of_boxes_follow_from_the_data():
    x, y, z = map(mx.sym.var, "xyz")
    assert mx.sym.pick(x, y, axis=1, keepdims=True).infer_shape(x=(2, 3, 4)) == ([(2, 3, 4), (2, 4)], [(2, 1, 4)], [])
    s = mx.sym.contrib.MultiProposal(x, y, z, scales=(1,), ratios=(0.5, 1), rpn_post_nms_top_n=4)
    assert s.infer_shape(x=(2, 4, 2, 3))[0] == [(2, 4, 2, 3), (2, 8, 2, 3), (2, 3)]


@pytest.mark.parametrize("spelled, name", [("float", "float64"), ("double", "float64"), ("f4", "float32"), ("<f4", "float32"),
                                           ("half", "float16"), ("int", "int64"), ("i4", "int32"), ("u1", "uint8"), ("?", "bool")])
def test_dtypes_in_numpys_other_words(spelled, name):
    assert np.dtype(spelled).newbyteorder("=") == np.dtype(name)
    x = mx.sym.var("x")
    assert x.astype(spelled).attr("dtype") == name
    assert mx.sym.var("v", dtype=spelled).attr("__dtype__") == mx.sym.var("v", dtype=name).attr("__dtype__")
    assert mx.nd.zeros((1,), dtype=spelled).dtype == mx.nd.array([1]).astype(spelled).dtype == np.dtype(name)
