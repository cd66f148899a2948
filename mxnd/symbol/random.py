"""Random numbers in graphs, `mx.sym.random`: parameters are numbers, or symbols with one value per distribution."""
import numbers

from .compose import DEFAULT
from .spaces import fill
from .symbol import Symbol, apply

__all__ = ["exponential", "gamma", "generalized_negative_binomial", "multinomial", "negative_binomial", "normal", "poisson",
           "randint", "randn", "shuffle", "uniform"]


def _draw(what, shape, dtype, kwargs, **params):
    """The operator for numbers, or the one for symbols; never both kinds."""
    values = list(params.values())
    if all(isinstance(v, Symbol) for v in values):
        return apply("_sample_" + what, "_sample_" + what, *values, shape=shape, dtype=dtype, **kwargs)
    if all(isinstance(v, numbers.Number) for v in values):
        return apply("_random_" + what, "_random_" + what, shape=shape, dtype=dtype, **params, **kwargs)
    kinds = ", ".join(f"{k}: {type(v).__name__}" for k, v in params.items())
    if any(isinstance(v, Symbol) for v in values):
        raise AssertionError(f"random.{what}: expected all parameters as numbers or all as symbols, got {kinds}")
    raise ValueError(f"random.{what}: expected numbers or symbols, got {kinds}")


def uniform(low=0, high=1, shape=DEFAULT, dtype=DEFAULT, **kwargs):
    """Numbers from the interval from low (inclusive) to high (exclusive).

    Parameters
    ----------
    low, high : number or Symbol
    shape : int or tuple
        Of the result; with symbols, of the draws per distribution.
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.random.uniform(-1, 1, shape=(2, 3)).infer_shape()[1]
    [(2, 3)]
    """
    return _draw("uniform", shape, dtype, kwargs, low=low, high=high)


def normal(loc=0, scale=1, shape=DEFAULT, dtype=DEFAULT, **kwargs):
    """Numbers of normal distributions.

    Parameters
    ----------
    loc, scale : number or Symbol
        Mean and standard deviation.
    shape : int or tuple
        Of the result; with symbols, of the draws per distribution.
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mean, deviation = mx.sym.var('m', shape=(2,)), mx.sym.var('s', shape=(2,))
    >>> mx.sym.random.normal(mean, deviation, shape=(3,)).infer_shape()[1]
    [(2, 3)]
    """
    if isinstance(loc, Symbol) and isinstance(scale, Symbol):
        return apply("_sample_normal", "_sample_normal", loc, scale, shape=shape, dtype=dtype, **kwargs)
    return _draw("normal", shape, dtype, kwargs, loc=loc, scale=scale)


def randn(*shape, **kwargs):
    """Numbers of a normal distribution; the lengths of the result one by one.

    Parameters
    ----------
    *shape : int
    **kwargs
        loc, scale, dtype: see `normal`.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.random.randn(2, 3).infer_shape()[1]
    [(2, 3)]
    """
    return normal(kwargs.pop("loc", 0), kwargs.pop("scale", 1), shape, **kwargs)


def poisson(lam=1, shape=DEFAULT, dtype=DEFAULT, **kwargs):
    """Numbers of Poisson distributions.

    Parameters
    ----------
    lam : number or Symbol
        Mean.
    shape : int or tuple
        Of the result; with symbols, of the draws per distribution.
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.random.poisson(4, shape=(3,)).infer_shape()[1]
    [(3,)]
    """
    return _draw("poisson", shape, dtype, kwargs, lam=lam)


def exponential(scale=1, shape=DEFAULT, dtype=DEFAULT, **kwargs):
    """Numbers of exponential distributions.

    Parameters
    ----------
    scale : number or Symbol
        Mean.
    shape : int or tuple
        Of the result; with symbols, of the draws per distribution.
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.random.exponential(2, shape=(3,)).infer_shape()[1]
    [(3,)]
    """
    if not isinstance(scale, (numbers.Number, Symbol)):
        raise ValueError(f"random.exponential: scale: expected a number or a Symbol, got {type(scale).__name__}")
    return _draw("exponential", shape, dtype, kwargs, lam=1.0 / scale)


def gamma(alpha=1, beta=1, shape=DEFAULT, dtype=DEFAULT, **kwargs):
    """Numbers of gamma distributions.

    Parameters
    ----------
    alpha, beta : number or Symbol
        Shape and scale.
    shape : int or tuple
        Of the result; with symbols, of the draws per distribution.
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.random.gamma(2, 0.5, shape=(3,)).infer_shape()[1]
    [(3,)]
    """
    return _draw("gamma", shape, dtype, kwargs, alpha=alpha, beta=beta)


def negative_binomial(k=1, p=1, shape=DEFAULT, dtype=DEFAULT, **kwargs):
    """Failures before the k-th success.

    Parameters
    ----------
    k : int or Symbol
    p : number or Symbol
        Probability of success.
    shape : int or tuple
        Of the result; with symbols, of the draws per distribution.
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.random.negative_binomial(3, 0.4, shape=(3,)).infer_shape()[1]
    [(3,)]
    """
    return _draw("negative_binomial", shape, dtype, kwargs, k=k, p=p)


def generalized_negative_binomial(mu=1, alpha=1, shape=DEFAULT, dtype=DEFAULT, **kwargs):
    """Numbers of negative binomial distributions by mean and dispersion.

    Parameters
    ----------
    mu, alpha : number or Symbol
    shape : int or tuple
        Of the result; with symbols, of the draws per distribution.
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.random.generalized_negative_binomial(3, 0.4, shape=(3,)).infer_shape()[1]
    [(3,)]
    """
    return _draw("generalized_negative_binomial", shape, dtype, kwargs, mu=mu, alpha=alpha)


def multinomial(data, shape=DEFAULT, get_prob=True, dtype="int32", **kwargs):
    """Positions drawn with the probabilities in the last axis of data.

    Parameters
    ----------
    data : Symbol
        Probabilities that sum to 1 along the last axis.
    shape : int or tuple
        Of the draws per distribution.
    get_prob : bool
        Also give the log of the probability of each draw.
    dtype : dtype

    Returns
    -------
    Symbol with one or two outputs

    Examples
    --------
    >>> mx.sym.random.multinomial(mx.sym.var('p', shape=(2, 4)), shape=(3,), get_prob=False).infer_shape()[1]
    [(2, 3)]
    """
    return apply("_sample_multinomial", "_sample_multinomial", data, shape=shape, get_prob=get_prob, dtype=dtype, **kwargs)


def randint(low, high, shape=DEFAULT, dtype=DEFAULT, **kwargs):
    """Whole numbers from low (inclusive) to high (exclusive).

    Parameters
    ----------
    low, high : int
    shape : int or tuple
    dtype : dtype
        int32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.random.randint(0, 10, shape=(3,)).infer_type()[1]
    [<class 'numpy.int32'>]
    """
    return _draw("randint", shape, dtype, kwargs, low=low, high=high)


def shuffle(data, **kwargs):
    """data with its first axis in random order.

    Parameters
    ----------
    data : Symbol

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.random.shuffle(mx.sym.var('x', shape=(4, 2))).infer_shape()[1]
    [(4, 2)]
    """
    return apply("_shuffle", "_shuffle", data, **kwargs)


fill(__name__, "random")
