"""mx.nd.random: random arrays with numbers or arrays as parameters."""
from .._core.array import NDArray
from .._core.call import invoke
from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError
from ..ops.zipf import rand_zipfian as _rand_zipfian
from .convert import check_context, place


def _draw(name, random_op, sample_op, params, shape, dtype, ctx, out, kwargs):
    """Numbers pick the scalar operator, arrays the per-element one."""
    given = list(params.values())
    arrays = [isinstance(v, NDArray) for v in given]
    extra = {k: v for k, v in kwargs.items() if k != "name"}
    if any(arrays):
        if not all(arrays):
            raise AssertionError(f"{name}: expected numbers or NDArrays, not a mixture of both")
        op = REGISTRY[sample_op]
        named = {} if shape is None else {"shape": shape}
        if dtype is not None:
            named["dtype"] = dtype
        return invoke(op.core, tuple(given), op.pack({**named, **extra}), out)
    op = REGISTRY[random_op]
    for k, v in params.items():
        if not isinstance(v, (int, float)) and not hasattr(v, "__float__"):
            raise ValueError(f"{name}: parameter {k!r}: expected a number or an NDArray, got {type(v).__name__}")
    ctx = check_context(ctx)
    named = dict(params, ctx=str(ctx), **extra)
    if out is not None and shape is None:
        shape = out.shape
    named["shape"] = (1,) if shape is None else shape
    if dtype is not None:
        named["dtype"] = dtype
    elif out is not None:
        named["dtype"] = out.dtype
    y = invoke(op.core, (), op.pack(named), out)
    return y if out is not None else place(y, ctx)


_DOC = """{what}

    Parameters
    ----------
    {params} : float or NDArray
        {meaning}  With arrays every element draws its own numbers, and shape is added behind theirs.
    shape : int or tuple of int, optional
        Default: one number.
    dtype : str or numpy.dtype, default float32
    ctx : Context, optional
    out : NDArray, optional
        Filled and returned.

    Returns
    -------
    NDArray

    Examples
    --------
    >>> mx.nd.random.{name}(shape=(2, 3)).shape
    (2, 3)
    """


def uniform(low=0, high=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    return _draw("uniform", "_random_uniform", "_sample_uniform", {"low": low, "high": high}, shape, dtype, ctx, out, kwargs)


def normal(loc=0, scale=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    return _draw("normal", "_random_normal", "_sample_normal", {"loc": loc, "scale": scale}, shape, dtype, ctx, out, kwargs)


def gamma(alpha=1, beta=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    return _draw("gamma", "_random_gamma", "_sample_gamma", {"alpha": alpha, "beta": beta}, shape, dtype, ctx, out, kwargs)


def exponential(scale=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    if not isinstance(scale, NDArray) and not scale > 0:
        raise MXNetError(f"exponential: scale must be positive, got {scale}")
    lam = 1.0 / scale
    return _draw("exponential", "_random_exponential", "_sample_exponential", {"lam": lam}, shape, dtype, ctx, out, kwargs)


def poisson(lam=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    return _draw("poisson", "_random_poisson", "_sample_poisson", {"lam": lam}, shape, dtype, ctx, out, kwargs)


def negative_binomial(k=1, p=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    return _draw("negative_binomial", "_random_negative_binomial", "_sample_negative_binomial", {"k": k, "p": p}, shape, dtype, ctx, out,
                 kwargs)


def generalized_negative_binomial(mu=1, alpha=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    return _draw("generalized_negative_binomial", "_random_generalized_negative_binomial", "_sample_generalized_negative_binomial",
                 {"mu": mu, "alpha": alpha}, shape, dtype, ctx, out, kwargs)


for _f, _what, _params, _meaning in (
        (uniform, "Numbers from the uniform distribution over [low, high).", "low, high", "Bounds."),
        (normal, "Numbers from the normal distribution.", "loc, scale", "Mean and standard deviation."),
        (gamma, "Numbers from the gamma distribution.", "alpha, beta", "Shape and scale."),
        (exponential, "Numbers from the exponential distribution.", "scale", "Mean."),
        (poisson, "Numbers from the Poisson distribution.", "lam", "Mean."),
        (negative_binomial, "Failures before k successes of probability p.", "k, p", "Successes and their probability."),
        (generalized_negative_binomial, "Numbers from the negative binomial distribution with real parameters.", "mu, alpha",
         "Mean and dispersion.")):
    _f.__doc__ = _DOC.format(what=_what, params=_params, meaning=_meaning, name=_f.__name__)


def randn(*shape, loc=0, scale=1, dtype=None, ctx=None, out=None, **kwargs):
    """Numbers from the normal distribution, the shape given as arguments.

    Examples
    --------
    >>> mx.nd.random.randn(2, 3).shape
    (2, 3)
    """
    return normal(loc, scale, shape or None, dtype, ctx, out, **kwargs)


def randint(low, high, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    """Whole numbers from the uniform distribution over [low, high).

    Examples
    --------
    >>> mx.nd.random.randint(0, 5, shape=(2, 3)).shape
    (2, 3)
    """
    return _draw("randint", "_random_randint", None, {"low": low, "high": high}, shape, dtype, ctx, out, kwargs)


def multinomial(data, shape=None, get_prob=False, out=None, dtype="int32", **kwargs):
    """Indices drawn with the probabilities of each row.

    Parameters
    ----------
    data : NDArray
        Probabilities along the last axis.
    shape : int or tuple of int, optional
        Draws for each row; default one.
    get_prob : bool, default False
        Also give the logarithms of the probabilities of what was drawn.

    Examples
    --------
    >>> mx.nd.random.multinomial(mx.nd.array([0.0, 1.0]), shape=3).asnumpy()
    array([1, 1, 1], dtype=int32)
    """
    op = REGISTRY["_sample_multinomial"]
    params = {"get_prob": get_prob, "dtype": dtype, **({} if shape is None else {"shape": shape})}
    return invoke(op.core, (data,), op.pack(params), out)


def rand_zipfian(true_classes, num_sampled, range_max, ctx=None):
    """Classes drawn from an approximately Zipfian distribution, for sampled losses; found as mx.nd.contrib.rand_zipfian.

    Parameters
    ----------
    true_classes : NDArray
        Numbers of the true classes.
    num_sampled : int
    range_max : int
        Number of classes.
    ctx : Context, optional

    Returns
    -------
    tuple of three NDArrays
        Drawn classes (int64), how often the true classes are expected among them, and how often the drawn ones (float64).

    Examples
    --------
    >>> drawn, true_count, drawn_count = mx.nd.contrib.rand_zipfian(mx.nd.array([3]), 4, 5)
    >>> true_count.asnumpy()
    array([0.49815515])
    """
    def numbers(low, high, shape, dtype):
        return uniform(low, high, shape=shape, dtype=dtype, ctx=ctx)
    return _rand_zipfian(numbers, true_classes, num_sampled, range_max)


def shuffle(data, out=None, **kwargs):
    """The array with its first axis in random order.

    Examples
    --------
    >>> mx.nd.random.shuffle(mx.nd.arange(4)).shape
    (4,)
    """
    op = REGISTRY["_shuffle"]
    return invoke(op.core, (data,), op.pack({}), out)


FUNCTIONS = {f.__name__: f for f in (uniform, normal, gamma, exponential, poisson, negative_binomial, generalized_negative_binomial, randn,
                                     randint, multinomial, shuffle)}
__all__ = list(FUNCTIONS)
