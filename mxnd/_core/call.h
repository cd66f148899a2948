/* What the dispatcher, the loops and the kernels share: element types, tensors, one call. */
#ifndef MXND_CALL_H
#define MXND_CALL_H
#include <stddef.h>
#include <stdint.h>

/* Element types.  0 to 7 are the codes of MXNet's files; bfloat16 is 12 there. */
enum { MX_F32, MX_F64, MX_F16, MX_U8, MX_I32, MX_I8, MX_I64, MX_BOOL, MX_BF16, MX_TYPES };

/* Elementwise loop: o[i] = f(a[i * sa], b[i * sb]); sa and sb are 0 or 1 (elements). */
typedef void (*mxnd_loop)(const char *a, ptrdiff_t sa, const char *b, ptrdiff_t sb, char *o, ptrdiff_t n);
typedef struct { const char *name; mxnd_loop loop[MX_TYPES]; } mxnd_row;

/* A contiguous array in C order. */
typedef struct { char *data; const ptrdiff_t *shape; ptrdiff_t size; int ndim, type; } mxnd_tensor;

/* One call of a kernel: arrays, and the numbers its declaration worked out for these shapes. */
typedef struct mxnd_call {
    mxnd_tensor *in, *out;
    int nin, nout;
    const int64_t *i;          /* whole numbers, in the order of the declaration's arguments */
    const double *d;           /* real numbers, likewise */
    int threads;               /* how many threads the kernel may use */
    int training;              /* autograd's training flag */
    uint64_t seed, stream;     /* random operators: key and first counter of this call */
    void *(*take)(size_t bytes);   /* scratch memory from the pool, 64-byte aligned; NULL when there is none */
    void (*give)(void *scratch);   /* gives it back */
    const char *error;         /* set when the kernel returns non-zero */
    int64_t at, bound;         /* for an index error: the index and the size */
} mxnd_call;
/* Returns 0, or the kind of error: */
enum { MX_OK, MX_ERROR, MX_INDEX_ERROR, MX_VALUE_ERROR, MX_MEMORY_ERROR };
typedef int (*mxnd_kernel)(mxnd_call *c);
#endif
