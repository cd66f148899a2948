"""The older ways to write operators, kept for code of before MXNet 1.0: an instance that makes symbols of itself."""
import itertools

import numpy as np

from .._core.array import NDArray
from ..ndarray.convert import array
from .custom import CustomOp, CustomOpProp
from .registry import register

_numbers = itertools.count()


class PythonOp:
    """Base of `NumpyOp` and `NDArrayOp`.

    Parameters
    ----------
    need_top_grad : bool, default True
        Whether backward needs the gradients of the outputs.
    """

    def __init__(self, need_top_grad=True):
        self.need_top_grad_ = need_top_grad
        self._name = None

    def __call__(self, *args, **kwargs):
        return self.get_symbol(*args, **kwargs)

    def get_symbol(self, *args, **kwargs):
        """A symbol of this operator.

        Parameters
        ----------
        *args, **kwargs : Symbol
            The inputs, and `name`.

        Returns
        -------
        Symbol
        """
        raise NotImplementedError(f"{type(self).__name__}: expected a NumpyOp or an NDArrayOp")

    def _symbol(self, hint, runner, args, kwargs):
        from ..symbol.symbol import apply
        if self._name is None:
            self._name = f"{hint}_{type(self).__name__}_{next(_numbers)}"
            register(self._name)(_prop(self, runner))
        return apply("Custom", hint, *args, op_type=self._name, **kwargs)

    def forward(self, in_data, out_data):
        """Compute the outputs; the default copies the first input."""
        out_data[0][:] = in_data[0]

    def backward(self, out_grad, in_data, out_data, in_grad):
        """Compute the gradients of the inputs; the default sets the first to 1."""
        in_grad[0][:] = 1.0

    def infer_shape(self, in_shape):
        """(shapes of the inputs, shapes of the outputs); the default: one output of the first input's shape."""
        return in_shape, [in_shape[0]]

    def list_outputs(self):
        """Names of the outputs."""
        return ["output"]

    def list_arguments(self):
        """Names of the inputs."""
        return ["data"]

    def need_top_grad(self):
        """Whether backward needs the gradients of the outputs."""
        return self.need_top_grad_


class NumpyOp(PythonOp):
    """An operator that computes with NumPy arrays.

    Examples
    --------
    >>> class Twice(mx.operator.NumpyOp):
    ...     def forward(self, in_data, out_data):
    ...         out_data[0][:] = 2 * in_data[0]
    ...     def backward(self, out_grad, in_data, out_data, in_grad):
    ...         in_grad[0][:] = 2 * out_grad[0]
    >>> y = Twice()(data=mx.sym.var("x"))
    >>> y.eval(x=mx.nd.ones((2,)))[0].asnumpy()
    array([2., 2.], dtype=float32)
    """

    def get_symbol(self, *args, **kwargs):
        """A symbol of this operator, see `PythonOp.get_symbol`."""
        return self._symbol("_native", _WithNumpy, args, kwargs)


class NDArrayOp(PythonOp):
    """An operator that computes with arrays of `mx.nd`.

    Examples
    --------
    >>> class Twice(mx.operator.NDArrayOp):
    ...     def forward(self, in_data, out_data):
    ...         out_data[0][:] = 2 * in_data[0]
    >>> Twice()(data=mx.sym.var("x")).eval(x=mx.nd.ones((2,)))[0].asnumpy()
    array([2., 2.], dtype=float32)
    """

    def get_symbol(self, *args, **kwargs):
        """A symbol of this operator, see `PythonOp.get_symbol`."""
        return self._symbol("_ndarray", _WithArrays, args, kwargs)

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        """Which arrays backward reads, chosen from three lists of numbers."""
        return [*(out_grad if self.need_top_grad() else ()), *in_data, *out_data]


class _WithArrays(CustomOp):
    def __init__(self, owner):
        super().__init__()
        self.owner = owner

    def forward(self, is_train, req, in_data, out_data, aux):
        self.owner.forward(in_data=in_data, out_data=out_data)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.owner.backward(out_grad=out_grad, in_data=in_data, out_data=out_data, in_grad=in_grad)


class _WithNumpy(_WithArrays):
    def forward(self, is_train, req, in_data, out_data, aux):
        outs = [y.asnumpy() for y in out_data]
        self.owner.forward(in_data=_numpy(in_data), out_data=outs)
        _write(out_data, outs)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        grads = [y.asnumpy() for y in in_grad]
        self.owner.backward(out_grad=_numpy(out_grad), in_data=_numpy(in_data), out_data=_numpy(out_data), in_grad=grads)
        _write(in_grad, grads)


def _numpy(arrays):
    return [x.asnumpy() for x in arrays]


def _write(arrays, values):
    for x, v in zip(arrays, values):
        x[:] = v if isinstance(v, NDArray) else array(np.asarray(v), dtype=x.dtype)


def _prop(owner, runner):
    """The class that tells `Custom` about an instance of an older operator."""
    class Prop(CustomOpProp):
        def __init__(self):
            super().__init__(owner.need_top_grad())

        def list_arguments(self):
            return owner.list_arguments()

        def list_outputs(self):
            return owner.list_outputs()

        def infer_shape(self, in_shape):
            return (*owner.infer_shape(in_shape), [])

        def declare_backward_dependency(self, out_grad, in_data, out_data):
            if hasattr(owner, "declare_backward_dependency"):
                return owner.declare_backward_dependency(out_grad, in_data, out_data)
            return super().declare_backward_dependency(out_grad, in_data, out_data)

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return runner(owner)
    return Prop
