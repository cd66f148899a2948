"""BatchNorm outside training is a factor and an offset per channel: a convolution before it takes them into its filters.

The folded filters are steps of the graph: every forward makes them from the arrays as they are then, so that a changed
weight or statistic is never missed.  It is done only where the filters are much smaller than what BatchNorm would pass over.
Results differ from the plain graph's by rounding."""
from ...ops.shapes import size
from .rewrite import Replaced, mutated, traced

WORTH = 4                                      # output elements per element of the weight
SMALLEST = 1 << 14                             # output elements
DTYPES = ("float32", "float64")


def absorb_factors(steps, kept, training):
    """(steps, what stands for the results); kept: values that the caller reads.
    What BatchNorm writes into its gamma is left out: the graph has no gradients, so its gamma is a copy."""
    maker = {v: s for s in steps for v in s.outputs}
    readers = {}
    for s in steps:
        for v in s.inputs:
            readers[v] = readers.get(v, 0) + 1
    new, out, gone = Replaced(), [], set()
    written_by = {}
    for s in steps:
        for v in s.mutated() if s.op.mutates else ():
            written_by[v] = written_by.get(v, 0) + 1
    found = {}
    for step in steps:
        factors = getattr(step.op, "factors", None)
        source = maker.get(step.inputs[0]) if step.inputs else None
        if factors is None or source is None or not _fits(step, source, readers, kept, training):
            continue
        if any(v in written_by and (readers[v] > 1 or v in kept) for v in step.inputs[1:]) or any(v in written_by for v in source.inputs):
            continue
        found[step] = source
        gone.add(source)
    for step in steps:
        new.rewire(step)
        if step in gone:
            continue
        source = found.get(step)
        if source is None:
            out.append(step)
            continue
        count = len(source.inputs)
        taken = (*source.inputs, *step.inputs[1:])

        def formula(*x, step=step, source=source, count=count):
            own = step.op.factors(step.params, x[count:])
            return [source.op.scaled(source.params, x[:count], *own)]
        made, results = traced(formula, taken, step.name)
        new[step.outputs[0]] = results[0]
        out += made
    return out, new


def _fits(step, source, readers, kept, training):
    y = source.outputs[0]
    if getattr(source.op, "scaled", None) is None or training and not step.params.use_global_stats:
        return False
    if readers.get(y, 0) != 1 or y in kept or any(v in readers or v in kept for v in step.outputs[1:]):
        return False
    weight = source.inputs[1]
    return y.dtype in DTYPES and getattr(step.params, "axis", 1) % len(y.shape) == 1 \
        and size(y.shape) >= max(WORTH * size(weight.shape), SMALLEST)
