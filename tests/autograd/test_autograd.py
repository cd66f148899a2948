"""Recording, backward, grad, and functions with a gradient of the user's."""
import numpy as np
import pytest

import mxnd as mx
from mxnd import autograd as ag
from mxnd.ops.errors import MXNetError


def attached(values, req="write"):
    x = mx.nd.array(values, dtype="float64")
    x.attach_grad(req)
    return x


def test_flags():
    assert (ag.is_recording(), ag.is_training()) == (False, False)
    with ag.record():
        assert (ag.is_recording(), ag.is_training()) == (True, True)
        with ag.pause():
            assert (ag.is_recording(), ag.is_training()) == (False, False)
        with ag.predict_mode():
            assert (ag.is_recording(), ag.is_training()) == (True, False)
    with ag.record(train_mode=False):
        assert (ag.is_recording(), ag.is_training()) == (True, False)
    with pytest.raises(RuntimeError, match="mine"), ag.record():
        raise RuntimeError("mine")
    assert (ag.is_recording(), ag.is_training()) == (False, False)
    assert ag.set_recording(True) is False and ag.set_recording(False) is True


def test_requests():
    for req, want in (("write", [6.0]), ("add", [18.0]), ("null", None)):
        x, w = attached([3.0], req), attached([1.0])
        for _ in range(3):
            with ag.record():
                y = x * x + w
            y.backward()
        assert (x.grad if want is None else x.grad.asnumpy().tolist()) == want
    with pytest.raises(KeyError):
        x.attach_grad("other")


def test_gradient_handles_share_memory():
    x = attached([1.0, 2.0])
    g = x.grad
    assert x.grad is not g
    with ag.record():
        y = x * x
    y.backward()
    assert g.asnumpy().tolist() == [2.0, 4.0]


def test_used_twice_and_shared_parts():
    x = attached([0.5])
    with ag.record():
        a = mx.nd.exp(x)
        y = a * a + a + x
    y.backward()
    assert x.grad.asscalar() == pytest.approx(2 * np.exp(1.0) + np.exp(0.5) + 1)


def test_head_gradients():
    x = attached([1.0, 2.0])
    with ag.record():
        y = x * x
    y.backward(mx.nd.array([1.0, 10.0], dtype="float64"), retain_graph=True)
    assert x.grad.asnumpy().tolist() == [2.0, 40.0]
    with pytest.raises(MXNetError, match="shape"):
        y.backward(mx.nd.ones((3,), dtype="float64"), retain_graph=True)
    with pytest.raises(AssertionError):
        ag.backward([y], [None, None])
    ag.backward([y, y], [None, mx.nd.array([1.0, 0.0], dtype="float64")])
    assert x.grad.asnumpy().tolist() == [4.0, 4.0]


def test_errors():
    x = attached([1.0])
    with pytest.raises(MXNetError, match="computational graph"):
        (x * 2).backward()
    with ag.record():
        y = x * 2
    y.backward()
    with pytest.raises(MXNetError, match="computational graph"):
        y.backward()
    z = attached([1.0], "null")
    with ag.record():
        y = z * 2
    with pytest.raises(MXNetError, match="require gradients"):
        y.backward()


def test_views_and_indexing_are_differentiable():
    x = attached(np.arange(12.0).reshape(3, 4))
    with ag.record():
        y = x[1].sum() + (x[:, 1] * 2).sum() + x.reshape((12,))[3] * 5 + x[[0, 0, 2], [1, 1, 3]].sum() + x[::-1][0].sum()
    y.backward()
    want = np.zeros((3, 4))
    want[1] += 1
    want[:, 1] += 2
    want[0, 3] += 5
    want[0, 1] += 2
    want[2, 3] += 1
    want[2] += 1
    np.testing.assert_array_equal(x.grad.asnumpy(), want)


def test_in_place_while_recording_raises():
    x, y = attached([1.0, 2.0]), mx.nd.ones((2,), dtype="float64")
    with ag.record():
        z = x * 2
        for f in (lambda: z.__iadd__(1), lambda: z.__setitem__(0, 1.0), lambda: mx.nd.exp(x, out=x), lambda: y.__iadd__(1)):
            with pytest.raises(MXNetError):
                f()
        fresh = mx.nd.zeros((2,), dtype="float64")
        fresh[:] = z * 3
    fresh.backward()
    assert x.grad.asnumpy().tolist() == [6.0, 6.0]


@pytest.mark.parametrize("order, want", [(1, [12.0]), (2, [12.0]), (3, [6.0]), (4, [0.0])])
def test_any_order(order, want):
    x = attached([2.0])
    with ag.record():
        y = x ** 3
        for _ in range(order):
            y, = ag.grad(y, x, create_graph=True)
    np.testing.assert_allclose(y.asnumpy(), want, atol=1e-12)


def test_grad_leaves_buffers_alone():
    x = attached([2.0])
    with ag.record():
        y = x * x
        z = y * 3
    g = ag.grad(z, [x, y])
    assert [v.asnumpy().tolist() for v in g] == [[12.0], [3.0]] and x.grad.asnumpy().tolist() == [0.0]
    with pytest.raises(MXNetError):
        ag.grad(z, [mx.nd.ones((1,))])


def test_detach_and_attach_cut_the_graph():
    x = attached([2.0])
    with ag.record():
        y = x * x
        y.attach_grad()
        z = y * 3 + x.detach() * x
    z.backward()
    assert y.grad.asscalar() == 3 and x.grad.asscalar() == 2


def test_mark_variables():
    x, g = mx.nd.ones((2,)), mx.nd.zeros((2,))
    ag.mark_variables([x], [g])
    with ag.record():
        y = x * 3
    y.backward()
    assert g.asnumpy().tolist() == [3, 3]


class Cube(ag.Function):
    def forward(self, x, y):
        assert not ag.is_recording()
        self.save_for_backward(x, y)
        return x * x * x + y, x - y

    def backward(self, g, h):
        x, _ = self.saved_tensors
        return g * 3 * x * x + h, g - h


def test_function():
    x, y = attached([2.0]), attached([5.0])
    with ag.record():
        f = Cube()
        a, b = f(x, y)
        z = a * 2 + b
    z.backward()
    assert (x.grad.asscalar(), y.grad.asscalar()) == (25.0, 1.0)
    with pytest.raises(AssertionError):
        f(x, y)


def test_function_with_wrong_gradients():
    class Wrong(Cube):
        def backward(self, g, h):
            return g
    x, y = attached([2.0]), attached([5.0])
    with ag.record():
        a, _ = Wrong()(x, y)
    with pytest.raises(MXNetError, match="number of gradients"):
        a.backward()


def test_deep_graphs_need_no_stack():
    x = attached([1.0])
    with ag.record():
        y = x
        for _ in range(100000):
            y = y + 1
    y.backward()
    assert x.grad.asscalar() == 1
    with ag.record():
        y = x
        for _ in range(100000):
            y = y + 1
    del y                                              # freed without being walked


def test_whole_number_arrays_have_gradients():
    x = mx.nd.array([2, 3], dtype="int32")
    x.attach_grad()
    with ag.record():
        y = x * x
    y.backward()
    assert x.grad.asnumpy().tolist() == [4, 6] and x.grad.dtype == np.int32
