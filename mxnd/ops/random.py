"""Random numbers: distributions with numbers or arrays as parameters, categories, permutations."""
from .declare import F, op
from .params import dtype, flag, integer, number, shape, text
from .shapes import size, unify

FLOATS16 = ("float16", "float32", "float64", "bfloat16")
CODES = ("uniform", "normal", "exponential", "gamma", "poisson", "negative_binomial", "generalized_negative_binomial")


def whole_shape(p):
    return (1,) if p.shape is None else p.shape


def distribution(name, params, arrays, doc, check, range_doc=""):
    """Declare _random_name, _random_name_like and _sample_name.

    params: the parameters; arrays: what they are called when they are arrays; check: parameters -> problem or None."""
    keys = tuple(params)
    code = CODES.index(name)

    def checked(p):
        problem = check(*[getattr(p, k) for k in keys])
        if problem:
            raise ValueError(problem)

    def numbers(p):
        given = [float(getattr(p, k)) for k in keys]
        return [*given, *[0.0] * (2 - len(given))]

    def fixed_shapes(p, ins, outs):
        checked(p)
        return [], [unify(outs[0], whole_shape(p))]

    def like_shapes(p, ins, outs):
        checked(p)
        s = unify(ins[0], outs[0])
        return [s], [s]

    def like_types(p, ins, outs):
        t = ins[0] or outs[0]
        if t is not None and t not in FLOATS16:
            raise ValueError(f"dtype {t} is not supported; expected one of {', '.join(FLOATS16)}")
        return [t], [t]

    def sample_shapes(p, ins, outs):
        s = None
        for v in ins:
            s = unify(s, v, "shapes of the parameters")
        if outs[0] is not None and len(outs[0]) >= len(p.shape):
            s = unify(s, outs[0][:len(outs[0]) - len(p.shape)], "shapes of the parameters and the start of the result")
        return [s] * len(ins), [outs[0] if s is None else unify(outs[0], (*s, *p.shape))]

    def float_result(p, ins, outs):
        return ins, [outs[0] or "float32"]

    def sample_types(p, ins, outs):
        t = next((v for v in ins if v), None)
        for v in ins:
            if v is not None and v != t:
                raise ValueError(f"inputs have different dtypes: {t} and {v}; expected one dtype (use astype)")
        return [t] * len(ins), [p.dtype or outs[0]]
    common = dict(kernel="random_draw", random=True)
    op(f"_random_{name}", inputs="", zero_is_unknown=True, params={**params, "shape": shape(None), "ctx": text(""),
                                            "dtype": dtype(None, *FLOATS16)},
       aliases=f"random_{name}" + (f" {name}" if name in ("uniform", "normal") else ""), shapes=fixed_shapes,
       types=lambda p, ins, outs: ([], [p.dtype or outs[0] or "float32"]), arguments=lambda p, ins, outs: [code, 0, *numbers(p)],
       samples=(dict(inputs=[], params=dict(shape=(3, 2))),), example=f"mx.nd.random_{name}(shape=(2, 3))",
       doc=f"{doc}\n\n    {range_doc}The array has the given shape ((1,) by default) and dtype (float32 by default).", **common)
    op(f"_random_{name}_like", inputs="data", params=dict(params), shapes=like_shapes, types=like_types,
       arguments=lambda p, ins, outs: [code, 0, *numbers(p)], samples=(dict(inputs=[(3, 2)]),),
       example=f"mx.nd.random.{name}_like(mx.nd.ones((2, 3)))",
       doc=f"{doc}\n\n    {range_doc}Shape and dtype are those of data.", **common)
    op(f"_sample_{name}", inputs=arrays, params=dict(shape=shape(()), dtype=dtype(None, *FLOATS16)), aliases=f"sample_{name}",
       shapes=sample_shapes, types=sample_types, presumed=float_result, arguments=lambda p, ins, outs: [code, 1, 0.0, 0.0],
       samples=(dict(inputs=[[0.5, 0.7]] * len(arrays.split()), params=dict(shape=(3,))),),
       example=f"mx.nd.sample_{name}({', '.join(['mx.nd.array([0.5, 0.7])'] * len(arrays.split()))}, shape=(2,))",
       doc=f"{doc}\n\n    {range_doc}The parameters are arrays of one shape; each element gets an array of the parameter `shape`:"
           "\n    the result has shape (parameters' shape..., shape...).", **common)


def low_above_high(low, high):
    return f"low is above high; expected low <= high, got {low} and {high}" if not low <= high else None


def positive(*names):
    def check(*values):
        for n, v in zip(names, values):
            if not v > 0:
                return f"{n} is out of range; expected {n} > 0, got {v}"
        return None
    return check


def not_negative(*names):
    def check(*values):
        for n, v in zip(names, values):
            if not v >= 0:
                return f"{n} is out of range; expected {n} >= 0, got {v}"
        return None
    return check


def binomial_problem(k, p):
    return not_negative("k", "p")(k, p) or (f"p is out of range; expected 0 < p <= 1, got {p}" if not 0 < p <= 1 else None)


distribution("uniform", dict(low=number(0.0), high=number(1.0)), "low high", "Uniform numbers.", low_above_high,
             "low is included, high is not.  ")
distribution("normal", dict(loc=number(0.0), scale=number(1.0)), "mu sigma",
             "Normal numbers with a mean and a standard deviation.", lambda loc, scale: positive("scale")(scale))
distribution("gamma", dict(alpha=number(1.0), beta=number(1.0)), "alpha beta", "Gamma numbers with shape alpha and scale beta.",
             positive("alpha", "beta"), "The mean is alpha * beta.  ")
distribution("exponential", dict(lam=number(1.0)), "lam", "Exponential numbers with rate lam.", positive("lam"),
             "The mean is 1 / lam.  ")
distribution("poisson", dict(lam=number(1.0)), "lam", "Poisson numbers with mean lam.", not_negative("lam"),
             "They are whole numbers.  ")
distribution("negative_binomial", dict(k=integer(1), p=number(1.0)), "k p",
             "Failures before the k-th success, where p is the chance of success.", binomial_problem,
             "They are whole numbers; the mean is k * (1 - p) / p.  ")
distribution("generalized_negative_binomial", dict(mu=number(1.0), alpha=number(1.0)), "mu alpha",
             "Negative binomial numbers with mean mu and dispersion alpha.", not_negative("mu", "alpha"),
             "They are whole numbers; the variance is mu + alpha * mu ** 2.  ")


# ---- whole numbers ----------------------------------------------------------------------------------

def randint_shapes(p, ins, outs):
    if not p.low < p.high:
        raise ValueError(f"low is not below high; expected low < high, got {p.low} and {p.high}")
    if (p.dtype or "int32") == "int32" and not -2 ** 31 <= p.low <= p.high <= 2 ** 31:
        raise ValueError(f"low and high do not fit int32; expected -2**31 <= low and high <= 2**31, got {p.low} and {p.high}")
    return [], [unify(outs[0], whole_shape(p))]


def signed(n):
    """A count below 2**64 in the 64 bits of a signed number."""
    return n - 2 ** 64 if n >= 2 ** 63 else n


op("_random_randint", inputs="", aliases="_npi_random_randint random_randint", random=True, shapes=randint_shapes,
   params=dict(low=integer(at_least=-2 ** 63), high=integer(at_most=2 ** 63), shape=shape(None), ctx=text(""),
               dtype=dtype(None, "int32", "int64")),
   types=lambda p, ins, outs: ([], [p.dtype or "int32"]), kernel="random_randint",
   arguments=lambda p, ins, outs: [p.low, signed(p.high - p.low)],
   samples=(dict(inputs=[], params=dict(low=0, high=5, shape=(3,))),),
   doc="""Whole numbers from low up to, not including, high, each with the same probability.

    The array has the given shape ((1,) by default) and dtype int32 (default) or int64.""",
   example="mx.nd.random_randint(0, 10, shape=(3,))")


# ---- categories -------------------------------------------------------------------------------------

def multinomial_shapes(p, ins, outs):
    data = ins[0]
    if data is None:
        return ins, outs
    if not data:
        raise ValueError("data has no dimensions; expected probabilities along the last axis")
    if len(data) > 1:
        made = (*data[:-1], *p.shape)
    else:
        made = p.shape or (1,)
    return ins, [unify(o, made) for o in outs]


def multinomial_types(p, ins, outs):
    t = ins[0]
    if t is not None and t not in FLOATS16:
        raise ValueError(f"dtype {t} is not supported; expected one of {', '.join(FLOATS16)}")
    return [t], [p.dtype, *[t] * (len(outs) - 1)]


def multinomial_grad(p, g, x, y):
    """Only the logarithm of the probability depends on data: 1 / probability where a category was drawn."""
    if len(y) == 1:
        return [None]

    def get():
        data = x[0]
        many, rows = data.shape[-1], size(data.shape[:-1])
        each = size(y[0].shape) // rows if rows else 0
        drawn = F.Cast(F._reshape_to(y[0], shape=(rows, each)), dtype="float32")
        hit = F._cast_like(F.one_hot(drawn, depth=many), data)
        head = F._reshape_to(g[1], shape=(rows, each, 1))
        return F._reshape_to(F.sum(F.broadcast_mul(hit, head), axis=(1,)), shape=data.shape) / data
    return [get]


op("_sample_multinomial", aliases="sample_multinomial", random=True, kernel="sample_multinomial",
   params=dict(shape=shape(()), get_prob=flag(), dtype=dtype("int32", "float16", "float32", "float64", "int32", "uint8")),
   outputs=lambda p: ("output0", "output1") if p.get_prob else ("output",), shapes=multinomial_shapes, types=multinomial_types,
   arguments=lambda p, ins, outs: [size(ins[0][:-1]), ins[0][-1], size(outs[0]) // max(size(ins[0][:-1]), 1)],
   grad=multinomial_grad, samples=(dict(inputs=[[[0.2, 0.8], [0.5, 0.5]]]),),
   doc="""Numbers of categories, drawn with the probabilities along the last axis of data.

    data (..., categories): the result has shape (..., shape...), or shape for one row ((1,) by default).
    get_prob also returns the logarithm of each drawn category's probability, which has a gradient.""",
   example="mx.nd.sample_multinomial(mx.nd.array([0.2, 0.8]), shape=(3,))")


# ---- permutations -----------------------------------------------------------------------------------

def shuffle_shapes(p, ins, outs):
    s = unify(ins[0], outs[0])
    return [s], [s]


op("_shuffle", aliases="_npi_shuffle shuffle", random=True, shapes=shuffle_shapes, kernel="shuffle", accepts_unknown_params=True,
   arguments=lambda p, ins, outs: [ins[0][0] if ins[0] else 1, size(ins[0][1:])], samples=(dict(inputs=[(4, 2)]),),
   doc="The rows of data (along the first axis) in a random order.  Shape and dtype stay.",
   example="mx.nd.shuffle(mx.nd.array([1, 2, 3]))")


def zipfian_shapes(p, ins, outs):
    s = p.shape or (1,)
    n = s[-1]
    if n > p.range_max:
        raise ValueError(f"there are too few classes; expected range_max >= {n}, got {p.range_max}")
    return [], [s, s[:-1] or (1,)]


op("_sample_unique_zipfian", inputs="", params=dict(range_max=integer(at_least=1), shape=shape(None)), outputs="output0 output1",
   random=True, kernel="sample_unique_zipfian", shapes=zipfian_shapes, types=lambda p, ins, outs: ([], ["int64", "int64"]),
   arguments=lambda p, ins, outs: [size(outs[0][:-1]), outs[0][-1], p.range_max],
   doc="""Different classes from an approximately Zipfian distribution: P(k) = (log(k + 2) - log(k + 1)) / log(range_max + 1).

    shape (rows, n): n different classes in each row, int64, and how many draws each row took.""",
   example="mx.nd._internal._sample_unique_zipfian(range_max=100, shape=(1, 3))")


# ---- densities --------------------------------------------------------------------------------------

LOG_ROOT_2PI = 0.9189385332046727


def density(name, inputs, log_density, doc, samples, last=0):
    """Declare _random_pdf_name.  log_density(x, parameters, shaped to broadcast) -> formula; last: axes of one draw."""
    def shapes(p, ins, outs):
        sample, s = ins[0], None
        for v in ins[1:]:
            s = unify(s, v, "shapes of the parameters")
        if sample is not None and s is not None:
            n = len(s) - last
            if len(sample) < n + last:
                raise ValueError(f"sample has too few dimensions; expected at least {n + last}, got {len(sample)}")
            s = unify(s, (*sample[:n], *sample[len(sample) - last:]), "shapes of the parameters and the start of sample")
        return [sample, *[s] * (len(ins) - 1)], [None if sample is None else unify(outs[0], sample[:len(sample) - last])]

    def compose(p, x, *params):
        to = []
        for v in params:
            n, gap = len(v.shape) - last, len(x.shape) - len(v.shape)
            to.append(v if not gap else F._reshape_to(v, shape=(*v.shape[:n], *[1] * gap, *v.shape[n:])))
        got = log_density(x, *to)
        return got if p.is_log else F.exp(got)
    op(f"_random_pdf_{name}", inputs=inputs, aliases=f"random_pdf_{name}", params=dict(is_log=flag()), shapes=shapes,
       compose=compose, samples=samples,
       doc=f"{doc}\n\n    The parameters are arrays of one shape, with which the shape of sample starts; is_log gives\n"
           "    the logarithm.  Gradients for the sample and the parameters.  Floats.",
       example=f"mx.nd.random_pdf_{name}(mx.nd.array({samples[0]['inputs'][0]}), "
               + ", ".join(f"mx.nd.array({v})" for v in samples[0]["inputs"][1:]) + ")")


def uniform_density(x, low, high):
    inside = F.broadcast_greater_equal(x, low) * F.broadcast_lesser_equal(x, high)
    return F.broadcast_sub(F.log(inside), F.log(high - low))


def normal_density(x, mu, sigma):
    z = F.broadcast_div(F.broadcast_sub(x, mu), sigma)
    return F.broadcast_sub(z * z * -0.5, F.log(sigma) + LOG_ROOT_2PI)


def gamma_density(x, alpha, beta):
    ends = alpha * F.log(beta) - F.gammaln(alpha)
    return F.broadcast_add(F.broadcast_mul(F.log(x), alpha - 1.0) - F.broadcast_mul(x, beta), ends)


def poisson_density(x, lam):
    x = F.BlockGrad(x)                      # whole numbers
    return F.broadcast_sub(F.broadcast_mul(x, F.log(lam)), lam) - F.gammaln(x + 1.0)


def failures_density(x, k, p):
    x = F.BlockGrad(x)                      # whole numbers
    ways = F.gammaln(F.broadcast_add(x, k)) - F.gammaln(x + 1.0)
    return F.broadcast_add(ways + F.broadcast_mul(x, F.log(1.0 - p)), k * F.log(p) - F.gammaln(k))


def dirichlet_density(x, alpha):
    ends = F.gammaln(F.sum(alpha, axis=(-1,))) - F.sum(F.gammaln(alpha), axis=(-1,))
    return F.broadcast_add(F.sum(F.broadcast_mul(F.log(x), alpha - 1.0), axis=(-1,)), ends)


ONE, TWO, COUNTS = [[0.5, 1.2], [1.7, 0.9]], [0.8, 1.5], [[1.0, 2.0], [0.0, 3.0]]
density("uniform", "sample low high", uniform_density, "Density of the uniform distribution between low and high.",
        (dict(inputs=[ONE, [0.2, 0.3], [1.5, 2.0]]),))
density("normal", "sample mu sigma", normal_density, "Density of the normal distribution with mean mu and deviation sigma.",
        (dict(inputs=[ONE, [0.2, 0.3], TWO]), dict(inputs=[ONE, [0.2, 0.3], TWO], params=dict(is_log=True))))
density("gamma", "sample alpha beta", gamma_density, "Density of the gamma distribution with shape alpha and rate beta.",
        (dict(inputs=[ONE, TWO, TWO]),))
density("exponential", "sample lam", lambda x, lam: F.broadcast_sub(F.log(lam), F.broadcast_mul(x, lam)),
        "Density of the exponential distribution with rate lam.", (dict(inputs=[ONE, TWO]),))
density("poisson", "sample lam", poisson_density, "Probability under the Poisson distribution with mean lam.",
        (dict(inputs=[COUNTS, TWO]),))
density("negative_binomial", "sample k p", failures_density,
        "Probability of a number of failures before the k-th success, where p is the chance of success.",
        (dict(inputs=[COUNTS, [2.0, 3.0], [0.4, 0.7]]),))
density("generalized_negative_binomial", "sample mu alpha",
        lambda x, mu, alpha: failures_density(x, 1.0 / alpha, 1.0 / (mu * alpha + 1.0)),
        "Probability under the negative binomial distribution with mean mu and dispersion alpha.",
        (dict(inputs=[COUNTS, TWO, [0.4, 0.7]]),))
density("dirichlet", "sample alpha", dirichlet_density,
        "Density of the Dirichlet distribution; one draw lies along the last axis.",
        (dict(inputs=[[[[0.3, 0.7], [0.4, 0.6]]], [[1.5, 2.0]]]),), last=1)
