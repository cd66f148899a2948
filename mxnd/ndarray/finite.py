"""Which elements are numbers: mx.nd.contrib.isnan, isinf and isfinite."""
import math

from ..ops.declare import F


def _whole(data):
    return data.dtype.__name__.startswith(("int", "uint", "bool"))


def isnan(data):
    """1 where an element is nan, 0 elsewhere, in the dtype of the array.

    Parameters
    ----------
    data : NDArray

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.contrib.isnan(mx.nd.array([1, float("nan")])).asnumpy()
    array([0., 1.], dtype=float32)
    """
    return data != data


def isinf(data):
    """1 where an element is infinite, 0 elsewhere, in the dtype of the array.

    Parameters
    ----------
    data : NDArray

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.contrib.isinf(mx.nd.array([1, -float("inf")])).asnumpy()
    array([0., 1.], dtype=float32)
    """
    return F.zeros_like(data) if _whole(data) else data.abs() == math.inf


def isfinite(data):
    """1 where an element is neither infinite nor nan, 0 elsewhere, in the dtype of the array.

    Parameters
    ----------
    data : NDArray

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.contrib.isfinite(mx.nd.array([1, float("nan"), float("inf")])).asnumpy()
    array([1., 0., 0.], dtype=float32)
    """
    return F.ones_like(data) if _whole(data) else data.abs() < math.inf


FUNCTIONS = {f.__name__: f for f in (isnan, isinf, isfinite)}
