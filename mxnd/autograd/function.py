"""Operators with a gradient of the user's own."""
from .._core.array import NDArray
from .._core.call import record_call, recording, set_recording
from ..ops.declare import REGISTRY
from ..ops.errors import MXNetError


class Function:
    """Base of functions with a hand-written gradient.

    A subclass defines `forward(*inputs)` and `backward(*output_gradients)`; both run without being
    recorded.  An instance is used once.

    Examples
    --------
    >>> class Sigmoid(mx.autograd.Function):
    ...     def forward(self, x):
    ...         y = 1 / (1 + mx.nd.exp(-x))
    ...         self.save_for_backward(y)
    ...         return y
    ...     def backward(self, dy):
    ...         y, = self.saved_tensors
    ...         return dy * y * (1 - y)
    >>> x = mx.nd.array([0.0])
    >>> x.attach_grad()
    >>> with mx.autograd.record():
    ...     y = Sigmoid()(x)
    >>> y.backward()
    >>> x.grad.asnumpy()
    array([0.25], dtype=float32)
    """

    def __init__(self):
        self._used = False
        self._saved = ()

    def save_for_backward(self, *args):
        """Keep arrays for backward, which finds them in `saved_tensors`."""
        self._saved = tuple(args)

    @property
    def saved_tensors(self):
        """What `save_for_backward` kept."""
        return self._saved

    def __call__(self, *inputs):
        if getattr(self, "_used", False):
            raise AssertionError(f"{type(self).__name__}: a Function instance can be used once; expected a new instance")
        self._used = True
        was = set_recording(False)
        try:
            got = self.forward(*inputs)
        finally:
            set_recording(was)
        single = isinstance(got, NDArray)
        outputs = [got] if single else list(got)
        if not recording():
            return got
        handles = [y._same_data() for y in outputs]
        op = REGISTRY["_custom_function"]
        arrays = tuple(x for x in inputs if isinstance(x, NDArray))
        record_call(op.core, arrays, op.Params(_Call(self, len(arrays), len(handles)), len(arrays)), handles, len(handles))
        return handles[0] if single else type(got)(handles) if isinstance(got, (tuple, list)) else handles

    def forward(self, *inputs):
        """The outputs; to be defined by the subclass."""
        raise NotImplementedError(f"{type(self).__name__}: forward is not defined")

    def backward(self, *output_grads):
        """The gradients of the inputs; to be defined by the subclass."""
        raise NotImplementedError(f"{type(self).__name__}: backward is not defined")


class _Call:
    """What the tape holds of a call."""

    def __init__(self, function, inputs, outputs):
        self.function, self.inputs, self.count = function, inputs, outputs

    def gradients(self, g):
        was = set_recording(False)
        try:
            got = self.function.backward(*g)
        except MXNetError:
            raise
        except Exception as e:
            raise MXNetError(f"{type(self.function).__name__}: backward raised {type(e).__name__}: {e}") from e
        finally:
            set_recording(was)
        got = [got] if isinstance(got, NDArray) else list(got)
        if len(got) != self.inputs:
            raise MXNetError(f"{type(self.function).__name__}: backward returned a wrong number of gradients; "
                             f"expected {self.inputs}, got {len(got)}")
        return got
