"""Graphs as text, interchangeable with the symbol files of MXNet 0.8 to 1.9."""
import json

from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError
from . import subgraph
from .node import HIDDEN, Node, entry, is_attribute, order, version

VERSION = 10901                          # the release whose files these are
FLATTENED = ("argmax", "argmin")         # up to 0.9.4 an axis of -1 meant the flattened array here


# ---- writing: the layout is MXNet's own, so files can be compared as text -------------------------

def dumps(entries, without_amp_casts=False):
    """The text of a graph."""
    nodes = order(entries)
    if without_amp_casts and any(getattr(n.op, "amp_cast", False) for n in nodes):
        nodes, entries = _without_amp_casts(nodes, entries)
    return _object(_graph(nodes, entries, VERSION), 0)


def _graph(nodes, entries, release=None):
    place = {id(n): k for k, n in enumerate(nodes)}
    written = {}                                               # variables that a loop or a branch writes inside
    rows, counts = [], [0]
    for node in nodes:
        row = {"op": "null" if node.op is None else node.op.name, "name": node.name}
        if node.attrs:
            row["attrs"] = dict(sorted(node.attrs.items()))
        if node.subgraphs:
            for i in subgraph.written(node):
                written.setdefault(id(node.inputs[i][0]), 1)
        row["inputs"] = [[place[id(e[0])], e[1], version(e) or written.get(id(e[0]), 0)] for e in node.inputs]
        if node.subgraphs:
            row["subgraphs"] = [_graph(order(s._entries), s._entries) for s in node.subgraphs]
        rows.append(row)
        stored = getattr(node.op, "stored", None)
        counts.append(counts[-1] + (stored(node.params) if stored else len(node.outputs)))
    graph = {"nodes": rows, "arg_nodes": [k for k, n in enumerate(nodes) if n.op is None], "node_row_ptr": counts,
             "heads": [[place[id(e[0])], e[1], version(e)] for e in entries]}
    if release:
        graph["attrs"] = {"mxnet_version": ["int", release]}
    return graph


def _without_amp_casts(nodes, entries):
    """The graph with no operator reading a cast of mixed precision; one that is itself a result stays."""
    new = {}

    def moved(pair):
        node, i = pair
        while getattr(node.op, "amp_cast", False):
            pair = node.inputs[i]
            node, i = pair
        return entry(new[id(node)], i, version(pair))
    for node in nodes:
        new[id(node)] = Node(node.op, node.name, node.attrs, tuple(map(moved, node.inputs)), node.subgraphs)
    entries = tuple(entry(new[id(e[0])], e[1], version(e)) for e in entries)
    return order(entries), entries


def _text(value):
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        value = value.replace(plain, escaped)
    return f'"{value}"'


def _value(value, indent):
    if isinstance(value, dict):
        return _object(value, indent)
    if isinstance(value, list):
        return _array(value, indent)
    return _text(value) if isinstance(value, str) else str(value)


def _object(items, indent):
    inside = [f"{_text(k)}: {_value(v, indent + 2)}" for k, v in items.items()]
    if len(inside) <= 1:
        return "{" + "".join(inside) + "}"
    return _lines("{", inside, "}", indent)


def _array(items, indent):
    if items and isinstance(items[0], (int, list)):            # numbers, and lists of numbers: as Python prints them
        return str(items) if len(items) <= 10 else _lines("[", map(str, items), "]", indent)
    inside = [_value(v, indent + 2) for v in items]
    if len(items) <= 10 and not (items and isinstance(items[0], dict)):
        return "[" + ", ".join(inside) + "]"
    return _lines("[", inside, "]", indent)


def _lines(left, inside, right, indent):
    pad = " " * (indent + 2)
    return left + "\n" + ", \n".join(pad + text for text in inside) + "\n" + " " * indent + right


# ---- reading --------------------------------------------------------------------------------------

def loads(text, symbol_class):
    """Entries of the graph that a text holds."""
    try:
        graph = json.loads(text, strict=False)
    except (ValueError, RecursionError) as e:              # also numbers of thousands of digits
        raise MXNetError(f"load_json: the text is not JSON: {e}") from None
    if not isinstance(graph, dict):
        raise MXNetError(f"load_json: expected a graph, got {type(graph).__name__}")
    try:
        return _read(graph, symbol_class, "load_json")
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError, RecursionError) as e:
        if isinstance(e, MXNetError) or getattr(e, "from_user", False):
            raise
        raise MXNetError(f"load_json: the text is no symbol graph ({type(e).__name__}: {e})") from None


def _read(graph, symbol_class, where, release=None):
    for key in ("nodes", "arg_nodes", "heads"):
        _list(_dict(graph, where, "the graph").get(key), where, repr(key))
    release = _version(graph) if release is None else release
    nodes = []
    for k, row in enumerate(graph["nodes"]):
        row = _dict(row, where, f"node {k}")
        name = _text_of(row.get("name"), where, f"the name of node {k}")
        here = f"{where}: node {name!r}"
        attrs = {}
        for key in ("param", "attr", "attrs"):                 # 0.8 wrote param and attr; 1.x writes attrs
            attrs.update(_dict(row.get(key) or {}, here, repr(key)))
        attrs = {str(a): str(v) for a, v in attrs.items()}
        inputs = []
        for e in _list(row.get("inputs"), here, "'inputs'"):
            at, index, written = _entry(e, here, "an input")
            if at >= k:
                raise MXNetError(f"{here} reads node {at}; expected one of the {k} before it")
            if index >= len(nodes[at].outputs):
                raise MXNetError(f"{here}: an input is output {index} of {nodes[at].name!r}, which has {len(nodes[at].outputs)}")
            inputs.append(entry(nodes[at], index, written))
        op = _operator(_text_of(row.get("op"), here, "the operator"), name, where)
        if op is None and inputs:
            raise MXNetError(f"{here}: a variable has inputs")
        later = _renamed(attrs)
        subgraphs = None
        if row.get("subgraphs"):
            subgraphs = [symbol_class._of(_read(g, symbol_class, here, release))
                         for g in _list(row["subgraphs"], here, "'subgraphs'")]
        node = Node(op, name, attrs, inputs, subgraphs)
        if op is not None:
            _upgrade(node, release)
            graphs = getattr(op, "graphs", 0)
            if subgraphs and not graphs:
                raise MXNetError(f"{here}: {op.name} takes no graphs, got {len(subgraphs)}")
            if graphs:
                subgraph.check(node)
            else:
                _check(node, where)
            for key, (source, _) in zip(node.input_names(), node.inputs):
                source.attrs.update(later.get(key, ()))
        node.inputs = tuple(node.inputs)
        nodes.append(node)
    heads = [_entry(h, where, "a head") for h in graph["heads"]]
    for at, index, _ in heads:
        if at >= len(nodes) or index >= len(nodes[at].outputs):
            raise MXNetError(f"{where}: head {[at, index]} is no output of the graph's {len(nodes)} nodes")
    if not heads:
        raise MXNetError(f"{where}: the graph has no heads")
    return tuple(entry(nodes[at], index, written) for at, index, written in heads)


def _dict(value, where, what):
    if not isinstance(value, dict):
        raise MXNetError(f"{where}: {what}: expected an object, got {type(value).__name__}")
    return value


def _list(value, where, what):
    if value is None:
        raise MXNetError(f"{where}: {what} is missing")
    if not isinstance(value, list):
        raise MXNetError(f"{where}: {what}: expected a list, got {type(value).__name__}")
    return value


def _text_of(value, where, what):
    if not isinstance(value, str):
        raise MXNetError(f"{where}: {what}: expected text, got {type(value).__name__}")
    return value


def _entry(value, where, what):
    """(node, output, version) of an input or a head; files of before 0.9 have no version."""
    if not isinstance(value, list) or len(value) not in (2, 3) or any(type(v) is not int or v < 0 for v in value):
        raise MXNetError(f"{where}: {what}: expected [node, output, version], got {value!s:.60}")
    return value[0], value[1], value[2] if len(value) == 3 else 0


def _version(graph):
    try:
        return int(graph["attrs"]["mxnet_version"][1])
    except (KeyError, TypeError, IndexError, ValueError, OverflowError):
        return 800


def _operator(name, node, where):
    if name == "null":
        return None
    try:
        return REGISTRY[name]
    except KeyError:
        raise MXNetError(f"{where}: node {node!r}: unknown operator {name!r}") from None


def _renamed(attrs):
    """Give old attribute names their underscores; those meant for an input (weight_lr_mult) are taken out and
    returned: {name of the input: its attributes}."""
    later = {}
    for key in list(attrs):
        for hidden in HIDDEN:
            if key == hidden:
                attrs[f"__{key}__"] = attrs.pop(key)
            elif key.endswith("_" + hidden) and not is_attribute(key):
                later.setdefault(key[:-len(hidden) - 1], {})[f"__{hidden}__"] = attrs.pop(key)
    return later


def _upgrade(node, release):
    """What files of earlier releases left out or meant otherwise."""
    op = node.op
    for key in [k for k in node.attrs if k not in op.params and not is_attribute(k)]:
        if release < 10000 and op.params and not op.open_params:                      # user attributes without underscores
            node.attrs[f"__{key}__"] = node.attrs.pop(key)
            node.changed()
    if release < 904:                                          # how states are filled belongs to their variables since then
        for key, (source, _) in zip(op.input_names(node.params), node.inputs):
            initial = getattr(op, "initial", {}).get(key)
            if initial is not None and source.op is None:
                source.attrs.setdefault("__init__", initial)
    if release < 905 and op.name in FLATTENED and node.attrs.get("axis") == "-1":
        del node.attrs["axis"]


def _check(node, where):
    """Complete and check a node's inputs; they may lack auxiliary states in files of before 0.9."""
    names = node.op.input_names(node.params)
    if len(node.inputs) > len(names) and not node.op.variadic:
        raise MXNetError(f"{where}: node {node.name!r}: {node.op.name} takes {len(names)} inputs, got {len(node.inputs)}")
    for key in names[len(node.inputs):]:
        from .compose import missing
        source, index = missing(node, key)
        if key in node.op.state_names(None if not node.op.open_params else node.params):
            source.writes = 1
        initial = getattr(node.op, "initial", {}).get(key)
        if initial is not None:
            source.attrs["__init__"] = initial
        node.inputs.append(entry(source, index, source.writes))
