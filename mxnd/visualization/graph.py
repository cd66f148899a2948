"""What tables and pictures show of a symbol: its nodes, the shapes of their outputs, and which variables are parameters."""
from ..ops.errors import MXNetError
from ..ops.params import dtype_name
from ..ops.shapes import known, size
from ..symbol import infer
from ..symbol.node import auxiliary
from ..symbol.symbol import Symbol

# How names of variables end that training fills; inputs of layers that take such; names that data have in spite of their attributes.
PARAMETERS = ("weight", "bias", "gamma", "beta", "parameters", "moving_mean", "moving_var", "moving_avg",
              "running_mean", "running_var", "alpha")
SLOTS = ("weight", "bias", "gamma", "beta", "parameters")
TRAINED = ("__init__", "__lr_mult__", "__wd_mult__")
DATA = ("label", "data", "state", "state_cell", "sequence_length")


class Graph:
    """Nodes of a symbol in their order, with shapes and dtypes as far as the given ones tell.

    complete: raise ValueError where a shape stays unknown."""

    def __init__(self, symbol, shape=None, dtype=None, what="print_summary", complete=True):
        if not isinstance(symbol, Symbol):
            raise TypeError(f"{what}: symbol: expected a Symbol, got {type(symbol).__name__}")
        if shape is not None and not isinstance(shape, dict):
            raise TypeError(f"{what}: shape: expected a dict of names and shapes, got {type(shape).__name__}")
        self.nodes, given = infer.by_argument(symbol, (), shape or {}, "shape")
        self.given = shape or {}
        self.entries = symbol._entries
        try:
            self.slots, self.shapes = infer.shapes(self.nodes, {k: infer.edge_shape(v) for k, v in given.items()})
        except MXNetError:
            if shape is not None:
                raise
            self.slots, self.shapes = infer.Slots(self.nodes), None      # nothing was asked for, nothing is said
        if self.shapes is None:
            self.shapes = [None] * self.slots.count
        self.types = None
        self._parameters = self._find_parameters()
        if dtype is not None:
            if not isinstance(dtype, dict):            # that of the data; dtypes of parameters follow
                dtype = {n.name: dtype for n in self.nodes if n.op is None and not self.is_parameter(n)}
            _, named = infer.by_argument(symbol, (), dtype, "type")
            self.types = infer.types(self.nodes, {k: dtype_name(v) for k, v in named.items()})[1]
        if shape is not None and complete:
            lost = [n.name for n in self.nodes if not known(self.shape((n, 0)))]
            if lost:
                raise ValueError(f"{what}: the shapes do not tell those of {', '.join(lost[:5])}; given {shape}")

    def shape(self, entry):
        """Shape of an output, None where nothing is known."""
        return self.shapes[self.slots.of(entry)]

    def dtype(self, entry):
        return None if self.types is None else self.types[self.slots.of(entry)]

    def size(self, node):
        """Elements of a variable, None where unknown."""
        shape = self.shape((node, 0))
        return size(shape) if known(shape) else None

    def is_parameter(self, node):
        """Whether a node is a variable that training fills."""
        return id(node) in self._parameters

    def is_auxiliary(self, node):
        return id(node) in self._auxiliary

    def _find_parameters(self):
        aux = self._auxiliary = auxiliary(self.nodes)
        found = set(aux)
        for n in self.nodes:
            if n.op is not None:
                if n.op.inputs[:1] == ("data",):               # a layer
                    found.update(id(v) for v, slot in zip((v for v, _ in n.inputs), n.input_names())
                                 if v.op is None and slot in SLOTS and v.name not in self.given)
            elif n.name.endswith(PARAMETERS):
                found.add(id(n))
            elif n.name not in self.given and not n.name.endswith(DATA):
                if any(a in n.attrs for a in TRAINED) or self.given and "__shape__" in n.attrs:
                    found.add(id(n))
        return found

    def without_batch(self, entry):
        """Dimensions after the first, or all of a vector, as text: 3x8x8."""
        shape = self.shape(entry)
        if not shape:
            return ""
        return "x".join("?" if v is None else str(v) for v in (shape[1:] or shape))
