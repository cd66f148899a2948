"""All operator declarations; sparse comes last, it adds to the others."""
# isort: skip_file
from . import elementwise
from . import view, shape, slice, repeat, join, index, sequence, create
from . import reduce, order, softmax
from . import linear, linalg, triangle, conv, pool, conv_windows, sampler, batch_norm, norm, activation, dropout, loss
from . import roi, resize, roi_points, correlation, deform, boxes, multibox
from . import random, optimizer, custom, rnn, ctc
from . import columns, contrib, attention, quantize, quantized, fourier, hawkes, image
from . import control
from . import sparse
from .declare import REGISTRY, Op
