"""Random arrays, distributions, and what surrounds tests."""
import os

import numpy as np
import pytest

import mxnd as mx
from mxnd import nd
from mxnd import test_utils as tu


def test_shapes():
    np.random.seed(0)
    seen = {tu.rand_shape_2d(2, 3) for _ in range(200)}
    assert seen == {(a, b) for a in (1, 2) for b in (1, 2, 3)}
    assert {tu.rand_shape_nd(1, 2, allow_zero_size=True) for _ in range(100)} == {(0,), (1,), (2,)}
    assert len(tu.rand_shape_3d()) == 3 and all(isinstance(n, int) for n in tu.rand_shape_3d())
    assert {tu.rand_coord_2d(1, 3, 5, 6) for _ in range(50)} == {(1, 5), (2, 5)}


def test_arrays():
    assert tu.random_arrays((2, 3)).shape == (2, 3) and tu.random_arrays(()).shape == ()
    (a,) = tu.random_uniform_arrays((100,), low=2, high=3, dtype="float64")
    assert a.dtype == np.float64 and 2 <= a.min() and a.max() < 3
    assert tu.random_sample(list("abcd"), 2) in [list(p) for p in ("ab", "ac", "ad", "bc", "bd", "cd")]
    x = tu.rand_ndarray((3, 4), dtype="float64")
    assert x.shape == (3, 4) and x.dtype == np.float64
    assert tu.create_2d_tensor(3, 2).asnumpy().tolist() == [[0, 0], [1, 1], [2, 2]] and tu.create_vector(3).dtype == np.int64
    b = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(tu.np_reduce(b, (0, -1), False, np.sum), b.sum((0, 2)))
    np.testing.assert_array_equal(tu.np_reduce(b, None, True, np.max), [[[23]]])
    np.testing.assert_array_equal(tu.collapse_sum_like(b, (3, 1)), b.sum((0, 2)).reshape(3, 1))
    assert tu.assign_each(np.array([1.0, 2.0]), lambda v: v + 1).tolist() == [2, 3]
    assert tu.assign_each2(np.array([1.0]), np.array([2.0]), lambda v, w: v - w).tolist() == [-1]


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_sparse_arrays(stype):
    np.random.seed(1)
    x, parts = tu.rand_sparse_ndarray((40, 30), stype, density=0.3, dtype="float64")
    assert x.stype == stype and x.dtype == np.float64 and x.shape == (40, 30)
    x.check_format()
    share = (x.asnumpy() != 0).mean()
    assert 0.15 < share < 0.45
    if stype == "csr":
        again = nd.sparse.csr_matrix((parts[2], parts[1], parts[0]), shape=x.shape)
    else:
        again = nd.sparse.row_sparse_array(parts, shape=x.shape)
    np.testing.assert_array_equal(again.asnumpy(), x.asnumpy())
    assert (tu.create_sparse_array((5, 4), stype, data_init=2, density=1.0).asnumpy() == 2).all()
    assert (tu.create_sparse_array((5, 4), stype, density=1.0, data_init=2, modifier_func=lambda v: v * 3).asnumpy() == 6).all()
    assert not tu.create_sparse_array_zd((5, 4), stype, 0.0).asnumpy().any()
    assert tu.rand_ndarray((4, 4), stype).stype == stype


def test_sparse_arrays_in_particular():
    np.random.seed(2)
    x = tu.create_sparse_array((4, 2), "row_sparse", rsp_indices=[3, 1])
    assert x.indices.asnumpy().tolist() == [1, 3]
    x, _ = tu.rand_sparse_ndarray((10, 64), "csr", density=0.2, distribution="powerlaw")
    counts = np.diff(x.indptr.asnumpy())
    assert counts.tolist() == [1, 2, 4, 8, 16, 32, 62, 1, 1, 1]
    y = tu.shuffle_csr_column_indices(x)
    np.testing.assert_array_equal(y.asnumpy(), x.asnumpy())
    assert y.indices.asnumpy().tolist() != x.indices.asnumpy().tolist()
    for bad in ({"stype": "default"}, {"stype": "csr", "density": 2}, {"stype": "csr", "density": 0.001, "distribution": "powerlaw"}):
        with pytest.raises(ValueError, match="rand_sparse_ndarray"):
            tu.rand_sparse_ndarray((10, 20), **bad)
    with pytest.raises(AssertionError, match="uniform"):
        tu.rand_sparse_ndarray((10, 20), "row_sparse", distribution="powerlaw")


def test_matrices():
    np.random.seed(3)
    for m in (tu.new_matrix_with_real_eigvals_nd((2, 4, 4)), tu.new_sym_matrix_with_real_eigvals_nd((2, 4, 4))):
        assert m.shape == (2, 4, 4)
        values = np.linalg.eigvals(m)
        assert np.abs(values.imag).max() < 1e-6 and np.abs(values).min() > 0.9
    np.testing.assert_allclose(m, np.swapaxes(m, 1, 2))
    assert tu.get_identity_mat_batch(2).tolist() == [np.eye(2).tolist()] * 2


def test_distributions():
    rng = np.random.default_rng(4)
    buckets, probs = tu.gen_buckets_probs_with_ppf(lambda p: p * 2, 5)
    assert buckets[1] == pytest.approx((0.4, 0.8)) and probs == [0.2] * 5
    assert min(tu.verify_generator(lambda n: rng.uniform(0, 2, n), buckets, probs, 20000)) > 0
    with pytest.raises(AssertionError, match="verify_generator"):
        tu.verify_generator(lambda n: rng.uniform(0, 2, n)**1.1, buckets, probs, 20000)
    with pytest.raises(AssertionError, match="verify_generator"):            # numbers outside all buckets
        tu.verify_generator(lambda n: rng.uniform(0, 2.2, n), buckets, probs, 20000)
    mx.random.seed(5)
    assert tu.verify_generator(lambda n: nd.random.randint(0, 4, (n,)), [0, 1, 2, 3], [0.25] * 4, 20000)
    assert tu.mean_check(lambda n: rng.normal(1, 2, n), 1, 2, 10000) and not tu.mean_check(lambda n: rng.normal(1, 2, n), 1.2, 2, 10000)
    assert tu.var_check(lambda n: rng.normal(1, 2, n), 2, 10000) and not tu.var_check(lambda n: rng.normal(1, 2, n), 2.2, 10000)


@pytest.mark.parametrize("df, x, p", [(1, 3.841458820694124, 0.05), (10, 18.307038053275146, 0.05), (4, 1.0636232167792243, 0.9),
                                      (99, 134.64161685578915, 0.01), (2, 0.0, 1.0)])
def test_chi_square_probabilities(df, x, p):
    from mxnd.test_utils.distributions import upper_gamma
    assert upper_gamma(df / 2, x / 2) == pytest.approx(p, rel=1e-9)


def test_environment(monkeypatch):
    monkeypatch.setenv("MXND_TEST_A", "1")
    monkeypatch.delenv("MXND_TEST_B", raising=False)
    with tu.environment({"MXND_TEST_A": None, "MXND_TEST_B": "2"}):
        assert mx.util.getenv("MXND_TEST_A") is None and os.environ["MXND_TEST_B"] == "2"
    with pytest.raises(KeyError), tu.environment("MXND_TEST_A", "3"):
        assert os.environ["MXND_TEST_A"] == "3"
        raise KeyError
    with tu.EnvManager("MXND_TEST_B", "4"):
        assert os.environ["MXND_TEST_B"] == "4"
    assert os.environ["MXND_TEST_A"] == "1" and "MXND_TEST_B" not in os.environ
    assert tu.set_env_var("MXND_TEST_B", "5", "none") == "none" and tu.set_env_var("MXND_TEST_B", "6") == "5"
    os.environ.pop("MXND_TEST_B")
    assert tu.is_cd_run() is (os.environ.get("CD_JOB") == "1") and tu.has_tvm_ops() is False and tu.is_op_runnable() is True
    with pytest.raises(TypeError):
        tu.environment("a", "b", "c").__enter__()


def test_default_context():
    assert tu.default_context() == mx.cpu(0)
    tu.set_default_context(mx.cpu(1))
    try:
        assert tu.default_context() == mx.current_context() == mx.cpu(1) and nd.ones((1,)).context == mx.cpu(1)
    finally:
        tu.set_default_context(mx.cpu(0))
    with pytest.raises(TypeError):
        tu.set_default_context("cpu")


def test_retry():
    runs = []

    @tu.retry(3)
    def test(limit):
        runs.append(1)
        assert len(runs) >= limit
        return "done"
    assert test(3) == "done" and len(runs) == 3
    runs.clear()
    with pytest.raises(AssertionError):
        test(4)
    assert len(runs) == 3
    with pytest.raises(AssertionError):
        tu.retry(0)


def test_discard_stderr(capfd):
    with tu.discard_stderr():
        os.write(2, b"unseen")
    os.write(2, b"shown")
    assert capfd.readouterr().err == "shown"


def test_dummy_iter():
    it = tu.DummyIter([1, 2, 3])
    assert [next(it), it.next(), next(iter(it))] == [1, 1, 1] and it.reset() is None
