"""Attributes that a block of code gives to every node made in it, `mx.AttrScope`."""
from collections.abc import Mapping

from .scopes import Scopes

__all__ = ["AttrScope"]


_scopes = Scopes()          # (scope, its attributes together with those around it) for each block entered


class _Current(type):
    @property
    def current(cls):
        """The scope in use in this thread."""
        if not _scopes.stack:
            return _NONE
        return _scopes.stack[-1][0]


class AttrScope(metaclass=_Current):
    """Attributes for the symbols made inside a `with` block; inner scopes add to outer ones.

    Parameters
    ----------
    **kwargs : str
        The attributes.  Operators accept names of the form `__name__` and the known ones
        (ctx_group, lr_mult, wd_mult, force_mirroring, mirror_stage); variables accept any.

    Examples
    --------
    >>> with mx.AttrScope(ctx_group="stage1"):
    ...     fc = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=10)
    """

    def __init__(self, **kwargs):
        for key, value in kwargs.items():
            if not isinstance(value, str):
                raise ValueError(f"AttrScope: attribute {key!r}: expected text, got {type(value).__name__}")
        self._attr = kwargs

    def get(self, attr):
        """The scope's attributes together with those given, which win.

        Parameters
        ----------
        attr : dict of str to str, or None

        Returns
        -------
        dict
        """
        if attr and not isinstance(attr, Mapping):
            raise TypeError(f"attr: expected a dict of text by names, got {type(attr).__name__}")
        merged = next((m for scope, m in reversed(_scopes.stack) if scope is self), self._attr)
        return {**merged, **attr} if attr else dict(merged)

    def __enter__(self):
        outer = _scopes.stack[-1][1] if _scopes.stack else {}
        _scopes.stack.append((self, {**outer, **self._attr}))
        return self

    def __exit__(self, ptype, value, trace):
        _scopes.stack.pop()


_NONE = AttrScope()         # what holds outside all blocks
