"""Operators outside the core, `mx.sym.contrib`."""
from .control import cond, foreach, while_loop
from .spaces import fill
from .updates import adamw_update, mp_adamw_update, rand_zipfian, uniform

fill(__name__, "contrib")
