"""The memory pool."""
import pytest

import mxnd as mx


@pytest.fixture(autouse=True)
def clean():
    mx.memory.empty()
    yield
    mx.memory.empty()


def test_blocks_are_reused():
    x = mx.nd.ones((1000, 1000))
    del x
    before = mx.memory.stats()
    assert before["cached"] >= 4_000_000
    y = mx.nd.ones((1000, 1000))
    after = mx.memory.stats()
    assert after["reused"] > before["reused"] and after["cached"] < before["cached"]
    del y
    assert mx.memory.empty() >= 4_000_000 and mx.memory.stats()["cached"] == 0


def test_the_pool_is_bounded():
    was = mx.memory.set_limit(1 << 20)
    try:
        kept = [mx.nd.ones((1000, 100)) for _ in range(8)]
        del kept
        assert mx.memory.stats()["cached"] <= 1 << 20
    finally:
        mx.memory.set_limit(was)


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 100, 1023, 1024, 1025, 5000, 70000, 600000])
def test_arrays_are_aligned_and_whole(n):
    x = mx.nd.array(range(n))
    assert x._address % 64 == 0 and x.asnumpy().tolist() == list(range(n))


def test_peak():
    mx.memory.reset_peak()
    base = mx.memory.stats()["peak"]
    x = mx.nd.ones((1 << 20,))
    assert mx.memory.stats()["peak"] >= base + (1 << 22)
    del x


def test_impossible_sizes_raise():
    with pytest.raises(MemoryError):
        mx.nd.empty((2**44,))
