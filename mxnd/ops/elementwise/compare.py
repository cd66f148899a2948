"""Comparison and logic: 1 and 0 in the operands' dtype; gradients are zero."""
from ..declare import binary, unary

for _name, _title, _c, _doc in (
        ("equal", "Equal", "x == y", "1 where lhs == rhs, else 0."),
        ("not_equal", "NotEqual", "x != y", "1 where lhs != rhs, else 0."),
        ("greater", "Greater", "x > y", "1 where lhs > rhs, else 0."),
        ("greater_equal", "GreaterEqual", "x >= y", "1 where lhs >= rhs, else 0."),
        ("lesser", "Lesser", "x < y", "1 where lhs < rhs, else 0."),
        ("lesser_equal", "LesserEqual", "x <= y", "1 where lhs <= rhs, else 0."),
        ("logical_and", "LogicalAnd", "(x != 0) && (y != 0)", "1 where both elements are not zero, else 0."),
        ("logical_or", "LogicalOr", "(x != 0) || (y != 0)", "1 where either element is not zero, else 0."),
        ("logical_xor", "LogicalXor", "(x != 0) != (y != 0)", "1 where exactly one element is not zero, else 0.")):
    _words = "_".join(w.capitalize() for w in _name.split("_"))
    binary(_name, _c, ints=True, bools=True, names="broadcast_" + _name, same=f"_{_name} _{_words}",
           scalar=f"_{_name}_scalar _{_title}Scalar", numpy=f"({_c.replace('&&', '&').replace('||', '|')}).astype(x.dtype)",
           doc=_doc, example=f"mx.nd.broadcast_{_name}(mx.nd.ones((2, 1)), mx.nd.array([[1.0, 0.0]]))")

unary("logical_not", "x == 0", ints=True, bools=True, numpy="(x == 0).astype(x.dtype)",
      doc="1 where an element is zero, else 0.", example="mx.nd.logical_not(mx.nd.array([0.0, 2.0]))")
