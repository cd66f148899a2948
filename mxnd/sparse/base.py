"""What csr and row_sparse arrays share."""
import numpy as np

from .._core.array import NDArray, SparseBase, from_numpy_copy
from .._core.call import call2, invoke, recording
from ..context import Context
from ..ops.declare import PYTHON, REGISTRY
from ..ops.errors import MXNetError, NotSupportedForSparseNDArray

CODES = {"csr": 1, "row_sparse": 2}


class Store:
    """The parts of a sparse array, shared by all handles of it.

    Nobody writes into indices and indptr, so results share them with their sources; `order` remembers what was found out
    about them: None (not looked at), False or True (columns or rows ascend, each at most once)."""

    __slots__ = ("data", "indices", "indptr", "order")

    def __init__(self, data, indices, indptr=None, order=None):
        self.data, self.indices, self.indptr, self.order = data, indices, indptr, order


class BaseSparseNDArray(SparseBase):
    """Base of CSRNDArray and RowSparseNDArray; made by the functions of `mx.nd.sparse`."""

    STYPE = ""

    def __init__(self, store, shape, dtype=None):
        super().__init__(CODES[self.STYPE], shape, store.data._dtype_name if dtype is None else dtype)
        self._store = store

    def check_format(self, full_check=True):
        """Raise MXNetError unless the array is sound.

        Parameters
        ----------
        full_check : bool, default True
            False looks at the shapes only.
        """
        raise NotImplementedError(f"{type(self).__name__}: check_format is not defined")

    # ---- attributes
    @property
    def stype(self):
        """Storage type: 'csr' or 'row_sparse'."""
        return self.STYPE

    @property
    def data(self):
        """A copy of the stored values; assign an array to replace them."""
        return self._store.data.copy()

    @data.setter
    def data(self, value):
        self._store.data = self._part("data", value, self._dtype_name)
        self._store.order = None

    @property
    def indices(self):
        """A copy of the column numbers (csr) or row numbers (row_sparse), int64; assign an array to replace them."""
        return self._store.indices.copy()

    @indices.setter
    def indices(self, value):
        self._store.indices = self._part("indices", value, "int64")
        self._store.order = None

    def _part(self, name, value, dtype):
        if isinstance(value, SparseBase):
            raise TypeError(f"{name}: expected a dense array, got {value.stype}")
        value = value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
        return from_numpy_copy(value, dtype)

    @property
    def size(self):
        """Not defined for sparse arrays."""
        raise NotImplementedError(f"size: not defined for {self.stype} arrays; expected a dense array (tostype('default'))")

    # ---- handles, copies
    def _same_data(self):
        y = type(self)(self._store, self.shape, self._dtype_name)
        y._set_device(*self._device)
        return y

    def _shares(self, other):
        return isinstance(other, BaseSparseNDArray) and other._store is self._store

    def _with(self, data):
        """Another array with other values at the same places."""
        s = self._store
        return type(self)(Store(data, s.indices, s.indptr, s.order), self.shape)

    def _cast_storage(self, stype):
        from .cast import recorded_cast
        return recorded_cast(self, stype)

    def _dense(self):
        """The array as a dense one, outside autograd."""
        from .cast import to_dense
        return to_dense(self)

    def asnumpy(self):
        """A dense NumPy array with the same elements.

        Examples
        --------
        >>> mx.nd.sparse.zeros('csr', (1, 2)).asnumpy()
        array([[0., 0.]], dtype=float32)
        """
        return self._dense().asnumpy()

    def copyto(self, other):
        """Copy the elements into another array of any storage type, or to a context.

        Parameters
        ----------
        other : NDArray or Context

        Returns
        -------
        NDArray
            other, or the new array; False when other is the array itself.

        Examples
        --------
        >>> x = mx.nd.sparse.zeros('csr', (1, 2))
        >>> x.copyto(mx.nd.ones((1, 2))).stype
        'default'
        """
        if isinstance(other, Context):
            if other.device_typeid == 2:
                raise MXNetError(f"copyto: {self.stype} arrays live on the CPU; expected a CPU context, got {other}")
            y = self.copy()
            y._set_device(other.device_typeid, other.device_id)
            return y
        return super().copyto(other)

    def _assign(self, other):
        """Take over the elements of an array of any storage type (converted to this dtype)."""
        from .cast import to_storage
        if not isinstance(other, NDArray):
            raise TypeError(f"copy: expected an NDArray, got {type(other).__name__}")
        if other.shape != self.shape:
            raise MXNetError(f"copy: shapes differ; expected {self.shape}, got {other.shape}")
        if other is not self:
            y = to_storage(other, self.stype)
            data = y._store.data
            if data._dtype_name != self._dtype_name:
                data = data._cast(self._dtype_name)
            elif y is other:
                data = data.copy()
            self._take(data, y._store)

    def _take(self, data, s):
        mine = self._store
        mine.data, mine.indices, mine.indptr, mine.order = data._same_data(), s.indices, s.indptr, s.order

    # ---- gradients
    def _set_gradient(self, g, add):
        from .cast import to_storage
        if add:
            g = self + g
        y = to_storage(g, self.stype)
        self._take(y._store.data, y._store)

    # ---- what sparse arrays cannot do
    def asscalar(self):
        """Not defined for sparse arrays."""
        raise NotImplementedError(f"asscalar: not defined for {self.stype} arrays; expected a dense array (tostype('default'))")

    def __bool__(self):
        raise NotImplementedError(f"bool: not defined for {self.stype} arrays; expected a dense array (tostype('default'))")

    def reshape(self, *shape, **kwargs):
        """Not defined for sparse arrays."""
        raise NotSupportedForSparseNDArray(self.reshape, None, *shape)

    # ---- arithmetic: arrays of one storage type stay in it
    def __add__(self, other):
        return _two("add", self, other) if isinstance(other, NDArray) else super().__add__(other)

    def __sub__(self, other):
        return _two("sub", self, other) if isinstance(other, NDArray) else super().__sub__(other)

    def __mul__(self, other):
        return _two("mul", self, other) if isinstance(other, NDArray) else super().__mul__(other)

    def __truediv__(self, other):
        return _two("div", self, other) if isinstance(other, NDArray) else super().__truediv__(other)

    def __radd__(self, other):
        return call2(BROADCAST["add"], other, self) if isinstance(other, NDArray) else super().__radd__(other)

    def __rsub__(self, other):
        return call2(BROADCAST["sub"], other, self) if isinstance(other, NDArray) else super().__rsub__(other)

    def __rmul__(self, other):
        return call2(BROADCAST["mul"], other, self) if isinstance(other, NDArray) else super().__rmul__(other)

    def __rtruediv__(self, other):
        return call2(BROADCAST["div"], other, self) if isinstance(other, NDArray) else super().__rtruediv__(other)

    def _inplace(self, k, other):
        """In-place arithmetic by its number in PYTHON; the storage type stays."""
        kind, (two, one, _) = list(PYTHON.items())[k]
        if isinstance(other, NDArray):
            kind = "div" if kind == "truediv" else kind
            y = _two(kind, self, other) if kind in SAME else call2(REGISTRY[two].core, self, other)
        else:
            op = REGISTRY[one]
            y = invoke(op.core, (self,), op.Params(float(other), True))
        self._assign(y)
        return self

    def _repr(self):
        return f"\n<{type(self).__name__} {'x'.join(map(str, self.shape))} @{self.context}>"

    def __reduce__(self):
        s = self._store
        parts = [None if x is None else x.asnumpy() for x in (s.data, s.indices, s.indptr)]
        return _unpickle, (type(self), parts, self.shape, self._dtype_name)

    def _refuse_write(self):
        if recording() and self._tracked:
            raise MXNetError("assignment to an array of a recorded graph is not supported while autograd records")


def _unpickle(cls, parts, shape, dtype):
    data, indices, indptr = parts
    return cls(Store(from_numpy_copy(data, dtype), from_numpy_copy(indices, "int64"),
                     None if indptr is None else from_numpy_copy(indptr, "int64")), shape)


SAME = {k: REGISTRY[f"elemwise_{k}"].core for k in ("add", "sub", "mul", "div")}
BROADCAST = {k: REGISTRY[f"broadcast_{k}"].core for k in ("add", "sub", "mul", "div")}


def _two(kind, x, z):
    """Arithmetic of two arrays: the elementwise form keeps sparse storage, where the shapes are equal."""
    return call2((SAME if x.shape == z.shape else BROADCAST)[kind], x, z)
