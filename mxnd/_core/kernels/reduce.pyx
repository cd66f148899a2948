# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Reductions, positions of extremes, running sums and products of the others; the loops are in the headers."""
include "kernel.pxi"

cdef extern from "reduce_store.h" nogil:
    enum: R_SUM, R_PROD, R_ABS, R_SQUARE, R_NANSUM, R_NANPROD, R_MAX, R_MIN
    enum: FINISH_PLAIN, FINISH_MEAN, FINISH_ROOT, FEW, MUCH
    ctypedef union acc_t:
        double d
        int64_t i
    ctypedef struct reduce_t:
        Py_ssize_t kept, reduced
    ctypedef struct tasks_t:
        Py_ssize_t w0, w2, deep, size, n0, n2, blocks, tasks
    void reduce_plan(reduce_t* r, int kind, const mxnd_tensor* x, int64_t mask)
    void reduce_tasks(const reduce_t* r, tasks_t* t)
    void reduce_task(const reduce_t* r, const tasks_t* t, Py_ssize_t i, const char* x, acc_t* acc)
    void acc_merge(const reduce_t* r, acc_t* into, const acc_t* source, Py_ssize_t n)
    void reduce_finish(const reduce_t* r, const tasks_t* t, int finish, Py_ssize_t i, acc_t* acc, const mxnd_tensor* x,
                       mxnd_tensor* out)
    void reduce_whole(const reduce_t* r, const tasks_t* t, int finish, Py_ssize_t i, const mxnd_tensor* x,
                      mxnd_tensor* out)

cdef extern from "argreduce.h" nogil:
    void arg_range(const char* x, Py_ssize_t n, Py_ssize_t inner, int type, int smallest, mxnd_tensor* out,
                   Py_ssize_t first, Py_ssize_t last)
    void arg_long_row(const char* x, Py_ssize_t n, int type, int smallest, mxnd_tensor* out, Py_ssize_t o, int threads)
cdef extern from "scan.h" nogil:
    void cumsum_range(const char* x, char* o, Py_ssize_t n, Py_ssize_t inner, int type, Py_ssize_t first, Py_ssize_t last)
    void convert(const mxnd_tensor* x, Py_ssize_t first, Py_ssize_t last, void* out, int type)
    void others_range(const reduce_t* r, const mxnd_tensor* x, mxnd_tensor* out, Py_ssize_t first, Py_ssize_t last,
                      double* scratch)


cdef int run(mxnd_call* c, int kind, int finish) noexcept nogil:
    """Reduce the axes of the mask c.i[0]."""
    cdef reduce_t r
    cdef tasks_t t
    cdef Py_ssize_t i, b, outputs
    cdef acc_t* acc
    cdef mxnd_tensor* x = c.inp
    cdef mxnd_tensor* out = c.out
    reduce_plan(&r, kind, x, c.i[0])
    if r.kept == 0:
        return MX_OK
    if r.reduced == 0 and (kind == R_MAX or kind == R_MIN):
        c.error = b"nothing to choose from; expected at least one element along the reduced axes, got none"
        return MX_VALUE_ERROR
    reduce_tasks(&r, &t)
    outputs = t.n0 * t.n2
    if t.blocks == 1 and t.size <= FEW:
        if c.threads == 1 or x.size < MUCH:
            for i in range(outputs):
                reduce_whole(&r, &t, finish, i, x, out)
        else:
            for i in prange(outputs, num_threads=c.threads, schedule="static"):
                reduce_whole(&r, &t, finish, i, x, out)
        return MX_OK
    acc = <acc_t*>c.take(t.tasks * t.size * sizeof(acc_t))
    if acc == NULL:
        return MX_MEMORY_ERROR
    if c.threads == 1 or x.size < MUCH:
        for i in range(t.tasks):
            reduce_task(&r, &t, i, x.data, acc + i * t.size)
    else:
        for i in prange(t.tasks, num_threads=c.threads, schedule="static"):
            reduce_task(&r, &t, i, x.data, acc + i * t.size)
    for i in range(outputs):
        for b in range(1, t.blocks):
            acc_merge(&r, acc + i * t.blocks * t.size, acc + (i * t.blocks + b) * t.size, t.size)
        reduce_finish(&r, &t, finish, i, acc + i * t.blocks * t.size, x, out)
    c.give(acc)
    return MX_OK


cdef int reduce_sum(mxnd_call* c) noexcept nogil:
    return run(c, R_SUM, FINISH_PLAIN)


cdef int reduce_nansum(mxnd_call* c) noexcept nogil:
    return run(c, R_NANSUM, FINISH_PLAIN)


cdef int reduce_prod(mxnd_call* c) noexcept nogil:
    return run(c, R_PROD, FINISH_PLAIN)


cdef int reduce_nanprod(mxnd_call* c) noexcept nogil:
    return run(c, R_NANPROD, FINISH_PLAIN)


cdef int reduce_mean(mxnd_call* c) noexcept nogil:
    return run(c, R_SUM, FINISH_MEAN)


cdef int reduce_max(mxnd_call* c) noexcept nogil:
    return run(c, R_MAX, FINISH_PLAIN)


cdef int reduce_min(mxnd_call* c) noexcept nogil:
    return run(c, R_MIN, FINISH_PLAIN)


cdef int reduce_square_sum(mxnd_call* c) noexcept nogil:
    return run(c, R_SQUARE, FINISH_PLAIN)


cdef int reduce_norm(mxnd_call* c) noexcept nogil:
    """c.i[1]: the order, 1 or 2."""
    return run(c, R_ABS, FINISH_PLAIN) if c.i[1] == 1 else run(c, R_SQUARE, FINISH_ROOT)


cdef inline Py_ssize_t pieces(mxnd_call* c, Py_ssize_t work, Py_ssize_t places) noexcept nogil:
    """Into how many pieces to split the places: one for small work."""
    if c.threads == 1 or work < MUCH:
        return 1
    return min(places, 4 * c.threads)


cdef int argextreme(mxnd_call* c, int smallest) noexcept nogil:
    """c.i: outer, n, inner."""
    cdef Py_ssize_t outer = c.i[0], n = c.i[1], inner = c.i[2], places = outer * inner, i, some
    cdef mxnd_tensor* x = c.inp
    cdef mxnd_tensor* out = c.out
    if places == 0:
        return MX_OK
    if n == 0:
        c.error = b"nothing to choose from; expected at least one element along the axis, got none"
        return MX_VALUE_ERROR
    if inner == 1 and places < c.threads and n >= MUCH:
        for i in range(places):
            arg_long_row(x.data + i * n * item_size(x.type), n, x.type, smallest, out, i, c.threads)
        return MX_OK
    some = pieces(c, x.size, places)
    if some == 1:
        arg_range(x.data, n, inner, x.type, smallest, out, 0, places)
    else:
        for i in prange(some, num_threads=c.threads, schedule="static"):
            arg_range(x.data, n, inner, x.type, smallest, out, places * i // some, places * (i + 1) // some)
    return MX_OK


cdef int argmax(mxnd_call* c) noexcept nogil:
    return argextreme(c, 0)


cdef int argmin(mxnd_call* c) noexcept nogil:
    return argextreme(c, 1)


cdef int cumsum(mxnd_call* c) noexcept nogil:
    """c.i: outer, n, inner.  Works in the type of the output, 16-bit ones in float32."""
    cdef Py_ssize_t outer = c.i[0], n = c.i[1], inner = c.i[2], places = outer * inner, i, some
    cdef mxnd_tensor* x = c.inp
    cdef mxnd_tensor* out = c.out
    cdef mxnd_tensor work
    cdef int type = out.type
    cdef bint half = type == MX_F16 or type == MX_BF16
    cdef char* source = x.data
    cdef char* target = out.data
    if x.size == 0:
        return MX_OK
    if half:
        type = MX_F32
        target = <char*>c.take(x.size * 4)
        if target == NULL:
            return MX_MEMORY_ERROR
    some = pieces(c, x.size, places)
    if x.type != type:
        convert(x, 0, x.size, target, type)
        source = target
    if some == 1:
        cumsum_range(source, target, n, inner, type, 0, places)
    else:
        for i in prange(some, num_threads=c.threads, schedule="static"):
            cumsum_range(source, target, n, inner, type, places * i // some, places * (i + 1) // some)
    if half:
        work = out[0]
        work.data, work.type = target, MX_F32
        convert(&work, 0, x.size, out.data, out.type)
        c.give(target)
    return MX_OK


cdef int product_of_others(mxnd_call* c) noexcept nogil:
    """Each element becomes the product of the others of its group; c.i[0]: the mask of the axes."""
    cdef reduce_t r
    cdef Py_ssize_t i, some
    cdef double* scratch
    cdef mxnd_tensor* x = c.inp
    cdef mxnd_tensor* out = c.out
    if x.size == 0:
        return MX_OK
    reduce_plan(&r, R_PROD, x, c.i[0])
    some = pieces(c, x.size, r.kept)
    scratch = <double*>c.take(some * 2 * r.reduced * sizeof(double))
    if scratch == NULL:
        return MX_MEMORY_ERROR
    if some == 1:
        others_range(&r, x, out, 0, r.kept, scratch)
    else:
        for i in prange(some, num_threads=c.threads, schedule="static"):
            others_range(&r, x, out, r.kept * i // some, r.kept * (i + 1) // some, scratch + 2 * r.reduced * i)
    c.give(scratch)
    return MX_OK


kernels = {"reduce_sum": entry(reduce_sum), "reduce_nansum": entry(reduce_nansum), "reduce_prod": entry(reduce_prod),
           "reduce_nanprod": entry(reduce_nanprod), "reduce_mean": entry(reduce_mean), "reduce_max": entry(reduce_max),
           "reduce_min": entry(reduce_min), "reduce_square_sum": entry(reduce_square_sum),
           "reduce_norm": entry(reduce_norm), "argmax": entry(argmax), "argmin": entry(argmin), "cumsum": entry(cumsum),
           "product_of_others": entry(product_of_others)}
