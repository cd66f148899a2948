"""Symbol files that MXNet 1.9.1 wrote: the same calls write the same text here, and what is loaded computes what MXNet computed."""
import pathlib
import zlib
from collections import Counter

import numpy as np
import pytest
from graphs import GRAPHS

import mxnd as mx
from mxnd.symbol import control

FILES = pathlib.Path(__file__).parent.parent / "data" / "mxnet_symbols"
VALUES = np.load(FILES / "values.npz")


def numbers(name, shape):
    """The numbers that MXNet got for an array of this name."""
    return np.random.RandomState(zlib.crc32(name.encode()) % 2**31).uniform(-1, 1, shape).astype("float32")


@pytest.mark.parametrize("name", GRAPHS)
def test_text_is_mxnets(name, monkeypatch):
    monkeypatch.setattr(control, "_used", Counter())
    with mx.name.NameManager():
        symbol = GRAPHS[name][0]()
    text = (FILES / f"{name}.json").read_text()
    assert symbol.tojson() == text
    assert mx.sym.load_json(text).tojson() == text


@pytest.mark.parametrize("name", GRAPHS)
def test_values_are_mxnets(name):
    symbol = mx.sym.load(FILES / f"{name}.json")
    given = {k: v for k, v in GRAPHS[name][1].items() if k in symbol.list_arguments()}
    shapes, _, aux_shapes = symbol.infer_shape(**given)
    args = {n: mx.nd.array(numbers(n, s)) for n, s in zip(symbol.list_arguments(), shapes)}
    aux = {n: mx.nd.array(numbers(n, s)) for n, s in zip(symbol.list_auxiliary_states(), aux_shapes)}
    for n, a in (*args.items(), *aux.items()):
        if n.endswith("moving_var"):
            a[:] = a.abs() + 0.5
    grads = {n: mx.nd.zeros(a.shape) for n, a in args.items()}
    executor = symbol.bind(mx.cpu(), args, grads, aux_states=aux)
    for k, y in enumerate(executor.forward()):
        np.testing.assert_allclose(y.asnumpy(), VALUES[f"{name}/out{k}"], rtol=1e-4, atol=1e-5)
    wanted = [n for n in args if f"{name}/grad_{n}" in VALUES.files]
    if wanted:
        outs = executor.forward(is_train=True)
        executor.backward([mx.nd.array(numbers(f"head{k}", y.shape)) for k, y in enumerate(outs)])
    for n in wanted:
        np.testing.assert_allclose(grads[n].asnumpy(), VALUES[f"{name}/grad_{n}"], rtol=1e-4, atol=1e-5, err_msg=n)
