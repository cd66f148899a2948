"""Updates of optimizers that take lists of arrays, or numbers where the operators take arrays: mx.nd.contrib."""
from .._core.array import NDArray
from . import functions as _functions
from .create import full


def _factor(value, like):
    """A number as an array of one element."""
    return value if isinstance(value, NDArray) else full((1,), value, like.context)


def adamw_update(weight, grad, mean, var, rescale_grad, lr, eta, beta1=0.9, beta2=0.999, epsilon=1e-8, wd=0, clip_gradient=-1,
                 out=None, name=None, **kwargs):
    """AdamW: Adam with weight decay apart from the gradient.

    Parameters
    ----------
    weight, grad, mean, var : NDArray
        Weight, gradient and the two states, which are moved in place; pass out=weight to move the weight itself.
    rescale_grad : float or NDArray
        What the gradient is multiplied by; where it is 0, inf or nan nothing changes.
    lr, eta : float
        Learning rate, and the multiplier of the whole step.
    beta1, beta2, epsilon, wd, clip_gradient : float
    out : NDArray, optional

    Returns
    -------
    NDArray

    Examples
    --------
    >>> w, g, mean, var = mx.nd.ones((2,)), mx.nd.ones((2,)), mx.nd.zeros((2,)), mx.nd.zeros((2,))
    >>> mx.nd.contrib.adamw_update(w, g, mean, var, 1.0, lr=0.5, eta=1.0).shape
    (2,)
    """
    return _functions.FUNCTIONS["_adamw_update"](weight, grad, mean, var, _factor(rescale_grad, weight), lr=lr, eta=eta, beta1=beta1,
                                                 beta2=beta2, epsilon=epsilon, wd=wd, clip_gradient=clip_gradient, out=out, name=name,
                                                 **kwargs)


def mp_adamw_update(weight, grad, mean, var, weight32, rescale_grad, lr, eta, beta1=0.9, beta2=0.999, epsilon=1e-8, wd=0,
                    clip_gradient=-1, out=None, name=None, **kwargs):
    """AdamW for a 16-bit weight with an exact copy; see `adamw_update`.

    Parameters
    ----------
    weight, grad, mean, var, weight32 : NDArray
        Weight and gradient; the two states and the weight's copy are float32 and moved in place.
    rescale_grad : float or NDArray
    lr, eta, beta1, beta2, epsilon, wd, clip_gradient : float
    out : NDArray, optional

    Returns
    -------
    NDArray

    Examples
    --------
    >>> w, g = mx.nd.ones((2,), dtype="float16"), mx.nd.ones((2,), dtype="float16")
    >>> mx.nd.contrib.mp_adamw_update(w, g, *[mx.nd.ones((2,)) for _ in range(3)], 1.0, lr=0.5, eta=1.0).dtype.__name__
    'float16'
    """
    return _functions.FUNCTIONS["_mp_adamw_update"](weight, grad, mean, var, weight32, _factor(rescale_grad, weight), lr=lr, eta=eta,
                                                    beta1=beta1, beta2=beta2, epsilon=epsilon, wd=wd, clip_gradient=clip_gradient,
                                                    out=out, name=name, **kwargs)


def _joined(*lists):
    """The first of each list, then the second of each, and so on."""
    lists = [list(v) for v in lists]
    if len({len(v) for v in lists}) != 1:
        raise ValueError(f"lists have different lengths: {', '.join(str(len(v)) for v in lists)}")
    return [v for group in zip(*lists) for v in group]


def multi_adamw_update(weights, grads, mean, var, rescale_grad, lrs, wds, etas, out=None, name=None, size=0, **kwargs):
    """AdamW for several weights at once; see `adamw_update`.

    Parameters
    ----------
    weights, grads, mean, var : list of NDArray
    rescale_grad : float or NDArray
    lrs, wds, etas : tuple of float
        One number for each weight.
    out : list of NDArray, optional
    size : int, optional
        How many weights there are.

    Returns
    -------
    NDArray or list of NDArray

    Examples
    --------
    >>> w, g, mean, var = [mx.nd.ones((2,))], [mx.nd.ones((2,))], [mx.nd.zeros((2,))], [mx.nd.zeros((2,))]
    >>> mx.nd.contrib.multi_adamw_update(w, g, mean, var, 1.0, lrs=(0.5,), wds=(0,), etas=(1,), out=w)[0].shape
    (2,)
    """
    arrays = [*_joined(weights, grads, mean, var), _factor(rescale_grad, weights[0])]
    return _functions.FUNCTIONS["_multi_adamw_update"](*arrays, out=out, num_weights=size or len(weights), lrs=lrs, wds=wds, etas=etas,
                                                       name=name, **kwargs)


def multi_mp_adamw_update(weights, grads, mean, var, weights32, rescale_grad, lrs, wds, etas, out=None, name=None, size=0, **kwargs):
    """AdamW for several 16-bit weights at once; see `mp_adamw_update`.

    Parameters
    ----------
    weights, grads, mean, var, weights32 : list of NDArray
    rescale_grad : float or NDArray
    lrs, wds, etas : tuple of float
        One number for each weight.
    out : list of NDArray, optional
    size : int, optional
        How many weights there are.

    Returns
    -------
    NDArray or list of NDArray

    Examples
    --------
    >>> w, g = ([mx.nd.ones((2,), dtype="float16")] for _ in range(2))
    >>> states = [[mx.nd.ones((2,))] for _ in range(3)]
    >>> mx.nd.contrib.multi_mp_adamw_update(w, g, *states, 1.0, lrs=(0.5,), wds=(0,), etas=(1,), out=w)[0].shape
    (2,)
    """
    arrays = [*_joined(weights, grads, mean, var, weights32), _factor(rescale_grad, weights[0])]
    return _functions.FUNCTIONS["_multi_mp_adamw_update"](*arrays, out=out, num_weights=size or len(weights), lrs=lrs, wds=wds,
                                                          etas=etas, name=name, **kwargs)


def multi_lamb_update(weights, grads, mean, var, step_count, lrs, wds, out=None, num_tensors=0, **kwargs):
    """LAMB for several weights at once.

    Parameters
    ----------
    weights, grads, mean, var : list of NDArray
        Weights, gradients and the two states, which are moved in place.
    step_count : list of int
        The number of each weight's step, from 1.
    lrs, wds : tuple of float
        One number for each weight.
    out : list of NDArray, optional
    num_tensors : int, optional
        How many weights there are.
    **kwargs
        Parameters of the operator: beta1, beta2, epsilon, rescale_grad, lower_bound, upper_bound, clip_gradient, bias_correction.

    Returns
    -------
    NDArray or list of NDArray

    Examples
    --------
    >>> w, g, mean, var = [mx.nd.ones((2,))], [mx.nd.ones((2,))], [mx.nd.zeros((2,))], [mx.nd.zeros((2,))]
    >>> mx.nd.contrib.multi_lamb_update(w, g, mean, var, step_count=[1], lrs=(0.5,), wds=(0,), out=w)[0].shape
    (2,)
    """
    return _functions.FUNCTIONS["_multi_lamb_update"](*_joined(weights, grads, mean, var), out=out, num_tensors=num_tensors or len(weights),
                                                      step_count=step_count, learning_rates=lrs, wds=wds, **kwargs)


def multi_mp_lamb_update(weights, grads, mean, var, weights32, step_count, lrs, wds, out=None, num_tensors=0, **kwargs):
    """LAMB for several 16-bit weights at once, each with an exact copy; see `multi_lamb_update`.

    Parameters
    ----------
    weights, grads, mean, var, weights32 : list of NDArray
    step_count : list of int
    lrs, wds : tuple of float
    out : list of NDArray, optional
    num_tensors : int, optional
    **kwargs
        Parameters of the operator.

    Returns
    -------
    NDArray or list of NDArray

    Examples
    --------
    >>> w, g = ([mx.nd.ones((2,), dtype="float16")] for _ in range(2))
    >>> states = [[mx.nd.ones((2,))] for _ in range(3)]
    >>> mx.nd.contrib.multi_mp_lamb_update(w, g, *states, step_count=[1], lrs=(0.5,), wds=(0,), out=w)[0].shape
    (2,)
    """
    return _functions.FUNCTIONS["_multi_mp_lamb_update"](*_joined(weights, grads, mean, var, weights32), out=out,
                                                         num_tensors=num_tensors or len(weights), step_count=step_count,
                                                         learning_rates=lrs, wds=wds, **kwargs)


FUNCTIONS = {f.__name__: f for f in (adamw_update, mp_adamw_update, multi_adamw_update, multi_mp_adamw_update, multi_lamb_update,
                                     multi_mp_lamb_update)}
