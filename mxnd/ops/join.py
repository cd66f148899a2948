"""Several arrays as one, and one as several."""
from .declare import F, op
from .params import flag, integer, shape
from .shapes import axis_of, plus, show, size, times, unify


def _num_args():
    return integer(at_least=1)


# ---- Concat ----------------------------------------------------------------------------------------

def _concat_shapes(p, ins, outs):
    """All axes agree but the joined one, whose lengths add up; one unknown length follows from the rest."""
    if not ins:
        raise ValueError("got no inputs; expected at least one")
    ndim = next((len(s) for s in (*ins, *outs) if s is not None), None)
    if ndim is None:
        return ins, outs
    a = axis_of(p.dim, ndim, "dim")
    common = None
    for s in (*ins, *outs):
        if s is not None:
            if len(s) != ndim:
                raise ValueError("inputs have different numbers of axes: "
                                 + ", ".join(show(s) for s in ins))
            common = unify(common, s[:a] + (None,) + s[a + 1:], f"shapes beside axis {a}")
    lengths = [None if s is None else s[a] for s in ins]
    total = outs[0][a] if outs[0] is not None else None
    if None not in lengths:
        total = unify((total,), (sum(lengths),), "the joined lengths and the output's")[0]
    elif total is not None and lengths.count(None) == 1:
        rest = total - sum(n for n in lengths if n is not None)
        if rest < 0:
            raise ValueError(f"the joined lengths exceed the output's {total}")
        lengths[lengths.index(None)] = rest

    def full(n):
        return common[:a] + (n,) + common[a + 1:]
    return [full(n) for n in lengths], [full(total)]


def _concat_grad(p, g, x, y):
    a = axis_of(p.dim, len(y[0].shape) if y[0] is not None else len(x[0].shape))
    out, at = [], 0
    for v in x:
        begin, end = at, at + v.shape[a]
        at = end
        out.append(lambda begin=begin, end=end, v=v: F.slice(
            g[0], begin=(None,) * a + (begin,), end=(None,) * a + (end,)) if begin != end else F.zeros_like(v))
    return out


def _concat_arguments(p, ins, outs):
    return [size(outs[0][:axis_of(p.dim, len(outs[0]))])]


op("Concat", inputs="data", aliases="concat _sparse_concat", variadic="num_args",
   params=dict(num_args=_num_args(), dim=integer(1)),
   shapes=_concat_shapes, kernel="concat", arguments=_concat_arguments, grad=_concat_grad, kept=True,
   samples=(dict(inputs=[(2, 3), (2, 1), (2, 2)], params={}), dict(inputs=[(2, 3), (1, 3)], params=dict(dim=-2))),
   doc="Joins arrays along the axis dim; all other axes have equal lengths.",
   example="mx.nd.concat(mx.nd.ones((2, 3)), mx.nd.zeros((2, 1)), dim=1)")

op("_rnn_param_concat", inputs="data", aliases="_npi_rnn_param_concat", variadic="num_args",
   params=dict(num_args=_num_args(), dim=integer(1)), shapes=_concat_shapes, kernel="concat",
   arguments=_concat_arguments, grad=_concat_grad,
   samples=(dict(inputs=[(3,), (2,)], params=dict(dim=0)),),
   doc="Concat, for the parameters of a recurrent layer.",
   example="mx.nd._internal._rnn_param_concat(mx.nd.ones((3,)), mx.nd.zeros((2,)), dim=0)")


# ---- stack -------------------------------------------------------------------------------------------

def _stack_shapes(p, ins, outs):
    one, n = None, len(ins)
    if not ins:
        raise ValueError("got no inputs; expected at least one")
    for s in ins:
        one = unify(one, s, "shapes of the inputs")
    if outs[0] is not None:
        a = axis_of(p.axis, len(outs[0]))
        one = unify(one, outs[0][:a] + outs[0][a + 1:])
    if one is None:
        return ins, outs
    a = axis_of(p.axis, len(one) + 1)
    return [one] * n, [unify(outs[0], one[:a] + (n,) + one[a:])]


def _stack_grad(p, g, x, y):
    a, n = axis_of(p.axis, len(x[0].shape) + 1), len(x)
    return [lambda i=i: F._reshape_to(F.slice_axis(g[0], axis=a, begin=i, end=i + 1), shape=x[i].shape) for i in range(n)]


op("stack", inputs="data", variadic="num_args", params=dict(axis=integer(0), num_args=_num_args()), shapes=_stack_shapes,
   kernel="concat", arguments=lambda p, ins, outs: [size(outs[0][:axis_of(p.axis, len(outs[0]))])], grad=_stack_grad,
   samples=(dict(inputs=[(2, 3), (2, 3)], params={}), dict(inputs=[(2, 3), (2, 3), (2, 3)], params=dict(axis=-1))),
   doc="Joins arrays of one shape along a new axis.", example="mx.nd.stack(mx.nd.array([1, 2]), mx.nd.array([3, 4]), axis=1)")


# ---- split ---------------------------------------------------------------------------------------------

def _parts_shapes(s, a, bounds, squeeze):
    out = []
    for b, e in zip(bounds, bounds[1:]):
        n = None if b is None or e is None else e - b
        if squeeze and n not in (1, None):
            raise ValueError(f"squeeze_axis: axis {a} of a part has length {n}; expected 1")
        out.append(s[:a] + (() if squeeze else (n,)) + s[a + 1:])
    return out


def _equal_bounds(p, s):
    a = axis_of(p.axis, len(s))
    n = s[a]
    if n is not None and n % p.num_outputs:
        raise ValueError(f"axis {a} of shape {show(s)} does not divide into {p.num_outputs} equal parts; expected a multiple")
    return [None] * (p.num_outputs + 1) if n is None else [n // p.num_outputs * i for i in range(p.num_outputs + 1)]


def _split_shapes(p, ins, outs):
    part = None
    for out in outs:
        part = unify(part, out, "shapes of the parts")
    if part is None and ins[0] is None:
        return ins, outs
    n = len(ins[0]) if ins[0] is not None else len(part) + p.squeeze_axis
    a = axis_of(p.axis, n)
    if part is not None:                                 # equal parts tell the whole
        each = 1 if p.squeeze_axis else part[a]
        whole = part[:a] + (times(each, p.num_outputs),) + part[a + (not p.squeeze_axis):]
    s = unify(ins[0], whole if part is not None else None, "shapes of the data and of the joined parts")
    return [s], _parts_shapes(s, a, _equal_bounds(p, s), p.squeeze_axis)


def _join_parts(p, g, x, y, bounds):
    """Gradient of a split: the parts side by side again."""
    def join():
        s = x[0].shape
        a = axis_of(p.axis, len(s))
        parts = []
        for i, (b, e) in enumerate(zip(bounds, bounds[1:])):
            part = g[i] if g[i] is not None else F.zeros_like(y[i])
            parts.append(F._reshape_to(part, shape=s[:a] + (e - b,) + s[a + 1:]) if p.squeeze_axis else part)
        whole = F.Concat(*parts, num_args=len(parts), dim=a)
        return whole if not bounds[0] else F._backward_slice(
            whole, begin=tuple(bounds[0] if i == a else 0 for i in range(len(s))), step=(1,) * len(s), shape=s)
    return [join]


def _split_arguments(axis, s, bounds):
    a = axis_of(axis, len(s))
    inner = size(s[a + 1:])
    return [size(s[:a]), *[b * inner for b in bounds]]


def _outputs(n):
    return ("output",) if n == 1 else tuple(f"output{i}" for i in range(n))


op("SliceChannel", inputs="data", aliases="split", outputs=lambda p: tuple(f"output{i}" for i in range(p.num_outputs)),
   shapes=_split_shapes, kernel="split",
   params=dict(num_outputs=integer(at_least=1, at_most=65536), axis=integer(1), squeeze_axis=flag()),
   arguments=lambda p, ins, outs: _split_arguments(p.axis, ins[0], _equal_bounds(p, ins[0])),
   grad=lambda p, g, x, y: _join_parts(p, g, x, y, _equal_bounds(p, x[0].shape)),
   samples=(dict(inputs=[(2, 4)], params=dict(num_outputs=2)),
            dict(inputs=[(3, 2)], params=dict(num_outputs=3, axis=0, squeeze_axis=True))),
   doc="Cuts an axis into equal parts; squeeze_axis drops it where every part has length 1.",
   example="mx.nd.split(mx.nd.ones((2, 4)), num_outputs=2, axis=1)")


def _v2_outputs(p):
    return _outputs(p.sections if p.sections > 0 else max(len(p.indices), 1))


def _v2_bounds(p, s):
    a = axis_of(p.axis, len(s))
    n = s[a]
    if n is None:
        return [None] * (len(_v2_outputs(p)) + 1)
    if p.sections > 0:
        if n % p.sections:
            raise ValueError(f"axis {a} of shape {show(s)} does not divide into {p.sections} equal sections; expected a multiple")
        return [n // p.sections * i for i in range(p.sections + 1)]
    at = [i + n if i < 0 else i for i in p.indices] or [0]
    if at != sorted(at) or at[0] < 0 or at[-1] > n:
        raise ValueError(f"indices {p.indices} are not an increasing sequence within axis {a}, which has length {n}")
    return [*at, n]


def _v2_shapes(p, ins, outs):
    s = ins[0]
    first = next((o for o in outs if o is not None), None)
    if s is None and first is None:
        return ins, outs
    a = axis_of(p.axis, len(s) if s is not None else len(first) + p.squeeze_axis)
    for o in outs:                                       # whatever the lengths, all else agrees
        if o is not None:
            s = unify(s, o[:a] + (None,) + o[a + (not p.squeeze_axis):], "shapes of the data and of a part")
    if s[a] is None and p.sections > 0:
        each = 1 if p.squeeze_axis else next((o[a] for o in outs if o is not None and o[a] is not None), None)
        s = s[:a] + (times(each, p.sections),) + s[a + 1:]
    parts = _parts_shapes(s, a, _v2_bounds(p, s), p.squeeze_axis)
    outs = [unify(x, y, "expected and worked-out output shapes") for x, y in zip(outs, parts)]
    if s[a] is None and not p.squeeze_axis and min(p.indices, default=0) == 0:     # the parts cover the axis
        s = s[:a] + (plus(*[o[a] for o in outs]),) + s[a + 1:]
    return [s], outs


op("_split_v2", inputs="data", aliases="_npi_split", outputs=_v2_outputs, shapes=_v2_shapes, kernel="split",
   params=dict(indices=shape(), axis=integer(1), squeeze_axis=flag(), sections=integer(0, at_least=0)),
   arguments=lambda p, ins, outs: _split_arguments(p.axis, ins[0], _v2_bounds(p, ins[0])),
   grad=lambda p, g, x, y: _join_parts(p, g, x, y, _v2_bounds(p, x[0].shape)),
   samples=(dict(inputs=[(2, 5)], params=dict(indices=(0, 1, 3))),
            dict(inputs=[(4, 2)], params=dict(indices=(), sections=2, axis=0))),
   doc="Cuts an axis at the places where the parts begin, or into equal sections.",
   example="mx.nd._internal._split_v2(mx.nd.ones((2, 5)), indices=(0, 2), axis=1)")


# ---- Khatri-Rao --------------------------------------------------------------------------------------------

def _khatri_rao_shapes(p, ins, outs):
    one = (None, outs[0][-1] if outs[0] else None)
    try:
        for s in ins:
            one = (None, unify(s, one)[1])
    except ValueError:
        raise ValueError("inputs have shapes " + ", ".join(map(show, ins)) + "; expected matrices with equal numbers of columns") from None
    ins = [unify(s, one) for s in ins]
    return ins, [unify(outs[0], (times(*[s[0] for s in ins]), one[1]), "expected and worked-out output shapes")]


def _khatri_rao(p, *x):
    out = x[0]
    for v in x[1:]:
        rows, columns = out.shape[0], out.shape[1]
        out = F._reshape_to(F.broadcast_mul(F._reshape_to(out, shape=(rows, 1, columns)),
                                            F._reshape_to(v, shape=(1, v.shape[0], columns))),
                            shape=(rows * v.shape[0], columns))
    return out if len(x) > 1 else F._copy(out)


op("khatri_rao", inputs="args", variadic="num_args", params=dict(num_args=_num_args()), shapes=_khatri_rao_shapes,
   compose=_khatri_rao,
   samples=(dict(inputs=[(2, 3), (4, 3)], params={}),),
   doc="Columnwise Kronecker product of matrices with equal numbers of columns.",
   example="mx.nd.khatri_rao(mx.nd.ones((2, 3)), mx.nd.ones((4, 3)))")
