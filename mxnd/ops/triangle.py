"""Diagonals and triangles of matrices: as vectors, from vectors, and cut out."""
from math import isqrt

from .declare import F, op
from .linalg import batch, square, square_to_square
from .linear import BOTH
from .params import flag, integer, number
from .shapes import both_ways, plus, size

op("_triangle", inputs="A", params=dict(lower=flag(True), diagonal=number(1.0)), shapes=square_to_square, kernel="triangle",
   kernel_types=BOTH, arguments=lambda p, ins, outs: [*batch(p, ins, outs), int(p.lower), float(p.diagonal)],
   grad=lambda p, g, x, y: [lambda: F._triangle(g[0], **p._asdict())],
   samples=(dict(inputs=[(2, 3, 3)], params={}), dict(inputs=[(3, 3)], params=dict(lower=False, diagonal=0.5))),
   doc="A triangle of each matrix with its diagonal times a number, zeros elsewhere.",
   example="mx.nd._internal._triangle(mx.nd.ones((3, 3)))")


# ---- as vectors -------------------------------------------------------------------------------------

def _inside(p, n):
    """Rows of the diagonal (or triangle) at the offset in n x n."""
    if n is None:
        return None
    k = n - abs(p.offset)
    if k < 0 or k == 0 and n:
        raise ValueError(f"offset {p.offset} is outside matrices of {n} rows")
    return k


def _extract(count):
    def f(p, s):
        s = square(s)
        return *s[:-2], count(_inside(p, s[-1]))
    return f


def _make(rows):
    def f(p, s):
        if len(s) < 1:
            raise ValueError("A has no dimensions; expected at least 1")
        n = plus(rows(s[-1]), abs(p.offset))
        return *s[:-1], n, n
    return f


def _extract_shapes(count, rows):
    return both_ways(_extract(count), _make(rows))


def _make_shapes(rows, count):
    return both_ways(_make(rows), _extract(count))


def _numbers(k):
    return None if k is None else k * (k + 1) // 2


def _rows(count):
    """Rows of a triangle of so many elements."""
    if count is None:
        return None
    k = (isqrt(8 * count + 1) - 1) // 2
    if _numbers(k) != count:
        raise ValueError(f"the last axis has length {count}; expected that of a triangle: 1, 3, 6, 10, ...")
    return k


def _one_each(n):
    """As many elements on a diagonal as rows."""
    return n


def _corner(p, n):
    return p.offset if p.offset >= 0 else -p.offset * n


def _diagonal_arguments(p, matrix):
    n = matrix[-1]
    return [size(matrix[:-2]), n, n - abs(p.offset), _corner(p, n)]


def _triangle_arguments(p, matrix):
    return [*_diagonal_arguments(p, matrix), int(p.offset < 0 or p.offset == 0 and p.lower)]


OFFSET, OFFSET_SIDE = dict(offset=integer(0)), dict(offset=integer(0), lower=flag(True))
_AT = "\noffset: 0 for the main diagonal, above it if positive, below it if negative."
_SIDE = "\nThe triangle begins at the diagonal of the given offset: above it for a positive one, below it for a negative one, as " \
        "lower says for 0."

op("_linalg_extractdiag", inputs="A", aliases="linalg_extractdiag", params=OFFSET, shapes=_extract_shapes(_one_each, _one_each),
   kernel="extractdiag", kernel_types=BOTH, arguments=lambda p, ins, outs: _diagonal_arguments(p, ins[0]),
   grad=lambda p, g, x, y: [lambda: F._linalg_makediag(g[0], offset=p.offset)],
   samples=(dict(inputs=[(2, 3, 3)], params={}), dict(inputs=[(3, 3)], params=dict(offset=-1))),
   doc="A diagonal of each matrix." + _AT, example="mx.nd.linalg.extractdiag(mx.nd.array([[1, 2], [3, 4]]))")

op("_linalg_makediag", inputs="A", aliases="linalg_makediag", params=OFFSET, shapes=_make_shapes(_one_each, _one_each),
   kernel="makediag", kernel_types=BOTH, arguments=lambda p, ins, outs: _diagonal_arguments(p, outs[0]),
   grad=lambda p, g, x, y: [lambda: F._linalg_extractdiag(g[0], offset=p.offset)],
   samples=(dict(inputs=[(2, 3)], params={}), dict(inputs=[(3,)], params=dict(offset=1))),
   doc="Square matrices with the vectors of the last axis as a diagonal, zeros elsewhere." + _AT,
   example="mx.nd.linalg.makediag(mx.nd.array([1, 2]))")

op("_linalg_extracttrian", inputs="A", aliases="linalg_extracttrian", params=OFFSET_SIDE, shapes=_extract_shapes(_numbers, _rows),
   kernel="extracttrian", kernel_types=BOTH, arguments=lambda p, ins, outs: _triangle_arguments(p, ins[0]),
   grad=lambda p, g, x, y: [lambda: F._linalg_maketrian(g[0], **p._asdict())],
   samples=(dict(inputs=[(2, 3, 3)], params={}), dict(inputs=[(3, 3)], params=dict(offset=1)),
            dict(inputs=[(3, 3)], params=dict(lower=False))),
   doc="A triangle of each matrix as a vector: a lower one row after row, an upper one column after column." + _SIDE,
   example="mx.nd.linalg.extracttrian(mx.nd.array([[1, 2], [3, 4]]))")

op("_linalg_maketrian", inputs="A", aliases="linalg_maketrian", params=OFFSET_SIDE, shapes=_make_shapes(_rows, _numbers),
   kernel="maketrian", kernel_types=BOTH, arguments=lambda p, ins, outs: _triangle_arguments(p, outs[0]),
   grad=lambda p, g, x, y: [lambda: F._linalg_extracttrian(g[0], **p._asdict())],
   samples=(dict(inputs=[(2, 6)], params={}), dict(inputs=[(3,)], params=dict(offset=-1)),
            dict(inputs=[(3,)], params=dict(lower=False))),
   doc="Square matrices with the vectors of the last axis as a triangle (a lower one row after row, an upper one column after "
       "column) and zeros elsewhere." + _SIDE,
   example="mx.nd.linalg.maketrian(mx.nd.array([1, 2, 3]))")
