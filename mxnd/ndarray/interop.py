"""NumPy's ufuncs on NDArrays: arithmetic stays with mxnd, the rest goes to NumPy."""
import numpy as np

from .._core.array import NDArray, from_numpy_copy
from .._core.call import recording
from ..ops.errors import MXNetError
from .arithmetic import FUNCTIONS

UFUNCS = {"add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide", "true_divide": "divide",
          "remainder": "modulo", "power": "power", "maximum": "maximum", "minimum": "minimum", "equal": "equal",
          "not_equal": "not_equal", "greater": "greater", "greater_equal": "greater_equal", "less": "lesser",
          "less_equal": "lesser_equal"}
UNARY = ("exp expm1 log log2 log10 log1p sqrt cbrt square reciprocal sign negative sin cos tan arcsin arccos arctan sinh cosh "
         "tanh arcsinh arccosh arctanh degrees radians floor ceil trunc rint").split()


def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
    from . import functions
    name = ufunc.__name__
    if method == "__call__" and not kwargs and out is None:
        like = next(x for x in inputs if isinstance(x, NDArray))
        if name in UFUNCS:
            args = [x if isinstance(x, (NDArray, int, float, np.generic)) else from_numpy_copy(x, like._dtype_name) for x in inputs]
            return FUNCTIONS[UFUNCS[name]](*args)
        if name in ("absolute", *UNARY):
            return functions.FUNCTIONS["abs" if name == "absolute" else name](like)
    values = [x.asnumpy() if isinstance(x, NDArray) else x for x in inputs]
    if out is not None:
        if any(isinstance(o, NDArray) for o in out):
            if recording():
                raise MXNetError(f"{name}: writing into an array is not supported while autograd records")
            targets = [o._numpy_view() if isinstance(o, NDArray) else o for o in out]
            getattr(ufunc, method)(*values, out=tuple(targets), **kwargs)
            return out[0] if len(out) == 1 else out
        kwargs["out"] = out
    return getattr(ufunc, method)(*values, **kwargs)


METHODS = {"__array_ufunc__": __array_ufunc__, "__array_priority__": 1000.0}
