# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The CTC loss and its first derivative.  The loops are in ctc.h."""
include "kernel.pxi"

cdef extern from "kernels/ctc.h" nogil:
    int ctc_loss_f32(mxnd_call*)
    int ctc_loss_f64(mxnd_call*)
    int ctc_backward_f32(mxnd_call*)
    int ctc_backward_f64(mxnd_call*)


# numbers of both: steps, sequences, classes, width of label, lengths of data and of labels are given, the blank is the last class
cdef int ctc_loss(mxnd_call* c) noexcept nogil:
    return ctc_loss_f64(c) if c.inp[0].type == MX_F64 else ctc_loss_f32(c)


cdef int ctc_backward(mxnd_call* c) noexcept nogil:
    return ctc_backward_f64(c) if c.inp[0].type == MX_F64 else ctc_backward_f32(c)


kernels = {"ctc_loss": entry(ctc_loss), "ctc_backward": entry(ctc_backward)}
