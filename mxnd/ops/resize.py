"""Images brought to a given size: AdaptiveAvgPooling2D and BilinearResize2D."""
from .declare import FLOATS, F, op
from .params import choice, flag, integer, number, shape
from .roi import ADAPTIVE, RESIZE, sides
from .shapes import show, unify


def _numbers(kind, option=0):
    """arguments(large image's shape, small one's); all images and channels are one row of planes."""
    return lambda data, out: [kind, 1, 1, data[0] * data[1], *data[2:], *out[2:], 1, 1, option, 0, 1.0]


def _to(size):
    """Images of another size; an adjoint may get images without pixels, which give zeros."""
    def rule(p, ins, outs):
        data = sides(ins[0])
        if data is None:
            return ins, outs
        out = unify(outs[0], (*data[:2], *size(p, ins)), "expected and worked-out output shapes")
        if size is not _given and 0 in data[2:] and 0 not in out[2:]:
            raise ValueError(f"data has shape {show(data)}; expected pixels to make {show(out)} from")
        return ins, [out]
    return rule


def _given(p, ins):
    if len(p.shape) != 2 or min(p.shape) < 0:
        raise ValueError(f"shape is {show(p.shape)}; expected (height, width)")
    return p.shape


def _adaptive_size(p, ins):
    size = p.output_size or (1,)
    if len(size) > 2:
        raise ValueError(f"output_size is {show(size)}; expected one or two numbers")
    return size * 2 if len(size) == 1 else size


op("_contrib_AdaptiveAvgPooling2D", params=dict(output_size=shape((), at_least=0)), shapes=_to(_adaptive_size),
   kernel="bands_take", kernel_types=FLOATS, arguments=lambda p, ins, outs: _numbers(ADAPTIVE)(ins[0], outs[0]),
   grad=lambda p, g, x, y: [lambda: F._backward_contrib_AdaptiveAvgPooling2D(g[0], shape=tuple(x[0].shape[2:]))],
   samples=(dict(inputs=[(2, 2, 4, 6)], params=dict(output_size=(2, 3)), numpy="data.reshape(2, 2, 2, 2, 3, 2).mean((3, 5))"),
            dict(inputs=[(1, 2, 3, 5)], params=dict(output_size=2)),
            dict(inputs=[(1, 2, 3, 5)], params=dict(output_size=(4, 7))), dict(inputs=[(1, 2, 3, 5)], params={})),
   doc="""Means of windows that divide data (samples, channels, height, width) into output_size windows.

    output_size is (height, width), one number for both, or () for 1.  Windows overlap where sizes do not divide.""",
   example="mx.nd.contrib.AdaptiveAvgPooling2D(mx.nd.ones((1, 1, 6, 6)), output_size=(2, 3))")
op("_backward_contrib_AdaptiveAvgPooling2D", inputs="head", params=dict(shape=shape()), shapes=_to(_given), kernel="bands_spread",
   kernel_types=FLOATS, arguments=lambda p, ins, outs: _numbers(ADAPTIVE)(outs[0], ins[0]),
   grad=lambda p, g, x, y: [lambda: F._contrib_AdaptiveAvgPooling2D(g[0], output_size=tuple(x[0].shape[2:]))],
   samples=(dict(inputs=[(1, 2, 2, 4)], params=dict(shape=(3, 5))),),
   doc="Gradient of AdaptiveAvgPooling2D: each number of head is shared among its window.")


# ---- bilinear ------------------------------------------------------------------------------------------------

def _resized(n, mode, scale, given):
    if scale is not None and not 0 <= scale < 2**31:
        raise ValueError(f"a scale has a wrong value; expected a finite number, 0 or more, got {scale}")
    if n is None and (mode != "size" or scale is not None):
        return None
    if mode == "size":
        return given if scale is None else int(n * scale)
    if mode == "odd_scale":
        if scale is None:
            raise ValueError("mode odd_scale needs scale_height and scale_width")
        return int(n * scale) if n % 2 == 0 else int((n - 1) * scale) + 1
    odd = n % 2
    return {"to_even_down": n - odd, "to_even_up": n + odd, "to_odd_down": n - 1 + odd, "to_odd_up": n + 1 - odd}[mode]


def _resize_size(p, ins):
    if p.mode == "like":
        return sides(ins[1], "like")[2:] if ins[1] is not None else (None, None)
    if (p.scale_height is None) != (p.scale_width is None):
        raise ValueError("one of scale_height and scale_width is given; expected both or none")
    return [_resized(n, p.mode, scale, given) for n, scale, given
            in zip(ins[0][2:], (p.scale_height, p.scale_width), (p.height, p.width))]


_LIKE = [[[[0.0] * 5] * 2]]                                # an image of 2 x 5 pixels
op("_contrib_BilinearResize2D", inputs="data like", takes=lambda p: "data like" if p.mode == "like" else "data",
   params=dict(height=integer(1, at_least=1), width=integer(1, at_least=1), scale_height=number(None, at_least=0),
               scale_width=number(None, at_least=0),
               mode=choice("size", "like", "odd_scale", "size", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up"),
               align_corners=flag(True)),
   shapes=_to(_resize_size), kernel="bands_take", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: _numbers(RESIZE, int(p.align_corners))(ins[0], outs[0]),
   grad=lambda p, g, x, y: [lambda: F._backward_contrib_BilinearResize2D(g[0], shape=tuple(x[0].shape[2:]),
                                                                         align_corners=p.align_corners), None][:len(x)],
   samples=(dict(inputs=[(1, 2, 3, 4)], params=dict(height=5, width=2)),
            dict(inputs=[(1, 2, 3, 4)], params=dict(height=5, width=3, align_corners=False)),
            dict(inputs=[(1, 2, 3, 4), _LIKE], params=dict(mode="like")),
            dict(inputs=[(1, 2, 3, 4)], params=dict(scale_height=2.0, scale_width=0.5)),
            dict(inputs=[(1, 2, 3, 4)], params=dict(mode="odd_scale", scale_height=2.0, scale_width=1.5)),
            dict(inputs=[(1, 2, 3, 4)], params=dict(mode="to_even_up"))),
   doc="""data (samples, channels, height, width) resized by bilinear interpolation.

    mode size: to height and width, or by scale_height and scale_width where given; like: to the size of like; odd_scale: by the
    scales, counted from the first pixel where a side is odd; to_even_down, to_even_up, to_odd_down, to_odd_up: by at most one
    pixel.  align_corners: the centres of the corner pixels stay in place, else the edges of the image.""",
   example="mx.nd.contrib.BilinearResize2D(mx.nd.ones((1, 1, 2, 2)), height=4, width=3)")
op("_backward_contrib_BilinearResize2D", inputs="head", params=dict(shape=shape(), align_corners=flag(True)), shapes=_to(_given),
   kernel="bands_spread", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: _numbers(RESIZE, int(p.align_corners))(outs[0], ins[0]),
   grad=lambda p, g, x, y: [lambda: F._contrib_BilinearResize2D(g[0], height=x[0].shape[2], width=x[0].shape[3],
                                                                align_corners=p.align_corners)],
   samples=(dict(inputs=[(1, 2, 4, 3)], params=dict(shape=(3, 5))),
            dict(inputs=[(1, 2, 4, 3)], params=dict(shape=(3, 5), align_corners=False))),
   doc="Gradient of BilinearResize2D: each number of head is shared among the pixels that it came from.")
