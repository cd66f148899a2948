"""Linear algebra: values against NumPy over sizes, batches and threads; singular and degenerate matrices; errors."""
import numpy as np
import pytest

import mxnd as mx
from mxnd.ops.errors import MXNetError

L = mx.nd.linalg
SIZES = [1, 2, 5, 31, 32, 33, 70, 130]         # around the block lengths of the kernels
BATCHES = [(), (1,), (3,), (2, 2)]


def near(got, want, dtype):
    want = np.asarray(want)
    assert got.dtype == np.dtype(dtype)
    np.testing.assert_allclose(got.asnumpy().reshape(want.shape), want, rtol=0,
                               atol=(1e-11 if dtype == "float64" else 2e-4) * max(1.0, np.abs(want).max(initial=0)))


def turned(v):
    return np.swapaxes(v, -1, -2)


@pytest.fixture(params=[1, 2])
def threads(request):
    before = mx.threads.get_num_threads()
    mx.threads.set_num_threads(request.param)
    yield request.param
    mx.threads.set_num_threads(before)


def drawn(n, batch, dtype, seed=0):
    """A matrix as stored, and in float64."""
    x = mx.nd.array(np.random.default_rng(seed).standard_normal((*batch, n, n)), dtype=dtype)
    return x, x.asnumpy().astype("float64")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n", SIZES)
def test_cholesky(n, batch, dtype, threads):
    _, a = drawn(n, batch, dtype)
    a = a @ turned(a) / n + np.eye(n)
    factor, upper = np.linalg.cholesky(a), np.triu(np.ones((n, n)), 1)
    near(L.potrf(mx.nd.array(np.where(upper, 99, a), dtype=dtype)), factor, dtype)
    near(L.potrf(mx.nd.array(np.where(upper.T, 99, a), dtype=dtype), lower=False), turned(factor), dtype)
    near(L.potri(mx.nd.array(factor + 9 * upper, dtype=dtype)), np.linalg.inv(a), dtype)
    near(L.potri(mx.nd.array(turned(factor) + 9 * upper.T, dtype=dtype), lower=False), np.linalg.inv(a), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n", SIZES)
def test_triangles(n, batch, dtype, threads):
    _, a = drawn(n, batch, dtype)
    a = a / (2 * n ** 0.5) + 2 * np.eye(n)
    rng = np.random.default_rng(1)
    for lower in (True, False):
        for transpose in (True, False):
            for right in (True, False):
                flags = dict(lower=lower, transpose=transpose, rightside=right)
                m = int(rng.integers(1, 80))
                b = rng.standard_normal((*batch, m, n) if right else (*batch, n, m))
                t = np.tril(a) if lower else np.triu(a)
                t = turned(t) if transpose else t
                c = b @ t if right else t @ b
                near(L.trmm(mx.nd.array(a, dtype=dtype), mx.nd.array(b, dtype=dtype), alpha=-2, **flags), -2 * c, dtype)
                near(L.trsm(mx.nd.array(a, dtype=dtype), mx.nd.array(c, dtype=dtype), alpha=0.5, **flags), b / 2, dtype)
    for transpose in (True, False):
        b = rng.standard_normal((*batch, 7, n))
        near(L.syrk(mx.nd.array(b, dtype=dtype), transpose=transpose, alpha=0.5),
             0.5 * (turned(b) @ b if transpose else b @ turned(b)), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n", SIZES)
def test_determinant_and_inverse(n, batch, dtype, threads):
    _, a = drawn(n, batch, dtype, seed=n)
    a = a / n ** 0.5 + np.diag(np.resize([2.0, -2.0, 0.0], n))[np.random.default_rng(n).permutation(n)]
    x = mx.nd.array(a, dtype=dtype)
    a = x.asnumpy().astype("float64")
    sign, log = np.linalg.slogdet(a)
    got = L.slogdet(x)
    np.testing.assert_array_equal(got[0].asnumpy().reshape(sign.shape), sign)
    np.testing.assert_allclose(got[1].asnumpy().reshape(log.shape), log, rtol=1e-3 if dtype == "float32" else 1e-9, atol=1e-3)
    np.testing.assert_allclose(L.det(x).asnumpy().reshape(sign.shape), sign * np.exp(log),
                               rtol=5e-3 if dtype == "float32" else 1e-9)
    inverse = np.linalg.inv(a)
    if dtype == "float64" or np.abs(inverse).max() < 50:
        near(L.inverse(x), inverse, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n", SIZES)
def test_lq(n, batch, dtype, threads):
    _, a = drawn(n, batch, dtype)
    for m in {1, (n + 1) // 2, n}:
        q, l = L.gelqf(mx.nd.array(a[..., :m, :], dtype=dtype))
        q64, l64 = q.asnumpy().astype("float64"), l.asnumpy().astype("float64")
        near(q, q64, dtype)
        assert not np.triu(l64, 1).any()
        np.testing.assert_allclose(l64 @ q64, a[..., :m, :], atol=1e-11 if dtype == "float64" else 1e-4)
        np.testing.assert_allclose(q64 @ turned(q64), np.broadcast_to(np.eye(m), l64.shape),
                                   atol=1e-11 if dtype == "float64" else 1e-4)


@pytest.mark.parametrize("scale", [1.0, 1e-25, 1e25])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n", SIZES)
def test_eigenvalues(n, batch, dtype, scale, threads):
    _, a = drawn(n, batch, dtype)
    a = (a + turned(a)) * scale
    a = mx.nd.array(a, dtype=dtype).asnumpy().astype("float64")
    u, values = L.syevd(mx.nd.array(np.where(np.triu(np.ones((n, n)), 1), 7, a), dtype=dtype))
    near(mx.nd.array(values.asnumpy() / scale, dtype=dtype), np.linalg.eigvalsh(a) / scale, dtype)
    u, values = u.asnumpy().astype("float64"), values.asnumpy().astype("float64")
    close = 1e-11 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(u @ turned(u), np.broadcast_to(np.eye(n), u.shape), atol=close)
    np.testing.assert_allclose(turned(u) @ (values[..., None] * u) / scale, a / scale, atol=close * 10)
    most = np.take_along_axis(u, np.abs(u).argmax(-1)[..., None], -1)
    assert (most > 0).all()


def test_eigenvalues_of_special_matrices():
    u, values = L.syevd(mx.nd.array(np.diag([3.0, 1.0, 2.0])))
    assert values.asnumpy().tolist() == [1, 2, 3] and u.asnumpy().tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    u, values = L.syevd(mx.nd.zeros((40, 40)))
    assert not values.asnumpy().any() and (u.asnumpy() == np.eye(40)).all()
    for bad in (np.nan, np.inf):
        assert all(np.isnan(v.asnumpy()).all() for v in L.syevd(mx.nd.array([[bad, 1], [1, 1]])))
    q, l = L.gelqf(mx.nd.array([[1, 2, 2], [2, 4, 4]]))
    np.testing.assert_allclose(l.asnumpy() @ q.asnumpy(), [[1, 2, 2], [2, 4, 4]], atol=1e-5)
    np.testing.assert_allclose(q.asnumpy() @ q.asnumpy().T, np.eye(2), atol=1e-6)


def test_gradient_where_eigenvalues_are_equal():
    x = mx.nd.array(np.eye(3) * 2, dtype="float64")
    x.attach_grad()
    with mx.autograd.record():
        u, values = L.syevd(x)
        y = (values * values).sum() + L.syrk(u, transpose=True).sum()       # the second part is constant
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 4 * np.eye(3), atol=1e-12)


def cofactors(a):
    n = len(a)
    return np.array([[(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(n)] for i in range(n)])


RANKS = [(1, 0), (2, 1), (3, 2), (3, 1), (4, 3), (4, 2), (4, 1), (4, 0), (5, 5)]


@pytest.mark.parametrize("n, rank", RANKS)
def test_derivatives_of_singular_determinants(n, rank):
    """Orders 1 to 4 of det(a + t e + ...), which is a polynomial, against differences that are exact for it but for rounding."""
    rng = np.random.default_rng(n * 10 + rank)
    a = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, n))
    along = rng.standard_normal((4, n, n))
    for order in range(1, 5):
        x = mx.nd.array(a, dtype="float64")
        x.attach_grad()
        with mx.autograd.record():
            y = L.det(x)
            for e in along[:order - 1]:
                g, = mx.autograd.grad(y, [x], create_graph=True)
                y = (g * mx.nd.array(e, dtype="float64")).sum()
            g, = mx.autograd.grad(y, [x], create_graph=True)
        got = g.asnumpy()
        t = np.arange(-3, 4) / 2.0                                            # polarization: fit a polynomial in each direction

        def mixed(at, left):
            if not left:
                return cofactors(at)
            values = np.array([mixed(at + s * left[0], left[1:]) for s in t])
            return np.linalg.lstsq(np.vander(t, 6, increasing=True), values.reshape(7, -1), rcond=None)[0][1].reshape(n, n)
        np.testing.assert_allclose(got, mixed(a, list(along[:order - 1])), atol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradient_of_large_and_nearly_singular_determinants(dtype):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((2, 40, 40)) / 6
    a[1, 3] = a[1, 7] * (1 + 1e-9)
    x = mx.nd.array(a, dtype=dtype)
    x.attach_grad()
    with mx.autograd.record():
        y = L.det(x)
    y.backward()
    a = x.asnumpy().astype("float64")
    want = np.array([cofactors(v) for v in a])
    np.testing.assert_allclose(x.grad.asnumpy(), want, atol=(1e-10 if dtype == "float64" else 1e-5) * np.abs(want).max())


def test_singular_slogdet():
    x = mx.nd.array([[[1, 2], [2, 4]], [[2, 0], [0, -3]]])
    x.attach_grad()
    with mx.autograd.record():
        sign, log = L.slogdet(x)
    log.backward()
    assert sign.asnumpy().tolist() == [0, -1] and log.asnumpy()[0] == -np.inf
    np.testing.assert_allclose(x.grad.asnumpy(), [[[0, 0], [0, 0]], [[0.5, 0], [0, -1 / 3]]], rtol=1e-6)


def test_determinants_beyond_the_range_on_the_way():
    n = 60
    a = np.diag(np.resize([1e200, 1e-200], n))
    np.testing.assert_allclose(L.det(mx.nd.array(a, dtype="float64")).asnumpy(), [1.0], rtol=1e-10)
    a = np.diag(np.full(n, 1e30))
    assert L.det(mx.nd.array(a)).asnumpy()[0] == np.inf
    np.testing.assert_allclose(L.slogdet(mx.nd.array(a))[1].asnumpy(), [n * np.log(1e30)], rtol=1e-5)


@pytest.mark.parametrize("offset", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("lower", [True, False])
def test_diagonals_and_triangles_as_vectors(offset, lower):
    a = np.arange(2 * 4 * 4.0).reshape(2, 4, 4)
    x = mx.nd.array(a)
    assert L.extractdiag(x, offset=offset).asnumpy().tolist() == np.diagonal(a, offset, 1, 2).tolist()
    below = lower if offset == 0 else offset < 0
    rows, columns = np.tril_indices(4, offset) if below else np.tril_indices(4, -offset)[::-1]
    v = L.extracttrian(x, offset=offset, lower=lower)
    assert v.asnumpy().tolist() == a[:, rows, columns].tolist()
    want = np.zeros_like(a)
    want[:, rows, columns] = a[:, rows, columns]
    assert L.maketrian(v, offset=offset, lower=lower).asnumpy().tolist() == want.tolist()
    d = L.makediag(L.extractdiag(x, offset=offset), offset=offset)
    assert d.asnumpy().tolist() == [np.diag(np.diag(m, offset), offset).tolist() for m in a]


ONES = {"a": (2, 2), "tall": (3, 2), "line": (3,), "deep": (3, 2, 2)}


@pytest.mark.parametrize("call, message", [
    ("potrf(tall)", "square"), ("potrf(line)", "at least 2 dimensions"), ("syevd(tall)", "square"), ("gelqf(tall)", "columns"),
    ("det(line)", "at least 2"), ("slogdet(tall)", "square"), ("inverse(tall)", "square"), ("potri(tall)", "square"),
    ("syrk(line)", "at least 2"), ("sumlogdiag(tall)", "square"), ("trsm(a, tall)", "do not fit|expected"),
    ("trmm(a, deep)", "equally many|expected"),
    ("trmm(tall, tall)", "square|expected"), ("extractdiag(a, offset=2)", "outside"), ("extracttrian(a, offset=-3)", "outside"),
    ("maketrian(a)", "triangle"), ("gemm2(a, tall)", "inner sizes")])
def test_shapes_that_do_not_fit(call, message):
    with pytest.raises(MXNetError, match=message):
        eval("mx.nd.linalg." + call, {"mx": mx, **{k: mx.nd.ones(s) for k, s in ONES.items()}})
    if "maketrian" not in call:
        names = {k: mx.sym.Variable(k) for k in ONES}
        sym = eval("mx.sym.linalg." + call, {"mx": mx, **names})
        with pytest.raises(MXNetError, match=message):
            sym.infer_shape(**{k: ONES[k] for k in sym.list_arguments()})


def test_matrices_that_do_not_fit():
    eye = np.eye(2)
    for f, bad in ((L.potrf, [[1, 2], [2, 1]]), (L.potrf, eye * np.nan), (L.inverse, [[1, 2], [2, 4]]), (L.potri, eye * 0)):
        with pytest.raises(MXNetError, match=r"matrix 1 of 3"):
            f(mx.nd.array([eye, bad, bad]))


def test_what_a_triangle_leaves_out_does_not_spread():
    a = np.tril(np.ones((40, 40))) + np.triu(np.full((40, 40), np.nan), 1)
    b = np.ones((40, 3))
    b[20] = np.nan
    got = L.trmm(mx.nd.array(a), mx.nd.array(b)).asnumpy()
    assert (got[:20, 0] == np.arange(1, 21)).all() and np.isnan(got[20:]).all()


def test_empty():
    assert L.det(mx.nd.zeros((2, 0, 0))).asnumpy().tolist() == [1, 1]
    assert [v.shape for v in L.syevd(mx.nd.zeros((2, 0, 0)))] == [(2, 0, 0), (2, 0)]
    assert [v.shape for v in L.gelqf(mx.nd.zeros((0, 3)))] == [(0, 3), (0, 0)]
    assert L.syrk(mx.nd.zeros((2, 0))).asnumpy().tolist() == [[0, 0], [0, 0]]
    for f in (L.potrf, L.potri, L.inverse):
        assert f(mx.nd.zeros((0, 3, 3))).shape == (0, 3, 3) and f(mx.nd.zeros((3, 0, 0))).shape == (3, 0, 0)
