# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Order along the middle axis of [outer, n, inner]: sort, argsort, topk, taking and adding by places; histogram."""
include "kernel.pxi"

cdef extern from "sort.h" nogil:
    enum: WANT_INDICES, WANT_VALUES, WANT_MASK
    Py_ssize_t order_room(int type, Py_ssize_t n, Py_ssize_t k)
    void order_range(const mxnd_tensor* x, mxnd_tensor* out, mxnd_tensor* places, Py_ssize_t n, Py_ssize_t inner,
                     Py_ssize_t k, int descending, int want, char* scratch, Py_ssize_t first, Py_ssize_t last)
cdef extern from "along.h" nogil:
    Py_ssize_t take_along(const mxnd_tensor* x, const mxnd_tensor* index, mxnd_tensor* out, Py_ssize_t n, Py_ssize_t k,
                          Py_ssize_t inner)
    Py_ssize_t put_along(const mxnd_tensor* g, const mxnd_tensor* index, mxnd_tensor* out, Py_ssize_t n, Py_ssize_t k,
                         Py_ssize_t inner)
    void even_edges(mxnd_tensor* edges, Py_ssize_t bins, double low, double high)
    void count_into(const mxnd_tensor* x, const mxnd_tensor* edges, int64_t* counts, Py_ssize_t bins, int even)

cdef enum:
    SMALL = 4096                         # fewer elements are not worth a second thread


cdef int order(mxnd_call* c) noexcept nogil:
    """c.i: outer, n, inner, k, whether descending, what is wanted; a second output gets the places."""
    cdef Py_ssize_t n = c.i[1], inner = c.i[2], k = c.i[3], places = c.i[0] * inner, some = 1, i, room
    cdef int descending = c.i[4], want = c.i[5]
    cdef mxnd_tensor* second = c.out + 1 if c.nout > 1 and c.out[1].data != NULL else NULL
    cdef char* scratch
    if want == WANT_MASK:
        memset(c.out.data, 0, c.out.size * item_size(c.out.type))
    if places == 0 or n == 0 or k == 0:
        return MX_OK
    if c.threads > 1 and c.inp.size >= SMALL:
        some = min(places, 2 * c.threads)
    room = order_room(c.inp.type, n, k)
    scratch = <char*>c.take(some * room)
    if scratch == NULL:
        return MX_MEMORY_ERROR
    if some == 1:
        order_range(c.inp, c.out, second, n, inner, k, descending, want, scratch, 0, places)
    else:
        for i in prange(some, num_threads=c.threads, schedule="static"):
            order_range(c.inp, c.out, second, n, inner, k, descending, want, scratch + i * room, places * i // some,
                        places * (i + 1) // some)
    c.give(scratch)
    return MX_OK


cdef int wrong_place(mxnd_call* c, Py_ssize_t at) noexcept nogil:
    if at < 0:
        return MX_OK
    c.error = b"a place is out of range; expected whole numbers from 0 to the axis length - 1"
    return MX_VALUE_ERROR


cdef int along_take(mxnd_call* c) noexcept nogil:
    """Inputs: data, places; c.i: n, k, inner."""
    return wrong_place(c, take_along(c.inp, c.inp + 1, c.out, c.i[0], c.i[1], c.i[2]))


cdef int along_put(mxnd_call* c) noexcept nogil:
    """Inputs: values, places; c.i: n, k, inner."""
    return wrong_place(c, put_along(c.inp, c.inp + 1, c.out, c.i[0], c.i[1], c.i[2]))


cdef int histogram(mxnd_call* c) noexcept nogil:
    """Outputs: counts, edges.  c.i[0]: the number of bins; c.d: lowest and highest edge, unless edges are given."""
    cdef Py_ssize_t bins = c.i[0]
    if c.nin > 1:
        memcpy(c.out[1].data, c.inp[1].data, c.inp[1].size * item_size(c.inp[1].type))
    else:
        even_edges(c.out + 1, bins, c.d[0], c.d[1])
    count_into(c.inp, c.out + 1, <int64_t*>c.out.data, bins, c.nin == 1)
    return MX_OK


kernels = {"order": entry(order), "take_along": entry(along_take), "put_along": entry(along_put),
           "histogram": entry(histogram)}
