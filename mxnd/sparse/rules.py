"""Rules for elementwise operators, casts, retain and joins: f(operator, inputs, parameters) -> result, or NotImplemented."""
import numpy as np

from .._core.array import from_numpy_copy
from .._core.call import invoke
from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError
from .base import Store
from .cast import converted, dense_to_csr, to_dense
from .csr import CSRNDArray, empty_csr
from .kernels import (
    csr_merge,
    csr_onto,
    csr_scale,
    last,
    rows_find,
    rows_gather,
    rows_merge_count,
    rows_onto,
    rows_pick,
    rows_scale,
    rows_union,
    set_members,
    set_of,
)
from .row_sparse import RowSparseNDArray, empty_rows

FLOATS = ("float32", "float64", "float16", "bfloat16")
# comparisons of 0 with a number, and the like: where the result is 0, zeros need not be stored
ZERO_WITH_SCALAR = {"_mul_scalar": lambda s: True, "_div_scalar": lambda s: True, "_plus_scalar": lambda s: s == 0,
                    "_minus_scalar": lambda s: s == 0, "_equal_scalar": lambda s: s != 0, "_not_equal_scalar": lambda s: s == 0,
                    "_greater_scalar": lambda s: not 0 > s, "_greater_equal_scalar": lambda s: not 0 >= s,
                    "_lesser_scalar": lambda s: not 0 < s, "_lesser_equal_scalar": lambda s: not 0 <= s}
# their results are dense, or dense copies are what they need: nothing to warn of, as for elementwise functions with f(0) != 0
DENSE_BY_NATURE = {"ones_like", "slice", "where", "Embedding", "FullyConnected", "LinearRegressionOutput", "MAERegressionOutput",
                   "LogisticRegressionOutput", "sgd_update", "sgd_mom_update", "adam_update", "ftrl_update",
                   "_sparse_adagrad_update",
                   "broadcast_add", "broadcast_sub", "elemwise_add", "elemwise_sub", "add_n", "sum", "mean", "norm",
                   "_square_sum"}


def stored_values(op, inputs, p):
    """The operator on the stored values alone."""
    x, = inputs
    name = op.name[len("_scatter"):] if op.name.startswith("_scatter") else op.name
    y = invoke(REGISTRY[name].core, (x._store.data,), p)
    return x._with(y)


def zeros(op, inputs, p):
    x, = inputs
    return empty_csr(x.shape, x._dtype_name) if x.stype == "csr" else empty_rows(x.shape, x._dtype_name)


def cast(op, inputs, p):
    return converted(inputs[0], p.stype)


def clip(op, inputs, p):
    """Storage stays when the range holds 0; else every element changes: csr then stores them all, row_sparse becomes dense."""
    x, = inputs
    if p.a_min <= 0 <= p.a_max:
        return stored_values(op, inputs, p)
    y = invoke(op.core, (to_dense(x),), p)
    return dense_to_csr(y) if x.stype == "csr" else y


def sign_of(op):
    return -1.0 if op.name.endswith("sub") else 1.0


def merged(x, z, common, weights):
    """Two csr matrices, row by row."""
    data, indices, starts = csr_merge((*x._ordered(), *z._ordered()), common, weights)
    end, room = last(starts), data.shape[0]
    if end < room:                                        # the kernel had room for all
        data, indices = data._view((end,)), indices._view((end,))
        if 4 * end < 3 * room:
            data, indices = data.copy(), indices.copy()
    return CSRNDArray(Store(data, indices, starts), x.shape)


def add_sparse(x, z, a=1.0, b=1.0):
    """a x + b z of one storage type."""
    if x.stype == "csr":
        return merged(x, z, False, (a, b))
    one, two = x._ordered(), z._ordered()
    count = int(rows_merge_count((one[1], two[1])).asnumpy()[0])
    data, indices = rows_union((*one, *two), count, (a, b))
    return RowSparseNDArray(Store(data, indices, None, True), x.shape)


def sum_of_sparse(op, inputs, p):
    if inputs[0]._dtype_name not in FLOATS:
        return NotImplemented
    return add_sparse(*inputs, 1.0, sign_of(op))


def sum_of_many(op, inputs, p):
    if inputs[0]._dtype_name not in FLOATS:
        return NotImplemented
    y = inputs[0]
    for x in inputs[1:]:
        y = add_sparse(y, x)
    return y.copy() if y is inputs[0] else y


def sum_densely(op, inputs, p):
    """The sum of arrays of several storage types is dense."""
    y = to_dense(inputs[0])
    y = y.copy() if y is inputs[0] else y
    for x in inputs[1:]:
        y = y + x if x.stype == "default" or x.shape != y.shape else sum_with_dense(REGISTRY["elemwise_add"], (y, x), ())
        if y is NotImplemented:
            return NotImplemented
    return y


def sum_with_dense(op, inputs, p):
    """A dense array plus (or minus) a sparse one of its shape is dense."""
    x, z = inputs
    if x.shape != z.shape or x._dtype_name not in FLOATS or not x.ndim:
        return NotImplemented
    sign = sign_of(op)
    sparse, dense, weights = (z, x, (1.0, sign)) if x.stype == "default" else (x, z, (sign, 1.0))
    if sparse.stype == "csr":
        return csr_onto((*sparse._parts, dense), weights) if sparse._check() else NotImplemented
    return rows_onto((*sparse._ordered(), dense), weights)


def product_of_sparse(op, inputs, p):
    """Products of elements; of csr matrices where both store one."""
    x, z = inputs
    if x._dtype_name not in FLOATS:
        return NotImplemented
    if x.stype == "csr":
        return merged(x, z, True, (1.0, 1.0))
    (a, rows), (b, other) = x._ordered(), z._ordered()
    if rows is not other and (rows.shape != other.shape or (rows.asnumpy() != other.asnumpy()).any()):
        union = from_numpy_copy(np.union1d(rows.asnumpy(), other.asnumpy()), "int64")     # as in MXNet, rows of either are stored
        a, b = rows_pick((a, rows_find((rows, union)))), rows_pick((b, rows_find((other, union))))
        rows = union
    return RowSparseNDArray(Store(a * b, rows, None, True), x.shape)


def product_with_dense(op, inputs, p):
    sparse, dense = inputs if inputs[1].stype == "default" else inputs[::-1]
    if sparse.stype == "csr":
        return csr_scaled(op, (sparse, dense), p)
    if sparse._dtype_name not in FLOATS:
        return NotImplemented
    data, indices = sparse._ordered()
    return RowSparseNDArray(Store(rows_scale((data, indices, dense), False), indices, None, True), sparse.shape)


def rows_divided(op, inputs, p):
    x, dense = inputs
    data, indices = x._ordered()
    return RowSparseNDArray(Store(rows_scale((data, indices, dense), True), indices, None, True), x.shape)


def csr_scaled(op, inputs, p):
    """A csr matrix times (or over) a dense array that broadcasts to its shape: only stored values change."""
    x, dense = inputs
    shape = (1,) * (2 - dense.ndim) + dense.shape
    if len(shape) != 2 or x._dtype_name not in FLOATS or any(n not in (1, m) for n, m in zip(shape, x.shape)):
        return NotImplemented
    x._check()
    return x._with(csr_scale((*x._parts, dense._view(shape)), x.shape[1], op.name.endswith("div")))


# ---- rows ----------------------------------------------------------------------------------------------

def row_numbers(op, indices, size):
    """Ascending row numbers, each once, from an array of any dtype."""
    if indices.ndim != 1:
        raise MXNetError(f"{op.name}: indices have a wrong shape; expected one dimension, got {indices.shape}")
    whole = indices if indices._dtype_name == "int64" else indices._cast("int64")
    bits, ranks = set_of((whole,), size)
    return set_members((bits,), last(ranks))


def retain(op, inputs, p):
    x, indices = inputs
    data, rows = x._ordered()
    wanted = row_numbers(op, indices, x.shape[0])          # all of them are stored, also those that were not
    places = wanted if rows.shape[0] == x.shape[0] else rows_find((rows, wanted))
    return RowSparseNDArray(Store(rows_pick((data, places)), wanted, None, True), x.shape)


def rows_of(op, inputs, p):
    """Rows of an array of any storage type, as row_sparse."""
    x, indices = inputs
    x = to_dense(x)
    wanted = row_numbers(op, indices, x.shape[0])
    return RowSparseNDArray(Store(rows_pick((x, wanted)), wanted, None, True), x.shape)


def embedding_rows(op, inputs, p):
    """The gradient of an embedding's table: rows of the gradient added up by their numbers."""
    g, ids = to_dense(inputs[0]), inputs[1]
    rows, width = p.shape[0], g.shape[-1]
    if ids._dtype_name != "int64":
        ids = ids._cast("int64")
    flat = ids._view((ids.size,))
    try:
        bits, ranks = set_of((flat,), rows)
    except IndexError:                      # the forward pass took the nearest row
        flat = flat.clip(0, rows - 1)
        bits, ranks = set_of((flat,), rows)
    count = last(ranks)
    data = rows_gather((g._view((flat.size, width)), flat, bits, ranks), rows, count)
    return RowSparseNDArray(Store(data, set_members((bits,), count), None, True), p.shape)


# ---- joining, slicing ----------------------------------------------------------------------------------

def concat(op, inputs, p):
    """Matrices one below the other."""
    if p.dim % 2 != 0:
        return NotImplemented
    data, indices, starts, at = [], [], [0], 0
    for x in inputs:
        x._check()
        ends = x._store.indptr.asnumpy()
        data.append(x._store.data.asnumpy()[:ends[-1]])
        indices.append(x._store.indices.asnumpy()[:ends[-1]])
        starts.extend(ends[1:] + at)
        at += ends[-1]
    join = np.concatenate
    shape = (sum(x.shape[0] for x in inputs), inputs[0].shape[1])
    return CSRNDArray(Store(from_numpy_copy(join(data), inputs[0]._dtype_name), from_numpy_copy(join(indices), "int64"),
                            from_numpy_copy(starts, "int64")), shape)


def slice_rows(op, inputs, p):
    """Rows and columns between bounds; with steps for several axes the result is dense, as in MXNet."""
    x, = inputs
    if len(p.step or ()) > 1 or any(s not in (None, 1) for s in p.step or ()):
        return NotImplemented
    begin, end = list(p.begin), list(p.end)
    bounds = [slice(b, e).indices(n)[:2] for b, e, n in zip(begin, end, x.shape)]
    if any(lo >= hi for lo, hi in bounds):
        return NotImplemented
    lo, hi = bounds[0]
    y = x._rows_between(lo, hi)
    if len(bounds) < 2 or bounds[1] == (0, x.shape[1]):
        return y
    left, right = bounds[1]
    data, indices, indptr = (v.asnumpy() for v in y._parts)
    kept = (indices >= left) & (indices < right)
    before = np.concatenate([[0], kept.cumsum()])
    return CSRNDArray(Store(from_numpy_copy(data[kept], x._dtype_name), from_numpy_copy(indices[kept] - left, "int64"),
                            from_numpy_copy(before[indptr], "int64"), y._store.order), (hi - lo, right - left))


def count_stored(op, inputs, p):
    return inputs[0]._count(p.axis)


def edge_id(op, inputs, p):
    return inputs[0]._edge_id(*inputs[1:])


def adjacency(op, inputs, p):
    return inputs[0]._adjacency()


RULES = {f.__name__: f for f in (
    stored_values, zeros, cast, clip, sum_of_sparse, sum_of_many, sum_densely, sum_with_dense, product_of_sparse,
                                 product_with_dense,
    rows_divided, csr_scaled, retain, rows_of, embedding_rows, concat, slice_rows, count_stored, edge_id, adjacency)}
