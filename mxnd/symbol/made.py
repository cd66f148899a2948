"""The arrays that `simple_bind` and `reshape` make, or take from another executor or from a buffer."""
from .._core import graph_run
from .._core.array import NDArray, empty
from ..context import current_context
from ..ndarray.create import zeros
from ..ops.errors import MXNetError
from ..ops.shapes import show, size


class Maker:
    """Makes arrays of zeros for one executor; small ones are cleared together at the end."""

    def __init__(self, ctx, shared_exec, shared_names, shared_buffer):
        self.ctx = ctx
        self.plain = str(ctx or current_context()) == "cpu(0)"
        self.exec, self.buffer = shared_exec, shared_buffer
        if shared_exec is not None and not hasattr(shared_exec, "arg_dict"):
            raise MXNetError(f"simple_bind: shared_exec: expected an Executor, got {type(shared_exec).__name__}")
        if shared_names is not None and not isinstance(shared_names, (list, tuple, set, frozenset)):
            raise MXNetError(f"simple_bind: shared_arg_names: expected a list of names, got {shared_names!r}")
        self.names = () if shared_exec is None or shared_names is None else frozenset(shared_names)
        self.shares_aux = shared_exec is not None and (shared_names is not None or shared_buffer is not None)
        if shared_buffer is not None and not (isinstance(shared_buffer, dict)
                                              and all(isinstance(v, NDArray) for v in shared_buffer.values())):
            raise MXNetError("simple_bind: shared_buffer: expected a dict of NDArrays by name")
        self.unset = []

    def argument(self, name, shape, dtype, stype):
        if name in self.names and name in self.exec.arg_dict:
            return self._shared(name, self.exec.arg_dict[name], shape, dtype)
        return self._buffered(name, shape, dtype, stype)

    def gradient(self, name, shape, dtype, stype):
        if name in self.names and name in self.exec.arg_dict:
            there = self.exec.grad_dict[name]
            return self._new(shape, dtype, stype) if there is None else self._shared(name, there, shape, dtype)
        return self._buffered(f"grad of {name}", shape, dtype, stype)

    def auxiliary(self, name, shape, dtype, stype):
        there = self.exec.aux_dict.get(name) if self.shares_aux else None
        if there is not None and there.shape == shape and there._dtype_name == dtype:
            return there
        return self._new(shape, dtype, stype)

    def clear(self):
        """Set what was made to zero."""
        graph_run.Steps([graph_run.clear_step(y, None) for y in self.unset]).run(False)

    @staticmethod
    def _shared(name, array, shape, dtype):
        if array.shape != shape or array._dtype_name != dtype:
            raise MXNetError(f"simple_bind: {name!r} of shared_exec has shape {show(array.shape)} and dtype {array._dtype_name}; "
                             f"expected {show(shape)} and {dtype}")
        return array

    def _buffered(self, name, shape, dtype, stype):
        if self.buffer is None or stype != "default":
            return self._new(shape, dtype, stype)
        there = self.buffer.get(name)
        if there is not None and there._dtype_name == dtype and there.stype == "default":
            if there.shape == shape:
                return there
            if there.size >= size(shape):
                return there._view(tuple(shape), 0)
        made = self.buffer[name] = self._new(shape, dtype, stype)
        return made

    def _new(self, shape, dtype, stype):
        if stype != "default" or not self.plain:
            return zeros(shape, self.ctx, dtype, stype=stype)
        y = empty(shape, dtype)
        self.unset.append(y)
        return y


def fitted(name, old, shape, may_change, may_grow):
    """The old array where its shape stays, a part of it where the new one is smaller, else a new one."""
    if old.shape == shape:
        return old._same_data() if old.stype == "default" else old
    if not may_change:
        raise MXNetError(f"reshape: the shape of {name!r} changes from {show(old.shape)} to {show(shape)}; "
                         f"expected it among the arguments, or partial_shaping=True")
    if size(shape) <= old.size and old.stype == "default":
        return old._view(tuple(shape), 0)
    if not may_grow:
        raise MXNetError(f"reshape: {name!r} grows from {show(old.shape)} to {show(shape)}; expected allow_up_sizing=True")
    return zeros(shape, ctx=old.context, dtype=old._dtype_name)
