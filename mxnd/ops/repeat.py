"""Elements that occur several times: broadcasting, tiling, repeating."""
from .declare import F, op
from .params import axes, integer, shape
from .shape import strides_of, view
from .shapes import axis_of, forward, known, show, size, unify


def _stretch(data, out):
    """out, after checks that data stretches to it: axes of length 1 may grow; lengths above 1 tell those of out."""
    if len(data) != len(out) or any(a != b and a not in (1, None) and b is not None for a, b in zip(data, out)):
        raise ValueError(f"shape {show(data)} does not stretch to {show(out)}; expected equal lengths, or 1 where it grows, "
                         "and equal numbers of axes")
    return tuple(a if b is None and a != 1 else b for a, b in zip(data, out))


def _stretched_view(p, ins, outs):
    data, out = ins[0], outs[0]
    return view(out, [v if a == b else 0 for a, b, v in zip(data, out, strides_of(data))])


def _gather_grad(p, g, x, y):
    rest = [None] * (len(x) - 1)
    return [lambda: g[0] if g[0].shape == x[0].shape else F._sum_to_shape(g[0], shape=x[0].shape), *rest]


STRETCH = dict(kernel="view_copy", arguments=_stretched_view, grad=_gather_grad)


def _broadcast_to_shape(p, data):
    if len(data) != len(p.shape):
        raise ValueError(f"shape {show(p.shape)} has another number of axes than the input's {show(data)}")
    return _stretch(data, tuple(n or d for n, d in zip(p.shape, data)))


op("broadcast_to", inputs="data", params=dict(shape=shape((), at_least=0)), shapes=forward(_broadcast_to_shape, partial=True), **STRETCH,
   samples=(dict(inputs=[(2, 1, 3)], params=dict(shape=(2, 4, 0))),),
   doc="Repeats the input along its axes of length 1 up to the given shape, where 0 keeps an axis.",
   example="mx.nd.broadcast_to(mx.nd.array([[1, 2, 3]]), shape=(2, 3))")


def _broadcast_axis_shape(p, data):
    if len(p.axis) != len(p.size):
        raise ValueError(f"axis {p.axis} and size {p.size} have different lengths")
    out = list(data)
    for a, n in zip(p.axis, p.size):
        a = axis_of(a, len(data))
        if out[a] not in (1, None):
            raise ValueError(f"axis {a} of shape {show(out)} has length {out[a]}; expected 1")
        out[a] = n
    return tuple(out)


def _broadcast_axis_shapes(p, ins, outs):
    if ins[0] is None:
        return ins, outs
    out = unify(outs[0], _broadcast_axis_shape(p, ins[0]), "expected and worked-out output shapes")
    grown = {axis_of(a, len(out)) for a in p.axis}
    return [tuple(1 if a in grown else n for a, n in enumerate(out))], [out]


op("broadcast_axis", inputs="data", aliases="broadcast_axes", params=dict(axis=shape(()), size=shape((), at_least=0)),
   shapes=_broadcast_axis_shapes, **STRETCH,
   samples=(dict(inputs=[(1, 3, 1)], params=dict(axis=(0, 2), size=(2, 4))),),
   doc="Repeats the input along the given axes, which have length 1, up to the given sizes.",
   example="mx.nd.broadcast_axis(mx.nd.array([[1], [2]]), axis=1, size=3)")


def _broadcast_like_shape(p, lhs, rhs):
    if p.lhs_axes is None and p.rhs_axes is None:
        return _stretch(lhs, rhs)
    if p.lhs_axes is None or p.rhs_axes is None or len(p.lhs_axes) != len(p.rhs_axes) or not p.lhs_axes:
        raise ValueError(f"lhs_axes {p.lhs_axes} and rhs_axes {p.rhs_axes}: expected as many axes on either side")
    out = list(lhs)
    for a, b in zip(p.lhs_axes, p.rhs_axes):
        out[axis_of(a, len(lhs), "lhs axis")] = rhs[axis_of(b, len(rhs), "rhs axis")]
    return _stretch(lhs, tuple(out))


def _broadcast_like_shapes(p, ins, outs):
    lhs, rhs = ins
    out = outs[0]
    if p.lhs_axes is None and p.rhs_axes is None:        # all axes come from rhs
        rhs = out = unify(out, rhs, "shapes of rhs and of the result")
    if lhs is None or rhs is None:
        return [lhs, rhs], [out]
    out = unify(out, _broadcast_like_shape(p, lhs, rhs), "expected and worked-out output shapes")
    rhs = list(rhs)
    for a, b in zip(p.lhs_axes or range(len(lhs)), p.rhs_axes or range(len(lhs))):
        rhs[b] = out[a]
    return [lhs, tuple(rhs)], [out]


op("broadcast_like", inputs="lhs rhs", params=dict(lhs_axes=axes(), rhs_axes=axes()), shapes=_broadcast_like_shapes,
   types=lambda p, ins, outs: ([ins[0] or outs[0], ins[1]], [ins[0] or outs[0]]), **STRETCH,
   samples=(dict(inputs=[(2, 1), (2, 3)], params={}),
            dict(inputs=[(1, 3), (5, 7)], params=dict(lhs_axes=(0,), rhs_axes=(1,)))),
   doc="Repeats lhs along its axes of length 1 up to the shape of rhs; lhs_axes and rhs_axes pair single axes.",
   example="mx.nd.broadcast_like(mx.nd.ones((1, 3)), mx.nd.zeros((2, 3)))")


# ---- tile and repeat ------------------------------------------------------------------------------------

def _pairs(p, data):
    """(times, length) of each axis of the result of tile."""
    n = max(len(p.reps), len(data))
    reps, data = (1,) * (n - len(p.reps)) + tuple(p.reps), (1,) * (n - len(data)) + tuple(data)
    return list(zip(reps, data))


def _tile_shapes(p, ins, outs):
    if ins[0] is None:
        return ins, outs
    return ins, [unify(outs[0], tuple(None if d is None else r * d for r, d in _pairs(p, ins[0])))]


def _tile_view(p, ins, outs):
    pairs = _pairs(p, ins[0])
    strides = strides_of([d for _, d in pairs])
    return view([v for pair in pairs for v in pair], [v for s in strides for v in (0, s)])


def _tile_grad(p, g, x, y):
    def fold():
        pairs = _pairs(p, x[0].shape)
        apart = F._reshape_to(g[0], shape=tuple(v for pair in pairs for v in pair))
        return F._reshape_to(F._sum_to_shape(apart, shape=tuple(v for _, d in pairs for v in (1, d))), shape=x[0].shape)
    return [fold]


op("tile", inputs="data", aliases="_npi_tile", params=dict(reps=shape(at_least=0)), shapes=_tile_shapes, kernel="view_copy",
   arguments=_tile_view, grad=_tile_grad,
   samples=(dict(inputs=[(2, 3)], params=dict(reps=(2, 2))), dict(inputs=[(2, 3)], params=dict(reps=(2, 1, 3))),
            dict(inputs=[(2, 3)], params=dict(reps=(2,)))),
   numpy="np.tile(data, p.reps)",
   doc="Repeats the whole array reps times along each axis; missing axes are added in front.",
   example="mx.nd.tile(mx.nd.array([[1, 2], [3, 4]]), reps=(2, 3))")


def _around(p, data):
    """Elements before the repeated axis, and from it on to the end, in one repeated run."""
    if p.axis is None:
        return size(data), 1
    a = axis_of(p.axis, len(data))
    return size(data[:a + 1]), size(data[a + 1:])


def _repeat_shape(p, data):
    if p.axis is None:
        return (size(data) * p.repeats if known(data) else None,)
    a = axis_of(p.axis, len(data))
    return data[:a] + (None if data[a] is None else data[a] * p.repeats,) + data[a + 1:]


def _repeat_view(p, ins, outs):
    n, inner = _around(p, ins[0])
    return view((n, p.repeats, inner), (inner, 0, 1))


def _repeat_grad(p, g, x, y):
    def fold():
        n, inner = _around(p, x[0].shape)
        apart = F._reshape_to(g[0], shape=(n, p.repeats, inner))
        return F._reshape_to(F._sum_to_shape(apart, shape=(n, 1, inner)), shape=x[0].shape)
    return [fold]


op("repeat", inputs="data", aliases="_np_repeat", params=dict(repeats=integer(at_least=0), axis=integer(None)),
   shapes=forward(_repeat_shape, partial=True), kernel="view_copy", arguments=_repeat_view, grad=_repeat_grad,
   samples=(dict(inputs=[(2, 3)], params=dict(repeats=2)), dict(inputs=[(2, 3)], params=dict(repeats=3, axis=1)),
            dict(inputs=[(2, 3)], params=dict(repeats=2, axis=-2))),
   numpy="np.repeat(data, p.repeats, p.axis)",
   doc="Repeats each element along an axis; without axis the input is flattened first.",
   example="mx.nd.repeat(mx.nd.array([[1, 2], [3, 4]]), repeats=2, axis=1)")
