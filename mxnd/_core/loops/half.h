/* Block conversions between float32 and the 16-bit storage types: to nearest even, with subnormals, inf and nan. */
#ifndef MXND_HALF_H
#define MXND_HALF_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__F16C__) || defined(__AVX512F__)
#include <immintrin.h>
#endif
#ifdef __GNUC__
#define MXND_UNUSED __attribute__((unused))
#else
#define MXND_UNUSED
#endif

MXND_UNUSED static inline float half_to_float1(uint16_t h) {
    uint32_t u = (uint32_t)(h & 0x7fff) << 13;
    float f, scale = 5.192296858534828e33f;              /* 2^112: moves the exponent, and makes subnormals normal */
    memcpy(&f, &u, 4);
    f *= scale;
    memcpy(&u, &f, 4);
    u |= (h & 0x7c00) == 0x7c00 ? 0x7f800000u : 0u;
    u |= (uint32_t)(h & 0x8000) << 16;
    memcpy(&f, &u, 4);
    return f;
}
MXND_UNUSED static inline uint16_t float_to_half1(float f) {
    uint32_t u, a, s, small;
    memcpy(&u, &f, 4);
    s = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
    uint32_t r = (a + 0xfffu + ((a >> 13) & 1u) - (112u << 23)) >> 13;
    r = a >= 0x477ff000u ? 0x7c00u : r;
    r = a > 0x7f800000u ? 0x7e00u | ((a >> 13) & 0x3ffu) : r;
    /* adding 1/2 leaves the rounded subnormal half in the low bits */
    uint32_t c = a < 0x38800000u ? a : 0u;
    float t;
    memcpy(&t, &c, 4);
    t += 0.5f;
    memcpy(&small, &t, 4);
    r = a < 0x38800000u ? small - 0x3f000000u : r;
    return (uint16_t)(r | s);
}
MXND_UNUSED static inline float bfloat_to_float1(uint16_t h) {
    uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, 4);
    return f;
}
MXND_UNUSED static inline uint16_t float_to_bfloat1(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    uint32_t r = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : r);
}

MXND_UNUSED static void half_to_float(const uint16_t *a, float *o, ptrdiff_t n) {
    ptrdiff_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(o + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(a + i))));
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(o + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(a + i))));
#endif
    for (; i < n; i++) o[i] = half_to_float1(a[i]);
}
MXND_UNUSED static void float_to_half(const float *a, uint16_t *o, ptrdiff_t n) {
    ptrdiff_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((__m256i *)(o + i), _mm512_cvtps_ph(_mm512_loadu_ps(a + i), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(o + i), _mm256_cvtps_ph(_mm256_loadu_ps(a + i), _MM_FROUND_TO_NEAREST_INT));
#endif
    for (; i < n; i++) o[i] = float_to_half1(a[i]);
}
MXND_UNUSED static void bfloat_to_float(const uint16_t *a, float *o, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) o[i] = bfloat_to_float1(a[i]);
}
MXND_UNUSED static void float_to_bfloat(const float *a, uint16_t *o, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) o[i] = float_to_bfloat1(a[i]);
}
#endif
