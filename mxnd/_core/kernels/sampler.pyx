# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bilinear sampling of images, the places for it, and their adjoints; the loops are in sampler.h."""
include "kernel.pxi"

cdef extern from "sampler.h" nogil:
    int bilinear_sample_f32(mxnd_call*)
    int bilinear_sample_f64(mxnd_call*)
    int bilinear_spread_f32(mxnd_call*)
    int bilinear_spread_f64(mxnd_call*)
    int grid_f32(mxnd_call*)
    int grid_f64(mxnd_call*)
    int grid_backward_f32(mxnd_call*)
    int grid_backward_f64(mxnd_call*)


cdef int bilinear_sample(mxnd_call* c) noexcept nogil:
    return bilinear_sample_f64(c) if c.inp[0].type == MX_F64 else bilinear_sample_f32(c)

cdef int bilinear_spread(mxnd_call* c) noexcept nogil:
    return bilinear_spread_f64(c) if c.inp[0].type == MX_F64 else bilinear_spread_f32(c)

cdef int grid_generator(mxnd_call* c) noexcept nogil:
    return grid_f64(c) if c.inp[0].type == MX_F64 else grid_f32(c)

cdef int grid_generator_backward(mxnd_call* c) noexcept nogil:
    return grid_backward_f64(c) if c.inp[0].type == MX_F64 else grid_backward_f32(c)


kernels = {"grid_generator": entry(grid_generator), "grid_generator_backward": entry(grid_generator_backward),
           "bilinear_sample": entry(bilinear_sample), "bilinear_spread": entry(bilinear_spread)}
