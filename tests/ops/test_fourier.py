"""Fourier transforms of every length, sketches and Hawkes processes."""
import numpy as np
import pytest

import mxnd as mx
from mxnd.ops.errors import MXNetError

C = mx.nd.contrib
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 30, 31, 37, 49, 60, 97, 128, 143, 210, 509, 1000, 1024, 2047, 4099, 7919]


def pairs(z):
    return np.stack([z.real, z.imag], -1).reshape(*z.shape[:-1], -1)


@pytest.mark.parametrize("n", LENGTHS)
def test_transforms(n):
    for lines in (1, 2, 3, 9):
        rng = np.random.default_rng(n)
        x, z = rng.standard_normal((lines, n)), rng.standard_normal((lines, n)) + 1j * rng.standard_normal((lines, n))
        for dtype, limit in (("float64", 1e-14), ("float32", 2e-6)):
            got = C.fft(mx.nd.array(x, dtype=dtype)).asnumpy()
            assert np.abs(got - pairs(np.fft.fft(x))).max() < limit * n ** 0.5 * 5
            got = C.ifft(mx.nd.array(pairs(z), dtype=dtype)).asnumpy()
            assert np.abs(got - (np.fft.ifft(z) * n).real).max() < limit * n ** 0.5 * 5


def test_a_long_line_and_axes_before_the_last():
    x = np.random.default_rng(0).standard_normal(2 ** 17 + 1)
    np.testing.assert_allclose(C.fft(mx.nd.array(x, dtype="float64")).asnumpy(), pairs(np.fft.fft(x)), atol=1e-9)
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 10))
    got = C.fft(mx.nd.array(x), compute_size=2)
    assert got.shape == (2, 3, 4, 20)
    np.testing.assert_allclose(C.ifft(got).asnumpy() / 10, x, atol=1e-6)
    assert C.fft(mx.nd.zeros((0, 4))).shape == (0, 8)


def test_lines_do_not_touch_each_other():
    x = np.ones((8, 12), "float32")
    x[3, 2] = np.nan
    got = C.fft(mx.nd.array(x)).asnumpy()
    assert np.isnan(got[3]).all() and np.isfinite(np.delete(got, 3, 0)).all()


@pytest.mark.parametrize("f, shape", [(C.fft, ()), (C.fft, (3, 0)), (C.ifft, (2, 3))])
def test_lines_that_cannot_be(f, shape):
    with pytest.raises(MXNetError, match="fft"):
        f(mx.nd.zeros(shape))


def test_count_sketch():
    x = mx.nd.array([[1.2, 2.5, 3.4], [3.2, 5.7, 6.6]])
    got = C.count_sketch(x, mx.nd.array([[0, 3, 4]]), mx.nd.array([[1, -1, 1]]), out_dim=5)
    np.testing.assert_allclose(got.asnumpy(), [[1.2, 0, 0, -2.5, 3.4], [3.2, 0, 0, -5.7, 6.6]])
    for place in (5, -1):
        with pytest.raises(IndexError):
            C.count_sketch(x, mx.nd.array([[0, 3, place]]), mx.nd.array([[1, -1, 1]]), out_dim=5)


def test_hawkes_likelihood_is_that_of_its_intensity():
    lda, alpha, beta, state, end = np.array([[0.7, 0.4]]), np.array([0.3, 0.5]), np.array([1.5, 0.8]), np.array([[0.2, 0.6]]), 6.0
    lags, marks = np.array([[0.5, 1.0, 0.25, 2.0, 9.0]]), np.array([[0, 1, 1, 0, 1]])
    times = np.cumsum(lags[0])[:4]

    def intensity(t, k):
        before = np.exp(-beta[k] * (t - times[(times < t) & (marks[0, :4] == k)])).sum()
        return lda[0, k] + alpha[k] * beta[k] * (before + state[0, k] * np.exp(-beta[k] * t))
    grid = (np.arange(200000) + 0.5) / 200000 * end
    expected = 0.0
    for k in (0, 1):
        own = times[marks[0, :4] == k]
        kernel = state[0, k] * np.exp(-beta[k] * grid)
        for t in own:
            kernel = kernel + np.where(grid > t, np.exp(-beta[k] * np.maximum(grid - t, 0)), 0)
        expected += (lda[0, k] + alpha[k] * beta[k] * kernel).mean() * end
    want = sum(np.log(intensity(t, k)) for t, k in zip(times, marks[0])) - expected
    args = [mx.nd.array(v, dtype="float64") for v in (lda, alpha, beta, state, lags)]
    count, end = (mx.nd.array([v], dtype="float64") for v in (4, end))
    got, after = C.hawkesll(*args, mx.nd.array(marks, dtype="int32"), count, end)
    assert abs(got.asscalar() - want) < 1e-4
    np.testing.assert_allclose(after.asnumpy()[0, 0], 0.2 * np.exp(-1.5 * 6) + np.exp(-1.5 * (6 - times[[0, 3]])).sum())
