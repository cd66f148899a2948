"""Between storage types."""
from .._core.array import NDArray
from .._core.call import invoke, record_call, set_recording
from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError
from .base import Store
from .csr import CSRNDArray
from .kernels import csr_count, csr_dense, csr_fill, last, rows_count, rows_dense, rows_fill
from .row_sparse import RowSparseNDArray

CAST = REGISTRY["cast_storage"]


def to_dense(x):
    """A dense array with the same elements."""
    if x.stype == "csr":
        x._check()
        return csr_dense(x._parts, x.shape)
    if x.stype == "row_sparse":
        data, indices = x._ordered()
        if indices.shape[0] == x.shape[0]:
            return data.copy()
        return rows_dense((data, indices), x.shape)
    return x


def dense_to_csr(x):
    """The csr form of a dense matrix: what is not zero."""
    if x.ndim != 2:
        raise MXNetError(f"cast_storage: csr arrays have 2 dimensions, got shape {x.shape}")
    starts, bits = csr_count((x,))
    data, indices = csr_fill((x, starts, bits), last(starts))
    return CSRNDArray(Store(data, indices, starts, True), x.shape)


def dense_to_rows(x):
    """The row_sparse form of a dense array: rows that are not all zero."""
    if x.ndim < 1:
        raise MXNetError("cast_storage: row_sparse arrays have at least 1 dimension")
    before = rows_count((x,))
    data, indices = rows_fill((x, before), last(before))
    return RowSparseNDArray(Store(data, indices, None, True), x.shape)


def to_storage(x, stype):
    """x with a storage type, outside autograd: x itself when it has it already."""
    if x.stype == stype:
        return x
    was = set_recording(False)
    try:
        if x.stype != "default":
            x = to_dense(x)
        return dense_to_csr(x) if stype == "csr" else dense_to_rows(x) if stype == "row_sparse" else x
    finally:
        set_recording(was)


def converted(x, stype):
    """A new array with a storage type, outside autograd."""
    if {x.stype, stype} == {"csr", "row_sparse"}:
        raise MXNetError(f"cast_storage: {x.stype} cannot become {stype} directly; expected 'default' in between")
    return to_storage(x, stype) if x.stype != stype else x.copy()


def recorded_cast(x, stype):
    """What the operator cast_storage does with a dense array."""
    was = set_recording(False)
    try:
        y = converted(x, stype)
    finally:
        set_recording(was)
    record_call(CAST.core, (x,), CAST.Params(stype), [y], 1)
    return y


def cast_storage(x, stype):
    """A copy of an array with another storage type, as `tostype` makes it."""
    if not isinstance(x, NDArray):
        raise TypeError(f"cast_storage: expected an NDArray, got {type(x).__name__}")
    if stype not in ("default", "csr", "row_sparse"):
        raise MXNetError(f"tostype: unknown storage type; expected 'default', 'csr' or 'row_sparse', got {stype!r}")
    if stype == "csr" and x.stype == "default" and x.ndim != 2:
        raise ValueError(f"tostype: csr arrays have 2 dimensions, got shape {x.shape}")
    return invoke(CAST.core, (x,), CAST.Params(stype))
