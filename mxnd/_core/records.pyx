# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Records of dense arrays in MXNet's files, many at a time; mxnd/params.py describes the format.

Only sound records of arrays on the CPU are handled here.  In front of any other these functions stop, and the caller goes
on with it, or says what is wrong with it."""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

from .array cimport MAXD, MX_BF16, MX_BOOL, NDArray, mxnd_item, new_array

cdef enum:
    SMALL = 1 << 16                  # bytes of an array that is copied into a block with others
    BLOCK = 1 << 20
cdef Py_ssize_t LARGEST = <Py_ssize_t>1 << 59    # product of the sizes, those of 0 left out
cdef uint32_t V1 = 0xF993FAC8, V2 = 0xF993FAC9, V3 = 0xF993FACA
cdef int BF16 = 12                   # its number in files; the others have those of the core


def packed(list arrays, Py_ssize_t first, bint np_shape):
    """(records of arrays from number `first` on as one block of bytes, number of the next array)."""
    cdef Py_ssize_t k, end = first, size = 0
    cdef NDArray x
    cdef char* p
    cdef uint32_t magic
    cdef int32_t number
    cdef int i
    cdef int64_t dim
    while end < len(arrays) and size < BLOCK:
        x = <NDArray?>arrays[end]
        if x.stype_ or x.device == 2 or x.size_ * mxnd_item[x.type] > SMALL:
            break
        size += 24 + 8 * x.ndim_ + x.size_ * mxnd_item[x.type]
        end += 1
    cdef bytes block = PyBytes_FromStringAndSize(NULL, size)
    p = PyBytes_AS_STRING(block)
    for k in range(first, end):
        x = <NDArray>arrays[k]
        magic = V3 if np_shape or x.ndim_ == 0 else V2
        memcpy(p, &magic, 4)
        number = 0
        memcpy(p + 4, &number, 4)
        number = x.ndim_
        memcpy(p + 8, &number, 4)
        p += 12
        for i in range(x.ndim_):
            dim = x.dims[i]
            memcpy(p, &dim, 8)
            p += 8
        number = x.device
        memcpy(p, &number, 4)
        number = x.device_id
        memcpy(p + 4, &number, 4)
        number = BF16 if x.type == MX_BF16 else x.type
        memcpy(p + 8, &number, 4)
        memcpy(p + 12, x.ptr, x.size_ * mxnd_item[x.type])
        p += 12 + x.size_ * mxnd_item[x.type]
    return block, end


def unpack(const unsigned char[::1] source, Py_ssize_t start, list arrays, Py_ssize_t count):
    """Append at most `count` arrays from the records that begin at `start`; returns the place after the last."""
    cdef Py_ssize_t at = start, p, n, most, size, end = source.shape[0]
    cdef const unsigned char* s = &source[0] if end else NULL
    cdef Py_ssize_t dims[MAXD]
    cdef uint32_t magic, rank, small
    cdef int32_t number
    cdef int64_t dim
    cdef int i, type
    cdef NDArray x
    while count > 0:
        p = at
        if end - p < 12:
            break
        memcpy(&magic, s + p, 4)
        p += 4
        if magic == V2 or magic == V3:
            memcpy(&number, s + p, 4)
            if number != 0:
                break
            p += 4
        if magic == V1 or magic == V2 or magic == V3:
            memcpy(&rank, s + p, 4)
            p += 4
        else:
            rank = magic
        if rank > MAXD or rank == 0 and magic != V3 or end - p < 8 * <Py_ssize_t>rank + 12:
            break
        n = 1
        most = LARGEST
        for i in range(<int>rank):
            if magic == rank:                                  # the oldest form
                memcpy(&small, s + p, 4)
                dim = small
                p += 4
            else:
                memcpy(&dim, s + p, 8)
                p += 8
            if dim < 0 or dim > most or n and dim > end // n:  # more elements than bytes: too long, or one of the sizes is 0
                n = -1
                break
            dims[i] = dim
            if dim > 1:
                most //= dim
            n *= dim
        if n < 0:
            break
        memcpy(&number, s + p + 8, 4)
        p += 12
        if not (0 <= number < MX_BF16 or number == BF16):
            break
        type = MX_BF16 if number == BF16 else number
        size = n * mxnd_item[type]
        if size > end - p:
            break
        try:
            x = new_array(<int>rank, dims, type)
        except Exception:                                      # the caller finds out what it was
            break
        memcpy(x.ptr, s + p, size)
        if type == MX_BOOL:                                    # a bool is 0 or 1 for every kernel
            for n in range(size):
                x.ptr[n] = x.ptr[n] != 0
        arrays.append(x)
        count -= 1
        at = p + size
    return at


def names(const unsigned char[::1] source, Py_ssize_t start, list found, Py_ssize_t count):
    """Append at most `count` names (bytes) from `start` on; returns the place after the last."""
    cdef Py_ssize_t at = start, end = source.shape[0]
    cdef const unsigned char* s = &source[0] if end else NULL
    cdef uint64_t n
    while count > 0 and end - at >= 8:
        memcpy(&n, s + at, 8)
        if n > <uint64_t>(end - at - 8):
            break
        found.append(PyBytes_FromStringAndSize(<const char*>s + at + 8, n))
        at += 8 + n
        count -= 1
    return at
