# What every kernel file includes: the call's structure, element types, and the table entry.
from cpython.pycapsule cimport PyCapsule_New
from cython.parallel cimport prange
from libc.stdint cimport int8_t, uint8_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef extern from "call.h" nogil:
    enum: MX_F32, MX_F64, MX_F16, MX_U8, MX_I32, MX_I8, MX_I64, MX_BOOL, MX_BF16, MX_TYPES
    enum: MX_OK, MX_ERROR, MX_INDEX_ERROR, MX_VALUE_ERROR, MX_MEMORY_ERROR
    ctypedef struct mxnd_tensor:
        char* data
        const Py_ssize_t* shape
        Py_ssize_t size
        int ndim, type
    ctypedef struct mxnd_call:
        # "inp" is the C field "in"
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

cdef object entry(mxnd_kernel f):
    """A kernel as a capsule, for the module's `kernels` dictionary."""
    return PyCapsule_New(<void*>f, "mxnd.kernel", NULL)

cdef inline int item_size(int type) noexcept nogil:
    """Bytes of one element."""
    if type == MX_F64 or type == MX_I64:
        return 8
    if type == MX_F32 or type == MX_I32:
        return 4
    return 2 if type == MX_F16 or type == MX_BF16 else 1
