"""backward, grad and mark_variables."""
from .._core import tape
from .._core.array import NDArray
from ..ops.errors import MXNetError


def _heads(heads, head_grads):
    heads = [heads] if isinstance(heads, NDArray) else list(heads)
    if head_grads is None:
        grads = [None] * len(heads)
    else:
        grads = [head_grads] if isinstance(head_grads, NDArray) else list(head_grads)
    if len(heads) != len(grads):
        raise AssertionError(f"backward: expected one head gradient per head, got {len(grads)} for {len(heads)}")
    return heads, grads


def backward(heads, head_grads=None, retain_graph=False, train_mode=True):
    """Gradients of the heads' sum for all attached arrays, into their buffers.

    Parameters
    ----------
    heads : NDArray or list of NDArray
    head_grads : NDArray or list of NDArray or None, optional
        Gradients of the heads; None stands for ones.
    retain_graph : bool, default False
        Keep the graph for another backward.
    train_mode : bool, default True

    Raises
    ------
    MXNetError
        A head was not recorded, or no attached array wants a gradient.

    Examples
    --------
    >>> x = mx.nd.array([1.0, 2.0])
    >>> x.attach_grad()
    >>> with mx.autograd.record():
    ...     y = x * x
    >>> mx.autograd.backward([y])
    >>> x.grad.asnumpy()
    array([2., 4.], dtype=float32)
    """
    heads, grads = _heads(heads, head_grads)
    tape.backward(heads, grads, retain_graph, train_mode)


def grad(heads, variables, head_grads=None, retain_graph=None, create_graph=False, train_mode=True):
    """Gradients of the heads' sum for the variables, returned; `x.grad` is left alone.

    Parameters
    ----------
    heads : NDArray or list of NDArray
    variables : NDArray or list of NDArray
    head_grads : NDArray or list of NDArray or None, optional
    retain_graph : bool, optional
        Default: create_graph.
    create_graph : bool, default False
        Record the gradients too, so that they can be differentiated again, to any order.
    train_mode : bool, default True

    Returns
    -------
    list of NDArray
        One per variable.

    Raises
    ------
    MXNetError
        The heads do not depend on a variable.

    Examples
    --------
    >>> x = mx.nd.array([2.0])
    >>> x.attach_grad()
    >>> with mx.autograd.record():
    ...     y = x * x * x
    ...     first, = mx.autograd.grad(y, [x], create_graph=True)
    >>> first.backward()
    >>> x.grad.asnumpy()
    array([12.], dtype=float32)
    """
    heads, grads = _heads(heads, head_grads)
    variables = [variables] if isinstance(variables, NDArray) else list(variables)
    if not variables:
        raise AssertionError("grad: expected at least one variable")
    keep = create_graph if retain_graph is None else retain_graph
    return tape.grad(heads, grads, variables, keep, create_graph, train_mode)


def mark_variables(variables, gradients, grad_reqs="write"):
    """Attach gradient buffers of the caller's to arrays.

    Parameters
    ----------
    variables, gradients : NDArray or list of NDArray
    grad_reqs : str or list of str, default 'write'
        'write', 'add' or 'null'.

    Examples
    --------
    >>> x, g = mx.nd.ones((2,)), mx.nd.zeros((2,))
    >>> mx.autograd.mark_variables([x], [g])
    >>> with mx.autograd.record():
    ...     y = x * 3
    >>> y.backward()
    >>> g.asnumpy()
    array([3., 3.], dtype=float32)
    """
    from ..ndarray.methods import GRAD_REQS
    if isinstance(variables, NDArray):
        variables, gradients = [variables], [gradients]
    if isinstance(grad_reqs, str):
        grad_reqs = [grad_reqs] * len(variables)
    if not len(variables) == len(gradients) == len(grad_reqs):
        raise AssertionError(f"mark_variables: expected lists of one length, got {len(variables)}, {len(gradients)} "
                             f"and {len(grad_reqs)}")
    for x, g, req in zip(variables, gradients, grad_reqs):
        if x.shape != g.shape or x.dtype != g.dtype:
            raise MXNetError(f"mark_variables: a gradient does not fit; expected {x.shape} {x.dtype.__name__}, "
                             f"got {g.shape} {g.dtype.__name__}")
        if req not in GRAD_REQS:
            raise KeyError(f"mark_variables: expected 'write', 'add' or 'null', got {req!r}")
        x._set_leaf(g, GRAD_REQS[req])


def get_symbol(x):
    """The recorded computation of x as a Symbol.

    Parameters
    ----------
    x : NDArray
        Recorded.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> x = mx.nd.ones((2,))
    >>> x.attach_grad()
    >>> with mx.autograd.record():
    ...     y = x * 2
    >>> len(mx.autograd.get_symbol(y).list_arguments())
    1
    """
    from ..symbol.recorded import symbol_of
    if not isinstance(x, NDArray) or tape.recorded(x) is None:
        raise MXNetError("get_symbol: the array was not recorded; expected one made inside autograd.record() from attached arrays")
    return symbol_of(x)
