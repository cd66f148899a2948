# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Operators and their plans: what the Python rules worked out, kept for the next call."""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.tuple cimport PyTuple_GET_ITEM
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, strcmp

from .array cimport (MAXD, MX_BF16, MX_F16, MX_I32, MX_I64, MX_I8, MX_U8, MX_F32, MX_F64, MX_INDEX_ERROR, MX_MEMORY_ERROR, MX_OK,
                     MX_VALUE_ERROR, NDArray, Operator, mxnd_call, mxnd_item, mxnd_kernel, mxnd_loop,
                     mxnd_row, mxnd_tensor, new_array, shape_of, type_code, type_name)
from .elementwise cimport run_flat
from .memory cimport scratch, scratch_done
from .threads cimport max_threads

from ..ops.errors import MXNetError, MXNetIndexError
from ..ops.shapes import known, same, show

cdef enum:
    RECENT = 4
    MOST_PLANS = 512
    UNLOCK = 16384                       # bytes from which on other Python threads may run meanwhile
    FEW = 16

cdef mxnd_row* ROWS = NULL
cdef mxnd_loop[9][9] CASTS
cdef dict KERNELS = {}
cdef dict RANGES = {MX_U8: (0.0, 255.0), MX_I8: (-128.0, 127.0), MX_I32: (-2.0**31, 2.0**31 - 1), MX_I64: (-2.0**63, 2.0**63 - 1024)}
FAMILIES = ("general", "unary", "binary", "scalar", "rscalar", "cast", "composed", "python")


def use_tables(rows, casts, dict kernels):
    """Set the loops and kernels for this machine."""
    global ROWS
    ROWS = <mxnd_row*>PyCapsule_GetPointer(rows, "mxnd.rows")
    memcpy(CASTS, PyCapsule_GetPointer(casts, "mxnd.casts"), sizeof(CASTS))
    KERNELS.update(kernels)


def link(decl):
    """The compiled operator of a declaration."""
    cdef Operator op = Operator.__new__(Operator)
    cdef mxnd_row* row = ROWS
    op.name, op.decl = decl.name, decl
    op.plans, op.recent = {}, []
    family = "composed" if decl.compose else "cast" if decl.kernel == "cast" else decl.family
    op.family = FAMILIES.index(family)
    if decl.c is not None:
        want = decl.loop.encode()
        while row.name != NULL and strcmp(row.name, want):
            row += 1
        if row.name == NULL:
            raise ImportError(f"operator {decl.name}: no loop {decl.loop!r} in the compiled core")
        op.loops = row.loop
    elif op.family == 0:
        if decl.kernel in KERNELS:
            op.kernel = <mxnd_kernel>PyCapsule_GetPointer(KERNELS[decl.kernel], "mxnd.kernel")
    op.mode, op.random = decl.uses_mode, decl.random
    op.saves_out = True
    op.composed = op.family == 6
    op.differentiable = decl.grad is not None
    op.inplace = getattr(decl, "inplace", False)
    op.refuses_zero = getattr(decl, "refuses_zero", False)
    op.keeps_bool = getattr(decl, "bools", False)
    op.strict = op.family == 2 and decl.shapes is same
    for name in decl.kernel_types or ():
        op.types_mask |= 1 << type_code(name)
    decl.core = op
    return op


def has_kernel(name):
    """Whether the compiled core has a kernel of this name."""
    return name in KERNELS or name == "cast"


@cython.final
@cython.freelist(64)
cdef class Plan:
    def __dealloc__(self):
        free(self.dims)
        free(self.ndims)
        free(self.types)
        free(self.whole)
        free(self.real)


# ---- finding a plan ---------------------------------------------------------------------------------

cdef bint same_given(object a, object b) except -1:
    """Whether two parameter tuples are the same, types and signs of zero included."""
    cdef Py_ssize_t i
    cdef PyObject* x
    cdef PyObject* y
    cdef double u, v
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        if len(<tuple>a) != len(<tuple>b):
            return False
        for i in range(len(<tuple>a)):
            x = PyTuple_GET_ITEM(a, i)
            y = PyTuple_GET_ITEM(b, i)
            if x != y and not same_given(<object>x, <object>y):
                return False
        return True
    if PyFloat_CheckExact(a):
        u, v = PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b)
        return memcmp(&u, &v, 8) == 0
    return a == b


cdef Plan find_plan(Operator op, object given, tuple inputs):
    cdef Py_ssize_t few[FEW * 6]
    cdef Py_ssize_t* sig = few
    cdef Py_ssize_t length = 0
    cdef NDArray x
    cdef Plan p
    cdef int i, k
    for o in inputs:
        length += 2 + (<NDArray>o).ndim_
    if length > FEW * 6:
        sig = <Py_ssize_t*>malloc(length * sizeof(Py_ssize_t))
        if sig == NULL:
            raise MemoryError
    length = 0
    for o in inputs:
        x = <NDArray>o
        sig[length] = x.type
        sig[length + 1] = x.ndim_
        length += 2
        for k in range(x.ndim_):
            sig[length] = x.dims[k]
            length += 1
    length *= sizeof(Py_ssize_t)
    try:
        for i in range(len(op.recent)):
            p = <Plan>op.recent[i]
            if PyBytes_GET_SIZE(p.key) == length and memcmp(PyBytes_AS_STRING(p.key), sig, length) == 0 \
                    and same_given(p.given, given):
                if i:
                    op.recent[i] = op.recent[0]
                    op.recent[0] = p
                return p
        sigbytes = PyBytes_FromStringAndSize(<char*>sig, length)
    finally:
        if sig != few:
            free(sig)
    try:
        hit = op.plans.get((given, sigbytes))
    except TypeError:                                   # a list inside: as a tuple it can be a key
        given = hashable(given)
        try:
            hit = op.plans.get((given, sigbytes))
        except TypeError:
            return make_plan(op, given, inputs, sigbytes)
    if hit is not None and same_given((<Plan>hit).given, given):
        p = <Plan>hit
    else:
        p = make_plan(op, given, inputs, sigbytes)
        if len(op.plans) >= MOST_PLANS:
            op.plans.clear()
        op.plans[given, sigbytes] = p
    op.recent.insert(0, p)
    del op.recent[RECENT:]
    return p


cdef object hashable(object v):
    if isinstance(v, list) or type(v) is tuple:
        return tuple([hashable(i) for i in v])
    return v


cdef Plan make_plan(Operator op, object given, tuple inputs, bytes key):
    """Run the declaration's rules."""
    decl = op.decl
    cdef Plan p = Plan.__new__(Plan)
    cdef int i, k
    p.given, p.key, p.nin = given, key, len(inputs)
    if isinstance(given, decl.Params):
        p.params = given
    else:
        named = dict(zip(decl.params, given))
        if decl.variadic and type(named.get(decl.variadic)) is not int:
            named[decl.variadic] = p.nin
        p.params = decl.pack(named)
    if decl.variadic and not p.nin:
        raise MXNetError(f"{op.name}: no inputs; expected at least 1 array")
    names = decl.input_names(p.params, p.nin)
    if len(names) != p.nin:
        raise MXNetError(f"{op.name}: wrong number of inputs; expected {len(names)} ({', '.join(names)}), got {p.nin}")
    ins = [shape_of(<NDArray>x) for x in inputs]
    in_types = [type_name((<NDArray>x).type) for x in inputs]
    p.nout = len(decl.output_names(p.params))
    p.visible = decl.visible_outputs(p.params)
    if op.composed and not getattr(decl, "checks", False):          # else the operators of the formula check what they get
        if decl.shapes is not None:
            decl.infer_shapes(p.params, list(ins))
        return p
    in_types_, out_types = decl.infer_types(p.params, list(in_types))
    for i in range(p.nin):
        if in_types_[i] is not None and in_types_[i] != in_types[i]:
            raise MXNetError(f"{op.name}: input {names[i]!r} has a wrong dtype; expected {in_types_[i]}, got {in_types[i]}")
    ins_, outs = decl.infer_shapes(p.params, list(ins))
    for i in range(p.nin):
        if ins_[i] is not None and tuple(ins_[i]) != ins[i]:
            raise MXNetError(f"{op.name}: input {names[i]!r} has a wrong shape; expected {show(ins_[i])}, got {show(ins[i])}")
    if op.composed:
        return p
    p.ndims = <int*>calloc(p.nout + 1, sizeof(int))
    p.types = <int*>calloc(p.nout + 1, sizeof(int))
    p.dims = <Py_ssize_t*>calloc((p.nout + 1) * MAXD, sizeof(Py_ssize_t))
    if p.ndims == NULL or p.types == NULL or p.dims == NULL:
        raise MemoryError
    for k in range(p.nout):
        shape, t = outs[k], out_types[k]
        if not known(shape):
            raise MXNetError(f"{op.name}: the shape of output {k} cannot be worked out from input shapes "
                             f"{', '.join(map(show, ins)) or 'none'}")
        if t is None:
            raise MXNetError(f"{op.name}: the dtype of output {k} cannot be worked out")
        if len(shape) > MAXD:
            raise MXNetError(f"{op.name}: too many dimensions; expected at most {MAXD}, got {len(shape)}")
        if any([d < 0 for d in shape]):
            raise MXNetError(f"{op.name}: output {k} would have a negative dimension: {show(shape)}")
        if any([d >= 1 << 63 for d in shape]):
            raise MXNetError(f"{op.name}: output {k} would be too large; expected dimensions of 63 bits, got {show(shape)}")
        p.ndims[k] = len(shape)
        p.types[k] = type_code(t)
        for i in range(len(shape)):
            p.dims[k * MAXD + i] = shape[i]
    p.idle = op.random and getattr(decl, "idle", None) is not None and decl.idle(p.params, False)
    check_types(op, p, inputs)
    fill_arguments(op, p, ins, outs)
    return p


cdef int check_types(Operator op, Plan p, tuple inputs) except -1:
    """16-bit floats are converted around kernels that compute in float32; other dtypes are refused."""
    cdef int t, i
    if not op.types_mask:
        return 0
    types = [(<NDArray>x).type for x in inputs] + [p.types[i] for i in range(p.nout)]
    for i, t in enumerate(types):
        if op.types_mask >> t & 1:
            continue
        if (t == MX_F16 or t == MX_BF16) and op.types_mask >> MX_F32 & 1:
            p.convert = True
        elif i == 0 or i == p.nin:
            raise MXNetError(f"{op.name}: dtype {type_name(t)} is not supported; "
                             f"expected {' or '.join(op.decl.kernel_types)}")
    return 0


cdef int fill_arguments(Operator op, Plan p, list ins, list outs) except -1:
    decl = op.decl
    if decl.arguments is not None:
        try:
            numbers = decl.arguments(p.params, [tuple(s) for s in ins], [tuple(s) for s in outs])
        except (ValueError, IndexError, OverflowError, ZeroDivisionError) as e:
            raise MXNetError(f"{op.name}: {e}") from None
    elif op.family == 1:
        numbers = [float(v) for v in p.params]
        if getattr(decl, "clips", False) and p.types[0] in RANGES:         # bounds outside the type do not wrap around
            low, high = RANGES[p.types[0]]
            numbers = [min(max(v, low), high) for v in numbers]
    else:
        numbers = []
    whole = [v for v in numbers if not isinstance(v, float)]
    real = [v for v in numbers if isinstance(v, float)]
    p.whole = <int64_t*>malloc((len(whole) + 1) * sizeof(int64_t))
    p.real = <double*>malloc((len(real) + 1) * sizeof(double))
    if p.whole == NULL or p.real == NULL:
        raise MemoryError
    cdef int i
    for i in range(len(whole)):
        try:
            p.whole[i] = whole[i]
        except OverflowError:
            raise MXNetError(f"{op.name}: a parameter is too large; expected one of 64 bits, got {whole[i]}") from None
    for i in range(len(real)):
        p.real[i] = real[i]
    return 0


# ---- running a plan ---------------------------------------------------------------------------------

cdef uint64_t seed_, stream_

cdef void set_seed(uint64_t seed) noexcept:
    global seed_, stream_
    seed_ = seed
    stream_ = 0


def seed(unsigned long long value):
    """Start the random numbers over from a seed."""
    set_seed(value)


def random_state():
    """(seed, numbers drawn so far)."""
    return seed_, stream_


def go_on_from(unsigned long long seed, unsigned long long drawn):
    """Go on with the random numbers that follow a state, as `random_state` gave it."""
    global seed_, stream_
    seed_, stream_ = seed, drawn


cdef inline void describe(mxnd_tensor* t, NDArray x) noexcept:
    t.data = x.ptr
    t.shape = x.dims
    t.size = x.size_
    t.ndim = x.ndim_
    t.type = x.type


cdef int run_plan(Operator op, Plan p, tuple inputs, list outs, bint training) except -1:
    """Run the kernel of a general operator on arrays that fit the plan."""
    global stream_
    cdef mxnd_tensor few[FEW]
    cdef mxnd_tensor* t = few
    cdef mxnd_call c
    cdef int i, status
    cdef int n = p.nin + len(outs)
    cdef Py_ssize_t work = 0
    cdef mxnd_kernel kernel = op.kernel
    if op.family == 5:
        cast(<NDArray>inputs[0], <NDArray>outs[0])
        return 0
    if op.family == 1:
        unary_with_params(op, p, <NDArray>inputs[0], <NDArray>outs[0])
        return 0
    if kernel == NULL:
        raise MXNetError(f"{op.name}: this build has no kernel {op.decl.kernel!r}")
    if p.convert:
        return run_converted(op, p, inputs, outs, training)
    if n > FEW:
        t = <mxnd_tensor*>malloc(n * sizeof(mxnd_tensor))
        if t == NULL:
            raise MemoryError
    for i in range(p.nin):
        describe(t + i, <NDArray>inputs[i])
        work += t[i].size * mxnd_item[t[i].type]
    for i in range(p.nin, n):
        describe(t + i, <NDArray>outs[i - p.nin])
        work += t[i].size * mxnd_item[t[i].type]
    c.inp, c.out = t, t + p.nin
    c.nin, c.nout = p.nin, n - p.nin
    c.i, c.d = p.whole, p.real
    c.threads = max_threads()
    c.training = training
    c.take, c.give = scratch, scratch_done
    c.error = NULL
    c.at = c.bound = 0
    c.seed = seed_
    c.stream = stream_
    if op.random and (training or not p.idle):             # without it the numbers to come are the same
        for i in range(p.nin, n):
            stream_ += t[i].size
        stream_ += 1
    if work < UNLOCK:
        status = kernel(&c)
    else:
        with nogil:
            status = kernel(&c)
    if t != few:
        free(t)
    if status != MX_OK:
        raise_status(op, status, &c)
    return 0


cdef int raise_status(Operator op, int status, mxnd_call* c) except -1:
    text = (<bytes>c.error).decode() if c.error != NULL else "failed"
    if status == MX_INDEX_ERROR:
        raise MXNetIndexError(f"{op.name}: index {c.at} is out of bounds for size {c.bound}"
                         + (f" ({text})" if c.error != NULL else ""))
    if status == MX_MEMORY_ERROR:
        raise MemoryError(f"{op.name}: {text}")
    if status == MX_VALUE_ERROR:
        raise ValueError(f"{op.name}: {text}")
    if c.bound:
        text += f" (matrix {c.at} of {c.bound})"
    raise MXNetError(f"{op.name}: {text}")


cdef int cast(NDArray x, NDArray y) except -1:
    cdef mxnd_loop f = CASTS[x.type][y.type]
    with nogil:
        run_flat(f, x.ptr, 1, NULL, 0, y.ptr, x.size_, mxnd_item[x.type], mxnd_item[y.type])
    return 0


def cast_array(NDArray x not None, dtype):
    """A copy of x with another dtype, outside autograd."""
    cdef NDArray y = new_array(x.ndim_, x.dims, type_code(dtype))
    cast(x, y)
    return y


def cast_into(NDArray x not None, NDArray y not None):
    """Copy the elements of x into y, converted."""
    if x.size_ != y.size_:
        raise ValueError(f"copy: sizes differ; expected {y.size_} elements, got {x.size_}")
    cast(x, y)


cdef int unary_with_params(Operator op, Plan p, NDArray x, NDArray y) except -1:
    """Elementwise with numeric parameters: they arrive typed, as the second operand of stride 0."""
    cdef char typed[8 * 8]
    cdef int k
    cdef mxnd_loop f = op.loops[x.type]
    if f == NULL:
        raise MXNetError(f"{op.name}: dtype {type_name(x.type)} is not supported")
    for k in range(len(p.params)):
        CASTS[MX_F64][x.type](<char*>&p.real[k], 0, NULL, 0, typed + k * mxnd_item[x.type], 1)
    with nogil:
        run_flat(f, x.ptr, 1, typed, 0, y.ptr, x.size_, mxnd_item[x.type], mxnd_item[x.type])
    return 0


cdef int run_converted(Operator op, Plan p, tuple inputs, list outs, bint training) except -1:
    """Around a kernel that computes in float32: 16-bit arrays go in and come out converted."""
    cdef NDArray x, y
    cdef Plan q = Plan.__new__(Plan)
    wide_in, wide_out = [], []
    for o in inputs:
        x = <NDArray>o
        wide_in.append(cast_array(x, "float32") if x.type == MX_F16 or x.type == MX_BF16 else x)
    for o in outs:
        y = <NDArray>o
        wide_out.append(new_array(y.ndim_, y.dims, MX_F32) if y.type == MX_F16 or y.type == MX_BF16 else y)
    q.nin = p.nin
    q.params = p.params
    q.idle = p.idle
    q.whole, q.real = p.whole, p.real
    try:
        run_plan(op, q, tuple(wide_in), wide_out, training)
    finally:
        q.whole = NULL
        q.real = NULL
    for o, w in zip(outs, wide_out):
        if o is not w:
            cast(<NDArray>w, <NDArray>o)
    if op.decl.mutates:
        for name, o, w in zip(op.decl.input_names(p.params, p.nin), inputs, wide_in):
            if o is not w and name in op.decl.mutates:
                cast(<NDArray>w, <NDArray>o)
    return 0
