# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernels of the output layers with a loss; the loops are in loss.h."""
include "kernel.pxi"

cdef extern from "loss.h" nogil:
    int softmax_output_f32(mxnd_call*)
    int softmax_output_f64(mxnd_call*)
    int softmax_output_backward_f32(mxnd_call*)
    int softmax_output_backward_f64(mxnd_call*)
    int softmax_cross_entropy_f32(mxnd_call*)
    int softmax_cross_entropy_f64(mxnd_call*)
    int sigmoid_output_f32(mxnd_call*)
    int sigmoid_output_f64(mxnd_call*)
    int svm_backward_f32(mxnd_call*)
    int svm_backward_f64(mxnd_call*)
    int kl_sparse_backward_f32(mxnd_call*)
    int kl_sparse_backward_f64(mxnd_call*)


cdef int same_values(mxnd_call* c) noexcept nogil:
    """The first input, unchanged."""
    if c.out[0].data != c.inp[0].data:
        memcpy(c.out[0].data, c.inp[0].data, c.inp[0].size * item_size(c.inp[0].type))
    return MX_OK

cdef int softmax_output(mxnd_call* c) noexcept nogil:
    return softmax_output_f64(c) if c.inp[0].type == MX_F64 else softmax_output_f32(c)

cdef int softmax_output_backward(mxnd_call* c) noexcept nogil:
    return softmax_output_backward_f64(c) if c.inp[0].type == MX_F64 else softmax_output_backward_f32(c)

cdef int softmax_cross_entropy(mxnd_call* c) noexcept nogil:
    return softmax_cross_entropy_f64(c) if c.inp[0].type == MX_F64 else softmax_cross_entropy_f32(c)

cdef int sigmoid_output(mxnd_call* c) noexcept nogil:
    return sigmoid_output_f64(c) if c.inp[0].type == MX_F64 else sigmoid_output_f32(c)

cdef int svm_backward(mxnd_call* c) noexcept nogil:
    return svm_backward_f64(c) if c.inp[0].type == MX_F64 else svm_backward_f32(c)

cdef int kl_sparse_backward(mxnd_call* c) noexcept nogil:
    return kl_sparse_backward_f64(c) if c.inp[0].type == MX_F64 else kl_sparse_backward_f32(c)


kernels = {"same_values": entry(same_values),
            "softmax_output": entry(softmax_output), "softmax_output_backward": entry(softmax_output_backward),
            "softmax_cross_entropy": entry(softmax_cross_entropy), "sigmoid_output": entry(sigmoid_output),
            "svm_backward": entry(svm_backward), "kl_sparse_backward": entry(kl_sparse_backward)}
