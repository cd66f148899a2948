"""Automatic names of graph nodes, `mx.name`: `with mx.name.Prefix("net_"): ...`."""
from .scopes import Scopes

__all__ = ["NameManager", "Prefix"]


_scopes = Scopes()          # the first manager of a thread is made when it asks for one


class _Current(type):
    @property
    def current(cls):
        """The manager in use in this thread."""
        if not _scopes.stack:
            _scopes.stack.append(NameManager())
        return _scopes.stack[-1]


class NameManager(metaclass=_Current):
    """Gives a name to every node that has none: its hint and a running number.

    Entering a manager starts new counters; leaving it returns to the earlier ones."""

    def __init__(self):
        self._counter = {}

    def get(self, name, hint):
        """The name of a node.

        Parameters
        ----------
        name : str or None
            A name that the user chose; it is kept.
        hint : str
            What the automatic name starts with.

        Returns
        -------
        str
        """
        if name:
            return name
        number = self._counter.get(hint, 0)
        self._counter[hint] = number + 1
        return f"{hint}{number}"

    def __enter__(self):
        if not _scopes.stack:
            _scopes.stack.append(NameManager())        # the thread's first manager lies at the bottom
        _scopes.stack.append(self)
        return self

    def __exit__(self, ptype, value, trace):
        _scopes.stack.pop()


class Prefix(NameManager):
    """Puts a prefix before the names of operators, chosen and automatic ones; not before variables.

    Parameters
    ----------
    prefix : str
    """

    def __init__(self, prefix):
        super().__init__()
        self._prefix = prefix

    def get(self, name, hint):
        """The name of a node, after the prefix; see `NameManager.get`."""
        return self._prefix + super().get(name, hint)
