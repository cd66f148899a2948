# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Batches of sequences with their own lengths: time first (axis 0) or second (axis 1)."""
include "kernel.pxi"

cdef extern from "kernels/index.h" nogil:
    void index_read(int64_t* o, const char* data, int type, Py_ssize_t first, Py_ssize_t n)
    void fill_row "fill"(char* o, const char* one, Py_ssize_t n, int item)
    void copy_rows(char* o, Py_ssize_t to, const char* s, Py_ssize_t from_, Py_ssize_t rows, size_t bytes,
                   int stream)
    void copy_row(char* o, const char* s, size_t bytes)
    void copy_bytes(char* o, const char* s, Py_ssize_t n, int threads)
    void zero_bytes(char* o, Py_ssize_t n, int threads)
    void element(char* o, double v, int type)


cdef struct Batch:
    # steps, sequences, elements of one step; bytes from one step and from one sequence to the next
    Py_ssize_t steps, count, inner, step, next


cdef Batch batch_of(const int64_t* i, int item) noexcept nogil:
    """i: steps, sequences, elements a step, the time axis."""
    cdef Batch b
    b.steps, b.count, b.inner = i[0], i[1], i[2]
    b.step = b.inner * item * (b.count if i[3] == 0 else 1)
    b.next = b.inner * item * (1 if i[3] == 0 else b.steps)
    return b


cdef Py_ssize_t length_of(mxnd_call* c, int k, Py_ssize_t n, Py_ssize_t steps) noexcept nogil:
    """Length of sequence n by input k, held to 0 ... steps; all steps without that input."""
    cdef int64_t v
    if k >= c.nin:
        return steps
    index_read(&v, c.inp[k].data, c.inp[k].type, n, 1)
    return max(0, min(v, steps))


cdef int sequence_mask(mxnd_call* c) noexcept nogil:
    """Inputs data, lengths: steps past the length become the number d."""
    cdef int item = item_size(c.out[0].type)
    cdef Batch b = batch_of(c.i, item)
    cdef Py_ssize_t n, t
    cdef char one[8]
    element(one, c.d[0], c.out[0].type)
    copy_bytes(c.out[0].data, c.inp[0].data, c.out[0].size * item, c.threads)
    for n in range(b.count):
        for t in range(length_of(c, 1, n, b.steps), b.steps):
            fill_row(c.out[0].data + n * b.next + t * b.step, one, b.inner, item)
    return MX_OK


cdef int sequence_last(mxnd_call* c) noexcept nogil:
    """Inputs data, lengths: the last step of each sequence."""
    cdef int item = item_size(c.out[0].type)
    cdef Batch b = batch_of(c.i, item)
    cdef Py_ssize_t n, t
    if c.out[0].size == 0:
        return MX_OK
    if b.steps == 0:
        c.error = b"the sequences have no steps"
        return MX_ERROR
    for n in range(b.count):
        t = max(0, length_of(c, 1, n, b.steps) - 1)
        copy_row(c.out[0].data + n * b.inner * item, c.inp[0].data + n * b.next + t * b.step, b.inner * item)
    return MX_OK


cdef int sequence_last_put(mxnd_call* c) noexcept nogil:
    """Adjoint of sequence_last: inputs steps, lengths."""
    cdef int item = item_size(c.out[0].type)
    cdef Batch b = batch_of(c.i, item)
    cdef Py_ssize_t n, t
    zero_bytes(c.out[0].data, c.out[0].size * item, c.threads)
    if c.out[0].size == 0:
        return MX_OK
    for n in range(b.count):
        t = max(0, length_of(c, 1, n, b.steps) - 1)
        copy_row(c.out[0].data + n * b.next + t * b.step, c.inp[0].data + n * b.inner * item, b.inner * item)
    return MX_OK


cdef int sequence_reverse(mxnd_call* c) noexcept nogil:
    """Inputs data, lengths: the steps up to the length in the opposite order, those past it as they are."""
    cdef int item = item_size(c.out[0].type)
    cdef Batch b = batch_of(c.i, item)
    cdef Py_ssize_t n, length
    cdef const char* s
    cdef char* o
    for n in range(b.count):
        length = length_of(c, 1, n, b.steps)
        s = c.inp[0].data + n * b.next
        o = c.out[0].data + n * b.next
        if length:
            copy_rows(o, b.step, s + (length - 1) * b.step, -b.step, length, b.inner * item, 0)
        if length < b.steps:
            copy_rows(o + length * b.step, b.step, s + length * b.step, b.step, b.steps - length, b.inner * item, 0)
    return MX_OK


kernels = {"sequence_mask": entry(sequence_mask), "sequence_last": entry(sequence_last),
           "sequence_last_put": entry(sequence_last_put), "sequence_reverse": entry(sequence_reverse)}
