from .array cimport NDArray

cdef int copy_parts(NDArray to, Py_ssize_t to_start, const Py_ssize_t* to_strides, NDArray source, Py_ssize_t source_start,
                    const Py_ssize_t* source_strides, const Py_ssize_t* counts, int ndim) except -1
cdef int fill_parts(NDArray to, Py_ssize_t start, const Py_ssize_t* strides, const Py_ssize_t* counts, int ndim,
                    const char* one) except -1
