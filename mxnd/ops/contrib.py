"""Small operators of mx.nd.contrib: gradients by convention, comparisons of whole arrays, rows chosen by a mask."""
from .declare import REGISTRY, F, op, unary
from .params import dtype, dtype_name, flag, integer, number
from .shapes import axis_of, known, presume, same, show, unify

# ---- gradients by convention ---------------------------------------------------------------------------

unary("_contrib_round_ste", "m_round(x)", lambda g, x, y: g, ints="x", sparse=True, keeps_zero=True,
      numpy="np.copysign(np.floor(np.abs(x) + 0.5), x)",
      doc="Each element rounded to a whole number, halves away from zero; the gradient passes as if nothing was rounded.",
      example="mx.nd.contrib.round_ste(mx.nd.array([1.5, -0.2]))")
unary("_contrib_sign_ste", "(x > 0) - (x < 0)", lambda g, x, y: g, ints=True, sparse=True, keeps_zero=True, numpy="np.sign(x)",
      doc="-1, 0 or 1, the sign of each element; the gradient passes as if it was the element itself.",
      example="mx.nd.contrib.sign_ste(mx.nd.array([1.5, -0.2]))")

op("_contrib_gradientmultiplier", inputs="data", params=dict(scalar=number(1.0), is_int=flag(True)), shapes=same, kernel="copy",
   grad=lambda p, g, x, y: [g[0] * p.scalar], keeps_zero=True, samples=(dict(inputs=[(2, 3)], params=dict(scalar=-0.5)),),
   numpy="data.copy()",
   doc="A copy of the input; its gradient is multiplied by `scalar`.",
   example="mx.nd.contrib.gradientmultiplier(mx.nd.array([1, 2]), scalar=0.5)")

# ---- formulas ------------------------------------------------------------------------------------------


def in_floats(formula):
    """A formula with fractions, for arrays of any dtype: whole numbers go through float64 and are cut off at the end."""
    def compose(p, x):
        name = dtype_name(x.dtype)
        return formula(p, x) if "float" in name else F.Cast(formula(p, F.Cast(x, dtype="float64")), dtype=name)
    return compose


op("_contrib_quadratic", inputs="data", params=dict(a=number(0.0), b=number(0.0), c=number(0.0)), shapes=same,
   compose=in_floats(lambda p, x: x * x * p.a + x * p.b + p.c), numpy="p.a * data ** 2 + p.b * data + p.c",
   samples=(dict(inputs=[(2, 3)], params=dict(a=1.5, b=-2.0, c=3.0)),),
   doc="a * x ** 2 + b * x + c for each element x.",
   example="mx.nd.contrib.quadratic(mx.nd.array([1, 2]), a=1.0, b=2.0, c=3.0)")


def _with_last_axis(p, ins, outs):
    if ins[0] == ():
        raise ValueError("the input has no dimensions; expected at least 1")
    return same(p, ins, outs)


op("_contrib_div_sqrt_dim", inputs="data", shapes=_with_last_axis, compose=in_floats(lambda p, x: x / (x.shape[-1] ** 0.5 or 1.0)),
   samples=(dict(inputs=[(2, 5)], params={}),),
   numpy="data / np.sqrt(data.shape[-1])",
   doc="The input divided by the square root of the length of its last axis, as attention scales its products.",
   example="mx.nd.contrib.div_sqrt_dim(mx.nd.ones((2, 4)))")

# ---- all elements together -------------------------------------------------------------------------------


def _allclose_shapes(p, ins, outs):
    s = unify(*ins, "shapes of a and b")
    return [s, s], [unify(outs[0], ())]


op("_contrib_allclose", inputs="a b", params=dict(rtol=number(1e-5), atol=number(1e-8), equal_nan=flag(True)),
   shapes=_allclose_shapes, types=lambda p, ins, outs: (ins, ["uint8"]), kernel="allclose",
   arguments=lambda p, ins, outs: [int(p.equal_nan), p.rtol, p.atol],
   samples=(dict(inputs=[(2, 3), (2, 3)], params={}), dict(inputs=[[1.0, 2.0], [1.0, 2.1]], params=dict(rtol=0.1))),
   numpy="np.allclose(a, b, p.rtol, p.atol, p.equal_nan)",
   doc="1 if |a - b| <= atol + rtol * |b| for all elements, else 0, as uint8 of shape ().  Equal infinities are close; "
       "two nans are with equal_nan.",
   example="mx.nd.contrib.allclose(mx.nd.array([1, 2]), mx.nd.array([1, 2.1]), rtol=0.1)")

# ---- what a mask leaves ------------------------------------------------------------------------------------

op("_mask_places", inputs="index", params=dict(count=integer(at_least=0)), kernel="mask_places",
   shapes=lambda p, ins, outs: (ins, [unify(outs[0], (p.count,))]), types=lambda p, ins, outs: (ins, ["int64"]),
   samples=(dict(inputs=[[1, 0, 2]], params=dict(count=2)),),
   doc="The places, as int64, of the elements that are not zero; `count` says how many there are.",
   example="mx.nd._internal._mask_places(mx.nd.array([1, 0, 1]), count=2)")


def _masked_shapes(p, ins, outs):
    data, index = ins
    if index is not None and len(index) != 1:
        raise ValueError(f"index has shape {show(index)}; expected one axis")
    if data is None:
        return ins, outs
    a = axis_of(p.axis, len(data))
    if index is not None:
        n = unify(index, data[a:a + 1], f"length of index and of axis {p.axis} of data")
        data, index = data[:a] + n + data[a + 1:], n
    return [data, index], [unify(outs[0], data[:a] + (None,) + data[a + 1:])]


def _masked(p, data, index):
    count = F.sum(F.Cast(F._not_equal_scalar(index, scalar=0.0), dtype="int64")).asscalar() if index.shape[0] else 0
    return F.take(data, F._mask_places(index, count=int(count)), axis=p.axis)


op("_contrib_boolean_mask", inputs="data index", aliases="_npi_boolean_mask", params=dict(axis=integer(0)), shapes=_masked_shapes,
   types=lambda p, ins, outs: ([ins[0] or outs[0], ins[1]], [ins[0] or outs[0]]), compose=_masked, shape_from_data=True,
   samples=(dict(inputs=[(3, 2), [1, 0, 1]], params={}), dict(inputs=[(2, 3), [0, 2, 1]], params=dict(axis=1))),
   numpy="np.compress(index != 0, data, p.axis)",
   doc="The parts of data along one axis where index is not zero.  The length of that axis depends on the values, so graphs know "
       "it only when they run.",
   example="mx.nd.contrib.boolean_mask(mx.nd.array([[1, 2], [3, 4], [5, 6]]), mx.nd.array([1, 0, 1]))")

# ---- embedding under an older name ---------------------------------------------------------------------------

op("_contrib_SparseEmbedding", inputs="data weight",
   params=dict(input_dim=integer(at_least=1), output_dim=integer(at_least=1),
               dtype=dtype("float32", "float16", "float32", "float64", "int32", "uint8"), deterministic=flag()),
   shapes=REGISTRY["Embedding"].shapes, types=REGISTRY["Embedding"].types,
   compose=lambda p, x, w: F.Embedding(x, w, input_dim=p.input_dim, output_dim=p.output_dim, dtype=p.dtype, sparse_grad=True),
   samples=(dict(inputs=[[0, 2], [[1, 2], [3, 4], [5, 6]]], params=dict(input_dim=3, output_dim=2)),),
   doc="Embedding whose weight has a row_sparse gradient; use Embedding with sparse_grad.",
   example="mx.nd.contrib.SparseEmbedding(mx.nd.array([1, 0]), mx.nd.array([[1, 2], [3, 4]]), input_dim=2, output_dim=2)")

# ---- casts of several arrays ---------------------------------------------------------------------------------

_NARROW, _WIDE = "float16", "float32"


def _multicast_target(p, types):
    """The dtype that float16 and float32 become; None while that is not known."""
    first, second = (_NARROW, _WIDE) if p.cast_narrow else (_WIDE, _NARROW)
    if first in types:
        return first
    return None if None in types else second if second in types else _WIDE


def _multicast_types(p, ins, outs):
    to = _multicast_target(p, ins)
    return ins, [o if t is None else to or o if t in (_NARROW, _WIDE) else t for t, o in zip(ins, outs, strict=True)]


def _multicast_shapes(p, ins, outs):
    if len(ins) != p.num_outputs:
        raise ValueError(f"wrong number of inputs; expected num_outputs = {p.num_outputs}, got {len(ins)}")
    both = [unify(a, b) for a, b in zip(ins, outs, strict=True)]
    return both, list(both)


def _multicast(p, *x):
    names = [v.dtype if isinstance(v.dtype, str) else v.dtype.__name__ for v in x]
    to = _multicast_target(p, names)
    return [F.Cast(v, dtype=to) if t in (_NARROW, _WIDE) else F._copy(v) for v, t in zip(x, names)]


op("amp_multicast", inputs="data", variadic="num_outputs", params=dict(num_outputs=integer(at_least=1), cast_narrow=flag()),
   outputs=lambda p: tuple(f"output{k}" for k in range(p.num_outputs)) if p.num_outputs > 1 else ("output",),
   shapes=_multicast_shapes, types=_multicast_types, compose=_multicast, amp_cast=True,
   samples=(dict(inputs=[(2, 3), (2,)], params=dict(num_outputs=2)),),
   doc="Several arrays in one dtype: float16 and float32 become float32 if any of them is (with cast_narrow: float16 if any of them "
       "is); other dtypes stay.",
   example="mx.nd.amp_multicast(mx.nd.ones((2,)), mx.nd.ones((2,), dtype='float16'), num_outputs=2)")


# ---- named in older files ------------------------------------------------------------------------------------

def _encoded_shapes(p, ins, outs):
    s = unify(ins[1], outs[0])
    if s is not None and len(s) != 2:
        raise ValueError(f"rhs has shape {show(s)}; expected two axes, indices and classes")
    if s is not None and known(ins[0]):
        s = unify(s, (*ins[0], None), "shape of rhs and (indices, classes)")
    return [ins[0] if s is None else unify(ins[0], s[:1]), s], [s]


op("_onehot_encode", inputs="lhs rhs", shapes=_encoded_shapes, types=lambda p, ins, outs: ([ins[0], ins[1] or outs[0]],
                                                                                      [ins[1] or outs[0]]),
   presumed=presume(), kernel="one_hot", arguments=lambda p, ins, outs: [outs[0][1], 1.0, 0.0], auto_variables=False,
   samples=(dict(inputs=[[0, 2], (2, 3)], params={}),),
   doc="A row of zeros with a one at the index, for each index in lhs; rhs only tells shape and dtype.",
   example="mx.nd._internal._onehot_encode(mx.nd.array([1, 0]), mx.nd.zeros((2, 3)))")
