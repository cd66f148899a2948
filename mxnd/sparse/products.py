"""dot with sparse operands."""
import numpy as np

from .._core.array import from_numpy_copy
from ..ops.errors import MXNetError
from .base import Store
from .cast import dense_to_csr, to_dense
from .csr import CSRNDArray
from .kernels import csr_dot, csr_dot_t, csr_dot_t_rows, dense_csr, last, set_members, set_of
from .row_sparse import RowSparseNDArray

FLOATS = ("float32", "float64", "float16", "bfloat16")


def dot_csr(op, inputs, p):
    """csr . dense is dense; with transpose_a it is row_sparse, unless forward_stype asks for a dense result."""
    x, z = inputs
    if z.ndim != 2:
        raise MXNetError(f"dot: the right operand of a csr matrix has a wrong shape; expected 2 dimensions, got {z.shape}")
    if x._dtype_name not in FLOATS:
        return NotImplemented
    x._check()
    if z.stype == "row_sparse":
        if p.transpose_a and z._store.indices.shape[0] < z.shape[0]:
            x, z = rows_present(x, z)
        else:
            z = dense_rows(z)
    if p.transpose_b:
        z = z.transpose()
    n = x.shape[1]
    if not p.transpose_a:
        return csr_dot((*x._parts, z))
    if p.forward_stype == "default":
        return csr_dot_t((*x._parts, z), n, x._store.order)
    data, indices, indptr = x._parts
    end = last(indptr)
    bits, ranks = set_of((indices if indices.shape[0] == end else indices._view((end,)),), n)
    count = last(ranks)
    if count == n:                                        # every row is there: no map is needed
        return RowSparseNDArray(Store(csr_dot_t((data, indices, indptr, z), n, x._store.order), set_members((bits,), n), None,
                                      True),
                                (n, z.shape[1]))
    rows = csr_dot_t_rows((data, indices, indptr, z, bits, ranks), n, count)
    return RowSparseNDArray(Store(rows, set_members((bits,), count), None, True), (n, z.shape[1]))


def dense_rows(z):
    """A row_sparse array as a dense one to read from: its own memory when every row is stored."""
    data, rows = z._ordered()
    return data if rows.shape[0] == z.shape[0] else to_dense(z)


def rows_present(x, z):
    """The rows of both operands that z stores: the others add nothing."""
    rows_of_z, rows = z._ordered()
    data, indices, indptr = (v.asnumpy() for v in x._parts)
    kept = rows.asnumpy()
    counts = np.diff(indptr)[kept]
    starts = np.concatenate([[0], counts.cumsum()])
    places = np.arange(starts[-1]) + np.repeat(indptr[kept] - starts[:-1], counts)
    parts = from_numpy_copy(data[places], x._dtype_name), from_numpy_copy(indices[places],
                                                                          "int64"), from_numpy_copy(starts, "int64")
    return CSRNDArray(Store(*parts, x._store.order), (len(kept), x.shape[1])), rows_of_z


def dot_dense_csr(op, inputs, p):
    """dense . csr is csr, unless forward_stype asks for a dense result."""
    x, z = inputs
    if x.ndim != 2 or x._dtype_name not in FLOATS:
        return NotImplemented
    z._check()
    if p.transpose_a:
        x = x.transpose()
    y = dense_csr((x, *z._parts), z.shape[1], p.transpose_b)
    return y if p.forward_stype == "default" or p.transpose_a else dense_to_csr(y)


RULES = {"dot_csr": dot_csr, "dot_dense_csr": dot_dense_csr}
