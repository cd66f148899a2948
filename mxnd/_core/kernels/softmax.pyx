# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Softmax, log_softmax and their gradients along the middle axis of [outer, n, inner]; the loops are in softmax.h."""
include "kernel.pxi"

cdef extern from "softmax.h" nogil:
    void softmax_range_f32(const float* x, float* o, Py_ssize_t n, Py_ssize_t inner, float scale, int log,
                           const int64_t* length, float* row, Py_ssize_t first, Py_ssize_t last)
    void softmax_range_f64(const double* x, double* o, Py_ssize_t n, Py_ssize_t inner, double scale, int log,
                           const int64_t* length, double* row, Py_ssize_t first, Py_ssize_t last)
    void backward_range_f32(const float* g, const float* y, float* o, Py_ssize_t n, Py_ssize_t inner, float scale, int log,
                            Py_ssize_t first, Py_ssize_t last)
    void backward_range_f64(const double* g, const double* y, double* o, Py_ssize_t n, Py_ssize_t inner, double scale,
                            int log, Py_ssize_t first, Py_ssize_t last)
    void to_working(const mxnd_tensor* x, void* to, int type)
    void from_working(const void* source, int type, mxnd_tensor* out)
    int64_t length_at(const mxnd_tensor* t, Py_ssize_t i)

cdef enum:
    SMALL = 8192                         # fewer elements are not worth a second thread


cdef inline Py_ssize_t pieces(mxnd_call* c, Py_ssize_t places) noexcept nogil:
    """Into how many pieces to split the places."""
    if c.threads == 1 or c.out.size < SMALL:
        return 1
    return min(places, 4 * c.threads)


cdef inline void forward_range(char* x, char* o, mxnd_call* c, int type, int64_t* length, char* row, Py_ssize_t first,
                               Py_ssize_t last) noexcept nogil:
    if type == MX_F64:
        softmax_range_f64(<double*>x, <double*>o, c.i[1], c.i[2], c.d[0], c.i[3], length, <double*>row, first, last)
    else:
        softmax_range_f32(<float*>x, <float*>o, c.i[1], c.i[2], <float>c.d[0], c.i[3], length, <float*>row, first, last)


cdef inline void backward_range(char* g, char* y, char* o, mxnd_call* c, int type, Py_ssize_t first,
                                Py_ssize_t last) noexcept nogil:
    if type == MX_F64:
        backward_range_f64(<double*>g, <double*>y, <double*>o, c.i[1], c.i[2], c.d[0], c.i[3], first, last)
    else:
        backward_range_f32(<float*>g, <float*>y, <float*>o, c.i[1], c.i[2], <float>c.d[0], c.i[3], first, last)


cdef char* working(mxnd_call* c, mxnd_tensor* t, int type, bint filled) noexcept nogil:
    """The array's own memory where it has the type; otherwise scratch of that type, filled with its values."""
    cdef char* data = t.data
    if t.type != type:
        data = <char*>c.take(t.size * item_size(type))
        if data != NULL and filled:
            to_working(t, data, type)
    return data


cdef int softmax(mxnd_call* c) noexcept nogil:
    """c.i: outer, n, inner, whether the logarithm is wanted; c.d: the factor of the data; a second input: lengths."""
    cdef Py_ssize_t n = c.i[1], places = c.i[0] * c.i[2], i, some = pieces(c, places)
    cdef int type = MX_F64 if c.inp[0].type == MX_F64 or c.out[0].type == MX_F64 else MX_F32, width = item_size(type)
    cdef char* x
    cdef char* o
    cdef char* row = NULL
    cdef int64_t* length = NULL
    if c.out[0].size == 0:
        return MX_OK
    x, o = working(c, c.inp, type, True), working(c, c.out, type, False)
    if c.nin > 1:
        length = <int64_t*>c.take(places * 8)
        row = <char*>c.take(some * n * width)
    if x == NULL or o == NULL or c.nin > 1 and (length == NULL or row == NULL):
        return MX_MEMORY_ERROR
    if c.nin > 1:
        for i in range(places):
            length[i] = length_at(c.inp + 1, i)
    if some == 1:
        forward_range(x, o, c, type, length, row, 0, places)
    else:
        for i in prange(some, num_threads=c.threads, schedule="static"):
            forward_range(x, o, c, type, length, row + i * n * width, places * i // some, places * (i + 1) // some)
    if o != c.out.data:
        from_working(o, type, c.out)
        c.give(o)
    if x != c.inp.data:
        c.give(x)
    if c.nin > 1:
        c.give(length)
        c.give(row)
    return MX_OK


cdef int softmax_backward(mxnd_call* c) noexcept nogil:
    """Inputs: head gradient and result; c.i and c.d as above."""
    cdef Py_ssize_t places = c.i[0] * c.i[2], i, some = pieces(c, places)
    cdef int type = MX_F64 if c.out[0].type == MX_F64 else MX_F32
    cdef char* g
    cdef char* y
    cdef char* o
    if c.out[0].size == 0:
        return MX_OK
    g, y, o = working(c, c.inp, type, True), working(c, c.inp + 1, type, True), working(c, c.out, type, False)
    if g == NULL or y == NULL or o == NULL:
        return MX_MEMORY_ERROR
    if some == 1:
        backward_range(g, y, o, c, type, 0, places)
    else:
        for i in prange(some, num_threads=c.threads, schedule="static"):
            backward_range(g, y, o, c, type, places * i // some, places * (i + 1) // some)
    if o != c.out.data:
        from_working(o, type, c.out)
        c.give(o)
    if y != c.inp[1].data:
        c.give(y)
    if g != c.inp.data:
        c.give(g)
    return MX_OK


kernels = {"softmax": entry(softmax), "softmax_backward": entry(softmax_backward)}
