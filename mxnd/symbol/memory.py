"""Which block of memory every intermediate value lives in: values that are never alive together share one."""
from bisect import bisect_left, insort

import numpy as np

from ..ops.params import DTYPES
from ..ops.shapes import size

ALIGN = 64
INPLACE = ("unary", "binary", "scalar", "rscalar")


ITEM = {name: 2 if name == "bfloat16" else np.dtype(name).itemsize for name in DTYPES}


def nbytes(value):
    """Bytes of a value, rounded up to whole cache lines."""
    item = ITEM[value.dtype]
    return max((size(value.shape) * item + ALIGN - 1) // ALIGN * ALIGN, ALIGN)


def may_write_over(task, value, out, root):
    """Whether a task may put an output where an input that ends there lies."""
    if value not in task.inputs or value.shape != out.shape or value.dtype != out.dtype:
        return False
    if any(root.get(v) is value for v in task.inputs):          # it is also read under another shape
        return False
    if task.plan is not None:
        return task.read[value] <= task.written[out]
    return task.steps[0].op.family in INPLACE


def is_alias(task):
    """Whether a task only shows the elements of its first input under another shape."""
    step = task.steps[0]
    return task.plan is None and step.op.kernel == "copy" and len(step.outputs) == 1 \
        and step.inputs[0].dtype == step.outputs[0].dtype


class Assignment:
    """The result: root of every value, block of every root, bytes of every block."""

    def __init__(self):
        self.root, self.block, self.sizes = {}, {}, []
        self.unshared = 0

    def block_of(self, value):
        return self.block.get(self.root.get(value, value))


def assign(tasks, pinned, share=True, kept=()):
    """Blocks for all values that the tasks make, except those that have arrays of their own (pinned); kept: values that
    are never written over."""
    a = Assignment()
    root = a.root
    made = set()
    written = {v for t in tasks for s in t.steps if s.op.mutates for v in s.mutated()}     # have arrays of their own
    for t in tasks:
        for v in t.outputs:
            made.add(v)
        if is_alias(t):
            source = root.get(t.inputs[0], t.inputs[0])
            if t.outputs[0] not in pinned and source in made and source not in pinned \
                    and written.isdisjoint((source, t.inputs[0], t.outputs[0])):
                root[t.outputs[0]] = source
    last = {}
    for k, t in enumerate(tasks):
        for v in (*t.inputs, *t.outputs):
            last[root.get(v, v)] = k
    last.update((root.get(v, v), len(tasks)) for v in kept)
    free = []                                          # (bytes, number) of blocks, in order
    for k, t in enumerate(tasks):
        ending = [v for v in dict.fromkeys(root.get(v, v) for v in t.inputs)
                  if v in a.block and last[v] == k]
        taken = set()
        for out in t.outputs:
            if out in pinned or out in root:
                continue
            n = nbytes(out)
            a.unshared += n
            over = None
            if share:
                over = next((v for v in ending if v not in taken and may_write_over(t, v, out, root)), None)
            if over is not None:
                taken.add(over)
                a.block[out] = a.block[over]
            else:
                a.block[out] = _take(free, a.sizes, n) if share else _new(a.sizes, n)
        for v in ending:
            if v not in taken:
                _give(free, a.sizes, a.block[v])
        for v in t.outputs:
            if v in a.block and last[v] == k:
                _give(free, a.sizes, a.block[v])
    return a


def _new(sizes, n):
    sizes.append(n)
    return len(sizes) - 1


def _give(free, sizes, b):
    insort(free, (sizes[b], b))


def _take(free, sizes, n):
    """The free block that fits best; the largest one grows when none is large enough."""
    if not free:
        return _new(sizes, n)
    at = bisect_left(free, (n, -1))
    _, best = free.pop(min(at, len(free) - 1))
    sizes[best] = max(sizes[best], n)
    return best
