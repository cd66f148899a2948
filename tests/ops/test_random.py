"""Random numbers: right distributions, seeds, and independence of the number of threads.

Everything is drawn from fixed seeds, so that no test is right by chance only now and then."""
import math
import subprocess
import sys

import numpy as np
import pytest

import mxnd as mx
from mxnd import nd

N = 40000


def normal_cdf(x):
    return np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x])


def erlang2_cdf(x, scale):
    return 1 - np.exp(-x / scale) * (1 + x / scale)


def kolmogorov(draws, cdf):
    """The largest distance between the distribution of the draws and cdf, times sqrt(n); above 1.95 once in 1000 times."""
    x = np.sort(draws.astype("float64"))
    f = cdf(x)
    i = np.arange(len(x))
    return math.sqrt(len(x)) * max(np.max(f - i / len(x)), np.max((i + 1) / len(x) - f))


CONTINUOUS = {
    "uniform": (lambda **k: nd.random.uniform(-1, 3, **k), lambda x: (x + 1) / 4),
    "normal": (lambda **k: nd.random.normal(2, 3, **k), lambda x: normal_cdf((x - 2) / 3)),
    "exponential": (lambda **k: nd.random.exponential(2, **k), lambda x: 1 - np.exp(-x / 2)),
    "gamma": (lambda **k: nd.random.gamma(2, 3, **k), lambda x: erlang2_cdf(x, 3)),
    "gamma below 1": (lambda **k: nd.random.gamma(0.5, 2, **k), lambda x: np.array([math.erf(math.sqrt(v / 2)) for v in x])),
    "randn": (lambda shape, dtype: nd.random.randn(*shape, dtype=dtype), normal_cdf),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_distributions(name, dtype):
    draw, cdf = CONTINUOUS[name]
    mx.random.seed(11)
    x = draw(shape=(N // 4, 4), dtype=dtype)
    assert x.shape == (N // 4, 4) and x.dtype == np.dtype(dtype)
    assert kolmogorov(x.asnumpy().ravel(), cdf) < 1.95


def log_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def negative_binomial(k, p):
    return lambda i: math.exp(math.lgamma(k + i) - math.lgamma(k) - math.lgamma(i + 1)) * p ** k * (1 - p) ** i


DISCRETE = {
    "poisson": (lambda **k: nd.random.poisson(3.5, **k), lambda i: math.exp(-3.5) * 3.5 ** i / math.factorial(i)),
    "poisson large": (lambda **k: nd.random.poisson(60, **k), lambda i: math.exp(i * math.log(60) - 60 - math.lgamma(i + 1))),
    "negative_binomial": (lambda **k: nd.random.negative_binomial(3, 0.4, **k), negative_binomial(3, 0.4)),
    "generalized_negative_binomial": (lambda **k: nd.random.generalized_negative_binomial(2, 0.5, **k),
                                      negative_binomial(2, 1 / (1 + 0.5 * 2))),
    "randint": (lambda **k: nd.random.randint(0, 7, **k), lambda i: 1 / 7 if i < 7 else 0.0),
    "multinomial": (lambda shape: nd.random.multinomial(nd.array([0.1, 0.2, 0.0, 0.7]), shape=shape),
                    lambda i: [0.1, 0.2, 0.0, 0.7][i] if i < 4 else 0.0),
}


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete_distributions(name):
    draw, probability = DISCRETE[name]
    mx.random.seed(5)
    x = draw(shape=(N,)).asnumpy().astype("int64")
    assert x.min() >= 0
    p = np.array([probability(i) for i in range(x.max() + 1)])
    seen = np.bincount(x)
    assert not seen[p == 0].any()
    common = p * N > 10
    square = np.sum((seen[common] - p[common] * N) ** 2 / (p[common] * N))
    freedom = common.sum()
    assert square < freedom + 4 * math.sqrt(2 * freedom) + 4
    assert abs(p[common].sum() - seen[common].sum() / N) < 0.01


@pytest.mark.parametrize("name", ["uniform", "normal", "gamma", "exponential", "poisson", "negative_binomial",
                                  "generalized_negative_binomial"])
def test_numbers_arrays_and_likes_agree_in_their_means(name):
    params = {"uniform": (1, 3), "normal": (1, 3), "gamma": (2, 1.5), "exponential": (0.5,), "poisson": (4,),
              "negative_binomial": (3, 0.5), "generalized_negative_binomial": (2, 0.3)}[name]
    mx.random.seed(3)
    one = getattr(nd, f"random_{name}")(*params, shape=(N,)).asnumpy()
    like = getattr(nd.random, f"{name}_like")(nd.zeros((N,)), *params).asnumpy()
    each = getattr(nd, f"sample_{name}")(*[nd.array([v, v]) for v in params], shape=(N,)).asnumpy()
    assert each.shape == (2, N)
    sigma = one.std() / math.sqrt(N)
    for other in (like, each[0], each[1]):
        assert abs(other.mean() - one.mean()) < 5 * sigma
        assert abs(other.std() - one.std()) < 0.05 * one.std()
    assert len({one[:50].tobytes(), like[:50].tobytes(), each[0, :50].tobytes(), each[1, :50].tobytes()}) == 4


DRAWS = [*[lambda n, f=f: f(shape=(n,), dtype="float32") for f, _ in CONTINUOUS.values()],
         *[lambda n, f=f: f(shape=(n,)) for f, _ in DISCRETE.values()],
         lambda n: nd.shuffle(nd.arange(n)), lambda n: nd.random.uniform(nd.zeros((3,)), nd.ones((3,)), shape=n),
         lambda n: nd.Dropout(nd.ones((n,)), p=0.4, mode="always")]


@pytest.mark.parametrize("k", range(len(DRAWS)))
@pytest.mark.parametrize("n", [7, 300001])
def test_the_same_seed_gives_the_same_numbers_for_any_number_of_threads(k, n):
    before = mx.get_num_threads()
    try:
        seen = []
        for threads in (1, 2, 3):
            mx.set_num_threads(threads)
            mx.random.seed(42)
            seen.append([DRAWS[k](n).asnumpy(), DRAWS[k](n).asnumpy()])
    finally:
        mx.set_num_threads(before)
    first, second = seen[0]
    for a, b in seen[1:]:
        np.testing.assert_array_equal(a, first)
        np.testing.assert_array_equal(b, second)
    if n > 7:
        assert (first != second).any()                   # the stream goes on


def test_seeds_differ_and_devices_have_their_own():
    def draw(seed, **where):
        mx.random.seed(seed, **where)
        return nd.random.uniform(shape=(4,)).asnumpy()
    assert (draw(1) == draw(1)).all() and (draw(1) != draw(2)).all() and (draw(-1) == draw(-1)).all()
    assert (draw(7, ctx=mx.cpu()) == draw(7)).all()
    mx.random.seed(7)
    assert (draw(7, ctx=mx.gpu()) == draw(7)).all()          # the CPU's numbers went on as they were
    for bad in ("x", 1.5, None):
        with pytest.raises(ValueError, match="seed: expected"):
            mx.random.seed(bad)
    with pytest.raises(ValueError, match="Context"):
        mx.random.seed(1, ctx="everything")


def test_unseeded_runs_differ():
    code = "import mxnd as mx; print(mx.nd.random.uniform(shape=(3,)).asnumpy().tobytes().hex())"
    runs = {subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True).stdout for _ in range(2)}
    assert len(runs) == 2


def test_shuffle_permutes_rows():
    mx.random.seed(0)
    x = nd.arange(3000).reshape((1000, 3))
    y = nd.shuffle(x).asnumpy()
    assert (y[:, 1] - y[:, 0] == 1).all() and sorted(y[:, 0]) == list(range(0, 3000, 3)) and (y != x.asnumpy()).any()
    places = np.array([nd.shuffle(nd.arange(5)).asnumpy().tolist().index(0) for _ in range(4000)])
    assert np.abs(np.bincount(places, minlength=5) / 4000 - 0.2).max() < 0.03


def test_multinomial_gives_the_probabilities_it_drew_with_and_their_gradient():
    mx.random.seed(9)
    p = nd.array([[0.2, 0.8], [0.5, 0.5]])
    p.attach_grad()
    with mx.autograd.record():
        drawn, log = nd.random.multinomial(p, shape=3, get_prob=True)
    assert drawn.shape == log.shape == (2, 3) and drawn.dtype == np.int32
    chosen = np.take_along_axis(p.asnumpy(), drawn.asnumpy().astype("int64"), 1)
    np.testing.assert_allclose(log.asnumpy(), np.log(chosen), rtol=1e-5)
    log.backward()
    expected = np.zeros((2, 2))
    for i in range(2):
        for j in drawn.asnumpy()[i]:
            expected[i, j] += 1 / p.asnumpy()[i, j]
    np.testing.assert_allclose(p.grad.asnumpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("wrong", [[0.5, np.nan], [-0.5, 1.5], [np.inf, 1.0]])
def test_multinomial_refuses_what_are_no_probabilities(wrong):
    with pytest.raises((mx.MXNetError, ValueError), match="multinomial"):
        nd.random.multinomial(nd.array(wrong))
