"""Products of matrices and tensors."""
from .declare import F, op
from .params import choice, flag, integer, number
from .shapes import axis_of, known, show, size, unify

BOTH = ("float32", "float64")


def _inner(a, b, what="inner sizes"):
    """The one length that both operands are summed over."""
    if a is not None and b is not None and a != b:
        raise ValueError(f"{what} differ, expected equal ones: {a} and {b}")
    return b if a is None else a


# ---- dot ------------------------------------------------------------------------------------------

def _dot_shapes(p, ins, outs):
    a, b = ins
    for name, s, turned in (("lhs", a, p.transpose_a), ("rhs", b, p.transpose_b)):
        if s is not None and len(s) == 0:
            raise ValueError(f"{name} has no dimensions; expected at least 1")
        if s is not None and len(s) == 1 and turned:
            raise ValueError(f"{name} of shape {show(s)} cannot be transposed; expected at least 2 dimensions")
    if a is None or b is None:
        return ins, outs
    try:
        k = _inner(a[0 if p.transpose_a else -1], b[-1 if p.transpose_b else 0])
    except ValueError as e:
        raise ValueError(f"{e}, of {show(a)}{' transposed' * p.transpose_a} and "
                         f"{show(b)}{' transposed' * p.transpose_b}") from None
    a, left = ((k,) + a[1:], a[1:]) if p.transpose_a else (a[:-1] + (k,), a[:-1])
    b, right = (b[:-1] + (k,), b[:-1]) if p.transpose_b else ((k,) + b[1:], b[1:])
    return [a, b], [unify(outs[0], left + right or (1,))]


def _dot_sizes(p, a, b):
    """Rows, columns and inner length of the matrix product behind dot."""
    k = a[0] if p.transpose_a else a[-1]
    return (size(a[1:] if p.transpose_a else a[:-1]), size(b[:-1] if p.transpose_b else b[1:]), k)


def _dot_arguments(p, ins, outs):
    return [*_dot_sizes(p, *ins), int(p.transpose_a), int(p.transpose_b)]


def _product_gradients(product, p, g, a, b):
    """Gradients of product(a, b, transpose_a, transpose_b) for matrices."""
    ta, tb = p.transpose_a, p.transpose_b
    return [(lambda: product(b, g, transpose_a=tb, transpose_b=True)) if ta
            else (lambda: product(g, b, transpose_b=not tb)),
            (lambda: product(g, a, transpose_a=True, transpose_b=ta)) if tb
            else (lambda: product(a, g, transpose_a=not ta))]


def _dot_grad(p, g, x, y):
    a, b = x
    if len(a.shape) == len(b.shape) == 2:
        return _product_gradients(F.dot, p, g[0], a, b)
    m, n, k = _dot_sizes(p, a.shape, b.shape)

    def matrix(v, rows, columns):
        return F._reshape_to(v, shape=(rows, columns))

    def one(side):
        flat = _product_gradients(F.dot, p, matrix(g[0], m, n), matrix(a, *((k, m) if p.transpose_a else (m, k))),
                                  matrix(b, *((n, k) if p.transpose_b else (k, n))))
        return F._reshape_to(flat[side](), shape=x[side].shape)
    return [lambda: one(0), lambda: one(1)]


PRODUCT = dict(transpose_a=flag(), transpose_b=flag(), forward_stype=choice(None, "csr", "default", "row_sparse"))

op("dot", inputs="lhs rhs", params=PRODUCT, aliases="_sparse_dot", shapes=_dot_shapes, kernel="dot", arguments=_dot_arguments,
   kernel_types=BOTH, grad=_dot_grad, storage={"csr default": "dot_csr"},
   samples=(dict(inputs=[(3, 4), (4, 2)], params={}, numpy="np.dot(lhs, rhs)"),
            dict(inputs=[(4, 3), (2, 4)], params=dict(transpose_a=True, transpose_b=True), numpy="np.dot(lhs.T, rhs.T)"),
            dict(inputs=[(3,), (3,)], params={}, numpy="np.dot(lhs, rhs).reshape(1)"),
            dict(inputs=[(2, 3, 4), (4, 2)], params={}, numpy="np.tensordot(lhs, rhs, 1)"),
            dict(inputs=[(4, 2, 3), (4, 2)], params=dict(transpose_a=True), numpy="np.tensordot(lhs, rhs, (0, 0))"),
            dict(inputs=[(2, 4), (3, 2, 4)], params=dict(transpose_b=True), numpy="np.tensordot(lhs, rhs, (1, 2))"),
            dict(inputs=[(3,), (3, 2, 2)], params={}, numpy="np.tensordot(lhs, rhs, 1)")),
   doc="Product over the last axis of lhs and the first of rhs; two vectors give one number, of shape (1,).\n"
       "transpose_a moves the first axis of lhs to its end, transpose_b the last axis of rhs to its front: for matrices, "
       "transposition.",
   example="mx.nd.dot(mx.nd.ones((2, 3)), mx.nd.ones((3, 4)))")


# ---- many products at once -------------------------------------------------------------------------

def _batch_shapes(p, a, b, row, least):
    """Completed shapes of both operands and of their products; `row` is the axis of the rows."""
    for name, s in (("first", a), ("second", b)):
        if len(s) < least:
            raise ValueError(f"the {name} input has shape {show(s)}; expected at least {least} dimensions")
    if len(a) != len(b):
        raise ValueError(f"inputs have shapes {show(a)} and {show(b)}; expected equally many dimensions")
    n = len(a)
    row = axis_of(row, n)
    if row == n - 1:
        raise ValueError(f"axis {row} is the last one, which holds the columns; expected another")
    rows_a, rows_b = (n - 1, row)[not p.transpose_a], (n - 1, row)[not p.transpose_b]
    inner_a, inner_b = row + n - 1 - rows_a, rows_b
    columns_b = row + n - 1 - rows_b
    try:
        k = _inner(a[inner_a], b[inner_b])
        batch = [None if i in (row, n - 1) else _inner(a[i], b[i], f"lengths of axis {i}") for i in range(n)]
    except ValueError as e:
        raise ValueError(f"{e}, of {show(a)}{' transposed' * p.transpose_a} and "
                         f"{show(b)}{' transposed' * p.transpose_b}") from None

    def with_matrix(first, last):
        return tuple(first if i == row else last if i == n - 1 else batch[i] for i in range(n))
    m, w = a[rows_a], b[columns_b]
    return (with_matrix(*((k, m) if p.transpose_a else (m, k))), with_matrix(*((w, k) if p.transpose_b else (k, w))),
            with_matrix(m, w))


def _batch_rule(least):
    def rule(p, ins, outs):
        if ins[0] is None or ins[1] is None:
            return ins, outs
        a, b, c = _batch_shapes(p, ins[0], ins[1], getattr(p, "axis", -2), least)
        c = unify(c, outs[0], "expected and worked-out output shapes")
        if len(ins) > 2:
            c = unify(c, ins[2], "shapes of C and of the product")
        return [a, b, c][:len(ins)], [c]
    return rule


def _batch_arguments(p, ins, outs):
    a, out = ins[0], outs[0]
    row = axis_of(getattr(p, "axis", -2), len(a))
    k = a[row] if p.transpose_a else a[-1]
    return [size(a[:row]), size(a[row + 1:-1]), out[row], out[-1], k, int(p.transpose_a), int(p.transpose_b),
            getattr(p, "alpha", 1.0), getattr(p, "beta", 0.0)]


def _batch_dot_grad(p, g, x, y):
    return _product_gradients(F.batch_dot, p, g[0], *x)


op("batch_dot", inputs="lhs rhs", params=PRODUCT, aliases="_npx_batch_dot", shapes=_batch_rule(3), kernel="batch_gemm",
   arguments=_batch_arguments, kernel_types=BOTH, grad=_batch_dot_grad,
   samples=(dict(inputs=[(2, 3, 4), (2, 4, 2)], params={}, numpy="np.matmul(lhs, rhs)"),
            dict(inputs=[(2, 4, 3), (2, 4, 2)], params=dict(transpose_a=True), numpy="np.matmul(lhs.swapaxes(-1, -2), rhs)"),
            dict(inputs=[(2, 2, 3, 4), (2, 2, 2, 4)], params=dict(transpose_b=True),
                 numpy="np.matmul(lhs, rhs.swapaxes(-1, -2))"),
            dict(inputs=[(2, 4, 3), (2, 2, 4)], params=dict(transpose_a=True, transpose_b=True),
                 numpy="np.matmul(lhs.swapaxes(-1, -2), rhs.swapaxes(-1, -2))")),
   doc="Matrix product of every pair of matrices in the last two axes; the axes before them agree.",
   example="mx.nd.batch_dot(mx.nd.ones((5, 2, 3)), mx.nd.ones((5, 3, 4)))")


def _gemm2_grad(p, g, x, y):
    def product(a, b, **turned):
        return F._linalg_gemm2(a, b, alpha=p.alpha, axis=p.axis, **turned)
    return _product_gradients(product, p, g[0], *x)


def _gemm_grad(p, g, x, y):
    return [*_gemm2_grad(p, g, x[:2], y), lambda: g[0] * p.beta]


MATRICES = dict(transpose_a=flag(), transpose_b=flag(), alpha=number(1.0))

op("_linalg_gemm2", inputs="A B", params=dict(MATRICES, axis=integer(-2)), aliases="linalg_gemm2", shapes=_batch_rule(2),
   kernel="batch_gemm", arguments=_batch_arguments, kernel_types=BOTH, grad=_gemm2_grad,
   samples=(dict(inputs=[(3, 4), (4, 2)], params=dict(alpha=2.0), numpy="2 * A @ B"),
            dict(inputs=[(2, 4, 3), (2, 2, 4)], params=dict(transpose_a=True, transpose_b=True),
                 numpy="A.swapaxes(-1, -2) @ B.swapaxes(-1, -2)"),
            dict(inputs=[(3, 2, 4), (4, 2, 2)], params=dict(axis=0), numpy="np.einsum('ibk,kbj->ibj', A, B)")),
   doc="alpha * A . B for the matrices whose rows run along `axis` and whose columns run along the last axis.",
   example="mx.nd.linalg.gemm2(mx.nd.ones((2, 3)), mx.nd.ones((3, 4)), alpha=2.0)")

op("_linalg_gemm", inputs="A B C", params=dict(MATRICES, beta=number(1.0), axis=integer(-2)), aliases="linalg_gemm",
   shapes=_batch_rule(2), kernel="batch_gemm", arguments=_batch_arguments, kernel_types=BOTH, grad=_gemm_grad,
   samples=(dict(inputs=[(3, 4), (4, 2), (3, 2)], params=dict(alpha=2.0, beta=0.5), numpy="2 * A @ B + 0.5 * C"),
            dict(inputs=[(2, 4, 3), (2, 4, 2), (2, 3, 2)], params=dict(transpose_a=True), numpy="A.swapaxes(-1, -2) @ B + C")),
   doc="alpha * A . B + beta * C for the matrices whose rows run along `axis` and whose columns run along the last axis.",
   example="mx.nd.linalg.gemm(mx.nd.ones((2, 3)), mx.nd.ones((3, 4)), mx.nd.ones((2, 4)), beta=0.5)")


# ---- fully connected layer ---------------------------------------------------------------------------

def _connected_shapes(p, ins, outs):
    data, weight, *bias = ins
    out = outs[0]
    if data is None:                             # as in MXNet, nothing is said before the data's rank is known
        return ins, outs
    if len(data) == 0:
        raise ValueError("data has no dimensions; expected at least 1")
    rest = data[1:] if p.flatten else data[-1:]
    k = size(rest) if known(rest) else None
    weight = unify(weight, (p.num_hidden, k), "weight's given and needed shapes")
    if not p.flatten:
        data = data[:-1] + (weight[1],)
    lead = data[:1] if p.flatten else data[:-1]
    out = unify(out, lead + (p.num_hidden,), "expected and worked-out output shapes")
    data = out[:-1] + (data[1:] if p.flatten else data[-1:])
    bias = [unify(b, (p.num_hidden,), "bias's given and needed shapes") for b in bias]
    return [data, weight, *bias], [out]


def _connected_arguments(p, ins, outs):
    return [size(outs[0][:-1]), p.num_hidden, ins[1][1]]


def _connected_grad(p, g, x, y):
    data, weight = x[:2]
    rows = size(y[0].shape[:-1])

    def matrix(v, columns):
        return v if v.shape == (rows, columns) else F._reshape_to(v, shape=(rows, columns))

    def for_data():
        got = F.dot(matrix(g[0], p.num_hidden), weight)
        return got if got.shape == data.shape else F._reshape_to(got, shape=data.shape)
    return [for_data,
            lambda: F.dot(matrix(g[0], p.num_hidden), matrix(data, weight.shape[1]), transpose_a=True),
            lambda: F.sum(matrix(g[0], p.num_hidden), axis=(0,))][:len(x)]


def without_bias(p):
    """Names of the inputs of a layer whose bias can be left out."""
    return "data weight" if p.no_bias else "data weight bias"


op("FullyConnected", inputs="data weight bias", takes=without_bias, aliases="_npx_fully_connected _sparse_FullyConnected",
   params=dict(num_hidden=integer(at_least=1), no_bias=flag(), flatten=flag(True)), shapes=_connected_shapes,
   kernel="fully_connected", arguments=_connected_arguments, kernel_types=BOTH, grad=_connected_grad, kept=True,
   samples=(dict(inputs=[(3, 4), (2, 4), (2,)], params=dict(num_hidden=2), numpy="data @ weight.T + bias"),
            dict(inputs=[(2, 3, 2), (4, 6), (4,)], params=dict(num_hidden=4), numpy="data.reshape(2, 6) @ weight.T + bias"),
            dict(inputs=[(2, 3, 4), (2, 4)], params=dict(num_hidden=2, flatten=False, no_bias=True), numpy="data @ weight.T")),
   doc="data . weight transposed, plus bias; weight has shape (num_hidden, inputs).\n"
       "flatten joins all axes of data but the first; without it the layer works along the last axis.",
   example="mx.nd.FullyConnected(mx.nd.ones((4, 3)), mx.nd.ones((2, 3)), mx.nd.zeros((2,)), num_hidden=2)")
