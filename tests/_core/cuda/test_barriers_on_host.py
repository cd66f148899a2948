"""host.h runs kernels with barriers, shuffles and atomics as a GPU does, and says when a barrier is missed."""
import ctypes
import subprocess
import sys

import numpy as np
import pytest


def pointer(a):
    return a.ctypes.data_as(ctypes.c_void_p)


def test_block_sums(barriers):
    x = np.random.RandomState(0).uniform(-1, 1, 1000)
    sums = np.full(16, np.nan)
    ctypes.CDLL(str(barriers)).run_block_sum(pointer(x), pointer(sums), len(x), 16)
    np.testing.assert_allclose(sums, np.pad(x, (0, 24)).reshape(16, 64).sum(1), rtol=1e-12, atol=1e-12)


def test_warps(barriers):
    draw = np.random.RandomState(1)
    dense = draw.uniform(-1, 1, (50, 200)).astype("float32") * (draw.uniform(size=(50, 200)) < 0.3)
    rows, indices = np.nonzero(dense)
    indptr = np.searchsorted(rows, np.arange(51)).astype("int32")
    indices = indices.astype("int32")
    data, v, out = dense[dense != 0].astype("float32"), draw.uniform(size=200).astype("float32"), np.full(50, np.nan, "float32")
    ctypes.CDLL(str(barriers)).run_csr_dot(*map(pointer, (indptr, indices, data, v, out)), 50)
    np.testing.assert_allclose(out, dense @ v, rtol=1e-5, atol=1e-5)


def test_shuffles_then_a_barrier(barriers):
    out = np.zeros(3 * 128, "int32")
    ctypes.CDLL(str(barriers)).run_all_sums(pointer(out), 3)
    assert (out == 128 * 127 // 2).all()


def test_atomics(barriers):
    draw = np.random.RandomState(2)
    row, x = draw.randint(0, 5, 60).astype("int32"), draw.randint(-9, 9, (60, 7)).astype("float32")
    out = np.zeros((5, 7), "float32")
    ctypes.CDLL(str(barriers)).run_add_rows(*map(pointer, (row, x, out)), 60, 7)
    want = np.zeros_like(out)
    np.add.at(want, row, x)
    np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("call, message", [("run_missed_barrier()", "a barrier that some threads do not reach"),
                                           ("run_two_barriers()", "different barriers"),
                                           ("run_missed_shuffle(ctypes.create_string_buffer(128))", "do not reach")])
def test_missed_barriers(barriers, call, message):
    ran = subprocess.run([sys.executable, "-c", f"import ctypes; ctypes.CDLL({str(barriers)!r}).{call}"],
                         capture_output=True, text=True)
    assert ran.returncode != 0 and message in ran.stderr and "barriers.cu:" in ran.stderr
