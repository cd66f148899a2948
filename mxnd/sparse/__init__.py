"""Sparse storage: csr matrices and row_sparse arrays, and the operators that know them (`mx.nd.sparse`)."""
from .._core.array import NDArray, add_method
from .arithmetic import add, divide, multiply, subtract
from .base import BaseSparseNDArray
from .cast import cast_storage, recorded_cast
from .create import array, csr_matrix, empty, row_sparse_array, zeros
from .csr import CSRNDArray
from .dispatch import run, special
from .row_sparse import RowSparseNDArray


def gs_retain(data=None, indices=None, out=None, name=None, **kwargs):
    """The named rows of a row_sparse array, see `mx.nd.sparse.retain`."""
    from ..ndarray.functions import FUNCTIONS as operators
    return operators["_sparse_retain"](data, indices, out=out, name=name, **kwargs)


CLASSES = {c.__name__: c for c in (BaseSparseNDArray, CSRNDArray, RowSparseNDArray)}
FUNCTIONS = {f.__name__: f for f in (add, array, csr_matrix, divide, empty, gs_retain, multiply, row_sparse_array, subtract,
                                     zeros)}


def _retain(self, indices):
    """What retain does with an array that is not row_sparse: refuse it."""
    from ..ops.errors import MXNetError
    raise MXNetError(f"_sparse_retain: expected a row_sparse array, got {self.stype}")


def _rows_of(self, indices):
    return _composed("_rows_of", self, indices)


def _embedding_rows(self, indices, shape):
    return _composed("_embedding_rows", self, indices, shape=shape)


def _composed(name, x, indices, **params):
    """Operators whose result is sparse though their inputs are dense."""
    from .._core.call import record_call, set_recording
    from ..ops.declare import REGISTRY
    from .rules import RULES
    op = REGISTRY[name]
    p = op.pack(params)
    was = set_recording(False)
    try:
        y = RULES[name[1:]](op, (x, indices), p)
    finally:
        set_recording(was)
    record_call(op.core, (x, indices), p, [y], 1)
    return y


add_method(NDArray, "_cast_storage", recorded_cast)
for _f in (_retain, _rows_of, _embedding_rows):
    add_method(NDArray, _f.__name__, _f)


def _join_namespace():
    """mx.nd.sparse has these functions and classes beside the operators."""
    from ..ndarray import sparse
    for name, f in {**CLASSES, **FUNCTIONS}.items():
        setattr(sparse, name, f)


_join_namespace()
