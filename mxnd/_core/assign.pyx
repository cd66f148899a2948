# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Copies between strided parts of arrays, and scattered rows: what indexed assignment needs."""
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from .array cimport MAXD, MX_I64, NDArray, mxnd_item
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


cdef int join_axes(Part* p, const Py_ssize_t* counts, const Py_ssize_t* to, const Py_ssize_t* source, int ndim) noexcept nogil:
    """Leave out axes of length 1 and join those that lie behind each other in both."""
    cdef int i
    p.ndim = 0
    for i in range(ndim):
        if counts[i] == 1:
            continue
        p.counts[p.ndim], p.to[p.ndim], p.source[p.ndim] = counts[i], to[i], source[i]
        if p.ndim and p.to[p.ndim - 1] == p.to[p.ndim] * p.counts[p.ndim] \
                and p.source[p.ndim - 1] == p.source[p.ndim] * p.counts[p.ndim]:
            p.counts[p.ndim - 1] *= p.counts[p.ndim]
            p.to[p.ndim - 1], p.source[p.ndim - 1] = p.to[p.ndim], p.source[p.ndim]
        else:
            p.ndim += 1
    return 0


cdef int run_part(char* a, const char* b, const Part* p, Py_ssize_t total, int item) except -1:
    cdef int t = threads_for(total)
    cdef Py_ssize_t k
    if p.ndim == 0:
        memcpy(a, b, item)
    elif total < 4096:
        copy_part(a, b, p, 0, item)
    elif p.ndim == 1 or t == 1:
        with nogil:
            copy_part(a, b, p, 0, item)
    else:
        for k in prange(p.counts[0], num_threads=t, schedule="static", nogil=True):
            copy_part(a + k * p.to[0] * item, b + k * p.source[0] * item, p, 1, item)
    return 0


cdef bint inside(Py_ssize_t size, Py_ssize_t start, const Py_ssize_t* strides, const Py_ssize_t* counts, int ndim) noexcept nogil:
    """Whether a part of at least one element lies in an array of this size."""
    cdef Py_ssize_t low = start, high = start
    cdef int i
    for i in range(ndim):
        if strides[i] > 0:
            high += (counts[i] - 1) * strides[i]
        else:
            low += (counts[i] - 1) * strides[i]
    return 0 <= low and high < size


cdef int copy_parts(NDArray to, Py_ssize_t to_start, const Py_ssize_t* to_strides, NDArray source, Py_ssize_t source_start,
                    const Py_ssize_t* source_strides, const Py_ssize_t* counts, int ndim) except -1:
    """Copy counts elements per axis from a part of one array to a part of another of the same dtype.

    Starts and strides are in elements; a source stride of 0 repeats.  Parts must not overlap."""
    cdef Part p
    cdef int i, item = mxnd_item[to.type]
    cdef Py_ssize_t total = 1
    if to.type != source.type or ndim > MAXD:
        raise ValueError("copy_strided: dtypes or numbers of axes differ")
    for i in range(ndim):
        total *= counts[i]
    if total == 0:
        return 0
    if not inside(to.size_, to_start, to_strides, counts, ndim) or not inside(source.size_, source_start, source_strides, counts, ndim):
        raise IndexError("copy_strided: the part lies outside the array")
    join_axes(&p, counts, to_strides, source_strides, ndim)
    return run_part(to.ptr + to_start * item, source.ptr + source_start * item, &p, total, item)


cdef int fill_parts(NDArray to, Py_ssize_t start, const Py_ssize_t* strides, const Py_ssize_t* counts, int ndim,
                    const char* one) except -1:
    """Set counts elements per axis of a part to one element."""
    cdef Part p
    cdef Py_ssize_t still[MAXD]
    cdef Py_ssize_t total = 1
    cdef int i, item = mxnd_item[to.type]
    for i in range(ndim):
        total *= counts[i]
        still[i] = 0
    if total == 0:
        return 0
    if not inside(to.size_, start, strides, counts, ndim):
        raise IndexError("fill_parts: the part lies outside the array")
    join_axes(&p, counts, strides, still, ndim)
    return run_part(to.ptr + start * item, one, &p, total, item)


def copy_strided(NDArray to not None, Py_ssize_t to_start, list to_strides, NDArray source not None, Py_ssize_t source_start,
                 list source_strides, list counts):
    """copy_parts() for lists of strides and counts."""
    cdef Py_ssize_t n[MAXD]
    cdef Py_ssize_t a[MAXD]
    cdef Py_ssize_t b[MAXD]
    cdef int i, ndim = <int>len(counts)
    if len(counts) > MAXD or len(counts) != len(to_strides) or len(counts) != len(source_strides):
        raise ValueError("copy_strided: numbers of axes differ")
    for i in range(ndim):
        n[i], a[i], b[i] = counts[i], to_strides[i], source_strides[i]
    copy_parts(to, to_start, a, source, source_start, b, n, ndim)


def scatter_rows(NDArray to not None, NDArray rows not None, Py_ssize_t row, NDArray source not None):
    """Copy rows of consecutive elements to the rows of the given numbers (int64); where one is named twice, the last stays."""
    cdef Py_ssize_t k, n = rows.size_, most = to.size_ // row if row else 0
    cdef const int64_t* at = <const int64_t*>rows.ptr
    cdef int item = mxnd_item[to.type]
    if to.type != source.type or source.size_ != n * row or rows.type != MX_I64:
        raise ValueError("scatter_rows: dtypes or sizes differ")
    if source.size_ == 0:
        return
    for k in range(n):
        if at[k] < 0 or at[k] >= most:
            raise IndexError(f"scatter_rows: row {at[k]} is out of bounds for {most} rows")
    with nogil:
        for k in range(n):
            copy_line(to.ptr + at[k] * row * item, 1, source.ptr + k * row * item, 1, row, item)
