"""mx.nd: arrays, and one function per declared operator; many of them are also methods of NDArray."""
import sys
import types

from .._core.array import NDArray, add_method
from ..namespaces import NAMES, home
from ..ops.fluent import METHODS as _FLUENT
from . import arithmetic as _arithmetic
from . import control as _control
from . import finite as _finite
from . import functions as _functions
from . import indexing as _indexing
from . import internal as _written
from . import interop as _interop
from . import methods as _methods
from . import random as _random
from . import updates as _updates
from .convert import array, from_dlpack, from_numpy, to_dlpack_for_read, to_dlpack_for_write
from .create import arange, concatenate, empty, eye, full, linspace, moveaxis, onehot_encode, ones, zeros
from .keys import get_indexing_dispatch_code, get_oshape_of_gather_nd_op, indexing_key_expand_implicit_axes


def _namespaces():
    """Modules op, linalg, random, ... beside this one."""
    made = {}
    for name in NAMES:
        if name == "random":
            made[name] = _random
            continue
        made[name] = m = types.ModuleType(f"{__name__}.{name}", f"Operators of mx.nd.{name}.")
        sys.modules[m.__name__] = m
    return made


_SPACES = _namespaces()
globals().update(_SPACES)
for _name, _f in _functions.FUNCTIONS.items():
    _space, _short = home(_name)
    if _space is None:
        continue
    setattr(_SPACES[_space], _short, _f)
    if _space == "op":
        globals().setdefault(_short, _f)
globals().update(_arithmetic.FUNCTIONS)
for _name in _control.__all__:
    setattr(_SPACES["contrib"], _name, getattr(_control, _name))
for _name, _table in (("contrib", _finite.FUNCTIONS), ("contrib", _updates.FUNCTIONS), ("_internal", _written.FUNCTIONS)):
    _SPACES[_name].__dict__.update(_table)
_SPACES["contrib"].uniform, _SPACES["contrib"].rand_zipfian = _random.uniform, _random.rand_zipfian

_indexing.install()
for _table in (_methods.METHODS, _methods.PROPERTIES, _interop.METHODS):
    for _name, _f in _table.items():
        add_method(NDArray, _name, _f)
for _name in _FLUENT:
    if _name in _functions.FUNCTIONS and _name not in _methods.METHODS:
        add_method(NDArray, _name, _functions.FUNCTIONS[_name])


def waitall():
    """Wait for all operators: they run at the call, so nothing is left to wait for.

    Examples
    --------
    >>> mx.nd.waitall()
    """


def split_v2(ary, indices_or_sections, axis=0, squeeze_axis=False):
    """Parts of an array along an axis.

    Parameters
    ----------
    ary : NDArray
    indices_or_sections : int or tuple of int
        How many equal parts, or where the parts begin.
    axis : int, default 0
    squeeze_axis : bool, default False
        Remove the axis from parts of length 1.

    Returns
    -------
    NDArray or list of NDArray

    Examples
    --------
    >>> [y.shape for y in mx.nd.split_v2(mx.nd.ones((4, 2)), (1,))]
    [(1, 2), (3, 2)]
    """
    if isinstance(indices_or_sections, int):
        return _SPACES["_internal"]._split_v2(ary, indices=(0,), axis=axis, squeeze_axis=squeeze_axis, sections=indices_or_sections)
    indices = (0, *indices_or_sections)
    return _SPACES["_internal"]._split_v2(ary, indices=indices, axis=axis, squeeze_axis=squeeze_axis)


def save(fname, data):
    """Write arrays to a file in MXNet's .params format, see `mxnd.params.save`."""
    from ..params import save as f
    return f(fname, data)


def load(fname):
    """Read arrays from a .params file, see `mxnd.params.load`."""
    from ..params import load as f
    return f(fname)


def load_frombuffer(buf):
    """Read arrays from the bytes of a .params file, see `mxnd.params.load_frombuffer`."""
    from ..params import load_frombuffer as f
    return f(buf)


def histogram(a, bins=10, range=None):
    """How many elements fall into each of several intervals.

    Parameters
    ----------
    a : NDArray
    bins : int or NDArray, default 10
        How many equal intervals, or their edges.
    range : tuple of float, optional
        From where to where; default: from the least to the greatest element.

    Returns
    -------
    list of NDArray
        Counts and edges; without `range` a tuple, in float32.

    Examples
    --------
    >>> mx.nd.histogram(mx.nd.array([1, 2, 2]), bins=2, range=(0, 4))[0].asnumpy()
    array([1, 2])
    """
    f = _functions.FUNCTIONS["_histogram"]
    if isinstance(bins, NDArray):
        return f(a, bins)
    if range is None:                  # as MXNet: counts and edges in float32, a tuple
        a = a.astype("float64")
        low, high = (a.min().asscalar(), a.max().asscalar()) if a.size else (0.0, 1.0)
        range = (low, high) if low < high else (low - 0.5, high + 0.5)
        return tuple(part.astype("float32") for part in f(a, bin_cnt=bins, range=range))
    return f(a, bin_cnt=bins, range=range)


from . import ndarray, utils  # noqa: E402  (they offer what is above)
