"""Convolution and its gradients over many geometries, against sums over the elements of the filter in NumPy."""
import itertools

import numpy as np
import pytest

import mxnd as mx

# images, channels, size, filters, kernel, stride, dilate, pad, groups
GEOMETRIES = [
    (64, 1, (28, 28), 20, (5, 5), (1, 1), (1, 1), (0, 0), 1),       # few channels, many images in a chunk
    (40, 20, (12, 12), 50, (5, 5), (1, 1), (1, 1), (0, 0), 1),      # 48 + 2 filters
    (3, 5, (30, 37), 18, (3, 5), (1, 1), (1, 2), (2, 0), 1),        # dilated, padded one way
    (2, 3, (9, 50), 7, (3, 3), (1, 1), (1, 1), (1, 1), 1),          # few filters, lines longer than a vector
    (2, 4, (40, 40), 6, (4, 3), (2, 1), (1, 1), (0, 0), 1),         # a stride across lines only
    (2, 4, (17, 23), 6, (3, 3), (2, 3), (1, 1), (1, 1), 2),         # strides, groups
    (5, 6, (7, 7), 12, (7, 7), (1, 1), (1, 1), (3, 3), 3),
    (2, 70, (7, 9), 65, (3, 3), (1, 1), (1, 1), (1, 1), 1),         # several units of channels
    (1, 4, (21, 21), 17, (1, 1), (1, 1), (1, 1), (0, 0), 1),        # the columns are the image
    (9, 8, (6, 6), 33, (1, 1), (1, 1), (1, 1), (0, 0), 1),
    (2, 3, (4, 230), 5, (2, 40), (1, 1), (1, 1), (0, 0), 1),        # more elements in a filter's row than masks are kept for
    (1, 3, (3, 500), 20, (2, 3), (1, 1), (1, 3), (0, 0), 1),        # lines longer than a tile
    (4, 3, (100,), 19, (9,), (1,), (1,), (2,), 1),
    (2, 2, (5, 6, 7), 4, (3, 2, 3), (1, 1, 1), (1, 2, 1), (1, 0, 0), 1),
    (2, 2, (6, 6, 6), 4, (3, 3, 2), (2, 2, 1), (1, 1, 1), (1, 1, 0), 2),
]


def pieces(x, out, kernel, stride, dilate, pad):
    """For each element of the filter: its place, and the part of the padded image that it meets."""
    for place in itertools.product(*map(range, kernel)):
        yield place, tuple(slice(p * d, p * d + s * (o - 1) + 1, s)
                           for p, d, s, o in zip(place, dilate, stride, out))


def reference(x, w, g, stride, dilate, pad, groups):
    """y, and the gradients for x and w, all in float64."""
    n, c, f = len(x), x.shape[1], len(w)
    out, kernel = g.shape[2:], w.shape[2:]
    wide = np.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in pad]).reshape(n, groups, c // groups, *(
        s + 2 * p for s, p in zip(x.shape[2:], pad)))
    ww, gg = w.reshape(groups, f // groups, c // groups, *kernel), g.reshape(n, groups, f // groups, *out)
    y, gx, gw = np.zeros_like(gg), np.zeros_like(wide), np.zeros_like(ww)
    for place, part in pieces(x, out, kernel, stride, dilate, pad):
        at, seen = (slice(None),) * 3 + place, wide[(slice(None),) * 3 + part]
        y += np.einsum("ngc...,gfc->ngf...", seen, ww[at])
        gx[(slice(None),) * 3 + part] += np.einsum("ngf...,gfc->ngc...", gg, ww[at])
        gw[at] = np.einsum("ngfq,ngcq->gfc", gg.reshape(*gg.shape[:3], -1), seen.reshape(*seen.shape[:3], -1))
    gx = gx[(slice(None),) * 3 + tuple(slice(p, p + s) for p, s in zip(pad, x.shape[2:]))]
    return y.reshape(g.shape), gx.reshape(x.shape), gw.reshape(w.shape)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=lambda g: "x".join(map(str, g[2])) + f"_{g[3]}")
def test_convolution(geometry, dtype, threads):
    n, c, size, f, kernel, stride, dilate, pad, groups = geometry
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((n, c, *size)), rng.standard_normal((f, c // groups, *kernel))
    a, b = mx.nd.array(x, dtype=dtype), mx.nd.array(w, dtype=dtype)
    a.attach_grad()
    b.attach_grad()
    before = mx.set_num_threads(threads)
    try:
        with mx.autograd.record():
            y = mx.nd.Convolution(a, b, no_bias=True, num_filter=f, kernel=kernel, stride=stride, dilate=dilate, pad=pad,
                                  num_group=groups)
        g = rng.standard_normal(y.shape)
        y.backward(mx.nd.array(g, dtype=dtype))
    finally:
        mx.set_num_threads(before)
    small = 2e-6 if dtype == "float32" else 1e-14
    x, w, g = (v.astype(dtype).astype("float64") for v in (x, w, g))
    for got, want in zip((y, a.grad, b.grad), reference(x, w, g, stride, dilate, pad, groups)):
        np.testing.assert_allclose(got.asnumpy(), want, atol=small * np.abs(want).max() * 4, rtol=0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("groups", [1, 2])
def test_no_channels(groups, dtype):
    junk = mx.nd.full((3, 4, 5, 5), 7, dtype=dtype)                 # memory that is used again is not zero
    del junk
    x, w, b = mx.nd.zeros((3, 0, 6, 6), dtype=dtype), mx.nd.zeros((4, 0, 2, 2), dtype=dtype), mx.nd.arange(4, dtype=dtype)
    same = dict(kernel=(2, 2), num_filter=4, num_group=groups)
    assert (mx.nd.Convolution(x, w, no_bias=True, **same).asnumpy() == 0).all()
    assert (mx.nd.Convolution(x, w, b, **same).asnumpy() == np.arange(4).reshape(1, 4, 1, 1)).all()
    for v in (x, w):
        v.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Convolution(x, w, no_bias=True, **same)
    y.backward()
    assert x.grad.shape == x.shape and w.grad.shape == w.shape
