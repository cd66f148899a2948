# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Elements and rows found by index."""
include "kernel.pxi"

cdef extern from "kernels/index.h" nogil:
    enum: INDEX_CLIP, INDEX_WRAP, INDEX_RAISE, INDEX_NEGATIVE, INDEX_SKIP, MX_INDEX_BLOCK
    ctypedef struct mx_places:
        const char* data
        int type, m, mode
        Py_ssize_t count
        const int64_t* size
        int64_t at, bound
    void index_read(int64_t* o, const char* data, int type, Py_ssize_t first, Py_ssize_t n)
    int places_read(mx_places* x, int64_t* o, Py_ssize_t first, Py_ssize_t n)
    int places_good(mx_places* x)
    void rows_gather(char* o, const char* s, const int64_t* p, Py_ssize_t n, size_t bytes)
    void rows_put(char* o, const char* s, Py_ssize_t from_, const int64_t* p, Py_ssize_t n, size_t bytes, int64_t lo,
                  int64_t hi)
    void rows_add(char* o, const char* s, const int64_t* p, Py_ssize_t n, Py_ssize_t len, int type, int64_t lo, int64_t hi)
    int pick_part(mx_places* x, char* o, const char* s, char* back, Py_ssize_t inner, Py_ssize_t first, Py_ssize_t last,
                  int item)
    void one_hot_part(mx_places* x, char* o, const char* on, const char* off, Py_ssize_t depth, int item, Py_ssize_t first,
                      Py_ssize_t last)
    void where_part(char* o, const char* c, int type, int size, const char* x, const char* y, int item, Py_ssize_t first,
                    Py_ssize_t last, int stream)
    int is_set(const char* c, int type, int size, Py_ssize_t k)
    void copy_bytes(char* o, const char* s, Py_ssize_t n, int threads)
    void zero_bytes(char* o, Py_ssize_t n, int threads)
    void copy_row(char* o, const char* s, size_t bytes)
    void element(char* o, double v, int type)
    Py_ssize_t LARGE "MX_LARGE"
    Py_ssize_t STREAM "MX_STREAM"

cdef enum: GATHER, PUT, ADD


cdef void places_of(mx_places* x, mxnd_tensor* index, int m, int mode, Py_ssize_t count, const int64_t* size) noexcept nogil:
    x.data, x.type, x.m, x.mode, x.count, x.size = index.data, index.type, m, mode, count, size
    x.at = x.bound = 0


cdef int out_of_range(mxnd_call* c, mx_places* x) noexcept nogil:
    c.at, c.bound = x.at, x.bound
    c.error = b"index out of range"
    return MX_INDEX_ERROR


cdef int move_part(mx_places* x, int what, char* o, const char* s, Py_ssize_t outer_first, Py_ssize_t outer_last,
                   Py_ssize_t outer_in, Py_ssize_t outer_out, Py_ssize_t from_, Py_ssize_t len, int type, Py_ssize_t first,
                   Py_ssize_t last, int64_t lo, int64_t hi) noexcept nogil:
    """Places [first, last) of the turns given; outer_in and outer_out: bytes from one turn to the next."""
    cdef int64_t p[MX_INDEX_BLOCK]
    cdef Py_ssize_t k = first, n, turn, bytes = len * item_size(type)
    while k < last:
        n = min(last - k, MX_INDEX_BLOCK)
        if not places_read(x, p, k, n):
            return 0
        for turn in range(outer_first, outer_last):
            if what == GATHER:
                rows_gather(o + turn * outer_out + k * bytes, s + turn * outer_in, p, n, bytes)
            elif what == PUT:
                rows_put(o + turn * outer_out, s + turn * outer_in + k * from_, from_, p, n, bytes, lo, hi)
            else:
                rows_add(o + turn * outer_out, s + turn * outer_in + k * bytes, p, n, len, type, lo, hi)
        k += n
    return 1


cdef int move(mxnd_call* c, mx_places* x, int what, char* o, const char* s, Py_ssize_t outer, Py_ssize_t rows, Py_ssize_t from_,
              Py_ssize_t len, int type) noexcept nogil:
    """Gathers, puts or adds rows of len elements, `outer` times; rows: how many the indexed side has a turn."""
    cdef Py_ssize_t bytes = len * item_size(type), count = x.count
    cdef Py_ssize_t outer_in = (rows if what == GATHER else count) * bytes
    cdef Py_ssize_t outer_out = (count if what == GATHER else rows) * bytes
    cdef int threads = c.threads, t, good = 1
    if threads < 2 or outer * count * bytes < LARGE:
        good = move_part(x, what, o, s, 0, outer, outer_in, outer_out, from_, len, type, 0, count, 0, rows)
    elif outer >= threads:                         # each thread does some turns
        for t in prange(threads, num_threads=threads, schedule="static"):
            if not move_part(x, what, o, s, outer * t // threads, outer * (t + 1) // threads, outer_in, outer_out, from_, len,
                             type, 0, count, 0, rows):
                good = 0
    elif what == GATHER:                           # each thread does some places
        for t in prange(threads, num_threads=threads, schedule="static"):
            if not move_part(x, what, o, s, 0, outer, outer_in, outer_out, from_, len, type, count * t // threads,
                             count * (t + 1) // threads, 0, rows):
                good = 0
    else:                                          # each thread owns some rows, so that duplicates meet in order
        for t in prange(threads, num_threads=threads, schedule="static"):
            if not move_part(x, what, o, s, 0, outer, outer_in, outer_out, from_, len, type, 0, count,
                             rows * t // threads, rows * (t + 1) // threads):
                good = 0
    return MX_OK if good else out_of_range(c, x)


cdef void zero_out(mxnd_call* c) noexcept nogil:
    zero_bytes(c.out[0].data, c.out[0].size * item_size(c.out[0].type), c.threads)


cdef int take(mxnd_call* c) noexcept nogil:
    """i: which input holds the indices, mode, size before the axis, of the axis, after it."""
    cdef mx_places x
    cdef int index = <int>c.i[0]
    places_of(&x, &c.inp[index], 1, <int>c.i[1], c.inp[index].size, c.i + 3)
    if c.out[0].size == 0:
        return MX_OK
    return move(c, &x, GATHER, c.out[0].data, c.inp[1 - index].data, c.i[2], c.i[3], 0, c.i[4], c.out[0].type)


cdef int take_add(mxnd_call* c) noexcept nogil:
    """Adjoint of take: inputs rows, indices;  i: mode, size before the axis, of the axis, after it."""
    cdef mx_places x
    places_of(&x, &c.inp[1], 1, <int>c.i[0], c.inp[1].size, c.i + 2)
    zero_out(c)
    if c.inp[0].size == 0:
        return MX_OK
    return move(c, &x, ADD, c.out[0].data, c.inp[0].data, c.i[1], c.i[2], 0, c.i[3], c.out[0].type)


cdef int by_coordinates(mxnd_call* c, int what, int index, int values) noexcept nogil:
    """i: number of coordinates, of places, elements a row, then the sizes indexed."""
    cdef mx_places x
    cdef Py_ssize_t rows = 1, j
    for j in range(c.i[0]):
        rows *= c.i[3 + j]
    places_of(&x, &c.inp[index], <int>c.i[0], INDEX_NEGATIVE, c.i[1], c.i + 3)
    if c.i[1] * c.i[2] == 0:
        return MX_OK
    return move(c, &x, what, c.out[0].data, c.inp[values].data, 1, rows, c.i[2] * item_size(c.out[0].type), c.i[2],
                c.out[0].type)


cdef int gather_nd(mxnd_call* c) noexcept nogil:
    """Inputs data, coordinates."""
    return by_coordinates(c, GATHER, 1, 0)


cdef int scatter_nd(mxnd_call* c) noexcept nogil:
    """Inputs rows, coordinates: zeros with the rows written in order."""
    zero_out(c)
    return by_coordinates(c, PUT, 1, 0)


cdef int gather_nd_add(mxnd_call* c) noexcept nogil:
    """Inputs rows, coordinates: zeros with the rows added."""
    zero_out(c)
    return by_coordinates(c, ADD, 1, 0)


cdef int scatter_set_nd(mxnd_call* c) noexcept nogil:
    """Inputs data, rows, coordinates: the data with the rows written in order."""
    cdef mx_places x
    places_of(&x, &c.inp[2], <int>c.i[0], INDEX_NEGATIVE, c.i[1], c.i + 3)
    if c.i[1] * c.i[2] and not places_good(&x):
        return out_of_range(c, &x)
    copy_bytes(c.out[0].data, c.inp[0].data, c.out[0].size * item_size(c.out[0].type), c.threads)
    return by_coordinates(c, PUT, 2, 1)


cdef int index_copy(mxnd_call* c) noexcept nogil:
    """Inputs data, indices, rows: the data with rows written.  i: rows of the data, elements a row."""
    cdef mx_places x
    places_of(&x, &c.inp[1], 1, INDEX_NEGATIVE, c.inp[1].size, c.i)
    if not places_good(&x):
        return out_of_range(c, &x)
    copy_bytes(c.out[0].data, c.inp[0].data, c.out[0].size * item_size(c.out[0].type), c.threads)
    if c.inp[2].size == 0:
        return MX_OK
    return move(c, &x, PUT, c.out[0].data, c.inp[2].data, 1, c.i[0], c.i[1] * item_size(c.out[0].type), c.i[1], c.out[0].type)


# ---- the indexing of arrays: the front end works out which rows are meant -------------------------------

cdef int index_gather(mxnd_call* c) noexcept nogil:
    """Inputs data, int64 row numbers.  i: elements a row, rows of the data."""
    cdef mx_places x
    places_of(&x, &c.inp[1], 1, INDEX_RAISE, c.inp[1].size, c.i + 1)
    if c.out[0].size == 0:
        return MX_OK
    return move(c, &x, GATHER, c.out[0].data, c.inp[0].data, 1, c.i[1], 0, c.i[0], c.out[0].type)


cdef int index_scatter(mxnd_call* c) noexcept nogil:
    """Inputs data, int64 row numbers, values (as many rows, or one for all).  i: elements a row, rows of the data."""
    cdef mx_places x
    cdef Py_ssize_t from_ = c.i[0] * item_size(c.out[0].type)
    places_of(&x, &c.inp[1], 1, INDEX_RAISE, c.inp[1].size, c.i + 1)
    if c.i[0] and not places_good(&x):
        return out_of_range(c, &x)
    copy_bytes(c.out[0].data, c.inp[0].data, c.out[0].size * item_size(c.out[0].type), c.threads)
    if c.i[0] * c.inp[1].size == 0:
        return MX_OK
    if c.inp[2].size == c.i[0] and c.inp[1].size > 1:
        return move(c, &x, PUT, c.out[0].data, c.inp[2].data, 1, c.i[1], 0, c.i[0], c.out[0].type)
    return move(c, &x, PUT, c.out[0].data, c.inp[2].data, 1, c.i[1], from_, c.i[0], c.out[0].type)


cdef int index_add(mxnd_call* c) noexcept nogil:
    """Adjoint of index_gather: inputs rows, int64 row numbers.  i: elements a row, rows of the output."""
    cdef mx_places x
    places_of(&x, &c.inp[1], 1, INDEX_RAISE, c.inp[1].size, c.i + 1)
    zero_out(c)
    if c.inp[0].size == 0:
        return MX_OK
    return move(c, &x, ADD, c.out[0].data, c.inp[0].data, 1, c.i[1], 0, c.i[0], c.out[0].type)


# ---- one element of each line ------------------------------------------------------------------------------

cdef int each_line(mxnd_call* c, mxnd_tensor* index, char* o, const char* s, char* back) noexcept nogil:
    """i: mode, size of the axis, size after it."""
    cdef mx_places x
    cdef Py_ssize_t n = index.size
    cdef int threads = c.threads, t, good = 1, item = item_size(c.out[0].type)
    places_of(&x, index, 1, <int>c.i[0], n, c.i + 1)
    if n == 0:
        return MX_OK
    if threads < 2 or n * 64 < LARGE:
        good = pick_part(&x, o, s, back, c.i[2], 0, n, item)
    else:
        for t in prange(threads, num_threads=threads, schedule="static"):
            if not pick_part(&x, o, s, back, c.i[2], n * t // threads, n * (t + 1) // threads, item):
                good = 0
    return MX_OK if good else out_of_range(c, &x)


cdef int pick(mxnd_call* c) noexcept nogil:
    """Inputs data, indices."""
    return each_line(c, &c.inp[1], c.out[0].data, c.inp[0].data, NULL)


cdef int pick_put(mxnd_call* c) noexcept nogil:
    """Adjoint of pick: inputs values, indices."""
    zero_out(c)
    return each_line(c, &c.inp[1], NULL, c.inp[0].data, c.out[0].data)


cdef int fill_element(mxnd_call* c) noexcept nogil:
    """Inputs data, values, indices: the data with one element of each line written."""
    cdef mx_places x
    places_of(&x, &c.inp[2], 1, <int>c.i[0], c.inp[2].size, c.i + 1)
    if not places_good(&x):
        return out_of_range(c, &x)
    copy_bytes(c.out[0].data, c.inp[0].data, c.out[0].size * item_size(c.out[0].type), c.threads)
    return each_line(c, &c.inp[2], NULL, c.inp[1].data, c.out[0].data)


cdef int one_hot(mxnd_call* c) noexcept nogil:
    """i: depth;  d: the on and the off value."""
    cdef mx_places x
    cdef char on[8]
    cdef char off[8]
    cdef Py_ssize_t n = c.inp[0].size
    cdef int threads = c.threads, t, item = item_size(c.out[0].type)
    element(on, c.d[0], c.out[0].type)
    element(off, c.d[1], c.out[0].type)
    places_of(&x, &c.inp[0], 1, INDEX_SKIP, n, c.i)
    if threads < 2 or n * c.i[0] * item < LARGE:
        one_hot_part(&x, c.out[0].data, on, off, c.i[0], item, 0, n)
        return MX_OK
    for t in prange(threads, num_threads=threads, schedule="static"):
        one_hot_part(&x, c.out[0].data, on, off, c.i[0], item, n * t // threads, n * (t + 1) // threads)
    return MX_OK


# ---- where ---------------------------------------------------------------------------------------------------

cdef int where(mxnd_call* c) noexcept nogil:
    """Inputs condition, x, y.  i: elements that one element of the condition decides on."""
    cdef Py_ssize_t n = c.inp[0].size, k, row
    cdef int item = item_size(c.out[0].type), size = item_size(c.inp[0].type), type = c.inp[0].type, t, threads = c.threads
    cdef char* o = c.out[0].data
    cdef const char* d = c.inp[0].data
    cdef const char* x = c.inp[1].data
    cdef const char* y = c.inp[2].data
    if c.i[0] != 1:
        row = c.i[0] * item
        for k in range(n):
            copy_row(o + k * row, (x if is_set(d, type, size, k) else y) + k * row, row)
    elif threads < 2 or n * item < LARGE:
        where_part(o, d, type, size, x, y, item, 0, n, n * item >= STREAM)
    else:
        for t in prange(threads, num_threads=threads, schedule="static"):
            where_part(o, d, type, size, x, y, item, n * t // threads, n * (t + 1) // threads, n * item >= STREAM)
    return MX_OK


# ---- several coordinates and one number -----------------------------------------------------------------------

cdef void write_whole(char* o, int type, Py_ssize_t k, int64_t v) noexcept nogil:
    if type == MX_I64:
        (<int64_t*>o)[k] = v
    else:
        element(o + k * item_size(type), <double>v, type)


cdef int ravel(mxnd_call* c) noexcept nogil:
    """Input (m, n) coordinates to n numbers.  i: m, then the m lengths."""
    cdef int64_t p[MX_INDEX_BLOCK]
    cdef int64_t total[MX_INDEX_BLOCK]
    cdef Py_ssize_t n = c.out[0].size, k = 0, j, i, w
    while k < n:
        w = min(n - k, MX_INDEX_BLOCK)
        for i in range(w):
            total[i] = 0
        for j in range(c.i[0]):
            index_read(p, c.inp[0].data, c.inp[0].type, j * n + k, w)
            for i in range(w):
                total[i] = total[i] * c.i[1 + j] + p[i]
        for i in range(w):
            write_whole(c.out[0].data, c.out[0].type, k + i, total[i])
        k += w
    return MX_OK


cdef int unravel(mxnd_call* c) noexcept nogil:
    """Input n numbers to (m, n) coordinates.  i: m, then the m lengths."""
    cdef int64_t p[MX_INDEX_BLOCK]
    cdef Py_ssize_t n = c.inp[0].size, m = c.i[0], k = 0, i, j, w
    cdef int64_t v, size
    while k < n:
        w = min(n - k, MX_INDEX_BLOCK)
        index_read(p, c.inp[0].data, c.inp[0].type, k, w)
        for i in range(w):
            v = p[i]
            for j in range(m - 1, -1, -1):
                size = c.i[1 + j]
                if j == 0 or size <= 0:
                    write_whole(c.out[0].data, c.out[0].type, j * n + k + i, v)
                else:
                    write_whole(c.out[0].data, c.out[0].type, j * n + k + i, v % size)
                    v = v // size
        k += w
    return MX_OK


kernels = {"take": entry(take), "take_add": entry(take_add), "gather_nd": entry(gather_nd), "scatter_nd": entry(scatter_nd),
           "gather_nd_add": entry(gather_nd_add), "scatter_set_nd": entry(scatter_set_nd), "index_copy": entry(index_copy),
           "index_gather": entry(index_gather), "index_scatter": entry(index_scatter), "index_add": entry(index_add),
           "pick": entry(pick), "pick_put": entry(pick_put), "fill_element": entry(fill_element), "one_hot": entry(one_hot),
           "where": entry(where), "ravel": entry(ravel), "unravel": entry(unravel)}
