"""Custom operators in graphs: variables, inference, JSON, executors; and the older classes."""
import json
import pickle

import numpy as np
import pytest

import mxnd as mx
from mxnd import nd, sym

MADE = []


class Norm(mx.operator.CustomOp):
    """(x - mean) * w with a running mean; counts its runs."""

    def __init__(self):
        super().__init__()
        self.runs = 0

    def forward(self, is_train, req, in_data, out_data, aux):
        self.runs += 1
        if is_train:
            aux[0][:] = 0.5 * aux[0] + 0.5 * in_data[0].mean(axis=0)
        self.assign(out_data[0], req[0], (in_data[0] - in_data[0].mean(axis=0, keepdims=True)) * in_data[1])
        self.assign(out_data[1], req[1], in_data[0].mean(axis=0))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        x, w = in_data
        g = out_grad[0] * w
        self.assign(in_grad[0], req[0], nd.broadcast_add(nd.broadcast_sub(g, g.mean(axis=0, keepdims=True)),
                                                         out_grad[1] / x.shape[0]))
        self.assign(in_grad[1], req[1], (out_grad[0] * (x - x.mean(axis=0, keepdims=True))).sum(axis=0))


@mx.operator.register("test_norm")
class NormProp(mx.operator.CustomOpProp):
    def __init__(self, momentum="0.5"):
        super().__init__()
        self.momentum = float(momentum)

    def list_arguments(self):
        return ["data", "weight"]

    def list_outputs(self):
        return ["output", "mean"]

    def list_auxiliary_states(self):
        return ["moving"]

    def infer_shape(self, in_shape):
        row = [in_shape[0][1]]
        return [in_shape[0], row], [in_shape[0], row], [row]

    def create_operator(self, ctx, in_shapes, in_dtypes):
        MADE.append(Norm())
        return MADE[-1]


def test_names_and_inference():
    s = sym.Custom(sym.var("x"), op_type="test_norm", name="n")
    assert s.list_arguments() == ["x", "n_weight"] and s.list_auxiliary_states() == ["n_moving"]
    assert s.list_outputs() == ["n_output", "n_mean"]
    assert s.infer_shape(x=(3, 4)) == ([(3, 4), (4,)], [(3, 4), (4,)], [(4,)])
    args, outs, aux = s.infer_type(x="float64")
    assert (args, outs, aux) == ([np.float64] * 2, [np.float64] * 2, [np.float64])
    with pytest.warns(UserWarning):
        assert s.infer_shape() == (None, None, None)
    assert s.infer_shape_partial()[1] == [(), ()]
    with pytest.raises(mx.MXNetError, match=r"'x'|weight"):
        s.infer_shape(x=(3, 4), n_weight=(5,))
    with mx.name.NameManager():
        t = mx.sym.op.Custom(data=sym.var("x"), weight=sym.var("w"), op_type="test_norm")
        assert t.name == "custom0" and t.list_arguments() == ["x", "w"]
    with pytest.raises(mx.MXNetError, match="unknown op_type"):
        sym.Custom(sym.var("x"), op_type="no_such_operator")
    with pytest.raises(mx.MXNetError, match=r"2|3"):
        sym.Custom(*[sym.var(f"x{k}") for k in range(4)], op_type="test_norm")


def test_json():
    with mx.AttrScope(ctx_group="first"):
        s = sym.Custom(sym.var("x"), op_type="test_norm", momentum=0.25, name="n")
    graph = json.loads(s.tojson())
    attrs = {"__ctx_group__": "first", "momentum": "0.25", "op_type": "test_norm"}
    assert [(n["op"], n["name"], n.get("attrs")) for n in graph["nodes"]] == [
        ("null", "x", {"__ctx_group__": "first"}), ("null", "n_weight", attrs), ("null", "n_moving", attrs), ("Custom", "n", attrs)]
    assert graph["nodes"][3]["inputs"] == [[0, 0, 0], [1, 0, 0], [2, 0, 1]]
    assert graph["heads"] == [[3, 0, 0], [3, 1, 0]] and graph["node_row_ptr"] == [0, 1, 2, 3, 5]
    for again in (sym.load_json(s.tojson()), pickle.loads(pickle.dumps(s))):
        assert again.tojson() == s.tojson() and again.list_auxiliary_states() == ["n_moving"]
    assert again._entries[0][0].params.prop.momentum == 0.25
    with pytest.raises(mx.MXNetError, match="no_such_operator"):
        sym.load_json(s.tojson().replace("test_norm", "no_such_operator"))


@pytest.mark.parametrize("reqs", ["write", "add", {"x": "add", "n_weight": "null"}, {"x": "null", "n_weight": "write"}])
def test_executor(reqs):
    rng = np.random.default_rng(1)
    a, w = rng.normal(size=(3, 4)).astype("float32"), rng.normal(size=4).astype("float32")
    y = sym.Custom(sym.var("x"), op_type="test_norm", name="n")
    out = sym.Group([y[0] * 2, y[1]])
    ex = out.simple_bind(mx.cpu(), grad_req=reqs, x=(3, 4))
    made = len(MADE)
    ex.arg_dict["n_weight"][:] = w
    h0, h1 = rng.normal(size=(3, 4)).astype("float32"), rng.normal(size=4).astype("float32")
    c = a - a.mean(0)
    for _ in range(2):
        o = ex.forward(is_train=True, x=nd.array(a))
        np.testing.assert_allclose(o[0].asnumpy(), 2 * c * w, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(o[1].asnumpy(), a.mean(0), rtol=1e-5)
        ex.backward([nd.array(h0), nd.array(h1)])
    np.testing.assert_allclose(ex.aux_dict["n_moving"].asnumpy(), 0.75 * a.mean(0), rtol=1e-5)      # kept between the runs
    assert len(MADE) == made + 1 and MADE[-1].runs == 2                                             # and so is the operator
    g = 2 * h0 * w
    want = {"x": g - g.mean(0) + h1 / 3, "n_weight": (2 * h0 * c).sum(0)}
    for name, value in want.items():
        req = reqs if isinstance(reqs, str) else reqs[name]
        if req == "null":
            assert ex.grad_dict[name] is None
        else:
            np.testing.assert_allclose(ex.grad_dict[name].asnumpy(), value * (2 if req == "add" else 1), rtol=1e-4, atol=1e-5)
    ex.forward(is_train=False)
    np.testing.assert_allclose(ex.aux_dict["n_moving"].asnumpy(), 0.75 * a.mean(0), rtol=1e-5)
    with pytest.raises(mx.MXNetError, match="missing"):
        ex.backward()


def test_two_executors_have_operators_of_their_own():
    s = sym.Custom(sym.var("x"), op_type="test_norm", name="n")
    one, two = s.simple_bind(mx.cpu(), x=(3, 4)), s.simple_bind(mx.cpu(), x=(5, 2))
    one.forward()
    two.forward()
    first, second = MADE[-2:]
    one.forward()
    assert first is not second and (first.runs, second.runs) == (2, 1)


class Double(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * 2)


@mx.operator.register("test_double")
class DoubleProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Double()


def test_deep_graph():
    s = sym.var("x")
    for k in range(3000):
        s = sym.Custom(s, op_type="test_double", name=f"c{k}") * 0.5
    ex = sym.load_json(s.tojson()).simple_bind(mx.cpu(), x=(2,))
    assert ex.forward(is_train=True, x=nd.array([1.0, 2.0]))[0].asnumpy().tolist() == [1, 2]
    ex.backward(nd.ones((2,)))
    assert ex.grad_dict["x"].asnumpy().tolist() == [1, 1]


def test_several_nodes_share_an_input():
    x = sym.var("x")
    a, b = sym.Custom(x, op_type="test_double"), sym.Custom(x, op_type="test_double")
    ex = (a * b + x).simple_bind(mx.cpu(), x=(2,))
    assert ex.forward(is_train=True, x=nd.array([1.0, 3.0]))[0].asnumpy().tolist() == [5, 39]
    ex.backward(nd.ones((2,)))
    assert ex.grad_dict["x"].asnumpy().tolist() == [9, 25]


def test_symbol_of_a_recorded_call():
    x = nd.ones((2, 2))
    x.attach_grad()
    with mx.autograd.record():
        y, _ = nd.Custom(x, nd.ones((2,)), nd.zeros((2,)), op_type="test_norm", momentum=0.25)
    s = mx.autograd.get_symbol(y)
    node = s._entries[0][0]
    assert node.op.name == "Custom" and node.attrs == {"op_type": "test_norm", "momentum": "0.25"}
    assert len(s.list_arguments()) == 2 and len(s.list_auxiliary_states()) == 1


def test_monitor_sees_the_outputs():
    s = sym.Custom(sym.var("x"), op_type="test_norm", name="n")
    ex, seen = s.simple_bind(mx.cpu(), x=(3, 4)), []
    ex.set_monitor_callback(lambda name, array: seen.append(name))
    ex.forward()
    assert seen == [b"n_output", b"n_mean"]


@pytest.mark.parametrize("base", [mx.operator.NumpyOp, mx.operator.NDArrayOp])
def test_older_classes(base):
    class Softmax(base):
        def __init__(self):
            super().__init__(need_top_grad=False)

        def list_arguments(self):
            return ["data", "label"]

        def infer_shape(self, in_shape):
            return [in_shape[0], (in_shape[0][0],)], [in_shape[0]]

        def forward(self, in_data, out_data):
            x, y = in_data[0], out_data[0]
            if base is mx.operator.NumpyOp:
                assert isinstance(x, np.ndarray)
                y[:] = np.exp(x - x.max(axis=1, keepdims=True))
                y /= y.sum(axis=1, keepdims=True)
            else:
                y[:] = nd.softmax(x)

        def backward(self, out_grad, in_data, out_data, in_grad):
            y, label = np.array(out_data[0]), np.array(in_data[1]).astype(int)
            y[np.arange(len(label)), label] -= 1
            in_grad[0][:] = y
    s = Softmax()(sym.var("x"), name="soft")
    with mx.name.NameManager():
        assert Softmax()(data=sym.var("x")).name == ("_native0" if base is mx.operator.NumpyOp else "_ndarray0")
    assert s.list_arguments() == ["x", "soft_label"] and s.list_outputs() == ["soft_output"]
    ex = s.simple_bind(mx.cpu(), x=(2, 3))
    a = np.random.default_rng(2).normal(size=(2, 3)).astype("float32")
    p = np.exp(a) / np.exp(a).sum(1, keepdims=True)
    got = ex.forward(is_train=True, x=nd.array(a), soft_label=nd.array([2, 0]))[0].asnumpy()
    np.testing.assert_allclose(got, p, rtol=1e-5)
    ex.backward()
    np.testing.assert_allclose(ex.grad_dict["x"].asnumpy(), p - np.eye(3)[[2, 0]], rtol=1e-4, atol=1e-6)
    assert Softmax().need_top_grad() is False
    with pytest.raises(NotImplementedError):
        mx.operator.PythonOp().get_symbol(sym.var("x"))
