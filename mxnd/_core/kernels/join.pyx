# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Joining arrays along an axis, and cutting them apart."""
include "kernel.pxi"

cdef extern from "kernels/movement.h" nogil:
    void copy_rows(char* o, Py_ssize_t to, const char* s, Py_ssize_t from_, Py_ssize_t rows, size_t bytes, int stream)
    void copy_bytes(char* o, const char* s, Py_ssize_t n, int threads)
    Py_ssize_t LARGE "MX_LARGE"
    Py_ssize_t STREAM "MX_STREAM"


cdef void move_rows(char* o, Py_ssize_t to, const char* s, Py_ssize_t from_, Py_ssize_t rows, Py_ssize_t n,
                    int stream, int threads) noexcept nogil:
    """rows rows of n bytes; they start `to` and `from_` bytes apart."""
    cdef int t
    if rows == 1:
        copy_bytes(o, s, n, threads)
    elif threads < 2 or rows * n < LARGE:
        copy_rows(o, to, s, from_, rows, n, stream)
    else:
        for t in prange(threads, num_threads=threads, schedule="static"):
            copy_rows(o + rows * t // threads * to, to, s + rows * t // threads * from_, from_,
                      rows * (t + 1) // threads - rows * t // threads, n, stream)


cdef int concat(mxnd_call* c) noexcept nogil:
    """i: how many times the inputs alternate (the size before the axis)."""
    cdef Py_ssize_t outer = c.i[0], item = item_size(c.out[0].type), at = 0, n, row
    cdef int k
    if c.out[0].size == 0:
        return MX_OK
    row = c.out[0].size // outer * item
    for k in range(c.nin):
        n = c.inp[k].size // outer * item
        if n:
            move_rows(c.out[0].data + at, row, c.inp[k].data, n, outer, n, row * outer >= STREAM, c.threads)
        at += n
    return MX_OK


cdef int split(mxnd_call* c) noexcept nogil:
    """i: the size before the axis, then where each output begins (in elements of one turn)."""
    cdef Py_ssize_t outer = c.i[0], item = item_size(c.inp[0].type), n, row
    cdef int k
    if c.inp[0].size == 0:
        return MX_OK
    row = c.inp[0].size // outer * item
    for k in range(c.nout):
        n = c.out[k].size // outer * item
        if n:
            move_rows(c.out[k].data, n, c.inp[0].data + c.i[1 + k] * item, row, outer, n, row * outer >= STREAM, c.threads)
    return MX_OK


kernels = {"concat": entry(concat), "split": entry(split)}
