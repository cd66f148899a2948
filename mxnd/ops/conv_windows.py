"""Convolution of which only the largest number of every window is kept: what a graph makes of a convolution and a max pooling.

The places of the numbers in their windows (counted line by line; -1 where there is none) are all that the gradients need
to know of the full image, which is never stored as a whole.  They have the data's dtype."""
from .conv import WINDOW, _conv_shapes, _convolve, _same, convolved, numbers
from .declare import REGISTRY, F, binary, op
from .linear import BOTH, without_bias
from .params import REQUIRED, flag, integer, shape
from .pool import _numbers as pool_numbers
from .shapes import known, show, unify

PLACES = 256                                    # that bfloat16 can count
LARGEST = dict(window=shape(REQUIRED, at_least=1), window_stride=shape(REQUIRED, at_least=1), window_pad=shape(REQUIRED, at_least=0))


def _largest(p):
    return {name: getattr(p, name) for name in LARGEST}


def _pooled(p, sizes):
    """Sizes of the spatial axes after the windows."""
    out = []
    count = 1
    for n, k, s, pad in zip(sizes, p.window, p.window_stride, p.window_pad):
        if pad >= k:
            raise ValueError(f"window_pad {show(p.window_pad)} is too large; expected less than window {show(p.window)}")
        if n is not None and n + 2 * pad < k:
            raise ValueError(f"window {show(p.window)} is larger than the padded image of sizes {show(tuple(sizes))}")
        out.append(None if n is None else (n + 2 * pad - k) // s + 1)
        count *= k
    if any(len(v) != len(sizes) for v in (p.window, p.window_stride, p.window_pad)) or count > PLACES:
        raise ValueError(f"window {show(p.window)}, window_stride {show(p.window_stride)} and window_pad {show(p.window_pad)} do not "
                         f"fit an image of sizes {show(tuple(sizes))}; expected one number per axis and at most {PLACES} elements")
    return tuple(out)


def _window_numbers(p, image, pooled):
    """What the kernels want to know of windows that turn image into pooled."""
    return pool_numbers(p, image, pooled, (p.window, p.window_stride, p.window_pad), "max")


def _both_numbers(p, data, image, pooled):
    return [*numbers(p, data, image), *_window_numbers(p, image, pooled)]


def _image(p, data, filters):
    return (data[0], filters, *convolved(p, data[2:]))


def _drawn(most, size):
    """Places for the tests: a nested list of numbers up to most."""
    count = [0]

    def fill(sizes):
        if not sizes:
            count[0] += 1
            return float(count[0] * 7 % most)
        return [fill(sizes[1:]) for _ in range(sizes[0])]
    return fill(size)


# ---- forward -----------------------------------------------------------------------------------------

def _shapes(p, ins, outs):
    ins, [image] = _conv_shapes(p, ins, [None])
    if image is None:
        return ins, outs
    out = unify(outs[0], (*image[:2], *_pooled(p, image[2:])), "expected and worked-out output shapes")
    return ins, [out, unify(outs[1], out)]


def _grad(p, g, x, y):
    g, place, same = g[0], y[1], dict(_same(p), **_largest(p))
    return [lambda: F._backward_conv_windows_data(g, place, x[1], shape=x[0].shape[2:], **same),
            lambda: F._backward_conv_windows_weight(g, place, x[0], **same),
            lambda: F.sum(F._where_found(g, place), axis=(0, *range(2, len(g.shape))))][:len(x)]


binary("_where_found", "y >= 0 ? x : 0", (lambda g, x, y, out: F._where_found(g, y), None), names="_where_found",
       numpy="np.where(y >= 0, x, 0)", public=lambda p, x, y: F.where(F.broadcast_greater_equal(y, F.zeros_like(y)), x, F.zeros_like(x)),
       doc="x where y is a place, 0 where it stands for none (y < 0).")

op("_conv_windows", inputs="data weight bias", takes=without_bias, outputs="output place", visible=1,
   params=dict(WINDOW, num_filter=integer(at_least=1), num_group=integer(1, at_least=1), no_bias=flag(), **LARGEST),
   shapes=_shapes, kernel="conv_windows", kernel_types=BOTH,
   arguments=lambda p, ins, outs: _both_numbers(p, ins[0], _image(p, ins[0], p.num_filter), outs[0]), grad=_grad,
   public=lambda p, *x: F.Pooling(F.Convolution(*x, num_filter=p.num_filter, no_bias=p.no_bias, **_same(p)), kernel=p.window,
                                  stride=p.window_stride, pad=p.window_pad, pool_type="max"),
   samples=(dict(inputs=[(2, 2, 7, 6), (3, 2, 2, 3), (3,)],
                 params=dict(kernel=(2, 3), num_filter=3, window=(2, 2), window_stride=(2, 2), window_pad=(0, 0))),
            dict(inputs=[(1, 4, 6, 7), (4, 2, 3, 3)],
                 params=dict(kernel=(3, 3), pad=(1, 1), num_filter=4, num_group=2, no_bias=True, window=(3, 2), window_stride=(2, 1),
                             window_pad=(1, 1))),
            dict(inputs=[(2, 2, 9), (3, 2, 3), (3,)],
                 params=dict(kernel=(3,), num_filter=3, window=(3,), window_stride=(2,), window_pad=(0,)))),
   doc="Convolution, and the largest number of every window of its output (n, num_filter, sizes): as Pooling with pool_type max.",
   example="mx.nd._internal._conv_windows(mx.nd.ones((1, 3, 6, 6)), mx.nd.ones((4, 3, 3, 3)), mx.nd.zeros((4,)), kernel=(3, 3), "
           "num_filter=4, window=(2, 2), window_stride=(2, 2), window_pad=(0, 0))")


# ---- gradients ---------------------------------------------------------------------------------------

def _check(p, grad, place, data, filters, sizes):
    """Everything fits a convolution of data whose windows have the shape of grad."""
    image = _image(p, (grad[0], data, *sizes), filters)
    unify(grad, (grad[0], filters, *_pooled(p, image[2:])), "shapes of grad and of the windows")
    unify(place, grad, "shapes of place and grad")


def _full(p, grad, place, sizes):
    return F._windows_spread(grad, place, shape=sizes, **_largest(p))


def _data_shapes(p, ins, outs):
    grad, place, weight = ins
    if not known(grad) or not known(weight):
        return ins, outs
    plain = REGISTRY["_backward_conv_data"]
    image = (grad[0], grad[1], *convolved(p, p.shape))
    _, [out] = plain.infer_shapes(plain.pack(dict(_same(p), shape=p.shape)), [image, weight])
    _check(p, grad, place, out[1], grad[1], p.shape)
    return [grad, unify(place, grad), weight], [unify(outs[0], out)]


def _data_grad(p, g, x, y):
    def full():
        return _full(p, x[0], x[1], convolved(p, p.shape))
    return [lambda: F._windows_take(_convolve(p, g[0], x[2], x[0].shape[1]), x[1], **_largest(p)), None,
            lambda: F._backward_conv_weight(full(), g[0], **_same(p))]


op("_backward_conv_windows_data", inputs="grad place weight",
   params=dict(WINDOW, num_group=integer(1, at_least=1), shape=shape(), **LARGEST), shapes=_data_shapes,
   kernel="conv_windows_data", kernel_types=BOTH,
   arguments=lambda p, ins, outs: _both_numbers(p, outs[0], _image(p, outs[0], ins[0][1]), ins[0]), grad=_data_grad,
   samples=(dict(inputs=[(2, 3, 3, 2), _drawn(5, (2, 3, 3, 2)), (3, 2, 2, 3)],
                 params=dict(kernel=(2, 3), shape=(7, 6), window=(2, 2), window_stride=(2, 2), window_pad=(0, 0))),
            dict(inputs=[(1, 4, 3, 6), _drawn(8, (1, 4, 3, 6)), (4, 1, 3, 3)],
                 params=dict(kernel=(3, 3), pad=(1, 1), num_group=2, shape=(6, 7), window=(3, 2), window_stride=(2, 1),
                             window_pad=(1, 0)))),
   doc="Gradient of `_conv_windows` for its data.",
   example="mx.nd._internal._backward_conv_windows_data(mx.nd.ones((1, 2, 1, 1)), mx.nd.zeros((1, 2, 1, 1)), "
           "mx.nd.ones((2, 4, 2, 2)), kernel=(2, 2), shape=(3, 3), window=(2, 2), window_stride=(2, 2), window_pad=(0, 0))")


def _weight_shapes(p, ins, outs):
    grad, place, data = ins
    if not known(grad) or not known(data):
        return ins, outs
    plain = REGISTRY["_backward_conv_weight"]
    _, [out] = plain.infer_shapes(plain.pack(_same(p)), [_image(p, data, grad[1]), data])
    _check(p, grad, place, data[1], grad[1], data[2:])
    return [grad, unify(place, grad), data], [unify(outs[0], out)]


def _weight_grad(p, g, x, y):
    def full():
        return _full(p, x[0], x[1], convolved(p, x[2].shape[2:]))
    return [lambda: F._windows_take(_convolve(p, x[2], g[0], x[0].shape[1]), x[1], **_largest(p)), None,
            lambda: F._backward_conv_data(full(), g[0], shape=x[2].shape[2:], **_same(p))]


op("_backward_conv_windows_weight", inputs="grad place data", params=dict(WINDOW, num_group=integer(1, at_least=1), **LARGEST),
   shapes=_weight_shapes, kernel="conv_windows_weight", kernel_types=BOTH,
   arguments=lambda p, ins, outs: _both_numbers(p, ins[2], _image(p, ins[2], ins[0][1]), ins[0]), grad=_weight_grad,
   samples=(dict(inputs=[(2, 3, 3, 2), _drawn(5, (2, 3, 3, 2)), (2, 2, 7, 6)],
                 params=dict(kernel=(2, 3), window=(2, 2), window_stride=(2, 2), window_pad=(0, 0))),),
   doc="Gradient of `_conv_windows` for its filters.",
   example="mx.nd._internal._backward_conv_windows_weight(mx.nd.ones((1, 2, 1, 1)), mx.nd.zeros((1, 2, 1, 1)), "
           "mx.nd.ones((1, 4, 3, 3)), kernel=(2, 2), window=(2, 2), window_stride=(2, 2), window_pad=(0, 0))")


def _spread_shapes(p, ins, outs):
    if not known(ins[0]):
        return ins, outs
    image = (*ins[0][:2], *p.shape)
    unify(ins[0], (*ins[0][:2], *_pooled(p, p.shape)), "shapes of grad and of the windows")
    return [ins[0], unify(ins[1], ins[0])], [unify(outs[0], image)]


op("_windows_spread", inputs="grad place", params=dict(LARGEST, shape=shape()), shapes=_spread_shapes,
   kernel="windows_spread", kernel_types=BOTH, arguments=lambda p, ins, outs: _window_numbers(p, outs[0], ins[0]),
   grad=lambda p, g, x, y: [F._windows_take(g[0], x[1], **_largest(p)), None],
   samples=(dict(inputs=[(2, 3, 3, 2), _drawn(5, (2, 3, 3, 2))],
                 params=dict(shape=(6, 4), window=(2, 2), window_stride=(2, 2), window_pad=(0, 0))),
            dict(inputs=[(1, 2, 3, 6), _drawn(8, (1, 2, 3, 6))],
                 params=dict(shape=(6, 7), window=(3, 2), window_stride=(2, 1), window_pad=(1, 0)))),
   doc="An image of the given sizes that holds every number of grad at its place in its window, and zeros.",
   example="mx.nd._internal._windows_spread(mx.nd.ones((1, 1, 2)), mx.nd.array([[[0, 1]]]), shape=(4,), window=(2,), "
           "window_stride=(2,), window_pad=(0,))")


def _take_shapes(p, ins, outs):
    if not known(ins[0]):
        return ins, outs
    out = (*ins[0][:2], *_pooled(p, ins[0][2:]))
    return [ins[0], unify(ins[1], out)], [unify(outs[0], out)]


op("_windows_take", inputs="data place", params=dict(LARGEST), shapes=_take_shapes, kernel="windows_take",
   kernel_types=BOTH, arguments=lambda p, ins, outs: _window_numbers(p, ins[0], outs[0]),
   grad=lambda p, g, x, y: [F._windows_spread(g[0], x[1], shape=x[0].shape[2:], **_largest(p)), None],
   samples=(dict(inputs=[(2, 3, 6, 4), _drawn(5, (2, 3, 3, 2))],
                 params=dict(window=(2, 2), window_stride=(2, 2), window_pad=(0, 0))),
            dict(inputs=[(1, 2, 6, 7), _drawn(8, (1, 2, 3, 6))],
                 params=dict(window=(3, 2), window_stride=(2, 1), window_pad=(1, 0)))),
   doc="The number of data at the place in every window; 0 where there is none.",
   example="mx.nd._internal._windows_take(mx.nd.ones((1, 1, 4)), mx.nd.array([[[0, 1]]]), window=(2,), "
           "window_stride=(2,), window_pad=(0,))")
