"""Output layers: their forward pass shows predictions, their gradient is that of a loss.

The head gradient is ignored, as in MXNet.  Gradients are formulas of the data, so that the second
derivative is the loss's own where it is written in operators."""
from .declare import FLOATS, F, op
from .params import choice, flag, number
from .shapes import known, presume, show, size, times, unify

NORMALIZATION = choice("null", "batch", "null", "valid")


# ---- SoftmaxOutput ----------------------------------------------------------------------------------

def softmax_view(p, shape):
    """(outer, classes, inner)."""
    if p.preserve_shape or len(shape) < 2:
        return size(shape[:-1]), shape[-1] if shape else 1, 1
    if p.multi_output:
        return shape[0], shape[1], size(shape[2:])
    return shape[0], size(shape[1:]), 1


def softmax_label(p, data):
    """The label's shape for a shape of data."""
    if len(data) < 2:
        return data
    if p.multi_output:
        return (data[0], *(data[2:] or (1,)))
    return data[:-1]


def softmax_output_shapes(p, ins, outs):
    data, label = unify(ins[0], outs[0]), ins[1]
    if data is None:
        return [data, label], [data]
    want = softmax_label(p, data)
    rows = (data[0], times(*data[2:])) if p.multi_output and len(data) > 2 else want    # all positions in one axis: MXNet's choice
    for fit in (rows, want):
        if label is None or len(label) == len(fit) != len(data):
            return [data, unify(label, fit, "shape of label and shape expected from data")], [data]
    if p.multi_output and len(label) == len(data) > 1 and label[1] == 1 and data[1] is not None:    # the axis of the classes kept
        return [data, unify(label, (data[0], 1, *data[2:]), "shape of label and shape expected from data")], [data]
    spread = p.multi_output and known(label) and known(data) and size(label) == size(want)
    if len(label) != len(data) and not spread:
        raise ValueError(f"label has a wrong shape; expected {show(want)}, got {show(label)}")
    if len(label) == len(data) and not spread:
        data = label = unify(data, label, "shape of label and shape expected from data")
    return [data, label], [data]


def softmax_backward_shapes(p, ins, outs):
    (prob, label), out = softmax_output_shapes(p, ins[:2], outs)
    return [prob, label, *(unify(head, prob, "shapes of head and prob") for head in ins[2:])], out


def softmax_output_numbers(p, ins, outs):
    data, label = ins[0], ins[1]
    return [*softmax_view(p, data), int(data == label), int(p.use_ignore), ("null", "batch", "valid").index(p.normalization),
            int(p.multi_output), p.grad_scale, p.ignore_label, p.smooth_alpha]


def softmax_output_grad(p, g, x, y):
    head = (g[0],) if p.out_grad else ()
    return [lambda: F._backward_SoftmaxOutput(y[0], x[1], *head, **p._asdict()), None]


SOFTMAX_OUTPUT = dict(grad_scale=number(1.0), ignore_label=number(-1.0), multi_output=flag(), use_ignore=flag(),
                      preserve_shape=flag(), normalization=NORMALIZATION, out_grad=flag(), smooth_alpha=number(0.0))
op("SoftmaxOutput", inputs="data label", params=SOFTMAX_OUTPUT, aliases="Softmax", shapes=softmax_output_shapes,
   kernel="softmax_output", kernel_types=FLOATS, arguments=lambda p, ins, outs: list(softmax_view(p, ins[0])),
   grad=softmax_output_grad, loss=True, kept=True,
   numpy="(lambda e: e / e.sum(-1, keepdims=True))(np.exp(data - data.max(-1, keepdims=True)))",
   samples=(dict(inputs=[(3, 4), [0.0, 3.0, 1.0]]), dict(inputs=[(2, 3), (2, 3)], params=dict(grad_scale=0.5))),
   doc="""Softmax whose gradient is that of the cross entropy with label: probability minus target.

    The head gradient is ignored, unless out_grad multiplies it in.  data (N, rest...) has its classes in all axes but the first,
    with multi_output in axis 1 (label (N, rest...)), with preserve_shape in the last axis (label without it).
    A label of data's shape holds probabilities.  use_ignore leaves out rows whose label is ignore_label; normalization
    divides by the batch, or by the labels that count ("valid"); multi_output also by the positions.  smooth_alpha a makes the
    target 1 - a and shares a among the other classes.  Floats; label has data's dtype.""",
   example="mx.nd.SoftmaxOutput(mx.nd.array([[1, 2, 3]]), mx.nd.array([2]))")
op("_backward_SoftmaxOutput", inputs="prob label head", params=SOFTMAX_OUTPUT,
   takes=lambda p: "prob label head" if p.out_grad else "prob label", kernel="softmax_output_backward", kernel_types=FLOATS,
   shapes=softmax_backward_shapes, arguments=softmax_output_numbers,
   doc="What SoftmaxOutput passes to its data: the gradient of the cross entropy.")


# ---- regression -------------------------------------------------------------------------------------

def regression_shapes(p, ins, outs):
    data, label = unify(ins[0], outs[0]), ins[1]
    if data is None:
        return [label if label is not None and len(label) > 1 and None not in label else None, label], [None]
    if label is not None and len(label) == len(data):
        label = data = unify(data, label, "shapes of data and label")
    if not known(label):
        return [data, data[:1] if len(data) == 2 and data[1] == 1 else data], [data]
    if known(data) and (label[:1] != data[:1] or size(label) != size(data)):
        raise ValueError(f"label has a wrong shape; expected {show(data)}, got {show(label)}")
    return [data, label], [data]


def regression(name, derivative, numpy, kernel, aliases="", doc=""):
    def grad(p, g, x, y):
        def get():
            data, label = x
            if label.shape != data.shape:
                label = F._reshape_to(label, shape=data.shape)
            m = size(data.shape[1:])
            return derivative(data, label, p.grad_scale / m if m else p.grad_scale)
        return [get, None]
    op(name, inputs="data label", params=dict(grad_scale=number(1.0)), aliases=aliases, shapes=regression_shapes, kernel=kernel,
       kernel_types=FLOATS, grad=grad, numpy=numpy, samples=(dict(inputs=[(3, 2), (3, 2)]),), loss=True,
       accepts_unknown_params=True,
       doc=doc + "\n\n    label has data's shape, or one of the same size; (N, 1) data takes (N,).  The gradient is divided by\n"
                 "    the outputs per sample and multiplied by grad_scale; the head gradient is ignored.  Floats.",
       example=f"mx.nd.{name}(mx.nd.array([[1, 2]]), mx.nd.array([[0, 1]]))")


regression("LinearRegressionOutput", lambda x, t, s: (x - t) * s, "data * 1.0", "same_values", "_sparse_LinearRegressionOutput",
           "The data, with the gradient of the squared error: data - label.")
regression("MAERegressionOutput", lambda x, t, s: (x > t) * (2.0 * s) - s, "data * 1.0", "same_values",
           "_sparse_MAERegressionOutput", "The data, with the gradient of the absolute error: 1 where data > label, else -1.")
regression("LogisticRegressionOutput", lambda x, t, s: (F.sigmoid(x) - t) * s, "1 / (1 + np.exp(-data))", "sigmoid_output",
           "_sparse_LogisticRegressionOutput",
           "The sigmoid of data, with the gradient of the logistic loss: sigmoid(data) - label.")


# ---- SVMOutput --------------------------------------------------------------------------------------

def svm_shapes(p, ins, outs):
    data = unify(ins[0], outs[0])
    if data is None:
        return [None if ins[1] is None else (*ins[1], None), ins[1]], outs
    return [data, unify(ins[1], data[:-1], "shape of label and shape expected from data")], [data]


SVM = dict(margin=number(1.0), regularization_coefficient=number(1.0), use_linear=flag())
op("SVMOutput", inputs="data label", params=SVM, shapes=svm_shapes, kernel="same_values", kernel_types=FLOATS, loss=True,
   grad=lambda p, g, x, y: [lambda: F._backward_SVMOutput(x[0], x[1], **p._asdict()), None],
   numpy="data * 1.0", samples=(dict(inputs=[(3, 4), [0.0, 3.0, 1.0]]),),
   doc="""The data, with the gradient of a one-against-all support vector loss (squared hinge, or hinge with use_linear).

    data (..., classes), label data.shape[:-1].  The head gradient is ignored.  Floats; label has data's dtype.""",
   example="mx.nd.SVMOutput(mx.nd.array([[1, 2, 3]]), mx.nd.array([2]))")
op("_backward_SVMOutput", inputs="data label", params=SVM, shapes=svm_shapes,
   kernel="svm_backward", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: [size(ins[0][:-1]), ins[0][-1], int(p.use_linear), p.margin, p.regularization_coefficient],
   doc="What SVMOutput passes to its data.")


# ---- losses made of anything ------------------------------------------------------------------------

def one_shape(p, ins, outs):
    s = unify(ins[0], outs[0])
    return [s], [s]


def make_loss_grad(p, g, x, y):
    def get():
        ones = F.ones_like(x[0])
        if p.normalization == "valid":
            count = F._maximum_scalar(F.sum(x[0] > p.valid_thresh), scalar=1.0)
            return F.broadcast_div(ones * p.grad_scale, F._reshape_to(count, shape=(1,) * len(x[0].shape)))
        n = x[0].shape[0] if p.normalization == "batch" and len(x[0].shape) > 1 else 1
        return ones * (p.grad_scale / max(n, 1))
    return [get]


op("MakeLoss", params=dict(grad_scale=number(1.0), valid_thresh=number(0.0), normalization=NORMALIZATION), shapes=one_shape,
   kernel="same_values", kernel_types=FLOATS, grad=make_loss_grad, numpy="data * 1.0", samples=(dict(inputs=[(3, 4)]),),
   loss=True,
   doc="""The data as a loss: its gradient is grad_scale everywhere, and the head gradient is ignored.

    normalization "batch" divides by the first axis (of data with at least two), "valid" by the number of elements over
    valid_thresh.  Shape and dtype stay.  Floats.""",
   example="mx.nd.MakeLoss(mx.nd.array([1, 2]))")
op("make_loss", aliases="_sparse_make_loss", outputs="loss", shapes=one_shape, kernel="same_values",
   grad=lambda p, g, x, y: [lambda: F.ones_like(x[0])], numpy="data * 1", samples=(dict(inputs=[(3, 4)]),), loss=True,
   keeps_zero=True, accepts_unknown_params=True,
   doc="The data as a loss: its gradient is 1 everywhere, and the head gradient is ignored.  Any shape and dtype.",
   example="mx.nd.make_loss(mx.nd.array([1, 2]))")


def cross_entropy_shapes(p, ins, outs):
    data, label = ins
    n = unify(label, None if data is None else data[:1], "length of label and rows of data")
    if data is not None and len(data) != 2:
        raise ValueError(f"data has a wrong number of dimensions; expected 2, got {len(data)}")
    if n is not None and len(n) != 1:
        raise ValueError(f"label has a wrong number of dimensions; expected 1, got {len(n)}")
    return [None if data is None else (n[0], data[1]), n], [(1,)]


def cross_entropy_grad(p, g, x, y):
    data, label = x

    def get():
        hit = F._cast_like(F.one_hot(label, depth=data.shape[1]), data)
        return F.broadcast_mul(F.softmax(data, axis=-1) - hit, F._reshape_to(g[0], shape=(1, 1)))
    return [get, None]


op("softmax_cross_entropy", inputs="data label", shapes=cross_entropy_shapes, kernel="softmax_cross_entropy", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: list(ins[0]), grad=cross_entropy_grad, accepts_unknown_params=True,
   numpy="np.array([(np.log(np.exp(data).sum(1)) - data[np.arange(len(data)), label.astype(int)]).sum()])",
   samples=(dict(inputs=[(3, 4), [0.0, 3.0, 1.0]]),),
   doc="""Cross entropy between softmax(data) and the classes in label, summed over the rows.

    data (N, classes), label (N,) of data's dtype; the result has shape (1,).  Floats.""",
   example="mx.nd.softmax_cross_entropy(mx.nd.array([[1, 2, 3]]), mx.nd.array([2]))")


# ---- IdentityAttachKLSparseReg ----------------------------------------------------------------------

def kl_shapes(p, ins, outs):
    data = unify(ins[0], outs[0])
    return [data, ins[1] if data is None else unify(ins[1], (data[-1] if data else 1,))], [data]


def kl_backward_shapes(p, ins, outs):
    head = unify(ins[0], ins[1], "shapes of head and data")
    (data, average), out = kl_shapes(p, [head, ins[2]], outs)
    return [data, data, average], out


KL = dict(sparseness_target=number(0.1, at_least=0.0, at_most=1.0), penalty=number(0.001),
          momentum=number(0.9, at_least=0.0, at_most=1.0))
def kl_grad(p, g, x, y):
    return [lambda: F._backward_IdentityAttachKLSparseReg(F.zeros_like(x[0]) if g[0] is None else g[0], *x, **p._asdict()), None]


op("IdentityAttachKLSparseReg", inputs="data moving_avg", aux="moving_avg", initial={"moving_avg": '["zero", {}]'},
   params=KL, shapes=kl_shapes, presumed=presume("float32"), kernel="same_values",
   kernel_types=FLOATS, grad=kl_grad, loss=True,
   numpy="data * 1.0", samples=(dict(inputs=[(3, 4), (4,)]),),
   doc="""The data; its gradient gets a term that draws the average activation of each unit toward sparseness_target.

    data (N, units) in (0, 1), moving_avg (units,): the average, moved by the backward pass.  Floats.""",
   example="mx.nd.IdentityAttachKLSparseReg(mx.nd.array([[0.5, 0.2]]), mx.nd.array([0.1, 0.1]))")
op("_backward_IdentityAttachKLSparseReg", inputs="head data moving_avg", mutates="moving_avg", params=KL,
   shapes=kl_backward_shapes, kernel="kl_sparse_backward", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: [size(ins[1][:-1]), ins[1][-1] if ins[1] else 1, p.sparseness_target, p.penalty, p.momentum],
   grad=lambda p, g, x, y: [g[0], None, None], doc="First derivative of IdentityAttachKLSparseReg; moves the average.")
