"""CTCLoss against the sum over all alignments, written out."""
import itertools

import numpy as np
import pytest

import mxnd as mx


def written_out(x, label, blank):
    """Minus the logarithm of the probability of all paths that give the label; 0 when there is none."""
    steps, classes = x.shape
    p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    total = 0.0
    for path in itertools.product(range(classes), repeat=steps):
        if [k for k, _ in itertools.groupby(path) if k != blank] == list(label):
            total += np.prod([p[t, k] for t, k in enumerate(path)])
    return -np.log(total) if total else 0.0


def make(steps, classes, wide, last, by_data, by_label, count=4):
    rng = np.random.default_rng(steps + 10 * classes + 100 * wide)
    x = rng.normal(size=(steps, count, classes))
    label = rng.integers(0 if last else 1, classes - last, (count, wide))
    extent = rng.integers(0, wide + 1, count)
    lengths = rng.integers(0, steps + 1, count) if by_data else np.full(count, steps)
    if not by_label:
        for n in range(count):
            label[n, extent[n]:] = -1 if last else 0
    want = [written_out(x[:lengths[n], n], label[n, :extent[n]], classes - 1 if last else 0) for n in range(count)]
    more = [v for v, used in ((lengths, by_data), (extent, by_label)) if used]
    return x, [label, *more], want, dict(use_data_lengths=by_data, use_label_lengths=by_label, blank_label="last" if last else "first")


@pytest.mark.parametrize("by_label", [False, True])
@pytest.mark.parametrize("by_data", [False, True])
@pytest.mark.parametrize("last", [False, True])
def test_all_alignments(last, by_data, by_label):
    for steps, classes, wide in ((4, 3, 2), (3, 4, 3), (5, 3, 2), (5, 3, 0), (1, 2, 1), (0, 3, 1)):
        x, more, want, params = make(steps, classes, wide, last, by_data, by_label)
        for dtype, tol in (("float64", 1e-12), ("float32", 1e-5)):
            y = mx.nd.CTCLoss(mx.nd.array(x, dtype=dtype), *[mx.nd.array(v, dtype="int32") for v in more], **params)
            assert np.dtype(y.dtype) == dtype
            np.testing.assert_allclose(y.asnumpy(), want, rtol=tol, atol=tol)


def gradient(x, more, params, head):
    x = mx.nd.array(x, dtype="float64")
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.CTCLoss(x, *[mx.nd.array(v) for v in more], **params)
    y.backward(mx.nd.array(head, dtype="float64"))
    return x.grad.asnumpy()


def test_many_steps():
    """The gradient of a long and wide case against differences, and sums over the classes of zero."""
    rng = np.random.default_rng(0)
    x, label, head = rng.normal(size=(60, 5, 20)) * 3, rng.integers(1, 20, (5, 12)), rng.uniform(1, 2, 5)
    more, params = [label, [60, 50, 40, 30, 20]], dict(use_data_lengths=True)
    g = gradient(x, more, params, head)
    np.testing.assert_allclose(g.sum(-1), 0, atol=1e-12)
    assert (g[50:, 1] == 0).all() and (g[49, 1] != 0).any()
    d, e = rng.normal(size=x.shape), 1e-6

    def at(t):
        return mx.nd.CTCLoss(mx.nd.array(x + t * d, dtype="float64"), *[mx.nd.array(v) for v in more], **params).asnumpy() @ head
    np.testing.assert_allclose((g * d).sum(), (at(e) - at(-e)) / (2 * e), rtol=1e-6)


def test_impossible_labels_have_no_loss_and_no_gradient():
    x = np.random.default_rng(1).normal(size=(2, 2, 4))
    more = [[[1, 1], [1, 2]]]
    y = mx.nd.CTCLoss(mx.nd.array(x), mx.nd.array(more[0])).asnumpy()
    assert y[0] == 0 and y[1] > 0
    g = gradient(x, more, {}, [1, 1])
    assert (g[:, 0] == 0).all() and (g[:, 1] != 0).all()


def test_values_far_apart():
    """Probabilities below the smallest number keep their logarithm; classes of probability 0 make the loss infinite."""
    x = np.zeros((3, 1, 3))
    x[:, :, 0] = 5000
    np.testing.assert_allclose(mx.nd.CTCLoss(mx.nd.array(x), mx.nd.array([[1, 2]])).asnumpy(), [10000 - np.log(3)], rtol=1e-6)
    x[:, :, 0] = 0
    x[:, :, 2] = -np.inf
    assert mx.nd.CTCLoss(mx.nd.array(x), mx.nd.array([[1, 2]])).asnumpy() == np.inf
    assert np.isnan(mx.nd.CTCLoss(mx.nd.array(x * np.nan), mx.nd.array([[1, 2]])).asnumpy()).all()


def test_half_precision():
    x, more, want, params = make(5, 3, 2, False, False, False)
    y = mx.nd.CTCLoss(mx.nd.array(x, dtype="float16"), mx.nd.array(more[0], dtype="float16"), **params)
    assert np.dtype(y.dtype) == "float16"
    np.testing.assert_allclose(y.asnumpy(), want, rtol=1e-2, atol=1e-2)


def test_names():
    x, label = mx.nd.ones((4, 1, 3)), mx.nd.array([[1, 2]])
    want = mx.nd.CTCLoss(x, label).asnumpy()
    for f in (mx.nd.ctc_loss, mx.nd.contrib.CTCLoss, mx.nd.contrib.ctc_loss):
        np.testing.assert_array_equal(f(x, label).asnumpy(), want)
    for f in (mx.sym.ctc_loss, mx.sym.contrib.CTCLoss, mx.sym.contrib.ctc_loss):
        s = f(mx.sym.Variable("x"), mx.sym.Variable("l"), name="c")
        assert s.list_outputs() == ["c_output0"]
        np.testing.assert_array_equal(s.bind(mx.cpu(), {"x": x, "l": label}).forward()[0].asnumpy(), want)


def test_wrong_calls():
    x = mx.nd.ones((5, 1, 4))
    for label, more, params, text in (
            ([[1, 9]], [], {}, "index 9 is out of bounds for size 4"), ([[-1, 2]], [], {}, "index -1 is out of bounds"),
            ([[1, 3]], [], dict(blank_label="last"), "label holds the class of the blank"),
            ([[1, 0, 2]], [[3]], dict(use_label_lengths=True), "label holds the class of the blank"),
            ([[1, 3]], [[6]], dict(use_data_lengths=True), "data_lengths holds a length"),
            ([[1, 3]], [[3]], dict(use_label_lengths=True), "label_lengths holds a length"),
            ([[1, 3], [1, 2]], [], {}, "numbers of sequences differ"), ([1, 3], [], {}, "label has shape"),
            ([[1, 3]], [[5, 5]], dict(use_data_lengths=True), "numbers of sequences differ")):
        with pytest.raises((mx.MXNetError, IndexError), match=f"CTCLoss: .*{text}"):
            mx.nd.CTCLoss(x, mx.nd.array(label), *[mx.nd.array(v) for v in more], **params)
    with pytest.raises(mx.MXNetError, match="CTCLoss: data has shape"):
        mx.nd.CTCLoss(x[0], mx.nd.array([[1]]))
