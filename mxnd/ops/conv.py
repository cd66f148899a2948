"""Convolution and deconvolution."""
from .declare import F, op
from .linear import BOTH, without_bias
from .params import REQUIRED, choice, flag, integer, shape
from .shapes import known, plus, show, unify

LAYOUTS = ("NCW", "NCHW", "NCDHW")                # by the number of spatial axes


def steps(p, name, value=1):
    """A parameter with one number per spatial axis; () stands for a default everywhere."""
    got = getattr(p, name)
    n = len(p.kernel)
    if not got:
        return (value,) * n
    if len(got) != n:
        raise ValueError(f"{name} {show(got)} has {len(got)} numbers; expected {n}, one per axis of the kernel {show(p.kernel)}")
    return got


def _spread(p):
    """Kernel sizes with their holes."""
    return [(k - 1) * d + 1 for k, d in zip(p.kernel, steps(p, "dilate"))]


def _check(p, data):
    layout = getattr(p, "layout", None)
    if layout is not None and layout not in LAYOUTS:
        raise ValueError(f"layout {layout} has no kernel; expected one of {', '.join(LAYOUTS)}")
    want = len(p.kernel) + 2
    if want not in (3, 4, 5):
        raise ValueError(f"kernel {show(p.kernel)} has {want - 2} numbers; expected 1, 2 or 3")
    if layout is not None and len(layout) != want:
        raise ValueError(f"layout {layout} does not fit kernel {show(p.kernel)}; expected {LAYOUTS[want - 3]}")
    if data is not None and len(data) != want:
        raise ValueError(f"data has shape {show(data)}; expected {want} dimensions for kernel {show(p.kernel)}")


def _per_group(channels, groups, what):
    if channels is not None and channels % groups:
        raise ValueError(f"{what} {channels} is not divisible by num_group {groups}")
    return None if channels is None else channels // groups


def _filters(p, data, weight, bias, first, second):
    """Completed data, weight and bias shapes; first, second: the leading axes of the weight."""
    weight = unify(weight, (first, second, *p.kernel), "weight's given and needed shapes")
    return weight, [unify(b, (p.num_filter,), "bias's given and needed shapes") for b in bias]


# ---- forward -----------------------------------------------------------------------------------------

def convolved(p, sizes):
    """Sizes of the spatial axes after a convolution."""
    out = []
    for n, k, s, pad in zip(sizes, _spread(p), steps(p, "stride"), steps(p, "pad", 0)):
        if n is not None and n + 2 * pad < k:
            raise ValueError(f"kernel {show(p.kernel)} (with holes {show(tuple(_spread(p)))}) is larger than the data, "
                             f"whose padded sizes are {show(tuple(v and v + 2 * q for v, q in zip(sizes, steps(p, 'pad', 0))))}")
        out.append(None if n is None else (n + 2 * pad - k) // s + 1)
    return tuple(out)


def _conv_shapes(p, ins, outs):
    data, weight, *bias = ins
    _check(p, data)
    channels = data[1] if data is not None else None
    inner = _per_group(channels, p.num_group, "the number of channels")
    _per_group(p.num_filter, p.num_group, "num_filter")
    weight, bias = _filters(p, data, weight, bias, p.num_filter, inner)
    if data is None:
        return [data, weight, *bias], outs
    if channels is None and weight[1] is not None:
        channels = weight[1] * p.num_group
    out = unify(outs[0], (data[0], p.num_filter, *convolved(p, data[2:])), "expected and worked-out output shapes")
    sizes = tuple(plus(m, k - 1 - 2 * pad) if n is None and s == 1 else n for n, m, k, s, pad in       # steps of 1 go back
                  zip(data[2:], out[2:], _spread(p), steps(p, "stride"), steps(p, "pad", 0)))
    return [(out[0], channels, *sizes), weight, *bias], [out]


def _three(values, value):
    return [value] * (3 - len(values)) + list(values)


def numbers(p, large, small, pad=None):
    """What the three kernels want to know: `large` is the image, `small` the image that the filters give."""
    return [large[0], large[1], small[1], p.num_group, *_three(large[2:], 1), *_three(small[2:], 1), *_three(p.kernel, 1),
            *_three(steps(p, "stride"), 1), *_three(steps(p, "dilate"), 1),
            *_three(steps(p, "pad", 0) if pad is None else pad, 0)]


def _same(p, **more):
    """The parameters that a convolution shares with its gradients."""
    return dict(kernel=p.kernel, stride=p.stride, dilate=p.dilate, pad=p.pad, num_group=p.num_group, **more)


def _convolve(p, data, weight, filters):
    return F.Convolution(data, weight, num_filter=filters, no_bias=True, **_same(p))


def _bias_grad(g):
    return F.sum(g, axis=(0, *range(2, len(g.shape))))


def _conv_scaled(p, x, factor, offset):
    """The convolution times a factor plus an offset, both per filter."""
    data, weight, *bias = x
    scaled = F.broadcast_mul(weight, F._reshape_to(factor, shape=(p.num_filter,) + (1,) * (len(p.kernel) + 1)))
    return F.Convolution(data, scaled, offset + bias[0] * factor if bias else offset, **{**p._asdict(), "no_bias": False})


def _conv_windowed(p, x, window):
    """The largest number of every window of the convolution."""
    kernel, stride, pad = window
    return F._conv_windows(*x, num_filter=p.num_filter, no_bias=len(x) < 3, window=kernel, window_stride=stride, window_pad=pad,
                           **_same(p))


def _conv_grad(p, g, x, y):
    return [lambda: F._backward_conv_data(g[0], x[1], shape=x[0].shape[2:], **_same(p)),
            lambda: F._backward_conv_weight(g[0], x[0], **_same(p)),
            lambda: _bias_grad(g[0])][:len(x)]


WINDOW = dict(kernel=shape(REQUIRED, at_least=1), stride=shape((), at_least=1), dilate=shape((), at_least=1),
              pad=shape((), at_least=0))


def _convolution(name, aliases, layouts, samples):
    op(name, inputs="data weight bias", takes=without_bias, aliases=aliases,
       params=dict(WINDOW, num_filter=integer(at_least=1), num_group=integer(1, at_least=1), workspace=integer(1024, at_least=0),
                   no_bias=flag(), cudnn_tune=choice(None, "fastest", "limited_workspace", "off"), cudnn_off=flag(),
                   layout=choice(None, *layouts)),
       shapes=_conv_shapes, kernel="conv_forward", arguments=lambda p, ins, outs: numbers(p, ins[0], outs[0]),
       kernel_types=BOTH, grad=_conv_grad, scaled=_conv_scaled, windowed=_conv_windowed, kept=True, samples=samples,
       doc="Slides num_filter filters over data (n, channels, sizes of 1, 2 or 3 axes) and adds a bias per filter.\n"
           "weight is (num_filter, channels / num_group, *kernel), the output (n, num_filter, *sizes) with "
           "(size + 2 pad - dilated kernel) // stride + 1 along each axis.  The cudnn and workspace parameters are accepted "
           "and change nothing.",
       example=f"mx.nd.{name}(mx.nd.ones((1, 3, 8, 8)), mx.nd.ones((4, 3, 3, 3)), mx.nd.zeros((4,)), kernel=(3, 3), "
               "num_filter=4, pad=(1, 1))")


_convolution("Convolution", "_npx_convolution", ("NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"), (
    dict(inputs=[(2, 3, 5, 4), (4, 3, 3, 2), (4,)], params=dict(kernel=(3, 2), num_filter=4)),
    dict(inputs=[(1, 4, 6, 5), (6, 2, 3, 3)],
         params=dict(kernel=(3, 3), num_filter=6, num_group=2, no_bias=True, stride=(2, 1), pad=(1, 2), dilate=(1, 2))),
    dict(inputs=[(2, 2, 7), (3, 2, 3), (3,)], params=dict(kernel=(3,), num_filter=3, stride=(2,), pad=(1,))),
    dict(inputs=[(1, 2, 3, 4, 4), (2, 2, 2, 2, 2), (2,)], params=dict(kernel=(2, 2, 2), num_filter=2, pad=(1, 0, 1))),
    dict(inputs=[(2, 3, 4, 4), (2, 3, 1, 1), (2,)], params=dict(kernel=(1, 1), num_filter=2),
         numpy="np.einsum('ncij,fc->nfij', data, weight[:, :, 0, 0]) + bias.reshape(2, 1, 1)"),
    dict(inputs=[(1, 3, 4, 5), (3, 1, 3, 3)], params=dict(kernel=(3, 3), num_filter=3, num_group=3, no_bias=True, pad=(1, 1)))))
_convolution("Convolution_v1", "", ("NCDHW", "NCHW", "NDHWC", "NHWC"), (
    dict(inputs=[(2, 3, 5, 4), (4, 3, 3, 2), (4,)], params=dict(kernel=(3, 2), num_filter=4)),))


# ---- gradients ---------------------------------------------------------------------------------------

def _fits(p, image, grad):
    """A convolution of the image has the sizes of grad."""
    _check(p, image)
    unify(grad, (image[0], None, *convolved(p, image[2:])), "shapes of grad and of the convolution")


def _conv_data_shapes(p, ins, outs):
    grad, weight = ins
    _check(p, grad)
    if not known(grad) or not known(weight):
        return ins, outs
    weight = unify(weight, (grad[1], None, *p.kernel), "weight's given and needed shapes")
    _per_group(grad[1], p.num_group, "the number of channels")
    out = (grad[0], weight[1] * p.num_group, *p.shape)
    _fits(p, out, grad)
    return [grad, weight], [unify(outs[0], out)]


def _conv_data_grad(p, g, x, y):
    return [lambda: _convolve(p, g[0], x[1], x[0].shape[1]),
            lambda: F._backward_conv_weight(x[0], g[0], **_same(p))]


op("_backward_conv_data", inputs="grad weight", params=dict(WINDOW, num_group=integer(1, at_least=1), shape=shape()),
   shapes=_conv_data_shapes, kernel="conv_data", arguments=lambda p, ins, outs: numbers(p, outs[0], ins[0]), kernel_types=BOTH,
   grad=_conv_data_grad,
   samples=(dict(inputs=[(2, 4, 3, 3), (4, 3, 3, 2)], params=dict(kernel=(3, 2), shape=(5, 4))),
            dict(inputs=[(1, 6, 3, 5), (6, 2, 3, 3)],
                 params=dict(kernel=(3, 3), num_group=2, stride=(2, 1), pad=(1, 2), dilate=(1, 2), shape=(6, 5))),
            dict(inputs=[(1, 2, 4, 5), (2, 3, 3, 3)], params=dict(kernel=(3, 3), pad=(1, 1), shape=(4, 5)))),
   doc="Gradient of a convolution for its data: what the filters spread over an image of the given sizes.",
   example="mx.nd._internal._backward_conv_data(mx.nd.ones((1, 2, 3, 3)), mx.nd.ones((2, 4, 2, 2)), kernel=(2, 2), shape=(4, 4))")


def _conv_weight_shapes(p, ins, outs):
    grad, data = ins
    _check(p, data)
    _check(p, grad)
    if not known(grad) or not known(data):
        return ins, outs
    _per_group(grad[1], p.num_group, "the number of filters")
    _fits(p, data, grad)
    return ins, [unify(outs[0], (grad[1], _per_group(data[1], p.num_group, "the number of channels"), *p.kernel))]


def _conv_weight_grad(p, g, x, y):
    return [lambda: _convolve(p, x[1], g[0], x[0].shape[1]),
            lambda: F._backward_conv_data(x[0], g[0], shape=x[1].shape[2:], **_same(p))]


op("_backward_conv_weight", inputs="grad data", params=dict(WINDOW, num_group=integer(1, at_least=1)),
   shapes=_conv_weight_shapes, kernel="conv_weight", arguments=lambda p, ins, outs: numbers(p, ins[1], ins[0]), kernel_types=BOTH,
   grad=_conv_weight_grad,
   samples=(dict(inputs=[(2, 4, 3, 3), (2, 3, 5, 4)], params=dict(kernel=(3, 2))),
            dict(inputs=[(1, 6, 3, 5), (1, 4, 6, 5)],
                 params=dict(kernel=(3, 3), num_group=2, stride=(2, 1), pad=(1, 2), dilate=(1, 2)))),
   doc="Gradient of a convolution for its filters: the data under each filter element, weighted by grad and summed.",
   example="mx.nd._internal._backward_conv_weight(mx.nd.ones((1, 2, 3, 3)), mx.nd.ones((1, 4, 4, 4)), kernel=(2, 2))")


# ---- deconvolution -------------------------------------------------------------------------------------

def _deconv_pad(p, sizes):
    """(pad, adj): as given, or such that the output has target_shape."""
    if not any(p.target_shape):
        pad, adj = steps(p, "pad", 0), steps(p, "adj", 0)
        for a, s in zip(adj, steps(p, "stride")):
            if a >= s:
                raise ValueError(f"adj {show(adj)} is too large; expected less than stride {show(steps(p, 'stride'))}")
        return pad, adj
    pad, adj = [], []
    for n, k, s, t in zip(sizes, _spread(p), steps(p, "stride"), steps(p, "target_shape")):
        more = (n - 1) * s + k - t
        if more < 0:
            raise ValueError(f"target_shape {show(p.target_shape)} is too big for data of sizes {show(tuple(sizes))}")
        pad.append((more + 1) // 2)
        adj.append(more % 2)
    return tuple(pad), tuple(adj)


def _deconv_shapes(p, ins, outs):
    data, weight, *bias = ins
    _check(p, data)
    channels = data[1] if data is not None else None
    _per_group(channels, p.num_group, "the number of channels")
    weight, bias = _filters(p, data, weight, bias, channels, _per_group(p.num_filter, p.num_group, "num_filter"))
    if data is None:
        return [data, weight, *bias], outs
    if None in data[2:] and any(p.target_shape):
        sizes = steps(p, "target_shape")
    else:
        sizes = tuple(None if n is None else (n - 1) * s + k - 2 * q + a for n, k, s, q, a in
                      zip(data[2:], _spread(p), steps(p, "stride"), *_deconv_pad(p, data[2:])))
        if any(n is not None and n < 1 for n in sizes):
            raise ValueError(f"pad is too large: the output's sizes would be {show(sizes)}")
    out = unify(outs[0], (data[0], p.num_filter, *sizes), "expected and worked-out output shapes")
    return [(out[0], weight[0], *data[2:]), weight, *bias], [out]


def _deconv_grad(p, g, x, y):
    pad = _deconv_pad(p, x[0].shape[2:])[0]
    same = dict(_same(p), pad=pad)
    return [lambda: F.Convolution(g[0], x[1], num_filter=x[0].shape[1], no_bias=True, **same),
            lambda: F._backward_conv_weight(x[0], g[0], **same),
            lambda: _bias_grad(g[0])][:len(x)]


op("Deconvolution", inputs="data weight bias", takes=without_bias, aliases="_npx_deconvolution",
   params=dict(WINDOW, adj=shape((), at_least=0), target_shape=shape((), at_least=0), num_filter=integer(at_least=1),
               num_group=integer(1, at_least=1), workspace=integer(512, at_least=0), no_bias=flag(True),
               cudnn_tune=choice(None, "fastest", "limited_workspace", "off"), cudnn_off=flag(),
               layout=choice(None, "NCDHW", "NCHW", "NCW", "NDHWC", "NHWC")),
   shapes=_deconv_shapes, kernel="conv_data",
   arguments=lambda p, ins, outs: numbers(p, outs[0], ins[0], _deconv_pad(p, ins[0][2:])[0]), kernel_types=BOTH,
   grad=_deconv_grad,
   samples=(dict(inputs=[(1, 3, 3, 4), (3, 2, 3, 3)], params=dict(kernel=(3, 3), num_filter=2)),
            dict(inputs=[(2, 4, 3, 3), (4, 2, 2, 3), (4,)],
                 params=dict(kernel=(2, 3), num_filter=4, num_group=2, stride=(2, 3), pad=(0, 1), adj=(1, 2), no_bias=False)),
            dict(inputs=[(1, 2, 3, 3), (2, 2, 3, 3)],
                 params=dict(kernel=(3, 3), num_filter=2, stride=(2, 2), target_shape=(6, 6))),
            dict(inputs=[(1, 2, 4), (2, 3, 3)], params=dict(kernel=(3,), num_filter=3, dilate=(2,)))),
   doc="The transpose of a convolution: every number of data (n, channels, sizes) spreads a filter over the output.\n"
       "weight is (channels, num_filter / num_group, *kernel); sizes become "
       "(size - 1) * stride + dilated kernel - 2 pad + adj, or target_shape, for which pad is then worked out.",
   example="mx.nd.Deconvolution(mx.nd.ones((1, 2, 4, 4)), mx.nd.ones((2, 3, 3, 3)), kernel=(3, 3), num_filter=3, stride=(2, 2))")
