"""Products of attention over projections that lie interleaved: for each place and batch, the heads one after the other, and for
each head its query, key and value (or what there is of them)."""
from .declare import F, op
from .params import integer
from .shapes import over, show, times, unify

HEADS = dict(heads=integer(at_least=1))


def _split(s, heads, parts, name):
    """Length, batch and width of a head of an interleaved array."""
    if s is None:
        return None, None, None
    if len(s) != 3:
        raise ValueError(f"{name} has shape {show(s)}; expected (length, batch, heads * {parts} * width)")
    return s[0], s[1], over(s[2], heads * parts, f"{name} has shape {show(s)}; expected a last axis that is a multiple of heads * "
                                                 f"{parts} = {heads * parts}")


def _heads(x, heads, parts, part):
    """One part of all heads, as (batch * heads, length, width)."""
    length, batch, width = _split(x.shape, heads, parts, "")
    x = F._reshape_to(x, shape=(length, batch * heads, parts * width))
    if parts > 1:
        x = F.slice_axis(x, axis=2, begin=part * width, end=(part + 1) * width)
    return F.transpose(x, axes=(1, 0, 2))


def _scores(p, x, y, parts_x, parts_y, part_y):
    q, k = _heads(x, p.heads, parts_x, 0), _heads(y, p.heads, parts_y, part_y)
    return F.batch_dot(q / (q.shape[2] ** 0.5 or 1.0), k, transpose_b=True)


def _mixed(p, x, attention, parts, part):
    v = _heads(x, p.heads, parts, part)
    batch = x.shape[1]
    y = F.transpose(F.batch_dot(attention, v), axes=(1, 0, 2))
    return F._reshape_to(y, shape=(y.shape[0], batch, p.heads * v.shape[2]))


def _self_scores_shape(p, ins, outs):
    length, batch, _ = _split(ins[0], p.heads, 3, "queries_keys_values")
    out = unify(outs[0], (times(batch, p.heads), length, length), "expected and worked-out output shapes")
    length, = unify(out[1:2], out[2:], "rows and columns of the result")
    return [unify(ins[0], (length, batch, None))], [(out[0], length, length)]


def _self_mixed_shape(p, ins, outs):
    length, batch, width = _split(ins[0], p.heads, 3, "queries_keys_values")
    attention = unify(ins[1], (times(batch, p.heads), length, length), "attention's given and needed shapes")
    out = unify(outs[0], (attention[1], batch, times(p.heads, width)), "expected and worked-out output shapes")
    data = unify(ins[0], (out[0], out[1], times(out[2], 3)))
    return [data, (attention[0], data[0], data[0])], [out]


def _cross_scores_shape(p, ins, outs):
    length, batch, width = _split(ins[0], p.heads, 1, "queries")
    keys = unify(ins[1], (None, batch, times(2, p.heads, width)), "keys_values' given and needed shapes")
    queries = unify(ins[0], (None, keys[1], over(keys[2], 2, f"keys_values has shape {show(keys)}; expected an even last axis")))
    out = unify(outs[0], (times(keys[1], p.heads), length, keys[0]), "expected and worked-out output shapes")
    return [(out[1], *queries[1:]), (out[2], *keys[1:])], [out]


def _cross_mixed_shape(p, ins, outs):
    length, batch, width = _split(ins[0], p.heads, 2, "keys_values")
    attention = unify(ins[1], (times(batch, p.heads), None, length), "attention's given and needed shapes")
    out = unify(outs[0], (attention[1], batch, times(p.heads, width)), "expected and worked-out output shapes")
    return [unify(ins[0], (attention[2], out[1], times(2, out[2]))), (attention[0], out[0], attention[2])], [out]


_LAYOUT = ("For each place and batch, the last axis holds the heads one after the other, for each head its {parts}: shape (length, "
           "batch, heads * {count} * width).")

op("_contrib_interleaved_matmul_selfatt_qk", inputs="queries_keys_values", params=HEADS, shapes=_self_scores_shape,
   compose=lambda p, x: _scores(p, x, x, 3, 3, 1),
   samples=(dict(inputs=[(3, 2, 24)], params=dict(heads=2)), dict(inputs=[(2, 1, 6)], params=dict(heads=1))),
   doc="Queries times keys of self-attention, divided by the square root of the width: (batch * heads, length, length).\n"
       + _LAYOUT.format(parts="query, key and value", count=3),
   example="mx.nd.contrib.interleaved_matmul_selfatt_qk(mx.nd.ones((3, 2, 24)), heads=2)")

op("_contrib_interleaved_matmul_selfatt_valatt", inputs="queries_keys_values attention", params=HEADS,
   shapes=_self_mixed_shape, compose=lambda p, x, attention: _mixed(p, x, attention, 3, 2),
   samples=(dict(inputs=[(3, 2, 24), (4, 3, 3)], params=dict(heads=2)),),
   doc="Values of self-attention mixed by the attention (batch * heads, length, length): (length, batch, heads * width).\n"
       + _LAYOUT.format(parts="query, key and value", count=3),
   example="mx.nd.contrib.interleaved_matmul_selfatt_valatt(mx.nd.ones((3, 2, 24)), mx.nd.ones((4, 3, 3)), heads=2)")

op("_contrib_interleaved_matmul_encdec_qk", inputs="queries keys_values", params=HEADS, shapes=_cross_scores_shape,
   compose=lambda p, q, x: _scores(p, q, x, 1, 2, 0),
   samples=(dict(inputs=[(2, 2, 6), (4, 2, 12)], params=dict(heads=3)),),
   doc="Queries (length, batch, heads * width) times keys, divided by the square root of the width: (batch * heads, length, length of "
       "the keys).\n" + _LAYOUT.format(parts="key and value", count=2),
   example="mx.nd.contrib.interleaved_matmul_encdec_qk(mx.nd.ones((2, 2, 6)), mx.nd.ones((4, 2, 12)), heads=3)")

op("_contrib_interleaved_matmul_encdec_valatt", inputs="keys_values attention", params=HEADS, shapes=_cross_mixed_shape,
   compose=lambda p, x, attention: _mixed(p, x, attention, 2, 1),
   samples=(dict(inputs=[(3, 2, 16), (4, 2, 3)], params=dict(heads=2)),),
   doc="Values mixed by the attention (batch * heads, length, length of the values): (length, batch, heads * width).\n"
       + _LAYOUT.format(parts="key and value", count=2),
   example="mx.nd.contrib.interleaved_matmul_encdec_valatt(mx.nd.ones((3, 2, 16)), mx.nd.ones((4, 2, 3)), heads=2)")
