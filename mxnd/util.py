"""Helpers that MXNet code imports from `mxnet.util`."""
import functools
import os
import threading

_local = threading.local()


def is_np_shape():
    """Whether full reductions and scalar indexing give 0-d arrays.

    Examples
    --------
    >>> mx.util.is_np_shape()
    False
    """
    return getattr(_local, "np_shape", False)


def set_np_shape(active):
    """Switch `is_np_shape`; zero-size and 0-d shapes are real either way.  Returns what it was.

    Examples
    --------
    >>> mx.util.set_np_shape(False)
    False
    """
    was = is_np_shape()
    _local.np_shape = bool(active)
    return was


class np_shape:
    """A scope, or a decorator, with `is_np_shape` set.

    Parameters
    ----------
    active : bool, default True

    Examples
    --------
    >>> with mx.util.np_shape(True):
    ...     mx.nd.zeros((0, 2)).shape
    (0, 2)
    """

    def __init__(self, active=True):
        self._active, self._before = active, []

    def __enter__(self):
        self._before.append(set_np_shape(self._active))
        return self

    def __exit__(self, kind, value, trace):
        set_np_shape(self._before.pop())

    def __call__(self, func):
        return use_np_shape(func) if self._active else func


def use_np_shape(func):
    """A function or class whose calls run with `is_np_shape` set.

    Examples
    --------
    >>> mx.util.use_np_shape(lambda: mx.util.is_np_shape())()
    True
    """
    if isinstance(func, type):
        for name, member in list(vars(func).items()):
            if callable(member) and not isinstance(member, type):
                setattr(func, name, use_np_shape(member))
        return func

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        with np_shape(True):
            return func(*args, **kwargs)
    return wrapped


def is_np_array():
    """Whether functions give NumPy-like arrays: never, mxnd has MXNet's classic arrays."""
    return False


def getenv(name):
    """The value of an environment variable, or None."""
    return os.environ.get(name)


def setenv(name, value):
    """Set an environment variable; None removes it."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def get_gpu_count():
    """How many GPUs mxnd can use."""
    from .context import num_gpus
    return num_gpus()


def get_gpu_memory(gpu_dev_id):
    """(free, total) bytes of a GPU's memory."""
    from .context import gpu_memory_info
    return gpu_memory_info(gpu_dev_id)
