"""Runs a graph piece by piece: each node is recorded alone, and the gradients are handed from piece to piece."""
from .._core import tape as _tape
from ..ndarray.create import zeros
from .eager import EagerRun


class PieceRun(EagerRun):
    """Forward and backward node by node; see and everything: for monitors, see `WatchedRun`."""

    everything = False

    def __init__(self, entries, nodes, arrays, aux, grads, params):
        super().__init__(entries, nodes, arrays, aux, grads)
        self.params = params
        self.calls, self.made, self.needed = [], {}, set()

    def see(self, name, array):
        pass

    # ---- forward
    def run(self):
        self.begin()
        return super().run()

    def begin(self):
        """Forget the last forward; find the nodes that gradients pass."""
        self.calls, self.made = [], {}
        self.needed = set(self.grads)
        for node in self.nodes:
            if any(id(n) in self.needed for n, _ in node.inputs):
                self.needed.add(id(node))

    def _leaf(self, node):
        return self.arrays[id(node)]

    def _run_node(self, node, inputs):
        leaves = {}                                    # position of an input: (handle that is recorded, its gradient)
        if id(node) in self.needed and self.recording:
            inputs = list(inputs)
            for k, (n, _) in enumerate(node.inputs):
                if id(n) in self.needed and id(n) not in self.aux:
                    x = inputs[k] = inputs[k]._same_data()
                    leaves[k] = x, zeros(x.shape, ctx=x.context, dtype=x._dtype_name)
                    x._set_leaf(leaves[k][1], 1)
        outs = super()._run_node(node, tuple(inputs))
        if leaves:
            self.calls.append((node, leaves, outs))
            self.made[id(node)] = outs
        return [y._same_data() for y in outs]

    # ---- backward
    def backward(self, head_grads, training):
        sums = {}
        for k, ((node, i), g) in enumerate(zip(self.entries, head_grads)):
            if id(node) not in self.needed:
                continue
            if g is None:
                self._check_loss(node, i, self.made[id(node)][i] if id(node) in self.made else None)
                continue
            if self.everything:
                self.see(f"_head_grad_{k}", g)
            self.see(f"_head_grad_{k}_id_output", g)
            sums.setdefault((id(node), i), []).append(g)
        for call in reversed(self.calls):
            self._back(call, sums, training)
        for key, (to, request) in self.grads.items():
            g = self._sum(sums, (key, 0))
            if to.stype != "default":
                to._set_gradient(zeros(to.shape, ctx=to.context, dtype=to._dtype_name) if g is None else g, request == 2)
            elif g is not None:
                to[:] = to + g if request == 2 else g
            elif request == 1:
                to[:] = 0

    def _back(self, call, sums, training):
        """Hand the gradients of one node's outputs on to its inputs."""
        node, leaves, outs = call
        if node.op.grad is None and node.op.compose is None and not node.subgraphs:
            return
        arrived = [(y, self._sum(sums, (id(node), i)), i) for i, y in enumerate(outs) if y._tracked]
        given = [(y, g, i) for y, g, i in arrived if g is not None]
        alone = None if given else node.op.acts_alone(self.params[id(node)])
        if alone:
            given = [(y, zeros(y.shape, ctx=y.context, dtype=y._dtype_name), i) for y, _, i in arrived]
        if given:
            self._differentiate(node, leaves, given, training)
            for k, (_, g) in leaves.items():
                n, i = node.inputs[k]
                if alone != "state":
                    sums.setdefault((id(n), i), []).append(g)

    def _differentiate(self, node, leaves, given, training):
        """Fill the gradients of one node's inputs."""
        several = sum(id(n) not in self.aux for n, _ in node.inputs) > 1
        if self.everything:
            for _, g, i in given:
                self.see(f"{node.name}_backward_input{i}", g)
        for _, g in leaves.values():
            g[:] = 0
        _tape.backward([y for y, _, _ in given], [g for _, g, _ in given], True, training)
        for k, (_, g) in leaves.items():
            self.see(f"{node.name}_backward_output{k if several else ''}", g)

    def _sum(self, sums, key):
        """The gradient of one value; None where none arrived."""
        parts = sums.get(key)
        if not parts or len(parts) == 1:
            return parts[0] if parts else None
        total = parts[0]
        for k, g in enumerate(parts):
            if self.everything:
                self.see(f"sum_grad_arg{k}", g)
            if k:
                total = total + g
        self.see("sum_grad_output", total)
        return total
