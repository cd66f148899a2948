"""Dropout."""
from .declare import FLOATS, F, op
from .params import choice, flag, number, shape
from .shapes import unify


def shared_shape(p, data):
    """The mask's shape: length 1 along the axes that share it."""
    for a in p.axes:
        if not 0 <= a < len(data):
            raise ValueError(f"axis {a} in axes is out of range for {len(data)} dimensions")
    return tuple(1 if i in p.axes else n for i, n in enumerate(data))


def dropout_shapes(p, ins, outs):
    data = unify(ins[0], outs[0])
    return [data], [data, None if data is None else shared_shape(p, data)]


op("Dropout", params=dict(p=number(0.5, at_least=0.0, at_most=1.0), mode=choice("training", "always", "training"), axes=shape(()),
                          cudnn_off=flag(False, nullable=True)),
   outputs="output mask", visible=1, aliases="_npx_dropout", shapes=dropout_shapes, kernel="dropout", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: [int(p.mode == "always"), p.p], random=True, uses_mode=True,
   idle=lambda p, training: p.mode != "always" and not training,
   grad=lambda p, g, x, y: [lambda: F.broadcast_mul(g[0], y[1])], numpy="data * 1.0",
   samples=(dict(inputs=[(3, 4)]), dict(inputs=[(2, 3, 4)], params=dict(p=0.25, axes=(1,)))),
   doc="""While training, set elements to zero with probability p and divide the others by 1 - p; otherwise the data.

    mode "always" does so outside training too.  Along `axes` all elements share their fate.  Shape and dtype stay.  Floats.""",
   example="mx.nd.Dropout(mx.nd.ones((2, 3)), p=0.5, mode='always')")
