"""Graphs with nodes that run Python, custom operators and loops: the parts between them are planned and fused."""
from .._core.array import empty
from ..ndarray.create import zeros
from ..ops.shapes import known
from .infer import Slots
from .memory import ITEM
from .node import Node, auxiliary, order
from .pieces import PieceRun
from .plan import plannable

SMALLEST = 2                   # operators in the parts together, below which planning is not worth it


def dividable(nodes, shapes, types):
    """Whether a graph has nodes to plan beside those that run Python, and all shapes are known."""
    if not all(map(known, shapes)) or None in types:
        return False
    ops = [n for n in nodes if n.op is not None]
    hard = [n for n in ops if not plannable([n])]
    return len(ops) - len(hard) >= SMALLEST and not any(getattr(n.op, "makes_sparse", False) for n in hard)


class Part:
    """Nodes that are planned together: an executor of their own, whose inputs are arguments and what others have made."""

    def __init__(self, nodes, run, slots, shapes, types, bind):
        inside, self.stand_ins = {}, {}                # {id of node: its copy}, {value from outside: variable}
        for n in nodes:
            copy = inside[id(n)] = Node(n.op, n.name, dict(n.attrs), ())
            copy.inputs = tuple(self._input(m, i, inside) for m, i in n.inputs)
        self.results = [(n, i) for n in nodes for i in range(len(n.outputs)) if (id(n), i) in run.read_outside]
        entries = [(inside[id(n)], i) for n, i in self.results]
        back = {id(copy): key for key, copy in inside.items()}
        ordered = order(entries)
        outer = {id(v): key for key, v in self.stand_ins.items()}
        mine = Slots(ordered)
        where = []
        for n in ordered:
            if id(n) in outer:
                node, i = outer[id(n)]
                where.append(slots.first[node] + i)
            else:
                first = slots.first[back.get(id(n), id(n))]
                where += range(first, first + len(n.outputs))
        is_aux = auxiliary(ordered)
        args, grads, aux = [], [], []
        self.gradients = []                            # (value that it is for, array)
        for n in ordered:
            if n.op is not None:
                continue
            key = outer.get(id(n), (id(n), 0))
            x = run.boundary[key] if id(n) in outer else run.arrays[id(n)]
            if id(n) in is_aux:
                aux.append(x)
                continue
            args.append(x)
            wanted = key[0] in run.needed
            grads.append(empty(x.shape, x._dtype_name) if wanted else None)
            if wanted:
                self.gradients.append((key, grads[-1]))
        requests = ["null" if g is None else "write" for g in grads]
        self.executor = bind(entries, args, grads, requests, aux,
                             (mine, [shapes[k] for k in where], [types[k] for k in where]))
        for (n, i), y in zip(self.results, self.executor._outputs):
            run.boundary[id(n), i] = y

    def reads_head(self, node, i, training):
        """Whether backward needs the gradient for a result."""
        planned = self.executor._planned
        return planned is None or planned.program(True, training).heads_used[self.results.index((node, i))]

    def _input(self, node, i, inside):
        if id(node) in inside:
            return inside[id(node)], i
        if node.op is None:
            return node, i
        key = id(node), i
        if key not in self.stand_ins:
            self.stand_ins[key] = Node(None, f"{node.output_name(i)} from outside")
        return self.stand_ins[key], 0


class MixedRun(PieceRun):
    """Runs parts and nodes in turn: part 0, the Python nodes that need only it, part 1..."""

    def __init__(self, entries, nodes, slots, shapes, types, arrays, aux, grads, params, bind):
        """bind(entries, args, grads, requests, aux, inferred): an executor."""
        super().__init__(entries, nodes, arrays, aux, grads, params)
        self.begin()
        self.boundary = {}                             # {(id of node, output): array that other pieces read}
        ops = [n for n in nodes if n.op is not None]
        hard = {id(n): not plannable([n]) for n in nodes if n.op is not None}
        depth = {id(n): 0 for n in nodes if n.op is None}
        for n in ops:
            depth[id(n)] = max((depth[id(m)] + hard.get(id(m), False) for m, _ in n.inputs), default=0)
        self.read_outside = {(id(n), i) for n, i in entries}
        for n in ops:
            self.read_outside.update((id(m), i) for m, i in n.inputs
                                     if m.op is not None and (hard[id(n)] or hard[id(m)] or depth[id(m)] != depth[id(n)]))
        self.pieces = []
        for d in range(max(depth[id(n)] for n in ops) + 1):
            here = [n for n in ops if depth[id(n)] == d]
            soft = [n for n in here if not hard[id(n)]]
            if soft:
                self.pieces.append(Part(soft, self, slots, shapes, types, bind))
            for n in here:
                if hard[id(n)]:
                    self.pieces.append(n)
                    first = slots.first[id(n)]
                    self.boundary.update(((id(n), i), empty(shapes[first + i], types[first + i])) for i in range(len(n.outputs))
                                         if (id(n), i) in self.read_outside)

    # ---- forward
    def run(self):
        self.begin()
        for piece in self.pieces:
            if isinstance(piece, Part):
                piece.executor.forward(self.training)
                self.calls.append(piece)
                continue
            outs = self._run_node(piece, tuple(self._value(m, i) for m, i in piece.inputs))
            for i, y in enumerate(outs):
                to = self.boundary.get((id(piece), i))
                if to is not None:
                    y.copyto(to)
        return [self._value(n, i) for n, i in self.entries]

    def _value(self, node, i):
        return self.arrays[id(node)] if node.op is None else self.boundary[id(node), i]

    # ---- backward
    def _check_loss(self, node, index, head):
        part = next((p for p in self.pieces if isinstance(p, Part) and (node, index) in p.results), None)
        if part is None:
            super()._check_loss(node, index, head)
        elif part.reads_head(node, index, self.training):
            super()._check_loss(node, index, None)

    def _back(self, call, sums, training):
        if not isinstance(call, Part):
            super()._back(call, sums, training)
            return
        if not call.gradients:
            return
        heads = [self._sum(sums, (id(n), i)) for n, i in call.results]
        call.executor.backward([zeros(y.shape, dtype=y._dtype_name) if g is None else g for g, y in zip(heads, call.executor._outputs)])
        for key, g in call.gradients:
            sums.setdefault(key, []).append(g)

    def memory(self):
        """Bytes of intermediate values: those of the parts, and what goes between pieces."""
        between = sum(y.size * ITEM[y._dtype_name] for y in self.boundary.values())
        parts = [p.executor.memory() for p in self.pieces if isinstance(p, Part)]
        return {key: between + sum(m[key] for m in parts) for key in ("planned", "unshared")}
