# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Consecutive elements of an array, and zeros around them."""
include "kernel.pxi"


cdef int part(mxnd_call* c) noexcept nogil:
    """out = the elements from c.i[0] on."""
    cdef int item = item_size(c.out.type)
    if c.i[0] + c.out.size > c.inp.size:
        c.error = b"the part lies outside the array"
        return MX_VALUE_ERROR
    memcpy(c.out.data, c.inp.data + c.i[0] * item, c.out.size * item)
    return MX_OK


cdef int whole(mxnd_call* c) noexcept nogil:
    """out = zeros, with the input from element c.i[0] on."""
    cdef int item = item_size(c.out.type)
    cdef Py_ssize_t end = c.i[0] + c.inp.size
    if end > c.out.size:
        c.error = b"the part lies outside the array"
        return MX_VALUE_ERROR
    memset(c.out.data, 0, c.i[0] * item)
    memcpy(c.out.data + c.i[0] * item, c.inp.data, c.inp.size * item)
    memset(c.out.data + end * item, 0, (c.out.size - end) * item)
    return MX_OK


kernels = {"part": entry(part), "whole": entry(whole)}
