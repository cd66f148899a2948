# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernels of the normalisation operators; the loops are in norm.h."""
include "kernel.pxi"

cdef extern from "norm.h" nogil:
    int batch_norm_f32(mxnd_call*)
    int batch_norm_f64(mxnd_call*)
    int batch_norm_backward_f32(mxnd_call*)
    int batch_norm_backward_f64(mxnd_call*)
    int layer_norm_f32(mxnd_call*)
    int layer_norm_f64(mxnd_call*)
    int layer_norm_backward_f32(mxnd_call*)
    int layer_norm_backward_f64(mxnd_call*)
    int group_norm_f32(mxnd_call*)
    int group_norm_f64(mxnd_call*)
    int group_norm_backward_f32(mxnd_call*)
    int group_norm_backward_f64(mxnd_call*)
    int l2_norm_f32(mxnd_call*)
    int l2_norm_f64(mxnd_call*)
    int l2_norm_backward_f32(mxnd_call*)
    int l2_norm_backward_f64(mxnd_call*)
    int window_sum_f32(mxnd_call*)
    int window_sum_f64(mxnd_call*)
    int lrn_scale_f32(mxnd_call*)
    int lrn_scale_f64(mxnd_call*)


cdef bint nothing(mxnd_call* c) noexcept nogil:
    """Whether the data is empty; outputs that are not (statistics, gradients of gamma and beta) are zero then."""
    cdef int k
    if c.inp[0].size:
        return False
    for k in range(c.nout):
        memset(c.out[k].data, 0, c.out[k].size * item_size(c.out[k].type))
    return True


cdef int batch_norm(mxnd_call* c) noexcept nogil:
    return MX_OK if nothing(c) else batch_norm_f64(c) if c.inp[0].type == MX_F64 else batch_norm_f32(c)

cdef int batch_norm_backward(mxnd_call* c) noexcept nogil:
    return MX_OK if nothing(c) else batch_norm_backward_f64(c) if c.inp[0].type == MX_F64 else batch_norm_backward_f32(c)

cdef int batch_norm_mode(mxnd_call* c) noexcept nogil:
    """1 where the saved 1/std came from the batch, 0 where from the moving statistics."""
    cdef bint on = False
    if c.inp[0].type == MX_F64:
        on = c.inp[0].size and (<uint64_t*>c.inp[0].data)[0] & 1
        (<double*>c.out[0].data)[0] = on
    else:
        on = c.inp[0].size and (<uint32_t*>c.inp[0].data)[0] & 1
        (<float*>c.out[0].data)[0] = on
    return MX_OK

cdef int layer_norm(mxnd_call* c) noexcept nogil:
    return MX_OK if nothing(c) else layer_norm_f64(c) if c.inp[0].type == MX_F64 else layer_norm_f32(c)

cdef int layer_norm_backward(mxnd_call* c) noexcept nogil:
    return MX_OK if nothing(c) else layer_norm_backward_f64(c) if c.inp[0].type == MX_F64 else layer_norm_backward_f32(c)

cdef int group_norm(mxnd_call* c) noexcept nogil:
    return MX_OK if nothing(c) else group_norm_f64(c) if c.inp[0].type == MX_F64 else group_norm_f32(c)

cdef int group_norm_backward(mxnd_call* c) noexcept nogil:
    return MX_OK if nothing(c) else group_norm_backward_f64(c) if c.inp[0].type == MX_F64 else group_norm_backward_f32(c)

cdef int l2_norm(mxnd_call* c) noexcept nogil:
    return MX_OK if nothing(c) else l2_norm_f64(c) if c.inp[0].type == MX_F64 else l2_norm_f32(c)

cdef int l2_norm_backward(mxnd_call* c) noexcept nogil:
    return MX_OK if nothing(c) else l2_norm_backward_f64(c) if c.inp[0].type == MX_F64 else l2_norm_backward_f32(c)

cdef int window_sum(mxnd_call* c) noexcept nogil:
    return MX_OK if nothing(c) else window_sum_f64(c) if c.inp[0].type == MX_F64 else window_sum_f32(c)

cdef int lrn_scale(mxnd_call* c) noexcept nogil:
    return MX_OK if nothing(c) else lrn_scale_f64(c) if c.inp[0].type == MX_F64 else lrn_scale_f32(c)


kernels = {"batch_norm": entry(batch_norm), "batch_norm_backward": entry(batch_norm_backward),
           "batch_norm_mode": entry(batch_norm_mode), "layer_norm": entry(layer_norm),
           "layer_norm_backward": entry(layer_norm_backward), "group_norm": entry(group_norm),
           "group_norm_backward": entry(group_norm_backward), "l2_norm": entry(l2_norm),
           "l2_norm_backward": entry(l2_norm_backward), "window_sum": entry(window_sum), "lrn_scale": entry(lrn_scale)}
