"""Initializers that draw random numbers, from `mx.random`."""
import numpy as np

from ..ndarray.random import normal, uniform
from .base import Initializer, register


def _uniform(arr, scale):
    arr[:] = uniform(-scale, scale, shape=arr.shape, ctx=arr.context)


def _normal(arr, sigma):
    arr[:] = normal(0, sigma, shape=arr.shape, ctx=arr.context)


@register
class Uniform(Initializer):
    """Numbers spread evenly from -scale to scale.

    Parameters
    ----------
    scale : float, default 0.07

    Examples
    --------
    >>> w = mx.nd.zeros((100,))
    >>> mx.init.Uniform(2)("w_weight", w)
    >>> bool((w.abs() <= 2).min().asscalar())
    True
    """

    def __init__(self, scale=0.07):
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, _, arr):
        _uniform(arr, self.scale)


@register
class Normal(Initializer):
    """Normal numbers around 0.

    Parameters
    ----------
    sigma : float, default 0.01
        Standard deviation.

    Examples
    --------
    >>> mx.init.Normal(0.5).dumps()
    '["normal", {"sigma": 0.5}]'
    """

    def __init__(self, sigma=0.01):
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, _, arr):
        _normal(arr, self.sigma)


@register
class Orthogonal(Initializer):
    """A matrix whose rows (or columns, where it has more rows) are orthogonal.

    Parameters
    ----------
    scale : float, default 1.414
        Length of the rows or columns.
    rand_type : {'uniform', 'normal'}
        What the matrix is made from.

    Examples
    --------
    >>> w = mx.nd.zeros((2, 5))
    >>> mx.init.Orthogonal(scale=2)("w_weight", w)
    >>> bool(np.allclose(mx.nd.dot(w, w, transpose_b=True).asnumpy(), 4 * np.eye(2), atol=1e-5))
    True
    """

    def __init__(self, scale=1.414, rand_type="uniform"):
        super().__init__(scale=scale, rand_type=rand_type)
        self.scale, self.rand_type = scale, rand_type

    def _init_weight(self, _, arr):
        if not arr.shape:
            raise ValueError("Orthogonal: expected at least one axis, got shape ()")
        rows, columns = arr.shape[0], int(np.prod(arr.shape[1:], dtype=np.int64))
        if self.rand_type == "uniform":
            drawn = uniform(-1, 1, shape=(rows, columns))
        elif self.rand_type == "normal":
            drawn = normal(0, 1, shape=(rows, columns))
        else:
            raise ValueError(f"Orthogonal: rand_type: expected 'uniform' or 'normal', got {self.rand_type!r}")
        u, _, v = np.linalg.svd(drawn.asnumpy().astype(np.float64), full_matrices=False)
        arr[:] = (self.scale * (u if u.shape == (rows, columns) else v)).reshape(arr.shape)


@register
class Xavier(Initializer):
    """Random numbers whose spread goes down with the number of inputs and outputs of a layer.

    The numbers reach (uniform) or have the deviation (gaussian) sqrt(magnitude / factor).

    Parameters
    ----------
    rnd_type : {'uniform', 'gaussian'}
    factor_type : {'avg', 'in', 'out'}
        The factor: inputs, outputs, or their mean.
    magnitude : float, default 3

    Examples
    --------
    >>> w = mx.nd.zeros((10, 20))
    >>> mx.init.Xavier()("w_weight", w)
    >>> bool(abs(w.asnumpy()).max() <= (3 / 15) ** 0.5)
    True
    """

    def __init__(self, rnd_type="uniform", factor_type="avg", magnitude=3):
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        self.rnd_type, self.factor_type, self.magnitude = rnd_type, factor_type, float(magnitude)

    def _init_weight(self, name, arr):
        shape = arr.shape
        if len(shape) < 2:
            raise ValueError(f"Xavier: {name}: expected at least 2 axes, got shape {shape}")
        field = float(np.prod(shape[2:])) if len(shape) > 2 else 1.0
        inputs, outputs = shape[1] * field, shape[0] * field
        factors = {"avg": (inputs + outputs) / 2, "in": inputs, "out": outputs}
        if self.factor_type not in factors:
            raise ValueError(f"Xavier: factor_type: expected 'avg', 'in' or 'out', got {self.factor_type!r}")
        if self.rnd_type not in ("uniform", "gaussian"):
            raise ValueError(f"Xavier: rnd_type: expected 'uniform' or 'gaussian', got {self.rnd_type!r}")
        if arr.size:
            spread = np.sqrt(self.magnitude / factors[self.factor_type])
            (_uniform if self.rnd_type == "uniform" else _normal)(arr, float(spread))


@register
class MSRAPrelu(Xavier):
    """Normal numbers for layers followed by rectifiers with a slope.

    Parameters
    ----------
    factor_type : {'avg', 'in', 'out'}
        See `Xavier`.
    slope : float, default 0.25
        Slope of the rectifier below zero.

    Examples
    --------
    >>> mx.init.MSRAPrelu().dumps()
    '["msraprelu", {"factor_type": "avg", "slope": 0.25}]'
    """

    def __init__(self, factor_type="avg", slope=0.25):
        super().__init__("gaussian", factor_type, 2 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}
