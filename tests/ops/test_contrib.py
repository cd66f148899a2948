"""Masks, gradients by convention, columns of images, attention, older names."""
import numpy as np
import pytest

import mxnd as mx
from mxnd.ops.errors import MXNetError

C = mx.nd.contrib


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8", "bool", "int64"])
def test_boolean_mask(dtype):
    x = mx.nd.array(np.arange(12).reshape(3, 4))
    x.attach_grad()
    mask = mx.nd.array([1, 0, 1], dtype=dtype)
    with mx.autograd.record():
        y = C.boolean_mask(x, mask)
    y.backward(y * 2)
    assert y.asnumpy().tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]]
    assert x.grad.asnumpy()[1].tolist() == [0] * 4 and x.grad.asnumpy()[2].tolist() == [16, 18, 20, 22]


def test_boolean_mask_in_a_graph_follows_the_values():
    x, m = mx.sym.var("x"), mx.sym.var("m")
    total = mx.sym.sum(mx.contrib.sym.boolean_mask(x, m) * 2)
    mask = mx.nd.array([1, 0, 1])
    grad = mx.nd.zeros((3, 2))
    ex = total.bind(mx.cpu(), {"x": mx.nd.array([[1, 2], [3, 4], [5, 6]]), "m": mask}, args_grad={"x": grad})
    assert ex.forward(is_train=True)[0].asscalar() == 28
    ex.backward(mx.nd.ones((1,)))
    assert grad.asnumpy().tolist() == [[2, 2], [0, 0], [2, 2]]
    mask[:] = mx.nd.array([0, 1, 0])
    assert ex.forward()[0].asscalar() == 14


def test_masks_of_every_length():
    for n in (0, 1, 5000):
        mask = np.random.default_rng(n).integers(0, 2, n)
        got = C.boolean_mask(mx.nd.array(np.arange(n), dtype="float64"), mx.nd.array(mask, dtype="int32"))
        np.testing.assert_array_equal(got.asnumpy(), np.flatnonzero(mask))
    assert C.boolean_mask(mx.nd.ones((2, 3)), mx.nd.zeros((2,))).shape == (0, 3)
    with pytest.raises(MXNetError, match="length of index"):
        C.boolean_mask(mx.nd.ones((2, 3)), mx.nd.ones((3,)))
    with pytest.raises(MXNetError, match="_mask_places"):
        mx.nd._internal._mask_places(mx.nd.ones((3,)), count=2)


@pytest.mark.parametrize("f, value", [(C.round_ste, [2, -1, 0]), (C.sign_ste, [1, -1, 1])])
def test_straight_through(f, value):
    x = mx.nd.array([1.5, -0.7, 0.2])
    x.attach_grad()
    with mx.autograd.record():
        y = f(x) * mx.nd.array([1, 2, 3])
    y.backward()
    assert f(x).asnumpy().tolist() == value and x.grad.asnumpy().tolist() == [1, 2, 3]


def test_allclose_finds_one_far_pair_anywhere():
    a = np.random.default_rng(0).standard_normal(300_001).astype("float32")
    for at in (0, 70_000, 300_000):
        b = a.copy()
        b[at] += 1
        assert C.allclose(mx.nd.array(a), mx.nd.array(a)).asscalar() == 1
        assert C.allclose(mx.nd.array(a), mx.nd.array(b)).asscalar() == 0
    inf, nan = float("inf"), float("nan")
    for x, y, want in (([inf], [inf], 1), ([inf], [-inf], 0), ([1.0], [inf], 0), ([nan], [nan], 1), ([nan], [1.0], 0)):
        assert C.allclose(mx.nd.array(x), mx.nd.array(y)).asscalar() == want


def test_which_elements_are_numbers():
    x = mx.nd.array([0, np.nan, np.inf, -np.inf])
    assert C.isnan(x).asnumpy().tolist() == [0, 1, 0, 0]
    assert C.isinf(x).asnumpy().tolist() == [0, 0, 1, 1]
    assert C.isfinite(x).asnumpy().tolist() == [1, 0, 0, 0]
    whole = mx.nd.array([-2**31, 5], dtype="int32")
    assert C.isinf(whole).asnumpy().tolist() == [0, 0] and C.isfinite(whole).asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "uint8"])
def test_columns_are_what_filters_meet(dtype):
    x = np.random.default_rng(1).integers(0, 9, (2, 3, 5, 6)).astype(dtype)
    got = mx.nd.im2col(mx.nd.array(x, dtype=dtype), kernel=(3, 2), stride=(1, 2), dilate=(2, 1), pad=(1, 1)).asnumpy()
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    want = np.stack([padded[:, :, i * 2:i * 2 + 3, j:j + 7:2] for i in range(3) for j in range(2)], 2)
    np.testing.assert_array_equal(got, want.reshape(2, 18, 12))


def test_columns_of_threads():
    x = mx.nd.random.uniform(shape=(4, 16, 40, 40))
    y = mx.nd.im2col(x, kernel=(3, 3), pad=(1, 1))
    back = mx.nd.col2im(y, output_size=(40, 40), kernel=(3, 3), pad=(1, 1)) / mx.nd.col2im(
        mx.nd.ones_like(y), output_size=(40, 40), kernel=(3, 3), pad=(1, 1))
    np.testing.assert_allclose(back.asnumpy(), x.asnumpy(), rtol=1e-6)


def test_multicast():
    a, b, c = mx.nd.ones((2,)), mx.nd.ones((3,), dtype="float16"), mx.nd.ones((1,), dtype="int32")
    assert [y.dtype.__name__ for y in mx.nd.amp_multicast(a, b, c, num_outputs=3)] == ["float32", "float32", "int32"]
    assert [y.dtype.__name__ for y in mx.nd.amp_multicast(a, b, c, num_outputs=3, cast_narrow=True)] == ["float16", "float16", "int32"]
    with pytest.raises(MXNetError, match="num_outputs"):
        mx.nd.amp_multicast(a, b, num_outputs=3)


def test_attention_is_a_softmax_away_from_itself():
    rng = np.random.default_rng(0)
    n, batch, heads, width = 5, 2, 3, 4
    x = rng.standard_normal((n, batch, heads, 3, width))
    flat = mx.nd.array(x.reshape(n, batch, -1), dtype="float64")
    scores = C.interleaved_matmul_selfatt_qk(flat, heads=heads)
    want = np.einsum("ibhd,jbhd->bhij", x[..., 0, :], x[..., 1, :]).reshape(batch * heads, n, n) / 2
    np.testing.assert_allclose(scores.asnumpy(), want, rtol=1e-12)
    weights = mx.nd.softmax(scores)
    got = C.interleaved_matmul_selfatt_valatt(flat, weights, heads=heads).asnumpy()
    want = np.einsum("bhij,jbhd->ibhd", weights.asnumpy().reshape(batch, heads, n, n), x[..., 2, :])
    np.testing.assert_allclose(got, want.reshape(n, batch, -1), rtol=1e-12)


def test_names_of_older_files():
    text = mx.sym.contrib.round_ste(mx.sym.var("x")).tojson()
    for name in ("_copyto", "_CrossDeviceCopy"):
        s = mx.sym.load_json(text.replace("_contrib_round_ste", name))
        assert s.eval(x=mx.nd.array([1.5]))[0].asnumpy().tolist() == [1.5]
    out = mx.nd.zeros((2, 3))
    assert mx.nd._internal._set_value(src=3.0, out=out) is out and out.asnumpy().min() == 3
    assert mx.nd._internal._copyto(mx.nd.array([1.5]), out=mx.nd.zeros((1,), dtype="float64")).dtype == np.float64
    assert mx.nd._internal._onehot_encode(mx.nd.array([2, 0]), out).asnumpy().tolist() == [[0, 0, 1], [1, 0, 0]]
    for f in (mx.nd._internal._NoGradient, lambda: mx.nd._internal._set_value(src=1.0)):
        with pytest.raises(MXNetError):
            f()


def test_embedding_under_an_older_name_has_a_sparse_gradient():
    weight = mx.nd.array(np.arange(12).reshape(3, 4))
    weight.attach_grad(stype="row_sparse")
    with mx.autograd.record():
        y = C.SparseEmbedding(mx.nd.array([2, 2]), weight, input_dim=3, output_dim=4)
    y.backward()
    assert y.asnumpy()[0].tolist() == [8, 9, 10, 11]
    assert weight.grad.stype == "row_sparse" and weight.grad.indices.asnumpy().tolist() == [2]


def test_updates_of_several_weights_as_symbols():
    names = [mx.sym.var(c) for c in ("w", "g", "m", "v", "r")]
    s = mx.sym._internal._multi_adamw_update(*names, lrs=(0.1,), wds=(0.0,), etas=(1.0,), num_weights=1)
    values = {c: mx.nd.ones((2,)) for c in "wgmv"} | {"r": mx.nd.ones((1,))}
    np.testing.assert_allclose(mx.sym.load_json(s.tojson()).eval(**values)[0].asnumpy(), [0.9, 0.9], rtol=1e-6)


def test_older_namespaces():
    import mxnd.contrib.nd
    import mxnd.contrib.symbol
    assert mxnd.contrib.nd.fft is mx.nd.contrib.fft and mxnd.contrib.symbol.fft is mx.sym.contrib.fft


def test_histogram_without_a_range():
    got = mx.nd.histogram(mx.nd.array([1, 2, 2, 5], dtype="int32"), bins=4)
    want = np.histogram([1, 2, 2, 5], bins=4)
    assert isinstance(got, tuple) and all(v.dtype == np.float32 for v in got)
    for a, b in zip(got, want):
        np.testing.assert_array_equal(a.asnumpy(), b)
    assert mx.nd.histogram(mx.nd.array([3.0]), bins=2)[1].asnumpy().tolist() == [2.5, 3.0, 3.5]


def test_updates_take_numbers_and_lists():
    def arrays(values, dtype="float32"):
        return [mx.nd.array(v, dtype=dtype) for v in values]
    one, many = (arrays([[1.0, 2.0], [0.5, -1.0], [0.1, 0.2], [0.3, 0.4]]) for _ in range(2))
    C.adamw_update(*one, 2.0, lr=0.1, eta=0.5, wd=0.01, out=one[0])
    C.multi_adamw_update(*[[v] for v in many], mx.nd.array([2.0]), lrs=[0.1], wds=[0.01], etas=[0.5], out=[many[0]])
    for a, b in zip(one, many):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)
    before = many[0].asnumpy()
    C.multi_adamw_update(*[[v] for v in many], float("inf"), lrs=[0.1], wds=[0.01], etas=[0.5], out=[many[0]])
    np.testing.assert_array_equal(many[0].asnumpy(), before)
    half = [arrays([[1.0, 2.0]], "float16"), arrays([[0.5, -1.0]], "float16"), *[arrays([v]) for v in ([0.1, 0.2], [0.3, 0.4], [1, 2])]]
    plain = [arrays([v]) for v in ([1.0, 2.0], [0.5, -1.0], [0.1, 0.2], [0.3, 0.4])]
    C.multi_mp_lamb_update(*half, step_count=[1], lrs=[0.1], wds=[0.0], out=half[0])
    C.multi_lamb_update(*plain, step_count=[1], lrs=[0.1], wds=[0.0], out=plain[0])
    np.testing.assert_allclose(half[4][0].asnumpy(), plain[0][0].asnumpy(), rtol=1e-6)
    with pytest.raises(ValueError, match="different lengths"):
        C.multi_lamb_update([one[0]], [], [], [], step_count=[1], lrs=[0.1], wds=[0])


def test_zipfian_classes():
    drawn, true_count, drawn_count = C.rand_zipfian(mx.nd.array([0, 3]), 20000, 10)
    assert drawn.dtype == np.int64 and 0 <= drawn.asnumpy().min() and drawn.asnumpy().max() < 10
    p = np.log((np.arange(10) + 2) / (np.arange(10) + 1)) / np.log(11)
    np.testing.assert_allclose(true_count.asnumpy(), p[[0, 3]] * 20000)
    np.testing.assert_allclose(drawn_count.asnumpy(), p[drawn.asnumpy()] * 20000)
    np.testing.assert_allclose(np.bincount(drawn.asnumpy(), minlength=10) / 20000, p, atol=0.02)
    got = mx.sym.Group(mx.sym.contrib.rand_zipfian(mx.sym.var("t"), 5, 10)).eval(t=mx.nd.array([3]))
    np.testing.assert_allclose(got[2].asnumpy(), p[got[0].asnumpy()] * 5)
    with pytest.raises(ValueError):
        C.rand_zipfian(mx.nd.array([0]), 5, 0)
