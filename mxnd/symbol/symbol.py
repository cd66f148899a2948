"""The Symbol class: outputs of a graph, before there are any values."""
import os
import warnings

from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError, NotImplementedForSymbol
from ..ops.params import dtype_name
from . import bind, files, infer, json, text
from .compose import as_attributes, call
from .node import auxiliary, copy_graph, describe, entry, order

__all__ = ["Group", "Symbol"]

BACKENDS = ("MKLDNN", "MKLDNN_QUANTIZE", "default", "default_v2")


class Symbol:
    """One output of an operator, a variable, or a group of outputs.

    Symbols are made by `mx.sym.var` and by calling operators on other symbols; they hold no values.
    `bind` and `simple_bind` give an executor, which computes."""

    __slots__ = ("_entries", "__weakref__")
    __hash__ = None
    __array_ufunc__ = None                       # NumPy leaves mixed arithmetic to this class, which refuses arrays

    def __init__(self, entries):
        self._entries = tuple(entries)

    @classmethod
    def _of(cls, entries):
        return cls(entries)

    def __repr__(self):
        if self.name is None:
            return f"<Symbol group [{', '.join(e[0].name for e in self._entries)}]>"
        return f"<Symbol {self.name}>"

    # ---- outputs
    def __len__(self):
        return len(self._entries)

    def __iter__(self):
        return (Symbol((e,)) for e in self._entries)

    def __getitem__(self, index):
        """One output by number or name, or a group of outputs by a slice."""
        entries = self._entries
        if isinstance(index, str):
            found = [e for e in entries if e[0].output_name(e[1]) == index]
            if len(found) != 1:
                what = "several outputs are named" if found else "there is no output"
                raise ValueError(f"{what} {index!r}; the outputs are {', '.join(self.list_outputs()[:20])}")
            return Symbol(found)
        if isinstance(index, slice):
            chosen = entries[index]
            if not chosen:
                asked = range(index.start or 0, len(entries) if index.stop is None else index.stop, index.step or 1)
                raise (IndexError if len(asked) else TypeError)(f"no output lies in {index}; there are {len(entries)}")
            return Symbol(chosen)
        if not hasattr(index, "__index__"):
            raise TypeError(f"outputs are chosen by number, name or slice, got {type(index).__name__}")
        i = index.__index__()
        if not -len(entries) <= i < len(entries):
            raise IndexError(f"output {i} is out of range: there are {len(entries)}")
        return Symbol((entries[i],))

    @property
    def name(self):
        """Name of the node, None for a group of several."""
        first = self._entries[0][0]
        return first.name if all(e[0] is first for e in self._entries) else None

    def get_internals(self):
        """A group of all outputs inside the graph.

        Returns
        -------
        Symbol
        """
        return Symbol(entry(n, i, n.writes) for n in order(self._entries) for i in range(n.visible))

    def get_children(self):
        """A group of the direct inputs; None when there are none.

        Returns
        -------
        Symbol or None
        """
        seen, found = set(), []
        for node, _ in self._entries:
            if id(node) not in seen:
                seen.add(id(node))
                found += node.inputs
        return Symbol(found) if found else None

    # ---- names
    def list_outputs(self):
        """Names of the outputs."""
        return [n.output_name(i) for n, i in self._entries]

    def list_inputs(self):
        """Names of all variables, arguments and auxiliary states alike."""
        return [n.name for n in order(self._entries) if n.op is None]

    def list_arguments(self):
        """Names of the arguments, in the order in which `bind` takes a list of arrays."""
        nodes = order(self._entries)
        aux = auxiliary(nodes)
        return [n.name for n in nodes if n.op is None and id(n) not in aux]

    def list_auxiliary_states(self):
        """Names of the auxiliary states: variables that operators write, such as running means."""
        nodes = order(self._entries)
        aux = auxiliary(nodes)
        return [n.name for n in nodes if n.op is None and id(n) in aux]

    # ---- attributes
    def _one_node(self):
        first = self._entries[0][0]
        return first if all(e[0] is first for e in self._entries) else None

    def attr(self, key):
        """One attribute or parameter as text, or None.

        Parameters
        ----------
        key : str

        Returns
        -------
        str or None
        """
        if not isinstance(key, str):
            raise TypeError(f"attr: expected the name of an attribute, got {type(key).__name__}")
        node = self._one_node()
        if node is None:
            return None
        return node.shown_attrs().get(key, node.name if key == "name" else None)

    def list_attr(self, recursive=False):
        """Attributes and given parameters of this node (of a Group: of its first), as text.

        Parameters
        ----------
        recursive : bool
            Out of use; see `attr_dict`.

        Returns
        -------
        dict
        """
        if recursive:
            raise DeprecationWarning("list_attr: recursive=True is out of use; expected attr_dict()")
        return self._entries[0][0].shown_attrs()

    def attr_dict(self):
        """Attributes of all nodes that have any.

        Returns
        -------
        dict of str to dict
        """
        found = {}
        for n in order(self._entries):
            if n.attrs:
                found.setdefault(n.name, {}).update(n.shown_attrs())
        return found

    def _set_attr(self, **kwargs):
        """Set attributes of this node; values are text."""
        node = self._one_node()
        if node is None:
            raise MXNetError("_set_attr: a group has no attributes of its own")
        before = dict(node.attrs)
        given = as_attributes(kwargs, node.name, strict=True)
        name = given.pop("name", node.name)                    # an attribute of this name renames
        node.attrs.update(given)
        node.changed()
        try:
            node.check()
        except MXNetError:
            node.attrs = before
            node.changed()
            raise
        node.name = name

    # ---- composition
    def __call__(self, *args, **kwargs):
        """A copy of the graph in which variables are replaced by other symbols.

        Parameters
        ----------
        *args : Symbol
            Replacements in the order of the arguments.
        **kwargs : Symbol
            Replacements by the names of variables; `name` renames the result.

        Returns
        -------
        Symbol
        """
        name = kwargs.pop("name", None)
        if name is not None and not isinstance(name, str):
            raise TypeError(f"compose: name: expected text, got {type(name).__name__}")
        if args and kwargs:
            raise TypeError("compose: give the symbols by position or by name, not both")
        for value in (*args, *kwargs.values()):
            if not isinstance(value, Symbol):
                raise TypeError(f"compose: expected symbols, got {type(value).__name__}")
        nodes = order(self._entries)
        variables = [n for n in nodes if n.op is None]
        if args:
            raise MXNetError(f"compose: name the variables to replace, as in f({variables[0].name if variables else 'x'}=...)")
        by_name = {}
        for n in variables:
            by_name.setdefault(n.name, []).append(n)
        replace = {}
        for key, value in kwargs.items():
            if key not in by_name:
                raise MXNetError(f"compose: there is no variable {key!r}; expected one of {', '.join(by_name)}")
            if len(value._entries) != 1:
                raise MXNetError(f"compose: {key!r}: expected a symbol with one output, got one with {len(value._entries)}")
            for n in by_name[key]:
                replace[id(n)] = value._entries[0]
        entries = copy_graph(self._entries, replace)
        result = Symbol(entries)
        if name:
            node = result._one_node()
            if node is None:
                raise MXNetError("compose: a group of several nodes cannot be renamed")
            if node.op is not None:
                node.name = name
        return result

    def __copy__(self):
        return Symbol(copy_graph(self._entries))

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce__(self):
        return _from_text, (text.dumps(self._entries),)

    # ---- inference
    def infer_shape(self, *args, **kwargs):
        """Shapes of the arguments, outputs and auxiliary states from those that are known.

        Parameters
        ----------
        *args : tuple or None
            Known shapes in the order of the arguments; 0 stands for an unknown dimension.
        **kwargs : tuple
            Known shapes by name.

        Returns
        -------
        tuple of three lists of tuples
            (None, None, None), with a warning, where something stays unknown.
        """
        got = self._shapes(args, kwargs)
        if not all(infer.complete(v) for v in got):
            names = (self.list_arguments(), self.list_outputs(), self.list_auxiliary_states())
            unknown = [n for part, values in zip(names, got) for n, v in zip(part, values) if not infer.known(v)]
            warnings.warn(f"infer_shape: not enough is known: {', '.join(unknown[:10])}", stacklevel=2)
            return None, None, None
        return tuple([infer.shown_shape(v) for v in part] for part in got)

    def infer_shape_partial(self, *args, **kwargs):
        """As `infer_shape`, but unknown dimensions are given as 0 and unknown shapes as ().

        Parameters
        ----------
        *args, **kwargs : tuple
            See `infer_shape`.

        Returns
        -------
        tuple of three lists of tuples
        """
        return tuple([infer.shown_shape(v) for v in part] for part in self._shapes(args, kwargs))

    def _shapes(self, args, kwargs):
        for key, shape in (*enumerate(args), *kwargs.items()):
            if shape is not None and not isinstance(shape, (tuple, list)):
                raise TypeError(f"infer_shape: shape of argument {key!r}: expected a tuple, got {type(shape).__name__}")
            for n in shape or ():
                if n is not None and not hasattr(n, "__index__"):
                    raise TypeError(f"infer_shape: shape of argument {key!r}: expected whole numbers, got {shape!r}")
        nodes, given = infer.by_argument(self, args, kwargs, "shape")
        slots, values = infer.shapes(nodes, {k: infer.edge_shape(v) for k, v in given.items()})
        return infer.parts(self, slots, values)

    def infer_type(self, *args, **kwargs):
        """Dtypes of the arguments, outputs and auxiliary states from those that are known.

        Parameters
        ----------
        *args : dtype or None
            Known dtypes in the order of the arguments.
        **kwargs : dtype
            Known dtypes by name.

        Returns
        -------
        tuple of three lists
            (None, None, None), with a warning, where something stays unknown.
        """
        got = self._types(args, kwargs)
        if any(t is None for part in got for t in part):
            warnings.warn("infer_type: not enough is known", stacklevel=2)
            return None, None, None
        return tuple(map(_classes, got))

    def infer_type_partial(self, *args, **kwargs):
        """As `infer_type`, with None for what stays unknown.

        Parameters
        ----------
        *args, **kwargs : dtype
            See `infer_type`.

        Returns
        -------
        tuple of three lists
        """
        return tuple(map(_classes, self._types(args, kwargs)))

    def _types(self, args, kwargs):
        nodes, given = infer.by_argument(self, args, kwargs, "type")
        slots, values = infer.types(nodes, {k: None if v is None else dtype_name(v) for k, v in given.items()})
        return infer.parts(self, slots, values)

    # ---- values
    bind, simple_bind, eval = bind.bind, bind.simple_bind, bind.eval

    # ---- files
    def tojson(self, remove_amp_cast=True):
        """The graph as text, as MXNet writes it.

        Parameters
        ----------
        remove_amp_cast : bool
            Leave out the casts of automatic mixed precision.

        Returns
        -------
        str
        """
        return text.dumps(self._entries, remove_amp_cast)

    def save(self, fname, remove_amp_cast=True):
        """Write the graph to a text file.

        Parameters
        ----------
        fname : str or path
        remove_amp_cast : bool
            Leave out the casts of automatic mixed precision.
        """
        if not isinstance(fname, (str, os.PathLike)):
            raise TypeError(f"save: fname: expected a path, got {type(fname).__name__}")
        files.write(os.fspath(fname), self.tojson(remove_amp_cast))

    def debug_str(self):
        """The graph in words, node by node.

        Returns
        -------
        str
        """
        return describe(self._entries)

    # ---- in Jupyter
    def _repr_svg_(self):
        from ..visualization.display import svg
        return svg(self)

    def _repr_html_(self):
        from ..visualization.display import html
        return html(self)

    # ---- other back ends
    def get_backend_symbol(self, backend):
        """The graph as a back end of MXNet's would have it: executors here optimise graphs themselves, so it stays as it is.

        Parameters
        ----------
        backend : str
            One of MXNet's: 'MKLDNN', 'MKLDNN_QUANTIZE', 'default' or 'default_v2'.

        Returns
        -------
        Symbol
        """
        if backend not in BACKENDS:
            raise MXNetError(f"get_backend_symbol: unknown back end {backend!r}; expected one of {', '.join(BACKENDS)}")
        return Symbol(copy_graph(self._entries))

    def optimize_for(self, backend, args=None, aux=None, ctx=None, shape_dict=None, type_dict=None, stype_dict=None,
                     skip_infer=False, **kwargs):
        """See `get_backend_symbol`; a back end of another name changes nothing either.

        Parameters
        ----------
        backend : str
        args, aux, ctx, shape_dict, type_dict, stype_dict, skip_infer, **kwargs
            Accepted for compatibility.

        Returns
        -------
        Symbol
        """
        if not isinstance(backend, str):
            raise TypeError(f"optimize_for: backend: expected text, got {type(backend).__name__}")
        return Symbol(copy_graph(self._entries))

    # ---- what only arrays have
    def __array__(self, dtype=None, copy=None):
        raise NotImplementedForSymbol("__array__", "numpy.asarray")

    def __bool__(self):
        raise NotImplementedForSymbol("__bool__", "bool")

    __nonzero__ = __bool__                               # Python 2's name

    def as_nd_ndarray(self):
        """The symbol itself."""
        return self

    def gradient(self, wrt):
        """Not available: gradients are part of an executor.

        Parameters
        ----------
        wrt : list of str
        """
        raise MXNetError("gradient: not defined for a Symbol; expected bind(args_grad=...) and Executor.backward")


def _refuse(name, alias=None):
    def method(self, *args, **kwargs):
        raise NotImplementedForSymbol(name, alias)
    method.__name__ = name
    method.__doc__ = "Needs values: raises NotImplementedForSymbol."
    return method


for _name in ("asnumpy", "asscalar", "wait_to_read", "as_in_context", "copy", "detach", "backward"):
    setattr(Symbol, _name, _refuse(_name))
for _name, _sign in (("iadd", "+="), ("isub", "-="), ("imul", "*="), ("itruediv", "/=")):
    setattr(Symbol, f"__{_name}__", _refuse(f"__{_name}__", _sign))


def _from_text(text):
    """What a pickled symbol comes back through."""
    return Symbol(json.loads(text, Symbol))


def _classes(names):
    from .._core.array import dtype_class
    return [None if n is None else dtype_class(n) for n in names]


def apply(name, hint, /, *args, **kwargs):
    """Call an operator on symbols, with a given hint for the automatic name."""
    return call(Symbol, REGISTRY[name], hint, args, kwargs)


def Group(symbols, create_fn=Symbol):
    """One symbol with the outputs of several.

    Parameters
    ----------
    symbols : list of Symbol
    create_fn : callable
        Makes the result.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> x = mx.sym.var("x")
    >>> mx.sym.Group([x, mx.sym.exp(x, name="e")]).list_outputs()
    ['x', 'e_output']
    """
    if isinstance(symbols, Symbol):
        error = NotImplementedForSymbol("Group")
        error.args = ("Group: expected a list of symbols, got a Symbol; put it into a list",)
        raise error
    try:
        symbols = list(symbols)
    except TypeError:
        raise TypeError(f"Group: expected a list of symbols, got {type(symbols).__name__}") from None
    if not symbols:
        raise TypeError("Group: expected a list of symbols, got none")
    for k, s in enumerate(symbols):
        if not isinstance(s, Symbol):
            raise TypeError(f"Group: expected a list of symbols, got {type(s).__name__} in place {k}")
    return create_fn([e for s in symbols for e in s._entries])
