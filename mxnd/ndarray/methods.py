"""NDArray's methods that are plain Python; `ndarray/__init__.py` gives them to the compiled class."""
import warnings

import numpy as np

from .._core import tape
from .._core.array import NDArray, empty
from .._core.call import invoke, recording
from .._core.indexing import _getitem, _setitem
from .._core.plan import cast_array, cast_into
from ..context import Context
from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError
from .convert import check_context, check_dtype, place

GRAD_REQS = {"null": 0, "write": 1, "add": 2}


def _run(name, *inputs, **params):
    op = REGISTRY[name]
    return invoke(op.core, inputs, op.packed(params))


# ---- what the compiled class calls

def _negative(self):
    return _run("negative", self)


def _absolute(self):
    return _run("abs", self)


def _repr(self):
    shape = "x".join(map(str, self.shape))
    return f"\n{self.asnumpy()!s}\n<NDArray {shape} @{self.context}>"


def _asnumpy_elsewhere(self):
    if self.context.device_typeid == 2:
        from .gpu import to_cpu
        return to_cpu(self).asnumpy()
    return cast_array(self, "float32").asnumpy()


def _reshape_codes(self, shape, /, **kwargs):
    from ..ops.shape import reshape_codes
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    elif not shape:
        shape = kwargs.pop("shape", None)
        if shape is None:
            raise AssertionError("reshape: a shape is missing; expected dimensions, or shape=")
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
    else:
        kwargs.pop("shape", None)
    reverse = bool(kwargs.pop("reverse", False))
    if kwargs:
        raise TypeError(f"reshape: unknown argument {next(iter(kwargs))!r}; expected shape or reverse")
    if any(not isinstance(d, (int, np.integer)) or isinstance(d, bool) for d in shape):
        raise MXNetError(f"reshape: expected whole numbers, got {shape}")
    shape = tuple(int(d) for d in shape)
    if self.size == 0 and all(d >= 0 for d in shape) and 0 in shape and len(shape) > self.ndim:
        target = shape
    else:
        try:
            target = tuple(reshape_codes(self.shape, shape, reverse)) if shape else ()
        except MXNetError:
            raise
        except ValueError as e:
            raise MXNetError(f"reshape: {e}") from None
    n = int(np.prod(target, dtype=np.int64))
    if n != self.size:
        kind = ValueError if n < self.size else MXNetError
        raise kind(f"reshape: sizes differ; expected a shape with {self.size} elements, got {target}")
    return self._view(target)


def _cast(self, dtype):
    return _run("Cast", self, dtype=dtype)


# ---- attributes

def context(self):
    """The device that the array is on."""
    return Context(Context.devtype2str[self._device[0]], self._device[1])


def transposed(self):
    """The array with its axes reversed (a copy); itself when it has less than two."""
    return self if self.ndim < 2 else _run("transpose", self)


def grad(self):
    """The gradient buffer of an array with `attach_grad`; None for others."""
    buffer = self._grad_buffer
    return None if buffer is None else buffer._same_data()


# ---- values

def asscalar(self):
    """The single element as a NumPy scalar.  Raises ValueError when there are more.

    Examples
    --------
    >>> mx.nd.ones((1,)).asscalar()
    np.float32(1.0)
    """
    if self.size != 1:
        raise ValueError(f"asscalar: expected an array with 1 element, got {self.size}")
    return self.asnumpy().reshape(())[()]


def item(self):
    """The single element as a Python number.

    Examples
    --------
    >>> mx.nd.ones((1,)).item()
    1.0
    """
    return asscalar(self).item()


def astype(self, dtype, copy=True):
    """The array with another dtype.

    Parameters
    ----------
    dtype : str or numpy.dtype
    copy : bool, default True
        With False, an array that has the dtype already is returned itself.

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.ones((2,)).astype('int32').dtype
    <class 'numpy.int32'>
    """
    if dtype is None:
        dtype = "float32"
    name = check_dtype(dtype)
    if not copy and name == self._dtype_name:
        return self
    return _cast(self, name)


def copy(self):
    """A copy, without gradient buffer.

    Examples
    --------
    >>> mx.nd.ones((2,)).copy().shape
    (2,)
    """
    return _run("_copy", self)


def copyto(self, other):
    """Copy the elements into another array (converted to its dtype), or to a device.

    Parameters
    ----------
    other : NDArray or Context

    Returns
    -------
    NDArray
        other, or the new array; False when other is the array itself.

    Raises
    ------
    MXNetError
        The shapes differ.

    Examples
    --------
    >>> y = mx.nd.zeros((2,))
    >>> mx.nd.ones((2,)).copyto(y) is y
    True
    """
    if isinstance(other, Context):
        return place(self.copy(), other)
    if not isinstance(other, NDArray):
        raise TypeError(f"copyto: expected an NDArray or a Context, got {type(other).__name__}")
    if other is self:
        warnings.warn("copyto: the array was asked to copy itself; nothing was done", RuntimeWarning, stacklevel=2)
        return False
    if other.shape != self.shape:
        raise MXNetError(f"copyto: shapes differ; expected {other.shape}, got {self.shape}")
    if recording() and self.stype == other.stype == "default":
        op = REGISTRY["_copy" if self._dtype_name == other._dtype_name else "Cast"]
        return invoke(op.core, (self,), op.packed({} if op.name == "_copy" else {"dtype": other._dtype_name}), other)
    source = self
    if self.stype != "default" or other.stype != "default":
        if other.stype == "default":
            source = self.tostype("default")
        else:
            other._assign(self)
            return other
    if 2 in (self._device[0], other._device[0]):
        from .gpu import copy_between
        copy_between(source, other)
    else:
        cast_into(source if not source._shares(other) else source.copy(), other)
    return other


def as_in_context(self, context):
    """The array on a device: itself when it is there already.

    Examples
    --------
    >>> x = mx.nd.ones((2,))
    >>> x.as_in_context(mx.cpu()) is x
    True
    """
    if self.context == context:
        return self
    return place(self.copy() if self._device[0] != 2 else self, check_context(context))


def wait_to_read(self):
    """Wait until the elements are there: they always are, operators run at the call."""


def tostype(self, stype):
    """A copy with another storage type: 'default', 'csr' or 'row_sparse'.

    Examples
    --------
    >>> mx.nd.eye(2).tostype('csr').stype
    'csr'
    """
    from ..sparse import cast_storage
    return cast_storage(self, stype)


# ---- shape

def transpose(self, *axes, **kwargs):
    """The array with its axes in another order (reversed by default).

    Examples
    --------
    >>> mx.nd.ones((2, 3)).transpose().shape
    (3, 2)
    """
    if len(axes) > 1:
        raise TypeError(f"transpose: expected one tuple of axes, got {len(axes)} arguments")
    if axes and axes[0] is not None:
        kwargs["axes"] = axes[0] if isinstance(axes[0], (tuple, list)) else (axes[0],)
    return _run("transpose", self, **kwargs)


def _viewing(name):
    def method(self, *args, inplace=False, **kwargs):
        y_shape = None
        op = REGISTRY[name]
        params = op.pack({**dict(zip(op.params, args)), **kwargs})
        if inplace:
            y_shape = op.infer_shapes(params, [self.shape])[1][0]
            return self._view(tuple(y_shape))
        return invoke(op.core, (self,), params)
    return method


def flatten(self, inplace=False):
    """The array as a matrix: the first axis, and the others joined; a view with inplace.

    Examples
    --------
    >>> mx.nd.ones((2, 3, 4)).flatten().shape
    (2, 12)
    """
    return _viewing("Flatten")(self, inplace=inplace)


def expand_dims(self, axis, inplace=False):
    """The array with a new axis of length 1; a view with inplace.

    Examples
    --------
    >>> mx.nd.ones((2,)).expand_dims(0).shape
    (1, 2)
    """
    return _viewing("expand_dims")(self, axis, inplace=inplace)


def squeeze(self, axis=None, inplace=False):
    """The array without axes of length 1; a view with inplace.

    Examples
    --------
    >>> mx.nd.ones((1, 2)).squeeze().shape
    (2,)
    """
    return _viewing("squeeze")(self, axis, inplace=inplace)


def broadcast_to(self, shape):
    """The array repeated along axes of length 1, and along new leading axes.

    Parameters
    ----------
    shape : tuple of int
        0 keeps an axis.

    Raises
    ------
    ValueError
        The array does not broadcast to the shape.

    Examples
    --------
    >>> mx.nd.ones((3,)).broadcast_to((2, 3)).shape
    (2, 3)
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    have = self.shape
    if len(have) > len(shape) or any(h not in (1, s) and s != 0 for h, s in zip(reversed(have), reversed(shape))):
        raise ValueError(f"broadcast_to: the array does not broadcast; expected a shape that fits {have}, got {shape}")
    x = self._view((1,) * (len(shape) - len(have)) + have) if len(have) < len(shape) else self
    return _run("broadcast_to", x, shape=shape)


def broadcast_like(self, other):
    """The array repeated to the shape of another.

    Examples
    --------
    >>> mx.nd.ones((1, 3)).broadcast_like(mx.nd.ones((2, 3))).shape
    (2, 3)
    """
    return self.broadcast_to(other.shape)


def split_v2(self, indices_or_sections, axis=0, squeeze_axis=False):
    """Parts of the array along an axis, see `mx.nd.split_v2`."""
    from . import split_v2 as f
    return f(self, indices_or_sections, axis, squeeze_axis)


def diag(self, k=0, **kwargs):
    """A diagonal of a matrix, or the matrix with a diagonal.

    Examples
    --------
    >>> mx.nd.eye(3).diag().shape
    (3,)
    """
    return _run("diag", self, k=k, **kwargs)


def slice_assign(self, rhs, begin, end, step):
    """Write an array into a slice of this one, in place; returns the array."""
    key = tuple(slice(b, e, s) for b, e, s in zip(begin, end, step or [None] * len(begin)))
    self[key] = rhs
    return self


def slice_assign_scalar(self, value, begin, end, step):
    """Write a number into a slice of this array, in place; returns the array."""
    return slice_assign(self, value, begin, end, step)


# ---- autograd

def attach_grad(self, grad_req="write", stype=None):
    """Give the array a gradient buffer, so that `backward` computes its gradient.

    Parameters
    ----------
    grad_req : {'write', 'add', 'null'}, default 'write'
        Whether backward replaces the gradient, adds to it, or leaves it.
    stype : str, optional
        Storage type of the gradient; default: that of the array.

    Examples
    --------
    >>> x = mx.nd.ones((2,))
    >>> x.attach_grad()
    >>> x.grad.asnumpy()
    array([0., 0.], dtype=float32)
    """
    if grad_req not in GRAD_REQS:
        raise KeyError(f"attach_grad: expected 'write', 'add' or 'null', got {grad_req!r}")
    if stype is None or stype == "default" and self.stype == "default":
        stype = self.stype
    if stype == "default":
        buffer = _run("zeros_like", self._same_data()) if self.stype == "default" else zeros_dense(self)
    else:
        from ..sparse import zeros as sparse_zeros
        buffer = sparse_zeros(stype, self.shape, ctx=self.context, dtype=self._dtype_name)
    self._set_leaf(buffer, GRAD_REQS[grad_req])


def zeros_dense(x):
    from .create import zeros
    return zeros(x.shape, dtype=x._dtype_name)


def detach(self):
    """Another handle of the same memory that autograd does not follow.

    Examples
    --------
    >>> mx.nd.ones((2,)).detach().shape
    (2,)
    """
    return self._same_data()


def backward(self, out_grad=None, retain_graph=False, train_mode=True):
    """Gradients of this array for all attached arrays it depends on, into their buffers.

    Parameters
    ----------
    out_grad : NDArray, optional
        Head gradient of the array's shape; ones by default.
    retain_graph : bool, default False
        Keep the graph for another backward.
    train_mode : bool, default True

    Examples
    --------
    >>> x = mx.nd.array([3.0])
    >>> x.attach_grad()
    >>> with mx.autograd.record():
    ...     y = x * x
    >>> y.backward()
    >>> x.grad.asnumpy()
    array([6.], dtype=float32)
    """
    tape.backward([self], [out_grad], retain_graph, train_mode)


# ---- other libraries, pickling

def __array__(self, dtype=None, copy=None):
    a = self.asnumpy()
    return a if dtype is None else a.astype(dtype, copy=False)


def __dlpack__(self, **kwargs):
    return self._numpy_view().__dlpack__(**kwargs)


def __dlpack_device__(self):
    return (1, 0)


def to_dlpack_for_read(self):
    """The array for other libraries' `from_dlpack`."""
    from .convert import _Capsule
    return _Capsule(self)


def __reduce__(self):
    return _unpickle, (self._numpy_view().tobytes(), self._dtype_name, self.shape, self._device)


def _unpickle(data, dtype, shape, device):
    x = empty(shape, dtype)
    if x.size:
        memoryview(x._view((x.size,))).cast("B")[:] = data
    return place(x, Context(Context.devtype2str[device[0]], device[1])) if device[0] != 2 else x


def __copy__(self):
    return copy(self)


def __deepcopy__(self, memo):
    return copy(self)


def as_nd_ndarray(self):
    """The array itself."""
    return self


METHODS = {f.__name__: f for f in (
    _getitem, _setitem, _negative, _absolute, _repr, _asnumpy_elsewhere, _reshape_codes, _cast, asscalar, item, astype, copy,
    copyto, as_in_context, wait_to_read, tostype, transpose, flatten, expand_dims, squeeze, broadcast_to, broadcast_like,
    split_v2, diag, slice_assign, slice_assign_scalar, attach_grad, detach, backward, __array__, __dlpack__, __dlpack_device__,
    to_dlpack_for_read, __reduce__, __copy__, __deepcopy__, as_nd_ndarray)}
METHODS["to_dlpack_for_write"] = to_dlpack_for_read
METHODS.update(__div__=NDArray.__truediv__, __rdiv__=NDArray.__rtruediv__, __idiv__=NDArray.__itruediv__,    # Python 2's names
               __nonzero__=NDArray.__bool__)
PROPERTIES = {"context": property(context), "ctx": property(context), "T": property(transposed), "grad": property(grad)}
