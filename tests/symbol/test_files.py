"""Symbols as text: MXNet's layout, every older form, and damaged files."""
import json

import pytest

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
    FC.replace('[[1, 0]]', f'[[{"9" * 5000}, 0]]'), FC.replace('"inputs": [[0, 0, 0]]', f'"inputs": [[0, 0, 0]], "subgraphs": [{FC}]')])
def test_damaged(text):
    with pytest.raises(mx.MXNetError):
        S.load_json(text)


def test_save_and_load(tmp_path):
    s = S.FullyConnected(V('q"\\\n\té'), num_hidden=3, name="fc")
    s.save(tmp_path / "s.json")
    assert S.load(str(tmp_path / "s.json")).tojson() == s.tojson()
    assert [p.name for p in tmp_path.iterdir()] == ["s.json"]
    with pytest.raises(mx.MXNetError, match="nothing"):
        S.load(tmp_path / "nothing")
    with pytest.raises(mx.MXNetError):
        s.save(tmp_path / "no" / "folder")
    with pytest.raises(TypeError):
        S.load(3)
