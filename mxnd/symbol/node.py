"""Graph nodes, and the walk over them.  Nothing here recurses, so graphs may be of any depth."""
from ..ops.errors import MXNetError
from .collector import uncollected

# Attributes that older releases spelled without the underscores; kept as __name__, shown both ways.
HIDDEN = ("ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage")


class Written(tuple):
    """The (node, output) pair of a variable that operators write in place; `version` counts how many had done so when the
    pair was made, and symbol files hold it: a graph that was loaded keeps what its file says."""


def entry(node, index, version):
    """An input or an output of a graph: a plain pair, unless the variable has been written."""
    if not version:
        return node, index
    pair = Written((node, index))
    pair.version = version
    return pair


def version(pair):
    """How often a variable had been written."""
    return 0 if type(pair) is tuple else pair.version


class Node:
    """An operator with its inputs, or a variable (op is None).

    inputs are (node, output number) pairs; attrs holds text: parameters as they were given, and
    attributes.  Everything worked out from these is kept until the attributes change.  writes: how many
    operators have been composed that write the variable."""

    __slots__ = ("op", "name", "attrs", "inputs", "subgraphs", "writes", "_params", "_outputs", "_visible")

    def __init__(self, op, name, attrs=None, inputs=(), subgraphs=None):
        self.op, self.name, self.attrs = op, name, {} if attrs is None else attrs
        self.inputs = inputs
        self.subgraphs, self.writes = subgraphs, 0
        self._params = self._outputs = self._visible = None

    @property
    def params(self):
        """Checked parameters of the operator; raises MXNetError for a bad one."""
        if self._params is None:
            op = self.op
            given = {k: v for k, v in self.attrs.items() if (not is_attribute(k) if op.open_params else k in op.params)}
            if not op.open_params and len(given) != len(self.attrs) and op.params and not getattr(op, "accepts_unknown_params", False):
                for key in self.attrs:
                    if key not in op.params and not is_attribute(key):
                        raise MXNetError(f"{op.name}: unknown parameter {key!r}; expected one of {', '.join(op.params)} "
                                         f"(names of attributes start and end with two underscores)")
            self._params = op.pack(given) if op.params else ()
        return self._params

    @property
    def outputs(self):
        """Names of all outputs, the hidden ones too."""
        if self._outputs is None:
            self._outputs = ("",) if self.op is None else tuple(self.op.output_names(self.params))
        return self._outputs

    @property
    def visible(self):
        """How many outputs users see."""
        if self._visible is None:
            self._visible = 1 if self.op is None else self.op.visible_outputs(self.params)
        return self._visible

    def check(self):
        """Raise MXNetError when a parameter is wrong."""
        return self.op is None or self.params

    def copy(self, inputs):
        """A node like this one, with other inputs."""
        new = Node(self.op, self.name, dict(self.attrs), inputs, self.subgraphs)
        new.writes, new._outputs, new._visible = self.writes, self._outputs, self._visible
        if self.op is None or not self.op.open_params:
            new._params = self._params
        return new

    def changed(self):
        """Forget what was worked out from the attributes."""
        self._params = self._outputs = self._visible = None

    def output_name(self, index):
        """The name that list_outputs shows for one output."""
        if self.op is None:
            return self.name
        return f"{self.name}_{self.outputs[index]}" if self.name else self.outputs[index]

    def input_names(self):
        """Names of the inputs, in their order."""
        return self.op.input_names(self.params, len(self.inputs)) if self.op else ()

    def auxiliary(self):
        """Positions of the inputs that are auxiliary states: those declared, or else those written in place."""
        return self.auxiliary_of(self.inputs)

    def auxiliary_of(self, inputs):
        """The same for these inputs."""
        names = () if self.op is None else self.op.state_names(self.params if self.op.open_params else None)
        if not names:
            return ()
        return [i for i, n in enumerate(self.op.input_names(self.params, len(inputs))[:len(inputs)]) if n in names]

    def take(self, inputs):
        """Set the inputs, and count the variables that the operator writes; auxiliary states that it declares have to be some."""
        states = self.auxiliary_of(inputs)
        for i in states:
            if self.op.aux and inputs[i][0].op is not None:
                raise MXNetError(f"{self.op.name}: input {self.op.input_names(self.params, len(inputs))[i]!r} is written, so it has "
                                 f"to be a variable; got {inputs[i][0].output_name(inputs[i][1])!r}")
        for i in states:
            if inputs[i][0].op is None:
                inputs[i][0].writes += 1
        for pair in inputs:
            if pair[0].writes or type(pair) is not tuple:
                inputs = tuple([entry(n, i, n.writes) for n, i in inputs])
                break
        self.inputs = inputs

    def shown_attrs(self):
        """Attributes as users read them: hidden ones under both spellings."""
        shown = {}
        for key, value in self.attrs.items():
            shown[key] = value
            if key[2:-2] in HIDDEN and is_attribute(key):
                shown[key[2:-2]] = value
        return shown


def is_attribute(key):
    """Whether a key is an attribute of a node rather than a parameter of its operator."""
    return len(key) > 4 and key.startswith("__") and key.endswith("__")


def stored_key(key):
    """How an attribute's key is kept; refuses the old forms that named a variable in front."""
    if key in HIDDEN:
        return f"__{key}__"
    for hidden in HIDDEN:
        if key.endswith("_" + hidden):
            raise MXNetError(f"attribute {key!r} is out of use; expected Variable(..., {hidden}=...) given as the input "
                             f"{key[:-len(hidden) - 1]!r}")
    return key


@uncollected
def order(entries, enter=None):
    """All nodes that the entries need, inputs first, in depth-first order.

    enter: whether to go on to the inputs of a node (default: always)."""
    done, out = set(), []
    for root, _ in entries:
        if id(root) in done:
            continue
        done.add(id(root))
        stack = [(root, iter(root.inputs if enter is None or enter(root) else ()))]
        while stack:
            node, rest = stack[-1]
            for child, _ in rest:
                if id(child) not in done:
                    done.add(id(child))
                    stack.append((child, iter(child.inputs if enter is None or enter(child) else ())))
                    break
            else:
                stack.pop()
                out.append(node)
    return out


def auxiliary(nodes):
    """Ids of the variables that are auxiliary states of some node."""
    return {id(n.inputs[i][0]) for n in nodes for i in n.auxiliary()}


@uncollected
def copy_graph(entries, replace=None):
    """Entries of a copy of the graph; replace: {id of a variable node: entry that takes its place}."""
    new = {}
    if not replace:
        for node in order(entries):
            new[node] = node.copy(moved(node.inputs, new))
        return moved(entries, new)

    def exchanged(pairs):
        return tuple([replace[id(p[0])] if id(p[0]) in replace else entry(new[p[0]], p[1], version(p)) for p in pairs])
    for node in order(entries):
        if node.op is None:
            new[node] = node                            # variables stay the same: a replacement may hold them too
            continue
        inputs = exchanged(node.inputs)
        copy = new[node] = node.copy(inputs)
        if any(id(n) in replace for n, _ in node.inputs):
            copy.take(inputs)
    return exchanged(entries)


def moved(pairs, new):
    """The same outputs of the nodes that stand for those of the pairs."""
    return tuple([(new[p[0]], p[1]) if type(p) is tuple else entry(new[p[0]], p[1], p.version) for p in pairs])


def describe(entries):
    """A graph in words, node by node."""
    lines = []
    nodes = order(entries)
    if len(nodes) == len(entries) == 1 and nodes[0].op is not None:
        return f"AtomicFunctor  Op:{nodes[0].op.name}\n"
    if len(nodes) > 1 or nodes[0].op is not None or len(entries) > 1:
        lines.append("Symbol Outputs:")
        lines += [f"\toutput[{k}]={n.name}({i})" for k, (n, i) in enumerate(entries)]
    for node in nodes:
        if node.op is None:
            lines.append(f"Variable:{node.name}")
            continue
        lines += ["-" * 20, f"Op:{node.op.name}, Name={node.name}", "Inputs:"]
        for k, pair in enumerate(node.inputs):
            n, i = pair
            state = f" version={version(pair)}" if n.op is None else ""
            lines.append(f"\targ[{k}]={n.name}({i}){state}")
        if node.attrs:
            lines.append("Attrs:")
            lines += [f"\t{key}={value}" for key, value in sorted(node.attrs.items())]
    return "\n".join(lines) + "\n"
