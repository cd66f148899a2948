"""Whether arrays are equal or nearly so, and where they are not."""
import numpy as np

from .._core.array import NDArray
from .tolerances import get_etol, get_tols


def _numpy(x):
    return x.asnumpy() if isinstance(x, NDArray) else np.asarray(x)


def same(a, b):
    """Whether two arrays have one shape and equal elements.

    Examples
    --------
    >>> mx.test_utils.same(np.ones(2), np.ones(2))
    True
    """
    return np.array_equal(_numpy(a), _numpy(b))


def same_array(array1, array2):
    """Whether two NDArrays share their memory: a change to one is seen in the other, both ways.

    Examples
    --------
    >>> x = mx.nd.ones((2,))
    >>> mx.test_utils.same_array(x, x[:]), mx.test_utils.same_array(x, x.copy())
    (True, False)
    """
    if array1.shape != array2.shape or not same(array1, array2):
        return False
    seen = True
    for one, other in ((array1, array2), (array2, array1)):
        one[:] += 1
        seen = seen and same(one, other)
        one[:] -= 1
    return seen


def checkShapes(a, b):
    """Raise AssertionError when two arrays differ in shape."""
    if np.shape(_numpy(a)) != np.shape(_numpy(b)):
        raise AssertionError(f"shapes differ: {np.shape(_numpy(a))} and {np.shape(_numpy(b))}")


def almost_equal(a, b, rtol=None, atol=None, equal_nan=False, use_broadcast=True):
    """Whether all elements agree within tolerances: abs(a - b) <= atol + rtol * abs(b).

    Parameters
    ----------
    a, b : NDArray or numpy.ndarray
    rtol, atol : float, optional
        Default: by the coarser of the dtypes, see `default_rtols`.
    equal_nan : bool, default False
        Whether NaN equals NaN.
    use_broadcast : bool, default True
        Whether the shapes may broadcast.

    Examples
    --------
    >>> mx.test_utils.almost_equal(np.ones(2), np.array([1, 1.1]), rtol=0.2)
    True
    """
    if not use_broadcast:
        checkShapes(a, b)
    rtol, atol = get_tols(a, b, rtol, atol)
    return bool(np.allclose(_numpy(a), _numpy(b), rtol=rtol, atol=atol, equal_nan=equal_nan))


def _errors(a, b, rtol, atol, equal_nan=False):
    """How many times the tolerance every element is off; exact agreement is 0, NaN against a number infinite."""
    a, b = np.broadcast_arrays(np.asarray(a), np.asarray(b))
    if a.dtype == bool or b.dtype == bool:
        a, b = a.astype(int), b.astype(int)
    wide = np.result_type(a, b, np.float64)
    x, y = a.astype(wide), b.astype(wide)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        off = np.abs(x - y)
        allowed = atol + rtol * np.abs(y)
        out = np.where(allowed > 0, off / allowed, np.where(off > 0, np.inf, 0.0))
    out = np.where(x == y, 0.0, out)                       # infinities too
    nan_x, nan_y = np.isnan(x), np.isnan(y)
    out = np.where(nan_x & nan_y, 0.0 if equal_nan else np.inf, np.where(nan_x != nan_y, np.inf, out))
    return np.where(np.isnan(out), np.inf, out)            # an infinity against a number


def find_max_violation(a, b, rtol, atol):
    """(index, error) of the element that is off most, in multiples of the tolerance.

    Examples
    --------
    >>> mx.test_utils.find_max_violation(np.array([1.0, 2.0]), np.array([1.0, 4.0]), 0.25, 0.0)
    ((1,), 2.0)
    """
    off = _errors(_numpy(a), _numpy(b), rtol, atol)
    if off.size == 0:
        return (), 0.0
    index = tuple(int(i) for i in np.unravel_index(np.argmax(off), off.shape))
    return index, float(off[index])


def locationError(a, b, index, names, maxError=False):
    """Where two arrays differ, in words."""
    at = ", ".join(str(int(i)) for i in index)
    at = f"({at},)" if len(index) == 1 else f"({at})"
    a, b = np.broadcast_arrays(_numpy(a), _numpy(b))
    what = "maximum error" if maxError else "error"
    return f"Location of {what}: {at}, {names[0]}={a[index]:.8f}, {names[1]}={b[index]:.8f}"


def assert_almost_equal(a, b, rtol=None, atol=None, names=("a", "b"), equal_nan=False, use_broadcast=True, mismatches=(10, 10)):
    """Raise AssertionError unless two arrays agree within tolerances: abs(a - b) <= atol + rtol * abs(b).

    The message tells the largest error in multiples of the tolerance, where it is, and how many elements are off;
    the worst of them are printed.

    Parameters
    ----------
    a, b : NDArray or numpy.ndarray
        The result, and what it should be.
    rtol, atol : float, optional
        Default: by the coarser of the dtypes, see `default_rtols`.
    names : tuple of str
        What the message calls them.
    equal_nan : bool, default False
        Whether NaN equals NaN.
    use_broadcast : bool, default True
        Whether the shapes may broadcast.
    mismatches : tuple of int
        How many of the worst elements to print: the first number for vectors, the second for others.

    Examples
    --------
    >>> mx.test_utils.assert_almost_equal(mx.nd.ones((2,)), np.ones(2))
    """
    _check(a, b, rtol, atol, 0, names, equal_nan, use_broadcast, mismatches)


def assert_almost_equal_with_err(a, b, rtol=None, atol=None, etol=None, names=("a", "b"), equal_nan=False, mismatches=(10, 10)):
    """As `assert_almost_equal`, but a share etol of the elements may be off.

    Examples
    --------
    >>> mx.test_utils.assert_almost_equal_with_err(np.ones(4), np.array([1, 1, 1, 5]), etol=0.25)
    """
    _check(a, b, rtol, atol, get_etol(etol), names, equal_nan, True, mismatches)


def _check(a, b, rtol, atol, etol, names, equal_nan, use_broadcast, mismatches):
    if not use_broadcast:
        checkShapes(a, b)
    rtol, atol = get_tols(a, b, rtol, atol)
    x, y = _numpy(a), _numpy(b)
    off = _errors(x, y, rtol, atol, equal_nan)
    wrong = off > 1
    count = int(wrong.sum())
    if count <= etol * off.size:
        return
    order = np.argsort(-off, axis=None, kind="stable")[:count]
    shown = mismatches[0] if off.ndim <= 1 else mismatches[1]
    lines = []
    for k, flat in enumerate(order[:shown]):
        index = np.unravel_index(flat, off.shape)
        lines.append(f"{k + 1:3d}: Error {off[index]:f}  {locationError(x, y, index, names)}")
    kind = "vector" if off.ndim == 1 else "matrix" if off.ndim == 2 else "array"
    size = "x".join(map(str, off.shape)) or "1"
    print(f"\n*** Maximum errors for {kind} of size {size}:  rtol={rtol}, atol={atol}\n\n" + "\n".join(lines))
    worst = np.unravel_index(order[0], off.shape)
    raise AssertionError(
        f"\nItems are not equal:\nError {off[worst]:f} exceeds tolerance rtol={rtol:e}, atol={atol:e} "
        f"(mismatch {100 * count / off.size:f}%).\n{locationError(x, y, worst, names, True)}\n ACTUAL: {x!r}\n DESIRED: {y!r}")


def _without_nans(a, b):
    a, b = np.copy(_numpy(a)), np.copy(_numpy(b))
    skip = np.isnan(a) | np.isnan(b)
    a[skip] = b[skip] = 0
    return a, b


def almost_equal_ignore_nan(a, b, rtol=None, atol=None):
    """As `almost_equal`, where elements that are NaN in either array count as equal.

    Examples
    --------
    >>> mx.test_utils.almost_equal_ignore_nan(np.array([1, np.nan]), np.array([1.0, 2.0]))
    True
    """
    return almost_equal(*_without_nans(a, b), rtol, atol)


def assert_almost_equal_ignore_nan(a, b, rtol=None, atol=None, names=("a", "b")):
    """As `assert_almost_equal`, where elements that are NaN in either array count as equal."""
    assert_almost_equal(*_without_nans(a, b), rtol, atol, names)


def assert_allclose(a, b, rtol=1e-07, atol=0, equal_nan=True):
    """As `assert_almost_equal`, with NumPy's tolerances.

    Examples
    --------
    >>> mx.test_utils.assert_allclose(np.ones(2), mx.nd.ones((2,)))
    """
    assert_almost_equal(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def assert_exception(f, exception_type, *args, **kwargs):
    """Raise AssertionError unless ``f(*args, **kwargs)`` raises an exception of a type.

    Examples
    --------
    >>> mx.test_utils.assert_exception(int, ValueError, "x")
    """
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"expected {getattr(exception_type, '__name__', exception_type)}, got no exception")


def compare_ndarray_tuple(t1, t2, rtol=None, atol=None):
    """Compare nested tuples of arrays with `assert_almost_equal`; None on either side is skipped."""
    if t1 is None or t2 is None:
        return
    if isinstance(t1, tuple):
        if len(t1) != len(t2):
            raise AssertionError(f"tuples differ in length: {len(t1)} and {len(t2)}")
        for a, b in zip(t1, t2):
            compare_ndarray_tuple(a, b, rtol, atol)
    else:
        assert_almost_equal(t1, t2, rtol=rtol, atol=atol)


def same_symbol_structure(sym1, sym2):
    """Whether two graphs have the same operators, connected in the same way; names do not count.

    Examples
    --------
    >>> x, y = mx.sym.var("x"), mx.sym.var("y")
    >>> mx.test_utils.same_symbol_structure(x * 2, y * 3)
    True
    """
    from ..symbol.node import order
    rows = []
    for s in (sym1, sym2):
        nodes = order(s._entries)
        place = {id(n): k for k, n in enumerate(nodes)}
        rows.append(([(n.op and n.op.name, [(place[id(m)], i) for m, i in n.inputs]) for n in nodes],
                     [(place[id(n)], i) for n, i in s._entries]))
    return rows[0] == rows[1]
