"""csr arrays: sparse matrices by rows."""
import numpy as np

from .._core.array import NDArray, from_numpy_copy
from ..ops.errors import MXNetError
from .base import BaseSparseNDArray, Store
from .kernels import csr_check, csr_sort


class CSRNDArray(BaseSparseNDArray):
    """A sparse matrix: row i holds `data[indptr[i]:indptr[i + 1]]` in the columns `indices[indptr[i]:indptr[i + 1]]`.

    Made by `mx.nd.sparse.csr_matrix` or `tostype('csr')`."""

    STYPE = "csr"

    @property
    def indptr(self):
        """A copy of where rows start in data and indices, int64; assign an array to replace it."""
        return self._store.indptr.copy()

    @indptr.setter
    def indptr(self, value):
        self._store.indptr = self._part("indptr", value, "int64")
        self._store.order = None

    @property
    def _parts(self):
        s = self._store
        return s.data, s.indices, s.indptr

    def _check(self):
        """Whether columns ascend in each row; an error if the matrix is not sound."""
        s = self._store
        if s.indptr.shape != (self.shape[0] + 1,):
            raise MXNetError(f"csr: indptr has a wrong length; expected {self.shape[0] + 1}, got {s.indptr.shape[0]}")
        if s.order is None:
            try:
                s.order = bool(csr_check((s.indices, s.indptr), self.shape[1], s.data.shape[0]).asnumpy()[0])
            except MXNetError as e:
                raise MXNetError(str(e).replace("_csr_check", "csr", 1)) from None
        return s.order

    def _ordered(self):
        """The parts, with ascending columns in each row, each once (of a place given twice the last value counts)."""
        if self._check():
            return self._parts
        data, indices = csr_sort(self._parts)
        return without_repeats(data, indices, self._store.indptr)

    def check_format(self, full_check=True):
        """Raise MXNetError unless the matrix is sound: indptr ascends, columns are in range and ascend in each row.

        Parameters
        ----------
        full_check : bool, default True
            False looks at the lengths and at the ends of indptr only.

        Examples
        --------
        >>> mx.nd.sparse.zeros('csr', (2, 2)).check_format()
        """
        data, indices, indptr = self._parts
        ends = indptr.asnumpy()
        if ends.shape != (self.shape[0] + 1,) or ends[0] != 0 or ends[-1] > min(data.shape[0], indices.shape[0]):
            raise MXNetError(f"check_format: indptr must have {self.shape[0] + 1} elements, start at 0 and end within data; "
                             f"got {ends}")
        if full_check and not self._check():
            raise MXNetError("check_format: columns must ascend in each row")

    def asscipy(self):
        """The matrix as a `scipy.sparse.csr_matrix` (SciPy must be installed).

        Examples
        --------
        >>> mx.nd.eye(2).tostype('csr').asscipy().nnz
        2
        """
        self._check()
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            raise ImportError("asscipy: SciPy is not installed; expected it as an optional dependency") from None
        end = int(self._store.indptr.asnumpy()[-1])
        data, indices, indptr = (x.asnumpy() for x in self._parts)
        return csr_matrix((data[:end], indices[:end], indptr), shape=self.shape, dtype=data.dtype)

    def tostype(self, stype):
        """A copy with another storage type: 'default' or 'csr'.

        Examples
        --------
        >>> mx.nd.sparse.zeros('csr', (1, 2)).tostype('default').stype
        'default'
        """
        if stype == "row_sparse":
            raise ValueError("tostype: csr cannot become row_sparse directly; expected 'default' or 'csr'")
        return super().tostype(stype)

    def _rows_between(self, lo, hi):
        """Rows lo to hi as another csr array."""
        self._check()
        data, indices, indptr = self._parts
        at = indptr._view((hi - lo + 1,), lo)
        a, b = (int(v) for v in at.asnumpy()[[0, -1]])
        if a == 0 and lo == 0 and b == data.shape[0] and b == indices.shape[0]:
            return CSRNDArray(Store(data.copy(), indices, at.copy(), self._store.order), (hi - lo, self.shape[1]))
        return CSRNDArray(Store(data._view((b - a,), a).copy(), indices._view((b - a,), a).copy(), at - a if a else at.copy(),
                                self._store.order), (hi - lo, self.shape[1]))

    def _getitem(self, key):
        from .dispatch import run
        if isinstance(key, tuple):
            raise ValueError("csr: indexing with tuples is not supported; expected a row or a slice of rows")
        rows = self.shape[0]
        if isinstance(key, slice):
            if key.step not in (None, 1):
                raise ValueError(f"csr: slices need step 1, got {key.step}")
            if key.start is None and key.stop is None:
                return self
            lo, hi, _ = key.indices(rows)
            return run("slice", (self,), begin=(lo,), end=(max(lo, hi),))
        if isinstance(key, (int, np.integer)):
            if not -rows <= key < rows:
                raise IndexError(f"csr: index {key} is out of bounds for axis 0 with size {rows}")
            lo = int(key) % rows
            return run("slice", (self,), begin=(lo,), end=(lo + 1,))
        raise ValueError(f"csr: expected a row or a slice of rows, got {type(key).__name__}")

    def _setitem(self, key, value):
        self._refuse_write()
        if not isinstance(key, slice) or key != slice(None):
            raise ValueError("csr: only x[:] can be assigned to")
        if isinstance(value, NDArray):
            self._assign(value)
        elif isinstance(value, (int, float)):
            if value != 0:
                raise ValueError(f"csr: only the number 0 can be assigned, or an array; got {value}")
            self._clear()
        else:
            a = np.asarray(value)
            if a.shape != self.shape:
                raise ValueError(f"csr: an array of a wrong shape; expected {self.shape}, got {a.shape}")
            self._assign(from_numpy_copy(a, self._dtype_name))

    def _clear(self):
        """Zero: no stored values."""
        y = empty_csr(self.shape, self._dtype_name)
        self._take(y._store.data, y._store)

    # ---- graph operators of mx.nd.contrib
    def _count(self, axis):
        self._check()
        indices, indptr = (x.asnumpy() for x in self._parts[1:])
        if axis is None:
            return from_numpy_copy(indptr[-1:], "int64")
        axis = axis[0] if isinstance(axis, tuple) else axis
        if axis not in (-2, -1, 0, 1):
            raise MXNetError(f"_contrib_getnnz: axis {axis} is out of range for 2 dimensions")
        if axis % 2:
            return from_numpy_copy(np.diff(indptr), "int64")
        self._check()
        return from_numpy_copy(np.bincount(indices[:indptr[-1]], minlength=self.shape[1]), "int64")

    def _edge_id(self, u, v):
        self._check()
        data, indices, indptr = (x.asnumpy() for x in self._parts)
        found = []
        for i, j in zip(u.asnumpy().astype(np.int64), v.asnumpy().astype(np.int64)):
            if not 0 <= i < self.shape[0]:
                raise IndexError(f"_contrib_edge_id: index {i} is out of bounds for size {self.shape[0]}")
            at = np.flatnonzero(indices[indptr[i]:indptr[i + 1]] == j)
            found.append(data[indptr[i] + at[0]] if at.size else -1)
        return from_numpy_copy(np.array(found, data.dtype).reshape(u.shape), self._dtype_name)

    def _adjacency(self):
        s = self._store
        return CSRNDArray(Store(from_numpy_copy(np.ones(s.data.shape, "float32"), "float32"), s.indices, s.indptr, s.order),
                          self.shape)


def without_repeats(data, indices, indptr):
    """Sorted parts with the last value of each place."""
    columns, starts = indices.asnumpy(), indptr.asnumpy()
    end = starts[-1]
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    kept = np.append((columns[1:end] != columns[:end - 1]) | (rows[1:] != rows[:-1]), True)[:end]
    if kept.all():
        return data, indices, indptr
    before = np.concatenate([[0], kept.cumsum()])
    return (from_numpy_copy(data.asnumpy()[:end][kept], data._dtype_name), from_numpy_copy(columns[:end][kept], "int64"),
            from_numpy_copy(before[starts], "int64"))


def empty_csr(shape, dtype):
    """A csr array without stored values."""
    return CSRNDArray(Store(from_numpy_copy(np.zeros(0), dtype), from_numpy_copy(np.zeros(0), "int64"),
                            from_numpy_copy(np.zeros(shape[0] + 1), "int64"), True), shape)
