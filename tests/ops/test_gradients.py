"""Gradients of orders 1 to 3 against finite differences in float64."""
import numpy as np
import pytest
from samples import ALL, ident, run

import mxnd as mx

# their gradient is by definition not that of their value (losses), or is not a function of the inputs alone
BY_DEFINITION = {"SoftmaxOutput", "LinearRegressionOutput", "MAERegressionOutput", "LogisticRegressionOutput", "SVMOutput", "MakeLoss",
                 "make_loss", "BlockGrad", "IdentityAttachKLSparseReg", "_contrib_gradientmultiplier", "_contrib_round_ste",
                 "_contrib_sign_ste", "softmax_cross_entropy_label"}
ROUNDING = {"rint", "round", "ceil", "floor", "trunc", "fix"}


def differentiable(s):
    return (s.op.grad is not None or s.op.compose is not None) and not s.op.random and s.op.name not in BY_DEFINITION \
        and not getattr(s.op, "inplace", False) and not getattr(s.op, "by_definition", False) and any(s.smooth)


CASES = [s for s in ALL if differentiable(s)]


def scalar(s, arrays, weights):
    """A weighted sum of all outputs."""
    total = None
    for k, y in enumerate(run(s, arrays)):
        if np.dtype(y.dtype).kind != "f":
            continue
        w = mx.nd.array(np.resize(weights, y.shape) * (1 + k), dtype="float64")
        t = (y.astype("float64") * w).sum()
        total = t if total is None else total + t
    return total


def leaves(s, values):
    arrays = s.arrays()
    chosen = [a for a, ok in zip(arrays, s.smooth) if ok]
    k = 0
    for i, ok in enumerate(s.smooth):
        if ok:
            arrays[i] = mx.nd.array(values[k], dtype="float64")
            arrays[i].attach_grad()
            chosen[k] = arrays[i]
            k += 1
    return arrays, chosen


def derivative(s, values, order, weights, direction):
    """The order-th derivative of the weighted sum along a direction: a number (order 0: the sum itself)."""
    arrays, chosen = leaves(s, values)
    with mx.autograd.record():
        y = scalar(s, arrays, weights)
        for _ in range(order):
            if y is None or not y._tracked:
                return 0.0
            grads = mx.autograd.grad(y, chosen, create_graph=True)
            y = None
            for g, d in zip(grads, direction):
                t = (g * mx.nd.array(d, dtype="float64")).sum()
                y = t if y is None else y + t
    return 0.0 if y is None else y.asscalar()


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("s", CASES, ids=ident)
def test_against_finite_differences(s, order):
    rng = np.random.default_rng(order)
    values = [v for v, ok in zip(s.inputs, s.smooth) if ok]
    weights = rng.uniform(0.5, 1.5, 97)
    direction = [rng.uniform(-1, 1, v.shape) for v in values]
    if getattr(s.op, "symmetric", False):
        direction = [d + d.swapaxes(-1, -2) for d in direction]
    e = 1e-5

    def at(t):
        return derivative(s, [v + t * d for v, d in zip(values, direction)], order - 1, weights, direction)
    numeric = (at(e) - at(-e)) / (2 * e)
    got = derivative(s, values, order, weights, direction)
    np.testing.assert_allclose(got, numeric, rtol=2e-5, atol=1e-6 * max(1.0, abs(at(0.0))))


@pytest.mark.parametrize("s", [s for s in CASES if s.op.family in ("unary", "binary")], ids=ident)
def test_one_pass_is_the_formula(s):
    """The first-order gradient made in one pass is bitwise that of the formula run operator by operator."""
    values = [np.resize(v, (3, 700)) for v in s.inputs]
    grads = []
    for create_graph in (False, True):
        arrays, chosen = leaves(s, values)
        with mx.autograd.record():
            y = run(s, arrays)[0]
            grads.append([g.asnumpy() for g in mx.autograd.grad(y, chosen, create_graph=create_graph)])
    for a, b in zip(*grads):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("s", [s for s in ALL if s.op.name in BY_DEFINITION | ROUNDING and any(s.smooth)], ids=ident)
def test_defined_gradients_are_finite(s):
    arrays, chosen = leaves(s, [v for v, ok in zip(s.inputs, s.smooth) if ok])
    with mx.autograd.record():
        y = run(s, arrays)[0]
    y.backward()
    assert all(np.isfinite(x.grad.asnumpy()).all() for x in chosen)
