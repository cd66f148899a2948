"""Executors: arrays, requests, outputs, and what is refused."""
import numpy as np
import pytest

import mxnd as mx

S, V = mx.sym, mx.sym.Variable
CPU = mx.cpu()


def dense():
    fc = S.FullyConnected(V("x"), num_hidden=3, name="fc")
    rng = np.random.default_rng(0)
    return fc, {"x": mx.nd.array(rng.normal(size=(2, 4))), "fc_weight": mx.nd.array(rng.normal(size=(3, 4))),
                "fc_bias": mx.nd.array(rng.normal(size=3))}


def test_forward_reuses_its_outputs_and_sees_changed_weights():
    fc, args = dense()
    ex = fc.bind(CPU, args)
    y = ex.forward()
    assert y is ex.outputs and ex.forward()[0] is y[0]
    before = y[0].asnumpy()
    args["fc_bias"] += 1
    np.testing.assert_allclose(ex.forward()[0].asnumpy(), before + 1, rtol=1e-6)
    assert ex.arg_dict["x"] is args["x"] and list(ex.output_dict) == ["fc_output"]


def test_requests():
    fc, args = dense()
    grads = {k: mx.nd.ones(v.shape) for k, v in args.items()}
    ex = fc.bind(CPU, args, args_grad=grads, grad_req={"x": "write", "fc_weight": "add", "fc_bias": "null"})
    h = mx.nd.array([[1, 2, 3], [4, 5, 6]])
    for _ in range(2):
        ex.forward(is_train=True)
        ex.backward(h)
    w = h.asnumpy().T @ args["x"].asnumpy()
    np.testing.assert_allclose(grads["fc_weight"].asnumpy(), 1 + 2 * w, rtol=1e-5)
    np.testing.assert_allclose(grads["x"].asnumpy(), h.asnumpy() @ args["fc_weight"].asnumpy(), rtol=1e-5)
    assert (grads["fc_bias"].asnumpy() == 1).all()


def test_head_gradients():
    fc, args = dense()
    ex = fc.bind(CPU, args, args_grad={"x": mx.nd.zeros((2, 4))})
    ex.forward(is_train=True)
    with pytest.raises(mx.MXNetError, match="out_grads"):
        ex.backward()
    with pytest.raises(mx.MXNetError, match="wrong shape"):
        ex.backward(mx.nd.ones((9, 9)))
    with pytest.raises(TypeError):
        ex.backward(np.ones((2, 3)))
    loss = S.SoftmaxOutput(fc, V("label"))
    ex = loss.simple_bind(CPU, x=(2, 4))
    ex.forward(is_train=True)
    ex.backward()                                              # a loss needs none


def test_backward_without_a_training_forward():
    x = V("x")
    s = S.tanh(x) * x
    grad = mx.nd.zeros((3,))
    ex = s.bind(CPU, {"x": mx.nd.array([1, 2, 3])}, args_grad={"x": grad})
    ex.backward(mx.nd.ones((3,)))
    want = grad.asnumpy()
    for training in (False, True, False):
        grad[:] = 0
        ex.forward(is_train=training)
        ex.backward(mx.nd.ones((3,)))
        np.testing.assert_array_equal(grad.asnumpy(), want)


def test_unreached_arguments_get_zeros():
    x, y = V("x"), V("y")
    grads = {"x": mx.nd.ones((2,)), "y": mx.nd.ones((2,))}
    ex = S.Group([S.BlockGrad(x), y]).bind(CPU, {"x": mx.nd.ones((2,)), "y": mx.nd.ones((2,))}, args_grad=grads)
    ex.forward(is_train=True)
    ex.backward([mx.nd.ones((2,)), mx.nd.array([3, 4])])
    assert grads["x"].asnumpy().tolist() == [0, 0] and grads["y"].asnumpy().tolist() == [3, 4]
    assert ex.outputs[1] is not ex.arg_dict["y"]


def test_forward_keywords():
    fc, args = dense()
    ex = fc.bind(CPU, args)
    ex.forward(x=np.ones((2, 4)), fc_bias=mx.nd.zeros((3,)))
    assert (args["x"].asnumpy() == 1).all()
    for bad, error in ((dict(no=args["x"]), TypeError), (dict(x=np.ones((4, 2))), ValueError), (dict(x=[1]), ValueError)):
        with pytest.raises(error):
            ex.forward(**bad)


def test_simple_bind():
    fc, _ = dense()
    ex = fc.simple_bind(CPU, x=(2, 4), type_dict={"x": "float64"}, grad_req=["null", "add", "write"])
    assert [a.shape for a in ex.arg_arrays] == [(2, 4), (3, 4), (3,)] and ex.outputs[0].dtype == np.float64
    assert [g is None for g in ex.grad_arrays] == [True, False, False]
    with pytest.raises(RuntimeError, match="cannot be worked out"):
        fc.simple_bind(CPU)
    with pytest.raises(RuntimeError):
        fc.simple_bind(CPU, x=(2, 4), fc_weight=(9, 9))


def test_reshape_shares_parameters():
    fc, _ = dense()
    ex = fc.simple_bind(CPU, x=(4, 4))
    small = ex.reshape(x=(2, 4))
    small.arg_dict["fc_bias"][:] = 7
    assert (ex.arg_dict["fc_bias"].asnumpy() == 7).all() and small.forward()[0].shape == (2, 3)
    with pytest.raises(mx.MXNetError, match="allow_up_sizing"):
        ex.reshape(x=(9, 4))
    assert ex.reshape(x=(9, 4), allow_up_sizing=True).forward()[0].shape == (9, 3)
    with pytest.raises(mx.MXNetError, match="partial_shaping"):
        ex.reshape(x=(4, 2))


def test_copy_params_from():
    fc, args = dense()
    ex = fc.simple_bind(CPU, x=(2, 4))
    ex.copy_params_from(args)
    assert np.array_equal(ex.arg_dict["fc_weight"].asnumpy(), args["fc_weight"].asnumpy())
    with pytest.raises(ValueError, match="no argument 'no'"):
        ex.copy_params_from({"no": args["x"]})
    ex.copy_params_from({"no": args["x"]}, allow_extra_params=True)
    with pytest.raises(mx.MXNetError, match="wrong shape"):
        ex.copy_params_from({"fc_bias": mx.nd.ones((9,))})


def test_bind_refuses():
    fc, args = dense()
    cases = [(dict(args=list(args.values())[:2]), ValueError), (dict(args={"x": args["x"]}), ValueError),
             (dict(args=None), TypeError), (dict(args=[1, 2, 3]), TypeError),
             (dict(args={**args, "fc_weight": mx.nd.ones((3, 5))}), mx.MXNetError),
             (dict(args={**args, "fc_weight": mx.nd.ones((3, 4), dtype="float64")}), mx.MXNetError),
             (dict(args=args, grad_req="no"), ValueError), (dict(args=args, args_grad={"x": mx.nd.ones((9,))}), mx.MXNetError)]
    for kw, error in cases:
        with pytest.raises(error):
            fc.bind(CPU, **kw)
    with pytest.raises(TypeError):
        fc.bind("cpu", args)
    with pytest.raises(mx.MXNetError, match="one name"):
        S.Group([V("a"), V("a")]).bind(CPU, [args["x"], args["x"]])


def test_monitor_sees_every_output():
    s = S.exp(S.BatchNorm(V("x"), name="bn"), name="e")
    ex = s.simple_bind(CPU, x=(2, 3))
    seen = []
    ex.set_monitor_callback(lambda name, array: seen.append((name, array.shape)))
    ex.forward(is_train=True)
    assert seen == [(b"bn_output", (2, 3)), (b"bn_mean", (3,)), (b"bn_var", (3,)), (b"e_output", (2, 3))]
    ex.set_monitor_callback(None)
    ex.backward(mx.nd.ones((2, 3)))
    ex.forward()
    assert len(seen) == 4


def test_errors_while_running_name_the_node():
    s = S.take(V("x"), V("i"), mode="raise", name="rows")
    ex = s.bind(CPU, {"x": mx.nd.ones((3,)), "i": mx.nd.array([7])})
    with pytest.raises(IndexError) as e:
        ex.forward()
    assert "rows" in "".join(getattr(e.value, "__notes__", []))


def test_eval():
    assert (V("x") * 2).eval(x=mx.nd.ones((2,)))[0].asnumpy().tolist() == [2, 2]
    with pytest.raises(ValueError, match="'x' is missing"):
        (V("x") * 2).eval()


def test_labels_of_positions_in_each_form_give_the_same_gradient():
    s = S.SoftmaxOutput(V("x"), V("label"), multi_output=True, use_ignore=True, ignore_label=1, normalization="valid")
    x, label = np.random.default_rng(0).normal(size=(2, 3, 4, 5)), np.arange(40.0).reshape(2, 20) % 3
    assert s.simple_bind(mx.cpu(), x=x.shape).arg_dict["label"].shape == (2, 20)
    p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    want = p - (label.reshape(2, 1, 4, 5) == np.arange(3).reshape(3, 1, 1))
    want = np.where(label.reshape(2, 1, 4, 5) == 1, 0, want) / (label != 1).sum()
    for shape in ((2, 20), (2, 4, 5), (2, 1, 4, 5)):
        ex = s.simple_bind(mx.cpu(), x=x.shape, label=shape, type_dict={"x": "float64"})
        ex.forward(is_train=True, x=mx.nd.array(x, dtype="float64"), label=mx.nd.array(label.reshape(shape)))
        ex.backward()
        np.testing.assert_allclose(ex.grad_dict["x"].asnumpy(), want, rtol=1e-6)
