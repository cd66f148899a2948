"""Operators that know sparse storage, `mx.sym.sparse`."""
from .spaces import fill

fill(__name__, "sparse")
