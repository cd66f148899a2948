/* CUDA C on the CPU, for tests: compiles a .cu file as C++ and runs its kernels without a GPU.

   Every thread of a block is a fiber; a fiber runs until it ends or reaches a barrier, and a barrier opens when all
   the threads it waits for are there.  So __syncthreads, __syncwarp and the shuffles do what they do on a GPU, and a
   barrier that some threads miss ends the program with a message instead of hanging.  Blocks run one after the other,
   and threads in one order: races are not found here. */
#ifndef MXND_CUDA_HOST_H
#define MXND_CUDA_HOST_H
#include <ucontext.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define __global__ static
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __shared__ static
#define __constant__ static
#define __launch_bounds__(...)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    unsigned count() const { return x * y * z; }
};

namespace host {
enum state { RUNNING, AT_BLOCK, AT_WARP, ENDED };
const size_t STACK = 128 * 1024;

struct fiber {
    ucontext_t context;
    char *stack;
    state at;
    const char *where;                            /* source line of the barrier */
    dim3 index;
    unsigned number;
    uint64_t given[2];                            /* what a shuffle offers; two, as the next one may begin early */
    unsigned shuffles;
};

static dim3 block_index, block_size, grid_size;
static fiber *current;
static ucontext_t scheduler;
static void (*kernel)(void *);                    /* what every thread runs, and its arguments */
static void *arguments;
static std::vector<fiber *> threads, spare;

[[noreturn]] static void fail(const char *what, const char *where) {
    fprintf(stderr, "CUDA on the host: %s (block %u, %s)\n", what, block_index.x, where);
    abort();
}
static void body() {
    for (;;) {
        kernel(arguments);
        current->at = ENDED;
        swapcontext(&current->context, &scheduler);
    }
}
static fiber *new_fiber() {
    if (!spare.empty()) {
        fiber *f = spare.back();
        spare.pop_back();
        return f;
    }
    fiber *f = new fiber;
    f->stack = (char *)malloc(STACK);
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = STACK;
    f->context.uc_link = nullptr;
    makecontext(&f->context, body, 0);
    return f;
}
static void go_on(fiber *f) {
    current = f;
    f->at = RUNNING;
    swapcontext(&scheduler, &f->context);
}
static inline void wait(state at, const char *where) {
    current->at = at;
    current->where = where;
    swapcontext(&current->context, &scheduler);
}
/* Let threads from..to go on when all of them are at the same barrier.  Gives whether they did. */
static bool open_barrier(size_t from, size_t to, state at) {
    const char *where = nullptr;
    size_t there = 0;
    for (size_t t = from; t < to; t++)
        if (threads[t]->at == at) {
            if (where && strcmp(where, threads[t]->where)) fail("threads wait at different barriers", threads[t]->where);
            where = threads[t]->where;
            there++;
        }
    if (there == 0) return false;
    if (there < to - from) {
        bool block_first = false;                 /* a warp's barrier may still open; a block's may not */
        for (size_t t = from; t < to; t++) block_first |= at == AT_BLOCK && threads[t]->at == AT_WARP;
        if (block_first) return false;
        fail("a barrier that some threads do not reach", where);
    }
    for (size_t t = from; t < to; t++) go_on(threads[t]);
    return true;
}
static void run_block() {
    size_t count = block_size.count();
    threads.resize(count);
    for (unsigned t = 0; t < count; t++) {
        fiber *f = threads[t] = new_fiber();
        f->index = dim3(t % block_size.x, t / block_size.x % block_size.y, t / (block_size.x * block_size.y));
        f->number = t;
        f->shuffles = 0;
        f->at = RUNNING;
    }
    for (size_t t = 0; t < count; t++) go_on(threads[t]);
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t w = 0; w < count; w += 32) moved |= open_barrier(w, w + 32 < count ? w + 32 : count, AT_WARP);
        if (!moved) moved = open_barrier(0, count, AT_BLOCK);
    }
    for (fiber *f : threads) {
        if (f->at != ENDED) fail("threads wait for each other", f->where);
        spare.push_back(f);
    }
}
static inline void run_grid(dim3 blocks, dim3 size, void (*run)(void *), void *with) {
    kernel = run, arguments = with;
    grid_size = blocks, block_size = size;
    for (unsigned z = 0; z < blocks.z; z++)
        for (unsigned y = 0; y < blocks.y; y++)
            for (unsigned x = 0; x < blocks.x; x++) {
                block_index = dim3(x, y, z);
                run_block();
            }
}
template <class F> void launch(dim3 blocks, dim3 size, F call) {
    run_grid(blocks, size, [](void *c) { (*(F *)c)(); }, &call);
}
/* The value that another thread of the warp offers; one's own where there is none. */
template <class T> T shuffle(T value, unsigned lane, const char *where) {
    static_assert(sizeof(T) <= 8, "a shuffle moves up to 8 bytes");
    unsigned slot = current->shuffles++ & 1, first = current->number & ~31u;
    memcpy(&current->given[slot], &value, sizeof(T));
    wait(AT_WARP, where);
    if (lane < 32 && first + lane < threads.size()) memcpy(&value, &threads[first + lane]->given[slot], sizeof(T));
    return value;
}
}

#define threadIdx (host::current->index)
#define blockIdx host::block_index
#define blockDim host::block_size
#define gridDim host::grid_size
#define warpSize 32
#define MX_TEXT(x) #x
#define MX_LINE(x) MX_TEXT(x)
#define MX_HERE __FILE__ ":" MX_LINE(__LINE__)
#define MX_LANE (host::current->number & 31u)
#define __syncthreads() host::wait(host::AT_BLOCK, MX_HERE)
#define __syncwarp(...) host::wait(host::AT_WARP, MX_HERE)
#define __shfl_sync(mask, value, lane) host::shuffle(value, (lane) & 31u, MX_HERE)
#define __shfl_down_sync(mask, value, by) host::shuffle(value, MX_LANE + (by), MX_HERE)
#define __shfl_up_sync(mask, value, by) host::shuffle(value, MX_LANE - (by), MX_HERE)
#define __shfl_xor_sync(mask, value, by) host::shuffle(value, MX_LANE ^ (by), MX_HERE)
#define MX_LAUNCH(kernel, blocks, threads, stream, ...) \
    ((void)(stream), host::launch(dim3(blocks), dim3(threads), [=]() { kernel(__VA_ARGS__); }))

template <class T> T atomicAdd(T *p, T v) { T old = *p; *p = old + v; return old; }
template <class T> T atomicMax(T *p, T v) { T old = *p; *p = old < v ? v : old; return old; }

/* The part of the runtime that is used: one device, whose memory is the host's. */
typedef int cudaError_t;
typedef void *cudaStream_t;
typedef int cudaMemcpyKind;
enum { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorInvalidDevice = 101 };
enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
struct cudaDeviceProp { char name[256]; size_t totalGlobalMem; int major, minor, multiProcessorCount; };

static inline cudaError_t cudaGetDeviceCount(int *n) { *n = 1; return cudaSuccess; }
static inline cudaError_t cudaSetDevice(int d) { return d == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
static inline cudaError_t cudaGetDevice(int *d) { *d = 0; return cudaSuccess; }
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int d) {
    memset(p, 0, sizeof *p);
    strcpy(p->name, "CPU in the place of a GPU");
    p->totalGlobalMem = (size_t)1 << 30, p->multiProcessorCount = 1;
    return cudaSetDevice(d);
}
static inline cudaError_t cudaMemGetInfo(size_t *free_, size_t *total) { *free_ = *total = (size_t)1 << 30; return cudaSuccess; }
static inline cudaError_t cudaMalloc(void **p, size_t n) {
    *p = malloc(n ? n : 1);
    if (!*p) return cudaErrorMemoryAllocation;
    memset(*p, 0xff, n);                          /* so that what nobody wrote shows: nan, -1 */
    return cudaSuccess;
}
static inline cudaError_t cudaFree(void *p) { free(p); return cudaSuccess; }
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind) { memmove(to, from, n); return cudaSuccess; }
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind k, cudaStream_t) {
    return cudaMemcpy(to, from, n, k);
}
static inline cudaError_t cudaMemset(void *p, int byte, size_t n) { memset(p, byte, n); return cudaSuccess; }
static inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static inline const char *cudaGetErrorString(cudaError_t e) { return e ? "error of the CPU in the place of a GPU" : "no error"; }
#endif
