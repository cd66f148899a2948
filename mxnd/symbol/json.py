"""Graphs as text, interchangeable with the symbol files of MXNet 0.8 to 1.9."""
import json

from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError
from .node import HIDDEN, Node, is_attribute, order

VERSION = 10901                          # the release whose files these are
FLATTENED = ("argmax", "argmin")         # up to 0.9.4 an axis of -1 meant the flattened array here


# ---- writing: the layout is MXNet's own, so files can be compared as text -------------------------

def dumps(entries, without_amp_casts=False):
    """The text of a graph."""
    nodes = order(entries)
    if without_amp_casts and any(getattr(n.op, "amp_cast", False) for n in nodes):
        nodes, entries = _without_amp_casts(nodes, entries)
    return _object(_graph(nodes, entries, VERSION), 0)


def _graph(nodes, entries, version=None):
    place = {id(n): k for k, n in enumerate(nodes)}
    written = {}                                               # how often a variable was written so far
    rows, counts = [], [0]
    for node in nodes:
        row = {"op": "null" if node.op is None else node.op.name, "name": node.name}
        if node.attrs:
            row["attrs"] = dict(sorted(node.attrs.items()))
        for i in node.auxiliary():
            target = id(node.inputs[i][0])
            written[target] = written.get(target, 0) + 1
        row["inputs"] = [[place[id(n)], i, written.get(id(n), 0)] for n, i in node.inputs]
        if node.subgraphs:
            row["subgraphs"] = [_graph(order(s._entries), s._entries) for s in node.subgraphs]
        rows.append(row)
        counts.append(counts[-1] + len(node.outputs))
    graph = {"nodes": rows, "arg_nodes": [k for k, n in enumerate(nodes) if n.op is None], "node_row_ptr": counts,
             "heads": [[place[id(n)], i, 0] for n, i in entries]}
    if version:
        graph["attrs"] = {"mxnet_version": ["int", version]}
    return graph


def _without_amp_casts(nodes, entries):
    """The graph with the casts of mixed precision taken out."""
    new, kept = {}, []

    def moved(entry):
        return new.get(entry) or (new[entry[0]], entry[1])
    for node in nodes:
        inputs = tuple(moved(e) for e in node.inputs)
        if getattr(node.op, "amp_cast", False):
            for i in range(len(node.outputs)):
                new[(node, i)] = inputs[i]
        else:
            copy = Node(node.op, node.name, node.attrs, inputs, node.subgraphs)
            new[node] = copy
            kept.append(copy)
    return kept, tuple(moved(e) for e in entries)


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
    except (json.JSONDecodeError, RecursionError) as e:
        raise MXNetError(f"load_json: the text is not JSON: {e}") from None
    if not isinstance(graph, dict):
        raise MXNetError(f"load_json: expected a graph, got {type(graph).__name__}")
    try:
        return _read(graph, symbol_class, "load_json")
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as e:
        if isinstance(e, MXNetError) or getattr(e, "from_user", False):
            raise
        raise MXNetError(f"load_json: the text is no symbol graph ({type(e).__name__}: {e})") from None


def _read(graph, symbol_class, where):
    for key in ("nodes", "arg_nodes", "heads"):
        if key not in graph:
            raise MXNetError(f"{where}: {key!r} is missing")
    version = _version(graph)
    nodes = []
    for k, row in enumerate(graph["nodes"]):
        name = row["name"]
        attrs = {}
        for key in ("param", "attr", "attrs"):                 # 0.8 wrote param and attr; 1.x writes attrs
            attrs.update(row.get(key) or {})
        attrs = {str(a): str(v) for a, v in attrs.items()}
        inputs = []
        for e in row["inputs"]:
            if not 0 <= e[0] < k:
                raise MXNetError(f"{where}: node {name!r} reads node {e[0]}; expected one of the {k} before it")
            inputs.append((nodes[e[0]], int(e[1])))
        op = _operator(row["op"], name, where)
        later = _renamed(attrs)
        subgraphs = None
        if row.get("subgraphs"):
            subgraphs = [symbol_class._of(_read(g, symbol_class, where)) for g in row["subgraphs"]]
        node = Node(op, name, attrs, inputs, subgraphs)
        if op is not None:
            _upgrade(node, version)
            _check(node, where)
            for key, (source, _) in zip(node.input_names(), node.inputs):
                source.attrs.update(later.get(key, ()))
        node.inputs = tuple(node.inputs)
        nodes.append(node)
    for head in graph["heads"]:
        if not 0 <= head[0] < len(nodes) or not 0 <= head[1] < len(nodes[head[0]].outputs):
            raise MXNetError(f"{where}: head {head} is no output of the graph's {len(nodes)} nodes")
    return tuple((nodes[h[0]], int(h[1])) for h in graph["heads"])


def _version(graph):
    try:
        return int(graph["attrs"]["mxnet_version"][1])
    except (KeyError, TypeError, IndexError):
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


def _upgrade(node, version):
    """What files of earlier releases left out or meant otherwise."""
    op = node.op
    for key in [k for k in node.attrs if k not in op.params and not is_attribute(k)]:
        if version < 10000 and op.params and not op.open_params:                      # user attributes without underscores
            node.attrs[f"__{key}__"] = node.attrs.pop(key)
            node.changed()
    if version < 905 and op.name in FLATTENED and node.attrs.get("axis") == "-1":
        del node.attrs["axis"]


def _check(node, where):
    """Complete and check a node's inputs; they may lack auxiliary states in files of before 0.9."""
    names = node.op.input_names(node.params)
    if len(node.inputs) > len(names) and not node.op.variadic:
        raise MXNetError(f"{where}: node {node.name!r}: {node.op.name} takes {len(names)} inputs, got {len(node.inputs)}")
    for key in names[len(node.inputs):]:
        from .compose import missing
        node.inputs.append(missing(node, key))
    for (maker, i), key in zip(node.inputs, names):
        if not 0 <= i < len(maker.outputs):
            raise MXNetError(f"{where}: node {node.name!r}: input {key!r} is output {i} of {maker.name!r}, "
                             f"which has {len(maker.outputs)}")
