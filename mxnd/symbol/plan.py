"""Compiles a bound graph: steps, gradient, fusing, memory; then runs it without Python per step."""
from .._core import graph_run
from .._core.array import empty
from .._core.plan import go_on_from, random_state
from ..ops.errors import MXNetError
from . import memory as _memory
from .collector import uncollected
from .fuse import fuse, single
from .gradient import gradients
from .graph import build, live, lowered, written_arguments
from .passes.absorb import absorb_factors
from .passes.common import merge_common
from .passes.fold import fold_constants
from .passes.identity import remove_identities
from .passes.recompute import mirrored, recompute
from .passes.rewrite import Replaced
from .passes.windows import join_windows, postpone


def plannable(nodes):
    """Whether all operators of a graph run on dense arrays without Python."""
    ops = [n.op for n in nodes if n.op is not None]
    return all((op.kernel or op.c or op.compose) and not getattr(op, "makes_sparse", False) for op in ops)


def moves(op):
    """Whether every run of an operator changes something."""
    return op.mutates and not getattr(op, "repeatable", False)


class Program:
    """Steps of one mode: forward, and backward where gradients are wanted."""

    def __init__(self):
        self.forward = self.backward = None
        self.head_grads, self.heads_used = [], []
        self.planned = self.unshared = 0
        self.tasks = []
        self.spends = False                            # backward writes over what it reads of the forward


class Planned:
    """Forward and backward of a symbol on the arrays of an executor."""

    def __init__(self, entries, nodes, slots, shapes, types, arrays, wanted, outputs, passes):
        self.entries, self.nodes, self.slots, self.shapes, self.types = entries, nodes, slots, shapes, types
        self.arrays, self.wanted, self.outputs = arrays, wanted, outputs
        self.random = any(n.op is not None and n.op.random for n in nodes)
        self.moves = any(n.op is not None and moves(n.op) for n in nodes)
        self.modal = any(n.op is not None and n.op.uses_mode for n in nodes)
        self.passes = passes                           # {name: whether it is on}
        self.programs = {}
        self.blocks = []                               # memory that all programs use in turn
        self.ready = None                              # the program whose values are in memory
        self.drawn = None                              # where the random numbers of the last forward began

    def program(self, with_gradient, training=False):
        """The program of a mode, compiled when it is first needed."""
        key = with_gradient, training and self.modal
        if key not in self.programs:
            self.programs[key] = self._compile(*key)
        return self.programs[key]

    # ---- running
    def forward(self, training):
        # backward needs the very numbers and states of this forward: they are kept whatever the mode
        p = self.program(bool(self.wanted) and (training or self.random or self.moves), training)
        self.drawn = random_state()
        self._run(p.forward, training)
        self.ready = p

    def backward(self, head_grads, training):
        p = self.program(True, training)
        for k, (g, used) in enumerate(zip(head_grads, p.heads_used)):
            if used and g is None:
                node, i = self.entries[k]
                raise MXNetError(f"backward: the gradient for output {node.output_name(i)!r} is missing; expected out_grads, "
                                 f"because the output is no loss")
        if self.ready is not p:                        # the last forward kept nothing for backward, or another backward used it up
            self._again(p, training)
        written = [array for array, _ in self.wanted.values()]
        for to, g, used in zip(p.head_grads, head_grads, p.heads_used):
            if used:                                   # a gradient array may itself be a head gradient: it is read to the end
                graph_run.point(to, g.copy() if graph_run.overlap(g, written) else g)
        self.ready = None if p.spends else p
        self._run(p.backward, training)

    def _again(self, p, training):
        """Run the forward once more, with the random numbers of before."""
        now = random_state()
        if self.random and self.drawn is not None:
            go_on_from(*self.drawn)
        self._run(p.forward, training)
        if self.random:
            go_on_from(*now)
        self.ready = p

    def _run(self, steps, training):
        try:
            steps.run(training)
        except Exception as e:
            name = steps.name()
            if name:
                e.add_note(f"in node {name}")
            raise

    def memory(self):
        programs = list(self.programs.values()) or [self.program(False)]
        return {"planned": sum(b.size for b in self.blocks), "unshared": max(p.unshared for p in programs)}

    # ---- compiling
    @uncollected
    def _compile(self, with_gradient, training):
        on = self.passes
        graph, values = build(self.nodes, self.slots, self.shapes, self.types, mirrored() if with_gradient else None)
        heads = [values[id(n)][i] for n, i in self.entries]
        for name, rewrite in (("postpone", postpone), ("windows", join_windows)):
            if on[name]:
                heads = list(map(rewrite(graph, heads).of, heads))
        pinned = {}                                    # values with arrays of their own
        for node in self.nodes:
            if node.op is None:
                pinned[values[id(node)][0]] = self.arrays[id(node)]
        spared = [] if self.wanted else _spare_arguments(graph, pinned)
        p = Program()
        targets, head_values = [], []
        count = len(graph.steps)
        if with_gradient:
            head_values = [graph.value(h.shape, h.dtype) for h in heads]
            variables = {values[key][0]: self.wanted[key] for key in self.wanted}
            found = gradients(graph, heads, head_values, list(variables))
            for v, (array, request) in variables.items():
                g = found[v]
                if g is not None and request == 2:
                    old = graph.value(v.shape, v.dtype)
                    pinned[old] = array
                    g = old + g
                if g is not None or request == 1:
                    targets.append((g, array))
        parts = graph.steps[:count], graph.steps[count:]
        if on["dead"]:
            parts = _live(parts, [*heads, *(g for g, _ in targets)])
        parts, new = lowered(parts)
        moved = Replaced(new)
        heads = list(map(moved.of, heads))
        targets = [(moved.of(g), array) for g, array in targets]
        (first, second), moved = self._simplify(parts, [*heads, *(g for g, _ in targets)], pinned, training)
        heads = list(map(moved.of, heads))
        targets = [(moved.of(g), array) for g, array in targets]
        if with_gradient:
            second = recompute(first, second, heads, on["recompute"])
        later = [*(v for s in second for v in s.inputs), *(g for g, _ in targets if g is not None)]
        p.tasks = tasks = self._tasks(first, [*heads, *later])
        back = self._tasks(second, [g for g, _ in targets if g is not None])
        ends = self._pin(tasks, pinned, list(zip(heads, self.outputs)))
        ends_back = self._pin(back, pinned, targets)
        made = {v for t in tasks for v in t.outputs}
        pinned.update((g, empty(g.shape, g.dtype)) for g, _ in ends_back if g in made and g not in pinned)     # copied at the end
        for v, y in zip(head_values, self.outputs):
            pinned[v] = y._same_data()                 # until backward gives it the memory of a head gradient
        p.head_grads = [pinned[v] for v in head_values]
        read = set(later)
        p.heads_used = [v in read for v in head_values]
        kept = {v for v in later if v in made}         # what backward reads
        blocks = _memory.assign([*tasks, *back], pinned, on["share"], kept if self.moves else ())
        over = {blocks.block[v] for t in back for v in t.outputs if v in blocks.block}
        p.spends = not over.isdisjoint(map(blocks.block_of, kept))
        arrays = self._arrays([*tasks, *back], pinned, blocks)
        p.forward = graph_run.Steps([*self._copies(spared, arrays), *self._items(tasks, arrays, blocks), *self._copies(ends, arrays)])
        if with_gradient:
            p.backward = graph_run.Steps([*self._items(back, arrays, blocks), *self._copies(ends_back, arrays)])
        p.tasks = [*tasks, *back]
        p.planned, p.unshared = sum(blocks.sizes), blocks.unshared
        return p

    def _simplify(self, parts, wanted, pinned, training):
        """(parts with less to do, what stands for the values that are gone)."""
        on, moved = self.passes, Replaced()
        if on["fold"]:
            parts, constants = fold_constants(parts, wanted)
            pinned.update(constants)
        if on["identity"]:
            parts, new = remove_identities(parts, training)
            moved.update(new)
        if on["absorb"] and not self.wanted:
            first, new = absorb_factors(parts[0], set(map(moved.of, wanted)), training)
            parts = first, parts[1]
            moved.update(new)
        if on["common"]:
            parts, new = merge_common(parts)
            moved.update(new)
        if on["dead"] and moved:
            parts = _live(parts, list(map(moved.of, wanted)))
        return parts, moved

    def _tasks(self, steps, needed):
        return fuse(steps, needed, self.passes["reduce"]) if self.passes["fuse"] else [single(s) for s in steps]

    @staticmethod
    def _pin(tasks, pinned, targets):
        """Let values be made where they are wanted; the rest is copied there at the end: returned."""
        made = {v for t in tasks for v in t.outputs}
        ends = []
        for value, array in targets:
            if value in made and value not in pinned:
                pinned[value] = array
            else:
                ends.append((value, array))
        return ends

    def _arrays(self, tasks, pinned, blocks):
        """An array for every value."""
        order = sorted(range(len(blocks.sizes)), key=lambda b: -blocks.sizes[b])
        have = sorted(self.blocks, key=lambda b: -b.size)
        chosen = {}
        for b in order:
            fits = [k for k, block in enumerate(have) if block.size >= blocks.sizes[b]]
            if fits:
                chosen[b] = have.pop(fits[-1])
            else:
                chosen[b] = graph_run.block(blocks.sizes[b])
                self.blocks.append(chosen[b])
        arrays = dict(pinned)
        for t in tasks:
            for v in t.outputs:
                if v in arrays:
                    continue
                b = blocks.block_of(v)
                arrays[v] = graph_run.array_over(chosen[b], v.shape, v.dtype)
        return arrays

    def _items(self, tasks, arrays, blocks):
        items = []
        for t in tasks:
            if t.plan is not None:
                rows, dtype, dims, strides, reduced = t.plan
                fused = graph_run.Fused([(op.core, a, b, o) for op, a, b, o in rows], dtype, dims, strides, reduced)
                items.append(graph_run.fused_step(fused, [arrays[v] for v in (*t.inputs, *t.outputs)], t.name))
                continue
            step = t.steps[0]
            if step.outputs[0] in blocks.root:         # the same memory under another shape
                continue
            outs = [arrays[v] for v in step.outputs]
            if step.op.kernel == "copy" and len(outs) == 1 and step.inputs[0].dtype == step.outputs[0].dtype:
                items.append(graph_run.copy_step(arrays[step.inputs[0]], outs[0], step.name))
            else:
                inputs = tuple(arrays[v] for v in step.inputs)
                items.append(graph_run.call_step(step.op.core, step.params, inputs, outs, step.name))
        return items

    @staticmethod
    def _copies(ends, arrays):
        return [graph_run.clear_step(array, None) if v is None else graph_run.copy_step(arrays[v], array, None)
                for v, array in ends]


def _spare_arguments(graph, pinned):
    """Without gradients an argument stays as it is: operators that write into one get a copy.  Returns (argument, copy) pairs."""
    copies = []
    for step in graph.steps:
        for k in written_arguments(step.op, step.params, len(step.inputs)):
            value = step.inputs[k]
            if value not in pinned:
                continue
            own = graph.value(value.shape, value.dtype)
            pinned[own] = empty(own.shape, own.dtype)
            step.inputs = (*step.inputs[:k], own, *step.inputs[k + 1:])
            copies.append((value, pinned[own]))
    return copies


def _live(parts, wanted):
    """The steps of two parts that the wanted values need."""
    first, second = parts
    before = set(first)
    steps = live([*first, *second], [v for v in wanted if v is not None])
    return [s for s in steps if s in before], [s for s in steps if s not in before]


def describe(program):
    """The tasks of a program in words, one per line."""
    lines = []
    for t in program.tasks:
        ops = " ".join(s.op.name for s in t.steps)
        outs = ", ".join(f"{v.dtype}{v.shape}" for v in t.outputs)
        lines.append(f"{'fused' if t.plan else 'call '} {ops} -> {outs}")
    return "\n".join(lines)

