/* Matrix transposition: o[r * D + c] = s[c * S + r], with sizes in elements.  Blocks are turned in registers, and whole
   cache lines of the output are written at a time: past the cache when the output is large, for then the line need
   not be read first, which is most of the time of a transposition. */
#ifndef MXND_TRANSPOSE_H
#define MXND_TRANSPOSE_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Plain C on small blocks: every size, every input stride. */
#define MX_TURN(T)                                                                                          \
    static void turn_##T(T *o, ptrdiff_t D, const T *s, ptrdiff_t S, ptrdiff_t step, ptrdiff_t rows, ptrdiff_t cols) { \
        for (ptrdiff_t c0 = 0; c0 < cols; c0 += 16) {                                                       \
            ptrdiff_t c1 = c0 + 16 < cols ? c0 + 16 : cols;                                                 \
            for (ptrdiff_t r = 0; r < rows; r++)                                                            \
                for (ptrdiff_t c = c0; c < c1; c++) o[r * D + c] = s[c * S + r * step];                     \
        }                                                                                                   \
    }
MX_TURN(uint8_t)
MX_TURN(uint16_t)
MX_TURN(uint32_t)
MX_TURN(uint64_t)

#if defined(__AVX512F__) && defined(__AVX512VL__)
#define MX_PUT512(p, v) (stream ? _mm512_stream_si512((void *)(p), v) : _mm512_storeu_si512((void *)(p), v))
#define MX_BLOCK32 16
/* rows x cols of at most 16 x 16 32-bit elements; masks leave out what lies past the edge. */
static inline void block32(uint32_t *o, ptrdiff_t D, const uint32_t *s, ptrdiff_t S, int rows, int cols, int stream) {
    __m512i a[16], b[16];
    __mmask16 take = (__mmask16)((1u << rows) - 1), give = (__mmask16)((1u << cols) - 1);
    if (rows == 16 && cols == 16)
        for (int i = 0; i < 16; i++) a[i] = _mm512_loadu_si512(s + i * S);
    else
        for (int i = 0; i < 16; i++) a[i] = i < cols ? _mm512_maskz_loadu_epi32(take, s + i * S) : _mm512_setzero_si512();
    for (int i = 0; i < 16; i += 2) {
        b[i] = _mm512_unpacklo_epi32(a[i], a[i + 1]);
        b[i + 1] = _mm512_unpackhi_epi32(a[i], a[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        a[i] = _mm512_unpacklo_epi64(b[i], b[i + 2]);
        a[i + 1] = _mm512_unpackhi_epi64(b[i], b[i + 2]);
        a[i + 2] = _mm512_unpacklo_epi64(b[i + 1], b[i + 3]);
        a[i + 3] = _mm512_unpackhi_epi64(b[i + 1], b[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        b[i] = _mm512_shuffle_i32x4(a[i], a[i + 4], 0x88);
        b[i + 4] = _mm512_shuffle_i32x4(a[i], a[i + 4], 0xdd);
        b[i + 8] = _mm512_shuffle_i32x4(a[i + 8], a[i + 12], 0x88);
        b[i + 12] = _mm512_shuffle_i32x4(a[i + 8], a[i + 12], 0xdd);
    }
    for (int i = 0; i < 8; i++) {
        a[i] = _mm512_shuffle_i32x4(b[i], b[i + 8], 0x88);
        a[i + 8] = _mm512_shuffle_i32x4(b[i], b[i + 8], 0xdd);
    }
    if (rows == 16 && cols == 16)
        for (int i = 0; i < 16; i++) MX_PUT512(o + i * D, a[i]);
    else
        for (int i = 0; i < rows; i++) {
            if (cols == 16) _mm512_storeu_si512(o + i * D, a[i]);
            else _mm512_mask_storeu_epi32(o + i * D, give, a[i]);
        }
}
#define MX_BLOCK64 8
static inline void block64(uint64_t *o, ptrdiff_t D, const uint64_t *s, ptrdiff_t S, int rows, int cols, int stream) {
    __m512i a[8], b[8];
    __mmask8 take = (__mmask8)((1u << rows) - 1), give = (__mmask8)((1u << cols) - 1);
    for (int i = 0; i < 8; i++) a[i] = i < cols ? _mm512_maskz_loadu_epi64(take, s + i * S) : _mm512_setzero_si512();
    for (int i = 0; i < 8; i += 2) {
        b[i] = _mm512_unpacklo_epi64(a[i], a[i + 1]);
        b[i + 1] = _mm512_unpackhi_epi64(a[i], a[i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        a[i] = _mm512_shuffle_i64x2(b[i], b[i + 2], 0x88);
        a[i + 2] = _mm512_shuffle_i64x2(b[i], b[i + 2], 0xdd);
        a[i + 4] = _mm512_shuffle_i64x2(b[i + 4], b[i + 6], 0x88);
        a[i + 6] = _mm512_shuffle_i64x2(b[i + 4], b[i + 6], 0xdd);
    }
    for (int i = 0; i < 4; i++) {
        b[i] = _mm512_shuffle_i64x2(a[i], a[i + 4], 0x88);
        b[i + 4] = _mm512_shuffle_i64x2(a[i], a[i + 4], 0xdd);
    }
    if (rows == 8 && cols == 8)
        for (int i = 0; i < 8; i++) MX_PUT512(o + i * D, b[i]);
    else
        for (int i = 0; i < rows; i++) _mm512_mask_storeu_epi64(o + i * D, give, b[i]);
}
#elif defined(__AVX2__)
#define MX_BLOCK32 8
static inline void block32(uint32_t *out, ptrdiff_t D, const uint32_t *in, ptrdiff_t S, int rows, int cols, int stream) {
    (void)stream;
    float *o = (float *)out;
    const float *s = (const float *)in;
    if (rows < 8 || cols < 8) {
        turn_uint32_t(out, D, in, S, 1, rows, cols);
        return;
    }
    __m256 a[8], b[8];
    for (int i = 0; i < 8; i++) a[i] = _mm256_loadu_ps(s + i * S);
    for (int i = 0; i < 8; i += 2) {
        b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
        b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        a[i] = _mm256_shuffle_ps(b[i], b[i + 2], 0x44);
        a[i + 1] = _mm256_shuffle_ps(b[i], b[i + 2], 0xee);
        a[i + 2] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0x44);
        a[i + 3] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0xee);
    }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps(o + i * D, _mm256_permute2f128_ps(a[i], a[i + 4], 0x20));
        _mm256_storeu_ps(o + (i + 4) * D, _mm256_permute2f128_ps(a[i], a[i + 4], 0x31));
    }
}
#define MX_BLOCK64 4
static inline void block64(uint64_t *out, ptrdiff_t D, const uint64_t *in, ptrdiff_t S, int rows, int cols, int stream) {
    (void)stream;
    double *o = (double *)out;
    const double *s = (const double *)in;
    if (rows < 4 || cols < 4) {
        turn_uint64_t(out, D, in, S, 1, rows, cols);
        return;
    }
    __m256d a = _mm256_loadu_pd(s), b = _mm256_loadu_pd(s + S), c = _mm256_loadu_pd(s + 2 * S), d = _mm256_loadu_pd(s + 3 * S);
    __m256d e = _mm256_unpacklo_pd(a, b), f = _mm256_unpackhi_pd(a, b), g = _mm256_unpacklo_pd(c, d), h = _mm256_unpackhi_pd(c, d);
    _mm256_storeu_pd(o, _mm256_permute2f128_pd(e, g, 0x20));
    _mm256_storeu_pd(o + D, _mm256_permute2f128_pd(f, h, 0x20));
    _mm256_storeu_pd(o + 2 * D, _mm256_permute2f128_pd(e, g, 0x31));
    _mm256_storeu_pd(o + 3 * D, _mm256_permute2f128_pd(f, h, 0x31));
}
#endif

#if defined(__SSE2__)
#define MX_PUT128(p, v) _mm_storeu_si128((__m128i *)(p), v)
#define MX_BLOCK16 8
static inline void block16(uint16_t *o, ptrdiff_t D, const uint16_t *s, ptrdiff_t S, int rows, int cols, int stream) {
    (void)stream;
    if (rows < 8 || cols < 8) {
        turn_uint16_t(o, D, s, S, 1, rows, cols);
        return;
    }
    __m128i a[8], b[8];
    for (int i = 0; i < 8; i++) a[i] = _mm_loadu_si128((const __m128i *)(s + i * S));
    for (int i = 0; i < 4; i++) {
        b[2 * i] = _mm_unpacklo_epi16(a[i], a[i + 4]);
        b[2 * i + 1] = _mm_unpackhi_epi16(a[i], a[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        a[2 * i] = _mm_unpacklo_epi16(b[i], b[i + 4]);
        a[2 * i + 1] = _mm_unpackhi_epi16(b[i], b[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        MX_PUT128(o + 2 * i * D, _mm_unpacklo_epi16(a[i], a[i + 4]));
        MX_PUT128(o + (2 * i + 1) * D, _mm_unpackhi_epi16(a[i], a[i + 4]));
    }
}
#define MX_BLOCK8 16
static inline void block8(uint8_t *o, ptrdiff_t D, const uint8_t *s, ptrdiff_t S, int rows, int cols, int stream) {
    (void)stream;
    if (rows < 16 || cols < 16) {
        turn_uint8_t(o, D, s, S, 1, rows, cols);
        return;
    }
    __m128i a[16], b[16];
    for (int i = 0; i < 16; i++) a[i] = _mm_loadu_si128((const __m128i *)(s + i * S));
    for (int turn = 0; turn < 4; turn++) {           /* four perfect shuffles of the 256 bytes */
        for (int i = 0; i < 8; i++) {
            b[2 * i] = _mm_unpacklo_epi8(a[i], a[i + 8]);
            b[2 * i + 1] = _mm_unpackhi_epi8(a[i], a[i + 8]);
        }
        for (int i = 0; i < 16; i++) a[i] = b[i];
    }
    for (int i = 0; i < 16; i++) MX_PUT128(o + i * D, a[i]);
}
#endif

/* A line of 64 bytes, past the cache. */
static inline void stream_line(char *o, const char *s) {
#if defined(__AVX512F__)
    _mm512_stream_si512((void *)o, _mm512_loadu_si512(s));
#elif defined(__SSE2__)
    for (int k = 0; k < 64; k += 16) _mm_stream_si128((__m128i *)(o + k), _mm_loadu_si128((const __m128i *)(s + k)));
#else
    memcpy(o, s, 64);
#endif
}

/* A panel: few columns and many rows of the output, so that source rows are read from left to right; where there are
   few rows, many columns, so that long runs are written. */
#define MX_TALL 1024
static inline ptrdiff_t panel_columns(ptrdiff_t rows) { return rows <= 64 ? 512 : 64; }
#define MX_BLOCKS(T, B, block)                                                                              \
    static inline void lines_##T(T *o, ptrdiff_t D, const T *s, ptrdiff_t S, int h, int w, int stream) {    \
        enum { LINE = 64 / sizeof(T) };                                                                     \
        T line[B * LINE] __attribute__((aligned(64)));                                                      \
        if (LINE == B || !stream || h < B || w < LINE) {                                                    \
            for (int c = 0; c < w; c += B) block(o + c, D, s + c * S, S, h, w - c < B ? w - c : B, stream && LINE == B); \
            return;                                                                                         \
        }                                                                                                   \
        for (int c = 0; c < LINE; c += B) block(line + c, LINE, s + c * S, S, B, B, 0);                     \
        for (int i = 0; i < B; i++) stream_line((char *)(o + i * D), (const char *)(line + i * LINE));      \
    }                                                                                                       \
    static void panel_##T(T *o, ptrdiff_t D, const T *s, ptrdiff_t S, ptrdiff_t rows, ptrdiff_t cols, int stream) { \
        enum { LINE = 64 / sizeof(T) };                                                                     \
        stream = stream && !((uintptr_t)o % 64) && !(D * sizeof(T) % 64);                                   \
        for (ptrdiff_t r = 0; r < rows; r += B) {                                                           \
            int h = (int)(rows - r < B ? rows - r : B);                                                     \
            if (!stream)                                                                                    \
                for (int i = 0; i < h; i++)                                                                 \
                    for (ptrdiff_t c = 0; c < cols; c += LINE) __builtin_prefetch(o + (r + B + i) * D + c, 1); \
            for (ptrdiff_t c = 0; c < cols; c += LINE)                                                      \
                lines_##T(o + r * D + c, D, s + c * S + r, S, h, (int)(cols - c < LINE ? cols - c : LINE), stream); \
        }                                                                                                   \
    }
#define MX_PLAIN_PANEL(T)                                                                                   \
    static void panel_##T(T *o, ptrdiff_t D, const T *s, ptrdiff_t S, ptrdiff_t rows, ptrdiff_t cols, int stream) { \
        (void)stream;                                                                                       \
        turn_##T(o, D, s, S, 1, rows, cols);                                                                \
    }
#ifdef MX_BLOCK64
MX_BLOCKS(uint32_t, MX_BLOCK32, block32)
MX_BLOCKS(uint64_t, MX_BLOCK64, block64)
#else
MX_PLAIN_PANEL(uint32_t)
MX_PLAIN_PANEL(uint64_t)
#endif
#ifdef MX_BLOCK8
MX_BLOCKS(uint16_t, MX_BLOCK16, block16)
MX_BLOCKS(uint8_t, MX_BLOCK8, block8)
#else
MX_PLAIN_PANEL(uint16_t)
MX_PLAIN_PANEL(uint8_t)
#endif

/* One panel of o[r * D + c] = s[c * S + r * step] for elements of `item` bytes. */
static inline void turn(char *o, ptrdiff_t D, const char *s, ptrdiff_t S, ptrdiff_t step, ptrdiff_t rows, ptrdiff_t cols,
                        int item, int stream) {
#define MX_CASE(T)                                                                                          \
    if (step == 1 && rows > 1)                                                                              \
        panel_##T((T *)o, D, (const T *)s, S, rows, cols, stream);                                          \
    else                                                                                                    \
        turn_##T((T *)o, D, (const T *)s, S, step, rows, cols);                                             \
    break;
    switch (item) {
    case 1: MX_CASE(uint8_t)
    case 2: MX_CASE(uint16_t)
    case 4: MX_CASE(uint32_t)
    default: MX_CASE(uint64_t)
    }
#undef MX_CASE
}
#endif
