"""MXNet's engine controls; mxnd runs every operator at its call, so they change nothing."""
import contextlib

_size = 0


def set_bulk_size(size):
    """Set how many operators MXNet would run together; returns the number before.

    Examples
    --------
    >>> before = mx.engine.set_bulk_size(10)
    """
    global _size
    was, _size = _size, size
    return was


@contextlib.contextmanager
def bulk(size):
    """A scope with another bulk size.

    Examples
    --------
    >>> with mx.engine.bulk(10):
    ...     y = mx.nd.ones((1,)) + 1
    """
    was = set_bulk_size(size)
    try:
        yield
    finally:
        set_bulk_size(was)
