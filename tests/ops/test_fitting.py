"""Operators that users do not see (adjoints, kernels of formulas) refuse what does not fit, like those they see: symbol files
can name them, and `mx.nd._internal` holds them."""
import numpy as np
import pytest

import mxnd as mx
from mxnd import autograd as ag
from mxnd import nd

F = nd.functions.FUNCTIONS
CONV = dict(kernel=(3, 2), shape=(5, 4))
PAIR = dict(shape=(3, 2))
HEAD, IMAGE, FILTERS = (2, 4, 3, 3), (2, 3, 5, 4), (4, 3, 3, 2)
WRONG = [
    ("_backward_take", [(4, 2), (5,)], PAIR), ("_backward_take", [(4,), (4,)], PAIR),
    ("_backward_take", [(4, 2), (4,)], {"shape": (3,)}), ("_backward_take", [(4, 2), (4,)], dict(PAIR, axis=7)),
    ("_backward_pick", [(3,), (5,)], dict(shape=(3, 4))), ("_backward_pick", [(3,), (3,)], dict(shape=(2,))),
    ("_backward_pick", [(3,), (3,)], dict(shape=(3, 4), axis=None)),
    ("_backward_sequence_last", [(3,)], dict(shape=(3, 2))), ("_backward_sequence_last", [(2,)], dict(shape=(3,))),
    ("_backward_sequence_last", [(2,), (3,)], dict(shape=(3, 2), use_sequence_length=True)),
    ("_backward_conv_data", [(4, 3, 2, 2), FILTERS], CONV), ("_backward_conv_data", [HEAD, (4, 3, 1, 2)], CONV),
    ("_backward_conv_data", [HEAD, (4, 3)], CONV), ("_backward_conv_data", [HEAD, (5, 3, 3, 2)], CONV),
    ("_backward_conv_data", [HEAD, FILTERS], dict(CONV, num_group=3)), ("_backward_conv_data", [(2, 4, 9, 9), FILTERS], CONV),
    ("_backward_conv_data", [HEAD, FILTERS], dict(kernel=(3, 2), shape=(5,))),
    ("_backward_conv_weight", [(2, 2, 4, 3), IMAGE], dict(kernel=(3, 2))),
    ("_backward_conv_weight", [(3, 2, 3, 3), IMAGE], dict(kernel=(3, 2))),
    ("_backward_conv_weight", [(0,), IMAGE], dict(kernel=(3, 2))),
    ("_backward_GridGenerator", [(48, 1)], dict(transform_type="warp")),
    ("_backward_GridGenerator", [(2, 1, 3, 4)], dict(transform_type="affine")),
    ("_part", [(6,)], dict(shape=(4,), start=3)), ("_part", [(6,)], dict(shape=(7,), start=0)),
    ("_whole", [(4,)], dict(shape=(6,), start=3)), ("_whole", [(7,)], dict(shape=(6,), start=0)),
    ("_backward_SoftmaxOutput", [(3, 4), (5,)], {}), ("_backward_SoftmaxOutput", [(3, 4), (3,), (2, 4)], dict(out_grad=True)),
    ("_backward_SVMOutput", [(3, 4), (2,)], {}),
    ("_backward_IdentityAttachKLSparseReg", [(3, 4), (3, 5), (5,)], {}),
    ("_backward_IdentityAttachKLSparseReg", [(3, 4), (3, 4), (3,)], {}),
    ("_backward_L2Normalization", [(3, 4), (3, 5), (3,)], {}), ("_backward_L2Normalization", [(3, 4), (3, 4), (2,)], {}),
    ("_embedding_rows", [(3, 2), (3,)], dict(shape=(-1, 2))), ("_embedding_rows", [(3, 2), (4,)], dict(shape=(4, 2))),
    ("_csr_count", [(3,)], {}), ("_csr_count", [(2, 3, 4)], {}), ("_product_of_others", [(2, 5)], dict(axis=(3,))),
]


@pytest.mark.parametrize("name, shapes, params", WRONG, ids=lambda v: v if isinstance(v, str) else None)
def test_what_does_not_fit_is_refused(name, shapes, params):
    arrays = [nd.zeros(s) for s in shapes]
    with pytest.raises(mx.MXNetError, match=name):
        F[name](*arrays, **params)
    from mxnd.symbol.functions import FUNCTIONS
    if name[:4] in ("_csr", "_emb"):
        return
    with pytest.raises(mx.MXNetError, match=name):
        f = FUNCTIONS[name](*[mx.sym.Variable(f"v{i}") for i in range(len(shapes))], **params)
        given = {f"v{i}": x for i, x in enumerate(arrays)}
        f.bind(mx.cpu(), given, aux_states={k: given[k] for k in f.list_auxiliary_states()}).forward()


@pytest.mark.parametrize("call, name", [
    (lambda x: nd.UpSampling(x, nd.ones((1, 2, 4, 0)), scale=4, sample_type="nearest", num_args=2), "UpSampling"),
    (lambda x: nd.UpSampling(x, scale=2, sample_type="bilinear", num_filter=1), "UpSampling"),
    (lambda x: nd.contrib.BilinearResize2D(x, scale_height=2.0, scale_width=float("inf")), "BilinearResize2D"),
    (lambda x: nd.contrib.count_sketch(nd.ones((2, 3)), nd.array([[0, 1, 9]]), nd.ones((1, 3)), out_dim=4), "count_sketch"),
    (lambda x: nd.diag(nd.ones((3,)), k=2**63), "diag"),
    (lambda x: nd.contrib.quadratic(x, a=1, out=3), "quadratic"),
])
def test_errors_of_formulas_and_of_sizes_name_the_operator(call, name):
    with pytest.raises((mx.MXNetError, TypeError), match=name):
        call(nd.ones((1, 1, 2, 2)))


@pytest.mark.parametrize("wrong", [3, "text", [1.0], np.ones(2), object()])
def test_the_wrong_argument_is_named(wrong):
    x = nd.ones((2, 3))
    for call, name in ((lambda: nd.broadcast_add(x, wrong), "broadcast_add.*rhs"), (lambda: nd.dot(x, wrong), "dot.*rhs"),
                       (lambda: nd.Crop(x, wrong, num_args=2), "Crop"),
                       (lambda: nd.Convolution(x, x, wrong, kernel=(1,), num_filter=1), "Convolution.*bias")):
        with pytest.raises(AssertionError, match=name + ".*expected NDArray, got " + type(wrong).__name__):
            call()


@pytest.mark.parametrize("shape, axis", [((2, 3, 0), None), ((0, 3), 0), ((3, 0), 1), ((0,), None)])
def test_products_of_nothing_have_second_derivatives(shape, axis):
    x = nd.ones(shape)
    x.attach_grad()
    with ag.record():
        g, = ag.grad(nd.prod(x) if axis is None else nd.prod(x, axis=axis), [x], create_graph=True)
    g.backward()
    assert x.grad.shape == shape


def test_upsampling_of_several():
    x = nd.ones((2, 3, 2, 2))
    assert nd.UpSampling(x, nd.ones((2, 1, 4, 4)), scale=2, sample_type="nearest", num_args=2).shape == (2, 4, 4, 4)
    total = nd.UpSampling(x, nd.ones((2, 3, 1, 1)), scale=2, sample_type="nearest", num_args=2, multi_input_mode="sum")
    assert total.asnumpy().tolist() == np.full((2, 3, 4, 4), 2.0).tolist()
    assert nd.UpSampling(nd.ones((2, 3, 0, 2)), scale=2, sample_type="nearest", num_args=1).shape == (2, 3, 0, 4)
    for other, mode in (((2, 1, 4, 4), "sum"), ((1, 3, 4, 4), "sum"), ((1, 3, 4, 4), "concat"), ((2, 3, 3, 3), "concat")):
        with pytest.raises(mx.MXNetError, match=r"UpSampling: .*input"):
            nd.UpSampling(x, nd.ones(other), scale=2, sample_type="nearest", num_args=2, multi_input_mode=mode)


def test_images_resized_to_nothing_have_gradients():
    x = nd.ones((1, 2, 2, 3))
    x.attach_grad()
    with ag.record():
        y = nd.contrib.BilinearResize2D(x, mode="odd_scale", scale_height=0.3, scale_width=1.5)
    y.backward()
    assert y.shape == (1, 2, 0, 4) and not x.grad.asnumpy().any()


def test_numbers_of_devices():
    assert nd.ones(2, ctx=mx.cpu(300)).context == mx.cpu(300)
    for number in (70000, 2**40):
        with pytest.raises(mx.MXNetError, match="number of a device is out of range"):
            nd.ones(2, ctx=mx.cpu(number))
        with pytest.raises(mx.MXNetError, match="number of a device is out of range"):
            nd.ones(2).as_in_context(mx.cpu(number))


def test_formulas_with_fractions_cut_whole_numbers_off_at_the_end():
    x = nd.array([24, 2, -7], dtype="int32")
    assert nd.contrib.quadratic(x, a=0.3, b=-2.0, c=3.0).asnumpy().tolist() == [127, 0, 31]
    assert nd.contrib.div_sqrt_dim(nd.array([10, -10], dtype="int8")).asnumpy().tolist() == [7, -7]
    s = mx.sym.contrib.quadratic(mx.sym.var("x"), a=0.3, b=-2.0, c=3.0).bind(mx.cpu(), {"x": x})
    assert s.forward()[0].asnumpy().tolist() == [127, 0, 31] and s.outputs[0].dtype == np.int32


@pytest.mark.parametrize("beta, t", [(1.0, 1), (0.5, 0)])
def test_averages_without_a_correction(beta, t):
    assert not np.isfinite(nd.lamb_update_phase1(*[nd.ones(2)] * 4, beta1=beta, t=t, wd=0.1).asnumpy()).any()


@pytest.mark.parametrize("beta, t", [(2.0, 10**6), (0.0, -1)])
def test_averages_that_cannot_be_corrected(beta, t):
    with pytest.raises(mx.MXNetError, match=r"lamb_update_phase1: .* cannot be raised to the power of t"):
        nd.lamb_update_phase1(*[nd.ones(2)] * 4, beta1=beta, t=t, wd=0.1)


def test_numbers_too_large_for_a_float():
    for call in (lambda x: x + 10**400, lambda x: 10**400 - x, lambda x: x == 10**400):
        with pytest.raises(mx.MXNetError, match="_scalar: a number of 401 digits is too large"):
            call(nd.ones(2))


def test_axes_named_twice_and_positions_in_bools():
    x = nd.ones((2, 3), dtype="bool")
    for call, name in ((lambda: nd.reverse(x, axis=(1, -1)), "reverse: axis .* twice"), (lambda: nd.argmax(x, axis=0), "argmax: a bool"),
                       (lambda: nd.argmin(x), "argmin: a bool"), (lambda: nd.argmax_channel(x), "argmax_channel: a bool")):
        with pytest.raises(mx.MXNetError, match=name):
            call()
    assert nd.reverse(nd.arange(3), axis=-1).asnumpy().tolist() == [2, 1, 0]
