"""Reductions: sums, products, extremes, norms and their positions; running sums."""
from .declare import F, op, reduce_axes, reduced, reduction, spread
from .params import axes, choice, flag, integer, shape
from .shapes import axis_of, both_ways, forward, known, presume, same_types, size

_SAMPLES = (dict(inputs=[(2, 3, 4)], params={}), dict(inputs=[(2, 3, 4)], params=dict(axis=(0, 2))),
            dict(inputs=[(3, 4)], params=dict(axis=(-1,), keepdims=True)))


def _numpy(name):
    return f"np.atleast_1d(np.{name}(data, axis=p.axis or None, keepdims=p.keepdims))"


def _kept(p, g, x):
    """g with the reduced axes back, as ones."""
    drop = reduce_axes(p, len(x.shape))
    return F._reshape_to(g, shape=tuple(1 if i in drop else n for i, n in enumerate(x.shape)))


def _not_nan(x):
    """1 where x is a number, 0 at NaN."""
    return F.broadcast_equal(x, x)


# ---- sums ------------------------------------------------------------------------------------------

reduction("sum", kind="sum", grad=lambda p, g, x, y: spread(p, g, x), aliases="sum_axis", sparse=True,
          half_accumulates_in="float32", numpy=_numpy("sum"), samples=_SAMPLES,
          doc="Sum over the given axes, all of them by default; with exclude over the axes not given.  float32 adds up "
              "in blocks that are combined in double, 16-bit floats in float32; whole numbers wrap in their own dtype.",
          example="mx.nd.sum(mx.nd.array([[1, 2], [3, 4]]), axis=1)")

reduction("nansum", kind="nansum", grad=lambda p, g, x, y: spread(p, g, x) * _not_nan(x),
          half_accumulates_in="float32", numpy=_numpy("nansum"), samples=_SAMPLES,
          doc="Sum over the given axes, with NaN counted as 0.",
          example="mx.nd.nansum(mx.nd.array([1, float('nan'), 2]))")


def _mean_grad(p, g, x, y):
    return spread(p, g / float(max(1, size(x.shape) // max(1, size(y.shape)))), x)


reduction("mean", kind="mean", grad=_mean_grad, sparse=True, half_accumulates_in="float32", numpy=_numpy("mean"),
          samples=_SAMPLES,
          doc="Mean over the given axes.  Whole numbers are added up in int64, and the mean is rounded toward zero.",
          example="mx.nd.mean(mx.nd.array([[1, 2], [3, 4]]), axis=0)")

reduction("_square_sum", kind="square_sum", grad=lambda p, g, x, y: spread(p, g, x) * x * 2.0, samples=_SAMPLES,
          half_accumulates_in="float32", numpy="np.atleast_1d(np.sum(data * data, axis=p.axis or None, keepdims=p.keepdims))",
          doc="Sum of squares over the given axes.",
          example="mx.nd._internal._square_sum(mx.nd.array([[1, 2], [3, 4]]), axis=1)")


# ---- products --------------------------------------------------------------------------------------

def _others_slope(x, g):
    """Products of the others in each row of the matrix x, and their change when x moves along g.

    Pairs are multiplied, the products are worked out for the pairs, and each member takes its partner
    along: O(n) multiplications, no division, so zeros do no harm."""
    n = x.shape[1]
    if n < 2:
        return F.ones_like(x), F.zeros_like(x)
    half = n // 2

    def part(v, begin, end):
        return F.slice_axis(v, axis=1, begin=begin, end=end)

    def join(*parts):
        parts = [v for v in parts if v is not None]
        return F.Concat(*parts, dim=1, num_args=len(parts))
    a, b, ga, gb = part(x, 0, half), part(x, half, 2 * half), part(g, 0, half), part(g, half, 2 * half)
    odd = n > 2 * half
    pairs = join(a * b, part(x, 2 * half, n) if odd else None) if odd else a * b
    slopes = join(a * gb + b * ga, part(g, 2 * half, n)) if odd else a * gb + b * ga
    e, s = _others_slope(pairs, slopes)
    rest = (part(e, half, half + 1), part(s, half, half + 1)) if odd else (None, None)
    e, s = (part(e, 0, half), part(s, 0, half)) if odd else (e, s)
    return join(e * b, e * a, rest[0]), join(s * b + e * gb, s * a + e * ga, rest[1])


def _others_grad(p, g, x, y):
    """Its matrix of derivatives is symmetric, so the gradient is the change along g."""
    def of_x():
        ndim = len(x[0].shape)
        drop = reduce_axes(p, ndim)
        order = tuple(i for i in range(ndim) if i not in drop) + drop
        moved = tuple(x[0].shape[i] for i in order)
        n = size(x[0].shape[i] for i in drop)

        def rows(v):
            v = F.transpose(v, axes=order) if ndim > 1 else v
            return F._reshape_to(v, shape=(size(moved) // max(1, n), n))
        out = F._reshape_to(_others_slope(rows(x[0]), rows(g[0]))[1], shape=moved)
        return F.transpose(out, axes=tuple(order.index(i) for i in range(ndim))) if ndim > 1 else out
    return [of_x]


def _others_shape(p, s):
    reduce_axes(p, len(s))                      # complains of axes that are not there
    return s


op("_product_of_others", params=dict(axis=axes()), shapes=forward(_others_shape), kernel="product_of_others",
   arguments=lambda p, ins, outs: [sum(1 << a for a in reduce_axes(p, len(ins[0])))], grad=_others_grad,
   samples=(dict(inputs=[(2, 5)], params=dict(axis=(1,))), dict(inputs=[(3, 2, 2)], params=dict(axis=(0, 2)))),
   doc="Each element becomes the product of all the others along the given axes: the derivative of prod.",
   example="mx.nd._internal._product_of_others(mx.nd.array([2, 0, 5]))")


def _others(p, x):
    drop = reduce_axes(p, len(x.shape))
    return F._product_of_others(x, axis=drop) if drop else F.ones_like(x)


def _prod_grad(p, g, x, y):
    return spread(p, g, x) * _others(p, x)


def _nanprod_grad(p, g, x, y):
    number = _not_nan(x)
    return spread(p, g, x) * _others(p, F.where(number, x, F.ones_like(x))) * number


reduction("prod", kind="prod", grad=_prod_grad, half_accumulates_in="float32", numpy=_numpy("prod"), samples=_SAMPLES,
          doc="Product over the given axes.  The gradient is right where elements are zero.",
          example="mx.nd.prod(mx.nd.array([[1, 2], [3, 4]]), axis=0)")
reduction("nanprod", kind="nanprod", grad=_nanprod_grad, half_accumulates_in="float32", numpy=_numpy("nanprod"),
          samples=_SAMPLES, doc="Product over the given axes, with NaN counted as 1.",
          example="mx.nd.nanprod(mx.nd.array([2, float('nan'), 3]))")


# ---- extremes --------------------------------------------------------------------------------------

def _extreme_grad(p, g, x, y):
    return _kept(p, g, x) * F.broadcast_equal(x, _kept(p, y, x))


for _name, _word in (("max", "Largest"), ("min", "Smallest")):
    reduction(_name, kind=_name, grad=_extreme_grad, aliases=_name + "_axis", numpy=_numpy(_name), samples=_SAMPLES,
              doc=f"{_word} element over the given axes; NaN if there is one.  In the gradient every element that "
                  "equals the result gets the whole head gradient.",
              example=f"mx.nd.{_name}(mx.nd.array([[1, 2], [3, 4]]), axis=1)")


def split_axis(axis, dims):
    """(outer, n, inner) for one axis of a shape; for None the whole, flattened."""
    if axis is None:
        return [1, size(dims), 1]
    a = axis_of(axis, max(1, len(dims)))
    dims = dims or (1,)
    return [size(dims[:a]), dims[a], size(dims[a + 1:])]


def _arg_shape(p, s):
    if p.axis is None:
        return (1,) * max(1, len(s)) if p.keepdims else (1,)
    a = axis_of(p.axis, max(1, len(s)))
    return s[:a] + ((1,) if p.keepdims else ()) + s[a + 1:] or (1,)


def _arg_types(p, ins, outs):
    if "bool" in (*ins, *outs):
        raise ValueError("a bool cannot hold a position; expected another dtype (use astype)")
    return same_types(p, ins, outs)


for _name, _word in (("argmax", "largest"), ("argmin", "smallest")):
    op(_name, params=dict(axis=integer(None), keepdims=flag()), shapes=forward(_arg_shape, partial=True), types=_arg_types, kernel=_name,
       arguments=lambda p, ins, outs: split_axis(p.axis, ins[0]),
       numpy=f"np.atleast_1d(np.{_name}(data, axis=p.axis, keepdims=p.keepdims))",
       samples=(dict(inputs=[(3, 4)], params={}), dict(inputs=[(2, 3, 4)], params=dict(axis=1))),
       doc=f"Position of the {_word} element along an axis (by default in the flattened array), in the dtype of the "
           "input.  Of equal elements the first one counts; NaN counts as the extreme.",
       example=f"mx.nd.{_name}(mx.nd.array([[1, 3, 2], [6, 4, 5]]), axis=1)")


def _channel_shape(p, s):
    if len(s) < 2:
        raise ValueError(f"too few dimensions; expected at least 2, got {len(s)}")
    return s[:1] + s[2:]


op("argmax_channel", shapes=both_ways(_channel_shape, lambda p, out: out[:1] + (None,) + out[1:]), types=_arg_types, kernel="argmax",
   arguments=lambda p, ins, outs: split_axis(1, ins[0]),
   numpy="np.argmax(data, axis=1)", samples=(dict(inputs=[(2, 3)], params={}), dict(inputs=[(2, 3, 2)], params={})),
   doc="Position of the largest element along axis 1, in the dtype of the input.",
   example="mx.nd.argmax_channel(mx.nd.array([[1, 3, 2], [6, 4, 5]]))")


# ---- norms and moments -----------------------------------------------------------------------------

def _norm_types(p, ins, outs):
    t = ins[0] or (outs[0] if p.out_dtype is None else None)
    return [t], [p.out_dtype or t]


def _norm_grad(p, g, x, y):
    def of_x():
        v, n, h = x[0], y[0], g[0]
        if n.dtype != v.dtype:
            h, n = F._cast_like(h, v), F._cast_like(n, v)
        if p.ord == 1:
            return spread(p, h, v) * F.sign(v)
        return _kept(p, h / (n + F._equal_scalar(n, scalar=0.0)), v) * v          # 0 where all elements are 0
    return [of_x]


op("norm", aliases="_sparse_norm", params=dict(
    ord=integer(2, at_least=1, at_most=2), axis=axes(),
    out_dtype=choice(None, "float16", "float32", "float64", "int32", "int64", "int8"), keepdims=flag()),
   kernel="reduce_norm", arguments=lambda p, ins, outs: [sum(1 << a for a in reduce_axes(p, len(ins[0]))), p.ord],
   shapes=forward(reduced, partial=True), types=_norm_types, grad=_norm_grad, reduction="norm", half_accumulates_in="float32",
   numpy="np.atleast_1d(np.sum(np.abs(data) ** p.ord, axis=p.axis or None, keepdims=p.keepdims) ** (1 / p.ord))",
   samples=(dict(inputs=[(2, 3, 4)], params={}), dict(inputs=[(3, 4)], params=dict(ord=1, axis=(0,))),
            dict(inputs=[(2, 3, 4)], params=dict(axis=(0, 2), keepdims=True))), domain=(0.2, 2.0),
   doc="Sum of magnitudes (ord=1) or root of the sum of squares (ord=2) over the given axes, all by default.  Squares "
       "neither overflow nor vanish.  The gradient is 0 where the norm is 0.",
   example="mx.nd.norm(mx.nd.array([[3, 4], [6, 8]]), axis=1)")


class _Over:
    """The axes of moments, as a reduction names them."""

    def __init__(self, p):
        self.axis, self.keepdims = p.axes, p.keepdims


def _moments(p, x):
    mean = F.mean(x, axis=p.axes, keepdims=True)
    d = x - mean
    if not p.keepdims:
        mean = F._reshape_to(mean, shape=reduced(_Over(p), x.shape))
    return [mean, F.mean(d * d, axis=p.axes, keepdims=p.keepdims)]


op("moments", params=dict(axes=axes(), keepdims=flag()), outputs="output0 output1", compose=_moments,
   shapes=forward(lambda p, s: [reduced(_Over(p), s)] * 2, partial=True), samples=(
       dict(inputs=[(3, 4)], params=dict(axes=(0,))), dict(inputs=[(2, 3, 4)], params=dict(axes=(0, 2), keepdims=True))),
   doc="Mean and variance (divided by the number of elements) over the given axes.",
   example="mx.nd.moments(mx.nd.array([[1, 2], [3, 4]]), axes=(0,))")


# ---- running sums ----------------------------------------------------------------------------------

def _cumsum_shape(p, s):
    if p.axis is None:
        return (size(s) if known(s) else None,)
    axis_of(p.axis, max(1, len(s)))
    return s or (1,)


def _cumsum_types(p, ins, outs):
    t = ins[0] or (outs[0] if p.dtype is None and outs[0] != "int64" else None)
    return [t], [p.dtype or ("int64" if t == "bool" else t)]


def _cumsum_grad(p, g, x, y):
    def of_x():
        a = 0 if p.axis is None else p.axis
        back = F.reverse(F._np_cumsum(F.reverse(g[0], axis=(a,)), axis=a), axis=(a,))
        back = back if back.shape == x[0].shape else F._reshape_to(back, shape=x[0].shape)
        return back if g[0].dtype == x[0].dtype else F._cast_like(back, x[0])
    return [of_x]


op("_np_cumsum", inputs="a", aliases="cumsum", params=dict(
    axis=integer(None), dtype=choice(None, "float16", "float32", "float64", "int32", "int64", "int8")),
   shapes=both_ways(_cumsum_shape, lambda p, out: None if p.axis is None or len(out) < 2 else out),     # (1,) may come from ()
   types=_cumsum_types, presumed=presume(), kernel="cumsum", grad=_cumsum_grad,
   arguments=lambda p, ins, outs: split_axis(p.axis, ins[0]), numpy="np.cumsum(a, axis=p.axis)",
   samples=(dict(inputs=[(2, 3)], params={}), dict(inputs=[(2, 3, 4)], params=dict(axis=1)),
            dict(inputs=[(2, 3)], params=dict(axis=-1))),
   doc="Running sum along an axis, or over the flattened array.  bool gives int64.",
   example="mx.nd.cumsum(mx.nd.array([[1, 2], [3, 4]]), axis=1)")


# ---- the adjoint of broadcasting -------------------------------------------------------------------

def _stretched(p, dims):
    """The axes along which p.shape was stretched to dims."""
    lead = len(dims) - len(p.shape)
    if lead < 0 or any(n not in (1, m) for n, m in zip(p.shape, dims[lead:])):
        raise ValueError(f"shape {p.shape} does not broadcast to the input's shape {dims}")
    return [a for a in range(len(dims)) if a < lead or p.shape[a - lead] == 1 != dims[a]]


def _sum_to_shape(p, s):
    _stretched(p, s)
    return p.shape


def _sum_to_grad(p, g, x, y):
    def of_x():
        lead = len(x[0].shape) - len(p.shape)
        return F.broadcast_like(F._reshape_to(g[0], shape=(1,) * lead + p.shape) if lead else g[0], x[0])
    return [of_x]


op("_sum_to_shape", params=dict(shape=shape()), shapes=forward(_sum_to_shape), kernel="reduce_sum", grad=_sum_to_grad,
   arguments=lambda p, ins, outs: [sum(1 << a for a in _stretched(p, ins[0]))], reduction="sum", half_accumulates_in="float32",
   samples=(dict(inputs=[(2, 3, 4)], params=dict(shape=(3, 1))), dict(inputs=[(2, 3)], params=dict(shape=(2, 3)))),
   doc="Sum down to a shape that broadcasts to the input's: the adjoint of broadcasting.",
   example="mx.nd._internal._sum_to_shape(mx.nd.ones((2, 3)), shape=(1, 3))")
