"""How a call of an operator becomes a graph node: its name, its parameters as text, its inputs."""
from ..attributes import AttrScope
from ..names import NameManager
from ..ops.errors import MXNetError
from ..ops.params import dtype_name, text_of
from .node import Node, is_attribute, stored_key


class _Default:
    """Stands for a parameter that was not given."""

    __slots__ = ()

    def __repr__(self):
        return "<default>"

    def __bool__(self):
        return False


DEFAULT = _Default()


def as_attributes(given, owner, strict=False, first=False):
    """Attributes as they are kept: known keys with their underscores, values as text.

    first: where a key is given in both spellings, the first one counts, as it does for operators; for variables the last."""
    out = {}
    for key, value in given.items():
        if strict and not isinstance(value, str):
            raise ValueError(f"{owner}: attribute {key!r}: expected text, got {type(value).__name__}")
        key = stored_key(key)
        if not first or key not in out:
            out[key] = value if isinstance(value, str) else text_of(value)
    return out


def call(cls, op, hint, args, kwargs):
    """Symbol (of class cls) made by calling an operator the way users do.

    args: inputs, then parameters, in the order of the signature; kwargs: inputs, parameters, `name`,
    `attr`, and attributes.  hint: what an automatic name starts with."""
    name = kwargs.pop("name", None)
    attr = kwargs.pop("attr", None)
    kwargs.pop("out", None)
    if op.variadic:
        inputs, args = _leading_symbols(cls, op, args)
        named = {}
        names = op.params
        if op.variadic in op.params:
            names = [n for n in op.params if n != op.variadic]
    else:
        inputs = None
        named = dict(zip(op.inputs, args))
        args = args[len(op.inputs):]
        names = op.params
    if len(args) > len(names):
        raise TypeError(f"{op.name}: expected at most {len(op.inputs) + len(op.params)} arguments, "
                        f"got {len(args) - len(names)} more")
    given = {}
    for key, value in zip(names, args):
        given[key] = value
    for key, value in kwargs.items():
        if key in given or named.get(key) is not None:
            raise TypeError(f"{op.name}: argument {key!r} was given twice")
        if isinstance(value, cls) or (key in op.inputs and key not in op.params):
            named[key] = value
        else:
            given[key] = value
    return make(cls, op, hint, inputs, named, given, name, attr)


def made(cls, op, hint, inputs, values, name, attr, kwargs):
    """What a function of `mx.sym` does: inputs and parameter values in the order of the declaration."""
    named = dict(zip(op.inputs, inputs))
    given = dict(zip(op.params, values))
    for key, value in kwargs.items():
        if isinstance(value, cls):
            named[key] = value
        elif key != "out":
            given[key] = value
    return make(cls, op, hint, None, named, given, name, attr)


def joined(cls, op, hint, inputs, values, name, attr, kwargs):
    """The same for an operator of any number of inputs, which may also come as one list."""
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)):
        inputs = inputs[0]
    given, named = dict(zip(op.params, values)), {}
    for key, value in kwargs.items():
        if isinstance(value, cls):
            named[key] = value
        elif key != "out":
            given[key] = value
    return make(cls, op, hint, list(inputs), named, given, name, attr)


def _leading_symbols(cls, op, args):
    """The inputs of a variadic operator (also given as one list), and the arguments after them."""
    if args and isinstance(args[0], (list, tuple)):
        args = (*args[0], *args[1:])
    n = 0
    while n < len(args) and (isinstance(args[n], cls) or n == 0):
        n += 1
    return list(args[:n]), args[n:]


def make(cls, op, hint, inputs, named, given, name=None, attr=None):
    """Symbol made of one node.

    inputs: list of a variadic operator's inputs, or None; named: inputs by name (None: not given);
    given: parameters and attributes (DEFAULT: not given)."""
    if name is not None and not isinstance(name, str):
        raise TypeError(f"{op.name}: name: expected text, got {type(name).__name__}")
    params, attrs = {}, {}
    for key, value in given.items():
        if value is DEFAULT:
            continue
        param = op.params.get(key)
        if param is not None:
            params[key] = text_of(value, param.kind)
        else:
            attrs[key] = value
    scope = AttrScope.current.get(attr)
    if scope:
        attrs.update(scope)                                    # what attr= and scopes say wins over keywords
    if attrs:
        attrs = as_attributes(attrs, op.name, first=True)
        for key in [k for k in attrs if k in op.params]:       # attr= may hold parameters
            params[key] = attrs.pop(key)
    if op.variadic and inputs is not None and op.variadic in op.params and op.variadic not in params and inputs:
        params[op.variadic] = str(len(inputs))
    node = Node(op, None, {**params, **attrs})
    p = node.params
    node.name = NameManager.current.get(name, hint.lower())
    if inputs is not None:
        entries = _variadic_entries(cls, node, p, inputs, named)
    else:
        entries = _named_entries(cls, node, p, named)
    if hasattr(op, "initial"):
        tell_initial(op, op.input_names(p, len(entries)), entries)
    node.take(tuple(entries))
    return cls._of(tuple((node, i) for i in range(node.visible)))


def entry_of(cls, value, owner, key):
    """The (node, output number) of an input; raises when it is no Symbol or has several outputs."""
    if not isinstance(value, cls):
        raise AssertionError(f"{owner}: argument {key!r} must be a Symbol, got {type(value).__name__}")
    if len(value._entries) != 1:
        raise MXNetError(f"{owner}: argument {key!r}: expected a symbol with one output, got one with {len(value._entries)}; "
                         f"choose one, as in s[0]")
    return value._entries[0]


def _named_entries(cls, node, p, named):
    op = node.op
    names = op.input_names(p)
    first = op.inputs[:len(names)]
    if first != names and all(named.get(k) is not None for k in first) and len([v for v in named.values() if v is not None]) == len(names):
        named = dict(zip(names, map(named.get, first)))        # by position, an input in the middle left out
    for key, value in named.items():
        if value is not None and key not in names:
            if key not in op.inputs and not isinstance(value, cls):
                continue
            raise MXNetError(f"{op.name}: there is no input {key!r} with these parameters; expected one of {', '.join(names)}")
    return [entry_of(cls, named[key], op.name, key) if named.get(key) is not None else missing(node, key) for key in names]


def _variadic_entries(cls, node, p, inputs, named):
    op = node.op
    names = op.input_names(p)
    if len(inputs) > len(names):
        raise MXNetError(f"{op.name}: expected {len(names)} inputs, got {len(inputs)}")
    entries = [entry_of(cls, s, op.name, names[i]) for i, s in enumerate(inputs)]
    for key in named:
        if key not in names[len(inputs):]:
            raise MXNetError(f"{op.name}: there is no input {key!r} left; expected one of {', '.join(names[len(inputs):])}")
    for key in names[len(inputs):]:
        entries.append(entry_of(cls, named[key], op.name, key) if named.get(key) is not None else missing(node, key))
    return entries


def tell_initial(op, names, entries):
    """Write down how variables are filled before training, where that depends on the operator; returns whether any is new."""
    told = False
    for key, value in getattr(op, "initial", {}).items():
        if key in names:
            source = entries[names.index(key)][0]
            if source.op is None and "__init__" not in source.attrs:
                source.attrs["__init__"] = value
                told = True
    return told


def missing(node, key):
    """The variable made for an input that was not given; it carries the operator's attributes."""
    op = node.op
    if not op.auto_variables:
        raise MXNetError(f"{op.name}: input {key!r} is missing")
    return Node(None, f"{node.name}_{key}" if node.name else key, dict(node.attrs)), 0


def variable(cls, name, attr=None, shape=None, lr_mult=None, wd_mult=None, dtype=None, init=None, stype=None, **kwargs):
    """See `mxnd.symbol.var`."""
    if not isinstance(name, str):
        raise TypeError(f"Variable: name: expected text, got {type(name).__name__}")
    attrs = AttrScope.current.get(attr)
    if shape is not None:
        attrs["__shape__"] = text_of(shape)
    if lr_mult is not None:
        attrs["__lr_mult__"] = text_of(lr_mult)
    if wd_mult is not None:
        attrs["__wd_mult__"] = text_of(wd_mult)
    if dtype is not None:
        attrs["__dtype__"] = str(_dtype_code(dtype))
    if init is not None:
        if not isinstance(init, str) and not hasattr(init, "dumps"):
            raise AttributeError(f"Variable {name}: init: expected text or an initializer, got {type(init).__name__}")
        attrs["__init__"] = init if isinstance(init, str) else init.dumps()
    if stype is not None:
        if not isinstance(stype, str) or stype not in STORAGE:
            raise KeyError(f"Variable {name}: stype: expected one of {', '.join(STORAGE)}, got {stype!r:.40}")
        attrs["__storage_type__"] = str(STORAGE[stype])
    for key, value in kwargs.items():
        if not is_attribute(key):
            raise ValueError(f"Variable {name}: unknown attribute {key!r}; names of further attributes start and end "
                             f"with two underscores, as in __{key}__")
        attrs[key] = text_of(value)
    attrs = as_attributes(attrs, f"Variable {name}", strict=True)
    name = attrs.pop("name", name)                             # an attribute of this name renames
    return cls._of(((Node(None, name, attrs), 0),))


STORAGE = {"default": 0, "row_sparse": 1, "csr": 2}


def _dtype_code(dtype):
    from ..ops.params import FILE_CODES
    return FILE_CODES[dtype_name(dtype)]
