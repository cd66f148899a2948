"""Registering custom operators, and asking about all operators."""
from collections import namedtuple
from functools import partial

from ..ops.custom import MAKERS
from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError
from .calls import Call
from .custom import CustomOpProp

OperatorArguments = namedtuple("OperatorArguments", ["narg", "names", "types"])


def register(reg_name):
    """A decorator that makes a `CustomOpProp` class known to `mx.nd.Custom` and `mx.sym.Custom`.

    Parameters
    ----------
    reg_name : str
        What op_type has to be.  A name used before is given to the new class.

    Returns
    -------
    callable
        Registers a class, and returns it.

    Examples
    --------
    >>> @mx.operator.register("copy_of_mine")
    ... class CopyProp(mx.operator.CustomOpProp):
    ...     def create_operator(self, ctx, in_shapes, in_dtypes):
    ...         return Copy()
    """
    if not isinstance(reg_name, str):
        raise TypeError(f"register: reg_name: expected text, got {type(reg_name).__name__}")

    def do_register(prop_cls):
        if not (isinstance(prop_cls, type) and issubclass(prop_cls, CustomOpProp)):
            raise AssertionError(f"register: expected a subclass of CustomOpProp, got {prop_cls!r}")
        MAKERS[reg_name] = partial(Call, reg_name, prop_cls)
        return prop_cls
    return do_register


def get_all_registered_operators():
    """Names of all operators, aliases too.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "Convolution" in mx.operator.get_all_registered_operators()
    True
    """
    return sorted(REGISTRY)


def get_operator_arguments(op_name):
    """What an operator takes: inputs, then parameters.

    Parameters
    ----------
    op_name : str

    Returns
    -------
    OperatorArguments
        narg, names, and types in words.

    Examples
    --------
    >>> mx.operator.get_operator_arguments("Flatten")
    OperatorArguments(narg=1, names=['data'], types=['NDArray-or-Symbol'])
    """
    op = REGISTRY.get(op_name)
    if op is None:
        raise MXNetError(f"get_operator_arguments: unknown operator {op_name!r}")
    names = [*op.inputs, *op.params]
    types = ["NDArray-or-Symbol[]" if op.variadic else "NDArray-or-Symbol"] * len(op.inputs)
    return OperatorArguments(len(names), names, types + [_words(p) for p in op.params.values()])


def _words(p):
    """The type of a parameter in MXNet's words."""
    if p.choices is not None:
        what = "{" + ", ".join((["None"] if p.nullable else []) + [repr(c) for c in sorted(p.choices)]) + "}"
    else:
        what = {int: "int", float: "float", bool: "boolean", str: "string", "shape": "Shape(tuple)",
                "floats": "tuple of <float>", "dtype": "string"}[p.kind]
        if p.kind is int and p.at_least is not None and p.at_least >= 0:
            what = "int (non-negative)"
        if p.nullable:
            what += " or None"
    if p.required:
        return what + ", required"
    default = p.default
    if isinstance(default, bool):
        default = int(default)
    elif isinstance(default, tuple):
        default = "[" + ",".join(map(str, default)) + "]"
    elif default is None or isinstance(default, str):
        default = repr("None" if default is None else default)
    return f"{what}, optional, default={default}"
