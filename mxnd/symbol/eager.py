"""Runs a graph operator by operator, as arrays would: for sparse arrays, for shapes that only the data decides,
and as the plain form that the planned one is compared with."""
from .._core import call as _call
from .._core import tape as _tape
from ..ops.errors import MXNetError
from .graph import written_arguments
from .subgraph import run_graphs


class _Missing:
    """Stands for a head gradient that was not given; touching it is an error."""

    def __init__(self, name):
        self._name = name

    def _refuse(self, *args, **kwargs):
        raise MXNetError(f"backward: the gradient for output {self._name!r} is missing; expected out_grads, because the "
                         f"output is no loss")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = __pow__ = _refuse

    @property
    def shape(self):
        self._refuse()

    dtype = _apply = stype = shape


class EagerRun:
    """Forward and backward of a symbol on the arrays of an executor."""

    def __init__(self, entries, nodes, arrays, aux, grads):
        """arrays: {id of variable node: array}; grads: {id of variable node: (gradient array, 1 write or 2 add)}."""
        self.entries, self.nodes, self.arrays, self.aux, self.grads = entries, nodes, arrays, aux, grads
        self.params = {id(n): n.op.bound(n.params) for n in nodes if n.op is not None}
        self.heads = None
        self.recording = self.training = False

    def forward(self, training, record):
        """Values of the outputs."""
        self.recording, self.training = bool(record and self.grads), training
        was = _call.set_recording(self.recording), _call.set_training(training)
        try:
            self.heads = self.run()
        finally:
            _call.set_recording(was[0])
            _call.set_training(was[1])
        return self.heads

    def run(self):
        """Values of the outputs; recorded when autograd records."""
        done, left = {}, {}
        for node in self.nodes:
            for n, _ in node.inputs:
                left[id(n)] = left.get(id(n), 0) + 1
        for n, _ in self.entries:
            left[id(n)] = left.get(id(n), 0) + 1
        for node in self.nodes:
            if node.op is None:
                done[id(node)] = [self._leaf(node)]
                continue
            inputs = tuple(done[id(n)][i] for n, i in node.inputs)
            if not self.grads:                             # without gradients arguments stay as they are
                for k in written_arguments(node.op, self.params[id(node)], len(inputs)):
                    inputs = *inputs[:k], inputs[k].copy(), *inputs[k + 1:]
            done[id(node)] = self._run_node(node, inputs)
            for n, _ in node.inputs:
                left[id(n)] -= 1
                if not left[id(n)]:
                    done.pop(id(n), None)
        return [done[id(n)][i] for n, i in self.entries]

    def _run_node(self, node, inputs):
        """The outputs of a node, as a list."""
        try:
            if node.subgraphs:
                got = run_graphs(node, inputs)
            else:
                got = _call.invoke(node.op.core, inputs, self.params[id(node)], None, True)
        except (MXNetError, IndexError, ValueError, TypeError, AssertionError) as e:
            e.add_note(f"in node {node.name!r}")
            raise
        return got if isinstance(got, list) else [got]

    def _leaf(self, node):
        array = self.arrays[id(node)]
        if id(node) not in self.grads:
            return array
        leaf = array._same_data()
        leaf._set_leaf(*self.grads[id(node)])
        return leaf

    def backward(self, head_grads, training):
        """Gradients of the last forward into the gradient arrays; None in head_grads: not given."""
        pairs = [(h, g) for h, g in zip(self.heads, head_grads) if h._tracked]
        for (h, g), (node, i) in zip(zip(self.heads, head_grads), self.entries):
            if h._tracked and g is None:
                self._check_loss(node, i, h)
        reached = {id(n) for n in self.nodes if n.op is None and id(n) in self.grads}
        for key in reached:
            grad, req = self.grads[key]
            if req == 1 and (not pairs or grad.stype != "default"):
                grad[:] = 0
        if pairs:
            _tape.backward([h for h, _ in pairs], [g for _, g in pairs], True, training)

    def _check_loss(self, node, index, head):
        """Raise unless the gradient of this output needs no head gradient."""
        made = None if head is None else _tape.recorded(head)
        missing = _Missing(node.output_name(index))
        if made is None or made[0] is None:
            missing._refuse()
        op, inputs, params, slot = made
        if op.grad is None:
            return
        gs = [None] * len(op.output_names(params))
        gs[slot] = missing
        try:
            for part in op.gradients(params, tuple(gs), inputs, tuple([head] * len(gs))):
                if part is not None and callable(part) and not getattr(op, "checks_heads", False):
                    part()
        except AttributeError:
            missing._refuse()
