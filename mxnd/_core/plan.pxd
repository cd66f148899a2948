from libc.stdint cimport int64_t, uint64_t
from .array cimport NDArray, Node, Operator, mxnd_kernel, MAXD

cdef class Plan:
    """What an operator needs to know about one combination of shapes, types and parameters."""
    cdef object given
    cdef readonly object params
    cdef bytes key
    cdef int nin, nout, visible
    cdef Py_ssize_t* dims                # nout rows of MAXD
    cdef int* ndims
    cdef int* types
    cdef int64_t* whole
    cdef double* real
    cdef bint convert                    # some array is 16-bit and the kernel wants float32
    cdef bint cacheable
    cdef bint idle                       # draws no random numbers outside training

cdef Plan find_plan(Operator op, object given, tuple inputs)
cdef int run_plan(Operator op, Plan p, tuple inputs, list outs, bint training) except -1
cdef void set_seed(uint64_t seed) noexcept
