"""Graphs with custom operators and loops: the parts between them are planned, with the same results."""
import numpy as np
import pytest

import mxnd as mx

S, V, CPU = mx.sym, mx.sym.Variable, mx.cpu()


class Square(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], 2 * in_data[0] * out_grad[0])


@mx.operator.register("square_of_test_mixed")
class SquareProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Square()


class Own(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], in_data[0] - 1)


@mx.operator.register("own_loss_of_test_mixed")
class OwnProp(mx.operator.CustomOpProp):
    def __init__(self):
        super().__init__(need_top_grad=False)

    def create_operator(self, ctx, shapes, dtypes):
        return Own()


def square(s, name=None):
    return S.Custom(s, op_type="square_of_test_mixed", name=name)


def running(s, start):
    return S.contrib.foreach(lambda row, state: (S.tanh(row) + state, state * 0.5), s, start)[0]


x, w, r = V("x"), V("w"), V("r")
y = S.tanh(x * w + 1)
z = square(y) * w - x
dense = S.FullyConnected(square(S.exp(x)), num_hidden=3, name="f")
NETS = {"between": z, "several": square(square(z) + y) * 2, "outputs": S.Group([z, y, square(x), x, w * 2 + 1]),
        "loss": S.SoftmaxOutput(dense, V("l"), name="sm"), "loop": S.exp(running(S.sin(x) * w, r)) + x,
        "both": S.tanh(running(square(x + w), r)) * w,
        "states": S.tanh(square(S.BatchNorm(x, fix_gamma=False, name="bn")) + S.BatchNorm(w, fix_gamma=True, name="bn2")),
        "stopped": S.BlockGrad(square(S.MakeLoss(x * w) + 1)) * 1 + w}


def results(name, grad_req, divided):
    s = NETS[name]
    shapes = {"x": (2, 3), "w": (2, 3), "r": (3,)}
    ex = s.simple_bind(CPU, grad_req=grad_req, **{k: v for k, v in shapes.items() if k in s.list_arguments()})
    assert ex._planned is None and ex._mixed is not None
    if not divided:
        ex._mixed = None
    for k, a in enumerate(ex.arg_arrays):
        a[:] = mx.nd.array(np.linspace(0.1, 0.9 + k / 10, a.size).reshape(a.shape))
    out = []
    for training in (True, False, True):
        out += [a.asnumpy() for a in ex.forward(is_train=training)]
        ex.arg_dict["x"][:] *= 1.1                              # changed values are seen
        ex.forward(is_train=training)
        heads = [mx.nd.ones(o.shape) * (k + 1) for k, o in enumerate(ex.outputs)]
        ex.backward(heads)
        ex.backward(heads)
        out += [g.asnumpy() for g in ex.grad_arrays if g is not None] + [a.asnumpy() for a in ex.aux_arrays]
    return out


@pytest.mark.parametrize("grad_req", ["write", "add", "null", {"x": "add"}, {"w": "write"}])
@pytest.mark.parametrize("name", NETS)
def test_parts_give_the_same_as_operators(name, grad_req):
    for a, b in zip(results(name, grad_req, True), results(name, grad_req, False), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_what_is_planned():
    ex = z.simple_bind(CPU, x=(2, 3), w=(2, 3))
    ex.forward()
    parts = [p.executor for p in ex._mixed.pieces if hasattr(p, "executor")]
    assert [[t.plan is not None for t in p._planned.program(False).tasks] for p in parts] == [[True], [True]]       # both fused
    memory = ex.memory()
    assert memory["planned"] >= 4 * 6 and memory["arguments"] == memory["gradients"] == 2 * 4 * 6
    assert square(x).simple_bind(CPU, x=(2, 3))._mixed is None                                                # nothing to plan


def test_missing_head_gradients_are_refused():
    for s in (z, square(x * 2 + 1, name="q"), S.Group([dense, square(x)])):
        ex = s.simple_bind(CPU, **{k: (2, 3) for k in s.list_arguments() if k in "xw"})
        ex.forward(is_train=True)
        with pytest.raises(mx.MXNetError, match="out_grads"):
            ex.backward()
    for s in (NETS["loss"], S.Custom(x * 2 + 1, op_type="own_loss_of_test_mixed")):
        ex = s.simple_bind(CPU, x=(2, 3))
        ex.arg_dict["x"][:] = 1
        ex.forward(is_train=True)
        ex.backward()
    assert (ex.grad_dict["x"].asnumpy() == 4).all()


def test_own_losses_count_below_an_operator_without_gradient():
    loss = S.Custom(x * 2 + 1, op_type="own_loss_of_test_mixed")
    for divided in (True, False):
        ex = S.BlockGrad(loss).simple_bind(CPU, x=(2, 3))
        ex.arg_dict["x"][:] = 1
        if not divided:
            ex._mixed = None
        ex.forward(is_train=True)
        ex.backward(mx.nd.ones((2, 3)))
        assert (ex.grad_dict["x"].asnumpy() == 4).all()


def test_arrays_can_be_exchanged_and_watched():
    ex = z.simple_bind(CPU, x=(2, 3), w=(2, 3))
    ex.arg_dict["x"][:] = 1
    want = None
    for watched in (False, True):
        ex.arg_dict["w"] = mx.nd.full((2, 3), 0.5)
        ex.grad_dict["w"] = mx.nd.zeros((2, 3))
        names = []
        ex.set_monitor_callback((lambda name, a, names=names: names.append(name)) if watched else None)
        got = ex.forward(is_train=True)[0].asnumpy()
        ex.backward(mx.nd.ones((2, 3)))
        got = np.stack([got, ex.grad_dict["w"].asnumpy()])
        want = got if want is None else want
        np.testing.assert_allclose(got, want, rtol=1e-6)
    assert any(b"custom" in n and b"backward_output" in n for n in names)
    small = ex.reshape(x=(1, 3), w=(1, 3))
    small.forward()
    np.testing.assert_allclose(small.outputs[0].asnumpy(), want[0, :1], rtol=1e-6)


def test_random_numbers_are_kept_for_backward():
    s = square(S.Dropout(x * 1, p=0.5) + 0) * 1
    ex = s.simple_bind(CPU, x=(500,))
    ex.arg_dict["x"][:] = 1
    out = ex.forward(is_train=True)[0].asnumpy()
    for _ in range(2):
        ex.backward(mx.nd.ones((500,)))
        np.testing.assert_allclose(ex.grad_dict["x"].asnumpy(), 2 * out)
