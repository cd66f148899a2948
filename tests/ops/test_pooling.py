"""Pooling of quarters (2x2, two apart), which has loops of its own, and its gradient."""
import numpy as np
import pytest

import mxnd as mx


@pytest.mark.parametrize("kind", ["avg", "sum", "max"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(3, 5, 8, 6), (2, 3, 2, 2), (2, 2, 64, 64), (2, 2, 10, 38), (1, 2, 4, 2050), (2, 3, 9, 7)])
def test_quarters(shape, dtype, kind):
    rng = np.random.default_rng(0)
    x = mx.nd.array(rng.standard_normal(shape), dtype=dtype)
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type=kind)
    high, wide = shape[2] // 2, shape[3] // 2
    g = rng.standard_normal((*shape[:2], high, wide)).astype(dtype)
    y.backward(mx.nd.array(g, dtype=dtype))
    used = x.asnumpy()[:, :, :2 * high, :2 * wide]
    blocks = used.reshape(*shape[:2], high, 2, wide, 2)
    want = {"avg": blocks.mean((3, 5)), "sum": blocks.sum((3, 5)), "max": blocks.max((3, 5))}[kind]

    def spread(v):
        return np.repeat(np.repeat(v, 2, 2), 2, 3)
    np.testing.assert_allclose(y.asnumpy(), want, rtol=1e-5, atol=1e-6)
    grad = np.zeros(shape)
    grad[:, :, :2 * high, :2 * wide] = {"avg": spread(g) / 4, "sum": spread(g), "max": spread(g) * (used == spread(want))}[kind]
    np.testing.assert_allclose(x.grad.asnumpy(), grad, rtol=1e-6)
