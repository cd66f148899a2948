"""Gradient arrays that share memory with arguments or with each other: written when all gradients are known."""
from .._core import call as _call
from .._core import graph_run

WRITE, ADD = 1, 2


class Aside:
    """targets: {key: (array that the runs write into, request)}, with arrays of their own for gradients that overlap others."""

    def __init__(self):
        self.targets = {}
        self.apart = []                                # (the user's array, the one in its place, request)

    def set(self, wanted, arrays):
        """wanted: {key: (gradient array, request)}; arrays: what must not change while gradients are computed."""
        self.targets.clear()
        self.targets.update(wanted)
        self.apart = []
        keys = list(wanted)
        for k in graph_run.crossing([*(wanted[key][0] for key in keys), *arrays]):
            if k < len(keys):
                to, request = wanted[keys[k]]
                own = to.copy()
                self.targets[keys[k]] = own, request
                self.apart.append((to, own, request))

    def before(self):
        for _, own, request in self.apart:
            if request == ADD:
                own[:] = 0

    def after(self):
        was = _call.set_recording(False)
        try:
            for to, own, request in self.apart:
                to[:] = to + own if request == ADD else own
        finally:
            _call.set_recording(was)
