# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Arrays made from numbers."""
include "kernel.pxi"

cdef extern from "kernels/movement.h" nogil:
    void fill_all(char* o, const char* one, Py_ssize_t n, int item, int threads)
    void zero_bytes(char* o, Py_ssize_t n, int threads)
    void element(char* o, double v, int type)
    Py_ssize_t LARGE "MX_LARGE"


cdef int fill(mxnd_call* c) noexcept nogil:
    """Every element is the number d."""
    cdef char one[8]
    element(one, c.d[0], c.out[0].type)
    fill_all(c.out[0].data, one, c.out[0].size, item_size(c.out[0].type), c.threads)
    return MX_OK


cdef void steps(char* o, int type, double start, double step, Py_ssize_t repeat, Py_ssize_t first,
                Py_ssize_t last) noexcept nogil:
    """Elements [first, last) of start + (k // repeat) * step."""
    cdef Py_ssize_t k, item = item_size(type)
    if type == MX_F32 and repeat == 1:
        for k in range(first, last):
            (<float*>o)[k] = <float>(start + k * step)
    elif type == MX_F64 and repeat == 1:
        for k in range(first, last):
            (<double*>o)[k] = start + k * step
    else:
        for k in range(first, last):
            element(o + k * item, start + (k // repeat) * step, type)


cdef int arange(mxnd_call* c) noexcept nogil:
    """d: start, step;  i: how often each value is repeated."""
    cdef Py_ssize_t n = c.out[0].size
    cdef int t, threads = c.threads, type = c.out[0].type
    if threads < 2 or n * item_size(type) < LARGE:
        steps(c.out[0].data, type, c.d[0], c.d[1], c.i[0], 0, n)
        return MX_OK
    for t in prange(threads, num_threads=threads, schedule="static"):
        steps(c.out[0].data, type, c.d[0], c.d[1], c.i[0], n * t // threads, n * (t + 1) // threads)
    return MX_OK


cdef int eye(mxnd_call* c) noexcept nogil:
    """i: rows, columns, and which diagonal holds the ones."""
    cdef Py_ssize_t rows = c.i[0], columns = c.i[1], k = c.i[2], r, item = item_size(c.out[0].type)
    zero_bytes(c.out[0].data, c.out[0].size * item, c.threads)
    for r in range(max(0, -k), min(rows, columns - k)):
        element(c.out[0].data + (r * columns + r + k) * item, 1.0, c.out[0].type)
    return MX_OK


cdef int linspace(mxnd_call* c) noexcept nogil:
    """d: start, stop, step;  i: whether stop is the last value."""
    cdef Py_ssize_t n = c.out[0].size
    cdef int type = c.out[0].type
    steps(c.out[0].data, type, c.d[0], c.d[2], 1, 0, n)
    if c.i[0] and n > 1:
        element(c.out[0].data + (n - 1) * item_size(type), c.d[1], type)
    return MX_OK


cdef int places(mxnd_call* c) noexcept nogil:
    """Row r holds the place of element r of a shape along the axes wanted.  i: k, then (length, size after) k times."""
    cdef Py_ssize_t k = c.i[0], n, r, a
    cdef int64_t* o = <int64_t*>c.out[0].data
    if k == 0:
        return MX_OK
    n = c.out[0].size // k
    for r in range(n):
        for a in range(k):
            o[r * k + a] = r // c.i[2 + 2 * a] % c.i[1 + 2 * a]
    return MX_OK


cdef int numbers(mxnd_call* c) noexcept nogil:
    """The whole numbers i, one per element of the int64 output."""
    memcpy(c.out[0].data, c.i, c.out[0].size * 8)
    return MX_OK


kernels = {"fill": entry(fill), "arange": entry(arange), "eye": entry(eye), "linspace": entry(linspace),
           "places": entry(places), "numbers": entry(numbers)}
