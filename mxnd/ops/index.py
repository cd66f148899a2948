"""Elements and rows found by index.

Indices may have any dtype; floats are truncated toward zero.  Every operator that reads by index has
an adjoint that adds (or writes) by index, and the other way round, so that any order of derivative
is made of the same few kernels."""
from .declare import F, op
from .params import choice, dtype, flag, integer, number, shape
from .shape import strides_of
from .shapes import axis_of, both_ways, first_type, given_type, known, presume, show, size, unify

MODES = ("clip", "wrap", "raise")
ADDABLE = ("float32", "float64", "int32", "int64", "int8", "uint8", "bool")


def _around(s, axis):
    """Elements before the axis, its length, elements after it."""
    a = axis_of(axis, len(s))
    return [size(s[:a]), s[a], size(s[a + 1:])]


# ---- rows: take and Embedding -----------------------------------------------------------------------

def _take_shapes(p, ins, outs):
    a, indices = ins
    if a is None or indices is None:
        return ins, outs
    x = axis_of(p.axis, len(a))
    return ins, [unify(outs[0], a[:x] + indices + a[x + 1:])]


_TAKE = dict(axis=integer(0), mode=choice("clip", *MODES))

op("take", inputs="a indices", aliases="_npi_take", params=_TAKE, shapes=_take_shapes, types=first_type, kernel="take",
   arguments=lambda p, ins, outs: [1, MODES.index(p.mode), *_around(ins[0], p.axis)],
   grad=lambda p, g, x, y: [lambda: F._backward_take(g[0], x[1], axis=p.axis, mode=p.mode, shape=x[0].shape), None],
   samples=(dict(inputs=[(4, 3), [[0, 3], [3, 1]]], params={}),
            dict(inputs=[(2, 3, 2), [-1, 2, 7]], params=dict(axis=1, mode="wrap"))),
   doc="The parts of a at the given indices along one axis.  Indices outside the axis are brought to its ends (clip), counted "
       "round (wrap) or refused (raise).",
   example="mx.nd.take(mx.nd.array([[1, 2], [3, 4], [5, 6]]), mx.nd.array([0, 2]))")


def _back_shapes(p, ins, outs):
    data, indices = ins
    if indices is not None:
        a = axis_of(p.axis, len(p.shape))
        data = unify(data, p.shape[:a] + indices + p.shape[a + 1:], "shape of data and the shape that take would give")
    return [data, indices], [unify(outs[0], p.shape)]


op("_backward_take", inputs="data indices", params=dict(**_TAKE, shape=shape()), shapes=_back_shapes, types=first_type,
   kernel="take_add", kernel_types=ADDABLE,
   arguments=lambda p, ins, outs: [MODES.index(p.mode), *_around(outs[0], p.axis)],
   grad=lambda p, g, x, y: [lambda: F.take(g[0], x[1], axis=p.axis, mode=p.mode), None],
   samples=(dict(inputs=[(4, 2), [0, 2, 2, 1]], params=dict(shape=(3, 2))),
            dict(inputs=[(2, 3), [0, 2, 2]], params=dict(shape=(2, 4), axis=1))),
   doc="Zeros of the given shape with data added at the indices: the adjoint of take.",
   example="mx.nd._internal._backward_take(mx.nd.ones((3, 2)), mx.nd.array([0, 2, 2]), shape=(4, 2))")


def _embedding_shapes(p, ins, outs):
    data, weight = ins[0], unify(ins[1], (p.input_dim, p.output_dim), "shape of weight and (input_dim, output_dim)")
    if data is None and outs[0] is not None:
        data = outs[0][:-1]
    return [data, weight], outs if data is None else [unify(outs[0], data + (p.output_dim,))]


def _embedding_types(p, ins, outs):
    t = ins[1] or outs[0] or p.dtype
    return [ins[0], t], [t]


op("Embedding", inputs="data weight", aliases="_npx_embedding _sparse_Embedding", shapes=_embedding_shapes,
   types=_embedding_types,
   params=dict(input_dim=integer(at_least=1), output_dim=integer(at_least=1), dtype=dtype(), sparse_grad=flag()), kernel="take",
   arguments=lambda p, ins, outs: [0, 0, 1, p.input_dim, p.output_dim],
   grad=lambda p, g, x, y: [None, lambda: F._backward_take(g[0], x[0], axis=0, mode="clip", shape=x[1].shape)],
   samples=(dict(inputs=[[[0, 2], [2, 1]], (3, 4)], params=dict(input_dim=3, output_dim=4)),),
   doc="Row data[i] of weight for each index: weight has shape (input_dim, output_dim), the result data.shape + (output_dim,).  "
       "Indices outside the table mean its first or last row.  With sparse_grad the gradient of weight is row_sparse.",
   example="mx.nd.Embedding(mx.nd.array([1, 0]), mx.nd.array([[1, 2], [3, 4]]), input_dim=2, output_dim=2)")

# ---- one element of each line: pick ------------------------------------------------------------------


def _pick_shapes(p, ins, outs):
    """index is shaped as data without the axis, or with length 1 there; where nothing tells, the first."""
    data, index = ins
    if p.axis is None:
        raise ValueError("axis is None; expected the axis to pick along")
    if data is None:
        return ins, outs
    n = len(data)
    a = axis_of(p.axis, n)
    lines = data[:a] + (1,) + data[a + 1:]                   # with the axis; a vector has one line
    keeps = index is not None and len(index) == n
    for s, whole, name in ((index or None, keeps or n == 1, "index"), (outs[0] or None, p.keepdims or n == 1, "the result")):
        if s is not None:
            try:
                lines = unify(lines, s if whole else s[:a] + (1,) + s[a:])
            except ValueError:
                dropped = show(lines[:a] + lines[a + 1:] or (1,))
                raise ValueError(f"{name} has shape {show(s)}; expected {dropped}" + f" or {show(lines)}" * (s is index)) from None
    dropped = lines[:a] + lines[a + 1:] or (1,)
    data = lines[:a] + data[a:a + 1] + lines[a + 1:]
    return [data, index if index == () else lines if keeps else dropped], [lines if p.keepdims else dropped]


_PICK = dict(axis=integer(-1, nullable=True), keepdims=flag(), mode=choice("clip", "clip", "wrap"))

op("pick", inputs="data index", aliases="choose_element_0index _npx_pick", params=_PICK, shapes=_pick_shapes,
   types=first_type,
   kernel="pick", arguments=lambda p, ins, outs: [MODES.index(p.mode), *_around(ins[0], p.axis)[1:]],
   grad=lambda p, g, x, y: [lambda: F._backward_pick(g[0], x[1], **p._asdict(), shape=x[0].shape), None],
   samples=(dict(inputs=[(3, 4), [0, 3, 1]], params={}),
            dict(inputs=[(2, 3, 2), [[0, 2], [1, 1]]], params=dict(axis=1, keepdims=True))),
   doc="One element of each line along an axis: the one at the index given for that line.  Indices outside the axis are "
       "brought to its ends (clip) or counted round (wrap).",
   example="mx.nd.pick(mx.nd.array([[1, 2, 3], [4, 5, 6]]), mx.nd.array([0, 2]))")


def _pick_back_shapes(p, ins, outs):
    data, index = ins
    (_, index), (data,) = _pick_shapes(p, [p.shape, index], [data])
    return [data, index], [unify(outs[0], p.shape)]


op("_backward_pick", inputs="data index", params=dict(**_PICK, shape=shape()), shapes=_pick_back_shapes, types=first_type,
   kernel="pick_put",
   arguments=lambda p, ins, outs: [MODES.index(p.mode), *_around(outs[0], p.axis)[1:]],
   grad=lambda p, g, x, y: [lambda: F.pick(g[0], x[1], axis=p.axis, keepdims=p.keepdims, mode=p.mode), None],
   samples=(dict(inputs=[(3,), [0, 3, 1]], params=dict(shape=(3, 4))),),
   doc="Zeros of the given shape with one element of each line written: the adjoint of pick.",
   example="mx.nd._internal._backward_pick(mx.nd.ones((2,)), mx.nd.array([0, 2]), shape=(2, 3))")


def _batch_take_shapes(p, ins, outs):
    a, indices = ins
    if a is not None:
        if not a:
            raise ValueError("a has no dimensions; expected at least one")
        indices = unify(indices, a[:-1] or (1,), "shape of indices and shape of a without its last axis")
    indices = unify(indices, outs[0], "shapes of indices and of the result")
    if a is not None and indices is not None and len(a) > 1:
        a = unify(a, indices + (None,), "shapes of a and of indices with one more axis")
    return [a, indices], [indices]


def _batch_take_types(p, ins, outs):
    if ins[1] not in (None, "int32"):
        raise ValueError(f"indices have dtype {ins[1]}; expected int32")
    return [ins[0] or outs[0], "int32"], [ins[0] or outs[0]]


op("batch_take", inputs="a indices", shapes=_batch_take_shapes, types=_batch_take_types, kernel="pick",
   arguments=lambda p, ins, outs: [0, ins[0][-1], 1],
   grad=lambda p, g, x, y: [lambda: F._backward_pick(g[0], x[1], axis=-1, shape=x[0].shape), None],
   doc="One element of each row of a: a[i, indices[i]], with int32 indices brought to the ends of the row.",
   example="mx.nd.batch_take(mx.nd.array([[1, 2], [3, 4]]), mx.nd.array([0, 1], dtype='int32'))")


def _fill_shapes(p, ins, outs):
    lhs = unify(ins[0], outs[0])
    if lhs is not None and len(lhs) != 2:
        raise ValueError(f"lhs has shape {show(lhs)}; expected two axes")
    rows = None if lhs is None else lhs[:1]
    for s in ins[1:]:
        rows = unify(rows, s)
    if lhs is not None:
        lhs = rows + lhs[1:]
    return [lhs, rows, rows], [lhs]


def _first_two_types(p, ins, outs):
    t = ins[0] or ins[1] or outs[0]
    if ins[1] not in (None, t):
        raise ValueError(f"lhs and mhs have different dtypes: {t} and {ins[1]}")
    return [t, t, *ins[2:]], [t]


op("fill_element_0index", inputs="lhs mhs rhs", shapes=_fill_shapes, types=_first_two_types, presumed=presume(), kernel="fill_element",
   auto_variables=False,
   arguments=lambda p, ins, outs: [2, ins[0][1], 1],
   grad=lambda p, g, x, y: [lambda: F.fill_element_0index(g[0], F.zeros_like(x[1]), x[2]), lambda: F.pick(g[0], x[2]), None],
   samples=(dict(inputs=[(2, 3), (2,), [2, 0]], params={}),),
   doc="lhs with one element of each row written: lhs[i, rhs[i]] = mhs[i].",
   example="mx.nd.fill_element_0index(mx.nd.zeros((2, 3)), mx.nd.array([5, 6]), mx.nd.array([1, 2]))")

op("one_hot", inputs="indices", aliases="_npx_one_hot", types=given_type(), kernel="one_hot",
   params=dict(depth=integer(at_least=0), on_value=number(1.0), off_value=number(0.0), dtype=dtype()),
   shapes=lambda p, ins, outs: (ins, outs if ins[0] is None else [unify(outs[0], ins[0] + (p.depth,))]),
   arguments=lambda p, ins, outs: [p.depth, float(p.on_value), float(p.off_value)],
   samples=(dict(inputs=[[0, 2, 5, -1]], params=dict(depth=3)),),
   doc="A row of depth elements for each index: on_value at the index, off_value elsewhere.  An index outside 0 ... depth - 1 "
       "leaves its row off.",
   example="mx.nd.one_hot(mx.nd.array([1, 0, 2]), depth=3)")

# ---- coordinates: gather_nd and scatter_nd --------------------------------------------------------------


def _coordinates(s, indices):
    """Checks that indices hold coordinates of the first axes of shape s; returns their number."""
    if len(indices) < 2:
        raise ValueError(f"indices have shape {show(indices)}; expected at least two axes, coordinates first")
    if indices[0] is not None and not 1 <= indices[0] <= len(s):
        raise ValueError(f"indices have {indices[0]} coordinates; expected 1 to {len(s)} for shape {show(s)}")
    return indices[0]


def _places(s, indices):
    m = indices[0]
    return [m, size(indices[1:]), size(s[m:]), *s[:m]]


def _gathered(p, data, indices):
    m = _coordinates(data, indices)
    return None if m is None else indices[1:] + data[m:]


def _gather_shapes(p, ins, outs):
    data, indices = ins
    if None in ins:
        return ins, outs
    out = unify(outs[0], _gathered(p, data, indices), "expected and worked-out output shapes")
    if out is not None and indices[0] is not None:
        k = len(indices) - 1
        indices, data = indices[:1] + out[:k], data[:indices[0]] + out[k:]
    return [data, indices], [out]


def _scatter(shape, data, indices):
    """Completed shapes of data and indices for an array of this shape."""
    if indices is None or _coordinates(shape, indices) is None:
        return data, indices
    need = indices[1:] + shape[indices[0]:]
    try:
        data = unify(data, need)
    except ValueError:
        raise ValueError(f"data has shape {show(data)}; expected {show(need)} for indices of shape "
                         f"{show(indices)} into {show(shape)}") from None
    return data, indices[:1] + data[:len(indices) - 1]


def _scatter_shapes(p, ins, outs):
    return list(_scatter(p.shape, *ins)), [unify(outs[0], p.shape)]


op("gather_nd", inputs="data indices", aliases="_npi_gather_nd _npx_gather_nd", shapes=_gather_shapes, types=first_type,
   kernel="gather_nd", arguments=lambda p, ins, outs: _places(*ins),
   grad=lambda p, g, x, y: [lambda: F._backward_gather_nd(g[0], x[1], shape=x[0].shape), None],
   samples=(dict(inputs=[(3, 4), [[0, 2, 0], [1, -1, 1]]], params={}), dict(inputs=[(3, 4), [[0, 2]]], params={})),
   doc="The elements (or parts) of data at coordinates: column k of indices holds the coordinates of part k along the first "
       "axes.  Negative ones count from the end; others outside the array are refused.",
   example="mx.nd.gather_nd(mx.nd.array([[1, 2], [3, 4]]), mx.nd.array([[0, 1], [1, 0]]))")

op("_backward_gather_nd", inputs="data indices", params=dict(shape=shape()), shapes=_scatter_shapes, types=first_type,
   kernel="gather_nd_add", kernel_types=ADDABLE, arguments=lambda p, ins, outs: _places(outs[0], ins[1]),
   grad=lambda p, g, x, y: [lambda: F.gather_nd(g[0], x[1]), None],
   samples=(dict(inputs=[(3,), [[0, 1, 0], [1, 1, 1]]], params=dict(shape=(2, 3))),),
   doc="Zeros of the given shape with data added at coordinates: the adjoint of gather_nd.",
   example="mx.nd._internal._backward_gather_nd(mx.nd.ones((2,)), mx.nd.array([[0, 0]]), shape=(3,))")

op("scatter_nd", inputs="data indices", params=dict(shape=shape()), shapes=_scatter_shapes, types=first_type,
   kernel="scatter_nd",
   arguments=lambda p, ins, outs: _places(outs[0], ins[1]),
   grad=lambda p, g, x, y: [lambda: F.gather_nd(g[0], x[1]), None],
   samples=(dict(inputs=[(3,), [[0, 1, 0], [1, 1, 0]]], params=dict(shape=(2, 3))),),
   doc="Zeros of the given shape with data written at coordinates, as gather_nd would read it.  Of several elements for one "
       "place the last one stays.",
   example="mx.nd.scatter_nd(mx.nd.array([2, 3]), mx.nd.array([[1, 0], [0, 1]]), shape=(2, 2))")


def _scatter_set(p, ins, outs):
    lhs, rhs, indices = ins
    lhs = unify(unify(lhs, outs[0], "shapes of lhs and of the result"), p.shape or None, "shape of lhs and the parameter shape")
    if lhs is not None:
        rhs, indices = _scatter(lhs, rhs, indices)
    return [lhs, rhs, indices], [lhs]


op("_scatter_set_nd", inputs="lhs rhs indices", aliases="_npi_scatter_set_nd", params=dict(shape=shape()),
   shapes=_scatter_set,
   types=_first_two_types, kernel="scatter_set_nd", arguments=lambda p, ins, outs: _places(outs[0], ins[2]), inplace=True,
   grad=lambda p, g, x, y: [lambda: F._scatter_set_nd(g[0], F.zeros_like(x[1]), x[2], shape=p.shape),
                            lambda: F.gather_nd(g[0], x[2]), None],
   samples=(dict(inputs=[(2, 3), (2,), [[0, 1], [1, 1]]], params=dict(shape=(2, 3))),),
   doc="lhs with rhs written at coordinates.",
   example="mx.nd._internal._scatter_set_nd(mx.nd.zeros((2, 2)), mx.nd.array([5]), mx.nd.array([[1], [0]]), shape=(2, 2))")


def _index_copy_shapes(p, ins, outs):
    old, index, new = ins
    old = unify(old, outs[0], "shapes of old_tensor and of the result")
    index = unify(index, (None,), "index_vector's given and needed shapes")
    if old is not None:
        if not old:
            raise ValueError("old_tensor has no dimensions; expected at least one")
        try:
            new = unify(new, index + old[1:])
        except ValueError:
            raise ValueError(f"new_tensor has shape {show(new)} and index_vector {show(index)}; expected "
                             f"{show(index + old[1:])} and one axis") from None
        old, index = old[:1] + new[1:], new[:1]
    return [old, index, new], [old]


def _index_copy_types(p, ins, outs):
    t = ins[0] or ins[2] or outs[0]
    if ins[2] not in (None, t):
        raise ValueError(f"old_tensor and new_tensor have different dtypes: {t} and {ins[2]}")
    return [t, ins[1], t], [t]


op("_contrib_index_copy", inputs="old_tensor index_vector new_tensor", shapes=_index_copy_shapes, types=_index_copy_types,
   kernel="index_copy", arguments=lambda p, ins, outs: [ins[0][0], size(ins[0][1:])], inplace=True,
   grad=lambda p, g, x, y: [lambda: F._contrib_index_copy(g[0], x[1], F.zeros_like(x[2])), None,
                            lambda: F.take(g[0], x[1], mode="wrap")],
   samples=(dict(inputs=[(4, 2), [3, 0], (2, 2)], params={}),),
   doc="old_tensor with rows of new_tensor written at the indices.",
   example="mx.nd.contrib.index_copy(mx.nd.zeros((3, 2)), mx.nd.array([2, 0]), mx.nd.ones((2, 2)))")

# ---- where -----------------------------------------------------------------------------------------------


def _where_shapes(p, ins, outs):
    condition, *rest = ins
    s = outs[0]
    for one in rest:
        s = unify(s, one, "shapes of x and y")
    if known(s) and known(condition) and condition != s and not (len(condition) == 1 and s and condition[0] == s[0]):
        raise ValueError(f"condition has shape {show(condition)}; expected {show(s)}, or {show(s[:1])} to choose rows")
    return [condition, s, s], [s]


def _where_types(p, ins, outs):
    t = ins[1] or ins[2] or outs[0]
    if ins[2] not in (None, t):
        raise ValueError(f"x and y have different dtypes: {t} and {ins[2]}; expected one dtype (use astype)")
    return [ins[0], t, t], [t]


op("where", inputs="condition x y", aliases="_sparse_where", shapes=_where_shapes, types=_where_types, kernel="where",
   arguments=lambda p, ins, outs: [1 if ins[0] == ins[1] else size(ins[1][1:])],
   grad=lambda p, g, x, y: [None, lambda: F.where(x[0], g[0], F.zeros_like(g[0])),
                            lambda: F.where(x[0], F.zeros_like(g[0]), g[0])],
   samples=(dict(inputs=[[[1, 0], [0, 2]], (2, 2), (2, 2)], params={}), dict(inputs=[[1, 0], (2, 3), (2, 3)], params={})),
   numpy="np.where(np.reshape(condition, condition.shape + (1,) * (x.ndim - condition.ndim)), x, y)",
   doc="x where the condition is not zero, y elsewhere.  A condition with one axis may choose whole rows.",
   example="mx.nd.where(mx.nd.array([1, 0]), mx.nd.array([1, 2]), mx.nd.array([3, 4]))")

# ---- places and their numbers -------------------------------------------------------------------------------


def _lengths(p):
    if not p.shape:
        raise ValueError("shape is missing; expected the lengths of the axes")
    return p.shape


op("_ravel_multi_index", inputs="data", aliases="ravel_multi_index", params=dict(shape=shape(None)), kernel="ravel",
   shapes=both_ways(lambda p, data: _raveled(p, data), lambda p, out: (len(_lengths(p)), *out)),
   arguments=lambda p, ins, outs: [len(p.shape), *p.shape],
   samples=(dict(inputs=[[[1, 0], [2, 4]]], params=dict(shape=(3, 5))),),
   doc="Numbers of elements from their coordinates (one column each) in an array of the given shape.",
   example="mx.nd.ravel_multi_index(mx.nd.array([[1, 0], [2, 4]]), shape=(3, 5))")

op("_unravel_index", inputs="data", aliases="unravel_index", params=dict(shape=shape(None)), kernel="unravel",
   shapes=both_ways(lambda p, data: (len(_lengths(p)),) + data, lambda p, out: out[1:]),
   arguments=lambda p, ins, outs: [len(p.shape), *p.shape],
   samples=(dict(inputs=[[7, 4]], params=dict(shape=(3, 5))),),
   doc="Coordinates of elements (one column each) from their numbers in an array of the given shape.",
   example="mx.nd.unravel_index(mx.nd.array([7, 4]), shape=(3, 5))")


def _raveled(p, data):
    m = len(_lengths(p))
    if not data or data[0] not in (m, None):
        raise ValueError(f"the input has shape {show(data)}; expected {m} coordinates first, for shape {show(p.shape)}")
    return data[1:] or (1,)


def _array_axes(p, s):
    return [axis_of(a, len(s)) for a in (range(len(s)) if p.axes is None else p.axes)]


def _axes_arguments(chosen, s):
    strides = strides_of(s)
    return [len(chosen), *[v for a in chosen for v in (s[a], max(strides[a], 1))]]


op("_contrib_index_array", inputs="data", params=dict(axes=shape(None)), kernel="places",
   types=lambda p, ins, outs: (ins, ["int64"]),
   shapes=both_ways(lambda p, data: data + (len(_array_axes(p, data)),), lambda p, out: out[:-1]),
   arguments=lambda p, ins, outs: _axes_arguments(_array_axes(p, ins[0]), ins[0]),
   samples=(dict(inputs=[(2, 3)], params={}), dict(inputs=[(2, 3, 2)], params=dict(axes=(2, 0)))),
   doc="The coordinates of every element of the input, along all axes or the given ones, as int64.",
   example="mx.nd.contrib.index_array(mx.nd.ones((2, 3)))")

# ---- what assignment by index comes down to: rows by number (reading is _gather_rows) ---------------------------


def _scatter_rows_grad(p, g, x, y):
    def of_values():
        n = size(x[1].shape)
        rows = F._gather_rows(g[0], x[1], row=p.row, shape=(n, p.row))
        if size(x[2].shape) != n * p.row:
            rows = F._sum_to_shape(rows, shape=(1, p.row))
        return F._reshape_to(rows, shape=x[2].shape)
    return [lambda: F._index_scatter(g[0], x[1], F.zeros_like(x[2]), row=p.row), None, of_values]


def _scatter_rows_shapes(p, ins, outs):
    if all(map(known, ins)) and size(ins[2]) not in (p.row, size(ins[1]) * p.row):
        raise ValueError(f"values have shape {show(ins[2])}; expected {size(ins[1])} rows of {p.row} elements, or one row")
    return ins, [unify(outs[0], ins[0])]


op("_index_scatter", inputs="data rows values", params=dict(row=integer(at_least=0)), shapes=_scatter_rows_shapes,
   types=_index_copy_types,
   kernel="index_scatter", arguments=lambda p, ins, outs: [p.row, size(ins[0]) // max(p.row, 1)], inplace=True,
   grad=_scatter_rows_grad,
   samples=(dict(inputs=[(3, 2), [2, 0], (2, 2)], params=dict(row=2)), dict(inputs=[(3, 2), [2, 0], (2,)], params=dict(row=2))),
   doc="data with values (a row for each number, or one for all) written to the runs of `row` elements with the given numbers.",
   example="mx.nd._internal._index_scatter(mx.nd.zeros((3, 2)), mx.nd.array([2, 0]), mx.nd.ones((2, 2)), row=2)")
