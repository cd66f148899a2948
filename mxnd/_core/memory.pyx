# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The memory pool for arrays, its statistics, and a way to empty it."""
cimport cython

cdef extern from "pool.h" nogil:
    ctypedef struct pool_statistics:
        size_t used, cached, peak, limit
        unsigned long long taken, reused
    pool_statistics pool_stats
    void* pool_take(size_t, int*)
    void pool_give(void*, int)
    size_t pool_empty()
    void* pool_scratch(size_t)
    void pool_scratch_done(void*)
    void pool_after_fork()

cdef extern from "pthread.h" nogil:
    int pthread_atfork(void (*prepare)() noexcept nogil, void (*parent)() noexcept nogil, void (*child)() noexcept nogil)

pthread_atfork(NULL, NULL, pool_after_fork)


@cython.final
@cython.freelist(256)
cdef class Buffer:
    """A block of memory; arrays that share data share their Buffer."""

    def __dealloc__(self):
        if self.cls >= 0 and self.ptr != NULL:
            pool_give(self.ptr, self.cls)


cdef Buffer new_buffer(size_t bytes):
    cdef Buffer b = Buffer.__new__(Buffer)
    cdef int k = 0
    b.ptr = pool_take(bytes, &k)
    b.cls = k
    if b.ptr == NULL:
        raise MemoryError(f"mxnd: could not allocate {bytes} bytes")
    return b


cdef Buffer borrow(void* ptr, object owner):
    """Memory that belongs to another object."""
    cdef Buffer b = Buffer.__new__(Buffer)
    b.ptr = ptr
    b.cls = -1
    b.owner = owner
    return b


cdef void* scratch(size_t bytes) noexcept nogil:
    return pool_scratch(bytes)


cdef void scratch_done(void* p) noexcept nogil:
    pool_scratch_done(p)


def stats():
    """Bytes used and kept by the pool.

    Returns
    -------
    dict
        used: bytes in live arrays (rounded up to size classes); cached: bytes kept for reuse; peak: the
        most bytes used so far; limit: the most bytes kept; taken, reused: blocks handed out so far,
        and how many of them came from the pool.

    Examples
    --------
    >>> import mxnd as mx
    >>> sorted(mx.memory.stats())
    ['cached', 'limit', 'peak', 'reused', 'taken', 'used']
    """
    return {"used": pool_stats.used, "cached": pool_stats.cached, "peak": pool_stats.peak, "limit": pool_stats.limit,
            "taken": pool_stats.taken, "reused": pool_stats.reused}


def empty():
    """Give the memory kept for reuse back to the system; returns how many bytes that were.

    Examples
    --------
    >>> import mxnd as mx
    >>> mx.memory.empty() >= 0
    True
    """
    return pool_empty()


def reset_peak():
    """Start counting the peak from what is in use now.

    Examples
    --------
    >>> import mxnd as mx
    >>> mx.memory.reset_peak()
    """
    pool_stats.peak = pool_stats.used


def set_limit(size_t limit):
    """Set the most bytes that are kept for reuse; what is above it goes back to the system.

    Parameters
    ----------
    limit : int
        Bytes; 0 keeps nothing.

    Returns
    -------
    int
        The limit before.

    Examples
    --------
    >>> import mxnd as mx
    >>> before = mx.memory.set_limit(1 << 28)
    >>> mx.memory.set_limit(before)
    268435456
    """
    was = pool_stats.limit
    pool_stats.limit = limit
    if pool_stats.cached > limit:
        pool_empty()
    return was
