from .array cimport NDArray, Node, mxnd_loop

ctypedef int (*give_t)(Node, NDArray, bint) except -1

cdef bint one_pass(Node n, NDArray g, give_t give) except -1

cdef class Program:
    """An elementwise expression run block by block: one pass over memory, whatever its length."""
    cdef readonly int nsteps, nin, ntmp
    cdef int first[64]
    cdef int second[64]
    cdef int to[64]                     # slots: inputs, then temporaries; -1 the output; >= CONST constants
    cdef mxnd_loop loops[64][9]
    cdef double consts[32]
    cdef int nconst
    cdef int run(self, int type, char** ins, char* out, Py_ssize_t n) except -1
