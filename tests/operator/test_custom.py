"""Custom operators on arrays: forward, gradients of any order, states, errors."""
import threading
import traceback

import numpy as np
import pytest

import mxnd as mx
from mxnd import autograd as ag
from mxnd import nd


class Scale(mx.operator.CustomOp):
    def __init__(self, k):
        super().__init__()
        self.k = k
        self.calls = []

    def forward(self, is_train, req, in_data, out_data, aux):
        self.calls.append((is_train, tuple(req)))
        self.assign(out_data[0], req[0], in_data[0] * in_data[0] * self.k)
        self.assign(out_data[1], req[1], in_data[0] + in_data[1])
        aux[0][:] = aux[0] + 1

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.calls.append(tuple(req))
        self.assign(in_grad[0], req[0], 2 * self.k * in_data[0] * out_grad[0] + out_grad[1])
        self.assign(in_grad[1], req[1], out_grad[1])


LAST = []                # operators that were made


@mx.operator.register("test_scale")
class ScaleProp(mx.operator.CustomOpProp):
    def __init__(self, k="1", given="nothing"):
        super().__init__(need_top_grad=True)
        assert isinstance(k, str) and isinstance(given, str)
        self.k, self.given = float(k), given

    def list_arguments(self):
        return ["data", "shift"]

    def list_outputs(self):
        return ["output", "moved"]

    def list_auxiliary_states(self):
        return ["count"]

    def infer_shape(self, in_shape):
        return [in_shape[0], in_shape[0]], [in_shape[0], in_shape[0]], [[1]]

    def create_operator(self, ctx, in_shapes, in_dtypes):
        assert isinstance(ctx, mx.Context) and all(isinstance(s, list) for s in in_shapes) and len(in_shapes) == 3
        LAST.append(Scale(self.k))
        return LAST[-1]


def attached(values, req="write", dtype="float32"):
    x = nd.array(values, dtype=dtype)
    x.attach_grad(req)
    return x


def test_forward_and_states():
    x, s, count = nd.array([1.0, -2.0]), nd.array([3.0, 4.0]), nd.zeros((1,))
    y, moved = nd.Custom(x, s, count, op_type="test_scale", k=3)
    np.testing.assert_array_equal(y.asnumpy(), [3, 12])
    np.testing.assert_array_equal(moved.asnumpy(), [4, 2])
    assert count.asscalar() == 1
    assert LAST[-1].calls == [(False, ("write", "write"))]
    with ag.train_mode():
        nd.op.Custom(x, shift=s, count=count, op_type="test_scale")
    assert LAST[-1].calls[0][0] is True and count.asscalar() == 2
    outs = [nd.zeros((2,)), nd.zeros((2,))]
    got = nd.Custom(data=x, shift=s, count=count, op_type="test_scale", k=2, out=outs, name="ignored")
    assert got[0] is outs[0] and outs[0].asnumpy().tolist() == [2, 8]


@pytest.mark.parametrize("reqs", [("write", "write"), ("add", "null"), ("null", "add"), ("write", "add")])
def test_gradients(reqs):
    x, s, count = attached([1.0, -2.0], reqs[0]), attached([3.0, 4.0], reqs[1]), nd.zeros((1,))
    for _ in range(2):
        with ag.record():
            y, moved = nd.Custom(x, s, count, op_type="test_scale", k=3)
            loss = (y * y).sum() + (moved * 2).sum()
        loss.backward()
    a = np.array([1.0, -2.0])
    want = {"data": 2 * 3 * a**2 * 2 * 3 * a + 2, "shift": np.full(2, 2.0)}
    for v, req, g in ((x, reqs[0], want["data"]), (s, reqs[1], want["shift"])):
        if req == "null":
            assert v.grad is None
        else:
            np.testing.assert_allclose(v.grad.asnumpy(), g * (2 if req == "add" else 1), rtol=1e-6)
    assert LAST[-1].calls[-1] == tuple("null" if r == "null" else "write" for r in reqs)


def test_only_one_output_is_used():
    x, s = attached([1.0, -2.0]), attached([3.0, 4.0])
    with ag.record():
        _, moved = nd.Custom(x, s, nd.zeros((1,)), op_type="test_scale")
    moved.backward(nd.array([5.0, 7.0]))
    np.testing.assert_array_equal(x.grad.asnumpy(), [5, 7])
    np.testing.assert_array_equal(s.grad.asnumpy(), [5, 7])


def test_higher_orders_through_a_backward_of_operators():
    x, s = attached([1.5, -2.0], dtype="float64"), attached([3.0, 4.0], dtype="float64")
    with ag.record():
        y, _ = nd.Custom(x, s, nd.zeros((1,), dtype="float64"), op_type="test_scale", k=3)
        z = y * y                                                   # 9 x^4
        first, = ag.grad(z, [x], create_graph=True)                 # 36 x^3
        second, = ag.grad(first, [x], create_graph=True)            # 108 x^2
    a = np.array([1.5, -2.0])
    np.testing.assert_allclose(first.asnumpy(), 36 * a**3)
    np.testing.assert_allclose(second.asnumpy(), 108 * a**2)
    second.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 216 * a)


@mx.operator.register("test_identity")
class IdentityProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Identity()


class Identity(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0])


def test_linear_backward_has_a_second_order_of_zero():
    x = attached([1.0, 2.0])
    with ag.record():
        y = nd.Custom(x, op_type="test_identity")
        g, = ag.grad(y, [x], create_graph=True)
        total = (g * x).sum()
    total.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [1, 1])


class NumpyTanh(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.y = np.tanh(in_data[0].asnumpy())
        self.assign(out_data[0], req[0], nd.array(self.y))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], nd.array(out_grad[0].asnumpy() * (1 - self.y**2)))


@mx.operator.register("test_numpy_tanh")
class NumpyTanhProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        return NumpyTanh()


def test_numpy_backward_has_first_order_only():
    a = np.array([0.5, -1.0], np.float32)
    x = attached(a)
    with ag.record():
        y = nd.Custom(x * 2, op_type="test_numpy_tanh")
        g, = ag.grad(y, [x], create_graph=True)
    np.testing.assert_allclose(g.asnumpy(), 2 * (1 - np.tanh(2 * a)**2), rtol=1e-6)
    with pytest.raises(mx.MXNetError, match=r"test_numpy_tanh.*NumPy"):
        g.backward()
    with ag.record():
        y = nd.Custom(x * 2, op_type="test_numpy_tanh")
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * (1 - np.tanh(2 * a)**2), rtol=1e-6)


def test_operators_inside_are_not_recorded():
    class Inside(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            assert not ag.is_recording()
            y = in_data[0] * 3
            assert not y._tracked
            out_data[0][:] = y
            out_data[0][0:1] += 1                   # in place: nothing is recorded

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            assert not ag.is_recording()
            inner = in_data[0].copy()
            inner.attach_grad()
            with ag.record():                       # a walk of its own inside the outer one
                z = (inner * 3).sum()
            z.backward()
            in_grad[0][:] = inner.grad * out_grad[0]

    @mx.operator.register("test_inside")
    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Inside()
    x = attached([1.0, 2.0])
    with ag.record():
        y = nd.Custom(nd.Custom(x, op_type="test_inside"), op_type="test_inside")
    y.backward()
    assert y.asnumpy().tolist() == [13, 18] and x.grad.asnumpy().tolist() == [9, 9]


def test_assign():
    op = mx.operator.CustomOp()
    for req, want in (("null", [1, 1]), ("write", [2, 3]), ("inplace", [2, 3]), ("add", [3, 4])):
        y = nd.ones((2,))
        op.assign(y, req, nd.array([2.0, 3.0]))
        assert y.asnumpy().tolist() == want
    op.assign(y, "write", 7)
    assert y.asnumpy().tolist() == [7, 7]
    with pytest.raises(ValueError, match="req"):
        op.assign(y, "other", 1)


def test_loss_without_head_gradient():
    class Loss(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], nd.softmax(in_data[0]))

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_data[0] - nd.one_hot(in_data[1], out_data[0].shape[1]))

    @mx.operator.register("test_loss")
    class LossProp(mx.operator.CustomOpProp):
        def __init__(self):
            super().__init__(need_top_grad=False)

        def list_arguments(self):
            return ["data", "label"]

        def infer_shape(self, in_shape):
            return [in_shape[0], [in_shape[0][0]]], [in_shape[0]]       # two results are enough

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Loss()
    a, label = np.random.default_rng(0).normal(size=(3, 4)).astype("float32"), np.array([0, 2, 3])
    p = np.exp(a) / np.exp(a).sum(1, keepdims=True)
    want = p - np.eye(4)[label]
    x = attached(a)
    with ag.record():
        y = nd.Custom(x, nd.array(label), op_type="test_loss")
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), want, rtol=1e-4, atol=1e-6)
    ex = mx.sym.Custom(mx.sym.var("x"), op_type="test_loss", name="loss").simple_bind(mx.cpu(), x=(3, 4))
    assert ex.arg_dict["loss_label"].shape == (3,)
    ex.forward(is_train=True, x=nd.array(a), loss_label=nd.array(label))
    ex.backward()                                                        # needs no head gradient
    np.testing.assert_allclose(ex.grad_dict["x"].asnumpy(), want, rtol=1e-4, atol=1e-6)


class Mine(Exception):
    pass


class MineValue(ValueError):
    pass


@pytest.mark.parametrize("where", ["init", "list_arguments", "infer_shape", "infer_type", "create_operator", "forward", "backward"])
@pytest.mark.parametrize("kind", [Mine, MineValue, mx.MXNetError, KeyError, AssertionError, StopIteration])
def test_users_exceptions_pass_through(where, kind):
    def fail(here):
        if here == where:
            raise kind(f"raised in {here}")

    class Failing(Identity):
        def forward(self, *args, **kwargs):
            fail("forward")
            super().forward(*args, **kwargs)

        def backward(self, *args, **kwargs):
            fail("backward")

    @mx.operator.register("test_failing")
    class Prop(mx.operator.CustomOpProp):
        def __init__(self):
            super().__init__()
            fail("init")

        def list_arguments(self):
            fail("list_arguments")
            return ["data"]

        def infer_shape(self, in_shape):
            fail("infer_shape")
            return super().infer_shape(in_shape)

        def infer_type(self, in_type):
            fail("infer_type")
            return super().infer_type(in_type)

        def create_operator(self, ctx, in_shapes, in_dtypes):
            fail("create_operator")
            return Failing()
    x = attached([1.0])

    def on_arrays():
        with ag.record():
            y = nd.Custom(x, op_type="test_failing")
        y.backward()

    def in_graph():
        ex = mx.sym.Custom(mx.sym.var("x"), op_type="test_failing").simple_bind(mx.cpu(), x=(1,))
        ex.forward(is_train=True)
        ex.backward(nd.ones((1,)))
    for run in (on_arrays, in_graph):
        with pytest.raises(kind, match=f"raised in {where}") as caught:
            run()
        assert type(caught.value) is kind and caught.value.args == (f"raised in {where}",)
        assert any(f.name == "fail" for f in traceback.extract_tb(caught.value.__traceback__))
    assert not ag.is_recording()


def test_wrong_use():
    x = nd.ones((2,))
    with pytest.raises(mx.MXNetError, match="unknown op_type 'no_such_operator'"):
        nd.Custom(x, op_type="no_such_operator")
    with pytest.raises(mx.MXNetError, match="op_type"):
        nd.Custom(x)
    with pytest.raises(mx.MXNetError, match="expected 3"):
        nd.Custom(x, op_type="test_scale")
    with pytest.raises(mx.MXNetError, match=r"shift.*shape"):
        nd.Custom(x, nd.ones((3,)), nd.ones((1,)), op_type="test_scale")
    with pytest.raises(TypeError, match="colour"):
        nd.Custom(x, op_type="test_identity", colour="red")
    with pytest.raises(AssertionError, match="NDArray"):
        nd.Custom(np.ones(2), op_type="test_identity")
    with pytest.raises(mx.MXNetError, match="no input 'other'"):
        nd.Custom(x, other=x, op_type="test_identity")
    with pytest.raises(AssertionError, match="CustomOpProp"):
        mx.operator.register("test_wrong")(int)
    with pytest.raises(AssertionError, match="storage 'csr'"):
        nd.Custom(nd.eye(2).tostype("csr"), op_type="test_identity")
    for wrong, match in (({"list_outputs": lambda self: []}, "output"), ({"list_arguments": lambda self: "data"}, "list of text"),
                         ({"infer_shape": lambda self, s: s}, "2 or 3"), ({"infer_shape": lambda self, s: (s, [], [])}, "per output"),
                         ({"infer_shape": lambda self, s: (s, [[2.5]], [])}, "no shape"),
                         ({"infer_shape": lambda self, s: (s, ["ab"], [])}, "no shape"),
                         ({"infer_shape": lambda self, s: (s, [[-1]], [])}, "no shape"),
                         ({"list_arguments": lambda self: ["data", "data"]}, "twice"),
                         ({"list_auxiliary_states": lambda self: ["data"]}, "twice"),
                         ({"infer_type": lambda self, t: (t, ["nothing"], [])}, "infer_type"),
                         ({"create_operator": lambda self, c, s, t: None}, "CustomOp")):
        mx.operator.register("test_wrong")(type("Wrong", (IdentityProp,), wrong))
        with pytest.raises(mx.MXNetError, match=match):
            nd.Custom(x, op_type="test_wrong")
    x.attach_grad()
    mx.operator.register("test_wrong")(type("Wrong", (IdentityProp,), {"create_operator": lambda *a: mx.operator.CustomOp()}))
    with pytest.raises(NotImplementedError, match="forward"):
        nd.Custom(x, op_type="test_wrong")


@pytest.mark.parametrize("shape", [(0,), (2, 0), ()])
def test_empty_and_scalar_arrays(shape):
    x = nd.zeros(shape)
    x.attach_grad()
    with ag.record():
        y = nd.Custom(x, op_type="test_identity")
    y.backward()
    assert y.shape == shape and x.grad.shape == shape


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "uint8"])
def test_dtypes(dtype):
    y = nd.Custom(nd.array([1, 2], dtype=dtype), op_type="test_identity")
    assert y.dtype == np.dtype(dtype) and y.asnumpy().tolist() == [1, 2]


def test_sparse_inputs_when_the_class_knows_them():
    class Sparse(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            assert in_data[0].stype == "csr"
            out_data[0][:] = nd.sparse.dot(in_data[0], in_data[1])

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            assert req == ["null", "write"]
            in_grad[1][:] = nd.sparse.dot(in_data[0], out_grad[0], transpose_a=True).tostype("default")

    @mx.operator.register("test_sparse")
    class Prop(mx.operator.CustomOpProp):
        def list_arguments(self):
            return ["data", "weight"]

        def infer_shape(self, in_shape):
            return in_shape, [[in_shape[0][0], in_shape[1][1]]]

        def infer_storage_type(self, in_stype):
            return ["csr", "default"], ["default"], []

        def infer_storage_type_backward(self, ograd_stype, in_stype, out_stype, igrad_stype, aux_stype):
            return ograd_stype, in_stype, out_stype, ["default", "default"], aux_stype

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Sparse()
    a = np.array([[0, 2.0, 0], [1, 0, 0]], "float32")
    w = attached(np.ones((3, 2), "float32"))
    with ag.record():
        y = nd.Custom(nd.array(a).tostype("csr"), w, op_type="test_sparse")
    y.backward()
    with ag.record():
        g, = ag.grad(nd.Custom(nd.array(a).tostype("csr"), w, op_type="test_sparse"), [w], create_graph=True)
    with pytest.raises(mx.MXNetError, match="test_sparse"):
        g.backward()
    np.testing.assert_allclose(y.asnumpy(), a @ np.ones((3, 2)))
    np.testing.assert_allclose(w.grad.asnumpy(), a.T @ np.ones((2, 2)))


def test_threads():
    errors = []

    def work(k):
        try:
            for n in range(30):
                x = attached([float(k), float(n)])
                with ag.record():
                    y, _ = nd.Custom(x, x, nd.zeros((1,)), op_type="test_scale", k=k)
                y.backward()
                np.testing.assert_allclose(x.grad.asnumpy(), 2 * k * np.array([k, n]))
        except Exception as e:                      # shown below
            errors.append(e)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not errors


def test_operators_by_name():
    names = mx.operator.get_all_registered_operators()
    assert {"Custom", "Convolution", "broadcast_add", "_plus_scalar"} <= set(names)
    got = mx.operator.get_operator_arguments("FullyConnected")
    assert got.narg == len(got.names) == len(got.types)
    assert got.names[:4] == ["data", "weight", "bias", "num_hidden"] and got.types[0] == "NDArray-or-Symbol"
    assert mx.operator.get_operator_arguments("Custom").names == ["data", "op_type"]
    with pytest.raises(mx.MXNetError):
        mx.operator.get_operator_arguments("no_such_operator")
