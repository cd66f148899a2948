# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Regions of images pooled, images resized, and their adjoints; the loops are in bands.h and roi.h."""
include "kernel.pxi"

cdef extern from "roi.h" nogil:
    int bands_take_f32(mxnd_call*)
    int bands_take_f64(mxnd_call*)
    int bands_spread_f32(mxnd_call*)
    int bands_spread_f64(mxnd_call*)
    int roi_largest_f32(mxnd_call*)
    int roi_largest_f64(mxnd_call*)
    int roi_spread_f32(mxnd_call*)
    int roi_spread_f64(mxnd_call*)
    int roi_take_f32(mxnd_call*)
    int roi_take_f64(mxnd_call*)


cdef int bands_take(mxnd_call* c) noexcept nogil:
    return bands_take_f64(c) if c.inp[0].type == MX_F64 else bands_take_f32(c)

cdef int bands_spread(mxnd_call* c) noexcept nogil:
    return bands_spread_f64(c) if c.inp[0].type == MX_F64 else bands_spread_f32(c)

cdef int roi_largest(mxnd_call* c) noexcept nogil:
    return roi_largest_f64(c) if c.inp[0].type == MX_F64 else roi_largest_f32(c)

cdef int roi_spread(mxnd_call* c) noexcept nogil:
    return roi_spread_f64(c) if c.inp[0].type == MX_F64 else roi_spread_f32(c)

cdef int roi_take(mxnd_call* c) noexcept nogil:
    return roi_take_f64(c) if c.inp[0].type == MX_F64 else roi_take_f32(c)


kernels = {"bands_take": entry(bands_take), "bands_spread": entry(bands_spread), "roi_largest": entry(roi_largest),
           "roi_spread": entry(roi_spread), "roi_take": entry(roi_take)}
