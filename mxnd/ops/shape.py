"""Other shapes of the same elements: reshaping, permuting and merging axes."""
from .declare import F, op
from .params import axes, flag, integer, shape
from .shapes import axis_of, both_ways, known, over, show, size, times, unify

# ---- views: what the kernel view_copy reads --------------------------------------------------------


def strides_of(s):
    """Elements from one index to the next along each axis of a contiguous array."""
    out, step = [], 1
    for n in reversed(s):
        out.append(step)
        step *= n
    return out[::-1]


def view(sizes, strides, offset=0):
    """Arguments of the view kernels: the input (or output) seen through sizes and strides, in elements."""
    return [offset, len(sizes), *sizes, *strides]


# ---- reshaping --------------------------------------------------------------------------------------

def _groups(codes):
    """The codes with each -4 joined to the two numbers that follow it."""
    out, i = [], 0
    while i < len(codes):
        n = 3 if codes[i] == -4 else 1
        if i + n > len(codes):
            raise ValueError(f"shape {show(tuple(codes))} ends within a split; expected two numbers after -4")
        out.append(tuple(codes[i:i + n]))
        i += n
    return out


def reshape_codes(shape, codes, reverse=False):
    """The shape that reshape codes ask for: 0 keeps a dimension, -1 is worked out, -2 keeps the rest,
    -3 merges two, -4 splits one into the two numbers that follow.

    Dimensions may be None (unknown) and come out as None where they cannot be worked out."""
    groups = _groups(list(codes))
    if reverse:
        shape = tuple(reversed(shape))
        groups = [g if len(g) == 1 else (g[0], g[2], g[1]) for g in reversed(groups)]
    out, spare, made, at, hole = [], [], 1, 0, None      # spare, made: factors that no code has matched yet
    ndim = len(shape)

    def next_dim(code):
        nonlocal at
        if at >= ndim:
            raise ValueError(f"code {code} asks for dimension {at} of shape {show(shape)}")
        at += 1
        return shape[at - 1]
    for group in groups:
        code = group[0]
        if code > 0 or code == -1:
            if at < ndim:
                spare.append(shape[at])
            at += 1
            if code > 0:
                out.append(code)
                made *= code
            elif hole is not None:
                raise ValueError(f"shape {show(tuple(codes))} has two -1; expected at most one")
            else:
                hole = len(out)
                out.append(None)
        elif code == 0:
            out.append(next_dim(0))
        elif code == -2:
            out.extend(shape[at:])
            at = max(at, ndim)
        elif code == -3:
            a, b = next_dim(-3), next_dim(-3)
            out.append(None if a is None or b is None else a * b)
        elif code == -4:
            out.extend(_split(next_dim(-4), *group[1:]))
        else:
            raise ValueError(f"shape code {code} is unknown; expected a size or a code from -4 to 0")
    spare.extend(shape[at:])
    if None not in spare:
        rest = size(spare)
        if hole is not None:
            if made == 0 or rest % made:
                raise ValueError(f"shape {show(shape)} does not divide into {show(tuple(codes))}")
            out[hole] = rest // made
        elif rest != made:
            raise ValueError(f"shape {show(shape)} has another size than {show(tuple(codes))}")
    return tuple(reversed(out)) if reverse else tuple(out)


def _split(n, a, b):
    if a == b == -1 or a == 0 or b == 0 or a < -1 or b < -1:
        raise ValueError(f"cannot split a dimension into {a} and {b}; expected sizes, or one -1")
    if n is None:
        return [None if a == -1 else a, None if b == -1 else b]
    if n % (b if a == -1 else a):
        raise ValueError(f"dimension {n} does not split into {a} and {b}; expected sizes whose product it is")
    a, b = n // b if a == -1 else a, n // a if b == -1 else b
    if a * b != n:
        raise ValueError(f"dimension {n} does not split into {a} and {b}; expected sizes whose product it is")
    return [a, b]


def same_size(ins, outs):
    """One array under two shapes: a single unknown dimension follows from the size."""
    a, b = ins[0], outs[0]
    for x, y in ((a, b), (b, a)):
        if known(x) and y is not None and y.count(None) == 1:
            rest = size(v for v in y if v is not None)
            if rest and size(x) % rest == 0:
                filled = tuple(size(x) // rest if v is None else v for v in y)
                a, b = (a, filled) if y is b else (filled, b)
                break
    if known(a) and known(b) and size(a) != size(b):
        raise ValueError(f"shape {show(a)} cannot become {show(b)}; expected equally many elements")
    return [a, *ins[1:]], [b]


def _reshape_shapes(p, ins, outs):
    data = ins[0]
    if p.shape:
        if data is not None:
            outs = [unify(outs[0], reshape_codes(data, p.shape, p.reverse))]
        elif all(c > 0 for c in p.shape):
            outs = [unify(outs[0], tuple(p.shape))]
    elif p.target_shape:
        want = [n or None for n in p.target_shape]
        if p.keep_highest:
            want[0] = data[0] if data else None
        if want.count(None) > 1 and known(data):
            raise ValueError(f"target_shape {show(p.target_shape)} has more than one 0; expected at most one")
        outs = [unify(outs[0], tuple(want))]
    elif data is not None:
        raise ValueError("shape is missing; expected a tuple of sizes and codes")
    return same_size(ins, outs)


def back_to_shape(p, g, x, y):
    """Gradient of an operator that only changes the shape."""
    return [lambda: F._reshape_to(g[0], shape=x[0].shape)]


SHAPE_ONLY = dict(kernel="copy", grad=back_to_shape)

op("Reshape", inputs="data", aliases="reshape", shapes=_reshape_shapes, **SHAPE_ONLY,
   params=dict(shape=shape(()), reverse=flag(), target_shape=shape((), at_least=0), keep_highest=flag()),
   samples=(dict(inputs=[(2, 3, 4)], params=dict(shape=(0, -1))),
            dict(inputs=[(2, 3, 4)], params=dict(shape=(-4, 1, 2, -2))),
            dict(inputs=[(2, 3, 4)], params=dict(shape=(-3, 0), reverse=True))),
   doc="The same elements under another shape.  In shape, 0 keeps a dimension, -1 is worked out from the size, -2 keeps "
       "all that are left, -3 merges two, and -4 splits one into the two numbers that follow; reverse reads the codes "
       "from the right.  target_shape and keep_highest are the older spelling.",
   example="mx.nd.reshape(mx.nd.ones((2, 3, 4)), shape=(0, -1))")

op("_reshape_to", inputs="data", params=dict(shape=shape()), **SHAPE_ONLY,
   shapes=lambda p, ins, outs: same_size(ins, [unify(outs[0], p.shape)]),
   samples=(dict(inputs=[(2, 3)], params=dict(shape=(3, 1, 2))),), numpy="np.reshape(data, p.shape)",
   public=lambda p, x: F.Reshape(x, shape=p.shape),
   doc="The same elements under exactly this shape, without codes.",
   example="mx.nd._internal._reshape_to(mx.nd.ones((2, 3)), shape=(3, 2))")


def _reshape_like_shapes(p, ins, outs):
    lhs, rhs = ins
    if lhs is None or rhs is None:
        return ins, outs

    def span(begin, end, s, side):
        b = 0 if begin is None else begin + len(s) if begin < 0 else begin
        e = len(s) if end is None else end + len(s) if end < 0 else end
        if not (0 <= b <= e <= len(s)):
            raise ValueError(f"{side}_begin {begin} and {side}_end {end} are not a range of the dimensions of {show(s)}")
        return b, e
    a, b = span(p.lhs_begin, p.lhs_end, lhs, "lhs")
    c, d = span(p.rhs_begin, p.rhs_end, rhs, "rhs")
    ins, out = same_size([lhs], [unify(outs[0], lhs[:a] + rhs[c:d] + lhs[b:])])
    return [ins[0], rhs], out


def _first_of_two(p, ins, outs):
    t = ins[0] or outs[0]
    return [t, ins[1]], [t]


_PLACE = integer(None)
op("reshape_like", inputs="lhs rhs", aliases="_npx_reshape_like", kernel="copy", shapes=_reshape_like_shapes, types=_first_of_two,
   params=dict(lhs_begin=_PLACE, lhs_end=_PLACE, rhs_begin=_PLACE, rhs_end=_PLACE),
   grad=lambda p, g, x, y: [lambda: F._reshape_to(g[0], shape=x[0].shape), None],
   samples=(dict(inputs=[(2, 6), (3, 4)], params={}),
            dict(inputs=[(30, 7), (15, 2, 4)], params=dict(lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=2))),
   doc="The elements of lhs under the shape of rhs.  The begin and end parameters limit both to a range of dimensions; "
       "those of lhs outside it stay.",
   example="mx.nd.reshape_like(mx.nd.ones((2, 6)), mx.nd.ones((3, 4)))")


def _flatten_shapes(p, ins, outs):
    if ins[0] is not None:
        if not ins[0]:
            raise ValueError("the input has no dimensions; expected at least one")
        rest = ins[0][1:]
        outs = [unify(outs[0], (ins[0][0], None if None in rest else size(rest)))]
    elif outs[0] is None:
        outs = [(None, None)]
    return same_size(ins, outs)


op("Flatten", inputs="data", aliases="flatten _npx_batch_flatten", shapes=_flatten_shapes, **SHAPE_ONLY,
   samples=(dict(inputs=[(2, 3, 4)], params={}), dict(inputs=[(3,)], params={})),
   numpy="np.reshape(data, (data.shape[0], -1))",
   doc="Merges all axes but the first, so that the result has two.", example="mx.nd.flatten(mx.nd.ones((2, 3, 4)))")


def _expand_dims_shapes(p, ins, outs):
    data, out = ins[0], outs[0]
    if data is not None:
        a = axis_of(p.axis, len(data) + 1)
        out = unify(out, data[:a] + (1,) + data[a:])
    if out is not None:
        a = axis_of(p.axis, len(out))
        out = unify(out, out[:a] + (1,) + out[a + 1:])
        data = unify(data, out[:a] + out[a + 1:])
    return [data], [out]


op("expand_dims", inputs="data", aliases="_npi_expand_dims", params=dict(axis=integer()), shapes=_expand_dims_shapes,
   **SHAPE_ONLY,
   samples=(dict(inputs=[(2, 3)], params=dict(axis=1)), dict(inputs=[(2, 3)], params=dict(axis=-1))),
   numpy="np.expand_dims(data, p.axis)",
   doc="Inserts an axis of length 1 before the given place.", example="mx.nd.expand_dims(mx.nd.ones((2, 3)), axis=0)")


def _squeezed(p, data):
    if p.axis is None and None in data:              # what is not known may be 1
        return None
    if p.axis is None:
        drop = {i for i, n in enumerate(data) if n == 1}
    else:
        drop = {axis_of(a, len(data)) for a in p.axis}
        for a in drop:
            if data[a] not in (1, None):
                raise ValueError(f"axis {a} of shape {show(data)} has length {data[a]}; expected 1")
    out = tuple(n for i, n in enumerate(data) if i not in drop)
    return out if out or not data else (1,)


def _squeeze_shapes(p, ins, outs):
    data, out = ins[0], outs[0]
    if data is None and p.axis and out and (len(out) > 1 or out[0] not in (1, None)):     # (1,) may stand for no axis at all
        data = (None,) * (len(out) + len(p.axis))
    if data is None:
        return ins, outs
    out = unify(out, _squeezed(p, data), "expected and worked-out output shapes")
    if p.axis is not None and out is not None and len(p.axis) < len(data):
        drop, kept = {axis_of(a, len(data)) for a in p.axis}, iter(out)
        data = tuple(1 if i in drop else next(kept) for i in range(len(data)))
    return [data], [out]


op("squeeze", inputs="data", params=dict(axis=axes()), shapes=_squeeze_shapes, **SHAPE_ONLY,
   samples=(dict(inputs=[(1, 2, 1)], params={}), dict(inputs=[(1, 2, 1)], params=dict(axis=(0,)))),
   doc="Drops axes of length 1: those given, or all of them.  At least one axis stays.",
   example="mx.nd.squeeze(mx.nd.ones((1, 2, 1)))")

# ---- permuting ----------------------------------------------------------------------------------------


def _order(p, ndim):
    """Input axis of each output axis."""
    if not p.axes:
        return tuple(reversed(range(ndim)))
    if len(p.axes) != ndim or sorted(p.axes) != list(range(ndim)):
        raise ValueError(f"axes {p.axes} is not a permutation of the {ndim} axes; expected 0 to {ndim - 1}, each once")
    return p.axes


def permuted(s, order):
    return tuple(s[a] for a in order)


def inverse(order):
    return tuple(order.index(a) for a in range(len(order)))


def _transpose_shapes(p, ins, outs):
    data, out = ins[0], outs[0]
    if data is not None:
        out = unify(out, permuted(data, _order(p, len(data))))
    if out is not None:
        data = unify(data, permuted(out, inverse(_order(p, len(out)))))
    return [data], [out]


def _transposed_view(p, ins, outs):
    order = _order(p, len(ins[0]))
    return view(outs[0], permuted(strides_of(ins[0]), order))


op("transpose", inputs="data", params=dict(axes=shape(())), shapes=_transpose_shapes, kernel="view_copy",
   arguments=_transposed_view,
   grad=lambda p, g, x, y: [lambda: F.transpose(g[0], axes=inverse(_order(p, len(x[0].shape))))],
   samples=(dict(inputs=[(2, 3)], params={}), dict(inputs=[(2, 3, 4)], params=dict(axes=(2, 0, 1))),
            dict(inputs=[(2, 1, 3, 2)], params=dict(axes=(0, 2, 3, 1)))),
   numpy="np.transpose(data, p.axes or None)",
   doc="Permutes the axes; without axes their order is turned round.",
   example="mx.nd.transpose(mx.nd.array([[1, 2, 3], [4, 5, 6]]))")


def _swap(p, ndim):
    order = list(range(ndim))
    a, b = axis_of(p.dim1, ndim, "dim1"), axis_of(p.dim2, ndim, "dim2")
    order[a], order[b] = b, a
    return tuple(order)


def _swap_shapes(p, ins, outs):
    data, out = ins[0], outs[0]
    if data is not None:
        out = unify(out, permuted(data, _swap(p, len(data))))
    if out is not None:
        data = unify(data, permuted(out, _swap(p, len(out))))
    return [data], [out]


op("SwapAxis", inputs="data", aliases="swapaxes _npi_swapaxes", params=dict(dim1=integer(0), dim2=integer(0)),
   shapes=_swap_shapes,
   kernel="view_copy", arguments=lambda p, ins, outs: view(outs[0], permuted(strides_of(ins[0]), _swap(p, len(ins[0])))),
   grad=lambda p, g, x, y: [lambda: F.SwapAxis(g[0], dim1=p.dim1, dim2=p.dim2)],
   samples=(dict(inputs=[(2, 3, 4)], params=dict(dim1=0, dim2=2)),), numpy="np.swapaxes(data, p.dim1, p.dim2)",
   doc="Exchanges two axes.", example="mx.nd.swapaxes(mx.nd.ones((2, 3, 4)), dim1=0, dim2=2)")

# ---- blocks of pixels as channels -----------------------------------------------------------------------


def _four(p, data):
    if len(data) != 4:
        raise ValueError(f"the input has shape {show(data)}; expected (batch, channel, height, width)")
    return data


def _to_space(p, data):
    n, c, h, w = _four(p, data)
    b = p.block_size
    c = over(c, b * b, f"{c} channels do not divide into blocks of {b} x {b}; expected a multiple of {b * b}")
    return n, c, times(h, b), times(w, b)


def _to_depth(p, data):
    n, c, h, w = _four(p, data)
    b = p.block_size
    rest = f"height {h} and width {w} do not divide into blocks of {b} x {b}; expected multiples of {b}"
    return n, times(c, b, b), over(h, b, rest), over(w, b, rest)


def _space_view(p, ins, outs):
    n, c, h, w = ins[0]
    b, d = p.block_size, c // p.block_size ** 2
    sn, sb, sc, sd, sh, sw = strides_of((n, b, b, d, h, w))
    return view((n, d, h, b, w, b), (sn, sd, sh, sb, sw, sc))


def _depth_view(p, ins, outs):
    n, c, h, w = ins[0]
    b = p.block_size
    sn, sc, sh, sa, sw, sb = strides_of((n, c, h // b, b, w // b, b))
    return view((n, b, b, c, h // b, w // b), (sn, sa, sb, sc, sh, sw))


op("depth_to_space", inputs="data", params=dict(block_size=integer(at_least=1)), shapes=both_ways(_to_space, _to_depth), kernel="view_copy",
   arguments=_space_view, grad=lambda p, g, x, y: [lambda: F.space_to_depth(g[0], block_size=p.block_size)],
   samples=(dict(inputs=[(1, 8, 2, 3)], params=dict(block_size=2)),),
   doc="Spreads groups of block_size * block_size channels over blocks of pixels: (n, c, h, w) becomes "
       "(n, c / b**2, h * b, w * b).",
   example="mx.nd.depth_to_space(mx.nd.ones((1, 4, 2, 3)), block_size=2)")

op("space_to_depth", inputs="data", params=dict(block_size=integer(at_least=1)), shapes=both_ways(_to_depth, _to_space), kernel="view_copy",
   arguments=_depth_view, grad=lambda p, g, x, y: [lambda: F.depth_to_space(g[0], block_size=p.block_size)],
   samples=(dict(inputs=[(1, 2, 4, 6)], params=dict(block_size=2)),),
   doc="Gathers blocks of pixels into channels: (n, c, h, w) becomes (n, c * b**2, h / b, w / b).",
   example="mx.nd.space_to_depth(mx.nd.ones((1, 1, 4, 6)), block_size=2)")

# ---- shapes as arrays -----------------------------------------------------------------------------------


def _always(dtype):
    return lambda p, ins, outs: (ins, [dtype] * len(outs))


op("shape_array", inputs="data", aliases="_npx_shape_array", types=_always("int64"),
   shapes=lambda p, ins, outs: (ins, [unify(outs[0], (len(ins[0]) if ins[0] is not None else None,))]),
   kernel="numbers", arguments=lambda p, ins, outs: list(ins[0]),
   samples=(dict(inputs=[(2, 3)], params={}),), numpy="np.array(data.shape)",
   doc="The shape of the input as an int64 array.", example="mx.nd.shape_array(mx.nd.ones((2, 3)))")

op("size_array", inputs="data", types=_always("int64"), shapes=lambda p, ins, outs: (ins, [unify(outs[0], (1,))]),
   kernel="numbers", arguments=lambda p, ins, outs: [size(ins[0])],
   samples=(dict(inputs=[(2, 3)], params={}),), numpy="np.array([data.size])",
   doc="The number of elements of the input as an int64 array of one element.", example="mx.nd.size_array(mx.nd.ones((2, 3)))")
