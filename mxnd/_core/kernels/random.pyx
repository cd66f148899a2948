# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernels that draw random numbers.  Every number is a function of (seed, place in the stream), see philox.h, so
results do not depend on threads; between instruction sets they agree but for the last digits of logarithms and the like."""
include "kernel.pxi"

cdef extern from "sampling.h" nogil:
    int draw_array(mxnd_call*)
    int random_integers(mxnd_call*)
    int c_multinomial "multinomial"(mxnd_call*)
    int shuffle_rows(mxnd_call*)
    int c_unique_zipfian "unique_zipfian"(mxnd_call*)
    int dropout_f32(mxnd_call*)
    int dropout_f64(mxnd_call*)
    int random_slopes_f32(mxnd_call*)
    int random_slopes_f64(mxnd_call*)


cdef int random_draw(mxnd_call* c) noexcept nogil:
    return draw_array(c)

cdef int random_randint(mxnd_call* c) noexcept nogil:
    return random_integers(c)

cdef int sample_multinomial(mxnd_call* c) noexcept nogil:
    return c_multinomial(c)

cdef int shuffle(mxnd_call* c) noexcept nogil:
    return shuffle_rows(c)

cdef int sample_unique_zipfian(mxnd_call* c) noexcept nogil:
    return c_unique_zipfian(c)

cdef int dropout(mxnd_call* c) noexcept nogil:
    return dropout_f64(c) if c.inp[0].type == MX_F64 else dropout_f32(c)

cdef int random_slopes(mxnd_call* c) noexcept nogil:
    return random_slopes_f64(c) if c.inp[0].type == MX_F64 else random_slopes_f32(c)


kernels = {"random_draw": entry(random_draw), "random_randint": entry(random_randint),
           "sample_multinomial": entry(sample_multinomial), "shuffle": entry(shuffle),
           "sample_unique_zipfian": entry(sample_unique_zipfian), "dropout": entry(dropout),
           "random_slopes": entry(random_slopes)}
