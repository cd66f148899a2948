"""Which code runs an operator when an input is sparse: a rule for these storage types, the stored values alone where
f(0) = 0, or else dense copies (with one warning for each operator)."""
import os
import warnings

from .._core.array import NDArray
from .._core.call import invoke, record_call, set_recording, use_special
from .._core.tape import use_storage
from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError
from . import lazy, products, rules, sums
from .cast import to_dense, to_storage

RULES = {**rules.RULES, **products.RULES, **sums.RULES, **lazy.RULES}
DECLARED = {op.core: op for op in REGISTRY.values()}
INTERNAL = {name for name in REGISTRY if name.startswith(("_csr_", "_rows_", "_set_", "_dense_csr"))}
IN_PLACE = set(lazy.RULES.values())           # rules that may write the result into the weight
warned = set()


def find_rule(op, stypes):
    """The rule for these storage types, or None."""
    table = op.storage
    if not table:
        return None
    name = table.get(" ".join(stypes))
    if name is None:
        if len(set(stypes)) == 1:
            name = table.get(stypes[0] + "*")
        if name is None and len(stypes) > 1:
            name = table.get(" ".join(stypes[:2]) + " ...") or table.get("...")
    return RULES[name] if name is not None else None


def keeps_storage(op, p):
    """Whether an elementwise operator of one array is 0 where the array is."""
    if op.family == "scalar":
        rule = rules.ZERO_WITH_SCALAR.get(op.name)
        return rule is not None and rule(p.scalar)
    return op.keeps_zero and any(n.startswith("_sparse_") for n in op.aliases)


def special(core, inputs, given, out):
    """Run an operator on inputs of which some are sparse, or on a GPU."""
    if any(x._device[0] == 2 for x in inputs):
        from ..ndarray import gpu
        return gpu.special(core, inputs, given, out)
    op = DECLARED[core]
    p = given if isinstance(given, op.Params) else op.pack(named(op, given, len(inputs)))
    check(op, p, inputs)
    rule = find_rule(op, [x.stype for x in inputs])
    if rule is None and len(inputs) == 1 and keeps_storage(op, p):
        rule = rules.stored_values
    if rule is None and op.compose is not None and op.grad is None and out is None:
        return op.formula_of(p, inputs)               # its parts are looked at and recorded one by one
    was = set_recording(False)
    try:
        if rule is None:
            got = NotImplemented
        else:
            got = rule(op, inputs, p, out) if rule in IN_PLACE else rule(op, inputs, p)
        if got is NotImplemented:
            got = on_dense_copies(op, inputs, p)
    except (MXNetError, IndexError) as e:
        name, colon, what = str(e).partition(": ")
        if not colon or name == op.name or name not in INTERNAL:
            raise
        raise type(e)(f"{op.name}: {what}") from None      # users know the operator, not its kernels
    finally:
        set_recording(was)
    outs = got if isinstance(got, list) else [got]
    visible = op.visible_outputs(p)
    if out is not None:
        given_outs = list(out) if isinstance(out, (list, tuple)) else [out]
        if len(given_outs) != visible:
            raise MXNetError(f"{op.name}: wrong number of out arrays; expected {visible}, got {len(given_outs)}")
        for to, y in zip(given_outs, outs):
            deliver(op, to, y)
        outs = given_outs + outs[len(given_outs):]
    record_call(core, inputs, p.scalar if op.family in ("scalar", "rscalar") else p, outs, visible)
    if out is not None:
        return out
    return outs[0] if visible == 1 else outs[:visible]


def named(op, given, count):
    values = dict(zip(op.params, given))
    if op.variadic and type(values.get(op.variadic)) is not int:
        values[op.variadic] = count
    return values


def check(op, p, inputs):
    """Shapes and dtypes by the declaration's rules."""
    names = op.input_names(p, len(inputs))
    if len(names) != len(inputs):
        raise MXNetError(f"{op.name}: wrong number of inputs; expected {len(names)} ({', '.join(names)}), got {len(inputs)}")
    if op.compose is None or op.shapes is not None:
        types = [x._dtype_name for x in inputs]
        for name, want, have in zip(names, op.infer_types(p, types)[0], types):
            if want is not None and want != have:
                raise MXNetError(f"{op.name}: input {name!r} has a wrong dtype; expected {want}, got {have}")
        shapes = [x.shape for x in inputs]
        for name, want, have in zip(names, op.infer_shapes(p, shapes)[0], shapes):
            if want is not None and tuple(want) != have:
                raise MXNetError(f"{op.name}: input {name!r} has a wrong shape; expected {want}, got {have}")


def on_dense_copies(op, inputs, p):
    """The operator on dense copies; what it writes in place goes back."""
    if op.name not in rules.DENSE_BY_NATURE and op.family not in ("unary", "scalar", "rscalar"):
        warn(op, inputs)
    dense = tuple(to_dense(x) for x in inputs)
    outs = invoke(op.core, dense, p, None, True)
    if op.mutates:
        for name, x, d in zip(op.input_names(p, len(inputs)), inputs, dense):
            if x is not d and name in op.mutates:
                x._assign(d)
    return outs


def warn(op, inputs):
    if op.name in warned or os.environ.get("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "1") == "0":
        return
    warned.add(op.name)
    warnings.warn(f"{op.name}: there is no sparse form for inputs of storage types {', '.join(x.stype for x in inputs)}; it "
                  f"runs on "
                  "dense copies (MXNET_STORAGE_FALLBACK_LOG_VERBOSE=0 silences this)", RuntimeWarning, stacklevel=4)


def deliver(op, to, y):
    """Write a result into an array that the caller gave, in the storage of that array."""
    if not isinstance(to, NDArray):
        raise TypeError(f"{op.name}: out has a wrong type; expected NDArray, got {type(to).__name__}")
    if to is y:
        return
    if to.shape != y.shape:
        raise MXNetError(f"{op.name}: out has a wrong shape; expected {y.shape}, got {to.shape}")
    if to._dtype_name != y._dtype_name:
        raise MXNetError(f"{op.name}: out has a wrong dtype; expected {y._dtype_name}, got {to._dtype_name}")
    y.copyto(to)


def run(name, inputs, **params):
    """An operator by name."""
    op = REGISTRY[name]
    return invoke(op.core, tuple(inputs), op.pack(params))


use_special(special)
use_storage(lambda g: to_storage(g, "default"), to_storage)
