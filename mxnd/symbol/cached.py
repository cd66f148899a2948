"""A graph that is called like a function of arrays."""
from ..ops.errors import MXNetError
from .eager import EagerRun
from .node import auxiliary, order


class CachedOp:
    """A symbol as a function of arrays, in the order of `Symbol.list_inputs`; autograd records what it runs.

    Parameters
    ----------
    sym : Symbol
    flags : sequence of pairs
        Accepted for compatibility.

    Examples
    --------
    >>> double = mx.nd.CachedOp(mx.sym.var("x") * 2)
    >>> double(mx.nd.ones((2,))).asnumpy()
    array([2., 2.], dtype=float32)
    """

    def __init__(self, sym, flags=()):
        self._entries, self._flags = sym._entries, tuple(flags)
        self._nodes = order(self._entries)
        self._aux = auxiliary(self._nodes)
        self._inputs = [n for n in self._nodes if n.op is None]

    def __call__(self, *args, **kwargs):
        out = kwargs.pop("out", None)
        kwargs.pop("default_ctx", None)
        if kwargs:
            raise TypeError(f"CachedOp: unknown argument {next(iter(kwargs))!r}; expected out")
        if len(args) != len(self._inputs):
            raise MXNetError(f"CachedOp: wrong number of inputs; expected {len(self._inputs)} "
                             f"({', '.join(n.name for n in self._inputs[:20])}), got {len(args)}")
        arrays = {id(n): x for n, x in zip(self._inputs, args)}
        got = EagerRun(self._entries, self._nodes, arrays, self._aux, {}).run()
        if out is not None:
            given = list(out) if isinstance(out, (list, tuple)) else [out]
            if len(given) != len(got):
                raise MXNetError(f"CachedOp: wrong number of out arrays; expected {len(got)}, got {len(given)}")
            for y, to in zip(got, given):
                y.copyto(to)
            return out
        return got[0] if len(got) == 1 else got
