"""Initializers made of others, and of saved parameters."""
import re


class Load:
    """Values from saved parameters, by name.

    Parameters
    ----------
    param : str or dict of str to NDArray
        A file, or parameters; 'arg:' and 'aux:' before names are dropped.
    default_init : Initializer, optional
        For parameters that are not there.
    verbose : bool, default False
        Whether to print where each parameter comes from.

    Examples
    --------
    >>> w = mx.nd.zeros((2,))
    >>> mx.init.Load({"arg:w": mx.nd.ones((2,))})("w", w)
    >>> w.asnumpy()
    array([1., 1.], dtype=float32)
    """

    def __init__(self, param, default_init=None, verbose=False):
        if isinstance(param, str):
            from ..params import load
            param = load(param)
        if not isinstance(param, dict):
            raise AssertionError(f"Load: expected parameters by name, got {type(param).__name__}")
        self.param = {k[4:] if k.startswith(("arg:", "aux:")) else k: v for k, v in param.items()}
        self.default_init, self.verbose = default_init, verbose

    def __call__(self, name, arr):
        """Fill an array, see `Initializer.__call__`."""
        if name in self.param:
            value = self.param[name]
            if tuple(value.shape) != arr.shape:
                raise AssertionError(f"Load: {name} has a wrong shape; expected {arr.shape}, got {tuple(value.shape)}")
            arr[:] = value
            how = "loaded"
        else:
            if self.default_init is None:
                raise AssertionError(f"Load: there is no parameter {name}, and no default_init")
            self.default_init(name, arr)
            how = "made by default_init"
        if self.verbose:
            print(f"Initialized {name}: {how}")


class Mixed:
    """The first initializer whose pattern is found in the name.

    Parameters
    ----------
    patterns : list of str
        Regular expressions, matched at the start of the name.
    initializers : list of Initializer

    Examples
    --------
    >>> mixed = mx.init.Mixed([".*bias", ".*"], [mx.init.Zero(), mx.init.One()])
    >>> w = mx.nd.zeros((2,))
    >>> mixed("w_weight", w)
    >>> w.asnumpy()
    array([1., 1.], dtype=float32)
    """

    def __init__(self, patterns, initializers):
        if len(patterns) != len(initializers):
            raise AssertionError(f"Mixed: expected an initializer per pattern, got {len(initializers)} for {len(patterns)}")
        self.map = list(zip(map(re.compile, patterns), initializers))

    def __call__(self, name, arr):
        """Fill an array, see `Initializer.__call__`."""
        for pattern, init in self.map:
            if pattern.match(name):
                init(name, arr)
                return
        raise ValueError(f"Mixed: no pattern matches {name}; expected '.*' as the last one")


