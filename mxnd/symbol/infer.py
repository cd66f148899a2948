"""What is known of shapes, dtypes and storage, spread over a whole graph in both directions."""
from collections import deque

from .._core.array import elements_are_scalars
from ..ops.errors import MXNetError
from ..ops.params import DTYPES, FILE_CODES
from ..ops.shapes import known, show, unify
from .node import order

FEW = 32                                 # inputs that are tried one by one to tell which of them is wrong
NAMES = {code: name for name, code in FILE_CODES.items()}


class Slots:
    """Numbers for all outputs of a list of nodes."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.first = {}
        n = 0
        for node in nodes:
            self.first[id(node)] = n
            n += len(node.outputs)
        self.count = n
        self._around = None

    def around(self):
        """(slots of the inputs, slots of the outputs) of every node, and for every slot the nodes around it."""
        if self._around is None:
            first = self.first
            inputs = [[first[id(n)] + i for n, i in node.inputs] for node in self.nodes]
            outputs = [range(s, s + len(node.outputs)) for s, node in zip(first.values(), self.nodes)]
            touches = [[] for _ in range(self.count)]
            for k, node in enumerate(self.nodes):
                if node.op is not None:
                    for s in inputs[k]:
                        touches[s].append(k)
                    for s in outputs[k]:
                        touches[s].append(k)
            self._around = inputs, outputs, touches
        return self._around

    def of(self, entry):
        return self.first[id(entry[0])] + entry[1]


class Spread:
    """Values (one per slot, None or partial where unknown) completed by the operators' rules.

    A node is asked again whenever something at its inputs or outputs became known, so the work is in
    proportion to what is learnt.  rule(node, ins, outs) -> (ins, outs); merge(old, new, node, what, number)."""

    def __init__(self, slots, values, rule, merge):
        self.values, self.rule, self.merge = values, rule, merge
        self.nodes = nodes = slots.nodes
        self.inputs, self.outputs, self.touches = slots.around()
        self.run(k for k, n in enumerate(nodes) if n.op is not None)

    def run(self, todo):
        """Ask these nodes, then all that the answers concern."""
        values = self.values
        todo = deque(todo)
        waiting = set(todo)
        while todo:
            k = todo.popleft()
            waiting.discard(k)
            node = self.nodes[k]
            ins, outs = self.inputs[k], self.outputs[k]
            got = self.rule(node, [values[s] for s in ins], [values[s] for s in outs])
            for where, new_values, what in ((ins, got[0], "input"), (outs, got[1], "output")):
                for i, (s, new) in enumerate(zip(where, new_values)):
                    old = values[s]
                    if new is None or new == old:
                        continue
                    new = self.merge(old, new, node, what, i)
                    if new == old:
                        continue
                    values[s] = new
                    for other in self.touches[s]:
                        if other != k and other not in waiting:
                            waiting.add(other)
                            todo.append(other)

    def set(self, slot, value):
        """Give one slot a value, and draw the conclusions."""
        self.values[slot] = value
        self.run(self.touches[slot])


# ---- shapes ---------------------------------------------------------------------------------------

def edge_shape(shape):
    """A shape as users give it to a symbol: 0 (or -1) stands for an unknown dimension, () for nothing known."""
    if shape is None:
        return None
    if elements_are_scalars():                                 # np_shape: 0 and () are real, -1 is unknown
        return tuple(None if v is None or v < 0 else int(v) for v in shape)
    if len(shape) == 0:
        return None
    return tuple(None if v is None or v <= 0 else int(v) for v in shape)


def shown_shape(shape):
    """The opposite: unknown dimensions as 0, nothing known as ()."""
    if elements_are_scalars():
        return None if shape is None else tuple(-1 if v is None else v for v in shape)
    return () if shape is None else tuple(0 if v is None else v for v in shape)


def shapes(nodes, given, outs=None):
    """(slots, shape per slot); given: {id of variable node: shape with None for the unknown}; outs: {entry: shape}."""
    slots = Slots(nodes)
    values = [None] * slots.count
    for node in nodes:
        if node.op is None:
            shape = given.get(id(node))
            if shape is None and "__shape__" in node.attrs:
                shape = edge_shape(_shape_from_text(node))
            values[slots.first[id(node)]] = shape
    _know(slots, values, outs, unify)
    return slots, Spread(slots, values, _shape_rule, _shape_merge).values


def _open(node):
    """Whether a node makes an array whose size others decide, in part at least: zeros((0, 4)) for any batch."""
    return getattr(node.op, "zero_is_unknown", False) and 0 in (node.params.shape or ()) and not elements_are_scalars()


def settled(slots, values):
    """The shapes with 0 as it stands for what nobody has decided."""
    left = [(n, slots.first[id(n)]) for n in slots.nodes if n.op is not None and _open(n)]
    if all(known(values[s]) for _, s in left):
        return values
    work = Spread(slots, values, _shape_rule, _shape_merge)
    for _, s in left:
        if not known(values[s]):
            work.set(s, tuple(v or 0 for v in values[s]))
    return values


def params_for(node, shape, dtype=None):
    """A node's parameters, with what was found out of its shape and of a dtype that others decided."""
    p = node.params
    if _open(node) and known(shape):
        p = p._replace(shape=tuple(shape))
    if dtype is not None and node.op.presumed is not None and getattr(p, "dtype", "") in (None, -1):
        p = p._replace(dtype=dtype if p.dtype is None else FILE_CODES[dtype])
    return p


def _know(slots, values, outs, join):
    """Enter what is known of outputs."""
    for entry, value in (outs or {}).items():
        if value is not None:
            values[slots.of(entry)] = join(values[slots.of(entry)], value)


def _shape_from_text(node):
    text = node.attrs["__shape__"]
    inner = text.strip("()[] ")
    try:
        return tuple(int(t) for t in inner.replace("L", "").split(",") if t.strip() and t.strip() != "None")
    except ValueError:
        raise MXNetError(f"variable {node.name!r}: __shape__: expected a tuple of whole numbers, got {text!r:.60}") from None


def _shape_rule(node, ins, outs):
    if node.subgraphs:
        from . import subgraph
        return subgraph.shapes(node, ins, outs)
    try:
        if _open(node):
            node.op.shapes(node.params, [], [None])
            return (), [unify(outs[0], tuple(n or None for n in node.params.shape))]
        return node.op.shapes(node.params, list(ins), list(outs))
    except (ValueError, IndexError, OverflowError) as e:
        if getattr(e, "from_user", False):         # raised by a custom operator's own code
            raise
        raise MXNetError(f"{_title(node)}: {_conflict(node.op.shapes, node, ins, outs, 'shape', show) or told(node, e, ins, outs)}"
                         ) from None


def told(node, e, ins, outs=(), show=show):
    """An error together with what is known of the inputs and outputs, with the names of where they come from."""
    parts = [f"{n!r} ({source(entry)}) {show(v)}" for n, entry, v in zip(node.input_names(), node.inputs, ins) if v is not None]
    parts += [f"output {node.output_name(i)} {show(v)}" for i, v in enumerate(outs) if v is not None]
    return f"{e}; known: {', '.join(parts)}" if parts else str(e)


def _conflict(rule, node, ins, outs, what, show):
    """Which known input disagrees with the others, or which output with what the inputs give, in words; None when that
    cannot be said."""
    def without(values, i):
        return [None if k == i else v for k, v in enumerate(values)]

    def asked(ins, outs):
        try:
            return rule(node.params, ins, outs)
        except (ValueError, IndexError, OverflowError):
            return None
    def first():
        """The number of the first input that does not go with those before it, by bisection."""
        low, high = 0, len(ins)
        while low < high:
            middle = (low + high) // 2
            if asked([*ins[:middle + 1], *[None] * (len(ins) - middle - 1)], list(outs)) is None:
                high = middle
            else:
                low = middle + 1
        return [low] if low < len(ins) else []
    names = node.input_names()
    for i in reversed(range(len(ins))) if len(ins) <= FEW else first():
        value = ins[i]
        got = None if value is None else asked(without(ins, i), list(outs))
        if got and got[0][i] not in (None, value):
            return f"input {names[i]!r} ({source(node.inputs[i])}) has {what} {show(value)}; expected {show(got[0][i])}"
    for i, value in enumerate(outs):
        got = None if value is None else asked(list(ins), without(outs, i))
        if got and got[1][i] not in (None, value):
            text = f"output {node.output_name(i)!r} has {what} {show(got[1][i])}; expected {show(value)}"
            return told(node, text, ins, without(outs, i), show)
    return None


def source(entry):
    """Where an input comes from, by name."""
    return entry[0].output_name(entry[1])


def _title(node):
    return f"{node.op.name} {node.name!r}"


def _shape_merge(old, new, node, what, i):
    try:
        return unify(old, new)
    except ValueError:
        raise MXNetError(f"{_title(node)}: {what} {_named(node, what, i)} has shape {show(old)}; expected {show(new)}") from None


def _named(node, what, i):
    """An input's name and where it comes from, or an output's name."""
    return f"{node.input_names()[i]!r} ({source(node.inputs[i])})" if what == "input" else repr(node.output_name(i))


# ---- dtypes ---------------------------------------------------------------------------------------

def types(nodes, given, fill=None, outs=None, slots=None, presume=True):
    """(slots, dtype name per slot); fill: the dtype of variables that nothing else decides; outs: {entry: dtype};
    slots: of the same nodes; presume: whether operators say what is usual where nothing is known."""
    slots = slots or Slots(nodes)
    values = [None] * slots.count
    for node in nodes:
        if node.op is None:
            name = given.get(id(node))
            if name is None and "__dtype__" in node.attrs:
                name = _dtype_from_text(node.attrs["__dtype__"])
            values[slots.first[id(node)]] = name
    _know(slots, values, outs, lambda a, b: b if a is None else a)
    work = Spread(slots, values, _type_rule, _type_merge)
    if presume:
        for node in nodes:
            if node.op is not None and node.op.presumed is not None:
                _presume(work, slots, node)
    if fill is not None:
        for node in nodes:
            if node.op is None and values[slots.first[id(node)]] is None:
                work.set(slots.first[id(node)], fill)
    return slots, values


def _presume(work, slots, node):
    places = [slots.of(e) for e in node.inputs], range(slots.first[id(node)], slots.first[id(node)] + len(node.outputs))
    ins, outs = ([work.values[s] for s in where] for where in places)
    if None in ins or None in outs:
        for where, new in zip(places, node.op.presumed(node.params, ins, outs)):
            for s, value in zip(where, new):
                if value is not None and work.values[s] is None:
                    work.set(s, value)


def _dtype_from_text(text):
    if text in DTYPES:
        return text
    try:
        return NAMES.get(int(text))
    except ValueError:
        return None


def _type_rule(node, ins, outs):
    if node.subgraphs:
        from . import subgraph
        return subgraph.types(node, ins, outs)
    try:
        return node.op.types(node.params, list(ins), list(outs))
    except ValueError as e:
        if getattr(e, "from_user", False):
            raise
        raise MXNetError(f"{_title(node)}: {_conflict(node.op.types, node, ins, outs, 'dtype', str) or told(node, e, ins, outs, str)}"
                         ) from None


def _type_merge(old, new, node, what, i):
    if old is None or old == new:
        return new
    raise MXNetError(f"{_title(node)}: {what} {_named(node, what, i)} has dtype {old}; expected {new}")


# ---- for the methods of Symbol --------------------------------------------------------------------

def parts(symbol, slots, values):
    """The values of the arguments, of the outputs and of the auxiliary states."""
    from .node import auxiliary
    aux = auxiliary(slots.nodes)
    variables = [n for n in slots.nodes if n.op is None]
    return ([values[slots.first[id(n)]] for n in variables if id(n) not in aux],
            [values[slots.of(e)] for e in symbol._entries],
            [values[slots.first[id(n)]] for n in variables if id(n) in aux])


def by_argument(symbol, args, kwargs, what):
    """(nodes, {id of variable: value given}) from the arguments of infer_shape and infer_type."""
    from .node import auxiliary
    if args and kwargs:
        raise ValueError(f"infer_{what}: give the {what}s by position or by name, not both")
    nodes = order(symbol._entries)
    aux = auxiliary(nodes)
    variables = [n for n in nodes if n.op is None]
    if args:
        arguments = [n for n in variables if id(n) not in aux]
        if len(args) > len(arguments):
            raise MXNetError(f"infer_{what}: expected at most {len(arguments)} {what}s, got {len(args)}")
        return nodes, {id(n): v for n, v in zip(arguments, args)}
    named = {}
    for n in variables:
        named.setdefault(n.name, []).append(n)
    for key in kwargs:
        if key not in named:
            raise MXNetError(f"infer_{what}: there is no argument {key!r}; expected one of {', '.join(named)}")
    return nodes, {id(n): kwargs[key] for key in kwargs for n in named[key]}


def complete(values):
    return all(known(v) for v in values)
