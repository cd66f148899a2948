"""Elementwise functions of one array."""
from math import log, pi, sqrt

from ..declare import F, unary
from ..params import integer

LN2, LN10 = log(2), log(10)


def _ex(call, of="[1.0, 2.0]"):
    return f"mx.nd.{call}(mx.nd.array({of}))"


unary("exp", "m_exp(x)", lambda g, x, y: g * y, sparse=True, numpy="np.exp(x)",
      doc="e to the power of each element.", example=_ex("exp"))
unary("expm1", "m_expm1(x)", lambda g, x, y: g * (y + 1), sparse=True, keeps_zero=True, numpy="np.expm1(x)",
      doc="exp(x) - 1 for each element, exact for small ones.", example=_ex("expm1"))
unary("log", "m_log(x)", lambda g, x, y: g / x, sparse=True, domain=(0.2, 4), numpy="np.log(x)",
      doc="Natural logarithm of each element.", example=_ex("log"))
unary("log2", "m_log2(x)", lambda g, x, y: g / (x * LN2), sparse=True, domain=(0.2, 4), numpy="np.log2(x)",
      doc="Logarithm to base 2 of each element.", example=_ex("log2"))
unary("log10", "m_log10(x)", lambda g, x, y: g / (x * LN10), sparse=True, domain=(0.2, 4), numpy="np.log10(x)",
      doc="Logarithm to base 10 of each element.", example=_ex("log10"))
unary("log1p", "m_log1p(x)", lambda g, x, y: g / (1 + x), sparse=True, keeps_zero=True, domain=(-0.5, 3),
      numpy="np.log1p(x)", doc="log(1 + x) for each element, exact for small ones.", example=_ex("log1p"))
unary("sqrt", "m_sqrt(x)", lambda g, x, y: g / (y * 2), sparse=True, keeps_zero=True, domain=(0.2, 4), numpy="np.sqrt(x)",
      doc="Square root of each element.", example=_ex("sqrt"))
unary("rsqrt", "m_rsqrt(x)", lambda g, x, y: g * (y * y * y * -0.5), sparse=True, domain=(0.3, 4), numpy="1 / np.sqrt(x)",
      doc="1 / sqrt(x) for each element.", example=_ex("rsqrt"))
unary("cbrt", "m_cbrt(x)", lambda g, x, y: g / (y * y * 3), sparse=True, keeps_zero=True, domain=(0.2, 4),
      numpy="np.cbrt(x)", rising=True, doc="Cube root of each element.", example=_ex("cbrt", "[8.0, -27.0]"))
unary("rcbrt", "m_rcbrt(x)", lambda g, x, y: g * (y / x * (-1 / 3)), domain=(0.3, 4), numpy="1 / np.cbrt(x)",
      doc="1 / cube root of each element.", example=_ex("rcbrt"))
unary("square", "x * x", lambda g, x, y: g * (x * 2), ints=True, sparse=True, keeps_zero=True, numpy="x * x",
      doc="x * x for each element.", example=_ex("square"))
unary("reciprocal", "1 / x", lambda g, x, y: g * (y * y * -1), domain=(0.3, 3), numpy="1 / x",
      doc="1 / x for each element.", example=_ex("reciprocal"))
unary("abs", "m_abs(x)", lambda g, x, y: g * F.sign(x), ints="x < 0 ? -x : x", sparse=True, keeps_zero=True,
      domain=(0.2, 2), numpy="np.abs(x)", doc="Absolute value of each element.", example=_ex("abs", "[-1.0, 2.0]"))
unary("sign", "(x > 0) - (x < 0)", ints=True, sparse=True, keeps_zero=True, numpy="np.sign(x)",
      doc="-1, 0 or 1 by the sign of each element; 0 for NaN.", example=_ex("sign", "[-3.0, 0.0]"))
unary("negative", "-x", lambda g, x, y: g * -1, ints=True, sparse=True, keeps_zero=True, numpy="-x",
      doc="-x for each element.", example=_ex("negative"))

# ---- trigonometric and hyperbolic
unary("sin", "m_sin(x)", lambda g, x, y: g * F.cos(x), sparse=True, keeps_zero=True, numpy="np.sin(x)",
      doc="Sine of each element, in radians.", example=_ex("sin"))
unary("cos", "m_cos(x)", lambda g, x, y: g * F.sin(x) * -1, sparse=True, numpy="np.cos(x)",
      doc="Cosine of each element, in radians.", example=_ex("cos"))
unary("tan", "m_tan(x)", lambda g, x, y: g * (1 + y * y), sparse=True, keeps_zero=True, domain=(-1, 1), numpy="np.tan(x)",
      doc="Tangent of each element, in radians.", example=_ex("tan"))
unary("arcsin", "m_arcsin(x)", lambda g, x, y: g * F.rsqrt(1 - x * x), sparse=True, keeps_zero=True, domain=(-0.8, 0.8),
      numpy="np.arcsin(x)", doc="Inverse sine of each element, in radians from -pi/2 to pi/2.", example=_ex("arcsin", "[0.5]"))
unary("arccos", "m_arccos(x)", lambda g, x, y: g * F.rsqrt(1 - x * x) * -1, sparse=True, domain=(-0.8, 0.8),
      numpy="np.arccos(x)", doc="Inverse cosine of each element, in radians from 0 to pi.", example=_ex("arccos", "[0.5]"))
unary("arctan", "m_arctan(x)", lambda g, x, y: g / (1 + x * x), sparse=True, keeps_zero=True, numpy="np.arctan(x)",
      rising=True, doc="Inverse tangent of each element, in radians from -pi/2 to pi/2.", example=_ex("arctan"))
unary("sinh", "m_sinh(x)", lambda g, x, y: g * F.cosh(x), sparse=True, keeps_zero=True, numpy="np.sinh(x)",
      doc="Hyperbolic sine of each element.", example=_ex("sinh"))
unary("cosh", "m_cosh(x)", lambda g, x, y: g * F.sinh(x), sparse=True, numpy="np.cosh(x)",
      doc="Hyperbolic cosine of each element.", example=_ex("cosh"))
unary("tanh", "m_tanh(x)", lambda g, x, y: g * (1 - y * y), sparse=True, keeps_zero=True, numpy="np.tanh(x)",
      rising=True, doc="Hyperbolic tangent of each element.", example=_ex("tanh"))
unary("arcsinh", "m_arcsinh(x)", lambda g, x, y: g * F.rsqrt(x * x + 1), sparse=True, keeps_zero=True, numpy="np.arcsinh(x)",
      doc="Inverse hyperbolic sine of each element.", example=_ex("arcsinh"))
unary("arccosh", "m_arccosh(x)", lambda g, x, y: g * F.rsqrt(x * x - 1), sparse=True, domain=(1.3, 4), numpy="np.arccosh(x)",
      doc="Inverse hyperbolic cosine of each element.", example=_ex("arccosh"))
unary("arctanh", "m_arctanh(x)", lambda g, x, y: g / (1 - x * x), sparse=True, keeps_zero=True, domain=(-0.8, 0.8),
      numpy="np.arctanh(x)", doc="Inverse hyperbolic tangent of each element.", example=_ex("arctanh", "[0.5]"))
unary("degrees", "x * K(57.29577951308232)", lambda g, x, y: g * (180 / pi), sparse=True, keeps_zero=True,
      numpy="np.degrees(x)", doc="Each element from radians to degrees.", example=_ex("degrees"))
unary("radians", "x * K(0.017453292519943295)", lambda g, x, y: g * (pi / 180), sparse=True, keeps_zero=True,
      numpy="np.radians(x)", doc="Each element from degrees to radians.", example=_ex("radians"))

# ---- special functions
unary("erf", "m_erf(x)", lambda g, x, y: g * F.exp(x * x * -1) * (2 / sqrt(pi)), aliases="_npx_erf", keeps_zero=True,
      rising=True, doc="Gauss error function of each element.", example=_ex("erf"))
unary("erfinv", "m_erfinv(x)", lambda g, x, y: g * F.exp(y * y) * (sqrt(pi) / 2), aliases="_npx_erfinv", keeps_zero=True,
      domain=(-0.8, 0.8), doc="Inverse of the Gauss error function; infinite at -1 and 1.", example=_ex("erfinv", "[0.5]"))
unary("gamma", "m_gamma(x)", lambda g, x, y: g * (y * F.digamma(x)), aliases="_npx_gamma", sparse=True, domain=(0.5, 3),
      doc="Gamma function of each element.", example=_ex("gamma"))
unary("gammaln", "m_gammaln(x)", lambda g, x, y: g * F.digamma(x), aliases="_npx_gammaln", sparse=True, domain=(0.5, 3),
      doc="Logarithm of the absolute value of the gamma function.", example=_ex("gammaln"))
unary("digamma", "m_digamma(x)", lambda g, x, y: g * F._polygamma(x, n=1), domain=(0.5, 3),
      doc="Derivative of the logarithm of the gamma function.", example=_ex("digamma"))
unary("_polygamma", "m_polygamma(P0, x)", lambda g, x, y, p: g * F._polygamma(x, n=p.n + 1),
      params={"n": integer(1, at_least=1)}, domain=(0.7, 3), doc="Derivative n of the digamma function.")
