# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Walking the tape backward: gradients of recorded calls by the declared formulas."""
from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

from .array cimport NDArray, Node, Operator, mxnd_item, new_view, same_shape, shape_of, type_name
from .block cimport one_pass
from .call cimport call, is_recording, set_recording_, set_training_

import threading

from ..ops.errors import MXNetError
from ..ops.shapes import show

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject*)

cdef long walk = 0
cdef int depth = 0                     # walks that are going on: a Function's backward may start another
cdef Operator add_op = None
cdef Operator ones_op = None
cdef Operator zeros_op = None
to_dense_ = to_storage_ = None


def use_operators(Operator add, Operator ones, Operator zeros):
    """Set the operators that sums and missing head gradients need."""
    global add_op, ones_op, zeros_op
    add_op, ones_op, zeros_op = add, ones, zeros


def use_storage(to_dense, to_storage):
    """Set how gradients change between dense and sparse storage."""
    global to_dense_, to_storage_
    to_dense_, to_storage_ = to_dense, to_storage


cdef inline Node main_of(Node n):
    return n if n.main is None else n.main


cdef list order(list heads, bint released_is_error):
    """Nodes that the heads depend on, inputs before outputs; no recursion."""
    global walk
    walk += 1
    cdef list out = [], stack = []
    cdef Node n, p
    for h in reversed(heads):
        stack.append(main_of(<Node>h))
    while stack:
        n = <Node>stack[len(stack) - 1]
        if n.mark == walk:
            stack.pop()
            continue
        if n.mark == -walk:                 # its inputs are done
            n.mark = walk
            out.append(n)
            stack.pop()
            continue
        if n.released:
            if released_is_error:
                raise MXNetError("backward: the array is not in a computational graph any more: it was freed by an earlier "
                                 "backward; expected retain_graph=True there")
            n.mark = walk
            stack.pop()
            continue
        n.mark = -walk
        if n.parents is not None:
            for q in reversed(n.parents):
                if q is not None:
                    p = main_of(<Node>q)
                    if p.mark != walk:
                        stack.append(p)
    return out


cdef NDArray head_gradient(NDArray y, object g):
    if g is None:
        return <NDArray>call(ones_op, (y,), (), None, False)
    if not isinstance(g, NDArray):
        raise TypeError(f"backward: a head gradient has a wrong type; expected NDArray or None, got {type(g).__name__}")
    if not same_shape(y, <NDArray>g):
        raise MXNetError(f"backward: a head gradient has a wrong shape; expected {show(y.shape)}, got {show(g.shape)}")
    if (<NDArray>g).type != y.type:
        g = g._cast(type_name(y.type))
    return <NDArray>g


cdef int give(Node to, NDArray g, bint owned) except -1:
    """Add g to the gradient of a node's output."""
    cdef Node m = main_of(to)
    cdef int slot = to.slot
    cdef object had
    if m.grads is None:
        m.grads = [None] * (2 if m.others is None else 2 + 2 * len(m.others))      # gradient, whether it is ours
    had = m.grads[2 * slot]
    if had is None:
        m.grads[2 * slot] = g
        m.grads[2 * slot + 1] = owned
    elif m.grads[2 * slot + 1] is True and not is_recording() and not (<NDArray>had).stype_ and not g.stype_ \
            and same_shape(<NDArray>had, g):
        call(add_op, (had, g), (), had, False)
    else:
        m.grads[2 * slot] = had + g
        m.grads[2 * slot + 1] = True
    return 0


cdef NDArray saved_output(Node n, int k, bint linked):
    """Output k again; with create_graph it is linked to the graph."""
    cdef NDArray y = <NDArray>n.outs[k]
    cdef NDArray z
    if not linked or y.stype_:
        return y
    z = new_view(y, y.ptr, y.ndim_, y.dims)
    if k == 0:
        z.node = n
    elif n.others is not None and k <= len(n.others):
        z.node = Node.__new__(Node)
        z.node.main, z.node.slot = n, k
    return z


cdef tuple linked_inputs(Node n):
    """The inputs with the nodes they had at the time of the call."""
    cdef NDArray x, z
    cdef list out = []
    for x_, p in zip(n.inputs, n.parents):
        x = <NDArray>x_
        if x.node is not p and not x.stype_:
            z = new_view(x, x.ptr, x.ndim_, x.dims)
            z.node = <Node>p
            x = z
        out.append(x)
    return tuple(out)


cdef object params_of(Node n):
    if n.op.family == 3 or n.op.family == 4:
        return n.op.decl.Params(n.params, True)
    return n.params


cdef int propagate(Node n, bint create_graph) except -1:
    """Pass a node's gradients on to its inputs."""
    cdef int k, visible = 1 if n.others is None else 1 + len(n.others)
    cdef list gs = []
    cdef Node p
    cdef NDArray y
    cdef object part
    cdef tuple outs = (None,) if n.outs is None else n.outs
    if not n.op.differentiable:
        return 0
    cdef bint zero = False                              # the gradients are: only the states move
    if n.grads is None:
        alone = n.op.decl.acts_alone(params_of(n))
        if alone is None or n.linked:
            return 0
        zero = alone == "state"
        n.grads = [None] * (2 * visible)
    n.linked = n.linked or create_graph
    if not create_graph and visible == 1 and n.grads[0] is not None and one_pass(n, <NDArray>n.grads[0], give):
        return 0
    for k in range(len(outs)):
        if k < visible and n.grads[2 * k] is None and outs[k] is not None:
            gs.append(call(zeros_op, (outs[k],), (), None, False))
        else:
            gs.append(n.grads[2 * k] if k < visible else None)
    n.grads = None
    xs = linked_inputs(n)
    ys = outs if n.outs is None else tuple([saved_output(n, k, create_graph) for k in range(len(outs))])
    parts = n.op.decl.gradients(params_of(n), tuple(gs), xs, ys)
    del gs
    k = 0
    for part in parts:
        if k >= len(n.parents):
            break
        p = <Node>n.parents[k]
        k += 1
        if p is None or part is None or not main_of(p).needed:
            continue
        if not isinstance(part, NDArray):
            part = part()
            if part is None:
                continue
        if zero:
            continue
        y = <NDArray>n.inputs[k - 1]
        if not same_shape(<NDArray>part, y):
            raise MXNetError(f"{n.op.name}: the gradient for input {k - 1} has a wrong shape; "
                             f"expected {show(shape_of(y))}, got {show(part.shape)}")
        if (<NDArray>part).type != y.type:
            part = part._cast(type_name(y.type))
        give(p, <NDArray>part, False)
    return 0


cdef list run(list heads, list head_grads, list variables, bint retain, bint create_graph, bint train_mode):
    """Gradients of the heads: into leaves' buffers, or returned when variables are given."""
    cdef Node n
    cdef NDArray y
    cdef list nodes, starts = []
    cdef bint any_leaf = False
    for h in heads:
        if not isinstance(h, NDArray):
            raise AssertionError(f"backward: a head has a wrong type; expected NDArray, got {type(h).__name__}")
        if (<NDArray>h).node is None:
            raise MXNetError("backward: the array is not in a computational graph: it was not recorded, or depends on no "
                             "array with a gradient; expected one made inside autograd.record() from attached arrays")
        starts.append((<NDArray>h).node)
    nodes = order(starts, True)
    cdef list outer = [(n_, (<Node>n_).grads, (<Node>n_).needed) for n_ in nodes] if depth > 1 else []
    for n_ in nodes:
        (<Node>n_).grads = None
        (<Node>n_).needed = False
    wanted = None
    if variables is not None:
        wanted = []
        for v in variables:
            n = (<NDArray?>v).node
            if n is None or main_of(n).mark != walk:
                raise MXNetError("grad: a variable is not in the graph of the heads; expected arrays the heads depend on")
            wanted.append(n)
            main_of(n).needed = True
    for n_ in nodes:
        n = <Node>n_
        if n.op is None:
            if variables is None and n.grad_req:
                n.needed = any_leaf = True
        else:
            for q in n.parents:
                if q is not None and main_of(<Node>q).needed:
                    n.needed = True
                    break
    if variables is None and not any_leaf:
        raise MXNetError("backward: no inputs of the graph require gradients; "
                         "expected attach_grad with grad_req 'write' or 'add'")
    cdef bint was_recording = set_recording_(create_graph)
    cdef bint was_training = set_training_(train_mode)
    results = [None] * (len(variables) if variables is not None else 0)
    try:
        for h, g in zip(heads, head_grads):
            n = (<NDArray>h).node
            give(n, head_gradient(<NDArray>h, g), False)
        while nodes:
            n = <Node>nodes.pop()
            if wanted is not None and n.grads is not None:
                for i in range(len(wanted)):
                    if main_of(<Node>wanted[i]) is n:
                        results[i] = n.grads[2 * (<Node>wanted[i]).slot]
            if n.op is None:
                if variables is None and n.grad_req:
                    finish(n)
                elif variables is None:
                    n.grad = None           # as in MXNet, x.grad is None from now on
            elif n.needed:
                propagate(n, create_graph)
            n.grads = None
            if not retain and n.op is not None:
                release(n)
        if variables is not None:
            for i in range(len(variables)):
                if results[i] is None:
                    results[i] = call(zeros_op, (variables[i],), (), None, False)
                y = <NDArray>results[i]
                if not create_graph and not y.stype_ and (
                        Py_REFCNT(<PyObject*>y.buf) > 1 or Py_REFCNT(<PyObject*>y) > 2):    # 2: the list and y itself
                    results[i] = y.copy()           # the caller may change it: nobody else may see that
                if create_graph and (<NDArray>results[i]).node is None and not (<NDArray>results[i]).stype_:
                    results[i] = constant(<NDArray>results[i], <NDArray>variables[i])
        return results
    finally:
        set_recording_(was_recording)
        set_training_(was_training)
        for n_ in nodes:
            (<Node>n_).grads = None
        for n_, had, needed in outer:           # what the walk around this one had collected
            (<Node>n_).grads = had
            (<Node>n_).needed = needed


cdef NDArray constant(NDArray g, NDArray x):
    """A gradient that does not depend on x, linked to x all the same: its own gradient is zero."""
    cdef NDArray y = new_view(g, g.ptr, g.ndim_, g.dims)
    cdef Node n = Node.__new__(Node)
    n.op, n.inputs, n.parents, n.params = zeros_op, (x,), (x.node,), ()
    y.node = n
    return y


cdef void release(Node n):
    n.released = True
    n.inputs = None
    n.parents = None
    n.outs = None
    n.params = None


cdef int finish(Node leaf) except -1:
    """Store the gradient of a leaf in its buffer."""
    cdef NDArray to = leaf.grad
    cdef NDArray g
    if leaf.grads is None or leaf.grads[0] is None:
        if leaf.grad_req == 1:
            if to.stype_:
                to._clear()
            else:
                memset(to.ptr, 0, to.size_ * mxnd_item[to.type])
        return 0
    g = <NDArray>leaf.grads[0]
    leaf.grads = None
    if to.stype_ or g.stype_:
        if to.stype_:
            to._set_gradient(g, leaf.grad_req == 2)
            return 0
        g = <NDArray>to_dense_(g)
    if leaf.grad_req == 2:
        call(add_op, (to, g), (), to, False)
    elif Py_REFCNT(<PyObject*>g) == 1 and Py_REFCNT(<PyObject*>g.buf) == 1 and Py_REFCNT(<PyObject*>to.buf) == 1 \
            and g.buf.cls >= 0 and to.node is None and to.buf.cls >= 0:
        to.buf, to.ptr = g.buf, g.ptr       # nobody else holds either: no copy
    else:
        memcpy(to.ptr, g.ptr, to.size_ * mxnd_item[to.type])
    return 0


cdef object alone = threading.RLock()       # gradients are collected in the nodes, which threads may share

cdef list guarded(list heads, list head_grads, list variables, bint retain, bint create_graph, bint train_mode):
    global depth
    with alone:
        depth += 1
        try:
            return run(heads, head_grads, variables, retain, create_graph, train_mode)
        finally:
            depth -= 1


def backward(list heads, list head_grads, bint retain_graph=False, bint train_mode=True):
    """Write the gradients of the heads into the attached arrays' buffers."""
    guarded(heads, head_grads, None, retain_graph, False, train_mode)


def grad(list heads, list head_grads, list variables, bint retain_graph, bint create_graph, bint train_mode):
    """The gradients of the heads for the variables; recorded themselves when create_graph is true."""
    return guarded(heads, head_grads, variables, retain_graph or create_graph, create_graph, train_mode)


def recorded(NDArray x not None):
    """How x came about: (declaration or None for a leaf, inputs, parameters, output number), or None."""
    cdef Node n
    if x.node is None:
        return None
    n = main_of(x.node)
    if n.op is None or n.released:
        return None, (), (), 0
    return n.op.decl, linked_inputs(n), params_of(n), x.node.slot


def node_id(NDArray x not None):
    """Identity of the recorded output that x stands for."""
    return None if x.node is None else (id(main_of(x.node)), x.node.slot)


def needed(NDArray x not None):
    """Whether the walk that goes on wants the gradient of x."""
    return x.node is not None and main_of(x.node).needed


def tied(NDArray g not None, NDArray x not None):
    """g, followed by autograd: g itself, or where it depends on nothing a handle whose gradient for x is zero."""
    return g if g.node is not None or g.stype_ or x.node is None else constant(g, x)
