"""mxnd: the MXNet 1.x array API - NDArray, Symbol, sparse storage, autograd - on today's Python."""
from . import ops
from . import _core
from . import base, context, engine, memory, ndarray, random, threads
from . import autograd
from . import ndarray as nd
from .base import MXNetError
from .context import Context, cpu, cpu_pinned, current_context, gpu, gpu_memory_info, num_gpus
from .dtypes import bfloat16
from .threads import get_num_threads, set_num_threads
from .version import __version__

try:
    from . import sparse
except ImportError:
    pass
try:
    from . import symbol
    from . import symbol as sym
except ImportError:
    pass
