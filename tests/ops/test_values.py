"""Values against NumPy expressions, over dtypes, shapes and special values."""
import numpy as np
import pytest
from samples import ALL, ident, run

import mxnd as mx

WITH_NUMPY = [s for s in ALL if s.op.numpy and s.op.kernel_types is None and s.op.c is not None]
EXACT = {"float64": 1e-12, "float32": 2e-6, "float16": 2e-3, "bfloat16": 1.6e-2}


def reference(s, arrays):
    names = dict(zip(s.op.input_names(s.packed(), len(arrays)), arrays))
    if s.op.family in ("scalar", "rscalar"):
        x, k = arrays[0], np.asarray(s.params["scalar"], arrays[0].dtype)
        names.update(x=k if s.op.family == "rscalar" else x, y=x if s.op.family == "rscalar" else k)
    else:
        names.update(x=arrays[0], y=arrays[-1])
    with np.errstate(all="ignore"):
        return np.asarray(eval(s.op.numpy, {"np": np, "p": s.packed(), **names}))


@pytest.mark.parametrize("dtype", EXACT)
@pytest.mark.parametrize("s", WITH_NUMPY, ids=ident)
def test_floats(s, dtype):
    arrays = [mx.nd.array(v, dtype=dtype) for v in s.inputs]
    wide = [a.asnumpy().astype("float64") for a in arrays]
    got = run(s, arrays)[0]
    assert got.dtype == arrays[0].dtype
    if s.op.family in ("scalar", "rscalar"):                   # the number is rounded to the dtype first
        s.params["scalar"] = float(mx.nd.array([s.params["scalar"]], dtype=dtype).asnumpy()[0])
    np.testing.assert_allclose(got.asnumpy().astype("float64"), reference(s, wide).astype("float64"), rtol=EXACT[dtype],
                               atol=EXACT[dtype])


@pytest.mark.parametrize("n", [0, 1, 7, 64, 1023, 5000, 200003])
@pytest.mark.parametrize("s", [s for s in WITH_NUMPY if s.op.family == "unary"][::3], ids=ident)
def test_sizes(s, n):
    values = np.resize(s.inputs[0], n)
    got = run(s, [mx.nd.array(values, dtype="float32")])[0]
    np.testing.assert_allclose(got.asnumpy(), reference(s, [values.astype("float32")]).astype("float32"), rtol=3e-6, atol=3e-6)


SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-38, 3e38, -3e38, 1.0, -1.0, 88.8, -104.0, 709.9, 0.5])
KEEP = "exp expm1 log log1p log2 log10 sqrt cbrt sin cos tanh sinh cosh arctan arcsinh square abs sign floor ceil trunc".split()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", KEEP)
def test_special_values(name, dtype):
    x = SPECIAL.astype(dtype)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x)
    if name == "sign":
        want[np.isnan(want)] = 0                               # MXNet's rule
    got = getattr(mx.nd, name)(mx.nd.array(x, dtype=dtype)).asnumpy()
    np.testing.assert_allclose(got, want, rtol=1e-5 if dtype == "float32" else 1e-12, atol=0)
    np.testing.assert_array_equal(np.signbit(got[want == 0]), np.signbit(want[want == 0]))


@pytest.mark.parametrize("name, half, want", [("rint", [0.5, 1.5, 2.5, -0.5, -1.5], [0, 1, 2, -1, -2]),
                                             ("round", [0.5, 2.5, -0.5], [1, 3, -1]), ("fix", [1.7, -1.7], [1, -1])])
def test_rounding_of_halves(name, half, want):
    assert getattr(mx.nd, name)(mx.nd.array(half)).asnumpy().tolist() == want


@pytest.mark.parametrize("shapes", [((3, 1), (1, 4)), ((2, 3, 4), (4,)), ((2, 1, 4, 1), (3, 1, 5)), ((1,), (2, 2)), ((), (3,)),
                                    ((0, 3), (1, 3)), ((1000, 3), (3,)), ((1000, 3), (1000, 1)), ((5, 1, 700), (5, 4, 1))])
def test_broadcasting(shapes):
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(s) for s in shapes)
    for f, g in ((np.add, mx.nd.broadcast_add), (np.subtract, mx.nd.broadcast_sub), (np.maximum, mx.nd.broadcast_maximum)):
        np.testing.assert_array_equal(g(mx.nd.array(a, dtype="float64"), mx.nd.array(b, dtype="float64")).asnumpy(), f(a, b))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_whole_numbers(dtype):
    x = mx.nd.array([-7, 7, 5, 0], dtype=dtype) if dtype != "uint8" else mx.nd.array([7, 200, 5, 0], dtype=dtype)
    v = x.asnumpy()
    assert (x + x).asnumpy().tolist() == (v + v).tolist()
    assert (x / 2).asnumpy().tolist() == np.trunc(v / 2).astype(dtype).tolist()
    assert (x % 3).asnumpy().tolist() == np.mod(v, 3).tolist()
    assert (x ** 2).asnumpy().tolist() == (v * v).tolist()
    assert mx.nd.sqrt(mx.nd.array([4, 9], dtype=dtype)).asnumpy().tolist() == [2, 3]
    for f in (lambda: x / 0, lambda: x / mx.nd.zeros((4,), dtype=dtype), lambda: 1 / mx.nd.zeros((2,), dtype=dtype)):
        with pytest.raises(ZeroDivisionError):
            f()


@pytest.mark.parametrize("source, target, values, want", [
    ("float32", "uint8", [-1.5, 300.0, 3.9], [255, 44, 3]), ("float32", "int32", [np.nan, 1e30, -2.7], [-2**31, -2**31, -2]),
    ("float32", "float16", [11.1, 70000.0], [11.1015625, np.inf]), ("int32", "bool", [0, 5], [False, True]),
    ("float64", "int64", [2.0**40, -0.5], [2**40, 0])])
def test_casts(source, target, values, want):
    assert mx.nd.array(values, dtype=source).astype(target).asnumpy().tolist() == want


def test_l2_normalization_of_huge_values():
    got = mx.nd.L2Normalization(mx.nd.array([[3e20, 4e20]])).asnumpy()
    np.testing.assert_allclose(got, [[0.6, 0.8]], rtol=1e-5)
