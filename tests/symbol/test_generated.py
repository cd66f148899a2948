"""Symbols against the tape, for every operator with a sample: outputs, gradients, JSON, inference."""
import numpy as np
import pytest
from samples import ALL, ident, run

import mxnd as mx
from mxnd.symbol.functions import FUNCTIONS

CASES = [s for s in ALL if s.inputs and not s.op.random and not s.op.uses_mode and not s.op.mutates
         and s.op.auto_variables and s.op.name not in ("_custom_function",)]


def symbol(s):
    variables = [mx.sym.Variable(f"in{k}") for k in range(len(s.inputs))]
    f = FUNCTIONS[s.op.name]
    out = f(*variables, **s.params)
    return out if isinstance(out, mx.sym.Symbol) else mx.sym.Group(list(out))


@pytest.mark.parametrize("s", CASES, ids=ident)
def test_symbol_equals_tape(s):
    arrays = s.arrays()
    for a, ok in zip(arrays, s.smooth):
        if ok:
            a.attach_grad()
    with mx.autograd.record():
        outs = run(s, arrays)
    heads = [y for y in outs if np.dtype(y.dtype).kind == "f" and y._tracked]
    if heads:
        mx.autograd.backward(heads)
    args = {f"in{k}": a.detach() for k, a in enumerate(arrays)}
    grads = {f"in{k}": mx.nd.zeros(a.shape, dtype="float64") for k, (a, ok) in enumerate(zip(arrays, s.smooth)) if ok}
    sym = symbol(s)
    ex = sym.bind(mx.cpu(), args, args_grad=grads)
    got = ex.forward(is_train=True)
    for a, b in zip(got, outs, strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
    if heads and grads:
        ex.backward([mx.nd.ones(y.shape, dtype=y.dtype) for y in got])
        for k, a in enumerate(arrays):
            if s.smooth[k]:
                np.testing.assert_allclose(grads[f"in{k}"].asnumpy(), a.grad.asnumpy(), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("s", CASES, ids=ident)
def test_json_round_trip_and_inference(s):
    sym = symbol(s)
    text = sym.tojson()
    again = mx.sym.load_json(text)
    assert again.tojson() == text
    shapes = {f"in{k}": v.shape for k, v in enumerate(s.inputs)}
    if all(0 not in v and v for v in shapes.values()):
        _, outs, _ = again.infer_shape(**shapes)
        assert outs == [y.shape for y in run(s, s.arrays())]
