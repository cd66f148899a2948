"""Python's garbage collector rests while large graphs are built: they make many objects, none of them garbage."""
import gc
from functools import wraps


def uncollected(f):
    """f, with the collector resting while it runs."""
    @wraps(f)
    def run(*args, **kwargs):
        if not gc.isenabled():
            return f(*args, **kwargs)
        gc.disable()
        try:
            return f(*args, **kwargs)
        finally:
            gc.enable()
    return run
