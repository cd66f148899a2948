"""Symbols as text: MXNet's layout, every older form, and damaged files."""
import copy
import json
import pickle

import pytest
from graphs import GRAPHS

import mxnd as mx

S, V = mx.sym, mx.sym.Variable


def graph(nodes, version=None, **more):
    g = {"nodes": nodes, "arg_nodes": [k for k, n in enumerate(nodes) if n["op"] == "null"], "heads": [[len(nodes) - 1, 0]]}
    if version:
        g["attrs"] = {"mxnet_version": ["int", version]}
    return json.dumps({**g, **more})


def variable(name, **more):
    return {"op": "null", "name": name, "inputs": [], **more}


def test_layout():
    with mx.name.NameManager():
        assert S.concat(V("x") * 2, V("y"), dim=0).tojson() == """{
  "nodes": [
    {
      "op": "null", 
      "name": "x", 
      "inputs": []
    }, 
    {
      "op": "_mul_scalar", 
      "name": "_mulscalar0", 
      "attrs": {"scalar": "2"}, 
      "inputs": [[0, 0, 0]]
    }, 
    {
      "op": "null", 
      "name": "y", 
      "inputs": []
    }, 
    {
      "op": "Concat", 
      "name": "concat0", 
      "attrs": {
        "dim": "0", 
        "num_args": "2"
      }, 
      "inputs": [[1, 0, 0], [2, 0, 0]]
    }
  ], 
  "arg_nodes": [0, 2], 
  "node_row_ptr": [0, 1, 2, 3, 4], 
  "heads": [[3, 0, 0]], 
  "attrs": {"mxnet_version": ["int", 10901]}
}"""                                                           # noqa: W291


def test_auxiliary_inputs_have_versions():
    bn = json.loads(S.BatchNorm(V("x"), name="bn").tojson())
    assert bn["nodes"][-1]["inputs"] == [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 1], [4, 0, 1]]
    assert bn["node_row_ptr"] == [0, 1, 2, 3, 4, 5, 8]


@pytest.mark.parametrize("version", [None, 800, 901, 1000, 10901])
def test_old_forms(version):
    nodes = [variable("x"), variable("g"), variable("b"),
             {"op": "BatchNorm", "name": "bn", "param": {"eps": "0.1"}, "attr": {"lr_mult": "3"},
              "inputs": [[0, 0], [1, 0], [2, 0]], "backward_source_id": -1}]
    s = S.load_json(graph(nodes, version))
    assert s.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert s.attr("__lr_mult__") == "3" and s.attr("eps") == "0.1"
    assert S.load_json(s.tojson()).tojson() == s.tojson()


def test_attributes_of_before_for_an_input():
    nodes = [variable("x"), variable("w"), {"op": "FullyConnected", "name": "fc", "param": {"num_hidden": "3", "no_bias": "True"},
                                            "attr": {"weight_lr_mult": "3"}, "inputs": [[0, 0], [1, 0]]}]
    s = S.load_json(graph(nodes, 901))
    assert s.attr_dict()["w"] == {"__lr_mult__": "3", "lr_mult": "3"}


@pytest.mark.parametrize("version, initial", [(None, True), (903, True), (904, False), (10901, False)])
def test_states_of_before_0_9_4_tell_how_they_are_filled(version, initial):
    nodes = [*map(variable, "xgbmv"), {"op": "BatchNorm", "name": "bn", "inputs": [[k, 0] for k in range(5)]}]
    assert S.load_json(graph(nodes, version)).attr_dict() == ({"m": {"__init__": '["zero", {}]'}, "v": {"__init__": '["one", {}]'}}
                                                              if initial else {})


def test_users_attributes_of_0_8_stand_apart():
    nodes = [variable("x"), {"op": "Activation", "name": "a", "param": {"act_type": "relu"}, "attr": {"mood": "calm"}, "inputs": [[0, 0]]}]
    assert S.load_json(graph(nodes)).attr_dict()["a"] == {"act_type": "relu", "__mood__": "calm"}
    nodes[1]["attrs"] = nodes[1].pop("attr") | nodes[1].pop("param")
    with pytest.raises(mx.MXNetError, match="node 1 'a': Activation: unknown parameter 'mood'"):
        S.load_json(graph(nodes))


def test_the_last_of_attr_and_attrs_counts():
    nodes = [variable("x"), {"op": "FullyConnected", "name": "fc", "attrs": {"num_hidden": "4", "no_bias": "1"},
                             "attr": {"num_hidden": "3"}, "inputs": [[0, 0, 0]]}]
    assert S.load_json(graph(nodes)).attr_dict()["fc"] == {"num_hidden": "3"}


@pytest.mark.parametrize("op, attrs, kept", [("FullyConnected", {"num_hidden": "3", "no_bias": "1", "data_lr_mult": "2"}, None),
                                             ("FullyConnected", {"num_hidden": "3", "no_bias": "1", "other_lr_mult": "2"}, None),
                                             ("broadcast_add", {"rhs_lr_mult": "2"}, {"rhs_lr_mult": "2"})])
def test_attributes_for_an_input_that_is_no_variable(op, attrs, kept):
    nodes = [variable("x"), variable("w"), {"op": "exp", "name": "e", "inputs": [[0, 0]]},
             {"op": op, "name": "f", "attrs": attrs, "inputs": [[2, 0], [1, 0]]}]
    if kept is None:
        with pytest.raises(mx.MXNetError, match=r"unknown parameter '[a-z]+_lr_mult'"):
            S.load_json(graph(nodes))
    else:
        assert S.load_json(graph(nodes)).attr_dict() == {"f": kept}


def test_nodes_without_a_name():
    s = S.load_json(graph([variable("x"), {"op": "FullyConnected", "name": "", "attrs": {"num_hidden": "3"}, "inputs": [[0, 0, 0]]}]))
    assert s.list_arguments() == ["x", "weight", "bias"] and s.list_outputs() == ["output"]


def test_version_numbers_stay():
    nodes = [*map(variable, "xgbmv"), {"op": "BatchNorm", "name": "bn", "inputs": [[k, 0, 0] for k in range(5)]},
             {"op": "exp", "name": "e", "inputs": [[5, 0, 7]]}]
    s = S.load_json(graph(nodes))
    for t in (s, copy.deepcopy(s), pickle.loads(pickle.dumps(s))):
        assert [n["inputs"] for n in json.loads(t.tojson())["nodes"]][5:] == [[[k, 0, 0] for k in range(5)], [[5, 0, 7]]]


def test_a_written_state_as_an_output_has_its_version():
    bn = S.BatchNorm(V("x"), name="bn")
    text = S.Group([bn, bn.get_internals()["bn_moving_var"]]).tojson()
    assert json.loads(text)["heads"] == [[5, 0, 0], [4, 0, 1]] and S.load_json(text).tojson() == text


def test_variables_are_told_how_they_are_filled():
    s = S.BatchNorm(V("x"), V("g"), V("b"), V("m"), V("v", __init__="mine"), name="bn")
    assert s.attr_dict() == {"m": {"__init__": '["zero", {}]'}, "v": {"__init__": "mine"}}
    assert S.LeakyReLU(V("x"), V("g"), act_type="prelu", name="p").attr_dict()["g"] == {"__init__": '["Constant", {"value": 0.25}]'}


def test_upsampling_makes_its_weight():
    s = S.UpSampling(V("x"), scale=2, sample_type="bilinear", num_filter=2, name="up")
    assert s.list_arguments() == ["x", "up_weight"] and s.attr_dict()["up"]["num_args"] == "1"
    assert s.attr_dict()["up_weight"]["__init__"] == '["bilinear", {}]'
    assert s.infer_shape(x=(1, 2, 3, 3))[0] == [(1, 2, 3, 3), (2, 1, 4, 4)]
    assert S.load_json(s.tojson()).tojson() == s.tojson()


@pytest.mark.parametrize("make, count", [
    (lambda x: S.linalg.det(x), 3), (lambda x: S.linalg.slogdet(x), 4), (lambda x: S.BilinearSampler(x, V("g")), 2),
    (lambda x: S.GridGenerator(x, transform_type="affine", target_shape=(2, 2)), 2), (lambda x: S.ROIPooling(x, V("r"), pooled_size=(2, 2),
     spatial_scale=1), 2), (lambda x: S.Correlation(x, V("y")), 3), (lambda x: S.CTCLoss(x, V("l")), 2),
    (lambda x: S.SpatialTransformer(x, V("l"), target_shape=(2, 2), transform_type="affine", sampler_type="bilinear"), 3),
    (lambda x: S.RNN(x, state_size=2, num_layers=1, mode="lstm"), 1), (lambda x: S.RNN(x, state_size=2, num_layers=1, mode="lstm",
     state_outputs=True), 3), (lambda x: S.RNN(x, state_size=2, num_layers=1, mode="gru", state_outputs=True), 2),
    (lambda x: S.Pooling(x, kernel=(2, 2), pool_type="max"), 2), (lambda x: S.Pooling(x, global_pool=True, pool_type="max"), 1),
    (lambda x: S.Pooling(x, kernel=(2, 2), pool_type="max", layout="NHWC"), 1), (lambda x: S.topk(x), 1), (lambda x: S.sort(x), 2)])
def test_outputs_are_counted_as_mxnet_counts_them(make, count):
    before, after = json.loads(make(V("x")).tojson())["node_row_ptr"][-2:]
    assert after - before == count


@pytest.mark.parametrize("name", GRAPHS)
def test_nodes_like_others_are_read_as_alone(name):
    text = GRAPHS[name][0]().tojson()
    alone = json.loads(text)
    for node in alone["nodes"]:
        node["backward_source_id"] = -1                                # such nodes are never taken for like others
    assert S.load_json(text).tojson() == S.load_json(json.dumps(alone)).tojson() == text


def test_numbers_of_python_2():
    nodes = [variable("x"), {"op": "Pooling", "name": "p", "param": {"kernel": "(2L, 3L)"}, "inputs": [[0, 0]]}]
    assert S.load_json(graph(nodes)).infer_shape(x=(1, 1, 4, 4))[1] == [(1, 1, 3, 2)]


def test_aliases_are_read_and_canonical_names_written():
    s = S.load_json(graph([variable("x"), {"op": "flatten", "name": "f", "inputs": [[0, 0, 0]]}]))
    assert json.loads(s.tojson())["nodes"][1]["op"] == "Flatten"


FC = graph([variable("x"), {"op": "FullyConnected", "name": "fc", "attrs": {"num_hidden": "3"}, "inputs": [[0, 0, 0]]}])


@pytest.mark.parametrize("text", [
    "", "no json", "[]", "{}", "3", FC.replace("FullyConnected", "NoSuch"), FC.replace("num_hidden", "hidden"),
    FC.replace('"3"', '"q"'), FC.replace('"arg_nodes"', '"no"'), FC.replace('"inputs": [[0, 0, 0]]', '"inputs": [[1, 0, 0]]'),
    FC.replace('"inputs": [[0, 0, 0]]', '"inputs": [[-1, 0, 0]]'), FC.replace('"inputs": [[0, 0, 0]]', '"inputs": [[0, 5, 0]]'),
    FC.replace('"heads": [[1, 0]]', '"heads": [[7, 0]]'), FC.replace('"heads": [[1, 0]]', '"heads": 1'), FC[:-40], "[" * 100000,
    FC.replace('"arg_nodes": [0]', '"arg_nodes": [1]'), FC.replace('"arg_nodes": [0]', '"arg_nodes": [9]'),
    FC.replace('"arg_nodes": [0]', '"arg_nodes": ["0"]'), FC.replace('"heads"', '"node_row_ptr": [-1], "heads"'),
    FC.replace('"heads"', '"foo": 1, "heads"'), FC.replace('"attrs"', '"attrz"'), FC.replace('"3"', "3"), FC.replace('"3"', "null"),
    FC.replace('"heads"', '"attrs": {"mxnet_version": 10901}, "heads"'), FC.replace('"heads"', '"attrs": [], "heads"'),
    FC.replace('"heads"', '"attrs": {"mxnet_version": ["int", "x"]}, "heads"'), FC.replace('"fc"', '"f\\ud800c"'),
    FC.replace('"attrs": {"num', '"control_deps": 3, "attrs": {"num'),
    FC.replace('"attrs": {"num', '"backward_source_id": "x", "attrs": {"num'),
    FC.replace('"attrs": {"num', '"subgraphs": {}, "attrs": {"num'), FC.replace('"3"', '"99999999999999999999"'),
    FC.replace("FullyConnected", "Concat").replace('{"num_hidden": "3"}', '{"num_args": "60000"}'),
    FC.replace('[[1, 0]]', f'[[{"9" * 5000}, 0]]'), FC.replace('"inputs": [[0, 0, 0]]', f'"inputs": [[0, 0, 0]], "subgraphs": [{FC}]')])
def test_damaged(text):
    with pytest.raises(mx.MXNetError):
        S.load_json(text)


def test_a_fault_names_the_node():
    for text, words in ((FC.replace("num_hidden", "hidden"), "node 1 'fc': FullyConnected"), (FC.replace('"3"', '"q"'), "node 1 'fc'"),
                        (FC.replace('"x"', '"x\\ud800"'), "surrogates"), (FC.replace("FullyConnected", "NoSuch"), "node 1 'fc'.*'NoSuch'")):
        with pytest.raises(mx.MXNetError, match=words):
            S.load_json(text)


def test_few_bytes_cannot_ask_for_much():
    nodes = [variable("x")] + [{"op": "SliceChannel", "name": f"s{k}", "attrs": {"num_outputs": str(65536 - k)}, "inputs": [[0, 0, 0]]}
                               for k in range(20)]
    with pytest.raises(mx.MXNetError, match=r"node 17 's16'.*too many outputs"):
        S.load_json(graph(nodes))


def test_loops_inside_each_other():
    def body(n):
        return (lambda x, s: (x * 2, s)) if n == 0 else lambda x, s: S.contrib.foreach(body(n - 1), x, s)
    s = S.contrib.foreach(body(30), V("d"), V("s"))[0]
    assert S.load_json(s.tojson()).tojson() == s.tojson()
    deep = '{"nodes": [{"op": "_foreach", "name": "f", "inputs": [], "subgraphs": [' * 2000
    with pytest.raises(mx.MXNetError, match="recursion"):
        S.load_json(deep + "]" * 2000)


def test_save_and_load(tmp_path):
    s = S.FullyConnected(V('q"\\\n\té'), num_hidden=3, name="fc")
    s.save(tmp_path / "s.json")
    assert S.load(str(tmp_path / "s.json")).tojson() == s.tojson()
    assert [p.name for p in tmp_path.iterdir()] == ["s.json"]
    with pytest.raises(mx.MXNetError, match=r"^load: cannot read '[^']*nothing': No such file or directory$"):
        S.load(tmp_path / "nothing")
    with pytest.raises(mx.MXNetError, match=r"^save: cannot write '[^']*folder': No such file or directory$"):
        s.save(tmp_path / "no" / "folder")
    (tmp_path / "picture").write_bytes(b"\x89PNG")
    with pytest.raises(mx.MXNetError, match=r"^load: '[^']*picture' is no text: "):
        S.load(tmp_path / "picture")
    with pytest.raises(TypeError):
        S.load(3)
