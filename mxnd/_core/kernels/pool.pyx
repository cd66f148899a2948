# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Pooling, its gradients, and enlarging by repeating pixels.  The loops of pooling are in pooling.h."""
include "kernel.pxi"

cdef extern from "kernels/pooling.h" nogil:
    ctypedef struct pool_geometry:
        Py_ssize_t outer
    pool_geometry pool_read(const int64_t*)
    int pool_forward_f32(mxnd_call*, const pool_geometry*, const float* x, float* y)
    int pool_forward_f64(mxnd_call*, const pool_geometry*, const double* x, double* y)
    int pool_max_move_f32(mxnd_call*, const pool_geometry*, const float* x, const float* grad, float* dx, const float* h,
                          float* y)
    int pool_max_move_f64(mxnd_call*, const pool_geometry*, const double* x, const double* grad, double* dx, const double* h,
                          double* y)
    int pool_sum_back_f32(mxnd_call*, const pool_geometry*, const float* grad, float* dx)
    int pool_sum_back_f64(mxnd_call*, const pool_geometry*, const double* grad, double* dx)
    void pool_place_move_f32(const pool_geometry*, const float* place, const float* grad, float* dx, const float* h, float* y)
    void pool_place_move_f64(const pool_geometry*, const double* place, const double* grad, double* dx, const double* h, double* y)


# numbers of all pooling kernels: those of pool_geometry
cdef int pool_forward(mxnd_call* c) noexcept nogil:
    cdef pool_geometry g = pool_read(c.i)
    if c.inp[0].type == MX_F64:
        return pool_forward_f64(c, &g, <double*>c.inp[0].data, <double*>c.out[0].data)
    return pool_forward_f32(c, &g, <float*>c.inp[0].data, <float*>c.out[0].data)


# inputs: gradient of the output, data
cdef int pool_max_spread(mxnd_call* c) noexcept nogil:
    cdef pool_geometry g = pool_read(c.i)
    if c.inp[0].type == MX_F64:
        return pool_max_move_f64(c, &g, <double*>c.inp[1].data, <double*>c.inp[0].data, <double*>c.out[0].data, NULL, NULL)
    return pool_max_move_f32(c, &g, <float*>c.inp[1].data, <float*>c.inp[0].data, <float*>c.out[0].data, NULL, NULL)


# inputs: what to take numbers from, data
cdef int pool_max_gather(mxnd_call* c) noexcept nogil:
    cdef pool_geometry g = pool_read(c.i)
    if c.inp[0].type == MX_F64:
        return pool_max_move_f64(c, &g, <double*>c.inp[1].data, NULL, NULL, <double*>c.inp[0].data, <double*>c.out[0].data)
    return pool_max_move_f32(c, &g, <float*>c.inp[1].data, NULL, NULL, <float*>c.inp[0].data, <float*>c.out[0].data)


cdef int pool_sum_spread(mxnd_call* c) noexcept nogil:
    cdef pool_geometry g = pool_read(c.i)
    if c.inp[0].type == MX_F64:
        return pool_sum_back_f64(c, &g, <double*>c.inp[0].data, <double*>c.out[0].data)
    return pool_sum_back_f32(c, &g, <float*>c.inp[0].data, <float*>c.out[0].data)


# inputs: numbers of windows, their places
cdef int place_spread(mxnd_call* c) noexcept nogil:
    cdef pool_geometry g = pool_read(c.i)
    if c.inp[0].type == MX_F64:
        pool_place_move_f64(&g, <double*>c.inp[1].data, <double*>c.inp[0].data, <double*>c.out[0].data, NULL, NULL)
    else:
        pool_place_move_f32(&g, <float*>c.inp[1].data, <float*>c.inp[0].data, <float*>c.out[0].data, NULL, NULL)
    return MX_OK


# inputs: data, places
cdef int place_take(mxnd_call* c) noexcept nogil:
    cdef pool_geometry g = pool_read(c.i)
    if c.inp[0].type == MX_F64:
        pool_place_move_f64(&g, <double*>c.inp[1].data, NULL, NULL, <double*>c.inp[0].data, <double*>c.out[0].data)
    else:
        pool_place_move_f32(&g, <float*>c.inp[1].data, NULL, NULL, <float*>c.inp[0].data, <float*>c.out[0].data)
    return MX_OK


ctypedef fused element:
    uint8_t
    uint16_t
    uint32_t
    uint64_t


cdef void enlarge_row(const element* a, element* o, Py_ssize_t n, Py_ssize_t scale) noexcept nogil:
    """One row of pixels, each `scale` times, and the row as a whole `scale` times."""
    cdef Py_ssize_t i, k
    for i in range(n):
        for k in range(scale):
            o[i * scale + k] = a[i]
    for k in range(1, scale):
        memcpy(o + k * n * scale, o, n * scale * sizeof(element))


# numbers: scale.  Works by item size.
cdef int enlarge(mxnd_call* c) noexcept nogil:
    cdef Py_ssize_t scale = c.i[0], size = item_size(c.inp[0].type), i
    cdef Py_ssize_t n = c.inp[0].shape[c.inp[0].ndim - 1]
    cdef Py_ssize_t rows = c.inp[0].size / n if n else 0
    cdef char* a = c.inp[0].data
    cdef char* o = c.out[0].data
    cdef int threads = c.threads if c.out[0].size > 65536 else 1
    if threads == 1:
        for i in range(rows):
            one_row(a + i * n * size, o + i * n * scale * scale * size, n, scale, size)
    else:
        for i in prange(rows, num_threads=threads, schedule="static"):
            one_row(a + i * n * size, o + i * n * scale * scale * size, n, scale, size)
    return MX_OK


cdef void one_row(const char* a, char* o, Py_ssize_t n, Py_ssize_t scale, Py_ssize_t size) noexcept nogil:
    if size == 8:
        enlarge_row(<const uint64_t*>a, <uint64_t*>o, n, scale)
    elif size == 4:
        enlarge_row(<const uint32_t*>a, <uint32_t*>o, n, scale)
    elif size == 2:
        enlarge_row(<const uint16_t*>a, <uint16_t*>o, n, scale)
    else:
        enlarge_row(<const uint8_t*>a, <uint8_t*>o, n, scale)


kernels = {"pool_forward": entry(pool_forward), "pool_max_spread": entry(pool_max_spread),
           "pool_max_gather": entry(pool_max_gather), "pool_sum_spread": entry(pool_sum_spread), "enlarge": entry(enlarge),
           "windows_spread": entry(place_spread), "windows_take": entry(place_take)}
