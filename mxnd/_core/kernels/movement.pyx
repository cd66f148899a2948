# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Copies, strided views, padding: kernels that move elements of any type."""
include "kernel.pxi"

cdef extern from "kernels/pad.h" nogil:
    ctypedef struct mx_view:
        Py_ssize_t units
    ctypedef struct mx_pad:
        Py_ssize_t lead, rows, plane_in
        char one[8]
    Py_ssize_t view_plan(mx_view* v, const int64_t* i, int item, int turning)
    void view_copy_part(const mx_view* v, char* o, const char* s, Py_ssize_t first, Py_ssize_t last)
    void view_run(const mx_view* v, char* o, const char* s, Py_ssize_t first, Py_ssize_t last, int back)
    int pad_plan(mx_pad* p, const int64_t* i, int type, int item)
    void pad_part(const mx_pad* p, char* o, const char* s, Py_ssize_t first, Py_ssize_t last)
    void pad_back(const mx_pad* p, char* o, const char* s, Py_ssize_t first, Py_ssize_t last)
    void copy_bytes(char* o, const char* s, Py_ssize_t n, int threads)
    void zero_bytes(char* o, Py_ssize_t n, int threads)
    void fill_all(char* o, const char* one, Py_ssize_t n, int item, int threads)
    void element(char* o, double v, int type)
    Py_ssize_t LARGE "MX_LARGE"


cdef int copy(mxnd_call* c) noexcept nogil:
    """The same elements under another shape."""
    copy_bytes(c.out[0].data, c.inp[0].data, c.out[0].size * item_size(c.out[0].type), c.threads)
    return MX_OK


cdef int too_many_axes(mxnd_call* c) noexcept nogil:
    c.error = b"too many axes"
    return MX_ERROR


cdef int view_copy(mxnd_call* c) noexcept nogil:
    """Output = the input seen through i: offset, n, n sizes, n strides (in elements)."""
    cdef mx_view v
    cdef int item = item_size(c.out[0].type), t, threads = c.threads
    cdef Py_ssize_t total = view_plan(&v, c.i, item, 1), units = v.units
    cdef char* o = c.out[0].data
    cdef const char* s = c.inp[0].data
    if total < 0:
        return too_many_axes(c)
    if total == 0:
        return MX_OK
    if threads < 2 or total * item < LARGE or units < 2:
        view_copy_part(&v, o, s, 0, units)
        return MX_OK
    for t in prange(threads, num_threads=threads, schedule="static"):
        view_copy_part(&v, o, s, units * t // threads, units * (t + 1) // threads)
    return MX_OK


cdef int put_view(mxnd_call* c, const char* s) noexcept nogil:
    """Writes s into the view i of the output."""
    cdef mx_view v
    cdef int item = item_size(c.out[0].type), t, threads = c.threads
    cdef Py_ssize_t total = view_plan(&v, c.i, item, 0), units = v.units
    cdef char* o = c.out[0].data
    if total < 0:
        return too_many_axes(c)
    if total == 0:
        return MX_OK
    if threads < 2 or total * item < LARGE or units < 2:
        view_run(&v, o, s, 0, units, 1)
        return MX_OK
    for t in prange(threads, num_threads=threads, schedule="static"):
        view_run(&v, o, s, units * t // threads, units * (t + 1) // threads, 1)
    return MX_OK


cdef int view_put(mxnd_call* c) noexcept nogil:
    """Output = zeros, with the input written into the view i."""
    zero_bytes(c.out[0].data, c.out[0].size * item_size(c.out[0].type), c.threads)
    return put_view(c, c.inp[0].data)


cdef int view_assign(mxnd_call* c) noexcept nogil:
    """Output = the first input, with the second one written into the view i."""
    cdef Py_ssize_t n = c.inp[1].size * item_size(c.inp[1].type)
    cdef char* own = NULL
    cdef const char* s = c.inp[1].data
    cdef int status
    if s == c.out[0].data and n:                   # out= names the second input
        own = <char*>c.take(n)
        if own == NULL:
            return MX_MEMORY_ERROR
        memcpy(own, s, n)
        s = own
    copy_bytes(c.out[0].data, c.inp[0].data, c.out[0].size * item_size(c.out[0].type), c.threads)
    status = put_view(c, s)
    if own != NULL:
        c.give(own)
    return status


cdef int view_fill(mxnd_call* c) noexcept nogil:
    """Output = the input, with the number d written into the view i."""
    cdef int item = item_size(c.out[0].type), status
    cdef Py_ssize_t n = 1, a
    cdef char one[8]
    cdef char* value
    for a in range(c.i[1]):
        n *= c.i[2 + a]
    copy_bytes(c.out[0].data, c.inp[0].data, c.out[0].size * item, c.threads)
    if n == 0:
        return MX_OK
    value = <char*>c.take(n * item)
    if value == NULL:
        return MX_MEMORY_ERROR
    element(one, c.d[0], c.out[0].type)
    fill_all(value, one, n, item, c.threads)
    status = put_view(c, value)
    c.give(value)
    return status


cdef int pad(mxnd_call* c) noexcept nogil:
    """Rows around the input: constant d, the edge repeated, or a reflection."""
    cdef mx_pad p
    cdef int item = item_size(c.out[0].type), t, threads = c.threads
    cdef Py_ssize_t units
    cdef char* o = c.out[0].data
    cdef const char* s = c.inp[0].data
    if not pad_plan(&p, c.i, c.out[0].type, item):
        return too_many_axes(c)
    element(p.one, c.d[0], c.out[0].type)
    units = p.lead * p.rows
    if threads < 2 or c.out[0].size * item < LARGE:
        pad_part(&p, o, s, 0, units)
        return MX_OK
    for t in prange(threads, num_threads=threads, schedule="static"):
        pad_part(&p, o, s, units * t // threads, units * (t + 1) // threads)
    return MX_OK


cdef int pad_adjoint(mxnd_call* c) noexcept nogil:
    """Adds every padded place to the place that it showed."""
    cdef mx_pad p
    cdef int item = item_size(c.out[0].type), t, threads = c.threads
    cdef char* o = c.out[0].data
    cdef const char* s = c.inp[0].data
    if not pad_plan(&p, c.i, c.out[0].type, item):
        return too_many_axes(c)
    if threads < 2 or c.inp[0].size * item < LARGE:
        pad_back(&p, o, s, 0, p.lead)
        return MX_OK
    for t in prange(threads, num_threads=threads, schedule="static"):
        pad_back(&p, o, s, p.lead * t // threads, p.lead * (t + 1) // threads)
    return MX_OK


kernels = {"copy": entry(copy), "view_copy": entry(view_copy), "view_put": entry(view_put),
           "view_assign": entry(view_assign), "view_fill": entry(view_fill), "pad": entry(pad),
           "pad_adjoint": entry(pad_adjoint)}
