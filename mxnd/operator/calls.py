"""One use of a registered operator, in a call or in a graph: inference, running, gradients."""
import contextlib

from .._core import tape
from .._core.array import NDArray, dtype_class
from .._core.call import invoke, record_call, recording, set_recording, training
from ..context import current_context
from ..ndarray.convert import place
from ..ndarray.create import zeros
from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError
from ..ops.params import dtype_name
from ..ops.shapes import known, show, unify


@contextlib.contextmanager
def users_code():
    """Marks what the user's code raises, so that nobody turns it into an error of ours."""
    try:
        yield
    except Exception as e:
        with contextlib.suppress(AttributeError):
            e.from_user = True
        raise


class Call:
    """What the checked parameters of `Custom` are, see `mxnd.ops.custom`."""

    __slots__ = ("op_type", "given", "prop", "arguments", "outputs", "aux", "operator", "known", "reads_heads")

    def __init__(self, op_type, prop_class, given):
        self.op_type, self.given = op_type, given
        self.operator = None                           # (what it was made for, the user's operator)
        self.known = None                              # (inputs, output shapes, dtypes, storage types) of the last run
        self.reads_heads = None
        with users_code():
            self.prop = prop_class(**given)
            self.arguments = self.prop.list_arguments()
            self.outputs = self.prop.list_outputs()
            self.aux = self.prop.list_auxiliary_states()
        for part in ("arguments", "outputs", "aux"):
            setattr(self, part, self._names(part, getattr(self, part)))

    def _names(self, part, names):
        if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
            what = "auxiliary_states" if part == "aux" else part
            raise MXNetError(f"Custom: {self.op_type}: list_{what}: expected a list of text, got {names!r}")
        if len(set(names)) != len(names) or part == "aux" and set(names) & set(self.arguments):
            raise MXNetError(f"Custom: {self.op_type}: a name is listed twice: {', '.join(names)}")
        if part == "outputs" and not names:
            raise MXNetError(f"Custom: {self.op_type}: list_outputs: expected at least one output")
        return tuple(names)

    def __repr__(self):
        return f"<custom operator {self.op_type}>"

    def copy(self):
        """The same without the user's operator: an executor keeps one of its own."""
        new = Call.__new__(Call)
        for key in Call.__slots__:
            setattr(new, key, getattr(self, key))
        new.operator = new.known = None
        return new

    def texts(self):
        """The parameters as symbol files hold them."""
        return {"op_type": self.op_type, **self.given}

    # ---- inference
    def infer_shapes(self, ins, outs):
        """Completed shapes of the inputs with the auxiliary states, and of the outputs."""
        n = len(self.arguments)
        complete = all(map(known, ins[:n]))
        given = [[] if s is None else [0 if d is None else d for d in s] for s in ins[:n]]
        try:
            with users_code():
                got = self.prop.infer_shape(given)
        except Exception:
            if complete:
                raise
            return ins, outs                           # it needs more than is known yet
        if not isinstance(got, (list, tuple)) or len(got) not in (2, 3):
            raise MXNetError(f"Custom: {self.op_type}: infer_shape has to return 2 or 3 lists, got {got!r}")
        got = self._lists("infer_shape", (*got, ()) if len(got) == 2 else got)
        args, results, aux = ([self._shape(s, complete) for s in part] for part in got)
        return ([_together(old, new, self, name) for old, new, name in zip(ins, (*args, *aux), (*self.arguments, *self.aux))],
                [_together(old, new, self, name) for old, new, name in zip(outs, results, self.outputs)])

    def _lists(self, what, got):
        for part, names, one in zip(got, (self.arguments, self.outputs, self.aux), ("argument", "output", "auxiliary state")):
            if not isinstance(part, (list, tuple)) or len(part) != len(names):
                raise MXNetError(f"Custom: {self.op_type}: {what} has to return one item per {one}; "
                                 f"expected {len(names)}, got {part!r}")
        return got

    def _shape(self, shape, complete):
        try:
            whole = tuple(int(d) for d in shape)
            if whole != tuple(shape) or complete and any(d < 0 for d in whole):
                raise ValueError
        except (TypeError, ValueError):
            raise MXNetError(f"Custom: {self.op_type}: infer_shape: {shape!r} is no shape") from None
        return whole if complete else tuple(d if d > 0 else None for d in whole) or None

    def infer_types(self, ins, outs):
        """The same for dtypes."""
        n = len(self.arguments)
        given = [None if t is None else dtype_class(t) for t in ins[:n]]
        try:
            with users_code():
                got = self.prop.infer_type(given)
        except Exception:
            if None not in given:
                raise
            return ins, outs
        if not isinstance(got, (list, tuple)) or len(got) not in (2, 3):
            raise MXNetError(f"Custom: {self.op_type}: infer_type has to return 2 or 3 lists, got {got!r}")
        args, results, aux = self._lists("infer_type", (*got, ()) if len(got) == 2 else got)
        return [self._type(t) for t in (*args, *aux)], [self._type(t) for t in results]

    def _type(self, t):
        try:
            return None if t is None else dtype_name(t)
        except TypeError as e:
            raise MXNetError(f"Custom: {self.op_type}: infer_type: {e}") from None

    # ---- running
    def run(self, core, inputs, out):
        """The outputs for some arrays, as a list."""
        n = len(self.arguments)
        if len(inputs) != n + len(self.aux):
            raise MXNetError(f"Custom: {self.op_type}: wrong number of inputs; expected {n + len(self.aux)} "
                             f"({', '.join((*self.arguments, *self.aux))}), got {len(inputs)}")
        ctx = inputs[0].context if inputs else current_context()
        key = ctx, tuple([x.shape for x in inputs]), tuple([x._dtype_name for x in inputs])
        storage = [x.stype for x in inputs[:n]]
        if self.known is None or self.known[0] != (key, storage):
            self.known = (key, storage), *self._inferred(inputs), self._storage(storage)
        _, out_shapes, out_types, stypes = self.known
        outs = [_zeros(s, ctx, t, st) for s, t, st in zip(out_shapes, out_types, stypes[1])]
        operator = self._operator(key)
        was = set_recording(False)
        try:
            data = [_stored(x, s) for x, s in zip(inputs[:n], stypes[0])]
            with users_code():
                operator.forward(is_train=training(), req=["write"] * len(outs), in_data=data, out_data=list(outs),
                                 aux=[x._same_data() for x in inputs[n:]])
        finally:
            set_recording(was)
        results = [y._same_data() for y in outs] if out is None else self._delivered(outs, out)
        record_call(core, inputs, self, results, len(results))
        return results

    def _inferred(self, inputs):
        """Shapes and dtypes of the outputs; raises where the inputs do not fit."""
        shapes, out_shapes = self.infer_shapes([x.shape for x in inputs], [None] * len(self.outputs))
        types, out_types = self.infer_types([x._dtype_name for x in inputs], [None] * len(self.outputs))
        for x, name, shape, t in zip(inputs, (*self.arguments, *self.aux), shapes, types):
            if t not in (None, x._dtype_name):
                raise MXNetError(f"Custom: {self.op_type}: input {name!r} has a wrong dtype; expected {t}, got {x._dtype_name}")
            if shape != x.shape:
                raise MXNetError(f"Custom: {self.op_type}: input {name!r} has a wrong shape; expected {show(shape)}, got {x.shape}")
        if None in out_types or not all(map(known, out_shapes)):
            raise MXNetError(f"Custom: {self.op_type}: infer_shape and infer_type leave an output open: {out_shapes}, {out_types}")
        return out_shapes, out_types

    def _storage(self, stypes):
        """Storage types of the inputs, the outputs and the auxiliary states."""
        with users_code():
            got = self.prop.infer_storage_type(stypes)
        if not isinstance(got, (list, tuple)) or len(got) not in (2, 3):
            raise MXNetError(f"Custom: {self.op_type}: infer_storage_type has to return 2 or 3 lists, got {got!r}")
        return self._lists("infer_storage_type", (*got, ("default",) * len(self.aux)) if len(got) == 2 else got)

    def _operator(self, key):
        """The user's operator for (context, shapes, dtypes) of the inputs and auxiliary states."""
        if self.operator is None or self.operator[0] != key:
            ctx, shapes, types = key
            with users_code():
                made = self.prop.create_operator(ctx, [list(s) for s in shapes], [dtype_class(t) for t in types])
            if not hasattr(made, "forward") or not hasattr(made, "backward"):
                raise MXNetError(f"Custom: {self.op_type}: create_operator: expected a CustomOp, got {type(made).__name__}")
            self.operator = key, made
        return self.operator[1]

    def _delivered(self, outs, out):
        """The caller's arrays with the results in them."""
        given = list(out) if isinstance(out, (list, tuple)) else [out]
        if len(given) != len(outs):
            raise MXNetError(f"Custom: {self.op_type}: wrong number of out arrays; expected {len(outs)}, got {len(given)}")
        for to, y in zip(given, outs):
            if not isinstance(to, NDArray):
                raise TypeError(f"Custom: out has a wrong type; expected NDArray, got {type(to).__name__}")
            if to.shape != y.shape or to._dtype_name != y._dtype_name:
                raise MXNetError(f"Custom: {self.op_type}: out does not fit; expected {show(y.shape)} {y._dtype_name}, "
                                 f"got {show(to.shape)} {to._dtype_name}")
            if recording() and to._tracked:
                raise MXNetError("Custom: out is part of a recorded graph and cannot be overwritten while recording")
        was = set_recording(False)
        try:
            for to, y in zip(given, outs):
                y.copyto(to)
        finally:
            set_recording(was)
        return given

    # ---- gradients
    def needs_heads(self):
        """Whether backward reads the gradients of the outputs."""
        if self.reads_heads is not None:
            return self.reads_heads
        k, n = len(self.outputs), len(self.arguments)
        heads = list(range(k))
        with users_code():
            deps = self.prop.declare_backward_dependency(heads, list(range(k, k + n)), list(range(k + n, 2 * k + n)))
        self.reads_heads = any(d in heads for d in deps)
        return self.reads_heads

    def gradients(self, g, x, y):
        """A function per input; the user's backward runs once, when the first of them is asked."""
        if self.needs_heads():
            for head in g:
                _ = head is None or head.shape         # complains where the gradient of an output is missing
        found = []

        def part(k):
            if not found:
                found.extend(self._backward(g, x, y))
            return found[k]
        n = len(self.arguments)
        return [lambda k=k: part(k) for k in range(n)] + [None] * (len(x) - n)

    def _backward(self, g, x, y):
        n, record = len(self.arguments), recording()
        inputs, aux = x[:n], [v._same_data() for v in x[n:]]
        wanted = [tape.needed(v) for v in inputs]
        followed = next(v for v, w in zip(inputs, wanted) if w)
        if any(v.stype != "default" for v in (*g, *x, *y)):
            grads = self._sparse_backward(g, inputs, y, aux, wanted)
            return self._unrecorded(followed, grads, wanted) if record else grads
        grads = [_zeros(v.shape, v.context, v._dtype_name) for v in inputs]
        if record:                                     # what the user's operators make of these can be differentiated
            heads, data, results = [tape.tied(v, followed) for v in g], list(inputs), list(y)
        else:
            heads, data, results = ([v._same_data() for v in part] for part in (g, inputs, y))
        self._run_backward(wanted, heads, data, results, grads, aux)
        return self._unrecorded(followed, grads, wanted) if record else grads

    def _unrecorded(self, followed, grads, wanted):
        """Lets those gradients that were made without operators say so when somebody differentiates them."""
        op = REGISTRY["_custom_unrecorded"]
        for v, w in zip(grads, wanted):
            if w and not v._tracked:
                record_call(op.core, (followed,), op.Params(self.op_type, 1), [v], 1)
        return grads

    def _run_backward(self, wanted, heads, data, results, grads, aux):
        every = (*data, *aux)
        operator = self._operator((data[0].context, tuple([v.shape for v in every]), tuple([v._dtype_name for v in every])))
        with users_code():
            operator.backward(req=["write" if w else "null" for w in wanted], out_grad=heads, in_data=data, out_data=results,
                              in_grad=list(grads), aux=aux)

    def _sparse_backward(self, g, inputs, y, aux, wanted):
        """With sparse arrays: their storage is what infer_storage_type_backward says, and nothing is recorded."""
        lists = g, inputs, y, inputs, aux
        stypes = [["default"] * len(part) if part is g else [v.stype for v in part] for part in lists]
        stypes[3] = ["default"] * len(inputs)
        with users_code():
            stypes = self.prop.infer_storage_type_backward(*stypes)
        was = set_recording(False)
        try:
            heads, data, results = ([_stored(v, s) for v, s in zip(part, st)]
                                    for part, st in zip((g, inputs, y), (stypes[0], stypes[1], stypes[2])))
            grads = [_zeros(v.shape, v.context, v._dtype_name, s) for v, s in zip(inputs, stypes[3])]
            self._run_backward(wanted, heads, data, results, grads, aux)
        finally:
            set_recording(was)
        return grads


def _zeros(shape, ctx, dtype, stype="default"):
    """zeros, for parameters that are known to be right."""
    if stype != "default":
        return zeros(shape, ctx, dtype, stype=stype)
    op = REGISTRY["_zeros"]
    return place(invoke(op.core, (), op.packed({"shape": tuple(shape), "ctx": "", "dtype": dtype})), ctx)


def _stored(x, stype):
    """The array with this storage, without its place in a recorded graph."""
    return x._same_data() if x.stype == stype else x.tostype(stype)


def _together(old, new, call, name):
    try:
        return unify(old, new)
    except ValueError:
        raise MXNetError(f"Custom: {call.op_type}: {name!r} has shape {show(old)}; infer_shape expected {show(new)}") from None
