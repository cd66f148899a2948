"""Common subexpressions: the same operator with the same parameters on the same values runs once.

Forward and backward are looked at apart: a value of the forward would have to stay in memory for the backward."""
from .rewrite import Replaced, mutated


def merge_common(parts):
    """(parts without repeated steps, what stands for their results)."""
    new, written = Replaced(), mutated(parts)
    out = []
    for steps in parts:
        seen, kept = {}, []
        for step in steps:
            new.rewire(step)
            op = step.op
            if op.random or op.mutates or written and not written.isdisjoint((*step.inputs, *step.outputs)):
                kept.append(step)
                continue
            beside = seen.setdefault((op, step.inputs, _hashable(step.params)), [])
            same = next((s for s in beside if _same_params(s.params, step.params)), None)
            if same is None:
                beside.append(step)
                kept.append(step)
            else:
                new.update(zip(step.outputs, same.outputs))
        out.append(kept)
    return out, new


def _hashable(params):
    """A key that equal parameters share: an input may be read by very many steps that differ in a number."""
    try:
        return hash(params)
    except TypeError:                                     # a list inside
        return repr(params)


def _same_params(a, b):
    return a is b or a == b and repr(a) == repr(b)        # 0.0 and -0.0 are equal, and not the same
