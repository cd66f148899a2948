"""csr and row_sparse arrays against dense arithmetic in NumPy."""
import pickle
import warnings

import numpy as np
import pytest

import mxnd as mx

rng = np.random.default_rng(7)
sparse = mx.nd.sparse


def dense(shape, density=0.3, dtype="float64"):
    return (rng.standard_normal(shape) * (rng.random(shape) < density)).astype(dtype)


def rows(shape, density=0.4, dtype="float64"):
    return (rng.standard_normal(shape) * (rng.random((shape[0],) + (1,) * (len(shape) - 1)) < density)).astype(dtype)


def make(a, stype):
    return mx.nd.array(a, dtype=a.dtype).tostype(stype)


def close(x, want, tol=1e-12):
    np.testing.assert_allclose(x.asnumpy(), want, rtol=tol, atol=tol)


# ---- making and converting -----------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int64", "int8", "uint8"])
@pytest.mark.parametrize("shape", [(5, 7), (1, 1), (3, 130), (0, 4), (4, 0), (40, 64)])
def test_csr_round_trip(shape, dtype):
    a = (dense(shape) * 4).astype(dtype)
    x = make(a, "csr")
    x.check_format()
    assert x.stype == "csr" and x.dtype == np.dtype(dtype) and np.array_equal(x.asnumpy(), a)
    assert x.data.shape[0] == np.count_nonzero(a)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8"])
@pytest.mark.parametrize("shape", [(6, 3), (5, 2, 3), (4,), (0, 2), (9, 300), (3, 0)])
def test_row_sparse_round_trip(shape, dtype):
    a = (rows(shape) * 4).astype(dtype)
    x = make(a, "row_sparse")
    x.check_format()
    assert np.array_equal(x.asnumpy(), a)
    assert x.indices.shape[0] == (np.count_nonzero(a.reshape(shape[0], -1).any(1)) if a.size else 0)


def test_negative_zero_and_nan():
    a = np.array([[-0.0, np.nan], [0.0, 1.0]])
    x = make(a, "csr")
    assert x.indices.asnumpy().tolist() == [1, 1] and x.indptr.asnumpy().tolist() == [0, 1, 2]


def test_forms_of_csr_matrix():
    a = np.array([[0, 1.5, 0], [2, 0, 0]])
    forms = [sparse.csr_matrix(a), sparse.csr_matrix(([1.5, 2], [1, 0], [0, 1, 2]), shape=(2, 3)),
             sparse.csr_matrix(([2, 1.5], ([1, 0], [0, 1])), shape=(2, 3)), sparse.csr_matrix(mx.nd.array(a)),
             sparse.csr_matrix(sparse.csr_matrix(a)), sparse.csr_matrix(a.tolist())]
    for x in forms:
        assert np.array_equal(x.asnumpy(), a)
    assert sparse.csr_matrix((2, 3)).asnumpy().sum() == 0
    pytest.importorskip("scipy")
    import scipy.sparse
    x = sparse.csr_matrix(scipy.sparse.csr_matrix(a))
    assert np.array_equal(x.asscipy().toarray(), a)
    assert np.array_equal(sparse.array(scipy.sparse.coo_matrix(a).tocsr()).asnumpy(), a)


def test_row_sparse_array_sorts():
    x = sparse.row_sparse_array(([[3, 4], [1, 2]], [2, 0]), shape=(3, 2))
    assert x.indices.asnumpy().tolist() == [0, 2] and x.asnumpy().tolist() == [[1, 2], [0, 0], [3, 4]]
    assert sparse.row_sparse_array(([[3, 4]], [2])).shape == (3, 2)


@pytest.mark.parametrize("args, error", [
    ((([1], [0], [0, 1, 1]), (1, 3)), ValueError), ((([1], [[0]], [0, 1]), (1, 3)), ValueError),
                                         (((1, 2, 3, 4), None), ValueError),
    ((([1], ([5], [0])), (2, 2)), ValueError)])
def test_csr_matrix_refuses(args, error):
    with pytest.raises(error):
        sparse.csr_matrix(args[0], shape=args[1])


# every kernel meets unsound parts with an error
BAD = [([1., 2.], [9, 1], [0, 1, 2]), ([1., 2.], [-1, 1], [0, 1, 2]), ([1., 2.], [0, 1], [0, 2, 1]),
       ([1., 2.], [0, 1], [0, 1, 5]),
       ([1., 2.], [0, 1], [1, 1, 2]), ([1., 2.], [0, 1], [-3, 1, 2])]


@pytest.mark.parametrize("parts", BAD)
@pytest.mark.parametrize("use", [
    lambda x: x.asnumpy(), lambda x: x.check_format(), lambda x: x.tostype("default"), lambda x: x + x, lambda x: x * x,
    lambda x: sparse.dot(x, mx.nd.ones((3, 4))), lambda x: sparse.dot(x, mx.nd.ones((2, 4)), transpose_a=True),
    lambda x: sparse.dot(mx.nd.ones((4, 2)), x), lambda x: sparse.sum(x, axis=0), lambda x: sparse.sum(x, axis=1),
                                 lambda x: x[0:1],
    lambda x: sparse.broadcast_mul(x, mx.nd.ones((3,))), lambda x: x + mx.nd.ones((2, 3)), lambda x: sparse.concat(x, x, dim=0),
    lambda x: sparse.norm(x)])
def test_unsound_csr_is_an_error(parts, use):
    with pytest.raises(mx.MXNetError):
        sparse.csr_matrix(parts, shape=(2, 3))
    x = sparse.csr_matrix(([1., 2.], [0, 1], [0, 1, 2]), shape=(2, 3))
    x.data, x.indices, x.indptr = map(mx.nd.array, parts)           # parts that are set are looked at when they are used
    with pytest.raises(mx.MXNetError):
        use(x)


@pytest.mark.parametrize("use", [lambda x: x.asnumpy(), lambda x: x + x, lambda x: sparse.sum(x, axis=1), lambda x: sparse.sum(x),
                                 lambda x: sparse.retain(x, mx.nd.array([0])), lambda x: x * mx.nd.ones((3, 2))])
@pytest.mark.parametrize("number", [7, -1])
def test_unsound_row_sparse_is_an_error(use, number):
    with pytest.raises(mx.MXNetError):
        sparse.row_sparse_array(([[1., 2.]], [number]), shape=(3, 2))
    x = sparse.row_sparse_array(([[1., 2.]], [0]), shape=(3, 2))
    x.indices = mx.nd.array([number])
    with pytest.raises(mx.MXNetError):
        use(x)


def test_parts_are_copies_and_can_be_set():
    x = sparse.csr_matrix(([1., 2.], [1, 0], [0, 1, 2]), shape=(2, 2))
    x.indices[:] = 0
    assert x.indices.asnumpy().tolist() == [1, 0]
    x.data = mx.nd.array([5, 6])
    x.indices = np.array([0, 1])
    assert x.asnumpy().tolist() == [[5, 0], [0, 6]]
    x.indptr = [0, 0, 2]
    assert x.asnumpy().tolist() == [[0, 0], [5, 6]]


def test_unordered_columns():
    x = sparse.csr_matrix(([1., 2., 3.], [2, 0, 1], [0, 2, 3]), shape=(2, 3))
    a = np.array([[2., 0, 1], [0, 3, 0]])
    assert np.array_equal(x.asnumpy(), a)
    close(x + x, 2 * a)
    close(sparse.dot(x, mx.nd.ones((3, 2))), a @ np.ones((3, 2)))
    close(sparse.dot(x, mx.nd.ones((2, 2)), transpose_a=True), a.T @ np.ones((2, 2)))
    with pytest.raises(mx.MXNetError):
        x.check_format()


def test_a_place_given_twice():
    """The last value counts, whatever runs."""
    x = sparse.csr_matrix(([1., 2., 3., 4., 5.], [2, 0, 2, 0, 1], [0, 4, 5]), shape=(2, 3))
    a = np.array([[4., 0, 3], [0, 5, 0]])
    assert np.array_equal(x.asnumpy(), a)
    close(x + x, 2 * a)
    close(x * x, a * a)
    close(x + mx.nd.array(a), 2 * a)


@pytest.mark.parametrize("m, n", [(1, 200), (30, 300), (2000, 70)])
def test_union_of_long_rows(m, n):
    """Rows merged in two halves, with and without common columns, on one thread and two."""
    before = mx.get_num_threads()
    try:
        for density in (0.1, 0.5, 1.0):
            a, b = dense((m, n), density), dense((m, n), density)
            b[: m // 3] = 0
            a[m // 2:] = 0
            for threads in (1, 2):
                mx.set_num_threads(threads)
                y = make(a, "csr") - make(b, "csr")
                y.check_format()
                close(y, a - b)
                y = make(a, "csr") + make(a, "csr")
                assert y.data.shape[0] == np.count_nonzero(a)
                close(y, 2 * a)
    finally:
        mx.set_num_threads(before)


def test_pickle_copy_and_handles():
    for stype, a in (("csr", dense((4, 5))), ("row_sparse", rows((4, 5)))):
        x = make(a, stype)
        y = pickle.loads(pickle.dumps(x))
        assert type(y) is type(x) and np.array_equal(y.asnumpy(), a)
        z = x.copy()
        h = x.detach()
        x *= 2
        assert np.array_equal(z.asnumpy(), a) and np.array_equal(h.asnumpy(), 2 * a)
        z[:] = x
        assert np.array_equal(z.asnumpy(), 2 * a)
        d = mx.nd.zeros(x.shape, dtype=x.dtype)
        assert x.copyto(d) is d and np.array_equal(d.asnumpy(), 2 * a)


def test_what_sparse_arrays_refuse():
    for stype in ("csr", "row_sparse"):
        x = sparse.zeros(stype, (2, 3))
        for f in (lambda x: x.size, lambda x: x.asscalar(), bool):
            with pytest.raises(NotImplementedError):
                f(x)
        with pytest.raises(mx.base.NotSupportedForSparseNDArray):
            x.reshape((3, 2))
        with pytest.raises(ValueError):
            x.tostype("row_sparse" if stype == "csr" else "csr")
        with pytest.raises(BufferError):
            memoryview(x)
    with pytest.raises(ValueError):
        sparse.zeros("csr", (2, 2))[0:2:2]


# ---- arithmetic ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("shape", [(5, 6), (40, 90), (1, 1), (3, 0)])
def test_csr_arithmetic(shape):
    a, b = dense(shape), dense(shape)
    x, y, d = make(a, "csr"), make(b, "csr"), mx.nd.array(b, dtype="float64")
    for got, want, stype in ((x + y, a + b, "csr"), (x - y, a - b, "csr"), (x * y, a * b, "csr"), (x * d, a * b, "csr"),
                             (x + d, a + b, "default"), (d + x, a + b, "default"), (d - x, b - a, "default"),
                             (x - d, a - b, "default"),
                             (x * 2, a * 2, "csr"), (2 * x, a * 2, "csr"), (x / 2, a / 2, "csr"), (-x, -a, "csr"),
                             (x + 1, a + 1, "default"),
                             (1 - x, 1 - a, "default"), (x > 0.5, a > 0.5, "csr"), (x < 0.5, a < 0.5, "default")):
        assert got.stype == stype
        close(got, want)


def test_dense_times_csr_is_dense():
    a, b = dense((3, 4)), dense((3, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = mx.nd.array(a, dtype="float64") * make(b, "csr")
    assert y.stype == "default"
    close(y, a * b)


@pytest.mark.parametrize("shape", [(5, 6), (7,), (4, 2, 3), (300, 5)])
def test_row_sparse_arithmetic(shape):
    a, b = rows(shape), rows(shape)
    x, y, d = make(a, "row_sparse"), make(b, "row_sparse"), mx.nd.array(b, dtype="float64")
    for got, want, stype in ((x + y, a + b, "row_sparse"), (x - y, a - b, "row_sparse"), (x * y, a * b, "row_sparse"),
                             (x * d, a * b, "row_sparse"), (x + d, a + b, "default"), (d - x, b - a, "default"),
                             (x * 2, a * 2, "row_sparse"),
                             (abs(x), abs(a), "row_sparse"), (sparse.add_n(x, y, x), 2 * a + b, "row_sparse")):
        assert got.stype == stype
        close(got, want)


def test_broadcast_with_csr():
    a, v, c = dense((4, 5)), rng.standard_normal(5), rng.standard_normal((4, 1))
    x = make(a, "csr")
    for w in (v, c, v.reshape(1, 5)):
        z = mx.nd.array(w, dtype="float64")
        close(sparse.broadcast_mul(x, z), a * w)
        close(sparse.broadcast_div(x, z), a / w)
        assert sparse.broadcast_mul(x, z).stype == "csr"
        close(sparse.broadcast_add(x, z), a + w)


def test_dtypes_must_agree():
    with pytest.raises(mx.MXNetError):
        make(dense((2, 2)), "csr") + make(dense((2, 2), dtype="float32"), "csr")


@pytest.mark.parametrize("dtype, tol", [("float64", 1e-12), ("float32", 1e-4), ("float16", 2e-2)])
@pytest.mark.parametrize("m, n, w", [(4, 5, 3), (7, 11, 1), (3, 2, 64), (20, 30, 100), (0, 3, 2), (3, 0, 2), (200, 90, 70)])
def test_dot(m, n, w, dtype, tol):
    a = dense((m, n), dtype=dtype)
    b, g = rng.standard_normal((n, w)).astype(dtype), rng.standard_normal((m, w)).astype(dtype)
    f = np.float64
    x, z, h = make(a, "csr"), mx.nd.array(b, dtype=dtype), mx.nd.array(g, dtype=dtype)
    close(sparse.dot(x, z), a.astype(f) @ b.astype(f), tol)
    t = sparse.dot(x, h, transpose_a=True)
    assert t.stype == "row_sparse"
    close(t, a.T.astype(f) @ g.astype(f), tol)
    t = sparse.dot(x, h, transpose_a=True, forward_stype="default")
    assert t.stype == "default"
    close(t, a.T.astype(f) @ g.astype(f), tol)
    left = sparse.dot(mx.nd.array(g.T, dtype=dtype), x)
    assert left.stype == "csr"
    close(left, g.T.astype(f) @ a.astype(f), tol)
    close(sparse.dot(mx.nd.array(b.T, dtype=dtype), x, transpose_b=True), b.T.astype(f) @ a.T.astype(f), tol)
    close(sparse.dot(x, mx.nd.array(b.T, dtype=dtype), transpose_b=True), a.astype(f) @ b.astype(f), tol)


def test_dot_with_panels():
    """Large enough that the transposed product runs panel by panel."""
    m, n, w, per = 3000, 40000, 33, 60
    columns = np.sort(rng.integers(0, n, (m, per)), axis=1) // per * per + np.arange(per)
    columns = np.clip(np.sort(columns, axis=1), 0, n - 1)
    x = sparse.csr_matrix((rng.standard_normal(m * per), columns.ravel(), np.arange(0, m * per + 1, per)), shape=(m, n))
    g = rng.standard_normal((m, w))
    want = np.zeros((n, w))
    np.add.at(want, columns.ravel(), np.repeat(g, per, 0) * x.data.asnumpy()[:, None])
    for threads in (1, 2):
        before = mx.get_num_threads()
        mx.set_num_threads(threads)
        try:
            if x._check():
                close(sparse.dot(x, mx.nd.array(g, dtype="float64"), transpose_a=True, forward_stype="default"), want, 1e-9)
        finally:
            mx.set_num_threads(before)


def test_threads_do_not_change_results():
    x, y = make(dense((300, 400)), "csr"), make(dense((300, 400)), "csr")
    g, before, got = mx.nd.array(rng.standard_normal((300, 65)), dtype="float64"), mx.get_num_threads(), []
    r, s = make(rows((2000, 40)), "row_sparse"), make(rows((2000, 40)), "row_sparse")
    try:
        for threads in (1, 2):
            mx.set_num_threads(threads)
            got.append([v.asnumpy() for v in (x + y, x * y, sparse.dot(x, g, transpose_a=True), sparse.sum(x, axis=0),
                                              x.tostype("default"),
                                              r + s, r.tostype("default"), x.tostype("default").tostype("csr"))])
    finally:
        mx.set_num_threads(before)
    for a, b in zip(*got):
        assert np.array_equal(a, b)


def test_dot_with_row_sparse():
    a, b = dense((6, 5)), rows((5, 3))
    close(sparse.dot(make(a, "csr"), make(b, "row_sparse")), a @ b)
    b = rows((6, 3))
    t = sparse.dot(make(a, "csr"), make(b, "row_sparse"), transpose_a=True)
    assert t.stype == "row_sparse"
    close(t, a.T @ b)
    with pytest.raises(mx.MXNetError):
        sparse.dot(make(a, "csr"), mx.nd.ones((5,), dtype="float64"))


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
@pytest.mark.parametrize("kw", [{}, {"axis": 0}, {"axis": 1}, {"axis": -1, "keepdims": True}, {"axis": (0, 1)},
                                {"axis": 0, "exclude": True}])
def test_sums(stype, kw):
    a = rows((5, 6)) if stype == "row_sparse" else dense((5, 6))
    x, d = make(a, stype), mx.nd.array(a, dtype="float64")
    for f in (sparse.sum, sparse.mean):
        close(f(x, **kw), f(d, **kw).asnumpy())
    if "exclude" not in kw:
        for order in (1, 2):
            close(sparse.norm(x, ord=order, **kw), sparse.norm(d, ord=order, **kw).asnumpy())


def test_sums_of_nothing():
    for stype in ("csr", "row_sparse"):
        x = sparse.zeros(stype, (3, 2))
        assert x.sum().asnumpy() == 0 and x.mean().asnumpy() == 0 and x.sum(axis=0).asnumpy().tolist() == [0, 0]


def test_retain():
    a = rows((6, 3), 0.7)
    x = make(a, "row_sparse")
    for wanted in ([0, 3], [5, 1, 1], []):
        kept = np.zeros_like(a)
        kept[wanted] = a[wanted]
        close(sparse.retain(x, mx.nd.array(np.array(wanted), dtype="int64")), kept)
    with pytest.raises(IndexError):
        sparse.retain(x, mx.nd.array([6]))
    with pytest.raises(mx.MXNetError):
        sparse.retain(mx.nd.ones((2, 2)), mx.nd.array([0]))


def test_parts_of_csr():
    a = dense((6, 5))
    x = make(a, "csr")
    for got, want in ((x[1:4], a[1:4]), (x[2], a[2:3]), (x[-1], a[-1:]), (sparse.slice(x, begin=(1, 1), end=(5, 4)), a[1:5, 1:4]),
                      (sparse.concat(x, x[0:2], dim=0), np.concatenate([a, a[:2]]))):
        assert got.stype == "csr"
        close(got, want)
    with pytest.raises(IndexError):
        x[6]


def test_fallback_warns_once(monkeypatch):
    from mxnd.sparse import dispatch
    monkeypatch.setattr(dispatch, "warned", set())
    x = make(dense((2, 3)), "csr")
    with pytest.warns(RuntimeWarning, match="dense copies"):
        close(mx.nd.transpose(x), x.asnumpy().T)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mx.nd.transpose(x)
        monkeypatch.setattr(dispatch, "warned", set())
        monkeypatch.setenv("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "0")
        mx.nd.transpose(x)


# ---- gradients -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("stype", ["default", "row_sparse"])
def test_gradient_of_dot(stype):
    a, b = dense((4, 5)), rng.standard_normal((5, 3))
    w = mx.nd.array(b, dtype="float64")
    w.attach_grad(stype=stype)
    with mx.autograd.record():
        y = (sparse.dot(make(a, "csr"), w) ** 2).sum()
    y.backward()
    assert w.grad.stype == stype
    close(w.grad, a.T @ (2 * a @ b))


def test_gradient_of_embedding():
    w = mx.nd.array(rng.standard_normal((50, 4)), dtype="float64")
    ids = rng.integers(0, 50, (3, 5))
    h = rng.standard_normal((3, 5, 4))
    want = np.zeros((50, 4))
    np.add.at(want, ids, h)
    w.attach_grad(stype="row_sparse")
    with mx.autograd.record():
        y = mx.nd.Embedding(mx.nd.array(ids), w, input_dim=50, output_dim=4, sparse_grad=True)
    y.backward(mx.nd.array(h, dtype="float64"))
    assert w.grad.stype == "row_sparse" and w.grad.indices.asnumpy().tolist() == np.unique(ids).tolist()
    close(w.grad, want)
    w.attach_grad("add", stype="row_sparse")
    for _ in range(2):
        with mx.autograd.record():
            y = mx.nd.Embedding(mx.nd.array(ids), w, input_dim=50, output_dim=4, sparse_grad=True)
        y.backward(mx.nd.array(h, dtype="float64"))
    close(w.grad, 2 * want)


@pytest.mark.parametrize("f", [lambda x: x * 3, lambda x: sparse.square(x), lambda x: sparse.sin(x), lambda x: x * x + x,
                               lambda x: sparse.sum(x, axis=0), lambda x: x.tostype("default") * 2, lambda x: x - x * 0.5])
@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_gradients_as_dense_ones(stype, f):
    a = rows((4, 3))
    found = []
    for kind in ("default", stype):
        x = make(a, kind)
        x.attach_grad()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with mx.autograd.record():
                y = f(x)
            y.backward()
        assert x.grad.stype == kind
        found.append(x.grad.asnumpy())
    np.testing.assert_allclose(*found, rtol=1e-12)


# ---- optimizers ----------------------------------------------------------------------------------------
UPDATES = {"sgd_update": (0, dict(lr=0.1)), "sgd_mom_update": (1, dict(lr=0.1, momentum=0.9)), "adam_update": (2, dict(lr=0.1)),
           "ftrl_update": (2, dict(lr=0.1)), "adagrad_update": (1, dict(lr=0.1))}


@pytest.mark.parametrize("width", [1, 3, 64, 200])
@pytest.mark.parametrize("stype", ["default", "row_sparse"])
@pytest.mark.parametrize("name", UPDATES)
def test_lazy_updates_touch_only_named_rows(name, stype, width):
    states, params = UPDATES[name]
    if name != "adagrad_update":
        params = dict(params, wd=0.01, rescale_grad=0.5, clip_gradient=0.4)
    f = getattr(sparse, name)
    arrays = [np.abs(rng.standard_normal((40, width))) for _ in range(1 + states)]
    g = rows((40, width))
    named = np.flatnonzero(g.any(1))
    plain = [mx.nd.array(a, dtype="float64") for a in arrays]
    f(plain[0], mx.nd.array(g, dtype="float64"), *plain[1:], out=plain[0], **params)
    lazy = [mx.nd.array(a, dtype="float64").tostype(stype) for a in arrays]
    assert f(lazy[0], make(g, "row_sparse"), *lazy[1:], out=lazy[0], **params) is lazy[0]
    for a, p, x in zip(arrays, plain, lazy):
        want = a.copy()
        want[named] = p.asnumpy()[named]
        assert x.stype == stype
        close(x, want)


def test_lazy_update_without_out_keeps_the_weight():
    w, g = mx.nd.ones((3, 2)), sparse.row_sparse_array(([[1., 1.]], [1]), shape=(3, 2))
    y = mx.nd.sgd_update(w, g, lr=0.5)
    assert w.asnumpy().min() == 1 and y.asnumpy()[1].tolist() == [0.5, 0.5]


def test_states_grow():
    w, m = mx.nd.ones((4, 2)).tostype("row_sparse"), sparse.zeros("row_sparse", (4, 2))
    g = sparse.row_sparse_array(([[1., 1.], [2., 2.]], [1, 3]), shape=(4, 2))
    mx.nd.sgd_mom_update(w, g, m, lr=0.1, momentum=0.9, out=w)
    assert m.indices.asnumpy().tolist() == [1, 3]
    close(w, np.array([[1, 1], [0.9, 0.9], [1, 1], [0.8, 0.8]]), 1e-6)


def test_group_adagrad():
    w, h, g = rng.standard_normal((5, 3)), np.abs(rng.standard_normal((5, 1))), rows((5, 3))
    plain = [mx.nd.array(v, dtype="float64") for v in (w, g, h)]
    lazy = [plain[0].copy(), make(g, "row_sparse"), plain[2].copy()]
    for x in (plain, lazy):
        mx.nd.contrib.group_adagrad_update(*x, lr=0.1, out=x[0])
    close(lazy[0], plain[0].asnumpy())
    close(lazy[2], plain[2].asnumpy())


def test_adagrad_refuses_weight_decay():
    with pytest.raises(mx.MXNetError):
        sparse.adagrad_update(mx.nd.ones((2, 2)), sparse.zeros("row_sparse", (2, 2)), mx.nd.ones((2, 2)), lr=0.1, wd=0.1)
