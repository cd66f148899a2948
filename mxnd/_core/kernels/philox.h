/* Random words: Philox 4x32 with 10 rounds, a keyed function of a counter.  Nothing is carried from one number to
   the next, so any thread can make any part of an array and every instruction set makes the same words.

   Counters are 128 bits: the place in the stream (64), the number of the draw at that place (32), zero.
   philox_fill makes blocks of 8 counters, 32 words: first words 0 and 1 of each counter, then words 2 and 3.
   Seen as 64-bit lanes that is 8 lanes of one half, then 8 of the other, so vectors are stored as they are. */
#ifndef MXND_PHILOX_H
#define MXND_PHILOX_H
#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u

/* The four words of one counter. */
static inline void philox(uint64_t key, uint64_t place, uint32_t draw, uint32_t w[4]) {
    uint32_t a = (uint32_t)place, b = (uint32_t)(place >> 32), c = draw, d = 0, k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int r = 0; r < 10; r++, k0 += PHILOX_W0, k1 += PHILOX_W1) {
        uint64_t p = (uint64_t)PHILOX_M0 * a, q = (uint64_t)PHILOX_M1 * c;
        a = (uint32_t)(q >> 32) ^ b ^ k0, b = (uint32_t)q;
        c = (uint32_t)(p >> 32) ^ d ^ k1, d = (uint32_t)p;
    }
    w[0] = a, w[1] = b, w[2] = c, w[3] = d;
}

#if defined(__AVX512F__)
#define P_LANES 8
typedef __m512i p_vec;
#define P_SET(x) _mm512_set1_epi64((long long)(x))
#define P_COUNT _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0)
#define P_MUL _mm512_mul_epu32
#define P_ADD _mm512_add_epi64
#define P_XOR _mm512_xor_si512
#define P_AND _mm512_and_si512
#define P_OR _mm512_or_si512
#define P_HIGH(x) _mm512_srli_epi64(x, 32)
#define P_UP(x) _mm512_slli_epi64(x, 32)
#define P_STORE(p, x) _mm512_storeu_si512(p, x)
#elif defined(__AVX2__)
#define P_LANES 4
typedef __m256i p_vec;
#define P_SET(x) _mm256_set1_epi64x((long long)(x))
#define P_COUNT _mm256_set_epi64x(3, 2, 1, 0)
#define P_MUL _mm256_mul_epu32
#define P_ADD _mm256_add_epi64
#define P_XOR _mm256_xor_si256
#define P_AND _mm256_and_si256
#define P_OR _mm256_or_si256
#define P_HIGH(x) _mm256_srli_epi64(x, 32)
#define P_UP(x) _mm256_slli_epi64(x, 32)
#define P_STORE(p, x) _mm256_storeu_si256((__m256i *)(p), x)
#elif defined(__SSE2__)
#define P_LANES 2
typedef __m128i p_vec;
#define P_SET(x) _mm_set1_epi64x((long long)(x))
#define P_COUNT _mm_set_epi64x(1, 0)
#define P_MUL _mm_mul_epu32
#define P_ADD _mm_add_epi64
#define P_XOR _mm_xor_si128
#define P_AND _mm_and_si128
#define P_OR _mm_or_si128
#define P_HIGH(x) _mm_srli_epi64(x, 32)
#define P_UP(x) _mm_slli_epi64(x, 32)
#define P_STORE(p, x) _mm_storeu_si128((__m128i *)(p), x)
#endif

/* Blocks of 32 words from the counters place, place + 1, ... */
static void philox_fill(uint64_t key, uint64_t place, uint32_t *out, ptrdiff_t blocks) {
#ifdef P_LANES
    p_vec k0[10], k1[10];
    const p_vec m0 = P_SET(PHILOX_M0), m1 = P_SET(PHILOX_M1), low = P_SET(0xffffffffu);
    for (int r = 0; r < 10; r++) {
        k0[r] = P_SET((uint32_t)((uint32_t)key + r * PHILOX_W0));
        k1[r] = P_SET((uint32_t)((uint32_t)(key >> 32) + r * PHILOX_W1));
    }
    uint64_t *o = (uint64_t *)out;
    for (ptrdiff_t n = 0; n < blocks; n++, o += 16, place += 8)
        for (int v = 0; v < 8; v += P_LANES) {
            /* each 64-bit lane holds one word; its upper half is never looked at */
            p_vec a = P_ADD(P_SET(place + v), P_COUNT), b = P_HIGH(a), c = P_SET(0), d = P_SET(0);
            for (int r = 0; r < 10; r++) {
                p_vec p = P_MUL(a, m0), q = P_MUL(c, m1);
                a = P_XOR(P_XOR(P_HIGH(q), b), k0[r]), b = q;
                c = P_XOR(P_XOR(P_HIGH(p), d), k1[r]), d = p;
            }
            P_STORE(o + v, P_OR(P_AND(a, low), P_UP(b)));
            P_STORE(o + 8 + v, P_OR(P_AND(c, low), P_UP(d)));
        }
#else
    for (ptrdiff_t n = 0; n < blocks; n++, out += 32, place += 8)
        for (int v = 0; v < 8; v++) {
            uint32_t w[4];
            philox(key, place + v, 0, w);
            out[2 * v] = w[0], out[2 * v + 1] = w[1], out[16 + 2 * v] = w[2], out[17 + 2 * v] = w[3];
        }
#endif
}

/* One element's own supply of words, for methods that reject: draws 1, 2, ... at its place. */
typedef struct { uint64_t key, place; uint32_t draw, w[4]; int left; } supply_t;

static inline supply_t supply(uint64_t key, uint64_t place) {
    supply_t s = {key, place, 0, {0, 0, 0, 0}, 0};
    return s;
}
static inline uint64_t next64(supply_t *s) {
    if (!s->left) philox(s->key, s->place, ++s->draw, s->w), s->left = 4;
    s->left -= 2;
    return s->w[s->left] | (uint64_t)s->w[s->left + 1] << 32;
}
/* strictly between 0 and 1 */
static inline double next_unit(supply_t *s) { return ((double)(int64_t)(next64(s) >> 12) + 0.5) * 0x1p-52; }
/* 0 to n - 1 */
static inline uint64_t scaled_word(uint64_t w, uint64_t n) { return (uint64_t)((unsigned __int128)w * n >> 64); }
#endif
