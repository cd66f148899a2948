"""csr_matrix, row_sparse_array, zeros, empty and array: sparse arrays from what users have."""
import numpy as np

from .._core.array import NDArray, from_numpy_copy
from .._core.call import set_recording
from ..ndarray.convert import check_context, check_dtype
from ..ndarray.create import zeros as dense_zeros
from ..ops.errors import MXNetError
from .base import BaseSparseNDArray, Store
from .cast import dense_to_csr, dense_to_rows
from .csr import CSRNDArray, empty_csr
from .row_sparse import RowSparseNDArray, empty_rows


def place(x, ctx):
    """Mark the array with a context, which must be a CPU."""
    ctx = check_context(ctx)
    if ctx.device_typeid == 2:
        raise MXNetError(f"{x.stype}: sparse arrays live on the CPU; expected a CPU context, got {ctx}")
    x._set_device(ctx.device_typeid, ctx.device_id)
    return x


def dtype_of(source, dtype):
    """The dtype to use: the one asked for, else that of an array source, else float32."""
    if dtype is not None:
        return check_dtype(dtype)
    if isinstance(source, NDArray):
        return source._dtype_name
    if isinstance(source, np.ndarray) or hasattr(source, "nnz"):
        return check_dtype(source.dtype)
    return "float32"


def numbers(x):
    return x.asnumpy() if isinstance(x, NDArray) else np.asarray(x)


def is_scipy(x):
    return hasattr(x, "nnz") and hasattr(x, "tocsr")


def check_shape(stype, shape):
    """A shape that the storage type can have."""
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(int(n) for n in shape)
    if stype == "csr" and len(shape) != 2:
        raise MXNetError(f"csr: expected 2 dimensions, got shape {shape}")
    if not shape or any(n < 0 for n in shape):
        raise MXNetError(f"{stype}: expected at least one dimension and none negative, got shape {shape}")
    return shape


def csr_matrix(arg1, shape=None, ctx=None, dtype=None):
    """A csr matrix.

    Parameters
    ----------
    arg1 : array_like, CSRNDArray, scipy.sparse matrix or tuple
        A dense matrix or a csr matrix; `(data, indices, indptr)`: values, columns, and where rows start; `(data, (row, col))`:
        values and their places; or `(rows, columns)`: an empty matrix.  Columns need not be in order; a place given twice is
        not summed.
    shape : tuple of int, optional
        Worked out from the largest column and row when not given.
    ctx : Context, optional
    dtype : str or numpy.dtype, optional
        Default: that of an array source, else float32.

    Returns
    -------
    CSRNDArray

    Raises
    ------
    ValueError, MXNetError
        The arrays do not fit together, or name places outside the shape.

    Examples
    --------
    >>> mx.nd.sparse.csr_matrix(([1, 2], [1, 0], [0, 1, 2]), shape=(2, 2)).asnumpy()
    array([[0., 1.],
           [2., 0.]], dtype=float32)
    """
    if isinstance(arg1, tuple):
        if len(arg1) == 2 and all(isinstance(n, (int, np.integer)) for n in arg1):
            if shape is not None and tuple(shape) != arg1:
                raise ValueError(f"csr_matrix: shape {shape} is not {arg1}")
            return place(empty_csr(check_shape("csr", arg1), dtype_of(None, dtype)), ctx)
        if len(arg1) == 2 and isinstance(arg1[1], (tuple, list)) and len(arg1[1]) == 2:
            return place(from_places(arg1[0], *arg1[1], shape, dtype), ctx)
        if len(arg1) == 3:
            return place(from_parts(*arg1, shape, dtype), ctx)
        raise ValueError(f"csr_matrix: unexpected tuple of {len(arg1)}; expected (data, indices, indptr), (data, (row, col)) "
                         f"or (rows, columns)")
    if isinstance(arg1, CSRNDArray):
        x = arg1.copy() if dtype is None else arg1.astype(dtype)
    elif isinstance(arg1, BaseSparseNDArray):
        raise ValueError("csr_matrix: expected a csr or dense array, got row_sparse")
    elif is_scipy(arg1):
        m = arg1.tocsr()
        return csr_matrix((m.data, m.indices, m.indptr), shape or m.shape, ctx, dtype if dtype is not None else dtype_of(m, None))
    else:
        x = dense_source("csr_matrix", arg1, dtype, dense_to_csr)
    if shape is not None and tuple(shape) != x.shape:
        raise ValueError(f"csr_matrix: a wrong shape; expected {x.shape}, got {shape}")
    return place(x, ctx)


def dense_source(name, source, dtype, convert):
    """A sparse array from an array-like."""
    to = dtype_of(source, dtype)
    a = numbers(source)
    if a.dtype.kind not in "biuf":
        raise TypeError(f"{name}: expected numbers, got {type(source).__name__}")
    if convert is dense_to_csr and a.ndim != 2:
        raise ValueError(f"{name}: expected 2 dimensions, got shape {a.shape}")
    was = set_recording(False)
    try:
        return convert(from_numpy_copy(a, to))
    finally:
        set_recording(was)


def from_parts(data, indices, indptr, shape, dtype):
    to = dtype_of(data, dtype)
    data, indices, indptr = numbers(data), numbers(indices), numbers(indptr)
    if indices.size and indices.dtype.kind not in "iuf" or indptr.dtype.kind not in "iuf":
        raise TypeError("csr_matrix: indices and indptr must be whole numbers")
    if shape is None:
        if indices.size == 0:
            raise ValueError("csr_matrix: the shape cannot be worked out without indices; expected shape=(rows, columns)")
        shape = (len(indptr) - 1, int(indices.max()) + 1)
    if data.ndim != 1 or indices.ndim != 1 or indptr.ndim != 1 or len(indptr) == 0 or len(shape) != 2:
        raise ValueError(f"csr_matrix: data, indices and indptr must be vectors and shape a pair; got shapes {data.shape}, "
                         f"{indices.shape}, {indptr.shape} and {shape}")
    shape = check_shape("csr", shape)
    if len(indptr) != shape[0] + 1:
        raise ValueError(f"csr_matrix: indptr has a wrong length; expected {shape[0] + 1}, got {len(indptr)}")
    return sound(CSRNDArray(Store(from_numpy_copy(data, to), from_numpy_copy(indices, "int64"), from_numpy_copy(indptr, "int64")),
                            shape))


def sound(x):
    """The array, once its indices were found to be in range; their order is put right when an operator needs it."""
    x._check()
    return x


def from_places(data, row, column, shape, dtype):
    data = numbers(data)                                  # a list has NumPy's dtype here, as in MXNet
    to = dtype_of(data, dtype)
    row, column = numbers(row).astype(np.int64), numbers(column).astype(np.int64)
    if not data.ndim == row.ndim == column.ndim == 1 or not len(data) == len(row) == len(column):
        raise ValueError(f"csr_matrix: data, row and col must be vectors of one length; got shapes {data.shape}, {row.shape} "
                         f"and {column.shape}")
    if shape is None:
        if not len(row):
            raise ValueError("csr_matrix: the shape cannot be worked out without values; expected shape=(rows, columns)")
        shape = (int(row.max()) + 1, int(column.max()) + 1)
    shape = check_shape("csr", shape)
    if len(row) and (row.min() < 0 or row.max() >= shape[0] or column.min() < 0 or column.max() >= shape[1]):
        raise ValueError(f"csr_matrix: a place lies outside of shape {shape}")
    order = np.lexsort((column, row))
    starts = np.concatenate([[0], np.bincount(row, minlength=shape[0]).cumsum()])
    return CSRNDArray(Store(from_numpy_copy(data[order], to), from_numpy_copy(column[order], "int64"),
                            from_numpy_copy(starts, "int64")),
                      shape)


def row_sparse_array(arg1, shape=None, ctx=None, dtype=None):
    """A row_sparse array.

    Parameters
    ----------
    arg1 : array_like, RowSparseNDArray or tuple
        A dense or row_sparse array; `(data, indices)`: rows, and their numbers in any order; or a shape: an empty array.
    shape : tuple of int, optional
        Worked out from the largest row number when not given.
    ctx : Context, optional
    dtype : str or numpy.dtype, optional
        Default: that of an array source, else float32.

    Returns
    -------
    RowSparseNDArray

    Raises
    ------
    ValueError, MXNetError
        The arrays do not fit together.

    Examples
    --------
    >>> mx.nd.sparse.row_sparse_array(([[1, 2]], [1]), shape=(2, 2)).asnumpy()
    array([[0., 0.],
           [1., 2.]], dtype=float32)
    """
    if isinstance(arg1, tuple):
        if len(arg1) < 2:
            raise ValueError(f"row_sparse_array: unexpected tuple of {len(arg1)}; expected (data, indices) or a shape")
        if len(arg1) > 2 or all(isinstance(n, (int, np.integer)) for n in arg1):
            if shape is not None and tuple(shape) != arg1:
                raise ValueError(f"row_sparse_array: shape {shape} is not {arg1}")
            return place(empty_rows(check_shape("row_sparse", arg1), dtype_of(None, dtype)), ctx)
        return place(from_rows(*arg1, shape, dtype), ctx)
    if isinstance(arg1, RowSparseNDArray):
        x = arg1.copy() if dtype is None else arg1.astype(dtype)
    elif isinstance(arg1, BaseSparseNDArray):
        raise ValueError("row_sparse_array: expected a row_sparse or dense array, got csr")
    else:
        x = dense_source("row_sparse_array", arg1, dtype, dense_to_rows)
    if shape is not None and tuple(shape) != x.shape:
        raise ValueError(f"row_sparse_array: a wrong shape; expected {x.shape}, got {shape}")
    return place(x, ctx)


def from_rows(data, indices, shape, dtype):
    to = dtype_of(data, dtype)
    data, indices = numbers(data), numbers(indices)
    if indices.ndim != 1:
        raise ValueError(f"row_sparse_array: indices must be a vector, got shape {indices.shape}")
    indices = indices.astype(np.int64)
    if shape is None:
        if not len(indices):
            raise ValueError("row_sparse_array: the shape cannot be worked out without indices; expected shape=")
        shape = (int(indices.max()) + 1, *data.shape[1:])
    shape = check_shape("row_sparse", shape)
    if len(data.shape) != len(shape) or len(indices) == 0 and data.size:
        raise ValueError(f"row_sparse_array: data of shape {data.shape} does not fit shape {shape}")
    if data.shape != (len(indices), *shape[1:]):
        raise MXNetError(f"row_sparse_array: data has a wrong shape; expected {(len(indices), *shape[1:])}, got {data.shape}")
    order = np.argsort(indices, kind="stable")
    if (order[1:] < order[:-1]).any():
        data, indices = data[order], indices[order]
    return sound(RowSparseNDArray(Store(from_numpy_copy(data, to), from_numpy_copy(indices, "int64")), shape))


def zeros(stype, shape, ctx=None, dtype=None, **kwargs):
    """An array of zeros with a storage type; a sparse one stores nothing.

    Parameters
    ----------
    stype : {'default', 'csr', 'row_sparse'}
    shape : int or tuple of int
    ctx : Context, optional
    dtype : str or numpy.dtype, default float32

    Returns
    -------
    NDArray, CSRNDArray or RowSparseNDArray

    Raises
    ------
    ValueError
        The storage type is unknown.

    Examples
    --------
    >>> mx.nd.sparse.zeros('csr', (1, 2)).stype
    'csr'
    """
    if stype == "default":
        return dense_zeros(shape, ctx=ctx, dtype=dtype, **kwargs)
    if stype not in ("csr", "row_sparse"):
        raise ValueError(f"zeros: unknown storage type; expected 'default', 'csr' or 'row_sparse', got {stype!r}")
    make = empty_csr if stype == "csr" else empty_rows
    return place(make(check_shape(stype, shape), "float32" if dtype is None else check_dtype(dtype)), ctx)


def empty(stype, shape, ctx=None, dtype=None):
    """An array with a storage type; a sparse one stores nothing, so it is zero.

    Examples
    --------
    >>> mx.nd.sparse.empty('row_sparse', (1, 2)).asnumpy()
    array([[0., 0.]], dtype=float32)
    """
    return zeros(stype, shape, ctx, dtype)


def array(source_array, ctx=None, dtype=None):
    """A copy of a sparse array: one of ours, or a `scipy.sparse` matrix.

    Parameters
    ----------
    source_array : CSRNDArray, RowSparseNDArray or scipy.sparse matrix
    ctx : Context, optional
    dtype : str or numpy.dtype, optional

    Returns
    -------
    CSRNDArray or RowSparseNDArray

    Raises
    ------
    ValueError
        The source is not sparse.

    Examples
    --------
    >>> mx.nd.sparse.array(mx.nd.sparse.zeros('csr', (1, 2))).stype
    'csr'
    """
    if isinstance(source_array, CSRNDArray) or is_scipy(source_array):
        return csr_matrix(source_array, ctx=ctx, dtype=dtype)
    if isinstance(source_array, RowSparseNDArray):
        return row_sparse_array(source_array, ctx=ctx, dtype=dtype)
    raise ValueError(f"sparse.array: expected a sparse array or a scipy.sparse matrix, got {type(source_array).__name__}; "
                     "dense arrays are converted by tostype")
