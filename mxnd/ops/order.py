"""Sorting, ranking, the largest few, and histograms."""
from .declare import F, op
from .params import choice, flag, floats, integer
from .reduce import split_axis
from .shapes import axis_of, both_ways, forward, plus, show, size, times, unify

_INDEX_TYPES = ("float16", "float32", "float64", "int32", "int64", "uint8")
_EXACT = {"float16": 2048, "float32": 1 << 24, "uint8": 256, "int32": 1 << 31}       # indices below are kept exactly
_INDICES, _VALUES, _MASK = 0, 1, 2


# ---- taking and adding by places ----------------------------------------------------------------------

def _take_shapes(p, ins, outs):
    a, b = ins
    b = unify(b, outs[0], "shapes of places and of the result")
    if a is not None and b is not None:
        try:
            axis_of(p.axis, len(a))
            lines = unify(a[:p.axis] + (None,) + a[p.axis + 1:], b[:p.axis] + (None,) + b[p.axis + 1:])
        except ValueError:
            raise ValueError(f"data and places have shapes {show(a)} and {show(b)}; expected equal ones but for axis {p.axis}") from None
        a, b = (lines[:p.axis] + (s[p.axis],) + lines[p.axis + 1:] for s in (a, b))
    return [a, b], [b]


def _along_types(p, ins, outs):
    t = ins[0] or outs[0]
    return [t, ins[1]], [t]


def _middle(dims, a):
    return size(dims[a + 1:])


op("_take_along", inputs="data places", params=dict(axis=integer(at_least=0)), shapes=_take_shapes, types=_along_types,
   kernel="take_along",
   arguments=lambda p, ins, outs: [ins[0][p.axis], ins[1][p.axis], _middle(ins[0], p.axis)],
   grad=lambda p, g, x, y: [lambda: F._put_along(g[0], x[1], axis=p.axis, size=x[0].shape[p.axis]), None],
   samples=(dict(inputs=[(2, 3), [[2.0, 0.0], [1.0, 1.0]]], params=dict(axis=1)),),
   numpy="np.take_along_axis(data, places.astype('int64'), p.axis)",
   doc="Elements at the given places along an axis; places has the shape of the data but for that axis.",
   example="mx.nd._internal._take_along(mx.nd.array([[5, 6, 7]]), mx.nd.array([[2, 0]]), axis=1)")


def _put_shapes(p, ins, outs):
    s = unify(ins[0], ins[1])
    if s is None:
        return ins, outs
    return [s, s], [unify(outs[0], s[:p.axis] + (p.size,) + s[p.axis + 1:])]


op("_put_along", inputs="data places", params=dict(axis=integer(at_least=0), size=integer(at_least=0)), shapes=_put_shapes,
   types=_along_types, kernel="put_along", arguments=lambda p, ins, outs: [p.size, ins[0][p.axis], _middle(ins[0], p.axis)],
   grad=lambda p, g, x, y: [lambda: F._take_along(g[0], x[1], axis=p.axis), None],
   samples=(dict(inputs=[(2, 2), [[2.0, 0.0], [1.0, 1.0]]], params=dict(axis=1, size=3)),),
   doc="Zeros of the given length along an axis, to which the data are added at the given places: the adjoint of "
       "_take_along.",
   example="mx.nd._internal._put_along(mx.nd.array([[5, 6]]), mx.nd.array([[2, 0]]), axis=1, size=3)")


def _scatter(axis, g, places, x):
    """Gradient for x of its elements at the places; axis None: places in the flattened array."""
    if axis is None:
        return F._reshape_to(F._put_along(g, places, axis=0, size=size(x.shape)), shape=x.shape)
    a = axis_of(axis, max(1, len(x.shape)))
    out = F._put_along(g, places, axis=a, size=(x.shape or (1,))[a])
    return out if out.shape == x.shape else F._reshape_to(out, shape=x.shape)


# ---- sort, argsort -----------------------------------------------------------------------------------

def _sorted_shape(p, s):
    if p.axis is None:
        return (times(*s),)
    axis_of(p.axis, max(1, len(s)))
    return s or (1,)


_sorted_shapes = both_ways(_sorted_shape, lambda p, out: None if p.axis is None or len(out) < 2 else out)    # (1,) may come from ()


def _order_arguments(want):
    def arguments(p, ins, outs):
        outer, n, inner = split_axis(p.axis, ins[0])
        return [outer, n, inner, n, int(not p.is_ascend), want]
    return arguments


def _index_types(p, ins, outs):
    return [ins[0]], [p.dtype]


_AXIS = dict(axis=integer(-1, nullable=True), is_ascend=flag(True))
_SAMPLES = (dict(inputs=[(3, 4)], params={}), dict(inputs=[(3, 4)], params=dict(axis=0)),
            dict(inputs=[(2, 3)], params=dict(axis=None)))

def _sort_grad(p, g, x, y):
    def of_data():
        places = F.argsort(x[0], axis=p.axis, is_ascend=p.is_ascend, dtype="int64")
        return _scatter(p.axis, g[0], places, x[0])
    return [of_data]


op("sort", aliases="_npi_sort", params=_AXIS, outputs="output0", shapes=_sorted_shapes, kernel="order",
   arguments=_order_arguments(_VALUES), numpy="np.sort(data, axis=p.axis)", samples=_SAMPLES,
   grad=_sort_grad, stored=2,
   doc="The elements in order along an axis (the last by default; None: of the flattened array).  NaN comes last.",
   example="mx.nd.sort(mx.nd.array([[3, 1, 2]]), is_ascend=False)")

op("argsort", aliases="_npi_argsort", params=dict(**_AXIS, dtype=choice("float32", *_INDEX_TYPES)), shapes=_sorted_shapes,
   types=_index_types, kernel="order", arguments=_order_arguments(_INDICES), numpy="np.argsort(data, axis=p.axis, kind='stable')",
   samples=_SAMPLES,
   doc="The places of the elements in order along an axis, as dtype.  Equal elements keep their order; NaN comes last.",
   example="mx.nd.argsort(mx.nd.array([[3, 1, 2]]))")


# ---- topk --------------------------------------------------------------------------------------------

def _topk_count(p, dims):
    outer, n, inner = split_axis(p.axis, dims)
    return outer, n, inner, n if p.k < 1 else p.k


def _topk_shapes(p, s):
    n = times(*s) if p.axis is None else (s or (1,))[axis_of(p.axis, max(1, len(s)))]
    k = n if p.k < 1 else p.k
    if n is not None and k > n:
        raise ValueError(f"k is larger than the axis; expected at most {n}, got {p.k}")
    if p.ret_typ == "mask":
        return s
    if p.axis is None:
        out = (k,)
    else:
        s = s or (1,)
        a = axis_of(p.axis, len(s))
        out = s[:a] + (k,) + s[a + 1:]
    return [out, out] if p.ret_typ == "both" else out


def _topk_types(p, ins, outs):
    t = ins[0] or (outs[0] if p.ret_typ != "indices" else None)
    return [t], {"indices": [p.dtype], "both": [t, p.dtype]}.get(p.ret_typ, [t])


def _topk_outputs(p):
    return {"both": ("output0", "output1"), "value": ("output0",)}.get(p.ret_typ, ("output",))


def _topk_arguments(p, ins, outs):
    outer, n, inner, k = _topk_count(p, ins[0])
    want = {"indices": _INDICES, "mask": _MASK}.get(p.ret_typ, _VALUES)
    return [outer, n, inner, k, int(not p.is_ascend), want]


def _topk_grad(p, g, x, y):
    if p.ret_typ in ("indices", "mask"):
        return [None]

    def of_data():
        n = split_axis(p.axis, x[0].shape)[1]
        if p.ret_typ == "both" and n <= _EXACT.get(p.dtype, n):
            places = y[1]
        else:
            places = F.topk(x[0], axis=p.axis, k=p.k, ret_typ="indices", is_ascend=p.is_ascend, dtype="int64")
        return _scatter(p.axis, g[0], places, x[0])
    return [of_data]


op("topk", aliases="_npx_topk", outputs=_topk_outputs,
   params=dict(axis=integer(-1, nullable=True), k=integer(1), ret_typ=choice("indices", "both", "indices", "mask", "value"),
               is_ascend=flag(), dtype=choice("float32", *_INDEX_TYPES)),
   shapes=forward(_topk_shapes, partial=True), types=_topk_types, kernel="order", arguments=_topk_arguments, grad=_topk_grad,
   stored=lambda p: 2 if p.ret_typ in ("value", "both") else 1,
   samples=(dict(inputs=[(3, 5)], params=dict(k=2, ret_typ="value")),
            dict(inputs=[(4, 3)], params=dict(k=2, axis=0, ret_typ="both")), dict(inputs=[(3, 4)], params=dict(k=3)),
            dict(inputs=[(3, 4)], params=dict(k=5, axis=None, ret_typ="value")),
            dict(inputs=[(3, 4)], params=dict(k=2, ret_typ="mask"))),
   doc="The k largest (with is_ascend the smallest) elements along an axis, in order: their places as dtype, their values, "
       "both, or a mask of ones in the shape of the data.  k < 1 takes all.  Of equal elements the first ones count; NaN "
       "counts as last.",
   example="mx.nd.topk(mx.nd.array([[1, 4, 2, 3]]), k=2, ret_typ='value')")


# ---- histogram ---------------------------------------------------------------------------------------

def _bins(p, ins):
    if len(ins) > 1:
        edges = ins[1]
        if edges is not None and (len(edges) != 1 or edges[0] is not None and edges[0] < 2):
            raise ValueError(f"bins has a wrong shape; expected one axis of at least 2 edges, got {show(edges)}")
        return plus(edges[0], -1) if edges else None
    if p.bin_cnt is None or p.range is None:
        raise ValueError("bins are missing; expected bin_cnt and range, or an array of edges")
    return p.bin_cnt


def _histogram_shapes(p, ins, outs):
    n, = unify((_bins(p, ins),), outs[0], "shapes of the counts")
    edges = unify((plus(n, 1),), outs[1], "shapes of the edges")
    return [ins[0], *[unify(s, edges) for s in ins[1:]]], [(plus(edges[0], -1),), edges]


def _histogram_arguments(p, ins, outs):
    if len(ins) > 1:
        return [_bins(p, ins)]
    low, high = p.range
    if not low < high:
        raise ValueError(f"range is empty; expected low < high, got {p.range}")
    return [_bins(p, ins), float(low), float(high)]


def _histogram_types(p, ins, outs):
    t = ins[0] or outs[1]
    return [t, *[i or t for i in ins[1:]]], ["int64", ins[1] if len(ins) > 1 and ins[1] else t]


op("_histogram", inputs="data bins", aliases="_npi_histogram", takes=lambda p: "data bins" if p.bin_cnt is None else "data",
   params=dict(bin_cnt=integer(None, at_least=1), range=floats(None, length=(2,))), outputs="output0 output1",
   shapes=_histogram_shapes, types=_histogram_types, kernel="histogram",
   arguments=_histogram_arguments, samples=(dict(inputs=[(20,)], params=dict(bin_cnt=4, range=(-2.0, 2.0))),),
   doc="How many elements lie in each bin (int64), and the edges of the bins: bin_cnt even ones over range, or between the "
       "given edges.  The last bin includes its upper edge; elements outside are not counted.",
   example="mx.nd._internal._histogram(mx.nd.array([0, 1, 1, 3]), bin_cnt=3, range=(0, 3))")
