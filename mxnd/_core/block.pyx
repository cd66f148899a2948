# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Block programs: chains of elementwise operators over blocks that stay in the cache."""
from cython.parallel cimport prange

from .array cimport MX_F32, MX_F64, NDArray, Node, Operator, mxnd_item, new_like, same_shape
from .threads cimport threads_for
from .tiles cimport (MXND_TILE_ALIGN, MXND_TILE_FAR, MXND_TILE_NEAR, mxnd_part, mxnd_tile, mxnd_tile_aligned, mxnd_tile_constant,
                    mxnd_tiles)

from ..ops.declare import Arithmetic

cdef enum:
    MOST_STEPS = 64
    MOST_TEMPORARIES = 12
    MOST_CONSTANTS = 32
    MOST_INPUTS = 32
    CONST = 1 << 20


cdef class Program:
    def __init__(self, steps, int nin):
        """steps: (Operator, first slot, second slot or None, output slot); float operands are constants.

        Slots 0 to nin-1 are inputs, the following ones temporaries, -1 is the result."""
        cdef Operator op
        cdef int k = 0, t
        if len(steps) > MOST_STEPS or nin > MOST_INPUTS:
            raise ValueError(f"Program: expected at most {MOST_STEPS} steps and {MOST_INPUTS} inputs")
        self.nin = nin
        for core, a, b, o in steps:
            op = <Operator?>core
            for t in range(9):
                self.loops[k][t] = op.loops[t]
            self.first[k] = self.operand(a)
            self.second[k] = self.operand(0 if b is None else b)
            self.to[k] = o
            if o >= 0 and o - nin + 1 > self.ntmp:
                self.ntmp = o - nin + 1
            k += 1
        self.nsteps = k
        if self.ntmp > MOST_TEMPORARIES:
            raise ValueError(f"Program: expected at most {MOST_TEMPORARIES} temporaries, got {self.ntmp}")

    def operand(self, v):
        if isinstance(v, float):
            if self.nconst == MOST_CONSTANTS:
                raise ValueError("Program: too many constants")
            self.consts[self.nconst] = v
            self.nconst += 1
            return CONST + self.nconst - 1
        return v

    cdef int run(self, int type, char** ins, char* out, Py_ssize_t n) except -1:
        """Run over n elements of float32 or float64."""
        cdef int t, k
        cdef Py_ssize_t chunk, at, m
        for k in range(self.nsteps):
            if self.loops[k][type] == NULL:
                raise TypeError("Program: an operator has no loop for this dtype")
        t = threads_for(n * (1 + self.nsteps // 2))
        if t == 1:
            with nogil:
                span(self, type, ins, out, 0, n)
            return 0
        chunk = ((n + t - 1) // t + MXND_TILE_NEAR - 1) // MXND_TILE_NEAR * MXND_TILE_NEAR
        for k in prange(t, num_threads=t, schedule="static", nogil=True):
            at = k * chunk
            m = n - at if n - at < chunk else chunk
            if m > 0:
                span(self, type, ins, out, at, m)
        return 0


cdef void span(Program p, int type, char** ins, char* out, Py_ssize_t start, Py_ssize_t n) noexcept nogil:
    """Elements start..start+n-1, tile by tile."""
    cdef char memory[MOST_TEMPORARIES * MXND_TILE_NEAR * 8 + MXND_TILE_ALIGN]
    cdef char numbers[MOST_CONSTANTS * MXND_TILE_FAR * 8 + MXND_TILE_ALIGN]
    cdef char* places[3]
    cdef mxnd_part parts[MOST_STEPS]
    cdef float single
    cdef int k, item = mxnd_item[type]
    cdef Py_ssize_t tile = mxnd_tile(n * item * (p.nin + 1))
    places[0], places[1], places[2] = mxnd_tile_aligned(memory), mxnd_tile_aligned(numbers), out
    for k in range(p.nconst):
        single = <float>p.consts[k]
        mxnd_tile_constant(places[1] + k * MXND_TILE_FAR * item, <char*>&p.consts[k] if item == 8 else <char*>&single, item,
                           tile)
    for k in range(p.nsteps):
        parts[k].loop = p.loops[k][type]
        parts[k].a = operand_at(p, p.first[k], ins, places, start, tile, item, &parts[k].sa, &parts[k].a_step)
        parts[k].b = operand_at(p, p.second[k], ins, places, start, tile, item, &parts[k].sb, &parts[k].b_step)
        parts[k].o = operand_at(p, p.to[k], ins, places, start, tile, item, NULL, &parts[k].o_step)
    mxnd_tiles(parts, p.nsteps, n, tile)


cdef inline char* operand_at(Program p, int slot, char** ins, char** places, Py_ssize_t start, Py_ssize_t tile, int item,
                             Py_ssize_t* stride, Py_ssize_t* step) noexcept nogil:
    """Where an operand begins; its stride, and its bytes from tile to tile.  places: temporaries, constants, output."""
    cdef Py_ssize_t each = 1
    cdef char* at
    step[0] = 0
    if slot >= CONST:
        each = tile == MXND_TILE_FAR
        at = places[1] + (slot - CONST) * MXND_TILE_FAR * item
    elif slot < p.nin:
        at = (places[2] if slot < 0 else ins[slot]) + start * item
        step[0] = tile * item
    else:
        at = places[0] + (slot - p.nin) * tile * item
    if stride != NULL:
        stride[0] = each
    return at


# ---- gradients in one pass --------------------------------------------------------------------------

class Untraceable(Exception):
    """A formula that is not a chain of elementwise operators."""


class Trace(Arithmetic):
    """Stands for an array while a formula is written down as steps."""

    __slots__ = ("steps", "slot")
    shape = ()

    def __init__(self, steps, slot):
        self.steps, self.slot = steps, slot

    def _apply(self, op, inputs, params):
        if op.core is None or op.family not in ("unary", "binary", "scalar", "rscalar") or \
                (op.family == "unary" and op.params):
            raise Untraceable
        for i in inputs:
            if not isinstance(i, Trace):
                raise Untraceable
        a, b = inputs[0].slot, inputs[1].slot if len(inputs) > 1 else None
        if op.family in ("scalar", "rscalar"):
            if isinstance(params[0], Trace):
                raise Untraceable
            a, b = (a, float(params[0])) if op.family == "scalar" else (float(params[0]), a)
        out = Trace(self.steps, -2 - len(self.steps))
        self.steps.append((op.core, a, b, out.slot))
        return out


def trace(formula, int nin, tail=()):
    """A Program of formula(*inputs), or None when it is no chain; and which inputs it reads."""
    steps = []
    try:
        got = formula(*[Trace(steps, k) for k in range(nin)], *tail)
    except (Untraceable, AttributeError, TypeError):
        return None, set()
    if not isinstance(got, Trace):
        return None, set()
    if got.slot >= 0:                           # an input itself: passed on when it is the head gradient
        return (0, set()) if got.slot == 0 else (None, {got.slot})
    keep = live_steps(steps, got.slot)
    reads = {v for _, a, b, _ in keep for v in (a, b) if isinstance(v, int) and v >= 0}
    placed = place(keep, got.slot, nin)
    if placed is None:
        return None, reads
    return Program(placed, nin), reads


def live_steps(steps, result):
    """Only the steps that the result depends on."""
    wanted, keep = {result}, []
    for s in reversed(steps):
        if s[3] in wanted:
            keep.append(s)
            wanted.update(v for v in (s[1], s[2]) if isinstance(v, int) and v < -1)
    return keep[::-1]


def place(steps, result, nin):
    """Give the steps' results temporaries, reusing those that are read no more; None when there are too many."""
    last = {}
    for k, (_, a, b, _) in enumerate(steps):
        for v in (a, b):
            if isinstance(v, int) and v < -1:
                last[v] = k
    slots, free, count, out = {}, [], 0, []
    for k, (core, a, b, o) in enumerate(steps):
        args = [slots.get(v, v) if isinstance(v, int) and v < -1 else v for v in (a, b)]
        if o == result:
            target = -1
        elif free:
            target = free.pop()
        else:
            target = nin + count
            count += 1
        for v in {a, b}:
            if isinstance(v, int) and v < -1 and last[v] == k and slots[v] >= 0:
                free.append(slots[v])
        slots[o] = target
        out.append((core, args[0], args[1], target))
    if count > MOST_TEMPORARIES or len(out) > MOST_STEPS or sum(isinstance(v, float) for s in out for v in s[1:3]) > MOST_CONSTANTS:
        return None
    return out


def link_gradients(op):
    """Trace an elementwise operator's formula into one pass per input; called once per operator."""
    cdef Operator core = <Operator?>op.core
    if op.formula is None or (op.family == "unary" and op.params):
        return
    if op.family == "unary":
        program, reads = trace(op.formula, 3)
        core.program = (program,)
        if program is not None:
            core.saves_out = 2 in reads
    elif op.family == "binary":
        pairs = [(None, set()) if f is None else trace(f, 4) for f in op.formula]
        core.program = tuple([p for p, _ in pairs])
        if all(p is not None or f is None for (p, _), f in zip(pairs, op.formula)):
            core.saves_out = any([3 in r for _, r in pairs])


cdef bint one_pass(Node n, NDArray g, give_t give) except -1:
    """The first-order gradient of an elementwise call as one pass over memory; False where that does not apply."""
    cdef Operator op = n.op
    cdef NDArray x, y, other
    cdef Node p
    cdef Program prog
    cdef char* ins[4]
    cdef int k, count = len(n.inputs)
    if op.program is None or not (g.type == MX_F32 or g.type == MX_F64) or g.stype_:
        return False
    x = <NDArray>n.inputs[0]
    other = <NDArray>n.inputs[count - 1]
    if x.type != g.type or x.stype_ or other.stype_ or not same_shape(x, g) or not same_shape(other, g):
        return False
    for program, parent in zip(<tuple>op.program, n.parents):
        if program is None and parent is not None and op.decl.formula is not None and \
                (op.family == 1 or op.decl.formula[0 if parent is n.parents[0] else 1] is not None):
            return False
    ins[0] = g.ptr
    ins[1] = x.ptr
    if op.family == 1:
        ins[2] = (<NDArray>n.outs[0]).ptr if n.outs is not None and op.saves_out else g.ptr
    else:
        ins[2] = other.ptr
        ins[3] = (<NDArray>n.outs[0]).ptr if n.outs is not None and op.saves_out else g.ptr
    for k in range(count):
        p = <Node>n.parents[k]
        program = (<tuple>op.program)[k]
        if p is None or program is None or not (p if p.main is None else p.main).needed:
            continue
        if isinstance(program, int):
            give(p, g, False)
            continue
        prog = <Program>program
        y = new_like(g, g.type)
        prog.run(g.type, ins, y.ptr, y.size_)
        give(p, y, True)
    return True
