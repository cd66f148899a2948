"""Initializers: values, names, and their text in symbols."""
import json
import os

import numpy as np
import pytest

import mxnd as mx
from mxnd import init, nd


def filled(initializer, name, shape=(2, 3), **attrs):
    x = nd.full(shape, 7)
    initializer(init.InitDesc(name, {f"__{k}__": v for k, v in attrs.items()}), x)
    return x.asnumpy()


@pytest.mark.parametrize("made, text", [
    (init.Uniform(), '["uniform", {"scale": 0.07}]'), (init.Normal(0.5), '["normal", {"sigma": 0.5}]'),
    (init.Xavier(), '["xavier", {"rnd_type": "uniform", "factor_type": "avg", "magnitude": 3}]'),
    (init.MSRAPrelu(), '["msraprelu", {"factor_type": "avg", "slope": 0.25}]'),
    (init.Orthogonal(), '["orthogonal", {"scale": 1.414, "rand_type": "uniform"}]'), (init.Bilinear(), '["bilinear", {}]'),
    (init.LSTMBias(2), '["lstmbias", {"forget_bias": 2}]'), (init.Constant(3), '["constant", {"value": 3}]'),
    (init.Constant(nd.ones((2,))), '["constant", {"value": [1.0, 1.0]}]'), (init.Zero(), '["zero", {}]'), (init.One(), '["one", {}]'),
    (init.FusedRNN(init.Zero(), 3, 1, "lstm"), '["fusedrnn", {"init": "[\\"zero\\", {}]", "num_hidden": 3, "num_layers": 1, '
     '"mode": "lstm", "bidirectional": false, "forget_bias": 1.0}]')])
def test_text(made, text):
    assert made.dumps() == text
    again = init.create(text)
    assert again == made and again is not made and again.dumps() == text
    s = mx.sym.var("x", init=made)
    assert s.attr("__init__") == text and json.loads(mx.sym.load_json(s.tojson()).attr("__init__"))


def test_create():
    assert isinstance(init.create("Zeros"), init.Zero) and isinstance(init.create("ones"), init.One)
    assert init.create("constant", 3).value == 3 and init.create('{"initializer": "normal", "sigma": 2}').sigma == 2
    one = init.One()
    assert init.create(one) is one and init.create(initializer="one") == one and one != init.Zero() and hash(one) == hash(one)
    with pytest.raises(AssertionError, match="nothing_like_it"):
        init.create("nothing_like_it")
    with pytest.raises(AssertionError):
        init.create(one, 3)
    with pytest.raises(AssertionError):
        init.create(3)


def test_names_decide():
    z = init.Constant(5)
    for name, want in (("a_weight", 5), ("a_bias", 0), ("a_gamma", 1), ("a_beta", 0), ("a_min", 0), ("a_max", 1), ("a_bias_quantize", 0)):
        assert (filled(z, name) == want).all(), name
    assert abs(filled(z, "a_weight_quantize", (50,))).max() <= 127
    for name in ("a", "a_moving_mean", "a_running_var"):
        with pytest.raises(ValueError, match=name):
            filled(z, name)
    assert (filled(z, "anything", init='["one", {}]') == 1).all() and (filled(z, "a_bias", init="ones") == 1).all()
    for name, want in (("a_moving_mean", 0), ("a_moving_var", 1), ("a_moving_inv_var", 0), ("a_moving_avg", 0), ("stn_loc_weight", 0),
                       ("a_weight", 5)):
        x = nd.full((6,), 7)
        z(name, x)                                                       # plain text: the older names
        assert (x.asnumpy() == want).all(), name
    x = nd.zeros((6,))
    z("stn_loc_bias", x)
    assert x.asnumpy().tolist() == [1, 0, 0, 0, 1, 0]
    for args in ((5, x), ("a_weight", 5)):
        with pytest.raises(TypeError):
            z(*args)
    with pytest.raises(NotImplementedError):
        init.Initializer()("a_weight", x)


def test_values():
    assert (filled(init.Zero(), "w_weight") == 0).all() and (filled(init.One(), "w_weight") == 1).all()
    assert filled(init.Constant([1, 2, 3]), "w_weight").tolist() == [[1, 2, 3]] * 2
    row = np.array([0.25, 0.75, 0.75, 0.25])
    for x in (filled(init.Bilinear(), "w_weight", (2, 1, 4, 4)), filled(init.Zero(), "x", (2, 1, 4, 4), init="bilinear")):
        np.testing.assert_allclose(x, np.broadcast_to(np.outer(row, row), (2, 1, 4, 4)))
    assert filled(init.Uniform(), "x", (8,), init='["lstmbias", {"forget_bias": 2.0}]').tolist() == [0, 0, 2, 2, 0, 0, 0, 0]


@pytest.mark.parametrize("made, shape, spread, most", [
    (init.Uniform(2), (300, 200), 2 / np.sqrt(3), 2), (init.Normal(0.5), (300, 200), 0.5, None),
    (init.Xavier(), (200, 30, 3, 3), np.sqrt(3 / (230 * 9 / 2)) / np.sqrt(3), np.sqrt(3 / (230 * 9 / 2))),
    (init.Xavier("gaussian", "in", 2), (200, 30, 3, 3), np.sqrt(2 / 270), None),
    (init.Xavier(factor_type="out", magnitude=1), (200, 300), np.sqrt(1 / 200) / np.sqrt(3), np.sqrt(1 / 200)),
    (init.MSRAPrelu(slope=0.5), (300, 200), np.sqrt(2 / 1.25 / 250), None)])
def test_random_values(made, shape, spread, most):
    mx.random.seed(1)
    x = filled(made, "w_weight", shape)
    assert abs(x.mean()) < 4 * spread / np.sqrt(x.size) and x.std() == pytest.approx(spread, rel=0.02)
    if most is not None:
        assert 0.98 * most < abs(x).max() <= most * (1 + 1e-6)
    mx.random.seed(1)
    np.testing.assert_array_equal(filled(made, "w_weight", shape), x)


@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (3, 2, 5), (3,)])
@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_orthogonal(shape, kind):
    x = filled(init.Orthogonal(scale=2, rand_type=kind), "w_weight", shape).reshape(shape[0], -1)
    if x.shape[0] > x.shape[1]:
        x = x.T
    np.testing.assert_allclose(x @ x.T, 4 * np.eye(len(x)), atol=1e-5)


def test_wrong_use():
    for made, shape in ((init.Xavier(), (3,)), (init.Xavier(rnd_type="other"), (3, 3)), (init.Xavier(factor_type="other"), (3, 3)),
                        (init.Orthogonal(rand_type="other"), (3, 3)), (init.Bilinear(), (3,)), (init.FusedRNN(None, 1, 1, "lstm"), (16,)),
                        (init.FusedRNN(init.One(), 3, 1, "lstm"), (17,))):
        with pytest.raises(ValueError, match=type(made).__name__):
            filled(made, "w_weight", shape)
    with pytest.raises(ValueError, match="mode"):
        init.FusedRNN(None, 1, 1, "other")


def test_fused_rnn():
    class Named(init.Initializer):
        def __call__(self, name, arr):
            self.seen.append((str(name), arr.shape, name.global_init))
            arr[:] = len(self.seen)
    made = Named()
    made.seen = []
    x, whole = nd.zeros((2 * 4 * 3 * (2 + 3 + 2),)), init.One()
    init.FusedRNN(made, 3, 1, "lstm", bidirectional=True, forget_bias=9)._init_weight(init.InitDesc("p", global_init=whole), x)
    names = [n for n, _, _ in made.seen]
    assert names[:5] == ["l0_i2h_i_weight", "l0_i2h_f_weight", "l0_i2h_c_weight", "l0_i2h_o_weight", "l0_h2h_i_weight"]
    assert made.seen[0][1] == (3, 2) and made.seen[4][1] == (3, 3) and all(g is whole for _, _, g in made.seen)
    assert not any("_f_bias" in n for n in names) and len(names) == 2 * (8 + 6)
    v = x.asnumpy()
    assert (v[:6] == 1).all() and (v == 9).sum() >= 4 * 3 and (v[-24:].reshape(8, 3)[[1, 5]] == 9).all()


def test_load_and_mixed(tmp_path, capsys):
    a = nd.array([[1, 2, 3], [4, 5, 6]])
    path = os.path.join(tmp_path, "p.params")
    nd.save(path, {"arg:a": a, "aux:b": a + 1})
    made = init.Load(path, default_init=init.One(), verbose=True)
    np.testing.assert_array_equal(filled(made, "a"), a.asnumpy())
    np.testing.assert_array_equal(filled(made, "b"), a.asnumpy() + 1)
    assert (filled(made, "c_weight") == 1).all()
    assert capsys.readouterr().out.count("Initialized") == 3
    for made, shape in ((init.Load({"a": a}), (3, 3)), (init.Load({"b": a}), (2, 3))):
        with pytest.raises(AssertionError, match="a"):
            filled(made, "a", shape)
    with pytest.raises(AssertionError):
        init.Load([a])
    mixed = init.Mixed(["fc.*", ".*"], [init.Constant(2), init.Constant(3)])
    assert (filled(mixed, "fc_weight") == 2).all() and (filled(mixed, "my_fc_weight") == 3).all()
    with pytest.raises(ValueError, match="b_weight"):
        filled(init.Mixed(["a"], [init.One()]), "b_weight")
    with pytest.raises(AssertionError):
        init.Mixed(["a"], [])


def test_register(capsys):
    @init.alias("nines_test")
    @init.register
    class NineTest(init.Initializer):
        def _init_weight(self, name, arr):
            arr[:] = 9
    assert (filled(init.create("NineTest"), "a_weight") == 9).all() and type(init.create("nines_test")) is NineTest
    with pytest.warns(UserWarning, match="ninetest"):
        init.register(type("NineTest", (init.Initializer,), {}))
    with pytest.raises(AssertionError):
        init.register(int)
    made = NineTest().set_verbosity(True, lambda x: "shown")
    filled(made, "a_weight")
    assert capsys.readouterr().out == "Initialized a_weight as weight: shown\n"
    filled(init.Zero().set_verbosity(True), "a_weight")
    assert "0.0" in capsys.readouterr().out
