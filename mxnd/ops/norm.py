"""Normalisation without moving statistics: LayerNorm, InstanceNorm, GroupNorm, L2Normalization, LRN."""
from .declare import FLOATS, F, op
from .norm_formulas import Groups, channel_axis, channel_view, once, second_order, with_statistics_heads
from .params import choice, flag, integer, number
from .shapes import presume, size, unify

# ---- LayerNorm, InstanceNorm, GroupNorm -------------------------------------------------------------

def layer_groups(p, shape):
    return Groups(channel_view(p, shape), (1,), shape, p.eps)


def layer_norm_shapes(p, ins, outs):
    data = unify(ins[0], outs[0])
    if data is None:
        return ins, outs
    a = channel_axis(p, len(data))
    n = unify(unify(ins[1], ins[2]), (data[a],), "length of the axis and shape of gamma and beta")
    data = (*data[:a], n[0], *data[a + 1:])
    row = (*data[:a], 1, *data[a + 1:])
    return [data, n, n], [data, row, row]


def group_view(p, shape):
    """(samples, groups, elements of a group); InstanceNorm has a group per channel."""
    groups = getattr(p, "num_groups", 0) or shape[1]
    return shape[0], groups, size(shape[2:]) * (shape[1] // groups)


def group_groups(p, shape):
    return Groups(group_view(p, shape), (2,), shape, p.eps)


def group_norm_shapes(p, ins, outs):
    data = unify(ins[0], outs[0])
    if data is None:
        return ins, outs
    if len(data) < 3:
        raise ValueError(f"data has too few dimensions; expected at least 3, got {len(data)}")
    groups = getattr(p, "num_groups", 0) or data[1]
    if groups and data[1] and data[1] % groups:
        raise ValueError(f"channels do not divide into groups; expected a multiple of {groups}, got {data[1]}")
    n = unify(unify(ins[1], ins[2]), (groups,), "number of groups and shape of gamma and beta")
    return [data, n, n], [data, (data[0], groups), (data[0], groups)]


def rows_norm(name, view, groups, rule, backward, kernel, **kw):
    """Declare a normalisation without moving statistics, and its first derivative."""
    def grad(p, g, x, y):
        part = once(lambda: getattr(F, backward)(g[0], x[0], x[1], y[1], y[2], **{k: getattr(p, k) for k in kept}))
        for_data = part(0)
        if getattr(p, "output_mean_var", False):
            for_data = with_statistics_heads(for_data, groups(p, x[0].shape), x[0], g[1], g[2], True)
        return [for_data, part(1), part(2)]

    def backward_grad(p, g, x, y):
        return [*second_order(groups(p, x[1].shape), g, x[0], x[1], x[2]), None, None]

    def backward_shapes(p, ins, outs):
        got, made = rule(p, [unify(unify(ins[0], ins[1]), outs[0]), ins[2], outs[2]], [None] * 3)
        return [got[0], got[0], got[1], unify(ins[3], made[1]), unify(ins[4], made[2])], [got[0], got[1], got[1]]
    kept = [k for k in kw["params"] if k != "output_mean_var"]
    op(name, inputs="data gamma beta", shapes=rule, kernel=kernel, kernel_types=FLOATS, grad=grad,
       arguments=lambda p, ins, outs: [*view(p, ins[0]), p.eps], **kw)
    op(backward, inputs="head data gamma mean std", params={k: kw["params"][k] for k in kept},
       outputs="data_grad gamma_grad beta_grad", shapes=backward_shapes, kernel=kernel + "_backward", kernel_types=FLOATS,
       grad=backward_grad, arguments=lambda p, ins, outs: list(view(p, ins[1])), doc=f"First derivative of {name}.")


def group_rows(p, shape):
    """What the kernel needs: rows, groups, elements of a row."""
    n, groups, k = group_view(p, shape)
    return n * groups, groups, k


rows_norm("LayerNorm", channel_view, layer_groups, layer_norm_shapes, "_backward_LayerNorm", "layer_norm",
          params=dict(axis=integer(-1), eps=number(1e-5), output_mean_var=flag()), aliases="_npx_layer_norm",
          outputs="output mean std", visible=lambda p: 3 if p.output_mean_var else 1,
          numpy="(data - data.mean(p.axis, keepdims=True)) / np.sqrt(data.var(p.axis, keepdims=True) + p.eps)"
                " * np.moveaxis(gamma.reshape((-1,) + (1,) * (data.ndim - 1)), 0, p.axis)"
                " + np.moveaxis(beta.reshape((-1,) + (1,) * (data.ndim - 1)), 0, p.axis)",
          samples=(dict(inputs=[(3, 5), (5,), (5,)]), dict(inputs=[(2, 4, 3), (4,), (4,)], params=dict(axis=1, eps=1e-3))),
          doc="""Normalise along one axis to mean 0 and variance 1, then scale by gamma and add beta.

    gamma and beta have the length of the axis.  The variance is the biased one; eps is added to it.
    output_mean_var also returns the mean and sqrt(variance + eps), with the axis kept at length 1.  Floats.""",
          example="mx.nd.LayerNorm(mx.nd.array([[1, 2, 3], [4, 6, 8]]), mx.nd.ones(3), mx.nd.zeros(3))")
rows_norm("InstanceNorm", group_rows, group_groups, group_norm_shapes, "_backward_InstanceNorm", "group_norm", presumed=presume("float32"),
          params=dict(eps=number(1e-3)), outputs="output mean std", visible=1,
          numpy="(lambda a, s: (data - data.mean(a, keepdims=True)) / np.sqrt(data.var(a, keepdims=True) + p.eps)"
                " * gamma.reshape(s) + beta.reshape(s))(tuple(range(2, data.ndim)), (-1,) + (1,) * (data.ndim - 2))",
          samples=(dict(inputs=[(2, 3, 5), (3,), (3,)]), dict(inputs=[(2, 2, 2, 3), (2,), (2,)], params=dict(eps=1e-2))),
          doc="""Normalise each channel of each sample to mean 0 and variance 1, then scale by gamma and add beta.

    data is (samples, channels, rest...), with at least 3 dimensions; gamma and beta are (channels,).  Floats.""",
          example="mx.nd.InstanceNorm(mx.nd.array([[[1, 2], [3, 5]]]), mx.nd.ones(2), mx.nd.zeros(2))")
rows_norm("GroupNorm", group_rows, group_groups, group_norm_shapes, "_backward_GroupNorm", "group_norm",
          params=dict(num_groups=integer(1, at_least=1), eps=number(1e-5), output_mean_var=flag()),
          outputs="output mean std", visible=lambda p: 3 if p.output_mean_var else 1,
          numpy="(lambda d, s: ((d - d.mean(2, keepdims=True)) / np.sqrt(d.var(2, keepdims=True) + p.eps) * gamma.reshape(s)"
                " + beta.reshape(s)).reshape(data.shape))(data.reshape(data.shape[0], p.num_groups, -1), (1, -1, 1))",
          samples=(dict(inputs=[(2, 4, 3), (2,), (2,)], params=dict(num_groups=2)),
                   dict(inputs=[(2, 3, 2, 2), (1,), (1,)], params=dict(eps=1e-2))),
          doc="""Normalise groups of channels of each sample to mean 0 and variance 1, then scale by gamma and add beta.

    data is (samples, channels, rest...); gamma and beta are (num_groups,), as in MXNet 1.9.1.
    output_mean_var also returns the mean and sqrt(variance + eps), (samples, num_groups).  Floats.""",
          example="mx.nd.GroupNorm(mx.nd.arange(8).reshape((1, 4, 2)), mx.nd.ones(2), mx.nd.zeros(2), num_groups=2)")


# ---- L2Normalization --------------------------------------------------------------------------------

def l2_view(p, shape):
    if p.mode == "instance":
        return shape[0], size(shape[1:]), 1
    if p.mode == "channel":
        return shape[0], shape[1], size(shape[2:])
    return shape[0] * shape[1], size(shape[2:]), 1


def l2_shapes(p, ins, outs):
    data = unify(ins[0], outs[0])
    if data is None:
        return ins, outs
    least = {"instance": 1, "channel": 2, "spatial": 3}[p.mode]
    if len(data) < least:
        raise ValueError(f"data has too few dimensions for mode {p.mode!r}; expected at least {least}, got {len(data)}")
    norm = {"instance": data[:1], "channel": (data[0], *data[2:]), "spatial": data[:2]}[p.mode]
    return [data], [data, norm]


def l2_backward_shapes(p, ins, outs):
    data = unify(ins[0], ins[1], "shapes of head and data")
    if data is None:
        return ins, outs
    _, (data, norm) = l2_shapes(p, [data], [outs[0], None])
    return [data, data, unify(ins[2], norm, "norm's given and needed shapes")], [data]


def l2_backward_grad(p, g, x, y):
    """Of (g - y sum(g y)) / n, where y = x / n and n = sqrt(sum(x x) + eps)."""
    head, data, norm = x
    view = l2_view(p, data.shape)

    def add_up(v):
        return F.sum(v, axis=(1,), keepdims=True)

    def for_data():
        u, h, d = (F._reshape_to(v, shape=view) for v in (g[0], head, data))
        r = F.rsqrt(add_up(d * d) + p.eps)
        y = d * r
        b, c = add_up(u * y), add_up(h * y)
        got = (y * (add_up(u * h) - b * c) + (u - y * b) * c + (h - y * c) * b) * r * r * -1.0
        return F._reshape_to(got, shape=data.shape)
    return [lambda: F._backward_L2Normalization(g[0], data, norm, eps=p.eps, mode=p.mode), for_data, None]


L2 = dict(eps=number(1e-10), mode=choice("instance", "channel", "instance", "spatial"))
op("L2Normalization", params=L2, outputs="output norm", visible=1, shapes=l2_shapes, kernel="l2_norm", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: [*l2_view(p, ins[0]), p.eps],
   grad=lambda p, g, x, y: [lambda: F._backward_L2Normalization(g[0], x[0], y[1], eps=p.eps, mode=p.mode)],
   numpy="data / np.sqrt((data ** 2).sum({'instance': tuple(range(1, data.ndim)), 'channel': (1,),"
         " 'spatial': tuple(range(2, data.ndim))}[p.mode], keepdims=True) + p.eps)",
   samples=(dict(inputs=[(3, 4)]), dict(inputs=[(2, 3, 4)], params=dict(mode="channel", eps=1e-3)),
            dict(inputs=[(2, 2, 2, 3)], params=dict(mode="spatial"))),
   doc="""Divide by the Euclidean length: of each sample (instance), along axis 1 (channel), or of each channel (spatial).

    eps is added to the sum of squares, under the root.  Shape and dtype stay.  Floats.""",
   example="mx.nd.L2Normalization(mx.nd.array([[3, 4], [6, 8]]))")
op("_backward_L2Normalization", inputs="head data norm", params=L2, kernel="l2_norm_backward", kernel_types=FLOATS,
   shapes=l2_backward_shapes, grad=l2_backward_grad,
   arguments=lambda p, ins, outs: list(l2_view(p, ins[1])), doc="First derivative of L2Normalization.")


# ---- LRN --------------------------------------------------------------------------------------------

def window_view(shape):
    return shape[0], shape[1], size(shape[2:])


def window_shapes(p, ins, outs):
    data = unify(ins[0], outs[0])
    if data is not None and len(data) < 2:
        raise ValueError(f"data has too few dimensions; expected at least 2, got {len(data)}")
    return [data], [data] * len(outs)


def lrn(p, x):
    n = F._lrn_norm(x, alpha=p.alpha, knorm=p.knorm, nsize=p.nsize)
    return [F._lrn_scale(x, n, beta=p.beta), n]


op("LRN", params=dict(alpha=number(1e-4), beta=number(0.75), knorm=number(2.0), nsize=integer(at_least=1)),
   outputs="output tmp_norm", visible=1, shapes=window_shapes, compose=lrn,
   numpy="data / (p.knorm + p.alpha / p.nsize * sum(np.pad(data ** 2, [(0, 0), (p.nsize // 2, p.nsize - 1 - p.nsize // 2)]"
         " + [(0, 0)] * (data.ndim - 2))[:, i:i + data.shape[1]] for i in range(p.nsize))) ** p.beta",
   samples=(dict(inputs=[(2, 5, 3)], params=dict(nsize=3, alpha=0.3)),
            dict(inputs=[(1, 4, 2, 2)], params=dict(nsize=5, alpha=1.0))),
   doc="""Local response normalisation: divide by a power of the sum of squares over nsize neighbouring channels.

    data is (samples, channels, rest...).  output = data / (knorm + alpha / nsize * sum) ** beta.  Floats.""",
   example="mx.nd.LRN(mx.nd.ones((1, 4, 2, 2)), nsize=3)")
op("_lrn_norm", params=dict(alpha=number(1e-4), knorm=number(2.0), nsize=integer(at_least=1)), shapes=window_shapes,
   kernel="window_sum", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: [*window_view(ins[0]), p.nsize // 2, p.nsize - 1 - p.nsize // 2, 1, p.knorm, p.alpha / p.nsize],
   grad=lambda p, g, x, y: [lambda: x[0] * F._window_sum(g[0], low=p.nsize - 1 - p.nsize // 2, high=p.nsize // 2)
                            * (2.0 * p.alpha / p.nsize)],
   doc="What LRN divides by, before the power: knorm + alpha / nsize * (sum of squares over neighbouring channels).")
op("_window_sum", params=dict(low=integer(0), high=integer(0)), shapes=window_shapes, kernel="window_sum", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: [*window_view(ins[0]), p.low, p.high, 0, 0.0, 1.0],
   grad=lambda p, g, x, y: [lambda: F._window_sum(g[0], low=p.high, high=p.low)],
   doc="Sum over the channels from c - low to c + high, for each channel c of axis 1.")
op("_lrn_scale", inputs="data norm", params=dict(beta=number(0.75)), kernel="lrn_scale", kernel_types=FLOATS,
   shapes=lambda p, ins, outs: ([unify(ins[0], ins[1])] * 2, [unify(ins[0], ins[1])]), arguments=lambda p, ins, outs: [p.beta],
   grad=lambda p, g, x, y: [lambda: F._lrn_scale(g[0], x[1], beta=p.beta),
                            lambda: g[0] * F._lrn_scale(x[0], x[1], beta=p.beta + 1.0) * -p.beta],
   doc="data * norm ** -beta, elementwise.")
