"""Boxes: overlaps, suppression, matching, SSD and proposals against plain Python, odd numbers and empty arrays."""
import numpy as np
import pytest

import mxnd as mx

contrib = mx.nd.contrib
NAN, INF = float("nan"), float("inf")


def array(v, dtype="float64"):
    return mx.nd.array(np.asarray(v, "float64"), dtype=dtype)


def boxes(rng, *shape):
    return np.sort(rng.uniform(0, 1, (*shape, 2, 2)), axis=-2).reshape(*shape, 4)


def iou(a, b, more=0.0):
    w, h = min(a[2], b[2]) - max(a[0], b[0]) + more, min(a[3], b[3]) - max(a[1], b[1]) + more
    shared = max(w, 0) * max(h, 0)
    both = (a[2] - a[0] + more) * (a[3] - a[1] + more) + (b[2] - b[0] + more) * (b[3] - b[1] + more) - shared
    return shared / both if shared > 0 else 0.0


def test_overlaps():
    rng = np.random.default_rng(0)
    a, b = boxes(rng, 2, 5), boxes(rng, 7)
    got = contrib.box_iou(array(a), array(b)).asnumpy()
    assert got.shape == (2, 5, 7)
    np.testing.assert_allclose(got, [[[iou(x, y) for y in b] for x in row] for row in a], rtol=1e-12)
    centre = np.concatenate([(b[:, :2] + b[:, 2:]) / 2, b[:, 2:] - b[:, :2]], 1)
    np.testing.assert_allclose(contrib.box_iou(array(centre), array(centre), format="center").asnumpy(),
                               [[iou(x, y) for y in b] for x in b], rtol=1e-10)


def suppressed(rows, overlap=0.5, valid=0.0, topk=-1, id_index=-1, force=False):
    order = sorted((i for i in range(len(rows)) if rows[i, 1] > valid), key=lambda i: -rows[i, 1])[:topk if topk > 0 else None]
    kept = []
    for i in order:
        if all(iou(rows[i, 2:], rows[j, 2:]) <= overlap or (id_index >= 0 and not force and rows[i, id_index] != rows[j, id_index])
               for j in kept):
            kept.append(i)
    out = -np.ones_like(rows)
    out[:len(kept)] = rows[kept]
    return out, kept


@pytest.mark.parametrize("kw", [{}, dict(overlap=0.1), dict(id_index=0, overlap=0.2), dict(id_index=0, force=True, topk=20),
                                dict(valid=0.5, topk=7, overlap=0.05)])
def test_suppression(kw):
    rng = np.random.default_rng(4)
    x = np.concatenate([rng.integers(0, 3, (2, 60, 1)), rng.uniform(0, 1, (2, 60, 1)), boxes(rng, 2, 60)], 2)
    data = array(x)
    data.attach_grad()
    names = dict(overlap="overlap_thresh", valid="valid_thresh", force="force_suppress")
    with mx.autograd.record():
        y = contrib.box_nms(data, **{names.get(k, k): v for k, v in kw.items()})
    head = rng.uniform(-1, 1, x.shape)
    y.backward(array(head))
    for s in range(2):
        want, kept = suppressed(x[s], **kw)
        np.testing.assert_array_equal(y.asnumpy()[s], want)
        grad = np.zeros_like(x[s])
        grad[kept] = head[s, :len(kept)]
        np.testing.assert_array_equal(data.grad.asnumpy()[s], grad)


def test_many_equal_scores_stay_in_order():
    rows = np.zeros((300, 6))
    rows[:, 1] = np.arange(300) % 3 + 1.0
    rows[:, 2], rows[:, 4] = 10 * np.arange(300), 10 * np.arange(300) + 5
    rows[:, 5] = 5
    got = contrib.box_nms(array(rows)).asnumpy()
    np.testing.assert_array_equal(got, np.concatenate([rows[rows[:, 1] == k] for k in (3, 2, 1)]))


def test_suppression_of_no_boxes_and_wrong_places():
    assert contrib.box_nms(mx.nd.zeros((0, 6))).shape == (0, 6)
    assert contrib.box_nms(mx.nd.zeros((2, 0, 6))).shape == (2, 0, 6)
    x = mx.nd.zeros((3, 6))
    np.testing.assert_array_equal(contrib.box_nms(x + 5, topk=0).asnumpy(), np.full((3, 6), 5.0))
    for kw in (dict(coord_start=3), dict(score_index=2), dict(score_index=-1), dict(id_index=6), dict(id_index=1), dict(coord_start=-1)):
        with pytest.raises(mx.MXNetError, match="box_nms"):
            contrib.box_nms(x, **kw)
    with pytest.raises(mx.MXNetError, match="int32"):
        contrib.box_nms(x.astype("int32"))


@pytest.mark.parametrize("up", [False, True])
def test_matching(up):
    rng = np.random.default_rng(1)
    x = rng.permutation(120).reshape(2, 6, 10) / 120
    rows, columns = (v.asnumpy() for v in contrib.bipartite_matching(array(x), threshold=0.4, is_ascend=up))
    for s in range(2):
        want_r, want_c = -np.ones(6), -np.ones(10)
        for k in np.argsort(x[s].ravel() if up else -x[s].ravel()):
            r, c = divmod(int(k), 10)
            if (x[s, r, c] < 0.4 if up else x[s, r, c] > 0.4) and want_r[r] == want_c[c] == -1:
                want_r[r], want_c[c] = c, r
        np.testing.assert_array_equal(rows[s], want_r)
        np.testing.assert_array_equal(columns[s], want_c)


def test_coding_and_decoding():
    rng = np.random.default_rng(2)
    anchors, refs = boxes(rng, 1, 6), boxes(rng, 1, 3)
    matches = rng.integers(0, 3, (1, 6))
    used = np.array([[1, 1, -1, 1, 0, 1]])
    means, stds = array([0, 0, 0, 0]), array([0.1, 0.1, 0.2, 0.2])
    shifts, mask = contrib.box_encode(array(used), array(matches), array(anchors), array(refs), means, stds)
    np.testing.assert_array_equal(mask.asnumpy(), np.repeat((used > 0.5)[..., None], 4, 2))
    back = contrib.box_decode(shifts, array(anchors), std0=0.1, std1=0.1, std2=0.2, std3=0.2, format="corner").asnumpy()
    np.testing.assert_allclose(back[0], np.where((used > 0.5)[0, :, None], refs[0, matches[0]], anchors[0]), rtol=1e-9, atol=1e-12)
    assert contrib.box_encode(*(mx.nd.zeros(s) for s in ((2, 0), (2, 0), (2, 0, 4), (2, 1, 4), (4,), (4,))))[0].shape == (2, 0, 4)
    with pytest.raises((IndexError, mx.MXNetError), match="out of bounds"):
        contrib.box_encode(array([[1]]), array([[3]]), array(anchors[:, :1]), array(refs), means, stds)


def test_rows_that_do_not_count_leave_gradients_whole():
    anchors = array([[[0, 0, 1, 1], [2, 2, 2, 2.0]]])                    # the second has no size
    anchors.attach_grad()
    with mx.autograd.record():
        y = contrib.box_encode(array([[1, 0]]), array([[0, 0]]), anchors, array([[[0, 0, 2, 3.0]]]), array([0] * 4), array([1] * 4))[0]
    y.backward()
    assert np.isfinite(anchors.grad.asnumpy()).all() and (anchors.grad.asnumpy()[0, 1] == 0).all()


def test_priors():
    got = contrib.MultiBoxPrior(mx.nd.zeros((1, 1, 2, 4), dtype="float64"), sizes=(0.4, 0.2), ratios=(1, 4)).asnumpy().reshape(2, 4, 3, 4)
    for i in range(2):
        for j in range(4):
            for k, (size, ratio) in enumerate(((0.4, 1), (0.2, 1), (0.4, 4))):
                y, x, w, h = (i + 0.5) / 2, (j + 0.5) / 4, size * 2 / 4 * ratio ** 0.5 / 2, size / ratio ** 0.5 / 2
                np.testing.assert_allclose(got[i, j, k], [x - w, y - h, x + w, y + h], rtol=1e-12)
    for kw in (dict(sizes=()), dict(ratios=()), dict(ratios=(-1,)), dict(steps=(0.1, -1)), dict(steps=(0.1,)), dict(offsets=(1, 2, 3))):
        with pytest.raises(mx.MXNetError, match="MultiBoxPrior"):
            contrib.MultiBoxPrior(mx.nd.zeros((1, 1, 2, 2)), **kw)


def test_targets():
    anchors = [[[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1], [0, 0.5, 0.5, 1], [0.1, 0.1, 0.6, 0.6], [0.9, 0.9, 1, 1]]]
    labels = [[[1, 0.1, 0.1, 0.5, 0.5], [-1, 9, 9, 9, 9]], [[-1] * 5, [0, 0, 0, 1, 1]]]
    shift, mask, kind = contrib.MultiBoxTarget(array(anchors), array(labels), mx.nd.zeros((2, 3, 5), dtype="float64"))
    np.testing.assert_array_equal(kind.asnumpy(), [[2, 0, 0, 2, 0], [-1] * 5])
    np.testing.assert_array_equal(mask.asnumpy().reshape(2, 5, 4).mean(2), [[1, 0, 0, 1, 0], [0] * 5])
    np.testing.assert_allclose(shift.asnumpy()[0, :4], [1, 1, np.log(0.8) / 0.2, np.log(0.8) / 0.2], rtol=1e-10)
    score = np.zeros((2, 3, 5))
    score[0, 0] = [0, 3, 1, 0, 2]                                        # the background is believed in least at 2
    kind = contrib.MultiBoxTarget(array(anchors), array(labels), array(score), negative_mining_ratio=0.5, ignore_label=-3)[2]
    np.testing.assert_array_equal(kind.asnumpy(), [[2, -3, 0, 2, -3], [-3] * 5])


def test_detections():
    anchors = array([[[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1], [0, 0.05, 0.5, 0.5]]])
    prob = array([[[0.1, 0.2, 0.3], [0.7, 0.1, 0.6], [0.2, 0.7, 0.1]]])
    still = mx.nd.zeros((1, 12), dtype="float64")
    got = contrib.MultiBoxDetection(prob, still, anchors).asnumpy()[0]
    np.testing.assert_allclose(got, [[0, 0.7, 0, 0, 0.5, 0.5], [1, 0.7, 0.5, 0.5, 1, 1], [-1, 0.6, 0, 0.05, 0.5, 0.5]], rtol=1e-12)
    got = contrib.MultiBoxDetection(prob, still, anchors, threshold=0.65, nms_threshold=0.95).asnumpy()[0]
    np.testing.assert_array_equal(got[2], [-1] * 6)


def test_proposals_are_the_best_boxes():
    rng = np.random.default_rng(5)
    prob, shift = rng.uniform(0, 1, (2, 4, 4, 5)), rng.uniform(-0.3, 0.3, (2, 8, 4, 5))
    kw = dict(scales=(1,), ratios=(1, 2), feature_stride=8, rpn_min_size=1, rpn_post_nms_top_n=6, threshold=0.5, output_score=True)
    rows, scores = (v.asnumpy() for v in contrib.MultiProposal(array(prob), array(shift), array([[32, 40, 1]] * 2), **kw))
    for s in range(2):
        part, score = rows[6 * s:6 * s + 6], scores[6 * s:6 * s + 6, 0]
        assert (part[:, 0] == s).all() and (np.diff(score) <= 0).all() and score[0] == prob[s, 2:].max()
        assert (part[:, 1:] >= 0).all() and (part[:, 3] <= 39).all() and (part[:, 4] <= 31).all()
        assert max(iou(a[1:], b[1:], 1.0) for i, a in enumerate(part) for b in part[:i]) <= 0.5
        one = contrib.Proposal(array(prob[s:s + 1]), array(shift[s:s + 1]), array([[32, 40, 1]]), **kw)
        np.testing.assert_array_equal(one[0].asnumpy()[:, 1:], part[:, 1:])


def test_too_few_proposals_are_repeated():
    got = contrib.Proposal(mx.nd.ones((1, 2, 1, 2)), mx.nd.zeros((1, 4, 1, 2)), mx.nd.array([[16, 32, 1]]), scales=(1,), ratios=(1,),
                           rpn_post_nms_top_n=5, rpn_min_size=1).asnumpy()
    np.testing.assert_array_equal(got[2:4], got[:2])
    np.testing.assert_array_equal(got[4], got[0])


def test_odd_numbers_and_threads():
    """Numbers that are none, or infinite, anywhere; and many samples for several threads."""
    rng = np.random.default_rng(9)
    before = mx.get_num_threads()
    mx.set_num_threads(3)
    try:
        for odd in (NAN, INF, -INF, 1e300, 0.0):
            def q(*s, odd=odd):
                return array(np.where(rng.uniform(0, 1, s) < 0.2, odd, rng.uniform(0, 1, s)))
            results = [contrib.box_iou(q(30, 4), q(20, 4)), contrib.box_nms(q(6, 200, 6), id_index=0, background_id=0),
                       *contrib.bipartite_matching(q(6, 30, 40), threshold=0.1),
                       *contrib.MultiBoxTarget(q(1, 300, 4), q(6, 5, 5), q(6, 3, 300), negative_mining_ratio=2),
                       contrib.MultiBoxDetection(q(6, 3, 300), q(6, 1200), q(1, 300, 4)), contrib.box_decode(q(2, 30, 4), q(1, 30, 4)),
                       contrib.MultiProposal(q(6, 4, 9, 9), q(6, 8, 9, 9), q(6, 3), scales=(2,), ratios=(0.5, 1))]
            assert [v.asnumpy().shape for v in results] == [v.shape for v in results]
    finally:
        mx.set_num_threads(before)


@pytest.mark.parametrize("f, shapes", [
    (contrib.MultiBoxTarget, ((1, 5, 4), (2, 3, 4), (2, 3, 5))), (contrib.MultiBoxTarget, ((1, 5, 4), (2, 3, 5), (2, 3, 4))),
    (contrib.MultiBoxTarget, ((1, 5, 4), (2, 3, 5), (2, 0, 5))), (contrib.MultiBoxTarget, ((2, 5, 4), (2, 3, 5), (2, 3, 5))),
    (contrib.MultiBoxDetection, ((2, 3, 5), (2, 19), (1, 5, 4))), (contrib.MultiBoxDetection, ((2, 3, 5), (2, 20), (2, 5, 4))),
    (contrib.Proposal, ((2, 24, 3, 3), (2, 48, 3, 3), (2, 3))), (contrib.Proposal, ((1, 22, 3, 3), (1, 48, 3, 3), (1, 3))),
    (contrib.MultiProposal, ((2, 24, 3, 3), (2, 47, 3, 3), (2, 3))), (contrib.MultiProposal, ((2, 24, 3, 0), (2, 48, 3, 0), (2, 3))),
    (contrib.box_decode, ((2, 3, 4), (2, 3, 4))), (contrib.box_iou, ((3, 5), (3, 4))), (contrib.box_iou, ((4,), (3, 4))),
    (contrib.box_encode, ((2, 3), (2, 3), (2, 3, 4), (3, 1, 4), (4,), (4,)))])
def test_wrong_shapes(f, shapes):
    with pytest.raises(mx.MXNetError, match=r"expected|differ"):
        f(*(mx.nd.zeros(s) for s in shapes))
