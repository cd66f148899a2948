# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Calling operators on arrays: checks, output arrays, kernels, and recording for autograd."""
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from libc.math cimport isfinite, trunc
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from .array cimport (MAXD, MX_BF16, MX_BOOL, MX_F16, MX_F32, MX_F64, MX_I64, NDArray, Node, Operator, mxnd_item, mxnd_loop, new_array,
                     new_like, same_data, same_shape, shape_of, type_name, use_dunders, use_view_recorder)
from .elementwise cimport run_broadcast, run_flat
from .plan cimport Plan, find_plan, run_plan

import warnings

import numpy as np

from ..ops.errors import MXNetError
from ..ops.shapes import show
from . import array as array_, plan as plan_

cdef extern from * nogil:
    """
    static __thread int mxnd_recording, mxnd_training;      /* autograd's flags belong to a thread */
    static int mxnd_has_zero(const char *p, ptrdiff_t n, int type) {
        ptrdiff_t i; int found = 0;
    #define SCAN(T) { const T *x = (const T *)p; for (i = 0; i < n; i++) found |= x[i] == 0; }
        switch (type) { case 3: SCAN(unsigned char) break; case 4: SCAN(int) break; case 5: SCAN(signed char) break;
                        case 6: SCAN(long long) break; default: break; }
        return found;
    }
    """
    int mxnd_recording, mxnd_training
    int mxnd_has_zero(const char*, Py_ssize_t, int)

cdef enum:
    F_GENERAL = 0
    F_UNARY = 1
    F_BINARY = 2
    F_SCALAR = 3
    F_RSCALAR = 4
    F_CAST = 5
    F_COMPOSED = 6
    F_PYTHON = 7

cdef list BINARY_OPS = [], SCALAR_OPS = [], RSCALAR_OPS = []      # in the order of Python's operators
cdef Operator part_op = None
cdef Operator reshape_op = None
special_ = None


def use_python_operators(list binary, list scalar, list rscalar, Operator part, Operator reshape):
    """Set the operators behind +, -, ... and behind views."""
    global BINARY_OPS, SCALAR_OPS, RSCALAR_OPS, part_op, reshape_op
    BINARY_OPS, SCALAR_OPS, RSCALAR_OPS = binary, scalar, rscalar
    part_op, reshape_op = part, reshape


def use_special(f):
    """Set what runs operators on sparse arrays and on other devices: f(op, inputs, given, out)."""
    global special_
    special_ = f


# ---- autograd's flags -------------------------------------------------------------------------------

cdef bint is_recording() noexcept:
    return mxnd_recording

cdef bint set_recording_(bint on) noexcept:
    global mxnd_recording
    cdef bint was = mxnd_recording
    mxnd_recording = on
    return was

cdef bint set_training_(bint on) noexcept:
    global mxnd_training
    cdef bint was = mxnd_training
    mxnd_training = on
    return was

def recording():
    return mxnd_recording != 0

def training():
    return mxnd_training != 0

def set_recording(bint on):
    return bool(set_recording_(on))

def set_training(bint on):
    return bool(set_training_(on))


# ---- recording --------------------------------------------------------------------------------------

cdef inline bint tracked(tuple inputs):
    for x in inputs:
        if (<NDArray>x).node is not None:
            return True
    return False

cdef inline int record1(Operator op, tuple inputs, tuple parents, object params, NDArray y) except -1:
    """Record a call with one output; the caller knows that some input is tracked."""
    cdef Node n = Node.__new__(Node)
    n.op, n.inputs, n.parents, n.params = op, inputs, parents, params
    n.training = mxnd_training
    if op.saves_out:
        n.outs = (same_data(y),)
    y.node = n
    return 0

cdef int record(Operator op, tuple inputs, object params, list outs, int visible) except -1:
    """Record a call with any number of outputs."""
    cdef Node n, m
    cdef int k
    if not outs or not tracked(inputs):
        return 0
    n = Node.__new__(Node)
    n.op, n.inputs, n.params = op, inputs, params
    n.parents = tuple([(<NDArray>x).node for x in inputs])
    n.training = mxnd_training
    n.outs = tuple([same_data(<NDArray>y) if (<NDArray>y).stype_ == 0 else (<object>y)._same_data() for y in outs])
    (<NDArray>outs[0]).node = n
    if visible > 1:
        n.others = []
        for k in range(1, visible):
            m = Node.__new__(Node)
            m.main, m.slot = n, k
            (<NDArray>outs[k]).node = m
            n.others.append(None)
    return 0


def record_call(Operator op not None, tuple inputs, params, list outs, int visible):
    """Record a call that ran elsewhere (sparse kernels, custom functions)."""
    if mxnd_recording:
        record(op, inputs, params, outs, visible)


cdef object view_recorder(NDArray x, NDArray y, Py_ssize_t start):
    """A view made while recording is an operator of its own."""
    if mxnd_recording and x.node is not None:
        if start == 0 and x.size_ == y.size_:
            record(reshape_op, (x,), reshape_op.decl.Params(shape_of(y)), [y], 1)
        else:
            record(part_op, (x,), part_op.decl.Params(shape_of(y), start), [y], 1)
    return y

use_view_recorder(view_recorder)


# ---- outputs given by the caller --------------------------------------------------------------------

cdef int check_out(Operator op, NDArray out, int ndim, const Py_ssize_t* dims, int type) except -1:
    cdef int i
    cdef bint ok = out.ndim_ == ndim
    for i in range(ndim if ok else 0):
        ok = ok and out.dims[i] == dims[i]
    if not ok:
        raise MXNetError(f"{op.name}: out has a wrong shape; expected {tuple([dims[i] for i in range(ndim)])}, got {out.shape}")
    if out.type != type:
        raise MXNetError(f"{op.name}: out has a wrong dtype; expected {type_name(type)}, got {type_name(out.type)}")
    if out.stype_:
        raise MXNetError(f"{op.name}: out is not a dense array on the CPU")
    if mxnd_recording and out.node is not None:
        raise MXNetError(f"{op.name}: out is part of a recorded graph and cannot be overwritten while recording")
    return 0

cdef inline bint overlaps(NDArray x, NDArray out) noexcept:
    """Whether writing out would change x before it is read: shared memory, but not the very same elements."""
    if x.buf is not out.buf:
        return False
    if x.ptr == out.ptr and x.size_ == out.size_:
        return False
    return x.ptr < out.ptr + out.size_ * mxnd_item[out.type] and out.ptr < x.ptr + x.size_ * mxnd_item[x.type]

cdef int refuse_type(Operator op, int type) except -1:
    raise MXNetError(f"{op.name}: dtype {type_name(type)} is not supported")


# ---- elementwise ------------------------------------------------------------------------------------

cdef object unary(Operator op, NDArray x, NDArray out):
    if x.stype_:
        return special_(op, (x,), (), out)
    cdef NDArray y
    cdef mxnd_loop f = op.loops[x.type]
    cdef int item = mxnd_item[x.type]
    if f == NULL or (x.type == MX_BOOL and not op.keeps_bool):
        refuse_type(op, x.type)
    if out is None:
        y = new_like(x, x.type)
    else:
        check_out(op, out, x.ndim_, x.dims, x.type)
        if overlaps(x, out):
            x = copy_of(x)
        y = out
    if x.size_ < 4096:
        f(x.ptr, 1, NULL, 0, y.ptr, x.size_)
    else:
        with nogil:
            run_flat(f, x.ptr, 1, NULL, 0, y.ptr, x.size_, item, item)
    if mxnd_recording and x.node is not None:
        record1(op, (x,), (x.node,), (), y)
    return y

cdef NDArray copy_of(NDArray x):
    cdef NDArray y = new_like(x, x.type)
    memcpy(y.ptr, x.ptr, x.size_ * mxnd_item[x.type])
    y.node = x.node
    return y

cdef int check_pair(Operator op, NDArray x, NDArray z) except -1:
    if x.type != z.type:
        raise MXNetError(f"{op.name}: inputs have different dtypes: {type_name(x.type)} and {type_name(z.type)}; "
                         "expected one dtype (use astype)")
    if op.loops[x.type] == NULL or (x.type == MX_BOOL and not op.keeps_bool):
        refuse_type(op, x.type)
    if op.refuses_zero and mxnd_has_zero(z.ptr, z.size_, z.type):
        raise ZeroDivisionError(f"{op.name}: division of whole numbers by zero")
    return 0

cdef object binary(Operator op, NDArray x, NDArray z, NDArray out):
    cdef NDArray y
    if x.stype_ | z.stype_:
        return special_(op, (x, z), (), out)
    cdef mxnd_loop f = op.loops[x.type]
    cdef int item = mxnd_item[x.type]
    check_pair(op, x, z)
    if same_shape(x, z):
        if out is None:
            y = new_like(x, x.type)
        else:
            check_out(op, out, x.ndim_, x.dims, x.type)
            if overlaps(x, out):
                x = copy_of(x)
            if overlaps(z, out):
                z = copy_of(z)
            y = out
        if x.size_ < 4096:
            f(x.ptr, 1, z.ptr, 1, y.ptr, x.size_)
        else:
            with nogil:
                run_flat(f, x.ptr, 1, z.ptr, 1, y.ptr, x.size_, item, item)
    elif op.strict:
        raise MXNetError(f"{op.name}: shapes differ; expected equal shapes, got {show(shape_of(x))} and {show(shape_of(z))}")
    else:
        y = broadcast_binary(op, x, z, out)
    if mxnd_recording and (x.node is not None or z.node is not None):
        record1(op, (x, z), (x.node, z.node), (), y)
    return y

cdef NDArray broadcast_binary(Operator op, NDArray x, NDArray z, NDArray out):
    cdef Py_ssize_t dims[MAXD]
    cdef Py_ssize_t sx[MAXD]
    cdef Py_ssize_t sz[MAXD]
    cdef Py_ssize_t dx, dz, step_x = 1, step_z = 1
    cdef int i, n = x.ndim_ if x.ndim_ > z.ndim_ else z.ndim_
    cdef int off_x = n - x.ndim_, off_z = n - z.ndim_
    cdef int item = mxnd_item[x.type]
    cdef NDArray y
    cdef mxnd_loop f = op.loops[x.type]
    for i in range(n - 1, -1, -1):
        dx = x.dims[i - off_x] if i >= off_x else 1
        dz = z.dims[i - off_z] if i >= off_z else 1
        if dx != dz and dx != 1 and dz != 1:
            raise MXNetError(f"{op.name}: shapes {show(shape_of(x))} and {show(shape_of(z))} do not broadcast")
        dims[i] = dz if dx == 1 else dx
        sx[i] = 0 if dx == 1 else step_x
        sz[i] = 0 if dz == 1 else step_z
        step_x *= dx
        step_z *= dz
    if out is None:
        y = new_array(n, dims, x.type)
        y.device, y.device_id = x.device, x.device_id
    else:
        check_out(op, out, n, dims, x.type)
        if x.buf is out.buf and (x.ptr != out.ptr or x.size_ != out.size_):
            x = copy_of(x)
        if z.buf is out.buf and (z.ptr != out.ptr or z.size_ != out.size_):
            z = copy_of(z)
        y = out
    with nogil:
        run_broadcast(f, item, n, dims, x.ptr, sx, z.ptr, sz, y.ptr)
    return y


cdef int typed_scalar(Operator op, int type, object s, char* to) except -1:
    """Write a number as an element; whole-number types truncate it first, as MXNet does."""
    cdef double d
    cdef int64_t w
    if type == MX_I64 and PyLong_CheckExact(s):
        try:
            w = s
            (<int64_t*>to)[0] = w
            return 0
        except OverflowError:
            raise MXNetError(f"{op.name}: the number {s} does not fit int64") from None
    try:
        d = s
    except OverflowError:
        raise MXNetError(f"{op.name}: a number of {len(str(s))} digits is too large; expected one that fits float64") from None
    if type == MX_F32:
        (<float*>to)[0] = <float>d
    elif type == MX_F64:
        (<double*>to)[0] = d
    else:
        if not truncation_told and trunc(d) != d and type not in (MX_F16, MX_BF16) and isfinite(d):
            tell_truncation(op, type, s)
        scalar_cast(d, type, to)
    return 0

cdef bint truncation_told = False

cdef int tell_truncation(Operator op, int type, object s) except -1:
    """Once in a process: MXNet's rule surprises those who know NumPy's."""
    global truncation_told
    truncation_told = True
    warnings.warn(f"{op.name}: the fraction of {s} is dropped, as the array is {type_name(type)}; "
                  "astype('float32') keeps it (this is said once)", stacklevel=1)
    return 0

cdef int scalar_cast(double d, int type, char* to) except -1:
    cdef NDArray a = new_array(0, NULL, MX_F64)
    (<double*>a.ptr)[0] = d
    cdef NDArray b = plan_.cast_array(a, type_name(type))
    memcpy(to, b.ptr, mxnd_item[type])
    return 0

cdef object with_scalar(Operator op, NDArray x, object s, NDArray out):
    if x.stype_:
        return special_(op, (x,), (s,), out)
    cdef char typed[8]
    cdef NDArray y
    cdef mxnd_loop f
    cdef int item
    if x.type == MX_BOOL:
        x = plan_.cast_array(x, "int64")
    f = op.loops[x.type]
    item = mxnd_item[x.type]
    if f == NULL:
        refuse_type(op, x.type)
    typed_scalar(op, x.type, s, typed)
    if op.refuses_zero and (mxnd_has_zero(typed, 1, x.type) if op.family == F_SCALAR else mxnd_has_zero(x.ptr, x.size_, x.type)):
        raise ZeroDivisionError(f"{op.name}: division of whole numbers by zero")
    if out is None:
        y = new_like(x, x.type)
    else:
        check_out(op, out, x.ndim_, x.dims, x.type)
        if overlaps(x, out):
            x = copy_of(x)
        y = out
    if op.family == F_SCALAR:
        if x.size_ < 4096:
            f(x.ptr, 1, typed, 0, y.ptr, x.size_)
        else:
            with nogil:
                run_flat(f, x.ptr, 1, typed, 0, y.ptr, x.size_, item, item)
    else:
        with nogil:
            run_flat(f, typed, 0, x.ptr, 1, y.ptr, x.size_, item, item)
    if mxnd_recording and x.node is not None:
        record1(op, (x,), (x.node,), s, y)
    return y


# ---- any operator -----------------------------------------------------------------------------------

cdef int check_inputs(Operator op, tuple inputs) except -1:
    """0: dense arrays on the CPU; 1: some are special; raises for anything else."""
    cdef int special = 0, k
    for k, x in enumerate(inputs):
        if not isinstance(x, NDArray):
            names = op.decl.inputs
            raise AssertionError(f"{op.name}: argument {names[k] if k < len(names) else 'data'!r} has a wrong type; "
                                 f"expected NDArray, got {type(x).__name__}")
        special |= (<NDArray>x).stype_
    return special != 0

cdef tuple without_none(tuple inputs):
    for x in inputs:
        if x is None:
            return tuple([x for x in inputs if x is not None])
    return inputs

cdef object call(Operator op, tuple inputs, object given, object out, bint all_outputs):
    """Run an operator of any family; given: its parameters, raw in order or checked."""
    cdef Plan p
    cdef list outs
    cdef NDArray x, y
    cdef int k
    inputs = without_none(inputs)
    k = check_inputs(op, inputs)
    if op.family == F_PYTHON:
        got = op.decl.run(op, inputs, given, out)
        return got if all_outputs or len(got) > 1 else got[0]
    if k:
        return special_(op, inputs, given, out)
    if op.family != F_GENERAL and op.family < F_CAST:
        if not op.decl.params or op.family >= F_SCALAR:
            return elementwise(op, inputs, given, out)
        if len(inputs) == 1 and (<NDArray>inputs[0]).type == MX_BOOL and not op.keeps_bool:
            refuse_type(op, MX_BOOL)
    if op.mode or op.random:
        given = given if isinstance(given, op.decl.Params) else tuple(given)
    p = find_plan(op, given, inputs)
    if op.family == F_COMPOSED:
        return composed(op, p, inputs, out)
    outs = []
    if out is None:
        for k in range(p.nout):
            y = new_array(p.ndims[k], p.dims + k * MAXD, p.types[k])
            if p.nin:                                      # results stay on the context of the first input
                x = <NDArray>inputs[0]
                y.device, y.device_id = x.device, x.device_id
            outs.append(y)
        run_plan(op, p, inputs, outs, mxnd_training)
    else:
        outs = given_outs(op, p, out)
        run_with_out(op, p, inputs, outs)
    if mxnd_recording:
        record(op, inputs, p.params, outs, p.visible)
    if all_outputs:
        return outs
    if out is not None:
        return out
    return outs[0] if p.visible == 1 else outs[:p.visible]

cdef list given_outs(Operator op, Plan p, object out):
    """The caller's arrays, then fresh ones for hidden outputs."""
    cdef int k
    given = list(out) if isinstance(out, (list, tuple)) else [out]
    if len(given) not in (p.visible, p.nout):
        raise MXNetError(f"{op.name}: wrong number of out arrays; expected {p.visible}, got {len(given)}")
    for k, y in enumerate(given):
        if not isinstance(y, NDArray):
            raise TypeError(f"{op.name}: out has a wrong type; expected NDArray, got {type(y).__name__}")
        check_out(op, <NDArray>y, p.ndims[k], p.dims + k * MAXD, p.types[k])
    for k in range(len(given), p.nout):
        given.append(new_array(p.ndims[k], p.dims + k * MAXD, p.types[k]))
    return given

cdef int run_with_out(Operator op, Plan p, tuple inputs, list outs) except -1:
    """Kernels never see an output that is also an input, unless they say that they can."""
    cdef NDArray x, y
    cdef bint clash = False
    cdef list fresh
    for y_ in outs:
        y = <NDArray>y_
        for x_ in inputs:
            x = <NDArray>x_
            if x.buf is y.buf and not (op.inplace and x.ptr == y.ptr and x.size_ == y.size_):
                clash = True
    if not clash:
        return run_plan(op, p, inputs, outs, mxnd_training)
    fresh = [new_like(<NDArray>y_, (<NDArray>y_).type) for y_ in outs]
    run_plan(op, p, inputs, fresh, mxnd_training)
    for a, b in zip(outs, fresh):
        memcpy((<NDArray>a).ptr, (<NDArray>b).ptr, (<NDArray>b).size_ * mxnd_item[(<NDArray>b).type])
    return 0

cdef object composed(Operator op, Plan p, tuple inputs, object out):
    """An operator that is a formula of others."""
    got = op.decl.formula_of(p.params, inputs)
    if isinstance(got, (list, tuple)):
        got = list(got)[:p.visible] if p.visible > 1 else got[0]
    if out is None:
        return got
    for a, b in zip(out if isinstance(out, (list, tuple)) else [out], got if isinstance(got, list) else [got]):
        if not isinstance(a, NDArray):
            raise TypeError(f"{op.name}: out has a wrong type; expected NDArray, got {type(a).__name__}")
        if (<NDArray?>b).stype_:
            b = b.tostype("default")
        check_out(op, <NDArray?>a, (<NDArray>b).ndim_, (<NDArray>b).dims, (<NDArray>b).type)
        memcpy((<NDArray>a).ptr, (<NDArray>b).ptr, (<NDArray>b).size_ * mxnd_item[(<NDArray>b).type])
        (<NDArray>a).node = (<NDArray>b).node
    return out

cdef object elementwise(Operator op, tuple inputs, object given, object out):
    cdef NDArray o = None
    cdef int expected = 2 if op.family == F_BINARY else 1
    if len(inputs) != expected:
        raise MXNetError(f"{op.name}: wrong number of inputs; expected {expected} ({', '.join(op.decl.inputs)}), "
                         f"got {len(inputs)}")
    if out is not None:
        if isinstance(out, (list, tuple)) and len(out) == 1:
            out = out[0]
        if not isinstance(out, NDArray):
            raise TypeError(f"{op.name}: out has a wrong type; expected NDArray, got {type(out).__name__}")
        o = <NDArray>out
    if op.family == F_UNARY:
        return unary(op, <NDArray>inputs[0], o)
    if op.family == F_BINARY:
        return binary(op, <NDArray>inputs[0], <NDArray>inputs[1], o)
    scalar = given[0] if given else 1.0
    if type(scalar) is not float and type(scalar) is not int:
        scalar = op.decl.pack({"scalar": scalar}).scalar
    return with_scalar(op, <NDArray>inputs[0], scalar, o)

cdef bint has_plan(Operator op) noexcept:
    """Whether `execute` looks for a plan."""
    return not (op.family == F_BINARY or op.family == F_SCALAR or op.family == F_RSCALAR
                or op.family == F_UNARY and not op.decl.params)


cdef int execute(Operator op, object params, tuple inputs, list outs, bint training) except -1:
    """Run into given arrays that are known to fit, without recording; for graph runners."""
    if op.family == F_UNARY and not op.decl.params:
        unary(op, <NDArray>inputs[0], <NDArray>outs[0])
    elif op.family == F_BINARY:
        binary(op, <NDArray>inputs[0], <NDArray>inputs[1], <NDArray>outs[0])
    elif op.family == F_SCALAR or op.family == F_RSCALAR:
        with_scalar(op, <NDArray>inputs[0], params[0], <NDArray>outs[0])
    else:
        run_plan(op, find_plan(op, params, inputs), inputs, outs, training)
    return 0


# ---- what Python calls ------------------------------------------------------------------------------

def call1(Operator op not None, data, out=None):
    """A unary operator without parameters."""
    if type(data) is NDArray and out is None:
        return unary(op, <NDArray>data, None)
    return call(op, (data,) if data is not None else (), (), out, False)

def call2(Operator op not None, lhs, rhs, out=None):
    """A binary operator."""
    if type(lhs) is NDArray and type(rhs) is NDArray and out is None:
        return binary(op, <NDArray>lhs, <NDArray>rhs, None)
    return call(op, (lhs, rhs), (), out, False)

def calls(Operator op not None, data, scalar, out=None):
    """An operator of an array and a number."""
    return call(op, (data,), (scalar,), out, False)

def calln(Operator op not None, tuple inputs, tuple given, out=None):
    """Any operator: inputs (None where not given), parameters in order."""
    return call(op, inputs, given, out, False)

def invoke(Operator op not None, tuple inputs, params, out=None, bint all_outputs=False):
    """Any operator, from checked parameters; all_outputs: hidden ones too, as a list."""
    return call(op, inputs, params, out, all_outputs)

def apply(decl, tuple inputs, params):
    """What formulas call."""
    return call(<Operator>decl.core, inputs, params, None, False)

array_.use_apply(apply)


# ---- Python's operators -----------------------------------------------------------------------------

cdef object number_or_array(NDArray x, object other):
    """A Python number, an NDArray, or None when other is neither."""
    if PyFloat_CheckExact(other) or PyLong_CheckExact(other):
        return other
    if isinstance(other, (NDArray, float)):
        return other
    if isinstance(other, int):
        return int(other)
    if isinstance(other, np.generic) and other.dtype.kind in "fiub":
        return other.item()
    if isinstance(other, np.ndarray):
        return array_.from_numpy_copy(other, type_name(x.type))
    return None

cdef object refuse_operand(object other):
    raise TypeError(f"operand of type {type(other).__name__} is not supported; expected a number, an NDArray or a NumPy array")

cdef object forward(NDArray x, object other, int k):
    if type(other) is NDArray:
        return binary(<Operator>BINARY_OPS[k], x, <NDArray>other, None)
    if PyFloat_CheckExact(other) or PyLong_CheckExact(other):
        return with_scalar(<Operator>SCALAR_OPS[k], x, other, None)
    o = number_or_array(x, other)
    if o is None:
        if hasattr(type(other), "_mxnd_reflected"):
            return NotImplemented
        return refuse_operand(other)
    if isinstance(o, NDArray):
        return binary(<Operator>BINARY_OPS[k], x, <NDArray>o, None)
    return with_scalar(<Operator>SCALAR_OPS[k], x, o, None)

cdef object reflected(NDArray x, object other, int k):
    o = number_or_array(x, other)
    if o is None:
        return refuse_operand(other)
    if isinstance(o, NDArray):
        return binary(<Operator>BINARY_OPS[k], <NDArray>o, x, None)
    return with_scalar(<Operator>RSCALAR_OPS[k], x, o, None)

cdef object inplace(NDArray x, object other, int k):
    if mxnd_recording:
        raise MXNetError("in-place arithmetic is not supported while autograd records; write x = x + y")
    o = number_or_array(x, other)
    if o is None:
        return refuse_operand(other)
    if x.stype_:
        return x._inplace(k, o)
    if isinstance(o, NDArray):
        return binary(<Operator>BINARY_OPS[k], x, <NDArray>o, x)
    return with_scalar(<Operator>SCALAR_OPS[k], x, o, x)

use_dunders(forward, reflected, inplace)
