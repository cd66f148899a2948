"""The arrays of an executor: put others in their place, share them, reshape them; odd arguments."""
import gc
import weakref

import numpy as np
import pytest

import mxnd as mx

S, V, CPU = mx.sym, mx.sym.Variable, mx.cpu()
net = S.FullyConnected(V("x"), V("w"), num_hidden=3, no_bias=True, name="f")
bn = S.BatchNorm(net, name="bn")


def full(shape, value):
    return mx.nd.full(shape, value)


@pytest.mark.parametrize("put", [
    lambda ex, w: ex.arg_dict.__setitem__("w", w), lambda ex, w: ex.arg_arrays.__setitem__(1, w),
    lambda ex, w: ex.arg_arrays.__setitem__(-1, w), lambda ex, w: ex.arg_dict.update(w=w),
    lambda ex, w: ex.arg_arrays.__setitem__(slice(1, 2), [w]), lambda ex, w: setattr(ex, "arg_arrays", [ex.arg_arrays[0], w])])
def test_an_array_put_into_the_list_is_bound(put):
    ex = net.simple_bind(CPU, x=(2, 4))
    ex.arg_dict["x"][:] = 1
    ex.forward()
    w = full((3, 4), 2)
    put(ex, w)
    assert ex.arg_dict["w"] is w and ex.arg_arrays[1] is w and ex.arg_dict is ex.arg_dict
    assert ex.forward()[0].asnumpy().tolist() == [[8.0] * 3] * 2
    w[:] = 3
    assert ex.forward(is_train=True)[0].asnumpy().tolist() == [[12.0] * 3] * 2
    ex.backward(full((2, 3), 1))
    assert (ex.grad_dict["x"].asnumpy() == 9).all()


def test_an_output_can_be_bound_as_an_argument():
    # what one step gives is what the next one starts from; every output reads it
    a = mx.sym.var("a")
    for on in (True, False):
        with mx.sym.passes(all=on):
            ex = mx.sym.Group([a * 2, a + 1, a.sum(), a]).simple_bind(CPU, a=(3,))
        ex.arg_dict["a"][:] = 1
        for step in range(3):
            was = ex.forward(is_train=True)[0]
            assert (was.asnumpy() == 2 ** (step + 1)).all()
            ex.arg_dict["a"] = was
            assert ex.outputs[0] is not was and (ex.outputs[0].asnumpy() == 2 ** (step + 1)).all()
        ex.forward()
        assert [o.asnumpy()[0] for o in ex.outputs] == [16, 9, 24, 8]
        ex.grad_dict["a"] = ex.outputs[1]
        ex.forward(is_train=True)
        ex.backward([full(o.shape, 1) for o in ex.outputs])
        assert ex.grad_dict["a"].asnumpy().tolist() == [5] * 3 and ex.outputs[1].asnumpy()[0] == 9


def test_passes_stay_as_they_were_when_arrays_or_shapes_change():
    with mx.sym.passes(fuse=False):
        ex = net.simple_bind(CPU, x=(4, 4))
    ex.arg_dict["w"] = full((3, 4), 2)
    for e in (ex, ex.reshape(x=(2, 4))):
        e.forward()
        assert not e._planned.passes["fuse"] and e._planned.passes["share"]


def test_gradient_and_auxiliary_arrays_are_bound_too():
    ex = net.simple_bind(CPU, x=(2, 4), grad_req={"x": "write", "w": "add"})
    ex.arg_dict["x"][:] = 1
    ex.forward(is_train=True)
    g = full((3, 4), 5)
    ex.grad_dict["w"] = g
    ex.grad_arrays[0] = None
    ex.backward(full((2, 3), 1))
    assert (g.asnumpy() == 7).all() and ex.grad_dict["x"] is None
    ex = bn.simple_bind(CPU, x=(2, 4), grad_req="null")
    ex.arg_dict["bn_gamma"][:] = 1
    ex.aux_dict["bn_moving_var"] = full((3,), 1)
    ex.aux_arrays[0] = full((3,), -2)
    np.testing.assert_allclose(ex.forward()[0].asnumpy(), 2, rtol=2e-3)


def test_arrays_that_cannot_be_bound():
    ex = net.simple_bind(CPU, x=(2, 4))
    for bad, word in ((full((4, 3), 1), r"expected shape \(3, 4\)"), (full((3, 4), 1).astype("float64"), "dtype float32"),
                      (3, "NDArray"), (None, "NDArray")):
        with pytest.raises(mx.MXNetError, match=f"'w'.*{word}"):
            ex.arg_dict["w"] = bad
    with pytest.raises(mx.MXNetError, match="no 'zz'"):
        ex.arg_dict["zz"] = full((3, 4), 1)
    with pytest.raises(IndexError):
        ex.arg_arrays[2] = full((3, 4), 1)
    for change in (lambda: ex.arg_arrays.append(1), lambda: ex.arg_arrays.pop(), lambda: ex.arg_dict.pop("w"), ex.arg_dict.clear,
                   lambda: ex.arg_arrays.__setitem__(slice(0, 1), []), lambda: setattr(ex, "arg_arrays", [])):
        with pytest.raises(mx.MXNetError, match="number of arrays is fixed"):
            change()
    assert len(ex.arg_arrays) == 2 and list(ex.arg_dict) == ["x", "w"]


def test_an_executor_is_freed_at_once():
    ex = net.simple_bind(CPU, x=(2, 4))
    ex.forward(is_train=True)
    ex.backward(full((2, 3), 1))
    held, alive = ex.arg_arrays, weakref.ref(ex)
    gc.disable()
    try:
        del ex
        assert alive() is None
    finally:
        gc.enable()
    held[0] = full((2, 4), 1)


@pytest.mark.parametrize("names, with_buffer, shared, aux", [
    (None, False, "", False), (None, True, "", True), (["w"], False, "w", True), (["w"], True, "w", True),
    (["x", "w", "bn_gamma", "bn_beta"], True, "x w bn_gamma bn_beta", True)])
def test_shared_exec(names, with_buffer, shared, aux):
    a = bn.simple_bind(CPU, x=(2, 4))
    buffer = {} if with_buffer else None
    b = bn.simple_bind(CPU, x=(2, 4), shared_exec=a, shared_arg_names=names, shared_buffer=buffer)
    for name in a.arg_dict:
        assert (b.arg_dict[name] is a.arg_dict[name]) == (name in shared.split())
        assert (b.grad_dict[name] is a.grad_dict[name]) == (name in shared.split())
    for name in a.aux_dict:
        assert (b.aux_dict[name] is a.aux_dict[name]) == aux
    if with_buffer:
        rest = [n for n in a.arg_dict if n not in shared.split()]
        assert sorted(buffer) == sorted([*rest, *(f"grad of {n}" for n in rest)])


def test_shared_arrays_have_to_fit():
    a = bn.simple_bind(CPU, x=(2, 4))
    with pytest.raises(mx.MXNetError, match=r"'w' of shared_exec has shape \(3, 4\)"):
        bn.simple_bind(CPU, x=(2, 8), shared_exec=a, shared_arg_names=["w"])
    with pytest.raises(mx.MXNetError, match="float64"):
        bn.simple_bind(CPU, x=(2, 4), shared_exec=a, shared_arg_names=["w"], type_dict={"x": "float64"})


def test_shared_buffer_is_used_again_and_grows():
    buffer = {}
    a = net.simple_bind(CPU, x=(4, 4), shared_buffer=buffer)
    b = net.simple_bind(CPU, x=(2, 4), shared_buffer=buffer)
    a.arg_dict["x"][:] = 2
    assert (b.arg_dict["x"].asnumpy() == 2).all() and b.arg_dict["w"] is a.arg_dict["w"] and buffer["x"].shape == (4, 4)
    c = net.simple_bind(CPU, x=(6, 4), shared_buffer=buffer)
    assert buffer["x"] is c.arg_dict["x"] and buffer["grad of x"].shape == (6, 4)
    with pytest.raises(mx.MXNetError, match="shared_buffer"):
        net.simple_bind(CPU, x=(6, 4), shared_buffer={"x": 3})


@pytest.mark.parametrize("given, word", [
    (dict(x="x"), "'x'.*shape"), (dict(x=3), "'x'.*shape"), (dict(x=None), "'x'"), (dict(x=(2, "a")), "whole numbers"),
    (dict(x=(2.0, 4)), "whole numbers"), (dict(x=(2, 4), type_dict=["x"]), "type_dict"), (dict(x=(2, 4), stype_dict=3), "stype_dict")])
def test_odd_arguments_of_simple_bind(given, word):
    with pytest.raises(mx.MXNetError, match=word):
        net.simple_bind(CPU, **given)


def test_odd_arguments_of_methods():
    ex = net.simple_bind(CPU, x=(2, 4))
    for call, error, word in (
            (lambda: ex.forward(x=np.array([["a"] * 4] * 2)), ValueError, "'x'.*dtype <U1"),
            (lambda: ex.forward(x=np.ones((2, 4)) * 1j), ValueError, "complex128"),
            (lambda: ex.copy_params_from([1]), TypeError, "dict of arrays by argument"),
            (lambda: ex.copy_params_from({}, 3), TypeError, "dict of arrays by auxiliary"),
            (lambda: ex.copy_params_from({"w": 3}), TypeError, "'w'.*int"),
            (lambda: ex.backward({"q": full((2, 3), 1)}), mx.MXNetError, "no output 'q'"),
            (lambda: ex.backward(3), TypeError, "out_grads"),
            (lambda: ex.set_monitor_callback(3), TypeError, "function"),
            (lambda: net.simple_bind(CPU, x=(2, 4), group2ctx=3), mx.MXNetError, "group2ctx"),
            (lambda: net.simple_bind(CPU, x=(2, 4), shared_exec=3, shared_arg_names=["w"]), mx.MXNetError, "shared_exec"),
            (lambda: net.simple_bind(CPU, x=(2, 4), shared_exec=ex, shared_arg_names="w"), mx.MXNetError, "shared_arg_names"),
            (lambda: net.simple_bind(CPU, x=(2, 4), stype_dict={"x": "foo"}), mx.MXNetError, "'x'.*'foo'")):
        with pytest.raises(error, match=word):
            call()
    ex.forward(x=np.ones((2, 4), "float64"), w=mx.nd.ones((3, 4), dtype="int32"))          # other numbers are converted
    assert (ex.outputs[0].asnumpy() == 4).all() and ex.outputs[0].dtype == np.float32


def test_simple_bind_ignores_other_names_and_takes_groups():
    ex = net.simple_bind(CPU, x=(2, 4), label=(3,), group2ctx={"a": mx.cpu(1)}, type_dict={"no": "float64"})
    assert ex.arg_dict["x"].shape == (2, 4) and ex.arg_dict["x"].dtype == np.float32
    assert net.simple_bind(CPU, x=[np.int64(2), 4]).arg_arrays[1].shape == (3, 4)


def test_reshape_shares_memory():
    ex = net.simple_bind(CPU, x=(2, 4))
    small = ex.reshape(x=(1, 4))
    ex.arg_dict["x"][:] = 5
    ex.arg_dict["w"][:] = 7
    assert (small.arg_dict["x"].asnumpy() == 5).all() and small.arg_dict["x"].shape == (1, 4)
    ex.grad_dict["x"][:] = 3
    small.forward(is_train=True)
    small.backward(full((1, 3), 1))
    assert ex.grad_dict["x"].asnumpy().tolist() == [[21.0] * 4, [3.0] * 4] and (ex.grad_dict["w"].asnumpy() == 5).all()
    large = ex.reshape(x=(5, 4), allow_up_sizing=True)
    ex.arg_dict["w"][:] = 1
    assert (large.arg_dict["w"].asnumpy() == 1).all()
    assert [a.shape for a in ex.reshape(x=(2, 2), partial_shaping=True).arg_arrays] == [(2, 2), (3, 2)]
    for bad in (dict(zz=(2, 2)), dict(x="a"), dict(x=(2.0, 4))):
        with pytest.raises(mx.MXNetError, match="reshape"):
            ex.reshape(**bad)


def test_monitors_see_inputs_under_the_names_of_mxnet():
    s = S.softmax(S.Activation(S.sum(net * 2, axis=1, keepdims=True), act_type="relu", name="r"), name="s")
    ex = s.simple_bind(CPU, x=(2, 4), grad_req="null")
    seen = []
    ex.set_monitor_callback(lambda name, array: seen.append(name.decode()), monitor_all=True)
    ex.forward()
    assert seen[:5] == ["x", "f_data", "w", "f_weight", "f_output"] and seen[-4:] == ["r_input0", "r_output", "s_data", "s_output"]
    assert [n.split("_")[-1] for n in seen[5:-4]] == ["input0", "output"] * 2
    ex.set_monitor_callback(None)
    ex.forward()
    assert len(seen) == 13


def test_memory_report_counts_each_array_once():
    x = mx.nd.ones((8, 8))
    ex = (V("a") * V("b")).bind(CPU, {"a": x, "b": x})
    report = ex.memory()
    assert report["arguments"] == report["outputs"] == 256 and report["planned"] == 0 and report["peak"] == 512


def test_outputs_lie_on_the_context_that_was_bound():
    there, a = mx.cpu(1), mx.sym.var("a")
    s = mx.sym.Group([mx.sym.dot(a, a), mx.sym.zeros((2,)), a])
    ex = s.simple_bind(there, a=(2, 2))
    small = ex.reshape(a=(1, 1))
    for e in (ex, small):
        assert [x.context for x in (*e.outputs, *e.forward(), *e.arg_arrays, *e.grad_arrays)] == [there] * 8
    ex.set_monitor_callback(lambda name, array: None)              # operator by operator
    assert [x.context for x in ex.forward(is_train=True)] == [there] * 3
    with there:
        assert (a * 2).eval(a=mx.nd.ones((2,)))[0].context == there
    rows = mx.sym.contrib.boolean_mask(a, mx.sym.var("keep"))      # a shape that only the data tell
    ex = rows.bind(there, {"a": full((2, 2), 1).as_in_context(there), "keep": full((2,), 1).as_in_context(there)})
    assert ex.forward()[0].context == there
