/* What the CUDA files offer to device.pyx and to tests: plain C.  Functions give 0 or a cudaError. */
#ifndef MXND_CUDA_H
#define MXND_CUDA_H
#include "call.h"

#ifdef __cplusplus
extern "C" {
#endif

const char *mxnd_cuda_error(int code);
int mxnd_cuda_count(int *count);
int mxnd_cuda_about(int device, char *name, int room, size_t *total, int *capability);   /* 86 for 8.6 */
int mxnd_cuda_memory(int device, size_t *available, size_t *total);
int mxnd_cuda_alloc(int device, size_t bytes, void **memory);
int mxnd_cuda_free(int device, void *memory);
int mxnd_cuda_copy(int device, void *to, const void *from, size_t bytes, int kind);      /* kinds: below */
int mxnd_cuda_wait(int device);
enum { MX_TO_DEVICE = 1, MX_TO_HOST = 2, MX_ON_DEVICE = 3 };

/* Elementwise loop on the current device: o[i] = f(a[i * sa], b[i * sb]), strides 0 or 1 in elements.  MX_NUMBER as a
   stride: the operand is one number in host memory (for b of a loop with parameters: two), read before the call ends. */
enum { MX_NUMBER = -1 };
typedef int (*mxnd_cuda_loop)(const void *a, ptrdiff_t sa, const void *b, ptrdiff_t sb, void *o, ptrdiff_t n, void *stream);
typedef struct { const char *name; mxnd_cuda_loop loop[MX_TYPES]; } mxnd_cuda_row;
const mxnd_cuda_row *mxnd_cuda_rows(void);        /* ended by a row without a name; a missing loop is NULL */

#ifdef __cplusplus
}
#endif
#endif
