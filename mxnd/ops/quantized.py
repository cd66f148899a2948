"""Layers on 8-bit integers with ranges, see quantize.py.

Each is a formula: integers are multiplied and added exactly, in double precision.  Ranges of results follow from those of the inputs:
int32 results have 2**31 - 1 steps to the limit."""
from . import batch_norm, conv, index, linear, pool  # noqa: F401  the layers that these mirror
from .declare import REGISTRY, F, op
from .params import REQUIRED, choice, flag, integer
from .quantize import CALIBRATED, ONE, _is_calibrated, quantized_types, with_ranges
from .shapes import axis_of, known, show, size, unify

STEPS = 2.0 ** 31 - 1
BYTES = ("int8", "uint8", "float32", "float64")            # floats hold whole numbers: for trials
ENDS = "output min_output max_output"
_RANGE = "The range goes along as two more outputs of shape (1,)."
HALVES_TO_EVEN = 3 * 2.0 ** 22                             # a float32 of this size has no fraction left


def _is_unsigned(x):
    return (x.dtype if isinstance(x.dtype, str) else x.dtype.__name__) == "uint8"


def _steps(x, more=0.0):
    """Steps to the limit of an array's range."""
    return (255.0 if _is_unsigned(x) else 127.0) + more


def _limit(low, high):
    return F.Cast(F.broadcast_maximum(F.abs(low), F.abs(high)), dtype="float64")


def _double(x):
    return F.Cast(x, dtype="float64")


def _single(x):
    return F.Cast(x, dtype="float32")


def _bytes(x, like=None, unsigned=False):
    """Numbers rounded (halves to even) and kept in 8 bits; in the dtype of `like`, if given."""
    if like is not None:
        unsigned = _is_unsigned(like)
    x = F.clip(_single(x), a_min=0.0 if unsigned else -128.0, a_max=255.0 if unsigned else 127.0)
    x = (x + HALVES_TO_EVEN) - HALVES_TO_EVEN
    return F.Cast(x, dtype="uint8" if unsigned else "int8") if like is None else F._cast_like(x, like)


def _with_range(x, low, high):
    return [x, _single(low), _single(high)]


def _around_zero(x, limit):
    return _with_range(x, limit * -1.0, limit)


# ---- shapes and numbers stay ---------------------------------------------------------------------------

def _act_rule(p, ins, outs):
    if p.act_type != "relu":
        raise ValueError(f"act_type {p.act_type} is not supported; expected relu")
    return with_ranges()(p, ins, outs)


op("_contrib_quantized_act", inputs="data min_data max_data", outputs=ENDS, shapes=_act_rule,
   params=dict(act_type=choice(REQUIRED, "relu", "sigmoid", "softrelu", "softsign", "tanh")),
   types=quantized_types(lambda p, t: t, BYTES, "int8"), compose=lambda p, x, low, high: _with_range(F.relu(x), low, high),
   samples=(dict(inputs=[[[-3, 5]], [-1], [1]], params=dict(act_type="relu")),),
   doc="Integers below 0 become 0; of the activations only relu.  " + _RANGE,
   example="mx.nd.contrib.quantized_act(mx.nd.array([-3, 5], dtype='int8'), mx.nd.array([-1]), mx.nd.array([1]), act_type='relu')")


def _pool_rule(p, ins, outs):
    if p.pool_type not in ("max", "avg"):
        raise ValueError(f"pool_type {p.pool_type} is not supported; expected max or avg")
    got, made = REGISTRY["Pooling"].shapes(p, ins[:1], outs[:1])
    return [*got, *[unify(e, ONE) for e in ins[1:]]], [*made, ONE, ONE]


def _pool(p, x, low, high):
    y = F.Pooling(_single(x), **p._asdict())
    return _with_range(_bytes(y, x), low, high)


op("_contrib_quantized_pooling", inputs="data min_data max_data", outputs=ENDS, params=dict(REGISTRY["Pooling"].params), shapes=_pool_rule,
   types=quantized_types(lambda p, t: t, BYTES, "int8"), compose=_pool,
   samples=(dict(inputs=[[[[1, 2], [3, 5]]], [-1], [1]], params=dict(kernel=(2,), pool_type="avg")),),
   doc="Largest integer or rounded mean of windows, as Pooling.  " + _RANGE,
   example="mx.nd.contrib.quantized_pooling(mx.nd.ones((1, 1, 4, 4), dtype='int8'), mx.nd.array([-1]), mx.nd.array([1]), kernel=(2, 2))")


def _rows_rule(p, ins, outs):
    got, made = REGISTRY["Embedding"].shapes(p, ins[:2], outs[:1])
    return [*got, *[unify(e, ONE) for e in ins[2:]]], [*made, ONE, ONE]


op("_contrib_quantized_embedding", inputs="data weight min_weight max_weight", outputs=ENDS, params=dict(REGISTRY["Embedding"].params),
   shapes=_rows_rule,
   types=lambda p, ins, outs: ([ins[0] or "float32", ins[1] or "int8", *[v or "float32" for v in ins[2:]]],
                               [ins[1] or "int8", "float32", "float32"]),
   compose=lambda p, x, w, low, high: _with_range(F.Embedding(x, w, **p._asdict()), low, high),
   samples=(dict(inputs=[[1, 0], [[1, 2], [3, 4]], [-1], [1]], params=dict(input_dim=2, output_dim=2)),),
   doc="Row data[i] of a quantized weight for each index, as Embedding.  " + _RANGE,
   example="mx.nd.contrib.quantized_embedding(mx.nd.array([1]), mx.nd.ones((2, 3), dtype='int8'), mx.nd.array([-1]), mx.nd.array([1]), "
           "input_dim=2, output_dim=3)")


def _joined_rule(p, ins, outs):
    n = p.num_args
    if len(ins) != 3 * n:
        raise ValueError(f"wrong number of inputs; expected {3 * n}, {n} arrays and the two ends of each, got {len(ins)}")
    ends = [unify(e, ONE, "shape of an end of the range and (1,)") for e in ins[n:]]
    got, made = REGISTRY["Concat"].shapes(p, ins[:n], outs[:1])
    return [*got, *ends], [*made, ONE, ONE]


def _joined_types(p, ins, outs):
    data = ins[:p.num_args]
    for t in data:
        if t not in (None, *BYTES):
            raise ValueError(f"data has dtype {t}; expected int8 or uint8")
    return [*data, *[v or "float32" for v in ins[p.num_args:]]], ["uint8" if set(data) == {"uint8"} else "int8", "float32", "float32"]


def _joined(p, *x):
    n = p.num_args
    data, lows, highs = x[:n], x[n::2], x[n + 1::2]
    low, high = lows[0], highs[0]
    for a, b in zip(lows[1:], highs[1:]):
        low, high = F.broadcast_minimum(low, a), F.broadcast_maximum(high, b)
    unsigned = all(map(_is_unsigned, data))
    whole, parts = _limit(low, high), []
    for v, a, b in zip(data, lows, highs):
        scale = F.broadcast_div(_limit(a, b), whole) * ((255.5 if unsigned else 127.5) / _steps(v, 0.5))
        scale = F._reshape_to(scale, shape=(1,) * len(v.shape)) if v.shape else scale
        parts.append(_bytes(F.broadcast_mul(_double(v), scale), unsigned=unsigned))
    return _with_range(F.Concat(*parts, dim=p.dim, num_args=n), low, high)


op("_contrib_quantized_concat", inputs="data", variadic="num_args", outputs=ENDS, params=dict(num_args=integer(at_least=1), dim=integer(1)),
   shapes=_joined_rule, types=_joined_types, compose=_joined, arrays_of_each=3,
   samples=(dict(inputs=[[[10, 20]], [[30, 40]], [-1], [1], [-2], [2]], params=dict(num_args=2)),),
   doc="num_args quantized arrays joined along an axis, in the widest range of them; the inputs are the arrays, then the two ends of the "
       "range of each.  " + _RANGE,
   example="mx.nd.contrib.quantized_concat(mx.nd.ones((1, 2), dtype='int8'), mx.nd.ones((1, 2), dtype='int8'), "
           "*map(mx.nd.array, ([-1], [1], [-2], [2])), num_args=2)")

# ---- sums of products ------------------------------------------------------------------------------------


def _layer_inputs(p):
    names = ["data", "weight"] + ["bias"] * (not p.no_bias)
    return names + [f"{end}_{n}" for n in names for end in ("min", "max")]


def _layer_rule(name):
    def rule(p, ins, outs):
        n = 2 if p.no_bias else 3
        got, made = REGISTRY[name].shapes(p, ins[:n], outs[:1])
        return [*got, *[unify(e, ONE, "shape of an end of the range and (1,)") for e in ins[n:]]], [*made, ONE, ONE]
    return rule


def _layer_types(p, ins, outs):
    n = 2 if p.no_bias else 3
    for t in ins[:n]:
        if t not in (None, *BYTES):
            raise ValueError(f"an array has dtype {t}; expected int8 or uint8")
    return [*[t or "int8" for t in ins[:n]], *[v or "float32" for v in ins[n:]]], ["int32", "float32", "float32"]


def _layer(name):
    def compose(p, data, weight, *more):
        bias = None if p.no_bias else more[0]
        low, high, low_w, high_w, *ends = more[0 if p.no_bias else 1:]
        y = getattr(F, name)(_double(data), _double(weight), **{**p._asdict(), "no_bias": True})
        limit, limit_w = _limit(low, high), _limit(low_w, high_w)
        if bias is not None:                       # counted in the steps of the products
            unit = limit * limit_w / (_steps(data, 0.5) * _steps(weight, 0.5))
            unit_b = _limit(*ends) / _steps(bias, 0.5)
            b = F.trunc(F.broadcast_mul(_double(bias), F.broadcast_div(unit_b, unit)))
            if name == "Convolution":
                b = F._reshape_to(b, shape=(1, p.num_filter) + (1,) * len(p.kernel))
            y = F.broadcast_add(y, b)
        return _around_zero(F.Cast(y, dtype="int32"), limit * limit_w * (STEPS / (_steps(data) * _steps(weight))))
    return compose


_INPUTS = "data weight bias min_data max_data min_weight max_weight min_bias max_bias"
_PAIR = "*map(mx.nd.array, ([-1], [1], [-2], [2])), "
for _name, _layer_name, _sample, _example in (
        ("fully_connected", "FullyConnected", dict(inputs=[[[10, -20, 30]], [[1, 2, 3], [-4, 5, -6]], [100, -50], [-1], [1], [-2], [2],
                                                           [-0.5], [0.5]], params=dict(num_hidden=2)),
         f"mx.nd.ones((1, 3), dtype='int8'), mx.nd.ones((2, 3), dtype='int8'), {_PAIR}num_hidden=2, no_bias=True)"),
        ("conv", "Convolution", dict(inputs=[[[[1, 2, 3], [4, 5, 6]]], [[[1, 2], [-3, 4]]], [-1], [1], [-2], [2]],
                                     params=dict(kernel=(2,), num_filter=1, no_bias=True)),
         f"mx.nd.ones((1, 1, 4), dtype='int8'), mx.nd.ones((1, 1, 2), dtype='int8'), {_PAIR}kernel=(2,), num_filter=1, no_bias=True)")):
    op(f"_contrib_quantized_{_name}", inputs=_INPUTS, takes=_layer_inputs, outputs=ENDS, params=dict(REGISTRY[_layer_name].params),
       shapes=_layer_rule(_layer_name), types=_layer_types, compose=_layer(_layer_name), samples=(_sample,),
       doc=f"{_layer_name} of 8-bit integers, as int32; bias is brought to the steps of the products.  " + _RANGE,
       example=f"mx.nd.contrib.quantized_{_name}({_example}")

# ---- element by element ------------------------------------------------------------------------------------


def _pair_rule(p, ins, outs):
    _is_calibrated(p)
    s = unify(unify(ins[0], ins[1], "shapes of lhs and rhs"), outs[0])
    return [s, s, *[unify(e, ONE, "shape of an end of the range and (1,)") for e in ins[2:]]], [s, *[ONE] * (len(outs) - 1)]


def _pair_types(p, ins, outs):
    for t in ins[:2]:
        if t not in (None, *BYTES):
            raise ValueError(f"an array has dtype {t}; expected int8 or uint8")
    whole = "float32" if getattr(p, "enable_float_output", False) else "int8" if _is_calibrated(p) else "int32"
    return [*[t or "int8" for t in ins[:2]], *[v or "float32" for v in ins[2:]]], [whole, *["float32"] * (len(outs) - 1)]


def _real(x, limit):
    scale = limit / _steps(x, 0.5)
    return F.broadcast_mul(_double(x), F._reshape_to(scale, shape=(1,) * len(x.shape)) if x.shape else scale)


def _calibrated(p, y):
    """Real numbers in the given range."""
    limit = max(abs(p.min_calib_range), abs(p.max_calib_range))
    return _bytes(y * (127.5 / limit if limit else 0.0)), limit


def _ends_of(x, limit):
    """Two numbers as arrays of shape (1,), made from an end of a range."""
    zero = F.zeros_like(_single(x))
    return zero - limit, zero + limit


def _add(p, a, b, low_a, high_a, low_b, high_b):
    limit_a, limit_b = _limit(low_a, high_a), _limit(low_b, high_b)
    y = _real(a, limit_a) + _real(b, limit_b)
    if _is_calibrated(p):
        q, limit = _calibrated(p, y)
        return [q, *_ends_of(low_a, limit)]
    limit = limit_a + limit_b
    scale = STEPS / limit
    y = F.broadcast_mul(y, F._reshape_to(scale, shape=(1,) * len(y.shape)) if y.shape else scale)
    return _around_zero(F.Cast(F.round(y), dtype="int32"), limit)


def _mul(p, a, b, low_a, high_a, low_b, high_b):
    limit_a, limit_b = _limit(low_a, high_a), _limit(low_b, high_b)
    if p.enable_float_output:
        return [_single(_real(a, limit_a) * _real(b, limit_b))]
    if _is_calibrated(p):
        q, limit = _calibrated(p, _real(a, limit_a) * _real(b, limit_b))
        return [q, *_ends_of(low_a, limit)]
    return _around_zero(F.Cast(_double(a) * _double(b), dtype="int32"), limit_a * limit_b * (STEPS / (_steps(a) * _steps(b))))


_TWO = [[10, -20], [30, 40], [-1], [1], [-2], [2]]
for _name, _f, _more, _outputs, _words in (
        ("add", _add, {}, ENDS, "Sum"),
        ("mul", _mul, dict(enable_float_output=flag()), lambda p: ("output",) if p.enable_float_output else tuple(ENDS.split()),
         "Product")):
    op(f"_contrib_quantized_elemwise_{_name}", inputs="lhs rhs lhs_min lhs_max rhs_min rhs_max", outputs=_outputs, shapes=_pair_rule,
       params=dict(CALIBRATED, **_more), types=_pair_types, compose=_f,
       samples=(dict(inputs=_TWO, params={}), dict(inputs=_TWO, params=dict(min_calib_range=-2.0, max_calib_range=2.0))),
       doc=f"{_words} of quantized arrays of one shape: int32, or int8 in the given range"
           + (", or with enable_float_output real numbers, without a range.  " if _more else ".  ") + _RANGE,
       example=f"mx.nd.contrib.quantized_elemwise_{_name}(mx.nd.ones((2,), dtype='int8'), mx.nd.ones((2,), dtype='int8'), "
               "*map(mx.nd.array, ([-1], [1], [-2], [2])))")


# ---- batch normalisation ---------------------------------------------------------------------------------------

def _norm_rule(p, ins, outs):
    if not _is_calibrated(p):
        raise ValueError("the range is missing; expected min_calib_range and max_calib_range")
    data, *rest = ins
    n = None if data is None else data[axis_of(p.axis, len(data))]
    for v in rest[:4]:
        n = unify((n,), v, "shapes of gamma, beta and the means, and the number of channels")[0]
    return [data, *[(n,)] * 4, *[unify(e, ONE) for e in rest[4:]]], [unify(outs[0], data), ONE, ONE]


def _norm(p, x, gamma, beta, mean, var, low, high):
    a = axis_of(p.axis, len(x.shape))

    def along(v):
        return F._reshape_to(_double(v), shape=tuple(n if i == a else 1 for i, n in enumerate(x.shape)))
    scale = (along(var) + p.eps) ** -0.5
    if not p.fix_gamma:
        scale = scale * along(gamma)
    y = F.broadcast_add(F.broadcast_mul(F.broadcast_sub(_real(x, _limit(low, high)), along(mean)), scale), along(beta))
    q, limit = _calibrated(p, y)
    return [q, *_ends_of(low, limit)]


op("_contrib_quantized_batch_norm", inputs="data gamma beta moving_mean moving_var min_data max_data", aux="moving_mean moving_var",
   outputs=ENDS, params=dict(REGISTRY["BatchNorm"].params, **CALIBRATED), shapes=_norm_rule,
   types=lambda p, ins, outs: ([ins[0] or "int8", *[v or "float32" for v in ins[1:]]], ["int8", "float32", "float32"]), compose=_norm,
   samples=(dict(inputs=[[[10, -20], [30, 40]], [1, 2], [0.5, 0], [0.1, 0], [1, 1], [-1], [1]],
                 params=dict(min_calib_range=-3.0, max_calib_range=3.0)),),
   doc="Batch normalisation of quantized data by the moving mean and variance, as int8 in the given range.  " + _RANGE,
   example="mx.nd.contrib.quantized_batch_norm(mx.nd.ones((1, 2), dtype='int8'), *[mx.nd.ones((2,))] * 4, mx.nd.array([-1]), "
           "mx.nd.array([1]), min_calib_range=-3.0, max_calib_range=3.0)")


# ---- other ranges ----------------------------------------------------------------------------------------------

def _asym_rule(p, ins, outs):
    _is_calibrated(p)
    if known(ins[0]) and not size(ins[0]):
        raise ValueError("data is empty; expected numbers to find the range of")
    s = unify(ins[0], outs[0])
    return [s], [s, ONE, ONE]


def _asym(p, x):
    x = _single(x)
    if _is_calibrated(p):
        low, high = (F.zeros_like(F.sum(x)) + v for v in (p.min_calib_range, p.max_calib_range))
    else:
        low, high = F.min(x), F.max(x)
    low, high = F._reshape_to(low, shape=ONE), F._reshape_to(high, shape=ONE)
    scale = 255.0 / F.broadcast_maximum(high - low, F.zeros_like(low) + 1e-30)
    shift = 255.0 - high * scale
    y = F._reshape_to(x, shape=x.shape or ONE)
    y = F._reshape_to(F.broadcast_add(F.broadcast_mul(y, scale), shift), shape=x.shape)
    return [F.Cast(F.clip(F.floor(y + 0.5), a_min=0.0, a_max=255.0), dtype="uint8"), scale, shift]


op("_contrib_quantize_asym", inputs="data", outputs="output scale shift", params=dict(CALIBRATED), shapes=_asym_rule,
   types=lambda p, ins, outs: ([ins[0] or "float32"], ["uint8", "float32", "float32"]), compose=_asym,
   samples=(dict(inputs=[[[-1.0, 0.2], [0.7, 2.0]]], params={}),
            dict(inputs=[[[-1.0, 0.2], [0.7, 2.0]]], params=dict(min_calib_range=-1.0, max_calib_range=3.0))),
   doc="Real numbers as uint8 from the low to the high end of the given range or that of the data: x * scale + shift, rounded; scale and "
       "shift are the other outputs.",
   example="mx.nd.contrib.quantize_asym(mx.nd.array([-1, 0.2, 2]))")


def _entropy_rule(p, ins, outs):
    hist, edges = ins
    if known(hist):
        if len(hist) != 1 or hist[0] % 2 == 0 or hist[0] < p.num_quantized_bins:
            raise ValueError(f"hist has shape {show(hist)}; expected an odd number of bins, at least num_quantized_bins = "
                             f"{p.num_quantized_bins}")
        edges = unify(edges, (hist[0] + 1,), "shape of hist_edges and one more than the bins")
    return [hist, edges], [ONE, ONE]


op("_contrib_calibrate_entropy", inputs="hist hist_edges", outputs="threshold divergence", params=dict(
   num_quantized_bins=integer(255, at_least=3, at_most=65535)), shapes=_entropy_rule, kernel="calibrate_entropy",
   types=lambda p, ins, outs: ([v or "float32" for v in ins], ["float32", "float32"]),
   arguments=lambda p, ins, outs: [p.num_quantized_bins],
   samples=(dict(inputs=[[1.0, 3, 5, 9, 5, 2, 1], [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5]], params=dict(num_quantized_bins=3)),),
   doc="Where to cut off numbers before they are quantized: the threshold, of the edges of a histogram around zero, at which the clipped "
       "histogram and its quantized form differ least in entropy; and that difference.",
   example="mx.nd.contrib.calibrate_entropy(mx.nd.ones((9,)), mx.nd.arange(10) - 4.5, num_quantized_bins=3)")
