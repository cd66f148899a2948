"""Initializers that give fixed values."""
import json

import numpy as np

from .._core.array import NDArray
from .base import Initializer, alias, register


@alias("zeros")
@register
class Zero(Initializer):
    """Zeros.

    Examples
    --------
    >>> w = mx.nd.ones((2,))
    >>> mx.init.Zero()("w_weight", w)
    >>> w.asnumpy()
    array([0., 0.], dtype=float32)
    """

    def __init__(self):
        super().__init__()

    _init_weight = Initializer._init_zero


@alias("ones")
@register
class One(Initializer):
    """Ones.

    Examples
    --------
    >>> w = mx.nd.zeros((2,))
    >>> mx.init.One()("w_weight", w)
    >>> w.asnumpy()
    array([1., 1.], dtype=float32)
    """

    def __init__(self):
        super().__init__()

    _init_weight = Initializer._init_one


@register
class Constant(Initializer):
    """One value, or an array of them.

    Parameters
    ----------
    value : number, NDArray or array
        An array broadcasts to the parameter.

    Examples
    --------
    >>> w = mx.nd.zeros((2,))
    >>> mx.init.Constant(3)("w_weight", w)
    >>> w.asnumpy()
    array([3., 3.], dtype=float32)
    """

    def __init__(self, value):
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, _, arr):
        arr[:] = self.value

    def dumps(self):
        """The name and the value as text, see `Initializer.dumps`."""
        value = self.value
        if isinstance(value, NDArray):
            value = value.asnumpy()
        if isinstance(value, (np.ndarray, np.generic)):
            value = value.tolist()
        return json.dumps(["constant", {"value": value}])


@register
class Bilinear(Initializer):
    """Weights of a transposed convolution that enlarges a picture by linear interpolation.

    Examples
    --------
    >>> w = mx.nd.zeros((1, 1, 2, 4))
    >>> mx.init.Bilinear()("w_weight", w)
    >>> w[0, 0, 0].asnumpy()
    array([0.0625, 0.1875, 0.1875, 0.0625], dtype=float32)
    """

    def __init__(self):
        super().__init__()

    _init_weight = Initializer._init_bilinear


