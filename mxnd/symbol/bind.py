"""Binding a symbol to arrays: `Symbol.bind`, `simple_bind` and `eval`."""
from .._core.array import NDArray
from ..context import Context
from ..ops.errors import MXNetError
from ..ops.params import dtype_name
from ..ops.shapes import known
from . import infer
from .collector import uncollected
from .compose import STORAGE
from .executor import REQUESTS, Executor
from .given import given_shape
from .made import Maker
from .node import auxiliary, order


@uncollected
def bind(self, ctx, args, args_grad=None, grad_req="write", aux_states=None, group2ctx=None, shared_exec=None):
    """Bind the graph to arrays.

    Parameters
    ----------
    ctx : Context
    args : list or dict of NDArray
        The arguments; they are shared, not copied.
    args_grad : list or dict of NDArray
        Where gradients go; arguments left out get none.
    grad_req : str, list or dict of str
        "write", "add" (gradients accumulate) or "null".
    aux_states : list or dict of NDArray
        The auxiliary states.
    group2ctx : dict of str to Context
        Accepted for compatibility.
    shared_exec : Executor
        Accepted for compatibility; memory is pooled anyway.

    Returns
    -------
    Executor

    Examples
    --------
    >>> x = mx.sym.var("x")
    >>> (x * 2).bind(mx.cpu(), {"x": mx.nd.ones((2,))}).forward()[0].asnumpy()
    array([2., 2.], dtype=float32)
    """
    _check_context(ctx)
    _check_groups(group2ctx)
    names, aux_names = self.list_arguments(), self.list_auxiliary_states()
    arrays = _arrays("args", args, names)
    grads = _arrays("args_grad", {} if args_grad is None else args_grad, names, missing=True)
    aux = _arrays("aux_states", {} if aux_states is None else aux_states, aux_names)
    return Executor(self, ctx, arrays, grads, _requests(grad_req, names), aux, group2ctx)


@uncollected
def simple_bind(self, ctx, grad_req="write", type_dict=None, stype_dict=None, group2ctx=None, shared_arg_names=None,
                shared_exec=None, shared_buffer=None, **kwargs):
    """Bind the graph to new arrays of zeros, made from the shapes of its inputs.

    Parameters
    ----------
    ctx : Context
    grad_req : str, list or dict of str
        "write", "add" (gradients accumulate) or "null".
    type_dict : dict of str to dtype
        Dtypes of arguments; the others are inferred, or float32.
    stype_dict : dict of str to str
        Storage types of arguments.
    group2ctx : dict of str to Context
        Accepted for compatibility.
    shared_arg_names : list of str
        Arguments to take from shared_exec, with their gradients.
    shared_exec : Executor
        The executor that shared_arg_names and auxiliary states are taken from; shape and dtype have to agree.
    shared_buffer : dict of str to NDArray
        Arrays to use again for the other arguments and gradients, as large as needed or larger; new ones are added.
    **kwargs : tuple
        Shapes of arguments, by name; names that the graph does not have are ignored.

    Returns
    -------
    Executor
    """
    _check_context(ctx)
    _check_groups(group2ctx)
    type_dict, stype_dict = _by_name("type_dict", type_dict), _by_name("stype_dict", stype_dict)
    nodes = order(self._entries)
    variables = [n for n in nodes if n.op is None]
    given = {n.name: given_shape("simple_bind", n.name, kwargs[n.name]) for n in variables if n.name in kwargs}
    try:
        slots, shapes = infer.shapes(nodes, {id(n): given[n.name] for n in variables if n.name in given})
        asked = {id(n): dtype_name(type_dict[n.name]) for n in variables if type_dict.get(n.name) is not None}
        _, types = infer.types(nodes, asked, fill="float32", slots=slots)
    except MXNetError as e:
        if getattr(e, "from_user", False):             # raised by a custom operator's own code
            raise
        raise RuntimeError(f"simple_bind: {e}; given {kwargs}") from None
    is_aux = auxiliary(nodes)
    unknown = [n.name for n in variables if not known(shapes[slots.first[id(n)]])]
    if unknown:
        raise RuntimeError(f"simple_bind: the shapes of {', '.join(unknown[:10])} cannot be worked out; given {kwargs or 'none'}")
    requests = _requests(grad_req, [n.name for n in variables if id(n) not in is_aux], RuntimeError)
    infer.settled(slots, shapes)
    make = Maker(ctx, shared_exec, shared_arg_names, shared_buffer)
    args, grads, aux = [], [], []
    for n in variables:
        slot = slots.first[id(n)]
        stype = stype_dict.get(n.name) or _stype_of(n)
        if stype not in STORAGE:
            raise MXNetError(f"simple_bind: stype_dict: {n.name!r}: expected one of {', '.join(STORAGE)}, got {stype!r}")
        kind = shapes[slot], types[slot], stype
        if id(n) in is_aux:
            aux.append(make.auxiliary(n.name, *kind))
            continue
        args.append(make.argument(n.name, *kind))
        wanted = requests[len(args) - 1] != "null"
        grads.append(make.gradient(n.name, *kind[:2], "row_sparse" if stype == "row_sparse" else "default") if wanted else None)
    make.clear()
    return Executor(self, ctx, args, grads, requests, aux, group2ctx, (slots, shapes, types))


def eval(self, ctx=None, **kwargs):
    """Compute the outputs from arrays given by name.

    Parameters
    ----------
    ctx : Context
    **kwargs : NDArray
        The arguments and auxiliary states.

    Returns
    -------
    list of NDArray
    """
    aux = {k: v for k, v in kwargs.items() if k in self.list_auxiliary_states()}
    return bind(self, ctx, kwargs, grad_req="null", aux_states=aux).forward()


def _by_name(what, given):
    if given is not None and not isinstance(given, dict):
        raise MXNetError(f"simple_bind: {what}: expected a dict by argument names, got {type(given).__name__}")
    return given or {}


def _check_context(ctx):
    if ctx is not None and not isinstance(ctx, Context):
        raise TypeError(f"bind: ctx: expected a Context, got {type(ctx).__name__}")


def _check_groups(group2ctx):
    if group2ctx is not None and not (isinstance(group2ctx, dict)
                                      and all(isinstance(c, Context) for c in group2ctx.values())):
        raise MXNetError("bind: group2ctx: expected a dict of Contexts by the names of groups")


def _stype_of(node):
    code = node.attrs.get("__storage_type__")
    return next((k for k, v in STORAGE.items() if str(v) == code), "default")


def _arrays(what, given, names, missing=False):
    """Arrays in the order of the names, from a list or a dict."""
    if isinstance(given, dict):
        for name, value in given.items():
            if value is not None and not isinstance(value, NDArray):
                raise TypeError(f"bind: {what}[{name!r}]: expected NDArray, got {type(value).__name__}")
        lost = [n for n in names if given.get(n) is None]
        if lost and not missing:
            raise ValueError(f"bind: {lost[0]!r} is missing in {what}")
        return [given.get(n) for n in names]
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"bind: {what}: expected a list or a dict of NDArrays, got {type(given).__name__}")
    if len(given) != len(names):
        raise ValueError(f"bind: {what} has a wrong length; expected {len(names)} arrays ({', '.join(names)}), got {len(given)}")
    for value in given:
        if not isinstance(value, NDArray) and not (missing and value is None):
            raise TypeError(f"bind: {what}: expected NDArrays, got {type(value).__name__}")
    return list(given)


def _requests(given, names, error=ValueError):
    """What to do with each gradient."""
    if isinstance(given, str):
        out = [given] * len(names)
    elif isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise error(f"bind: grad_req has a wrong length; expected {len(names)}, got {len(given)}")
        out = list(given)
    elif isinstance(given, dict):
        out = [given.get(n, "null") for n in names]
    else:
        raise error(f"bind: grad_req: expected text, a list or a dict, got {type(given).__name__}")
    for r in out:
        if r not in REQUESTS:
            raise error(f"bind: grad_req: expected one of {', '.join(map(repr, REQUESTS))}, got {r!r}")
    return out
