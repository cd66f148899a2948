"""Random numbers: seeding, and the samplers of `mx.nd.random`."""
import operator
import os

from ._core import plan
from .context import Context
from .ndarray.random import (
    exponential,
    gamma,
    generalized_negative_binomial,
    multinomial,
    negative_binomial,
    normal,
    poisson,
    randint,
    randn,
    shuffle,
    uniform,
)


def seed(seed_state, ctx="all"):
    """Start the random numbers over: the same seed gives the same numbers for any number of threads.

    Parameters
    ----------
    seed_state : int
    ctx : Context or 'all', default 'all'
        The devices whose numbers start over.

    Examples
    --------
    >>> mx.random.seed(1)
    """
    try:
        value = operator.index(seed_state)
    except TypeError:
        raise ValueError(f"seed: expected a whole number, got {seed_state!r}") from None
    if ctx != "all" and not isinstance(ctx, Context):
        raise ValueError(f"seed: expected a Context or 'all' as ctx, got {ctx!r}")
    if ctx == "all" or ctx.device_type != "gpu":        # numbers are drawn on the CPU, for every device
        plan.seed(value & 0xFFFFFFFFFFFFFFFF)


plan.seed(int.from_bytes(os.urandom(8), "little"))      # unseeded runs differ
__all__ = ["exponential", "gamma", "generalized_negative_binomial", "multinomial", "negative_binomial", "normal", "poisson", "randint",
           "randn", "seed", "shuffle", "uniform"]
