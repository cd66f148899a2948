"""The Symbol of a recorded computation, for `autograd.get_symbol`."""
from .._core import tape
from .node import Node
from .symbol import Symbol


def symbol_of(x):
    """A symbol of the operators that made x; arrays that were not recorded, and leaves, are variables."""
    made = {}                                       # recorded output or array -> graph node
    stack = [x]
    while stack:
        y = stack[-1]
        key = _key(y)
        if key in made:
            stack.pop()
            continue
        op, inputs, params, _ = tape.recorded(y) or (None, (), (), 0)
        waiting = [i for i in inputs if _key(i) not in made]
        if waiting:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        if op is None:
            made[key] = Node(None, f"var{len(made)}")
        else:
            entries = tuple((made[_key(i)], _slot(i)) for i in inputs)
            made[key] = Node(op, f"node_{len(made)}", _texts(op, params), entries)
    return Symbol(((made[_key(x)], _slot(x)),))


def _key(x):
    found = tape.node_id(x)
    return ("array", id(x)) if found is None else found[0]


def _slot(x):
    found = tape.node_id(x)
    return 0 if found is None else found[1]


def _texts(op, params):
    """Parameters that differ from their defaults, as text."""
    if op.open_params:
        return params.texts()
    return {k: str(v) for (k, p), v in zip(op.params.items(), params or ()) if p.required or v != p.default}
