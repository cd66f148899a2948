"""Linear algebra on batches of matrices in the last two axes: triangles, factors, determinants, eigenvalues.

Gradients are those of MXNet: where an operator reads one triangle only, nothing flows to the other one; a matrix that counts as
symmetric gets a symmetric gradient.  The formulas for the factors are those of Seeger, Hetzel, Dai, Meissner and Lawrence,
"Auto-Differentiating Linear Algebra" (2017, arXiv 1710.08717)."""
from .declare import F, op
from .linear import BOTH
from .params import dtype_name, flag, integer, number
from .shapes import show, size, unify

# ---- shapes ---------------------------------------------------------------------------------------

def _matrices(s, name="A"):
    """Checks that s has the two axes of a matrix."""
    if s is not None and len(s) < 2:
        raise ValueError(f"{name} has shape {show(s)}; expected at least 2 dimensions")
    return s


def square(s, name="A"):
    """s with equal last axes."""
    if _matrices(s, name) is None:
        return None
    r, c = s[-2:]
    if r is not None and c is not None and r != c:
        raise ValueError(f"{name} has shape {show(s)}; expected square matrices")
    n = c if r is None else r
    return (*s[:-2], n, n)


def square_to_square(p, ins, outs):
    s = square(unify(ins[0], outs[0]))
    return [s], [s]


def _square_to_numbers(p, ins, outs):
    """One number (or two) per matrix; a single matrix gives shape (1,)."""
    s = square(ins[0])
    if s is None:
        return ins, outs
    return [s], [unify(o, s[:-2] or (1,)) for o in outs]


def batch(p, ins, outs):
    return [size(ins[0][:-2]), ins[0][-1]]


def _symmetric(v):
    return v + F.SwapAxis(v, dim1=-1, dim2=-2)


def _product(a, b, **flags):
    return F._linalg_gemm2(a, b, **flags)


def _once(f):
    """f, run no more than once: for what two gradients share."""
    made = []

    def get():
        if not made:
            made.append(f())
        return made[0]
    return get


# ---- triangles: products and solves -----------------------------------------------------------------

def _two_shapes(p, ins, outs):
    a, b = square(ins[0]), _matrices(unify(ins[1], outs[0], "shapes of B and of the result"), "B")
    if b is None:
        return [a, b], [b]
    if a is None:                                   # a stack of square matrices on the side of B that p tells
        a = (*b[:-2], None, None)
    if len(a) != len(b):
        raise ValueError(f"A and B have shapes {show(a)} and {show(b)}; expected equally many dimensions")
    axis = -1 if p.rightside else -2
    try:
        lead = unify(a[:-2], b[:-2])
        n, = unify(a[-1:], (b[axis],))
    except ValueError:
        raise ValueError(f"shapes of A and B do not fit: {show(a)} and {show(b)}; expected equal leading axes and "
                         f"{'columns' if p.rightside else 'rows'} of B as many as rows of A") from None
    b = (*lead, b[-2], n) if p.rightside else (*lead, n, b[-1])
    return [(*lead, n, n), b], [b]


def _two_arguments(p, ins, outs):
    n, other = ins[0][-1], ins[1][-2 if p.rightside else -1]
    return [size(ins[0][:-2]), n, other, int(p.transpose), int(p.rightside), int(p.lower), float(p.alpha)]


def _outer(p, left, right, alpha):
    """The triangle of alpha * left . right', for the gradient of op(A) in op(A) . B; its mirror image where op transposes."""
    a, b = (right, left) if p.transpose else (left, right)
    if p.rightside:                                 # B . op(A): the inner axis is that of the rows
        v = _product(b, a, transpose_a=True, alpha=alpha)
    else:
        v = _product(a, b, transpose_b=True, alpha=alpha)
    return F._triangle(v, lower=p.lower)


def _trmm_grad(p, g, x, y):
    a, b = x
    return [lambda: _outer(p, g[0], b, p.alpha),
            lambda: F._linalg_trmm(a, g[0], transpose=not p.transpose, rightside=p.rightside, lower=p.lower, alpha=p.alpha)]


def _trsm_grad(p, g, x, y):
    solved = _once(lambda: F._linalg_trsm(x[0], g[0], transpose=not p.transpose, rightside=p.rightside, lower=p.lower))
    return [lambda: _outer(p, solved(), y[0], -1.0), lambda: solved() * p.alpha]


TRIANGULAR = dict(transpose=flag(), rightside=flag(), lower=flag(True), alpha=number(1.0))
_WELL = {"A": "A + 3 * np.eye(A.shape[-1])"}                # far from singular
_PAIRS = (dict(inputs=[(3, 3), (3, 2)], params=dict(alpha=2.0)),
          dict(inputs=[(2, 3, 3), (2, 2, 3)], params=dict(rightside=True, alpha=0.5)),
          dict(inputs=[(3, 3), (3, 2)], params=dict(transpose=True, lower=False)),
          dict(inputs=[(3, 3), (2, 3)], params=dict(transpose=True, rightside=True)),
          dict(inputs=[(3, 3), (3, 2)], params=dict(lower=False, alpha=-1.5)))

op("_linalg_trmm", inputs="A B", aliases="linalg_trmm", params=TRIANGULAR, shapes=_two_shapes, arguments=_two_arguments,
   kernel="trmm", kernel_types=BOTH, grad=_trmm_grad, samples=_PAIRS,
   doc="alpha * op(A) . B, or with rightside alpha * B . op(A), where A is triangular and op transposes it or not.\n"
       "Only the lower triangle of A is read, or only the upper one.",
   example="mx.nd.linalg.trmm(mx.nd.ones((2, 2)), mx.nd.ones((2, 3)), alpha=2.0)")

op("_linalg_trsm", inputs="A B", aliases="linalg_trsm", params=TRIANGULAR, shapes=_two_shapes, arguments=_two_arguments,
   kernel="trsm", kernel_types=BOTH, grad=_trsm_grad, samples=_PAIRS, drawn=_WELL,
   doc="X of op(A) . X = alpha * B, or with rightside of X . op(A) = alpha * B, where A is triangular and op transposes it or "
       "not.\nOnly the lower triangle of A is read, or only the upper one.  A zero on the diagonal gives infinities.",
   example="mx.nd.linalg.trsm(mx.nd.array([[2, 0], [1, 4]]), mx.nd.array([[2], [5]]))")


def _syrk_shapes(p, ins, outs):
    s = _matrices(ins[0])
    if s is None:
        return ins, outs
    n = s[-1 if p.transpose else -2]
    return [s], [unify(outs[0], (*s[:-2], n, n))]


op("_linalg_syrk", inputs="A", aliases="linalg_syrk", params=dict(transpose=flag(), alpha=number(1.0)), shapes=_syrk_shapes,
   kernel="syrk", kernel_types=BOTH,
   arguments=lambda p, ins, outs: [size(ins[0][:-2]), outs[0][-1], ins[0][-2 if p.transpose else -1], int(p.transpose),
                                   float(p.alpha)],
   grad=lambda p, g, x, y: [lambda: _product(x[0], _symmetric(g[0]), alpha=p.alpha) if p.transpose
                            else _product(_symmetric(g[0]), x[0], alpha=p.alpha)],
   samples=(dict(inputs=[(2, 3)], params=dict(alpha=2.0)), dict(inputs=[(2, 3, 2)], params=dict(transpose=True))),
   doc="alpha * A . A transposed, or with transpose alpha * A transposed . A.",
   example="mx.nd.linalg.syrk(mx.nd.array([[1, 2], [3, 4]]))")


# ---- Cholesky factors -------------------------------------------------------------------------------

def _potrf_grad(p, g, x, y):
    def for_a():
        side = dict(lower=p.lower)
        inner = F._linalg_trmm(y[0], g[0], transpose=True, rightside=not p.lower, **side)
        half = F._triangle(inner, diagonal=0.5, **side)
        left = F._linalg_trsm(y[0], half, transpose=p.lower, **side)
        return _symmetric(F._linalg_trsm(y[0], left, rightside=True, transpose=not p.lower, **side)) * 0.5
    return [for_a]


def _potri_grad(p, g, x, y):
    def for_a():
        both, a = _symmetric(g[0]), x[0]
        if p.lower:
            v = F._linalg_trsm(a, _product(y[0], both), rightside=True, transpose=True)
        else:
            v = F._linalg_trsm(a, _product(both, y[0]), transpose=True, lower=False)
        return -F._triangle(v, lower=p.lower)
    return [for_a]


def _sided(p, ins, outs):
    return [*batch(p, ins, outs), int(p.lower)]


_EITHER = (dict(inputs=[(3, 3)], params={}), dict(inputs=[(2, 2, 2)], params=dict(lower=False)))

op("_linalg_potrf", inputs="A", aliases="linalg_potrf", params=dict(lower=flag(True)), shapes=square_to_square, kernel="potrf",
   kernel_types=BOTH, arguments=_sided, grad=_potrf_grad, samples=_EITHER, symmetric=True,
   drawn={"A": "A @ A.swapaxes(-1, -2) + np.eye(A.shape[-1])"},
   doc="The Cholesky factor L of A = L . L transposed, or with lower=False the factor U of A = U transposed . U.\n"
       "A counts as symmetric: one triangle is read.  A matrix that is not positive definite is refused.",
   example="mx.nd.linalg.potrf(mx.nd.array([[4, 2], [2, 5]]))")

op("_linalg_potri", inputs="A", aliases="linalg_potri", params=dict(lower=flag(True)), shapes=square_to_square, kernel="potri",
   kernel_types=BOTH, arguments=_sided, grad=_potri_grad, samples=_EITHER, drawn=_WELL,
   doc="The inverse of L . L transposed from the triangular matrix L, or with lower=False that of U transposed . U: after potrf, "
       "the inverse of the matrix that was factored.",
   example="mx.nd.linalg.potri(mx.nd.array([[2, 0], [1, 2]]))")

op("_linalg_sumlogdiag", inputs="A", aliases="linalg_sumlogdiag", shapes=_square_to_numbers, kernel="sumlogdiag",
   kernel_types=BOTH, arguments=batch,
   grad=lambda p, g, x, y: [lambda: F._linalg_makediag(F.broadcast_div(_column(g[0], x[0], 1), F._linalg_extractdiag(x[0])))],
   samples=(dict(inputs=[(3, 3)], params={}), dict(inputs=[(2, 2, 2)], params={})), drawn={"A": "np.abs(A) + 0.5"},
   doc="The sum of the logarithms of the diagonal of each matrix: of a Cholesky factor, half the logarithm of the determinant.",
   example="mx.nd.linalg.sumlogdiag(mx.nd.array([[1, 0], [1, 2]]))")


def _column(v, a, axes):
    """v, which has a number for each matrix of a, with so many axes of length 1 behind the leading ones."""
    return F._reshape_to(v, shape=a.shape[:-2] + (1,) * axes)


# ---- determinants and inverses ------------------------------------------------------------------------

def _inverse_grad(p, g, x, y):
    return [lambda: -_product(y[0], _product(g[0], y[0], transpose_b=True), transpose_a=True)]


op("_linalg_inverse", inputs="A", aliases="_npi_inv linalg_inverse", shapes=square_to_square, kernel="inverse",
   kernel_types=BOTH, arguments=lambda p, ins, outs: [*batch(p, ins, outs), 0], grad=_inverse_grad,
   samples=(dict(inputs=[(3, 3)], params={}), dict(inputs=[(2, 2, 2)], params={})), drawn=_WELL,
   doc="The inverse of each matrix.  A singular one is refused.",
   example="mx.nd.linalg.inverse(mx.nd.array([[2, 0], [1, 4]]))")

op("_inverse_or_zeros", inputs="A", shapes=square_to_square, kernel="inverse", kernel_types=BOTH,
   arguments=lambda p, ins, outs: [*batch(p, ins, outs), 1], grad=_inverse_grad,
   samples=(dict(inputs=[(3, 3)], params={}),), drawn=_WELL,
   doc="The inverse of each matrix, zeros for a singular one.",
   example="mx.nd._internal._inverse_or_zeros(mx.nd.array([[1, 2], [2, 4]]))")


def _derivative_shapes(p, ins, outs):
    s = outs[0]
    for one in ins:
        s = unify(s, one)
    s = square(s)
    return [s] * len(ins), [s]


def _derivative_grad(p, g, x, y):
    """The derivative is linear in each direction and symmetric in all of them: g takes the place of one, or joins them."""
    a, *along = x

    def instead(k):
        return lambda: F._det_derivative(a, *along[:k], g[0], *along[k + 1:], num_args=len(x))
    return [lambda: F._det_derivative(a, *along, g[0], num_args=len(x) + 1), *map(instead, range(len(along)))]


op("_det_derivative", inputs="args", params=dict(num_args=integer(at_least=1)), variadic="num_args", shapes=_derivative_shapes,
   kernel="det_grad", kernel_types=BOTH, arguments=batch, grad=_derivative_grad,
   samples=(dict(inputs=[(3, 3)], params={}), dict(inputs=[(2, 3, 3), (2, 3, 3)], params={}),
            dict(inputs=[(3, 3), (3, 3), (3, 3)], params={})),
   doc="The gradient of the determinant of the first input, differentiated along the other inputs: for one input the matrix of "
       "cofactors.  Singular matrices are no exception.",
   example="mx.nd._internal._det_derivative(mx.nd.array([[1, 2], [2, 4]]))")

op("_linalg_det", stored=3, inputs="A", aliases="_npi_det linalg_det", outputs="output0", shapes=_square_to_numbers, kernel="det",
   kernel_types=BOTH, arguments=batch,
   grad=lambda p, g, x, y: [lambda: F.broadcast_mul(_column(g[0], x[0], 2), F._det_derivative(x[0], num_args=1))],
   samples=(dict(inputs=[(3, 3)], params={}), dict(inputs=[(2, 2, 2)], params={})),
   doc="The determinant of each matrix.", example="mx.nd.linalg.det(mx.nd.array([[1, 2], [3, 4]]))")


def _slogdet_grad(p, g, x, y):
    def for_a():
        inverse = F.SwapAxis(F._inverse_or_zeros(x[0]), dim1=-1, dim2=-2)
        return F.broadcast_mul(_column(g[1], x[0], 2), inverse)
    return [for_a]


op("_linalg_slogdet", stored=4, inputs="A", aliases="_npi_slogdet linalg_slogdet", outputs="output0 output1", shapes=_square_to_numbers,
   kernel="slogdet", kernel_types=BOTH, arguments=batch, grad=_slogdet_grad,
   samples=(dict(inputs=[(3, 3)], params={}), dict(inputs=[(2, 2, 2)], params={})),
   doc="The sign of the determinant of each matrix and the logarithm of its absolute value; 0 and -inf for a singular matrix, "
       "which gets a gradient of zero.",
   example="mx.nd.linalg.slogdet(mx.nd.array([[1, 2], [3, 4]]))")


# ---- orthogonal factors ---------------------------------------------------------------------------------

def _gelqf_shapes(p, ins, outs):
    s = _matrices(unify(ins[0], outs[0]))
    if s is None:
        return ins, outs
    m, n = s[-2:]
    if m is not None and n is not None and m > n:
        raise ValueError(f"A has shape {show(s)}; expected at least as many columns as rows")
    return [s], [s, unify(outs[1], (*s[:-1], m))]


def _gelqf_grad(p, g, x, y):
    def for_a():
        q, l = y
        inner = F._linalg_trmm(l, g[1], transpose=True) - _product(g[0], q, transpose_b=True)
        both = _symmetric(F._triangle(inner, diagonal=0.5))
        return F._linalg_trsm(l, g[0] + _product(both, q), transpose=True)
    return [for_a]


op("_linalg_gelqf", inputs="A", aliases="linalg_gelqf", outputs="output0 output1", shapes=_gelqf_shapes, kernel="gelqf",
   kernel_types=BOTH, arguments=lambda p, ins, outs: [size(ins[0][:-2]), *ins[0][-2:]], grad=_gelqf_grad,
   samples=(dict(inputs=[(2, 3)], params={}), dict(inputs=[(2, 3, 3)], params={})), drawn={"A": "A + 3 * np.eye(*A.shape[-2:])"},
   doc="Q and L of A = L . Q with orthonormal rows of Q and a lower triangular L; A has no more rows than columns.",
   example="mx.nd.linalg.gelqf(mx.nd.array([[1, 2, 2], [0, 3, 4]]))")

_ROUNDING = {"float64": 2.2e-16, "float32": 1.2e-7, "float16": 1e-3, "bfloat16": 8e-3}


def _gaps(values):
    """1 / (l_i - l_j) for all pairs of eigenvalues, 0 where they are equal but for rounding.  (What such pairs contribute is zero
    for every function of the eigenvectors that has a derivative there.)"""
    lead, n = values.shape[:-1], values.shape[-1]
    across = F.broadcast_sub(F._reshape_to(values, shape=(*lead, n, 1)), F._reshape_to(values, shape=(*lead, 1, n)))
    most = F._reshape_to(F.max(F.abs(values), axis=(-1,), keepdims=True), shape=(*lead, 1, 1))
    near = F.broadcast_lesser_equal(F.abs(across), most * (n * _ROUNDING.get(dtype_name(values.dtype), 0.0)))
    return (1.0 - near) / (across + near)


def _syevd_grad(p, g, x, y):
    def for_a():
        u, values = y
        if 0 in u.shape:
            return F.zeros_like(u)
        inner = _gaps(values) * _product(g[0], u, transpose_b=True) + F._linalg_makediag(g[1])
        return _symmetric(_product(u, _product(inner, u), transpose_a=True)) * 0.5
    return [for_a]


def _syevd_shapes(p, ins, outs):
    s = square(unify(ins[0], outs[0]))
    if s is None:
        return ins, outs
    return [s], [s, unify(outs[1], s[:-1])]


op("_linalg_syevd", inputs="A", outputs="output0 output1", shapes=_syevd_shapes, kernel="syevd", kernel_types=BOTH,
   arguments=batch, grad=_syevd_grad, symmetric=True,
   samples=(dict(inputs=[(3, 3)], params={}), dict(inputs=[(2, 2, 2)], params={})),
   drawn={"A": "A + A.swapaxes(-1, -2) + np.diag(np.arange(A.shape[-1]) * 6.0)"},
   doc="Eigenvectors (the rows of U) and eigenvalues (ascending) of symmetric matrices: A = U transposed . diag(L) . U.\n"
       "The lower triangle is read.  The largest number of each eigenvector is positive.",
   example="mx.nd.linalg.syevd(mx.nd.array([[2, 1], [1, 2]]))")
