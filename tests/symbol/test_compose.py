"""Composition: names, attributes, auxiliary states, groups, and what is refused."""
import copy
import pickle

import numpy as np
import pytest

import mxnd as mx

S, V = mx.sym, mx.sym.Variable


@pytest.fixture(autouse=True)
def fresh_names():
    with mx.name.NameManager():
        yield


def test_operators_have_mxnets_names():
    a, b = V("a"), V("b")
    names = [s.name for s in (a + b, a + 1, 1 - a, a * b, -a, a / 2, 2 / a, a ** 2, 2 ** a, a % 2, a > b, a == 1, abs(a))]
    assert names == ["_plus0", "_plusscalar0", "_rminusscalar0", "_mul0", "_mulscalar0", "_divscalar0", "_rdivscalar0",
                     "_powerscalar0", "_rpower_scalar0", "_modscalar0", "_greater0", "_equal_scalar0", "abs0"]
    assert [S.maximum(a, 1).name, S.hypot(a, b).name, S.power(2, a).name] == ["_maximumscalar0", "_hypot0", "_rpowerscalar0"]


def test_automatic_name_is_the_name_called():
    x = V("x")
    assert [S.concat(x, x).name, S.Concat(x, x).name, S.cast(x, "int32").name, x.astype("int8").name, x.flip(0).name] == \
        ["concat0", "concat1", "cast0", "cast1", "flip0"]
    assert S.sparse.dot(x, x).name == "dot0"


def test_missing_inputs_become_variables_with_the_operators_attributes():
    fc = S.FullyConnected(V("x"), num_hidden=3, name="fc", __layout__="NC")
    assert fc.list_arguments() == ["x", "fc_weight", "fc_bias"]
    assert fc.attr_dict()["fc_weight"] == {"num_hidden": "3", "__layout__": "NC"}
    bn = S.BatchNorm(V("x"), name="bn")
    assert bn.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert bn.attr_dict()["bn_moving_var"]["__init__"] == '["one", {}]'
    assert bn.list_outputs() == ["bn_output"]


def test_prefix_names_operators_not_variables():
    with mx.name.Prefix("net_"):
        s = S.exp(V("x"))
        t = S.exp(s, name="e")
        with mx.name.NameManager():
            assert S.exp(t).name == "exp0"
    assert (s.name, t.name, s.list_arguments()) == ("net_exp0", "net_e", ["x"])


def test_attribute_scopes_nest_and_hidden_keys_show_twice():
    with mx.AttrScope(ctx_group="a", __tag__="1"), mx.AttrScope(__tag__="2"):
        x = V("x", lr_mult=2)
    assert x.list_attr() == {"__ctx_group__": "a", "ctx_group": "a", "__tag__": "2", "__lr_mult__": "2", "lr_mult": "2"}
    with pytest.raises(ValueError, match="text"):
        mx.AttrScope(k=1)
    with pytest.raises(mx.MXNetError, match="unknown parameter"), mx.AttrScope(foo="1"):
        S.FullyConnected(x, num_hidden=1)


def test_calling_a_symbol_replaces_variables_in_a_copy():
    net = S.exp(V("d"), name="e")
    again = net(d=V("z") * 2, name="f")
    assert again.list_arguments() == ["z"] and again.name == "f"
    assert net.list_arguments() == ["d"] and net.name == "e"
    for bad in (lambda: net(3), lambda: net(V("a"), d=V("b")), lambda: net(d=3), lambda: net(name=3)):
        with pytest.raises(TypeError):
            bad()
    with pytest.raises(mx.MXNetError, match="no variable 'q'"):
        net(q=V("z"))


def test_outputs_by_number_name_and_slice():
    s = S.split(V("x"), num_outputs=3, name="s")
    assert s.list_outputs() == ["s_output0", "s_output1", "s_output2"] and s.name == "s" and len(s) == 3
    assert s[1].list_outputs() == s["s_output1"].list_outputs() == ["s_output1"]
    assert s[1:].list_outputs() == ["s_output1", "s_output2"] and s[-1].list_outputs() == ["s_output2"]
    for beyond in (3, -4, slice(3, 5)):
        with pytest.raises(IndexError):
            s[beyond]
    for nothing in (slice(1, 1), slice(2, 1), slice(3, None), 1.0, None, (0,)):
        with pytest.raises(TypeError):
            s[nothing]
    with pytest.raises(ValueError, match="no output"):
        s["t"]
    g = S.Group([s[0], V("y")])
    assert g.name is None and g.list_outputs() == ["s_output0", "y"]
    with pytest.raises(mx.MXNetError, match="one output"):
        S.exp(s)


def test_copies_are_independent():
    fc = S.FullyConnected(V("x"), num_hidden=2, name="fc")
    for other in (copy.copy(fc), copy.deepcopy(fc), pickle.loads(pickle.dumps(fc))):
        assert other.tojson() == fc.tojson()
        other._set_attr(__k__="v")
        assert fc.attr("__k__") is None


def test_parameters_are_kept_as_text():
    x = V("x")
    attr = S.clip(x, np.float32(0.1), np.int64(3)).list_attr()
    assert attr == {"a_min": "0.1", "a_max": "3"}
    assert S.reshape(x, shape=(np.int64(2), 3)).list_attr() == {"shape": "(2, 3)"}
    assert S.sum(x, axis=(0,)).list_attr() == {"axis": "(0,)"}
    assert S.cast(x, dtype=np.float16).list_attr() == {"dtype": "float16"}
    assert (x + np.float32(2.5)).list_attr() == {"scalar": "2.5"}


@pytest.mark.parametrize("call, error", [
    (lambda x: S.exp(3), AssertionError), (lambda x: S.FullyConnected(x), mx.MXNetError),
    (lambda x: S.FullyConnected(x, num_hidden="a"), mx.MXNetError), (lambda x: S.Activation(x, act_type="no"), mx.MXNetError),
    (lambda x: S.FullyConnected(x, num_hidden=1, foo=2), mx.MXNetError), (lambda x: S.exp(foo=x), mx.MXNetError),
    (lambda x: S.FullyConnected(x, bias=x, no_bias=True, num_hidden=1), mx.MXNetError), (lambda x: S.concat(), mx.MXNetError),
    (lambda x: x + mx.nd.ones((1,)), TypeError), (lambda x: x + None, TypeError), (lambda x: np.ones(2) + x, TypeError),
    (lambda x: bool(x), mx.base.NotImplementedForSymbol), (lambda x: x.asnumpy(), mx.base.NotImplementedForSymbol),
    (lambda x: V(3), TypeError), (lambda x: V("a", foo="x"), ValueError), (lambda x: S.Group([x, 3]), TypeError),
    (lambda x: np.asarray(x), mx.base.NotImplementedForSymbol), (lambda x: x + 10 ** 400, mx.MXNetError), (lambda x: x.attr(3), TypeError),
    (lambda x: V("a", stype="no"), KeyError), (lambda x: V("a", init=3), AttributeError), (lambda x: V("a", attr="b"), TypeError),
    (lambda x: S.Group(3), TypeError), (lambda x: S.full((2,), "a"), ValueError), (lambda x: S.full((2,), 10 ** 400), ValueError),
    (lambda x: S.nosuch, AttributeError), (lambda x: S.random.uniform(x, 1), AssertionError)])
def test_refused(call, error):
    with pytest.raises(error):
        call(V("x"))


def test_composing_with_a_part_of_the_graph_keeps_one_variable():
    x, y = mx.sym.var("x"), mx.sym.var("y")
    a = x * 2
    c = (y + a)(y=a)
    assert c.list_arguments() == ["x"]
    assert c.bind(mx.cpu(), {"x": mx.nd.array([1.0, 2.0])}).forward()[0].asnumpy().tolist() == [4, 8]


def test_full_writes_a_float_and_a_group_shows_its_first_attributes():
    assert S.full((2,), 7).list_attr()["value"] == "7.0"
    fc = S.FullyConnected(V("x"), num_hidden=2, attr={"__q__": "1"})
    assert S.Group([fc, S.exp(V("y"))]).list_attr() == {"num_hidden": "2", "__q__": "1"}
    assert S.Group([fc, S.exp(V("y"))]).attr("num_hidden") is None


def test_remainder_and_power_in_place_make_new_symbols():
    x = y = V("x")
    x %= 2
    y **= 2
    assert (x.name, y.name) == ("_modscalar0", "_powerscalar0")
    for change in ("+=", "-=", "*=", "/="):
        with pytest.raises(mx.base.NotImplementedForSymbol):
            exec(f"v {change} 1", {"v": V("x")})


def test_errors_can_be_pickled():
    for e in (mx.base.NotImplementedForSymbol("f", "g"), mx.base.NotSupportedForSparseNDArray("f", "g"), mx.MXNetError("text")):
        again = pickle.loads(pickle.dumps(e))
        assert type(again) is type(e) and str(again) == str(e)


def test_group_says_what_it_got():
    x = V("x")
    with pytest.raises(mx.base.NotImplementedForSymbol,
                       match=r"^Group: expected a list of symbols, got a Symbol; put it into a list$"):
        S.Group(x)
    with pytest.raises(TypeError, match=r"got none$"):
        S.Group([])
    with pytest.raises(TypeError, match=r"got int in place 1$"):
        S.Group([x, 3])
