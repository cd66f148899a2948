"""The Symbol of a recorded computation, for `autograd.get_symbol`."""
from .._core import tape
from ..ops.errors import MXNetError
from ..ops.params import text_of
from .node import Node
from .symbol import Symbol


class Recorded:
    """An output in the graph being made.  Operators that are not MXNet's are written as formulas of these."""

    __slots__ = ("graph", "node", "index")

    def __init__(self, graph, node, index):
        self.graph, self.node, self.index = graph, node, index

    def _apply(self, op, inputs, params):
        return self.graph.add(op, params, inputs)


class Graph:
    """Nodes named as MXNet names them: var0 for attached arrays, null0 for others, node_0 for operators."""

    def __init__(self):
        self.counts = {"var": 0, "null": 0, "node_": 0}

    def name(self, kind):
        n = self.counts[kind]
        self.counts[kind] += 1
        return f"{kind}{n}"

    def variable(self, kind):
        return Recorded(self, Node(None, self.name(kind)), 0)

    def add(self, op, params, inputs):
        public = getattr(op, "public", None)
        got = NotImplemented if public is None else public(params, *inputs)
        if got is not NotImplemented:
            return got
        node = Node(op, self.name("node_"), _texts(op, params), tuple((x.node, x.index) for x in inputs))
        return Recorded(self, node, 0)


def symbol_of(x):
    """A symbol of the operators that made x; arrays that were not recorded, and leaves, are variables."""
    graph, made, calls = Graph(), {}, {}            # made: recorded output or array -> Recorded
    stack = [x]
    while stack:
        y = stack[-1]
        key = _key(y)
        if key in made:
            stack.pop()
            continue
        if key not in calls:                        # kept: the tape gives other objects each time
            calls[key] = tape.recorded(y) or (None, (), (), 0)
        op, inputs, params, _ = calls[key]
        waiting = [i for i in inputs if _key(i) not in made]
        if waiting:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        if op is None:
            made[key] = graph.variable("var" if tape.node_id(y) else "null")
        elif op.name == "_custom_function":
            raise MXNetError("get_symbol: the computation contains a Function, which has no symbol")
        else:
            made[key] = graph.add(op, params, [_output(made[_key(i)], i) for i in inputs])
    end = _output(made[_key(x)], x)
    return Symbol(((end.node, end.index),))


def _output(made, x):
    """The output of a node that x is."""
    found = tape.node_id(x)
    return made if found is None or found[1] == 0 else Recorded(made.graph, made.node, found[1])


def _key(x):
    found = tape.node_id(x)
    return ("array", id(x)) if found is None else found[0]


def _texts(op, params):
    """Parameters that differ from their defaults, as text; the number of an operator with a scalar always."""
    if op.open_params:
        return params.texts()
    return {k: text_of(float(v) if k == "scalar" else v, p.kind) for (k, p), v in zip(op.params.items(), params or ())
            if p.required or v != p.default or k == "scalar"}
