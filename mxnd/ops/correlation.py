"""Correlation of two images, and the forms that its derivatives of any order are made of."""
from .declare import FLOATS, F, op
from .params import flag, integer
from .roi import sides
from .shapes import show, unify

PRODUCT, DISTANCE, SIGN, SPREAD, SPREAD_SIGN = 0, 1, 2, 4, 6         # ways, by the kernel's number; + 1: of the second image
WINDOW = dict(kernel_size=integer(1, at_least=1, at_most=4096), max_displacement=integer(1, at_least=0, at_most=4096),
              stride1=integer(1, at_least=1), stride2=integer(1, at_least=1), pad_size=integer(0, at_least=0, at_most=16384))
SECOND = dict(second=flag())


def _output(p, data):
    """The output's shape for images of this shape."""
    if p.kernel_size % 2 == 0:
        raise ValueError(f"kernel_size is {p.kernel_size}; expected an odd number")
    border = 2 * (p.max_displacement + p.kernel_size // 2)
    out = []
    for n in data[2:]:
        if n is not None and n + 2 * p.pad_size <= border:
            raise ValueError(f"images of shape {show(data)}, padded by {p.pad_size}, are too small for displacements of "
                             f"{p.max_displacement} and kernel_size {p.kernel_size}")
        out.append(None if n is None else -((border - n - 2 * p.pad_size) // p.stride1))
    return (data[0], (2 * (p.max_displacement // p.stride2) + 1) ** 2, *out)


def _forward_shapes(p, ins, outs):
    data = None
    for s in ins:
        data = unify(data, sides(s), "shapes of the images")
    return [data] * len(ins), outs if data is None else [unify(outs[0], _output(p, data))]


def _spread_shapes(p, ins, outs):
    data = outs[0]
    for s in ins[1:]:
        data = unify(data, sides(s), "shapes of the images")
    if data is None:
        return ins, outs
    return [unify(ins[0], _output(p, data), "shape of head and the output's"), *[data] * (len(ins) - 1)], [data]


def _numbers(p, way, image, out):
    return [way, *image, *out[2:], p.kernel_size, p.max_displacement, p.stride1, p.stride2, p.pad_size]


def _window(p, **more):
    return dict({k: getattr(p, k) for k in WINDOW}, **more)


def _spread(g, other, p, second):
    return F._correlation_spread(g, other, **_window(p, second=second))


def _spread_sign(g, a, b, p, second):
    return F._correlation_spread_sign(g, a, b, **_window(p, second=second))


def _sign(h, a, b, p, second):
    return F._correlation_sign(h, a, b, **_window(p, second=second))


def _grad(p, g, x, y):
    a, b = x
    if p.is_multiply:
        return [lambda: _spread(g[0], b, p, False), lambda: _spread(g[0], a, p, True)]
    return [lambda: _spread_sign(g[0], a, b, p, False), lambda: _spread_sign(g[0], a, b, p, True)]


def _spread_grad(p, g, x, y):
    """Head times b summed at a: with an image h in the place of a it is the correlation of h and b (second: of a and h)."""
    head, other = x
    pair = (other, g[0]) if p.second else (g[0], other)
    return [lambda: F.Correlation(*pair, **_window(p)), lambda: _spread(head, g[0], p, not p.second)]


_TWO = [(1, 2, 5, 6)] * 2
_SHAPES = (dict(kernel_size=1, max_displacement=1), dict(kernel_size=3, max_displacement=2, stride1=2, stride2=2, pad_size=3))
op("Correlation", stored=3, inputs="data1 data2", params=dict(WINDOW, is_multiply=flag(True)), shapes=_forward_shapes, kernel="correlation",
   kernel_types=FLOATS, grad=_grad,
   arguments=lambda p, ins, outs: _numbers(p, PRODUCT if p.is_multiply else DISTANCE, ins[0], outs[0]),
   samples=tuple(dict(inputs=_TWO, params=dict(w, is_multiply=m)) for w in _SHAPES for m in (True, False)),
   doc="""Patches of data1 compared with displaced patches of data2; both are (samples, channels, height, width).

    The result is (samples, displacements, rows, columns): the mean product (is_multiply), or mean absolute difference, of
    kernel_size x kernel_size patches over all channels.  Patches of data1 lie stride1 apart; those of data2 are displaced by
    multiples of stride2 up to max_displacement along both axes.  pad_size zeros surround both.
    Source: Fischer et al., FlowNet, 2015.""",
   example="mx.nd.Correlation(mx.nd.ones((1, 2, 5, 5)), mx.nd.ones((1, 2, 5, 5)))")
op("_correlation_spread", inputs="head other", params=dict(WINDOW, **SECOND), shapes=_spread_shapes, kernel="correlation",
   kernel_types=FLOATS, arguments=lambda p, ins, outs: _numbers(p, SPREAD + p.second, outs[0], ins[0]), grad=_spread_grad,
   samples=tuple(dict(inputs=[(1, 9, 3, 4), (1, 2, 5, 6)], params=dict(second=s)) for s in (False, True)),
   doc="Gradient of Correlation by data1, where other is data2, or (second) the other way round.")
op("_correlation_sign", inputs="image data1 data2", params=dict(WINDOW, **SECOND), shapes=_forward_shapes, kernel="correlation",
   kernel_types=FLOATS, arguments=lambda p, ins, outs: _numbers(p, SIGN + p.second, ins[0], outs[0]),
   grad=lambda p, g, x, y: [lambda: _spread_sign(g[0], x[1], x[2], p, p.second), None, None],
   samples=tuple(dict(inputs=[(1, 2, 5, 6)] * 3, params=dict(second=s)) for s in (False, True)),
   doc="Correlation of absolute differences, moved along image in the place of data1 or (second) data2.")
op("_correlation_spread_sign", inputs="head data1 data2", params=dict(WINDOW, **SECOND), shapes=_spread_shapes, kernel="correlation",
   kernel_types=FLOATS, arguments=lambda p, ins, outs: _numbers(p, SPREAD_SIGN + p.second, outs[0], ins[0]),
   grad=lambda p, g, x, y: [lambda: _sign(g[0], x[1], x[2], p, p.second), None, None],
   samples=tuple(dict(inputs=[(1, 9, 3, 4), (1, 2, 5, 6), (1, 2, 5, 6)], params=dict(second=s)) for s in (False, True)),
   doc="Gradient of Correlation of absolute differences by data1 or (second) data2.")
