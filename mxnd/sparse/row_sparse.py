"""row_sparse arrays: some rows of an array, the others are zero."""
import numpy as np

from .._core.array import NDArray, from_numpy_copy
from ..ops.errors import MXNetError
from .base import BaseSparseNDArray, Store


class RowSparseNDArray(BaseSparseNDArray):
    """An array that stores some of its rows: `data[k]` is row `indices[k]`, the other rows are zero.

    Made by `mx.nd.sparse.row_sparse_array` or `tostype('row_sparse')`; gradients of embeddings and of products with csr
    matrices are of this kind."""

    STYPE = "row_sparse"

    @property
    def _parts(self):
        s = self._store
        return s.data, s.indices

    @property
    def _width(self):
        """Elements of a row."""
        n = 1
        for v in self.shape[1:]:
            n *= v
        return n

    def _check(self):
        """Whether row numbers ascend; an error if the array is not sound."""
        s = self._store
        if s.order is None:
            ix = s.indices.asnumpy()
            if s.data.shape != (len(ix), *self.shape[1:]):
                raise MXNetError(f"row_sparse: data has a wrong shape; expected {(len(ix), *self.shape[1:])}, got {s.data.shape}")
            if len(ix) and not (0 <= ix.min() and ix.max() < self.shape[0]):
                raise MXNetError(f"row_sparse: row numbers must be at least 0 and below {self.shape[0]}")
            s.order = bool((ix[1:] > ix[:-1]).all())
        return s.order

    def _ordered(self):
        """Rows and their numbers, ascending and each once (of rows given twice the last counts)."""
        if not self._check():
            s = self._store
            ix = s.indices.asnumpy()
            kept, first = np.unique(ix[::-1], return_index=True)
            at = len(ix) - 1 - first
            s.data, s.indices, s.order = from_numpy_copy(s.data.asnumpy()[at],
                                                         s.data._dtype_name), from_numpy_copy(kept, "int64"), True
        return self._parts

    def check_format(self, full_check=True):
        """Raise MXNetError unless the array is sound: row numbers are in range, and ascend.

        Parameters
        ----------
        full_check : bool, default True
            False looks at the shapes only.

        Examples
        --------
        >>> mx.nd.sparse.zeros('row_sparse', (2, 2)).check_format()
        """
        data, indices = self._parts
        if indices.ndim != 1 or data.shape != (*indices.shape, *self.shape[1:]):
            raise MXNetError(f"check_format: data and indices do not fit; got shapes {data.shape} and {indices.shape}")
        if full_check and not self._check():
            raise MXNetError("check_format: row numbers must ascend")

    def tostype(self, stype):
        """A copy with another storage type: 'default' or 'row_sparse'.

        Examples
        --------
        >>> mx.nd.sparse.zeros('row_sparse', (1, 2)).tostype('default').stype
        'default'
        """
        if stype == "csr":
            raise ValueError("tostype: row_sparse cannot become csr directly; expected 'default' or 'row_sparse'")
        return super().tostype(stype)

    def retain(self, indices):
        """The rows with the given numbers, the others become zero.

        Examples
        --------
        >>> mx.nd.ones((3, 2)).tostype('row_sparse').retain(mx.nd.array([1])).asnumpy()[:, 0]
        array([0., 1., 0.], dtype=float32)
        """
        from .dispatch import run
        return run("_sparse_retain", (self, indices))

    def _getitem(self, key):
        if isinstance(key, slice) and key == slice(None):
            return self
        if isinstance(key, (int, np.integer)):
            raise MXNetError("row_sparse: a single row cannot be taken; expected x[:], or a dense array (tostype('default'))")
        if isinstance(key, slice):
            raise MXNetError("row_sparse: only x[:] is supported; expected a dense array (tostype('default')) for parts")
        raise ValueError(f"row_sparse: only x[:] is supported, got {type(key).__name__}")

    def _setitem(self, key, value):
        self._refuse_write()
        if not isinstance(key, slice) or key != slice(None):
            raise ValueError("row_sparse: only x[:] can be assigned to")
        if isinstance(value, NDArray):
            if value.shape != self.shape:
                raise ValueError(f"row_sparse: an array of a wrong shape; expected {self.shape}, got {value.shape}")
            self._assign_all(value)
        elif isinstance(value, (int, float, np.generic)):
            self._assign_all(from_numpy_copy(np.full(self.shape, value), self._dtype_name))
        else:
            a = np.asarray(value)
            if a.shape != self.shape:
                raise ValueError(f"row_sparse: an array of a wrong shape; expected {self.shape}, got {a.shape}")
            self._assign_all(from_numpy_copy(a, self._dtype_name))

    def _assign_all(self, value):
        """Take over an array; of a dense one every row is stored, as in MXNet."""
        if value.stype != "default":
            self._assign(value)
            return
        data = value._cast(self._dtype_name) if value._dtype_name != self._dtype_name else value.copy()
        self._take(data, Store(None, from_numpy_copy(np.arange(self.shape[0]), "int64"), None, True))

    def _clear(self):
        """Zero: no stored rows."""
        y = empty_rows(self.shape, self._dtype_name)
        self._take(y._store.data, y._store)


def empty_rows(shape, dtype):
    """A row_sparse array without stored rows."""
    return RowSparseNDArray(Store(from_numpy_copy(np.zeros((0, *shape[1:])), dtype), from_numpy_copy(np.zeros(0), "int64"),
                                  None, True),
                            shape)
