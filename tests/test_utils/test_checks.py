"""Checks of symbols: right ones pass, and every kind of mistake raises."""
import numpy as np
import pytest

import mxnd as mx
from mxnd import nd, sym
from mxnd import test_utils as tu


class Wrong(mx.operator.CustomOp):
    """x squared, with a gradient that is off by a factor."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] ** 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], 2 * in_data[0] * out_grad[0] * self.factor)


@mx.operator.register("test_utils_square")
class WrongProp(mx.operator.CustomOpProp):
    def __init__(self, factor):
        super().__init__()
        self.factor = float(factor)

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Wrong(self.factor)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numeric_gradient(dtype):
    np.random.seed(0)
    x = np.random.uniform(1, 2, size=(3, 2))
    good, bad = (sym.Custom(sym.var("x"), op_type="test_utils_square", factor=f) for f in (1, 1.05))
    tu.check_numeric_gradient(good, [x], dtype=dtype)
    tu.check_numeric_gradient(good, {"x": nd.array(x, dtype=dtype)}, grad_nodes={"x": "add"}, dtype=dtype)
    with pytest.raises(AssertionError, match="NUMERICAL_x"):
        tu.check_numeric_gradient(bad, [x], dtype=dtype)
    with pytest.raises(AssertionError, match="BACKWARD_x"):
        tu.check_numeric_gradient(bad, [x], grad_nodes={"x": "add"}, dtype=dtype)
    tu.check_numeric_gradient(bad, [x], grad_nodes={"x": "null"}, dtype=dtype)
    tu.check_numeric_gradient(bad, [x], rtol=0.1, atol=0.1, dtype=dtype)


def test_numeric_gradient_of_several_outputs_and_states():
    np.random.seed(1)
    x, w = sym.var("x"), sym.var("w")
    out = sym.Group([sym.dot(x, w), sym.sin(x)])
    tu.check_numeric_gradient(out, {"x": np.random.normal(size=(2, 3)), "w": np.random.normal(size=(3, 4))}, dtype=np.float64)
    bn = sym.BatchNorm(x, name="bn", fix_gamma=False)
    tu.check_numeric_gradient(bn, [np.random.normal(size=(4, 3)), np.ones(3), np.zeros(3)], [np.zeros(3), np.ones(3)],
                              dtype=np.float64, rtol=1e-3, atol=1e-3)
    taken = sym.take(w, x)
    tu.check_numeric_gradient(taken, {"x": np.array([0.0, 2.0]), "w": np.random.normal(size=(3, 2))}, grad_nodes=["w"],
                              dtype=np.float64)


def test_numeric_gradient_wrong_use():
    x = sym.var("x")
    with pytest.raises(ValueError, match="location"):
        tu.check_numeric_gradient(x * 2, {"y": np.ones(2)})
    with pytest.raises(ValueError, match="location"):
        tu.check_numeric_gradient(x * 2, [np.ones(2), np.ones(2)])
    with pytest.raises(ValueError, match="grad_nodes"):
        tu.check_numeric_gradient(x * 2, [np.ones(2)], grad_nodes=["y"])
    with pytest.raises(AssertionError, match="dtype"):
        tu.check_numeric_gradient(x * 2, [np.ones(2)], dtype=np.int32)


def test_numeric_grad():
    ex = (sym.var("x") * sym.var("y")).bind(mx.cpu(), {"x": nd.array([1.0, 2]), "y": nd.array([3.0, 4])})
    got = tu.numeric_grad(ex, {"x": np.array([1.0, 2.0], "float32"), "y": np.array([3.0, 4.0], "float32")}, eps=0.125)
    np.testing.assert_allclose(got["x"], [3, 4], rtol=1e-5)
    np.testing.assert_allclose(got["y"], [1, 2], rtol=1e-5)
    assert ex.arg_dict["x"].asnumpy().tolist() == [1, 2]


def test_symbolic_forward():
    a = np.array([1.0, 2.0])
    s = sym.Group([sym.var("x") * 2, sym.exp(sym.var("y"))])
    tu.check_symbolic_forward(s, [a, a], [2 * a, np.exp(a)])
    with pytest.raises(AssertionError, match="EXPECTED_"):
        tu.check_symbolic_forward(s, [a, a], [2 * a, np.exp(a) + 0.1])
    outs = tu.check_symbolic_forward(s[0], {"x": a}, [2 * a])
    assert outs[0].asnumpy().tolist() == [2, 4]
    tu.check_symbolic_forward(s[0], [a.astype("int32")], [2 * a], dtype="asnumpy")
    with pytest.raises(ValueError, match="expected"):
        tu.check_symbolic_forward(s[0], [a], [2 * a, a])


def test_symbolic_forward_of_one_variable_twice():
    x = sym.var("x")
    tu.check_symbolic_forward(sym.Group([x * 2, sym.exp(x)]), [np.ones(2)], [np.full(2, 2.0), np.full(2, np.e)])


@pytest.mark.parametrize("req", ["write", "add"])
def test_symbolic_backward(req):
    a, h = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    s = sym.var("x") ** 2
    got = tu.check_symbolic_backward(s, [a], [h], [2 * a * h], grad_req=req)
    assert list(got) == ["x"]
    tu.check_symbolic_backward(s, {"x": a}, h, {"x": 2 * a * h}, grad_req={"x": req})
    with pytest.raises(AssertionError, match="EXPECTED_x"):
        tu.check_symbolic_backward(s, [a], [h], [2 * a * h + 0.1], grad_req=req)
    tu.check_symbolic_backward(s, [a], [h], [a], grad_req="null")
    loss = sym.MakeLoss(sym.var("x") * 3)
    tu.check_symbolic_backward(loss, [a], None, [np.full(2, 3.0)], grad_req=req)


def test_simple_forward():
    x = np.ones((2, 2), "float32")
    assert tu.simple_forward(sym.var("x") * 2, x=x).tolist() == [[2, 2], [2, 2]]
    outs = tu.simple_forward(sym.Group([sym.var("x") * 2, sym.var("y") + 1]), x=x, y=x)
    assert len(outs) == 2 and outs[1].tolist() == [[2, 2], [2, 2]]


def test_consistency():
    np.random.seed(2)
    s = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    items = [{"ctx": mx.cpu(), "x": (4, 5), "type_dict": {"x": t, "fc_weight": t, "fc_bias": t}} for t in
             (np.float16, np.float32, np.float64)]
    truth = tu.check_consistency(s, items)
    assert truth["fc_output"].dtype == np.float64 and set(truth) == {"fc_output", "x", "fc_weight", "fc_bias"}
    with pytest.raises(AssertionError, match="fc_output"):
        tu.check_consistency(s, items[1:], ground_truth={"fc_output": np.full((4, 3), 7.0)})
    good, bad = (sym.Custom(sym.var("x"), op_type="test_utils_square", factor=f, name="c") for f in (1, 2))
    two = [{"ctx": mx.cpu(), "x": (2,), "type_dict": {"x": t}} for t in (np.float64, np.float32)]
    tu.check_consistency([good, good], two)
    with pytest.raises(AssertionError, match="'x'"):
        tu.check_consistency([good, bad], two)
    tu.check_consistency([good, bad], two, grad_req="null")
    tu.check_consistency([good, bad], two, raise_on_err=False)
    with pytest.raises(AssertionError):
        tu.check_consistency(good, two[:1])


def test_speed():
    s = sym.exp(sym.var("x"))
    assert tu.check_speed(s, N=2, x=(3,)) > 0 and tu.check_speed(s, {"x": np.ones(3)}, N=2, typ="forward") > 0
    with pytest.raises(ValueError, match="typ"):
        tu.check_speed(s, typ="other", x=(3,))
