/* Vectorised quicksort of uint32_t and uint64_t, where the machine has AVX-512. */
#ifndef MXND_QUICK_H
#define MXND_QUICK_H
#if defined(__AVX512F__) && defined(__AVX512VL__)
#define HAVE_QUICK 1
#define AHEAD 4
#include <immintrin.h>
#define ALWAYS inline __attribute__((always_inline))

static ALWAYS __m512i lanes_u32(int by) {
    const __m512i i = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_xor_si512(i, _mm512_set1_epi32(by));
}
static ALWAYS __m512i lanes_u64(int by) {
    const __m512i i = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm512_xor_si512(i, _mm512_set1_epi64(by));
}
#define K uint32_t
#define N(name) name##_u32
#define LANES 16
#define V __m512i
#define LOAD(mask, at) _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), (__mmask16)(mask), at)
#define STORE(at, mask, v) _mm512_mask_storeu_epi32(at, (__mmask16)(mask), v)
#define SPREAD(k) _mm512_set1_epi32((int)(k))
#define MIN(a, b) _mm512_min_epu32(a, b)
#define MAX(a, b) _mm512_max_epu32(a, b)
#define MASK_MAX(from, mask, a, b) _mm512_mask_max_epu32(from, (__mmask16)(mask), a, b)
#define LESS(a, b) (unsigned)_mm512_cmplt_epu32_mask(a, b)
#define PICK(v, lanes) _mm512_permutexvar_epi32(lanes, v)
#define PACK(at, mask, v) _mm512_mask_compressstoreu_epi32(at, (__mmask16)(mask), v)
#define SPLIT(v, front, top) \
    _mm512_mask_expand_epi32(_mm512_maskz_compress_epi32((__mmask16)(front), v), (__mmask16)(top), \
                             _mm512_maskz_compress_epi32((__mmask16)~(front), v))
#include "quick_type.h"
#define K uint64_t
#define N(name) name##_u64
#define LANES 8
#define V __m512i
#define LOAD(mask, at) _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), (__mmask8)(mask), at)
#define STORE(at, mask, v) _mm512_mask_storeu_epi64(at, (__mmask8)(mask), v)
#define SPREAD(k) _mm512_set1_epi64((long long)(k))
#define MIN(a, b) _mm512_min_epu64(a, b)
#define MAX(a, b) _mm512_max_epu64(a, b)
#define MASK_MAX(from, mask, a, b) _mm512_mask_max_epu64(from, (__mmask8)(mask), a, b)
#define LESS(a, b) (unsigned)_mm512_cmplt_epu64_mask(a, b)
#define PICK(v, lanes) _mm512_permutexvar_epi64(lanes, v)
#define PACK(at, mask, v) _mm512_mask_compressstoreu_epi64(at, (__mmask8)(mask), v)
#define SPLIT(v, front, top) \
    _mm512_mask_expand_epi64(_mm512_maskz_compress_epi64((__mmask8)(front), v), (__mmask8)(top), \
                             _mm512_maskz_compress_epi64((__mmask8)~(front), v))
#include "quick_type.h"
#else
#define HAVE_QUICK 0
#endif
#endif
