"""What MXNet code imports from `mxnet.ndarray.ndarray`: the class and the Python functions of `mx.nd`."""
from . import (
    NDArray,
    arange,
    array,
    concatenate,
    empty,
    eye,
    from_dlpack,
    from_numpy,
    full,
    get_indexing_dispatch_code,
    get_oshape_of_gather_nd_op,
    histogram,
    indexing_key_expand_implicit_axes,
    linspace,
    moveaxis,
    onehot_encode,
    ones,
    split_v2,
    to_dlpack_for_read,
    to_dlpack_for_write,
    waitall,
    zeros,
)
from .arithmetic import FUNCTIONS as _FUNCTIONS

globals().update(_FUNCTIONS)
__all__ = ["NDArray", "arange", "array", "concatenate", "empty", "eye", "from_dlpack", "from_numpy", "full",
           "get_indexing_dispatch_code", "get_oshape_of_gather_nd_op", "histogram", "indexing_key_expand_implicit_axes", "linspace",
           "moveaxis", "onehot_encode", "ones", "split_v2", "to_dlpack_for_read", "to_dlpack_for_write", "waitall", "zeros",
           *_FUNCTIONS]
