"""Variables, and symbols that need no input."""
import numbers

from ..ops.errors import MXNetError
from .compose import variable
from .symbol import Symbol, apply

__all__ = ["var", "Variable", "zeros", "ones", "full", "arange", "linspace", "eye", "histogram", "split_v2"]


def var(name, attr=None, shape=None, lr_mult=None, wd_mult=None, dtype=None, init=None, stype=None, **kwargs):
    """A variable: an input of a graph, by name.

    Parameters
    ----------
    name : str
    attr : dict of str to str
        Attributes to keep with the variable.
    shape : tuple
        Its shape, where known; 0 stands for an unknown dimension.
    lr_mult, wd_mult : float
        Factors for its learning rate and weight decay.
    dtype : dtype
        Its dtype, where known.
    init : str or Initializer
        How it is filled before training.
    stype : str
        Its storage: "default", "row_sparse" or "csr".
    **kwargs
        Further attributes; their names start and end with two underscores.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.var("x", shape=(2, 3)).infer_shape()
    ([(2, 3)], [(2, 3)], [])
    """
    return variable(Symbol, name, attr, shape, lr_mult, wd_mult, dtype, init, stype, **kwargs)


Variable = var


def zeros(shape, dtype=None, **kwargs):
    """A symbol of zeros.

    Parameters
    ----------
    shape : tuple or int
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.zeros((2, 3)).infer_shape()[1]
    [(2, 3)]
    """
    return apply("_zeros", "_zeros", shape=shape, dtype=dtype or "float32", **kwargs)


def ones(shape, dtype=None, **kwargs):
    """A symbol of ones.

    Parameters
    ----------
    shape : tuple or int
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.ones((2,)).eval(ctx=mx.cpu())[0].asnumpy().tolist()
    [1.0, 1.0]
    """
    return apply("_ones", "_ones", shape=shape, dtype=dtype or "float32", **kwargs)


def full(shape, val, dtype=None, **kwargs):
    """A symbol with every element equal to val.

    Parameters
    ----------
    shape : tuple or int
    val : number
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.full((2,), 7).eval(ctx=mx.cpu())[0].asnumpy().tolist()
    [7.0, 7.0]
    """
    try:
        val = float(val)
    except (TypeError, ValueError, OverflowError) as e:
        raise (TypeError if isinstance(e, TypeError) else ValueError)(f"full: val: expected a number, got {val!r:.40}") from None
    return apply("_full", "_full", shape=shape, value=val, dtype=dtype or "float32", **kwargs)


def arange(start, stop=None, step=1.0, repeat=1, infer_range=False, name=None, dtype=None):
    """Evenly spaced numbers from start (inclusive) to stop (exclusive).

    Parameters
    ----------
    start, stop, step : number
        With one number the range is from 0 to it.
    repeat : int
        How often each number comes.
    infer_range : bool
        Take stop from the shape that the graph asks for.
    name : str
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.arange(1, 7, 2).eval(ctx=mx.cpu())[0].asnumpy().tolist()
    [1.0, 3.0, 5.0]
    """
    return apply("_arange", "_arange", start=start, stop=stop, step=step, repeat=repeat, infer_range=infer_range, name=name,
                 dtype=dtype or "float32")


def linspace(start, stop, num, endpoint=True, name=None, dtype=None):
    """num evenly spaced numbers from start to stop.

    Parameters
    ----------
    start, stop : number
    num : int
    endpoint : bool
        Whether stop is the last number.
    name : str
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.linspace(0, 1, 3).eval(ctx=mx.cpu())[0].asnumpy().tolist()
    [0.0, 0.5, 1.0]
    """
    return apply("_linspace", "_linspace", start=start, stop=stop, num=num, endpoint=endpoint, name=name,
                 dtype=dtype or "float32")


def eye(N, M=0, k=0, dtype=None, **kwargs):
    """A matrix of zeros with ones on one diagonal.

    Parameters
    ----------
    N, M : int
        Rows and columns; M = 0 means N.
    k : int
        The diagonal: 0 the main one, above it positive.
    dtype : dtype
        float32 by default.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> mx.sym.eye(2).eval(ctx=mx.cpu())[0].asnumpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return apply("_eye", "_eye", N=N, M=M, k=k, dtype=dtype or "float32", **kwargs)


def histogram(a, bins=10, range=None, **kwargs):
    """Counts of the elements in bins, and the edges of the bins.

    Parameters
    ----------
    a : Symbol
    bins : int or Symbol
        How many bins of equal width, or their edges.
    range : tuple of two numbers
        Required with a number of bins.

    Returns
    -------
    Symbol with two outputs

    Examples
    --------
    >>> counts, edges = mx.sym.histogram(mx.sym.var('x'), bins=2, range=(0, 4))
    >>> counts.eval(ctx=mx.cpu(), x=mx.nd.array([1, 2, 3]))[0].asnumpy().tolist()
    [1, 2]
    """
    if isinstance(bins, Symbol):
        return apply("_histogram", "_histogram", data=a, bins=bins, **kwargs)
    if isinstance(bins, numbers.Integral):
        if range is None:
            raise ValueError("histogram: range is missing; expected (lowest, highest) with a number of bins")
        return apply("_histogram", "_histogram", data=a, bin_cnt=bins, range=range, **kwargs)
    raise ValueError(f"histogram: bins: expected a whole number or a Symbol, got {type(bins).__name__}")


def split_v2(ary, indices_or_sections, axis=0, squeeze_axis=False, **kwargs):
    """Parts of an array along an axis.

    Parameters
    ----------
    ary : Symbol
    indices_or_sections : int or tuple of ints
        How many equal parts, or where each further part begins.
    axis : int
    squeeze_axis : bool
        Remove the axis from parts of length 1.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> parts = mx.sym.split_v2(mx.sym.var('x', shape=(5, 2)), (2, 3))
    >>> parts.infer_shape()[1]
    [(2, 2), (1, 2), (2, 2)]
    """
    if isinstance(indices_or_sections, numbers.Integral):
        sections, indices = int(indices_or_sections), []
    elif isinstance(indices_or_sections, (tuple, list)):
        sections, indices = 0, [0, *indices_or_sections]
    else:
        raise ValueError(f"split_v2: expected a number of parts or a tuple of indices, got {indices_or_sections!r}")
    if sections < 1 and not indices:
        raise MXNetError(f"split_v2: expected at least one part, got {sections}")
    return apply("_split_v2", "_split_v2", ary, indices=indices, axis=axis, squeeze_axis=squeeze_axis, sections=sections,
                 **kwargs)
