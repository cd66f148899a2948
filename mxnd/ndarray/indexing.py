"""x[key] and x[key] = value: NumPy's rules; contiguous parts are views, others copies."""
import math

import numpy as np

from .._core.array import NDArray, elements_are_scalars, empty, from_numpy_copy
from .._core.assign import copy_strided, scatter_rows
from .._core.call import invoke, recording
from .._core.indexing import outer_sum, use_others
from .._core.plan import cast_array, cast_into
from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError

BASIC = (int, slice, type(None), type(Ellipsis), np.integer)


def is_basic(key):
    return isinstance(key, BASIC) and not isinstance(key, (bool, np.bool_))


def as_tuple(key):
    """The key as a tuple of items; nested lists, ranges and arrays become NumPy index arrays."""
    items = key if isinstance(key, tuple) else (key,)
    return tuple(item if is_basic(item) else index_array(item) for item in items)


def index_array(item):
    """An index array of whole numbers, or of booleans."""
    if isinstance(item, NDArray):
        item = item.asnumpy()
    elif isinstance(item, (list, tuple, range)):
        item = [i.asnumpy() if isinstance(i, NDArray) else i for i in item]
        try:
            item = np.asarray(item) if len(item) else np.zeros(0, np.int64)
        except ValueError:
            raise ValueError("index: a list has a wrong form; expected lists of equal lengths in it, got different ones") from None
    elif isinstance(item, (bool, np.bool_)):
        item = np.asarray(item)
    if not isinstance(item, np.ndarray):
        raise ValueError(f"index: a key has a wrong type; expected whole numbers, slices, None, ... or arrays of whole numbers "
                         f"or booleans, got {type(item).__name__}")
    if item.dtype.kind == "b":
        return item
    if item.dtype.kind not in "iuf":
        raise ValueError(f"index: an index array has a wrong dtype; expected whole numbers or booleans, got {item.dtype}")
    return item.astype(np.int64)             # floats are truncated, as in MXNet


def expand(items, ndim):
    """The key with ... written out, boolean arrays as index arrays, and one item per axis (plus None items)."""
    out, used = [], 0
    for item in items:
        if isinstance(item, np.ndarray) and item.dtype == bool and item.ndim > 0:
            used += item.ndim
        elif item is not None and item is not Ellipsis:
            used += 1
    if used > ndim:
        raise IndexError(f"index: too many indices; expected at most {ndim}, got {used}")
    seen = False
    for item in items:
        if item is Ellipsis:
            if seen:
                raise IndexError("index: an index can have only one ellipsis ('...')")
            seen = True
            out += [slice(None)] * (ndim - used)
        else:
            out.append(item)
    if not seen:
        out += [slice(None)] * (ndim - used)
    return out


def split_masks(items, shape):
    """Boolean arrays replaced by the positions they select."""
    out, axis = [], 0
    for item in items:
        if isinstance(item, np.ndarray) and item.dtype == bool:
            if item.ndim == 0:
                raise IndexError("index: a single boolean is not supported; expected an array of booleans")
            if item.shape != tuple(shape[axis:axis + item.ndim]):
                raise IndexError(f"index: a boolean array has a wrong shape; expected {tuple(shape[axis:axis + item.ndim])}, "
                                 f"got {item.shape}")
            out += list(np.nonzero(item))
            axis += item.ndim
        else:
            out.append(item)
            axis += item is not None
    return out


def one_index(i, n, axis):
    i = int(i)
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
    return i + n if i < 0 else i


def slice_of(s, n):
    """(start, step, count) of a slice over n elements."""
    try:
        r = range(n)[s]
    except TypeError:
        raise ValueError(f"index: a slice has a wrong bound; expected whole numbers or None, got {s}") from None
    except ValueError:
        raise ValueError("index: a slice step cannot be zero") from None
    return r.start, r.step if len(r) > 1 else 1, len(r)       # a step that is not taken may be of any size


class Basic:
    """A key of whole numbers, slices and None, worked out for a shape."""

    def __init__(self, items, shape):
        self.starts, self.steps, self.counts = [], [], []        # per axis of the array
        self.shape = []                                          # of the result
        axis = 0
        for item in items:
            if item is None:
                self.shape.append(1)
                continue
            n = shape[axis]
            if isinstance(item, slice):
                start, step, count = slice_of(item, n)
                self.shape.append(count)
            else:
                start, step, count = one_index(item, n, axis), 1, 1
            self.starts.append(start)
            self.steps.append(step)
            self.counts.append(count)
            axis += 1
        self.strides = [1] * len(shape)
        for i in range(len(shape) - 2, -1, -1):
            self.strides[i] = self.strides[i + 1] * shape[i + 1]
        self.offset = sum(a * b for a, b in zip(self.starts, self.strides)) if all(self.counts) else 0
        self.full = [c == n and s == 1 for c, s, n in zip(self.counts, self.steps, shape)]

    @property
    def contiguous(self):
        """Whether the elements lie side by side."""
        if not all(self.counts):
            return True
        last = max((i for i, f in enumerate(self.full) if not f), default=-1)
        return all(c == 1 for c in self.counts[:max(last, 0)]) and (last < 0 or self.steps[last] == 1 or self.counts[last] == 1)

    @property
    def result_shape(self):
        """MXNet gives single elements the shape (1,), outside `np_shape`."""
        return tuple(self.shape)


def getitem(x, key):
    """x[key] for keys that the compiled core does not do itself, and for wrong ones."""
    if isinstance(key, tuple) and not key or x.ndim == 0 and is_whole(key):
        return x
    items = split_masks(expand(as_tuple(key), x.ndim), x.shape)
    return get_advanced(x, items) if any(isinstance(i, np.ndarray) for i in items) else get_basic(x, items)


def get_basic(x, items):
    b = Basic(items, x.shape)
    shape = b.result_shape
    if not shape and x.ndim and not elements_are_scalars():
        shape = (1,)
    if b.contiguous:
        return x._view(shape, b.offset)
    op = REGISTRY["slice"]
    end = [s + st * c for s, st, c in zip(b.starts, b.steps, b.counts)]
    p = op.Params(tuple(b.starts), tuple(None if e < 0 else e for e in end), tuple(b.steps))
    y = invoke(op.core, (x,), p)
    return y if y.shape == shape else y._view(shape)


def rows_of(items, shape):
    """(int64 NDArray of row numbers, result shape before the rows, row shape) of a key with index arrays.

    A row is what the trailing whole axes hold; its number is its offset divided by its length."""
    rows = len(items)
    while rows and isinstance(items[rows - 1], slice) and items[rows - 1] == slice(None):
        rows -= 1
    axes = [None if item is None else sum(i is not None for i in items[:k]) for k, item in enumerate(items)]
    row_shape = tuple(shape[a] for a in axes[rows:])
    strides, acc = [], 1                                # in rows
    for n in reversed(shape[:len(shape) - len(row_shape)]):
        strides.insert(0, acc)
        acc *= n
    fancy = [k for k in range(rows) if isinstance(items[k], np.ndarray) or _is_int(items[k])]
    arrays = []
    for k in fancy:
        n, a = shape[axes[k]], axes[k]
        i = np.asarray(one_index(items[k], n, a) if _is_int(items[k]) else items[k], np.int64)
        if i.size and (i.min() < -n or i.max() >= n):
            bad = i[(i < -n) | (i >= n)].flat[0]
            raise IndexError(f"index {bad} is out of bounds for axis {a} with size {n}")
        arrays.append(np.where(i < 0, i + n, i) * strides[a])
    try:
        joint = sum(np.broadcast_arrays(*arrays)) if len(arrays) > 1 else arrays[0]
    except ValueError:
        raise ValueError(f"index: index arrays do not broadcast: {', '.join(str(a.shape) for a in arrays)}") from None
    together = fancy == list(range(fancy[0], fancy[-1] + 1))
    parts = [] if together else [joint]                 # what the result's axes add to the row number
    for k in range(rows):
        if k == fancy[0] and together:
            parts.append(joint)
        if k in fancy:
            continue
        if items[k] is None:
            parts.append(np.zeros(1, np.int64))
        else:
            start, step, count = slice_of(items[k], shape[axes[k]])
            parts.append((start + step * np.arange(count, dtype=np.int64)) * strides[axes[k]])
    return outer_sum(parts), tuple(n for part in parts for n in part.shape), row_shape


def _is_int(item):
    return isinstance(item, (int, np.integer)) and not isinstance(item, bool)


def get_advanced(x, items):
    rows, shape, row_shape = rows_of(items, x.shape)
    op = REGISTRY["_gather_rows"]
    return invoke(op.core, (x, rows), op.Params(shape + row_shape or (1,), math.prod(row_shape)))


def setitem(x, key, value):
    """x[key] = value."""
    if recording():
        followed = isinstance(value, NDArray) and value._tracked
        if x._tracked or x._grad_req is not None or followed and not is_whole(key):
            raise MXNetError("setitem: assigning to elements of a recorded array, or of one with a gradient, is not supported "
                             "while autograd records; expected an operator instead")
        if followed:
            set_recorded(x, value)
            return
    if isinstance(value, NDArray) and is_whole(key) and value.shape == x.shape and not x._shares(value) \
            and x.stype == value.stype == "default" and 2 not in (x._device[0], value._device[0]):
        cast_into(value, x)
        return
    if x.ndim == 0 and is_whole(key):                   # as in MXNet, x[:] is the whole of any array
        key = ()
    items = split_masks(expand(as_tuple(key), x.ndim), x.shape)
    if any(isinstance(i, np.ndarray) for i in items):
        set_advanced(x, items, value)
        return
    b = Basic(items, x.shape)
    value = value_array(x, value)
    counts = [c for c, item in zip(b.counts, [i for i in items if i is not None])]
    shape = tuple(b.shape)
    strides = broadcast_strides(value, shape)
    # drop axes that the key made or removed: one stride per axis of x
    per_axis, k = [], 0
    for item in items:
        if item is None:
            k += 1
        elif isinstance(item, slice):
            per_axis.append(strides[k])
            k += 1
        else:
            per_axis.append(0)
    copy_strided(x, b.offset, [s * t for s, t in zip(b.strides, b.steps)], value, 0, per_axis, counts)


def is_whole(key):
    """Whether a key stands for the whole array, whatever its shape."""
    return isinstance(key, slice) and key == slice(None) or key is Ellipsis


def set_recorded(x, value):
    """x[:] = value as an operator, so that the gradient of x goes on to value."""
    broadcast_strides(value, x.shape)                   # complains when the shapes do not fit
    if value._dtype_name != x._dtype_name:
        value = value._cast(x._dtype_name)
    if value.shape != x.shape:
        dims = value.shape[max(value.ndim - x.ndim, 0):]
        value = value._view((1,) * (x.ndim - len(dims)) + dims).broadcast_to(x.shape)
    invoke(REGISTRY["_copy"].core, (value,), (), x)


def value_array(x, value):
    """The value as an array of x's dtype that shares no memory with x."""
    if isinstance(value, NDArray):
        value = value.tostype("default") if value.stype != "default" else value
        if value._dtype_name != x._dtype_name:
            return cast_array(value, x._dtype_name)
        return value.copy() if value._shares(x) else value
    if isinstance(value, (str, bytes)) or value is None:
        raise TypeError(f"setitem: the value has a wrong type; expected a number or an array, got {type(value).__name__}")
    try:
        a = np.asarray(value)
        if a.dtype.kind not in "biuf":
            raise TypeError
    except (TypeError, ValueError):
        raise TypeError(f"setitem: the value has a wrong type; expected numbers or arrays, got {type(value).__name__}") from None
    if a.dtype.kind == "f" and x._dtype_name not in ("float32", "float64", "float16", "bfloat16", "bool"):
        return cast_array(from_numpy_copy(a, "float64"), x._dtype_name)
    return from_numpy_copy(a, x._dtype_name)


def broadcast_strides(value, shape):
    """Strides of value (in elements) stretched to shape; leading axes of length 1 are dropped, as MXNet allows."""
    dims = value.shape
    while len(dims) > len(shape) and dims[0] == 1:
        dims = dims[1:]
    if len(dims) > len(shape) or any(d not in (1, s) for d, s in zip(reversed(dims), reversed(shape))):
        raise ValueError(f"setitem: the value does not broadcast; expected shape {shape}, got {value.shape}")
    out, acc = [], 1
    for i in range(len(shape) - 1, -1, -1):
        d = dims[i - (len(shape) - len(dims))] if i >= len(shape) - len(dims) else 1
        out.insert(0, 0 if d == 1 else acc)
        acc *= d
    return out


def set_advanced(x, items, value):
    rows, shape, row_shape = rows_of(items, x.shape)
    value = value_array(x, value)
    full = shape + row_shape
    spread = empty(full, x._dtype_name)
    strides, acc = [], 1
    for n in reversed(full):
        strides.insert(0, acc)
        acc *= n
    copy_strided(spread, 0, strides, value, 0, broadcast_strides(value, full), list(full))
    scatter_rows(x, rows, math.prod(row_shape), spread)


def install():
    """Tell the compiled indexing what runs the keys it leaves alone."""
    op = REGISTRY["_gather_rows"]
    use_others(getitem, setitem, op.core, op.Params)
