"""Memory for time: what backward needs of the forward is made again, where asked for or where it is cheap.

Asked for: the attribute __force_mirroring__ of a node, or the environment variable MXNET_BACKWARD_DO_MIRROR=1.
Cheap: large results of simple elementwise operators (and BatchNorm) of values that are in memory anyway.
The second run has the same inputs and the same kernels, so it gives the same bits."""
import os

from ..graph import Step, Value
from ..memory import nbytes
from .rewrite import writers

LARGE = 1 << 18                                # bytes below which keeping a value costs nothing
DEEPEST = 3                                    # cheap operators in a row that are made again


def mirrored():
    """A function of a node: whether MXNet's mirroring takes it."""
    everywhere = os.environ.get("MXNET_BACKWARD_DO_MIRROR", "0") == "1"

    def takes(node):
        if node.op.random:
            return False
        return everywhere and not getattr(node.op, "kept", False) \
            or "__force_mirroring__" in node.attrs and node.attrs["__force_mirroring__"].lower() in ("true", "1")
    return takes


def repeatable(step, written, forward):
    """Whether a second run changes nothing and gives the same; written: values that steps change, and those steps;
    forward: the steps that run before."""
    if not written:
        return not step.op.random and (not step.op.mutates or getattr(step.op, "repeatable", False))
    if any(v in written for v in step.outputs):
        return False
    if getattr(step.op, "repeatable", False):          # writes by the step itself, and by its own gradient, do no harm
        return all(s is step or s not in forward and not set(step.outputs).isdisjoint(s.inputs)
                   for v in step.inputs for s in written.get(v, ()))
    return not step.op.random and not step.op.mutates and not any(v in written for v in step.inputs)


def cheap(step):
    """Whether a second run costs little more than reading the inputs."""
    op = step.op
    if op.family in ("unary", "binary", "scalar", "rscalar"):
        return op.c is not None and "m_" not in op.c.replace("m_abs", "")
    return getattr(op, "repeatable", False)


def recompute(first, second, kept, automatic):
    """The backward steps, with what they make again; kept: values that stay in memory (heads)."""
    maker = {v: s for s in first for v in s.outputs}
    needed = {v for s in second for v in s.inputs if v in maker}
    dropped = _dropped(first, needed, set(kept), automatic, writers((first, second)))
    if not dropped:
        return second
    out, again = [], {}                        # again: value of the forward -> value made in the backward
    for step in second:
        if any(v in dropped for v in step.inputs):
            for v in step.inputs:
                if v in dropped and v not in again:
                    out += _copies(v, maker, dropped, again)
            step.inputs = tuple(again.get(v, v) if v in dropped else v for v in step.inputs)
        out.append(step)
    return out


def _dropped(first, needed, kept, automatic, written):
    """The values of the forward that the backward makes again."""
    dropped, depth = set(), {}                 # depth: how many operators it takes to make a value from what is in memory
    made, forward = {v for s in first for v in s.outputs}, set(first)
    for step in first:
        if step.mirror and repeatable(step, written, forward):
            dropped.update(v for v in step.outputs if v not in kept)
        elif automatic and cheap(step):
            levels = [0 if v not in made or v in kept or v in needed and v not in dropped else depth.get(v, DEEPEST)
                      for v in step.inputs]
            level = 1 + max(levels, default=0)
            if level <= DEEPEST and repeatable(step, written, forward):
                large = [v for v in step.outputs if v not in kept and nbytes(v) >= LARGE]
                dropped.update(large)
                depth.update(dict.fromkeys(large, level))
    return dropped


def _copies(value, maker, dropped, again):
    """Steps that make a value again, inputs first."""
    out, stack = [], [value]
    while stack:
        step = maker[stack[-1]]
        if stack[-1] in again:
            stack.pop()
            continue
        waiting = [v for v in step.inputs if v in dropped and v not in again]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        copy = Step(step.op, step.params, tuple(again.get(v, v) if v in dropped else v for v in step.inputs), step.name)
        copy.outputs = tuple(Value(v.graph, v.shape, v.dtype, copy, v.index) for v in step.outputs)
        again.update((v, c) for v, c in zip(step.outputs, copy.outputs) if v in dropped)
        out.append(copy)
    return out
