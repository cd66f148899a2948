# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""8-bit integers with ranges.  The loops are in quantize.h and entropy.h."""
include "kernel.pxi"

cdef extern from "kernels/quantize.h" nogil:
    int c_quantize "quantize"(mxnd_call*)
    int c_dequantize "dequantize"(mxnd_call*)
    int c_with_ends "with_ends"(mxnd_call*)

cdef extern from "kernels/entropy.h" nogil:
    int entropy_threshold(mxnd_call*)


cdef int quantize(mxnd_call* c) noexcept nogil:
    return c_quantize(c)

cdef int dequantize(mxnd_call* c) noexcept nogil:
    return c_dequantize(c)

cdef int with_ends(mxnd_call* c) noexcept nogil:
    return c_with_ends(c)


cdef int calibrate_entropy(mxnd_call* c) noexcept nogil:
    return entropy_threshold(c)


kernels = {"quantize": entry(quantize), "calibrate_entropy": entry(calibrate_entropy),
           "dequantize": entry(dequantize), "with_ends": entry(with_ends)}
