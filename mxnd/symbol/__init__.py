"""Graphs of operators, `mx.sym`: compose them, save and load them, infer shapes, bind and differentiate."""
from . import _internal, contrib, image, linalg, op, random, sparse
from . import methods as _methods
from .creation import Variable, arange, eye, full, histogram, linspace, ones, split_v2, var, zeros
from .operators import hypot, maximum, minimum, pow, power
from .passes import passes
from .reading import load, load_json
from .spaces import fill
from .symbol import Group, Symbol

fill(__name__, "op")
del fill
