"""Backward of executors: again and again, into arrays that overlap, below operators without gradient, watched by monitors."""
import threading

import numpy as np
import pytest

import mxnd as mx

S, V, CPU = mx.sym, mx.sym.Variable, mx.cpu()
x = V("x")
A, B = V("a"), V("b")


def bound(s, grad_req="write", **shapes):
    """An executor whose arguments hold positive numbers."""
    ex = s.simple_bind(CPU, grad_req=grad_req, **shapes)
    for k, a in enumerate(ex.arg_arrays):
        a[:] = mx.nd.array(np.linspace(0.5, 1.5 + k, a.size).reshape(a.shape))
    return ex


def ones(ex):
    return [mx.nd.ones(y.shape) for y in ex.outputs]


part = S.slice_axis(x, axis=1, begin=0, end=2)
column = S.slice_axis(part, axis=1, begin=0, end=1)


@pytest.mark.parametrize("s", [column * column, S.Group([part * part, column * column]), S.LayerNorm(x * 2 - 1, name="l"),
                               S.softmax(S.FullyConnected(S.tanh(x), num_hidden=3, name="f")) * x,
                               S.Dropout(S.exp(S.tanh(x)), p=0.5) * x * x])
@pytest.mark.parametrize("request_", ["write", "add"])
def test_backward_twice_gives_the_same_twice(s, request_):
    # what backward has overwritten of the forward is made again
    ex = bound(s, request_, x=(4, 3))
    ex.forward(is_train=True)
    was = [y.asnumpy() for y in ex.outputs]
    ex.backward(ones(ex))
    once = {k: g.asnumpy() for k, g in ex.grad_dict.items()}
    assert any(np.abs(g).max() > 0 for g in once.values())
    for count in (2, 3):
        ex.backward(ones(ex))
        for k, g in ex.grad_dict.items():
            np.testing.assert_allclose(g.asnumpy(), once[k] * (count if request_ == "add" else 1), rtol=1e-5, atol=1e-6)
    for y, want in zip(ex.outputs, was):
        np.testing.assert_array_equal(y.asnumpy(), want)


@pytest.mark.parametrize("plain", [False, True])
def test_gradient_arrays_may_overlap_arguments(plain):
    def run(s, args, grads, request_="write"):
        with mx.sym.passes(all=not plain):
            ex = s.bind(CPU, args, grads, request_)
        ex.forward(is_train=True)
        ex.backward(ones(ex))
    a, b = mx.nd.array([1, 2]), mx.nd.array([3, 4])
    run(A * B * B, [a, b], [b, a])                             # each gets the other's gradient, computed before either is written
    assert b.asnumpy().tolist() == [9, 16] and a.asnumpy().tolist() == [6, 16]
    base = mx.nd.array(np.arange(10))
    a, b, ga, gb = base[0:6], base[2:8], base[4:10], mx.nd.zeros((6,))
    run(A * B, [a, b], [ga, gb])
    assert ga.asnumpy().tolist() == [2, 3, 4, 5, 6, 7] and gb.asnumpy().tolist() == [0, 1, 2, 3, 4, 5]
    g = mx.nd.ones((2,))
    run(A * B, [mx.nd.array([1, 2]), mx.nd.array([3, 4])], [g, g], "add")
    assert g.asnumpy().tolist() == [5, 7]


def test_losses_below_an_operator_without_gradient_count():
    loss = S.MakeLoss(x * 2)
    for top in (S.BlockGrad(loss), S.argmax(loss, axis=1), loss > 1, S.one_hot(loss, depth=2), S.sign(loss)):
        ex = bound(top, x=(2, 3))
        for _ in range(2):
            ex.forward(is_train=True)
            ex.backward(ones(ex))
            assert (ex.grad_dict["x"].asnumpy() == 2).all()
        seen = []
        ex.set_monitor_callback(lambda name, a, seen=seen: seen.append(name))
        ex.forward(is_train=True)
        ex.backward(ones(ex))
        assert (ex.grad_dict["x"].asnumpy() == 2).all() and b"_mulscalar" in b"".join(seen)
    a = mx.nd.ones((2, 3))
    a.attach_grad()
    with mx.autograd.record():
        y = mx.nd.BlockGrad(mx.nd.MakeLoss(a * 2)) + a
    y.backward()
    assert (a.grad.asnumpy() == 3).all()
    plain = bound(S.BlockGrad(x * 2), x=(2, 3))
    plain.forward(is_train=True)
    plain.backward(ones(plain))
    assert (plain.grad_dict["x"].asnumpy() == 0).all()


def test_second_derivatives_of_losses_hold_no_first_ones():
    a = mx.nd.array([[1.0, 2, 3]])
    a.attach_grad()
    with mx.autograd.record():
        y = mx.nd.SoftmaxOutput(a * 2, mx.nd.array([1]))
        g, = mx.autograd.grad(y, [a], create_graph=True)
    g.backward()
    assert (a.grad.asnumpy() == 0).all()


@pytest.mark.parametrize("watched", [False, True])
def test_moving_statistics_below_blockgrad_move(watched):
    ex = bound(S.BlockGrad(S.BatchNorm(x, fix_gamma=False, momentum=0.5, name="bn")) + x, x=(4, 3))
    if watched:
        ex.set_monitor_callback(lambda name, a: None)
    ex.forward(is_train=True)
    ex.backward(ones(ex))
    np.testing.assert_allclose(ex.aux_dict["bn_moving_mean"].asnumpy(), ex.arg_dict["x"].asnumpy().mean(0) / 2, rtol=1e-5)
    assert (ex.grad_dict["x"].asnumpy() == 1).all() and (ex.grad_dict["bn_gamma"].asnumpy() == 0).all()
    a, gamma, mean = mx.nd.array([[1, 2], [3, 6]]), mx.nd.ones((2,)), mx.nd.zeros((2,))
    a.attach_grad()
    with mx.autograd.record():
        y = mx.nd.BlockGrad(mx.nd.BatchNorm(a, gamma, mean, mean, mx.nd.ones((2,)), momentum=0.5)) + a
    y.backward()
    assert mean.asnumpy().tolist() == [1, 2] and (a.grad.asnumpy() == 1).all()


@pytest.mark.parametrize("plain", [False, True])
def test_fix_gamma_is_written_only_with_gradients(plain):
    s = S.BatchNorm(x, V("gamma"), name="bn", fix_gamma=True)
    for request_, want in (("null", 3), ("write", 1), ({"x": "write"}, 1)):
        ex = bound(s, request_, x=(4, 3))
        ex.arg_dict["gamma"][:] = 3
        if plain:
            ex._planned = None
        for training in (False, True):
            y = ex.forward(is_train=training)[0].asnumpy()
            assert (ex.arg_dict["gamma"].asnumpy() == want).all()
        d = ex.arg_dict["x"].asnumpy()
        np.testing.assert_allclose(y - ex.arg_dict["bn_beta"].asnumpy(), (d - d.mean(0)) / np.sqrt(d.var(0) + 1e-3), rtol=1e-4)


def watch(s, monitor_all, heads=True, **shapes):
    ex, seen = bound(s, **shapes), []
    ex.set_monitor_callback(lambda name, a: seen.append((name.decode(), a.asnumpy())), monitor_all)
    ex.forward(is_train=True)
    del seen[:]
    ex.backward(ones(ex) if heads else None)
    return ex, seen


def test_monitors_see_the_backward_pass():
    # names and order as MXNet 1.9.1 gives them
    net = S.SoftmaxOutput(S.FullyConnected(S.BatchNorm(x, name="bn", fix_gamma=False), num_hidden=3, name="fc"), name="sm")
    ex, seen = watch(net, False, heads=False, x=(2, 4))
    assert [n for n, _ in seen] == ["sm_backward_output0", "sm_backward_output1", "fc_backward_output0", "fc_backward_output1",
                                    "fc_backward_output2", "bn_backward_output0", "bn_backward_output1", "bn_backward_output2"]
    values = dict(seen)
    for seen_as, name in (("bn_backward_output0", "x"), ("bn_backward_output1", "bn_gamma"), ("fc_backward_output1", "fc_weight")):
        np.testing.assert_array_equal(values[seen_as], ex.grad_dict[name].asnumpy())
    plain = bound(net, x=(2, 4))
    plain.forward(is_train=True)
    plain.backward()
    for k, g in plain.grad_dict.items():
        np.testing.assert_allclose(ex.grad_dict[k].asnumpy(), g.asnumpy(), rtol=1e-5, atol=1e-6)
    assert (ex.aux_dict["bn_moving_mean"].asnumpy() == plain.aux_dict["bn_moving_mean"].asnumpy()).all()
    ex, seen = watch(S.exp(x, name="e") + x, False, x=(2,))
    assert [n for n, _ in seen if "plus" not in n] == ["_head_grad_0_id_output", "e_backward_output", "sum_grad_output"]
    np.testing.assert_array_equal(seen[-1][1], ex.grad_dict["x"].asnumpy())


def test_monitors_see_what_goes_into_backward():
    _, seen = watch(S.exp(x, name="e") * 2, True, x=(2,))
    assert [n for n, _ in seen if "scalar" not in n] == ["_head_grad_0", "_head_grad_0_id_output", "e_backward_input0", "e_backward_output"]
    ex = bound(S.exp(x, name="e"), x=(2,))
    ex.forward(is_train=True)
    seen = []
    ex.set_monitor_callback(lambda name, a: seen.append(name))            # set after the forward
    ex.backward(ones(ex))
    assert seen == [b"_head_grad_0_id_output", b"e_backward_output"]
    with pytest.raises(mx.MXNetError, match="e_output"):
        ex.backward()


def test_monitors_may_raise():
    ex = bound(S.exp(x, name="e") * 2, x=(2,))

    def fail(name, a):
        if b"backward" in name:
            raise ValueError("mine")
    ex.set_monitor_callback(fail)
    ex.forward(is_train=True)
    with pytest.raises(ValueError, match="mine"):
        ex.backward(ones(ex))
    ex.set_monitor_callback(None)
    ex.backward(ones(ex))
    np.testing.assert_allclose(ex.grad_dict["x"].asnumpy(), ex.outputs[0].asnumpy())
    assert not mx.autograd.is_recording()


def test_reshape_drops_gradients_that_nobody_wants():
    ex = (A * B).bind(CPU, [mx.nd.ones((2,))] * 2, [mx.nd.ones((2,)), mx.nd.ones((2,))], {"a": "write"})
    assert ex.reshape(a=(1,), b=(1,)).grad_dict["b"] is None


@pytest.mark.parametrize("way", ["planned", "watched", "not planned"])
def test_lists_of_outputs_are_the_users_to_change(way):
    ex = bound(x * 2 if way != "not planned" else S.contrib.foreach(lambda a, s: (a * 2, s), x, S.zeros((1,)))[0], x=(2, 1))
    if way == "watched":
        ex.set_monitor_callback(lambda name, array: None)
    first = ex.outputs
    assert type(first) is list
    for _ in range(2):
        outs = ex.forward(is_train=True)
        assert type(outs) is list and outs is ex.outputs and outs is not first and len(outs) == 1
        y, first = outs[0], outs
        outs[0] = mx.nd.ones((5,))
        outs.append(3)
        outs += [4]
        ex.arg_dict["x"][:] = 7
        assert ex.forward(is_train=True)[0] is y and y.asnumpy().tolist() == [[14], [14]] and len(outs) == 3
        ex.outputs.clear()
        ex.backward([mx.nd.ones((2, 1))])
        assert ex.grad_dict["x"].asnumpy().tolist() == [[2], [2]] and list(ex.output_dict.values()) == [y]


def test_threads_share_an_executor():
    ex = bound(S.tanh(S.FullyConnected(x, num_hidden=8, name="f")), x=(16, 8))
    want = ex.forward(is_train=True)[0].asnumpy()
    ex.backward(ones(ex))
    grad = ex.grad_dict["f_weight"].asnumpy()
    wrong = []

    def work():
        for _ in range(50):
            ex.forward(is_train=True)
            ex.backward([mx.nd.ones((16, 8))])
            if not (np.array_equal(ex.outputs[0].asnumpy(), want) and np.array_equal(ex.grad_dict["f_weight"].asnumpy(), grad)):
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
