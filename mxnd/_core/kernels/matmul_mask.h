/* Loads and stores of some lanes of a vector, where the processor has them (MM_MASKED): the first n, or those from a
 * to b - 1. */
#ifndef MXND_MATMUL_MASK_H
#define MXND_MATMUL_MASK_H
#include <stdint.h>

#define MM_MASK_INLINE static inline __attribute__((always_inline))
#if defined(__AVX512F__)
# include <immintrin.h>
# define MM_MASKED 1
typedef __mmask16 mm_mask_f32;
typedef __mmask8 mm_mask_f64;
MM_MASK_INLINE mm_mask_f32 mm_first_f32(int n) { return (__mmask16)((1u << n) - 1); }
MM_MASK_INLINE mm_mask_f64 mm_first_f64(int n) { return (__mmask8)((1u << n) - 1); }
MM_MASK_INLINE mm_mask_f32 mm_between_f32(int a, int b) { return (__mmask16)(mm_first_f32(b) & ~mm_first_f32(a)); }
MM_MASK_INLINE mm_mask_f64 mm_between_f64(int a, int b) { return (__mmask8)(mm_first_f64(b) & ~mm_first_f64(a)); }
MM_MASK_INLINE __m512 mm_load_f32(mm_mask_f32 m, const float *p) { return _mm512_maskz_loadu_ps(m, p); }
MM_MASK_INLINE __m512d mm_load_f64(mm_mask_f64 m, const double *p) { return _mm512_maskz_loadu_pd(m, p); }
MM_MASK_INLINE void mm_store_f32(mm_mask_f32 m, float *p, __m512 v) { _mm512_mask_storeu_ps(p, m, v); }
MM_MASK_INLINE void mm_store_f64(mm_mask_f64 m, double *p, __m512d v) { _mm512_mask_storeu_pd(p, m, v); }
#elif defined(__AVX2__)
# include <immintrin.h>
# define MM_MASKED 1
typedef __m256i mm_mask_f32;
typedef __m256i mm_mask_f64;
static const int32_t mm_lanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
MM_MASK_INLINE mm_mask_f32 mm_first_f32(int n) { return _mm256_loadu_si256((const __m256i *)(mm_lanes + 8 - n)); }
MM_MASK_INLINE mm_mask_f64 mm_first_f64(int n) { return _mm256_loadu_si256((const __m256i *)(mm_lanes + 8 - 2 * n)); }
MM_MASK_INLINE mm_mask_f32 mm_between_f32(int a, int b) { return _mm256_andnot_si256(mm_first_f32(a), mm_first_f32(b)); }
MM_MASK_INLINE mm_mask_f64 mm_between_f64(int a, int b) { return _mm256_andnot_si256(mm_first_f64(a), mm_first_f64(b)); }
MM_MASK_INLINE __m256 mm_load_f32(mm_mask_f32 m, const float *p) { return _mm256_maskload_ps(p, m); }
MM_MASK_INLINE __m256d mm_load_f64(mm_mask_f64 m, const double *p) { return _mm256_maskload_pd(p, m); }
MM_MASK_INLINE void mm_store_f32(mm_mask_f32 m, float *p, __m256 v) { _mm256_maskstore_ps(p, m, v); }
MM_MASK_INLINE void mm_store_f64(mm_mask_f64 m, double *p, __m256d v) { _mm256_maskstore_pd(p, m, v); }
#else
# define MM_MASKED 0
#endif
#endif
