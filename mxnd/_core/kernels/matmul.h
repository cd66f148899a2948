/* Matrix products of our own: c (m x n) = alpha * a (m x k) . b (k x n), row-major, float and double.
 *
 * Only one kernel does arithmetic on large products: tile(), which keeps MR x NV vectors of c in registers,
 * reads one row of b and MR numbers of a per step, and takes both by strides, so packed, plain and
 * transposed operands look alike to it.  Around it (matmul_type.h, included once per element type):
 *   serial()   one thread: small operands are read where they lie, large ones are packed into panels
 *   product()  splits c (or, for long thin products, k) among threads; each thread runs serial()
 * Results depend on the number of threads only, never on timing. */
#ifndef MXND_MATMUL_H
#define MXND_MATMUL_H
#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "call.h"
#include "matmul_mask.h"

#if defined(__AVX512F__)
# define MM_BYTES 64            /* of a vector */
# define MM_ROWS 8
# define MM_VECTORS 3
# define MM_BLOCK (1 << 20)     /* bytes of b kept in the second-level cache */
#elif defined(__AVX__)
# define MM_BYTES 32
# define MM_ROWS 6
# define MM_VECTORS 2
# define MM_BLOCK (1 << 18)
#else
# define MM_BYTES 16
# define MM_ROWS 4
# define MM_VECTORS 2
# define MM_BLOCK (1 << 18)
#endif
#define MM_JOIN_(a, b) mm_##a##_##b
#define MM_JOIN(a, b) MM_JOIN_(a, b)
#define MM(name) MM_JOIN(name, MM_TYPE)
#define MM_INLINE static inline __attribute__((always_inline))
#define MM_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MM_MAX(a, b) ((a) > (b) ? (a) : (b))

/* Chunk i of n things dealt to parts in multiples of unit: first and last + 1. */
static inline void mm_chunk(ptrdiff_t n, int parts, int i, ptrdiff_t unit, ptrdiff_t *from, ptrdiff_t *to)
{
    ptrdiff_t units = (n + unit - 1) / unit, each = units / parts, more = units % parts;
    *from = MM_MIN(n, unit * (each * i + MM_MIN(i, more)));
    *to = MM_MIN(n, *from + unit * (each + (i < more)));
}

#define MM_TYPE f32
#define T float
#define ITYPE int32_t
#include "matmul_type.h"
#undef MM_TYPE
#undef T
#undef ITYPE
#define MM_TYPE f64
#define T double
#define ITYPE int64_t
#include "matmul_type.h"
#undef MM_TYPE
#undef T
#undef ITYPE
#endif
