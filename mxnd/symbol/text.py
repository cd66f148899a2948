"""Graphs as text, in the layout that MXNet 1.9.1 writes, so that files can be compared as text."""
from json.encoder import encode_basestring as _quoted

from .collector import uncollected
from .node import moved, order

VERSION = 10901                          # the release whose files these are
ESCAPED = (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))    # no other: MXNet reads no other


@uncollected
def dumps(entries, without_amp_casts=False):
    """The text of a graph."""
    nodes = order(entries)
    if without_amp_casts and any(getattr(n.op, "amp_cast", False) for n in nodes):
        nodes, entries = _without_amp_casts(nodes, entries)
    return _graph(nodes, entries, "", VERSION)


def _graph(nodes, entries, pad, version=None):
    """The text of one graph; pad: the spaces before its lines."""
    place = {n: k for k, n in enumerate(nodes)}
    facts, texts = {}, {}                          # of operators; of attributes
    rows, arguments, counts, count = [], [], [0], 0
    inside = pad + "      "
    start, comma = f'{{\n{inside}"op": ', f", \n{inside}"
    for k, node in enumerate(nodes):
        op = node.op
        if op is None:
            arguments.append(k)
            count += 1
            row = f'{start}"null"{comma}"name": {_text(node.name)}'
        else:
            fact = facts.get(op)
            if fact is None:
                fact = facts[op] = _facts(op)
            name, outputs = fact
            count += outputs if outputs is not None else _stored(node)
            row = f'{start}{name}{comma}"name": {_text(node.name)}'
        counts.append(count)
        if node.attrs:
            key = tuple(node.attrs.items())
            text = texts.get(key)
            if text is None:
                text = texts[key] = f'{comma}"attrs": {_object([f"{_text(a)}: {_text(v)}" for a, v in sorted(key)], inside)}'
            row += text
        row += f'{comma}"inputs": {_list(_pairs(node.inputs, place), inside)}'
        if node.subgraphs:
            graphs = [_graph(order(s._entries), s._entries, inside + "  ") for s in node.subgraphs]
            row += f'{comma}"subgraphs": {_lines("[", graphs, "]", inside)}'
        rows.append(f"{row}\n{pad}    }}")
    pad += "  "
    parts = [f'"nodes": {_lines("[", rows, "]", pad)}', f'"arg_nodes": {_list([str(k) for k in arguments], pad)}',
             f'"node_row_ptr": {_list([str(k) for k in counts], pad)}',
             f'"heads": {_list(_pairs(entries, place), pad)}']
    if version:
        parts.append(f'"attrs": {{"mxnet_version": ["int", {version}]}}')
    return _lines("{", parts, "}", pad[2:])


def _pairs(entries, place):
    return [f"[{place[e[0]]}, {e[1]}, {0 if type(e) is tuple else e.version}]" for e in entries]


def _facts(op):
    """(name as text, outputs of a node where all have as many) of an operator."""
    stored = getattr(op, "stored", None)
    if stored is None and not callable(op.outputs) and not op.open_params:
        stored = len(op.outputs)
    return _text(op.name), None if callable(stored) else stored


def _stored(node):
    stored = getattr(node.op, "stored", None)
    return stored(node.params) if stored is not None else len(node.outputs)


def _without_amp_casts(nodes, entries):
    """The graph with no operator reading a cast of mixed precision; one that is itself a result stays."""
    new, read = {}, {}                             # nodes; what is read in place of a cast's output
    for node in nodes:
        inputs = [read.get(e, e) for e in node.inputs]
        if getattr(node.op, "amp_cast", False):
            read.update(((node, i), e) for i, e in enumerate(inputs))
        new[node] = node.copy(moved(inputs, new))
    entries = moved(entries, new)
    return order(entries), entries


# ---- layout: short lists and objects of one member stand on one line -------------------------------

def _text(value):
    text = _quoted(value)
    if len(text) == len(value) + 2:                # nothing had to be escaped
        return text
    for plain, escaped in ESCAPED:
        value = value.replace(plain, escaped)
    return f'"{value}"'


def _object(members, pad):
    return _lines("{", members, "}", pad) if len(members) > 1 else f"{{{members[0]}}}"


def _list(items, pad):
    return _lines("[", items, "]", pad) if len(items) > 10 else f"[{', '.join(items)}]"


def _lines(left, items, right, pad):
    between = f", \n{pad}  "
    return f"{left}\n{pad}  {between.join(items)}\n{pad}{right}"
