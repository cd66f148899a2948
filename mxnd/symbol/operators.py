"""Python's operators on symbols.  Unlike those of arrays they do not broadcast, as in MXNet."""
import numbers

from .symbol import Symbol, apply

#         operator: (operator of two symbols, its hint), (with a number, hint), (with a number on the left, hint)
TABLE = {"add": (("elemwise_add", "_plus"), ("_plus_scalar", "_plusscalar"), ("_plus_scalar", "_plusscalar")),
         "sub": (("elemwise_sub", "_minus"), ("_minus_scalar", "_minusscalar"), ("_rminus_scalar", "_rminusscalar")),
         "mul": (("elemwise_mul", "_mul"), ("_mul_scalar", "_mulscalar"), ("_mul_scalar", "_mulscalar")),
         "truediv": (("elemwise_div", "_div"), ("_div_scalar", "_divscalar"), ("_rdiv_scalar", "_rdivscalar")),
         "mod": (("_mod", "_mod"), ("_mod_scalar", "_modscalar"), ("_rmod_scalar", "_rmodscalar")),
         "pow": (("_power", "_power"), ("_power_scalar", "_powerscalar"), ("_rpower_scalar", "_rpower_scalar"))}
for _name in ("equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal"):
    TABLE[_name] = (("_" + _name,) * 2, (f"_{_name}_scalar",) * 2, None)
COMPARISONS = {"eq": "equal", "ne": "not_equal", "gt": "greater", "ge": "greater_equal", "lt": "lesser", "le": "lesser_equal"}


def _is_number(value):
    return isinstance(value, numbers.Number) and not isinstance(value, complex)


def _operator(dunder, row, left=False):
    two, one, reflected = TABLE[row]
    if left:
        one = reflected

    def method(self, other):
        if isinstance(other, Symbol):
            return apply(*two, other, self) if left else apply(*two, self, other)
        if _is_number(other):
            return apply(*one, self, scalar=other)
        raise TypeError(f"{dunder}: a Symbol and {type(other)} do not mix; expected a Symbol or a number")
    method.__name__ = f"__{dunder}__"
    method.__doc__ = f"`{two[0]}` of two symbols (their shapes must be equal), `{one[0]}` with a number."
    setattr(Symbol, method.__name__, method)


for _dunder in ("add", "sub", "mul", "truediv", "mod", "pow"):
    _operator(_dunder, _dunder)
    _operator("r" + _dunder, _dunder, left=True)
for _dunder, _row in COMPARISONS.items():
    _operator(_dunder, _row)
Symbol.__hash__ = None
Symbol.__div__, Symbol.__rdiv__, Symbol.__idiv__ = Symbol.__truediv__, Symbol.__rtruediv__, Symbol.__itruediv__
Symbol.__neg__ = lambda self: self * -1.0
Symbol.__abs__ = lambda self: apply("abs", "abs", self)


def _choose(what, left, right, two, one, reflected, plain):
    if isinstance(left, Symbol):
        if isinstance(right, Symbol):
            return apply(*two, left, right)
        if _is_number(right):
            return apply(*one, left, scalar=right)
    elif isinstance(right, Symbol) and _is_number(left):
        return apply(*reflected, right, scalar=left)
    elif _is_number(left) and _is_number(right):
        return plain(left, right)
    raise TypeError(f"{what}: expected symbols or numbers, got {type(left).__name__} and {type(right).__name__}")


def maximum(left, right):
    """The larger of two symbols, or of a symbol and a number, element by element.

    Parameters
    ----------
    left, right : Symbol or number
        Symbols have equal shapes; see `broadcast_maximum` for others.

    Returns
    -------
    Symbol, or a number when both are numbers
    """
    one = ("_maximum_scalar", "_maximumscalar")
    return _choose("maximum", left, right, ("_maximum", "_maximum"), one, one, max)


def minimum(left, right):
    """The smaller of two symbols, or of a symbol and a number, element by element.

    Parameters
    ----------
    left, right : Symbol or number
        Symbols have equal shapes; see `broadcast_minimum` for others.

    Returns
    -------
    Symbol, or a number when both are numbers
    """
    one = ("_minimum_scalar", "_minimumscalar")
    return _choose("minimum", left, right, ("_minimum", "_minimum"), one, one, min)


def hypot(left, right):
    """sqrt(left**2 + right**2) of symbols and numbers, element by element.

    Parameters
    ----------
    left, right : Symbol or number
        Symbols have equal shapes; see `broadcast_hypot` for others.

    Returns
    -------
    Symbol, or a number when both are numbers
    """
    one = ("_hypot_scalar", "_hypotscalar")
    return _choose("hypot", left, right, ("_hypot", "_hypot"), one, one, lambda a, b: abs(complex(a, b)))


def power(base, exp):
    """base to the power exp, of symbols and numbers, element by element.

    Parameters
    ----------
    base, exp : Symbol or number
        Symbols have equal shapes; see `broadcast_power` for others.

    Returns
    -------
    Symbol, or a number when both are numbers
    """
    return _choose("power", base, exp, ("_power", "_power"), ("_power_scalar", "_powerscalar"),
                   ("_rpower_scalar", "_rpowerscalar"), lambda a, b: a ** b)


pow = power
