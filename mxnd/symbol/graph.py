"""The graph that an executor works on: values with known shapes, made by steps in the order they run."""
from ..ops.declare import Arithmetic
from ..ops.errors import MXNetError
from ..ops.shapes import known
from . import infer


class Unplannable(Exception):
    """A graph whose shapes are known only while it runs."""


class Value(Arithmetic):
    """One array of a graph, before it exists.  Formulas of gradients take these for arrays."""

    __slots__ = ("graph", "shape", "dtype", "step", "index")

    def __init__(self, graph, shape, dtype, step=None, index=0):
        self.graph, self.shape, self.dtype, self.step, self.index = graph, shape, dtype, step, index

    def __repr__(self):
        return f"<value {self.shape} {self.dtype} of {self.step}>"

    def _apply(self, op, inputs, params):
        return self.graph.apply(op, inputs, params)


class Step:
    """One operator on values; name is that of the symbol's node, or None in gradients; mirror: backward makes it again."""

    __slots__ = ("op", "params", "inputs", "outputs", "name", "mirror")

    def __init__(self, op, params, inputs, name):
        self.op, self.params, self.inputs, self.name = op, params, inputs, name
        self.mirror = False

    def __repr__(self):
        return f"<step {self.op.name} {self.name or ''}>"

    def mutated(self):
        """The values that this step writes in place."""
        if not self.op.mutates:
            return []
        names = self.op.input_names(self.params, len(self.inputs))
        return [v for n, v in zip(names, self.inputs) if n in self.op.mutates]


class Graph:
    """Steps in the order they run; expand: put formulas in the place of all operators that have one."""

    def __init__(self, expand=False):
        self.steps = []
        self.name, self.mirror = None, False           # of the steps to come
        self.expand = expand
        self.known = {}

    def value(self, shape, dtype):
        """A value that comes from outside."""
        return Value(self, shape, dtype)

    def apply(self, op, inputs, params):
        """Run an operator on values; a formula's operators come here."""
        step = self.add(op, inputs, params)
        count = op.visible_outputs(params)
        outputs = step.outputs if isinstance(step, Step) else step
        return outputs[0] if count == 1 else list(outputs[:count])

    def inferred(self, op, inputs, params):
        """Shapes and dtypes of the outputs; graphs ask for the same ones many times."""
        key = op, params, tuple([v.shape for v in inputs]), tuple([v.dtype for v in inputs])
        try:
            found = self.known.get(key)
        except TypeError:                              # a list among the parameters
            key = found = None
        if found is None:
            _, shapes = op.infer_shapes(params, [v.shape for v in inputs])
            _, types = op.infer_types(params, [v.dtype for v in inputs])
            if None in types or not all(map(known, shapes)):
                raise Unplannable
            found = shapes, types
            if key is not None:
                self.known[key] = found
        return found

    def add(self, op, inputs, params, shapes=None, types=None):
        """Append a step; returns it, or a list of the outputs of the formula that stands for the operator."""
        for v in inputs:
            if not isinstance(v, Value):
                raise TypeError(f"{op.name}: a formula gave {type(v).__name__} where an array belongs")
        if op.compose is not None and (self.expand or op.grad is None):
            got = op.formula_of(params, inputs)
            return list(got) if isinstance(got, (list, tuple)) else [got]
        if shapes is None:
            shapes, types = self.inferred(op, inputs, params)
        elif None in types or not all(map(known, shapes)):
            raise Unplannable
        step = Step(op, params, tuple(inputs), self.name)
        step.mirror = self.mirror
        step.outputs = tuple(Value(self, tuple(s), t, step, k) for k, (s, t) in enumerate(zip(shapes, types)))
        self.steps.append(step)
        return step


def build(nodes, slots, shapes, types, mirror=None):
    """(graph, {id of node: its values}) of a symbol whose shapes and dtypes were inferred;
    mirror(node): whether backward makes the node's results again."""
    graph = Graph()
    values = {}
    for node in nodes:
        first = slots.first[id(node)]
        here = range(first, first + len(node.outputs))
        if node.op is None:
            if not known(shapes[first]) or types[first] is None:
                raise MXNetError(f"bind: shape or dtype of {node.name!r} is not known")
            values[id(node)] = [graph.value(shapes[first], types[first])]
            continue
        graph.name, graph.mirror = node.name, mirror is not None and mirror(node)
        inputs = [values[id(n)][i] for n, i in node.inputs]
        p = infer.params_for(node, shapes[first], types[first])
        step = graph.add(node.op, inputs, p, [shapes[s] for s in here], [types[s] for s in here])
        values[id(node)] = list(step.outputs) if isinstance(step, Step) else step
    graph.name, graph.mirror = None, False
    return graph, values


def written_arguments(op, params, count):
    """Positions of the inputs that are no auxiliary states, and that an operator of a network writes in its forward pass."""
    if op.grad is None or not op.mutates:
        return []
    states = op.state_names(params)
    return [k for k, n in enumerate(op.input_names(params, count)) if n in op.mutates and n not in states]


def live(steps, wanted):
    """The steps that the wanted values need, those that write an auxiliary state, and those that draw random numbers: others
    that follow would draw different ones."""
    needed, kept = set(wanted), []
    for step in reversed(steps):
        if step.op.mutates or step.op.random or any(v in needed for v in step.outputs):
            needed.update(step.inputs)
            kept.append(step)
    return kept[::-1]


def lowered(parts):
    """The parts (lists of steps) with formulas in the place of the operators that were kept whole for their gradient;
    and {value: what stands for it now}."""
    if not any(s.op.compose is not None for steps in parts for s in steps):
        return parts, {}
    new, out = {}, []
    for steps in parts:
        graph = Graph(expand=True)
        for step in steps:
            inputs = tuple(new.get(v, v) for v in step.inputs)
            if step.op.compose is None:
                copy = Step(step.op, step.params, inputs, step.name)
                copy.outputs, copy.mirror = step.outputs, step.mirror
                graph.steps.append(copy)
                continue
            graph.name, graph.mirror = step.name, step.mirror
            inside = [Value(graph, v.shape, v.dtype) for v in inputs]
            outside = dict(zip(inside, inputs))
            start = len(graph.steps)
            made = graph.add(step.op, inside, step.params)
            for s in graph.steps[start:]:
                s.inputs = tuple(outside.get(v, v) for v in s.inputs)
            new.update((old, outside.get(v, v)) for old, v in zip(step.outputs, made))
        out.append(graph.steps)
    return out, new


def forward_inference(nodes, arrays):
    """(slots, shapes, types) of a symbol's nodes; arrays: {id of variable node: array}."""
    slots, shapes = infer.shapes(nodes, {k: tuple(a.shape) for k, a in arrays.items()})
    infer.settled(slots, shapes)
    _, types = infer.types(nodes, {k: a._dtype_name for k, a in arrays.items()}, slots=slots)
    return slots, shapes, types
