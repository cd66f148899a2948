"""Outputs and gradients of symbols against expected ones, and against differences."""
import numpy as np

from .._core.array import NDArray
from ..ndarray import array, zeros
from ..ops.errors import MXNetError
from ..symbol import Group, var
from .compare import assert_almost_equal
from .settings import default_context
from .tolerances import default_numeric_eps, get_tolerance

_DTYPES = ("float16", "float32", "float64")


def simple_forward(sym, ctx=None, is_train=False, **inputs):
    """The outputs of a symbol for NumPy arrays, as NumPy arrays: one for one output, else a list.

    Examples
    --------
    >>> mx.test_utils.simple_forward(mx.sym.var("x") * 2, x=np.ones(2, np.float32))
    array([2., 2.], dtype=float32)
    """
    args = {k: array(v, dtype=v.dtype, ctx=ctx or default_context()) for k, v in inputs.items()}
    aux = {k: args.pop(k) for k in sym.list_auxiliary_states() if k in args}
    ex = sym.bind(ctx or default_context(), args, aux_states=aux)
    outs = [y.asnumpy() for y in ex.forward(is_train=is_train)]
    return outs[0] if len(outs) == 1 else outs


def _arrays(what, names, given, ctx, dtype):
    """{name: NDArray} from a dict or a list."""
    if isinstance(given, dict):
        if set(given) != set(names):
            raise ValueError(f"check: {what}: expected the names {', '.join(sorted(names))}, got {', '.join(sorted(given))}")
        given = {k: given[k] for k in names}
    else:
        if len(given) != len(names):
            raise ValueError(f"check: {what}: expected {len(names)} arrays ({', '.join(names)}), got {len(given)}")
        given = dict(zip(names, given))
    return {k: _array(v, ctx, dtype) for k, v in given.items()}


def _array(value, ctx, dtype):
    if isinstance(value, NDArray):
        return value.copy() if value.stype == "default" else value.copyto(ctx)
    value = np.asarray(value)
    return array(value, ctx=ctx, dtype=value.dtype if dtype == "asnumpy" else dtype)


def _aux(sym, aux_states, ctx, dtype):
    names = sym.list_auxiliary_states()
    if aux_states is None:
        return {}
    return _arrays("aux_states", names, aux_states, ctx, dtype)


def _check_dtype(dtype):
    if not isinstance(dtype, str) and np.dtype(dtype).name not in _DTYPES:
        raise AssertionError(f"check: dtype: expected one of {', '.join(_DTYPES)}, got {dtype}")


def numeric_grad(executor, location, aux_states=None, eps=1e-4, use_forward_train=True, dtype=np.float32):
    """Gradients of the sum of an executor's outputs by central differences.

    Parameters
    ----------
    executor : Executor
    location : dict of str to numpy.ndarray
        Where; integer arrays get a gradient of zero.
    aux_states : dict of str to numpy.ndarray, optional
        Auxiliary states to start every forward with.
    eps : float
        The distance of the two points whose difference is taken.
    use_forward_train : bool, default True
        Whether forward runs in training mode.
    dtype : dtype

    Returns
    -------
    dict of str to numpy.ndarray

    Examples
    --------
    >>> ex = (mx.sym.var("x") ** 2).bind(mx.cpu(), {"x": mx.nd.array([3.0])})
    >>> mx.test_utils.numeric_grad(ex, {"x": np.array([3.0])}, eps=0.25)["x"]
    array([6.], dtype=float32)
    """
    def total():
        for k, v in (aux_states or {}).items():
            executor.aux_dict[k][:] = v
        return sum(y.asnumpy().astype(np.float64).sum() for y in executor.forward(is_train=use_forward_train))
    start = {k: np.array(v.asnumpy() if isinstance(v, NDArray) else v) for k, v in location.items()}
    for k, v in start.items():
        executor.arg_dict[k][:] = v
    found = {}
    for name, at in start.items():
        found[name] = g = np.zeros(at.shape, dtype)
        if at.dtype.kind != "f":
            continue
        moved = at.astype(executor.arg_dict[name].dtype)
        to = executor.arg_dict[name]
        flat, out = moved.reshape(-1), g.reshape(-1)
        for i in range(flat.size):
            x = flat[i]
            flat[i] = x + eps / 2
            high = flat[i]
            to[:] = moved
            f_high = total()
            flat[i] = x - eps / 2
            low = flat[i]
            to[:] = moved
            f_low = total()
            flat[i] = x
            out[i] = (f_high - f_low) / (np.float64(high) - np.float64(low))       # of the numbers that were really used
        to[:] = moved
    return found


def check_numeric_gradient(sym, location, aux_states=None, numeric_eps=None, rtol=None, atol=None, grad_nodes=None,
                           use_forward_train=True, ctx=None, grad_stype_dict=None, dtype=np.float32):
    """Compare a symbol's gradients with differences of its outputs; raise AssertionError where they disagree.

    Every output is multiplied by random numbers first, so the gradient of their sum tells all of them apart.

    Parameters
    ----------
    sym : Symbol
    location : list or dict of numpy.ndarray or NDArray
        The arguments.
    aux_states : list or dict of numpy.ndarray, optional
        The auxiliary states.
    numeric_eps : float, optional
        The distance of the two points of a difference; default: by the dtype, see `default_numeric_eps`.
    rtol, atol : float, optional
        Tolerances, see `assert_almost_equal`.
    grad_nodes : list of str, or dict of str to {'write', 'add', 'null'}, optional
        Which gradients to check, and how executors store them; by default all.
    use_forward_train : bool, default True
        Whether the differences use forward in training mode.
    ctx : Context, optional
    grad_stype_dict : dict of str to str, optional
        Storage types of gradients.
    dtype : dtype, default float32

    Examples
    --------
    >>> mx.test_utils.check_numeric_gradient(mx.sym.sin(mx.sym.var("x")), [np.array([0.5, 1.0])])
    """
    _check_dtype(dtype)
    ctx = default_context() if ctx is None else ctx
    names = sym.list_arguments()
    args = _arrays("location", names, location, ctx, dtype)
    start = {k: v.asnumpy() for k, v in args.items()}
    aux = _aux(sym, aux_states, ctx, dtype)
    aux_start = {k: v.asnumpy() for k, v in aux.items()}
    if grad_nodes is None:
        reqs = {k: "write" if start[k].dtype.kind == "f" else "null" for k in names}
    elif isinstance(grad_nodes, dict):
        reqs = dict(grad_nodes)
    elif isinstance(grad_nodes, (list, tuple)):
        reqs = dict.fromkeys(grad_nodes, "write")
    else:
        raise ValueError(f"check_numeric_gradient: grad_nodes: expected a list or a dict, got {type(grad_nodes).__name__}")
    unknown = [k for k in reqs if k not in names]
    if unknown:
        raise ValueError(f"check_numeric_gradient: grad_nodes: there is no argument {unknown[0]!r}")
    _, shapes, _ = sym.infer_shape(**{k: v.shape for k, v in args.items()})
    if shapes is None:
        raise MXNetError("check_numeric_gradient: the shapes of the outputs cannot be worked out")
    factors = {f"__random_proj{k}": np.random.rand(*s) + 0.1 for k, s in enumerate(shapes)}
    args.update({k: array(v, ctx=ctx, dtype=dtype) for k, v in factors.items()})
    out = Group([sym[k] * var(p) for k, p in enumerate(factors)])
    before = {k: np.random.normal(size=start[k].shape).astype(start[k].dtype) for k in reqs}
    grads = {k: _gradient_array(v, ctx, (grad_stype_dict or {}).get(k)) for k, v in before.items()}
    ex = out.bind(ctx, args, args_grad=grads, grad_req={**dict.fromkeys(names, "null"), **reqs}, aux_states=aux)
    outs = ex.forward(is_train=True)
    ones = [zeros(y.shape, ctx, y.dtype) + 1 for y in outs]
    ex.backward(ones)
    got = {k: g.asnumpy() for k, g in grads.items()}
    eps = get_tolerance(outs[0], numeric_eps, default_numeric_eps())
    want = numeric_grad(ex, {k: v for k, v in start.items() if reqs.get(k, "null") != "null"}, aux_start, eps=eps,
                        use_forward_train=use_forward_train, dtype=dtype)
    for name, req in reqs.items():
        labels = f"NUMERICAL_{name}", f"BACKWARD_{name}"
        if req == "null":
            assert_almost_equal(before[name], got[name], rtol, atol, labels)
        else:
            assert_almost_equal(want[name], got[name] - before[name] if req == "add" else got[name], rtol, atol, labels)


def _gradient_array(values, ctx, stype=None):
    x = array(values, ctx=ctx, dtype=values.dtype)
    return x if stype in (None, "default") else x.tostype(stype)


def check_symbolic_forward(sym, location, expected, rtol=None, atol=None, aux_states=None, ctx=None, equal_nan=False,
                           dtype=np.float32):
    """Compare a symbol's outputs with expected ones; raise AssertionError where they disagree.

    Parameters
    ----------
    sym : Symbol
    location : list or dict of numpy.ndarray or NDArray
        The arguments.
    expected : list or dict of numpy.ndarray
        The outputs.
    rtol, atol : float, optional
        Tolerances, see `assert_almost_equal`.
    aux_states : list or dict of numpy.ndarray, optional
        The auxiliary states.
    ctx : Context, optional
    equal_nan : bool, default False
    dtype : dtype or 'asnumpy'
        The dtype of the arguments; 'asnumpy': as they are given.

    Returns
    -------
    list of NDArray
        The outputs.

    Examples
    --------
    >>> y = mx.test_utils.check_symbolic_forward(mx.sym.var("x") * 2, [np.ones(2)], [np.full(2, 2.0)])
    """
    _check_dtype(dtype)
    ctx = default_context() if ctx is None else ctx
    args = _arrays("location", sym.list_arguments(), location, ctx, dtype)
    names = sym.list_outputs()
    expected = _expected("expected", names, expected)
    outs = sym.bind(ctx, args, aux_states=_aux(sym, aux_states, ctx, dtype)).forward(is_train=False)
    for name, y in zip(names, outs):
        assert_almost_equal(expected[name], y, rtol, atol, (f"EXPECTED_{name}", f"FORWARD_{name}"), equal_nan=equal_nan)
    return outs


def _expected(what, names, given):
    if isinstance(given, dict):
        return given
    if not isinstance(given, (list, tuple)):
        raise ValueError(f"check: {what}: expected a list or a dict, got {type(given).__name__}")
    if len(given) != len(names):
        raise ValueError(f"check: {what}: expected {len(names)} arrays ({', '.join(names)}), got {len(given)}")
    return dict(zip(names, given))


def check_symbolic_backward(sym, location, out_grads, expected, rtol=None, atol=None, aux_states=None, grad_req="write", ctx=None,
                            grad_stypes=None, equal_nan=False, dtype=np.float32):
    """Compare a symbol's gradients with expected ones; raise AssertionError where they disagree.

    Parameters
    ----------
    sym : Symbol
    location : list or dict of numpy.ndarray or NDArray
        The arguments.
    out_grads : list or dict of numpy.ndarray or NDArray, or None
        Gradients of the outputs; None for losses.
    expected : list or dict of numpy.ndarray
        Gradients of the arguments; those left out of a dict are not checked.
    rtol, atol : float, optional
        Tolerances, see `assert_almost_equal`.
    aux_states : list or dict of numpy.ndarray, optional
        The auxiliary states.
    grad_req : str, list or dict of {'write', 'add', 'null'}
        How executors store gradients; what 'add' adds and what 'null' leaves alone is checked too.
    ctx : Context, optional
    grad_stypes : dict of str to str, optional
        Storage types of gradients.
    equal_nan : bool, default False
    dtype : dtype or 'asnumpy'
        The dtype of the arguments; 'asnumpy': as they are given.

    Returns
    -------
    dict of str to NDArray
        The gradients.

    Examples
    --------
    >>> g = mx.test_utils.check_symbolic_backward(mx.sym.var("x") ** 2, [np.ones(2)], [np.ones(2)], [np.full(2, 2.0)])
    """
    _check_dtype(dtype)
    ctx = default_context() if ctx is None else ctx
    names = sym.list_arguments()
    args = _arrays("location", names, location, ctx, dtype)
    aux = _aux(sym, aux_states, ctx, dtype)
    expected = _expected("expected", names, expected)
    if isinstance(grad_req, str):
        grad_req = dict.fromkeys(names, grad_req)
    elif isinstance(grad_req, (list, tuple)):
        grad_req = dict(zip(names, grad_req))
    before = {k: np.random.normal(size=args[k].shape).astype(args[k].dtype) for k in expected}
    grads = {k: _gradient_array(v, ctx, (grad_stypes or {}).get(k)) for k, v in before.items()}
    ex = sym.bind(ctx, args, args_grad=grads, aux_states=aux, grad_req={**dict.fromkeys(names, "null"), **grad_req})
    outs = ex.forward(is_train=True)
    if out_grads is not None:
        given = _expected("out_grads", sym.list_outputs(), [out_grads] if isinstance(out_grads, (NDArray, np.ndarray)) else out_grads)
        out_grads = [_array(given[n], ctx, y.dtype) for n, y in zip(sym.list_outputs(), outs)]
    ex.backward(out_grads)
    for name, want in expected.items():
        got, req = grads[name].asnumpy(), grad_req.get(name, "null")
        labels = f"EXPECTED_{name}", f"BACKWARD_{name}"
        if req == "write":
            assert_almost_equal(want, got, rtol, atol, labels, equal_nan=equal_nan)
        elif req == "add":
            assert_almost_equal(want, got - before[name], rtol, atol, labels, equal_nan=equal_nan)
        else:
            assert_almost_equal(before[name], got, rtol, atol, labels, equal_nan=equal_nan)
    return grads


