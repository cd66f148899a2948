/* The CUDA runtime, or its stand-in host.h that runs the same kernels on the CPU for tests. */
#ifndef MXND_CUDA_PLATFORM_H
#define MXND_CUDA_PLATFORM_H
#ifdef MXND_CUDA_ON_HOST
#include "host.h"
#else
#include <cuda_runtime.h>
/* kernel, blocks, threads of a block, stream, arguments */
#define MX_LAUNCH(kernel, blocks, threads, stream, ...) kernel<<<(blocks), (threads), 0, (cudaStream_t)(stream)>>>(__VA_ARGS__)
#endif
#define MX_HD static __host__ __device__ __forceinline__
#endif
