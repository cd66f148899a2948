# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Boxes: overlaps, suppression, matching, SSD and region proposals; the loops are in boxes.h."""
include "kernel.pxi"

cdef extern from "boxes.h" nogil:
    int box_iou_f32(mxnd_call*)
    int box_iou_f64(mxnd_call*)
    int box_nms_f32(mxnd_call*)
    int box_nms_f64(mxnd_call*)
    int place_take_f32(mxnd_call*)
    int place_take_f64(mxnd_call*)
    int place_spread_f32(mxnd_call*)
    int place_spread_f64(mxnd_call*)
    int matching_f32(mxnd_call*)
    int matching_f64(mxnd_call*)
    int multibox_prior_f32(mxnd_call*)
    int multibox_prior_f64(mxnd_call*)
    int multibox_target_f32(mxnd_call*)
    int multibox_target_f64(mxnd_call*)
    int multibox_detection_f32(mxnd_call*)
    int multibox_detection_f64(mxnd_call*)
    int proposal_f32(mxnd_call*)
    int proposal_f64(mxnd_call*)


cdef int box_iou(mxnd_call* c) noexcept nogil:
    return box_iou_f64(c) if c.inp[0].type == MX_F64 else box_iou_f32(c)

cdef int box_nms(mxnd_call* c) noexcept nogil:
    return box_nms_f64(c) if c.inp[0].type == MX_F64 else box_nms_f32(c)

cdef int place_take(mxnd_call* c) noexcept nogil:
    return place_take_f64(c) if c.inp[0].type == MX_F64 else place_take_f32(c)

cdef int place_spread(mxnd_call* c) noexcept nogil:
    return place_spread_f64(c) if c.inp[0].type == MX_F64 else place_spread_f32(c)

cdef int matching(mxnd_call* c) noexcept nogil:
    return matching_f64(c) if c.inp[0].type == MX_F64 else matching_f32(c)

cdef int multibox_prior(mxnd_call* c) noexcept nogil:
    return multibox_prior_f64(c) if c.inp[0].type == MX_F64 else multibox_prior_f32(c)

cdef int multibox_target(mxnd_call* c) noexcept nogil:
    return multibox_target_f64(c) if c.inp[0].type == MX_F64 else multibox_target_f32(c)

cdef int multibox_detection(mxnd_call* c) noexcept nogil:
    return multibox_detection_f64(c) if c.inp[0].type == MX_F64 else multibox_detection_f32(c)

cdef int proposal(mxnd_call* c) noexcept nogil:
    return proposal_f64(c) if c.inp[0].type == MX_F64 else proposal_f32(c)


kernels = {"box_iou": entry(box_iou), "box_nms": entry(box_nms), "place_take": entry(place_take),
           "place_spread": entry(place_spread), "matching": entry(matching), "multibox_prior": entry(multibox_prior),
           "multibox_target": entry(multibox_target), "multibox_detection": entry(multibox_detection), "proposal": entry(proposal)}
