"""Graphs of many kinds, by name: the same calls wrote tests/data/mxnet_symbols with MXNet 1.9.1.

GRAPHS: {name: (function that makes the graph, shapes of its inputs)}."""
import numpy as np

import mxnd as mx

S = mx.sym
GRAPHS = {}


def graph(**shapes):
    def keep(f):
        GRAPHS[f.__name__] = f, shapes
        return f
    return keep


@graph(data=(4, 10))
def mlp():
    x = S.FullyConnected(S.var("data"), num_hidden=8, name="fc1")
    x = S.Activation(x, act_type="relu", name="a1")
    return S.softmax(S.FullyConnected(x, num_hidden=3, name="fc2"), name="sm")


@graph(data=(2, 1, 16, 16), softmax_label=(2,))
def lenet():
    x = S.var("data")
    for i, n in enumerate((4, 6)):
        x = S.Convolution(x, kernel=(3, 3), num_filter=n, name=f"c{i}")
        x = S.Activation(x, act_type="tanh")
        x = S.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max")
    x = S.FullyConnected(S.Flatten(x), num_hidden=20, name="f1")
    x = S.FullyConnected(S.Activation(x, act_type="tanh"), num_hidden=10, name="f2")
    return S.SoftmaxOutput(x, name="softmax")


@graph(data=(2, 3, 6, 6))
def residual():
    x = S.Convolution(S.var("data"), kernel=(3, 3), pad=(1, 1), num_filter=4, no_bias=True, name="c0")
    for k in range(2):
        y = S.relu(S.BatchNorm(x, fix_gamma=False, name=f"bn{k}"))
        x = x + S.Convolution(y, kernel=(3, 3), pad=(1, 1), num_filter=4, name=f"r{k}")
    return S.Pooling(x, global_pool=True, pool_type="avg", kernel=(1, 1))


@graph(data=(4, 3, 5, 5))
def batchnorm():
    return S.BatchNorm(S.var("data"), name="bn", eps=1e-4, momentum=0.8, use_global_stats=True)


@graph(data=(3, 4))
def embedding():
    return S.sum(S.Embedding(S.floor(S.abs(S.var("data") * 3)), input_dim=7, output_dim=5, name="emb"), axis=1)


@graph(data=(6, 7))
def slices():
    x = S.var("data")
    return S.Group([S.slice(x, begin=(1, None), end=(4, 5), step=(1, 2)), S.slice_axis(x, axis=1, begin=-3, end=None),
                    S.slice_like(x, S.zeros((3, 3)), axes=(0,)), S.reverse(x, axis=1)])


@graph(a=(2, 1, 4), b=(3, 1))
def broadcasting():
    a, b = S.var("a"), S.var("b")
    return S.broadcast_add(S.broadcast_mul(a, b), S.broadcast_maximum(a, b)) \
        - S.broadcast_to(S.sum(a, axis=1, keepdims=True), shape=(2, 3, 4))


@graph(A=(2, 3, 4), B=(2, 5, 4))
def gemm2():
    return S.linalg.gemm2(S.var("A"), S.var("B"), transpose_b=True, alpha=0.5)


@graph(data=(4, 6))
def several_outputs():
    p = S.split(S.var("data"), num_outputs=3, axis=1, name="sp")
    return S.Group([p[0] * p[1], S.exp(p[2]), p])


@graph(x=(3, 4))
def attributes():
    with mx.AttrScope(ctx_group="dev1", __my__="7"):
        x = S.var("x", lr_mult=2.0, wd_mult=0.5, shape=(3, 4), dtype="float32")
        y = S.FullyConnected(x, num_hidden=2, name="fc", attr={"lr_mult": "0.1"})
    return S.tanh(y, name="t")


@graph(data=(4, 5), softmax_label=(4,))
def softmax_output():
    return S.SoftmaxOutput(S.var("data"), name="softmax", normalization="batch", use_ignore=True, ignore_label=1)


@graph(data=(4, 5))
def dropout():
    return S.Dropout(S.var("data"), p=0.3) * 2


@graph(data=(2, 3, 4, 4))
def deconvolution():
    return S.Deconvolution(S.var("data"), kernel=(3, 3), stride=(2, 2), pad=(1, 1), adj=(1, 1), num_filter=4, name="dc")


@graph(data=(1, 2, 7, 9))
def pooling():
    x = S.var("data")
    return S.Group([S.Pooling(x, kernel=(3, 3), stride=(2, 2), pool_type=t, pooling_convention=c)
                    for t in ("max", "avg", "sum") for c in ("valid", "full")]
                   + [S.Pooling(x, kernel=(2, 2), pad=(1, 1), pool_type="avg", count_include_pad=False)])


@graph(data=(3, 4, 6))
def layer_norm():
    return S.LayerNorm(S.var("data"), axis=1, name="ln")


@graph(data=(5, 4), i=(5,))
def pick_take():
    x, i = S.var("data"), S.floor(S.abs(S.var("i")) * 3)
    return S.Group([S.pick(x, i), S.take(x, i, mode="wrap"), S.one_hot(i, depth=4, on_value=2.0, dtype="float32")])


@graph(c=(3, 4), x=(3, 4), y=(3, 4))
def where():
    return S.where(S.var("c") > 0, S.var("x"), S.var("y") * 2)


@graph(data=(2, 3, 4))
def shapes():
    x = S.var("data")
    return S.Group([S.reshape(x, shape=(-3, 0)), S.transpose(x, axes=(2, 0, 1)), S.expand_dims(x, axis=1),
                    S.SwapAxis(x, dim1=0, dim2=2), S.tile(x, reps=(2, 1, 1)), S.repeat(x, repeats=2, axis=1),
                    S.stack(x, x * 2, axis=1), S.concat(x, x, dim=2), S.Flatten(x), S.flip(x, axis=0)])


@graph(data=(3, 5))
def reductions():
    x = S.var("data")
    return S.Group([S.sum(x, axis=1), S.mean(x, axis=0, keepdims=True), S.max(x), S.norm(x, ord=2, axis=1),
                    S.prod(x, axis=1, exclude=True), S.argmax(x, axis=1), S.topk(x, k=2, ret_typ="value"),
                    S.sort(x, axis=1, is_ascend=False)])


@graph(data=(3, 5), label=(3, 5))
def losses():
    x, label = S.var("data"), S.var("label")
    return S.Group([S.LinearRegressionOutput(x, label, grad_scale=0.5), S.LogisticRegressionOutput(x, label),
                    S.MakeLoss(S.square(x)), S.BlockGrad(x)])


@graph(x=(3, 4))
def numbers():
    x = S.var("x")
    return (2 - x) / (x * x + 1.5) + S.abs(-x) ** 0.5 - (3 / (x * x + 2)) % 2 + S.maximum(x, 0.1) + (x > 0.2) * (x <= 1)


@graph(x=(3, 4))
def functions():
    y = S.abs(S.var("x")) + 0.5
    return S.Group([f(y) for f in (S.log, S.sqrt, S.rsqrt, S.cbrt, S.gamma, S.gammaln, S.erf, S.log1p, S.expm1, S.arctan,
                                   S.softsign, S.sigmoid, S.reciprocal, S.rint, S.ceil, S.sign)])


@graph(data=(4, 3, 2), n=(3,))
def sequences():
    x, n = S.var("data"), S.floor(S.abs(S.var("n")) * 2) + 1
    return S.Group([S.SequenceMask(x, n, use_sequence_length=True, value=-1), S.SequenceLast(x, n, use_sequence_length=True),
                    S.SequenceReverse(x, n, use_sequence_length=True)])


@graph(data=(2, 4, 3, 3))
def norms():
    x = S.var("data")
    return S.Group([S.L2Normalization(x, mode="channel"), S.LRN(x, nsize=3), S.InstanceNorm(x, name="in"),
                    S.LeakyReLU(x, act_type="elu", slope=0.3), S.UpSampling(x, scale=2, sample_type="nearest"),
                    S.Pad(x, mode="edge", pad_width=(0, 0, 0, 0, 1, 1, 2, 0))])


@graph(q=(2, 3, 4), k=(2, 5, 4), v=(2, 5, 4))
def attention():
    s = S.batch_dot(S.var("q"), S.var("k"), transpose_b=True) / 2.0
    return S.batch_dot(S.softmax(s, axis=-1), S.var("v"))


@graph(x=(3, 4), y=(4, 5))
def dots():
    x = S.var("x")
    return S.Group([S.dot(x, S.var("y")), S.elemwise_add(S.cast(x, dtype="float64").astype("float32"), S.ones((3, 4))),
                    S.add_n(x, x * 2)])


@graph(d=(4, 2, 3), s=(2, 3))
def foreach():
    w = S.var("w", shape=(1, 3))
    out, last = S.contrib.foreach(lambda d, s: (S.broadcast_mul(d, w) + S.FullyConnected(s, num_hidden=3, name="fc"), S.tanh(s + d)),
                                  S.var("d") * 2, S.var("s"))
    return S.Group([out, last])


@graph(d=(3, 2), e=(3, 2), s=(2,), t=(2,))
def foreach_lists():
    d, e, s, t = map(S.var, "dest")
    out, last = S.contrib.foreach(lambda d, s: ([d[0] * d[1] + s[0], [s[1]]], [s[0] + d[0], s[1] * 2]), [d, e], [s, t])
    return S.Group([out[0], out[1][0], *last])


@graph(data=(3, 4, 2), st=(2,))
def foreach_nested():
    w = S.var("w", shape=(2,))
    out, last = S.contrib.foreach(lambda d, s: S.contrib.foreach(lambda e, r: (e * w + r, S.sin(r + e)), d, s),
                                  S.var("data"), S.var("st"))
    return S.Group([out, last])


@graph(data=(3, 2, 4), s=(2, 4))
def foreach_batchnorm():
    out, last = S.contrib.foreach(lambda d, s: (S.BatchNorm(d, name="bn", fix_gamma=False, use_global_stats=True) + s, s + 1),
                                  S.var("data"), S.var("s"))
    return S.Group([out, last])


@graph(i=(1,), t=(1,), w=(1,))
def while_loop():
    i, t, w = S.var("i"), S.var("t"), S.var("w")
    out, last = S.contrib.while_loop(lambda i, t: i < 7, lambda i, t: ([t - i * 3], [i + 2, t * 2 + w]), [i, t], max_iterations=2)
    return S.Group(out + last)


@graph(a=(1,), c=(1,))
def cond():
    a, c = S.var("a"), S.var("c")
    return S.contrib.cond(a + c > 0.3, lambda: a * 3 - c, lambda: S.exp(c * c + a))


@graph(a=(1,), c=(3,), w=(3,))
def cond_lists():
    a, c, w = map(S.var, "acw")
    y, (z,) = S.contrib.cond(a < 9, lambda: [c * w, [c]], lambda: [c, [w - c]])
    return S.Group([y, z])


def recurrent(mode):
    r = S.RNN(S.var("data"), state_size=3, num_layers=2, mode=mode, bidirectional=True, state_outputs=True, name="r")
    return S.Group(list(r))


@graph(data=(4, 2, 5))
def lstm():
    return recurrent("lstm")


@graph(data=(4, 2, 5))
def gru():
    return recurrent("gru")


@graph(data=(2, 3, 4, 4))
def batchnorm_shared():
    x, g, b, mean, var = map(S.var, ("data", "g", "b", "mean", "moving_var"))
    y = S.BatchNorm(x, g, b, mean, var, name="b1", fix_gamma=False, use_global_stats=True)
    return S.BatchNorm(y + 1, g, b, mean, var, name="b2", fix_gamma=False, use_global_stats=True)


@graph(data=(2, 3, 4, 4))
def batchnorm_outputs():
    y = S.BatchNorm(S.var("data"), output_mean_var=True, use_global_stats=True, name="b1")
    return S.Group([y[0], y[1], y.get_internals()["b1_moving_mean"]])


@graph(data=(2, 4, 6, 6))
def convolution_groups():
    x = S.var("data")
    return S.Group([S.GroupNorm(x, num_groups=2, name="gn"), S.Convolution(x, num_group=2, num_filter=4, kernel=(3, 3),
                    dilate=(2, 2), name="c"), S.Convolution(x, num_filter=2, kernel=(1, 1), no_bias=True, layout="NCHW", name="c2")])


@graph(data=(2, 4, 6))
def convolution_1d():
    x = S.Convolution(S.var("data"), num_filter=3, kernel=(3,), pad=(1,), name="c")
    return S.Pooling(x, kernel=(2,), pool_type="max", stride=(2,))


@graph(data=(1, 2, 4, 5, 5))
def convolution_3d():
    return S.Pooling(S.Convolution(S.var("data"), num_filter=3, kernel=(2, 2, 2), name="c"), kernel=(2, 2, 2), pool_type="avg")


@graph(data=(2, 3, 4, 4))
def learned_slopes():
    x = S.var("data")
    return S.LeakyReLU(x, S.var("slopes"), act_type="prelu", name="p") + S.LeakyReLU(x, act_type="gelu")


@graph(img=(1, 2, 6, 6), theta=(1, 6))
def samplers():
    im, theta = S.var("img"), S.var("theta")
    g = S.GridGenerator(theta, transform_type="affine", target_shape=(4, 4))
    return S.Group([S.BilinearSampler(im, g), S.SpatialTransformer(im, theta, target_shape=(3, 3), transform_type="affine",
                                                                   sampler_type="bilinear")])


@graph(a=(3, 3))
def matrices():
    a = S.var("a")
    m = S.expand_dims(S.dot(a, a, transpose_b=True) + 3 * S.eye(3), axis=0)
    return S.Group([S.linalg.potrf(m), S.linalg.det(m), *S.linalg.slogdet(m), S.linalg.inverse(m), S.linalg.syrk(m)])


@graph(a=(2, 6))
def dtypes():
    a = S.var("a")
    i = S.cast(a * 3, dtype="int32")
    return S.Group([S.cast(a, dtype="float64") * 2.5, i + 1, S.argsort(a, dtype="int32"), S.topk(a, k=2, ret_typ="both", dtype="int64")[1]])


@graph(a=(2, 3))
def constants():
    a = S.var("a")
    return S.Group([S.zeros((2, 3)) + a, S.ones((2, 3), dtype="float64"), S.full((2,), 3.5), S.arange(2, 10, 2, repeat=2),
                    S.linspace(0, 1, 5), S.zeros_like(a), S.eye(3, 4, 1)])


@graph(a=(2, 3, 4))
def odd_names():
    w = S.var('ünï cödé"q\\', shape=(4,))
    return S.broadcast_mul(S.var("a"), w, name="名前") * S.var("x y\tz", shape=(2, 3, 4))


@graph(data=(1, 2, 6, 6), d2=(1, 2, 6, 6))
def enlarged():
    x = S.var("data")
    return S.Group([S.Correlation(x, S.var("d2"), kernel_size=1, max_displacement=2, pad_size=2),
                    S.UpSampling(x, scale=2, sample_type="bilinear", num_filter=2, name="up"),
                    S.contrib.BilinearResize2D(x, height=9, width=9), S.contrib.AdaptiveAvgPooling2D(x, output_size=(2, 3))])


@graph(a=(5, 2, 4), label=(2, 3))
def ctc():
    return S.CTCLoss(S.var("a"), S.floor(S.abs(S.var("label")) * 2) + 1)


@graph(x=(3, 4))
def numpy_numbers():
    x = S.var("x")
    return S.Group([S.slice(x, begin=(np.int64(0), np.int32(1)), end=(2, np.int64(3))), S.clip(x, np.float64(-0.5), np.float64(0.5)),
                    x * np.float64(1e-7) + np.float32(0.25), S.reshape(x, shape=(np.int64(2), 6))])
