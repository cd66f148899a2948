"""Elementwise arithmetic of two arrays, or of an array and a number."""
from math import log

from ..declare import F, binary, op
from ..params import integer
from ..shapes import same

_PAIR = "mx.nd.{}(mx.nd.ones((2, 1)), mx.nd.array([[1.0, 3.0]]))"


def _ones_where_zero(v):
    """1 where v is 0, else 0."""
    return float(v == 0) if isinstance(v, (int, float)) else F._equal_scalar(v, scalar=0.0)


def _power_x(g, x, y, out):
    """y * x ** (y - 1), and 0 where y is 0 even at x = 0."""
    return g * (y * x ** (y - 1 + _ones_where_zero(y)))


def _power_y(g, x, y, out):
    """x ** y * log(x), and 0 at x = 0."""
    if isinstance(x, (int, float)):
        return g * out * (log(x) if x > 0 else 0.0 if x == 0 else float("nan"))
    return g * (out * F.log(x + _ones_where_zero(x)))


binary("add", "x + y", (lambda g, x, y, out: g, lambda g, x, y, out: g), ints=True,
       names="broadcast_add broadcast_plus _sparse_broadcast_add _sparse_broadcast_plus",
       same="elemwise_add _plus _add _Plus _sparse_elemwise_add", scalar="_plus_scalar _PlusScalar",
       numpy="x + y", doc="lhs + rhs for each element.", example=_PAIR.format("broadcast_add"))
binary("grad_add", "x + y", (lambda g, x, y, out: g, lambda g, x, y, out: g), ints=True,
       same="_grad_add", numpy="x + y", doc="lhs + rhs, as gradients are summed.")
binary("sub", "x - y", (lambda g, x, y, out: g, lambda g, x, y, out: g * -1), ints=True,
       names="broadcast_sub broadcast_minus _sparse_broadcast_sub _sparse_broadcast_minus",
       same="elemwise_sub _minus _sub _Minus _sparse_elemwise_sub", scalar="_minus_scalar _MinusScalar",
       rscalar="_rminus_scalar _RMinusScalar", numpy="x - y", doc="lhs - rhs for each element.",
       example=_PAIR.format("broadcast_sub"))
binary("mul", "x * y", (lambda g, x, y, out: g * y, lambda g, x, y, out: g * x), ints=True,
       names="broadcast_mul _sparse_broadcast_mul", same="elemwise_mul _mul _Mul _sparse_elemwise_mul",
       scalar="_mul_scalar _MulScalar", keeps_zero_scalar=True, numpy="x * y", doc="lhs * rhs for each element.",
       example=_PAIR.format("broadcast_mul"))
binary("div", "x / y", (lambda g, x, y, out: g / y, lambda g, x, y, out: g * out / y * -1), ints="m_idiv(x, y)",
       names="broadcast_div _sparse_broadcast_div", same="elemwise_div _div _Div _sparse_elemwise_div",
       scalar="_div_scalar _DivScalar", rscalar="_rdiv_scalar _RDivScalar", keeps_zero_scalar=True, refuses_zero=True,
       domain_y=(0.5, 2.5), numpy="x / y",
       doc="lhs / rhs for each element; whole numbers are truncated towards zero, and dividing them by zero raises.",
       example=_PAIR.format("broadcast_div"))
binary("mod", "m_mod(x, y)", (lambda g, x, y, out: g, lambda g, x, y, out: g * F.floor(x / y) * -1), ints="m_imod(x, y)",
       names="broadcast_mod", same="_mod _Mod", scalar="_mod_scalar _ModScalar", rscalar="_rmod_scalar _RModScalar",
       domain=(0.1, 0.9), domain_y=(1.1, 1.9), numpy="np.mod(x, y)",
       doc="The remainder of lhs / rhs with the sign of rhs; 0 where rhs is 0.", example=_PAIR.format("broadcast_mod"))
binary("power", "m_pow(x, y)", (_power_x, _power_y), ints="m_ipow(x, y)",
       names="broadcast_power", same="_power _Power", scalar="_power_scalar _PowerScalar",
       rscalar="_rpower_scalar _RPowerScalar", domain=(0.3, 2.0), domain_y=(0.5, 2.5), numpy="np.power(x, y)",
       doc="lhs to the power of rhs for each element.", example=_PAIR.format("broadcast_power"))
binary("maximum", "x > y || x != x ? x : y",
       (lambda g, x, y, out: g * (x >= y), lambda g, x, y, out: g * (x < y)), ints=True,
       names="broadcast_maximum _npi_maximum", same="_maximum _Maximum",
       scalar="_maximum_scalar _MaximumScalar _npi_maximum_scalar", domain_y=(2.5, 3.5), numpy="np.maximum(x, y)",
       doc="The larger of both elements; NaN if either is.", example=_PAIR.format("broadcast_maximum"))
binary("minimum", "x < y || x != x ? x : y",
       (lambda g, x, y, out: g * (x <= y), lambda g, x, y, out: g * (x > y)), ints=True,
       names="broadcast_minimum _npi_minimum", same="_minimum _Minimum",
       scalar="_minimum_scalar _MinimumScalar _npi_minimum_scalar", domain_y=(2.5, 3.5), numpy="np.minimum(x, y)",
       doc="The smaller of both elements; NaN if either is.", example=_PAIR.format("broadcast_minimum"))
binary("hypot", "m_hypot(x, y)", (lambda g, x, y, out: g * (x / out), lambda g, x, y, out: g * (y / out)),
       names="broadcast_hypot", same="_hypot _Hypot", scalar="_hypot_scalar _HypotScalar _npi_hypot_scalar",
       domain_y=(0.5, 2.5), numpy="np.hypot(x, y)", doc="sqrt(lhs ** 2 + rhs ** 2) for each element.",
       example=_PAIR.format("broadcast_hypot"))


def _sum_of(p, *args):
    """((a + b) + c) + ..., left to right."""
    total = args[0] if len(args) > 1 else F._copy(args[0])
    for x in args[1:]:
        total = F.elemwise_add(total, x)
    return total


op("add_n", inputs="args", params={"num_args": integer(at_least=1)}, variadic="num_args", shapes=same, compose=_sum_of,
   aliases="ElementWiseSum _sparse_ElementWiseSum _sparse_add_n",
   doc="The sum of all inputs, which have one shape and dtype.", example="mx.nd.add_n(mx.nd.ones((2,)), mx.nd.ones((2,)))")
