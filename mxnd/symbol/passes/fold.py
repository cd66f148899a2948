"""Constants: what depends on no input is computed when the graph is compiled, by the same kernels."""
from ..._core import graph_run
from ..._core.array import empty
from ..memory import nbytes
from .rewrite import mutated

LARGEST = 1 << 20                              # bytes; larger constants would hold memory for little gain
SHAPE_ONLY = ("fill", "arange")                # kernels whose result depends on shapes alone


def fold_constants(parts, kept):
    """(parts without constant steps, {value: its array}); kept: values that the caller reads."""
    values, out, written = {}, [], mutated(parts)
    for steps in parts:
        rest = []
        for step in steps:
            if written.isdisjoint(step.outputs) and _foldable(step, values):
                values.update(zip(step.outputs, _compute(step, values)))
            else:
                rest.append(step)
        out.append(rest)
    read = {v for steps in out for s in steps for v in s.inputs} | set(kept)
    return out, {v: array for v, array in values.items() if v in read}


def _foldable(step, values):
    op = step.op
    if op.kernel not in SHAPE_ONLY:
        for v in step.inputs:
            if v not in values:
                return False
        if not step.inputs and op.kernel is None:
            return False
    return not (op.random or op.mutates or op.uses_mode) and sum(map(nbytes, step.outputs)) <= LARGEST


def _compute(step, values):
    inputs = tuple(values[v] if v in values else empty(v.shape, v.dtype) for v in step.inputs)
    outputs = [empty(v.shape, v.dtype) for v in step.outputs]
    graph_run.Steps([graph_run.call_step(step.op.core, step.params, inputs, outputs, step.name)]).run(False)
    return outputs
