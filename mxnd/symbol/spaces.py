"""Functions of the namespaces of `mx.sym`, made when they are first used."""
import sys

from ..namespaces import full_name, home
from ..ops.declare import REGISTRY


def table(makers):
    """{name or alias: function} from {operator's name: maker of its functions}."""
    functions = {}
    for name, op in REGISTRY.items():
        if op.name in makers:
            space, short = home(name)
            f = functions[name] = makers[op.name](short)
            f.__name__ = f.__qualname__ = short
            f.__module__ = "mxnd.symbol" if space in (None, "op") else f"mxnd.symbol.{space}"
    return functions


def function(space, name):
    """The function `mx.sym.<space>.<name>`; raises AttributeError when there is no such operator."""
    whole = full_name(space, name)
    if whole not in REGISTRY or home(whole) != (space, name):
        raise AttributeError(f"module 'mxnd.symbol{'' if space == 'op' else '.' + space}' has no attribute {name!r}")
    from .functions import FUNCTIONS
    return FUNCTIONS[whole]


def names(space):
    """Names of all functions of a namespace."""
    return [short for where, short in map(home, REGISTRY) if where == space]


def fill(module, space):
    """Give a module its `__getattr__` and `__dir__`."""
    held = sys.modules[module].__dict__

    def __getattr__(name):
        held[name] = f = function(space, name)
        return f

    def __dir__():
        return sorted({*held, *names(space)})
    held["__getattr__"], held["__dir__"] = __getattr__, __dir__
