"""Reverse differentiation of formulas, for operators whose own gradient is best said as "that of this formula".

A kernel makes the first derivative of a recurrent layer or of the CTC loss.  The gradient of that derivative is found here:
the formula of the layer is run once on traced values, then walked backward by the gradients that its operators declare.
All of this happens in operators, so what comes out can be differentiated again."""
from .declare import Arithmetic, F


class Traced(Arithmetic):
    """A value (an array, a graph node, or again a traced value) with a note of the operators that were run on it."""

    __slots__ = ("value", "steps")

    def __init__(self, value, steps):
        self.value, self.steps = value, steps

    @property
    def shape(self):
        return self.value.shape

    @property
    def dtype(self):
        return self.value.dtype

    def _apply(self, op, inputs, params):
        if op.compose is not None:
            return op.compose(params, *inputs)
        got = self.value._apply(op, tuple(i.value for i in inputs), params)
        outputs = [Traced(v, self.steps) for v in (got if isinstance(got, list) else [got])]
        self.steps.append((op, inputs, params, outputs))
        return outputs if isinstance(got, list) else outputs[0]


def pull_back(f, inputs, heads, wanted):
    """Gradients of the sum of heads times f(*inputs), one for each of the first `wanted` inputs.

    f returns a list; its operators have no hidden outputs.  A head may be None, for zero."""
    steps = []
    traced = [Traced(v, steps) for v in inputs]
    outputs = f(*traced)
    needed = set(traced[:wanted])
    for _, ins, _, outs in steps:
        if any(v in needed for v in ins):
            needed.update(outs)
    sums = {}

    def give(to, g):
        had = sums.get(to)
        sums[to] = g if had is None else had + g
    for y, g in zip(outputs, heads, strict=True):
        if g is not None and y in needed:
            give(y, g)
    while steps:
        op, ins, params, outs = steps.pop()
        gs = [sums.pop(v, None) for v in outs]
        if op.grad is None or all(g is None for g in gs):
            continue
        gs = [F.zeros_like(v.value) if g is None else g for g, v in zip(gs, outs)]
        parts = op.gradients(params, tuple(gs), tuple(v.value for v in ins), tuple(v.value for v in outs))
        for to, part in zip(ins, parts):
            if to not in needed or part is None:
                continue
            part = part() if callable(part) else part
            if part is not None:
                give(to, part if part.dtype == to.dtype else F._cast_like(part, to.value))
    return [sums[v] if v in sums else F.zeros_like(v.value) for v in traced[:wanted]]
