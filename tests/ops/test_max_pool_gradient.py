"""The gradient of 2x2 max pooling goes to the first of the largest numbers of each window."""
import itertools

import numpy as np
import pytest

import mxnd as mx


@pytest.mark.parametrize("seed", range(60))
def test_windows_of_four(seed):
    r = np.random.default_rng(seed)
    c, h, w = r.integers(1, 4), r.integers(2, 20), r.integers(2, 40)
    dtype = "float32" if seed % 2 else "float64"
    x = r.integers(-2, 3, size=(2, c, h, w)).astype(dtype)
    if seed % 3 == 0:
        x[r.random(x.shape) < 0.1] = np.nan
    if seed % 5 == 0:
        x[r.random(x.shape) < 0.3] = -np.inf
    data = mx.nd.array(x, dtype=dtype)
    data.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Pooling(data, kernel=(2, 2), stride=(2, 2), pool_type="max")
    g = r.normal(size=y.shape).astype(dtype)
    y.backward(mx.nd.array(g, dtype=dtype))
    want = np.zeros_like(x)
    for n, k, i, j in itertools.product(range(2), range(c), range(h // 2), range(w // 2)):
        best, at = -np.inf, None
        for a, b in itertools.product((2 * i, 2 * i + 1), (2 * j, 2 * j + 1)):
            if x[n, k, a, b] > best:
                best, at = x[n, k, a, b], (a, b)
        if at:
            want[(n, k, *at)] = g[n, k, i, j]
    np.testing.assert_array_equal(data.grad.asnumpy(), want)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kernel, stride", [(1, 1), (2, 2), (3, 2), (3, 1), (4, 3)])
def test_nan_is_no_largest_number(kernel, stride, dtype):
    x = np.arange(24.0)
    x[::2 * kernel] = np.nan
    x[9] = -np.inf
    lowest = np.finfo(dtype).min
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel)[::stride]
    want = np.maximum(np.where(np.isnan(windows), lowest, windows).max(-1), lowest)
    for axes in (1, 2, 3):
        for lines in (1, 2)[:axes]:
            data = np.broadcast_to(x, (1, 2, *(lines,) * (axes - 1), 24))
            y = mx.nd.Pooling(mx.nd.array(data, dtype=dtype), kernel=(*(lines,) * (axes - 1), kernel), pool_type="max",
                              stride=(*(1,) * (axes - 1), stride)).asnumpy()
            np.testing.assert_array_equal(y, np.broadcast_to(want, y.shape))
