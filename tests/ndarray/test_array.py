"""The array class: attributes, views, conversion, Python's protocols."""
import copy
import pickle

import numpy as np
import pytest

import mxnd as mx
from mxnd.ops.errors import MXNetError

DTYPES = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool"]


def test_attributes():
    x = mx.nd.array([[1, 2, 3], [4, 5, 6]])
    assert (x.shape, x.ndim, x.size, x.dtype, x.stype) == ((2, 3), 2, 6, np.float32, "default")
    assert x.context == x.ctx == mx.cpu(0) and len(x) == 2 and x.grad is None
    assert repr(x) == "\n[[1. 2. 3.]\n [4. 5. 6.]]\n<NDArray 2x3 @cpu(0)>"
    assert x.T.shape == (3, 2) and hash(x) == hash(x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 3), (2, 0, 3), (1, 1, 4)])
def test_round_trips(dtype, shape):
    a = (np.arange(int(np.prod(shape))) % 2).reshape(shape).astype(dtype)
    x = mx.nd.array(a, dtype=dtype)
    assert x.shape == shape and x.dtype == np.dtype(dtype).type
    for y in (x, x.copy(), copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), mx.nd.from_numpy(a.copy()),
              mx.nd.from_numpy(a.copy(), zero_copy=False)):
        np.testing.assert_array_equal(y.asnumpy(), a)
        assert y.dtype == x.dtype and y.shape == shape
    np.testing.assert_array_equal(np.asarray(x), a)
    m = memoryview(x)
    assert m.shape == shape and m.c_contiguous and not m.readonly


def test_bfloat16_is_stored_rounded():
    x = mx.nd.array([1.0, 1.00390625, 3.14159], dtype="bfloat16")
    assert x.dtype is mx.bfloat16 and x.asnumpy().tolist() == [1.0, 1.0, 3.140625]
    assert (x + x).asnumpy().tolist() == [2.0, 2.0, 6.28125]


def test_default_dtypes():
    assert mx.nd.array(np.arange(3)).dtype == np.float32
    assert mx.nd.array(mx.nd.ones((2,), dtype="int32")).dtype == np.int32
    assert mx.nd.array(3).shape == () and mx.nd.zeros(3).shape == (3,)
    for wrong in ("abc", [[1], [1, 2]], object()):
        with pytest.raises(TypeError):
            mx.nd.array(wrong)


def test_views_share_memory():
    x = mx.nd.zeros((3, 4))
    x[1][2] = 5
    x[0:2][0] = 1
    x.reshape((2, 6))[1, 5] = 7
    assert x.asnumpy().tolist() == [[1, 1, 1, 1], [0, 0, 5, 0], [0, 0, 0, 7]]
    assert x[:] is x
    y = x[:, 1]
    y[:] = 9
    assert x[0, 1].asscalar() == 1                    # a column is a copy


@pytest.mark.parametrize("key", [
    0, -1, (0, 1), slice(1, None), slice(None, None, -1), (slice(None), 1), (Ellipsis, 0), (None, 1), (slice(0, 2), slice(1, 3)),
    [0, 2], ([0, 1], [1, 2]), (slice(None), [0, 0]), ([[0], [1]], [0, 2]), (0, slice(None, None, 2)), (slice(3, 0, -1), slice(None)),
    np.array([True, False, True]), (slice(None), np.array([1, 0])), (np.array([0, 1]), slice(None), None), (Ellipsis, None, [1])])
def test_get_and_set_like_numpy(key):
    a = np.arange(12, dtype="float32").reshape(3, 4)
    x = mx.nd.array(a)
    want = a[key]
    got = x[key]
    assert got.shape == (want.shape or (1,))
    np.testing.assert_array_equal(got.asnumpy().reshape(want.shape), want)
    x[key] = -1
    a[key] = -1
    np.testing.assert_array_equal(x.asnumpy(), a)
    value = np.arange(want.size, dtype="float32").reshape(want.shape)
    x[key] = value
    a[key] = value
    np.testing.assert_array_equal(x.asnumpy(), a)


@pytest.mark.parametrize("key, error", [(3, IndexError), (-4, IndexError), ((0, 0, 0), IndexError), ([0, 5], IndexError), ("a", ValueError),
                                        (1.5, ValueError), (np.array([True, False]), IndexError), ((Ellipsis, Ellipsis), IndexError)])
def test_bad_keys(key, error):
    x = mx.nd.zeros((3, 4))
    with pytest.raises(error):
        x[key]
    with pytest.raises(error):
        x[key] = 1


def test_bad_values():
    x = mx.nd.zeros((2, 3))
    with pytest.raises(ValueError):
        x[:] = [1, 2]
    with pytest.raises(TypeError):
        x[:] = "text"
    x[:] = mx.nd.ones((1, 2, 3))
    assert x.asnumpy().all()


def test_overlapping_assignment_reads_first():
    a = mx.nd.arange(5)
    a[1:] = a[:-1]
    assert a.asnumpy().tolist() == [0, 0, 1, 2, 3]
    b = mx.nd.array([[1.0, 2], [3, 4]])
    b += b[0]
    assert b.asnumpy().tolist() == [[2, 4], [4, 6]]


def test_numpy_on_either_side():
    x, a = mx.nd.ones((2, 2)), np.full((2, 2), 3.0)
    for y in (x + a, a + x, a * x + 1, np.add(a, x), np.float64(2) * x, np.exp(x)):
        assert isinstance(y, mx.nd.NDArray) and y.dtype == np.float32
    assert np.sum(x).asscalar() == 4 and isinstance(np.median(x), np.floating | np.ndarray)
    with pytest.raises(TypeError):
        x + "a"
    with pytest.raises(TypeError):
        x * [1, 2]


def test_dlpack_shares_memory():
    x = mx.nd.zeros((3,))
    a = np.from_dlpack(x)
    x[1] = 5
    assert a[1] == 5
    b = np.zeros(3, "float32")
    y = mx.nd.from_dlpack(b)
    y[0] = 2
    assert b[0] == 2


def test_from_numpy_shares_and_protects():
    a = np.zeros(3, "float32")
    x = mx.nd.from_numpy(a)
    x[0] = 1
    assert a[0] == 1 and not a.flags.writeable
    with pytest.raises(ValueError):
        mx.nd.from_numpy(np.zeros((3, 3))[:, 1])


def test_dtypes_do_not_mix():
    for f in (lambda x, y: x + y, mx.nd.broadcast_maximum, mx.nd.elemwise_add):
        with pytest.raises(MXNetError, match="dtypes"):
            f(mx.nd.ones((2,)), mx.nd.ones((2,), dtype="int32"))


def test_copyto_and_contexts():
    x, y = mx.nd.array([1.7, -2.5]), mx.nd.zeros((2,), dtype="int32")
    assert x.copyto(y) is y and y.asnumpy().tolist() == [1, -2]
    with pytest.raises(MXNetError):
        x.copyto(mx.nd.zeros((3,)))
    with pytest.raises(TypeError):
        x.copyto(3)
    assert x.as_in_context(mx.cpu()) is x and x.as_in_context(mx.cpu(1)).context == mx.cpu(1)
    if not mx.num_gpus():
        with pytest.raises(MXNetError, match="gpu"):
            mx.nd.ones((2,), ctx=mx.gpu())


def test_scalars():
    x = mx.nd.array([3.5])
    assert x.asscalar() == 3.5 and float(x) == 3.5 and int(x) == 3 and bool(x) and not bool(x - x)
    with pytest.raises(ValueError):
        mx.nd.ones((2,)).asscalar()
    with pytest.raises(ValueError):
        bool(mx.nd.ones((2,)))


def test_too_many_dimensions_and_sizes():
    with pytest.raises(MXNetError, match="dimensions"):
        mx.nd.zeros((1,) * 17)
    with pytest.raises((MemoryError, MXNetError)):
        mx.nd.zeros((2**40, 2**10))
    with pytest.raises(MXNetError):
        mx.nd.empty((-1, 2))


def test_whole_assignment_while_recording():
    nd = mx.nd
    x, fresh = nd.array([[1.0, 2.0]]), nd.zeros((2, 2))
    x.attach_grad()
    with mx.autograd.record():
        fresh[:] = x * 3                                # broadcast, and followed
        y = fresh * fresh
        other = nd.zeros((2, 2))
        other[:] = 5
        other[0:1] = np.ones((1, 2))                    # nothing here is recorded
        for write in (lambda: fresh.__setitem__(slice(None), 1), lambda: x.__setitem__(slice(None), 1),
                      lambda: other.__setitem__(0, x[0])):
            with pytest.raises(mx.MXNetError, match="record"):
                write()
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [[36, 72]])
    assert other.asnumpy().tolist() == [[1, 1], [5, 5]]


def test_elements_of_arrays_have_shape_one_or_none():
    nd = mx.nd
    x, m = nd.array([1.0, 2.0]), nd.ones((2, 2))
    assert x[1].shape == m[0, 1].shape == (1,)
    with mx.util.np_shape(True):
        assert x[1].shape == m[0, 1].shape == x[-1].shape == () and x[1].asscalar() == 2
        assert m[0].shape == (2,) and x.sum().shape == (1,)
    z = nd.zeros(())
    z[:] = 4
    assert z[:].asscalar() == 4


def test_results_stay_on_the_context_of_their_input():
    there = mx.cpu(1)
    x = mx.nd.ones((2, 3), ctx=there)
    x.attach_grad()
    results = [x.copy(), x.astype("int32"), x.astype("float16") * 2, x.sum(), mx.nd.dot(x, x.T), mx.nd.concat(x, x), x[[0, 1]],
               x[:, 1:], x.split(num_outputs=3, axis=1)[2], mx.nd.softmax(x), mx.nd.broadcast_add(x, x[0:1]), x + x[0], 1 - x,
               x.topk(), x.zeros_like(), x.grad]
    assert {y.context for y in results} == {there}
    with there:
        assert {mx.nd.array([1]).context, mx.nd.array(mx.nd.ones((2,), ctx=mx.cpu())).context} == {there}
    assert mx.nd.array([1]).context == mx.cpu()


@pytest.mark.parametrize("cls", [mx.nd.NDArray, mx.nd.sparse.CSRNDArray, mx.nd.sparse.RowSparseNDArray])
def test_arrays_are_not_made_by_calling_the_class(cls):
    with pytest.raises(TypeError):
        cls()
    with pytest.raises(AttributeError):
        mx.nd.ones(3).__setstate__(())
    x = cls.__new__(cls)                                 # without elements, whatever happens to it
    if cls is mx.nd.NDArray:
        assert x.shape == x.copy().shape == x.detach().shape == (0,) and x.sum().asscalar() == 0
