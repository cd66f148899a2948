"""The classes that custom operators derive from."""
from .._core.call import recording

STYPES = "default"


class CustomOp:
    """Base of what a custom operator computes; `CustomOpProp.create_operator` makes it.

    An executor makes one for each of its nodes and keeps it, a call on arrays makes its own, so what `forward` keeps
    in `self` is there in `backward`.

    Examples
    --------
    >>> class Square(mx.operator.CustomOp):
    ...     def forward(self, is_train, req, in_data, out_data, aux):
    ...         self.assign(out_data[0], req[0], in_data[0] * in_data[0])
    ...     def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
    ...         self.assign(in_grad[0], req[0], 2 * in_data[0] * out_grad[0])
    >>> @mx.operator.register("square_of_mine")
    ... class SquareProp(mx.operator.CustomOpProp):
    ...     def create_operator(self, ctx, in_shapes, in_dtypes):
    ...         return Square()
    >>> x = mx.nd.array([1.0, 2.0])
    >>> x.attach_grad()
    >>> with mx.autograd.record():
    ...     y = mx.nd.Custom(x, op_type="square_of_mine")
    >>> y.backward()
    >>> x.grad.asnumpy()
    array([2., 4.], dtype=float32)
    """

    def __init__(self):
        pass

    def forward(self, is_train, req, in_data, out_data, aux):
        """Compute the outputs; to be defined by the subclass.

        Parameters
        ----------
        is_train : bool
            Whether the operator runs in training mode.
        req : list of str
            What to do with each output: 'null', 'write', 'inplace' or 'add'; see `assign`.
        in_data, out_data : list of NDArray
            The inputs, and arrays for the outputs.
        aux : list of NDArray
            The auxiliary states; they may be changed.
        """
        raise NotImplementedError(f"{type(self).__name__}: forward is not defined")

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        """Compute the gradients of the inputs; to be defined by the subclass.

        Written with operators on the arrays given, it can be differentiated again (`autograd.grad` with
        create_graph); written with NumPy it cannot.

        Parameters
        ----------
        req : list of str
            What to do with each gradient; 'null' where nobody needs it.
        out_grad, in_data, out_data : list of NDArray
            Gradients of the outputs, the inputs and the outputs of forward.
        in_grad : list of NDArray
            Arrays for the gradients.
        aux : list of NDArray
            The auxiliary states.
        """
        raise NotImplementedError(f"{type(self).__name__}: backward is not defined")

    def assign(self, dst, req, src):
        """Put a result where it belongs.

        Parameters
        ----------
        dst : NDArray
            An item of out_data or in_grad.
        req : str
            'null': do nothing; 'write' and 'inplace': dst becomes src; 'add': src is added to dst.
        src : NDArray, numpy.ndarray or number

        Examples
        --------
        >>> y = mx.nd.ones((2,))
        >>> mx.operator.CustomOp().assign(y, "add", mx.nd.ones((2,)))
        >>> y.asnumpy()
        array([2., 2.], dtype=float32)
        """
        if req == "null":
            return
        if req in ("write", "inplace"):
            dst[:] = src
        elif req == "add":
            if recording():
                dst[:] = dst + src
            else:
                dst[:] += src
        else:
            raise ValueError(f"assign: req: expected 'null', 'write', 'inplace' or 'add', got {req!r}")


def _dense(what, stypes):
    for k, stype in enumerate(stypes):
        if stype != "default":
            raise AssertionError(f"CustomOpProp: {what}[{k}] has storage {stype!r}; expected infer_storage_type and "
                                 "infer_storage_type_backward in an operator that takes sparse arrays")


class CustomOpProp:
    """Base of the class that tells the names, shapes and dtypes of a custom operator; see `register`.

    Keywords of `mx.nd.Custom` and `mx.sym.Custom` arrive in its constructor as text.

    Parameters
    ----------
    need_top_grad : bool, default True
        Whether backward needs the gradients of the outputs; False for losses.

    Examples
    --------
    >>> mx.operator.CustomOpProp().list_arguments()
    ['data']
    """

    def __init__(self, need_top_grad=True):
        self.need_top_grad_ = need_top_grad

    def infer_shape(self, in_shape):
        """(shapes of the inputs, of the outputs[, of the auxiliary states]) from what is known of the inputs.

        Parameters
        ----------
        in_shape : list of list of int
            In a graph [] stands for an unknown shape and 0 for an unknown length.  The default gives every output
            the shape of the first input.
        """
        return in_shape, [in_shape[0]] * len(self.list_outputs()), []

    def infer_type(self, in_type):
        """(dtypes of the inputs, of the outputs, of the auxiliary states) from what is known of the inputs.

        Parameters
        ----------
        in_type : list of dtype
            None for what is unknown.  The default gives everything the dtype of the first input.
        """
        first = in_type[0]
        return ([first if t is None else t for t in in_type], [first] * len(self.list_outputs()),
                [first] * len(self.list_auxiliary_states()))

    def infer_storage_type(self, in_stype):
        """(storage types of the inputs, of the outputs, of the auxiliary states); the default takes dense arrays only."""
        _dense("in_stype", in_stype)
        return in_stype, [STYPES] * len(self.list_outputs()), [STYPES] * len(self.list_auxiliary_states())

    def infer_storage_type_backward(self, ograd_stype, in_stype, out_stype, igrad_stype, aux_stype):
        """Storage types of the same five lists of arrays in backward; the default takes dense arrays only."""
        for what, stypes in (("ograd_stype", ograd_stype), ("in_stype", in_stype), ("out_stype", out_stype),
                             ("igrad_stype", igrad_stype), ("aux_stype", aux_stype)):
            _dense(what, stypes)
        return [[STYPES] * len(s) for s in (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype)]

    def list_outputs(self):
        """Names of the outputs; the default is ['output']."""
        return ["output"]

    def list_arguments(self):
        """Names of the inputs; the default is ['data']."""
        return ["data"]

    def list_auxiliary_states(self):
        """Names of the auxiliary states; the default is []."""
        return []

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        """Which arrays backward reads, chosen from three lists of numbers."""
        return [*(out_grad if self.need_top_grad_ else ()), *in_data, *out_data]

    def create_operator(self, ctx, in_shapes, in_dtypes):
        """The `CustomOp` that computes; to be defined by the subclass.

        Parameters
        ----------
        ctx : Context
        in_shapes : list of list of int
            Shapes of the inputs and auxiliary states.
        in_dtypes : list of dtype
            Their dtypes.
        """
        return CustomOp()
