# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Matrix products: dot, batch_dot, linalg gemm and FullyConnected.  The arithmetic is in matmul.h."""
include "kernel.pxi"

cdef extern from "kernels/matmul.h" nogil:
    ctypedef struct mm_operand_f32:
        Py_ssize_t outer, ld, step
        int turned
    ctypedef struct mm_operand_f64:
        Py_ssize_t outer, ld, step
        int turned
    int mm_product_f32(mxnd_call*, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, float alpha, const float* a, Py_ssize_t lda, int ta,
                       const float* b, Py_ssize_t ldb, int tb, int add, float* c, Py_ssize_t ldc)
    int mm_product_f64(mxnd_call*, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, double alpha, const double* a, Py_ssize_t lda,
                       int ta, const double* b, Py_ssize_t ldb, int tb, int add, double* c, Py_ssize_t ldc)
    int mm_batch_f32(mxnd_call*, Py_ssize_t outer, Py_ssize_t inner, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, float alpha,
                     const float* a, mm_operand_f32 x, const float* b, mm_operand_f32 y, int add, float* c, mm_operand_f32 z)
    int mm_batch_f64(mxnd_call*, Py_ssize_t outer, Py_ssize_t inner, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, double alpha,
                     const double* a, mm_operand_f64 x, const double* b, mm_operand_f64 y, int add, double* c, mm_operand_f64 z)

ctypedef fused real:
    float
    double


cdef int product(mxnd_call* c, real* out, int add, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, bint ta, bint tb) noexcept nogil:
    """out (m x n), fully packed, = or += the product of the first two inputs."""
    cdef real* a = <real*>c.inp[0].data
    cdef real* b = <real*>c.inp[1].data
    if real is float:
        return mm_product_f32(c, m, n, k, 1, a, m if ta else k, ta, b, k if tb else n, tb, add, out, n)
    else:
        return mm_product_f64(c, m, n, k, 1, a, m if ta else k, ta, b, k if tb else n, tb, add, out, n)


# numbers: m, n, k, a is transposed, b is transposed
cdef int dot(mxnd_call* c) noexcept nogil:
    if c.inp[0].type == MX_F64:
        return product(c, <double*>c.out[0].data, 0, c.i[0], c.i[1], c.i[2], c.i[3], c.i[4])
    return product(c, <float*>c.out[0].data, 0, c.i[0], c.i[1], c.i[2], c.i[3], c.i[4])


cdef int connect(mxnd_call* c, real* out, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t i
    if c.nin > 2:
        for i in range(m):
            memcpy(out + i * n, c.inp[2].data, n * sizeof(real))
    return product(c, out, c.nin > 2, m, n, k, False, True)


# numbers: rows of the data, hidden units, length of a row
cdef int fully_connected(mxnd_call* c) noexcept nogil:
    if c.inp[0].type == MX_F64:
        return connect(c, <double*>c.out[0].data, c.i[0], c.i[1], c.i[2])
    return connect(c, <float*>c.out[0].data, c.i[0], c.i[1], c.i[2])


cdef int products(mxnd_call* c, real* out, double alpha, double beta) noexcept nogil:
    """Products of every outer and inner index; the rows of each lie `inner` rows of storage apart."""
    cdef Py_ssize_t outer = c.i[0], inner = c.i[1], m = c.i[2], n = c.i[3], k = c.i[4], i
    cdef bint ta = c.i[5], tb = c.i[6], add = c.nin > 2
    cdef Py_ssize_t wide_a = m if ta else k, wide_b = k if tb else n
    cdef real* a = <real*>c.inp[0].data
    cdef real* b = <real*>c.inp[1].data
    cdef real* base
    cdef mm_operand_f32 x, y, z
    cdef mm_operand_f64 u, v, w
    if add:
        base = <real*>c.inp[2].data
        for i in range(c.out[0].size):
            out[i] = <real>beta * base[i]
    if real is float:
        x.outer, x.ld, x.step, x.turned = inner * m * k, inner * wide_a, wide_a, ta
        y.outer, y.ld, y.step, y.turned = inner * n * k, inner * wide_b, wide_b, tb
        z.outer, z.ld, z.step, z.turned = inner * m * n, inner * n, n, 0
        return mm_batch_f32(c, outer, inner, m, n, k, <float>alpha, a, x, b, y, add, out, z)
    else:
        u.outer, u.ld, u.step, u.turned = inner * m * k, inner * wide_a, wide_a, ta
        v.outer, v.ld, v.step, v.turned = inner * n * k, inner * wide_b, wide_b, tb
        w.outer, w.ld, w.step, w.turned = inner * m * n, inner * n, n, 0
        return mm_batch_f64(c, outer, inner, m, n, k, alpha, a, u, b, v, add, out, w)


# numbers: outer, inner, m, n, k, a is transposed, b is transposed; real: alpha, beta
cdef int batch_gemm(mxnd_call* c) noexcept nogil:
    if c.inp[0].type == MX_F64:
        return products(c, <double*>c.out[0].data, c.d[0], c.d[1])
    return products(c, <float*>c.out[0].data, c.d[0], c.d[1])


kernels = {"dot": entry(dot), "fully_connected": entry(fully_connected), "batch_gemm": entry(batch_gemm)}
