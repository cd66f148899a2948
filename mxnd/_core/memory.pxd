cdef class Buffer:
    cdef void* ptr
    cdef int cls                    # size class of the pool; -1: memory of `owner`
    cdef object owner

cdef Buffer new_buffer(size_t bytes)
cdef Buffer borrow(void* ptr, object owner)
cdef void* scratch(size_t bytes) noexcept nogil
cdef void scratch_done(void* p) noexcept nogil
