"""Devices: where an array's memory is."""
from .ops.errors import MXNetError
from .scopes import Scopes

_entered = Scopes()


class Context:
    """A device.

    Parameters
    ----------
    device_type : str or Context
        'cpu', 'gpu', 'cpu_pinned' or 'cpu_shared'; a Context is copied.
    device_id : int, default 0
        Number of the device.

    Examples
    --------
    >>> mx.cpu() == mx.cpu(0)
    True
    >>> with mx.Context('cpu', 1):
    ...     mx.nd.ones((1,)).context
    cpu(1)
    """

    devtype2str = {1: "cpu", 2: "gpu", 3: "cpu_pinned", 5: "cpu_shared"}
    devstr2type = {v: k for k, v in devtype2str.items()}

    def __init__(self, device_type, device_id=0):
        if isinstance(device_type, Context):
            self.device_typeid, self.device_id = device_type.device_typeid, device_type.device_id
        else:
            try:
                self.device_typeid = self.devstr2type[device_type]
            except (KeyError, TypeError):
                raise MXNetError(f"Context: unknown device; expected one of {', '.join(self.devstr2type)}, "
                                 f"got {device_type!r}") from None
            self.device_id = int(device_id)

    @property
    def device_type(self):
        """Name of the kind of device."""
        return self.devtype2str[self.device_typeid]

    def __hash__(self):
        return hash((self.device_typeid, self.device_id))

    def __eq__(self, other):
        return isinstance(other, Context) and (self.device_typeid, self.device_id) == (other.device_typeid, other.device_id)

    def __str__(self):
        return f"{self.device_type}({self.device_id})"

    __repr__ = __str__

    def __enter__(self):
        _entered.stack.append(self)
        return self

    def __exit__(self, ptype, value, trace):
        _entered.stack.pop()

    def empty_cache(self):
        """Give the memory that the pool keeps for reuse back to the system."""
        from ._core import memory
        memory.empty()


Context.default_ctx = Context("cpu", 0)


def current_context():
    """The default device of this thread.

    Examples
    --------
    >>> mx.current_context()
    cpu(0)
    """
    return _entered.stack[-1] if _entered.stack else Context.default_ctx


def cpu(device_id=0):
    """The CPU.

    Examples
    --------
    >>> mx.cpu()
    cpu(0)
    """
    return Context("cpu", device_id)


def cpu_pinned(device_id=0):
    """CPU memory that GPUs copy from quickly; ordinary memory where there is no GPU.

    Examples
    --------
    >>> mx.cpu_pinned()
    cpu_pinned(0)
    """
    return Context("cpu_pinned", device_id)


def gpu(device_id=0):
    """A GPU; arrays there need the CUDA module.

    Examples
    --------
    >>> mx.gpu(1)
    gpu(1)
    """
    return Context("gpu", device_id)


def _cuda():
    try:
        from ._core.cuda import device
    except ImportError:
        return None
    return device


def num_gpus():
    """How many GPUs mxnd can use; 0 without the CUDA module.

    Examples
    --------
    >>> mx.num_gpus() >= 0
    True
    """
    cuda = _cuda()
    return 0 if cuda is None else cuda.count()


def gpu_memory_info(device_id=0):
    """(free, total) bytes of a GPU's memory.  Raises MXNetError when there is no such GPU."""
    require_gpu(device_id)
    return _cuda().memory_info(device_id)


def require_gpu(device_id):
    """The CUDA module; raises MXNetError where the GPU cannot be used."""
    cuda = _cuda()
    if cuda is None:
        raise MXNetError(f"gpu({device_id}): this build of mxnd has no CUDA module; expected a build with -Dcuda=enabled")
    if not 0 <= device_id < cuda.count():
        raise MXNetError(f"gpu({device_id}): no such GPU; expected a number below {cuda.count()}")
    return cuda
