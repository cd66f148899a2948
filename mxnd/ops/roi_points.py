"""Regions whose cells read scattered places: RROIAlign and DeformablePSROIPooling."""
from .declare import FLOATS, F, op
from .params import flag, integer, number, shape
from .roi import SCALE, SIZE, pooling, rows, sensitive_channels, sides, square
from .shapes import show, unify

TURNED, MOVED = range(2)                   # by the kernel's number

pooling("_contrib_RROIAlign",
        """The mean of samples of each cell of turned regions: (regions, channels, *pooled_size).

    data is (samples, channels, height, width).  A row of rois is (sample, x, y, width, height, angle): centre and size in units of
    1 / spatial_scale pixels, the angle in degrees.  Each cell averages sampling_ratio x sampling_ratio places (as many as
    the cell has pixels when it is not positive), read by bilinear interpolation.  Regions of a negative sample give 0.
    Source: Ma et al., Arbitrary-Oriented Scene Text Detection via Rotation Proposals, 2018.""",
        "mx.nd.contrib.RROIAlign(mx.nd.ones((1, 1, 6, 6)), mx.nd.array([[0, 3, 3, 2, 4, 30]]), pooled_size=(2, 2), spatial_scale=1.0)",
        dict(**SIZE, **SCALE, sampling_ratio=integer(-1, at_most=1024)), lambda p: p.pooled_size,
        lambda p, data, out: [TURNED, out[0], data[0], out[1], *data[2:], *out[2:], 1, p.sampling_ratio, 1, 0, 0, p.spatial_scale, 0.0],
        samples=tuple(dict(inputs=[(1, 2, 4, 5), [[0, 2, 2.2, 3, 2, 30], [0, 3, 1, 9, 4, -75], [-1, 1, 1, 1, 1, 0]]],
                           params=dict(pooled_size=(2, 3), spatial_scale=1.0, sampling_ratio=r)) for r in (-1, 2)),
        width=6, take="points_take", spread="points_spread")


# ---- moved cells -------------------------------------------------------------------------------------------

SIZES = dict(**SCALE, output_dim=integer(at_least=1), group_size=integer(at_least=1), pooled_size=integer(at_least=1, at_most=4096))
FORM = dict(SIZES, sample_per_part=integer(1, at_least=1, at_most=1024), trans_std=number(0.0), no_trans=flag())
CELLS = dict(FORM, dy=integer(0, at_least=0, at_most=1), dx=integer(0, at_least=0, at_most=1))


def _classes(p, trans):
    if trans is None or trans[1] is None:
        return None
    if trans[1] < 2 or trans[1] % 2 or p.output_dim % (trans[1] // 2):
        raise ValueError(f"trans has shape {show(trans)}; expected (regions, 2 classes, height, width), where classes divide "
                         f"output_dim, {p.output_dim}")
    return trans[1] // 2


def _rule(side):
    """Rule of data, rois and trans; side(p): rows and columns of trans."""
    def rule(p, ins, outs):
        data, rois, trans = sides(ins[0]), rows(ins[1]), [unify(t, (None, None, side(p), side(p)), "shape of trans and "
                                                                 "(regions, 2 classes, part, part)") for t in ins[2:]]
        out = unify(outs[0], (None, p.output_dim, *square(p)), "expected and worked-out output shapes")
        if data is not None:
            sensitive_channels(p, data[1])
        count = unify((out[0],), (rois[0],), "numbers of regions")
        for t in trans:
            _classes(p, t)
            count = unify(count, (t[0],), "numbers of regions")
        return [data, (count[0], 5), *[(count[0], *t[1:]) for t in trans]], [(count[0], *out[1:])]
    return rule


_cells = _rule(lambda p: p.pooled_size)


def _spread_shapes(p, ins, outs):
    if len(p.shape) != 4:
        raise ValueError(f"shape is {show(p.shape)}; expected (samples, channels, height, width)")
    (_, *rest), (head,) = _cells(p, [p.shape, *ins[1:]], [ins[0]])
    return [head, *rest], [unify(outs[0], p.shape)]


def _numbers(p, data, out, trans):
    classes = _classes(p, trans[0]) if trans else 1
    return [MOVED, out[0], data[0], out[1], *data[2:], *out[2:], p.group_size, p.sample_per_part, classes, p.dy, p.dx, p.spatial_scale,
            p.trans_std]


def _takes(first):
    return lambda p: f"{first} rois" if p.no_trans else f"{first} rois trans"


def _moves(p, **more):
    return dict({k: getattr(p, k) for k in CELLS}, **more)


def _by_trans(p, image, rois, trans, head):
    """Gradient by trans of the sum of head times the cells of image."""
    n, c2, h, w = trans.shape

    def one(dx, dy):
        if dx > 1 or dy > 1:                                        # linear between two pixels
            return F._reshape_to(F.zeros_like(F.slice_axis(trans, axis=1, begin=0, end=c2 // 2)), shape=(n, c2 // 2, 1, h, w))
        got = F._DeformablePSROIPooling(image, rois, trans, **_moves(p, dx=dx, dy=dy)) * head
        got = F._reshape_to(got, shape=(n, c2 // 2, p.output_dim * 2 // c2, h, w))
        return F.sum(got, axis=(2,), keepdims=True)
    return F._reshape_to(F.Concat(one(p.dx + 1, p.dy), one(p.dx, p.dy + 1), num_args=2, dim=2), shape=tuple(trans.shape))


_INPUTS = [(1, 8, 5, 6), [[0, 1, 0, 8, 7], [0, 3, 2, 5, 5], [-1, 0, 0, 2, 2]],
           [[[[0.31, -0.22], [0.13, 0.4]]] * 2, [[[-0.3, 0.1], [0.21, -0.17]]] * 2, [[[0.0, 0.0], [0.0, 0.0]]] * 2]]
_FORM = dict(spatial_scale=0.5, output_dim=2, group_size=2, pooled_size=2, sample_per_part=2, trans_std=0.37)
op("_DeformablePSROIPooling", inputs="data rois trans", takes=_takes("data"), params=CELLS, shapes=_cells,
   kernel="points_take", kernel_types=FLOATS, arguments=lambda p, ins, outs: _numbers(p, ins[0], outs[0], ins[2:]),
   grad=lambda p, g, x, y: [lambda: F._backward_DeformablePSROIPooling(g[0], *x[1:], **_moves(p, shape=tuple(x[0].shape))), None,
                            lambda: _by_trans(p, *x, g[0])][:len(x)],
   samples=tuple(dict(inputs=_INPUTS, params=dict(_FORM, dx=dx, dy=dy)) for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1))),
   doc="DeformablePSROIPooling with moves for every cell, or its derivatives by the moves along x (dx) and y (dy).")
op("_backward_DeformablePSROIPooling", inputs="head rois trans", takes=_takes("head"), params=dict(CELLS, shape=shape()),
   shapes=_spread_shapes, kernel="points_spread", kernel_types=FLOATS, arguments=lambda p, ins, outs: _numbers(p, outs[0], ins[0], ins[2:]),
   grad=lambda p, g, x, y: [lambda: F._DeformablePSROIPooling(g[0], *x[1:], **_moves(p)), None,
                            lambda: _by_trans(p, g[0], *x[1:], x[0])][:len(x)],
   samples=(dict(inputs=[(3, 2, 2, 2), *_INPUTS[1:]], params=dict(_FORM, shape=(1, 8, 5, 6))),),
   doc="Gradient of _DeformablePSROIPooling by data: head added to the pixels that the cells read.")


def _part(p):
    return p.part_size or p.pooled_size


def _pool(p, data, rois, trans=None):
    moves = []
    if trans is not None:
        part, pooled = _part(p), p.pooled_size
        for axis in (2, 3):
            if part != pooled:                                      # the part that each cell lies in
                found = [F.slice_axis(trans, axis=axis, begin=k * part // pooled, end=k * part // pooled + 1) for k in range(pooled)]
                trans = F.Concat(*found, num_args=pooled, dim=axis)
        moves = [trans]
    return F._DeformablePSROIPooling(data, rois, *moves, **{k: getattr(p, k) for k in FORM})


op("_contrib_DeformablePSROIPooling", stored=2, inputs="data rois trans", takes=_takes("data"),
   params=dict(SIZES, part_size=integer(0, at_least=0), sample_per_part=FORM["sample_per_part"], trans_std=FORM["trans_std"],
               no_trans=flag()),
   shapes=_rule(_part), compose=_pool, checks=True,
   samples=(dict(inputs=_INPUTS, params=_FORM), dict(inputs=_INPUTS[:2], params=dict(_FORM, no_trans=True)),
            dict(inputs=_INPUTS, params=dict(_FORM, pooled_size=3, part_size=2, output_dim=2))),
   doc="""The mean of samples of each cell of regions, cells moved and read from channels of their own.

    data is (samples, output_dim group_size group_size, height, width); the result (regions, output_dim, pooled_size, pooled_size).
    A row of rois is (sample, x1, y1, x2, y2): corners that are rounded, then scaled by spatial_scale.  trans (regions, 2 classes,
    part_size, part_size) moves the cells, x then y, by trans times trans_std times the size of the region; part_size 0 means
    pooled_size, and each of the classes moves an equal share of the channels.  Each cell averages sample_per_part x
    sample_per_part places.  Regions of a negative sample give 0.
    Source: Dai et al., Deformable Convolutional Networks, 2017.""",
   example="mx.nd.contrib.DeformablePSROIPooling(mx.nd.ones((1, 4, 6, 6)), mx.nd.array([[0, 1, 1, 4, 4]]), mx.nd.zeros((1, 2, 2, 2)),"
           " spatial_scale=1.0, output_dim=1, group_size=2, pooled_size=2)")
