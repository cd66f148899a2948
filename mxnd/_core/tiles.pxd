from .array cimport mxnd_loop

cdef extern from "tiles.h" nogil:
    enum: MXND_TILE_FAR, MXND_TILE_NEAR, MXND_TILE_ALIGN
    ctypedef struct mxnd_part:
        mxnd_loop loop
        const char* a
        const char* b
        char* o
        Py_ssize_t sa, sb, a_step, b_step, o_step
    Py_ssize_t mxnd_tile(Py_ssize_t bytes)
    void mxnd_tiles(mxnd_part* parts, int count, Py_ssize_t n, Py_ssize_t tile)
    char* mxnd_tile_aligned(char* p)
    Py_ssize_t mxnd_tile_constant(char* to, const char* number, int item, Py_ssize_t tile)
