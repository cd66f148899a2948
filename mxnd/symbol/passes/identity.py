"""Copies that change nothing: _copy, BlockGrad, reshapes to the same shape, Dropout outside training."""
from .rewrite import Replaced, mutated


def remove_identities(parts, training):
    """(parts without them, what stands for their results)."""
    new, written = Replaced(), mutated(parts)
    read = {v for steps in parts for s in steps for v in s.inputs}
    out = []
    for steps in parts:
        kept = []
        for step in steps:
            new.rewire(step)
            if step.inputs and written.isdisjoint((step.inputs[0], step.outputs[0])) and _is_identity(step, training) \
                    and not any(v in read for v in step.outputs[1:]):          # such as the mask of Dropout
                new[step.outputs[0]] = step.inputs[0]
            else:
                kept.append(step)
        out.append(kept)
    return out, new


def _is_identity(step, training):
    x, y = step.inputs[0], step.outputs[0]
    if x.shape != y.shape or x.dtype != y.dtype or step.op.mutates:
        return False
    if step.op.kernel == "copy":
        return len(step.outputs) == 1
    idle = getattr(step.op, "idle", None)
    return idle is not None and idle(step.params, training)
