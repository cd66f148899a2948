"""Faults that were met once: their right values."""
import subprocess
import sys
import threading

import numpy as np
import pytest

import mxnd as mx
from mxnd import autograd as ag
from mxnd import nd

ERRORS = (mx.MXNetError, ValueError, TypeError, NotImplementedError)


@pytest.mark.parametrize("shape", [(2**62 + 1, 4), (2**61,), (2**32, 2**32), (3, 3)])
@pytest.mark.parametrize("n", [0, 4])
def test_reshape_does_not_overflow(n, shape):
    with pytest.raises(ERRORS):
        nd.zeros((n,)).reshape(*shape)
    with pytest.raises(ERRORS):
        nd.zeros((n,))._view(shape)
    assert nd.zeros((0,)).reshape((0, 5)).shape == (0, 5)


@pytest.mark.parametrize("shape", [(2, 3, 0), (6, 17, 0, 0), (0, 3), (3, 6, 0)])
@pytest.mark.parametrize("name", ["BatchNorm", "BatchNorm_v1", "contrib.BatchNormWithReLU"])
def test_batch_norm_of_nothing(name, shape):
    f = nd.contrib.BatchNormWithReLU if "." in name else getattr(nd, name)
    x, states = nd.zeros(shape), [nd.ones((shape[1],)) for _ in range(4)]
    x.attach_grad()
    states[0].attach_grad()
    for _ in range(20):
        with ag.record():
            y = f(x, *states, fix_gamma=False)
        y.backward()
    assert y.shape == shape and states[0].grad.asnumpy().tolist() == [0] * shape[1]


def test_batch_norm_without_channels():
    with ag.record():
        y = nd.BatchNorm(nd.zeros((3, 6, 0)), *[nd.zeros((0,))] * 4, axis=-1)
    assert y.shape == (3, 6, 0)


def test_sparse_results_into_dense_out():
    out = nd.zeros((3, 3))
    nd.cast_storage(nd.eye(3), "csr", out=out)
    assert out.asnumpy().tolist() == np.eye(3).tolist()


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_sparse_arrays_have_no_views(stype):
    x = nd.eye(3).tostype(stype)
    for f in (lambda: x.flatten(inplace=True), lambda: x.expand_dims(0, inplace=True), lambda: x._view((9,))):
        with pytest.raises(mx.MXNetError):
            f()


def test_recording_a_call_without_outputs():
    x = nd.ones(3)
    x.attach_grad()

    class Nothing(ag.Function):
        def forward(self, a):
            return []
    with ag.record():
        nd.reset_arrays(x, num_arrays=1)
        assert Nothing()(x) == []


def test_read_only_memory_is_not_shared():
    with pytest.raises(ValueError, match="read-only"):
        nd.from_numpy(np.frombuffer(bytes(8), dtype="f4"))
    a = np.zeros(2, "f4")
    a.flags.writeable = False
    x = nd.from_dlpack(a)
    x[:] = 1
    assert a.tolist() == [0, 0]


def test_asscipy_looks_at_the_parts():
    pytest.importorskip("scipy")
    x = nd.array([[1, 0, 2], [0, 3, 0]]).tostype("csr")
    x.indices = nd.array([0, 10**7, 1], dtype="int64")
    with pytest.raises(mx.MXNetError):
        x.asscipy()


def test_absurd_counts():
    with pytest.raises(ValueError):
        mx.set_num_threads(10**9)
    with pytest.raises(mx.MXNetError):
        nd.multi_sgd_update(nd.ones(2), nd.ones(2), lrs=(0.1,), wds=(0.1,), num_weights=2**31)
    with pytest.raises(mx.MXNetError):
        mx.sym.Concat(num_args=2**31)


def test_threads_that_share_a_leaf():
    x = nd.ones((300, 300))
    x.attach_grad()
    wrong = []

    def work():
        for _ in range(30):
            with ag.record():
                y = nd.tanh(x) * 2 + x * 3 + x * x
            g = ag.grad(y, x)[0].asnumpy()[0, 0]
            if abs(g - (2 * (1 - np.tanh(1) ** 2) + 5)) > 1e-3:
                wrong.append(g)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_backward_inside_backward():
    x = nd.ones(3)
    x.attach_grad()

    class Double(ag.Function):
        def forward(self, a):
            return a * 2

        def backward(self, g):
            with ag.record():
                q = x * 5
            ag.grad(q, x)
            return g * 2
    with ag.record():
        y = Double()(x) + x * 1
    y.backward()
    assert x.grad.asnumpy().tolist() == [3, 3, 3]


def test_gradients_share_no_memory():
    a, b, h = nd.ones(4), nd.ones(4), nd.ones(4)
    a.attach_grad()
    b.attach_grad()
    with ag.record():
        y = a + b
    ga, gb = ag.grad(y, [a, b], head_grads=h)
    ga *= 0
    assert gb.asnumpy().tolist() == [1] * 4 and h.asnumpy().tolist() == [1] * 4


def test_copyto_while_recording():
    x = nd.ones(3)
    x.attach_grad()
    with ag.record():
        y = x * x
        with pytest.raises(mx.MXNetError):
            x.copyto(y)
        with pytest.raises(mx.MXNetError):
            np.add(x, 1, out=x)
        fresh = nd.zeros(3)
        x.copyto(fresh)
    fresh.backward()
    assert x.grad.asnumpy().tolist() == [1, 1, 1]


def test_clip_bounds_do_not_wrap_around():
    assert nd.clip(nd.array([250, 3], dtype="uint8"), -5, 300).asnumpy().tolist() == [250, 3]


def test_rows_must_fit():
    text = ('{"nodes":[{"op":"null","name":"a","inputs":[]},{"op":"null","name":"b","inputs":[]},{"op":"_gather_rows","name":"c",'
            '"attrs":{"shape":"(1,)","row":"4"},"inputs":[[0,0,0],[1,0,0]]}],"arg_nodes":[0,1],"heads":[[2,0,0]]}')
    with pytest.raises(mx.MXNetError):
        mx.sym.load_json(text).bind(mx.cpu(), [nd.ones((30, 40, 2, 6))] * 2).forward()


@pytest.mark.parametrize("call", [
    lambda: nd._internal._take_along(nd.zeros((0, 3, 4, 0, 5)), nd.ones((2, 5)), axis=1),
    lambda: nd._internal._pool_max_take(nd.array(1), nd.array(1), kernel=(1, 2, 3, 1), stride=(1, 2), pad=(1,), shape=(3, 3)),
    lambda: nd._internal._pool_sum(nd.ones((2,)), kernel=(), stride=(), pad=(), shape=()),
    lambda: nd._internal._backward_pick(nd.ones((3,)), nd.zeros((3,)), shape=(-2,)),
    lambda: nd.random.exponential(0), lambda: nd.add_n(num_args=3), lambda: nd.depth_to_space(nd.ones((1, 4, 2, 2)), block_size=2**31),
    lambda: nd.lamb_update_phase1(*[nd.ones(2)] * 4, beta1=2.5, t=2**31 - 1, wd=0.1)])
def test_odd_calls_say_what_is_wrong(call):
    with pytest.raises(mx.MXNetError):
        call()


def test_seeds_are_whole_numbers():
    for wrong in (1.5, "1", None):
        with pytest.raises(ValueError, match="whole number"):
            mx.random.seed(wrong)
    mx.random.seed(np.int64(3))


def test_a_dropped_fraction_is_told_once():
    code = """
import warnings
import mxnd as mx
x = mx.nd.array([3, -3], dtype="int32")
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    assert (x + 2).asnumpy().tolist() == [5, -1] and (mx.nd.array([1.0]) + 0.5).asscalar() == 1.5 and not told
    assert (x + 1.5).asnumpy().tolist() == [4, -2] and (1.5 - x).asnumpy().tolist() == [-2, 4]
assert len(told) == 1 and "fraction of 1.5" in str(told[0].message) and "int32" in str(told[0].message), told
with warnings.catch_warnings():
    warnings.simplefilter("error")
    mx.nd.ones((2,), dtype="float16") * 0.3
"""
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


def test_contexts_belong_to_threads_and_end_with_their_block():
    shared, seen = mx.cpu(3), []

    def work():
        with shared:
            inside.set()
            left.wait(10)
            seen.append(mx.current_context())
        seen.append(mx.current_context())
    inside, left = threading.Event(), threading.Event()
    with mx.cpu(2):
        thread = threading.Thread(target=work)
        thread.start()
        inside.wait(10)
        with shared:
            assert mx.current_context() == mx.cpu(3)
        assert mx.current_context() == mx.cpu(2)
        left.set()
        thread.join()
    assert mx.current_context() == mx.cpu(0) and seen == [mx.cpu(3), mx.cpu(0)]
