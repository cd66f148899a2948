/* The memory pool: aligned blocks in size classes, kept for reuse up to a limit.
   Fresh large memory costs page faults, more than the arithmetic on it; kept blocks cost nothing. */
#ifndef MXND_POOL_H
#define MXND_POOL_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define POOL_CLASSES 176            /* 4 a power of two, from 64 bytes: up to 2^50 bytes */
#define POOL_HUGE ((size_t)2 << 20) /* from here on blocks are aligned for huge pages */

typedef struct { size_t used, cached, peak, limit; uint64_t taken, reused; } pool_statistics;
static pool_statistics pool_stats = {0, 0, 0, (size_t)1 << 30, 0, 0};
static void *pool_free[POOL_CLASSES];   /* lists linked through the first word of each block */
static char pool_locked;

static inline void pool_lock(void) { while (__atomic_test_and_set(&pool_locked, __ATOMIC_ACQUIRE)) {} }
static inline void pool_unlock(void) { __atomic_clear(&pool_locked, __ATOMIC_RELEASE); }

/* Class k holds blocks of 64 * 2^(k/4) * (1 + (k%4)/4) bytes. */
static inline size_t pool_class_size(int k) { return ((size_t)16 << (k >> 2)) * (4 + (k & 3)); }

static inline int pool_class_of(size_t bytes) {
    if (bytes <= 64) return 0;
    size_t b = bytes - 1;
    int top = 63 - __builtin_clzll((unsigned long long)b);          /* 2^top <= b */
    int k = (top - 6) * 4 + (int)((b >> (top - 2)) & 3) + 1;
    return k;
}

static void *pool_fresh(size_t bytes) {
    void *p = NULL;
    if (posix_memalign(&p, bytes >= POOL_HUGE ? POOL_HUGE : 64, bytes)) return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= POOL_HUGE) madvise(p, bytes, MADV_HUGEPAGE);
#endif
    return p;
}

static size_t pool_empty(void) {
    size_t freed = 0;
    pool_lock();
    for (int k = 0; k < POOL_CLASSES; k++)
        while (pool_free[k]) { void *p = pool_free[k]; memcpy(&pool_free[k], p, sizeof p); free(p); freed += pool_class_size(k); }
    pool_stats.cached -= freed;
    pool_unlock();
    return freed;
}

/* More than the machine has is refused: the system would promise it, and end the process when it is used. */
static size_t pool_most(void) {
    static size_t most;
    if (!most) {
        long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
        most = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : (size_t)1 << 48;
    }
    return most;
}

static void *pool_take(size_t bytes, int *k) {
    if (bytes > pool_most()) return NULL;
    int c = *k = pool_class_of(bytes);
    size_t size = pool_class_size(c);
    pool_lock();
    void *p = pool_free[c];
    if (p) { memcpy(&pool_free[c], p, sizeof p); pool_stats.cached -= size; pool_stats.reused++; }
    pool_stats.used += size;
    pool_stats.taken++;
    if (pool_stats.used > pool_stats.peak) pool_stats.peak = pool_stats.used;
    pool_unlock();
    if (!p) {
        p = pool_fresh(size);
        if (!p) { pool_empty(); p = pool_fresh(size); }
        if (!p) { pool_lock(); pool_stats.used -= size; pool_unlock(); }
    }
    return p;
}

static void pool_give(void *p, int k) {
    size_t size = pool_class_size(k);
    pool_lock();
    pool_stats.used -= size;
    int keep = size <= pool_stats.limit;
    int full = keep && pool_stats.cached + size > pool_stats.limit;
    pool_unlock();
    if (full) pool_empty();                 /* rare: old sizes make room for those in use now */
    if (!keep) { free(p); return; }
    pool_lock();
    memcpy(p, &pool_free[k], sizeof p);
    pool_free[k] = p;
    pool_stats.cached += size;
    pool_unlock();
}

/* Scratch memory for kernels: the class is kept in front of the block. */
static void *pool_scratch(size_t bytes) {
    int k;
    char *p = (char *)pool_take(bytes + 64, &k);
    if (!p) return NULL;
    *(int *)p = k;
    return p + 64;
}
static void pool_scratch_done(void *scratch) {
    if (scratch) { char *p = (char *)scratch - 64; pool_give(p, *(int *)p); }
}
static void pool_after_fork(void) { pool_unlock(); }
#endif
