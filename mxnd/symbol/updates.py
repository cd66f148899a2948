"""Functions of mx.sym.contrib that take numbers where the operators take symbols, or are made of several operators."""
from ..ops.zipf import rand_zipfian as _rand_zipfian
from . import random as _random
from .creation import full
from .spaces import function
from .symbol import Symbol


def _factor(value):
    return value if isinstance(value, Symbol) else full((1,), value)


def adamw_update(weight, grad, mean, var, rescale_grad, lr, eta, beta1=0.9, beta2=0.999, epsilon=1e-8, wd=0, clip_gradient=-1,
                 out=None, name=None, **kwargs):
    """AdamW: Adam with weight decay apart from the gradient.

    Parameters
    ----------
    weight, grad, mean, var : Symbol
    rescale_grad : float or Symbol
        What the gradient is multiplied by; where it is 0, inf or nan nothing changes.
    lr, eta, beta1, beta2, epsilon, wd, clip_gradient : float
    out : None
        Accepted for compatibility.

    Returns
    -------
    Symbol
    """
    return function("_internal", "_adamw_update")(weight, grad, mean, var, _factor(rescale_grad), lr=lr, eta=eta, beta1=beta1,
                                                  beta2=beta2, epsilon=epsilon, wd=wd, clip_gradient=clip_gradient, name=name, **kwargs)


def mp_adamw_update(weight, grad, mean, var, weight32, rescale_grad, lr, eta, beta1=0.9, beta2=0.999, epsilon=1e-8, wd=0,
                    clip_gradient=-1, out=None, name=None, **kwargs):
    """AdamW for a 16-bit weight with an exact copy; see `adamw_update`.

    Parameters
    ----------
    weight, grad, mean, var, weight32 : Symbol
    rescale_grad : float or Symbol
    lr, eta, beta1, beta2, epsilon, wd, clip_gradient : float
    out : None
        Accepted for compatibility.

    Returns
    -------
    Symbol
    """
    return function("_internal", "_mp_adamw_update")(weight, grad, mean, var, weight32, _factor(rescale_grad), lr=lr, eta=eta,
                                                     beta1=beta1, beta2=beta2, epsilon=epsilon, wd=wd, clip_gradient=clip_gradient,
                                                     name=name, **kwargs)


def rand_zipfian(true_classes, num_sampled, range_max):
    """Classes drawn from an approximately Zipfian distribution, for sampled losses.

    Parameters
    ----------
    true_classes : Symbol
        Numbers of the true classes.
    num_sampled : int
    range_max : int
        Number of classes.

    Returns
    -------
    tuple of three Symbols
        Drawn classes (int64), how often the true classes are expected among them, and how often the drawn ones (float64).
    """
    if not isinstance(true_classes, Symbol):
        raise TypeError(f"rand_zipfian: true_classes has a wrong type; expected Symbol, got {type(true_classes).__name__}")
    return _rand_zipfian(lambda low, high, shape, dtype: _random.uniform(low, high, shape=shape, dtype=dtype), true_classes, num_sampled,
                         range_max)


uniform = _random.uniform
