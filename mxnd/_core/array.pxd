from libc.stdint cimport int64_t, uint64_t
from .memory cimport Buffer

cdef extern from "call.h" nogil:
    enum: MX_F32, MX_F64, MX_F16, MX_U8, MX_I32, MX_I8, MX_I64, MX_BOOL, MX_BF16, MX_TYPES
    enum: MX_OK, MX_ERROR, MX_INDEX_ERROR, MX_VALUE_ERROR, MX_MEMORY_ERROR
    ctypedef void (*mxnd_loop)(const char*, Py_ssize_t, const char*, Py_ssize_t, char*, Py_ssize_t) noexcept nogil
    ctypedef struct mxnd_row:
        const char* name
        mxnd_loop loop[9]
    ctypedef struct mxnd_tensor:
        char* data
        const Py_ssize_t* shape
        Py_ssize_t size
        int ndim, type
    ctypedef struct mxnd_call:
        mxnd_tensor* inp "in"
        mxnd_tensor* out
        int nin, nout
        const int64_t* i
        const double* d
        int threads, training
        uint64_t seed, stream
        void* (*take)(size_t) noexcept nogil
        void (*give)(void*) noexcept nogil
        const char* error
        int64_t at, bound
    ctypedef int (*mxnd_kernel)(mxnd_call*) noexcept nogil

cdef enum:
    MAXD = 16                        # most dimensions of an array
    TYPES = 9
    CPU = 1

cdef extern from * nogil:
    """
    static const unsigned char mxnd_item[] = {4, 8, 2, 1, 4, 1, 8, 1, 2};   /* bytes of an element, by type */
    """
    const unsigned char mxnd_item[]

cdef class Operator:
    cdef readonly str name
    cdef readonly object decl                # the declaration (mxnd.ops.declare.Op)
    cdef int family
    cdef mxnd_loop loops[TYPES]
    cdef mxnd_kernel kernel
    cdef bint mode, random, saves_out, inplace, refuses_zero, composed, differentiable, keeps_bool, strict
    cdef int types_mask                      # dtypes the kernel computes in, as bits; 0: all
    cdef list recent                         # the last few plans, newest first
    cdef dict plans
    cdef object program                      # one-pass gradients by input, see block.pyx
    cdef public object extra

cdef class Node:
    """One output of a recorded call, or a leaf (op None) with a gradient buffer."""
    cdef Operator op
    cdef tuple inputs                        # the arrays
    cdef tuple parents                       # their nodes at the time of the call (None: not tracked)
    cdef object params
    cdef tuple outs                          # outputs without their nodes, or None where the formula needs none
    cdef Node main                           # the node of output 0; None when this is it
    cdef int slot
    cdef bint released, training, needed, linked  # linked: its gradient was recorded, and depends on it
    cdef long mark                           # last walk that met this node
    cdef list grads                          # during a walk: gradient per output
    cdef list others                         # nodes of the further outputs
    cdef NDArray grad                        # leaf: the gradient buffer
    cdef int grad_req                        # leaf: 0 null, 1 write, 2 add

cdef class NDArray:
    cdef Buffer buf
    cdef char* ptr
    cdef int ndim_, type, stype_
    cdef short device, device_id
    cdef Py_ssize_t size_
    cdef Py_ssize_t dims[MAXD]
    cdef Node node
    cdef object __weakref__
    cdef NDArray _rows(self, Py_ssize_t lo, Py_ssize_t hi, bint drop)

cdef NDArray new_array(int ndim, const Py_ssize_t* dims, int type)
cdef NDArray new_like(NDArray x, int type)
cdef NDArray new_view(NDArray x, char* ptr, int ndim, const Py_ssize_t* dims)
cdef NDArray same_data(NDArray x)
cdef tuple shape_of(NDArray x)
cdef int type_code(object dtype) except -1
cdef str type_name(int type)
cdef bint scalars() noexcept             # np_shape: an element of an array has the shape ()
cdef bint same_shape(NDArray a, NDArray b) noexcept

ctypedef object (*dunder_t)(NDArray, object, int)
cdef void use_dunders(dunder_t forward, dunder_t reflected, dunder_t inplace) noexcept
ctypedef object (*view_t)(NDArray, NDArray, Py_ssize_t)
cdef void use_view_recorder(view_t f) noexcept
cdef object record_view(NDArray x, NDArray y, Py_ssize_t start)
