"""Operators outside the core, `mx.sym.contrib`."""
from .spaces import fill

fill(__name__, "contrib")
