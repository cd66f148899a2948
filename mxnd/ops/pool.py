"""Pooling over windows, and enlarging."""
from .declare import F, Op, op
from .linear import BOTH
from .params import REQUIRED, choice, flag, integer, shape
from .shapes import known, show, size, unify

KINDS = ("max", "avg", "sum", "lp")             # by the kernel's number
LAYOUTS = {"NCW": 1, "NCHW": 2, "NCDHW": 3, "NWC": 1, "NHWC": 2, "NDHWC": 3}


def _last(p):
    """Whether channels are the last axis."""
    return (getattr(p, "layout", None) or "NCHW").endswith("C")


def _sizes(p, s):
    """The spatial part of a shape."""
    return s[1:-1] if _last(p) else s[2:]


def _with_sizes(p, s, sizes):
    return (s[0], *sizes, s[-1]) if _last(p) else (*s[:2], *sizes)


def _window(p, data):
    """Resolved (kernel, stride, pad) for data of this shape."""
    n = len(data) - 2
    if p.global_pool:
        return _sizes(p, data), (1,) * n, (0,) * n
    found = []
    for name, value in (("kernel", None), ("stride", 1), ("pad", 0)):
        got = getattr(p, name) or (value,) * n
        if len(got) != n or None in got:
            raise ValueError(f"{name} is {show(getattr(p, name))}; expected {n} numbers for data of shape {show(data)}")
        found.append(tuple(got))
    return found


def _pooled(p, data):
    """The output's shape."""
    layout = getattr(p, "layout", None)
    if not 3 <= len(data) <= 5:
        raise ValueError(f"data has shape {show(data)}; expected 3, 4 or 5 dimensions")
    if layout and LAYOUTS[layout] != len(data) - 2:
        raise ValueError(f"layout {layout} does not fit data of shape {show(data)}; expected {LAYOUTS[layout] + 2} dimensions")
    out = []
    for n, k, s, pad in zip(_sizes(p, data), *_window(p, data)):
        if p.global_pool:
            out.append(1)
        elif n is None:
            out.append(None)
        elif p.pooling_convention == "same":
            out.append(-(-(n + 2 * pad) // s))
        elif k > n + 2 * pad:
            raise ValueError(f"kernel {show(p.kernel)} is larger than the padded data of shape {show(data)}")
        else:
            whole = n + 2 * pad - k
            out.append((-(-whole // s) if p.pooling_convention == "full" else whole // s) + 1)
    return _with_sizes(p, data, out)


def _pool_shapes(p, ins, outs):
    data = ins[0]
    if data is None:
        return ins, outs
    out = unify(outs[0], _pooled(p, data), "expected and worked-out output shapes")
    return [_with_sizes(p, out, _sizes(p, data))], [out]


def _three(values, value):
    return [value] * (3 - len(values)) + list(values)


def _numbers(p, data, out, window, kind, power=1, old=False):
    """What the kernels want to know about a window (kernel, stride, pad) that turns data into out."""
    outer, inner = (data[0], data[-1]) if _last(p) else (size(data[:2]), 1)
    kernel, stride, pad = window
    return [outer, inner, KINDS.index(kind), power, int(getattr(p, "count_include_pad", None) in (None, True)), int(old),
            *_three(_sizes(p, data), 1), *_three(_sizes(p, out), 1), *_three(kernel, 1), *_three(stride, 1), *_three(pad, 0)]


def _pool_arguments(old):
    def arguments(p, ins, outs):
        if p.pool_type == "lp" and p.p_value not in (1, 2, 3):
            raise ValueError(f"p_value is {p.p_value}; expected 1, 2 or 3")
        return _numbers(p, ins[0], outs[0], _window(p, ins[0]), p.pool_type, getattr(p, "p_value", None) or 1, old)
    return arguments


def _pool_grad(old):
    def grad(p, g, x, y):
        data, out = x[0], y[0]
        kernel, stride, pad = _window(p, data.shape)
        window = dict(kernel=kernel, stride=stride, pad=pad, layout=getattr(p, "layout", None), old=old)
        if p.pool_type == "max":
            return [F._backward_pool_max(g[0], data, **window)]

        def spread(v):
            kind = "avg" if p.pool_type == "avg" else "sum"
            return F._backward_pool_sum(v, shape=_sizes(p, data.shape), pool_type=kind,
                                        count_include_pad=getattr(p, "count_include_pad", None) in (None, True), **window)
        if p.pool_type != "lp" or p.p_value == 1:
            return [spread(g[0])]
        power, under = (data, out) if p.p_value == 2 else (data * data, out * out)
        return [power * spread(g[0] / (under + F._equal_scalar(out, scalar=0.0)))]      # 0 where all of a window is
    return grad


def _largest(p, data):
    """(kernel, stride, pad) where the output is the largest number of windows that all hold some of the data, or None."""
    kernel, stride, pad = _window(p, data)
    whole = not _last(p) and (p.global_pool or p.pooling_convention == "valid") and all(q < k for q, k in zip(pad, kernel))
    return (kernel, stride, pad) if p.pool_type == "max" and whole and size(kernel) <= 256 else None


COMMON = dict(kernel=shape((), at_least=1), pool_type=choice("max", "avg", "lp", "max", "sum"), global_pool=flag())
STEPS = dict(stride=shape((), at_least=1), pad=shape((), at_least=0))
LAYOUT = dict(layout=choice(None, "NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"))
TEXT = ("over windows of data (n, channels, sizes of 1, 2 or 3 axes).\n"
        "Sizes become (size + 2 pad - kernel) / stride + 1, rounded down by the convention valid and up by full; global_pool "
        "takes all of the data as one window.  ")


def _stored(p):
    """MXNet counts the workspace of its library's kernel, where there is such a kernel."""
    return 2 if p.pool_type == "max" and p.kernel and p.layout in (None, "NCW", "NCHW", "NCDHW") else 1


op("Pooling", inputs="data", aliases="_npx_pooling", largest=_largest, stored=_stored,
   params=dict(COMMON, cudnn_off=flag(), pooling_convention=choice("valid", "full", "same", "valid"), **STEPS,
               p_value=integer(None), count_include_pad=flag(None), **LAYOUT),
   shapes=_pool_shapes, kernel="pool_forward", arguments=_pool_arguments(False), kernel_types=BOTH, grad=_pool_grad(False),
   samples=(dict(inputs=[(2, 2, 5, 6)], params=dict(kernel=(3, 2), stride=(2, 2), pad=(1, 0))),
            dict(inputs=[(2, 2, 5, 6)], params=dict(kernel=(2, 2), stride=(2, 2), pooling_convention="full")),
            dict(inputs=[(1, 2, 5, 5)], params=dict(kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="avg")),
            dict(inputs=[(1, 2, 5, 5)], params=dict(kernel=(3, 3), pad=(1, 1), pool_type="avg", count_include_pad=False)),
            dict(inputs=[(1, 2, 4, 4, 3)], params=dict(kernel=(2, 2, 2), pool_type="sum")),
            dict(inputs=[(1, 2, 6)], params=dict(kernel=(3,), stride=(2,), pool_type="lp", p_value=2)),
            dict(inputs=[(1, 2, 6)], params=dict(kernel=(3,), pool_type="lp", p_value=3)),
            dict(inputs=[(2, 4, 4, 3)], params=dict(kernel=(2, 2), stride=(2, 2), layout="NHWC")),
            dict(inputs=[(2, 3, 4, 5)], params=dict(global_pool=True, pool_type="avg"),
                 numpy="data.mean((2, 3), keepdims=True)"),
            dict(inputs=[(2, 3, 4, 6)], params=dict(kernel=(2, 2), stride=(2, 2)),
                 numpy="data.reshape(2, 3, 2, 2, 3, 2).max((3, 5))")),
   doc="Largest number, mean, sum or root of the sum of powers (lp, p_value 1, 2 or 3) " + TEXT
       + "The gradient of max goes to the first of equal numbers; avg counts padding unless count_include_pad is False.",
   example="mx.nd.Pooling(mx.nd.ones((1, 2, 4, 4)), kernel=(2, 2), stride=(2, 2), pool_type='max')")

op("Pooling_v1", inputs="data",
   params=dict(COMMON, pool_type=choice("max", "avg", "max", "sum"), pooling_convention=choice("valid", "full", "valid"),
               **STEPS),
   shapes=_pool_shapes, kernel="pool_forward", arguments=_pool_arguments(True), kernel_types=BOTH, grad=_pool_grad(True),
   samples=(dict(inputs=[(2, 2, 5, 6)], params=dict(kernel=(3, 2), stride=(2, 2), pad=(1, 0))),
            dict(inputs=[(1, 2, 5, 5)],
                 params=dict(kernel=(2, 2), stride=(2, 2), pad=(1, 1), pool_type="avg", pooling_convention="full"))),
   doc="Largest number, mean or sum " + TEXT
       + "As MXNet's first pooling: padding is zeros for max too, avg always divides by the size of the kernel, and every one "
         "of equal largest numbers gets the gradient.",
   example="mx.nd.Pooling_v1(mx.nd.ones((1, 2, 4, 4)), kernel=(2, 2), stride=(2, 2), pool_type='max')")


# ---- what the gradients are made of --------------------------------------------------------------------

WINDOW = dict(kernel=shape(REQUIRED, at_least=1), stride=shape(REQUIRED, at_least=1), pad=shape(REQUIRED, at_least=0),
              old=flag(), **LAYOUT)
SUM = dict(WINDOW, shape=shape(), pool_type=choice("avg", "avg", "sum"), count_include_pad=flag(True))


def _explicit(p):
    return p.kernel, p.stride, p.pad


def _shaped(p, ins, outs):
    """The first input's batch and channels with the sizes of the parameter shape."""
    if not known(ins[0]):
        return ins, outs
    _check_window(p, ins[0], p.shape)
    if len(ins) > 1:
        unify(ins[0], ins[1])
    return ins, [unify(outs[0], _with_sizes(p, ins[0], p.shape))]


def _check_window(p, data, sizes):
    """A window has as many sizes as the data has dimensions beside batch and channels."""
    n = len(data) - 2
    if n < 1 or any(len(v) != n for v in (p.kernel, p.stride, p.pad, sizes)):
        raise ValueError(f"data of shape {data} does not fit kernel {p.kernel}, stride {p.stride}, pad {p.pad} and sizes {sizes}")


def _same_window(p, **more):
    return dict({k: getattr(p, k) for k in WINDOW}, **more)


def _sum_params(p):
    return dict(pool_type=p.pool_type, count_include_pad=p.count_include_pad)


op("_pool_sum", inputs="data", params=SUM, shapes=_shaped, kernel="pool_forward", kernel_types=BOTH,
   arguments=lambda p, ins, outs: _numbers(p, ins[0], outs[0], _explicit(p), p.pool_type, 1, p.old),
   grad=lambda p, g, x, y: [F._backward_pool_sum(g[0], **_same_window(p, shape=_sizes(p, x[0].shape), **_sum_params(p)))],
   samples=(dict(inputs=[(1, 2, 5, 5)], params=dict(kernel=(3, 3), stride=(2, 2), pad=(1, 1), shape=(3, 3))),),
   doc="Mean or sum over windows; the output's sizes are given.",
   example="mx.nd._internal._pool_sum(mx.nd.ones((1, 1, 4)), kernel=(2,), stride=(2,), pad=(0,), shape=(2,))")

op("_backward_pool_sum", inputs="grad", params=SUM, shapes=_shaped, kernel="pool_sum_spread", kernel_types=BOTH,
   arguments=lambda p, ins, outs: _numbers(p, outs[0], ins[0], _explicit(p), p.pool_type, 1, p.old),
   grad=lambda p, g, x, y: [F._pool_sum(g[0], **_same_window(p, shape=_sizes(p, x[0].shape), **_sum_params(p)))],
   samples=(dict(inputs=[(1, 2, 3, 3)], params=dict(kernel=(3, 3), stride=(2, 2), pad=(1, 1), shape=(5, 5))),),
   doc="Gradient of the mean or sum over windows: every number of grad goes to its whole window.",
   example="mx.nd._internal._backward_pool_sum(mx.nd.ones((1, 1, 2)), kernel=(2,), stride=(2,), pad=(0,), shape=(4,))")


def _max_shapes(p, ins, outs):
    if known(ins[0]) and known(ins[1]):
        _check_window(p, ins[1], _sizes(p, ins[0]) if len(ins[0]) == len(ins[1]) else ())
        if _with_sizes(p, ins[1], _sizes(p, ins[0])) != ins[0]:
            raise ValueError(f"grad and data have shapes {ins[0]} and {ins[1]}; expected equal batches and channels")
    return ins, [unify(outs[0], ins[1])]


op("_backward_pool_max", inputs="grad data", params=WINDOW, shapes=_max_shapes, kernel="pool_max_spread", kernel_types=BOTH,
   arguments=lambda p, ins, outs: _numbers(p, ins[1], ins[0], _explicit(p), "max", 1, p.old),
   grad=lambda p, g, x, y: [F._pool_max_take(g[0], x[1], **_same_window(p, shape=_sizes(p, x[0].shape))), None],
   samples=(dict(inputs=[(1, 2, 3, 3), (1, 2, 5, 5)], params=dict(kernel=(3, 3), stride=(2, 2), pad=(1, 1))),),
   doc="Gradient of the largest number of windows: every number of grad goes to where data is largest.",
   example="mx.nd._internal._backward_pool_max(mx.nd.ones((1, 1, 2)), mx.nd.ones((1, 1, 4)), kernel=(2,), stride=(2,), pad=(0,))")

op("_pool_max_take", inputs="data at", params=dict(WINDOW, shape=shape()), shapes=_shaped, kernel="pool_max_gather",
   kernel_types=BOTH, arguments=lambda p, ins, outs: _numbers(p, ins[0], outs[0], _explicit(p), "max", 1, p.old),
   grad=lambda p, g, x, y: [F._backward_pool_max(g[0], x[1], **_same_window(p)), None],
   samples=(dict(inputs=[(1, 2, 5, 5), (1, 2, 5, 5)], params=dict(kernel=(3, 3), stride=(2, 2), pad=(1, 1), shape=(3, 3))),),
   doc="The number of data at the place in every window where the input `at` is largest.",
   example="mx.nd._internal._pool_max_take(mx.nd.ones((1, 1, 4)), mx.nd.ones((1, 1, 4)), kernel=(2,), stride=(2,), pad=(0,), "
           "shape=(2,))")


# ---- enlarging -------------------------------------------------------------------------------------------

def _enlarged(p, ins, outs):
    data = ins[0]
    if data is None:
        return ins, outs
    if len(data) != 4:
        raise ValueError(f"data has shape {show(data)}; expected 4 dimensions")
    return ins, [unify(outs[0], (*data[:2], *(None if n is None else n * p.scale for n in data[2:])))]


def _enlarge_grad(p, g, x, y):
    n, c, h, w = x[0].shape
    return [F.sum(F._reshape_to(g[0], shape=(n, c, h, p.scale, w, p.scale)), axis=(3, 5))]


op("_enlarge", inputs="data", params=dict(scale=integer(at_least=1)), shapes=_enlarged, kernel="enlarge",
   arguments=lambda p, ins, outs: [p.scale], grad=_enlarge_grad,
   public=lambda p, x: F.UpSampling(x, scale=p.scale, sample_type="nearest", num_args=1),
   samples=(dict(inputs=[(1, 2, 2, 3)], params=dict(scale=2), numpy="data.repeat(2, 2).repeat(2, 3)"),),
   doc="Every pixel of data (n, channels, height, width) becomes scale x scale equal pixels.",
   example="mx.nd._internal._enlarge(mx.nd.ones((1, 1, 2, 2)), scale=2)")


def _upsampling_shapes(p, ins, outs):
    batch = outs[0][:1] if outs[0] else (None,)
    arrays = ins[:1] if p.sample_type == "bilinear" else ins
    for s in arrays:
        if s is not None and len(s) != 4:
            raise ValueError(f"an input has shape {show(s)}; expected 4 dimensions")
        batch = unify(batch, s[:1] if s is not None else None, "batches of the inputs")
    ins = [*[s and (*batch, *s[1:]) for s in arrays], *ins[len(arrays):]]
    first = ins[0]
    if first is None:
        return ins, outs
    sizes = tuple(None if n is None else n * p.scale for n in first[2:])
    if p.sample_type == "bilinear":
        k = _bilinear(p)[0]
        weight = [unify(w, (first[1], 1, k, k), "weight's given and needed shapes") for w in ins[1:]]
        return [first, *weight], [unify(outs[0], (first[0], p.num_filter, *sizes))]
    channels = [None if s is None else s[1] for s in ins]
    total = None if None in channels else sum(channels)
    return ins, [unify(outs[0], (first[0], channels[0] if p.multi_input_mode == "sum" else total, *sizes))]


def _bilinear(p):
    """Kernel, stride and pad of the deconvolution that enlarges smoothly."""
    return 2 * p.scale - p.scale % 2, p.scale, p.scale // 2


def _upsampling(p, *x):
    if p.sample_type == "bilinear":
        if len(x) != 2:
            raise ValueError(f"{len(x)} inputs for sample_type bilinear; expected 2, data and weight")
        k, s, pad = _bilinear(p)
        return F.Deconvolution(x[0], x[1], kernel=(k, k), stride=(s, s), pad=(pad, pad), num_filter=p.num_filter,
                               num_group=p.num_filter)
    want = [n * p.scale for n in x[0].shape[2:]]
    parts = []
    for v in x:
        growth = next((m // n for n, m in zip(v.shape[2:], want) if n), p.scale)
        if not growth or len(v.shape) != 4 or [n * growth for n in v.shape[2:]] != want:
            raise ValueError(f"an input of shape {show(v.shape)} does not grow to the sizes of the first, {show(x[0].shape)} "
                             f"times {p.scale}")
        parts.append(F._enlarge(v, scale=growth))
    fixed = 1 if p.multi_input_mode == "concat" else 2
    if any(v.shape[:fixed] != x[0].shape[:fixed] for v in x):
        raise ValueError(f"inputs of shapes {', '.join(show(v.shape) for v in x)} do not fit together; expected equal batches"
                         f"{'' if fixed == 1 else ' and channels'}")
    if p.multi_input_mode == "concat":
        return F.Concat(*parts, dim=1, num_args=len(parts)) if len(parts) > 1 else parts[0]
    total = parts[0]
    for v in parts[1:]:
        total = total + v
    return total


class UpSampling(Op):
    """By repeating pixels it takes any number of inputs, by deconvolution data and weight."""

    def input_names(self, p, count=None):
        if p.sample_type == "bilinear" and count in (None, 2):
            return ("data", "weight")
        return super().input_names(p, count)


UpSampling("UpSampling", inputs="data", variadic="num_args", initial={"weight": '["bilinear", {}]'},
   params=dict(scale=integer(at_least=1, at_most=1000), num_filter=integer(0, at_least=0),
               sample_type=choice(REQUIRED, "bilinear", "nearest"), multi_input_mode=choice("concat", "concat", "sum"),
               num_args=integer(at_least=1), workspace=integer(512, at_least=0)),
   shapes=_upsampling_shapes, compose=_upsampling,
   samples=(dict(inputs=[(1, 2, 2, 3)], params=dict(scale=2, sample_type="nearest")),
            dict(inputs=[(1, 1, 2, 2), (1, 2, 4, 4)], params=dict(scale=4, sample_type="nearest"))),
   doc="Enlarges images (n, channels, height, width) by a whole factor: by repeating pixels (nearest; several inputs grow to "
       "the first one's new size and are joined along channels or added), or by a deconvolution with the weight given as the "
       "second input (bilinear).",
   example="mx.nd.UpSampling(mx.nd.ones((1, 2, 3, 3)), scale=2, sample_type='nearest')")
