# cython: language_level=3
"""How many threads a call uses."""
cdef extern from "pthread.h" nogil:
    int pthread_atfork(void (*prepare)() noexcept nogil, void (*parent)() noexcept nogil, void (*child)() noexcept nogil)

cdef int most = 1
cdef Py_ssize_t GRAIN = 32768           # simple element operations that repay a thread

cdef void after_fork() noexcept nogil:
    # the OpenMP threads of the parent do not exist in the child, and waiting for them would hang it
    global most
    most = 1

pthread_atfork(NULL, NULL, after_fork)


cdef int threads_for(Py_ssize_t work) noexcept nogil:
    """Threads for so many simple element operations."""
    if most == 1 or work < 2 * GRAIN:
        return 1
    return most if work >= most * GRAIN else <int>(work // GRAIN)


def get_num_threads():
    return most


def set_num_threads(int n):
    global most
    if not 1 <= n <= 256:
        raise ValueError(f"set_num_threads: expected 1 to 256 threads, got {n}")
    was = most
    most = n
    return was


cdef int max_threads() noexcept nogil:
    return most
