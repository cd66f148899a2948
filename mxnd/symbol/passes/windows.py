"""Convolution, activation, max pooling: the pooling first, and then as part of the convolution.

A function that never falls gives the same largest number before or after the windows, and after them there is less to do.
A convolution whose windows alone are read keeps only those: its full image exists for a few samples at a time, in the
cache, and backward knows the places.  Both run before the gradient is taken.

The values are those of the plain graph, up to the rounding of the function.  Where several inputs of a window give the
same result (tanh near 1), the gradient goes to the largest input instead of the first.  A window of nothing but NaN has the
lowest number of its type, of which the function is taken too; and softsign of an infinite largest number is NaN, which
the windows of the plain graph pass over."""
from ...ops.shapes import size
from ..graph import Step, Value
from ..memory import ITEM
from .recompute import cheap
from .rewrite import Replaced, mutated

DTYPES = ("float32", "float64")
FEWER = 2                                      # times fewer results, from which on waiting pays
IMAGE = 1 << 18                                # bytes of a sample's full image that stay in the cache


def _window(step):
    """(kernel, stride, pad) of a step that takes the largest number of every window, or None."""
    rule = getattr(step.op, "largest", None)
    if rule is None or step.mirror or step.outputs[0].dtype not in DTYPES:
        return None
    return rule(step.params, step.inputs[0].shape)


def _readers(graph, kept):
    count = {}
    for v in (*kept, *(v for s in graph.steps for v in s.inputs)):
        count[v] = count.get(v, 0) + 1
    return count


def _again(graph, step, x):
    """The step on another input; the shape of the result is worked out anew."""
    (shape,), (dtype,) = graph.inferred(step.op, (x,), step.params)
    copy = Step(step.op, step.params, (x,), step.name)
    copy.outputs = (Value(graph, tuple(shape), dtype, copy, 0),)
    return copy


def postpone(graph, kept):
    """Let rising functions wait until after the windows that read them; kept: values that the caller reads.
    Returns what stands for the values that are gone."""
    maker = {v: s for s in graph.steps for v in s.outputs}
    readers, new, steps = _readers(graph, kept), Replaced(), {}        # steps: a dictionary, for its order
    written = mutated((graph.steps,))                                  # what is read later may be another value then
    for step in graph.steps:
        new.rewire(step)
        steps[step] = True
        x, waiting = step.inputs[0] if step.inputs else None, []
        if _window(step) is not None and FEWER * size(step.outputs[0].shape) <= size(x.shape):
            while _waits(x, maker, readers) and written.isdisjoint((x, *maker[x].inputs)):
                waiting.append(maker[x])
                x = waiting[-1].inputs[0]
        if not waiting:
            continue
        for s in (*waiting, step):
            del steps[s]
        v = x
        for s in (step, *reversed(waiting)):
            copy = _again(graph, s, v)
            steps[copy] = True
            v = copy.outputs[0]
            maker[v], readers[v] = copy, 1
        readers[v] = readers.get(step.outputs[0], 0)
        new[step.outputs[0]] = v
    graph.steps = list(steps)
    return new


def _waits(v, maker, readers):
    """Whether the value is that of a rising function that only the windows read, and nothing is lost when it waits: a
    cheap function of an elementwise result costs nothing where it is."""
    step = maker.get(v)
    if step is None or readers.get(v) != 1 or not getattr(step.op, "rising", False) or step.mirror or len(step.outputs) > 1:
        return False
    before = maker.get(step.inputs[0])
    return not (cheap(step) and before is not None and before.op.family != "general")


def join_windows(graph, kept):
    """Let convolutions take in the windows that alone read them.  Returns what stands for the values that are gone."""
    maker = {v: s for s in graph.steps for v in s.outputs}
    readers, new, joined = _readers(graph, kept), Replaced(), {}
    written = mutated((graph.steps,))
    for step in graph.steps:
        window = _window(step)
        source = maker.get(step.inputs[0]) if window is not None else None
        if source is not None and _joins(source, step, readers) and written.isdisjoint((*step.inputs, *source.inputs)):
            joined[step] = source, window
    if not joined:
        return new
    gone = {source for source, _ in joined.values()}
    before, graph.steps = graph.steps, []
    for step in before:
        new.rewire(step)
        if step in joined:
            source, window = joined[step]
            graph.name = source.name
            new[step.outputs[0]] = source.op.windowed(source.params, source.inputs, window)
            graph.name = None
        elif step not in gone:
            graph.steps.append(step)
    return new


def _joins(source, step, readers):
    y = source.outputs[0]
    return getattr(source.op, "windowed", None) is not None and readers.get(y) == 1 and not source.mirror \
        and FEWER * size(step.outputs[0].shape) <= size(y.shape) and 0 < size(y.shape[1:]) * ITEM[y.dtype] <= IMAGE
