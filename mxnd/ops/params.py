"""Typed operator parameters: checked Python values, and their text in symbol files."""
import operator
from math import inf

from .errors import MXNetError

REQUIRED = type("Required", (), {"__repr__": lambda self: "<required>", "__bool__": lambda self: False})()
DTYPES = ("float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool", "bfloat16")   # by internal code
FILE_CODES = {"float32": 0, "float64": 1, "float16": 2, "uint8": 3, "int32": 4, "int8": 5, "int64": 6, "bool": 7,
              "bfloat16": 12}
SPELLED = {text: name for name, spellings in {          # NumPy's other words
    "float32": "f4 f single", "float64": "f8 d double float", "float16": "f2 e half", "uint8": "u1 B ubyte",
    "int32": "i4 i intc", "int8": "i1 b byte", "int64": "i8 l q int longlong", "bool": "b1 ? bool_"}.items() for text in spellings.split()}
COUNTS = ("num_args", "num_arrays", "num_outputs", "num_tensors", "num_weights", "sections")   # of inputs and outputs
MOST = 65536
_BOOLS = {"true": True, "1": True, "false": False, "0": False}


class Param:
    """One parameter: how a value is checked, and its default.

    kind is one of int, float, bool, str, "shape" (tuple of ints), "floats" (tuple of floats), "dtype".
    A None value is accepted where the default is None or nullable is true."""

    def __init__(self, kind, default=REQUIRED, *, choices=None, at_least=None, at_most=None, nullable=False,
                 none_inside=False, length=None, doc=""):
        if kind is str and choices and all(c in FILE_CODES for c in choices):
            kind = "dtype"
        self.kind, self.default, self.choices = kind, default, choices
        self.at_least, self.at_most = at_least, at_most
        self.nullable = nullable or default is None
        self.none_inside, self.length, self.doc = none_inside, length, doc

    @property
    def required(self):
        return self.default is REQUIRED

    def parse(self, value):
        """The checked value, from a Python value or from text.  Raises ValueError with what was expected."""
        if isinstance(value, str):
            value = self._from_text(value)
        if value is None:
            if self.nullable:
                return None
            if self.default == () and self.kind == "shape":    # as in stride=None: not given
                return ()
            raise ValueError(f"expected {self.expected()}, got None")
        try:
            value = _PARSERS[self.kind](self, value)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"expected {self.expected()}, got {_short(value)}") from None
        if self.choices is not None and value not in self.choices:
            raise ValueError(f"expected {self.expected()}, got {_short(value)}")
        for v in value if isinstance(value, tuple) else (value,):
            if v is not None and (self.at_least is not None and v < self.at_least
                                  or self.at_most is not None and v > self.at_most):
                raise ValueError(f"expected {self.expected()}, got {_short(value)}")
        if self.length is not None and len(value) not in self.length:
            raise ValueError(f"expected {self.expected()}, got {_short(value)}")
        return value

    def _from_text(self, text):
        if self.kind is str or self.kind == "dtype":
            return None if text == "None" and self.nullable else text
        text = text.strip()
        if text == "None":
            return None
        try:
            if self.kind is bool:
                return _BOOLS[text.lower()]
            if self.kind is int:
                return _int_from_text(text)
            if self.kind is float:
                return _float_from_text(text)
            return _tuple_from_text(text, _int_from_text if self.kind == "shape" else _float_from_text)
        except (KeyError, ValueError):
            raise ValueError(f"expected {self.expected()}, got {_short(text)}") from None

    def expected(self):
        """What a user may give, in words."""
        if self.choices is not None:
            words = "one of " + ", ".join(map(repr, self.choices))
        else:
            words = {int: "a whole number", float: "a number", bool: "True or False", str: "text",
                     "shape": "a tuple of whole numbers", "floats": "a tuple of numbers", "dtype": "a dtype"}[self.kind]
        if self.at_least is not None:
            words += f" >= {self.at_least}"
        if self.at_most is not None:
            words += f" <= {self.at_most}"
        if self.length is not None:
            words += " of length " + " or ".join(map(str, self.length))
        return words + (" or None" if self.nullable else "")


def _short(value):
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _tuple_from_text(text, item):
    """Numbers between brackets, or a single one."""
    if text[:1] + text[-1:] in ("()", "[]"):
        numbers = [t.strip() for t in text[1:-1].split(",")]
        if not numbers[-1]:                                                       # (), or a comma at the end
            del numbers[-1]
    else:
        numbers = [text]
    return tuple([None if t == "None" else item(t.rstrip("L")) for t in numbers])     # Python 2 wrote 3L


def _int_from_text(text):
    value = int(text)
    if value.bit_length() > 63:
        raise ValueError
    return value


def _float_from_text(text):
    value = float(text)
    if value in (inf, -inf) and "n" not in text.lower():                          # 1e999
        raise ValueError
    return value


def _whole(self, value):
    if isinstance(value, float) or type(value).__name__.startswith(("float", "bfloat")):
        raise TypeError
    return operator.index(value)


def _real(self, value):
    if isinstance(value, (complex, bytes)):
        raise TypeError
    if getattr(value, "shape", ()) not in ((), None):
        raise TypeError
    return float(value)


def _bool(self, value):
    if isinstance(value, (bool, int)) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise TypeError


def _str(self, value):
    if not isinstance(value, str):
        raise TypeError
    return value


def _shape(self, value):
    if hasattr(value, "__index__") and getattr(value, "ndim", 0) == 0:
        return (operator.index(value),)
    return tuple(None if v is None and self.none_inside else _whole(self, v) for v in value)


def _floats(self, value):
    if isinstance(value, (int, float)) or getattr(value, "ndim", 1) == 0:
        return (float(value),)
    return tuple(_real(self, v) for v in value)


def dtype_name(value):
    """The name of a dtype given as a name, a NumPy dtype or scalar class, or a file's code."""
    if isinstance(value, str):
        name = value if value in FILE_CODES else SPELLED.get(value.lstrip("<>=|"))
    elif isinstance(value, int) and not isinstance(value, bool):
        name = {v: k for k, v in FILE_CODES.items()}.get(value)
    elif value is float:
        name = "float64"
    elif value is int:
        name = "int64"
    elif isinstance(value, type):
        name = "bool" if value.__name__ == "bool_" else value.__name__
    else:
        name = getattr(value, "name", None)
    if name not in FILE_CODES:
        raise TypeError(f"expected one of {', '.join(DTYPES)}, got {value!r}")
    return name


def text_of(value, kind=None):
    """The text that symbol files hold for a parameter's value: what `str` prints, NumPy numbers as plain ones."""
    if kind == "dtype" and value is not None:
        try:
            return dtype_name(value)
        except TypeError:
            return str(value)
    if isinstance(value, str):
        return value
    if isinstance(value, (tuple, list)):
        inner = ", ".join(map(text_of, value))
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if getattr(value, "ndim", 0) and hasattr(value, "tolist"):
        return text_of(value.tolist())
    return str(value)


def _dtype(self, value):
    return dtype_name(value)


_PARSERS = {int: _whole, float: _real, bool: _bool, str: _str, "shape": _shape, "floats": _floats, "dtype": _dtype}


def flag(default=False, **kw):
    return Param(bool, default, **kw)


def integer(default=REQUIRED, **kw):
    return Param(int, default, **kw)


def number(default=REQUIRED, **kw):
    return Param(float, default, **kw)


def text(default=REQUIRED, **kw):
    return Param(str, default, **kw)


def shape(default=REQUIRED, **kw):
    """A tuple of whole numbers; one number stands for a tuple of one."""
    return Param("shape", default, **kw)


def axes(default=None, **kw):
    """One axis, several, or None for all."""
    return Param("shape", default, nullable=True, **kw)


def floats(default=REQUIRED, **kw):
    return Param("floats", default, **kw)


def choice(default, *names, **kw):
    """One of the names; default may be REQUIRED or None."""
    return Param(str, default, choices=tuple(names), **kw)


def dtype(default="float32", *names, **kw):
    """A dtype by name; default may be None (as the inputs)."""
    return Param("dtype", default, choices=names or DTYPES, **kw)


def parse_all(op, given):
    """The values of all parameters of op, in order, from a dict of those given; empties the dict."""
    values = []
    for key, param in op.params.items():
        value = given.pop(key, REQUIRED)
        if value is REQUIRED:
            value = param.default
            if value is REQUIRED:
                raise MXNetError(f"{op.name}: parameter {key!r} is missing; expected {param.expected()}")
        else:
            try:
                value = param.parse(value)
                if key in COUNTS and value is not None and value > MOST:
                    raise ValueError(f"expected at most {MOST}, got {value}")
            except ValueError as e:
                raise MXNetError(f"{op.name}: parameter {key!r}: {e}") from None
        values.append(value)
    if given:
        raise MXNetError(f"{op.name}: unknown parameter {next(iter(given))!r}; "
                         f"expected one of {', '.join(op.params) or 'none: it has no parameters'}")
    return op.Params(*values)
