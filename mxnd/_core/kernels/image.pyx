# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Images: layout and size (image.h), borders (image_border.h), colour (image_colour.h)."""
include "kernel.pxi"

cdef extern from "kernels/image_colour.h" nogil:
    int to_tensor(mxnd_call*)
    int normalize(mxnd_call*)
    int flip_if(mxnd_call*)
    int c_resize "image_resize"(mxnd_call*, int add)
    int c_adjust "image_adjust"(mxnd_call*)
    int c_factors "image_factors"(mxnd_call*)

cdef extern from "kernels/image_border.h" nogil:
    int border_copy(mxnd_call*)
    int border_add(mxnd_call*)


cdef int image_border(mxnd_call* c) noexcept nogil:
    return border_copy(c)

cdef int image_border_add(mxnd_call* c) noexcept nogil:
    return border_add(c)

cdef int image_to_tensor(mxnd_call* c) noexcept nogil:
    return to_tensor(c)

cdef int image_normalize(mxnd_call* c) noexcept nogil:
    return normalize(c)

cdef int image_flip_if(mxnd_call* c) noexcept nogil:
    return flip_if(c)

cdef int image_resize(mxnd_call* c) noexcept nogil:
    return c_resize(c, 0)

cdef int image_resize_add(mxnd_call* c) noexcept nogil:
    return c_resize(c, 1)

cdef int image_adjust(mxnd_call* c) noexcept nogil:
    return c_adjust(c)

cdef int image_factors(mxnd_call* c) noexcept nogil:
    return c_factors(c)


kernels = {"image_to_tensor": entry(image_to_tensor), "image_normalize": entry(image_normalize),
           "image_flip_if": entry(image_flip_if), "image_resize": entry(image_resize),
           "image_resize_add": entry(image_resize_add), "image_adjust": entry(image_adjust),
           "image_factors": entry(image_factors), "image_border": entry(image_border),
           "image_border_add": entry(image_border_add)}
