"""Normalisation: BatchNorm, LayerNorm, InstanceNorm, GroupNorm, L2Normalization, LRN.

Each has a kernel forward and one for the first derivative.  The first derivative is an operator too; its
own gradient is written once, for all of them, in `second_order`: a view of three dimensions with gamma on
the middle axis covers every case.  Saved statistics are only a shortcut for the kernels: formulas work
them out again from the data, so that every order of derivative sees them as functions of the data."""
from .declare import FLOATS, F, op
from .params import REQUIRED, choice, flag, integer, number, text
from .shapes import axis_of, size, unify

HALVES = ("float16", "bfloat16")


# ---- shared formulas --------------------------------------------------------------------------------

def once(f):
    """f()'s parts as functions without arguments; f runs at most once."""
    made = []

    def part(i):
        def get():
            if not made:
                made.append(f())
            return made[0][i]
        return get
    return part


def total(*terms):
    """Sum of those terms that are not None."""
    terms = [t for t in terms if t is not None]
    out = terms[0] if terms else None
    for t in terms[1:]:
        out = out + t
    return out


class Groups:
    """Data seen in three dimensions: `axes` are normalised together, gamma lies along the middle axis."""

    def __init__(self, shape, axes, like, eps, mode=None, mean=None, inv=None):
        self.shape, self.axes, self.like, self.eps = shape, axes, like, eps
        self.mode, self.given_mean, self.given_inv = mode, mean, inv

    def see(self, x):
        return F._reshape_to(x, shape=self.shape)

    def mean(self, x):
        return F.mean(x, axis=self.axes, keepdims=True)

    def along(self, gamma):
        return F._reshape_to(gamma, shape=(1, self.shape[1], 1))

    def total(self, x):
        """Sum down to gamma's shape."""
        return F.sum(x, axis=(0, 2))

    def back(self, x):
        return F._reshape_to(x, shape=self.like)

    def statistics(self, x):
        """Normalised data and 1/std as formulas of the data; with a mode, 1 mixes in the batch's, 0 the given ones."""
        if self.mode is not None and not self.mode:
            return (x - self.given_mean) * self.given_inv, self.given_inv
        mean = self.mean(x)
        if self.mode is not None:
            mean = self.blend(mean, self.given_mean)
        d = x - mean
        if self.mode is None:
            inv = F.rsqrt(self.mean(d * d) + self.eps)
        else:
            away = x - self.mean(x)
            inv = self.blend(F.rsqrt(self.mean(away * away) + self.eps), self.given_inv)
        return d * inv, inv

    def blend(self, own, given):
        return self.mode * own + (1.0 - self.mode) * given

    def apply_mode(self, x):
        return x if self.mode is None else x * self.mode


def second_order(s, heads, g, x, gamma, fix_gamma=False):
    """Gradients of (for data, gamma, beta) = backward(g, data, gamma) for g, data and gamma.

    With xh the normalised data, r = 1/std, P(a) = a - mean(a) - xh mean(a xh) and a = gamma g:
    for data: r P(a); for gamma: sum(g xh); for beta: sum(g)."""
    off = s.mode is not None and not s.mode

    def work():
        hx, hg, hb = heads
        gs, xs = s.see(g), s.see(x)
        xh, r = s.statistics(xs)
        scale = None if fix_gamma else s.along(gamma)
        a = gs if fix_gamma else gs * scale
        u = None if hx is None else s.see(hx)
        v = None if hg is None or fix_gamma else s.along(hg)
        w = None if hb is None else s.along(hb)

        def project(t):
            return t if off else t - s.apply_mode(s.mean(t) + xh * s.mean(t * xh))
        for_g, for_gamma, cot, for_x = [], None, [], []
        if u is not None:
            pu = project(u)
            for_g.append(pu * r if fix_gamma else pu * r * scale)
            for_gamma = s.total(r * pu * gs)
            if not off:
                cot.append(s.apply_mode(r * (u * s.mean(a * xh) + a * s.mean(u * xh)) * -1.0))
                for_x.append(s.apply_mode(r * r * xh * s.mean(pu * a)) * -1.0)
        if v is not None:
            for_g.append(xh * v)
            cot.append(gs * v)
        if w is not None:
            for_g.append(F.broadcast_like(w, gs))
        if cot:
            for_x.append(r * project(total(*cot)))
        for_g, for_x = total(*for_g), total(*for_x)
        return (None if for_g is None else s.back(for_g), None if for_x is None else s.back(for_x),
                None if fix_gamma else for_gamma)
    part = once(work)
    return part(0), part(1), part(2)


def with_statistics_heads(for_data, s, x, head_mean, head_spread, std):
    """Add what gradients of the shown statistics bring: of the mean, and of std (or of 1/std)."""
    if head_mean is None and head_spread is None:
        return for_data

    def get():
        xs = s.see(x)
        n = size(s.shape[i] for i in s.axes)
        xh, r = s.statistics(xs)
        keep = tuple(1 if i in s.axes else d for i, d in enumerate(s.shape))
        more = []
        if head_mean is not None:
            more.append(s.apply_mode(F.broadcast_like(F._reshape_to(head_mean, shape=keep), xs)) / n)
        if head_spread is not None:
            h = F._reshape_to(head_spread, shape=keep)
            more.append(s.apply_mode(xh * h / n if std else xh * r * r * h / -n))
        return for_data() + s.back(total(*more))
    return get


# ---- BatchNorm --------------------------------------------------------------------------------------

def channel_axis(p, ndim):
    return axis_of(getattr(p, "axis", 1), ndim)


def channel_view(p, shape):
    """(outer, channels, inner) of data."""
    a = channel_axis(p, len(shape))
    return size(shape[:a]), shape[a], size(shape[a + 1:])


def batch_norm_shapes(p, ins, outs):
    data = unify(ins[0], outs[0])
    channels = None
    for one in (*ins[1:], *outs[1:]):
        channels = unify(channels, one)
    if data is None:
        return [None] + [channels] * 4, [None, channels, channels]
    a = channel_axis(p, len(data))
    channels = unify((data[a],), channels, "channels of data and shape of gamma, beta, moving_mean, moving_var")
    data = (*data[:a], channels[0], *data[a + 1:])
    return [data] + [channels] * 4, [data, channels, channels]


def data_and_float_types(where_data, count_in, count_out):
    """All floats; those beside the data are float32 when the data is a 16-bit float."""
    def rule(p, ins, outs):
        both = [*ins, *outs]
        data = None
        for i in where_data:
            if both[i] is not None and data is not None and both[i] != data:
                raise ValueError(f"inputs have different dtypes: {data} and {both[i]}; expected one dtype (use astype)")
            data = data or both[i]
        rest = "float32" if data in HALVES else data
        made = [data if i in where_data else rest if rest else v for i, v in enumerate(both)]
        return made[:count_in], made[count_in:]
    return rule


def batch_norm_arguments(p, ins, outs):
    return [*channel_view(p, ins[0]), int(p.fix_gamma), int(p.use_global_stats), p.eps]


def batch_groups(p, eps, shape, use_global, mean, inv):
    view = channel_view(p, shape)

    def lay(v):
        return F._reshape_to(v, shape=(1, view[1], 1))
    mode = 0 if use_global else F._cast_like(F._batch_norm_mode(inv), mean)
    return Groups(view, (0, 2), shape, eps, mode, lay(mean), lay(inv))


def batch_norm_grad(p, g, x, y):
    data, gamma, _, moving_mean, moving_var = x
    part = once(lambda: F._backward_BatchNorm(g[0], data, gamma, y[1], y[2], moving_mean, moving_var, eps=p.eps,
                                              momentum=p.momentum, fix_gamma=p.fix_gamma, axis=getattr(p, "axis", 1),
                                              use_global_stats=p.use_global_stats))
    for_data = part(0)
    if p.output_mean_var and not p.use_global_stats and data.dtype not in HALVES:
        for_data = with_statistics_heads(for_data, batch_groups(p, p.eps, data.shape, False, y[1], y[2]), data, g[1], g[2], False)
    return [for_data, part(1), part(2), None, None]


def batch_norm_backward_shapes(p, ins, outs):
    data = unify(unify(ins[0], ins[1]), outs[0])
    if data is None:
        return ins, outs
    c = (data[channel_axis(p, len(data))],)
    return [data, data] + [unify(s, c) for s in ins[2:]], [data, c, c]


def batch_norm_backward_grad(p, g, x, y):
    head, data, gamma, mean, inv = x[:5]
    data32, head32 = (F._cast_like(v, mean) if v.dtype in HALVES else v for v in (data, head))
    heads = (F._cast_like(g[0], mean) if g[0] is not None and data.dtype in HALVES else g[0], g[1], g[2])
    s = batch_groups(p, p.eps, data.shape, p.use_global_stats, mean, inv)
    got = second_order(s, heads, head32, data32, gamma, p.fix_gamma)

    def like_data(f):
        def get():
            v = f()
            return v if v is None or data.dtype not in HALVES else F._cast_like(v, data)
        return get
    return [like_data(got[0]), like_data(got[1]), got[2], None, None, None, None]


MOVING = {"moving_mean": '["zero", {}]', "moving_var": '["one", {}]'}      # how symbols note that they begin
BATCH_NORM = dict(eps=number(1e-3), momentum=number(0.9), fix_gamma=flag(True), use_global_stats=flag(), output_mean_var=flag())
UNUSED = dict(cudnn_off=flag(), min_calib_range=number(None), max_calib_range=number(None))
BATCH_NORM_DOC = """Normalise each channel of data to mean 0 and variance 1, then scale by gamma and add beta.

    data has any shape with channels along `axis`; gamma, beta, moving_mean and moving_var have shape (channels,).
    While training, the batch's own mean and biased variance are used, otherwise (and with use_global_stats) the moving ones.
    The backward pass of a training step moves the moving statistics: new = momentum * old + (1 - momentum) * batch.
    fix_gamma writes 1 into gamma and gives it no gradient.  output_mean_var also returns the mean and 1 / sqrt(variance + eps).
    Floats; parameters of 16-bit data are float32."""
BATCH_SAMPLES = (
    dict(inputs=[(4, 3, 5), (3,), (3,), (3,), [1.0, 0.5, 2.0]], params=dict(fix_gamma=False)),
    dict(inputs=[(4, 2, 3, 3), (2,), (2,), (2,), [1.5, 0.5]], params=dict(fix_gamma=False, eps=1e-2, use_global_stats=True)),
    dict(inputs=[(6, 3), (3,), (3,), (3,), [1.0, 0.5, 2.0]], params=dict(eps=1e-5)),
)
BATCH_NUMPY = ("(lambda s: (data - moving_mean.reshape(s)) / np.sqrt(moving_var.reshape(s) + p.eps)"
               " * (1 if p.fix_gamma else gamma.reshape(s)) + beta.reshape(s))((-1,) + (1,) * (data.ndim - 2))")


def batch_norm(name, params, aliases="", doc=BATCH_NORM_DOC, **kw):
    op(name, inputs="data gamma beta moving_mean moving_var", aux="moving_mean moving_var", mutates="gamma", params=params,
       initial=MOVING,
       outputs="output mean var", visible=lambda p: 3 if p.output_mean_var else 1, aliases=aliases, shapes=batch_norm_shapes,
       types=data_and_float_types((0, 5), 5, 3), kernel="batch_norm", kernel_types=FLOATS, arguments=batch_norm_arguments,
       grad=batch_norm_grad, uses_mode=True, doc=doc, numpy=BATCH_NUMPY, samples=BATCH_SAMPLES, **kw)


batch_norm("BatchNorm", {**BATCH_NORM, "axis": integer(1), **UNUSED}, "_npx_batch_norm",
           example="mx.nd.BatchNorm(mx.nd.array([[1, 2], [3, 4]]), mx.nd.ones(2), mx.nd.zeros(2), mx.nd.zeros(2), mx.nd.ones(2))")
batch_norm("BatchNorm_v1", dict(BATCH_NORM), doc=BATCH_NORM_DOC.replace("`axis`", "axis 1") + "  The older form of BatchNorm.",
           example="mx.nd.BatchNorm_v1(mx.nd.ones((2, 3)), mx.nd.ones(3), mx.nd.zeros(3), mx.nd.zeros(3), mx.nd.ones(3))")
batch_norm("_contrib_SyncBatchNorm", {**BATCH_NORM, "ndev": integer(1), "key": text(REQUIRED)},
           doc=BATCH_NORM_DOC.replace("`axis`", "axis 1") + "  ndev and key are accepted: one device's batch is the whole batch.",
           example="mx.nd.contrib.SyncBatchNorm(mx.nd.ones((2, 3)), mx.nd.ones(3), mx.nd.zeros(3), mx.nd.zeros(3), "
                   "mx.nd.ones(3), key='bn')")

op("_contrib_BatchNormWithReLU", inputs="data gamma beta moving_mean moving_var", aux="moving_mean moving_var", mutates="gamma",
   initial=MOVING,
   params={**BATCH_NORM, "axis": integer(1), **UNUSED}, outputs="output mean var",
   visible=lambda p: 3 if p.output_mean_var else 1, shapes=batch_norm_shapes,
   types=data_and_float_types((0, 5), 5, 3), uses_mode=True,
   compose=lambda p, *x: relu_of(F.BatchNorm(*x, **p._asdict())),
   numpy="np.maximum(" + BATCH_NUMPY + ", 0)", samples=BATCH_SAMPLES[:2],
   doc="BatchNorm followed by relu; see BatchNorm for the arrays and parameters.",
   example="mx.nd.contrib.BatchNormWithReLU(mx.nd.array([[1, -2]]), mx.nd.ones(2), mx.nd.zeros(2), mx.nd.zeros(2), "
           "mx.nd.ones(2))")


def relu_of(got):
    return [F.relu(got[0]), *got[1:]] if isinstance(got, (list, tuple)) else F.relu(got)


op("_backward_BatchNorm", inputs="head data gamma mean invstd moving_mean moving_var", mutates="moving_mean moving_var",
   params=dict(eps=number(1e-3), momentum=number(0.9), fix_gamma=flag(True), axis=integer(1), use_global_stats=flag()),
   outputs="data_grad gamma_grad beta_grad", shapes=batch_norm_backward_shapes, types=data_and_float_types((0, 1, 7), 7, 3),
   kernel="batch_norm_backward", kernel_types=FLOATS, grad=batch_norm_backward_grad,
   arguments=lambda p, ins, outs: [*channel_view(p, ins[1]), int(p.fix_gamma), p.eps, p.momentum],
   doc="First derivative of BatchNorm; moves the moving statistics after a training step.")

op("_batch_norm_mode", inputs="invstd", shapes=lambda p, ins, outs: (ins, [(1,)]), kernel="batch_norm_mode", kernel_types=FLOATS,
   doc="1 if BatchNorm saved this 1/std from the batch, 0 if from the moving statistics.  Shape (1,).")


# ---- LayerNorm, InstanceNorm, GroupNorm -------------------------------------------------------------

def layer_view(p, shape):
    return channel_view(p, shape)


def layer_groups(p, shape):
    return Groups(layer_view(p, shape), (1,), shape, p.eps)


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


rows_norm("LayerNorm", layer_view, layer_groups, layer_norm_shapes, "_backward_LayerNorm", "layer_norm",
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
rows_norm("InstanceNorm", group_rows, group_groups, group_norm_shapes, "_backward_InstanceNorm", "group_norm",
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
   shapes=lambda p, ins, outs: ([ins[1], ins[1], ins[2]], [ins[1]]), grad=l2_backward_grad,
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
