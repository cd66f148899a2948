"""Initializers of recurrent layers."""
import numpy as np

from ..ndarray import zeros
from .base import InitDesc, Initializer, create, register

GATES = {"rnn_relu": ("",), "rnn_tanh": ("",), "lstm": ("_i", "_f", "_c", "_o"), "gru": ("_r", "_z", "_o")}


@register
class LSTMBias(Initializer):
    """The bias of an LSTM cell: 0, and forget_bias for the forget gate.

    Parameters
    ----------
    forget_bias : float, default 1.0

    Examples
    --------
    >>> b = mx.nd.zeros((4,))
    >>> mx.init.LSTMBias(2.0)._init_weight("bias", b)
    >>> b.asnumpy()
    array([0., 2., 0., 0.], dtype=float32)
    """

    def __init__(self, forget_bias=1.0):
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, _, arr):
        hidden = arr.shape[0] // 4
        arr[:] = 0
        arr[hidden:2 * hidden] = self.forget_bias


@register
class FusedRNN(Initializer):
    """The parameters of the operator RNN, which are one vector.

    Parameters
    ----------
    init : Initializer or str or None
        For every matrix and bias in the vector, by names such as l0_i2h_f_weight; None: the initializer of the model.
    num_hidden, num_layers : int
    mode : {'rnn_relu', 'rnn_tanh', 'lstm', 'gru'}
    bidirectional : bool, default False
    forget_bias : float, default 1.0
        For the biases of forget gates.

    Examples
    --------
    >>> w = mx.nd.zeros((4 * (1 + 1 + 2),))
    >>> mx.init.FusedRNN(mx.init.One(), 1, 1, "lstm", forget_bias=5)._init_weight("parameters", w)
    >>> w.asnumpy().astype(int).tolist()
    [1, 1, 1, 1, 1, 1, 1, 1, 0, 5, 0, 0, 0, 5, 0, 0]
    """

    def __init__(self, init, num_hidden, num_layers, mode, bidirectional=False, forget_bias=1.0):
        if isinstance(init, str):
            init = create(init)
        if mode not in GATES:
            raise ValueError(f"FusedRNN: mode: expected one of {', '.join(GATES)}, got {mode!r}")
        super().__init__(init=None if init is None else init.dumps(), num_hidden=num_hidden, num_layers=num_layers, mode=mode,
                         bidirectional=bidirectional, forget_bias=forget_bias)
        self.init, self.mode, self.forget_bias = init, mode, forget_bias
        self.hidden, self.layers, self.directions = num_hidden, num_layers, ("l", "r") if bidirectional else ("l",)

    def parts(self, size):
        """[(name, shape)] of what the vector of that size holds, in its order."""
        h, d, gates = self.hidden, len(self.directions), GATES[self.mode]
        per = len(gates) * h * d
        inputs = size // per - (self.layers - 1) * (h + d * h + 2) - h - 2
        weights, biases = [], []
        for layer in range(self.layers):
            for direction in self.directions:
                for source, width in (("i2h", h * d if layer else inputs), ("h2h", h)):
                    weights += [(f"{direction}{layer}_{source}{g}_weight", (h, width)) for g in gates]
                    biases += [(f"{direction}{layer}_{source}{g}_bias", (h,)) for g in gates]
        if inputs < 1 or sum(int(np.prod(s)) for _, s in weights + biases) != size:
            raise ValueError(f"FusedRNN: {size} is not the number of parameters of {self.layers} {self.mode} layers "
                             f"with {h} hidden units")
        return weights + biases

    def _init_weight(self, desc, arr):
        whole = getattr(desc, "global_init", None)
        init = whole if self.init is None else self.init
        if init is None:
            raise ValueError("FusedRNN: init is None; expected an initializer, or an InitDesc with global_init")
        at = 0
        for name, shape in self.parts(arr.size):
            part = zeros(shape, dtype=arr.dtype)
            if self.mode == "lstm" and name.endswith("_f_bias"):
                part[:] = self.forget_bias
            else:
                init(InitDesc(name, global_init=whole), part)
            arr[at:at + part.size] = part.reshape((-1,))
            at += part.size
