"""What MXNet shows of its way to read keys such as x[1, ..., None]."""
import numpy as np

from .._core.array import NDArray
from .indexing import as_tuple, expand, is_basic, split_masks

BASIC, ADVANCED = 0, 1


def get_indexing_dispatch_code(key):
    """Whether a key of one item per axis holds whole numbers, slices and None only (0), or arrays too (1).

    Examples
    --------
    >>> mx.nd.get_indexing_dispatch_code((1, slice(None))), mx.nd.get_indexing_dispatch_code(([0, 1],))
    (0, 1)
    """
    if not isinstance(key, tuple):
        raise AssertionError(f"get_indexing_dispatch_code: expected a tuple, got {type(key).__name__}")
    code = BASIC
    for item in key:
        if item is Ellipsis:
            raise ValueError("get_indexing_dispatch_code: expected a key without ..., see indexing_key_expand_implicit_axes")
        if isinstance(item, (list, tuple, range, np.ndarray, NDArray)):
            code = ADVANCED
        elif not is_basic(item) and not isinstance(item, (bool, np.bool_)):
            raise ValueError(f"get_indexing_dispatch_code: a key has a wrong type: {type(item).__name__}")
    return code


def indexing_key_expand_implicit_axes(key, shape):
    """(the key as a tuple with ... written out and an item for every axis, place of a mask or -1).

    Parameters
    ----------
    key : int, slice, array or tuple
        A mask is replaced by the positions it selects.
    shape : tuple of int
        Shape of the array that the key is for.

    Examples
    --------
    >>> mx.nd.indexing_key_expand_implicit_axes((1, ..., None), (2, 3))
    ((1, slice(None, None, None), None), -1)
    """
    items = as_tuple(key)
    mask = next((k for k, i in enumerate(items) if isinstance(i, np.ndarray) and i.dtype == bool), -1)
    used = sum(i is not None and i is not Ellipsis for i in items)
    return tuple(split_masks(expand(items, max(len(shape), used)), tuple(shape))), mask


def get_oshape_of_gather_nd_op(dshape, ishape):
    """The shape that gather_nd gives for shapes of data and indices.

    Examples
    --------
    >>> mx.nd.get_oshape_of_gather_nd_op((2, 3, 4), (2, 5))
    (5, 4)
    """
    if not dshape or not ishape:
        raise AssertionError(f"get_oshape_of_gather_nd_op: expected shapes with axes, got {dshape} and {ishape}")
    return (*ishape[1:], *dshape[ishape[0]:])
