"""8-bit integers with ranges, and layers on them."""
import numpy as np
import pytest

import mxnd as mx
from mxnd.ops.errors import MXNetError

C = mx.nd.contrib


def array(v, dtype="float32"):
    return mx.nd.array(v, dtype=dtype)


def ends(low, high):
    return array([low]), array([high])


def test_there_and_back():
    x = np.random.default_rng(0).standard_normal(100_001).astype("float32")
    q, low, high = C.quantize_v2(array(x))
    limit = np.abs(x).max()
    assert q.dtype == np.int8 and high.asscalar() == limit == -low.asscalar()
    assert np.abs(C.dequantize(q, low, high).asnumpy() - x).max() <= limit / 127.5 * 0.5001 + limit / 127.5 * 0.5
    q, low, high = C.quantize_v2(array(np.abs(x)), out_type="auto", min_calib_range=0.0, max_calib_range=2.0)
    assert q.dtype == np.uint8 and (low.asscalar(), high.asscalar()) == (0, 2)
    inside = np.abs(x) < 1.99
    assert np.abs(C.dequantize(q, low, high).asnumpy() - np.abs(x))[inside].max() <= 2 / 255


def test_halves_go_to_even_and_nothing_wraps_round():
    x = array([-3.5, -2.5, -0.5, 0.5, 1.5, 200, -200])
    assert C.quantize(x, *ends(-127, 127), out_type="int8")[0].asnumpy().tolist() == [-4, -2, 0, 0, 2, 127, -128]
    assert C.quantize(x, *ends(0, 255))[0].asnumpy().tolist() == [0, 0, 0, 0, 2, 200, 0]
    assert C.quantize_v2(array([0.0, 0.0]))[0].asnumpy().tolist() == [0, 0]
    assert C.quantize_v2(mx.nd.zeros((0,)))[0].shape == (0,)


def test_requantize():
    y = array([-10**9, 5 * 10**5, 10**8, 2**31 - 1], "int32")
    q, low, high = C.requantize(y, *ends(-1, 1), min_calib_range=-0.5, max_calib_range=0.25)
    assert q.asnumpy().tolist() == [-118, 0, 12, 127] and (low.asscalar(), high.asscalar()) == (-0.5, 0.5)
    q, low, high = C.requantize(y, *ends(-1, 1))
    assert q.asnumpy().tolist() == [-59, 0, 6, 127] and high.asscalar() == 1


@pytest.mark.parametrize("call", [
    lambda: C.quantize(array([1.0]), mx.nd.zeros((2,)), mx.nd.zeros((2,))), lambda: C.quantize_v2(array([1.0]), min_calib_range=1.0),
    lambda: C.dequantize(array([1.0]), *ends(0, 1)), lambda: C.requantize(array([1.0]), *ends(0, 1)),
    lambda: C.quantized_act(array([1], "int8"), *ends(0, 1), act_type="tanh"),
    lambda: C.quantized_concat(array([1], "int8"), *ends(0, 1), num_args=2)])
def test_misuse(call):
    with pytest.raises(MXNetError, match="quantize"):
        call()


def real(q, low, high):
    """What a result with a range stands for."""
    steps = {"int32": 2.0 ** 31 - 1, "int8": 127.5, "uint8": 255.5}[str(q.asnumpy().dtype)]
    return q.asnumpy() * max(abs(low.asscalar()), abs(high.asscalar())) / steps


def quantized(x, unsigned=False):
    q = C.quantize_v2(array(x), out_type="uint8" if unsigned else "int8")
    return q


@pytest.mark.parametrize("unsigned", [False, True])
def test_layers(unsigned):
    rng = np.random.default_rng(1)
    x = rng.random((2, 3, 5, 6)) if unsigned else rng.uniform(-1, 1, (2, 3, 5, 6))
    w, b = rng.uniform(-0.5, 0.5, (4, 3, 3, 3)), rng.uniform(-1, 1, 4)
    (x8, *xr), (w8, *wr), (b8, *br) = quantized(x, unsigned), quantized(w), quantized(b)
    got = real(*C.quantized_conv(x8, w8, b8, *xr, *wr, *br, kernel=(3, 3), num_filter=4, pad=(1, 1)))
    want = mx.nd.Convolution(array(x), array(w), array(b), kernel=(3, 3), num_filter=4, pad=(1, 1)).asnumpy()
    assert np.abs(got - want).max() < 0.06
    m = rng.uniform(-0.5, 0.5, (4, 90))
    m8, *mr = quantized(m)
    got = real(*C.quantized_fully_connected(x8, m8, b8, *xr, *mr, *br, num_hidden=4))
    assert np.abs(got - (x.reshape(2, -1) @ m.T + b)).max() < 0.12
    got = real(*C.quantized_fully_connected(x8, m8, *xr, *mr, num_hidden=4, no_bias=True))
    assert np.abs(got - x.reshape(2, -1) @ m.T).max() < 0.12


def test_element_by_element_and_joined():
    rng = np.random.default_rng(2)
    x, y = rng.uniform(-1, 1, (3, 4)), rng.uniform(-2, 2, (3, 4))
    (x8, *xr), (y8, *yr) = quantized(x), quantized(y)
    assert np.abs(real(*C.quantized_elemwise_add(x8, y8, *xr, *yr)) - (x + y)).max() < 0.02
    assert np.abs(real(*C.quantized_elemwise_add(x8, y8, *xr, *yr, min_calib_range=-3.0, max_calib_range=3.0)) - (x + y)).max() < 0.03
    assert np.abs(real(*C.quantized_elemwise_mul(x8, y8, *xr, *yr)) - x * y).max() < 0.04
    assert np.abs(C.quantized_elemwise_mul(x8, y8, *xr, *yr, enable_float_output=True).asnumpy() - x * y).max() < 0.04
    assert np.abs(real(*C.quantized_concat(x8, y8, *xr, *yr, num_args=2)) - np.concatenate([x, y], 1)).max() < 0.02
    u8, *ur = quantized(np.abs(x), unsigned=True)
    assert np.abs(real(*C.quantized_concat(u8, y8, *ur, *yr, num_args=2)) - np.concatenate([np.abs(x), y], 1)).max() < 0.02


def test_calibration_finds_the_threshold_that_mxnet_finds():
    x = np.round(np.exp(-np.linspace(-6, 6, 1001) ** 2) * 1000)
    threshold, divergence = C.calibrate_entropy(array(x), array(np.linspace(-4, 4, 1002)), num_quantized_bins=15)
    assert abs(threshold.asscalar() - 1.5544455) < 1e-6 and abs(divergence.asscalar() - 0.0085352) < 1e-5


def test_a_quantized_graph():
    x, w = mx.sym.var("x"), mx.sym.var("w")
    q, w8 = mx.sym.contrib.quantize_v2(x), mx.sym.contrib.quantize_v2(w)
    y = mx.sym.contrib.quantized_fully_connected(q[0], w8[0], q[1], q[2], w8[1], w8[2], num_hidden=2, no_bias=True)
    z = mx.sym.contrib.requantize(*y)
    out = mx.sym.contrib.dequantize(*z)
    again = mx.sym.load_json(out.tojson())
    a, b = np.array([[0.5, -1.0, 0.25]]), np.array([[1.0, 0.5, -0.5], [0.2, 0.4, 0.6]])
    for s in (out, again):
        got = s.eval(x=array(a), w=array(b))[0].asnumpy()
        np.testing.assert_allclose(got, a @ b.T, atol=0.01)
