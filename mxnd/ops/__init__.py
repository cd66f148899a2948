"""All operator declarations; sparse comes last, it adds to the others."""
# isort: skip_file
from . import elementwise
from . import view, shape, slice, repeat, join, index, sequence, create
from . import reduce, order, softmax
from . import linear, conv, pool, sampler, batch_norm, norm, activation, dropout, loss
from . import random, optimizer, rnn, ctc
from . import sparse
from .declare import REGISTRY, Op
