/* Kernels that need barriers and warps, to test host.h with. */
#include "cuda/platform.h"

__global__ void block_sum(const double *x, double *sums, int n) {
    __shared__ double part[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
/* one warp per row of a csr matrix */
__global__ void csr_dot(const int *indptr, const int *indices, const float *data, const float *v, float *out, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    float sum = 0;
    if (row < rows)
        for (int j = indptr[row] + lane; j < indptr[row + 1]; j += warpSize) sum += data[j] * v[indices[j]];
    for (int by = 16; by; by /= 2) sum += __shfl_down_sync(0xffffffffu, sum, by);
    if (row < rows && lane == 0) out[row] = sum;
}
/* every lane gets the sum of its warp; then the block adds up what the warps have */
__global__ void all_sums(int *out) {
    __shared__ int warps[4];
    int sum = threadIdx.x;
    for (int by = 1; by < 32; by *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, by);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    int total = 0;
    for (unsigned w = 0; w < blockDim.x / 32; w++) total += warps[w];
    out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}
__global__ void add_rows(const int *row, const float *x, float *out, int n, int width) {
    for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < n * width; t += gridDim.x * blockDim.x)
        atomicAdd(&out[row[t / width] * width + t % width], x[t]);
}
__global__ void missed_barrier() { if (threadIdx.x < 3) __syncthreads(); }
__global__ void two_barriers() {
    if (threadIdx.x < 3) __syncthreads();
    else
        __syncthreads();
}
__global__ void missed_shuffle(int *out) { if (threadIdx.x != 5) out[threadIdx.x] = __shfl_xor_sync(~0u, 1, 1); }

extern "C" {
void run_block_sum(const double *x, double *sums, int n, int blocks) { MX_LAUNCH(block_sum, blocks, 64, 0, x, sums, n); }
void run_csr_dot(const int *p, const int *i, const float *d, const float *v, float *out, int rows) {
    MX_LAUNCH(csr_dot, (rows * 32 + 95) / 96, 96, 0, p, i, d, v, out, rows);
}
void run_all_sums(int *out, int blocks) { MX_LAUNCH(all_sums, blocks, 128, 0, out); }
void run_add_rows(const int *row, const float *x, float *out, int n, int width) {
    MX_LAUNCH(add_rows, 3, 40, 0, row, x, out, n, width);
}
void run_missed_barrier() { MX_LAUNCH(missed_barrier, 2, 8, 0); }
void run_two_barriers() { MX_LAUNCH(two_barriers, 1, 8, 0); }
void run_missed_shuffle(int *out) { MX_LAUNCH(missed_shuffle, 1, 32, 0, out); }
}
