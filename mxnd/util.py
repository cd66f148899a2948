"""Helpers that MXNet code imports from `mxnet.util`."""
import functools
import inspect
import os
import threading

from ._core import array as _array
from .ops.errors import MXNetError

_local = threading.local()
UFUNC_OPTIONS = {"where": (bool, int), "casting": (str,), "order": (str,), "dtype": (type, str), "subok": (bool,)}


def is_np_shape():
    """Whether elements of an array have the shape () instead of (1,).

    Examples
    --------
    >>> mx.util.is_np_shape()
    False
    """
    return _array.elements_are_scalars()


def set_np_shape(active):
    """Switch `is_np_shape` for this thread; returns what it was.

    Zero-size and 0-d arrays are real either way.  While it is on, a length of 0 and a shape of () given to the
    inference of a symbol are real too, and -1 stands for an unknown length.

    Examples
    --------
    >>> mx.util.set_np_shape(False)
    False
    """
    return _array.set_elements_are_scalars(bool(active))


def is_np_array():
    """Whether `np_array` or `set_np` is on.  Arrays are MXNet's classic ones all the same: mxnd has no `mx.np`.

    Examples
    --------
    >>> mx.util.is_np_array()
    False
    """
    return getattr(_local, "np_array", False)


def _set_np_array(active):
    was = is_np_array()
    _local.np_array = bool(active)
    return was


class _Scope:
    """A `with` block, or a decorator, in which a switch has a value."""

    def __init__(self, active=True):
        self._active, self._before = active, []

    def __enter__(self):
        self._before.append(self._switch(self._active))
        return self

    def __exit__(self, kind, value, trace):
        self._switch(self._before.pop())

    def __call__(self, func):
        return _wrapped(func, type(self), self._active)


class np_shape(_Scope):
    """A scope, or a decorator, with `is_np_shape` set.

    Parameters
    ----------
    active : bool, default True

    Examples
    --------
    >>> with mx.util.np_shape(True):
    ...     mx.nd.ones((3,))[0].shape
    ()
    """

    _switch = staticmethod(set_np_shape)


class np_array(_Scope):
    """A scope, or a decorator, with `is_np_array` set.

    Parameters
    ----------
    active : bool, default True

    Examples
    --------
    >>> with mx.util.np_array(True):
    ...     mx.util.is_np_array()
    True
    """

    _switch = staticmethod(_set_np_array)


def _wrapped(func, scope, active=True):
    """A function, or the methods and properties of a class, running inside a scope."""
    if inspect.isclass(func):
        for name, member in list(vars(func).items()):
            if isinstance(member, (staticmethod, classmethod)):
                setattr(func, name, type(member)(_wrapped(member.__func__, scope, active)))
            elif isinstance(member, property):
                parts = [None if f is None else _wrapped(f, scope, active) for f in (member.fget, member.fset, member.fdel)]
                setattr(func, name, property(*parts, member.__doc__))
            elif inspect.isfunction(member):
                setattr(func, name, _wrapped(member, scope, active))
        return func
    if not callable(func):
        raise TypeError(f"use_{scope.__name__}: expected a function or a class, got {type(func).__name__}")

    @functools.wraps(func)
    def inside(*args, **kwargs):
        with scope(active):
            return func(*args, **kwargs)
    return inside


def use_np_shape(func):
    """A function or class whose calls run with `is_np_shape` set.

    Examples
    --------
    >>> mx.util.use_np_shape(lambda: mx.util.is_np_shape())()
    True
    """
    return _wrapped(func, np_shape)


def use_np_array(func):
    """A function or class whose calls run with `is_np_array` set."""
    return _wrapped(func, np_array)


def use_np(func):
    """A function or class whose calls run with `is_np_shape` and `is_np_array` set.

    Examples
    --------
    >>> mx.util.use_np(lambda: (mx.util.is_np_shape(), mx.util.is_np_array()))()
    (True, True)
    """
    return use_np_shape(use_np_array(func))


def set_np(shape=True, array=True):
    """Switch `is_np_shape` and `is_np_array` for this thread.

    Parameters
    ----------
    shape, array : bool, default True
        array needs shape.

    Examples
    --------
    >>> mx.util.set_np(array=False)
    >>> mx.util.reset_np()
    """
    if array and not shape:
        raise ValueError("set_np: array=True needs shape=True")
    set_np_shape(shape)
    _set_np_array(array)


def reset_np():
    """Switch `is_np_shape` and `is_np_array` off."""
    set_np(False, False)


def np_ufunc_legal_option(key, value):
    """Whether NumPy's element-wise functions have an option, and may have it with this value.

    Examples
    --------
    >>> mx.util.np_ufunc_legal_option("casting", "same_kind"), mx.util.np_ufunc_legal_option("colour", "red")
    (True, False)
    """
    return isinstance(value, UFUNC_OPTIONS.get(key, ()))


def _only_default_options(func, arrays):
    """A function with the options of NumPy's that accepts only their defaults."""
    defaults = {"where": (True,), "casting": ("same_kind",), "order": ("K", None), "dtype": (None,), "subok": (True,)}

    @functools.wraps(func)
    def wrapped(*args, out=None, **kwargs):
        for key, value in kwargs.items():
            if key in defaults and not any(value is d or isinstance(d, str) and value == d for d in defaults[key]):
                raise NotImplementedError(f"{func.__name__}: {key}={value!r} is not supported")
            if key not in defaults:
                raise TypeError(f"{func.__name__}: unknown argument {key!r}")
        if len(args) not in (arrays, arrays + 1):
            raise TypeError(f"{func.__name__}: expected {arrays} arrays, got {len(args)}")
        return func(*args[:arrays], out=args[arrays] if len(args) > arrays else out)
    return wrapped


def wrap_np_unary_func(func):
    """A function of one array that takes the options of NumPy's functions, with their defaults only.

    Examples
    --------
    >>> mx.util.wrap_np_unary_func(mx.nd.exp)(mx.nd.zeros((1,)), where=True).asnumpy()
    array([1.], dtype=float32)
    """
    return _only_default_options(func, 1)


def wrap_np_binary_func(func):
    """The same for a function of two arrays."""
    return _only_default_options(func, 2)


def set_module(module):
    """A decorator that sets `__module__`, so that a function shows where users find it.

    Examples
    --------
    >>> mx.util.set_module("here")(lambda: 1).__module__
    'here'
    """
    def decorate(func):
        if module is not None:
            func.__module__ = module
        return func
    return decorate


def getenv(name):
    """The value of an environment variable, or None.

    Examples
    --------
    >>> mx.util.getenv("NO_SUCH_VARIABLE") is None
    True
    """
    return os.environ.get(name)


def setenv(name, value):
    """Set an environment variable; None removes it.

    Parameters
    ----------
    name : str
    value : str or None

    Examples
    --------
    >>> mx.util.setenv("MY_VARIABLE", "1")
    >>> mx.util.setenv("MY_VARIABLE", None)
    """
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def get_gpu_count():
    """How many GPUs mxnd can use.

    Examples
    --------
    >>> mx.util.get_gpu_count() >= 0
    True
    """
    from .context import num_gpus
    return num_gpus()


def get_gpu_memory(gpu_dev_id):
    """(free, total) bytes of a GPU's memory."""
    from .context import gpu_memory_info
    return gpu_memory_info(gpu_dev_id)


def get_cuda_compute_capability(ctx):
    """The compute capability of a GPU as two digits in one number, such as 90.

    Parameters
    ----------
    ctx : Context
        A GPU.
    """
    from .context import Context, require_gpu
    if not isinstance(ctx, Context) or ctx.device_type != "gpu":
        raise ValueError(f"get_cuda_compute_capability: expected a GPU, got {ctx}")
    device = require_gpu(ctx.device_id)
    if not hasattr(device, "capability"):
        raise MXNetError("get_cuda_compute_capability: this build cannot tell")
    return device.capability(ctx.device_id)
