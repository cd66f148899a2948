"""x[key] and x[key] = value against NumPy, over many generated keys."""
import numpy as np
import pytest

import mxnd as mx


def random_key(rng, shape):
    """A key of whole numbers, slices, None, ..., lists and masks that fits the shape."""
    items, dots = [], False
    axis = 0
    while axis < len(shape):
        n = shape[axis]
        kind = rng.integers(0, 9)
        if kind == 0 and n:
            items.append(int(rng.integers(-n, n)))
        elif kind == 1 and n:
            items.append(np.int64(rng.integers(-n, n)))
        elif kind in (2, 3, 4):
            step = int(rng.choice([1, 1, 2, -1, -2]))
            items.append(slice(*(None if rng.random() < 0.4 else int(rng.integers(-n - 2, n + 3)) for _ in range(2)), step))
        elif kind == 5:
            items.append(None)
            continue
        elif kind == 6 and not dots:
            dots = True
            items.append(Ellipsis)
            axis += int(rng.integers(0, len(shape) - axis + 1))
            continue
        elif kind == 7 and n:
            items.append([int(v) for v in rng.integers(-n, n, 3)])
        elif kind == 8 and n:
            items.append(rng.integers(-n, n, 3))
        elif dots or n == 0:
            items.append(slice(None))
        else:
            break
        axis += 1
    if len(items) == 1 and rng.random() < 0.7:
        return items[0]
    return tuple(items)


def arrays_of(key):
    """The key as mxnd gets it: NumPy's index arrays as NDArrays."""
    def one(item):
        return mx.nd.array(item, dtype="int64") if isinstance(item, np.ndarray) else item
    return tuple(map(one, key)) if isinstance(key, tuple) else one(key)


@pytest.mark.parametrize("dtype", ["float32", "int64", "float16", "uint8"])
@pytest.mark.parametrize("seed", range(60))
def test_keys(seed, dtype):
    rng = np.random.default_rng(seed)
    for _ in range(8):
        shape = tuple(int(v) for v in rng.integers(0 if rng.random() < 0.1 else 1, 5, rng.integers(1, 5)))
        a = rng.integers(0, 100, shape).astype(dtype)
        x = mx.nd.array(a, dtype=dtype)
        key = random_key(rng, shape)
        if isinstance(key, tuple) and not key:
            continue
        expected = a[key]
        got = x[arrays_of(key)]
        assert got.dtype == a.dtype
        np.testing.assert_array_equal(got.asnumpy(), expected if expected.ndim else expected.reshape(1), err_msg=f"{shape} {key}")
        if expected.ndim and rng.random() < 0.5:
            value = rng.integers(0, 100, [n if rng.random() < 0.7 else 1 for n in expected.shape]).astype(dtype)
            value = value[rng.integers(0, value.ndim) if value.shape[:1] == (1,) else 0:]
        else:
            value = int(rng.integers(0, 100))
        if np.unique(np.arange(a.size).reshape(shape)[key]).size != expected.size:
            value = int(rng.integers(0, 100))                     # an element named twice: which value stays is not said
        b = a.copy()
        try:
            b[key] = value
        except ValueError:
            with pytest.raises(ValueError, match="broadcast"):
                x[arrays_of(key)] = mx.nd.array(value, dtype=dtype)
            continue
        x[arrays_of(key)] = value if isinstance(value, int) else mx.nd.array(value, dtype=dtype)
        np.testing.assert_array_equal(x.asnumpy(), b, err_msg=f"{shape} {key} = {value}")


def test_contiguous_parts_are_views_and_others_copies():
    x = mx.nd.arange(24).reshape((2, 3, 4))
    for key, view in [(1, True), ((1, 2), True), ((0, slice(1, 3)), True), ((slice(None), 1), False), ((Ellipsis, 0), False),
                      ((None, 1), True), ((slice(None, None, -1),), False), ([0, 1], False), (slice(0, 1), True),
                      ((0, slice(0, 3, 2)), False)]:
        y = x[key]
        before = x.asnumpy()
        y[:] = -1
        assert (x.asnumpy() != before).any() == view, key
        x[:] = mx.nd.array(before)


def test_overlapping_assignment_reads_first():
    x = mx.nd.arange(6)
    x[1:] = x[:-1]
    assert x.asnumpy().tolist() == [0, 0, 1, 2, 3, 4]
    x = mx.nd.arange(6)
    x[::-1] = x
    assert x.asnumpy().tolist() == [5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize("key", [5, -6, (0, 0), [5], [0, -6], slice(None, None, 0), 2 ** 70, (2 ** 70,), [2 ** 70], "a", 1.5,
                                 (Ellipsis, Ellipsis), {}, [[0], [0, 1]], (slice("a"),)])
def test_wrong_keys(key):
    x = mx.nd.arange(5)
    with pytest.raises((IndexError, ValueError, TypeError)):
        x[key]
    with pytest.raises((IndexError, ValueError, TypeError)):
        x[key] = 1
    assert x.asnumpy().tolist() == [0, 1, 2, 3, 4]


def test_slices_end_where_the_array_ends():
    x = mx.nd.arange(5)
    assert x[:2 ** 70].shape == x[-2 ** 70:].shape == x[(slice(-2 ** 70, 2 ** 70),)].shape == (5,)
    assert x[2 ** 70:].shape == (0,)


@pytest.mark.parametrize("step", [2 ** 62, 2 ** 63 - 1, 2 ** 64, -2 ** 63, -2 ** 70])
def test_steps_of_any_size(step):
    a = np.arange(24).reshape(4, 6)
    for key in ((slice(None), slice(None, None, step)), ([0, 2], slice(1, None, step)), (slice(0, -1, step), 2), (0, slice(5, 1, step))):
        x = mx.nd.array(a)
        assert x[key].asnumpy().tolist() == a[key].tolist()
        x[key] = -1
        b = a.copy()
        b[key] = -1
        assert x.asnumpy().tolist() == b.tolist()


@pytest.mark.parametrize("big", [2 ** 31, 2 ** 63, -2 ** 63 - 1, 2 ** 70])
def test_numbers_beside_arrays_are_checked(big):
    x = mx.nd.zeros((3, 4, 5))
    for key in ((big, [0, 1]), ([0, 1], slice(1), big), (slice(None), big, [[0], [1]])):
        with pytest.raises(IndexError, match="out of bounds"):
            x[key]
        with pytest.raises(IndexError, match="out of bounds"):
            x[key] = 1
