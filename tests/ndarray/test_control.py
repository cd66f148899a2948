"""Loops and branches over arrays."""
import numpy as np
import pytest

import mxnd as mx

C = mx.nd.contrib


def values(*shape):
    return mx.nd.array(np.arange(1.0, 1 + np.prod(shape)).reshape(shape))


def test_foreach_structures():
    x, y = values(3, 2), values(3, 2) * 10
    out, last = C.foreach(lambda d, s: ([d[0] + d[1][0], [s]], s + 1), [x, [y]], values(2))
    assert (out[0].asnumpy() == 11 * x.asnumpy()).all()
    assert out[1][0].asnumpy().tolist() == [[1, 2], [2, 3], [3, 4]] and last.asnumpy().tolist() == [4, 5]
    assert C.foreach(lambda d, s: ([], s), x, values(2))[0] == []
    assert C.foreach(lambda d, s: (d, s), values(3), [])[0].shape == (3, 1)


def test_foreach_without_rows():
    out, last = C.foreach(lambda d, s: ([d, [d * s]], s), mx.nd.zeros((0, 2)), values(2))
    assert out[0].shape == out[1][0].shape == (0, 2) and last.asnumpy().tolist() == [1, 2]


def test_foreach_gradients_of_second_order():
    x, w = values(3, 2) / 5, values(2) / 3
    w.attach_grad()

    def loss(w, x):
        out, last = C.foreach(lambda d, s: (d * s, mx.nd.tanh(s * w + d)), x, w * 0)
        return (out * out).sum() + last.sum()
    with mx.autograd.record():
        first, = mx.autograd.grad(loss(w, x), [w], create_graph=True)
    first.backward()
    second = np.zeros(2)
    for sign in (1, -1):
        v = mx.nd.array(w, dtype="float64") + sign * 1e-5
        v.attach_grad()
        with mx.autograd.record():
            y = loss(v, mx.nd.array(x, dtype="float64"))
        y.backward()
        second += sign * v.grad.asnumpy() / 2e-5
    np.testing.assert_allclose(w.grad.asnumpy(), second, rtol=1e-3)      # the weights do not mix: the Hessian is diagonal


def test_gradient_of_rows_takes_linear_work():
    x = values(9000, 1)
    x.attach_grad()
    with mx.autograd.record():
        out, last = C.foreach(lambda d, s: (d * 2, s + d), x, mx.nd.zeros((1,)))
    mx.autograd.backward([out, last])
    assert (x.grad.asnumpy() == 3).all()


def test_while_loop():
    out, (i, t) = C.while_loop(lambda i, t: i < 4, lambda i, t: ([t], (i + 1, t * 2)), (values(1), values(2)), max_iterations=5)
    assert out[0].asnumpy().tolist() == [[1, 2], [2, 4], [4, 8], [0, 0], [0, 0]]
    assert i.asscalar() == 4 and t.asnumpy().tolist() == [8, 16]
    assert C.while_loop(lambda i: i < 0, lambda i: (i, i), values(1), max_iterations=2)[0] == []
    out, i = C.while_loop(lambda i: i < 9, lambda i: (None, i + 1), values(1), max_iterations=mx.nd.array([2]))
    assert out == [] and i.asscalar() == 3


def test_while_loop_gradient():
    t = values(2)
    t.attach_grad()
    with mx.autograd.record():
        out, _ = C.while_loop(lambda i, t: i < 3, lambda i, t: (t * t, [i + 1, t * 2]), [values(1), t], max_iterations=4)
    out.backward()
    assert t.grad.asnumpy().tolist() == [2 * 5 * 1, 2 * 5 * 2]           # t^2 + (2t)^2


def test_cond():
    x = values(2)
    x.attach_grad()
    with mx.autograd.record():
        y = C.cond(x.sum() > 100, lambda: x * 3, lambda: x * -5)
    y.backward()
    assert x.grad.asnumpy().tolist() == [-5, -5]
    assert C.cond(0, lambda: 1, lambda: [x])[0] is x


@pytest.mark.parametrize("error, call", [
    (AssertionError, lambda: C.foreach(lambda d, s: (d, s), 3, values(1))),
    (AssertionError, lambda: C.foreach(lambda d, s: (d, s), values(2), 3)),
    (AssertionError, lambda: C.foreach(lambda d, s: (3, s), values(2), values(1))),
    (IndexError, lambda: C.foreach(lambda d, s: (d, s), [], values(1))),
    (ValueError, lambda: C.foreach(lambda d, s: (d, s), [values(2), values(3)], values(1))),
    (ValueError, lambda: C.while_loop(lambda i: 1, lambda i: (i, i), values(1))),
    (ValueError, lambda: C.while_loop(lambda i: 1, lambda i: (i, i), [], max_iterations=2)),
    (ValueError, lambda: C.while_loop(lambda i: 1, lambda i: (i, [i, i]), [values(1)], max_iterations=2)),
    (ValueError, lambda: C.while_loop(lambda i: values(2), lambda i: (i, i), values(1), max_iterations=2)),
    (ValueError, lambda: C.while_loop(lambda i: 1, lambda i: (mx.nd.ones((int(i.asscalar()),)), i + 1), values(1), max_iterations=2)),
    (ValueError, lambda: C.cond(values(2), lambda: 1, lambda: 2)),
])
def test_refused(error, call):
    with pytest.raises(error):
        call()
