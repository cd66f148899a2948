"""Detection in one pass (SSD) and region proposals: priors, targets, detections, proposals."""
from .boxes import no_gradient
from .declare import FLOATS, op
from .params import flag, floats, integer, number
from .shapes import over, presume, show, times, unify

VARIANCES = dict(variances=floats((0.1, 0.1, 0.2, 0.2), length=(4,)))
_ZERO = dict(grad=no_gradient, presumed=presume("float32"), by_definition=True, kernel_types=FLOATS)


# ---- priors ----------------------------------------------------------------------------------------------

def _prior_shape(p, data):
    if data is not None and (len(data) != 4 or 0 in data[2:]):
        raise ValueError(f"data has shape {show(data)}; expected (samples, channels, height, width) with pixels")
    if not p.sizes or not p.ratios:
        raise ValueError("sizes and ratios are empty; expected at least one number each")
    if min(p.ratios) <= 0:
        raise ValueError(f"ratios are {show(p.ratios)}; expected positive numbers")
    if (p.steps[0] > 0) != (p.steps[1] > 0):
        raise ValueError(f"steps are {show(p.steps)}; expected both positive, or none")
    n = None if data is None else times(*data[2:], len(p.sizes) + len(p.ratios) - 1)
    return (1, n, 4)


op("_contrib_MultiBoxPrior", aliases="_npx_multibox_prior", kernel="multibox_prior",
   shapes=lambda p, ins, outs: (ins, [unify(outs[0], _prior_shape(p, ins[0]), "expected and worked-out output shapes")]),
   params=dict(sizes=floats((1.0,)), ratios=floats((1.0,)), clip=flag(), steps=floats((-1.0, -1.0), length=(2,)),
               offsets=floats((0.5, 0.5), length=(2,))),
   arguments=lambda p, ins, outs: [*ins[0][2:], len(p.sizes), len(p.ratios), int(p.clip), *p.steps, *p.offsets, *p.sizes, *p.ratios],
   samples=(dict(inputs=[(1, 2, 2, 3)], params=dict(sizes=(0.5, 0.2), ratios=(1, 2))),
            dict(inputs=[(1, 2, 2, 3)], params=dict(steps=(0.4, 0.3), offsets=(0.3, 0.7), clip=True))), **_ZERO,
   doc="""Prior boxes at every pixel of data (samples, channels, height, width): (1, boxes, 4), corners in parts of the image.

    Every pixel has the sizes with the first ratio, then the first size with the other ratios.  A box is size sqrt(ratio) height /
    width wide and size / sqrt(ratio) high, around (i + offset) step, y before x; steps of -1 are 1 / height and 1 / width.
    clip bounds the corners to 0 and 1.
    Source: Liu et al., SSD, 2016.""",
   example="mx.nd.contrib.MultiBoxPrior(mx.nd.ones((1, 3, 2, 2)), sizes=(0.5, 0.25), ratios=(1, 2))")


# ---- targets ---------------------------------------------------------------------------------------------

def _target_shapes(p, ins, outs):
    anchor, label, pred = ins
    anchor = unify(anchor, (1, None, 4), "shape of anchor and (1, anchors, 4)")
    label = unify(label, (None, None, None), "shape of label and (samples, labels, 5 or more)")
    if label[2] is not None and label[2] < 5:
        raise ValueError(f"label has shape {show(label)}; expected (samples, labels, 5 or more)")
    pred = unify(pred, (label[0], None, anchor[1]), "shape of cls_pred and (samples, classes, anchors)")
    if pred[1] == 0:
        raise ValueError(f"cls_pred has shape {show(pred)}; expected at least one class")
    few = unify(outs[2], pred[::2], "expected and worked-out output shapes")
    wide = unify(unify(outs[0], outs[1]), (few[0], times(4, few[1])), "expected and worked-out output shapes")
    n, m = wide[0], few[1] if wide[1] is None else over(wide[1], 4, f"{wide[1]} numbers are not four for each anchor")
    return [(1, m, 4), (n, *label[1:]), (n, pred[1], m)], [wide, wide, (n, m)]


_ANCHORS = [[[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1], [0, 0.5, 0.5, 1], [0.1, 0.1, 0.6, 0.6], [0.9, 0.9, 1, 1]]]
_LABELS = [[[1, 0.1, 0.1, 0.5, 0.5], [-1] * 5]]
op("_contrib_MultiBoxTarget", inputs="anchor label cls_pred", aliases="_npx_multibox_target", outputs="loc_target loc_mask cls_target",
   params=dict(overlap_threshold=number(0.5), ignore_label=number(-1.0), negative_mining_ratio=number(-1.0),
               negative_mining_thresh=number(0.5), minimum_negative_samples=integer(0), **VARIANCES),
   shapes=_target_shapes, kernel="multibox_target",
   arguments=lambda p, ins, outs: [ins[1][0], ins[0][1], *ins[1][1:], ins[2][1], p.overlap_threshold, p.ignore_label,
                                   p.negative_mining_ratio, p.negative_mining_thresh, *p.variances],
   samples=(dict(inputs=[_ANCHORS, _LABELS, (1, 3, 5)]),
            dict(inputs=[_ANCHORS, _LABELS, (1, 3, 5)], params=dict(negative_mining_ratio=1.0, overlap_threshold=0.9))), **_ZERO,
   doc="""Targets for the predictions of SSD: shifts of the boxes, a mask of those that count, and classes.

    anchor is (1, anchors, 4), label (samples, labels, 5 or more) with rows of class, x1, y1, x2, y2 that end at a class of -1, and
    cls_pred (samples, classes, anchors).  The results are (samples, anchors 4), the same, and (samples, anchors).  Each labelled
    box gets the anchor that overlaps it most; other anchors get the box they overlap most, when by more than overlap_threshold.
    Their class is the label's + 1, and their shifts are divided by variances.  Other anchors have class 0; with a positive
    negative_mining_ratio only that many per positive one do, those that believe least in class 0 and overlap no box by
    negative_mining_thresh, and the rest have ignore_label, as has everything in a sample without labels.
    minimum_negative_samples has no effect, as in MXNet 1.9.1.
    Source: Liu et al., SSD, 2016.""",
   example="mx.nd.contrib.MultiBoxTarget(mx.nd.array([[[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]]]), mx.nd.array([[[0, 0.1, 0, 0.5, 0.5]]]),"
           " mx.nd.zeros((1, 2, 2)))[2]")


# ---- detections ------------------------------------------------------------------------------------------

def _detection_shapes(p, ins, outs):
    prob, pred, anchor = ins
    out = unify(outs[0], (None, None, 6), "expected and worked-out output shapes")
    anchor = unify(anchor, (1, out[1], 4), "shape of anchor and (1, anchors, 4)")
    prob = unify(prob, (out[0], None, anchor[1]), "shape of cls_prob and (samples, classes, anchors)")
    pred = unify(pred, (prob[0], times(4, prob[2])), "shape of loc_pred and (samples, anchors 4)")
    n, m = pred[0], prob[2] if pred[1] is None else over(pred[1], 4, f"loc_pred has shape {show(pred)}; expected four numbers per anchor")
    return [(n, prob[1], m), pred, (1, m, 4)], [(n, m, 6)]


op("_contrib_MultiBoxDetection", inputs="cls_prob loc_pred anchor", aliases="_npx_multibox_detection",
   params=dict(clip=flag(True), threshold=number(0.01), background_id=integer(0), nms_threshold=number(0.5), force_suppress=flag(),
               **VARIANCES, nms_topk=integer(-1)),
   shapes=_detection_shapes, kernel="multibox_detection",
   arguments=lambda p, ins, outs: [*ins[0], int(p.clip), int(p.force_suppress), p.nms_topk, p.threshold, p.nms_threshold, *p.variances],
   samples=(dict(inputs=[(1, 3, 5), (1, 20), _ANCHORS]),
            dict(inputs=[(1, 3, 5), (1, 20), _ANCHORS], params=dict(nms_topk=2, clip=False, force_suppress=True))), **_ZERO,
   doc="""Boxes that SSD's predictions stand for: (samples, anchors, 6), rows of class, score, x1, y1, x2, y2.

    cls_prob is (samples, classes, anchors), loc_pred (samples, anchors 4) and anchor (1, anchors, 4).  The class is that of the
    largest score beside class 0, the background, less 1; anchors whose score is below threshold are left out.  Rows are sorted by
    score, and get class -1 where they overlap a better one of their class (force_suppress: of any) by nms_threshold or more, or
    come after nms_topk others; unused rows are -1.  An nms_threshold outside (0, 1] neither sorts nor suppresses.
    background_id has no effect, as in MXNet 1.9.1.
    Source: Liu et al., SSD, 2016.""",
   example="mx.nd.contrib.MultiBoxDetection(mx.nd.array([[[0.1, 0.8], [0.9, 0.2]]]), mx.nd.zeros((1, 8)),"
           " mx.nd.array([[[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]]]))")


# ---- proposals -------------------------------------------------------------------------------------------

def _proposal_shape(many):
    def rule(p, ins, outs):
        prob, pred, info = ins
        each = len(p.scales) * len(p.ratios)
        if each == 0:
            raise ValueError("scales and ratios are empty; expected at least one number each")
        if min(p.ratios) <= 0 or min(p.scales) <= 0:
            raise ValueError(f"scales {show(p.scales)} and ratios {show(p.ratios)}; expected positive numbers")
        if prob is not None and (len(prob) != 4 or prob[1] not in (2 * each, None) or 0 in prob[2:]):
            raise ValueError(f"cls_prob has shape {show(prob)}; expected (samples, {2 * each}, height, width) for {each} anchors per pixel")
        if not many and prob is not None and prob[0] not in (1, None):
            raise ValueError(f"cls_prob has {prob[0]} samples; expected one (MultiProposal takes several)")
        prob = unify(prob, (None if many else 1, 2 * each, None, None))
        info = unify(info, (prob[0], 3), "shape of im_info and (samples, 3)")
        pred = unify(pred, (info[0], 4 * each, *prob[2:]), "shape of bbox_pred and (samples, 4 anchors, height, width)")
        n = pred[0]
        rows, = unify(outs[0][:1] if outs[0] else None, (times(n, p.rpn_post_nms_top_n),), "numbers of rows")
        return [(n, 2 * each, *pred[2:]), pred, (n, 3)], [unify(outs[0], (rows, 5)), unify(outs[1], (rows, 1))]
    return rule


def _proposal(name, many, text):
    short = name.removeprefix("_contrib_")
    op(name, inputs="cls_prob bbox_pred im_info", outputs="output score", visible=lambda p: 2 if p.output_score else 1,
       params=dict(rpn_pre_nms_top_n=integer(6000), rpn_post_nms_top_n=integer(300, at_least=1), threshold=number(0.7),
                   rpn_min_size=integer(16), scales=floats((4.0, 8.0, 16.0, 32.0)), ratios=floats((0.5, 1.0, 2.0)),
                   feature_stride=integer(16, at_least=1), output_score=flag(), iou_loss=flag()),
       shapes=_proposal_shape(many), kernel="proposal",
       arguments=lambda p, ins, outs: [ins[0][0], len(p.scales) * len(p.ratios), *ins[0][2:], p.rpn_pre_nms_top_n, p.rpn_post_nms_top_n,
                                       p.rpn_min_size, len(p.scales), int(p.iou_loss), p.feature_stride, p.threshold, *p.scales, *p.ratios],
       samples=tuple(dict(inputs=[(1 + many, 4, 2, 3), (1 + many, 8, 2, 3), [[8, 12, 1]] * (1 + many)],
                          params=dict(rpn_post_nms_top_n=4, rpn_min_size=1, scales=(1,), ratios=(0.5, 1), feature_stride=4,
                                      output_score=True, iou_loss=loss)) for loss in (False, True)), **_ZERO,
       doc=f"""Regions of interest from the scores and shifts of anchors at every pixel, {text}.

    cls_prob is (samples, 2 anchors, height, width), the scores of the background first, bbox_pred (samples, 4 anchors, height,
    width) and im_info (samples, 3): height, width and scale of the images.  An anchor has one of the ratios (height by width) and
    scales, in units of feature_stride.  Boxes are cut at the image; those smaller than rpn_min_size times the scale score -1.  Of the
    rpn_pre_nms_top_n best, those stay that overlap no better one by more than threshold: rpn_post_nms_top_n rows per sample of
    (sample, x1, y1, x2, y2), repeated where there are fewer, and with output_score their scores.  iou_loss: shifts of the corners.
    Source: Ren et al., Faster R-CNN, 2015.""",
       example=f"mx.nd.contrib.{short}(mx.nd.ones((1, 2, 2, 2)), mx.nd.zeros((1, 4, 2, 2)), mx.nd.array([[32, 32, 1]]), scales=(1,),"
               " ratios=(1,), rpn_post_nms_top_n=2)")


_proposal("_contrib_Proposal", 0, "one image")
_proposal("_contrib_MultiProposal", 1, "several images")
