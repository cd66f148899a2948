# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernels of the optimizer updates; the loops are in optimizer.h."""
include "kernel.pxi"

cdef extern from "optimizer.h" nogil:
    int c_optimizer_update "optimizer_update"(mxnd_call*)
    int c_multi_lamb "multi_lamb"(mxnd_call*)
    int c_lars_rates "lars_rates"(mxnd_call*)
    int c_square_sums "square_sums"(mxnd_call*)
    int c_all_finite "all_finite"(mxnd_call*)
    int c_group_adagrad "group_adagrad"(mxnd_call*)


cdef int optimizer_update(mxnd_call* c) noexcept nogil:
    return c_optimizer_update(c)

cdef int multi_lamb(mxnd_call* c) noexcept nogil:
    return c_multi_lamb(c)

cdef int lars_rates(mxnd_call* c) noexcept nogil:
    return c_lars_rates(c)

cdef int square_sums(mxnd_call* c) noexcept nogil:
    return c_square_sums(c)

cdef int all_finite(mxnd_call* c) noexcept nogil:
    return c_all_finite(c)

cdef int group_adagrad(mxnd_call* c) noexcept nogil:
    return c_group_adagrad(c)

cdef int reset_arrays(mxnd_call* c) noexcept nogil:
    """Zeros into every input."""
    cdef int k
    for k in range(c.nin):
        memset(c.inp[k].data, 0, c.inp[k].size * item_size(c.inp[k].type))
    return MX_OK


kernels = {"optimizer_update": entry(optimizer_update), "multi_lamb": entry(multi_lamb),
           "lars_rates": entry(lars_rates), "square_sums": entry(square_sums),
           "all_finite": entry(all_finite), "group_adagrad": entry(group_adagrad), "reset_arrays": entry(reset_arrays)}
