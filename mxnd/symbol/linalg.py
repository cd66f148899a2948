"""Linear algebra in graphs, `mx.sym.linalg`."""
from .spaces import fill

fill(__name__, "linalg")
