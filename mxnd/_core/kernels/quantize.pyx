# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""8-bit integers with ranges.  The loops are in quantize.h."""
include "kernel.pxi"

cdef extern from "kernels/quantize.h" nogil:
    int c_quantize "quantize"(mxnd_call*)
    int c_dequantize "dequantize"(mxnd_call*)
    int c_with_ends "with_ends"(mxnd_call*)


cdef int quantize(mxnd_call* c) noexcept nogil:
    return c_quantize(c)

cdef int dequantize(mxnd_call* c) noexcept nogil:
    return c_dequantize(c)

cdef int with_ends(mxnd_call* c) noexcept nogil:
    return c_with_ends(c)


kernels = {"quantize": entry(quantize), "dequantize": entry(dequantize), "with_ends": entry(with_ends)}
