"""Deformable convolutions: patches read at moved places, then a product with the filters."""
from .conv import _filters, _per_group, convolved, steps
from .declare import FLOATS, F, op
from .linear import without_bias
from .params import REQUIRED, choice, flag, integer, shape
from .roi import sides
from .shapes import show, size, unify

WINDOW = dict(kernel=shape(REQUIRED, at_least=1, length=(2,)), stride=shape((), at_least=1), dilate=shape((), at_least=1),
              pad=shape((), at_least=0))
FILTERS = dict(num_filter=integer(at_least=1), num_group=integer(1, at_least=1), num_deformable_group=integer(1, at_least=1),
               workspace=integer(1024, at_least=0), no_bias=flag())
PATCHES = dict(WINDOW, num_deformable_group=FILTERS["num_deformable_group"], fade=flag(), dy=integer(0, at_least=0, at_most=1),
               dx=integer(0, at_least=0, at_most=1))


def _offset(p, data, offset, planes, what="offset"):
    """The completed shape of offset (planes 2) or mask (planes 1): a number per place that a kernel element reads."""
    if data is None:
        return offset
    channels = p.num_deformable_group * size(p.kernel) * planes
    want = (data[0], channels, *convolved(p, data[2:]))
    return unify(offset, want, f"given and needed shapes of {what}")


def _parts(p, data):
    """The shape of images whose channels deformable groups share evenly."""
    if sides(data) is not None and data[1] is not None and data[1] % p.num_deformable_group:
        raise ValueError(f"data has {data[1]} channels; expected a multiple of num_deformable_group, {p.num_deformable_group}")
    return data


# ---- patches -----------------------------------------------------------------------------------------------

def _patch_shapes(p, ins, outs):
    data, offset = _parts(p, ins[0]), ins[1]
    if data is None:
        return ins, outs
    offset = _offset(p, data, offset, 2)
    channels = None if data[1] is None else data[1] * size(p.kernel)
    return [data, offset], [unify(outs[0], (data[0], channels, *offset[2:]))]


def _spread_shapes(p, ins, outs):
    if len(p.shape) != 4:
        raise ValueError(f"shape is {show(p.shape)}; expected (samples, channels, height, width)")
    (_, offset), (head,) = _patch_shapes(p, [p.shape, ins[1]], [ins[0]])
    return [head, offset], [unify(outs[0], p.shape)]


def _numbers(p, data, out):
    return [*data[:2], p.num_deformable_group, *data[2:], *out[2:], *p.kernel, *steps(p, "stride"), *steps(p, "dilate"),
            *steps(p, "pad", 0), p.dy, p.dx, int(p.fade)]


def _window(p, **more):
    return dict({k: getattr(p, k) for k in PATCHES}, **more)


def _by_offset(p, image, offset, head):
    """Gradient by offset of the sum of head times the patches of image."""
    n, _, h, w = offset.shape
    parts, taps = p.num_deformable_group, size(p.kernel)
    each = image.shape[1] // parts

    def one(dy, dx):
        if dy > 1 or dx > 1:                                        # a hat is linear between two pixels
            return F._reshape_to(F.zeros_like(F.slice_axis(offset, axis=1, begin=0, end=parts * taps)), shape=(n, parts, taps, 1, h, w))
        got = F._deformable_patches(image, offset, **_window(p, dy=dy, dx=dx)) * head
        return F._reshape_to(F.sum(F._reshape_to(got, shape=(n, parts, each, taps, h, w)), axis=(2,)), shape=(n, parts, taps, 1, h, w))
    both = F.Concat(one(p.dy + 1, p.dx), one(p.dy, p.dx + 1), num_args=2, dim=3)
    return F._reshape_to(both, shape=tuple(offset.shape))


_SMALL = dict(kernel=(2, 2), pad=(1, 1), stride=(2, 2))
_OFFSETS = [[[[0.3 * ((7 * k + 5 * i + 3 * j) % 11) - 1.61 for j in range(3)] for i in range(3)] for k in range(16)]]
_ORDERS = ((0, 0), (1, 0), (0, 1), (1, 1))
op("_deformable_patches", inputs="data offset", params=PATCHES, shapes=_patch_shapes, kernel="deform_take", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: _numbers(p, ins[0], outs[0]),
   grad=lambda p, g, x, y: [lambda: F._deformable_spread(g[0], x[1], **_window(p, shape=tuple(x[0].shape))),
                            lambda: _by_offset(p, x[0], x[1], g[0])],
   samples=tuple(dict(inputs=[(1, 4, 4, 5), _OFFSETS], params=dict(_SMALL, num_deformable_group=2, fade=fade, dy=dy, dx=dx))
                 for fade in (False, True) for dy, dx in _ORDERS),
   doc="Pixels of data where a convolution would read, moved by offset, or derivatives by the moves along y (dy) and x (dx).")
op("_deformable_spread", inputs="head offset", params=dict(PATCHES, shape=shape()), shapes=_spread_shapes, kernel="deform_spread",
   kernel_types=FLOATS, arguments=lambda p, ins, outs: _numbers(p, outs[0], ins[0]),
   grad=lambda p, g, x, y: [lambda: F._deformable_patches(g[0], x[1], **_window(p)), lambda: _by_offset(p, g[0], x[1], x[0])],
   samples=tuple(dict(inputs=[(1, 16, 3, 3), _OFFSETS], params=dict(_SMALL, num_deformable_group=2, fade=fade, shape=(1, 4, 4, 5)))
                 for fade in (False, True)),
   doc="The gradient of _deformable_patches by data: head added to the pixels that were read.")


# ---- convolutions ------------------------------------------------------------------------------------------

def _shapes(modulated):
    def rule(p, ins, outs):
        if p.layout not in (None, "NCHW"):
            raise ValueError(f"layout {p.layout} has no kernel; expected NCHW")
        data, offset, *rest = ins
        data = _parts(p, data)
        channels = None if data is None else data[1]
        inner = _per_group(channels, p.num_group, "the number of channels")
        _per_group(p.num_filter, p.num_group, "num_filter")
        mask = [_offset(p, data, rest.pop(0), 1, "mask")] if modulated else []
        weight, bias = _filters(p, data, rest[0], rest[1:], p.num_filter, inner)
        ins = [data, _offset(p, data, offset, 2), *mask, weight, *bias]
        if data is None:
            return ins, outs
        return ins, [unify(outs[0], (data[0], p.num_filter, *convolved(p, data[2:])), "expected and worked-out output shapes")]
    return rule


def _formula(modulated):
    def compose(p, data, offset, *rest):
        mask, weight, bias = (rest[0] if modulated else None), rest[modulated], rest[modulated + 1:]
        patches = F._deformable_patches(data, offset, kernel=p.kernel, stride=p.stride, dilate=p.dilate, pad=p.pad,
                                        num_deformable_group=p.num_deformable_group, fade=modulated)
        if modulated:
            n, c, h, w = patches.shape
            parts, taps = p.num_deformable_group, size(p.kernel)
            rows = F._reshape_to(patches, shape=(n, parts, c // parts // taps, taps * h * w))
            patches = F._reshape_to(rows * F._reshape_to(mask, shape=(n, parts, 1, taps * h * w)), shape=(n, c, h, w))
        filters = F._reshape_to(weight, shape=(p.num_filter, size(weight.shape[1:]), 1, 1))
        return F.Convolution(patches, filters, *bias, kernel=(1, 1), num_filter=p.num_filter, num_group=p.num_group, no_bias=p.no_bias)
    return compose


_LAYOUT = choice(None, "NCDHW", "NCHW", "NCW")
_TEXT = """A convolution whose filters read at moved places: {what}.

    data is (samples, channels, height, width); offset (samples, num_deformable_group 2 kernel, rows, columns) holds how far each
    read moves, y then x for each element of the kernel; the channels of a deformable group move together.{more}
    The result is (samples, num_filter, rows, columns); sizes as in Convolution.
    Source: {source}."""
_CONV = dict(inputs=[(1, 4, 4, 5), _OFFSETS, (2, 4, 2, 2), (2,)], params=dict(_SMALL, num_filter=2, num_deformable_group=2))
op("_contrib_DeformableConvolution", inputs="data offset weight bias",
   takes=lambda p: without_bias(p).replace("data", "data offset"), params=dict(WINDOW, **FILTERS, layout=_LAYOUT),
   shapes=_shapes(False), compose=_formula(False), checks=True,
   samples=(_CONV, dict(inputs=[(1, 4, 4, 5), _OFFSETS, (2, 2, 2, 2)],
                        params=dict(_SMALL, num_filter=2, num_group=2, num_deformable_group=2, no_bias=True))),
   doc=_TEXT.format(what="bilinear interpolation inside the image, 0 outside", more="", source="Dai et al., Deformable Convolutional "
                    "Networks, 2017"),
   example="mx.nd.contrib.DeformableConvolution(mx.nd.ones((1, 1, 4, 4)), mx.nd.zeros((1, 8, 3, 3)), mx.nd.ones((1, 1, 2, 2)),"
           " kernel=(2, 2), num_filter=1, no_bias=True)")
op("_contrib_ModulatedDeformableConvolution", inputs="data offset mask weight bias",
   takes=lambda p: without_bias(p).replace("data", "data offset mask"),
   params=dict(WINDOW, **FILTERS, im2col_step=integer(64, at_least=1), layout=_LAYOUT), shapes=_shapes(True),
   compose=_formula(True), checks=True,
   samples=(dict(inputs=[(1, 4, 4, 5), _OFFSETS, (1, 8, 3, 3), (2, 4, 2, 2), (2,)], params=_CONV["params"]),),
   doc=_TEXT.format(what="bilinear interpolation that fades to 0 within a pixel around the image", more="""  mask (samples,
    num_deformable_group kernel, rows, columns) multiplies what is read.""", source="Zhu et al., Deformable ConvNets v2, 2018"),
   example="mx.nd.contrib.ModulatedDeformableConvolution(mx.nd.ones((1, 1, 4, 4)), mx.nd.zeros((1, 8, 3, 3)), mx.nd.ones((1, 4, 3, 3)),"
           " mx.nd.ones((1, 1, 2, 2)), kernel=(2, 2), num_filter=1, no_bias=True)")
