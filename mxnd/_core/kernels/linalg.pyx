# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Linear algebra: factors, solves, eigenvalues, determinants; diagonals and triangles as vectors.  See linalg.h."""
include "kernel.pxi"

from libc.math cimport log

cdef extern from "linalg.h" nogil:
    enum: LA_MOST_DIRECTIONS
    ctypedef struct la_work:
        pass
    ctypedef struct la_batch:
        Py_ssize_t count, size
        double work
        size_t own
    ctypedef int (*la_job)(la_work*, Py_ssize_t)
    int la_run_f32(mxnd_call*, la_batch, const char*, la_job)
    int la_run_f64(mxnd_call*, la_batch, const char*, la_job)
    int la_trsm_one_f32(la_work*, Py_ssize_t)
    int la_trsm_one_f64(la_work*, Py_ssize_t)
    int la_trmm_one_f32(la_work*, Py_ssize_t)
    int la_trmm_one_f64(la_work*, Py_ssize_t)
    int la_syrk_one_f32(la_work*, Py_ssize_t)
    int la_syrk_one_f64(la_work*, Py_ssize_t)
    int la_potrf_one_f32(la_work*, Py_ssize_t)
    int la_potrf_one_f64(la_work*, Py_ssize_t)
    int la_potri_one_f32(la_work*, Py_ssize_t)
    int la_potri_one_f64(la_work*, Py_ssize_t)
    int la_det_one_f32(la_work*, Py_ssize_t)
    int la_det_one_f64(la_work*, Py_ssize_t)
    int la_slogdet_one_f32(la_work*, Py_ssize_t)
    int la_slogdet_one_f64(la_work*, Py_ssize_t)
    int la_inverse_one_f32(la_work*, Py_ssize_t)
    int la_inverse_one_f64(la_work*, Py_ssize_t)
    int la_gelqf_one_f32(la_work*, Py_ssize_t)
    int la_gelqf_one_f64(la_work*, Py_ssize_t)
    int la_syevd_one_f32(la_work*, Py_ssize_t)
    int la_syevd_one_f64(la_work*, Py_ssize_t)
    int la_minors_one(la_work*, Py_ssize_t)
    size_t la_lu_room_f64(Py_ssize_t)
    size_t la_lq_room_f64(Py_ssize_t, Py_ssize_t)
    size_t la_syevd_room_f64(Py_ssize_t, int)
    size_t la_minors_room(Py_ssize_t, Py_ssize_t)

cdef enum:
    MOST_ROWS = 0x7fffffff               # row numbers are 32 bits wide


cdef int batch(mxnd_call* c, Py_ssize_t size, double work, size_t own, const char* failure, la_job f32,
               la_job f64) noexcept nogil:
    """One job per matrix; work: multiplications of each, own: bytes that it needs."""
    cdef la_batch b
    if size > MOST_ROWS:
        c.error = "the matrix is too large; expected fewer than 2 ** 31 rows"
        return MX_ERROR
    b.count, b.size, b.work, b.own = c.i[0], size, work, own
    if c.inp[0].type == MX_F64:
        return la_run_f64(c, b, failure, f64)
    return la_run_f32(c, b, failure, f32)


# numbers: batch, rows of the triangle, the other length, transpose, rightside, lower; real: alpha
cdef int trsm(mxnd_call* c) noexcept nogil:
    return batch(c, max(c.i[1], c.i[2]), <double>c.i[1] * c.i[1] * c.i[2] / 2, 0, "failed", la_trsm_one_f32, la_trsm_one_f64)


cdef int trmm(mxnd_call* c) noexcept nogil:
    return batch(c, max(c.i[1], c.i[2]), <double>c.i[1] * c.i[1] * c.i[2] / 2, 0, "failed", la_trmm_one_f32, la_trmm_one_f64)


# numbers: batch, rows of the result, the other length, transpose; real: alpha
cdef int syrk(mxnd_call* c) noexcept nogil:
    return batch(c, max(c.i[1], c.i[2]), <double>c.i[1] * c.i[1] * c.i[2] / 2, 0, "failed", la_syrk_one_f32, la_syrk_one_f64)


# numbers: batch, rows, lower
cdef int potrf(mxnd_call* c) noexcept nogil:
    return batch(c, c.i[1], <double>c.i[1] * c.i[1] * c.i[1] / 6, 0, "A is not positive definite", la_potrf_one_f32,
                 la_potrf_one_f64)


cdef int potri(mxnd_call* c) noexcept nogil:
    return batch(c, c.i[1], <double>c.i[1] * c.i[1] * c.i[1] / 2, c.i[1] * c.i[1] * sizeof(double),
                 "A is singular: its diagonal has a zero", la_potri_one_f32, la_potri_one_f64)


# numbers: batch, rows
cdef int det(mxnd_call* c) noexcept nogil:
    return batch(c, c.i[1], <double>c.i[1] * c.i[1] * c.i[1] / 3, la_lu_room_f64(c.i[1]), "failed", la_det_one_f32, la_det_one_f64)


cdef int slogdet(mxnd_call* c) noexcept nogil:
    return batch(c, c.i[1], <double>c.i[1] * c.i[1] * c.i[1] / 3, la_lu_room_f64(c.i[1]), "failed", la_slogdet_one_f32,
                 la_slogdet_one_f64)


# numbers: batch, rows, whether singular matrices give zeros
cdef int inverse(mxnd_call* c) noexcept nogil:
    return batch(c, c.i[1], <double>c.i[1] * c.i[1] * c.i[1], la_lu_room_f64(c.i[1]), "A is singular", la_inverse_one_f32,
                 la_inverse_one_f64)


# numbers: batch, rows, columns
cdef int gelqf(mxnd_call* c) noexcept nogil:
    return batch(c, c.i[2], <double>c.i[1] * c.i[1] * c.i[2] * 2, la_lq_room_f64(c.i[1], c.i[2]), "failed", la_gelqf_one_f32,
                 la_gelqf_one_f64)


# numbers: batch, rows
cdef int syevd(mxnd_call* c) noexcept nogil:
    return batch(c, c.i[1], <double>c.i[1] * c.i[1] * c.i[1] * 5, la_syevd_room_f64(c.i[1], c.threads),
                 "the eigenvalues do not converge", la_syevd_one_f32, la_syevd_one_f64)


# numbers: batch, rows
cdef int det_grad(mxnd_call* c) noexcept nogil:
    cdef la_batch b
    if c.nin > LA_MOST_DIRECTIONS + 1 or c.i[1] > MOST_ROWS:
        c.error = "derivatives of so high an order are not supported; expected at most 8 directions"
        return MX_ERROR
    b.count, b.size, b.work = c.i[0], c.i[1], <double>c.i[1] * c.i[1] * c.i[1] * 2
    b.own = la_minors_room(c.i[1], c.nin - 1)
    return la_run_f64(c, b, "failed", la_minors_one)


# ---- diagonals and triangles ------------------------------------------------------------------------

ctypedef fused real:
    float
    double


cdef void move_diagonal(mxnd_call* c, real* matrix, real* line, bint make) noexcept nogil:
    """numbers: batch, rows, length of the diagonal, place of its first element"""
    cdef Py_ssize_t n = c.i[1], k = c.i[2], i, q
    for q in range(c.i[0]):
        for i in range(k):
            if make:
                matrix[q * n * n + c.i[3] + i * (n + 1)] = line[q * k + i]
            else:
                line[q * k + i] = matrix[q * n * n + c.i[3] + i * (n + 1)]


cdef int extractdiag(mxnd_call* c) noexcept nogil:
    if c.inp[0].type == MX_F64:
        move_diagonal(c, <double*>c.inp[0].data, <double*>c.out[0].data, False)
    else:
        move_diagonal(c, <float*>c.inp[0].data, <float*>c.out[0].data, False)
    return MX_OK


cdef int makediag(mxnd_call* c) noexcept nogil:
    memset(c.out[0].data, 0, c.out[0].size * item_size(c.out[0].type))
    if c.inp[0].type == MX_F64:
        move_diagonal(c, <double*>c.out[0].data, <double*>c.inp[0].data, True)
    else:
        move_diagonal(c, <float*>c.out[0].data, <float*>c.inp[0].data, True)
    return MX_OK


cdef void move_triangle(mxnd_call* c, real* matrix, real* line, bint make) noexcept nogil:
    """numbers: batch, rows, rows of the triangle, place of its corner, whether it is the lower one.

    The lower triangle is stored row after row, the upper one column after column."""
    cdef Py_ssize_t n = c.i[1], i, j, q
    cdef Py_ssize_t step_i = n if c.i[4] else 1, step_j = 1 if c.i[4] else n
    cdef real* corner
    for q in range(c.i[0]):
        corner = matrix + q * n * n + c.i[3]
        for i in range(c.i[2]):
            for j in range(i + 1):
                if make:
                    corner[i * step_i + j * step_j] = line[j]
                else:
                    line[j] = corner[i * step_i + j * step_j]
            line += i + 1


cdef int extracttrian(mxnd_call* c) noexcept nogil:
    if c.inp[0].type == MX_F64:
        move_triangle(c, <double*>c.inp[0].data, <double*>c.out[0].data, False)
    else:
        move_triangle(c, <float*>c.inp[0].data, <float*>c.out[0].data, False)
    return MX_OK


cdef int maketrian(mxnd_call* c) noexcept nogil:
    memset(c.out[0].data, 0, c.out[0].size * item_size(c.out[0].type))
    if c.inp[0].type == MX_F64:
        move_triangle(c, <double*>c.out[0].data, <double*>c.inp[0].data, True)
    else:
        move_triangle(c, <float*>c.out[0].data, <float*>c.inp[0].data, True)
    return MX_OK


cdef void keep(mxnd_call* c, real* x, real* y) noexcept nogil:
    cdef Py_ssize_t n = c.i[1], i, j, q
    cdef real d = <real>c.d[0]
    for q in range(c.i[0] * n):
        i = q % n
        for j in range(n):
            y[q * n + j] = x[q * n + j] if (j < i if c.i[2] else j > i) else 0
        y[q * n + i] = d * x[q * n + i]


# numbers: batch, rows, lower; real: factor of the diagonal
cdef int triangle(mxnd_call* c) noexcept nogil:
    if c.inp[0].type == MX_F64:
        keep(c, <double*>c.inp[0].data, <double*>c.out[0].data)
    else:
        keep(c, <float*>c.inp[0].data, <float*>c.out[0].data)
    return MX_OK


cdef void log_diagonals(mxnd_call* c, real* x, real* y) noexcept nogil:
    cdef Py_ssize_t n = c.i[1], i, q
    cdef double s
    for q in range(c.i[0]):
        s = 0
        for i in range(n):
            s += log(<double>x[(q * n + i) * n + i])
        y[q] = <real>s


# numbers: batch, rows
cdef int sumlogdiag(mxnd_call* c) noexcept nogil:
    if c.inp[0].type == MX_F64:
        log_diagonals(c, <double*>c.inp[0].data, <double*>c.out[0].data)
    else:
        log_diagonals(c, <float*>c.inp[0].data, <float*>c.out[0].data)
    return MX_OK


kernels = {"trsm": entry(trsm), "trmm": entry(trmm), "syrk": entry(syrk), "potrf": entry(potrf), "potri": entry(potri),
           "det": entry(det), "slogdet": entry(slogdet), "inverse": entry(inverse), "gelqf": entry(gelqf), "syevd": entry(syevd),
           "det_grad": entry(det_grad), "extractdiag": entry(extractdiag), "makediag": entry(makediag),
           "extracttrian": entry(extracttrian), "maketrian": entry(maketrian), "triangle": entry(triangle),
           "sumlogdiag": entry(sumlogdiag)}
