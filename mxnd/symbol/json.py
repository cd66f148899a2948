"""Graphs from text: the symbol files of MXNet 0.8 to 1.9.

Most nodes of a large graph are like one before (the same operator, the same attributes), so what was found out about that
one serves them too.  Whatever is unusual or wrong about a node goes the long way through `_node`."""
import json

from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError
from . import subgraph
from .collector import uncollected
from .compose import missing, tell_initial
from .node import HIDDEN, Node, entry, is_attribute

FIRST = 800                              # the release that files without a version are from
FLATTENED = ("argmax", "argmin")         # up to 0.9.4 an axis of -1 meant the flattened array here
FURTHER = 1 << 20                        # outputs beside the first of each node: few bytes can ask for many
GRAPH = ("nodes", "arg_nodes", "node_row_ptr", "heads", "attrs")
NODE = ("op", "name", "inputs", "attrs", "attr", "param", "subgraphs", "control_deps", "backward_source_id")


@uncollected
def loads(text, symbol_class):
    """Entries of the graph that a text holds."""
    try:
        graph = json.loads(text, strict=False)
        if not text.isascii():                             # half a character could not be written again
            text.encode()
        if "\\u" in text:
            json.dumps(graph, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as e:              # also numbers of thousands of digits
        raise MXNetError(f"load_json: the text is not JSON: {e}") from None
    try:
        return _Graph(symbol_class, "load_json").read(graph)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError, RecursionError) as e:
        if isinstance(e, MXNetError) or getattr(e, "from_user", False):
            raise
        raise MXNetError(f"load_json: the text is no symbol graph ({type(e).__name__}: {e})") from None


class _Kind:
    """What nodes with the same operator and the same attributes have in common."""

    __slots__ = ("op", "attrs", "params", "outputs", "visible", "inputs")

    def __init__(self, node):
        self.op, self.attrs = node.op, dict(node.attrs)
        self.params = None if node.op is None else node.params
        self.outputs, self.visible, self.inputs = node.outputs, node.visible, len(node.inputs)


class _Graph:
    """A graph while it is read; graphs inside it are read with the version of the outermost."""

    def __init__(self, symbol_class, where, version=None):
        self.symbol_class, self.where, self.version = symbol_class, where, version
        self.nodes, self.firsts, self.counts = [], [], []      # nodes, their first outputs, how many outputs they have
        self.kinds, self.further = {}, 0

    def read(self, graph):
        """Entries of the graph."""
        where, nodes = self.where, self.nodes
        _known(_dict(graph, where, "the graph"), GRAPH, where)
        for key in ("nodes", "arg_nodes", "heads"):
            _list(graph.get(key), where, repr(key))
        if self.version is None:
            self.version = _version(graph, where)
        self._read_nodes(graph["nodes"])
        for at in graph["arg_nodes"]:
            if type(at) is not int or not 0 <= at < len(nodes) or nodes[at].op is not None:
                raise MXNetError(f"{where}: 'arg_nodes': expected numbers of variables, got {at!s:.60}")
        _numbers(graph.get("node_row_ptr", []), where, "'node_row_ptr'")
        heads = [_entry(h, where, "a head") for h in graph["heads"]]
        for at, index, _ in heads:
            if at >= len(nodes) or index >= self.counts[at]:
                raise MXNetError(f"{where}: head {[at, index]} is no output of the graph's {len(nodes)} nodes")
        if not heads:
            raise MXNetError(f"{where}: the graph has no heads")
        return tuple(entry(nodes[at], index, version) for at, index, version in heads)

    def _read_nodes(self, rows):
        nodes, firsts, counts, kinds = self.nodes, self.firsts, self.counts, self.kinds
        for k, row in enumerate(rows):
            node = None
            if type(row) is dict:
                name, inputs, attrs = row.get("name"), row.get("inputs"), row.get("attrs")
                if type(name) is str and type(inputs) is list and len(row) == 3 + (attrs is not None):
                    try:
                        kind = kinds.get((row.get("op"), *attrs.items()) if attrs else row.get("op"))
                    except (TypeError, AttributeError):        # no object, or no text in it
                        kind = None
                    if kind is not None and kind.inputs == len(inputs):
                        node = self._alike(kind, name, inputs)
            if node is None:
                node = self._node(k, row)
            count = len(node._outputs)
            if count > 1:
                self.further += count - 1
                if self.further > FURTHER:
                    raise MXNetError(f"{self.where}: node {k} {node.name!r}: the nodes have too many outputs; expected at most {FURTHER} "
                                     f"beside the first ones")
            nodes.append(node)
            firsts.append((node, 0))
            counts.append(count)

    def _alike(self, kind, name, inputs):
        """A node of a known kind; None when there is something about its inputs."""
        firsts, counts = self.firsts, self.counts
        entries, k = [], len(firsts)
        for e in inputs:
            if type(e) is not list or len(e) != 3:
                return None
            at, index, version = e
            if not (type(at) is type(index) is type(version) is int and 0 <= at < k and 0 <= index < counts[at]):
                return None
            entries.append(entry(firsts[at][0], index, version) if index or version else firsts[at])
        node = Node(kind.op, name, dict(kind.attrs), tuple(entries))
        node._params, node._outputs, node._visible = kind.params, kind.outputs, kind.visible
        return node

    def _node(self, k, row):
        """Any node: complete and checked."""
        where = self.where
        row = _dict(row, where, f"node {k}")
        name = _text_of(row.get("name"), where, f"the name of node {k}")
        here = f"{where}: node {k} {name!r}"
        _known(row, NODE, here)
        try:
            return self._made(row, name, here, k)
        except MXNetError as e:
            if getattr(e, "from_user", False) or str(e).startswith(where):
                raise
            raise MXNetError(f"{here}: {e}") from None

    def _made(self, row, name, here, k):
        op = _operator(_text_of(row.get("op"), here, "the operator"), here)
        given = [_entry(e, here, "an input") for e in _list(row.get("inputs"), here, "'inputs'")]
        for at, index, _ in given:
            if at >= k:
                raise MXNetError(f"{here} reads node {at}; expected one of the {k} before it")
            if index >= self.counts[at]:
                raise MXNetError(f"{here}: an input is output {index} of {self.nodes[at].name!r}, which has {self.counts[at]}")
        if op is None and given:
            raise MXNetError(f"{here}: a variable has inputs")
        _numbers(row.get("control_deps", []), here, "'control_deps'")
        if type(row.get("backward_source_id", 0)) is not int:
            raise MXNetError(f"{here}: 'backward_source_id': expected a whole number, got {row['backward_source_id']!s:.60}")
        graphs = [self.symbol_class._of(_Graph(self.symbol_class, here, self.version).read(g))
                  for g in _list(row.get("subgraphs", []), here, "'subgraphs'")]
        attrs = _attributes(row, here)
        node = Node(op, name, attrs, [entry(self.nodes[at], index, version) for at, index, version in given], graphs or None)
        special = bool(graphs)
        if op is None:
            attrs.update((key, value) for key, (_, _, value) in _rename(attrs).items())
        else:
            special |= self._upgrade(node, row, here)
            if graphs and not getattr(op, "graphs", 0):
                raise MXNetError(f"{here}: {op.name} takes no graphs, got {len(graphs)}")
            if getattr(op, "graphs", 0):
                subgraph.check(node)
            else:
                _complete(node, here)
        node.inputs = tuple(node.inputs)
        len(node.outputs), node.visible                        # from now on they are known
        if not special and row.keys() <= {"op", "name", "inputs", "attrs"} and not (op is not None and op.open_params):
            given = row.get("attrs")
            self.kinds[(row["op"], *given.items()) if given else row["op"]] = _Kind(node)
        return node

    def _upgrade(self, node, row, here):
        """What files of earlier releases left out or meant otherwise; returns whether it touched other nodes."""
        op, touched = node.op, False
        if "param" in row and op.params and not op.open_params:    # 0.8 kept the user's own attributes apart, without underscores
            for key in [key for key in row.get("attr", ()) if key not in op.params and not _hidden(key)]:
                if not is_attribute(key):
                    node.attrs[f"__{key}__"] = node.attrs.pop(key)
        later = _rename(node.attrs)
        if later:                                                  # weight_lr_mult is meant for the input weight
            names = dict(zip(op.input_names(_params(node, later)), node.inputs))
            for key, (name, hidden, value) in later.items():
                source = names.get(name, (None,))[0]
                if source is None or source.op is not None or not op.params:
                    node.attrs[key] = value
                else:
                    source.attrs[f"__{hidden}__"] = value
                    touched = True
        if self.version < 904:                                     # how states are filled belongs to their variables since then
            touched |= tell_initial(op, op.input_names(node.params)[:len(node.inputs)], node.inputs)
        if self.version < 905 and op.name in FLATTENED and node.attrs.get("axis") == "-1":
            del node.attrs["axis"]
            node.changed()
        return touched


def _params(node, later):
    """The parameters of a node whose attributes for inputs were taken out."""
    params = node.params
    node.changed()                                                 # some may be put back
    return params


# ---- checks of the parts ---------------------------------------------------------------------------

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


def _numbers(value, where, what):
    for v in _list(value, where, what):
        if type(v) is not int or v < 0:
            raise MXNetError(f"{where}: {what}: expected whole numbers of 0 or more, got {v!s:.60}")


def _known(value, keys, where):
    for key in value:
        if key not in keys:
            raise MXNetError(f"{where}: unknown key {key!r:.60}; expected one of {', '.join(keys)}")


def _text_of(value, where, what):
    if not isinstance(value, str):
        raise MXNetError(f"{where}: {what}: expected text, got {type(value).__name__}")
    return value


def _entry(value, where, what):
    """(node, output, version) of an input or a head; files of before 0.9 have no versions."""
    if not isinstance(value, list) or len(value) not in (2, 3) or any(type(v) is not int or v < 0 for v in value):
        raise MXNetError(f"{where}: {what}: expected [node, output, version], got {value!s:.60}")
    return value if len(value) == 3 else (*value, 0)


def _version(graph, where):
    """The release that wrote a graph, as major * 10000 + minor * 100 + patch."""
    found = _dict(graph.get("attrs", {}), where, "'attrs'").get("mxnet_version", ["int", FIRST])
    if not isinstance(found, list) or len(found) != 2 or found[0] != "int" or type(found[1]) is not int or abs(found[1]) >> 31:
        raise MXNetError(f"{where}: 'mxnet_version': expected [\"int\", number], got {found!s:.60}")
    return found[1]


def _operator(name, where):
    if name == "null":
        return None
    try:
        return REGISTRY[name]
    except KeyError:
        raise MXNetError(f"{where}: unknown operator {name!r:.60}") from None


def _attributes(row, where):
    """All attributes of a node: those of 0.8 under param and attr, of releases up to 0.12 under attr, then under attrs."""
    attrs = {}
    for key in ("param", *[k for k in row if k in ("attr", "attrs")][-1:]):
        for name, value in _dict(row.get(key, {}), where, repr(key)).items():
            attrs[name] = _text_of(value, where, f"{key} {name!r:.60}")
    return attrs


# ---- what older releases meant ---------------------------------------------------------------------

def _hidden(key):
    """(name of an input or "", attribute) where a key is a known attribute without underscores, as in weight_lr_mult."""
    if not is_attribute(key):
        for hidden in HIDDEN:
            if key == hidden:
                return "", hidden
            if key.endswith("_" + hidden):
                return key[:-len(hidden) - 1], hidden
    return None


def _rename(attrs):
    """Give known attributes their underscores; those meant for inputs are taken out: {key: (input, attribute, value)}."""
    later = {}
    for key in list(attrs):
        found = _hidden(key)
        if found and not found[0]:
            attrs[f"__{key}__"] = attrs.pop(key)
        elif found:
            later[key] = (*found, attrs.pop(key))
    return later


def _complete(node, where):
    """Complete and check a node's inputs: files of before 0.9 lack auxiliary states, and others are forgiven."""
    names = node.op.input_names(node.params)
    if len(node.inputs) > len(names) and not node.op.variadic:
        raise MXNetError(f"{where}: {node.op.name} takes {len(names)} inputs, got {len(node.inputs)}")
    lacking = names[len(node.inputs):]
    if node.op.variadic and lacking and lacking[0].startswith("arg"):
        raise MXNetError(f"{where}: {node.op.name}: {node.op.variadic} says {len(names)} inputs, got {len(node.inputs)}")
    made = [missing(node, key) for key in lacking]
    tell_initial(node.op, lacking, made)
    node.inputs += made
