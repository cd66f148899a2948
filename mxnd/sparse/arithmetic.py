"""add, subtract, multiply and divide of arrays of any storage type and numbers."""
from .._core.array import NDArray
from .._core.call import call2
from ..ndarray import arithmetic as dense
from .base import BROADCAST, SAME


def _make(name, kind, what):
    elementwise, broadcast, other = SAME[kind], BROADCAST[kind], dense.FUNCTIONS[name]

    def f(lhs, rhs):
        if isinstance(lhs, NDArray) and isinstance(rhs, NDArray):
            return call2(elementwise if lhs.shape == rhs.shape else broadcast, lhs, rhs)
        return other(lhs, rhs)
    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"""{what} of arrays of any storage type, or numbers.

    Where the shapes are equal, the result has the storage type of `elemwise_{kind}`, else that of `broadcast_{kind}`.

    Parameters
    ----------
    lhs, rhs : NDArray or float

    Returns
    -------
    NDArray

    Examples
    --------
    >>> x = mx.nd.ones((2, 2)).tostype('csr')
    >>> y = mx.nd.sparse.{name}(x, x)
    """
    return f


add = _make("add", "add", "Sum")
subtract = _make("subtract", "sub", "Difference")
multiply = _make("multiply", "mul", "Product")
divide = _make("divide", "div", "Quotient")
