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


# ---- what MXNet 1.9.1 tells of shapes and dtypes that are known in part ---------------------------------------------

@pytest.mark.parametrize("make, given, args, outs", [
    (lambda x, y: S.pick(x, y), dict(x=(3, 4)), [(3, 4), (3,)], [(3,)]),
    (lambda x, y: S.pick(x, y, keepdims=True), dict(x=(0, 4)), [(0, 4), (0,)], [(0, 1)]),
    (lambda x, y: S.pick(x, y, axis=0), dict(x=(3, 0), y=(5,)), [(3, 5), (5,)], [(5,)]),
    (lambda x, y: S.pad(x, mode="edge", pad_width=(0, 0, 0, 0, 1, 2, 2, 1)) + y, dict(x=(1, 0, 3, 4)), [(1, 0, 3, 4), (1, 0, 6, 7)],
     [(1, 0, 6, 7)]),
    (lambda x, y: S.pad(x, mode="edge", pad_width=(0, 0, 0, 0, 1, 2, 2, 1)) + y, dict(y=(1, 2, 6, 7)), [(1, 2, 3, 4), (1, 2, 6, 7)],
     [(1, 2, 6, 7)]),
    (lambda x, y: S.depth_to_space(x, block_size=2) + y, dict(x=(0, 8, 2, 3)), [(0, 8, 2, 3), (0, 2, 4, 6)], [(0, 2, 4, 6)]),
    (lambda x, y: S.space_to_depth(x, block_size=2) + y, dict(x=(0, 2, 4, 0), y=(5, 0, 0, 3)), [(5, 2, 4, 6), (5, 8, 2, 3)],
     [(5, 8, 2, 3)]),
    (lambda x, y: S.slice_like(x, y), dict(x=(3, 4), y=(0, 3)), [(3, 4), (0, 3)], [(0, 3)]),
    (lambda x, y: S.slice_like(x, y, axes=(0, -1)), dict(x=(12, 3, 5), y=(0, 0, 2)), [(12, 3, 5), (0, 0, 2)], [(0, 3, 2)]),
    (lambda x, y: S.broadcast_like(x, y), dict(x=(2, 1), y=(0, 3)), [(2, 1), (2, 3)], [(2, 3)]),
    (lambda x, y: S.broadcast_like(x, y, lhs_axes=(0,), rhs_axes=(1,)), dict(x=(1, 3), y=(0, 7)), [(1, 3), (0, 7)], [(7, 3)]),
    (lambda x, y: S.Crop(x, y, num_args=2), dict(x=(0, 2, 5, 6), y=(1, 1, 3, 0)), [(0, 2, 5, 6), (1, 1, 3, 0)], [(0, 2, 3, 0)]),
    (lambda x, y: S.Crop(x, h_w=(2, 3)) + y, dict(x=(1, 0, 5, 6)), [(1, 0, 5, 6), (1, 0, 2, 3)], [(1, 0, 2, 3)]),
    (lambda x, y: S.shape_array(x), dict(x=(0, 4, 0)), [(0, 4, 0)], [(3,)]),
    (lambda x, y: S.size_array(x), {}, [()], [(1,)]),
    (lambda x, y: S.scatter_nd(x, y, shape=(2, 3)), {}, [(), ()], [(2, 3)]),
    (lambda x, y: S.contrib.box_iou(x, y), dict(x=(0, 4), y=(6, 4)), [(0, 4), (6, 4)], [(0, 6)]),
    (lambda x, y: S.contrib.bipartite_matching(x, threshold=1)[1], dict(x=(0, 4)), [(0, 4)], [(4,)]),
    (lambda x, y: S.contrib.arange_like(x, axis=1), dict(x=(0, 3)), [(0, 3)], [(3,)]),
    (lambda x, y: S.diag(x, k=-1), dict(x=(3,)), [(3,)], [(4, 4)]),
    (lambda x, y: S.linalg.makediag(x), dict(x=(0, 3)), [(0, 3)], [(0, 3, 3)]),
    (lambda x, y: S.linalg.extracttrian(x) + y, dict(y=(2, 6)), [(2, 3, 3), (2, 6)], [(2, 6)]),
    (lambda x, y: S.linalg.trsm(x, y, rightside=True), dict(y=(2, 3)), [(3, 3), (2, 3)], [(2, 3)]),
    (lambda x, y: S.moments(x, axes=(0,))[0], dict(x=(0, 4)), [(0, 4)], [(4,)]),
    (lambda x, y: S.ravel_multi_index(x, shape=(3, 5)), dict(x=(2, 0)), [(2, 0)], [(0,)]),
    (lambda x, y: S.split(x, num_outputs=2)[0] + y, dict(x=(0, 4), y=(2, 0)), [(2, 4), (2, 2)], [(2, 2)]),
    (lambda x, y: S.expand_dims(x, axis=1) + y, dict(y=(0, 0, 3)), [(0, 3), (0, 1, 3)], [(0, 1, 3)]),
    (lambda x, y: S.Convolution(x, num_filter=4, kernel=(3, 2), no_bias=True, name="c") + y, dict(x=(0, 3, 5, 0), y=(2, 0, 3, 3)),
     [(2, 3, 5, 4), (4, 3, 3, 2), (2, 4, 3, 3)], [(2, 4, 3, 3)]),
    (lambda x, y: S.Deconvolution(x, num_filter=2, kernel=(3, 3), name="c"), dict(x=(0, 3, 3, 0)), [(0, 3, 3, 0), (3, 2, 3, 3)],
     [(0, 2, 5, 0)]),
    (lambda x, y: S.contrib.Proposal(x, y, V("z"), scales=(1,), ratios=(0.5, 1), rpn_post_nms_top_n=4), dict(x=(1, 4, 2, 3)),
     [(1, 4, 2, 3), (1, 8, 2, 3), (1, 3)], [(4, 5)]),
    (lambda x, y: S.sample_normal(x, y, shape=(3,)) + V("z"), dict(z=(2, 3)), [(2,), (2,), (2, 3)], [(2, 3)]),
    *((lambda x, y: S.SoftmaxOutput(x, y, multi_output=True), given, [given["x"], label], [given["x"]]) for given, label in [
        (dict(x=(3, 3)), (3, 1)), (dict(x=(2, 3, 4)), (2, 4)), (dict(x=(2, 3, 4, 5)), (2, 20)), (dict(x=(2, 3, 4, 0)), (2, 0)),
        (dict(x=(2, 3, 4, 5), y=(0, 20)), (2, 20)), (dict(x=(2, 3, 4, 5), y=(0, 4, 0)), (2, 4, 5)),
        (dict(x=(2, 3, 4, 5), y=(0, 1, 0, 5)), (2, 1, 4, 5)), (dict(x=(2, 3, 4, 5), y=(0, 3, 0, 5)), (2, 3, 4, 5)),
        (dict(x=(0, 3, 4, 5), y=(2, 20)), (2, 20)), (dict(x=(0, 3, 4, 5), y=(2, 4, 5)), (2, 4, 5))]),
    (lambda x, y: S.SoftmaxOutput(x, y), dict(x=(0, 3), y=(2, 3)), [(2, 3), (2, 3)], [(2, 3)])])
def test_shapes_known_in_part(make, given, args, outs):
    assert make(V("x"), V("y")).infer_shape_partial(**given)[:2] == (args, outs)


@pytest.mark.parametrize("make, given, args, outs", [
    (lambda x, y: S.SequenceMask(x, y, use_sequence_length=True), dict(x="float16"), ["float16"] * 2, ["float16"]),
    (lambda x, y: S.batch_take(x, y) + V("z"), dict(z="float64"), ["float64", "int32", "float64"], ["float64"]),
    (lambda x, y: S.Crop(x, h_w=(1, 1)), {}, ["float32"], ["float32"]),
    (lambda x, y: S.amp_multicast(x, y, num_outputs=2), dict(x="float32"), ["float32", None], ["float32", None]),
    (lambda x, y: S.softmax(x, dtype="float64"), {}, ["float64"], ["float64"]),
    (lambda x, y: S.sample_exponential(x, shape=(2,)), dict(x="float64"), ["float64"], ["float32"]),
    (lambda x, y: S._internal._zeros_without_dtype(shape=(2,)) + x, dict(x="float64"), ["float64"], ["float64"]),
    (lambda x, y: S._internal._zeros_without_dtype(shape=(2,)) + x, {}, ["float32"], ["float32"]),
    (lambda x, y: S.lamb_update_phase2(x, V("g"), V("r1"), V("r2"), lr=1), dict(g="float64"), ["float64"] * 4, ["float64"]),
    (lambda x, y: S.multi_sgd_update(*map(V, "abcd"), lrs=(1, 1), wds=(0, 0), num_weights=2), dict(d="float16"), ["float16"] * 4,
     ["float16"] * 2)])
def test_dtypes_known_in_part(make, given, args, outs):
    got = make(V("x"), V("y")).infer_type_partial(**given)[:2]
    assert [[t and np.dtype(t).name for t in part] for part in got] == [args, outs]


def test_dtypes_that_others_decide_hold_in_every_way_to_run():
    s = S._internal._zeros_without_dtype(shape=(2,)) + V("x")
    for on in (True, False):
        with S.passes(all=on):
            e = s.bind(mx.cpu(), {"x": mx.nd.ones((2,), dtype="float64")})
        assert e.forward()[0].dtype == np.float64
        e.set_monitor_callback(lambda name, array: None)                    # operator by operator
        assert e.forward()[0].asnumpy().tolist() == [1, 1] and e.outputs[0].dtype == np.float64


def test_states_of_updates_are_auxiliary():
    made = {"multi_sgd_mom_update": ("af", 3), "multi_mp_sgd_update": ("af", 3), "multi_mp_sgd_mom_update": ("ah", 4)}
    for name, (_, each) in made.items():
        names = [f"{k}{i}" for k in "ab" for i in range(each)]
        s = getattr(S, name)(*map(V, names), lrs=(0.1, 0.1), wds=(0, 0), num_weights=2)
        assert s.list_arguments() == ["a0", "a1", "b0", "b1"]
        assert s.list_auxiliary_states() == [n for n in names if int(n[1]) > 1]
        assert S.load_json(s.tojson()).list_auxiliary_states() == s.list_auxiliary_states()
    s = S.preloaded_multi_sgd_mom_update(*map(V, "abcdefgh"), num_weights=2)
    assert s.list_auxiliary_states() == ["c", "f"]
    e = s.bind(mx.cpu(), {k: mx.nd.ones((2,)) for k in "abdegh"}, aux_states={k: mx.nd.zeros((2,)) for k in "cf"})
    e.forward()
    assert e.aux_dict["c"].asnumpy().tolist() == [-2, -2]                    # lr (grad + wd weight)


@pytest.mark.parametrize("make, given, text", [
    (lambda a, b: a + b, dict(a="float32", b="int32"), r"elemwise_add '_?plus\d*': input 'rhs' \(b\) has dtype int32; expected float32"),
    (lambda a, b: S.broadcast_add(a, b, name="n"), dict(a=(2, 3), b=(2,)),
     r"broadcast_add 'n': shapes \(2, 3\) and \(2,\) do not broadcast; expected .*known: 'lhs' \(a\) \(2, 3\), 'rhs' \(b\) \(2,\)"),
    (lambda a, b: S.elemwise_add(S.image.resize(a, size=5, name="n"), b), dict(a=(4, 4, 3), b=(5, 4, 3)),
     r"'rhs' \(b\) has shape \(5, 4, 3\); expected \(5, 5, 3\)"),
    (lambda a, b: S.elemwise_add(S.scatter_nd(a, V("i"), shape=(2, 3), name="n"), b), dict(b=(2, 4)),
     r"'rhs' \(b\) has shape \(2, 4\); expected \(2, 3\)"),
    (lambda a, b: S.pick(a, b, name="n"), dict(a=(2, 3), b=(3,)), r"pick 'n': input 'index' \(b\) has shape \(3,\); expected \(2,\)"),
    (lambda a, b: S.RNN(a, b, V("s"), state_size=3, num_layers=1, mode="gru", name="n"), dict(a=(5, 2, 4), s=(1, 3, 3)),
     r"RNN 'n': input 'state' \(s\) has shape \(1, 3, 3\); expected \(1, 2, 3\)"),
    (lambda a, b: S.contrib.foreach(lambda x, s: (x[0] + x[1], s), [a, b], [V("s")])[0], dict(a=(5, 2), b=(4, 2)),
     r"_foreach '_foreach\d+': .*expected 5, got 4; known: .*\(b\) \(4, 2\)"),
    (lambda a, b: S.add_n(*[S.tanh(V(f"v{i}")) for i in range(99)], a, name="n"), dict(v3=(2, 3), a=(2, 4)),
     r"add_n 'n': input 'arg99' \(a\) has shape \(2, 4\); expected \(2, 3\)")])
def test_errors_name_what_is_known_and_expected(make, given, text):
    s = make(V("a"), V("b"))
    for infer in (s.infer_type, s.infer_type_partial) if isinstance(next(iter(given.values())), str) else (s.infer_shape,
                                                                                                         s.infer_shape_partial):
        with pytest.raises(mx.MXNetError, match=text):
            infer(**given)


def test_large_graphs_in_linear_steps(monkeypatch):
    asked = []
    rule = mx.symbol.infer._shape_rule
    monkeypatch.setattr(mx.symbol.infer, "_shape_rule", lambda *a: asked.append(1) or rule(*a))
    x = V("x")
    for i in range(2000):
        x = S.expand_dims(x, axis=0) if i % 2 else S.squeeze(x, axis=0)
    shapes = (x + V("y")).infer_shape_partial(y=(1, 3, 4))
    assert shapes[0] == [(1, 3, 4)] * 2 and len(asked) < 3 * 2001
