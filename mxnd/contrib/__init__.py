"""Operators outside the core under their older names: `mx.contrib.nd` is `mx.nd.contrib`, `mx.contrib.sym` is `mx.sym.contrib`."""
import sys as _sys

from ..ndarray import contrib as ndarray
from ..symbol import contrib as symbol

nd, sym = ndarray, symbol
for _name, _module in (("ndarray", nd), ("nd", nd), ("symbol", sym), ("sym", sym)):
    _sys.modules[f"{__name__}.{_name}"] = _module
