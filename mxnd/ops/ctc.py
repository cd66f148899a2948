"""The loss of connectionist temporal classification: CTCLoss."""
from .declare import FLOATS, F, op
from .norm_formulas import once
from .params import choice, flag
from .reverse import pull_back
from .shapes import show, unify

NONE = -1e30            # logarithm of what cannot happen, in formulas
CTC = dict(use_data_lengths=flag(), use_label_lengths=flag(), blank_label=choice("first", "first", "last"))


def inputs(p):
    return "data label" + " data_lengths" * p.use_data_lengths + " label_lengths" * p.use_label_lengths


def ctc_shapes(p, ins, outs):
    data, label, lengths = ins[0], ins[1], ins[2:]
    if data is not None and len(data) != 3:
        raise ValueError(f"data has shape {show(data)}; expected (steps, sequences, classes)")
    if label is not None and len(label) != 2:
        raise ValueError(f"label has shape {show(label)}; expected (sequences, length of the longest label)")
    if data is not None and data[2] == 0:
        raise ValueError("data has no classes; expected at least one, the blank")
    n = outs[0]
    for s, axis in ((data, 1), (label, 0), *((s, 0) for s in lengths)):
        if s is not None:
            n = unify(n, (s[axis],) if len(s) > axis else s, "numbers of sequences")
    n = n or (None,)
    return [unify(data, (None, *n, None)), unify(label, (*n, None)), *[unify(s, n) for s in lengths]], [n]


def ctc_types(p, ins, outs):
    """The loss has data's dtype; labels and lengths may have any."""
    t = unify_types(ins[0], outs[0])
    return [t, *[v or t for v in ins[1:]]], [t]


def unify_types(a, b):
    if a is not None and b is not None and a != b:
        raise ValueError(f"data and output have different dtypes: {a} and {b}; expected one dtype (use astype)")
    return a or b


def numbers(p, data, label):
    return [*data, label[1], int(p.use_data_lengths), int(p.use_label_lengths), int(p.blank_label == "last")]


op("CTCLoss", stored=2, inputs="data label data_lengths label_lengths", takes=inputs, params=CTC, outputs="output0",
   aliases="ctc_loss _contrib_CTCLoss _contrib_ctc_loss", shapes=ctc_shapes, types=ctc_types, kernel="ctc_loss", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: numbers(p, ins[0], ins[1]),
   grad=lambda p, g, x, y: [lambda: F._backward_CTCLoss(g[0], *x, **p._asdict()), *[None] * (len(x) - 1)],
   samples=(dict(inputs=[(5, 2, 4), [[1, 2, 0], [3, 3, 2]]]),
            dict(inputs=[(5, 2, 3), [[0, 1], [0, 0]], [4, 3], [2, 1]],
                 params=dict(use_data_lengths=True, use_label_lengths=True, blank_label="last")),
            dict(inputs=[(2, 2, 3), [[1, 1], [2, 0]]])),
   doc="""Minus the logarithm of the probability of a label, over all ways to align it with a longer sequence.

    data is (steps, sequences, classes), before the softmax; label (sequences, length), of any dtype; the loss (sequences,).  With
    blank_label "first" class 0 is the blank, and a 0 in label ends it; with "last" the last class is, and a -1 ends it.
    use_data_lengths adds the input data_lengths, steps that count for each sequence, and use_label_lengths label_lengths, in the
    place of an end mark.  A label that needs more steps than there are (one a class, and one between two equal ones) has
    loss 0 and no gradient, as in MXNet.  Floats; sums are made in float64.
    Source: Graves et al., Connectionist Temporal Classification, 2006.""",
   example="mx.nd.CTCLoss(mx.nd.ones((4, 1, 3)), mx.nd.array([[1, 2]]))")


# ---- derivatives ------------------------------------------------------------------------------------------

def log_sum(*terms):
    """Logarithm of a sum of exponentials.  The largest term is taken out; the sum does not depend on it."""
    top = terms[0]
    for t in terms[1:]:
        top = F.broadcast_maximum(top, t)
    top = F.BlockGrad(top)
    total = None
    for t in terms:
        total = F.exp(t - top) if total is None else total + F.exp(t - top)
    return top + F.log(total)


def column(x, j):
    return F.slice_axis(x, axis=1, begin=j, end=j + 1)


def ctc(p, data, label, *lengths):
    """[loss] as a formula: blanks and classes of a label are kept apart, in (sequences, length + 1) and (sequences, length)."""
    steps, count, classes = data.shape
    wide = label.shape[1]
    blank, pad = (classes - 1, -1.0) if p.blank_label == "last" else (0, 0.0)
    given = [F._cast_like(F._reshape_to(v, shape=(count, 1)), data) for v in lengths]
    zero = F.zeros_like(F._reshape_to(F.slice(data, begin=(0, 0, 0), end=(1, count, 1)), shape=(count, 1)))
    length = given[0] if p.use_data_lengths else zero + float(steps)
    logs = F.log_softmax(data, axis=-1)
    names = F._cast_like(label, data)
    if p.use_label_lengths:
        extent = given[-1]
    else:
        extent, goes_on = zero, zero + 1.0
        for j in range(wide):
            goes_on = goes_on * F._not_equal_scalar(column(names, j), scalar=pad)
            extent = extent + goes_on
    least = extent
    blanks = F.Concat(zero, *[zero + NONE] * wide, num_args=wide + 1, dim=1)
    if wide:
        classes_ = F.Concat(*[zero + NONE] * wide, num_args=wide, dim=1)
        same = [zero] + [F.broadcast_equal(column(names, j), column(names, j - 1)) for j in range(1, wide)]
        skip = F.Concat(*same, num_args=wide, dim=1) * NONE
        for j in range(1, wide):
            least = least + same[j] * F._greater_scalar(extent, scalar=float(j))
        hits = F._cast_like(F.one_hot(label, depth=classes), data)
        of_label = F.batch_dot(hits, F.transpose(logs, axes=(1, 2, 0)))
    for t in range(steps):
        counts = F._greater_scalar(length, scalar=float(t))
        of_blank = F._reshape_to(F.slice(logs, begin=(t, 0, blank), end=(t + 1, count, blank + 1)), shape=(count, 1))
        if not wide:
            blanks = blanks + of_blank * counts
            continue
        before = F.Concat(zero + NONE, classes_, num_args=2, dim=1)
        blanks_before = F.slice_axis(blanks, axis=1, begin=0, end=wide)
        here = F._reshape_to(F.slice_axis(of_label, axis=2, begin=t, end=t + 1), shape=(count, wide))
        jump = F.slice_axis(before, axis=1, begin=0, end=wide) + skip
        counts = F._reshape_to(counts, shape=(count,))
        made = F.broadcast_add(log_sum(blanks, before), of_blank), log_sum(classes_, blanks_before, jump) + here
        blanks, classes_ = F.where(counts, made[0], blanks), F.where(counts, made[1], classes_)
    flat = F._reshape_to(extent, shape=(count,))
    total = F.pick(blanks, flat, axis=1)
    if wide:
        none = F.zeros_like(total) + NONE
        total = log_sum(total, F.where(flat, F.pick(classes_, flat - 1.0, axis=1), none))
    enough = F._reshape_to(F.broadcast_greater_equal(length, least), shape=(count,))
    return [F.where(enough, -total, F.zeros_like(total))]


def backward_shapes(p, ins, outs):
    got, made = ctc_shapes(p, [unify(ins[1], outs[0]), *ins[2:]], [ins[0]])
    return [*made, *got], [got[0]]


def backward_types(p, ins, outs):
    t = unify_types(unify_types(ins[0], ins[1]), outs[0])
    return [t, t, *[v or t for v in ins[2:]]], [t]


def backward_grad(p, g, x, y):
    """Of the derivative as a function of head and data: found from the formula."""
    def derivative(head, *given):
        return pull_back(lambda *v: ctc(p, *v), given, [head], 1)
    if 0 in x[1].shape:
        return [None] * len(x)
    part = once(lambda: pull_back(derivative, x, g, 2))
    return [part(0), part(1), *[None] * (len(x) - 2)]


op("_backward_CTCLoss", inputs="head data label data_lengths label_lengths", takes=lambda p: "head " + inputs(p), params=CTC,
   shapes=backward_shapes, types=backward_types, kernel="ctc_backward", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: numbers(p, ins[1], ins[2]), grad=backward_grad,
   samples=(dict(inputs=[(2,), (4, 2, 3), [[1, 2], [2, 2]]]),
            dict(inputs=[(2,), (4, 2, 3), [[1, 1], [0, 1]], [3, 2], [2, 1]],
                 params=dict(use_data_lengths=True, use_label_lengths=True, blank_label="last"))),
   doc="First derivative of CTCLoss, from the alignments' forward and backward sums.")
