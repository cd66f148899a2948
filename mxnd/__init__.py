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
    error,
    executor,
    initializer,
    memory,
    model,
    ndarray,
    operator,
    ops,
    random,
    runtime,
    sparse,
    symbol,
    test_utils,
    threads,
    util,
    visualization,
)
from . import attributes as attribute
from . import initializer as init
from . import names as name
from . import ndarray as nd
from . import symbol as sym
from . import visualization as viz
from .attributes import AttrScope
from .base import MXNetError
from .context import Context, cpu, cpu_pinned, current_context, gpu, gpu_memory_info, num_gpus
from .dtypes import bfloat16
from .ndarray import NDArray
from .symbol import Symbol
from .symbol.cached import CachedOp as _CachedOp
from .threads import get_num_threads, set_num_threads
from .util import is_np_array, is_np_shape, np_array, np_shape, set_np_shape, use_np, use_np_array, use_np_shape
from .version import __version__

rnd = random
nd.CachedOp = _CachedOp                      # it runs symbols, which come after arrays
for _short, _module in (("nd", nd), ("sym", sym), ("name", name), ("attribute", attribute), ("viz", viz), ("init", init)):
    _sys.modules[f"{__name__}.{_short}"] = _module
