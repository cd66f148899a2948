"""Regions of interest pooled to one size: ROIPooling, ROIAlign and PSROIPooling.

A region is a row of rois: the number of its sample, then x and y of two corners.  Regions of a negative sample are padding
and give zeros; regions have no gradient."""
from .declare import FLOATS, F, find, op
from .params import flag, integer, number, shape
from .shapes import show, unify

ADAPTIVE, RESIZE, ALIGN, SENSITIVE = range(4)          # ways to form bands, by the kernel's number
SIZE = dict(pooled_size=shape(length=(2,), at_least=1))
SCALE = dict(spatial_scale=number())


def sides(s, what="data"):
    """The shape of images; raises ValueError when it is none."""
    if s is not None and len(s) != 4:
        raise ValueError(f"{what} has shape {show(s)}; expected (samples, channels, height, width)")
    return s


def rows(rois, width=5):
    return unify(rois, (None, width), f"shape of rois and (regions, {width})")


def region_shapes(size, channels=lambda p, c: c, width=5):
    """Rule of data and rois -> (regions, channels, *size)."""
    def rule(p, ins, outs):
        data, rois = sides(ins[0]), rows(ins[1], width)
        out = unify(outs[0], (None, None, *size(p)), "expected and worked-out output shapes")
        if data is not None:
            out = unify(out, (None, channels(p, data[1]), None, None), "expected and worked-out output shapes")
        out = unify(out, (rois[0], None, None, None), "expected and worked-out output shapes")
        return [data, (out[0], width)], [out]
    return rule


def spread_shapes(size, channels=lambda p, c: c, width=5):
    """Rule of head and rois (and data) -> the shape of the parameter `shape`."""
    rule = region_shapes(size, channels, width)

    def adjoint(p, ins, outs):
        if len(p.shape) != 4:
            raise ValueError(f"shape is {show(p.shape)}; expected (samples, channels, height, width)")
        (_, rois), (head,) = rule(p, [p.shape, ins[1]], [ins[0]])
        more = [unify(s, p.shape, "shape of data and parameter shape") for s in ins[2:]]
        return [head, rois, *more], [unify(outs[0], p.shape)]
    return adjoint


def same(p, **more):
    """The parameters that an operator shares with its adjoint."""
    return dict(p._asdict(), **more)


def without_shape(p):
    return {k: v for k, v in p._asdict().items() if k != "shape"}


def pooling(name, doc, example, params, size, arguments, samples, channels=lambda p, c: c, width=5, take="bands_take",
            spread="bands_spread"):
    """An operator that is linear in data and has no gradient by rois, and its adjoint; arguments(p, data, out shapes)."""
    back = "_backward_" + name.removeprefix("_contrib_")
    op(name, inputs="data rois", params=params, shapes=region_shapes(size, channels, width), kernel=take, kernel_types=FLOATS,
       arguments=lambda p, ins, outs: arguments(p, ins[0], outs[0]),
       grad=lambda p, g, x, y: [lambda: getattr(F, back)(g[0], x[1], **same(p, shape=tuple(x[0].shape))), None],
       samples=samples, doc=doc, example=example)
    op(back, inputs="head rois", params=dict(params, shape=shape()), shapes=spread_shapes(size, channels, width), kernel=spread,
       kernel_types=FLOATS, arguments=lambda p, ins, outs: arguments(p, outs[0], ins[0]),
       grad=lambda p, g, x, y: [lambda: getattr(F, name)(g[0], x[1], **without_shape(p)), None],
       samples=tuple(dict(inputs=[(len(s["inputs"][1]), channels(op_params(name, s), s["inputs"][0][1]), *size(op_params(name, s))),
                                  s["inputs"][1]], params=dict(s["params"], shape=s["inputs"][0])) for s in samples),
       doc=f"Gradient of {name.removeprefix('_contrib_')} by data: head added to the pixels of the regions.")


def op_params(name, sample):
    return find(name).pack(sample["params"])


# ---- the largest number of a cell ------------------------------------------------------------------------

def _max_arguments(p, data, out):
    return [out[0], *data, *out[2:], p.spatial_scale]


_POOL = dict(**SIZE, **SCALE)
_size = region_shapes(lambda p: p.pooled_size)
_BOXES = [[0, 0, 0, 3, 2], [0, 2, 1, 4, 9], [-1, 0, 0, 2, 2], [0, 1, 2, 1, 2]]


def _take_shapes(p, ins, outs):
    (data, rois), out = _size(p, [unify(ins[0], ins[2], "shapes of values and data"), ins[1]], outs)
    return [data, rois, data], out


op("ROIPooling", stored=2, inputs="data rois", aliases="_npx_roi_pooling", params=_POOL, shapes=_size, kernel="roi_largest",
   kernel_types=FLOATS, arguments=lambda p, ins, outs: _max_arguments(p, ins[0], outs[0]),
   grad=lambda p, g, x, y: [lambda: F._backward_ROIPooling(g[0], x[1], x[0], **same(p, shape=tuple(x[0].shape))), None],
   samples=(dict(inputs=[(1, 2, 4, 5), _BOXES], params=dict(pooled_size=(2, 2), spatial_scale=1.0)),
            dict(inputs=[(1, 2, 4, 5), [[0, 0, 0, 6, 6]]], params=dict(pooled_size=(3, 2), spatial_scale=0.5))),
   doc="""The largest number of each cell of regions: (regions, channels, *pooled_size) of data (samples, channels, height, width).

    A row of rois is (sample, x1, y1, x2, y2); times spatial_scale and rounded, the corners are pixels of data, both included.
    Empty cells and regions of a negative sample give 0.  The gradient goes to the first of equal numbers; rois have none.
    Source: Girshick, Fast R-CNN, 2015.""",
   example="mx.nd.ROIPooling(mx.nd.ones((1, 1, 6, 6)), mx.nd.array([[0, 1, 1, 4, 4]]), pooled_size=(2, 2), spatial_scale=1.0)")
op("_backward_ROIPooling", inputs="head rois data", params=dict(_POOL, shape=shape()), shapes=spread_shapes(lambda p: p.pooled_size),
   kernel="roi_spread", kernel_types=FLOATS, arguments=lambda p, ins, outs: _max_arguments(p, outs[0], ins[0]),
   grad=lambda p, g, x, y: [lambda: F._roi_take(g[0], x[1], x[2], **without_shape(p)), None, None],
   samples=(dict(inputs=[(4, 2, 2, 2), _BOXES, (1, 2, 4, 5)],
                 params=dict(pooled_size=(2, 2), spatial_scale=1.0, shape=(1, 2, 4, 5))),),
   doc="Gradient of ROIPooling by data: head goes to where the numbers of the cells are largest.")
op("_roi_take", inputs="values rois data", params=_POOL, shapes=_take_shapes, kernel="roi_take", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: _max_arguments(p, ins[0], outs[0]),
   grad=lambda p, g, x, y: [lambda: F._backward_ROIPooling(g[0], x[1], x[2], **same(p, shape=tuple(x[0].shape))), None, None],
   samples=(dict(inputs=[(1, 2, 4, 5), _BOXES, (1, 2, 4, 5)], params=dict(pooled_size=(2, 2), spatial_scale=1.0)),),
   doc="The number of values at the place in every cell where data is largest.")


# ---- averages ----------------------------------------------------------------------------------------------

def _align_channels(p, c):
    if not p.position_sensitive or c is None:
        return c
    cells = p.pooled_size[0] * p.pooled_size[1]
    if c % cells:
        raise ValueError(f"data has {c} channels; expected a multiple of {cells}, the cells of pooled_size {show(p.pooled_size)}")
    return c // cells


def _align_arguments(p, data, out):
    group = p.pooled_size if p.position_sensitive else (1, 1)
    return [ALIGN, out[0], data[0], out[1], *data[2:], *out[2:], *group, int(p.aligned), p.sample_ratio, p.spatial_scale]


_ALIGN_BOXES = [[0, 0.3, 0.2, 3.1, 2.4], [0, 2, 1, 4, 9], [-1, 0, 0, 2, 2], [0, 1.2, 2.2, 1.1, 2.1]]
pooling("_contrib_ROIAlign",
        """The mean of samples of each cell of regions: (regions, channels, *pooled_size) of data (samples, channels, height, width).

    A row of rois is (sample, x1, y1, x2, y2), in units of 1 / spatial_scale pixels, without rounding.  Each cell averages
    sample_ratio x sample_ratio places (as many as the cell has pixels when it is not positive), read by bilinear interpolation.
    aligned: centres of pixels are at halves, and regions may be smaller than a pixel.  position_sensitive: each cell has
    channels of its own.  Regions of a negative sample give 0.
    Source: He et al., Mask R-CNN, 2017.""",
        "mx.nd.contrib.ROIAlign(mx.nd.ones((1, 1, 6, 6)), mx.nd.array([[0, 1, 1, 4, 4]]), pooled_size=(2, 2), spatial_scale=1.0)",
        dict(**SIZE, **SCALE, sample_ratio=integer(-1, at_most=65536), position_sensitive=flag(), aligned=flag()),
        lambda p: p.pooled_size, _align_arguments, channels=_align_channels,
        samples=(dict(inputs=[(1, 2, 4, 5), _ALIGN_BOXES], params=dict(pooled_size=(2, 2), spatial_scale=1.0)),
                 dict(inputs=[(1, 2, 4, 5), _ALIGN_BOXES], params=dict(pooled_size=(2, 3), spatial_scale=0.5, sample_ratio=2,
                                                                       aligned=True)),
                 dict(inputs=[(1, 8, 4, 5), _ALIGN_BOXES], params=dict(pooled_size=(2, 2), spatial_scale=1.0,
                                                                       position_sensitive=True))))


def group(p):
    return p.group_size or p.pooled_size


def sensitive_channels(p, c):
    want = p.output_dim * group(p) ** 2
    if c is not None and c != want:
        raise ValueError(f"data has {c} channels; expected {want}, output_dim times the square of the group size")
    return p.output_dim


def square(p):
    return (p.pooled_size, p.pooled_size)


pooling("_contrib_PSROIPooling",
        """The mean of each cell of regions, each cell from channels of its own: (regions, output_dim, pooled_size, pooled_size).

    data is (samples, output_dim group_size group_size, height, width); group_size 0 means pooled_size.  A row of rois is
    (sample, x1, y1, x2, y2): corners that are rounded, then scaled by spatial_scale.  Empty cells and regions of a negative
    sample give 0.
    Source: Dai et al., R-FCN, 2016.""",
        "mx.nd.contrib.PSROIPooling(mx.nd.ones((1, 4, 6, 6)), mx.nd.array([[0, 1, 1, 4, 4]]), spatial_scale=1.0, output_dim=1,"
        " pooled_size=2)",
        dict(**SCALE, output_dim=integer(at_least=1), pooled_size=integer(at_least=1), group_size=integer(0, at_least=0)),
        square, lambda p, data, out: [SENSITIVE, out[0], data[0], out[1], *data[2:], *out[2:], group(p), group(p), 0, 0, p.spatial_scale],
        channels=sensitive_channels,
        samples=(dict(inputs=[(1, 8, 4, 5), _BOXES], params=dict(output_dim=2, pooled_size=2, spatial_scale=1.0)),
                 dict(inputs=[(1, 4, 4, 5), _BOXES], params=dict(output_dim=1, pooled_size=3, group_size=2, spatial_scale=0.5))))
