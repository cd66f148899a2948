"""How the parameters of a model are filled before training; `mx.init` is the same module."""
from ..params import load
from .base import InitDesc, Initializer, alias, create, register
from .draws import MSRAPrelu, Normal, Orthogonal, Uniform, Xavier
from .rnn import FusedRNN, LSTMBias
from .several import Load, Mixed
from .values import Bilinear, Constant, One, Zero

__all__ = ["Bilinear", "Constant", "FusedRNN", "InitDesc", "Initializer", "LSTMBias", "Load", "MSRAPrelu", "Mixed", "Normal", "One",
           "Orthogonal", "Uniform", "Xavier", "Zero", "alias", "create", "load", "register"]
