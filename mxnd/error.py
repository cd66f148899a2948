"""Error classes by name, as `mxnet.error` has them."""
from .ops.errors import MXNetError

TYPES = {}


class InternalError(MXNetError):
    """Something inside is wrong; please report it."""

    def __init__(self, msg):
        super().__init__(f"{msg}\nThis is a fault of the library: please report it.")


def register(func_name=None, cls=None):
    """Give an error class a name; without a class it is a decorator.

    Parameters
    ----------
    func_name : str or type
        The name; a class registers under its own.
    cls : type, optional
        A subclass of Exception.

    Examples
    --------
    >>> @mx.error.register
    ... class Mine(mx.MXNetError):
    ...     pass
    >>> mx.error.TYPES["Mine"] is Mine
    True
    """
    if isinstance(func_name, type):
        func_name, cls = func_name.__name__, func_name

    def decorate(klass):
        if not (isinstance(klass, type) and issubclass(klass, Exception)):
            raise TypeError(f"register: expected an error class, got {klass!r}")
        TYPES[func_name if isinstance(func_name, str) else klass.__name__] = klass
        return klass
    return decorate if cls is None else decorate(cls)


register_error = register
for _cls in (MXNetError, InternalError, ValueError, TypeError, AttributeError, IndexError, NotImplementedError):
    register(_cls)
