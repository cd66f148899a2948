"""Runs a graph node by node for a monitor, which sees every value and every gradient on its way."""
from ..ops.unnamed import shown_inputs
from .pieces import PieceRun


class WatchedRun(PieceRun):
    """Tells a monitor what the nodes read and make, and the gradients before they go on."""

    def __init__(self, entries, nodes, arrays, aux, grads, params, callback, everything):
        """callback(name as bytes, array); everything: whether it also sees what goes into the nodes."""
        super().__init__(entries, nodes, arrays, aux, grads, params)
        self.callback, self.everything = callback, everything

    def see(self, name, array):
        self.callback(name.encode(), array._same_data())

    def unseen(self, training):
        """Run the forward pass without calling back."""
        was, self.callback = self.callback, lambda name, array: None
        try:
            self.forward(training, True)
        finally:
            self.callback = was

    def _run_node(self, node, inputs):
        if self.everything:
            for (n, _), name, x in zip(node.inputs, shown_inputs(node.op, node.input_names()), inputs):
                if n.op is None:
                    self.see(n.name, x)
                self.see(f"{node.name}_{name}", x)
        outs = super()._run_node(node, inputs)
        for k, y in enumerate(outs):
            self.see(node.output_name(k), y)
        return outs
