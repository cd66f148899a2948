"""Arrays on a GPU, with a device that keeps its memory on the host: what the front end does, without a GPU."""
import numpy as np
import pytest

import mxnd as mx
from mxnd import context
from mxnd.ops.errors import MXNetError
from mxnd.ops.params import DTYPES

LOOPS = {"tanh": lambda a, b: np.tanh(a), "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
         "clip": lambda a, b: np.clip(a, b[0], b[1])}


class Device:
    """The functions of mxnd._core.cuda.device over NumPy arrays."""

    class Memory:
        def __init__(self, device, size):
            self.bytes = np.zeros(size, np.uint8)

        def put(self, source, start=0):
            self.bytes[start:start + len(source)] = source

        def take(self, target, start=0):
            target[:] = memoryview(self.bytes)[start:start + len(target)]

        def copy_from(self, source):
            self.bytes[:] = source.bytes

    @staticmethod
    def count():
        return 1

    @staticmethod
    def run(name, type, n, out, a, b=None, numbers=None):
        dtype = DTYPES[type]
        x = a.bytes.view(dtype)[:n]
        y = b.bytes.view(dtype)[:n] if b is not None else None if numbers is None else np.frombuffer(numbers, dtype)
        if numbers is not None and name != "clip":
            y = y[:1]
        out.bytes.view(dtype)[:n] = LOOPS[name](x, y)


@pytest.fixture
def gpu(monkeypatch):
    monkeypatch.setattr(context, "_cuda", lambda: Device)
    return mx.gpu()


def test_copies(gpu):
    assert mx.num_gpus() == 1
    x = mx.nd.array([[1, 2], [3, 4]], ctx=gpu)
    assert x.context == gpu and x.shape == (2, 2) and x.stype == "default" and "@gpu(0)" in repr(x)
    back = x.as_in_context(mx.cpu())
    assert back.context == mx.cpu() and back.asnumpy().tolist() == x.asnumpy().tolist() == [[1, 2], [3, 4]]
    y = mx.nd.zeros((2, 2), ctx=gpu)
    mx.nd.ones((2, 2)).copyto(y)
    assert y.asnumpy().tolist() == [[1, 1], [1, 1]]
    assert mx.nd.ones((2,)).as_in_context(gpu).context == gpu


def test_elementwise(gpu):
    a = np.array([0.5, -1.0, 2.0], "float32")
    x = mx.nd.array(a, ctx=gpu)
    for got, want in ((mx.nd.tanh(x), np.tanh(a)), (x + x, a + a), (x * 3, a * 3), (1 - x, 1 - a), (x - 1, a - 1),
                      (mx.nd.clip(x, 0, 1), np.clip(a, 0, 1))):
        assert got.context == gpu
        np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-6)


def test_the_rest_says_so(gpu):
    x = mx.nd.ones((2, 2), ctx=gpu)
    for f in (lambda: mx.nd.sum(x), lambda: x + mx.nd.ones((2, 2)), lambda: x + mx.nd.ones((2,), ctx=gpu)):
        with pytest.raises(MXNetError, match=r"gpu\(0\)"):
            f()
