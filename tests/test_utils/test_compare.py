"""Comparisons: they accept what is close, refuse what is not, and say where."""
import numpy as np
import pytest

import mxnd as mx
from mxnd import nd
from mxnd import test_utils as tu


def test_almost_equal():
    a = np.array([1.0, 2.0])
    assert tu.almost_equal(a, a + 1e-7) and not tu.almost_equal(a, a + 1e-3)
    assert tu.almost_equal(a.astype("float32"), a + 1e-4) and tu.almost_equal(nd.array(a), a)      # the coarser dtype decides
    assert not tu.almost_equal(np.array([np.nan]), np.array([np.nan]))
    assert tu.almost_equal(np.array([np.nan]), np.array([np.nan]), equal_nan=True)
    assert tu.almost_equal(np.ones((2, 3)), np.ones((3,)))
    with pytest.raises(AssertionError, match="shapes"):
        tu.almost_equal(np.ones((2, 3)), np.ones((3,)), use_broadcast=False)
    assert tu.almost_equal_ignore_nan(np.array([np.nan, 1]), np.array([5.0, 1])) and not tu.almost_equal_ignore_nan(a, a + 1)


def test_message(capsys):
    a, b = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.array([[1.0, 2.0, 3.5], [4.0, 5.0, 8.0]])
    with pytest.raises(AssertionError) as e:
        tu.assert_almost_equal(a, b, rtol=0.1, atol=0.1, names=("got", "want"))
    text = str(e.value)
    assert "Error 2.222222 exceeds tolerance rtol=1.000000e-01, atol=1.000000e-01 (mismatch 33.333333%)" in text or \
           "(mismatch 16.666667%)" in text
    assert "Location of maximum error: (1, 2), got=6.00000000, want=8.00000000" in text
    assert "ACTUAL: " in text and "DESIRED: " in text
    shown = capsys.readouterr().out
    assert "Maximum errors for matrix of size 2x3" in shown and "(1, 2), got=6" in shown
    with pytest.raises(AssertionError):
        tu.assert_almost_equal(np.zeros(50), np.ones(50), mismatches=(3, 3))
    assert capsys.readouterr().out.count("Location of error") == 3


@pytest.mark.parametrize("a, b", [([1.0, np.nan], [1.0, 2.0]), ([np.inf], [-np.inf]), ([np.inf], [1.0]), ([1.0], [np.inf]), ([1], [2]),
                                  ([True], [False]), ([np.nan], [np.nan])])
def test_special_values_differ(a, b):
    with pytest.raises(AssertionError, match="not equal"):
        tu.assert_almost_equal(np.array(a), np.array(b))


def test_special_values_agree():
    for a in ([np.inf, -np.inf], [True, False], [3, 4], []):
        tu.assert_almost_equal(np.array(a), np.array(a))
    tu.assert_almost_equal(np.array([np.nan, 1]), np.array([np.nan, 1]), equal_nan=True)
    tu.assert_almost_equal_ignore_nan(np.array([np.nan, 1]), np.array([2.0, 1]))
    tu.assert_almost_equal(nd.ones((2,), dtype="float16"), nd.ones((2,)) * 1.005)
    tu.assert_almost_equal(2.0, np.float32(2.0))
    with pytest.raises(AssertionError):
        tu.assert_almost_equal(nd.ones((2,)), nd.ones((2,)) * 1.005)
    with pytest.raises(AssertionError):
        tu.assert_allclose(nd.ones((2,)), nd.ones((2,)) * 1.0001)


def test_share_of_errors():
    a, b = np.ones(10), np.ones(10)
    b[3] = 2
    tu.assert_almost_equal_with_err(a, b, etol=0.1)
    with pytest.raises(AssertionError):
        tu.assert_almost_equal_with_err(a, b, etol=0.05)
    with pytest.raises(AssertionError):
        tu.assert_almost_equal_with_err(a, b)


def test_find_max_violation_and_location():
    a, b = np.array([[1.0, 2.0]]), np.array([[1.5, 2.0]])
    index, off = tu.find_max_violation(a, b, 0.0, 0.25)
    assert index == (0, 0) and off == 2
    assert tu.locationError(a, b, index, ("x", "y")) == "Location of error: (0, 0), x=1.00000000, y=1.50000000"


def test_same_array_and_structure():
    x = nd.ones((2, 3))
    assert tu.same_array(x, x.reshape((2, 3))) and not tu.same_array(x, x.copy()) and not tu.same_array(x, nd.zeros((2, 3)))
    assert (x.asnumpy() == 1).all() and tu.same(x, np.ones((2, 3))) and not tu.same(x, np.ones((3, 2)))
    a, b = mx.sym.var("a"), mx.sym.var("b")
    assert tu.same_symbol_structure(a + b * 2, b + a * 3) and not tu.same_symbol_structure(a + b, a * b)
    assert not tu.same_symbol_structure(a + a, a + b)


def test_assert_exception_and_tuples():
    tu.assert_exception(nd.dot, mx.MXNetError, nd.ones((2, 3)), nd.ones((2, 3)))
    with pytest.raises(AssertionError, match="MXNetError"):
        tu.assert_exception(nd.exp, mx.MXNetError, nd.ones((2,)))
    with pytest.raises(ZeroDivisionError):
        tu.assert_exception(lambda: 1 / 0, ValueError)
    tu.compare_ndarray_tuple((nd.ones((2,)), (None, nd.zeros((1,)))), (nd.ones((2,)), (nd.ones((5,)), nd.zeros((1,)))))
    with pytest.raises(AssertionError):
        tu.compare_ndarray_tuple((nd.ones((2,)),), (nd.zeros((2,)),))


def test_tolerances():
    assert tu.get_rtol(dtype="float16") == 1e-2 and tu.get_rtol(0.5) == 0.5 and tu.get_atol() == 1e-20 and tu.get_etol() == 0
    assert tu.get_tols(np.ones(2, "float16"), nd.ones((2,)), None, None) == (1e-2, 1e-1)
    assert tu.get_tols(np.ones(2), 1.0, None, 0.5) == (1e-5, 0.5)
    assert tu.get_tolerance(np.ones(2, "float32"), {np.dtype("float32"): 0.25}, tu.default_rtols()) == 0.25
    assert tu.effective_dtype(nd.ones((2,), dtype="int8")) == np.dtype("int8")
    assert set(tu.default_rtols()) == set(tu.default_atols()) > set(tu.default_numeric_eps())
