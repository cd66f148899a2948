"""Functions of the namespaces of `mx.sym`, made when they are first used."""
import sys

from ..namespaces import full_name, home
from ..ops.declare import REGISTRY


def function(space, name):
    """The function `mx.sym.<space>.<name>`; raises AttributeError when there is no such operator."""
    op = REGISTRY.get(full_name(space, name))
    if op is None or home(full_name(space, name)) != (space, name):
        raise AttributeError(f"module 'mxnd.symbol{'' if space == 'op' else '.' + space}' has no attribute {name!r}")
    from .functions import FUNCTIONS
    f = FUNCTIONS[op.name](name)
    f.__name__ = f.__qualname__ = name
    f.__module__ = "mxnd.symbol" if space == "op" else f"mxnd.symbol.{space}"
    return f


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
