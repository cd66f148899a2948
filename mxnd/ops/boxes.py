"""Boxes: overlaps, suppression, matching, and the coding of boxes as shifts of anchors.

A box is four numbers: x1 y1 x2 y2 (corner), or the centre x y, then width and height (center)."""
from .declare import FLOATS, F, op
from .params import choice, flag, integer, number
from .shapes import show, size, unify

FORMATS = ("corner", "center")


def form(default="corner"):
    return choice(default, "center", "corner")


def no_gradient(p, g, x, y):
    """Zeros: a choice among boxes is constant where it is smooth, and boxes are targets, not functions, as 1.9.1 has it."""
    return [lambda v=v: F.zeros_like(v) for v in x]


# ---- overlaps --------------------------------------------------------------------------------------------

def _iou_shape(p, lhs, rhs):
    for name, s in (("lhs", lhs), ("rhs", rhs)):
        if s is not None and (len(s) < 2 or s[-1] not in (4, None)):
            raise ValueError(f"{name} has shape {show(s)}; expected (..., boxes, 4)")
    return lhs[:-1] + rhs[:-1]


def _iou_shapes(p, ins, outs):
    lhs, rhs = ins
    if lhs is None or rhs is None:
        return ins, outs
    out = unify(outs[0], _iou_shape(p, lhs, rhs), "expected and worked-out output shapes")
    return [out[:len(lhs) - 1] + (4,), out[len(lhs) - 1:] + (4,)], [out]


op("_contrib_box_iou", inputs="lhs rhs", params=dict(format=form()), shapes=_iou_shapes, kernel="box_iou", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: [size(ins[0][:-1]), size(ins[1][:-1]), FORMATS.index(p.format)], grad=no_gradient, by_definition=True,
   samples=(dict(inputs=[(2, 4), (3, 4)]), dict(inputs=[(2, 1, 4), (3, 4)], params=dict(format="center"))),
   doc="""Intersection over union of every box of lhs with every box of rhs: lhs.shape[:-1] + rhs.shape[:-1].

    Boxes without area overlap nothing.  The gradient is zero, as in MXNet 1.9.1.""",
   example="mx.nd.contrib.box_iou(mx.nd.array([[0, 0, 2, 2]]), mx.nd.array([[1, 0, 3, 2], [0, 0, 1, 1]]))")


# ---- suppression -------------------------------------------------------------------------------------------

def _nms_shapes(p, ins, outs):
    data = unify(ins[0], outs[0])
    if data is None:
        return ins, outs
    if len(data) < 2:
        raise ValueError(f"data has shape {show(data)}; expected (..., boxes, numbers per box)")
    width = data[-1]
    if width is not None:
        if not 0 <= p.coord_start <= width - 4:
            raise ValueError(f"coord_start is {p.coord_start}; expected room for four coordinates in rows of {width}")
        for name, at, least in (("score_index", p.score_index, 0), ("id_index", p.id_index, None)):
            if least is None and at < 0:
                continue
            if not 0 <= at < width or p.coord_start <= at < p.coord_start + 4:
                raise ValueError(f"{name} is {at}; expected a place in rows of {width} that is not one of the coordinates")
        if p.id_index == p.score_index:
            raise ValueError(f"id_index and score_index are both {p.id_index}")
    return [data], [data, unify(outs[1], (*data[:-1], 1))]


def _place_types(p, ins, outs):
    t = ins[0] or outs[0]
    return [t, *["int64"] * (len(ins) - 1)], [t, *["int64"] * (len(outs) - 1)]


def _rows_shapes(p, ins, outs):
    data = unify(ins[0], outs[0])
    if data is None:
        return ins, outs
    if len(data) < 2:
        raise ValueError(f"data has shape {show(data)}; expected (..., boxes, numbers per box)")
    return [data, unify(ins[1], (*data[:-1], 1), "shapes of places and data")], [data]


def _rows_numbers(p, ins, outs):
    return [size(ins[0][:-2]), *ins[0][-2:]]


_BOXES = [[[0, 0.5, 0, 0, 4, 4], [1, 0.9, 0.2, 0, 4, 4], [1, 0.7, 5, 5, 8, 8], [0, 0.2, 5, 5, 8, 8.5]]]
op("_contrib_box_nms", aliases="_contrib_box_non_maximum_suppression", outputs="output0 output1", visible=1,
   params=dict(overlap_thresh=number(0.5), valid_thresh=number(0.0), topk=integer(-1), coord_start=integer(2), score_index=integer(1),
               id_index=integer(-1), background_id=integer(-1), force_suppress=flag(), in_format=form(), out_format=form()),
   shapes=_nms_shapes, types=_place_types, kernel="box_nms", kernel_types=FLOATS,
   arguments=lambda p, ins, outs: [*_rows_numbers(p, ins, outs), p.topk, p.coord_start, p.score_index, p.id_index, p.background_id,
                                   int(p.force_suppress), FORMATS.index(p.in_format), FORMATS.index(p.out_format),
                                   p.overlap_thresh, p.valid_thresh],
   grad=lambda p, g, x, y: [lambda: F._place_spread(g[0], y[1])],
   samples=(dict(inputs=[(1, 4, 6)]), dict(inputs=[(3, 6)], params=dict(id_index=0, topk=2)),
            dict(inputs=[_BOXES], params=dict(overlap_thresh=0.3, id_index=0, out_format="center"))),
   doc="""The boxes of data (..., boxes, numbers per box) that no better one suppresses, best first; the other rows are -1.

    Numbers of a row: the score at score_index, four coordinates from coord_start on, and the class at id_index (negative: none).
    Boxes count whose score is above valid_thresh and whose class is not background_id, the topk best of them (negative: all; 0
    returns data as it is).  A box removes worse ones of its class (force_suppress: of any) whose intersection over union with it
    is above overlap_thresh.  The gradient goes back to the rows that were kept, whatever the formats.""",
   example="mx.nd.contrib.box_nms(mx.nd.array([[0, 0.5, 0, 0, 4, 4], [0, 0.9, 0, 0, 4, 5]]))")
op("_place_spread", inputs="data places", shapes=_rows_shapes, types=_place_types, kernel="place_spread", kernel_types=FLOATS,
   arguments=_rows_numbers, grad=lambda p, g, x, y: [lambda: F._place_take(g[0], x[1]), None],
   doc="Rows of data put at places (..., rows, 1), whole numbers of 64 bits; rows of place -1 are dropped.")
op("_place_take", inputs="data places", shapes=_rows_shapes, types=_place_types, kernel="place_take", kernel_types=FLOATS,
   arguments=_rows_numbers, grad=lambda p, g, x, y: [lambda: F._place_spread(g[0], x[1]), None],
   doc="Rows of data at places (..., rows, 1), whole numbers of 64 bits; place -1 gives zeros.")


# ---- matching --------------------------------------------------------------------------------------------

def _matching_shapes(p, ins, outs):
    """The rows of data go to the first output, its columns to the second."""
    data, (rows, columns) = ins[0], outs
    if data is not None and len(data) < 2:
        raise ValueError(f"data has shape {show(data)}; expected (..., rows, columns)")
    if rows is not None:
        data = unify(data, (*rows, None), "shapes of data and of the first result")
    if columns is not None:
        data = unify(data, (*columns[:-1], None, columns[-1]), "shapes of data and of the second result")
    return [data], outs if data is None else [data[:-1], (*data[:-2], data[-1])]


op("_contrib_bipartite_matching", outputs="output0 output1", params=dict(is_ascend=flag(), threshold=number(), topk=integer(-1)),
   shapes=_matching_shapes, kernel="matching", kernel_types=FLOATS, grad=no_gradient,
   arguments=lambda p, ins, outs: [size(ins[0][:-2]), *ins[0][-2:], int(p.is_ascend), p.topk, p.threshold],
   samples=(dict(inputs=[(3, 4)], params=dict(threshold=-1.0)),
            dict(inputs=[(2, 3, 2)], params=dict(threshold=1.0, is_ascend=True, topk=1))),
   doc="""Rows and columns of scores (..., rows, columns) paired, the best pair first, each used once.

    Two results: for every row its column, and for every column its row; -1 where there is none.  Scores above threshold count,
    largest first; with is_ascend those below it, smallest first.  A positive topk ends after topk + 1 pairs, as in 1.9.1.""",
   example="mx.nd.contrib.bipartite_matching(mx.nd.array([[0.5, 0.6], [0.1, 0.2], [0.3, 0.4]]), threshold=0.01)[0]")


# ---- coding ------------------------------------------------------------------------------------------------

def _four(x):
    return [F.slice_axis(x, axis=-1, begin=k, end=k + 1) for k in range(4)]


def _joined(parts):
    return F.Concat(*parts, num_args=len(parts), dim=2)


def _centre(x, kind="corner"):
    """(x, y, width, height) of boxes."""
    a, b, c, d = _four(x)
    if kind == "center":
        return a, b, c, d
    return a + (c - a) * 0.5, b + (d - b) * 0.5, c - a, d - b


def _decode(p, data, anchors):
    x, y, w, h = (F.broadcast_to(v, shape=(*data.shape[:2], 1)) if data.shape[0] != 1 else v for v in _centre(anchors, p.format))
    dx, dy, dw, dh = (v * s for v, s in zip(_four(data), (p.std0, p.std1, p.std2, p.std3)))
    if p.clip > 0:
        dw, dh = (F._minimum_scalar(v, scalar=p.clip) for v in (dw, dh))
    cx, cy, w, h = dx * w + x, dy * h + y, F.exp(dw) * w * 0.5, F.exp(dh) * h * 0.5
    return _joined([cx - w, cy - h, cx + w, cy + h])


def _decode_shapes(p, ins, outs):
    data = unify(unify(ins[0], (None, None, 4), "shape of data and (samples, boxes, 4)"), outs[0])
    anchors = unify(ins[1], (1, data[1], 4), "shape of anchors and (1, boxes, 4)")
    data = unify(data, (None, anchors[1], 4))
    return [data, anchors], [data]


op("_contrib_box_decode", inputs="data anchors", shapes=_decode_shapes, compose=_decode, checks=True,
   params=dict(std0=number(1.0), std1=number(1.0), std2=number(1.0), std3=number(1.0), clip=number(-1.0), format=form("center")),
   samples=(dict(inputs=[(2, 3, 4), (1, 3, 4)], params=dict(std0=0.1, std2=0.2)),
            dict(inputs=[(1, 2, 4), [[[0, 0, 2, 3], [1, 2, 2, 5]]]], params=dict(format="corner", clip=0.4))),
   doc="""Boxes (corners) from shifts of anchors: data (samples, boxes, 4), anchors (1, boxes, 4) in the given format.

    With anchors (x, y, w, h): the centre is (data0 std0 w + x, data1 std1 h + y), the size (exp(data2 std2) w, exp(data3 std3) h).
    A positive clip bounds what exp is taken of.""",
   example="mx.nd.contrib.box_decode(mx.nd.zeros((1, 1, 4)), mx.nd.array([[[0.5, 0.5, 1, 1]]]))")


def _encode_shapes(p, ins, outs):
    samples, matches, anchors, refs, means, stds = ins
    rows = unify(unify(samples, matches, "shapes of samples and matches"), (None, None), "shape of samples and (samples, boxes)")
    anchors = unify(anchors, (*rows, 4), "shape of anchors and (samples, boxes, 4)")
    refs = unify(refs, (anchors[0], None, 4), "shape of refs and (samples, references, 4)")
    out = unify(unify(anchors, outs[0]), outs[1])
    return [out[:2], out[:2], out, refs, *(unify(v, (4,), "shape of means and stds and (4,)") for v in (means, stds))], [out, out]


def _encode(p, samples, matches, anchors, refs, means, stds):
    n, m = samples.shape
    used = samples > 0.5
    batch = F.broadcast_add(F._reshape_to(F._contrib_arange_like(samples, axis=0), shape=(n, 1)), F.zeros_like(matches))
    places = F.stack(batch, F.where(used, matches, F.zeros_like(matches)), num_args=2, axis=0)
    rows = F.broadcast_to(F._reshape_to(used, shape=(n, m, 1)), shape=(n, m, 4))
    one = F.slice_axis(rows, axis=2, begin=0, end=1)
    ax, ay, aw, ah = _centre(anchors)
    rx, ry, rw, rh = _centre(F.gather_nd(refs, places))

    def ratio(a, b):
        """a / b where it counts, and 1, which has a logarithm, elsewhere."""
        return F.where(one, a / F.where(one, b, F.ones_like(b)), F.ones_like(a))
    shifts = _joined([ratio(rx - ax, aw), ratio(ry - ay, ah), F.log(ratio(rw, aw)), F.log(ratio(rh, ah))])
    shifts = F.broadcast_div(F.broadcast_sub(shifts, F._reshape_to(means, shape=(1, 1, 4))), F._reshape_to(stds, shape=(1, 1, 4)))
    return [F.where(rows, shifts, F.zeros_like(shifts)), rows]


op("_contrib_box_encode", inputs="samples matches anchors refs means stds", outputs="output0 output1", shapes=_encode_shapes,
   compose=_encode, checks=True,
   samples=(dict(inputs=[[[1, 0, 1]], [[1, 7, 0]], [[[0, 0, 2, 3], [1, 1, 1, 1], [1, 2, 2, 5]]], [[[0, 1, 2, 2.5], [3, 1, 5, 2]]],
                         (4,), [0.1, 0.1, 0.2, 0.2]]),),
   doc="""Shifts that take anchors to their references, and a mask of the rows that count.

    samples and matches are (samples, boxes): row i counts where samples is above 0.5, and its reference is row matches[i] of refs
    (samples, references, 4).  anchors (samples, boxes, 4) and refs are corners.  With centres and sizes the shifts are
    ((x - ax) / aw, (y - ay) / ah, log(w / aw), log(h / ah)), less means, divided by stds; 0 in rows that do not count.""",
   example="mx.nd.contrib.box_encode(mx.nd.ones((1, 1)), mx.nd.zeros((1, 1)), mx.nd.array([[[0, 0, 2, 2]]]), mx.nd.array([[[1, 1, 3, 3]]]),"
           " mx.nd.zeros((4,)), mx.nd.ones((4,)))[0]")
