"""The CUDA module as it was built: without a GPU it says so; with one its loops agree with the CPU's."""
import numpy as np
import pytest

import mxnd as mx

device = pytest.importorskip("mxnd._core.cuda.device", reason="mxnd was built without CUDA", exc_type=ImportError)
none = device.count() == 0


def test_it_counts():
    assert device.count() == mx.num_gpus() >= 0
    assert len(device.loops()["add"]) == 9 and 0 in device.loops()["exp"]


@pytest.mark.skipif(not none, reason="there is a GPU")
def test_without_a_gpu():
    for call in (lambda: device.about(0), lambda: device.memory_info(0), lambda: device.Memory(0, 8), lambda: device.wait(0),
                 lambda: mx.gpu_memory_info(0)):
        with pytest.raises(mx.MXNetError, match=r"gpu\(0\)"):
            call()


@pytest.mark.skipif(none, reason="there is no GPU")
def test_with_a_gpu():
    name, total, capability = device.about(0)
    assert name and total > 0 and capability >= (7, 5)
    assert 0 < device.memory_info(0)[0] <= device.memory_info(0)[1]
    with pytest.raises(mx.MXNetError, match="no such GPU"):
        device.about(device.count())
    x = np.random.RandomState(0).uniform(0.5, 2, 1000)
    for type, dtype in enumerate(("float32", "float64")):
        given = x.astype(dtype)
        a, b, o = (device.Memory(0, given.nbytes) for _ in range(3))
        a.put(given.view("uint8"))
        b.copy_from(a)
        got = np.empty_like(given)
        for name, want in (("exp", np.exp(given)), ("mul", given * given)):
            device.run(name, type, 1000, o, a, b)
            o.take(got.view("uint8"))
            np.testing.assert_allclose(got, want, rtol=1e-6 if type == 0 else 1e-13)
        device.run("add", type, 1000, o, a, numbers=np.array([3, 0], dtype).view("uint8"))
        o.take(got.view("uint8"))
        np.testing.assert_array_equal(got, given + np.asarray(3, dtype))
        with pytest.raises(mx.MXNetError, match="expected at most"):
            a.put(np.zeros(given.nbytes + 1, "uint8"))
        with pytest.raises(mx.MXNetError, match="pieces"):
            device.run("exp", type, 1001, o, a)
