"""Puts elementwise steps of one shape together, so that they run as one pass over memory; reductions of what they make join.

A group runs at one place in the order.  A step joins the group that made one of its inputs, or that reads
the same input, when everything else it reads is ready by then; a group whose results nobody outside has
read yet may wait until it is."""
from functools import lru_cache

from .._core.graph_run import LIMITS, REDUCTIONS
from ..ops.declare import reduce_axes
from ..ops.shapes import size

DTYPES = ("float32", "float64")
LONG = 512                                 # elements of a result from which on a reduction over the last axes may join
MOST_STEPS, MOST_ARRAYS = LIMITS["steps"], LIMITS["arrays"]
SHORT = 32                                 # rows shorter than this are broadcast by the operators themselves


class Task:
    """What runs as one: a single step, or a fused group."""

    __slots__ = ("steps", "inputs", "outputs", "plan", "read", "written")

    def __init__(self, steps, inputs, outputs, plan=None, read=None, written=None):
        self.steps, self.inputs, self.outputs, self.plan, self.read, self.written = steps, inputs, outputs, plan, read, written

    @property
    def name(self):
        return ", ".join(s.name for s in self.steps if s.name)


def single(step):
    return Task([step], step.inputs, step.outputs)


def fusable(step, mutated):
    """Whether a step may be part of a group."""
    op = step.op
    if op.family not in ("unary", "binary", "scalar", "rscalar") or op.c is None or (op.family == "unary" and op.params):
        return False
    shape, dtype = step.outputs[0].shape, step.outputs[0].dtype
    if dtype not in DTYPES:
        return False
    for v in step.inputs:
        if v.dtype != dtype or v in mutated or v.shape != shape and row_length(v.shape, shape) < SHORT:
            return False
    return True


def reducible(step):
    """Whether a step is a reduction that may end a group: over all axes, or over the last ones where they are long."""
    if getattr(step.op, "reduction", None) not in REDUCTIONS or "axis" not in step.op.params:
        return False
    x, y = step.inputs[0], step.outputs[0]
    if x.dtype not in DTYPES or y.dtype != x.dtype or not size(x.shape):
        return False
    first = len(x.shape) - len(reduce_axes(step.params, len(x.shape)))
    return size(y.shape) == 1 or size(x.shape[first:]) >= LONG and size(x.shape[first:]) * size(y.shape) == size(x.shape) \
        and set(reduce_axes(step.params, len(x.shape))) == set(range(first, len(x.shape)))


def kept_shape(step):
    """The shape of a reduction's result with the axes kept."""
    drop = reduce_axes(step.params, len(step.inputs[0].shape))
    return tuple(1 if k in drop else n for k, n in enumerate(step.inputs[0].shape))


def row_length(shape, whole):
    """How many consecutive elements of the whole shape read consecutive (or one and the same) elements of the other."""
    shape = (1,) * (len(whole) - len(shape)) + shape
    n, repeats = 1, None
    for a, b in zip(reversed(shape), reversed(whole)):
        if b == 1:
            continue
        if repeats is not None and (a != b) != repeats:
            return n
        repeats = a != b
        n *= b
    return max(n, SHORT)                   # one row, however short


class _Group:
    __slots__ = ("steps", "shape", "dtype", "place", "inputs", "read_outside", "reduced")

    def __init__(self, step, place):
        out = step.outputs[0]
        self.steps, self.shape, self.dtype, self.place = [step], out.shape, out.dtype, place
        self.inputs = set(step.inputs)
        self.read_outside = False
        self.reduced = 0


def fuse(steps, needed, reduce=True):
    """Tasks in the order they run; needed: the values that later parts or the user read."""
    mutated = {v for s in steps for v in s.mutated()}
    group_of, place_of = {}, {}            # of a value: the group that makes it, or where a plain step does
    reader = {}                            # of a value: the last group that reads it
    groups, plain = [], []
    for now, step in enumerate(steps):
        made_in = {group_of[v] for v in step.inputs if v in group_of}
        joined = None
        if fusable(step, mutated):
            joined = _join(step, now, made_in, reader, group_of, place_of)
            if joined is None:
                joined = _Group(step, now)
                groups.append(joined)
        elif reduce and made_in and step.inputs[0] not in mutated and reducible(step) and _end(step, group_of):
            g = group_of[step.inputs[0]]
            place_of[step.outputs[0]] = g.place
            g.read_outside = True              # its result is ready when the whole group is
            continue
        for g in made_in:
            if g is not joined:
                g.read_outside = True
        if joined is None:
            plain.append((now, step))
            for v in step.outputs:
                place_of[v] = now
        else:
            group_of[step.outputs[0]] = joined
            for v in step.inputs:
                if v.shape == joined.shape and group_of.get(v) is not joined:
                    reader[v] = joined
    when = {id(s): k for k, s in enumerate(steps)}
    tasks = [(now, [single(step)]) for now, step in plain]
    users = _users(steps, needed)
    for g in groups:
        if g.steps:
            g.steps.sort(key=lambda s: when[id(s)])
            tasks.append((g.place, _emit(g.steps, users)))
    tasks.sort(key=lambda t: t[0])
    return [t for _, part in tasks for t in part]


def _end(step, group_of):
    """Let a reduction end the group that makes its input, where there is room."""
    g = group_of.get(step.inputs[0])
    if g is None or g.shape != step.inputs[0].shape or g.reduced == LIMITS["reduced"] or len(g.steps) >= LIMITS["steps"]:
        return False
    g.steps.append(step)
    g.reduced += 1
    return True


def _join(step, now, made_in, reader, group_of, place_of):
    """The group that a step can join, after joining it; None when there is none."""
    makers = _fitting(made_in, step.outputs[0])
    found = _join_one(step, now, makers, makers, group_of, place_of)
    if found is None:
        beside = {reader[v] for v in step.inputs if v in reader} - made_in
        found = _join_one(step, now, _fitting(beside, step.outputs[0]), makers, group_of, place_of)
    return found


def _fitting(groups, out):
    """Those groups that have room for a step with this result, the last ones first."""
    found = [g for g in groups if g.steps and g.shape == out.shape and g.dtype == out.dtype
             and len(g.steps) < MOST_STEPS and len(g.inputs) + len(g.steps) // 2 < MOST_ARRAYS]
    if len(found) > 1:
        found.sort(key=lambda g: -g.place)
    return found


def _join_one(step, now, groups, makers, group_of, place_of):
    """The first of the groups that the step can join; makers: those that make what it reads."""
    for g in groups:
        ready = -1
        for v in step.inputs:
            if v in group_of and group_of[v] is not g:
                ready = max(ready, group_of[v].place)
            elif v in place_of:
                ready = max(ready, place_of[v])
        if ready < g.place:
            pass
        elif not g.read_outside:
            g.place = now
        else:
            continue
        g.steps.append(step)
        g.inputs.update(step.inputs)
        for other in makers:               # groups that only this step reads come along
            if other is not g and not other.read_outside and other.place < g.place and other.steps \
                    and len(g.steps) + len(other.steps) <= LIMITS["steps"]:
                for s in other.steps:
                    group_of[s.outputs[0]] = g
                g.steps += other.steps
                g.inputs |= other.inputs
                other.steps = []
        return g
    return None


def _users(steps, needed):
    users = {v: [None] for v in needed}
    for s in steps:
        for v in s.inputs:
            if v in users:
                users[v].append(s)
            else:
                users[v] = [s]
    return users


def _emit(steps, users):
    """Tasks of a group: one, or several where it is too large for one."""
    if len(steps) < 2:
        return list(map(single, steps))
    task = _encode(steps, users)
    if task is not None:
        return [task]
    ends = [s for s in steps if s.op.family == "general"]
    steps = [s for s in steps if s.op.family != "general"]
    half = len(steps) // 2
    return _emit(steps[:half], users) + _emit(steps[half:], users) + list(map(single, ends))


def _encode(steps, users):
    """The group as a program for `graph_run.Fused`, or None when it is too large."""
    inside = set(steps)
    ends = [s for s in steps if s.op.family == "general"]          # reductions
    steps = [s for s in steps if s.op.family != "general"]
    made = {s.outputs[0] for s in steps}
    inputs = list(dict.fromkeys(v for s in steps for v in s.inputs if v not in made))
    outputs = [s.outputs[0] for s in steps if not inside.issuperset(users.get(s.outputs[0], ()))]
    if len(inputs) + len(outputs) + len(ends) > LIMITS["arrays"] or len(steps) > LIMITS["steps"]:
        return None
    where = {v: ("array", k) for k, v in enumerate((*inputs, *outputs))}
    results = [s.outputs[0] for s in ends]
    last, first_write = {}, {}
    for k, s in enumerate(steps):
        for v in s.inputs:
            last[v] = k
        first_write[s.outputs[0]] = k
    last.update((s.inputs[0], len(steps)) for s in ends)           # at the end of a block
    first_write.update(dict.fromkeys(results, -1))
    free, count, constants, rows = [], 0, 0, []
    for k, s in enumerate(steps):
        v, w = s.inputs[0], s.inputs[-1]
        a, b, family = where[v], where[w], s.op.family
        if last[v] == k and a[0] == "temporary":
            free.append(a[1])
        if w is not v and last[w] == k and b[0] == "temporary":
            free.append(b[1])
        if family == "scalar":
            b = float(s.params[0])
            constants += 1
        elif family == "rscalar":
            a, b = float(s.params[0]), a
            constants += 1
        elif family == "unary":
            b = None
        out = s.outputs[0]
        if out not in where:
            if not free:
                free.append(count)
                count += 1
            where[out] = ("temporary", free.pop())
        rows.append((s.op, a, b, where[out]))
    if count > LIMITS["temporaries"] or constants > LIMITS["constants"]:
        return None
    whole = steps[0].outputs[0].shape
    dims, strides = loops(whole, (*(v.shape for v in (*inputs, *outputs)), *map(kept_shape, ends)))
    first = len(inputs) + len(outputs)
    reduced = [(s.op.reduction, where[s.inputs[0]], first + k, size(whole) / size(v.shape) if s.op.reduction == "mean" else 1.0)
               for k, (s, v) in enumerate(zip(ends, results))]
    return Task([*steps, *ends], inputs, [*outputs, *results], (rows, steps[0].outputs[0].dtype, dims, strides, reduced),
                last, first_write)


@lru_cache(1000)
def loops(whole, shapes):
    """(lengths of the loops, strides per array): neighbouring axes that all arrays treat alike become one loop."""
    axes = []                              # (length, stride of every array)
    padded = [(1,) * (len(whole) - len(s)) + tuple(s) for s in shapes]
    steps = [1] * len(shapes)
    for d in range(len(whole) - 1, -1, -1):
        n = whole[d]
        here = []
        for k, s in enumerate(padded):
            here.append(steps[k] if s[d] == n and n > 1 else 0)
            steps[k] *= s[d]
        if n == 1:
            continue
        if axes:
            length, inner = axes[-1]
            if all(b == a * length for a, b in zip(inner, here)):
                axes[-1] = (length * n, inner)
                continue
        axes.append((n, here))
    if not axes:
        axes.append((size(whole), [0] * len(shapes)))
    axes.reverse()
    return tuple(n for n, _ in axes), [[strides[k] for _, strides in axes] for k in range(len(shapes))]
