"""Layers that pick one of several activation functions: Activation and LeakyReLU."""
from .declare import FLOATS, F, binary, op, unary
from .errors import MXNetError
from .params import REQUIRED, choice, number
from .shapes import same, unify

SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def curve(positive, negative):
    """Derivative: `positive` where x > 0, else negative * exp(x), without the exp of large numbers."""
    def grad(g, x, y, *p):
        a = negative if not p else p[0].slope
        return g * ((x > 0) * positive + (x <= 0) * F.exp(F._minimum_scalar(x, scalar=0.0)) * a)
    return grad


SLOPE = {"slope": number(0.25)}
unary("_leaky_relu", "x > 0 ? x : P0 * x", lambda g, x, y, p: g * ((x > 0) * (1.0 - p.slope) + p.slope), params=dict(SLOPE),
      keeps_zero=True, numpy="np.where(x > 0, x, p.slope * x)", domain=(0.2, 2),
      public=lambda p, x: F.LeakyReLU(x, act_type="leaky", slope=p.slope), doc="x where x > 0, else slope * x.")
unary("_elu", "x > 0 ? x : P0 * m_expm1(x)", curve(1.0, None), params=dict(SLOPE), keeps_zero=True,
      numpy="np.where(x > 0, x, p.slope * np.expm1(x))", domain=(0.2, 2),
      public=lambda p, x: F.LeakyReLU(x, act_type="elu", slope=p.slope), doc="x where x > 0, else slope * (exp(x) - 1).")
unary("_selu", f"K({SELU_SCALE}) * (x > 0 ? x : K({SELU_ALPHA}) * m_expm1(x))", curve(SELU_SCALE, SELU_SCALE * SELU_ALPHA),
      keeps_zero=True, numpy=f"{SELU_SCALE} * np.where(x > 0, x, {SELU_ALPHA} * np.expm1(x))", domain=(0.2, 2),
      public=lambda p, x: F.LeakyReLU(x, act_type="selu"), doc="elu with the scale and slope that keep mean 0 and variance 1.")
unary("_gelu", "K(0.5) * x * (1 + m_erf(K(0.7071067811865476) * x))",
      lambda g, x, y: g * (0.5 + 0.5 * F.erf(x * 0.7071067811865476) + x * F.exp(x * x * -0.5) * 0.3989422804014327),
      keeps_zero=True, public=lambda p, x: F.LeakyReLU(x, act_type="gelu"), doc="x times the normal distribution function of x.")
binary("_prelu", "x > 0 ? x : x * y",
       (lambda g, x, y, out: g * ((x > 0) + (x <= 0) * y), lambda g, x, y, out: g * ((x <= 0) * x)), names="_prelu",
       public=lambda p, x, y: F.elemwise_sub(F.relu(x), F.broadcast_mul(F.relu(F.negative(x)), y)),
       numpy="np.where(x > 0, x, x * y)", domain=(0.2, 2), doc="x where x > 0, else y * x.")
op("_rrelu", params=dict(lower_bound=number(0.125), upper_bound=number(0.334)), outputs="output mask",
   shapes=lambda p, ins, outs: ([unify(ins[0], outs[0])], [unify(ins[0], outs[0])] * 2),
   kernel="random_slopes", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: [p.lower_bound, p.upper_bound], random=True, uses_mode=True,
   grad=lambda p, g, x, y: [lambda: g[0] * y[1]],
   doc="x where x > 0, else x times a slope: random while training, otherwise the middle one.  Also returns the factors.")


# ---- Activation -------------------------------------------------------------------------------------

ACTIVATIONS = ("relu", "sigmoid", "softrelu", "softsign", "tanh")
op("Activation", params=dict(act_type=choice(REQUIRED, *ACTIVATIONS)), aliases="_npx_activation", shapes=same, rising=True,
   compose=lambda p, x: getattr(F, p.act_type)(x),
   numpy="dict(relu=lambda x: np.maximum(x, 0), sigmoid=lambda x: 1 / (1 + np.exp(-x)), softrelu=lambda x: np.log1p(np.exp(x)),"
         " softsign=lambda x: x / (1 + np.abs(x)), tanh=np.tanh)[p.act_type](data)",
   samples=tuple(dict(inputs=[(2, 3)], params=dict(act_type=a)) for a in ACTIVATIONS),
   doc="One of the functions relu, sigmoid, softrelu, softsign and tanh, elementwise.  Shape and dtype stay.",
   example="mx.nd.Activation(mx.nd.array([-1, 2]), act_type='relu')")


# ---- LeakyReLU --------------------------------------------------------------------------------------

def leaky_shapes(p, ins, outs):
    data = unify(ins[0], outs[0])
    outs = [data] * len(outs)
    if p.act_type != "prelu":
        return [data], outs
    gamma = ins[1]
    if gamma is None and data is not None:
        gamma = (data[1 if len(data) > 1 else 0],)
    if gamma is not None and data is not None:
        slope_shape(gamma, data)
    return [data, gamma], outs


def slope_shape(gamma, data):
    """The shape that makes gamma broadcast to data: one slope, one per channel, or any shape that does so itself."""
    if all(n == 1 for n in gamma):
        return (1,) * len(data)
    channels = data[1 if len(data) > 1 else 0] if data else 1
    if len(gamma) == 1 and (gamma[0] == channels or gamma[0] is None or channels is None):
        return tuple(gamma[0] if i == min(1, len(data) - 1) else 1 for i in range(len(data)))
    if len(gamma) == len(data) and all(m in (1, n) or None in (m, n) for m, n in zip(gamma, data)):
        return gamma
    raise ValueError(f"gamma has a wrong shape; expected ({channels},) or (1,), got {gamma}")


def leaky(p, x, gamma=None):
    kind = p.act_type
    if kind == "rrelu":
        return F._rrelu(x, lower_bound=p.lower_bound, upper_bound=p.upper_bound)
    if kind == "prelu":
        try:
            to = slope_shape(gamma.shape, x.shape)
        except ValueError as e:
            raise MXNetError(f"LeakyReLU: {e}") from None
        return F._prelu(x, gamma if gamma.shape == to else F._reshape_to(gamma, shape=to))
    if kind in ("leaky", "elu"):
        return (F._leaky_relu if kind == "leaky" else F._elu)(x, slope=p.slope)
    return (F._selu if kind == "selu" else F._gelu)(x)


KINDS = ("elu", "gelu", "leaky", "prelu", "rrelu", "selu")
op("LeakyReLU", inputs="data gamma", aliases="_npx_leaky_relu", takes=lambda p: "data gamma" if p.act_type == "prelu" else "data",
   params=dict(act_type=choice("leaky", *KINDS), slope=number(0.25), lower_bound=number(0.125), upper_bound=number(0.334)),
   outputs=lambda p: ("output", "mask") if p.act_type == "rrelu" else ("output",), shapes=leaky_shapes, compose=leaky,
   random=True, uses_mode=True, initial={"gamma": '["Constant", {"value": 0.25}]'},
   samples=(dict(inputs=[(2, 3)]), dict(inputs=[(2, 3)], params=dict(act_type="elu", slope=0.5)),
            dict(inputs=[(2, 3)], params=dict(act_type="gelu")), dict(inputs=[(2, 3)], params=dict(act_type="selu")),
            dict(inputs=[(2, 3, 2), (3,)], params=dict(act_type="prelu"))),
   doc="""Rectifiers that let negative elements through: x where x > 0, and below

    leaky: slope * x;  elu: slope * (exp(x) - 1);  selu: elu with fixed scale and slope;  prelu: gamma * x, with gamma of one
    element, one per channel (axis 1), or of a shape that broadcasts;  rrelu: a slope drawn from [lower_bound, upper_bound]
    while training, their mean otherwise (also returns the factors).  gelu is x times the normal distribution function of x.
    Floats.""",
   example="mx.nd.LeakyReLU(mx.nd.array([-1, 2]), act_type='leaky', slope=0.1)")
