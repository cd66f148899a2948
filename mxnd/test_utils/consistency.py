"""A symbol on several devices and in several dtypes, against itself; and how fast it runs."""
import time

import numpy as np

from ..ndarray import array, ones, waitall
from .compare import assert_almost_equal
from .settings import default_context
from .tolerances import default_atols, default_rtols


def check_consistency(sym, ctx_list, scale=1.0, grad_req="write", arg_params=None, aux_params=None, rtol=None, atol=None,
                      raise_on_err=True, ground_truth=None, equal_nan=False, use_uniform=False, rand_type=np.float64):
    """Compare a symbol with itself on other devices and in other dtypes, outputs and gradients.

    Parameters
    ----------
    sym : Symbol or list of Symbol
        One for all, or one for each item of ctx_list.
    ctx_list : list of dict
        Each with 'ctx', the shapes of arguments by name, and maybe 'type_dict'.
    scale : float
        Arguments are random numbers times this.
    grad_req : str, list or dict of {'write', 'add', 'null'}
    arg_params, aux_params : dict of str to numpy.ndarray, optional
        Values of some arguments and auxiliary states.
    rtol, atol : float or dict of dtype to float, optional
        Tolerances, by default those of the coarser dtype.
    raise_on_err : bool, default True
        Whether to raise, or to print.
    ground_truth : dict of str to numpy.ndarray, optional
        What to compare with; by default the item with the most precise dtype.
    equal_nan : bool, default False
    use_uniform : bool, default False
        Whether random numbers are uniform rather than normal.
    rand_type : dtype
        The dtype that random numbers are drawn in.

    Returns
    -------
    dict of str to numpy.ndarray
        What was compared with: outputs, and gradients under the names of the arguments.

    Examples
    --------
    >>> x = {"ctx": mx.cpu(), "x": (2, 3)}
    >>> types = [{"x": np.float64}, {"x": np.float32}]
    >>> got = mx.test_utils.check_consistency(mx.sym.exp(mx.sym.var("x")), [{**x, "type_dict": t} for t in types])
    """
    if len(ctx_list) < 2 and ground_truth is None:
        raise AssertionError("check_consistency: expected at least two items in ctx_list")
    syms = [sym] * len(ctx_list) if not isinstance(sym, (list, tuple)) else list(sym)
    if len(syms) != len(ctx_list):
        raise AssertionError(f"check_consistency: expected {len(ctx_list)} symbols, got {len(syms)}")
    names, outputs = syms[0].list_arguments(), syms[0].list_outputs()
    for s in syms[1:]:
        if s.list_arguments() != names or s.list_outputs() != outputs:
            raise AssertionError("check_consistency: the symbols differ in their arguments or outputs")
    executors = [s.simple_bind(grad_req=grad_req, **c) for s, c in zip(syms, ctx_list)]
    arg_params, aux_params = dict(arg_params or {}), dict(aux_params or {})
    draw = np.random.uniform if use_uniform else np.random.normal
    for name, x in executors[0].arg_dict.items():
        if name not in arg_params:
            shape = x.shape
            arg_params[name] = (draw(-0.5, 0.5, shape) * 2 if use_uniform else draw(size=shape)).astype(rand_type) * scale
    for name, x in executors[0].aux_dict.items():
        aux_params.setdefault(name, np.zeros(x.shape))
    for ex in executors:
        for name, x in ex.arg_dict.items():
            x[:] = np.asarray(arg_params[name])
        for name, x in ex.aux_dict.items():
            x[:] = np.asarray(aux_params[name])
        for g in ex.grad_arrays:
            if g is not None:
                g[:] = 0
    kinds = [_coarsest(ex) for ex in executors]
    best = int(np.argmax([np.finfo(k).precision for k in kinds]))
    trains = grad_req != "null"
    heads = None
    for ex in executors:
        ex.forward(is_train=trains)
    if trains:
        heads = [draw(size=y.shape) for y in executors[best].outputs]
        for ex in executors:
            ex.backward([array(h, dtype=y.dtype, ctx=y.context) for h, y in zip(heads, ex.outputs)])
    truth = ground_truth
    if truth is None:
        truth = _results(executors[best], outputs, trains)
    for k, ex in enumerate(executors):
        if ground_truth is None and k == best:
            continue
        tols = [_tolerance(t, kinds[k], table) for t, table in ((rtol, default_rtols()), (atol, default_atols()))]
        for name, value in _results(ex, outputs, trains).items():
            if name not in truth:
                continue
            try:
                assert_almost_equal(value, np.asarray(truth[name]).astype(value.dtype), *tols, names=(f"item{k}_{name}", f"truth_{name}"),
                                    equal_nan=equal_nan)
            except AssertionError as e:
                if raise_on_err:
                    raise AssertionError(f"check_consistency: item {k} ({ctx_list[k]}), {name!r}: {e}") from None
                print(f"check_consistency: item {k}, {name!r}: {e}")
    return truth


def _coarsest(ex):
    floats = [np.dtype(y.dtype) for y in (*ex.arg_arrays, *ex.outputs) if np.dtype(y.dtype).kind == "f"]
    return min(floats, key=lambda t: np.finfo(t).precision) if floats else np.dtype(np.float64)


def _results(ex, outputs, gradients):
    found = {n: y.asnumpy() for n, y in zip(outputs, ex.outputs)}
    if gradients:
        found.update({n: g.asnumpy() for n, g in ex.grad_dict.items() if g is not None})
    return found


def _tolerance(given, dtype, table):
    if isinstance(given, dict):
        return given.get(dtype, table[dtype])
    if given is not None:
        return given
    return table[dtype] if dtype != np.dtype(np.float64) else table[np.dtype(np.float32)] / 10


def check_speed(sym, location=None, ctx=None, N=20, grad_req=None, typ="whole", **kwargs):
    """Seconds that a run of a symbol takes, the mean of N after one to warm up.

    Parameters
    ----------
    sym : Symbol
    location : dict of str to numpy.ndarray, optional
        The arguments; by default normal random numbers in the shapes given as keywords.
    ctx : Context, optional
    N : int, default 20
    grad_req : str, list or dict, default 'write'
    typ : {'whole', 'forward'}
        Whether to time forward and backward, or forward alone.
    **kwargs : tuple of int
        Shapes by name.

    Returns
    -------
    float

    Examples
    --------
    >>> mx.test_utils.check_speed(mx.sym.exp(mx.sym.var("x")), N=2, x=(10,)) > 0
    True
    """
    if typ not in ("whole", "forward"):
        raise ValueError(f"check_speed: typ: expected 'whole' or 'forward', got {typ!r}")
    ctx = default_context() if ctx is None else ctx
    grad_req = ("write" if typ == "whole" else "null") if grad_req is None else grad_req
    if location is not None:
        kwargs = {k: v.shape for k, v in location.items()}
    ex = sym.simple_bind(ctx, grad_req=grad_req, **kwargs)
    if location is None:
        location = {k: np.random.normal(size=x.shape) for k, x in ex.arg_dict.items()}
    for name, value in location.items():
        ex.arg_dict[name][:] = value

    def run():
        outs = ex.forward(is_train=typ == "whole")
        if typ == "whole":
            ex.backward(heads)
        return outs
    heads = [ones(y.shape, ctx, y.dtype) for y in ex.forward(is_train=typ == "whole")]
    run()
    waitall()
    start = time.perf_counter()
    for _ in range(N):
        run()
    waitall()
    return (time.perf_counter() - start) / N
