# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""x[key] and x[key] = value without Python objects in between, for the keys that programs use in loops.

Keys of whole numbers, slices, None and ... are worked out here, and so is one list or array of whole numbers along the
first axis; everything else, and every error about a key, is left to mxnd.ndarray.indexing."""
from cpython.bool cimport PyBool_Check
from cpython.float cimport PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.tuple cimport PyTuple_CheckExact
from libc.stdint cimport int32_t, int64_t

from .array cimport (MAXD, CPU, MX_F32, MX_F64, MX_I32, MX_I64, NDArray, Operator, mxnd_item, new_array, new_view, record_view,
                     scalars)
from .assign cimport copy_parts, fill_parts
from .call cimport is_recording

import numpy as np

from .call import invoke

cdef extern from "Python.h":
    int PySlice_Unpack(object s, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t* step) except -1
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t step)

cdef object whole_number = np.integer
cdef object other_get = None, other_set = None
cdef Operator gather = None
cdef object gather_params = None


def use_others(getitem_, setitem_, Operator gather_rows, params):
    """What runs the other keys: functions of (array, key) and (array, key, value); and the operator that reads rows."""
    global other_get, other_set, gather, gather_params
    other_get, other_set, gather, gather_params = getitem_, setitem_, gather_rows, params


cdef struct Basic:
    int axes, ndim                       # of the array, of the result
    Py_ssize_t counts[MAXD]              # per axis of the array
    Py_ssize_t strides[MAXD]             # from one element to the next, in elements
    Py_ssize_t shape[MAXD]               # of the result
    int place[MAXD]                      # of the array's axes in the result, or -1
    Py_ssize_t offset, size
    bint contiguous


cdef inline bint is_number(object item) noexcept:
    return PyLong_CheckExact(item)


cdef inline bint is_limit(object v) noexcept:
    return v is None or PyLong_CheckExact(v)


cdef bint parse(NDArray x, object key, Basic* b) except -1:
    """Work a key out; False when it is not of whole numbers, slices, None and ... (or is wrong)."""
    cdef Py_ssize_t count = 1, k, used = 0, n, start, stop, step, acc = 1
    cdef object item
    cdef slice s
    cdef int axis = 0, dots = 0, i, _
    cdef bint many = PyTuple_CheckExact(key)
    cdef Py_ssize_t size[MAXD]
    cdef Py_ssize_t first
    if many:
        count = len(<tuple>key)
        if count == 0:
            return False
    for k in range(count):
        item = (<tuple>key)[k] if many else key
        if is_number(item):
            used += 1
        elif type(item) is slice:
            s = <slice>item
            if not (is_limit(s.start) and is_limit(s.stop) and is_limit(s.step)):
                return False
            used += 1
        elif item is Ellipsis:
            dots += 1
        elif item is not None:
            if PyBool_Check(item) or not isinstance(item, whole_number):
                return False
            used += 1
    if dots > 1 or used > x.ndim_ or count + x.ndim_ > MAXD:
        return False
    for i in range(x.ndim_ - 1, -1, -1):
        size[i] = acc
        acc *= x.dims[i]
    b.axes, b.ndim, b.offset, b.size = x.ndim_, 0, 0, 1
    for k in range(count + 1):
        if k < count:
            item = (<tuple>key)[k] if many else key
        if k == count or item is Ellipsis:
            if k == count and dots:
                break
            for _ in range(x.ndim_ - <int>used):           # whole axes
                whole_axis(x, b, axis, size[axis])
                axis += 1
            continue
        if item is None:
            b.shape[b.ndim] = 1
            b.ndim += 1
            continue
        n = x.dims[axis]
        if type(item) is slice:
            PySlice_Unpack(item, &start, &stop, &step)
            b.counts[axis] = PySlice_AdjustIndices(n, &start, &stop, step)
            b.strides[axis] = size[axis] * step
            b.place[axis] = b.ndim
            b.shape[b.ndim] = b.counts[axis]
            b.ndim += 1
            b.size *= b.counts[axis]
            if b.counts[axis]:
                b.offset += start * size[axis]
        else:
            try:
                first = item
            except OverflowError:
                return False
            if first < 0:
                first += n
            if first < 0 or first >= n:
                return False
            b.counts[axis], b.strides[axis], b.place[axis] = 1, size[axis], -1
            b.offset += first * size[axis]
        axis += 1
    acc = 1
    b.contiguous = True
    for i in range(b.axes - 1, -1, -1):
        if b.counts[i] != 1:
            if b.strides[i] != acc:
                b.contiguous = False
            acc *= b.counts[i]
    if b.size == 0:
        b.contiguous, b.offset = True, 0
    return True


cdef inline void whole_axis(NDArray x, Basic* b, int axis, Py_ssize_t size) noexcept:
    b.counts[axis], b.strides[axis], b.place[axis] = x.dims[axis], size, b.ndim
    b.shape[b.ndim] = x.dims[axis]
    b.ndim += 1
    b.size *= x.dims[axis]


def _getitem(NDArray self not None, key):
    """self[key], for keys that NDArray.__getitem__ does not do itself."""
    cdef Basic b
    cdef NDArray y
    cdef Py_ssize_t packed[MAXD]
    cdef Py_ssize_t acc = 1
    cdef int i
    if self.stype_ or self.device != CPU:
        return other_get(self, key)
    if parse(self, key, &b):
        if b.ndim == 0 and self.ndim_ and not scalars():
            b.ndim, b.shape[0] = 1, 1                      # MXNet: an element has the shape (1,), outside np_shape
        if b.contiguous:
            return record_view(self, new_view(self, self.ptr + b.offset * mxnd_item[self.type], b.ndim, b.shape), b.offset)
        if self.node is not None and is_recording():
            return other_get(self, key)
        y = new_array(b.ndim, b.shape, self.type)
        y.device_id = self.device_id
        for i in range(b.axes - 1, -1, -1):
            packed[i] = acc
            acc *= b.counts[i]
        copy_parts(y, 0, packed, self, b.offset, b.strides, b.counts, b.axes)
        return y
    if self.ndim_ and self.size_:
        where = rows_of(self, key)
        if where is not None:
            return rows(self, <NDArray>where)
    return other_get(self, key)


cdef object rows(NDArray x, NDArray where):
    """The rows of x that an int64 array names, all in range."""
    cdef tuple shape = tuple([where.dims[i] for i in range(where.ndim_)] + [x.dims[i] for i in range(1, x.ndim_)])
    return invoke(gather, (x, where), gather_params(shape if shape else (1,), x.size_ // x.dims[0]))


cdef object rows_of(NDArray x, object key):
    """Row numbers that a list of whole numbers or a whole-number array names, as int64 and in range; else None."""
    cdef NDArray given, where
    cdef Py_ssize_t n, i, dims[1]
    cdef int64_t v, most = x.dims[0]
    cdef int64_t* to
    cdef bint fits = True
    if PyList_CheckExact(key):
        n = len(<list>key)
        if n == 0:
            return None
        dims[0] = n
        where = new_array(1, dims, MX_I64)
        to = <int64_t*>where.ptr
        for i in range(n):
            item = (<list>key)[i]
            if not PyLong_CheckExact(item):
                return None
            try:
                v = item
            except OverflowError:
                return None
            v = v + most if v < 0 else v
            if v < 0 or v >= most:
                return None
            to[i] = v
        return where
    if not isinstance(key, NDArray):
        return None
    given = <NDArray>key
    if given.stype_ or given.device != CPU or given.type not in (MX_I64, MX_I32, MX_F32, MX_F64) or given.size_ == 0:
        return None
    where = new_array(given.ndim_, given.dims, MX_I64)
    to = <int64_t*>where.ptr
    n = given.size_
    with nogil:
        for i in range(n):
            if given.type == MX_I64:
                v = (<int64_t*>given.ptr)[i]
            elif given.type == MX_I32:
                v = (<int32_t*>given.ptr)[i]
            else:
                fits &= whole_part((<float*>given.ptr)[i] if given.type == MX_F32 else (<double*>given.ptr)[i], &v)
            v = v + most if v < 0 else v
            fits &= 0 <= v < most
            to[i] = v
    return where if fits else None


cdef inline bint whole_part(double f, int64_t* v) noexcept nogil:
    """Positions given as floats are truncated, as in MXNet; False for NaN and what no array has."""
    v[0] = 0
    if not -9e15 < f < 9e15:
        return False
    v[0] = <int64_t>f
    return True


def outer_sum(list parts):
    """An int64 array of the sums of one element of each part (int64 arrays of NumPy, of any shape): the outer sum."""
    cdef Py_ssize_t dims[MAXD]
    cdef Py_ssize_t total = 1, inner, i, j, n
    cdef int64_t v
    cdef const int64_t[::1] part
    cdef NDArray y
    cdef int64_t* to
    for p in parts:
        total *= p.size
    dims[0] = total
    y = new_array(1, dims, MX_I64)
    to = <int64_t*>y.ptr
    if total == 0:
        return y
    to[0] = 0
    n = 1                                                  # sums made so far; they spread from the back, so that none is lost
    for p in parts:
        part = p.reshape(-1)
        inner = part.shape[0]
        for i in range(n - 1, -1, -1):
            v = to[i]
            for j in range(inner - 1, -1, -1):
                to[i * inner + j] = v + part[j]
        n *= inner
    return y


cdef bint typed(object value, int type, char* one) except -1:
    """Write a number as an element, where no rule about its range is needed."""
    cdef double d
    cdef int64_t w
    if type == MX_F32 or type == MX_F64:
        if not (PyFloat_CheckExact(value) or PyLong_CheckExact(value)):
            return False
        try:
            d = value
        except OverflowError:
            return False
        if type == MX_F32:
            (<float*>one)[0] = <float>d
        else:
            (<double*>one)[0] = d
        return True
    if not PyLong_CheckExact(value) or not -128 <= value <= 127:
        return False
    w = value
    if type == MX_I64:
        (<int64_t*>one)[0] = w
    elif type == MX_I32:
        (<int32_t*>one)[0] = <int32_t>w
    else:
        return False
    return True


cdef bint spread(NDArray value, const Basic* b, Py_ssize_t* strides) noexcept:
    """Strides of value stretched to the key's shape, per axis of the array; False when it does not broadcast."""
    cdef Py_ssize_t by_shape[MAXD]
    cdef Py_ssize_t acc = 1
    cdef int i, k, ahead = value.ndim_ - b.ndim
    for i in range(ahead):
        if value.dims[i] != 1:
            return False
    for i in range(b.ndim - 1, -1, -1):
        k = i + ahead
        by_shape[i] = 0
        if k >= 0 and value.dims[k] != 1:
            if value.dims[k] != b.shape[i]:
                return False
            by_shape[i] = acc
            acc *= value.dims[k]
    for i in range(b.axes):
        strides[i] = by_shape[b.place[i]] if b.place[i] >= 0 else 0
    return True


def _setitem(NDArray self not None, key, value):
    """self[key] = value."""
    cdef Basic b
    cdef char one[8]
    cdef Py_ssize_t strides[MAXD]
    cdef NDArray v
    if not self.stype_ and self.device == CPU and not is_recording() and parse(self, key, &b):
        if isinstance(value, NDArray):
            v = <NDArray>value
            if not v.stype_ and v.device == CPU and v.type == self.type and v.buf is not self.buf and spread(v, &b, strides):
                copy_parts(self, b.offset, b.strides, v, 0, strides, b.counts, b.axes)
                return
        elif typed(value, self.type, one):
            fill_parts(self, b.offset, b.strides, b.counts, b.axes, one)
            return
    other_set(self, key, value)
