"""Graphs inside the nodes of loops and branches: cutting them out, checking, inferring and running them."""
from functools import partial

from .._core import call as _call
from ..ops.control import Shapes, Types
from ..ops.declare import F
from ..ops.errors import MXNetError
from ..ops.shapes import show
from . import infer
from .node import Node, entry, order, version

KEY = "__subgraph_name__"                # the attribute that tells which graph a node was made for


def cut(entries, name, holders):
    """The part of a graph that was made under a name.

    holders: {id of variable: its number} for the variables that stand for what the loop gives.  Returns
    (entries, sources): for every variable of the part, in their order, either its number or the entry outside
    that it stands for."""
    def inside(node):
        return node.attrs.get(KEY) == name
    new, outside, sources = {}, {}, {}
    for node in order(entries, inside):
        if not inside(node):
            continue
        copy = new[id(node)] = node.copy(())
        if node.op is None:
            given = holders.get(id(node))
            # a variable made inside belongs to the part: outside a copy of it becomes the input
            sources[id(copy)] = (node.copy(()), 0) if given is None else given
            continue
        inputs = []
        for pair in node.inputs:
            n, i = pair
            if id(n) in new:
                inputs.append(entry(new[id(n)], i, version(pair)))
                continue
            if (id(n), i) not in outside:
                stand_in = outside[id(n), i] = Node(None, n.output_name(i))
                sources[id(stand_in)] = (n, i)
            inputs.append((outside[id(n), i], 0))
        copy.inputs = tuple(inputs)
    part = tuple((new[id(n)], i) for n, i in entries)
    return part, [sources[id(n)] for n in order(part) if n.op is None]


def variables(graph):
    """The inputs of a graph, in their order."""
    return [n for n in order(graph._entries) if n.op is None]


def check(node):
    """Raise MXNetError unless a node's graphs fit its parameters and inputs."""
    op, graphs = node.op, node.subgraphs or ()
    if len(graphs) != op.graphs:
        raise MXNetError(f"{op.name} {node.name!r}: expected {op.graphs} graphs inside, got {len(graphs)}")
    if node.params.num_args != len(node.inputs) + op.graphs:
        raise MXNetError(f"{op.name} {node.name!r}: num_args: expected {len(node.inputs) + op.graphs} (inputs and graphs), "
                         f"got {node.params.num_args}")
    try:
        op.check(node.params, len(node.inputs), [(len(variables(g)), len(g._entries)) for g in graphs])
    except ValueError as e:
        raise MXNetError(f"{op.name} {node.name!r}: {e}") from None


# ---- inference ------------------------------------------------------------------------------------

def shapes(node, ins, outs):
    """Completed shapes of the inputs and outputs of a node that holds graphs."""
    return _spread(node, ins, outs, Shapes, infer.shapes)


def types(node, ins, outs):
    """The same for dtypes."""
    return _spread(node, ins, outs, Types, partial(infer.types, presume=False))


def _spread(node, ins, outs, rule, find):
    def inner(graph):
        nodes = order(graph._entries)
        names = [n for n in nodes if n.op is None]

        def complete(given, wanted):
            slots, values = find(nodes, {id(n): v for n, v in zip(names, given)}, outs=dict(zip(graph._entries, wanted)))
            return [values[slots.first[id(n)]] for n in names], [values[slots.of(e)] for e in graph._entries]
        return complete
    try:
        return node.op.spread(node.params, [inner(g) for g in node.subgraphs], ins, outs, rule)
    except MXNetError as e:
        raise MXNetError(f"inside {node.op.name} {node.name!r}: {e}") from None
    except ValueError as e:
        raise MXNetError(f"{node.op.name} {node.name!r}: {infer.told(node, e, ins, outs, show if rule is Shapes else str)}") from None
    except RecursionError:
        raise MXNetError(f"{node.op.name} {node.name!r}: too many loops or branches inside each other") from None


# ---- running --------------------------------------------------------------------------------------

class Runner:
    """A graph to be called on arrays, step by step; it is recorded like any other code.

    Values have numbers; a step is (node, core or the runners inside, parameters, numbers of inputs, the first of the outputs,
    numbers of what nobody needs any more)."""

    def __init__(self, graph, where):
        self.where = where
        nodes = order(graph._entries)
        slots = infer.Slots(nodes)
        self.count = slots.count
        self.variables = [slots.first[id(n)] for n in nodes if n.op is None]
        self.results = [slots.of(e) for e in graph._entries]
        last = {}                                  # where a value is read for the last time
        steps = [(n, [slots.of(e) for e in n.inputs]) for n in nodes if n.op is not None]
        for k, (_, inputs) in enumerate(steps):
            last.update((s, k) for s in inputs)
        kept = {*self.results, *self.variables}
        self.steps = []
        for k, (node, inputs) in enumerate(steps):
            first = slots.first[id(node)]
            outs = range(first, first + len(node.outputs))
            over = tuple(dict.fromkeys(s for s in (*inputs, *outs) if last.get(s, k) == k and s not in kept))
            core = runners(node) if node.subgraphs else node.op.core
            self.steps.append((node, core, node.op.bound(node.params), tuple(inputs), first, over))

    def __call__(self, *arrays):
        values = [None] * self.count
        for s, a in zip(self.variables, arrays, strict=True):
            values[s] = a
        invoke = _call.invoke
        node = None
        try:
            for node, core, params, inputs, first, over in self.steps:
                given = tuple([values[s] for s in inputs])
                got = run_graphs(node, given, core) if type(core) is list else invoke(core, given, params, None, True)
                if type(got) is list:
                    values[first:first + len(got)] = got
                else:
                    values[first] = got
                for s in over:
                    values[s] = None
        except (MXNetError, IndexError, ValueError, TypeError, AssertionError) as e:
            e.add_note(f"in node {node.name!r}")
            raise
        return [values[s] for s in self.results]

    def truth(self, *arrays):
        """The one value of the graph as yes or no."""
        was = _call.set_recording(False)
        try:
            y, = self(*arrays)
        finally:
            _call.set_recording(was)
        if y.size != 1:
            raise MXNetError(f"{self.where}: the condition has a wrong shape; expected one element, got {y.shape}")
        return bool(y.asnumpy().reshape(-1)[0])


def runners(node):
    """The graphs of a node, ready to run."""
    where = f"{node.op.name} {node.name!r}"
    return [Runner(g, where) for g in node.subgraphs]


def run_graphs(node, inputs, graphs=None):
    """The outputs of a loop or branch on arrays."""
    def zeros(k):
        from ..ndarray.create import zeros as make
        unknown = [None] * len(node.outputs)
        _, found = shapes(node, [x.shape for x in inputs], unknown)
        _, kinds = types(node, [x._dtype_name for x in inputs], unknown)
        return make(found[k], ctx=inputs[0].context, dtype=kinds[k])
    got = node.op.run(node.params, graphs or runners(node), inputs, zeros)
    return [F._copy(y) if any(y is x for x in inputs) else y for y in got]      # a state that no step changed
