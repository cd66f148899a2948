"""The operator `Custom`: everything about it comes from a class that the user registered, see `mxnd.operator`."""
from .declare import Op, op
from .errors import MXNetError
from .params import integer, text, text_of

MAKERS = {}            # op_type -> function of the keywords (as text) that gives the object described below


class Custom(Op):
    """Its checked parameters are an object that knows the names (`arguments`, `outputs`, `aux`), infers shapes and dtypes,
    runs, and makes gradients for one use of a registered class."""

    open_params = True

    def pack(self, given):
        given = dict(given)
        kind = given.pop("op_type", None)
        if not isinstance(kind, str):
            raise MXNetError(f"Custom: parameter 'op_type' is missing; expected the name of a registered operator, got {kind!r}")
        if kind not in MAKERS:
            raise MXNetError(f"Custom: unknown op_type {kind!r}; expected a name given to mx.operator.register: "
                             f"{', '.join(sorted(MAKERS)[:20]) or 'there is none yet'}")
        return MAKERS[kind]({k: text_of(v) for k, v in given.items()})

    def packed(self, params):
        return self.pack(params)

    def input_names(self, p, count=None):
        return (*p.arguments, *p.aux)

    def output_names(self, p):
        return p.outputs

    def visible_outputs(self, p):
        return len(p.outputs)

    def state_names(self, p):
        return p.aux

    def acts_alone(self, p):
        return None if p.needs_heads() else "loss"

    def bound(self, p):
        return p.copy()


Custom("Custom", aliases="_npi_Custom", inputs="data", params={"op_type": text()}, variadic="num_args", family="python",
       shapes=lambda p, ins, outs: p.infer_shapes(ins, outs), types=lambda p, ins, outs: p.infer_types(ins, outs),
       grad=lambda p, g, x, y: p.gradients(g, x, y), run=lambda core, inputs, p, out: p.run(core, inputs, out),
       checks_heads=True,
       doc="An operator of the user's own, see `mxnd.operator.CustomOp`.  Further keywords go to the registered class, as text.")


def _refuse(p, g, x, y):
    raise MXNetError(f"Custom: the backward of {p.what!r} cannot be differentiated: it was not recorded, as when it computes with "
                     "NumPy; expected one written with operators on the arrays that it gets")


op("_custom_unrecorded", inputs="data", params={"what": text(), "count": integer()}, variadic="count", auto_variables=False,
   outputs="output", shapes=lambda p, ins, outs: (ins, outs), grad=_refuse,
   doc="A gradient that a custom operator made without operators: the tape holds it, nothing else runs it.")
