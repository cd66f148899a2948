"""Loops and branches over arrays: `mx.nd.contrib.foreach`, `while_loop` and `cond`.

They run as Python does, so autograd records what happens inside."""
from .._core.array import NDArray
from .._core.call import recording, set_recording
from ..ops.control import padded, rows, stacked
from ..structure import flat as _flat
from ..structure import grouped, iterations, listed

__all__ = ["cond", "foreach", "while_loop"]


def foreach(body, data, init_states):
    """A loop over the first axis of the data.

    Parameters
    ----------
    body : callable
        body(row, states) -> (outputs, new states).
    data : NDArray or nested list of NDArray
        What to walk through; body gets rows in the same structure.
    init_states : NDArray or nested list of NDArray
        The states before the first step.

    Returns
    -------
    outputs : NDArray or nested list of NDArray
        What body gave, stacked along a new first axis.
    states : NDArray or nested list of NDArray
        The states after the last step.

    Examples
    --------
    >>> x, s = mx.nd.array([[1], [2], [3]]), mx.nd.array([0])
    >>> sums, last = mx.nd.contrib.foreach(lambda row, total: (row + total, row + total), x, s)
    >>> sums.asnumpy().ravel()
    array([1., 3., 6.], dtype=float32)
    """
    arrays, form = flat(data, "foreach input")
    flat(init_states, "foreach states")
    if not arrays:
        raise IndexError("foreach: data: expected at least one array, got an empty list")
    n = arrays[0].shape[0]
    for a in arrays:
        if not a.shape or a.shape[0] != n:
            raise ValueError(f"foreach: data: expected arrays of {n} rows, got one of shape {a.shape}")
    if n == 0:
        return _no_rows(body, arrays, form, init_states), init_states
    states, steps, out_form = init_states, [], None
    for row in zip(*map(_rows, arrays)):
        outs, states = body(grouped(row, form), states)
        outs, out_form = flat(outs, "foreach output")
        if steps and len(outs) != len(steps[0]):
            raise ValueError(f"foreach: body returns a different number of outputs; expected {len(steps[0])}, got {len(outs)}")
        steps.append(outs)
    return grouped([stacked(one) for one in zip(*steps)], out_form), states


def _rows(x):
    """The rows one by one: views, or parts that gradients go through."""
    return rows(x) if recording() and x._tracked else x


def _no_rows(body, arrays, form, states):
    """Outputs of no steps: body is asked for their shapes with rows of zeros."""
    from .create import zeros
    was = set_recording(False)
    try:
        row = [zeros(a.shape[1:] or (1,), ctx=a.context, dtype=a._dtype_name) for a in arrays]
        outs, out_form = flat(body(grouped(row, form), states)[0], "foreach output")
    finally:
        set_recording(was)
    return grouped([zeros((0, *y.shape), ctx=y.context, dtype=y._dtype_name) for y in outs], out_form)


def while_loop(cond, func, loop_vars, max_iterations=None):
    """A loop that goes on as long as a condition holds.

    Parameters
    ----------
    cond : callable
        ``cond(*loop_vars)`` -> NDArray with one element, or a number.
    func : callable
        ``func(*loop_vars)`` -> (outputs, new loop_vars); outputs may be None or [].
    loop_vars : NDArray or list of NDArray
    max_iterations : int
        The loop ends after so many steps at the latest.

    Returns
    -------
    outputs : NDArray or nested list of NDArray
        What func gave, stacked; the first axis has length max_iterations, rows of steps that were not made are 0.
        An empty list when there was no step.
    loop_vars : NDArray or list of NDArray
        Their last values.

    Examples
    --------
    >>> i = mx.nd.array([0])
    >>> squares, last = mx.nd.contrib.while_loop(lambda i: i < 3, lambda i: (i * i, i + 1), i, max_iterations=4)
    >>> squares.asnumpy().ravel()
    array([0., 1., 4., 0.], dtype=float32)
    """
    limit = iterations(max_iterations)
    if len(loop_vars) == 0:
        raise ValueError("while_loop: loop_vars: expected at least one, got none")
    single = isinstance(loop_vars, NDArray)
    values = [loop_vars] if single else loop_vars
    steps, form = [], None
    while len(steps) < limit and truth(cond(*values), "while_loop: the value of cond"):
        outs, after = func(*values)
        after = listed(after)
        after = after if isinstance(after, list) else [after]
        if len(after) != len(values):
            raise ValueError(f"while_loop: func returns a wrong number of loop_vars; expected {len(values)}, got {len(after)}")
        values = after
        outs, form = flat(listed(outs), "while output")
        if steps and len(outs) != len(steps[0]):
            raise ValueError(f"while_loop: func returns a different number of outputs; expected {len(steps[0])}, got {len(outs)}")
        steps.append(outs)
    outs = []
    for k, one in enumerate(zip(*steps)):
        shapes = {y.shape for y in one}
        if len(shapes) > 1:
            raise ValueError(f"while_loop: output {k} changes its shape: {', '.join(map(str, sorted(shapes)))}")
        outs.append(padded(stacked(one), limit))
    return grouped(outs, form) if steps else [], values[0] if single else values


def cond(pred, then_func, else_func):
    """One of two computations.

    Parameters
    ----------
    pred : NDArray
        One element, or a number; not 0 chooses the first computation.
    then_func, else_func : callable
        Called without arguments.

    Returns
    -------
    NDArray or nested list of NDArray
        What the chosen one returned.

    Examples
    --------
    >>> x = mx.nd.array([-3])
    >>> mx.nd.contrib.cond(x > 0, lambda: x * 2, lambda: -x).asnumpy()
    array([3.], dtype=float32)
    """
    return then_func() if truth(pred, "cond: pred") else else_func()


def truth(value, what):
    """Yes or no of an array with one element, or of anything that Python knows as true or false."""
    if isinstance(value, NDArray) and value.size != 1:
        raise ValueError(f"{what}: expected one element, got shape {value.shape}")
    return bool(value)


def flat(args, what):
    """(arrays, the structure they come from)."""
    return _flat(args, lambda v: [v] if isinstance(v, NDArray) else None, what, "NDArray")
