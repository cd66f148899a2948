"""Derive the polynomial coefficients of `mxnd/_core/loops/coefficients.h`.

Needs mpmath; not part of the build.  ``python minimax.py > ../_core/loops/coefficients.h`` writes the
header, ``python minimax.py exp_f32`` prints one polynomial and its error.

Each entry minimises max |weight(x) * (f(x) - sum_j c[j] * x**(step * j))| over an interval by the exchange
algorithm of Remez on a fixed grid.  Coefficients are then rounded to their C type one by one, lowest power
first, and the others fitted again: that keeps the error of a float32 polynomial near the unrounded one.
"""

import sys

import numpy as np
from mpmath import mp, mpf

mp.dps = 50
ENTRIES = {}


def entry(name, degree, interval, f, weight, step=1, kind=None):
    ENTRIES[name] = (degree, interval, f, weight, step, kind or name[-3:])


def rounded(c, kind):
    return mpf(float(np.float32(float(c)))) if kind == "f32" else mpf(float(c))


def remez(basis, target, weight):
    """Coefficients of the minimax combination of `basis` rows on the grid, and the error reached."""
    n, size = len(basis), len(target)
    nodes = [round((1 - float(mp.cos(mp.pi * i / n))) / 2 * (size - 1)) for i in range(n + 1)]
    best = None
    for _ in range(60):
        a = mp.matrix(n + 1, n + 1)
        b = mp.matrix(n + 1, 1)
        for i, g in enumerate(nodes):
            for j in range(n):
                a[i, j] = basis[j][g] * weight[g]
            a[i, n] = (-1) ** i
            b[i] = target[g] * weight[g]
        solution = mp.lu_solve(a, b)
        c = [solution[j] for j in range(n)]
        error = weight * (target - sum(cj * row for cj, row in zip(c, basis)))
        peak = max(abs(e) for e in error)
        if best is None or peak < best[1]:
            best = (c, peak)
        if peak <= abs(solution[n]) * mpf("1.0005"):
            break
        extrema = alternating_peaks(error, n + 1)
        if extrema is None or extrema == nodes:
            break
        nodes = extrema
    return best


def alternating_peaks(error, count):
    """Grid indices of `count` alternating extrema of the error, the largest ones."""
    peaks = [0]
    for i in range(1, len(error)):
        if (error[i] > 0) == (error[peaks[-1]] > 0):
            if abs(error[i]) > abs(error[peaks[-1]]):
                peaks[-1] = i
        else:
            peaks.append(i)
    while len(peaks) > count:
        if abs(error[peaks[0]]) < abs(error[peaks[-1]]):
            peaks.pop(0)
        else:
            peaks.pop()
    return peaks if len(peaks) == count else None


def fit(name):
    degree, (low, high), f, weight, step, kind = ENTRIES[name]
    size = 60 * (degree + 2)
    low, high = mpf(low), mpf(high)
    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (i + mpf(1) / 2) / size) for i in range(size)]
    target = np.array([f(x) for x in grid], dtype=object)
    w = np.array([abs(weight(x)) for x in grid], dtype=object)
    basis = [np.array([x ** (step * j) for x in grid], dtype=object) for j in range(degree + 1)]
    fixed = []
    for j in range(degree + 1):
        rest = target - sum(c * row for c, row in zip(fixed, basis))
        c, _ = remez(basis[j:], rest, w)
        if kind == "f64":
            fixed += [rounded(x, kind) for x in c]
            break
        fixed.append(rounded(c[0], kind))
    error = max(abs(e) for e in w * (target - sum(c * row for c, row in zip(fixed, basis))))
    return fixed, error


def text(name):
    coefficients, error = fit(name)
    kind = ENTRIES[name][5]
    if kind == "f32":
        items = [repr(float(str(np.float32(float(c))))) + "f" for c in coefficients]
    else:
        items = [repr(float(c)) for c in coefficients]
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) > 116:
            lines.append(line + " \\")
            line = "   "
        line += " " + item + ","
    lines.append(line[:-1])
    return f"/* 2^{float(mp.log(error, 2)):.1f} */\n#define M_{name.upper()} \\\n" + "\n".join(lines)


# A quotient such as (exp(x) - 1 - x) / x**2 cancels near zero, so 50 digits are carried.  The weight is what
# turns an error of the polynomial into a relative error of the whole function.
def relative(function, x, factor):
    value = function(x)
    return factor / value if value else mpf(0)


LN2 = mp.log(2)
HALF = LN2 / 2 * mpf("1.001")
entry("exp_f32", 4, (-HALF, HALF), lambda r: (mp.expm1(r) - r) / r**2, lambda r: r**2 / mp.exp(r))
for kind, degree in (("f32", 5), ("f64", 10)):
    entry("expm1_" + kind, degree, (-HALF, HALF), lambda r: (mp.expm1(r) - r) / r**2,
          lambda r: relative(mp.expm1, r, r**2))
for kind, degree in (("f32", 5), ("f64", 12)):
    entry("tanh_" + kind, degree, (mpf("1e-9"), mpf("0.65")), lambda x: (mp.tanh(x) - x) / x**3,
          lambda x: relative(mp.tanh, x, x**3), 2, kind)
entry("sinh_f64", 7, (mpf("1e-9"), mpf("0.9")), lambda r: (mp.sinh(r) - r) / r**3, lambda r: relative(mp.sinh, r, r**3), 2)
entry("cosh_f64", 7, (mpf("1e-9"), mpf("0.9")), lambda r: (mp.cosh(r) - 1) / r**2, lambda r: r**2 / mp.cosh(r), 2)
LOG = (mp.sqrt(mpf(1) / 2) - 1, mp.sqrt(2) - 1)
entry("log_f32", 8, LOG, lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3, lambda f: relative(mp.log1p, f, f**3))
# log(1 + f) = 2 atanh(s), s = f / (2 + f); the polynomial is in s**2
entry("log_f64", 6, (mpf("1e-9"), mpf("0.1717")), lambda s: (2 * mp.atanh(s) - 2 * s) / s**3,
      lambda s: relative(mp.atanh, s, s**3), step=2)
entry("log1p01_f32", 10, (mpf("1e-9"), 1), lambda e: mp.log1p(e) / e, lambda e: relative(mp.log1p, e, e))

# Float64 polynomials that are only good to float32's needs (about 2^-36): the functions that compute in double.
entry("log2_mid", 12, LOG, lambda f: mp.log1p(f) / LN2 / f, lambda f: relative(mp.log1p, f, f), kind="f64")
entry("exp2_mid", 6, (mpf("-0.5003"), mpf("0.5003")), lambda r: 2**r, lambda r: 2**-r, kind="f64")
entry("sinh_mid", 3, (mpf("1e-9"), HALF), lambda r: mp.sinh(r) / r, lambda r: relative(mp.sinh, r, r), 2, "f64")
entry("cosh_mid", 4, (mpf("1e-9"), HALF), mp.cosh, lambda r: 1 / mp.cosh(r), 2, "f64")
entry("sinpi_mid", 5, (mpf("1e-9"), mpf("0.5001")), lambda r: mp.sin(mp.pi * r) / r,
      lambda r: relative(mp.sin, mp.pi * r, r), 2, "f64")
entry("cospi_mid", 6, (mpf("1e-9"), mpf("0.5001")), lambda r: mp.cos(mp.pi * r), lambda r: mpf(1), 2, "f64")

entry("cbrt_f32", 4, (1, 8), lambda m: mp.cbrt(m), lambda m: 1 / mp.cbrt(m))

QUARTER = mp.pi / 4 * mpf("1.0005")
entry("sin_f32", 3, (mpf("1e-9"), QUARTER), lambda r: (mp.sin(r) - r) / r**3, lambda r: relative(mp.sin, r, r**3), 2)
entry("cos_f32", 3, (mpf("1e-9"), QUARTER), lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4, lambda r: r**4 / mp.cos(r), 2)
entry("sin_f64", 5, (mpf("1e-9"), QUARTER), lambda r: (mp.sin(r) - r) / r**3, lambda r: relative(mp.sin, r, r**3), 2)
entry("cos_f64", 5, (mpf("1e-9"), QUARTER), lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4,
      lambda r: r**4 / mp.cos(r), 2)
entry("atan_f32", 8, (mpf("1e-9"), 1), lambda x: (mp.atan(x) - x) / x**3, lambda x: relative(mp.atan, x, x**3), 2)
entry("asin_f32", 5, (mpf("1e-9"), mpf("0.5")), lambda x: (mp.asin(x) - x) / x**3,
      lambda x: relative(mp.asin, x, x**3), 2)


# erf(t) = 1 - exp(-t * P(t)): the weight is the derivative of that, so P may be loose where erf is nearly 1.
def erf_rate(t):
    return -mp.log(mp.erfc(t)) / t


def erf_weight(t):
    return t * mp.erfc(t) / mp.erf(t)


# float32 rounds 2 / sqrt(pi) badly, so math_f32.h adds 1.1283792f last and the polynomial holds the rest
entry("erf_near_f32", 5, (mpf("1e-9"), mpf("0.5")), lambda t: mp.erf(t) / t - 1, lambda t: t / mp.erf(t), 2)
entry("erf_f32", 8, (mpf("1e-9"), mpf("3.95")), lambda t: erf_rate(t) - rounded(1.1283792, "f32"), erf_weight)
entry("erf_f64", 24, (mpf("1e-9"), mpf("6.0")), erf_rate, erf_weight)


# erfinv(x) = x * P(w), w = -log(1 - x**2); float32 needs w up to 16.7
def erfinv_factor(w):
    x = mp.sqrt(-mp.expm1(-w))
    return mp.erfinv(x) / x


entry("erfinv_mid", 18, (mpf("1e-9"), mpf("16.7")), erfinv_factor, lambda w: 1 / erfinv_factor(w), kind="f64")


# Stirling's series: log(gamma(1/v)) = (1/v - 1/2) log(1/v) - 1/v + log(2 pi) / 2 + v P(v**2)
def stirling(v):
    w = 1 / v
    return (mp.loggamma(w) - (w - mpf(1) / 2) * mp.log(w) + w - mp.log(2 * mp.pi) / 2) / v


entry("gamma_mid", 3, (mpf("1e-4"), 1 / mpf("6.4")), stirling, lambda v: v, 2, "f64")
entry("gammaln_mid", 6, (mpf("1e-4"), 1 / mpf("2.49")), stirling, lambda v: v, 2, "f64")
entry("gammaln_near_mid", 13, (mpf("-1.0001"), mpf("0.5001")),
      lambda t: mp.loggamma(2 + t) / (t * (1 + t)), lambda t: t * (1 + t) / mp.loggamma(2 + t), kind="f64")
entry("digamma_mid", 4, (mpf("1e-4"), 1 / mpf("6.4")),
      lambda v: (mp.digamma(1 / v) - mp.log(1 / v) + v / 2) / v**2, lambda v: v**2, 2, "f64")


def main(names):
    if names:
        for name in names:
            print(text(name))
        return
    print("/* Minimax polynomials, lowest power first, with the error of each: written by mxnd/_build/minimax.py. */")
    print("#ifndef MXND_COEFFICIENTS_H\n#define MXND_COEFFICIENTS_H")
    for name in ENTRIES:
        print(text(name))
    print("#endif")


if __name__ == "__main__":
    main(sys.argv[1:])
