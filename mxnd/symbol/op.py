"""Operators by their plain names, `mx.sym.op`; the same functions as in `mx.sym`."""
from .spaces import fill

fill(__name__, "op")
