"""mxnd: the MXNet 1.x array API - NDArray, Symbol, sparse storage, autograd - on today's Python."""
import sys as _sys

from . import (
    _core,
    autograd,
    base,
    context,
    contrib,
    datasets,
    engine,
    executor,
    memory,
    model,
    ndarray,
    ops,
    random,
    runtime,
    sparse,
    symbol,
    threads,
    util,
)
from . import attributes as attribute
from . import names as name
from . import ndarray as nd
from . import symbol as sym
from .attributes import AttrScope
from .base import MXNetError
from .context import Context, cpu, cpu_pinned, current_context, gpu, gpu_memory_info, num_gpus
from .dtypes import bfloat16
from .ndarray import NDArray
from .symbol import Symbol
from .threads import get_num_threads, set_num_threads
from .version import __version__

rnd = random
for _short, _module in (("nd", nd), ("sym", sym), ("name", name), ("attribute", attribute)):
    _sys.modules[f"{__name__}.{_short}"] = _module
