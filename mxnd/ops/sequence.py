"""Batches of sequences that have their own lengths."""
from .declare import F, op
from .params import flag, integer, number, shape
from .shapes import first_type, presume, show, size, unify

_SEQUENCE = dict(use_sequence_length=flag(), axis=integer(0, at_least=0, at_most=1))


def _used(p):
    return "data sequence_length" if p.use_sequence_length else "data"


def _checked(p, s):
    if len(s) < 2:
        raise ValueError(f"data has shape {show(s)}; expected at least two axes, steps and sequences")
    return s


def _lengths(p, ins, s):
    """The inputs' shapes, with one length for each sequence."""
    return [s, *(unify(one, (s[1 - p.axis],), "shape of sequence_length and the number of sequences") for one in ins[1:])]


def _same_shapes(p, ins, outs):
    s = unify(ins[0], outs[0])
    return (ins, outs) if s is None else (_lengths(p, ins, _checked(p, s)), [s])


def _batch(p, s):
    return [s[p.axis], s[1 - p.axis], size(s[2:]), p.axis]


def _none(x):
    return [None] * (len(x) - 1)


def _plain(p):
    return dict(use_sequence_length=p.use_sequence_length, axis=p.axis)


op("SequenceMask", inputs="data sequence_length", aliases="_npx_sequence_mask", takes=_used, shapes=_same_shapes,
   types=first_type, presumed=presume(), params=dict(use_sequence_length=flag(), value=number(0.0), axis=integer(0, at_least=0, at_most=1)),
   kernel="sequence_mask",
   arguments=lambda p, ins, outs: [*_batch(p, ins[0]), float(p.value)],
   grad=lambda p, g, x, y: [lambda: F.SequenceMask(g[0], *x[1:], **p._asdict() | {"value": 0.0}), *_none(x)],
   samples=(dict(inputs=[(3, 2, 2), [1, 3]], params=dict(use_sequence_length=True, value=7.0)),
            dict(inputs=[(2, 3), [0, 2]], params=dict(use_sequence_length=True, axis=1))),
   doc="Sequences with the steps past their length set to value.  axis says which axis counts the steps, the other one of the "
       "first two counts the sequences.",
   example="mx.nd.SequenceMask(mx.nd.ones((3, 2)), mx.nd.array([1, 2]), use_sequence_length=True)")


def _last_shapes(p, ins, outs):
    s = ins[0]
    if s is None:
        return ins, outs
    return _lengths(p, ins, _checked(p, s)), [unify(outs[0], (s[1 - p.axis],) + s[2:])]


op("SequenceLast", inputs="data sequence_length", params=_SEQUENCE, takes=_used, shapes=_last_shapes, types=first_type, presumed=presume(),
   kernel="sequence_last", arguments=lambda p, ins, outs: _batch(p, ins[0]),
   grad=lambda p, g, x, y: [lambda: F._backward_sequence_last(g[0], *x[1:], **p._asdict(), shape=x[0].shape), *_none(x)],
   samples=(dict(inputs=[(3, 2, 2), [1, 3]], params=dict(use_sequence_length=True)),
            dict(inputs=[(2, 3, 2)], params=dict(axis=1))),
   doc="The last step of each sequence: the step at its length, or of the whole without lengths.",
   example="mx.nd.SequenceLast(mx.nd.array([[1, 2], [3, 4], [5, 6]]), mx.nd.array([1, 3]), use_sequence_length=True)")


def _last_back_shapes(p, ins, outs):
    _, *lengths = _lengths(p, ins, _checked(p, p.shape))
    data = unify(ins[0], (p.shape[1 - p.axis],) + p.shape[2:], "shape of data and the shape that SequenceLast would give")
    return [data, *lengths], [unify(outs[0], p.shape)]


op("_backward_sequence_last", inputs="data sequence_length", params=dict(**_SEQUENCE, shape=shape()), takes=_used,
   types=first_type, shapes=_last_back_shapes, kernel="sequence_last_put",
   arguments=lambda p, ins, outs: _batch(p, outs[0]),
   grad=lambda p, g, x, y: [lambda: F.SequenceLast(g[0], *x[1:], **_plain(p)), *_none(x)],
   samples=(dict(inputs=[(2, 2), [1, 3]], params=dict(use_sequence_length=True, shape=(3, 2, 2))),),
   doc="Zeros of the given shape with the last step of each sequence written: the adjoint of SequenceLast.",
   example="mx.nd._internal._backward_sequence_last(mx.nd.ones((2,)), shape=(3, 2))")

op("SequenceReverse", inputs="data sequence_length", params=_SEQUENCE, takes=_used, shapes=_same_shapes, types=first_type,
   presumed=presume(), kernel="sequence_reverse", arguments=lambda p, ins, outs: _batch(p, ins[0]),
   grad=lambda p, g, x, y: [lambda: F.SequenceReverse(g[0], *x[1:], **p._asdict()), *_none(x)],
   samples=(dict(inputs=[(3, 2, 2), [2, 3]], params=dict(use_sequence_length=True)), dict(inputs=[(3, 2)], params={})),
   doc="Sequences with their steps in the opposite order; steps past the length stay where they are.",
   example="mx.nd.SequenceReverse(mx.nd.array([[1, 2], [3, 4], [5, 6]]), mx.nd.array([2, 3]), use_sequence_length=True)")
