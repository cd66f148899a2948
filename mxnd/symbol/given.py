"""Shapes that callers give by the names of arguments."""
from ..ops.errors import MXNetError
from . import infer


def given_shape(caller, name, shape):
    """A shape for the inference; 0 stands for an unknown dimension."""
    if not isinstance(shape, (tuple, list)):
        raise MXNetError(f"{caller}: {name!r}: expected a shape (a tuple of whole numbers), got {shape!r}")
    for n in shape:
        if isinstance(n, bool) or not hasattr(n, "__index__"):
            raise MXNetError(f"{caller}: {name!r}: expected a shape of whole numbers, got {shape!r}")
    return infer.edge_shape(shape)
