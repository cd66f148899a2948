"""The gradient of a graph as further steps of it, by the formulas that the tape uses too."""
from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError
from ..ops.shapes import show


def needing(steps, wanted):
    """The values that depend on the wanted ones."""
    found = set(wanted)
    for step in steps:
        if not found.isdisjoint(step.inputs):
            found.update(step.outputs)
    return found


def gradients(graph, heads, head_grads, wanted):
    """{wanted value: its gradient, or None where nothing reaches it}; appends the steps to the graph."""
    steps = list(graph.steps)
    needed = needing(steps, wanted)
    sums = {}

    def give(value, g):
        had = sums.get(value)
        sums[value] = g if had is None else had + g
    for head, g in zip(heads, head_grads):
        give(head, g)
    for step in reversed(steps):
        op = step.op
        if op.grad is None or needed.isdisjoint(step.inputs):
            continue
        alone = None if any(v in sums for v in step.outputs) else op.acts_alone(step.params) or "idle"
        if alone == "idle":
            continue
        count = op.visible_outputs(step.params)
        gs = []
        for k, v in enumerate(step.outputs):
            g = sums.pop(v, None)
            if g is None and k < count:
                g = REGISTRY["zeros_like"](v)
            gs.append(g if k < count else None)
        parts = op.gradients(step.params, tuple(gs), step.inputs, step.outputs)
        for k, (value, part) in enumerate(zip(step.inputs, parts)):
            if part is None or value not in needed:
                continue
            if callable(part):
                part = part()
                if part is None:
                    continue
            if alone == "state":                                # the gradient is zero
                continue
            if part.shape != value.shape:
                raise MXNetError(f"{op.name}: the gradient for input {k} has a wrong shape; expected {show(value.shape)}, "
                                 f"got {show(part.shape)}")
            if part.dtype != value.dtype:
                part = REGISTRY["Cast"](part, dtype=value.dtype)
            give(value, part)
    return {v: sums.get(v) for v in wanted}
