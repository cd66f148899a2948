"""Graph passes: what happens to the steps of a bound graph between its gradient and its first run.

Each pass is a small function of the two lists of steps (forward, backward).  All can be turned off by name."""
import os
from contextlib import contextmanager

from ...ops.errors import MXNetError
from ...scopes import Scopes

# In the order they run.  doc/graphs.rst says more.
NAMES = {"postpone": "functions that never fall wait until after a max pooling, where there is less to do",
         "windows": "a convolution keeps only the largest numbers that a max pooling takes of it",
         "dead": "steps that nobody needs are left out",
         "fold": "what does not depend on any input is computed once",
         "identity": "copies that change nothing are left out",
         "absorb": "BatchNorm becomes part of the convolution before it (inference)",
         "common": "the same operator on the same inputs runs once",
         "recompute": "large results that are cheap to make again are not kept for backward",
         "fuse": "elementwise steps run as one pass over memory",
         "reduce": "a reduction at the end of an elementwise group joins it",
         "share": "values that are never alive together share memory"}
_scopes = Scopes()                             # of each thread: {name: on} with what outer blocks say


def current():
    """{name of a pass: whether it is on}, from the environment variable MXND_PASSES and from `passes`."""
    on = dict.fromkeys(NAMES, True)
    for word in filter(None, (w.strip() for w in os.environ.get("MXND_PASSES", "").split(","))):
        name = word.lstrip("+-")
        if name in ("all", "none"):
            on = dict.fromkeys(NAMES, name == "all")
        elif name in NAMES:
            on[name] = not word.startswith("-")
        else:
            raise MXNetError(f"MXND_PASSES: there is no pass {name!r}; expected all, none, or some of {', '.join(NAMES)}")
    return on | (_scopes.stack[-1] if _scopes.stack else {})


@contextmanager
def passes(all=None, **on):
    """Turn graph passes on or off for what is bound inside.

    Parameters
    ----------
    all : bool
        For every pass that is not named.
    **on : bool
        By the name of a pass: postpone, windows, dead, fold, identity, absorb, common, recompute, fuse, reduce or share.

    Examples
    --------
    >>> with mx.sym.passes(fuse=False):
    ...     ex = (mx.sym.var("x") * 2 + 1).simple_bind(mx.cpu(), x=(3,))
    >>> ex.forward()[0].asnumpy()
    array([1., 1., 1.], dtype=float32)
    """
    for name in on:
        if name not in NAMES:
            raise MXNetError(f"passes: there is no pass {name!r}; expected some of {', '.join(NAMES)}")
    stack = _scopes.stack
    outer = stack[-1] if stack else {}
    stack.append({**outer, **({} if all is None else dict.fromkeys(NAMES, bool(all))), **{k: bool(v) for k, v in on.items()}})
    try:
        yield
    finally:
        stack.pop()
