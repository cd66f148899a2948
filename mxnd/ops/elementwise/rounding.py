"""Rounding: gradients are zero, as in MXNet."""
from ..declare import unary

for _name, _c, _numpy, _doc in (
        ("rint", "m_rint(x)", "np.ceil(x - 0.5)", "Each element rounded to a whole number; halves go down (-inf)."),
        ("round", "m_round(x)", "np.copysign(np.floor(np.abs(x) + 0.5), x)",
         "Each element rounded to a whole number; halves go away from zero."),
        ("ceil", "m_ceil(x)", "np.ceil(x)", "The least whole number not below each element."),
        ("floor", "m_floor(x)", "np.floor(x)", "The greatest whole number not above each element."),
        ("trunc", "m_trunc(x)", "np.trunc(x)", "Each element without its fraction."),
        ("fix", "m_trunc(x)", "np.trunc(x)", "Each element rounded to a whole number towards zero.")):
    unary(_name, _c, ints="x", sparse=True, keeps_zero=True, numpy=_numpy, doc=_doc,
          example=f"mx.nd.{_name}(mx.nd.array([1.5, -1.5]))")
