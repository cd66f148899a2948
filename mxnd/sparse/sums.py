"""Sums, means and norms of sparse arrays: dense results, from the stored values."""
from .._core.call import invoke
from ..ops.declare import reduce_axes
from .kernels import csr_sums, product, rows_dense

FLOATS = ("float32", "float64", "float16", "bfloat16")
KINDS = {"sum": 0, "mean": 0, "_square_sum": 2}


def reduce(op, inputs, p):
    x, = inputs
    if x._dtype_name not in FLOATS or 0 in x.shape:
        return NotImplemented
    axes = reduce_axes(p, x.ndim)
    if len(axes) == x.ndim:
        return everything(op, x, p)
    y = along_csr(op, x, p, axes) if x.stype == "csr" else along_rows(op, x, p, axes)
    if y is not NotImplemented and p.keepdims:
        y = y._view(tuple(1 if i in axes else n for i, n in enumerate(x.shape)))
    return y


def everything(op, x, p):
    """Over all elements: the stored values are enough."""
    if op.name == "norm" and p.out_dtype is not None:
        return NotImplemented
    data = x._dense() if x.stype == "csr" and not x._check() else x._ordered()[0]
    if x.stype == "csr":
        end = int(x._store.indptr.asnumpy()[-1])
        data = data._view((end,)) if data.ndim == 1 and end < data.shape[0] else data
    y = invoke(op.core, (data,), p._replace(axis=None, keepdims=False, **({"exclude": False} if "exclude" in op.params else {})))
    if op.name == "mean":
        y = y * (data.size / product(x.shape)) if data.size else y._same_data() * 0
        if not data.size:
            y[:] = 0
    return y._view((1,) * x.ndim) if p.keepdims else y


def along_csr(op, x, p, axes):
    if op.name == "norm" and (p.ord not in (1, 2) or p.out_dtype is not None):
        return NotImplemented
    kind = (1 if p.ord == 1 else 2) if op.name == "norm" else KINDS[op.name]
    factor = 1.0 / x.shape[axes[0]] if op.name == "mean" else 1.0
    if not x._check():
        return NotImplemented
    return csr_sums(x._parts, x.shape[1], axes == (1,), kind, op.name == "norm" and p.ord == 2, factor)


def along_rows(op, x, p, axes):
    data, indices = x._ordered()
    if data.shape[0] == 0:
        return NotImplemented
    q = p._replace(axis=axes, keepdims=False, **({"exclude": False} if "exclude" in op.params else {}))
    y = invoke(op.core, (data,), q)
    if 0 in axes:
        return y * (data.shape[0] / x.shape[0]) if op.name == "mean" else y
    return rows_dense((y, indices), (x.shape[0], *y.shape[1:]))


RULES = {"reduce": reduce}
