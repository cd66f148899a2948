"""How far results may differ, by dtype."""
import numpy as np

from .._core.array import NDArray

RTOLS = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-5}
ATOLS = {"float16": 1e-1, "float32": 1e-3, "float64": 1e-20}
DOUBLE = np.dtype("float64")
EXACT = ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64")


def _table(floats):
    return {np.dtype(k): v for k, v in (*floats.items(), *((k, 0) for k in EXACT))}


def default_rtols():
    """Relative tolerances by dtype.

    Examples
    --------
    >>> mx.test_utils.default_rtols()[np.dtype("float32")]
    0.0001
    """
    return _table(RTOLS)


def default_atols():
    """Absolute tolerances by dtype.

    Examples
    --------
    >>> mx.test_utils.default_atols()[np.dtype("float32")]
    0.001
    """
    return _table(ATOLS)


def default_numeric_eps():
    """Steps for differences, by dtype: powers of two, so that adding one is exact for moderate numbers.

    Examples
    --------
    >>> mx.test_utils.default_numeric_eps()[np.dtype("float32")]
    0.001953125
    """
    return {np.dtype("float16"): 1 / 2**6, np.dtype("float32"): 1 / 2**9, np.dtype("float64"): 1 / 2**14}


def effective_dtype(dat):
    """The dtype that decides the tolerance of an array or a number; bfloat16 counts as float16."""
    if isinstance(dat, NDArray):
        return np.dtype("float16") if dat._dtype_name == "bfloat16" else np.dtype(dat.dtype)
    return np.asarray(dat).dtype


def get_tolerance(dat, tol, default_tol):
    """A tolerance for one array: a number as it is, a table's entry for the dtype, or by default that of default_tol.

    Parameters
    ----------
    dat : NDArray or numpy.ndarray
    tol : float, dict of dtype to float, or None
    default_tol : dict of dtype to float
    """
    if isinstance(tol, dict):
        tol = tol.get(effective_dtype(dat))
    elif tol is not None:
        return tol
    return default_tol.get(effective_dtype(dat), 0) if tol is None else tol


def get_tols(x, y, rtol, atol):
    """(relative, absolute) tolerance for comparing two arrays: those of the coarser dtype, where they are not given."""
    if isinstance(x, (int, float)):
        x = np.asarray(x, np.asarray(y).dtype if not isinstance(y, NDArray) else effective_dtype(y))
    if isinstance(y, (int, float)):
        y = np.asarray(y, effective_dtype(x))
    return (max(get_tolerance(x, rtol, default_rtols()), get_tolerance(y, rtol, default_rtols())),
            max(get_tolerance(x, atol, default_atols()), get_tolerance(y, atol, default_atols())))


def get_rtol(rtol=None, dtype=DOUBLE):
    """The relative tolerance of a dtype, where none is given."""
    return default_rtols()[np.dtype(dtype)] if rtol is None else rtol


def get_atol(atol=None, dtype=DOUBLE):
    """The absolute tolerance of a dtype, where none is given."""
    return default_atols()[np.dtype(dtype)] if atol is None else atol


def get_etol(etol=None):
    """The share of elements that may exceed the tolerance: 0 where none is given."""
    return 0 if etol is None else etol
