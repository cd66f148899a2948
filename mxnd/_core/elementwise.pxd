from .array cimport mxnd_loop

cdef void run_flat(mxnd_loop f, const char* a, Py_ssize_t sa, const char* b, Py_ssize_t sb, char* o, Py_ssize_t n,
                   int item, int item_out) noexcept nogil
cdef void run_broadcast(mxnd_loop f, int item, int ndim, const Py_ssize_t* dims, const char* a, const Py_ssize_t* sa,
                        const char* b, const Py_ssize_t* sb, char* o) noexcept nogil
