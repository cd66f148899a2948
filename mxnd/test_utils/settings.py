"""The device and the dtype of tests, environment variables, and what else surrounds a test."""
import contextlib
import functools
import os
import platform

import numpy as np

from ..context import Context, current_context, num_gpus


def default_context():
    """The device that tests use: the current one.

    Examples
    --------
    >>> mx.test_utils.default_context()
    cpu(0)
    """
    return current_context()


def set_default_context(ctx):
    """Set the device that is current where no `with` block sets one.

    Examples
    --------
    >>> mx.test_utils.set_default_context(mx.cpu(0))
    """
    if not isinstance(ctx, Context):
        raise TypeError(f"set_default_context: expected a Context, got {type(ctx).__name__}")
    Context.default_ctx = ctx


def default_dtype():
    """The dtype that tests use: float32.

    Examples
    --------
    >>> mx.test_utils.default_dtype()
    <class 'numpy.float32'>
    """
    return np.float32


def list_gpus():
    """Numbers of the GPUs that can be used.

    Examples
    --------
    >>> len(mx.test_utils.list_gpus()) == mx.num_gpus()
    True
    """
    return range(num_gpus())


def is_cd_run():
    """Whether the environment says that a release is being tested (CD_JOB=1)."""
    return os.environ.get("CD_JOB", "0") == "1"


def is_aarch64_run():
    """Whether this is a 64-bit Arm processor."""
    return platform.machine() in ("aarch64", "arm64")


def has_tvm_ops():
    """Whether operators made by TVM are there: never."""
    return False


def is_op_runnable():
    """Whether operators can run on the default device: always."""
    return True


@contextlib.contextmanager
def environment(*args):
    """A scope with other environment variables.

    Parameters
    ----------
    *args : str, str or dict
        A name and a value, or a dict of them; None removes a variable.

    Examples
    --------
    >>> with mx.test_utils.environment("MY_VARIABLE", "1"):
    ...     mx.util.getenv("MY_VARIABLE")
    '1'
    """
    if len(args) == 1 and isinstance(args[0], dict):
        wanted = args[0]
    elif len(args) == 2:
        wanted = {args[0]: args[1]}
    else:
        raise TypeError(f"environment: expected a name and a value, or a dict, got {len(args)} arguments")
    before = {name: os.environ.get(name) for name in wanted}
    try:
        _set(wanted)
        yield
    finally:
        _set(before)


def _set(values):
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = str(value)


class EnvManager:
    """A scope with another environment variable, see `environment`.

    Parameters
    ----------
    key, val : str
    """

    def __init__(self, key, val):
        self._scope = environment(key, val)

    def __enter__(self):
        self._scope.__enter__()
        return self

    def __exit__(self, kind, value, trace):
        return self._scope.__exit__(kind, value, trace)


def set_env_var(key, val, default_val=""):
    """Set an environment variable; returns what it was, or default_val.

    Examples
    --------
    >>> mx.test_utils.set_env_var("MY_OTHER_VARIABLE", "1", "0")
    '0'
    """
    before = os.environ.get(key, default_val)
    os.environ[key] = val
    return before


@contextlib.contextmanager
def discard_stderr():
    """A scope in which nothing that the process writes to its error output is seen.

    Examples
    --------
    >>> with mx.test_utils.discard_stderr():
    ...     pass
    """
    import sys
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


def retry(n):
    """A decorator that runs a test up to n times until it raises no AssertionError.

    Examples
    --------
    >>> mx.test_utils.retry(3)(lambda: 1)()
    1
    """
    if n <= 0:
        raise AssertionError(f"retry: expected a number above 0, got {n}")

    def decorate(f):
        @functools.wraps(f)
        def wrapped(*args, **kwargs):
            for k in range(n):
                try:
                    return f(*args, **kwargs)
                except AssertionError:
                    if k == n - 1:
                        raise
            return None
        return wrapped
    return decorate


class DummyIter:
    """Gives the first batch of an iterator again and again, to time what uses it.

    Parameters
    ----------
    real_iter : iterable of batches
    """

    def __init__(self, real_iter):
        self.real_iter = real_iter
        self.provide_data = getattr(real_iter, "provide_data", None)
        self.provide_label = getattr(real_iter, "provide_label", None)
        self.batch_size = getattr(real_iter, "batch_size", None)
        self.the_batch = next(iter(real_iter))

    def __iter__(self):
        return self

    def next(self):
        """The batch."""
        return self.the_batch

    __next__ = next

    def reset(self):
        """Nothing to do."""
