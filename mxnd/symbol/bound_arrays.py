"""The lists and dicts of arrays that an executor shows.  Putting another array into one of them binds that array."""
from ..ops.errors import MXNetError


def _fixed(self, *args, **kwargs):
    raise MXNetError(f"{self._what}: the number of arrays is fixed; expected an assignment to one of them")


class ArrayList(list):
    """Arrays in the order of their names; put(number, array) binds another one."""

    def __init__(self, arrays, what, put):
        super().__init__(arrays)
        self._what, self._put = what, put

    def __setitem__(self, k, array):
        places = range(len(self))[k]
        if isinstance(k, slice):
            arrays = list(array)
            if len(arrays) != len(places):
                _fixed(self)
            for i, a in zip(places, arrays):
                self[i] = a
            return
        self._put(places, array)
        super().__setitem__(places, array)

    append = extend = insert = pop = remove = clear = sort = reverse = __delitem__ = __iadd__ = __imul__ = _fixed

    def __reduce__(self):
        return list, (list(self),)


class ArrayDict(dict):
    """The same by name: a view of an ArrayList."""

    def __init__(self, names, arrays):
        super().__init__(zip(names, arrays))
        self._what, self._arrays, self._at = arrays._what, arrays, {n: k for k, n in enumerate(names)}

    def __setitem__(self, name, array):
        if name not in self._at:
            raise MXNetError(f"{self._what}: there is no {name!r}; expected one of {', '.join(self._at)}")
        self._arrays[self._at[name]] = array

    def update(self, *args, **kwargs):
        for name, array in dict(*args, **kwargs).items():
            self[name] = array

    def show(self, name, array):
        """Called when the list got another array."""
        super().__setitem__(name, array)

    def setdefault(self, name, default=None):
        return self[name] if name in self else _fixed(self)

    pop = popitem = clear = __delitem__ = __ior__ = _fixed

    def __reduce__(self):
        return dict, (dict(self),)
