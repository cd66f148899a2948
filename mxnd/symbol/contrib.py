"""Operators outside the core, `mx.sym.contrib`."""
from .control import cond, foreach, while_loop
from .spaces import fill

fill(__name__, "contrib")
