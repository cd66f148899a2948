"""Arrays made from numbers, copies, casts, and where gradients begin and end."""
import math

from .declare import F, op
from .params import FILE_CODES, REQUIRED, dtype, flag, integer, number, shape, text
from .shapes import axis_of, given_type, presume, same, same_types, unify

_MADE = dict(ctx=text(""), dtype=dtype(nullable=True))


def _given_shape(p, ins, outs):
    """The shape parameter, where one is given."""
    s = p.shape or ()
    return ins, outs if outs[0] is not None and not s else [unify(outs[0], s)]


_CONSTANT = dict(inputs="", shapes=_given_shape, types=given_type("float32"), kernel="fill", zero_is_unknown=True)
_SHAPED = dict(shape=shape((), nullable=True, at_least=0), **_MADE)

op("_zeros", params=_SHAPED, arguments=lambda p, ins, outs: [0.0], samples=(dict(inputs=[], params=dict(shape=(2, 3))),),
   **_CONSTANT, numpy="np.zeros(p.shape)", doc="Zeros of the given shape and dtype.", example="mx.nd.zeros((2, 3))")
op("_ones", params=_SHAPED, arguments=lambda p, ins, outs: [1.0], samples=(dict(inputs=[], params=dict(shape=(2, 3))),),
   **_CONSTANT, numpy="np.ones(p.shape)", doc="Ones of the given shape and dtype.", example="mx.nd.ones((2, 3))")
op("_full", params=dict(_SHAPED, shape=shape(None, at_least=0), value=number()), aliases="_npi_full",
   arguments=lambda p, ins, outs: [float(p.value)], **_CONSTANT,
   samples=(dict(inputs=[], params=dict(shape=(2, 3), value=2.5)),), numpy="np.full(p.shape, p.value)",
   doc="One number everywhere, in the given shape and dtype.", example="mx.nd.full((2, 3), 2.5)")

_BY_CODE = {code: name for name, code in FILE_CODES.items()}

op("_zeros_without_dtype", params=dict(shape=shape(None, at_least=0), ctx=text(""), dtype=integer(-1)),
   **_CONSTANT | dict(types=lambda p, ins, outs: (ins, outs if p.dtype < 0 else [_BY_CODE.get(p.dtype)])), presumed=presume("float32"),
   arguments=lambda p, ins, outs: [0.0],
   samples=(dict(inputs=[], params=dict(shape=(2, 3))),),
   doc="Zeros of the given shape, of the dtype that their use asks for.",
   example="mx.nd._internal._zeros_without_dtype(shape=(2, 3))")


def _refused(why):
    def rule(p, ins, outs):
        raise ValueError(why)
    return rule


_NOWHERE = dict(inputs="", types=lambda p, ins, outs: (ins, [outs[0] or "float32"]), kernel="fill")

op("_set_value", params=dict(src=number()), shapes=_refused("needs an array to write to, out; expected _full in a graph"),
   doc="Sets all elements of `out` to a number.", example="mx.nd._internal._set_value(3.0, out=mx.nd.zeros((2, 3)))", **_NOWHERE)
op("_NoGradient", shapes=_refused("stands for a gradient that does not exist; it has no value and cannot run"),
   doc="Stands for a gradient that does not exist; files that hold it can be read, but it has no value.", **_NOWHERE)


# ---- sequences of numbers ---------------------------------------------------------------------------

def _span(p):
    return (0.0, p.start) if p.stop is None and not p.infer_range else (p.start, p.stop)


def _arange_shapes(p, ins, outs):
    if p.step == 0:
        raise ValueError("step is 0; expected a number to count by")
    start, stop = _span(p)
    if stop is None:
        return ins, [unify(outs[0], (None,))]
    steps = (stop - start) / p.step
    if not 0 <= steps < 2 ** 62:
        raise ValueError(f"cannot count from {start} to {stop} by {p.step}")
    return ins, [unify(outs[0], (math.ceil(steps) * p.repeat,))]


def _in_type(dtype, *values):
    """Whole numbers are counted in whole steps."""
    return [float(v) if dtype.startswith(("float", "bfloat")) else float(int(v)) for v in values]


op("_arange", inputs="", types=given_type("float32"), shapes=_arange_shapes, kernel="arange",
   params=dict(start=number(), stop=number(None), step=number(1.0), repeat=integer(1, at_least=1), infer_range=flag(), **_MADE),
   arguments=lambda p, ins, outs: [p.repeat, *_in_type(p.dtype or "float32", _span(p)[0], p.step)],
   samples=(dict(inputs=[], params=dict(start=1.0, stop=3.0, step=0.5, repeat=2)),),
   doc="Numbers from start up to stop (not included) by step, each of them repeated; one number alone is the stop.",
   example="mx.nd.arange(1, 3, step=0.5, repeat=2)")


def _step_of(p):
    return (p.stop - p.start) / max(p.num - bool(p.endpoint), 1)


op("_linspace", inputs="", aliases="_npi_linspace", types=given_type("float32"), kernel="linspace",
   params=dict(start=number(), stop=number(), num=integer(at_least=0), endpoint=flag(True), **_MADE),
   shapes=lambda p, ins, outs: (ins, [unify(outs[0], (p.num,))]),
   arguments=lambda p, ins, outs: [int(p.endpoint), float(p.start), float(p.stop), float(_step_of(p))],
   samples=(dict(inputs=[], params=dict(start=0.0, stop=1.0, num=5)),), numpy="np.linspace(p.start, p.stop, p.num, p.endpoint)",
   doc="num evenly spaced numbers from start to stop; without endpoint, stop is left out.", example="mx.nd.linspace(0, 1, 5)")

op("_eye", inputs="", types=given_type("float32"), kernel="eye",
   params=dict(N=integer(at_least=0), M=integer(0, at_least=0), k=integer(0), **_MADE),
   shapes=lambda p, ins, outs: (ins, [unify(outs[0], (p.N, p.M or p.N))]),
   arguments=lambda p, ins, outs: [p.N, p.M or p.N, p.k],
   samples=(dict(inputs=[], params=dict(N=3, M=4, k=1)),), numpy="np.eye(p.N, p.M or p.N, p.k)",
   doc="An N x M matrix (N x N without M) with ones on diagonal k and zeros elsewhere.", example="mx.nd.eye(2, 3, k=1)")


def _arange_like_shapes(p, ins, outs):
    if p.axis is None:
        return same(p, ins, outs)
    data = ins[0]
    if data is None:
        return ins, [unify(outs[0], (None,))]
    a = axis_of(p.axis, len(data))
    out = unify(outs[0], data[a:a + 1], "expected and worked-out output shapes")
    return [data[:a] + out + data[a + 1:]], [out]


op("_contrib_arange_like", inputs="data", aliases="_npx_arange_like", kernel="arange", shapes=_arange_like_shapes,
   params=dict(start=number(0.0), step=number(1.0), repeat=integer(1, at_least=1), ctx=text(""), axis=integer(None)),
   arguments=lambda p, ins, outs: [p.repeat, float(p.start), float(p.step)],
   samples=(dict(inputs=[(2, 3)], params=dict(start=1.0)), dict(inputs=[(2, 3)], params=dict(axis=1))),
   doc="Numbers from start by step, as many as the input has elements (in its shape), or as one of its axes has.",
   example="mx.nd.contrib.arange_like(mx.nd.ones((2, 3)))")

# ---- like another array -------------------------------------------------------------------------------
for _name, _value, _word in (("zeros_like", 0.0, "Zeros"), ("ones_like", 1.0, "Ones")):
    op(_name, inputs="data", aliases="_sparse_zeros_like" if _name == "zeros_like" else "", shapes=same, kernel="fill",
       arguments=lambda p, ins, outs, value=_value: [value], samples=(dict(inputs=[(2, 3)], params={}),),
       numpy=f"np.{_name}(data)",
       keeps_zero=_name == "zeros_like", doc=f"{_word} in the shape and dtype of the input.",
       example=f"mx.nd.{_name}(mx.nd.array([1, 2]))")

# ---- the same elements ---------------------------------------------------------------------------------
_ONE = (dict(inputs=[(2, 3)], params={}),)

op("_copy", inputs="data", aliases="identity", shapes=same, kernel="copy", grad=lambda p, g, x, y: [g[0]], keeps_zero=True,
   samples=_ONE,
   numpy="data.copy()", doc="A copy of the input.", example="mx.nd.identity(mx.nd.array([1, 2]))")

for _name, _aliases, _doc in (("_copyto", "_npi_copyto", "A copy of the input; `mx.nd._internal._copyto(data, out=y)` writes it to y."),
                              ("_CrossDeviceCopy", "", "A copy of the input on the device of what reads it: here the same one.")):
    op(_name, inputs="data", aliases=_aliases, shapes=same, kernel="copy", grad=lambda p, g, x, y: [g[0]], keeps_zero=True,
       samples=_ONE, numpy="data.copy()", doc=_doc, example=f"mx.nd._internal.{_name}(mx.nd.array([1, 2]))")

op("BlockGrad", inputs="data", aliases="stop_gradient _sparse_stop_gradient", shapes=same, kernel="copy", keeps_zero=True,
   samples=_ONE, numpy="data.copy()", doc="A copy of the input through which no gradient flows.",
   example="mx.nd.BlockGrad(mx.nd.array([1, 2]))")

op("_identity_with_attr_like_rhs", inputs="lhs rhs", kernel="copy", grad=lambda p, g, x, y: [g[0], None],
   shapes=same, types=same_types, samples=(dict(inputs=[(2, 3), (2, 3)], params={}),), numpy="lhs.copy()",
   doc="A copy of lhs; rhs only tells shape and dtype.",
   example="mx.nd._internal._identity_with_attr_like_rhs(mx.nd.array([1, 2]), mx.nd.zeros((2,)))")

# ---- casts ------------------------------------------------------------------------------------------------


def _cast_grad(p, g, x, y):
    return [lambda: F._cast_like(g[0], x[0])]


op("Cast", inputs="data", aliases="cast _npi_cast _npx_cast", params=dict(dtype=dtype(REQUIRED)), shapes=same, types=given_type(),
   kernel="cast", grad=_cast_grad, keeps_zero=True, samples=(dict(inputs=[(2, 3)], params=dict(dtype="float64")),),
   doc="The elements in another dtype; numbers become whole by truncation.",
   example="mx.nd.cast(mx.nd.array([1.7, -1.7]), dtype='int32')")


def _is_real(t):
    return t is not None and "float" in t


def _amp_types(p, ins, outs):
    return ins, [p.dtype if ins[0] is None or _is_real(ins[0]) else ins[0]]


op("amp_cast", inputs="data", params=dict(dtype=dtype(REQUIRED)), shapes=same, types=_amp_types, kernel="cast", grad=_cast_grad,
   keeps_zero=True, amp_cast=True, samples=(dict(inputs=[(2, 3)], params=dict(dtype="float64")),),
   doc="Cast of real numbers; arrays of whole numbers stay what they are.",
   example="mx.nd.amp_cast(mx.nd.array([1, 2]), dtype='float16')")


def _cast_like_types(p, ins, outs):
    t = ins[1] or outs[0]
    return [ins[0], t], [t]


op("_cast_like", inputs="data like", types=_cast_like_types, kernel="cast",
   shapes=lambda p, ins, outs: ([unify(ins[0], outs[0]), ins[1]], [unify(ins[0], outs[0])]),
   grad=lambda p, g, x, y: [lambda: F._cast_like(g[0], x[0]), None], samples=(dict(inputs=[(2, 3), (2,)], params={}),),
   doc="data in the dtype of the second input.",
   example="mx.nd._internal._cast_like(mx.nd.array([1, 2]), mx.nd.zeros((1,), dtype='float64'))")
