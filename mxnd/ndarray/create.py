"""zeros, ones, full, arange, eye, linspace ... with MXNet's signatures."""
from .._core import array as _array
from .._core.call import invoke
from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError
from .convert import NDArray, check_context, check_dtype, place


def _made(name, ctx, out=None, **params):
    """Run a creation operator and put the result on its context."""
    op = REGISTRY[name]
    ctx = check_context(ctx)
    y = invoke(op.core, (), op.pack({"ctx": str(ctx), **params}), out)
    return y if out is not None else place(y, ctx)


def _shape(shape):
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _dtype(dtype):
    """The dtype for an operator, which refuses those that mxnd lacks; TypeError for what is no dtype at all."""
    if dtype is None:
        return "float32"
    if isinstance(dtype, str):
        try:
            return check_dtype(dtype)
        except KeyError:
            return dtype
    return check_dtype(dtype)


def empty(shape, ctx=None, dtype=None, stype=None):
    """An array whose elements are not set.

    Parameters
    ----------
    shape : int or tuple of int
    ctx : Context, optional
    dtype : str or numpy.dtype, default float32
    stype : str, optional
        'csr' or 'row_sparse' for an empty sparse array.

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.empty((2, 3)).shape
    (2, 3)
    """
    if stype is not None and stype != "default":
        return zeros(shape, ctx, dtype, stype)
    return place(_array.empty(_shape(shape), check_dtype(dtype) if dtype is not None else "float32"), ctx)


def zeros(shape, ctx=None, dtype=None, stype=None, out=None, **kwargs):
    """An array of zeros.

    Parameters
    ----------
    shape : int or tuple of int
    ctx : Context, optional
    dtype : str or numpy.dtype, default float32
    stype : str, optional
        'csr' or 'row_sparse' for a sparse array without stored elements.
    out : NDArray, optional
        Filled and returned.

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.zeros((2,)).asnumpy()
    array([0., 0.], dtype=float32)
    """
    if stype is not None and stype != "default":
        from ..sparse import zeros as sparse_zeros
        return sparse_zeros(stype, shape, ctx=ctx, dtype=dtype)
    return _made("_zeros", ctx, out, shape=_shape(shape), dtype=_dtype(dtype), **kwargs)


def ones(shape, ctx=None, dtype=None, out=None, **kwargs):
    """An array of ones.

    Parameters
    ----------
    shape : int or tuple of int
    ctx : Context, optional
    dtype : str or numpy.dtype, default float32
    out : NDArray, optional
        Filled and returned.

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.ones(2).asnumpy()
    array([1., 1.], dtype=float32)
    """
    return _made("_ones", ctx, out, shape=_shape(shape), dtype=_dtype(dtype), **kwargs)


def full(shape, val, ctx=None, dtype="float32", out=None):
    """An array filled with one value.

    Parameters
    ----------
    shape : int or tuple of int
    val : float or NDArray
        An array broadcasts to the shape.
    ctx : Context, optional
    dtype : str or numpy.dtype, default float32
    out : NDArray, optional
        Filled and returned.

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.full((2,), 7).asnumpy()
    array([7., 7.], dtype=float32)
    """
    if isinstance(val, NDArray):
        y = empty(shape, ctx, dtype) if out is None else out
        y[:] = val
        return y
    return _made("_full", ctx, out, shape=_shape(shape), value=val, dtype=_dtype(dtype))


def arange(start, stop=None, step=1.0, repeat=1, infer_range=None, ctx=None, dtype="float32"):
    """Evenly spaced numbers from start up to, not including, stop.

    Parameters
    ----------
    start : float
        The end, from 0 on, when stop is None.
    stop : float, optional
    step : float, default 1
    repeat : int, default 1
        How often each number stands.
    ctx : Context, optional
    dtype : str or numpy.dtype, default float32

    Returns
    -------
    NDArray
        One axis.

    Raises
    ------
    MXNetError
        The range holds no number.

    Examples
    --------
    >>> mx.nd.arange(2, repeat=2).asnumpy()
    array([0., 0., 1., 1.], dtype=float32)
    """
    return _made("_arange", ctx, start=start, stop=stop, step=step, repeat=repeat, dtype=_dtype(dtype))


def linspace(start, stop, num, endpoint=True, ctx=None, dtype="float32"):
    """num evenly spaced numbers from start to stop.

    Parameters
    ----------
    start, stop : float
    num : int
    endpoint : bool, default True
        Whether stop is the last number.
    ctx : Context, optional
    dtype : str or numpy.dtype, default float32

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.linspace(0, 1, 3).asnumpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    return _made("_linspace", ctx, start=start, stop=stop, num=num, endpoint=endpoint, dtype=_dtype(dtype))


def eye(N, M=0, k=0, ctx=None, dtype=None, **kwargs):
    """A matrix with ones on a diagonal.

    Parameters
    ----------
    N : int
        Rows.
    M : int, default 0
        Columns; 0 for as many as rows.
    k : int, default 0
        The diagonal: above the main one if positive.
    ctx : Context, optional
    dtype : str or numpy.dtype, default float32

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.eye(2).asnumpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    return _made("_eye", ctx, N=N, M=M, k=k, dtype=_dtype(dtype), **kwargs)


def concatenate(arrays, axis=0, always_copy=True):
    """Arrays joined along an axis.

    Parameters
    ----------
    arrays : list of NDArray
    axis : int, default 0
    always_copy : bool, default True
        Whether a single array is copied.

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.concatenate([mx.nd.ones((1, 2)), mx.nd.zeros((1, 2))]).shape
    (2, 2)
    """
    if not isinstance(arrays, (list, tuple)) or not arrays:
        raise MXNetError("concatenate: expected a list with at least one NDArray")
    if len(arrays) == 1 and not always_copy:
        return arrays[0]
    op = REGISTRY["Concat"]
    return invoke(op.core, tuple(arrays), op.pack({"num_args": len(arrays), "dim": axis}))


def moveaxis(tensor, source, destination):
    """The array with axes moved to other places, the rest in order.

    Parameters
    ----------
    tensor : NDArray
    source, destination : int or tuple of int

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.moveaxis(mx.nd.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    source = [source] if isinstance(source, int) else list(source)
    destination = [destination] if isinstance(destination, int) else list(destination)
    n = tensor.ndim
    for name, given in (("source", source), ("destination", destination)):
        if any(not -n <= a < n for a in given) or len({a % n for a in given}) != len(given):
            raise ValueError(f"moveaxis: {name} is wrong; expected distinct axes of {n} dimensions, got {given}")
    if len(source) != len(destination):
        raise ValueError(f"moveaxis: expected as many destinations as sources, got {len(destination)} and {len(source)}")
    source, destination = [a % n for a in source], [a % n for a in destination]
    order = [a for a in range(n) if a not in source]
    for d, s in sorted(zip(destination, source)):
        order.insert(d, s)
    return tensor.transpose(order)


def onehot_encode(indices, out):
    """Rows of zeros with a one at each index, written to out.

    Parameters
    ----------
    indices : NDArray
        One axis.
    out : NDArray
        Shape (len(indices), number of classes).

    Returns
    -------
    NDArray
        out.

    Examples
    --------
    >>> mx.nd.onehot_encode(mx.nd.array([1, 0]), mx.nd.zeros((2, 2))).asnumpy()
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    op = REGISTRY["one_hot"]
    return invoke(op.core, (indices,), op.pack({"depth": out.shape[1], "dtype": out.dtype}), out)


__all__ = ["arange", "concatenate", "empty", "eye", "full", "linspace", "moveaxis", "ones", "onehot_encode", "zeros"]
