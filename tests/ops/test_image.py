"""Images against NumPy: layout, size, colour, random changes."""
import numpy as np
import pytest

import mxnd as mx
from mxnd.ops.errors import MXNetError

I = mx.nd.image
GREY = np.array([0.299, 0.587, 0.114])


def picture(h=4, w=5, c=3, dtype="uint8"):
    return np.random.default_rng(h * w).integers(0, 256, (h, w, c)).astype(dtype)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "int32", "float16"])
def test_layout(dtype):
    for x in (picture(dtype=dtype), picture(c=1, dtype=dtype), np.stack([picture(dtype=dtype)] * 2), picture(200, 300, dtype=dtype)):
        got = I.to_tensor(mx.nd.array(x, dtype=dtype))
        assert got.dtype == np.float32
        np.testing.assert_allclose(got.asnumpy(), np.moveaxis(x, -1, -3).astype("float32") / 255, rtol=1e-6)


def test_parts_and_mirror_images():
    x = picture()
    a = mx.nd.array(x, dtype="uint8")
    np.testing.assert_array_equal(I.flip_left_right(a).asnumpy(), x[:, ::-1])
    np.testing.assert_array_equal(I.flip_top_bottom(a).asnumpy(), x[::-1])
    np.testing.assert_array_equal(I.crop(a, x=1, y=2, width=3, height=2).asnumpy(), x[2:4, 1:4])
    for bad in (dict(x=3, y=0, width=3, height=2), dict(x=-1, y=0, width=3, height=2), dict(x=0, y=0, width=0, height=2)):
        with pytest.raises(MXNetError, match="crop"):
            I.crop(a, **bad)


def test_normalize():
    x = np.random.default_rng(0).random((2, 3, 4, 5))
    got = I.normalize(mx.nd.array(x, dtype="float64"), mean=(0.1, 0.2, 0.3), std=(1, 2, 0.5)).asnumpy()
    np.testing.assert_allclose(got, (x - np.reshape([0.1, 0.2, 0.3], (3, 1, 1))) / np.reshape([1, 2, 0.5], (3, 1, 1)))
    for bad in (dict(mean=(0.1, 0.2)), dict(std=(1, 0, 1))):
        with pytest.raises(MXNetError, match="normalize"):
            I.normalize(mx.nd.array(x), **bad)


def places(old, new):
    f = (np.arange(new) + 0.5) * old / new - 0.5
    at = np.clip(np.floor(f).astype(int), 0, old - 1)
    return at, np.minimum(at + 1, old - 1), np.clip(f, 0, old - 1) - at


@pytest.mark.parametrize("size", [(3, 2), (10, 8), (7, 3), (5, 4), (1, 1), (64, 50)])
def test_bilinear(size):
    x = picture().astype("float64")
    (t, b, v), (left, right, u) = places(4, size[1]), places(5, size[0])
    u, v = u[None, :, None], v[:, None, None]
    want = (x[t][:, left] * (1 - u) + x[t][:, right] * u) * (1 - v) + (x[b][:, left] * (1 - u) + x[b][:, right] * u) * v
    np.testing.assert_allclose(I.resize(mx.nd.array(x, dtype="float64"), size=size).asnumpy(), want, rtol=1e-5)
    got = I.resize(mx.nd.array(x, dtype="uint8"), size=size).asnumpy()
    assert np.abs(got - want).max() < 0.8                     # weights have 11 bits


def test_sizes():
    a = mx.nd.array(picture(), dtype="uint8")
    assert I.resize(a, size=2, keep_ratio=True).shape == (2, 2, 3)
    assert I.resize(a, size=8, keep_ratio=True).shape == (8, 10, 3)
    assert I.resize(mx.nd.stack(a, a), size=(3, 2)).shape == (2, 2, 3, 3)
    np.testing.assert_array_equal(I.resize(a, size=(10, 8), interp=0).asnumpy(), picture().repeat(2, 0).repeat(2, 1))
    x = picture(4, 6)
    got = I.resize(mx.nd.array(x, dtype="uint8"), size=(3, 2)).asnumpy()
    np.testing.assert_array_equal(got, (x.reshape(2, 2, 3, 2, 3).sum((1, 3), dtype=int) + 2) // 4)
    for bad in (dict(), dict(size=(3, -1)), dict(size=(1, 2, 3)), dict(size=3, interp=9)):
        with pytest.raises(MXNetError, match="resize"):
            I.resize(a, **bad)


def one(f, x, factor):
    return f(mx.nd.array(x, dtype=str(x.dtype)), min_factor=factor, max_factor=factor).asnumpy()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_colour(dtype):
    x = picture().astype(dtype)
    grey = x @ GREY
    np.testing.assert_allclose(one(I.random_brightness, x, 0.5), x * 0.5, rtol=1e-5)
    np.testing.assert_allclose(one(I.random_contrast, x, 1.5), x * 1.5 - 0.5 * grey.mean(), rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(one(I.random_saturation, x, 0.25), x * 0.25 + 0.75 * grey[..., None], rtol=1e-4)
    np.testing.assert_allclose(one(I.random_hue, x, 1.0), x, rtol=1e-5, atol=1e-4)
    third = one(I.random_hue, x, 1 / 3)                       # a third of a turn exchanges the channels
    np.testing.assert_allclose(third, x[..., [2, 0, 1]], rtol=1e-4, atol=1e-3)


def test_bytes_stay_bytes():
    x = picture()
    assert (one(I.random_brightness, x, 3.0) == np.minimum(x.astype(int) * 3, 255)).all()
    grey = mx.nd.array(picture(c=1), dtype="uint8")
    for f in (I.random_saturation, I.random_hue):
        np.testing.assert_array_equal(f(grey, min_factor=0.5, max_factor=0.5).asnumpy(), grey.asnumpy())
    np.testing.assert_array_equal(I.random_color_jitter(grey, brightness=0, contrast=0, saturation=0, hue=0).asnumpy(), grey.asnumpy())


def test_random_changes():
    mx.random.seed(5)
    x = mx.nd.ones((1, 1, 3))
    factors = np.array([I.random_brightness(x, min_factor=0.5, max_factor=2.0).asnumpy()[0, 0, 0] for _ in range(600)])
    assert 0.5 <= factors.min() < 0.55 and 1.95 < factors.max() <= 2 and abs(factors.mean() - 1.25) < 0.1
    x = mx.nd.array([[[0.0], [1.0]]])
    turned = [I.random_flip_left_right(x).asnumpy()[0, 0, 0] for _ in range(400)]
    assert 140 < sum(turned) < 260
    light = np.array([I.random_lighting(mx.nd.zeros((1, 1, 3)), alpha_std=0.1).asnumpy()[0, 0] for _ in range(600)])
    red = np.hypot(np.hypot(55.46 * 0.5675, 4.794 * 0.7192), 1.148 * 0.4009)
    assert abs(light.mean()) < 1 and 0.8 < light[:, 0].std() / (0.1 * red) < 1.2
    mx.random.seed(9)
    a = I.random_color_jitter(mx.nd.ones((2, 2, 3)), brightness=0.3, contrast=0.3, saturation=0.3, hue=0.1).asnumpy()
    mx.random.seed(9)
    np.testing.assert_array_equal(
        a, I.random_color_jitter(mx.nd.ones((2, 2, 3)), brightness=0.3, contrast=0.3, saturation=0.3, hue=0.1).asnumpy())


def test_gradients_use_the_numbers_that_were_drawn():
    x = mx.nd.array(picture(), dtype="float64")
    x.attach_grad()
    with mx.autograd.record():
        y = I.random_brightness(x, min_factor=0.5, max_factor=2.0)
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy() * x.asnumpy(), y.asnumpy())
    s = mx.sym.image.random_flip_top_bottom(mx.sym.var("x"))
    grad = mx.nd.zeros((2, 1, 1))
    ex = s.bind(mx.cpu(), {"x": mx.nd.array([[[1.0]], [[2.0]]])}, args_grad={"x": grad})
    for _ in range(10):
        out = ex.forward(is_train=True)[0].asnumpy()
        ex.backward(mx.nd.array([[[3.0]], [[4.0]]]))
        assert grad.asnumpy().ravel().tolist() == ([3, 4] if out[0, 0, 0] == 1 else [4, 3])


@pytest.mark.parametrize("kind, mode", [(0, "constant"), (1, "edge"), (2, "symmetric"), (3, "wrap"), (4, "reflect")])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float16"])
def test_borders(kind, mode, dtype):
    x = picture(3, 2, dtype=dtype)
    got = mx.nd._internal._cvcopyMakeBorder(mx.nd.array(x, dtype=dtype), top=4, bot=1, left=0, right=5, type=kind, value=7.0)
    more = {"constant_values": 7} if mode == "constant" else {}
    np.testing.assert_array_equal(got.asnumpy(), np.pad(x, ((4, 1), (0, 5), (0, 0)), mode, **more))


def test_borders_of_channels():
    got = mx.nd._internal._cvcopyMakeBorder(mx.nd.zeros((1, 1, 3)), top=1, bot=0, left=0, right=0, values=(1, 2, 3))
    assert got.asnumpy().ravel().tolist() == [1, 2, 3, 0, 0, 0]
    with pytest.raises(MXNetError, match="values"):
        mx.nd._internal._cvcopyMakeBorder(mx.nd.zeros((1, 1, 3)), top=1, bot=0, left=0, right=0, values=(1, 2))
