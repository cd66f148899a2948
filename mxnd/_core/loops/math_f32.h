/* float32 functions; included by math.h.  Where float arithmetic would need compensation and speed allows it,
   a function computes in double with polynomials that are only good to float32 (coefficients named *_MID). */

/* ---- rounding, signs, roots ---- */
M_FN float m_abs_f32(float x) { return fabsf(x); }
M_FN float m_floor_f32(float x) { return floorf(x); }
M_FN float m_ceil_f32(float x) { return ceilf(x); }
M_FN float m_trunc_f32(float x) { return truncf(x); }
M_FN float m_round_f32(float x) {                        /* half away from zero */
    float t = truncf(x), up = fabsf(x - t) >= 0.5f ? 1.0f : 0.0f;
    return copysignf(fabsf(t) + up, x);
}
M_FN float m_rint_f32(float x) {                         /* half toward -inf, as MXNet */
    float f = floorf(x), c = ceilf(x);
    return x - f <= c - x ? f : c;
}
M_FN float m_sqrt_f32(float x) { return sqrtf(x); }
M_FN float m_rsqrt_f32(float x) { return 1.0f / sqrtf(x); }

/* ---- exp and its family ---- */
/* n = x / log 2 rounded, as a float and (in the low bits of `bits`) as an integer; r = x - n log 2. */
#define M_MAGIC_F32 12582912.0f                          /* 1.5 * 2^23: adding it rounds to a whole number */
#define M_REDUCE_F32(x, bits, r) \
    float t_ = x * 1.44269504f + M_MAGIC_F32, n_ = t_ - M_MAGIC_F32; \
    float r = (x - n_ * 0.693359375f) - n_ * -2.12194440e-4f; /* 10 bits of log 2: n * that is exact */ \
    uint32_t bits = m_bits_f32(t_)

M_FN float m_exp_f32(float x) {
    float c = x < -104.0f ? -104.0f : x;
    c = c > 89.0f ? 89.0f : c;
    float t = c * 1.44269504f + M_MAGIC_F32, n = t - M_MAGIC_F32;
    uint32_t k = m_bits_f32(t);
    /* the low part of n log 2 joins the small term: r is not rounded where it counts */
    float a = c - n * 0.693359375f, b = n * 2.12194440e-4f, r = a + b;
    float p = a + (r * r * M_POLY(r, M_EXP_F32) + b);
    p = p + 1.0f;
    /* 2^n in two factors: n may be below the normal range (subnormal results) or be 128. */
    uint32_t h = k >> 1;
    float s = m_from_bits_f32((h << 23) + 0x3f800000u), u = m_from_bits_f32(((k - h) << 23) + 0x3f800000u);
    return p * s * u;
}
/* exp(-x) - 1 = s * p + (s - 1) for x >= 0, with p = exp(r) - 1 and s = 2^n, n <= 0 */
#define M_EXPM1_NEGATIVE_F32(x, s, p) \
    M_REDUCE_F32(x, k_, r_); \
    float p = r_ * r_ * M_POLY(r_, M_EXPM1_F32) + r_; \
    float s = m_from_bits_f32((k_ << 23) + 0x3f800000u)

M_FN float m_expm1_f32(float x) {
    float c = x < -20.0f ? -20.0f : x;
    c = c > 89.0f ? 89.0f : c;
    M_REDUCE_F32(c, k, r);
    float p = r * r * M_POLY(r, M_EXPM1_F32) + r;
    /* half of 2^n, so that n = 128 fits */
    float s = m_from_bits_f32((k << 23) + 0x3f000000u);
    float y = (s * p + (s - 0.5f)) * 2.0f;
    y = fabsf(x) < 1e-6f ? x * (1.0f + 0.5f * x) : y;       /* subnormal x, and the sign of zero */
    return y;
}
M_FN float m_tanh_f32(float x) {
    float a = fabsf(x), c = a > 10.0f ? -20.0f : -2.0f * a, z = a * a;
    M_REDUCE_F32(c, k, r);
    float p = r * r * M_POLY(r, M_EXP_F32) + r, s = m_from_bits_f32((k << 23) + 0x3f800000u);
    float e = s * p + s;
    float y = 1.0f - 2.0f * e / (1.0f + e), near = a * z * M_POLY(z, M_TANH_F32) + a;
    return copysignf(a < 0.65f ? near : y, x);
}
M_FN float m_sigmoid_f32(float x) {
    float e = m_exp_f32(-fabsf(x));
    float base = x < 0.0f ? e : 1.0f;
    return M_LESS_F32(base, e / (1.0f + e));             /* = base / (1 + e), with a smaller rounding error */
}
M_FN float m_softrelu_f32(float x) {
    float e = m_exp_f32(-fabsf(x));
    return (x < 0.0f ? 0.0f : x) + e * M_POLY(e, M_LOG1P01_F32);
}
M_FN float m_erf_f32(float x) {                          /* 1 - exp(-q) */
    float t = fabsf(x), c = t > 3.95f ? 3.95f : t;
    float q = c * (M_POLY(c, M_ERF_F32) + 1.1283792f);
    q = -q;
    M_EXPM1_NEGATIVE_F32(q, s, p);
    float y = (1.0f - s) - s * p, z = t * t;
    y = t < 0.5f ? t * M_POLY(z, M_ERF_NEAR_F32) + t : y;
    return copysignf(y, x);
}

/* ---- logarithms ---- */
/* x = 2^k m, sqrt(1/2) <= m < sqrt 2; subnormal x are scaled up first */
#define M_SPLIT_F32(x, k, m) \
    float big_ = x < 1.17549435e-38f ? x * 8388608.0f : x, less_ = x < 1.17549435e-38f ? 150.0f : 127.0f; \
    uint32_t i_ = m_bits_f32(big_) + (0x3f800000u - 0x3f3504f3u); \
    float k = (float)(int32_t)(i_ >> 23) - less_; \
    float m = m_from_bits_f32((i_ & 0x007fffffu) + 0x3f3504f3u)

#define M_LOG_LIMITS(x, y, type) \
    y = x > 0 ? y : (x == 0 ? -(type)INFINITY : (type)NAN); \
    y = x < (type)INFINITY ? y : x;                      /* inf and nan */ \
    y = x < 0 ? (type)NAN : y

/* log(1 + f) = f + low */
#define M_LOG_PARTS_F32(x, k, f, low) \
    M_SPLIT_F32(x, k, m_); \
    float f = m_ - 1.0f, z_ = f * f, low = z_ * f * M_POLY(f, M_LOG_F32) - 0.5f * z_
M_FN float m_log_f32(float x) {
    M_SPLIT_F32(x, k, m);
    float f = m - 1.0f, z = f * f;
    float y = z * f * M_POLY(f, M_LOG_F32) + k * -2.12194440e-4f;
    y = f + (y - 0.5f * z);
    y = y + k * 0.693359375f;
    M_LOG_LIMITS(x, y, float);
    return y;
}
/* f (h + l) with h short: log2(e) and log10(e) are not rounded where it counts, and powers of 10 come out exact */
M_FN float m_log2_f32(float x) {
    M_LOG_PARTS_F32(x, k, f, low);
    float y = f * 0.44269504f + low * 1.44269504f;
    y = (y + f) + k;
    M_LOG_LIMITS(x, y, float);
    return y;
}
M_FN float m_log10_f32(float x) {
    M_LOG_PARTS_F32(x, k, f, low);
    float y = (f + low) * -3.16899717e-5f + k * 4.60503898e-6f + low * 0.434326172f;
    y = (y + f * 0.434326172f) + k * 0.301025391f;
    M_LOG_LIMITS(x, y, float);
    return y;
}
M_FN float m_log1p_f32(float x) {
    float u = 1.0f + x;
    uint32_t i = m_bits_f32(u) + (0x3f800000u - 0x3f3504f3u);
    int32_t n = (int32_t)(i >> 23) - 127;
    float k = (float)n;
    /* 2^-n * (1 + x) - 1, nearly exact; the quarter keeps s normal when n = 127 */
    float s = m_from_bits_f32((uint32_t)(129 - n) << 23);
    float f = 0.25f * x * s + (0.25f * s - 1.0f), z = f * f;
    float y = z * f * M_POLY(f, M_LOG_F32) + k * -2.12194440e-4f;
    y = f + (y - 0.5f * z);
    y = y + k * 0.693359375f;
    y = x > -1.0f ? y : (x == -1.0f ? -INFINITY : NAN);
    y = x < INFINITY ? y : x;
    y = x < -1.0f ? NAN : y;
    return fabsf(x) < 1e-6f ? x * (1.0f - 0.5f * x) : y;
}

/* ---- in double ---- */
#define M_MAGIC_F64 6755399441055744.0                   /* 1.5 * 2^52 */
/* log2 of a positive double that came from a float: normal, finite */
M_FN double m_log2_mid(double x) {
    uint64_t i = m_bits_f64(x) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    /* the exponent field as a double, without an integer conversion (AVX-512 only) */
    double k = m_from_bits_f64((i >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
    double f = m_from_bits_f64((i & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    return f * M_POLY(f, M_LOG2_MID) + k;
}
M_FN double m_exp2_mid(double x) {                       /* -1022 <= x < 1023 */
    double t = x + M_MAGIC_F64, r = x - (t - M_MAGIC_F64);
    return M_POLY(r, M_EXP2_MID) * m_from_bits_f64((m_bits_f64(t) << 52) + 0x3ff0000000000000u);
}
M_FN double m_clamp_f64(double x, double low, double high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}
/* 1 / x for x well inside float's range, to 2^-46: cheaper than a double division */
M_FN double m_inverse_mid(double x) {
    double v = 1.0f / (float)x;
    return v * (2.0 - x * v);
}
#define M_LN2 0.69314718055994530942
/* What depends on y alone is kept apart: with one y for the whole loop a compiler moves it out. */
M_FN float m_pow_f32(float x, float y) {
    float whole = truncf(y), half = truncf(0.5f * y) * 2.0f;
    float odd = whole == y && half != y ? -1.0f : 1.0f;  /* for x < 0 */
    float sign = whole == y ? odd : NAN;
    float large = y > 0.0f ? INFINITY : (y < 0.0f ? 0.0f : NAN), small = y > 0.0f ? 0.0f : (y < 0.0f ? INFINITY : NAN);
    uint32_t keep = y == 0.0f ? 0u : 0xffffffffu, one = y == 0.0f ? 0x3f800000u : 0u;
    float a = fabsf(x);
    float z = (float)m_exp2_mid(m_clamp_f64((double)y * m_log2_mid((double)a), -1000.0, 1000.0));
    z = a == 1.0f ? 1.0f : z;
    z = a == 0.0f ? small : z;
    z = a == INFINITY ? large : z;
    float s = z * (a == 0.0f ? odd : (a == INFINITY ? odd : sign));
    z = (int32_t)m_bits_f32(x) < 0 ? s : z;
    z = x == 1.0f ? 1.0f : (x == x ? z : x);
    return m_from_bits_f32((m_bits_f32(z) & keep) | one);
}

/* ---- cube roots: of m in [1, 8) by a polynomial and one step of Halley's method ---- */
M_FN float m_cbrt_f32(float x) {
    float a = fabsf(x), big = a < 1.17549435e-38f ? a * 16777216.0f : a;
    uint32_t i = m_bits_f32(big), e = i >> 23, q = (e + 2) * 21846u >> 16;   /* (e + 2) / 3, so that 127 gives 43 */
    float m = m_from_bits_f32(i - ((3 * q - 129) << 23));
    float y = M_POLY(m, M_CBRT_F32), c = y * y * y, d = c - m;
    y = y - y * d / (c + c + m);
    uint32_t back = a < 1.17549435e-38f ? 84u - 8u : 84u;
    y = y * m_from_bits_f32((q + back) << 23);
    y = a == 0.0f || !(a < INFINITY) ? a : y;
    return copysignf(y, x);
}
M_FN float m_rcbrt_f32(float x) { return 1.0f / m_cbrt_f32(x); }

/* ---- hyperbolic functions ---- */
/* sinh and cosh share exp(|x|) = 2^n (C + S) and exp(-|x|) = 2^-n (C - S), with C and S even and odd in r. */
#define M_HYPERBOLIC(x) \
    double a_ = fabs((double)x), c_ = a_ > 100.0 ? 100.0 : a_, t_ = c_ * (1.0 / M_LN2) + M_MAGIC_F64; \
    double r_ = c_ - (t_ - M_MAGIC_F64) * M_LN2, z_ = r_ * r_; \
    double S = r_ * M_POLY(z_, M_SINH_MID), C = M_POLY(z_, M_COSH_MID); \
    uint64_t k_ = m_bits_f64(t_) << 52; \
    double u = m_from_bits_f64(0x3fe0000000000000u + k_), v = m_from_bits_f64(0x3fe0000000000000u - k_)
M_FN float m_sinh_f32(float x) {
    M_HYPERBOLIC(x);
    return copysignf((float)(S * (u + v) + C * (u - v)), x);
}
M_FN float m_cosh_f32(float x) {
    M_HYPERBOLIC(x);
    return (float)(C * (u + v) + S * (u - v));
}
M_FN float m_arcsinh_f32(float x) {
    double a = fabs((double)x), y = m_log2_mid(a + sqrt(a * a + 1.0)) * M_LN2;
    y = a < 1e-3 ? a - a * a * a * (1.0 / 6.0) : y;      /* where the logarithm's argument is nearly 1 */
    y = a < INFINITY ? y : a;
    return copysignf((float)y, x);
}
M_FN float m_arccosh_f32(float x) {
    double d = x, t = d - 1.0, y = m_log2_mid(d + sqrt(t * (d + 1.0))) * M_LN2;
    y = d >= 1.0 ? y : (double)NAN;
    y = d < INFINITY ? y : d;
    return (float)y;
}
M_FN float m_arctanh_f32(float x) {
    double a = fabs((double)x), y = m_log2_mid((1.0 + a) / (1.0 - a)) * (0.5 * M_LN2);
    y = a < 1e-3 ? a + a * a * a * (1.0 / 3.0) : y;
    y = a < 1.0 ? y : (a == 1.0 ? (double)INFINITY : (double)NAN);
    return copysignf((float)y, x);
}
M_FN float m_hypot_f32(float x, float y) {
    float a = fabsf(x), b = fabsf(y), h = a > b ? a : b;
    /* a power of two keeps the squares in range */
    float s = h > 1e18f ? 8.27180613e-25f : (h < 1e-16f ? 1.20892582e24f : 1.0f);
    float t = h > 1e18f ? 1.20892582e24f : (h < 1e-16f ? 8.27180613e-25f : 1.0f);
    a = a * s, b = b * s;
    float z = sqrtf(a * a + b * b) * t;
    z = fabsf(x) == INFINITY || fabsf(y) == INFINITY ? INFINITY : z;
    return z;
}

/* ---- trigonometry ---- */
/* The reduction to |r| <= pi / 4 is done in double: accurate for |x| < 2^20 * pi / 2, also without fused
   multiply-add (33 bits of pi / 2 times n are exact). */
#define M_TRIG_LIMIT 1.6e6f
#define M_TRIG_F32(x) \
    double d_ = x, t_ = d_ * 0.63661977236758134308 + M_MAGIC_F64, n_ = t_ - M_MAGIC_F64; \
    float r = (float)((d_ - n_ * 1.57079632673412561417) - n_ * 6.07710050650619224932e-11), z = r * r; \
    uint32_t k = (uint32_t)m_bits_f64(t_); \
    float S = r * z * M_POLY(z, M_SIN_F32) + r, C = z * z * M_POLY(z, M_COS_F32) + (1.0f - 0.5f * z)
#define M_FAR_CASE(outside, routine) \
    if (!far) { if (outside) return routine; } \
    else if (far->first) { far->found |= outside; return x; }

M_SLOW float m_sin_slow_f32(float x) { return (float)sin((double)x); }
M_SLOW float m_cos_slow_f32(float x) { return (float)cos((double)x); }
M_SLOW float m_tan_slow_f32(float x) { return (float)tan((double)x); }
M_SLOW float m_mod_slow_f32(float x, float y) {
    float r = fmodf(x, y);
    return r != 0.0f && (r < 0.0f) != (y < 0.0f) ? r + y : r;
}
M_FN float m_sin_f32(float x, m_far_t *far) {
    M_FAR_CASE(fabsf(x) > M_TRIG_LIMIT, m_sin_slow_f32(x))
    M_TRIG_F32(x);
    float y = m_from_bits_f32(m_bits_f32(k & 1 ? C : S) ^ (k & 2) << 30);
    return x == 0.0f ? x : y;
}
M_FN float m_cos_f32(float x, m_far_t *far) {
    M_FAR_CASE(fabsf(x) > M_TRIG_LIMIT, m_cos_slow_f32(x))
    M_TRIG_F32(x);
    return m_from_bits_f32(m_bits_f32(k & 1 ? S : C) ^ ((k + 1) & 2) << 30);
}
M_FN float m_tan_f32(float x, m_far_t *far) {
    M_FAR_CASE(fabsf(x) > M_TRIG_LIMIT, m_tan_slow_f32(x))
    M_TRIG_F32(x);
    float y = (k & 1 ? -C : S) / (k & 1 ? S : C);
    return x == 0.0f ? x : y;
}
M_FN float m_arctan_f32(float x) {
    float a = fabsf(x), t = a > 1.0f ? 1.0f / a : a, z = t * t;
    float y = t * z * M_POLY(z, M_ATAN_F32) + t;
    y = a > 1.0f ? 1.57079637f - (y + 4.37113883e-8f) : y;
    return copysignf(y, x);
}
/* asin on [0, 1/2] directly, above by asin(a) = pi / 2 - 2 asin(sqrt((1 - a) / 2)) */
#define M_ARCSIN_F32(x) \
    float a = fabsf(x), h_ = 0.5f - 0.5f * a, q_ = sqrtf(h_), z_ = a > 0.5f ? h_ : a * a; \
    float s = a > 0.5f ? q_ : a, p = s * z_ * M_POLY(z_, M_ASIN_F32) + s
M_FN float m_arcsin_f32(float x) {
    M_ARCSIN_F32(x);
    float y = a > 0.5f ? 1.57079637f - (2.0f * p + 4.37113883e-8f) : p;
    return copysignf(y, x);
}
M_FN float m_arccos_f32(float x) {
    M_ARCSIN_F32(x);
    float low = copysignf(p, x), small = 1.57079637f - (low + 4.37113883e-8f);
    float wide = x < 0.0f ? 3.14159274f - (2.0f * p + 8.74227766e-8f) : 2.0f * p;
    return a > 0.5f ? wide : small;
}
M_FN float m_mod_f32(float x, float y, m_far_t *far) {
    double a = x, b = y, q = a / b;
    M_FAR_CASE(fabs(q) > 268435456.0 && fabs(q) < INFINITY, m_mod_slow_f32(x, y))
    /* both factors are short: q * b is exact, and q is never rounded up to a whole number */
    double r = a - floor(q) * b;
    r = fabs(b) < INFINITY ? r : (a == 0.0 || (a < 0.0) == (b < 0.0) ? a : b);
    r = b == 0.0 ? 0.0 : r;
    r = fabs(a) < INFINITY && b == b ? r : (b == 0.0 ? 0.0 : (double)NAN);
    return (float)r;
}

/* ---- gamma and friends ---- */
/* gamma(z) for z >= 1/2 from Stirling's series at w = z + 6 and z (z + 1) ... (z + 5); x < 1/2 by reflection:
   gamma(x) = pi / (sin(pi x) gamma(1 - x)). */
#define M_SINPI(x, s) \
    double n_ = x + M_MAGIC_F64, r_ = x - (n_ - M_MAGIC_F64); \
    double s = m_from_bits_f64(m_bits_f64(r_ * M_POLY(r_ * r_, M_SINPI_MID)) ^ m_bits_f64(n_) << 63)
M_FN float m_gamma_f32(float x) {
    double d = x, z = d < 0.5 ? 1.0 - d : d;
    z = z > 60.0 ? 60.0 : z;
    double w = z + 6.0, v = m_inverse_mid(w), u = z * z + 5.0 * z, p = u * (u + 4.0) * (u + 6.0);
    double l = (w - 0.5) * m_log2_mid(w) + (1.0 / M_LN2) * (v * M_POLY(v * v, M_GAMMA_MID) - w);
    double g = m_exp2_mid(l) * 2.50662827463100050242;   /* sqrt(2 pi) */
    M_SINPI(d, s);
    double y = (d < 0.5 ? 3.14159265358979323846 * p : g) / (d < 0.5 ? s * g : p);
    y = d < 0.5 && s == 0.0 ? (d == 0.0 ? copysign((double)INFINITY, d) : (double)NAN) : y;
    y = d == d ? y : d;
    return (float)y;
}
M_FN float m_gammaln_f32(float x) {
    /* z >= 1: x < 0 by reflection, x < 1 by gammaln(x) = gammaln(x + 1) - log(x) */
    double d = x, z = d < 0.0 ? 1.0 - d : (d < 1.0 ? d + 1.0 : d), t = z - 2.0, v = m_inverse_mid(z);
    double near = t * (t + 1.0) * M_POLY(t, M_GAMMALN_NEAR_MID);
    double wide = (z - 0.5) * (m_log2_mid(z) * M_LN2) - z + 0.91893853320467274178 + v * M_POLY(v * v, M_GAMMALN_MID);
    double y = z < 2.5 ? near : wide;
    double e = d < -1e9 ? -1e9 : d;
    M_SINPI(e, s);
    s = fabs(s) * (1.0 / 3.14159265358979323846);
    double c = d < 0.0 ? s : (d < 1.0 ? d : 1.0), l = m_log2_mid(c) * M_LN2;
    l = c == 0.0 ? -(double)INFINITY : l;
    y = (d < 0.0 ? -y : y) - l + 0.0;                    /* + 0: no -0 at x = 1 */
    y = fabs(d) < INFINITY ? y : d * d;
    return (float)y;
}
M_FN float m_digamma_f32(float x) {
    /* at w = z + 6; minus the sum of 1 / (z + i), i < 6; x < 1/2: digamma(1 - x) - pi / tan(pi x) */
    double d = x, z = d < 0.5 ? 1.0 - d : d, w = z + 6.0, v = m_inverse_mid(w), u = z * z + 5.0 * z;
    double p = u * (u + 4.0) * (u + 6.0), q = (2.0 * z + 5.0) * (3.0 * u * u + 20.0 * u + 24.0);
    double y = m_log2_mid(w) * M_LN2 - 0.5 * v + v * v * M_POLY(v * v, M_DIGAMMA_MID);
    double e = d < -1e9 ? -1e9 : d;
    double n = e + M_MAGIC_F64, r = e - (n - M_MAGIC_F64), a = r * r;
    double s = r * M_POLY(a, M_SINPI_MID), c = M_POLY(a, M_COSPI_MID);
    /* one division for both fractions */
    double f = d < 0.5 ? (q * s + 3.14159265358979323846 * c * p) / (p * s) : q / p;
    y = y - f;
    y = d == 0.0 ? -copysign((double)INFINITY, d) : (d < 0.0 && r == 0.0 ? (double)NAN : y);
    y = d < INFINITY ? y : d;
    return (float)y;
}
M_FN float m_erfinv_f32(float x) {
    double d = x, w = m_log2_mid((1.0 - d) * (1.0 + d)) * -M_LN2, y = d * M_POLY(w, M_ERFINV_MID);
    y = fabs(d) < 1.0 ? y : (fabs(d) == 1.0 ? copysign((double)INFINITY, d) : (double)NAN);
    return (float)y;
}
