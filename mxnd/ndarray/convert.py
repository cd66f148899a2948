"""Arrays from Python and NumPy values, and back."""
import numpy as np

from .._core.array import NDArray, empty, from_list, from_numpy_copy, from_numpy_shared
from ..context import Context, current_context, require_gpu
from ..dtypes import bfloat16
from ..ops.errors import MXNetError
from ..ops.params import dtype_name


def check_context(ctx):
    """The context to use; raises for anything else and for GPUs that cannot be used."""
    if ctx is None:
        ctx = current_context()
    if not isinstance(ctx, Context):
        raise MXNetError(f"context: expected a Context such as mx.cpu(), got {ctx!r}")
    if ctx.device_typeid == 2:
        require_gpu(ctx.device_id)
    return ctx


def place(x, ctx):
    """The array on a context: a copy for a GPU, else the array itself, marked."""
    ctx = check_context(ctx)
    if ctx.device_typeid == 2:
        from .gpu import to_gpu
        return to_gpu(x, ctx)
    if x._device[0] == 2:
        from .gpu import to_cpu
        x = to_cpu(x)
    x._set_device(ctx.device_typeid, ctx.device_id)
    return x


def check_dtype(dtype):
    """The name of a dtype; KeyError or TypeError as MXNet raises them."""
    try:
        return dtype_name(dtype)
    except TypeError as e:
        name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", None) or getattr(dtype, "name", None)
        if name in ("int16", "uint16", "uint32", "uint64", "complex64", "complex128"):
            raise KeyError(f"array: dtype {name} is not supported; {e}") from None
        raise


def array(source_array, ctx=None, dtype=None):
    """An array with a copy of the source.

    Parameters
    ----------
    source_array : array_like
        Numbers, nested lists, a NumPy array, an NDArray, or a list of NDArrays.
    ctx : Context, optional
        Device of the result; the current context by default.
    dtype : str or numpy.dtype, optional
        Default: that of an NDArray source, float32 for anything else.

    Returns
    -------
    NDArray

    Raises
    ------
    TypeError
        The source is not an array of numbers.

    Examples
    --------
    >>> mx.nd.array([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    if dtype is None and type(source_array) is list:
        x = from_list(source_array)
        if x is not None:
            return x if ctx is None and str(current_context()) == "cpu(0)" else place(x, ctx)
    if isinstance(source_array, NDArray):
        if source_array.stype != "default":
            from ..sparse import array as sparse_array
            return sparse_array(source_array, ctx=ctx, dtype=dtype)
        name = source_array._dtype_name if dtype is None else check_dtype(dtype)
        return place(source_array._cast(name) if name != source_array._dtype_name else source_array.copy()._same_data(), ctx)
    name = "float32" if dtype is None else check_dtype(dtype)
    return place(from_numpy_copy(numbers(source_array), name), ctx)


def numbers(source):
    """The source as a NumPy array of numbers."""
    if isinstance(source, (list, tuple)) and any(isinstance(i, NDArray) for i in source):
        source = [i.asnumpy() if isinstance(i, NDArray) else i for i in source]
    if hasattr(source, "toarray") and hasattr(source, "nnz"):
        source = source.toarray()
    try:
        a = np.asarray(source)
    except ValueError:
        a = None
    if a is not None and a.dtype.kind == "c":
        a = a.real
    if a is None or a.dtype.kind not in "biuf":
        raise TypeError(f"array: the source must be array like: numbers or nested lists of one shape, got {type(source).__name__}")
    return a


def from_numpy(ndarray, zero_copy=True, array_cls=NDArray):
    """An array of a NumPy array's dtype; by default over its own memory.

    Parameters
    ----------
    ndarray : numpy.ndarray
        With zero_copy it must lie in C order, and is made read-only, since writes to the NDArray change it.
    zero_copy : bool, default True
        Share the memory instead of copying it.
    array_cls : type
        NDArray; there is no other class of dense arrays.

    Returns
    -------
    NDArray

    Raises
    ------
    ValueError
        zero_copy, and the array is not contiguous in C order.

    Examples
    --------
    >>> mx.nd.from_numpy(np.arange(3.0)).dtype
    <class 'numpy.float64'>
    """
    if array_cls is not NDArray:
        raise TypeError(f"from_numpy: array_cls: expected NDArray, got {array_cls!r}")
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"from_numpy: expected a numpy.ndarray, got {type(ndarray).__name__}")
    if not zero_copy:
        return from_numpy_copy(ndarray, check_dtype(ndarray.dtype))
    check_dtype(ndarray.dtype)
    if not ndarray.flags.c_contiguous or not ndarray.flags.aligned or not ndarray.dtype.isnative:
        raise ValueError("from_numpy: only an aligned array in C order can be shared; expected zero_copy=False for this one")
    if not ndarray.flags.writeable:
        raise ValueError("from_numpy: a read-only array cannot be shared, since the NDArray could be written; expected zero_copy=False")
    x = from_numpy_shared(ndarray)
    ndarray.flags.writeable = False
    return x


def from_dlpack(dlpack):
    """An array over the memory of another library's array.

    Parameters
    ----------
    dlpack : object
        One with `__dlpack__` (NumPy, PyTorch, JAX, ... arrays), or what `to_dlpack_for_read` gave.

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.from_dlpack(np.ones(3, dtype="float32")).shape
    (3,)
    """
    if isinstance(dlpack, NDArray):
        return dlpack._same_data()
    if isinstance(dlpack, _Capsule):
        return dlpack.array._same_data()
    if not hasattr(dlpack, "__dlpack__"):
        raise TypeError(f"from_dlpack: expected an object with __dlpack__, got {type(dlpack).__name__}")
    a = np.from_dlpack(dlpack)
    if not a.flags.c_contiguous or isinstance(dlpack, np.ndarray) and not dlpack.flags.writeable:
        return from_numpy_copy(a, check_dtype(a.dtype))
    return from_numpy_shared(a)


class _Capsule:
    """Holds an array for `from_dlpack`; other libraries read it through `__dlpack__`."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def to_dlpack_for_read(data):
    """The array for other libraries' `from_dlpack`.

    Examples
    --------
    >>> mx.nd.from_dlpack(mx.nd.to_dlpack_for_read(mx.nd.ones((2,)))).shape
    (2,)
    """
    return data.to_dlpack_for_read()


def to_dlpack_for_write(data):
    """The array for other libraries' `from_dlpack`; what they write shows in it.

    Examples
    --------
    >>> mx.nd.from_dlpack(mx.nd.to_dlpack_for_write(mx.nd.ones((2,)))).shape
    (2,)
    """
    return data.to_dlpack_for_write()


__all__ = ["array", "bfloat16", "empty", "from_dlpack", "from_numpy", "to_dlpack_for_read", "to_dlpack_for_write"]
