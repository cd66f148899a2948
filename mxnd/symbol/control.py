"""Loops and branches in graphs: `mx.sym.contrib.foreach`, `while_loop` and `cond`."""
from collections import Counter

from ..attributes import AttrScope
from ..names import NameManager
from ..ops.declare import REGISTRY
from ..ops.params import text_of
from ..structure import flat as _flat
from ..structure import grouped, iterations, listed
from .compose import as_attributes
from .node import Node
from .subgraph import KEY, check, cut
from .symbol import Symbol, apply

__all__ = ["cond", "foreach", "while_loop"]
_used = Counter()                        # how often a name was taken for a graph inside another one


def foreach(body, data, init_states, name="foreach"):
    """A loop over the first axis of the data, as one node of the graph.

    Parameters
    ----------
    body : callable
        body(row, states) -> (outputs, new states); called once, with variables, to make the graph of one step.
    data : Symbol or nested list of Symbol
        What to walk through; body gets rows in the same structure.
    init_states : Symbol or nested list of Symbol
        The states before the first step; body gives back the same structure.
    name : str, default 'foreach'

    Returns
    -------
    outputs : Symbol or nested list of Symbol
        What body gave, stacked along a new first axis.
    states : Symbol or nested list of Symbol
        The states after the last step.

    Examples
    --------
    >>> x, s = mx.sym.var("x"), mx.sym.var("s")
    >>> sums, last = mx.sym.contrib.foreach(lambda row, total: (row + total, row + total), x, s)
    >>> sums.eval(x=mx.nd.array([[1], [2], [3]]), s=mx.nd.array([0]))[0].asnumpy().ravel()
    array([1., 3., 6.], dtype=float32)
    """
    data, data_form = flat(data, "foreach input")
    states, state_form = flat(init_states, "foreach states")
    part = _Part(name, (data, states))
    with part:
        rows, before = part.holders[:len(data)], part.holders[len(data):]
        got, after = body(grouped(rows, data_form), grouped(before, state_form))
        outs, out_form = flat(got, "foreach output")
        after, after_form = flat(after, "foreach states")
        if after_form != state_form:
            raise AssertionError(f"foreach: the states that body returns have another structure than init_states; "
                                 f"expected {state_form}, got {after_form}")
        names = {o.name for o in outs}
        part.finish([*outs, *after], [False] * len(outs) + [s.name in names for s in after])
    for kind, first, last in (("data", 0, len(data)), ("state", len(data), len(data) + len(states))):
        for k in range(first, last):
            if k not in part.sources:
                raise AssertionError(f"foreach: body does not use {kind} array {k - first}; expected that it uses all of them")
    inputs = [e for s in (*data, *states) for e in s._entries]
    where = {v: k for k, v in enumerate(part.sources) if isinstance(v, int)}
    remain = [k for k, v in enumerate(part.sources) if not isinstance(v, int)]
    inputs += [part.sources[k] for k in remain]
    made = _node("_foreach", [part], inputs, num_outputs=len(outs) + len(states), num_out_data=len(outs),
                 in_state_locs=[where[len(data) + k] for k in range(len(states))],
                 in_data_locs=[where[k] for k in range(len(data))], remain_locs=remain)
    return grouped(made[:len(outs)], out_form), grouped(made[len(outs):], state_form)


def while_loop(cond, func, loop_vars, max_iterations=None, name="while_loop"):
    """A loop that goes on as long as a condition holds, as one node of the graph.

    Parameters
    ----------
    cond : callable
        ``cond(*loop_vars)`` -> Symbol with one element.
    func : callable
        ``func(*loop_vars)`` -> (outputs, new loop_vars); outputs may be None or [].
    loop_vars : Symbol or nested list of Symbol
    max_iterations : int
        The loop ends after so many steps at the latest.
    name : str, default 'while_loop'

    Returns
    -------
    outputs : Symbol or nested list of Symbol
        What func gave, stacked; the first axis has length max_iterations, rows of steps that were not made are 0.
    loop_vars : Symbol or nested list of Symbol
        Their last values.

    Examples
    --------
    >>> i = mx.sym.var("i")
    >>> squares, last = mx.sym.contrib.while_loop(lambda i: i < 3, lambda i: (i * i, i + 1), i, max_iterations=4)
    >>> squares.eval(i=mx.nd.array([0]))[0].asnumpy().ravel()
    array([0., 1., 4., 0.], dtype=float32)
    """
    limit = iterations(max_iterations)
    if len(loop_vars) == 0:
        raise ValueError("while_loop: loop_vars: expected at least one, got none")
    variables, form = flat(loop_vars, "while loop_vars")
    head, body = _Part(name + "_cond", (variables,)), _Part(name + "_func", (variables,))
    with head:
        outs, _ = flat(cond(*_arguments(head.holders, form)), "while output")
        if len(outs) != 1:
            raise AssertionError(f"while_loop: cond: expected one symbol, got {len(outs)}")
        head.finish(outs)
    with body:
        outs, after = func(*_arguments(body.holders, form))
        outs, out_form = flat(listed(outs), "while output")
        after, _ = flat(listed(after), "while loop_vars")
        if len(after) != len(variables):
            raise ValueError(f"while_loop: func returns a wrong number of loop_vars; expected {len(variables)}, got {len(after)}")
        body.finish([*outs, *after])
    joined = _Inputs([s._entries[0] for s in variables])
    head_locs, body_locs = joined.places(head), joined.places(body)
    for k in range(len(variables)):
        if k not in body.sources:
            raise ValueError(f"while_loop: func does not use loop variable {k + 1}; expected that it uses all of them")
    made = _node("_while_loop", [head, body], joined.entries, max_iterations=limit, cond_input_locs=head_locs,
                 func_input_locs=body_locs, func_var_locs=[body.sources.index(k) for k in range(len(variables))],
                 num_out_data=len(outs), num_outputs=len(outs) + len(variables))
    return grouped(made[:len(outs)], out_form), grouped(made[len(outs):], form)


def cond(pred, then_func, else_func, name="cond"):
    """One of two computations, as one node of the graph.

    Parameters
    ----------
    pred : Symbol
        One element; not 0 chooses the first computation.
    then_func, else_func : callable
        Called without arguments; both return a Symbol, or nested lists of equally many symbols of equal shapes.
    name : str, default 'cond'

    Returns
    -------
    Symbol or nested list of Symbol

    Examples
    --------
    >>> x = mx.sym.var("x")
    >>> y = mx.sym.contrib.cond(x > 0, lambda: x * 2, lambda: -x)
    >>> y.eval(x=mx.nd.array([-3]))[0].asnumpy()
    array([3.], dtype=float32)
    """
    parts, forms = [], []
    for what, make in (("_pred", lambda: pred), ("_then", then_func), ("_else", else_func)):
        part = _Part(name + what, ())
        with part:
            outs, form = flat(make(), "cond outputs")
            part.finish(outs)
        parts.append(part)
        forms.append((form, len(outs)))
    if forms[0][1] != 1:
        raise ValueError(f"cond: pred: expected one symbol, got {forms[0][1]}")
    if forms[1][1] != forms[2][1]:
        raise ValueError(f"cond: the branches have different numbers of outputs: {forms[1][1]} and {forms[2][1]}")
    joined = _Inputs([])
    locs = [joined.places(part) for part in parts]
    made = _node("_cond", parts, joined.entries, cond_input_locs=locs[0], then_input_locs=locs[1], else_input_locs=locs[2],
                 num_outputs=forms[1][1])
    return grouped(made, forms[1][0])


# ---- structures of lists --------------------------------------------------------------------------

def flat(args, what):
    """(symbols of one output each, the structure they come from)."""
    return _flat(args, lambda v: list(v) if isinstance(v, Symbol) else None, what, "Symbol")


def _arguments(symbols, form):
    """What a function of the loop's variables is called with."""
    got = grouped(symbols, form)
    return got if isinstance(got, list) else [got]


# ---- making the node ------------------------------------------------------------------------------

class _Part:
    """One graph inside a node: what is made in its `with` block belongs to it.

    holders: variables for what the loop gives; sources: for each of its variables the number of a holder
    or the entry outside."""

    def __init__(self, name, given):
        outer = AttrScope.current.get(None).get(KEY)
        name = f"{outer}${name}" if outer else name
        self.name = f"{name}{_used[name]}"
        _used[name] += 1
        self.scope = AttrScope(**{KEY: self.name})
        self.given = [s._entries[0] for group in given for s in group]

    def __enter__(self):
        self.scope.__enter__()
        attrs = AttrScope.current.get(None)
        taken, self.holders = set(), []
        for node, index in self.given:
            name = f"{node.name}-{index}"
            while name in taken:                           # the same symbol may be given twice
                name += "-again"
            taken.add(name)
            self.holders.append(Symbol(((Node(None, name, dict(attrs)), 0),)))
        return self

    def __exit__(self, kind, value, trace):
        self.scope.__exit__(kind, value, trace)

    def finish(self, outputs, copied=None):
        """Cut out the graph of these outputs.  What is no operator of the graph goes through a copy."""
        whole = Symbol([e for s in outputs for e in s._entries]) if outputs else None
        inputs = set(whole.list_inputs()) if outputs else ()
        heads = []
        for k, s in enumerate(outputs):
            node = s._entries[0][0]
            if node.name in inputs or node.attrs.get(KEY) != self.name or copied and copied[k]:
                s = apply("_copy", "identity", s)
            heads.append(s._entries[0])
        numbers = {id(h._entries[0][0]): k for k, h in enumerate(self.holders)}
        self.entries, self.sources = cut(heads, self.name, numbers)
        self.graph = Symbol(self.entries)
        names = self.graph.list_inputs() if heads else []
        if len(set(names)) != len(names):
            raise AssertionError(f"two inputs of the graph {self.name!r} have one name; expected different ones, got {names}")


class _Inputs:
    """The inputs of a node whose graphs share them."""

    def __init__(self, given):
        self.given, self.entries, self.where, self.own = given, [], {}, {}

    def places(self, part):
        """Where the graph's variables are among the inputs; new inputs are added."""
        known = {n.name: k for k, (n, _) in enumerate(self.entries) if n.op is None}
        places = []
        for name, source in zip(part.graph.list_inputs() if part.sources else (), part.sources):
            if isinstance(source, int):
                k = self.where.get(source)
                if k is None:
                    k = self.where[source] = self._add(self.given[source])
            elif not self.given and name in known:         # branches share variables by their names
                k = known[name]
            elif source[0].attrs.get(KEY) != part.name:    # from outside
                k = self._add(source)
            else:                                          # made inside, perhaps in both graphs
                k = self.own.get(name)
                if k is None:
                    k = self.own[name] = self._add(source)
            places.append(k)
        return places

    def _add(self, entry):
        self.entries.append(entry)
        return len(self.entries) - 1


def _node(op, parts, inputs, **params):
    """The outputs of a new node that holds the parts."""
    op = REGISTRY[op]
    texts = {k: text_of(v) for k, v in params.items()}
    texts["num_args"] = str(len(inputs) + len(parts))
    attrs = as_attributes(AttrScope.current.get(None), op.name, first=True)
    node = Node(op, None, {**attrs, **texts}, (), [p.graph for p in parts])
    node.take(tuple(inputs))
    node.name = NameManager.current.get(None, op.name)
    check(node)
    return [Symbol(((node, k),)) for k in range(len(node.outputs))]
