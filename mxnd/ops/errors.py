"""Error classes that operators raise; `mxnd.base` shows them to users."""


class MXNetError(RuntimeError):
    """An operator, a graph or a file was used wrongly."""


class MXNetIndexError(MXNetError, IndexError):
    """An index that an operator met is out of range."""


def _again(cls, args):
    """A pickled error, whose text is ready."""
    return cls.__new__(cls, *args)


class NotImplementedForSymbol(MXNetError):
    """A method that needs values was called on a Symbol."""

    def __init__(self, function, alias=None, *args):
        name = getattr(function, "__name__", str(function))
        hint = f" (also known as {alias})" if alias else ""
        super().__init__(f"{name}{hint} is not defined for a Symbol: it has no values before it is bound")

    def __reduce__(self):
        return _again, (type(self), self.args)


class NotSupportedForSparseNDArray(MXNetError):
    """A method that needs dense storage was called on a sparse array."""

    def __init__(self, function, alias=None, *args):
        name = getattr(function, "__name__", str(function))
        hint = f" (also known as {alias})" if alias else ""
        super().__init__(f"{name}{hint} is not supported for sparse arrays; call tostype('default') first")

    def __reduce__(self):
        return _again, (type(self), self.args)
