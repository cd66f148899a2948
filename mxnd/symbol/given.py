"""What callers give: shapes by the names of arguments, gradients for outputs."""
import numpy as np

from .._core.array import NDArray
from ..ops.errors import MXNetError
from ..ops.shapes import show
from . import infer


def given_shape(caller, name, shape):
    """A shape for the inference; 0 stands for an unknown dimension."""
    if not isinstance(shape, (tuple, list)):
        raise MXNetError(f"{caller}: {name!r}: expected a shape (a tuple of whole numbers), got {shape!r}")
    for n in shape:
        if isinstance(n, bool) or not hasattr(n, "__index__"):
            raise MXNetError(f"{caller}: {name!r}: expected a shape of whole numbers, got {shape!r}")
    return infer.edge_shape(shape)


def given_heads(given, names, shapes, dtypes):
    """Gradients for the outputs, one per name, None where not given; of the shapes and dtypes of the outputs."""
    if given is None:
        given = []
    elif isinstance(given, NDArray):
        given = [given]
    elif isinstance(given, dict):
        for name in given:
            if name not in names:
                raise MXNetError(f"backward: there is no output {name!r}; expected {', '.join(names)}")
        given = [given.get(n) for n in names]
    elif not isinstance(given, (list, tuple)):
        raise TypeError(f"backward: out_grads: expected an NDArray, a list or a dict, got {type(given).__name__}")
    given = [*given[:len(names)], *[None] * (len(names) - len(given))]
    for k, (g, name, shape, dtype) in enumerate(zip(given, names, shapes, dtypes)):
        if g is None:
            continue
        if not isinstance(g, NDArray):
            raise TypeError(f"backward: the gradient for output {name!r} has a wrong type; expected NDArray, "
                            f"got {type(g).__name__}")
        if g.shape != shape:
            raise MXNetError(f"backward: the gradient for output {name!r} has a wrong shape; expected {show(shape)}, "
                             f"got {show(g.shape)}")
        if g.stype != "default":
            given[k] = g = g.tostype("default")
        if dtype is not None and g._dtype_name != dtype:
            given[k] = g.astype(dtype)
    return given


def set_arguments(arrays, given):
    """Copy what the caller of forward gives, by name, into the arguments."""
    for name, value in given.items():
        if not isinstance(value, (NDArray, np.ndarray)):
            raise ValueError(f"forward: argument {name!r}: expected an NDArray or a NumPy array, got {type(value).__name__}")
        if name not in arrays:
            raise TypeError(f"forward: unknown argument {name!r}; expected one of {', '.join(arrays)}")
        if tuple(value.shape) != arrays[name].shape:
            raise ValueError(f"forward: argument {name!r} has a wrong shape; expected {show(arrays[name].shape)}, "
                             f"got {show(tuple(value.shape))}")
    for name, value in given.items():
        try:
            arrays[name][:] = value
        except TypeError:
            raise ValueError(f"forward: argument {name!r}: elements of dtype {value.dtype} are no numbers that mxnd has") from None


def copy_params(parts, allow_extra):
    """Copy values into arrays by name; parts: (what they are, values, arrays)."""
    for what, given, arrays in parts:
        if not isinstance(given, dict):
            raise TypeError(f"copy_params_from: expected a dict of arrays by {what}, got {type(given).__name__}")
        for name, value in given.items():
            if name not in arrays:
                if allow_extra:
                    continue
                raise ValueError(f"copy_params_from: there is no {what} {name!r}; expected one of {', '.join(arrays)}")
            to = arrays[name]
            if not isinstance(value, (NDArray, np.ndarray)):
                raise TypeError(f"copy_params_from: {what} {name!r}: expected an array, got {type(value).__name__}")
            if tuple(value.shape) != to.shape:
                raise MXNetError(f"copy_params_from: {what} {name!r} has a wrong shape; expected {show(to.shape)}, "
                                 f"got {show(tuple(value.shape))}")
            to[:] = value


def check_arrays(variables, slots, shapes, arrays, wanted):
    """Raise unless the arrays bound to variables have the shapes that the graph has, and gradients those of their arguments."""
    for n in variables:
        slot, array = slots.first[id(n)], arrays[id(n)]
        if shapes[slot] != array.shape:
            raise MXNetError(f"bind: {n.name!r} has a wrong shape; expected {show(shapes[slot])}, "
                             f"got {show(array.shape)}")
        if id(n) in wanted:
            g = wanted[id(n)][0]
            if g.shape != array.shape:
                raise MXNetError(f"bind: the gradient array of {n.name!r} has a wrong shape; expected {show(array.shape)}, "
                                 f"got {show(g.shape)}")
            if g._dtype_name != array._dtype_name:
                raise MXNetError(f"bind: the gradient array of {n.name!r} has a wrong dtype; "
                                 f"expected {array._dtype_name}, got {g._dtype_name}")
