"""Fused groups over arrays beyond the cache, which come in small tiles, and over arrays in the cache."""
import numpy as np
import pytest

import mxnd as mx
from mxnd.ops.declare import REGISTRY

A, B, C = map(mx.sym.var, "abc")
CHAINS = {
    "chain": (mx.sym.tanh(A * B + C) * 2.5 - B, lambda a, b, c: np.tanh(a * b + c) * 2.5 - b),
    "constants": ((A * A + 1) ** 1.7 / (B * B + 2), lambda a, b, c: (a * a + 1) ** 1.7 / (b * b + 2)),
    "sum": (mx.sym.sum((A * B + C) * C, axis=1), lambda a, b, c: ((a * b + c) * c).sum(1)),
    "max": (mx.sym.max(A * B - 3.0 * C), lambda a, b, c: (a * b - 3 * c).max()),
    "row": (mx.sym.broadcast_mul(A + C, mx.sym.slice_axis(B, axis=0, begin=0, end=1)) ** 2,
            lambda a, b, c: ((a + c) * b[:1]) ** 2),
    "column": (mx.sym.broadcast_add(A * C, mx.sym.slice_axis(B, axis=1, begin=0, end=1)) ** 3,
               lambda a, b, c: (a * c + b[:, :1]) ** 3),
}


@pytest.mark.parametrize("shape", [(3, 5), (7, 1100), (301, 1003), (2, 300001)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CHAINS)
def test_tiles(name, dtype, shape):
    symbol, expected = CHAINS[name]
    rng = np.random.default_rng(0)
    arrays = {k: rng.standard_normal(shape).astype(dtype) for k in "abc"}
    bound = {k: mx.nd.array(arrays[k], dtype=dtype) for k in symbol.list_arguments()}
    got = symbol.bind(mx.cpu(), bound, grad_req="null").forward()[0].asnumpy()
    want = expected(**{k: v.astype("float64") for k, v in arrays.items()})
    loose = dict(rtol=1e-4, atol=1e-2) if dtype == "float32" else dict(rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(got, want, **loose)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradient_tiles(dtype):
    def gradient(values):
        x = mx.nd.array(values, dtype=dtype)
        x.attach_grad()
        with mx.autograd.record():
            y = mx.nd.tanh(x) + x ** 2.5 + mx.nd.erf(x)
        y.backward()
        return x.grad.asnumpy()

    values = np.random.default_rng(1).uniform(0.1, 2, 400001)
    np.testing.assert_allclose(gradient(values)[-1000:], gradient(values[-1000:]), rtol=1e-6)


ELEMENTWISE = sorted({op.name for op in REGISTRY.values() if op.family in ("unary", "binary", "scalar", "rscalar")
                      and op.c is not None and not (op.family == "unary" and op.params)})


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_a_value_does_not_depend_on_its_place(name, dtype):
    # groups run over rows and tiles, single operators over whole arrays: ends of loops may not round in another way
    op, rng = REGISTRY[name], np.random.default_rng(0)
    parts = [[mx.nd.array(v, dtype=dtype) for v in (rng.uniform(-6, 6, 1600), rng.uniform(0.1, 3, 1600))]]
    parts += [[[v[k:k + w] for k in range(0, 1600, w)] for v in parts[0]] for w in (1, 3, 17, 40)]

    def run(x, y):
        return (op(x, y) if op.family == "binary" else op(x) if op.family == "unary" else op(x, scalar=0.7)).asnumpy()
    with np.errstate(all="ignore"):
        whole = run(*parts[0])
        for xs, ys in parts[1:]:
            np.testing.assert_array_equal(np.concatenate([run(x, y) for x, y in zip(xs, ys)]), whole)
