"""All operator declarations."""
from . import elementwise
from . import view, shape, slice, repeat, join, index, sequence, create
from . import reduce, order, softmax
from . import linear, conv, pool, batch_norm, norm, activation, dropout, loss
from . import random, optimizer
from .declare import REGISTRY, Op

try:
    from . import sparse
except ImportError:
    pass
