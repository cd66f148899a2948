"""Executors: graphs bound to arrays, that compute outputs and gradients."""
from collections import Counter
from functools import partial
from weakref import ref

import numpy as np

from .._core import graph_run
from .._core.array import NDArray, empty
from ..context import current_context
from ..ops.errors import MXNetError
from ..ops.shapes import known, show, size
from . import infer
from .bound_arrays import ArrayDict, ArrayList
from .eager import EagerRun
from .given import given_heads, given_shape
from .graph import Unplannable, forward_inference
from .made import fitted
from .memory import ITEM
from .node import auxiliary, order
from .passes import current
from .plan import Planned, plannable

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
        self._check(arrays, wanted)
        self._held = {}
        for what, part, given in (("arg", self._args, args), ("grad", self._args, grads), ("aux", self._aux, aux)):
            held = ArrayList(given, f"{what}_arrays", partial(_put, ref(self), what))
            self._held[what] = held, ArrayDict([n.name for n in part], held)
        self.outputs = [self._new_output(e) for e in symbol._entries]
        self._planned = self._plan()
        self._eager = EagerRun(symbol._entries, nodes, arrays, is_aux, wanted)
        for n in nodes:
            if n.op is not None and not n.subgraphs:
                slot = self._slots.first[id(n)]
                p = infer.params_for(n, self._shapes[slot], self._types[slot])
                if p is not n.params:
                    self._eager.params[id(n)] = n.op.bound(p)
        self._last = None                        # who ran the last forward, and in which mode
        self._monitor = None

    def _check(self, arrays, wanted):
        for n in (*self._args, *self._aux):
            slot, array = self._slots.first[id(n)], arrays[id(n)]
            if self._shapes[slot] != array.shape:
                raise MXNetError(f"bind: {n.name!r} has a wrong shape; expected {show(self._shapes[slot])}, "
                                 f"got {show(array.shape)}")
            if id(n) in wanted:
                g = wanted[id(n)][0]
                if g.shape != array.shape:
                    raise MXNetError(f"bind: the gradient array of {n.name!r} has a wrong shape; expected {show(array.shape)}, "
                                     f"got {show(g.shape)}")
                if g._dtype_name != array._dtype_name:
                    raise MXNetError(f"bind: the gradient array of {n.name!r} has a wrong dtype; "
                                     f"expected {array._dtype_name}, got {g._dtype_name}")

    def _plan(self):
        """The planned form of the graph, or None where it has to run operator by operator."""
        entries, values = self._symbol._entries, (*self._arrays.values(), *(g for g, _ in self._wanted.values()))
        if any(a.stype != "default" or a._device[0] == GPU for a in values) or any(y is None for y in self.outputs):
            return None
        if not all(map(known, self._shapes)) or None in self._types or not plannable(self._nodes):
            return None
        return Planned(entries, self._nodes, self._slots, self._shapes, self._types, self._arrays, self._wanted, self.outputs,
                       self._passes)

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
        for n, y in enumerate(self.outputs):           # an output that is bound becomes an array of its own
            if array is not None and y is not None and graph_run.overlap(y, [array]):
                self.outputs[n] = y.copy()
        self._planned, self._last = self._plan(), None

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
            `outputs`.
        """
        if kwargs:
            self._set_arguments(kwargs)
        training = bool(is_train)
        self._last = None
        if self._planned is not None and self._monitor is None:
            try:
                self._planned.forward(training)
                self._last = self._planned, training
                return self.outputs
            except Unplannable:
                self._planned = None
        self._take(self._eager.forward(training, True))
        self._last = self._eager, training
        return self.outputs

    def _take(self, values):
        """Copy the values of outputs into the arrays that users hold."""
        for k, (y, to) in enumerate(zip(values, self.outputs)):
            if to is None or y.stype != "default" or _kind(to) != _kind(y):
                self.outputs[k] = to = y._same_data()
                if y._device[0] != GPU:
                    self._mark(to)
            else:
                y.copyto(to)

    def _set_arguments(self, given):
        arrays = self.arg_dict
        for name, value in given.items():
            if not isinstance(value, (NDArray, np.ndarray)):
                raise ValueError(f"forward: argument {name!r}: expected an NDArray or a NumPy array, got {type(value).__name__}")
            if name not in arrays:
                raise TypeError(f"forward: unknown argument {name!r}; expected one of {', '.join(arrays)}")
            if tuple(value.shape) != arrays[name].shape:
                raise ValueError(f"forward: argument {name!r} has a wrong shape; expected {show(arrays[name].shape)}, "
                                 f"got {show(tuple(value.shape))}")
            try:
                arrays[name][:] = value
            except TypeError:
                raise ValueError(f"forward: argument {name!r}: elements of dtype {value.dtype} are no numbers that mxnd has") from None

    def backward(self, out_grads=None, is_train=True):
        """Compute the gradients into the gradient arrays.

        Parameters
        ----------
        out_grads : NDArray, list or dict of NDArray
            Gradients for the outputs; outputs that are losses need none.
        is_train : bool
            Whether operators differentiate as in training.
        """
        heads = self._head_grads(out_grads)
        if not self._wanted:
            return
        if self._last is None:
            self.forward(is_train=True)
        runner, training = self._last
        runner.backward(heads, training)

    def _head_grads(self, given):
        slots = [self._slots.of(e) for e in self._symbol._entries]
        shapes = [self._shapes[slot] if known(self._shapes[slot]) else y.shape for slot, y in zip(slots, self.outputs)]
        return given_heads(given, self._symbol.list_outputs(), shapes, [self._types[slot] for slot in slots])

    # ---- arrays by name
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
        return dict(zip(self._symbol.list_outputs(), self.outputs))

    def copy_params_from(self, arg_params, aux_params=None, allow_extra_params=False):
        """Copy values into arguments and auxiliary states.

        Parameters
        ----------
        arg_params, aux_params : dict of str to NDArray
        allow_extra_params : bool
            Skip names that the graph does not have instead of raising ValueError.
        """
        for what, given, arrays in (("argument", arg_params, self.arg_dict),
                                    ("auxiliary state", aux_params or {}, self.aux_dict)):
            if not isinstance(given, dict):
                raise TypeError(f"copy_params_from: expected a dict of arrays by {what}, got {type(given).__name__}")
            for name, value in given.items():
                if name not in arrays:
                    if allow_extra_params:
                        continue
                    raise ValueError(f"copy_params_from: there is no {what} {name!r}; expected one of {', '.join(arrays)}")
                to = arrays[name]
                if not isinstance(value, (NDArray, np.ndarray)):
                    raise TypeError(f"copy_params_from: {what} {name!r}: expected an array, got {type(value).__name__}")
                if tuple(value.shape) != to.shape:
                    raise MXNetError(f"copy_params_from: {what} {name!r} has a wrong shape; expected {show(to.shape)}, "
                                     f"got {show(tuple(value.shape))}")
                to[:] = value

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
        for n, old, g in zip(self._args, self.arg_arrays, self.grad_arrays):
            shape = shapes[slots.first[id(n)]]
            if not known(shape):
                raise MXNetError(f"reshape: the shape of {n.name!r} cannot be worked out from {kwargs}")
            args.append(fitted(n.name, old, shape, n.name in kwargs or partial_shaping, allow_up_sizing))
            grads.append(None if g is None else fitted(n.name, g, shape, True, allow_up_sizing))
        for n, old in zip(self._aux, self.aux_arrays):
            aux.append(fitted(n.name, old, shapes[slots.first[id(n)]], partial_shaping, allow_up_sizing))
        return Executor(self._symbol, self._ctx, args, grads, self._requests, aux, self._group2ctx, passes=self._passes)

    # ---- looking inside
    def set_monitor_callback(self, callback, monitor_all=False):
        """Call a function with the name and the value of every output inside the graph.

        Parameters
        ----------
        callback : callable
            Called as callback(name, array) while the graph runs; the name is bytes, as in MXNet.
            None takes the callback away.
        monitor_all : bool
            Also report the inputs of every operator.
        """
        if callback is not None and not callable(callback):
            raise TypeError(f"set_monitor_callback: expected a function or None, got {type(callback).__name__}")
        self._monitor = callback
        self._eager.monitor = None if callback is None else lambda name, array: callback(name.encode(), array._same_data())
        self._eager.monitor_all = monitor_all

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
        seen, report = set(), {}
        for what, arrays in (("arguments", self.arg_arrays), ("gradients", self.grad_arrays), ("auxiliary", self.aux_arrays),
                             ("outputs", self.outputs)):
            new = {id(a): a.size * ITEM[a._dtype_name] for a in arrays if a is not None and id(a) not in seen}
            seen.update(new)
            report[what] = sum(new.values())
        report.update(self._planned.memory() if self._planned is not None else self._unplanned_memory())
        report["peak"] = sum(n for what, n in report.items() if what != "unshared")
        return report

    def _unplanned_memory(self):
        total = 0
        for node in self._nodes:
            if node.op is not None:
                for k in range(len(node.outputs)):
                    slot = self._slots.first[id(node)] + k
                    if known(self._shapes[slot]) and self._types[slot]:
                        total += size(self._shapes[slot]) * ITEM[self._types[slot]]
        return {"planned": total, "unshared": total}

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
