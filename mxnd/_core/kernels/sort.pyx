# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Order along the middle axis of [outer, n, inner]: sort, argsort, topk, taking and adding by places; histogram."""
include "kernel.pxi"

cdef extern from "sort_plain.h" nogil:
    enum: WANT_INDICES, WANT_VALUES, WANT_MASK, SIGNED_ZERO
    ctypedef struct piece_t:
        Py_ssize_t first, last
    Py_ssize_t order_room(int type, Py_ssize_t n, Py_ssize_t k)
    void order_range(const mxnd_tensor* x, mxnd_tensor* out, mxnd_tensor* places, Py_ssize_t n, Py_ssize_t inner,
                     Py_ssize_t k, int flags, int want, char* scratch, Py_ssize_t first, Py_ssize_t last)
    void put_indices(mxnd_tensor* out, Py_ssize_t at, Py_ssize_t k, Py_ssize_t step, int wide, const void* a)
    int is_wide(int type, Py_ssize_t n)
    int plain_width(int type)
    void plain_range(const mxnd_tensor* x, mxnd_tensor* out, Py_ssize_t n, Py_ssize_t inner, int flags, char* scratch,
                     Py_ssize_t first, Py_ssize_t last)
    void plain_keys(const char* x, Py_ssize_t stride, int type, int flags, void* keys, Py_ssize_t first, Py_ssize_t last)
    void plain_put(const void* keys, char* o, Py_ssize_t stride, int type, int flags, Py_ssize_t first, Py_ssize_t last)
    void item_keys(const char* x, Py_ssize_t stride, int type, int flags, uint64_t* a, Py_ssize_t first, Py_ssize_t last)
    int cut(void* keys, Py_ssize_t n, int width, piece_t* pieces, int most)
    void sort_piece(void* keys, int width, piece_t p)
    int can_share()
cdef extern from "along.h" nogil:
    Py_ssize_t take_along(const mxnd_tensor* x, const mxnd_tensor* index, mxnd_tensor* out, Py_ssize_t n, Py_ssize_t k,
                          Py_ssize_t inner)
    Py_ssize_t put_along(const mxnd_tensor* g, const mxnd_tensor* index, mxnd_tensor* out, Py_ssize_t n, Py_ssize_t k,
                         Py_ssize_t inner)
    void even_edges(mxnd_tensor* edges, Py_ssize_t bins, double low, double high)
    void count_into(const mxnd_tensor* x, const mxnd_tensor* edges, int64_t* counts, Py_ssize_t bins, int even)

cdef enum:
    SMALL = 4096                         # fewer elements are not worth a second thread
    LONG = 32768                         # a row from which on threads share it
    MOST = 64


cdef int order_shared(mxnd_call* c) noexcept nogil:
    """One long row: keys, pieces, sorting and results, each split among the threads; by values or to indices."""
    cdef Py_ssize_t n = c.i[1], i, some = min(c.threads, MOST)
    cdef int flags = c.i[4], type = c.inp.type, pieces
    cdef bint plain = c.i[5] == WANT_VALUES
    cdef int width = plain_width(type) if plain else 8
    cdef char* x = c.inp.data
    cdef mxnd_tensor* out = c.out
    cdef piece_t piece[MOST]
    cdef bint within = plain and width == item_size(type)       # the keys fit into the result
    cdef char* keys = out.data if within else <char*>c.take(n * width)
    if keys == NULL:
        return MX_MEMORY_ERROR
    if plain:
        flags |= SIGNED_ZERO
    for i in prange(some, num_threads=c.threads, schedule="static"):
        if plain:
            plain_keys(x, 1, type, flags, keys, n * i // some, n * (i + 1) // some)
        else:
            item_keys(x, 1, type, flags, <uint64_t*>keys, n * i // some, n * (i + 1) // some)
    pieces = cut(keys, n, width, piece, 1 if c.threads == 1 else min(4 * <int>some, MOST))
    for i in prange(pieces, num_threads=c.threads, schedule="dynamic"):
        sort_piece(keys, width, piece[i])
    for i in prange(some, num_threads=c.threads, schedule="static"):
        if plain:
            plain_put(keys, out.data, 1, type, flags, n * i // some, n * (i + 1) // some)
        else:
            put_indices(out, n * i // some, n * (i + 1) // some - n * i // some, 1, 0, <uint64_t*>keys + n * i // some)
    if not within:
        c.give(keys)
    return MX_OK


cdef int order(mxnd_call* c) noexcept nogil:
    """c.i: outer, n, inner, k, whether descending, what is wanted; a second output gets the places."""
    cdef Py_ssize_t n = c.i[1], inner = c.i[2], k = c.i[3], places = c.i[0] * inner, some = 1, i, room
    cdef int want = c.i[5], type = c.inp.type
    cdef mxnd_tensor* second = c.out + 1 if c.nout > 1 else NULL
    cdef bint plain = want == WANT_VALUES and second == NULL and k == n
    cdef char* scratch
    if want == WANT_MASK:
        memset(c.out.data, 0, c.out.size * item_size(c.out.type))
    if places == 0 or n == 0 or k == 0:
        return MX_OK
    if (places == 1 and n >= LONG and k == n and can_share() and
            (plain and plain_width(type) > 1 or want == WANT_INDICES and not is_wide(type, n))):
        return order_shared(c)
    if c.threads > 1 and c.inp.size >= SMALL:
        some = min(places, 2 * c.threads)
    room = 2 * n * plain_width(type) if plain else order_room(type, n, k)
    scratch = <char*>c.take(some * room)
    if scratch == NULL:
        return MX_MEMORY_ERROR
    if some == 1:
        order_range_any(c, second, plain, scratch, 0, places)
    else:
        for i in prange(some, num_threads=c.threads, schedule="static"):
            order_range_any(c, second, plain, scratch + i * room, places * i // some, places * (i + 1) // some)
    c.give(scratch)
    return MX_OK


cdef inline void order_range_any(mxnd_call* c, mxnd_tensor* second, bint plain, char* scratch, Py_ssize_t first,
                                 Py_ssize_t last) noexcept nogil:
    if plain:
        plain_range(c.inp, c.out, c.i[1], c.i[2], c.i[4], scratch, first, last)
    else:
        order_range(c.inp, c.out, second, c.i[1], c.i[2], c.i[3], c.i[4], c.i[5], scratch, first, last)


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
