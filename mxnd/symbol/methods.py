"""Operators as methods of Symbol: `x.sum(axis=1)` is `mx.sym.sum(x, axis=1)`."""
from ..ops.declare import REGISTRY
from ..ops.fluent import METHODS
from .compose import DEFAULT
from .symbol import Symbol, apply


def _fluent(name):
    def method(self, *args, **kwargs):
        return apply(name, name, self, *args, **kwargs)
    method.__name__ = name
    method.__qualname__ = "Symbol." + name
    method.__doc__ = f"See `mxnd.symbol.{name}`."
    return method


for _name in METHODS:
    setattr(Symbol, _name, _fluent(_name))


def _method(f):
    setattr(Symbol, f.__name__, f)
    f.__qualname__ = "Symbol." + f.__name__


@_method
def astype(self, dtype, **kwargs):
    """See `mxnd.symbol.cast`."""
    return apply("cast", "cast", self, dtype=dtype, **kwargs)


@_method
def reshape(self, *shape, **kwargs):
    """See `mxnd.symbol.reshape`; the lengths may be given one by one."""
    if shape:
        kwargs["shape"] = shape if len(shape) > 1 else shape[0]
    return apply("reshape", "reshape", self, **kwargs)


@_method
def transpose(self, *axes, **kwargs):
    """See `mxnd.symbol.transpose`; the axes may be given one by one."""
    if axes:
        kwargs["axes"] = axes if len(axes) > 1 else axes[0]
    return apply("transpose", "transpose", self, **kwargs)


@_method
def flatten(self, inplace=False, **kwargs):
    """See `mxnd.symbol.flatten`."""
    return apply("flatten", "flatten", self, **kwargs)


@_method
def expand_dims(self, axis, inplace=False, **kwargs):
    """See `mxnd.symbol.expand_dims`."""
    return apply("expand_dims", "expand_dims", self, axis=axis, **kwargs)


@_method
def squeeze(self, axis=None, inplace=False, **kwargs):
    """See `mxnd.symbol.squeeze`."""
    return apply("squeeze", "squeeze", self, axis=axis, **kwargs)


@_method
def diag(self, k=0, **kwargs):
    """See `mxnd.symbol.diag`."""
    return apply("diag", "diag", self, k=k, **kwargs)


@_method
def broadcast_to(self, *shape, **kwargs):
    """See `mxnd.symbol.broadcast_to`; the lengths may be given one by one."""
    if shape:
        kwargs["shape"] = shape if len(shape) > 1 else shape[0]
    return apply("broadcast_to", "broadcast_to", self, **kwargs)


@_method
def broadcast_like(self, *args, **kwargs):
    """See `mxnd.symbol.broadcast_like`."""
    return apply("broadcast_like", "broadcast_like", self, *args, **kwargs)


@_method
def split_v2(self, indices_or_sections, axis=0, squeeze_axis=False, **kwargs):
    """See `mxnd.symbol.split_v2`."""
    from .creation import split_v2 as function
    return function(self, indices_or_sections, axis, squeeze_axis, **kwargs)
