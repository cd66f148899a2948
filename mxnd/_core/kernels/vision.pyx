# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Images resized, regions pooled, patches compared and moved, and their adjoints; the loops are in the headers."""
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

cdef extern from "correlation.h" nogil:
    int correlation_f32(mxnd_call*)
    int correlation_f64(mxnd_call*)

cdef extern from "deform.h" nogil:
    int deform_take_f32(mxnd_call*)
    int deform_take_f64(mxnd_call*)
    int deform_spread_f32(mxnd_call*)
    int deform_spread_f64(mxnd_call*)

cdef extern from "points.h" nogil:
    int points_take_f32(mxnd_call*)
    int points_take_f64(mxnd_call*)
    int points_spread_f32(mxnd_call*)
    int points_spread_f64(mxnd_call*)


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

cdef int correlate(mxnd_call* c) noexcept nogil:
    return correlation_f64(c) if c.inp[0].type == MX_F64 else correlation_f32(c)

cdef int deform_take(mxnd_call* c) noexcept nogil:
    return deform_take_f64(c) if c.inp[0].type == MX_F64 else deform_take_f32(c)

cdef int deform_spread(mxnd_call* c) noexcept nogil:
    return deform_spread_f64(c) if c.inp[0].type == MX_F64 else deform_spread_f32(c)

cdef int points_take(mxnd_call* c) noexcept nogil:
    return points_take_f64(c) if c.inp[0].type == MX_F64 else points_take_f32(c)

cdef int points_spread(mxnd_call* c) noexcept nogil:
    return points_spread_f64(c) if c.inp[0].type == MX_F64 else points_spread_f32(c)


kernels = {"bands_take": entry(bands_take), "bands_spread": entry(bands_spread), "roi_largest": entry(roi_largest),
           "roi_spread": entry(roi_spread), "roi_take": entry(roi_take), "correlation": entry(correlate),
           "deform_take": entry(deform_take), "deform_spread": entry(deform_spread), "points_take": entry(points_take),
           "points_spread": entry(points_spread)}
