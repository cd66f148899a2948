"""Parts of an array, and the opposite: flips, padding, diagonals, writing into a part."""
from .declare import F, op
from .params import REQUIRED, choice, flag, integer, number, shape
from .shape import strides_of, view
from .shapes import axis_of, both_ways, forward, known, plus, presume, show, size, unify

# ---- slice ------------------------------------------------------------------------------------------

_RANGE = dict(begin=shape(none_inside=True), end=shape(none_inside=True), step=shape((), none_inside=True))


def ranges(p, s):
    """(begin, step, length) along every axis of shape s; ends past the array are cut off."""
    n, steps = len(p.begin), p.step or (None,) * len(p.begin)
    if len(p.end) != n or len(steps) != n:
        raise ValueError(f"begin {p.begin}, end {p.end} and step {p.step} have different lengths")
    if n > len(s):
        raise ValueError(f"begin {p.begin} names {n} axes; expected no more than shape {show(s)} has")
    out = []
    for a, length in enumerate(s):
        if a >= n:
            out.append((0, 1, length))
            continue
        if steps[a] == 0:
            raise ValueError(f"step {p.step} holds a 0; expected a number of elements to go forward or back")
        if length is None:
            whole = p.begin[a] is None and p.end[a] is None and steps[a] in (None, 1, -1)
            out.append((None, 1, length) if whole else (None, 1, None))
            continue
        b, e, st = slice(p.begin[a], p.end[a], steps[a]).indices(length)
        out.append((b, st, len(range(b, e, st))))
    return out


def range_view(r, s):
    """The part of a contiguous array of shape s, for the view kernels."""
    strides = strides_of(s)
    return view([n for _, _, n in r], [st * v for (_, st, _), v in zip(r, strides)],
                sum(b * v for (b, _, n), v in zip(r, strides)))


def range_slice(x, r):
    """The same part, as a slice of x."""
    ends = [b + n * st for b, st, n in r]
    return F.slice(x, begin=tuple(b for b, _, _ in r), end=tuple(None if e < 0 else e for e in ends),
                   step=tuple(st for _, st, _ in r))


def put_back(g, r, s):
    """Zeros of shape s with g in the part: the adjoint of slicing."""
    return F._backward_slice(g, begin=tuple(b for b, _, _ in r), step=tuple(st for _, st, _ in r), shape=tuple(s))


def _slice_shapes(p, ins, outs):
    if ins[0] is None:
        return ins, outs
    return ins, [unify(outs[0], tuple(n for _, _, n in ranges(p, ins[0])))]


op("slice", inputs="data", aliases="crop _npi_slice _npx_slice _sparse_slice", params=_RANGE, shapes=_slice_shapes,
   kernel="view_copy",
   arguments=lambda p, ins, outs: range_view(ranges(p, ins[0]), ins[0]),
   grad=lambda p, g, x, y: [lambda: put_back(g[0], ranges(p, x[0].shape), x[0].shape)],
   samples=(dict(inputs=[(4, 5)], params=dict(begin=(1, None), end=(3, 4))),
            dict(inputs=[(6, 5)], params=dict(begin=(5, 4), end=(None, 0), step=(-2, -1)))),
   numpy="data[tuple(slice(b, e, s) for b, e, s in zip(p.begin, p.end, p.step or (None,) * len(p.begin)))]",
   doc="A range along each of the first axes: begin (included), end (not included) and step, where None is the default and "
       "negative numbers count from the end.  What lies past the array is cut off.",
   example="mx.nd.slice(mx.nd.array([[1, 2, 3], [4, 5, 6]]), begin=(0, 1), end=(2, 3))")


def _put_ranges(p, g):
    return [(b, st, n) for b, st, n in zip(p.begin, p.step, g)]


def _put_shapes(p, ins, outs):
    g = ins[0]
    if known(g):
        if not len(g) == len(p.begin) == len(p.step) == len(p.shape):
            raise ValueError(f"begin {p.begin}, step {p.step} and shape {p.shape} do not fit {show(g)}")
        for (b, st, n), whole in zip(_put_ranges(p, g), p.shape):
            if n and not (0 <= b < whole and 0 <= b + (n - 1) * st < whole):
                raise ValueError(f"{show(g)} from {p.begin} by {p.step} does not lie within {show(p.shape)}")
    return ins, [unify(outs[0], p.shape)]


op("_backward_slice", inputs="data", params=dict(begin=shape(), step=shape(), shape=shape()), shapes=_put_shapes,
   kernel="view_put", arguments=lambda p, ins, outs: range_view(_put_ranges(p, ins[0]), outs[0]),
   grad=lambda p, g, x, y: [lambda: range_slice(g[0], _put_ranges(p, x[0].shape))],
   samples=(dict(inputs=[(2, 2)], params=dict(begin=(3, 1), step=(-2, 1), shape=(4, 4))),),
   doc="Zeros of the given shape, with the input in the part that starts at begin and goes by step: the adjoint of slice.",
   example="mx.nd._internal._backward_slice(mx.nd.ones((2,)), begin=(1,), step=(2,), shape=(5,))")


def _assign_shapes(p, ins, outs):
    data, value = ins
    out = data = unify(data, outs[0])
    if data is not None:
        value = unify(value, tuple(n for _, _, n in ranges(p, data)), "the part and the value")
    return [data, value], [out]


op("_slice_assign", inputs="lhs rhs", aliases="_crop_assign _npi_slice_assign", params=_RANGE, shapes=_assign_shapes,
   kernel="view_assign",
   arguments=lambda p, ins, outs: range_view(ranges(p, ins[0]), ins[0]), inplace=True,
   grad=lambda p, g, x, y: [lambda: F._slice_assign_scalar(g[0], scalar=0.0, begin=p.begin, end=p.end, step=p.step),
                            lambda: F.slice(g[0], begin=p.begin, end=p.end, step=p.step)],
   samples=(dict(inputs=[(4, 5), (2, 2)], params=dict(begin=(0, 4), end=(4, 0), step=(2, -2))),),
   doc="lhs with the elements of rhs in the range that slice would show.",
   example="mx.nd._internal._slice_assign(mx.nd.zeros((3, 3)), mx.nd.ones((2, 2)), begin=(0, 0), end=(2, 2))")

op("_slice_assign_scalar", inputs="data", aliases="_crop_assign_scalar _npi_slice_assign_scalar",
   params=dict(scalar=number(0.0), **_RANGE), kernel="view_fill",
   shapes=lambda p, ins, outs: ([unify(ins[0], outs[0])],) * 2,
   arguments=lambda p, ins, outs: [*range_view(ranges(p, ins[0]), ins[0]), float(p.scalar)], inplace=True,
   grad=lambda p, g, x, y: [lambda: F._slice_assign_scalar(g[0], scalar=0.0, begin=p.begin, end=p.end, step=p.step)],
   samples=(dict(inputs=[(4, 5)], params=dict(scalar=3.0, begin=(1, 1), end=(3, None))),),
   doc="The input with one number in the range that slice would show.",
   example="mx.nd._internal._slice_assign_scalar(mx.nd.zeros((3, 3)), scalar=2, begin=(0, 0), end=(2, 2))")


# ---- slices given in other ways -----------------------------------------------------------------------

def _axis_range(p, s):
    a = axis_of(p.axis, len(s))
    n = s[a]
    if n is None:
        return None
    b = p.begin + n if p.begin < 0 else p.begin
    e = n if p.end is None else p.end + n if p.end < 0 else p.end
    if not 0 <= b < e <= n and not (n == 0 == b == e):
        raise ValueError(f"begin {p.begin} and end {p.end} are not a range of axis {a}, which has length {n}")
    return [(b, 1, e - b) if i == a else (0, 1, v) for i, v in enumerate(s)]


def _slice_axis_shapes(p, ins, outs):
    s = ins[0]
    if s is None:
        return ins, outs
    r = _axis_range(p, s)
    a = axis_of(p.axis, len(s))
    if r is not None:
        n = r[a][2]
    else:                                                # ends counted from the front tell the length
        n = p.end - p.begin if p.end is not None and 0 <= p.begin < p.end else None
    out = s[:a] + (n,) + s[a + 1:]
    out = unify(outs[0], out)
    return [unify(s, out[:a] + (s[a],) + out[a + 1:])], [out]


op("slice_axis", inputs="data", params=dict(axis=integer(), begin=integer(), end=integer(nullable=True)), kernel="view_copy",
   shapes=_slice_axis_shapes, arguments=lambda p, ins, outs: range_view(_axis_range(p, ins[0]), ins[0]),
   grad=lambda p, g, x, y: [lambda: put_back(g[0], _axis_range(p, x[0].shape), x[0].shape)],
   samples=(dict(inputs=[(3, 5)], params=dict(axis=1, begin=1, end=-1)),
            dict(inputs=[(3, 5)], params=dict(axis=-2, begin=-2, end=None))),
   doc="The range from begin to end (None: to the last) along one axis.  Negative numbers count from the end; the range must "
       "lie within the axis.",
   example="mx.nd.slice_axis(mx.nd.array([[1, 2, 3], [4, 5, 6]]), axis=1, begin=0, end=2)")


def _like_ranges(p, s, like):
    if p.axes:
        chosen = [axis_of(a, len(s)) for a in p.axes]
        if max(chosen) >= len(like):
            raise ValueError(f"axes {p.axes} are not all axes of {show(like)}; expected at most {len(like) - 1}")
    else:
        if len(s) != len(like):
            raise ValueError(f"shapes {show(s)} and {show(like)} have different numbers of axes; expected axes= or equal numbers")
        chosen = range(len(s))
    for a in chosen:
        if like[a] is not None and s[a] is not None and like[a] > s[a]:
            raise ValueError(f"axis {a} has length {s[a]}, shorter than the {like[a]} of {show(like)}; expected no less")
    return [(0, 1, like[i] if i in chosen else n) for i, n in enumerate(s)]


def _like_shapes(p, ins, outs):
    s, like = ins
    out = outs[0]
    if like is not None and not p.axes:              # all axes come from shape_like
        like = out = unify(out, like, "shapes of shape_like and of the result")
    if s is None or like is None:
        return [s, like], [out]
    out = unify(out, tuple(n for _, _, n in _like_ranges(p, s, like)), "expected and worked-out output shapes")
    cut = {axis_of(a, len(s)) for a in p.axes} if p.axes else range(len(s))
    like = tuple(out[a] if a in cut else n for a, n in enumerate(like))
    return [tuple(n if a in cut else out[a] for a, n in enumerate(s)), like], [out]


op("slice_like", inputs="data shape_like", params=dict(axes=shape(())), kernel="view_copy",
   shapes=_like_shapes,
   types=lambda p, ins, outs: ([ins[0] or outs[0], ins[1]], [ins[0] or outs[0]]),
   arguments=lambda p, ins, outs: range_view(_like_ranges(p, *ins), ins[0]),
   grad=lambda p, g, x, y: [lambda: put_back(g[0], _like_ranges(p, x[0].shape, x[1].shape), x[0].shape), None],
   samples=(dict(inputs=[(3, 4), (2, 3)], params={}), dict(inputs=[(3, 4, 5), (2, 9, 2)], params=dict(axes=(0, -1)))),
   doc="The first elements of data along the given axes (all by default), as many as shape_like has.",
   example="mx.nd.slice_like(mx.nd.ones((3, 4)), mx.nd.zeros((2, 3)))")


def _crop_ranges(p, s, like=None):
    if len(s) != 4:
        raise ValueError(f"the input has shape {show(s)}; expected (batch, channel, height, width)")
    h, w = like[2:4] if like is not None else p.h_w
    if None in (h, w, *s[2:]):
        return [(0, 1, s[0]), (0, 1, s[1]), (None, 1, h), (None, 1, w)]
    if not (1 <= h <= s[2] and 1 <= w <= s[3]):
        raise ValueError(f"cannot cut {h} x {w} out of height {s[2]} and width {s[3]}; expected a part of at least one pixel")
    y, x = ((s[2] - h) // 2, (s[3] - w) // 2) if p.center_crop else p.offset
    if y < 0 or x < 0 or y + h > s[2] or x + w > s[3]:
        raise ValueError(f"offset {p.offset} with size {h} x {w} leaves height {s[2]} and width {s[3]}")
    return [(0, 1, s[0]), (0, 1, s[1]), (y, 1, h), (x, 1, w)]


def _crop_shapes(p, ins, outs):
    if len(ins) not in (1, 2):
        raise ValueError(f"got {len(ins)} inputs; expected the data and at most one reference")
    if None in ins:
        return ins, outs
    out = unify(outs[0], tuple(n for _, _, n in _crop_ranges(p, *ins)), "expected and worked-out output shapes")
    like = [s[:2] + out[2:] + s[4:] for s in ins[1:]]
    return [out[:2] + ins[0][2:], *like], [out]


op("Crop", inputs="data", variadic="num_args", kernel="view_copy", shapes=_crop_shapes, presumed=presume("float32"),
   params=dict(num_args=integer(at_least=1, at_most=2), offset=shape((0, 0), length=(2,)), h_w=shape((0, 0), length=(2,)),
               center_crop=flag()),
   arguments=lambda p, ins, outs: range_view(_crop_ranges(p, *ins), ins[0]),
   grad=lambda p, g, x, y: [lambda: put_back(g[0], _crop_ranges(p, *[v.shape for v in x]), x[0].shape), None][:len(x)],
   samples=(dict(inputs=[(1, 2, 5, 6)], params=dict(h_w=(2, 3), offset=(1, 2))),
            dict(inputs=[(1, 2, 5, 6), (1, 1, 3, 2)], params=dict(center_crop=True))),
   doc="Cuts height and width of images (batch, channel, height, width) to h_w, or to those of a second input, from offset or "
       "from the middle.",
   example="mx.nd.Crop(mx.nd.ones((1, 1, 5, 5)), h_w=(2, 3))")

# ---- flips ---------------------------------------------------------------------------------------------


def _flip_ranges(p, s):
    turned = {axis_of(a, len(s)) for a in p.axis}
    return [(max(n - 1, 0), -1, n) if i in turned else (0, 1, n) for i, n in enumerate(s)]


def _flip_shapes(p, ins, outs):
    s = unify(ins[0], outs[0])
    if s is not None:
        if len({axis_of(a, len(s)) for a in p.axis}) < len(p.axis):
            raise ValueError(f"axis {p.axis} names an axis twice")
    return [s], [s]


op("reverse", inputs="data", aliases="flip", params=dict(axis=shape()), shapes=_flip_shapes, kernel="view_copy",
   arguments=lambda p, ins, outs: range_view(_flip_ranges(p, ins[0]), ins[0]),
   grad=lambda p, g, x, y: [lambda: F.reverse(g[0], axis=p.axis)],
   samples=(dict(inputs=[(3, 4)], params=dict(axis=1)), dict(inputs=[(2, 3, 4)], params=dict(axis=(0, 2)))),
   numpy="np.flip(data, p.axis)",
   doc="Turns round the order of the elements along the given axes.", example="mx.nd.flip(mx.nd.array([[1, 2], [3, 4]]), axis=0)")

# ---- padding -------------------------------------------------------------------------------------------

_PAD_MODES = ("constant", "edge", "reflect")


def _padded(p, s):
    if len(s) not in (4, 5):
        raise ValueError(f"the input has shape {show(s)}; expected 4 or 5 dimensions")
    if len(p.pad_width) != 2 * len(s):
        raise ValueError(f"pad_width {p.pad_width} has {len(p.pad_width)} numbers; expected {2 * len(s)}, two for each axis")
    if any(p.pad_width[:4]):
        raise ValueError(f"pad_width {p.pad_width} pads one of the first two axes; expected zeros there")
    pairs = list(zip(p.pad_width[::2], p.pad_width[1::2]))
    for n, pair in zip(s, pairs):
        if n is not None and (p.mode == "reflect" and max(pair) >= max(n, 1) or p.mode == "edge" and n == 0 and any(pair)):
            raise ValueError(f"cannot {p.mode} {max(pair)} elements of an axis of length {n}")
    return tuple(plus(n, a, b) for n, (a, b) in zip(s, pairs))


def _unpadded(p, s):
    inner = tuple(plus(n, -a, -b) for n, a, b in zip(s, p.pad_width[::2], p.pad_width[1::2]))
    if any(n is not None and n < 0 for n in inner) or _padded(p, inner) != s:
        raise ValueError(f"shape {show(s)} is not padded by {p.pad_width}")
    return inner


def _pad_arguments(p, s):
    """Mode, planes, elements that stay together, then the padded axes: lengths, before, after."""
    pairs = list(zip(p.pad_width[::2], p.pad_width[1::2]))
    padded = [i for i, pair in enumerate(pairs) if any(pair)] or [len(s) - 1]
    first, last = padded[0], padded[-1] + 1
    return [_PAD_MODES.index(p.mode), size(s[:first]), size(s[last:]), last - first, *s[first:last],
            *[a for a, _ in pairs[first:last]], *[b for _, b in pairs[first:last]], float(getattr(p, "constant_value", 0.0))]


op("Pad", inputs="data", aliases="pad", kernel="pad", shapes=both_ways(_padded, _unpadded),
   params=dict(mode=choice(REQUIRED, *_PAD_MODES), pad_width=shape(at_least=0), constant_value=number(0.0)),
   arguments=lambda p, ins, outs: _pad_arguments(p, ins[0]),
   grad=lambda p, g, x, y: [lambda: F._backward_pad(g[0], mode=p.mode, pad_width=p.pad_width)],
   samples=(dict(inputs=[(1, 2, 3, 4)], params=dict(mode="constant", pad_width=(0, 0, 0, 0, 1, 2, 0, 1), constant_value=2.0)),
            dict(inputs=[(1, 2, 3, 4)], params=dict(mode="edge", pad_width=(0, 0, 0, 0, 1, 2, 2, 1))),
            dict(inputs=[(1, 2, 3, 4)], params=dict(mode="reflect", pad_width=(0, 0, 0, 0, 1, 2, 3, 1)))),
   doc="Adds elements around the axes after the second of an array with 4 or 5 axes: pad_width holds how many before and after "
       "each axis, mode says which: a constant, the nearest one, or a reflection.",
   example="mx.nd.pad(mx.nd.ones((1, 1, 2, 2)), mode='constant', pad_width=(0, 0, 0, 0, 1, 1, 1, 1))")


op("_backward_pad", inputs="data", kernel="pad_adjoint", shapes=both_ways(_unpadded, _padded),
   kernel_types=("float32", "float64", "int32", "int64", "int8", "uint8"),
   params=dict(mode=choice(REQUIRED, *_PAD_MODES), pad_width=shape(at_least=0)),
   arguments=lambda p, ins, outs: _pad_arguments(p, outs[0]),
   grad=lambda p, g, x, y: [lambda: F.Pad(g[0], mode=p.mode, pad_width=p.pad_width)],
   samples=(dict(inputs=[(1, 2, 6, 6)], params=dict(mode="reflect", pad_width=(0, 0, 0, 0, 1, 2, 2, 1))),),
   doc="The adjoint of Pad: every added element counts for the one that it showed.",
   example="mx.nd._internal._backward_pad(mx.nd.ones((1, 1, 4, 4)), mode='edge', pad_width=(0, 0, 0, 0, 1, 1, 1, 1))")

# ---- diagonals -----------------------------------------------------------------------------------------


def _diagonal(p, s):
    """(rows axis, columns axis, length) of the diagonal of an array of shape s."""
    a, b = axis_of(p.axis1, len(s), "axis1"), axis_of(p.axis2, len(s), "axis2")
    if a == b:
        raise ValueError(f"axis1 and axis2 are both axis {a}; expected two axes")
    if s[a] is None or s[b] is None:
        return a, b, None
    n = min(s[a], s[b] - p.k) if p.k >= 0 else min(s[a] + p.k, s[b])
    if n <= 0:
        raise ValueError(f"there is no diagonal {p.k} in shape {show(s)}")
    return a, b, n


def _diag_shape(p, s):
    if len(s) == 0:
        raise ValueError("the input has no dimensions; expected at least one")
    if len(s) == 1:
        return (plus(s[0], abs(p.k)),) * 2
    a, b, n = _diagonal(p, s)
    return tuple(v for i, v in enumerate(s) if i not in (a, b)) + (n,)


def _diagonal_view(p, s):
    a, b, n = _diagonal(p, s)
    strides = strides_of(s)
    offset = p.k * strides[b] if p.k >= 0 else -p.k * strides[a]
    rest = [i for i in range(len(s)) if i not in (a, b)]
    return view([s[i] for i in rest] + [n], [strides[i] for i in rest] + [strides[a] + strides[b]], offset)


def _diag_grad(p, g, x, y):
    if len(x[0].shape) == 1:
        return [lambda: F._diagonal(g[0], k=p.k, axis1=0, axis2=1)]
    return [lambda: F._backward_diag(g[0], k=p.k, axis1=p.axis1, axis2=p.axis2, shape=x[0].shape)]


_DIAG = dict(k=integer(0), axis1=integer(0), axis2=integer(1))


def _make_diagonal(p, x):
    if len(x.shape) == 1:
        n = x.shape[0] + abs(p.k)
        return F._backward_diag(x, k=p.k, axis1=0, axis2=1, shape=(n, n))
    return F._diagonal(x, k=p.k, axis1=p.axis1, axis2=p.axis2)


op("diag", inputs="data", params=_DIAG, shapes=forward(_diag_shape, partial=True), compose=_make_diagonal, grad=_diag_grad,
   samples=(dict(inputs=[(3, 4)], params=dict(k=1)), dict(inputs=[(3,)], params=dict(k=-1)),
            dict(inputs=[(2, 3, 4)], params=dict(axis1=0, axis2=2))),
   doc="Diagonal k of the axes axis1 and axis2, as the last axis of the result; from a vector, the matrix with that diagonal.",
   example="mx.nd.diag(mx.nd.array([[1, 2, 3], [4, 5, 6]]))")

op("_diagonal", inputs="data", params=_DIAG, kernel="view_copy", shapes=forward(_diag_shape, partial=True),
   arguments=lambda p, ins, outs: _diagonal_view(p, ins[0]),
   grad=lambda p, g, x, y: [lambda: F._backward_diag(g[0], k=p.k, axis1=p.axis1, axis2=p.axis2, shape=x[0].shape)],
   samples=(dict(inputs=[(3, 4)], params=dict(k=-1)),), public=lambda p, x: F.diag(x, k=p.k, axis1=p.axis1, axis2=p.axis2),
   doc="Diagonal k of two axes of an array with at least two.", example="mx.nd._internal._diagonal(mx.nd.ones((2, 3)), k=1)")

op("_backward_diag", inputs="data", params=dict(**_DIAG, shape=shape()), kernel="view_put",
   shapes=lambda p, ins, outs: ([unify(ins[0], _diag_shape(p, p.shape))], [unify(outs[0], p.shape)]),
   arguments=lambda p, ins, outs: _diagonal_view(p, outs[0]),
   grad=lambda p, g, x, y: [lambda: F._diagonal(g[0], k=p.k, axis1=p.axis1, axis2=p.axis2)],
   public=lambda p, x: F.diag(x, k=p.k) if len(p.shape) == 2 and p.shape[0] == p.shape[1] else NotImplemented,
   samples=(dict(inputs=[(2,)], params=dict(k=1, shape=(2, 3))),),
   doc="Zeros of the given shape with the input as diagonal k of two axes.",
   example="mx.nd._internal._backward_diag(mx.nd.ones((2,)), shape=(2, 3))")
