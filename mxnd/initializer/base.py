"""The base class of initializers, and their names."""
import json
import warnings

import numpy as np

from .._core.array import NDArray
from ..ndarray.random import randint

NAMES = {}             # lower-case names -> classes


class InitDesc(str):
    """The name of a parameter, with what is known of it.

    Parameters
    ----------
    name : str
    attrs : dict of str to str, optional
        Attributes of its variable; '__init__' says how to fill it.
    global_init : Initializer, optional
        The initializer of the whole model.

    Examples
    --------
    >>> mx.init.InitDesc("fc_weight", {"__init__": "zeros"}).attrs
    {'__init__': 'zeros'}
    """

    def __new__(cls, name, attrs=None, global_init=None):
        made = super().__new__(cls, name)
        made.attrs, made.global_init = attrs or {}, global_init
        return made


def register(klass):
    """A class decorator that makes an initializer known to `create` by its name in lower case.

    Examples
    --------
    >>> @mx.init.register
    ... class Nines(mx.init.Initializer):
    ...     def _init_weight(self, name, arr):
    ...         arr[:] = 9
    >>> mx.init.create("nines").dumps()
    '["nines", {}]'
    """
    return _named(klass, klass.__name__)


def alias(*aliases):
    """A class decorator that gives an initializer further names."""
    def decorate(klass):
        for name in aliases:
            _named(klass, name)
        return klass
    return decorate


def _named(klass, name):
    if not (isinstance(klass, type) and issubclass(klass, Initializer)):
        raise AssertionError(f"register: expected a subclass of Initializer, got {klass!r}")
    before = NAMES.get(name.lower())
    if before is not None and before is not klass:
        warnings.warn(f"initializer {name.lower()!r} is now {klass.__module__}.{klass.__name__}, it was "
                      f"{before.__module__}.{before.__name__}", UserWarning, stacklevel=3)
    NAMES[name.lower()] = klass
    return klass


def create(*args, **kwargs):
    """An initializer from its name, or from the text that `dumps` gives.

    Parameters
    ----------
    *args
        The name or the text (an initializer is returned itself), then arguments of the class.
    **kwargs
        Arguments of the class.

    Examples
    --------
    >>> mx.init.create("normal", sigma=0.5).dumps()
    '["normal", {"sigma": 0.5}]'
    >>> mx.init.create('["one", {}]').dumps()
    '["one", {}]'
    """
    name, args = (args[0], args[1:]) if args else (kwargs.pop("initializer"), ())
    if isinstance(name, Initializer):
        if args or kwargs:
            raise AssertionError("create: expected no further arguments with an initializer")
        return name
    if isinstance(name, dict):
        return create(**name)
    if not isinstance(name, str):
        raise AssertionError(f"create: expected a name, got {type(name).__name__}")
    if name.startswith("["):
        if args or kwargs:
            raise AssertionError("create: expected no further arguments with a text that holds them")
        name, kwargs = json.loads(name)
        return create(name, **kwargs)
    if name.startswith("{"):
        return create(**json.loads(name))
    if name.lower() not in NAMES:
        raise AssertionError(f"create: initializer {name!r} is not registered; expected one of {', '.join(sorted(NAMES))}")
    return NAMES[name.lower()](*args, **kwargs)


def _print_norm(x):
    """What verbose initializers print of an array."""
    return str((np.linalg.norm(x.asnumpy()) / max(np.sqrt(x.size), 1)).astype(np.float32))


class Initializer:
    """Base of initializers: `initializer(name, array)` fills the array in a way that depends on the name.

    Weights are filled by `_init_weight`, which subclasses define; biases and beta get 0, gamma 1.  A variable made with
    `init=` is filled by that initializer's `_init_weight` instead, whatever its name.

    Parameters
    ----------
    **kwargs
        What `dumps` writes.
    """

    def __init__(self, **kwargs):
        self._kwargs = kwargs
        self._verbose, self._print_func = False, None

    def __eq__(self, other):
        return type(self) is type(other) and self.dumps() == other.dumps()

    __hash__ = object.__hash__

    def set_verbosity(self, verbose=False, print_func=None):
        """Whether to print what is done, and how an array is shown.

        Parameters
        ----------
        verbose : bool, default False
        print_func : callable, optional
            Gives the text for an array; by default its norm over the square root of its size.

        Returns
        -------
        Initializer
            The same.
        """
        self._verbose, self._print_func = verbose, print_func or _print_norm
        return self

    def _show(self, desc, how, arr):
        if self._verbose and self._print_func:
            print(f"Initialized {desc} as {how}: {self._print_func(arr)}")

    def dumps(self):
        """The name and the arguments as text, for `create` and for attributes of variables.

        Examples
        --------
        >>> mx.init.Uniform().dumps()
        '["uniform", {"scale": 0.07}]'
        """
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, desc, arr):
        """Fill an array.

        Parameters
        ----------
        desc : str or InitDesc
        arr : NDArray
        """
        if not isinstance(desc, str):
            raise TypeError(f"Initializer: expected a name, got {type(desc).__name__}")
        if not isinstance(arr, NDArray):
            raise TypeError(f"Initializer: expected an NDArray, got {type(arr).__name__}")
        if not isinstance(desc, InitDesc):
            self._by_old_names(desc, arr)
            return
        if desc.global_init is None:
            desc.global_init = self
        given = desc.attrs.get("__init__", "")
        if given:
            create(given)._init_weight(desc, arr)
            self._show(desc, given, arr)
            return
        for end, fill in (("weight", self._init_weight), ("bias", self._init_bias), ("gamma", self._init_gamma),
                          ("beta", self._init_beta), ("min", self._init_zero), ("max", self._init_one),
                          ("weight_quantize", self._init_quantized_weight), ("bias_quantize", self._init_quantized_bias)):
            if desc.endswith(end):
                fill(desc, arr)
                self._show(desc, end, arr)
                return
        self._init_default(desc, arr)

    def _by_old_names(self, name, arr):
        """For plain text: the names of before there were attributes."""
        for start, end, fill in (("upsampling", "", self._init_bilinear), ("stn_loc", "weight", self._init_zero),
                                 ("stn_loc", "bias", self._init_loc_bias), ("", "bias", self._init_bias),
                                 ("", "gamma", self._init_gamma), ("", "beta", self._init_beta), ("", "weight", self._init_weight),
                                 ("", "moving_mean", self._init_zero), ("", "moving_var", self._init_one),
                                 ("", "moving_inv_var", self._init_zero), ("", "moving_avg", self._init_zero),
                                 ("", "min", self._init_zero), ("", "max", self._init_one)):
            if name.startswith(start) and name.endswith(end):
                fill(name, arr)
                return
        self._init_default(name, arr)

    # ---- how the kinds of parameters are filled
    def _init_weight(self, name, arr):
        raise NotImplementedError(f"{type(self).__name__}: _init_weight is not defined")

    def _init_zero(self, _, arr):
        arr[:] = 0

    def _init_one(self, _, arr):
        arr[:] = 1

    _init_bias = _init_beta = _init_quantized_bias = _init_zero
    _init_gamma = _init_one

    def _init_quantized_weight(self, _, arr):
        arr[:] = randint(-127, 128, shape=arr.shape)

    def _init_loc_bias(self, _, arr):
        if arr.shape != (6,):
            raise AssertionError(f"Initializer: expected the shape (6,) for the bias of a transformation, got {arr.shape}")
        arr[:] = np.array([1, 0, 0, 0, 1, 0])

    def _init_bilinear(self, _, arr):
        arr[:] = bilinear(arr.shape)

    def _init_default(self, name, _):
        raise ValueError(f"Initializer: nothing is known of {name}; expected a name that ends in weight, bias, gamma or beta, "
                         "or a variable made with init=")


def bilinear(shape):
    """Weights of a transposed convolution that enlarges a picture by linear interpolation."""
    if len(shape) < 2:
        raise ValueError(f"Bilinear: expected a shape of at least 2 axes, got {shape}")
    half = np.ceil(shape[-1] / 2)
    centre = (2 * half - 1 - half % 2) / (2 * half)
    across = 1 - np.abs(np.arange(shape[-1]) / half - centre)
    down = 1 - np.abs(np.arange(shape[-2]) / half - centre)
    return np.broadcast_to(np.outer(down, across), shape).astype(np.float32)
