"""Random sparse arrays."""
import numpy as np

from ..sparse import csr_matrix, row_sparse_array, zeros
from .arrays import assign_each


def rand_sparse_ndarray(shape, stype, density=None, dtype=None, distribution=None, data_init=None, rsp_indices=None,
                        modifier_func=None, shuffle_csr_indices=False, ctx=None):
    """A random sparse array, and the parts it was made from.

    Parameters
    ----------
    shape : tuple of int
    stype : {'csr', 'row_sparse'}
    density : float, optional
        Share of stored elements (csr) or rows (row_sparse); random by default.
    dtype : dtype, default float32
    distribution : {'uniform', 'powerlaw'}
        csr: elements anywhere, or twice as many in every row as in the one before until there are enough.
    data_init : float, optional
        The value of all stored elements; random numbers from 0 to 1 by default.
    rsp_indices : list of int, optional
        Which rows a row_sparse array stores.
    modifier_func : callable, optional
        Applied to every stored element.
    shuffle_csr_indices : bool, default False
        Put the columns of each row of a csr array out of order.
    ctx : Context, optional

    Returns
    -------
    tuple
        The array; and (values, rows) as NumPy arrays for row_sparse, (indptr, indices, data) as NDArrays for csr.

    Examples
    --------
    >>> x, (values, rows) = mx.test_utils.rand_sparse_ndarray((4, 2), "row_sparse", rsp_indices=[1, 3])
    >>> rows
    array([1, 3])
    """
    density = np.random.rand() if density is None else density
    dtype = np.dtype(np.float32 if dtype is None else dtype)
    distribution = "uniform" if distribution is None else distribution
    if not 0 <= density <= 1:
        raise ValueError(f"rand_sparse_ndarray: density: expected a number from 0 to 1, got {density}")
    if stype == "row_sparse":
        if distribution != "uniform":
            raise AssertionError(f"rand_sparse_ndarray: expected distribution 'uniform' for row_sparse, got {distribution!r}")
        return _row_sparse(shape, density, dtype, data_init, rsp_indices, modifier_func, ctx)
    if stype == "csr":
        return _csr(shape, density, dtype, distribution, data_init, modifier_func, shuffle_csr_indices, ctx)
    raise ValueError(f"rand_sparse_ndarray: stype: expected 'csr' or 'row_sparse', got {stype!r}")


def _row_sparse(shape, density, dtype, data_init, rsp_indices, modifier_func, ctx):
    if rsp_indices is not None:
        rows = np.unique(np.asarray(rsp_indices, np.int64))
    else:
        rows = np.flatnonzero(np.random.rand(shape[0]) < density).astype(np.int64)
    values = _values((len(rows), *shape[1:]), dtype, data_init, modifier_func)
    if not len(rows):
        return zeros("row_sparse", shape, dtype=dtype, ctx=ctx), (np.array([], dtype), rows)
    return row_sparse_array((values, rows), shape=shape, dtype=dtype, ctx=ctx), (values, rows)


def _values(shape, dtype, data_init, modifier_func):
    values = np.random.rand(*shape) if data_init is None else np.full(shape, data_init)
    return assign_each(values.astype(dtype), modifier_func).astype(dtype)


def _csr(shape, density, dtype, distribution, data_init, modifier_func, shuffle, ctx):
    if len(shape) != 2:
        raise AssertionError(f"rand_sparse_ndarray: expected a shape of 2 axes for csr, got {shape}")
    if distribution == "uniform":
        stored = np.random.rand(*shape) < density
    elif distribution == "powerlaw":
        stored = _powerlaw(shape, density)
    else:
        raise AssertionError(f"rand_sparse_ndarray: distribution: expected 'uniform' or 'powerlaw', got {distribution!r}")
    rows, columns = np.nonzero(stored)
    indptr = np.concatenate([[0], np.cumsum(stored.sum(axis=1))]).astype(np.int64)
    data = _values((len(rows),), dtype, data_init, modifier_func)
    x = csr_matrix((data, columns.astype(np.int64), indptr), shape=shape, dtype=dtype, ctx=ctx)
    if shuffle:
        x = shuffle_csr_column_indices(x)
    return x, (x.indptr, x.indices, x.data)


def _powerlaw(shape, density):
    """1, 2, 4, ... elements in the rows until the number of elements is reached."""
    rows, columns = shape
    left = round(rows * columns * density)
    if left < rows:
        raise ValueError(f"rand_sparse_ndarray: density {density} is too small for a power law in {shape}: "
                         "expected an element per row")
    counts = np.ones(rows, int)
    left -= rows
    for r in range(rows):
        more = min(left, min(2**min(r, 60), columns) - 1)
        counts[r] += more
        left -= more
    for r in range(rows - 1, -1, -1):                       # what is left fills the last rows
        more = min(left, columns - counts[r])
        counts[r] += more
        left -= more
    return np.arange(columns)[None, :] < counts[:, None]


def shuffle_csr_column_indices(csr):
    """A csr array with the same stored elements, in a random order inside every row.

    Parameters
    ----------
    csr : CSRNDArray
    """
    indptr, indices, data = csr.indptr.asnumpy(), csr.indices.asnumpy(), csr.data.asnumpy()
    for lo, hi in zip(indptr[:-1], indptr[1:]):
        new = lo + np.random.permutation(hi - lo)
        indices[lo:hi], data[lo:hi] = indices[new], data[new]
    return csr_matrix((data, indices, indptr), shape=csr.shape, dtype=csr.dtype, ctx=csr.context)


def create_sparse_array(shape, stype, data_init=None, rsp_indices=None, dtype=None, modifier_func=None, density=0.5,
                        shuffle_csr_indices=False):
    """A random sparse array, see `rand_sparse_ndarray`.

    Examples
    --------
    >>> mx.test_utils.create_sparse_array((3, 2), "row_sparse", data_init=1, rsp_indices=[0, 2]).asnumpy()
    array([[1., 1.],
           [0., 0.],
           [1., 1.]], dtype=float32)
    """
    if stype == "row_sparse" and rsp_indices is not None and len(rsp_indices) > shape[0]:
        raise AssertionError(f"create_sparse_array: expected at most {shape[0]} rows, got {len(rsp_indices)}")
    return rand_sparse_ndarray(shape, stype, density=density, dtype=dtype, data_init=data_init, rsp_indices=rsp_indices,
                               modifier_func=modifier_func, shuffle_csr_indices=shuffle_csr_indices)[0]


def create_sparse_array_zd(shape, stype, density, data_init=None, rsp_indices=None, dtype=None, modifier_func=None,
                           shuffle_csr_indices=False):
    """The same, where a density of 0 gives an array that stores nothing whatever rsp_indices says."""
    if stype == "row_sparse" and density == 0.0:
        data_init, rsp_indices = 0, []
    return create_sparse_array(shape, stype, data_init, rsp_indices, dtype, modifier_func, density, shuffle_csr_indices)

