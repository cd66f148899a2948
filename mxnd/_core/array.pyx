# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The typed array class: shape, data, views and the buffer protocol."""
cimport cython
cimport numpy as cnp
from cpython.dict cimport PyDict_SetItem
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject, PyTypeObject
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from cpython.ref cimport Py_INCREF
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from .memory cimport borrow, new_buffer

import numpy as np

from ..ops.errors import MXNetError, NotSupportedForSparseNDArray
from ..ops.params import DTYPES, dtype_name
from ..dtypes import bfloat16

cnp.import_array()

cdef extern from "Python.h":
    void PyType_Modified(PyTypeObject*)
    ctypedef struct Type "PyTypeObject":
        PyObject* tp_dict

cdef extern from * nogil:
    """
    static __thread int mxnd_scalars;      /* whether an element of an array has shape (), by thread; else (1,) */
    """
    int mxnd_scalars


cdef bint scalars() noexcept:
    return mxnd_scalars != 0


def elements_are_scalars():
    """Whether x[i] of an array with one axis has the shape ()."""
    return scalars()


def set_elements_are_scalars(bint on):
    """Switch it for this thread; returns what it was."""
    global mxnd_scalars
    was = mxnd_scalars != 0
    mxnd_scalars = on
    return was


cdef tuple CLASSES = (np.float32, np.float64, np.float16, np.uint8, np.int32, np.int8, np.int64, np.bool_, bfloat16)
cdef dict CODES = {name: code for code, name in enumerate(DTYPES)}
cdef int[9] NUMPY_TYPE = [cnp.NPY_FLOAT32, cnp.NPY_FLOAT64, cnp.NPY_FLOAT16, cnp.NPY_UINT8, cnp.NPY_INT32,
                          cnp.NPY_INT8, cnp.NPY_INT64, cnp.NPY_BOOL, cnp.NPY_UINT16]
cdef const char* FORMATS = b"fdeBibq?H"
cdef dunder_t forward_, reflected_, inplace_
cdef view_t record_view_

cdef void use_dunders(dunder_t forward, dunder_t reflected, dunder_t inplace) noexcept:
    global forward_, reflected_, inplace_
    forward_, reflected_, inplace_ = forward, reflected, inplace

cdef void use_view_recorder(view_t f) noexcept:
    global record_view_
    record_view_ = f

cdef object record_view(NDArray x, NDArray y, Py_ssize_t start):
    """Record that y shows part of x, when autograd records."""
    return record_view_(x, y, start)


def add_method(cls, str name, f):
    """Give the compiled class a method written elsewhere; called only while mxnd is imported."""
    PyDict_SetItem(<object>(<Type*>cls).tp_dict, name, f)
    PyType_Modified(<PyTypeObject*>cls)


cdef int type_code(object dtype) except -1:
    """Internal code of a dtype given in any form."""
    cdef int i
    for i in range(9):
        if dtype is CLASSES[i]:
            return i
    return CODES[dtype_name(dtype)]

cdef str type_name(int type):
    return DTYPES[type]

def dtype_class(name):
    """The class that `NDArray.dtype` shows for a dtype's name."""
    return CLASSES[CODES[name]]


@cython.final
cdef class Operator:
    """A declaration linked to its loops or kernel, with the plans of its calls so far."""


@cython.freelist(64)
@cython.final
@cython.trashcan(True)
cdef class Node:
    """One output of a recorded call, or a leaf with a gradient buffer."""


@cython.freelist(256)
@cython.trashcan(True)
@cython.auto_pickle(False)
cdef class NDArray:
    """A typed array in C order on one device.

    Made by `mx.nd.array`, `zeros`, operators and so on, never directly.  Contiguous slices and
    `reshape` share memory with their source; other indexing copies."""

    def __cinit__(self):
        self.ndim_, self.device = 1, CPU                   # no elements: sound whatever happens to it

    def __init__(self, *given, **named):
        raise TypeError("NDArray: arrays are not made by calling the class; expected mx.nd.array, zeros, empty or an operator")

    # ---- attributes
    @property
    def shape(self):
        """Tuple of the array's dimensions."""
        return shape_of(self)

    @property
    def ndim(self):
        """Number of dimensions."""
        return self.ndim_

    @property
    def size(self):
        """Number of elements."""
        return self.size_

    @property
    def dtype(self):
        """The NumPy scalar class of the elements, such as numpy.float32."""
        return CLASSES[self.type]

    @property
    def stype(self):
        """Storage type: 'default', 'csr' or 'row_sparse'."""
        return "default"

    @property
    def writable(self):
        """Whether elements may be assigned: always."""
        return True

    @property
    def _dtype_name(self):
        return DTYPES[self.type]

    @property
    def _nbytes(self):
        return self.size_ * mxnd_item[self.type]

    @property
    def _address(self):
        return <size_t>self.ptr

    @property
    def _device(self):
        return self.device, self.device_id

    def _set_device(self, int device, object device_id):
        if not -1 << 15 <= device_id < 1 << 15:
            raise MXNetError(f"context: the number of a device is out of range; expected 0 to 32767, got {device_id}")
        self.device, self.device_id = device, device_id

    @property
    def _grad_buffer(self):
        return None if self.node is None or self.node.op is not None else self.node.grad

    @property
    def _grad_req(self):
        return None if self.node is None or self.node.op is not None else self.node.grad_req

    @property
    def _tracked(self):
        return self.node is not None

    def _set_leaf(self, NDArray grad, int req):
        cdef Node n = Node.__new__(Node)
        n.grad, n.grad_req = grad, req
        self.node = n

    def _same_data(self):
        """Another handle of the same memory, outside any recorded graph."""
        return same_data(self)

    def _shares(self, NDArray other not None):
        """Whether both use one block of memory."""
        return self.buf is other.buf

    def _view(self, tuple shape, Py_ssize_t start=0):
        """Part of the memory from an element on, under another shape; recorded by autograd."""
        cdef Py_ssize_t dims[MAXD]
        cdef Py_ssize_t n = 1
        cdef int i, ndim = check_ndim(len(shape))
        if self.stype_:
            raise NotSupportedForSparseNDArray("view")
        cdef bint fits = 0 <= start <= self.size_
        for i in range(ndim):
            dims[i] = shape[i]
            if dims[i] == 0:
                n = 0
            fits = fits and dims[i] >= 0
        for i in range(ndim):
            if n and fits:
                fits = n <= self.size_ // dims[i]              # the product cannot overflow
                n *= dims[i]
        if not fits or n > self.size_ - start:
            raise ValueError(f"view: shape {shape} from element {start} lies outside an array of {self.size_} elements")
        return record_view_(self, new_view(self, self.ptr + start * mxnd_item[self.type], ndim, dims), start)

    # ---- NumPy and the buffer protocol
    def asnumpy(self):
        """A NumPy array with a copy of the data (bfloat16 becomes float32).

        Returns
        -------
        numpy.ndarray
            Of the same shape and dtype.

        Examples
        --------
        >>> mx.nd.ones((2,)).asnumpy()
        array([1., 1.], dtype=float32)
        """
        if self.type == MX_BF16 or self.device == 2:
            return self._asnumpy_elsewhere()
        cdef cnp.ndarray r = cnp.PyArray_SimpleNew(self.ndim_, <cnp.npy_intp*>self.dims, NUMPY_TYPE[self.type])
        memcpy(cnp.PyArray_DATA(r), self.ptr, self.size_ * mxnd_item[self.type])
        return r

    def _numpy_view(self):
        """A NumPy array over the same memory (bfloat16 as uint16)."""
        return np.asarray(memoryview(self)) if self.ndim_ else np.frombuffer(self, count=1,
                                                                            dtype=np.dtype(chr(FORMATS[self.type]))).reshape(())

    def __getbuffer__(self, Py_buffer* b, int flags):
        if self.device == 2:
            raise BufferError("buffer: the array is on a GPU; copy it with as_in_context(mx.cpu()) first")
        cdef int item = mxnd_item[self.type]
        cdef Py_ssize_t* strides = <Py_ssize_t*>malloc(sizeof(Py_ssize_t) * (2 * MAXD))
        if strides == NULL:
            raise MemoryError
        cdef int i
        cdef Py_ssize_t acc = item
        for i in range(self.ndim_ - 1, -1, -1):
            strides[i] = acc
            strides[MAXD + i] = self.dims[i]
            acc *= self.dims[i]
        b.buf = self.ptr
        b.obj = self
        b.len = self.size_ * item
        b.readonly = 0
        b.itemsize = item
        b.format = NULL if not flags & 4 else format_of(self.type)     # PyBUF_FORMAT
        b.ndim = self.ndim_
        b.shape = strides + MAXD if flags & 8 else NULL                # PyBUF_ND
        b.strides = strides if flags & 16 else NULL                    # PyBUF_STRIDES
        b.suboffsets = NULL
        b.internal = strides

    def __releasebuffer__(self, Py_buffer* b):
        free(b.internal)

    # ---- Python's operators
    def __add__(self, other): return forward_(self, other, 0)
    def __radd__(self, other): return reflected_(self, other, 0)
    def __iadd__(self, other): return inplace_(self, other, 0)
    def __sub__(self, other): return forward_(self, other, 1)
    def __rsub__(self, other): return reflected_(self, other, 1)
    def __isub__(self, other): return inplace_(self, other, 1)
    def __mul__(self, other): return forward_(self, other, 2)
    def __rmul__(self, other): return reflected_(self, other, 2)
    def __imul__(self, other): return inplace_(self, other, 2)
    def __truediv__(self, other): return forward_(self, other, 3)
    def __rtruediv__(self, other): return reflected_(self, other, 3)
    def __itruediv__(self, other): return inplace_(self, other, 3)
    def __mod__(self, other): return forward_(self, other, 4)
    def __rmod__(self, other): return reflected_(self, other, 4)
    def __imod__(self, other): return inplace_(self, other, 4)
    def __pow__(self, other, modulo): return forward_(self, other, 5)
    def __rpow__(self, other, modulo): return reflected_(self, other, 5)
    def __eq__(self, other): return forward_(self, other, 6)
    def __ne__(self, other): return forward_(self, other, 7)
    def __gt__(self, other): return forward_(self, other, 8)
    def __ge__(self, other): return forward_(self, other, 9)
    def __lt__(self, other): return forward_(self, other, 10)
    def __le__(self, other): return forward_(self, other, 11)
    def __neg__(self): return self._negative()
    def __abs__(self): return self._absolute()
    def __repr__(self): return self._repr()

    def __float__(self):
        return float(self._one("float"))

    def __int__(self):
        return int(self._one("int"))

    def _one(self, what):
        if self.size_ != 1:
            raise TypeError(f"{what}: expected an array with 1 element, got {self.size_}")
        return self.asnumpy().reshape(())[()]

    def __hash__(self): return <Py_ssize_t><size_t><PyObject*>self >> 4

    def __len__(self):
        if self.ndim_ == 0:
            raise TypeError("len() of a 0-d array")
        return self.dims[0]

    def __bool__(self):
        if self.size_ == 0:
            return False
        if self.size_ != 1:
            raise ValueError(f"bool: an array with {self.size_} elements is neither true nor false; expected 1 element")
        return bool(self.asnumpy().reshape(())[()])

    def __getitem__(self, key):
        """x[key]: contiguous results are writable views, others copies; see `mxnd.ndarray.indexing`."""
        cdef Py_ssize_t i, n, lo, hi
        cdef slice s
        if PyLong_CheckExact(key) and self.ndim_ and not self.stype_:
            n = self.dims[0]
            try:
                i = key
            except OverflowError:
                i = n
            if i < 0:
                i += n
            if i < 0 or i >= n:
                raise IndexError(f"index {key} is out of bounds for axis 0 with size {n}")
            return self._rows(i, i + 1, True)
        if type(key) is slice and self.ndim_ and not self.stype_:
            s = <slice>key
            if s.step is None or s.step == 1:
                if s.start is None and s.stop is None:
                    return self
                n = self.dims[0]
                lo = 0 if s.start is None else bound(s.start, n)
                hi = n if s.stop is None else bound(s.stop, n)
                return self._rows(lo, hi if hi > lo else lo, False)
        return self._getitem(key)

    cdef NDArray _rows(self, Py_ssize_t lo, Py_ssize_t hi, bint drop):
        cdef Py_ssize_t dims[MAXD]
        cdef Py_ssize_t inner = 1
        cdef int i, k = 0
        if drop and self.ndim_ == 1 and not mxnd_scalars:
            drop = False                     # MXNet: an element has shape (1,), outside np_shape
        if not drop:
            dims[0] = hi - lo
            k = 1
        for i in range(1, self.ndim_):
            dims[k] = self.dims[i]
            inner *= self.dims[i]
            k += 1
        cdef NDArray v = new_view(self, self.ptr + lo * inner * mxnd_item[self.type], k, dims)
        return <NDArray>record_view_(self, v, lo * inner)

    def __setitem__(self, key, value):
        self._setitem(key, value)

    def __iter__(self):
        if self.ndim_ == 0:
            raise TypeError("iteration over a 0-d array")
        cdef Py_ssize_t i
        for i in range(self.dims[0]):
            yield self[i]

    def reshape(self, *dims_, **kwargs):
        """The same memory under another shape: a view, so writes go through.

        Parameters
        ----------
        *dims_ : int or tuple of int
            Dimensions, or MXNet's codes: 0 copies a dimension, -1 is worked out, -2 copies the rest, -3 joins
            two, -4 splits one in the following two.
        reverse : bool, default False
            Match the codes from the right.

        Returns
        -------
        NDArray

        Raises
        ------
        ValueError, MXNetError
            The sizes do not agree, or the codes do not fit.

        Examples
        --------
        >>> mx.nd.arange(6).reshape(2, -1).shape
        (2, 3)
        """
        cdef Py_ssize_t dims[MAXD]
        cdef Py_ssize_t n = 1
        cdef tuple s
        cdef int i, ndim
        if not kwargs and not self.stype_:
            s = <tuple>dims_[0] if len(dims_) == 1 and type(dims_[0]) is tuple else dims_
            ndim = len(s)
            if 0 < ndim <= MAXD:
                for i in range(ndim):
                    if not PyLong_CheckExact(s[i]):
                        break
                    try:
                        dims[i] = s[i]
                    except OverflowError:
                        break
                    if dims[i] <= 0 or n > self.size_ // dims[i]:      # too many elements, or the product would overflow
                        break
                    n *= dims[i]
                else:
                    if n == self.size_:
                        return record_view_(self, new_view(self, self.ptr, ndim, dims), 0)
        return self._reshape_codes(dims_, **kwargs)

    def _apply(self, op, inputs, params):
        return apply_(op, inputs, params)


@cython.trashcan(True)
@cython.auto_pickle(False)
cdef class SparseBase(NDArray):
    """What the compiled core knows of sparse arrays: shape, dtype, and that they are not dense."""

    def __init__(self, int stype, tuple shape, dtype):
        cdef int i
        self.stype_ = stype
        self.type = type_code(dtype)
        self.ndim_ = check_ndim(len(shape))
        self.device = CPU
        self.size_ = 1
        for i in range(self.ndim_):
            self.dims[i] = shape[i]
            if self.dims[i] < 0 or self.dims[i] and self.size_ > (<Py_ssize_t>1 << 62) // self.dims[i]:
                raise MXNetError(f"array: shape {shape} is negative or too large")
            self.size_ *= self.dims[i]

    def __getbuffer__(self, Py_buffer* b, int flags):
        raise BufferError("buffer: a sparse array has no dense memory; use asnumpy() or tostype('default')")


apply_ = None
def use_apply(f):
    """Set what formulas call to run an operator on arrays."""
    global apply_
    apply_ = f


cdef inline Py_ssize_t bound(object v, Py_ssize_t n) except? -7:
    cdef Py_ssize_t i
    if PyLong_CheckExact(v) and not -(1 << 62) < v < 1 << 62:      # as NumPy: beyond every end
        return n if v > 0 else 0
    i = v
    if i < 0:
        i += n
        return i if i > 0 else 0
    return i if i < n else n

cdef inline char* format_of(int type):
    return <char*>(b"f\0d\0e\0B\0i\0b\0q\0?\0H\0") + 2 * type

cdef inline int check_ndim(Py_ssize_t ndim) except -1:
    if ndim > MAXD:
        raise MXNetError(f"array: too many dimensions; expected at most {MAXD}, got {ndim}")
    return <int>ndim

cdef tuple shape_of(NDArray x):
    cdef tuple t = PyTuple_New(x.ndim_)
    cdef int i
    cdef object v                        # not a C number: the tuple takes over a reference
    for i in range(x.ndim_):
        v = x.dims[i]
        Py_INCREF(v)
        PyTuple_SET_ITEM(t, i, v)
    return t

cdef bint same_shape(NDArray a, NDArray b) noexcept:
    cdef int i
    if a.ndim_ != b.ndim_:
        return False
    for i in range(a.ndim_):
        if a.dims[i] != b.dims[i]:
            return False
    return True

cdef NDArray new_array(int ndim, const Py_ssize_t* dims, int type):
    """A new array on the CPU, its memory not set."""
    cdef NDArray r = NDArray.__new__(NDArray)
    cdef Py_ssize_t n = 1
    cdef int i
    for i in range(ndim):
        r.dims[i] = dims[i]
        if dims[i] and n > (<Py_ssize_t>1 << 46) // dims[i]:
            raise MemoryError(f"array: {tuple([dims[k] for k in range(ndim)])} is too large")
        n *= dims[i]
    r.buf = new_buffer(n * mxnd_item[type])
    r.ptr = <char*>r.buf.ptr
    r.ndim_ = ndim
    r.size_ = n
    r.type = type
    r.device = CPU
    return r

cdef NDArray new_like(NDArray x, int type):
    cdef NDArray r = NDArray.__new__(NDArray)
    cdef int i
    for i in range(x.ndim_):
        r.dims[i] = x.dims[i]
    r.buf = new_buffer(x.size_ * mxnd_item[type])
    r.ptr = <char*>r.buf.ptr
    r.ndim_ = x.ndim_
    r.size_ = x.size_
    r.type = type
    r.device = x.device
    r.device_id = x.device_id
    return r

cdef NDArray new_view(NDArray x, char* ptr, int ndim, const Py_ssize_t* dims):
    cdef NDArray r = NDArray.__new__(NDArray)
    cdef int i
    r.size_ = 1
    for i in range(ndim):
        r.dims[i] = dims[i]
        r.size_ *= dims[i]
    r.buf = x.buf
    r.ptr = ptr
    r.ndim_ = ndim
    r.type = x.type
    r.device = x.device
    r.device_id = x.device_id
    return r

cdef NDArray same_data(NDArray x):
    return new_view(x, x.ptr, x.ndim_, x.dims)


# ---- making arrays ---------------------------------------------------------------------------------

def empty(tuple shape, dtype="float32"):
    """An array whose memory is not set."""
    cdef Py_ssize_t dims[MAXD]
    cdef int i, ndim = check_ndim(len(shape))
    for i in range(ndim):
        if not 0 <= shape[i] < 1 << 63:
            raise MXNetError(f"array: a dimension is negative or too large in shape {shape}")
        dims[i] = shape[i]
    return new_array(ndim, dims, type_code(dtype))


def from_numpy_copy(a, dtype):
    """An array with a copy of a NumPy array's data, converted to dtype."""
    cdef int code = type_code(dtype)
    cdef cnp.ndarray c
    if code == MX_BF16:
        return from_numpy_copy(a, "float32")._cast("bfloat16")
    with np.errstate(all="ignore"):
        c = np.asarray(a, dtype=CLASSES[code], order="C")
    if not cnp.PyArray_IS_C_CONTIGUOUS(c) or not cnp.PyArray_ISALIGNED(c) or not c.dtype.isnative:
        c = np.require(c.astype(CLASSES[code]), requirements="CA")
    cdef int ndim = check_ndim(cnp.PyArray_NDIM(c))
    cdef NDArray r = new_array(ndim, <Py_ssize_t*>cnp.PyArray_DIMS(c), code)
    memcpy(r.ptr, cnp.PyArray_DATA(c), r.size_ * mxnd_item[code])
    return r


def from_numpy_shared(cnp.ndarray a):
    """An array over a NumPy array's own memory; it keeps the NumPy array alive."""
    cdef NDArray r = NDArray.__new__(NDArray)
    cdef int i
    r.ndim_ = check_ndim(cnp.PyArray_NDIM(a))
    r.size_ = 1
    for i in range(r.ndim_):
        r.dims[i] = cnp.PyArray_DIM(a, i)
        r.size_ *= r.dims[i]
    r.type = type_code(a.dtype)
    r.buf = borrow(cnp.PyArray_DATA(a), a)
    r.ptr = <char*>cnp.PyArray_DATA(a)
    r.device = CPU
    return r


def from_list(list source):
    """A float32 array from nested lists of floats and ints; None when they are anything else.

    Quicker than going through NumPy, which looks for a common type first."""
    cdef Py_ssize_t dims[MAXD]
    cdef int ndim = 0
    cdef PyObject* item = <PyObject*>source
    while type(<object>item) is list:
        if ndim == MAXD:
            return None
        dims[ndim] = PyList_GET_SIZE(<object>item)
        if dims[ndim] == 0:
            return None
        ndim += 1
        item = PyList_GET_ITEM(<object>item, 0)
    cdef NDArray r = new_array(ndim, dims, MX_F32)
    cdef float* p = <float*>r.ptr
    return r if fill_from(source, dims, 0, ndim, &p) else None

cdef bint fill_from(object source, const Py_ssize_t* dims, int axis, int ndim, float** p) except -1:
    cdef Py_ssize_t k
    cdef PyObject* item
    cdef long long whole
    if type(source) is not list or PyList_GET_SIZE(source) != dims[axis]:
        return False
    for k in range(dims[axis]):
        item = PyList_GET_ITEM(source, k)
        if axis + 1 < ndim:
            if not fill_from(<object>item, dims, axis + 1, ndim, p):
                return False
        elif PyFloat_CheckExact(<object>item):
            p[0][0] = <float>PyFloat_AS_DOUBLE(<object>item)
            p[0] += 1
        elif PyLong_CheckExact(<object>item):
            try:
                whole = <object>item
            except OverflowError:
                return False
            p[0][0] = <float>whole
            p[0] += 1
        else:
            return False
    return True
