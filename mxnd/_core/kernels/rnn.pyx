# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Recurrent layers, forward and back.  The loops are in rnn.h."""
include "kernel.pxi"

cdef extern from "kernels/rnn.h" nogil:
    ctypedef struct rnn_shape:
        int mode
    enum: RNN_LSTM
    rnn_shape rnn_read(const int64_t*, const double*)
    int rnn_lengths(mxnd_call*, rnn_shape*, int input)
    void rnn_done(mxnd_call*, rnn_shape*)
    int rnn_forward_f32(mxnd_call*, rnn_shape*)
    int rnn_forward_f64(mxnd_call*, rnn_shape*)
    int rnn_backward_f32(mxnd_call*, rnn_shape*, int heads)
    int rnn_backward_f64(mxnd_call*, rnn_shape*, int heads)


# numbers of both: mode, steps, sequences, input, hidden, projection, state layers, directions, lengths are given, cells are clipped,
# nan passes, there is a mask, numbers in front of the biases; real: lowest and highest cell, dropped part
cdef int rnn(mxnd_call* c) noexcept nogil:
    cdef rnn_shape s = rnn_read(c.i, c.d)
    cdef int status = rnn_lengths(c, &s, c.nin - 1)
    if status == MX_OK:
        status = rnn_forward_f64(c, &s) if c.inp[0].type == MX_F64 else rnn_forward_f32(c, &s)
        rnn_done(c, &s)
    return status


# one more number: heads of the last states are given
cdef int rnn_backward(mxnd_call* c) noexcept nogil:
    cdef rnn_shape s = rnn_read(c.i, c.d)
    cdef int status = rnn_lengths(c, &s, c.nin - 4)
    if status == MX_OK:
        status = rnn_backward_f64(c, &s, c.i[13]) if c.inp[0].type == MX_F64 else rnn_backward_f32(c, &s, c.i[13])
        rnn_done(c, &s)
    return status


kernels = {"rnn": entry(rnn), "rnn_backward": entry(rnn_backward)}
