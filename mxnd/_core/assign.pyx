# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Copies between strided parts of arrays, and scattered rows: what indexed assignment needs."""
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from .array cimport MAXD, NDArray, mxnd_item
from .threads cimport threads_for
from cython.parallel cimport prange


cdef struct Part:
    int ndim
    Py_ssize_t counts[MAXD]
    Py_ssize_t to[MAXD]
    Py_ssize_t source[MAXD]


cdef void copy_line(char* to, Py_ssize_t st, const char* x, Py_ssize_t sx, Py_ssize_t n, int item) noexcept nogil:
    """n elements between two strides (in elements)."""
    cdef Py_ssize_t i
    if st == 1 and sx == 1:
        memcpy(to, x, n * item)
    elif item == 4:
        for i in range(n):
            (<int*>to)[i * st] = (<int*>x)[i * sx]
    elif item == 8:
        for i in range(n):
            (<int64_t*>to)[i * st] = (<int64_t*>x)[i * sx]
    elif item == 2:
        for i in range(n):
            (<short*>to)[i * st] = (<short*>x)[i * sx]
    else:
        for i in range(n):
            to[i * st] = x[i * sx]


cdef void copy_part(char* to, const char* x, const Part* p, int axis, int item) noexcept nogil:
    cdef Py_ssize_t i
    if axis == p.ndim - 1:
        copy_line(to, p.to[axis], x, p.source[axis], p.counts[axis], item)
        return
    for i in range(p.counts[axis]):
        copy_part(to + i * p.to[axis] * item, x + i * p.source[axis] * item, p, axis + 1, item)


cdef Py_ssize_t reach(list counts, list strides, Py_ssize_t start, bint last):
    """The lowest or highest element that a strided part touches."""
    cdef Py_ssize_t at = start
    for n, s in zip(counts, strides):
        if (s > 0) == last and n > 0:
            at += (n - 1) * s
    return at


def copy_strided(NDArray to not None, Py_ssize_t to_start, list to_strides, NDArray source not None, Py_ssize_t source_start,
                 list source_strides, list counts):
    """Copy counts elements per axis from a part of one array to a part of another of the same dtype.

    Starts and strides are in elements; a source stride of 0 repeats.  Parts must not overlap."""
    cdef Part p
    cdef int i, item = mxnd_item[to.type]
    cdef Py_ssize_t total = 1
    if to.type != source.type or len(counts) > MAXD or len(counts) != len(to_strides) or len(counts) != len(source_strides):
        raise ValueError("copy_strided: dtypes or numbers of axes differ")
    for i in range(len(counts)):
        total *= <Py_ssize_t>counts[i]
    if total == 0:
        return
    if not (0 <= reach(counts, to_strides, to_start, False) and reach(counts, to_strides, to_start, True) < to.size_
            and 0 <= reach(counts, source_strides, source_start, False)
            and reach(counts, source_strides, source_start, True) < source.size_):
        raise IndexError("copy_strided: the part lies outside the array")
    p.ndim = 0
    for i in range(len(counts)):
        if counts[i] == 1:
            continue
        p.counts[p.ndim], p.to[p.ndim], p.source[p.ndim] = counts[i], to_strides[i], source_strides[i]
        if p.ndim and p.to[p.ndim - 1] == p.to[p.ndim] * p.counts[p.ndim] \
                and p.source[p.ndim - 1] == p.source[p.ndim] * p.counts[p.ndim]:
            p.counts[p.ndim - 1] *= p.counts[p.ndim]
            p.to[p.ndim - 1], p.source[p.ndim - 1] = p.to[p.ndim], p.source[p.ndim]
        else:
            p.ndim += 1
    cdef char* a = to.ptr + to_start * item
    cdef const char* b = source.ptr + source_start * item
    cdef int t = threads_for(total)
    cdef Py_ssize_t k
    if p.ndim == 0:
        memcpy(a, b, item)
    elif p.ndim == 1 or t == 1:
        with nogil:
            copy_part(a, b, &p, 0, item)
    else:
        for k in prange(p.counts[0], num_threads=t, schedule="static", nogil=True):
            copy_part(a + k * p.to[0] * item, b + k * p.source[0] * item, &p, 1, item)


def scatter_rows(NDArray to not None, const int64_t[::1] offsets, Py_ssize_t row, NDArray source not None):
    """Copy rows of consecutive elements to the given offsets; where one is named twice, the last row stays."""
    cdef Py_ssize_t k, n = offsets.shape[0], most = to.size_ - row
    cdef int item = mxnd_item[to.type]
    if to.type != source.type or source.size_ != n * row:
        raise ValueError("scatter_rows: dtypes or sizes differ")
    for k in range(n):
        if offsets[k] < 0 or offsets[k] > most:
            raise IndexError(f"scatter_rows: offset {offsets[k]} is out of bounds for size {to.size_}")
    with nogil:
        for k in range(n):
            copy_line(to.ptr + offsets[k] * item, 1, source.ptr + k * row * item, 1, row, item)
