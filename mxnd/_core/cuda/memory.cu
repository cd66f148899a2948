/* Devices, their memory and copies. */
#include "platform.h"
#include "cuda.h"
#include <string.h>

/* Work on another device for the length of a call. */
struct on_device {
    int before, code;
    explicit on_device(int device) : before(0) {
        code = (int)cudaGetDevice(&before);
        if (!code) code = (int)cudaSetDevice(device);
    }
    ~on_device() { cudaSetDevice(before); }
};
#define MX_ON(device, call) on_device there(device); return there.code ? there.code : (int)(call)

extern "C" {

const char *mxnd_cuda_error(int code) { return cudaGetErrorString((cudaError_t)code); }

int mxnd_cuda_count(int *count) { return (int)cudaGetDeviceCount(count); }

int mxnd_cuda_about(int device, char *name, int room, size_t *total, int *capability) {
    cudaDeviceProp p;
    int code = (int)cudaGetDeviceProperties(&p, device);
    if (code) return code;
    strncpy(name, p.name, (size_t)room - 1);
    name[room - 1] = 0;
    *total = p.totalGlobalMem;
    *capability = 10 * p.major + p.minor;
    return 0;
}

int mxnd_cuda_memory(int device, size_t *available, size_t *total) { MX_ON(device, cudaMemGetInfo(available, total)); }
int mxnd_cuda_alloc(int device, size_t bytes, void **memory) { MX_ON(device, cudaMalloc(memory, bytes ? bytes : 1)); }
int mxnd_cuda_free(int device, void *memory) { MX_ON(device, cudaFree(memory)); }
int mxnd_cuda_wait(int device) { MX_ON(device, cudaDeviceSynchronize()); }

int mxnd_cuda_copy(int device, void *to, const void *from, size_t bytes, int kind) {
    static const cudaMemcpyKind kinds[] = {cudaMemcpyHostToDevice, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                                           cudaMemcpyDeviceToDevice};
    if (kind < MX_TO_DEVICE || kind > MX_ON_DEVICE) return (int)cudaErrorInvalidValue;
    MX_ON(device, bytes ? cudaMemcpy(to, from, bytes, kinds[kind]) : cudaSuccess);
}

}
