"""Whether random numbers follow a distribution."""
import math

import numpy as np

from .._core.array import NDArray


def _numbers(generator, n):
    got = generator(n)
    return np.asarray(got.asnumpy() if isinstance(got, NDArray) else got).ravel()


def gen_buckets_probs_with_ppf(ppf, nbuckets):
    """Intervals that a distribution falls into with equal probability, and those probabilities.

    Parameters
    ----------
    ppf : callable
        The inverse of the distribution function.
    nbuckets : int

    Examples
    --------
    >>> mx.test_utils.gen_buckets_probs_with_ppf(lambda p: p, 2)
    ([(0.0, 0.5), (0.5, 1.0)], [0.5, 0.5])
    """
    if nbuckets <= 0:
        raise AssertionError(f"gen_buckets_probs_with_ppf: expected a number above 0, got {nbuckets}")
    ends = [float(ppf(k / nbuckets)) for k in range(nbuckets + 1)]
    return list(zip(ends[:-1], ends[1:])), [1 / nbuckets] * nbuckets


def upper_gamma(a, x):
    """The regularised upper incomplete gamma function: a series below a + 1, a continued fraction above."""
    if x <= 0:
        return 1.0
    if math.isinf(x):
        return 0.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while abs(term) > abs(total) * 1e-16:
            n += 1
            term *= x / n
            total += term
        return 1 - total * scale
    b = x + 1 - a
    c, d = 1e300, 1 / b
    h = d
    for i in range(1, 100000):                          # Lentz's method
        an = -i * (i - a)
        b += 2
        d = 1 / (an * d + b or 1e-300)
        c = b + an / c or 1e-300
        h *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return h * scale


def chi_square_check(generator, buckets, probs, nsamples=1000000):
    """Pearson's chi-square test.

    Parameters
    ----------
    generator : callable
        Gives that many random numbers.
    buckets : list of tuple of float, or list of numbers
        Intervals (lower end inside), or values of a discrete distribution.
    probs : list of float
        Their probabilities.
    nsamples : int

    Returns
    -------
    p : float
        How likely counts at least so uneven are when the generator is right.
    counts, expected : list of float

    Examples
    --------
    >>> p, counts, expected = mx.test_utils.chi_square_check(lambda n: np.arange(n) % 2, [0, 1], [0.5, 0.5], 100)
    >>> p, counts
    (1.0, [50, 50])
    """
    if not buckets or len(buckets) != len(probs):
        raise AssertionError(f"chi_square_check: expected a probability per bucket, got {len(probs)} for {len(buckets)}")
    got = _numbers(generator, nsamples)
    if isinstance(buckets[0], (list, tuple)):
        counts = [int(((got >= low) & (got < high)).sum()) for low, high in buckets]
    else:
        counts = [int((got == value).sum()) for value in buckets]
    expected = [nsamples * p for p in probs]
    statistic = sum((c - e)**2 / e if e else math.inf * (c > 0) if c else 0.0 for c, e in zip(counts, expected))
    outside = nsamples - sum(counts)
    left = nsamples - sum(expected)
    if outside > left + 1e-6 * nsamples:                # numbers that the distribution does not have
        statistic += (outside - left)**2 / max(left, 1.0)
    return upper_gamma((len(buckets) - 1) / 2, statistic / 2), counts, expected


def verify_generator(generator, buckets, probs, nsamples=1000000, nrepeat=5, success_rate=0.2, alpha=0.05):
    """Repeat `chi_square_check`; raise AssertionError when it fails too often.

    Parameters
    ----------
    generator, buckets, probs, nsamples
        See `chi_square_check`.
    nrepeat : int, default 5
    success_rate : float, default 0.2
        The share of the repetitions that has to succeed.
    alpha : float, default 0.05
        A repetition succeeds when p is above this.

    Returns
    -------
    list of float
        p of every repetition.

    Examples
    --------
    >>> mx.test_utils.verify_generator(lambda n: np.arange(n) % 2, [0, 1], [0.5, 0.5], 100, nrepeat=2)
    [1.0, 1.0]
    """
    runs = [chi_square_check(generator, buckets, probs, nsamples) for _ in range(nrepeat)]
    values = [p for p, _, _ in runs]
    good = sum(p > alpha for p in values)
    if good < nrepeat * success_rate:
        raise AssertionError(f"verify_generator: {good} of {nrepeat} repetitions succeeded; expected {success_rate * nrepeat}; "
                             f"p: {values}; counts: {[c for _, c, _ in runs]}; expected {runs[0][2]}; buckets {buckets}")
    return values


def mean_check(generator, mu, sigma, nsamples=1000000):
    """Whether the mean of the numbers is within three standard errors of mu.

    Examples
    --------
    >>> mx.test_utils.mean_check(lambda n: np.arange(n) % 2, 0.5, 0.5, 100)
    True
    """
    return bool(abs(_numbers(generator, nsamples).mean(dtype=np.float64) - mu) < 3 * sigma / math.sqrt(nsamples))


def var_check(generator, sigma, nsamples=1000000):
    """Whether the variance of normal numbers is within three standard errors of sigma squared.

    Examples
    --------
    >>> mx.test_utils.var_check(lambda n: np.arange(n) % 2, 0.5, 100)
    True
    """
    var = _numbers(generator, nsamples).astype(np.float64).var(ddof=1)
    return bool(abs(var - sigma**2) < 3 * sigma**2 * math.sqrt(2 / (nsamples - 1)))
