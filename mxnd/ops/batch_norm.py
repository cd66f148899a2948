"""BatchNorm in its several forms."""
from .declare import FLOATS, F, op
from .norm_formulas import Groups, channel_axis, channel_view, once, second_order, with_statistics_heads
from .params import REQUIRED, flag, integer, number, text
from .shapes import unify

HALVES = ("float16", "bfloat16")


def is_half(x):
    """Whether x is an array or a node of 16-bit floats."""
    return getattr(x.dtype, "__name__", x.dtype) in HALVES


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
    if p.output_mean_var and not p.use_global_stats and not is_half(data):
        for_data = with_statistics_heads(for_data, batch_groups(p, p.eps, data.shape, False, y[1], y[2]), data, g[1], g[2], False)
    return [for_data, part(1), part(2), None, None]


def batch_norm_factors(p, x):
    """(factor, offset) per channel outside training."""
    gamma, beta, mean, var = x
    factor = F.rsqrt(var + p.eps) if p.fix_gamma else gamma * F.rsqrt(var + p.eps)
    return [factor, beta - mean * factor]


def batch_norm_backward_shapes(p, ins, outs):
    data = unify(unify(ins[0], ins[1]), outs[0])
    if data is None:
        return ins, outs
    c = (data[channel_axis(p, len(data))],)
    return [data, data] + [unify(s, c) for s in ins[2:]], [data, c, c]


def batch_norm_backward_grad(p, g, x, y):
    head, data, gamma, mean, inv = x[:5]
    data32, head32 = (F._cast_like(v, mean) if is_half(v) else v for v in (data, head))
    heads = (F._cast_like(g[0], mean) if g[0] is not None and is_half(data) else g[0], g[1], g[2])
    s = batch_groups(p, p.eps, data.shape, p.use_global_stats, mean, inv)
    got = second_order(s, heads, head32, data32, gamma, p.fix_gamma)

    def like_data(f):
        def get():
            v = f()
            return v if v is None or not is_half(data) else F._cast_like(v, data)
        return get
    return [like_data(got[0]), like_data(got[1]), got[2], None, None, None, None]


MOVING = {"moving_mean": '["zero", {}]', "moving_var": '["one", {}]'}      # how symbols note that they begin
BATCH_NORM = dict(eps=number(1e-3), momentum=number(0.9), fix_gamma=flag(True), use_global_stats=flag(), output_mean_var=flag())
UNUSED = dict(cudnn_off=flag(), min_calib_range=number(None), max_calib_range=number(None))
BATCH_NORM_DOC = """Normalise each channel of data to mean 0 and variance 1, then scale by gamma and add beta.

    data has any shape with channels along `axis`; gamma, beta, moving_mean and moving_var have shape (channels,).
    While training, the batch's own mean and biased variance are used, otherwise (and with use_global_stats) the moving ones.
    The backward pass of a training step moves the moving statistics: new = momentum * old + (1 - momentum) * batch.
    fix_gamma writes 1 into gamma and gives it no gradient (an executor without gradients leaves gamma as it is).
    output_mean_var also returns the mean and 1 / sqrt(variance + eps).
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
       grad=batch_norm_grad, uses_mode=True, repeatable=True, kept=True, factors=batch_norm_factors,
       doc=doc, numpy=BATCH_NUMPY, **{"samples": BATCH_SAMPLES, **kw})


batch_norm("BatchNorm", {**BATCH_NORM, "axis": integer(1), **UNUSED}, "_npx_batch_norm",
           example="mx.nd.BatchNorm(mx.nd.array([[1, 2], [3, 4]]), mx.nd.ones(2), mx.nd.zeros(2), mx.nd.zeros(2), mx.nd.ones(2))")
batch_norm("BatchNorm_v1", dict(BATCH_NORM), doc=BATCH_NORM_DOC.replace("`axis`", "axis 1") + "  The older form of BatchNorm.",
           example="mx.nd.BatchNorm_v1(mx.nd.ones((2, 3)), mx.nd.ones(3), mx.nd.zeros(3), mx.nd.zeros(3), mx.nd.ones(3))")
batch_norm("_contrib_SyncBatchNorm", {**BATCH_NORM, "ndev": integer(1), "key": text(REQUIRED)},
           samples=tuple(dict(s, params={**s.get("params", {}), "key": "bn"}) for s in BATCH_SAMPLES),
           doc=BATCH_NORM_DOC.replace("`axis`", "axis 1") + "  ndev and key are accepted: one device's batch is the whole batch.",
           example="mx.nd.contrib.SyncBatchNorm(mx.nd.ones((2, 3)), mx.nd.ones(3), mx.nd.zeros(3), mx.nd.zeros(3), "
                   "mx.nd.ones(3), key='bn')")

op("_contrib_BatchNormWithReLU", inputs="data gamma beta moving_mean moving_var", aux="moving_mean moving_var", mutates="gamma",
   initial=MOVING, stored=4,
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
