/* float64 functions; included by math.h.  exp, expm1, log, log2, log10, log1p, tanh, sinh, cosh, sigmoid, softrelu,
   erf, sin, cos, cbrt and rcbrt are our own and vectorise; the rest is libm's, or scalar code where it has none. */

M_FN double m_abs_f64(double x) { return fabs(x); }
M_FN double m_floor_f64(double x) { return floor(x); }
M_FN double m_ceil_f64(double x) { return ceil(x); }
M_FN double m_trunc_f64(double x) { return trunc(x); }
M_FN double m_round_f64(double x) {
    double t = trunc(x), up = fabs(x - t) >= 0.5 ? 1.0 : 0.0;
    return copysign(fabs(t) + up, x);
}
M_FN double m_rint_f64(double x) {
    double f = floor(x), c = ceil(x);
    return x - f <= c - x ? f : c;
}
M_FN double m_sqrt_f64(double x) { return sqrt(x); }
M_FN double m_rsqrt_f64(double x) { return 1.0 / sqrt(x); }
M_FN double m_arcsin_f64(double x) { return asin(x); }
M_FN double m_arccos_f64(double x) { return acos(x); }
M_FN double m_arctan_f64(double x) { return atan(x); }
M_FN double m_arcsinh_f64(double x) { return asinh(x); }
M_FN double m_arccosh_f64(double x) { return acosh(x); }
M_FN double m_arctanh_f64(double x) { return atanh(x); }
M_FN double m_gammaln_f64(double x) { return lgamma(x); }
M_FN double m_pow_f64(double x, double y) { return pow(x, y); }
M_FN double m_hypot_f64(double x, double y) { return hypot(x, y); }
M_FN double m_tan_f64(double x, m_far_t *far) {
    if (far && far->first) return x;
    return tan(x);
}
M_FN double m_gamma_f64(double x) {
    return x < 0.0 && x == floor(x) ? (double)NAN : tgamma(x);
}

/* ---- exp and its family; see math_f32.h for the scheme ---- */
#define M_REDUCE_F64(x, bits, r) \
    double t_ = x * 1.44269504088896338700 + M_MAGIC_F64, n_ = t_ - M_MAGIC_F64; \
    double r = (x - n_ * 6.93147180369123816490e-01) - n_ * 1.90821492927058770002e-10; /* 33 bits, then the rest */ \
    uint64_t bits = m_bits_f64(t_)

M_FN double m_exp_f64(double x) {
    double c = m_clamp_f64(x, -746.0, 710.0);
    M_REDUCE_F64(c, k, r);
    double p = r * r * M_POLY(r, M_EXPM1_F64) + r;
    p = p + 1.0;
    uint64_t h = k >> 1;
    double s = m_from_bits_f64((h << 52) + 0x3ff0000000000000u);
    double u = m_from_bits_f64(((k - h) << 52) + 0x3ff0000000000000u);
    return p * s * u;
}
#define M_EXPM1_NEGATIVE_F64(x, s, p) \
    M_REDUCE_F64(x, k_, r_); \
    double p = r_ * r_ * M_POLY(r_, M_EXPM1_F64) + r_; \
    double s = m_from_bits_f64((k_ << 52) + 0x3ff0000000000000u)
M_FN double m_expm1_f64(double x) {
    double c = m_clamp_f64(x, -40.0, 710.0);
    M_REDUCE_F64(c, k, r);
    double p = r * r * M_POLY(r, M_EXPM1_F64) + r;
    double s = m_from_bits_f64((k << 52) + 0x3fe0000000000000u);
    double y = (s * p + (s - 0.5)) * 2.0;
    return fabs(x) < 1e-12 ? x * (1.0 + 0.5 * x) : y;
}
M_FN double m_tanh_f64(double x) {
    double a = fabs(x), c = a > 20.0 ? -40.0 : -2.0 * a, z = a * a;
    M_EXPM1_NEGATIVE_F64(c, s, p);
    double e = s * p + s;
    double y = 1.0 - 2.0 * e / (1.0 + e), near = a * z * M_POLY(z, M_TANH_F64) + a;
    return copysign(a < 0.65 ? near : y, x);
}
/* see M_HYPERBOLIC; here u and v are halved once more, so that n = 1025 fits, and
   n = 0 up to 0.9, where the two terms of sinh would cancel */
#define M_HYPERBOLIC_F64(x) \
    double a_ = fabs(x), c_ = a_ > 710.5 ? 710.5 : a_; \
    double t_ = (a_ < 0.9 ? 0.0 : c_ * 1.44269504088896338700) + M_MAGIC_F64, n_ = t_ - M_MAGIC_F64; \
    double r_ = (c_ - n_ * 6.93147180369123816490e-01) - n_ * 1.90821492927058770002e-10; \
    uint64_t k_ = m_bits_f64(t_) << 52; \
    double z_ = r_ * r_, S = r_ * z_ * M_POLY(z_, M_SINH_F64) + r_, C = z_ * M_POLY(z_, M_COSH_F64) + 1.0; \
    double u = m_from_bits_f64(0x3fd0000000000000u + k_), v = m_from_bits_f64(0x3fd0000000000000u - k_); \
    v = a_ > 500.0 ? 0.0 : v
M_FN double m_sinh_f64(double x) {
    M_HYPERBOLIC_F64(x);
    return copysign((S * (u + v) + C * (u - v)) * 2.0, x);
}
M_FN double m_cosh_f64(double x) {
    M_HYPERBOLIC_F64(x);
    return (C * (u + v) + S * (u - v)) * 2.0;
}
M_FN double m_sigmoid_f64(double x) {
    double e = m_exp_f64(-fabs(x));
    double base = x < 0.0 ? e : 1.0;
    return M_LESS_F64(base, e / (1.0 + e));
}
M_FN double m_erf_f64(double x) {
    double t = fabs(x), c = t > 6.0 ? 6.0 : t;
    double q = -c * M_POLY(c, M_ERF_F64);
    M_EXPM1_NEGATIVE_F64(q, s, p);
    double y = (1.0 - s) - s * p;
    y = t < 1e-8 ? t * 1.12837916709551257390 : y;
    return copysign(y, x);
}

/* ---- logarithms ---- */
/* k log 2 + log(1 + f), with s = f / (2 + f) and log(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + s^2 P(s^2))) */
M_FN double m_log_sum_f64(double k, double f) {
    double s = f / (2.0 + f), z = s * s, h = 0.5 * f * f, p = z * M_POLY(z, M_LOG_F64);
    return k * 6.93147180369123816490e-01 - ((h - (s * (h + p) + k * 1.90821492927058770002e-10)) - f);
}
#define M_SPLIT_F64(x, k, f) \
    double big_ = x < 2.2250738585072014e-308 ? x * 18014398509481984.0 : x; \
    double less_ = x < 2.2250738585072014e-308 ? 1023.0 + 54.0 : 1023.0; \
    uint64_t i_ = m_bits_f64(big_) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu); \
    double k = (m_from_bits_f64((i_ >> 52) | 0x4330000000000000u) - 4503599627370496.0) - less_; \
    double f = m_from_bits_f64((i_ & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0
M_FN double m_log_f64(double x) {
    M_SPLIT_F64(x, k, f);
    double y = m_log_sum_f64(k, f);
    M_LOG_LIMITS(x, y, double);
    return y;
}
/* log(1 + f) = high + low, where 21 bits of high make its products with short constants exact */
#define M_LOG_PARTS_F64(f, high, low) \
    double s_ = f / (2.0 + f), z_ = s_ * s_, h_ = 0.5 * f * f, p_ = z_ * M_POLY(z_, M_LOG_F64); \
    double high = m_from_bits_f64(m_bits_f64(f - h_) & 0xffffffff00000000u), low = ((f - high) - h_) + s_ * (h_ + p_)
M_FN double m_log2_f64(double x) {
    M_SPLIT_F64(x, k, f);
    M_LOG_PARTS_F64(f, high, low);
    double y = (high + low) * 1.67517131648865118353e-10 + low * 1.44269504072144627571;
    y = (y + high * 1.44269504072144627571) + k;
    M_LOG_LIMITS(x, y, double);
    return y;
}
M_FN double m_log10_f64(double x) {
    M_SPLIT_F64(x, k, f);
    M_LOG_PARTS_F64(f, high, low);
    double y = (high + low) * 2.50829467116452752298e-11 + low * 4.34294481878168880939e-01;
    y = y + k * 3.69423907715893078616e-13;
    double a = k * 3.01029995663611771306e-01, b = high * 4.34294481878168880939e-01, c = a + b;
    y = c + ((a - c) + b + y);
    M_LOG_LIMITS(x, y, double);
    return y;
}
M_FN double m_log1p_f64(double x) {
    double u = 1.0 + x;
    uint64_t i = m_bits_f64(u) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    double k = (m_from_bits_f64((i >> 52) | 0x4330000000000000u) - 4503599627370496.0) - 1023.0;
    double s = m_from_bits_f64((2048u - (i >> 52)) << 52);   /* 4 * 2^-k */
    double f = 0.25 * x * s + (0.25 * s - 1.0), y = m_log_sum_f64(k, f);
    y = x > -1.0 ? y : (x == -1.0 ? -(double)INFINITY : (double)NAN);
    y = x < INFINITY ? y : x;
    y = x < -1.0 ? (double)NAN : y;
    return fabs(x) < 1e-12 ? x * (1.0 - 0.5 * x) : y;
}
M_FN double m_softrelu_f64(double x) {
    double e = m_exp_f64(-fabs(x));
    return (x < 0.0 ? 0.0 : x) + m_log1p_f64(e);
}

/* ---- cube roots: a value good to 2^-29, and one step of Newton's method ---- */
M_FN double m_cbrt_f64(double x) {
    double a = fabs(x), b = a < 2.2250738585072014e-308 ? a * 18014398509481984.0 : a;
    double y = m_exp2_mid(m_log2_mid(b) * (1.0 / 3.0));
    y = y - (y - b / (y * y)) * (1.0 / 3.0);
    y = a < 2.2250738585072014e-308 ? y * (1.0 / 262144.0) : y;
    y = a == 0.0 || !(a < INFINITY) ? a : y;
    return copysign(y, x);
}
M_FN double m_rcbrt_f64(double x) {
    double a = fabs(x), b = a < 2.2250738585072014e-308 ? a * 18014398509481984.0 : a;
    double y = m_exp2_mid(m_log2_mid(b) * (-1.0 / 3.0));
    y = y + y * (1.0 - b * y * y * y) * (1.0 / 3.0);
    y = a < 2.2250738585072014e-308 ? y * 262144.0 : y;
    y = a == 0.0 ? (double)INFINITY : y;
    y = a < INFINITY ? y : 1.0 / a;
    return copysign(y, x);
}

/* ---- trigonometry: pi / 2 in 33 + 33 + 53 bits; r + c is the reduced argument ---- */
#define M_TRIG_F64(x) \
    double t_ = x * 0.63661977236758134308 + M_MAGIC_F64, n_ = t_ - M_MAGIC_F64; \
    double a_ = x - n_ * 1.57079632673412561417, b_ = n_ * 6.07710050630396597660e-11, h_ = a_ - b_; \
    double l_ = ((a_ - h_) - b_) - n_ * 2.02226624879595063154e-21, r = h_ + l_, c = (h_ - r) + l_, z = r * r; \
    uint64_t k = m_bits_f64(t_); \
    double S = r + (z * r * M_POLY(z, M_SIN_F64) + (c - 0.5 * z * c)); \
    double C = 1.0 - (0.5 * z - (z * z * M_POLY(z, M_COS_F64) - r * c))
M_SLOW double m_sin_slow_f64(double x) { return sin(x); }
M_SLOW double m_cos_slow_f64(double x) { return cos(x); }
M_SLOW double m_mod_slow_f64(double x, double y) {
    double r = fmod(x, y);
    r = r != 0.0 && (r < 0.0) != (y < 0.0) ? r + y : r;
    return y == 0.0 ? 0.0 : r;
}
M_FN double m_sin_f64(double x, m_far_t *far) {
    M_FAR_CASE(fabs(x) > M_TRIG_LIMIT, m_sin_slow_f64(x))
    M_TRIG_F64(x);
    double y = m_from_bits_f64(m_bits_f64(k & 1 ? C : S) ^ (k & 2) << 62);
    return x == 0.0 ? x : y;
}
M_FN double m_cos_f64(double x, m_far_t *far) {
    M_FAR_CASE(fabs(x) > M_TRIG_LIMIT, m_cos_slow_f64(x))
    M_TRIG_F64(x);
    return m_from_bits_f64(m_bits_f64(k & 1 ? S : C) ^ ((k + 1) & 2) << 62);
}
M_FN double m_mod_f64(double x, double y, m_far_t *far) {
    if (far && far->first) return x;
    return m_mod_slow_f64(x, y);
}

/* ---- scalar ---- */
M_SLOW double m_digamma_slow_f64(double x) {
    double y = 0.0, z = x;
    if (x == 0.0) return -copysign((double)INFINITY, x);
    if (x < 0.0) {
        double r = x - floor(x);
        if (r == 0.0) return (double)NAN;
        /* cot(pi r) without losing r near a whole number */
        r = r > 0.5 ? -(ceil(x) - x) : r;
        y = -3.14159265358979323846 / tan(3.14159265358979323846 * r);
        z = 1.0 - x;
    }
    for (; z < 12.0; z += 1.0) y -= 1.0 / z;
    double v = 1.0 / (z * z);
    return y + (log(z) - 0.5 / z - v * (1.0 / 12 - v * (1.0 / 120 - v * (1.0 / 252 - v * (1.0 / 240 - v * (1.0 / 132
               - v * (691.0 / 32760 - v / 12)))))));
}
M_FN double m_digamma_f64(double x) { return m_digamma_slow_f64(x); }
M_SLOW double m_erfinv_slow_f64(double x) {
    double a = fabs(x);
    if (!(a < 1.0)) return a == 1.0 ? copysign((double)INFINITY, x) : (double)NAN;
    if (a < 1e-9) return x * 0.88622692545275801365;
    /* a first value, then Newton steps with the second-order term (Halley) on erfc for large arguments */
    double w = -log1p(-a * a), y;
    if (w < 16.0) y = a * M_POLY(w, M_ERFINV_MID);
    else y = sqrt(w - 0.5 * log(3.14159265358979323846 * w));
    for (int i = 0; i < 3; i++) {
        double e = a > 0.5 ? (1.0 - a) - erfc(y) : erf(y) - a;
        double d = e / (1.12837916709551257390 * exp(-y * y));
        double step = d / (1.0 + y * d);
        y -= step;
        if (fabs(step) < 1e-8 * y) break;
    }
    return copysign(y, x);
}
M_FN double m_erfinv_f64(double x) { return m_erfinv_slow_f64(x); }

/* The derivative of order n >= 0 of digamma: (-1)^(n + 1) n! zeta(n + 1, x), the sum of 1 / (x + k)^(n + 1). */
M_SLOW double m_zeta_slow_f64(double s, double q) {
    double sum = 0.0;
    for (; q < 15.0; q += 1.0) sum += pow(q, -s);
    /* Euler and Maclaurin: the coefficients are B(2k) / (2k)! */
    const double c[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000.0};
    double f = pow(q, -s), tail = f * q / (s - 1.0) + 0.5 * f, t = f * s / q;
    for (int k = 0; k < 6; k++) {
        tail += c[k] * t;
        t *= (s + 2 * k + 1) * (s + 2 * k + 2) / (q * q);
    }
    return sum + tail;
}
M_SLOW double m_polygamma_slow_f64(double n, double x) {
    double s = n + 1.0, sign = fmod(n, 2.0) == 0.0 ? -1.0 : 1.0, z;
    if (n == 0.0) return m_digamma_slow_f64(x);
    if (n < 0.0 || n != floor(n) || x != x) return (double)NAN;
    if (x > 0.0) z = m_zeta_slow_f64(s, x);
    else {                                               /* the terms on both sides of zero */
        double r = -x - floor(-x);
        if (r == 0.0 || !(x > -(double)INFINITY)) return fmod(n, 2.0) == 0.0 ? (double)NAN : (double)INFINITY;
        z = m_zeta_slow_f64(s, 1.0 - r) + sign * (m_zeta_slow_f64(s, r) - m_zeta_slow_f64(s, 1.0 - x));
    }
    return sign * tgamma(s) * z;
}
M_FN double m_polygamma_f64(double n, double x) { return m_polygamma_slow_f64(n, x); }
M_FN float m_polygamma_f32(float n, float x) { return (float)m_polygamma_slow_f64(n, x); }
