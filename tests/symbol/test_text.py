"""The text of symbol files, number for number what MXNet 1.9.1 writes: hidden outputs, versions of states, attributes, casts."""
import copy
import json

import pytest

import mxnd as mx

S, V = mx.sym, mx.sym.Variable


@pytest.fixture(autouse=True)
def fresh_names():
    with mx.name.NameManager():
        yield


def graph(symbol, **kwargs):
    return json.loads(symbol.tojson(**kwargs))


X = [V(n) for n in "xyz"]
HIDDEN = [      # (symbol, outputs that files count, names of those that users see)
    (lambda x, y, z: S.Pooling(x, kernel=(2, 2)), 2, ["output"]),
    (lambda x, y, z: S.Pooling(x, kernel=(2, 2), layout="NHWC"), 1, ["output"]),
    (lambda x, y, z: S.Pooling(x, global_pool=True), 1, ["output"]),
    (lambda x, y, z: S.Pooling(x, kernel=(2, 2), pool_type="avg"), 1, ["output"]),
    (lambda x, y, z: S.CTCLoss(x, y), 2, ["output0"]),
    (lambda x, y, z: S.RNN(x, mode="lstm", state_size=3, num_layers=1), 1, ["output"]),
    (lambda x, y, z: S.RNN(x, mode="lstm", state_size=3, num_layers=1, state_outputs=True), 3,
     ["output", "state_output", "statecell_output"]),
    (lambda x, y, z: S.contrib.DeformablePSROIPooling(x, y, z, spatial_scale=1, output_dim=1, group_size=1, pooled_size=1), 2, ["output"]),
    (lambda x, y, z: S.BilinearSampler(x, y), 2, ["output"]),
    (lambda x, y, z: S.GridGenerator(x, transform_type="warp"), 2, ["output"]),
    (lambda x, y, z: S.SpatialTransformer(x, y, transform_type="affine", sampler_type="bilinear", target_shape=(2, 2)), 3, ["output"]),
    (lambda x, y, z: S.ROIPooling(x, y, pooled_size=(2, 2), spatial_scale=1), 2, ["output"]),
    (lambda x, y, z: S.Correlation(x, y), 3, ["output"]),
    (lambda x, y, z: S.linalg.det(x), 3, ["output0"]),
    (lambda x, y, z: S.linalg.slogdet(x), 4, ["output0", "output1"]),
    (lambda x, y, z: S.BatchNorm(x), 3, ["output"]),
    (lambda x, y, z: S.split(x, num_outputs=1), 1, ["output0"]),
    (lambda x, y, z: S.split_v2(x, 1), 1, ["output"]),
]


@pytest.mark.parametrize("make, count, names", HIDDEN)
def test_files_count_hidden_outputs(make, count, names):
    s = make(*X)
    rows = graph(s)["node_row_ptr"]
    assert rows[-1] - rows[-2] == count
    assert s.list_outputs() == [f"{s.name}_{n}" for n in names]
    assert S.load_json(s.tojson()).tojson() == s.tojson()


def test_casts_of_mixed_precision_are_left_out():
    x, y = V("x"), V("y")
    cast = S.amp_cast(S.amp_cast(x, dtype="float16"), dtype="float32", name="c")
    assert [n["name"] for n in graph(S.exp(cast, name="e"))["nodes"]] == ["x", "e"]
    assert len(graph(S.exp(cast), remove_amp_cast=False)["nodes"]) == 4
    assert [n["name"] for n in graph(cast)["nodes"]] == ["x", "c"]                    # a result stays, what it reads does not
    both = S.amp_multicast(S.amp_cast(x, dtype="float16"), y, num_outputs=2, name="m")
    got = graph(both[1] - both[0])
    assert [n["name"] for n in got["nodes"]] == ["y", "x", "_minus0"] and got["nodes"][2]["inputs"] == [[0, 0, 0], [1, 0, 0]]
    assert [n["name"] for n in graph(S.Group([cast, both]))["nodes"]] == ["x", "c", "y", "m"]


def inputs(symbol, name):
    nodes = graph(symbol)["nodes"]
    row = next(n for n in nodes if n["name"] == name)
    return {nodes[k]["name"]: version for k, _, version in row["inputs"]}


def test_inputs_show_how_often_a_state_was_written_when_they_were_made():
    x, m = V("x"), V("m")
    before = S.exp(m, name="before")
    one = S.BatchNorm(x, moving_mean=m, name="one")
    between = S.exp(m, name="between")
    two = S.BatchNorm(one, moving_mean=m, name="two")
    after = S.exp(m, name="after")
    whole = S.Group([after, between, before, two])
    for s in (whole, S.load_json(whole.tojson()), copy.deepcopy(whole)):
        assert [inputs(s, n)["m"] for n in ("before", "one", "between", "two", "after")] == [0, 1, 1, 2, 2]
        assert inputs(s, "two")["two_moving_var"] == 1
    heads = S.Group([m, two.get_internals()["m"], one.get_children()[3], two.get_children()[3]])
    assert graph(heads)["heads"] == [[0, 0, 0], [0, 0, 2], [0, 0, 1], [0, 0, 2]]
    assert inputs(S.exp(two.get_internals()["m"], name="e"), "e") == {"m": 2}
    assert inputs(S.exp(S.load_json(two.tojson()).get_internals()["m"], name="e"), "e") == {"m": 0}
    renewed = two(m=V("q"))
    assert [inputs(renewed, n)["q"] for n in ("one", "two")] == [1, 2]
    assert "version=2" in whole.debug_str()


def test_loops_show_how_often_states_were_written_when_they_were_made():
    m = V("m")
    first = S.BatchNorm(V("d"), moving_mean=m, name="first")

    def inner(x, s):
        return S.BatchNorm(x, moving_mean=m, name="in"), s + 1

    def outer(x, s):
        y, t = S.contrib.foreach(inner, x, s)
        return y * 2, t
    once = S.Group([S.contrib.foreach(inner, first, V("s"))[0], S.exp(m, name="after")])
    twice = S.contrib.foreach(outer, V("d"), V("s"))[0]
    for s in (once, S.load_json(once.tojson()), copy.deepcopy(once)):
        loop = next(n for n in graph(s)["nodes"] if n["op"] == "_foreach")
        assert [v for _, _, v in loop["inputs"]] == [0, 0, 0, 0, 2, 1] and inputs(s, "after") == {"m": 2}
        assert next(n["inputs"] for n in loop["subgraphs"][0]["nodes"] if n["name"] == "in")[3:] == [[3, 0, 0], [4, 0, 1]]
    loop = next(n for n in graph(twice)["nodes"] if n["op"] == "_foreach")
    within = next(n for n in loop["subgraphs"][0]["nodes"] if n["op"] == "_foreach")
    assert [v for _, _, v in loop["inputs"]] == [0, 0, 0, 0, 3, 1] and {v for _, _, v in within["inputs"]} == {0}
    branch = S.contrib.cond(V("p"), lambda: S.BatchNorm(first, moving_mean=m, name="t"),
                            lambda: S.BatchNorm(first, moving_mean=m, name="e"))
    assert inputs(branch, branch.name)["m"] == 5


def test_states_that_a_file_lacks_have_not_been_written():
    row = {"op": "BatchNorm", "name": "bn", "inputs": [[k, 0] for k in range(3)], "param": {"eps": "0.1"}}
    text = json.dumps({"nodes": [*({"op": "null", "name": n, "inputs": []} for n in "xgb"), row],
                       "arg_nodes": [0, 1, 2], "heads": [[3, 0]]})
    s = S.load_json(text)
    assert inputs(s, "bn") == dict.fromkeys(["x", "g", "b", "bn_moving_mean", "bn_moving_var"], 0)
    assert s.attr_dict()["bn_moving_mean"] == {"__init__": '["zero", {}]', "eps": "0.1"}


def test_attributes_for_the_inputs_win_over_how_states_are_filled():
    assert S.BatchNorm(V("x"), __init__="mine", name="bn").attr_dict()["bn_moving_mean"] == {"__init__": "mine"}


def test_states_have_to_be_variables():
    x = V("x")
    with pytest.raises(mx.MXNetError, match="'moving_mean' is written"):
        S.BatchNorm(x, moving_mean=x * 2)
    bn = S.BatchNorm(x, name="bn")
    with pytest.raises(mx.MXNetError, match="is written"):
        bn(bn_moving_mean=x * 2)
    assert graph(bn)["nodes"][-1]["inputs"][3:] == [[3, 0, 1], [4, 0, 1]]              # nothing is left over from the attempt
    update = S.sgd_mom_update(V("w"), V("g"), x * 2, lr=1, name="u")                   # no declared state: what was computed will do
    assert graph(update)["nodes"][-1]["inputs"] == [[0, 0, 0], [1, 0, 0], [3, 0, 0]]


def test_given_states_get_their_initializer_unless_they_have_one():
    x, m, v = V("x"), V("m"), V("v", init="ones")
    S.BatchNorm(x, moving_mean=m, moving_var=v)
    assert (m.attr("__init__"), v.attr("__init__")) == ('["zero", {}]', "ones")
    g = V("g")
    S.LeakyReLU(x, g, act_type="prelu")
    assert g.attr("__init__") == '["Constant", {"value": 0.25}]'
    up = S.UpSampling(x, scale=2, sample_type="bilinear", num_filter=3, name="u")
    assert up.list_arguments() == ["x", "u_weight"] and up.attr_dict()["u_weight"]["__init__"] == '["bilinear", {}]'


def test_attributes_of_scopes_and_attr_win_over_keywords():
    x = V("x")
    with mx.AttrScope(__a__="scope"):
        assert S.exp(x, __a__="keyword").attr("__a__") == "scope"
        assert S.exp(x, attr={"__a__": "attr"}).attr("__a__") == "attr"
        assert V("q", __a__="keyword").attr("__a__") == "keyword"
    assert S.FullyConnected(x, num_hidden=3, attr={"num_hidden": "5"}).attr("num_hidden") == "5"
    assert V("q", attr={"__shape__": 2}, shape=(3,)).list_attr() == {"__shape__": "(3,)"}
    for scope, operator, variable in ((dict(lr_mult="1", __lr_mult__="2"), "1", "2"), (dict(__lr_mult__="2", lr_mult="1"), "2", "1")):
        with mx.AttrScope(**scope):
            assert (S.exp(x).attr("lr_mult"), V("q").attr("lr_mult")) == (operator, variable)


def test_a_scope_may_be_entered_again():
    again = mx.AttrScope(__b__="2")
    with mx.AttrScope(__a__="1"), again:
        with mx.AttrScope(__c__="3"), again:
            assert V("x").list_attr() == {"__a__": "1", "__b__": "2", "__c__": "3"}
        assert V("x").list_attr() == {"__a__": "1", "__b__": "2"}
    assert V("x").list_attr() == {} and again.get(None) == {"__b__": "2"}


def test_nodes_of_one_name_share_a_place_in_attr_dict():
    s = S.exp(V("x", __a__="1", __b__="1"), name="x", __b__="2")
    assert s.attr_dict() == {"x": {"__a__": "1", "__b__": "2"}}


def test_an_attribute_called_name_renames():
    x = V("x")
    x._set_attr(name="y", __a__="1")
    assert (x.name, x.list_attr(), x.attr("name")) == ("y", {"__a__": "1"}, "y")


def test_regression_outputs_keep_what_they_do_not_know():
    x = V("x")
    for f in (S.LinearRegressionOutput, S.MAERegressionOutput, S.LogisticRegressionOutput):
        assert f(x, V("l"), foo=3).list_attr() == {"foo": "3"}


def test_text_of_fluent_lengths():
    x = V("x")
    assert [x.reshape(-1).attr("shape"), x.reshape((-1,)).attr("shape"), x.reshape(2, 3).attr("shape")] == ["-1", "(-1,)", "(2, 3)"]
    assert x.transpose(None).attr("axes") == "None" and x.transpose(1, 0).attr("axes") == "(1, 0)"
    assert S.transpose(x, axes=None).infer_shape(x=(2, 3))[1] == [(3, 2)]
    assert S.Pooling(x, kernel=(2, 2), stride=None).infer_shape(x=(1, 1, 4, 4))[1] == [(1, 1, 3, 3)]


def test_groups_of_one_node_in_words():
    x, z = V("x"), S.zeros((2,))
    assert S.Group([x, x]).debug_str() == "Symbol Outputs:\n\toutput[0]=x(0)\n\toutput[1]=x(0)\nVariable:x\n"
    assert S.Group([z, z]).debug_str().startswith("Symbol Outputs:") and z.debug_str() == "AtomicFunctor  Op:_zeros\n"
