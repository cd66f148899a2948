# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Prepared graphs: a list of steps over arrays that exist already, run without Python in between."""
cimport cython
from cpython.list cimport PyList_GET_ITEM
from cython.parallel cimport prange
from libc.string cimport memcpy, memset

from .array cimport MAXD, MX_F32, MX_F64, NDArray, Operator, mxnd_item, mxnd_loop, new_view, type_code
from .call cimport execute, has_plan, set_recording_
from .plan cimport Plan, find_plan, run_plan
from .threads cimport threads_for
from .tiles cimport (MXND_TILE_ALIGN, MXND_TILE_FAR, MXND_TILE_NEAR, mxnd_part, mxnd_tile, mxnd_tile_aligned, mxnd_tile_constant,
                    mxnd_tiles)

from time import sleep

from .array import empty

cdef extern from "pythread.h":
    unsigned long PyThread_get_thread_ident()

cdef extern from "block_reduce.h" nogil:
    enum: BLOCK_SUM, BLOCK_MAX, BLOCK_MIN
    double block_start(int kind)
    double block_join(int kind, double a, double b)
    double block_reduce_f32(int kind, const float* x, Py_ssize_t n)
    double block_reduce_f64(int kind, const double* x, Py_ssize_t n)

cdef enum:
    BLOCK = MXND_TILE_NEAR       # elements of a block
    MOST_STEPS = 32
    MOST_TEMPORARIES = 8
    MOST_ARRAYS = 32             # inputs and outputs of a fused group
    MOST_CONSTANTS = 32
    MOST_REDUCED = 4             # reductions at the end of a fused group
    MOST_THREADS = 64            # that reduce to one number
    TEMPORARY = 1 << 16          # operands: arrays from 0, temporaries from here, constants from there
    CONSTANT = 1 << 17

LIMITS = {"steps": MOST_STEPS, "temporaries": MOST_TEMPORARIES, "arrays": MOST_ARRAYS, "constants": MOST_CONSTANTS,
          "reduced": MOST_REDUCED}
REDUCTIONS = {"sum": BLOCK_SUM, "mean": BLOCK_SUM, "max": BLOCK_MAX, "min": BLOCK_MIN}


# ---- memory -----------------------------------------------------------------------------------------

def array_over(NDArray block not None, tuple shape, dtype):
    """An array at the start of a block of memory (a uint8 array)."""
    cdef Py_ssize_t dims[MAXD]
    cdef Py_ssize_t n = 1
    cdef int k
    cdef int type = type_code(dtype)
    if len(shape) > MAXD:
        raise ValueError(f"array_over: expected at most {MAXD} dimensions, got {len(shape)}")
    for k in range(len(shape)):
        dims[k] = shape[k]
        n *= dims[k]
    if n * mxnd_item[type] > block.size_:
        raise ValueError(f"array_over: the block of {block.size_} bytes is too small for {shape} {dtype}")
    cdef NDArray y = new_view(block, block.ptr, len(shape), dims)
    y.type = type
    return y


def point(NDArray to not None, NDArray at not None):
    """Make an array show the memory of another of its size and dtype."""
    if to.size_ != at.size_ or to.type != at.type or at.stype_:
        raise ValueError("point: the arrays differ in size, dtype or storage")
    to.buf, to.ptr = at.buf, at.ptr


def overlap(NDArray x not None, list arrays not None):
    """Whether an array lies, in part at least, in the memory of one of the others."""
    cdef char* end = x.ptr + x.size_ * mxnd_item[x.type]
    cdef NDArray y
    for o in arrays:
        y = <NDArray?>o
        if x.ptr < y.ptr + y.size_ * mxnd_item[y.type] and y.ptr < end:
            return True
    return False


def crossing(list arrays not None):
    """Numbers of the dense arrays that lie, in part at least, in the memory of another one of them."""
    cdef list spans = []
    cdef NDArray x
    cdef Py_ssize_t k
    for k in range(len(arrays)):
        x = <NDArray?>arrays[k]
        if x.size_ and not x.stype_:
            spans.append((<size_t>x.ptr, <size_t>x.ptr + x.size_ * mxnd_item[x.type], k))
    spans.sort()
    found = set()
    furthest, holder = 0, -1
    for start, end, number in spans:
        if start < furthest:
            found.update((number, holder))
        if end > furthest:
            furthest, holder = end, number
    return found


# ---- fused groups -----------------------------------------------------------------------------------

@cython.final
cdef class Fused:
    """Elementwise operators over one shape, run block by block: every array is read and written once.

    Operands of a step are arrays of the call (number), temporaries (TEMPORARY + number) or constants.
    Reductions take what a block has made; their arrays do not move along the axes that are reduced, which are the last."""
    cdef mxnd_loop loops[MOST_STEPS]
    cdef int first[MOST_STEPS]
    cdef int second[MOST_STEPS]
    cdef int to[MOST_STEPS]
    cdef int nsteps, narrays, nconstants, ntemporaries, levels, type, item
    cdef double constants[MOST_CONSTANTS]
    cdef Py_ssize_t dims[MAXD]
    cdef Py_ssize_t strides[MOST_ARRAYS][MAXD]
    cdef Py_ssize_t outer, inner, work
    cdef int nreduced
    cdef int kind[MOST_REDUCED]
    cdef int source[MOST_REDUCED]
    cdef int into[MOST_REDUCED]
    cdef bint single[MOST_REDUCED]       # the result is one number
    cdef double divisor[MOST_REDUCED]
    cdef Py_ssize_t together             # blocks that belong to one result: one thread runs them

    def __init__(self, list steps, str dtype, tuple dims, list strides, reduced=()):
        """steps: (Operator, operand, operand or None, result); operands: ("array", k), ("temporary", k) or a number;
        dims: the lengths of the loops, outermost first; strides: for every array its elements per step of each loop;
        reduced: (name, operand, number of the array for the result, what to divide by)."""
        cdef Operator op
        cdef int k = 0, i
        self.type = type_code(dtype)
        self.item = mxnd_item[self.type]
        if self.type not in (MX_F32, MX_F64):
            raise ValueError("Fused: expected float32 or float64")
        if len(steps) > MOST_STEPS or len(strides) > MOST_ARRAYS or not 0 < len(dims) <= MAXD:
            raise ValueError("Fused: the group is too large")
        self.narrays, self.levels = len(strides), len(dims)
        for core, a, b, o in steps:
            op = <Operator?>core
            self.loops[k] = op.loops[self.type]
            if self.loops[k] == NULL:
                raise ValueError(f"Fused: {op.name} has no loop for {dtype}")
            self.first[k] = self.operand(a)
            self.second[k] = self.first[k] if b is None else self.operand(b)
            self.to[k] = self.operand(o)
            k += 1
        self.nsteps = k
        self.outer = 1
        for i in range(self.levels):
            self.dims[i] = dims[i]
            if i < self.levels - 1:
                self.outer *= dims[i]
            for k in range(self.narrays):
                self.strides[k][i] = strides[k][i]
        self.inner = self.dims[self.levels - 1]
        self.work = self.outer * self.inner * (1 + self.nsteps // 2)
        self.together = 1
        if len(reduced) > MOST_REDUCED:
            raise ValueError("Fused: too many reductions")
        for k, (name, a, i, divisor) in enumerate(reduced):
            self.kind[k], self.source[k], self.into[k], self.divisor[k] = REDUCTIONS[name], self.operand(a), i, divisor
            if self.source[k] >= CONSTANT or not 0 <= i < self.narrays:
                raise ValueError("Fused: a reduction needs an array or a temporary, and an array")
            self.single[k] = not any(strides[i])
            if not self.single[k]:
                self.together = max(self.together, blocks_of_one(self, i))
        self.nreduced = len(reduced)

    def operand(self, v):
        cdef int k
        cdef float single
        if not isinstance(v, tuple):
            if self.nconstants == MOST_CONSTANTS:
                raise ValueError("Fused: too many constants")
            if self.type == MX_F32:
                single = <float><double>v
                memcpy(&self.constants[self.nconstants], &single, sizeof(float))
            else:
                self.constants[self.nconstants] = v
            self.nconstants += 1
            return CONSTANT + self.nconstants - 1
        k = v[1]
        if v[0] == "array":
            if not 0 <= k < self.narrays:
                raise ValueError("Fused: no such array")
            return k
        if k >= MOST_TEMPORARIES:
            raise ValueError("Fused: too many temporaries")
        self.ntemporaries = max(self.ntemporaries, k + 1)
        return TEMPORARY + k

    cdef int run(self, list arrays) except -1:
        cdef char* at[MOST_ARRAYS]
        cdef double partial[MOST_THREADS * MOST_REDUCED]
        cdef int k, t
        cdef Py_ssize_t per, blocks, chunk
        if self.outer == 0 or self.inner == 0:
            return 0
        for k in range(self.narrays):
            at[k] = (<NDArray>PyList_GET_ITEM(arrays, k)).ptr
        per = (self.inner + BLOCK - 1) // BLOCK
        blocks = self.outer * per
        t = threads_for(self.work)
        if t > blocks // self.together:
            t = <int>(blocks // self.together)
        if self.nreduced and t > MOST_THREADS:
            t = MOST_THREADS
        if t <= 1:
            if self.work < 16384:
                some(self, at, 0, blocks, per, partial)
            else:
                with nogil:
                    some(self, at, 0, blocks, per, partial)
            t = 1
        else:
            chunk = (blocks + t - 1) // t
            chunk = (chunk + self.together - 1) // self.together * self.together
            for k in prange(t, num_threads=t, schedule="static", nogil=True):
                some(self, at, min(blocks, k * chunk), min(blocks, (k + 1) * chunk), per, partial + k * MOST_REDUCED)
        if self.nreduced:
            finish(self, at, partial, t)
        return 0


cdef Py_ssize_t blocks_of_one(Fused f, int array):
    """How many blocks in a row go into one element of a reduction's array."""
    cdef Py_ssize_t n = (f.inner + BLOCK - 1) // BLOCK
    cdef int d
    if f.strides[array][f.levels - 1]:
        raise ValueError("Fused: reductions are over the last axes")
    for d in range(f.levels - 2, -1, -1):
        if f.strides[array][d]:
            break
        n *= f.dims[d]
    return n


cdef void store(Fused f, int r, char* to, double value) noexcept nogil:
    if f.type == MX_F32:
        (<float*>to)[0] = <float>(value / f.divisor[r])
    else:
        (<double*>to)[0] = value / f.divisor[r]


cdef void finish(Fused f, char** at, double* partial, int threads) noexcept nogil:
    """Combine the threads' parts of reductions to one number."""
    cdef int r, k
    cdef double all
    for r in range(f.nreduced):
        if f.single[r]:
            all = block_start(f.kind[r])
            for k in range(threads):
                all = block_join(f.kind[r], all, partial[k * MOST_REDUCED + r])
            store(f, r, at[f.into[r]], all)


cdef void some(Fused f, char** at, Py_ssize_t start, Py_ssize_t end, Py_ssize_t per, double* sums) noexcept nogil:
    """Blocks start to end - 1; every row of the innermost loop has per of them.  sums: what reductions came to."""
    cdef char memory[MOST_TEMPORARIES * BLOCK * 8 + MXND_TILE_ALIGN]
    cdef char numbers[MOST_CONSTANTS * MXND_TILE_FAR * 8 + MXND_TILE_ALIGN]
    cdef char* places[2]
    cdef mxnd_part parts[MOST_STEPS]
    cdef char* here[MOST_ARRAYS]
    cdef char* before[MOST_REDUCED]
    cdef char* x
    cdef double part
    cdef Py_ssize_t b, row, i, n, rest, unused
    cdef int k, d, inside = f.levels - 1
    cdef Py_ssize_t tile = mxnd_tile((end - start) * BLOCK * f.narrays * f.item)
    places[0], places[1] = mxnd_tile_aligned(memory), mxnd_tile_aligned(numbers)
    for k in range(f.nconstants):
        mxnd_tile_constant(places[1] + k * MXND_TILE_FAR * f.item, <char*>&f.constants[k], f.item, tile)
    for k in range(f.nreduced):
        sums[k] = block_start(f.kind[k])
        before[k] = NULL
    for b in range(start, end):
        row = b // per
        i = (b - row * per) * BLOCK
        n = f.inner - i if f.inner - i < BLOCK else BLOCK
        for k in range(f.narrays):
            here[k] = at[k] + i * f.strides[k][inside] * f.item
        for d in range(inside - 1, -1, -1):
            rest = row % f.dims[d]
            row = row // f.dims[d]
            for k in range(f.narrays):
                here[k] += rest * f.strides[k][d] * f.item
        for k in range(f.nsteps):
            parts[k].loop = f.loops[k]
            parts[k].a = operand(f, f.first[k], here, places, tile, &parts[k].sa, &parts[k].a_step)
            parts[k].b = operand(f, f.second[k], here, places, tile, &parts[k].sb, &parts[k].b_step)
            parts[k].o = operand(f, f.to[k], here, places, tile, &unused, &parts[k].o_step)
        mxnd_tiles(parts, f.nsteps, n, tile)
        for k in range(f.nreduced):
            x = here[f.into[k]]
            if before[k] != x:                         # the next result begins
                if before[k] != NULL and not f.single[k]:
                    store(f, k, before[k], sums[k])
                    sums[k] = block_start(f.kind[k])
                before[k] = x
            x = operand(f, f.source[k], here, places, tile, &unused, &rest)
            part = block_reduce_f32(f.kind[k], <float*>x, n) if f.type == MX_F32 else block_reduce_f64(f.kind[k], <double*>x, n)
            sums[k] = block_join(f.kind[k], sums[k], part)
    for k in range(f.nreduced):
        if before[k] != NULL and not f.single[k]:
            store(f, k, before[k], sums[k])


cdef inline char* operand(Fused f, int v, char** here, char** places, Py_ssize_t tile, Py_ssize_t* stride,
                          Py_ssize_t* step) noexcept nogil:
    """Where an operand begins in this block; its stride, and its bytes from tile to tile.  places: temporaries, constants."""
    stride[0] = 1
    if v < TEMPORARY:
        stride[0] = f.strides[v][f.levels - 1]
        step[0] = tile * stride[0] * f.item
        return here[v]
    if v < CONSTANT:
        # holds one tile, or all of a block that is reduced
        step[0] = tile * f.item if f.nreduced else 0
        return places[0] + (v - TEMPORARY) * BLOCK * f.item
    stride[0] = tile == MXND_TILE_FAR
    step[0] = 0
    return places[1] + (v - CONSTANT) * MXND_TILE_FAR * f.item


# ---- steps ------------------------------------------------------------------------------------------

cdef enum:
    CALL, FUSED, COPY, POINT, CLEAR


@cython.final
cdef class Item:
    """One step: what to run, and on which arrays."""
    cdef int kind
    cdef Operator op
    cdef object params
    cdef tuple inputs
    cdef list outs
    cdef Fused fused
    cdef Plan plan               # what the operator knows of these shapes, found at the first run
    cdef bint planned            # whether it wants to know
    cdef readonly object name


cdef NDArray dense(object x):
    if (<NDArray?>x).stype_:
        raise ValueError("steps work on dense arrays")
    return <NDArray>x


def call_step(Operator op not None, params, tuple inputs, list outs, name):
    """A step that runs an operator into given arrays."""
    cdef Item s = Item.__new__(Item)
    for x in (*inputs, *outs):
        dense(x)
    s.kind, s.op, s.params, s.inputs, s.outs, s.name = CALL, op, params, inputs, outs, name
    s.planned = has_plan(op)
    return s


def fused_step(Fused fused not None, list arrays, name):
    """A step that runs a fused group on its arrays."""
    cdef Item s = Item.__new__(Item)
    if len(arrays) != fused.narrays:
        raise ValueError(f"fused_step: expected {fused.narrays} arrays, got {len(arrays)}")
    for x in arrays:
        if dense(x).type != fused.type:
            raise ValueError("fused_step: an array has a wrong dtype")
    s.kind, s.fused, s.outs, s.name = FUSED, fused, arrays, name
    return s


def copy_step(source, target, name):
    """A step that copies the elements of an array."""
    cdef Item s = Item.__new__(Item)
    if dense(source).size_ != dense(target).size_ or dense(source).type != dense(target).type:
        raise ValueError("copy_step: the arrays differ in size or dtype")
    s.kind, s.inputs, s.outs, s.name = COPY, (source,), [target], name
    return s


def point_step(source, target, name):
    """A step after which target shows the memory of source."""
    cdef Item s = <Item>copy_step(source, target, name)
    s.kind = POINT
    return s


def clear_step(target, name):
    """A step that sets every element to zero."""
    cdef Item s = Item.__new__(Item)
    s.kind, s.outs, s.name = CLEAR, [dense(target)], name
    return s


@cython.final
cdef class Steps:
    """Steps in the order they run."""
    cdef list items
    cdef readonly Py_ssize_t at          # the step that runs, for messages

    def __init__(self, list items):
        for s in items:
            if not isinstance(s, Item):
                raise TypeError("Steps: expected steps")
        self.items = list(items)

    def __len__(self):
        return len(self.items)

    def run(self, bint training):
        """Run all steps; autograd does not see them."""
        cdef Py_ssize_t k
        cdef Item s
        cdef NDArray x, y
        cdef bint was = set_recording_(False)
        try:
            for k in range(len(self.items)):
                self.at = k
                s = <Item>PyList_GET_ITEM(self.items, k)
                if s.kind == CALL:
                    if not s.planned:
                        execute(s.op, s.params, s.inputs, s.outs, training)
                        continue
                    if s.plan is None:
                        s.plan = find_plan(s.op, s.params, s.inputs)
                    run_plan(s.op, s.plan, s.inputs, s.outs, training)
                elif s.kind == FUSED:
                    s.fused.run(s.outs)
                else:
                    y = <NDArray>s.outs[0]
                    if s.kind == CLEAR:
                        memset(y.ptr, 0, y.size_ * mxnd_item[y.type])
                        continue
                    x = <NDArray>s.inputs[0]
                    if s.kind == POINT:
                        y.buf, y.ptr = x.buf, x.ptr
                    elif x.ptr != y.ptr:
                        memcpy(y.ptr, x.ptr, y.size_ * mxnd_item[y.type])
        finally:
            set_recording_(was)

    def name(self):
        """Name of the step that ran last."""
        return (<Item>self.items[self.at]).name


@cython.final
cdef class Turn:
    """Threads take turns; one may enter again while it is inside.

    Made for what is hardly ever contended: entering costs a fifth of a lock, waiting is asking again and again."""
    cdef unsigned long owner
    cdef int depth

    def enter(self):
        cdef unsigned long me = PyThread_get_thread_ident()
        while self.depth and self.owner != me:         # nobody else runs between the question and the answer
            sleep(5e-5)
        self.owner = me
        self.depth += 1

    def leave(self):
        self.depth -= 1


def block(size_t size):
    """A block of memory, as a uint8 array."""
    return empty((size,), "uint8")
