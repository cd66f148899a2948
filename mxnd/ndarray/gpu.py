"""Arrays on a GPU: copies, and the elementwise operators; others ask for a copy on the CPU."""
import numpy as np

from .._core.array import SparseBase, empty, from_numpy_copy
from ..context import Context, require_gpu
from ..ops.errors import MXNetError
from ..ops.params import DTYPES

ON_GPU = 4                              # what the compiled core sees in place of a storage type


class GPUArray(SparseBase):
    """An NDArray whose elements are in a GPU's memory."""

    def __init__(self, shape, dtype, device_id, memory=None):
        super().__init__(ON_GPU, tuple(shape), dtype)
        self._set_device(2, device_id)
        self._memory = require_gpu(device_id).Memory(device_id, max(self._nbytes, 1)) if memory is None else memory

    def _same_data(self):
        return GPUArray(self.shape, self._dtype_name, self.context.device_id, self._memory)

    def copy(self):
        """A copy on the same GPU."""
        y = GPUArray(self.shape, self._dtype_name, self.context.device_id)
        y._memory.copy_from(self._memory)
        return y


def _bytes(x):
    """The bytes of an array on the CPU."""
    return memoryview(x._view((x.size,))).cast("B") if x.size else memoryview(b"")


def to_gpu(x, ctx):
    """A copy of an array on a GPU."""
    if isinstance(x, GPUArray):
        x = to_cpu(x)
    y = GPUArray(x.shape, x._dtype_name, ctx.device_id)
    y._memory.put(_bytes(x))
    return y


def to_cpu(x):
    """A copy of a GPU's array on the CPU."""
    y = empty(x.shape, x._dtype_name)
    if y.size:
        x._memory.take(_bytes(y))
    return y


def copy_between(source, target):
    """Copy elements where one side or both are on a GPU."""
    on_cpu = to_cpu(source) if isinstance(source, GPUArray) else source
    if on_cpu._dtype_name != target._dtype_name:
        on_cpu = on_cpu._cast(target._dtype_name)
    if isinstance(target, GPUArray):
        target._memory.put(_bytes(on_cpu))
    else:
        on_cpu.copyto(target)


def special(op, inputs, given, out):
    """Run an elementwise operator on a GPU."""
    decl = op.decl
    first = next(x for x in inputs if isinstance(x, GPUArray))
    if decl.c is None or any(not isinstance(x, GPUArray) or x.context != first.context for x in inputs):
        raise MXNetError(f"{decl.name}: not available for these arrays on {first.context}; "
                         "expected elementwise operators of arrays on one GPU, or copies with as_in_context(mx.cpu())")
    if any(x.shape != first.shape or x.dtype != first.dtype for x in inputs):
        raise MXNetError(f"{decl.name}: on {first.context} inputs need one shape and dtype; "
                         f"got {', '.join(f'{x.shape} {x._dtype_name}' for x in inputs)}")
    y = GPUArray(first.shape, first._dtype_name, first.context.device_id) if out is None else out
    if not isinstance(y, GPUArray) or y.shape != first.shape or y.dtype != first.dtype:
        raise MXNetError(f"{decl.name}: out does not fit; expected {first.shape} {first._dtype_name} on {first.context}")
    numbers = None
    if decl.params:
        p = given if isinstance(given, decl.Params) else decl.pack(dict(zip(decl.params, given)))
        values = [float(v) for v in p]
        values = values[:1] * 2 if decl.family in ("scalar", "rscalar") else (values * 2)[:2]
        numbers = np.frombuffer(_bytes(from_numpy_copy(values, first._dtype_name)), np.uint8)
    run = require_gpu(first.context.device_id).run
    code, n = DTYPES.index(first._dtype_name), first.size
    if n and decl.family == "rscalar":
        whole = to_gpu(from_numpy_copy(np.full(first.shape, values[0]), first._dtype_name), Context("gpu", first.context.device_id))
        run(decl.loop, code, n, y._memory, whole._memory, first._memory)
    elif n:
        run(decl.loop, code, n, y._memory, first._memory, inputs[1]._memory if len(inputs) > 1 else None, numbers)
    return y
