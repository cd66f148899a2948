/* Linear algebra of our own, for batches of row-major matrices in float and double.
 *
 * The algorithms recurse on halves, so that nearly all arithmetic of large matrices is done by the packed
 * product of matmul.h; blocks of at most LA_SMALL rows are handled in local buffers.  Many matrices are
 * shared among the threads; a single large one is shared inside its products and solves.
 *   linalg_tri.h        triangular solves and products
 *   linalg_cholesky.h   Cholesky factors and inverses from them
 *   linalg_lu.h         LU factors with row exchanges: determinants and inverses
 *   linalg_qr.h         Householder reflectors: LQ factors
 *   linalg_eigen.h      eigenvalues of symmetric matrices
 *   linalg_minors.h     derivatives of the determinant, singular matrices included */
#ifndef MXND_LINALG_H
#define MXND_LINALG_H
#include <math.h>
#include "matmul.h"

#define LA_JOIN_(a, b) la_##a##_##b
#define LA_JOIN(a, b) LA_JOIN_(a, b)
#define LA(name) LA_JOIN(name, MM_TYPE)
#define LA_SMALL 32

/* What a routine may use for one matrix: threads, and scratch memory for the products of each of them. */
typedef struct {
    mxnd_call *call;
    int threads;
    char *room;                /* threads * need bytes */
    size_t need;
    char *own;                 /* memory of the routine itself */
} la_work;

/* Threads for so many multiplications. */
#define LA_SHARE 1e6
static int la_threads(const la_work *w, double work)
{
    return work < 2 * LA_SHARE ? 1 : w->threads;
}

/* count matrices of size rows, each of so many multiplications, whose routine wants own bytes of memory. */
typedef struct { ptrdiff_t count, size; double work; size_t own; } la_batch;

/* Does matrix q of the batch.  Returns 0, or non-zero where the matrix does not allow it. */
typedef int (*la_job)(la_work *w, ptrdiff_t q);

#define VL (MM_BYTES / (int)sizeof(T))          /* vectors of matmul_type.h */
#define V MM(vector)
#define U MM(unaligned)

#define MM_TYPE f32
#define T float
#include "linalg_type.h"
#undef MM_TYPE
#undef T
#define MM_TYPE f64
#define T double
#include "linalg_type.h"
#include "linalg_minors.h"
#undef MM_TYPE
#undef T
#undef VL
#undef V
#undef U
#endif
