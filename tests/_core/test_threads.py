"""Threads: the setting, equal results, and forks."""
import multiprocessing
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import mxnd as mx


@pytest.fixture(autouse=True)
def restore():
    n = mx.get_num_threads()
    yield
    mx.set_num_threads(n)


def work():
    x = mx.nd.array(np.linspace(-3, 3, 300000))
    y = mx.nd.dot(x.reshape((500, 600)), x.reshape((600, 500)))
    return [v.asnumpy() for v in (mx.nd.tanh(x) + x * 2, x.sum(), y, mx.nd.softmax(x.reshape((300, 1000))))]


def test_results_do_not_depend_on_threads():
    mx.set_num_threads(1)
    one = work()
    mx.set_num_threads(2)
    for a, b in zip(one, work()):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_setting():
    assert mx.set_num_threads(2) >= 1 and mx.get_num_threads() == 2
    with pytest.raises(ValueError):
        mx.set_num_threads(0)


def test_environment():
    code = "import mxnd; print(mxnd.get_num_threads())"
    for n in (1, 3):
        got = subprocess.run([sys.executable, "-P", "-c", code], env={**os.environ, "OMP_NUM_THREADS": str(n)}, capture_output=True,
                             text=True, check=True)
        assert int(got.stdout) == n


def _child(queue):
    queue.put(float(work()[1][0]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_after_threads():
    mx.set_num_threads(2)
    want = float(work()[1][0])
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == pytest.approx(want, abs=1e-3)
    child.join(60)
    assert child.exitcode == 0


def test_python_threads():
    """Operators run from several Python threads; autograd's flags belong to each."""
    wrong = []

    def run(k):
        x = mx.nd.full((50000,), k)
        x.attach_grad()
        for _ in range(20):
            if mx.autograd.is_recording():
                wrong.append("recording leaked")
            with mx.autograd.record():
                y = (x * x + x).sum()
            y.backward()
            if not np.allclose(x.grad.asnumpy(), 2 * k + 1):
                wrong.append(k)
    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
