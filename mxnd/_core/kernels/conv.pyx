# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Convolution, its gradient for the data (also Deconvolution) and for the filters, and im2col.  The loops
are in conv.h and columns.h."""
include "kernel.pxi"

cdef extern from "kernels/columns.h" nogil:
    int columns_all(mxnd_call*, int item)
    int columns_add(mxnd_call*)

cdef extern from "kernels/conv_windows.h" nogil:
    int conv_windows_forward_f32(mxnd_call*)
    int conv_windows_forward_f64(mxnd_call*)
    int conv_windows_data_f32(mxnd_call*)
    int conv_windows_data_f64(mxnd_call*)
    int conv_windows_weight_f32(mxnd_call*)
    int conv_windows_weight_f64(mxnd_call*)

cdef extern from "kernels/conv_ways.h" nogil:
    ctypedef struct conv_geometry:
        Py_ssize_t n, c, f, groups
    conv_geometry conv_read(const int64_t*)
    int conv_run_forward_f32(mxnd_call*, const conv_geometry*, const float* x, const float* w, const float* bias, float* y)
    int conv_run_forward_f64(mxnd_call*, const conv_geometry*, const double* x, const double* w, const double* bias, double* y)
    int conv_run_data_f32(mxnd_call*, const conv_geometry*, const float* y, const float* w, const float* bias, float* x)
    int conv_run_data_f64(mxnd_call*, const conv_geometry*, const double* y, const double* w, const double* bias, double* x)
    int conv_run_weight_f32(mxnd_call*, const conv_geometry*, const float* x, const float* y, float* w)
    int conv_run_weight_f64(mxnd_call*, const conv_geometry*, const double* x, const double* y, double* w)


# inputs: x, w and perhaps bias; numbers of all three kernels: those of conv_geometry
cdef int conv_forward(mxnd_call* c) noexcept nogil:
    cdef conv_geometry g = conv_read(c.i)
    cdef char* bias = c.inp[2].data if c.nin > 2 else NULL
    if c.inp[0].type == MX_F64:
        return conv_run_forward_f64(c, &g, <double*>c.inp[0].data, <double*>c.inp[1].data, <double*>bias, <double*>c.out[0].data)
    return conv_run_forward_f32(c, &g, <float*>c.inp[0].data, <float*>c.inp[1].data, <float*>bias, <float*>c.out[0].data)


# inputs: y, w and perhaps bias
cdef int conv_data(mxnd_call* c) noexcept nogil:
    cdef conv_geometry g = conv_read(c.i)
    cdef char* bias = c.inp[2].data if c.nin > 2 else NULL
    if c.inp[0].type == MX_F64:
        return conv_run_data_f64(c, &g, <double*>c.inp[0].data, <double*>c.inp[1].data, <double*>bias, <double*>c.out[0].data)
    return conv_run_data_f32(c, &g, <float*>c.inp[0].data, <float*>c.inp[1].data, <float*>bias, <float*>c.out[0].data)


# inputs: y, x
cdef int conv_weight(mxnd_call* c) noexcept nogil:
    cdef conv_geometry g = conv_read(c.i)
    if c.inp[0].type == MX_F64:
        return conv_run_weight_f64(c, &g, <double*>c.inp[1].data, <double*>c.inp[0].data, <double*>c.out[0].data)
    return conv_run_weight_f32(c, &g, <float*>c.inp[1].data, <float*>c.inp[0].data, <float*>c.out[0].data)


# the same where only the largest number of every window is kept: see conv_windows.h
cdef int conv_windows(mxnd_call* c) noexcept nogil:
    return conv_windows_forward_f64(c) if c.inp[0].type == MX_F64 else conv_windows_forward_f32(c)

cdef int conv_windows_data(mxnd_call* c) noexcept nogil:
    return conv_windows_data_f64(c) if c.inp[0].type == MX_F64 else conv_windows_data_f32(c)

cdef int conv_windows_weight(mxnd_call* c) noexcept nogil:
    return conv_windows_weight_f64(c) if c.inp[0].type == MX_F64 else conv_windows_weight_f32(c)


cdef int im2col(mxnd_call* c) noexcept nogil:
    return columns_all(c, item_size(c.inp[0].type))

cdef int col2im(mxnd_call* c) noexcept nogil:
    return columns_add(c)


kernels = {"im2col": entry(im2col), "col2im": entry(col2im), "conv_forward": entry(conv_forward),
           "conv_data": entry(conv_data), "conv_weight": entry(conv_weight), "conv_windows": entry(conv_windows),
           "conv_windows_data": entry(conv_windows_data), "conv_windows_weight": entry(conv_windows_weight)}
