"""Optimizer updates with row_sparse gradients: only the rows that the gradient names change."""
import numpy as np

from .._core.array import from_numpy_copy
from ..ops.errors import MXNetError
from ..ops.optimizer import STEPS
from .base import Store
from .kernels import rows_find, rows_group_adagrad, rows_update
from .row_sparse import RowSparseNDArray
from .rules import add_sparse

STEP = {"sgd_update": "sgd", "sgd_mom_update": "sgd_mom", "adam_update": "adam", "ftrl_update": "ftrl",
        "_sparse_adagrad_update": "adagrad"}


def lazy_update(op, inputs, p, out):
    """One step on the gradient's rows of the weight and the states, each dense or row_sparse."""
    weight, grad, *states = inputs
    if op.name == "_sparse_adagrad_update" and p.wd != 0:
        raise MXNetError(f"{op.name}: with a row_sparse gradient weight decay is not supported; expected wd=0, got {p.wd}")
    if not getattr(p, "lazy_update", True) or weight._dtype_name not in ("float32", "float64"):
        return NotImplemented
    if out is not weight:
        weight = weight.copy()
    data, rows = grad._ordered()
    arrays, places = [], []
    for x in (weight, *states):
        if x.stype == "default":
            arrays.append(x)
            places.append(rows)
            continue
        if x.stype != "row_sparse":
            return NotImplemented
        make_room(x, grad)
        stored, numbers = x._parts
        arrays.append(stored)
        places.append(rows if numbers.shape[0] == x.shape[0] else rows_find((numbers, rows)))
    numbers = op.arguments(p, [x.shape for x in inputs], [weight.shape])
    step = STEPS.index(STEP[op.name])
    reals = tuple(float(v) for v in numbers[6:])
    rows_update((arrays[0], data, *arrays[1:], *places), len(inputs) + len(places), step, grad._width, reals)
    return weight


def make_room(x, grad):
    """Let a row_sparse array store every row that the gradient names; new ones are zero."""
    _, numbers = x._ordered()
    if numbers.shape[0] == x.shape[0]:
        return
    rows = grad._ordered()[1]
    if (rows_find((numbers, rows)).asnumpy() >= 0).all():
        return
    y = add_sparse(x, RowSparseNDArray(Store(from_numpy_copy(np.zeros(grad._store.data.shape), x._dtype_name), rows, None,
                                             True), x.shape))
    x._take(y._store.data, y._store)


def lazy_group_adagrad(op, inputs, p, out):
    weight, grad, history = inputs
    if weight._dtype_name not in ("float32", "float64"):
        return NotImplemented
    if out is not weight:
        weight = weight.copy()
    data, rows = grad._ordered()
    rows_group_adagrad((weight, data, history, rows), (p.lr, p.rescale_grad, p.clip_gradient, p.epsilon))
    return weight


RULES = {"lazy_update": lazy_update, "lazy_group_adagrad": lazy_group_adagrad}
