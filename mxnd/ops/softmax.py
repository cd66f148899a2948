"""Softmax and its kin."""
from .declare import F, op
from .params import choice, flag, integer, number
from .reduce import split_axis
from .shapes import axis_of, known, show, size, unify

_FLOATS = ("float16", "float32", "float64", "bfloat16")


def _check_float(t):
    if t is not None and t not in _FLOATS:
        raise ValueError(f"dtype {t} is not supported; expected one of {', '.join(_FLOATS)}")


# ---- first derivatives: kernels of their own, linear in the head gradient -----------------------------

def _geometry(p, dims):
    return split_axis(p.axis, dims)


def _backward_shapes(p, ins, outs):
    s = unify(unify(ins[0], ins[1]), outs[0])
    return [s, s], [s]


_BACKWARD = dict(inputs="grad result", params=dict(axis=integer(-1), scale=number(1.0)), shapes=_backward_shapes,
                 kernel="softmax_backward", samples=(
                     dict(inputs=[(2, 3), (2, 3)], params={}),
                     dict(inputs=[(2, 3, 2), (2, 3, 2)], params=dict(axis=1, scale=0.5))))


def _softmax_backward_grad(p, g, x, y):
    head, result = x

    def of_result():
        a = F.sum(head * result, axis=(p.axis,), keepdims=True)
        b = F.sum(g[0] * result, axis=(p.axis,), keepdims=True)
        return (g[0] * (head - a) - head * b) * p.scale
    return [lambda: F._backward_softmax(g[0], result, axis=p.axis, scale=p.scale), of_result]


def _log_softmax_backward_grad(p, g, x, y):
    head, result = x

    def weighted():
        return g[0] * F.exp(result)
    return [lambda: (g[0] - F.sum(weighted(), axis=(p.axis,), keepdims=True)) * p.scale,
            lambda: weighted() * F.sum(head, axis=(p.axis,), keepdims=True) * -p.scale]


op("_backward_softmax", grad=_softmax_backward_grad, arguments=lambda p, ins, outs: [*_geometry(p, ins[0]), 0, float(p.scale)],
   numpy="p.scale * (grad - np.sum(grad * result, axis=p.axis, keepdims=True)) * result", **_BACKWARD,
   doc="Gradient of softmax from the head gradient and the result.",
   example="mx.nd._internal._backward_softmax(mx.nd.array([1, 0]), mx.nd.array([0.25, 0.75]))")
op("_backward_log_softmax", grad=_log_softmax_backward_grad,
   arguments=lambda p, ins, outs: [*_geometry(p, ins[0]), 1, float(p.scale)],
   numpy="p.scale * (grad - np.exp(result) * np.sum(grad, axis=p.axis, keepdims=True))", **_BACKWARD,
   doc="Gradient of log_softmax from the head gradient and the result.",
   example="mx.nd._internal._backward_log_softmax(mx.nd.array([1, 0]), mx.nd.array([-0.7, -0.7]))")


# ---- the operators ---------------------------------------------------------------------------------

def _shapes(p, ins, outs):
    s = unify(ins[0], outs[0])
    if s is not None:
        a = axis_of(p.axis, max(1, len(s)))
        if len(ins) > 1:
            want = s[:a] + s[a + 1:] or (1,)
            if ins[1] is not None and len(ins[1]) != len(want):
                raise ValueError(f"length has a wrong shape; expected {show(want)}, got {show(ins[1])}")
            ins = [s, unify(ins[1], want, "the shape of length and the data's without the axis")]
    return [s, *ins[1:]], [s]


def _as_result(p, ins, outs):
    """Where dtype tells the result's, data is presumed to have it too."""
    return [ins[0] or outs[0], *ins[1:]], outs


def _types(p, ins, outs):
    t = ins[0] or (outs[0] if p.dtype is None else None)
    _check_float(t)
    if len(ins) > 1 and ins[1] is not None and ins[1] not in ("int32", "int64", "int8", "uint8"):
        raise ValueError(f"length has dtype {ins[1]}; expected a whole-number dtype")
    return [t, *ins[1:]], [p.dtype or t]


def _scale(p):
    t = 1.0 if p.temperature is None else p.temperature
    return 1.0 / t if t else float("inf")


def _declare(name, sign, log, takes_length, **kw):
    def arguments(p, ins, outs):
        if p.use_length and not takes_length:
            raise ValueError("use_length is not supported; expected False (softmax takes lengths)")
        return [*_geometry(p, ins[0]), int(log), sign * _scale(p)]

    def grad(p, g, x, y):
        def of_data():
            backward = F._backward_log_softmax if log else F._backward_softmax
            out = backward(g[0], y[0], axis=p.axis, scale=sign * _scale(p))
            return out if p.dtype is None else F._cast_like(out, x[0])
        return [of_data] + [None] * (len(x) - 1)
    op(name, inputs="data length" if takes_length else "data",
       takes=(lambda p: "data length" if p.use_length else "data") if takes_length else None,
       params=dict(axis=integer(-1), temperature=number(None), dtype=choice(None, "float16", "float32", "float64"),
                   use_length=flag(False, nullable=True)),
       shapes=_shapes, types=_types, presumed=_as_result, kernel="softmax", arguments=arguments, grad=grad,
       samples=(dict(inputs=[(2, 3)], params={}), dict(inputs=[(2, 3, 2)], params=dict(axis=1, temperature=2.0))), **kw)


_EXP = "np.exp({0} - np.max({0}, axis=p.axis, keepdims=True))"
_DATA = "(data / (p.temperature or 1.0))"
_OF = _EXP.format(_DATA)
_declare("softmax", 1.0, False, True, aliases="_npx_softmax", numpy=f"{_OF} / np.sum({_OF}, axis=p.axis, keepdims=True)",
         doc="exp(data / temperature), scaled to the sum 1 along an axis.  With use_length, length says for each row how many "
             "elements count; the others give 0.  The result has the dtype given, or that of the data.",
         example="mx.nd.softmax(mx.nd.array([[1, 2, 3]]))")
_declare("log_softmax", 1.0, True, False, aliases="_npx_log_softmax",
         numpy=f"{_DATA} - np.max({_DATA}, axis=p.axis, keepdims=True) - np.log(np.sum({_OF}, axis=p.axis, keepdims=True))",
         doc="Logarithm of softmax, worked out without loss for far apart elements.",
         example="mx.nd.log_softmax(mx.nd.array([[1, 2, 3]]))")
_MINUS = _EXP.format("(-data / (p.temperature or 1.0))")
_declare("softmin", -1.0, False, False, numpy=f"{_MINUS} / np.sum({_MINUS}, axis=p.axis, keepdims=True)",
         doc="softmax of the negated data.", example="mx.nd.softmin(mx.nd.array([[1, 2, 3]]))")


# ---- SoftmaxActivation -----------------------------------------------------------------------------

def _activation_view(p, dims):
    """outer, n, inner: everything but axis 0 at once, or axis 1."""
    if p.mode == "channel":
        if len(dims) < 2:
            raise ValueError(f"too few dimensions for mode 'channel'; expected at least 2, got {len(dims)}")
        return split_axis(1, dims)
    return [1, size(dims), 1] if len(dims) < 2 else [dims[0], size(dims[1:]), 1]


def _activation_shapes(p, ins, outs):
    s = unify(ins[0], outs[0])
    if known(s):
        _activation_view(p, s)
    return [s], [s]


def _activation_types(p, ins, outs):
    t = ins[0] or outs[0]
    _check_float(t)
    return [t], [t]


def _activation_grad(p, g, x, y):
    def of_data():
        dims = x[0].shape
        if p.mode == "channel" or len(dims) < 3:
            return F._backward_softmax(g[0], y[0], axis=1 if p.mode == "channel" else -1)
        rows = (dims[0], size(dims[1:]))
        return F._reshape_to(F._backward_softmax(F._reshape_to(g[0], shape=rows), F._reshape_to(y[0], shape=rows)), shape=dims)
    return [of_data]


op("SoftmaxActivation", params=dict(mode=choice("instance", "channel", "instance")), shapes=_activation_shapes,
   types=_activation_types, kernel="softmax", grad=_activation_grad,
   arguments=lambda p, ins, outs: [*_activation_view(p, ins[0]), 0, 1.0],
   samples=(dict(inputs=[(2, 3)], params={}), dict(inputs=[(2, 3, 2)], params=dict(mode="channel")),
            dict(inputs=[(2, 3, 2)], params={})),
   doc="Softmax of each instance (over all axes but the first) or over channels (axis 1).",
   example="mx.nd.SoftmaxActivation(mx.nd.array([[1, 2, 3]]))")
