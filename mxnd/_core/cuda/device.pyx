# cython: language_level=3, boundscheck=False, wraparound=False
"""GPUs: how many there are, their memory, copies and elementwise loops.

Importing needs neither a GPU nor a driver: `count()` is 0 then, and the other functions say what is missing."""
from libc.stdint cimport uintptr_t

from ...ops.errors import MXNetError

cdef extern from "cuda.h" nogil:
    enum: MX_TYPES, MX_TO_DEVICE, MX_TO_HOST, MX_ON_DEVICE, MX_NUMBER
    ctypedef int (*mxnd_cuda_loop)(const void*, Py_ssize_t, const void*, Py_ssize_t, void*, Py_ssize_t, void*) noexcept
    ctypedef struct mxnd_cuda_row:
        const char* name
        mxnd_cuda_loop loop[9]
    const char* mxnd_cuda_error(int code)
    int mxnd_cuda_count(int* count)
    int mxnd_cuda_about(int device, char* name, int room, size_t* total, int* capability)
    int mxnd_cuda_memory(int device, size_t* available, size_t* total)
    int mxnd_cuda_alloc(int device, size_t bytes, void** memory)
    int mxnd_cuda_free(int device, void* memory)
    int mxnd_cuda_copy(int device, void* to, const void* source, size_t bytes, int kind)
    int mxnd_cuda_wait(int device)
    const mxnd_cuda_row* mxnd_cuda_rows()

cdef int _count = -1
cdef str _why = ""


cdef int check(int code, str what) except -1:
    if code != 0:
        raise MXNetError(f"gpu: {what}: {mxnd_cuda_error(code).decode()}")
    return 0


cdef int there(int device) except -1:
    """Refuse a number that no GPU has."""
    cdef int n = count()
    if n == 0:
        raise MXNetError(f"gpu({device}): there is no GPU to use: {_why}")
    if not 0 <= device < n:
        raise MXNetError(f"gpu({device}): no such GPU; expected a number below {n}")
    return 0


def count():
    """How many GPUs there are to use; 0 without a driver."""
    global _count, _why
    cdef int n = 0, code
    if _count < 0:
        code = mxnd_cuda_count(&n)
        if code != 0:
            n, _why = 0, mxnd_cuda_error(code).decode()
        elif n == 0:
            _why = "the driver lists none"
        _count = n
    return _count


def about(int device):
    """(name, bytes of memory, compute capability as (major, minor)) of a GPU."""
    cdef char[256] name
    cdef size_t total = 0
    cdef int capability = 0
    there(device)
    check(mxnd_cuda_about(device, name, 256, &total, &capability), f"properties of gpu({device})")
    return (<bytes>name).decode(), total, divmod(capability, 10)


def memory_info(int device):
    """(free, total) bytes of a GPU's memory."""
    cdef size_t available = 0, total = 0
    there(device)
    check(mxnd_cuda_memory(device, &available, &total), f"memory of gpu({device})")
    return available, total


def wait(int device):
    """Wait until everything that was asked of a GPU is done."""
    cdef int code
    there(device)
    with nogil:
        code = mxnd_cuda_wait(device)
    check(code, f"work on gpu({device})")


cdef class Memory:
    """Bytes in the memory of a GPU, given back when nobody refers to them any more."""

    cdef void* p
    cdef readonly size_t size
    cdef readonly int device

    def __cinit__(self, int device, size_t size):
        there(device)
        self.device, self.size = device, size
        check(mxnd_cuda_alloc(device, size, &self.p), f"{size} bytes on gpu({device})")

    def __dealloc__(self):
        if self.p != NULL:
            mxnd_cuda_free(self.device, self.p)

    @property
    def address(self):
        """Where it is, as a number."""
        return <uintptr_t>self.p

    cdef int move(self, const void* other, size_t start, size_t bytes, int kind) except -1:
        cdef char* here = <char*>self.p + start
        cdef int code
        if start > self.size or bytes > self.size - start:
            raise MXNetError(f"gpu: copy of {bytes} bytes from byte {start} on; expected at most {self.size} bytes in all")
        with nogil:
            if kind == MX_TO_HOST:
                code = mxnd_cuda_copy(self.device, <void*>other, here, bytes, kind)
            else:
                code = mxnd_cuda_copy(self.device, here, other, bytes, kind)
        return check(code, f"copy of {bytes} bytes with gpu({self.device})")

    def put(self, const unsigned char[::1] source not None, size_t start=0):
        """Copy bytes of the host here."""
        if source.shape[0]:
            self.move(&source[0], start, source.shape[0], MX_TO_DEVICE)

    def take(self, unsigned char[::1] target not None, size_t start=0):
        """Copy bytes from here into memory of the host."""
        if target.shape[0]:
            self.move(&target[0], start, target.shape[0], MX_TO_HOST)

    def copy_from(self, Memory source not None):
        """Copy all of another piece of the same GPU here."""
        if source.device != self.device or source.size > self.size:
            raise MXNetError(f"gpu: copy of {source.size} bytes of gpu({source.device}); expected at most {self.size} bytes "
                             f"of gpu({self.device})")
        self.move(source.p, 0, source.size, MX_ON_DEVICE)


def loops():
    """Names of the elementwise loops, each with the codes of the element types it has."""
    cdef const mxnd_cuda_row* row = mxnd_cuda_rows()
    cdef int t
    found = {}
    while row.name != NULL:
        found[row.name.decode()] = tuple([t for t in range(MX_TYPES) if row.loop[t] != NULL])
        row += 1
    return found


def run(str name not None, int type, size_t n, Memory out not None, Memory a not None, Memory b=None,
        const unsigned char[::1] numbers=None):
    """out[i] = f(a[i], b[i]) for i < n, or f(a[i], number): the bytes of a number (two for loops with parameters)."""
    cdef const mxnd_cuda_row* row = mxnd_cuda_rows()
    cdef const void* second = NULL
    cdef Py_ssize_t step = 1
    cdef size_t size = (4, 8, 2, 1, 4, 1, 8, 1, 2)[type] if 0 <= type < MX_TYPES else 0
    cdef bytes wanted = name.encode()
    if size == 0:
        raise MXNetError(f"gpu: element type; expected 0 to {MX_TYPES - 1}, got {type}")
    while row.name != NULL and <bytes>row.name != wanted:
        row += 1
    if row.name == NULL or row.loop[type] == NULL:
        raise MXNetError(f"gpu: there is no loop {name!r} for element type {type}")
    for m in (out, a, b):
        if m is not None and (m.device != out.device or m.size // size < n):
            raise MXNetError(f"gpu: {name} of {n} elements; expected pieces of gpu({out.device}) of {n * size} bytes")
    if b is not None:
        second = b.p
    elif numbers is not None:
        if numbers.shape[0] != 2 * <Py_ssize_t>size:
            raise MXNetError(f"gpu: {name}: the numbers; expected {2 * size} bytes, got {numbers.shape[0]}")
        second, step = &numbers[0], MX_NUMBER
    else:
        step = 0
    check(row.loop[type](a.p, 1, second, step, out.p, n, NULL), name)
    wait(out.device)
