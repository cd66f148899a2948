"""The functions that MXNet code imports from `mxnet.ndarray.utils`: those of `mx.nd`, for arrays of any storage type."""
from . import NDArray, array, empty, load, load_frombuffer, save, zeros

__all__ = ["NDArray", "array", "empty", "load", "load_frombuffer", "save", "zeros"]
