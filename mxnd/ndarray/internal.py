"""Operators of mx.nd._internal that only write to `out`."""
from .._core.array import NDArray
from ..ops.errors import MXNetError
from . import functions as _functions


def _set_value(src, out=None, **kwargs):
    """Set all elements of out to a number.

    Parameters
    ----------
    src : float
    out : NDArray

    Returns
    -------
    NDArray
        out.
    """
    if kwargs:
        raise MXNetError(f"_set_value: unknown argument {next(iter(kwargs))!r}; expected src and out")
    if not isinstance(out, NDArray):
        raise MXNetError(f"_set_value: out is missing; expected an NDArray to write to, got {type(out).__name__}")
    out[:] = src
    return out


def _copyto(data, out=None, **kwargs):
    """A copy of an array, or its elements written to out, in the dtype of out.

    Parameters
    ----------
    data : NDArray
    out : NDArray, optional

    Returns
    -------
    NDArray
    """
    if out is None or kwargs:
        return _functions.FUNCTIONS["_copyto"](data, out=out, **kwargs)
    return data.copyto(out)


FUNCTIONS = {"_set_value": _set_value, "_copyto": _copyto}
