"""Executors: graphs bound to arrays, that compute outputs and gradients."""
from collections import Counter
from functools import partial
from weakref import ref

import numpy as np

from .._core import graph_run
from .._core.array import NDArray, empty
from ..context import current_context
from ..ops.errors import MXNetError
from ..ops.shapes import known, show
from . import infer
from .aside import Aside
from .bound_arrays import ArrayDict, ArrayList
from .eager import EagerRun
from .given import check_arrays, copy_params, given_heads, given_shape, set_arguments
from .graph import Unplannable, forward_inference
from .made import fitted
from .mixed import MixedRun, dividable
from .node import auxiliary, order
from .passes import current
from .plan import Planned, plannable
from .report import memory_report
from .watched import WatchedRun

__all__ = ["Executor"]

GPU = 2
REQUESTS = {"null": 0, "write": 1, "add": 2}


class Executor:
    """A symbol bound to arrays; made by `Symbol.bind` and `Symbol.simple_bind`.

    Attributes
    ----------
    arg_arrays, grad_arrays, aux_arrays : list of NDArray
        In the order of list_arguments and list_auxiliary_states; gradients that nobody asked for are None.
        An array put into one of the lists, or into the dicts, is bound from then on.
    outputs : list of NDArray
        The same arrays after every forward.
    """

    def __init__(self, symbol, ctx, args, grads, requests, aux, group2ctx=None, inferred=None,
                 passes=None):
        self._passes = current() if passes is None else passes
        self._symbol, self._ctx, self._group2ctx = symbol, ctx, group2ctx
        at = ctx or current_context()
        self._device = at.device_typeid, at.device_id
        self._nodes = nodes = inferred[0].nodes if inferred else order(symbol._entries)
        is_aux = auxiliary(nodes)
        self._args = [n for n in nodes if n.op is None and id(n) not in is_aux]
        self._aux = [n for n in nodes if n.op is None and id(n) in is_aux]
        for what, part in (("argument", self._args), ("auxiliary state", self._aux)):
            names = [n.name for n in part]
            if len(set(names)) != len(names):
                raise MXNetError(f"bind: two {what}s have one name: {sorted(n for n, k in Counter(names).items() if k > 1)}")
        self._requests = list(requests)
        arrays = {id(n): a for n, a in zip((*self._args, *self._aux), (*args, *aux))}
        wanted = {id(n): (g, REQUESTS[r]) for n, g, r in zip(self._args, grads, requests) if g is not None and REQUESTS[r]}
        self._arrays, self._wanted = arrays, wanted
        self._slots, self._shapes, self._types = inferred or forward_inference(nodes, arrays)
        check_arrays((*self._args, *self._aux), self._slots, self._shapes, arrays, wanted)
        self._held = {}
        for what, part, given in (("arg", self._args, args), ("grad", self._args, grads), ("aux", self._aux, aux)):
            held = ArrayList(given, f"{what}_arrays", partial(_put, ref(self), what))
            self._held[what] = held, ArrayDict([n.name for n in part], held)
        self._outputs = [self._new_output(e) for e in symbol._entries]
        self._shown = list(self._outputs)        # what users hold: theirs to change
        self._aside = Aside()
        self._turn = graph_run.Turn()            # threads that share the executor take turns
        self._planned = self._plan()
        self._eager = EagerRun(symbol._entries, nodes, arrays, is_aux, self._aside.targets)
        for n in nodes:
            if n.op is not None and not n.subgraphs:
                slot = self._slots.first[id(n)]
                p = infer.params_for(n, self._shapes[slot], self._types[slot])
                if p is not n.params:
                    self._eager.params[id(n)] = n.op.bound(p)
        self._mixed = self._divide()
        self._last = None                        # who ran the last forward, and in which mode
        self._monitor = None

    def _dense(self):
        """Whether all arrays are dense, of known shapes, and on the CPU."""
        values = (*self._arrays.values(), *(g for g, _ in self._wanted.values()))
        return not any(a.stype != "default" or a._device[0] == GPU for a in values) and all(y is not None for y in self._outputs)

    def _divide(self):
        """The form of a graph that is planned in parts, or None."""
        if self._planned is not None or not self._dense() or not dividable(self._nodes, self._shapes, self._types):
            return None

        def bind(entries, args, grads, requests, aux, inferred):
            return Executor(self._symbol._of(entries), self._ctx, args, grads, requests, aux, None, inferred, self._passes)
        e = self._eager
        return MixedRun(e.entries, e.nodes, self._slots, self._shapes, self._types, e.arrays, e.aux, e.grads, e.params, bind)

    def _plan(self):
        """The planned form of the graph, or None where it has to run operator by operator."""
        self._aside.set(self._wanted, self._arrays.values())
        if not self._dense() or not all(map(known, self._shapes)) or None in self._types or not plannable(self._nodes):
            return None
        return Planned(self._symbol._entries, self._nodes, self._slots, self._shapes, self._types, self._arrays, self._aside.targets,
                       self._outputs, self._passes)

    def _put(self, what, k, array):
        """Bind another array in the place of number k of arg_arrays, grad_arrays or aux_arrays."""
        node = (self._aux if what == "aux" else self._args)[k]
        bound = self._arrays[id(node)]
        if not (array is None and what == "grad"):
            if not isinstance(array, NDArray):
                raise MXNetError(f"{what}_arrays: {node.name!r}: expected NDArray, got {type(array).__name__}")
            if array.shape != bound.shape or array._dtype_name != bound._dtype_name:
                raise MXNetError(f"{what}_arrays: {node.name!r}: expected shape {show(bound.shape)} and dtype {bound._dtype_name}, "
                                 f"got {show(array.shape)} and {array._dtype_name}")
        if what != "grad":
            self._arrays[id(node)] = array
        elif array is None:
            self._wanted.pop(id(node), None)
        elif REQUESTS[self._requests[k]]:
            self._wanted[id(node)] = array, REQUESTS[self._requests[k]]
        self._held[what][1].show(node.name, array)
        for n, y in enumerate(self._outputs):           # an output that is bound becomes an array of its own
            if array is not None and y is not None and graph_run.overlap(y, [array]):
                self._outputs[n] = y.copy()
                self._shown = list(self._outputs)
        self._turn.enter()
        try:
            self._planned, self._last = self._plan(), None
            self._mixed = self._divide()
        finally:
            self._turn.leave()

    def _new_output(self, entry):
        slot = self._slots.of(entry)
        shape, dtype = self._shapes[slot], self._types[slot]
        if not known(shape) or not dtype:
            return None
        y = empty(shape, dtype)
        self._mark(y)
        return y

    def _mark(self, output):
        """Say on which CPU context an output is: that of the executor."""
        if self._device[0] != GPU:
            output._set_device(*self._device)

    # ---- running
    def forward(self, is_train=False, **kwargs):
        """Compute the outputs.

        Parameters
        ----------
        is_train : bool
            Run operators such as Dropout and BatchNorm as in training, and prepare for `backward`.
        **kwargs : NDArray or numpy.ndarray
            New values of arguments, copied into their arrays.

        Returns
        -------
        list of NDArray
            `outputs`: the list is yours to change, the arrays get the values of the next forward.
        """
        self._turn.enter()
        try:
            if kwargs:
                set_arguments(self.arg_dict, kwargs)
            training, planned = bool(is_train), self._planned
            self._last = None
            if planned is not None and self._monitor is None:
                try:
                    planned.forward(training)
                    self._last = planned, training
                    self._shown = shown = list(self._outputs)
                    return shown
                except Unplannable:
                    self._planned = None
            runner = self._monitor or self._mixed or self._eager
            self._take(runner.forward(training, True))
            self._last = runner, training
            self._shown = shown = list(self._outputs)
            return shown
        finally:
            self._turn.leave()

    def _take(self, values):
        """Copy the values of outputs into the arrays that users hold."""
        for k, (y, to) in enumerate(zip(values, self._outputs)):
            if to is None or y.stype != "default" or _kind(to) != _kind(y):
                to = y._same_data()
                self._outputs[k] = to
                if y._device[0] != GPU:
                    self._mark(to)
            else:
                y.copyto(to)

    def backward(self, out_grads=None, is_train=True):
        """Compute the gradients into the gradient arrays.

        Parameters
        ----------
        out_grads : NDArray, list or dict of NDArray
            Gradients for the outputs; outputs that are losses need none.
        is_train : bool
            Whether operators differentiate as in training.
        """
        self._turn.enter()
        try:
            heads = self._head_grads(out_grads)
            if not self._wanted:
                return
            if self._last is None:
                self.forward(is_train=True)
            runner, training = self._last
            watcher = self._monitor
            if watcher is not None and watcher is not runner and not any(n.op is not None and n.op.random for n in self._nodes):
                runner = watcher                       # set after the forward: it has to know the values
                runner.unseen(training)
            if self._aside.apart:
                self._aside.before()
                runner.backward(heads, training)
                self._aside.after()
            else:
                runner.backward(heads, training)
        finally:
            self._turn.leave()

    def _head_grads(self, given):
        slots = [self._slots.of(e) for e in self._symbol._entries]
        shapes = [self._shapes[slot] if known(self._shapes[slot]) else y.shape for slot, y in zip(slots, self._outputs)]
        return given_heads(given, self._symbol.list_outputs(), shapes, [self._types[slot] for slot in slots])

    # ---- arrays by name
    @property
    def outputs(self):
        """The outputs, a list of its own from every forward; the arrays stay the same."""
        return self._shown

    @property
    def arg_arrays(self):
        """Arguments in the order of list_arguments; an array put into the list is bound from then on."""
        return self._held["arg"][0]

    @arg_arrays.setter
    def arg_arrays(self, arrays):
        self.arg_arrays[:] = arrays

    @property
    def grad_arrays(self):
        """Gradients in the order of list_arguments; None where nobody asked."""
        return self._held["grad"][0]

    @grad_arrays.setter
    def grad_arrays(self, arrays):
        self.grad_arrays[:] = arrays

    @property
    def aux_arrays(self):
        """Auxiliary states in the order of list_auxiliary_states."""
        return self._held["aux"][0]

    @aux_arrays.setter
    def aux_arrays(self, arrays):
        self.aux_arrays[:] = arrays

    @property
    def arg_dict(self):
        """Arguments by name; an array put into it is bound from then on."""
        return self._held["arg"][1]

    @property
    def grad_dict(self):
        """Gradients by the names of their arguments; None where nobody asked."""
        return self._held["grad"][1]

    @property
    def aux_dict(self):
        """Auxiliary states by name."""
        return self._held["aux"][1]

    @property
    def output_dict(self):
        """Outputs by name."""
        return dict(zip(self._symbol.list_outputs(), self._outputs))

    def copy_params_from(self, arg_params, aux_params=None, allow_extra_params=False):
        """Copy values into arguments and auxiliary states.

        Parameters
        ----------
        arg_params, aux_params : dict of str to NDArray
        allow_extra_params : bool
            Skip names that the graph does not have instead of raising ValueError.
        """
        copy_params((("argument", arg_params, self.arg_dict), ("auxiliary state", aux_params or {}, self.aux_dict)), allow_extra_params)

    def reshape(self, partial_shaping=False, allow_up_sizing=False, **kwargs):
        """An executor of the same graph for other shapes; arrays that fit are shared with this one.

        Parameters
        ----------
        partial_shaping : bool
            Accept that arguments which are not named change their shape.
        allow_up_sizing : bool
            Accept arguments larger than before; they get new arrays.
        **kwargs : tuple
            New shapes of arguments, by name.

        Returns
        -------
        Executor
        """
        known_names = {n.name: n for n in (*self._args, *self._aux)}
        for name in kwargs:
            if name not in known_names:
                raise MXNetError(f"reshape: there is no argument {name!r}; expected one of {', '.join(known_names)}")
        given = {id(known_names[name]): given_shape("reshape", name, shape) for name, shape in kwargs.items()}
        slots, shapes = infer.shapes(self._nodes, given)
        args, grads, aux = [], [], []
        for n, old, g, request in zip(self._args, self.arg_arrays, self.grad_arrays, self._requests):
            shape = shapes[slots.first[id(n)]]
            if not known(shape):
                raise MXNetError(f"reshape: the shape of {n.name!r} cannot be worked out from {kwargs}")
            args.append(fitted(n.name, old, shape, n.name in kwargs or partial_shaping, allow_up_sizing))
            grads.append(None if g is None or request == "null" else fitted(n.name, g, shape, True, allow_up_sizing))
        for n, old in zip(self._aux, self.aux_arrays):
            aux.append(fitted(n.name, old, shapes[slots.first[id(n)]], partial_shaping, allow_up_sizing))
        return Executor(self._symbol, self._ctx, args, grads, self._requests, aux, self._group2ctx, passes=self._passes)

    # ---- looking inside
    def set_monitor_callback(self, callback, monitor_all=False):
        """Call a function with the name and the value of everything that the graph computes, forward and backward.

        Parameters
        ----------
        callback : callable
            Called as callback(name, array) while the graph runs; the name is bytes, as in MXNet: NODE_output for what a
            node computes, NODE_backward_output0, 1 ... for the gradients of its inputs (NODE_backward_output where there is
            one), sum_grad_output for their sum where a value is used several times, _head_grad_0_id_output for out_grads.
            None takes the callback away.
        monitor_all : bool
            Also report what goes into every operator.
        """
        if callback is not None and not callable(callback):
            raise TypeError(f"set_monitor_callback: expected a function or None, got {type(callback).__name__}")
        e = self._eager
        if self._monitor is not None:                  # a backward of what it has seen may follow
            self._monitor.callback = lambda name, array: None
        self._monitor = None
        if callback is not None:
            self._monitor = WatchedRun(e.entries, e.nodes, e.arrays, e.aux, e.grads, e.params, callback, bool(monitor_all))

    def debug_str(self):
        """The graph in words, and the memory it takes.

        Returns
        -------
        str
        """
        memory = self.memory()
        return (self._symbol.debug_str() + f"Total {memory['planned'] / 2**20:.3f} MB allocated for intermediate values "
                f"({memory['unshared'] / 2**20:.3f} MB without sharing)\n")

    def memory(self):
        """Bytes that the executor holds.

        Returns
        -------
        dict of str to int
            arguments, gradients, auxiliary and outputs: the arrays that users see (each array counted once);
            planned: intermediate values, with shared memory;  unshared: what they would take without;
            peak: all of it together, the most that is in use at any time while the graph runs.
        """
        return memory_report(self)

    def get_optimized_symbol(self):
        """The symbol that this executor runs.

        Returns
        -------
        Symbol
        """
        return self._symbol


def _put(executor, *what):
    """Tell an executor, if it still exists, of another array in one of its lists."""
    if executor() is not None:
        executor()._put(*what)


def _kind(array):
    return array.shape, array._dtype_name, array._device[0] == GPU
