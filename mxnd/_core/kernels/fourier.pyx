# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Fourier transforms.  The loops are in fourier.h."""
include "kernel.pxi"

cdef extern from "kernels/fourier.h" nogil:
    int fft_all(mxnd_call*, int back)


cdef int fft(mxnd_call* c) noexcept nogil:
    return fft_all(c, 0)

cdef int ifft(mxnd_call* c) noexcept nogil:
    return fft_all(c, 1)


kernels = {"fft": entry(fft), "ifft": entry(ifft)}
