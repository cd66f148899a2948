# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Comparisons that give one answer for whole arrays, and the places that a mask leaves.  The loops are in logic.h."""
include "kernel.pxi"

cdef extern from "kernels/logic.h" nogil:
    int c_allclose "allclose"(mxnd_call*)
    int c_mask_places "mask_places"(mxnd_call*)


cdef int allclose(mxnd_call* c) noexcept nogil:
    """i: whether two nans are close;  d: rtol, atol."""
    return c_allclose(c)

cdef int mask_places(mxnd_call* c) noexcept nogil:
    return c_mask_places(c)


kernels = {"allclose": entry(allclose), "mask_places": entry(mask_places)}
