"""mx.nd.add and its kin: arrays and numbers on either side."""
from .._core.array import NDArray
from .._core.call import call2, calls
from ..ops.declare import PYTHON, REGISTRY

_PYTHON = {"add": lambda x, y: x + y, "subtract": lambda x, y: x - y, "multiply": lambda x, y: x * y,
           "divide": lambda x, y: x / y, "modulo": lambda x, y: x % y, "power": lambda x, y: x ** y,
           "maximum": lambda x, y: x if x > y else y, "minimum": lambda x, y: x if x < y else y,
           "equal": lambda x, y: 1 if x == y else 0, "not_equal": lambda x, y: 1 if x != y else 0,
           "greater": lambda x, y: 1 if x > y else 0, "greater_equal": lambda x, y: 1 if x >= y else 0,
           "lesser": lambda x, y: 1 if x < y else 0, "lesser_equal": lambda x, y: 1 if x <= y else 0,
           "logical_and": lambda x, y: 1 if x and y else 0, "logical_or": lambda x, y: 1 if x or y else 0,
           "logical_xor": lambda x, y: 1 if bool(x) != bool(y) else 0}
# name: (of two arrays, of array and number, of number and array)
TABLE = {name: PYTHON[dunder] for name, dunder in (
    ("add", "add"), ("subtract", "sub"), ("multiply", "mul"), ("divide", "truediv"), ("modulo", "mod"), ("power", "pow"),
    ("equal", "eq"), ("not_equal", "ne"), ("greater", "gt"), ("greater_equal", "ge"), ("lesser", "lt"), ("lesser_equal", "le"))}
TABLE.update({name: (f"broadcast_{name}", f"_{name}_scalar", f"_{name}_scalar")
              for name in ("maximum", "minimum", "logical_and", "logical_or", "logical_xor")})


def _make(name, names):
    two, one, one_r = (REGISTRY[n].core for n in names)
    python = _PYTHON[name]

    def f(lhs, rhs):
        if isinstance(lhs, NDArray):
            return call2(two, lhs, rhs) if isinstance(rhs, NDArray) else calls(one, lhs, _number(name, rhs))
        if isinstance(rhs, NDArray):
            return calls(one_r, rhs, _number(name, lhs))
        return python(_number(name, lhs), _number(name, rhs))
    if name == "power":
        same = f

        def f(base, exp):
            return same(base, exp)
    first, second = ("base", "exp") if name == "power" else ("lhs", "rhs")
    f.__name__ = f.__qualname__ = name
    what = REGISTRY[names[0]].doc.split("  ")[0]
    f.__doc__ = f"""{what}

    Parameters
    ----------
    {first}, {second} : NDArray or float
        Arrays broadcast; of two numbers the result is a number.

    Returns
    -------
    NDArray or float

    Examples
    --------
    >>> y = mx.nd.{name}(mx.nd.ones((2,)), 2)
    """
    return f


def _number(name, v):
    if isinstance(v, (int, float)):
        return v
    if hasattr(v, "item") and getattr(v, "ndim", 1) == 0:
        return v.item()
    raise TypeError(f"{name}: expected an NDArray or a number, got {type(v).__name__}")


FUNCTIONS = {name: _make(name, names) for name, names in TABLE.items()}
FUNCTIONS["true_divide"] = FUNCTIONS["divide"]
