"""Error classes and type groups that MXNet code imports from `mxnet.base`."""
import numpy as np

from .ops.errors import MXNetError, NotImplementedForSymbol, NotSupportedForSparseNDArray

string_types = (str,)
numeric_types = (float, int, np.generic)
integer_types = (int, np.int32, np.int64)
__all__ = ["MXNetError", "NotImplementedForSymbol", "NotSupportedForSparseNDArray", "integer_types", "numeric_types",
           "string_types"]
