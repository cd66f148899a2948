"""Regions, resized images, correlation and deformable convolution: known values, hostile places, threads, empty arrays."""
import numpy as np
import pytest

import mxnd as mx

contrib = mx.nd.contrib
X = np.random.default_rng(3).uniform(-1, 1, (2, 8, 6, 7))
NAN, INF = float("nan"), float("inf")


def array(v, dtype="float64"):
    return mx.nd.array(np.asarray(v, "float64"), dtype=dtype)


def bilinear(image, y, x):
    """The number between the pixels of an image; pixels outside are those of the edge."""
    y, x = (min(max(v, 0.0), n - 1.0) for v, n in zip((y, x), image.shape))
    i, j = int(y), int(x)
    k, m = min(i + 1, image.shape[0] - 1), min(j + 1, image.shape[1] - 1)
    a, b = y - i, x - j
    return (1 - a) * ((1 - b) * image[i, j] + b * image[i, m]) + a * ((1 - b) * image[k, j] + b * image[k, m])


def test_roi_pooling_of_whole_pixels():
    got = mx.nd.ROIPooling(array(X), array([[1, 1, 2, 4, 5], [0, 0, 0, 3, 1]]), pooled_size=(2, 2), spatial_scale=1.0).asnumpy()
    for r, (n, x, y, w, h) in enumerate([(1, 1, 2, 2, 2), (0, 0, 0, 2, 1)]):
        for i in range(2):
            for j in range(2):
                cell = X[n, :, y + i * h:y + (i + 1) * h, x + j * w:x + (j + 1) * w]
                np.testing.assert_array_equal(got[r, :, i, j], cell.max((1, 2)))


def test_roi_pooling_gradient_goes_to_the_first_largest():
    x = mx.nd.ones((1, 1, 4, 4))
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.ROIPooling(x, mx.nd.array([[0, 0, 0, 3, 3]]), pooled_size=(2, 2), spatial_scale=1.0)
    y.backward()
    want = np.zeros((4, 4))
    want[::2, ::2] = 1
    np.testing.assert_array_equal(x.grad.asnumpy()[0, 0], want)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("ratio", [1, 2, 3])
def test_roi_align_samples(ratio, aligned):
    box = [0.7, 1.3, 5.1, 4.9]
    got = contrib.ROIAlign(array(X), array([[1, *box]]), pooled_size=(2, 3), spatial_scale=1.0, sample_ratio=ratio, aligned=aligned)
    x, y, w, h = box[0] - 0.5 * aligned, box[1] - 0.5 * aligned, box[2] - box[0], box[3] - box[1]
    for i in range(2):
        for j in range(3):
            steps = [(k + 0.5) / ratio for k in range(ratio)]
            places = [(y + h / 2 * (i + a), x + w / 3 * (j + b)) for a in steps for b in steps]
            want = [np.mean([bilinear(X[1, c], *p) for p in places]) for c in range(8)]
            np.testing.assert_allclose(got.asnumpy()[0, :, i, j], want, rtol=1e-12)


def test_a_turn_of_nothing_is_roi_align():
    a = contrib.RROIAlign(array(X), array([[0, 3, 2.5, 4, 3, 0]]), pooled_size=(2, 2), spatial_scale=1.0, sampling_ratio=2)
    b = contrib.ROIAlign(array(X), array([[0, 1, 1, 5, 4]]), pooled_size=(2, 2), spatial_scale=1.0, sample_ratio=2)
    np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-12)


def test_a_quarter_turn_exchanges_the_axes():
    a = contrib.RROIAlign(array(X), array([[0, 3, 3, 4, 2, 90]]), pooled_size=(2, 2), spatial_scale=1.0, sampling_ratio=2).asnumpy()
    b = contrib.RROIAlign(array(X), array([[0, 3, 3, 2, 4, 0]]), pooled_size=(2, 2), spatial_scale=1.0, sampling_ratio=2).asnumpy()
    np.testing.assert_allclose(a, b.transpose(0, 1, 3, 2)[:, :, :, ::-1], rtol=1e-10)


def test_each_cell_has_its_channels():
    got = contrib.PSROIPooling(array(X), array([[0, 0, 0, 5, 5]]), output_dim=2, pooled_size=2, spatial_scale=1.0).asnumpy()
    for c in range(2):
        for i in range(2):
            for j in range(2):
                want = X[0, (c * 2 + i) * 2 + j, 3 * i:3 * i + 3, 3 * j:3 * j + 3].mean()
                np.testing.assert_allclose(got[0, c, i, j], want)


def test_cells_move_by_parts_of_the_region():
    kw = dict(output_dim=2, group_size=2, pooled_size=2, spatial_scale=1.0, sample_per_part=2, trans_std=0.5)
    box = array([[0, 1, 1, 2, 2]])                                      # 2 x 2 pixels: a move of 1 is one pixel
    moves = np.zeros((1, 2, 2, 2))
    moves[0, 0] = 1
    a = contrib.DeformablePSROIPooling(array(X), box, array(moves), **kw).asnumpy()
    b = contrib.DeformablePSROIPooling(array(X), array([[0, 2, 1, 3, 2]]), no_trans=True, **kw).asnumpy()
    np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("size", [(3, 7), (6, 1), (1, 1), (9, 20), (4, 5)])
def test_adaptive_windows(size):
    got = contrib.AdaptiveAvgPooling2D(array(X), output_size=size).asnumpy()

    def spans(n, m):
        return [(i * n // m, -(-(i + 1) * n // m)) for i in range(m)]
    want = [[X[:, :, a:b, c:d].mean((2, 3)) for c, d in spans(7, size[1])] for a, b in spans(6, size[0])]
    np.testing.assert_allclose(got, np.array(want).transpose(2, 3, 0, 1), rtol=1e-12)


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("size", [(3, 9), (11, 4), (6, 7), (2, 2)])
def test_resized_images(size, corners):
    got = contrib.BilinearResize2D(array(X), height=size[0], width=size[1], align_corners=corners).asnumpy()

    def place(k, n, m):
        return k * (n - 1) / (m - 1) if corners else (k + 0.5) * n / m - 0.5
    want = [[bilinear(X[1, 2], place(i, 6, size[0]), place(j, 7, size[1])) for j in range(size[1])] for i in range(size[0])]
    np.testing.assert_allclose(got[1, 2], want, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("mode, want", [
    (dict(mode="odd_scale", scale_height=2, scale_width=1.5), (12, 10)), (dict(mode="to_even_down"), (6, 6)),
    (dict(mode="to_even_up"), (6, 8)), (dict(mode="to_odd_down"), (5, 7)), (dict(mode="to_odd_up"), (7, 7)),
    (dict(scale_height=0.5, scale_width=1.3, height=99), (3, 9)), (dict(), (1, 1))])
def test_sizes_that_modes_give(mode, want):
    assert contrib.BilinearResize2D(array(X), **mode).shape == (2, 8, *want)


def test_infinite_pixels_stay_where_they_count():
    x = np.ones((1, 1, 3, 3))
    x[0, 0, 2, 2] = INF
    got = contrib.BilinearResize2D(array(x), height=5, width=5).asnumpy()[0, 0]
    assert np.isinf(got[3:, 3:]).all() and np.isfinite(got[:3]).all() and np.isfinite(got[:, :3]).all()


def test_correlation_finds_a_shift():
    a = np.random.default_rng(0).uniform(-1, 1, (1, 3, 9, 9))
    b = np.roll(a, (1, -2), (2, 3))
    got = mx.nd.Correlation(array(a), array(b), kernel_size=3, max_displacement=2, pad_size=2, is_multiply=False).asnumpy()
    assert (got[0].argmin(0)[1:-1, 2:-2] == (1 + 2) * 5 + (-2 + 2)).all()


@pytest.mark.parametrize("groups", [1, 2])
def test_still_places_are_a_convolution(groups):
    rng = np.random.default_rng(1)
    w, b = array(rng.uniform(-1, 1, (4, 8 // groups, 3, 2))), array(rng.uniform(-1, 1, 4))
    kw = dict(kernel=(3, 2), stride=(1, 2), pad=(1, 1), num_filter=4, num_group=groups)
    want = mx.nd.Convolution(array(X), w, b, **kw).asnumpy()
    rows, columns = want.shape[2:]
    # a read of the padding below or right of the image is 0 either way
    for parts in (1, 2):
        still = mx.nd.zeros((2, parts * 12, rows, columns), dtype="float64")
        got = contrib.DeformableConvolution(array(X), still, w, b, num_deformable_group=parts, **kw).asnumpy()
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)
        mask = mx.nd.ones((2, parts * 6, rows, columns), dtype="float64") * 0.5
        half = contrib.ModulatedDeformableConvolution(array(X), still, mask, w, b * 0, num_deformable_group=parts, **kw).asnumpy()
        np.testing.assert_allclose(2 * half + b.asnumpy()[:, None, None], want, rtol=1e-10, atol=1e-12)


def test_edges_of_deformable_reads():
    x = array(np.arange(1.0, 4).reshape(1, 1, 1, 3))
    w = array(np.ones((1, 1, 1, 1)))
    for dx, hard, soft in ((-0.5, 0, 0.5), (2.0, 3, 3), (2.5, 3, 1.5), (3.0, 0, 0), (0.5, 1.5, 1.5), (NAN, 0, 0), (INF, 0, 0)):
        offset = np.zeros((1, 2, 1, 3))
        offset[0, 1, 0, 0] = dx
        kw = dict(kernel=(1, 1), num_filter=1, no_bias=True)
        assert contrib.DeformableConvolution(x, array(offset), w, **kw).asnumpy()[0, 0, 0, 0] == hard
        mask = array(np.ones((1, 1, 1, 3)))
        assert contrib.ModulatedDeformableConvolution(x, array(offset), mask, w, **kw).asnumpy()[0, 0, 0, 0] == soft


REGIONS = {
    "ROIPooling": lambda x, r, **k: mx.nd.ROIPooling(x, r, pooled_size=(2, 3), spatial_scale=0.5),
    "ROIAlign": lambda x, r, **k: contrib.ROIAlign(x, r, pooled_size=(2, 3), spatial_scale=0.5, **k),
    "PSROIPooling": lambda x, r, **k: contrib.PSROIPooling(x, r, pooled_size=2, output_dim=2, spatial_scale=0.5),
    "RROIAlign": lambda x, r, **k: contrib.RROIAlign(x, mx.nd.Concat(r, r[:, 1:2] * 0 + 30, dim=1), pooled_size=(2, 3), spatial_scale=0.5),
    "DeformablePSROIPooling": lambda x, r, **k: contrib.DeformablePSROIPooling(
        x, r, r[:, 1:5].reshape((-1, 1, 2, 2)).tile((1, 2, 1, 1)), pooled_size=2, output_dim=2, group_size=2, spatial_scale=0.5,
        sample_per_part=2, trans_std=0.1),
}


@pytest.mark.parametrize("name", REGIONS)
def test_odd_regions(name):
    f = REGIONS[name]
    rng = np.random.default_rng(7)
    x = array(X)
    odd = [NAN, INF, -INF, 1e30, -1e30, 1e300, -3e9]
    for _ in range(100):
        rois = rng.uniform(-3, 12, (3, 5))
        rois[:, 0] = rng.integers(-1, 2, 3)
        rois[rng.integers(3), rng.integers(1, 5)] = odd[rng.integers(7)]
        x.attach_grad()
        try:
            with mx.autograd.record():
                y = f(x, array(rois))
        except ValueError as e:                                          # turned regions of millions of places
            assert "1024" in str(e)
            continue
        y.backward()
        assert np.isfinite(y.asnumpy()).all() and np.isfinite(x.grad.asnumpy()).all()


@pytest.mark.parametrize("name", REGIONS)
def test_samples_that_are_not_there(name):
    for at in (2, 1e20, NAN, INF):
        with pytest.raises((IndexError, mx.MXNetError), match="out of bounds"):
            REGIONS[name](array(X), array([[at, 0, 0, 2, 2]]))
    for at in (-1, -INF):
        assert (REGIONS[name](array(X), array([[at, 0, 0, 2, 2]])).asnumpy() == 0).all()


@pytest.mark.parametrize("name", REGIONS)
def test_no_regions_and_no_images(name):
    none = mx.nd.zeros((0, 5), dtype="float64")
    assert REGIONS[name](array(X), none).shape[0] == 0
    assert REGIONS[name](mx.nd.zeros((0, 8, 6, 7), dtype="float64"), none).shape[0] == 0
    x = mx.nd.zeros((1, 8, 0, 7), dtype="float64")
    assert (REGIONS[name](x, array([[0, 0, 0, 2, 2]])).asnumpy() == 0).all()


@pytest.mark.parametrize("name", REGIONS)
def test_wrong_shapes(name):
    rois = array([[0, 0, 0, 2, 2.0]])
    for x, r in ((array(X[0]), rois), (array(X), array([0, 0, 0, 2, 2.0])), (array(X), array([[0, 0, 0, 2, 2, 1, 1.0]]))):
        with pytest.raises((mx.MXNetError, IndexError, ValueError)):
            REGIONS[name](x, r)


@pytest.mark.parametrize("name", [*REGIONS, "resize", "adaptive", "correlation", "deformable"])
def test_threads_give_the_same(name):
    rng = np.random.default_rng(2)
    x = array(rng.uniform(-1, 1, (2, 8, 40, 50)))
    corners = rng.uniform(0, 60, (40, 2))
    rois = array(np.concatenate([rng.integers(0, 2, (40, 1)), corners, corners + rng.uniform(1, 40, (40, 2))], 1))
    offset, w = array(rng.uniform(-2, 2, (2, 36, 40, 50))), array(rng.uniform(-1, 1, (3, 8, 3, 3)))
    calls = {"resize": lambda: contrib.BilinearResize2D(x, height=61, width=33),
             "adaptive": lambda: contrib.AdaptiveAvgPooling2D(x, output_size=7),
             "correlation": lambda: mx.nd.Correlation(x, x + 1, max_displacement=2, pad_size=2),
             "deformable": lambda: contrib.DeformableConvolution(x, offset, w, kernel=(3, 3), pad=(1, 1), num_filter=3, no_bias=True,
                                                                 num_deformable_group=2)}
    f = calls.get(name) or (lambda: REGIONS[name](x, rois))
    before, results = mx.get_num_threads(), []
    try:
        for threads in (1, 3):
            mx.set_num_threads(threads)
            x.attach_grad()
            with mx.autograd.record():
                y = f()
            y.backward()
            results.append((y.asnumpy(), x.grad.asnumpy()))
    finally:
        mx.set_num_threads(before)
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", REGIONS)
def test_half_precision(name):
    rois = np.array([[0, 1, 1, 9, 9], [1, 2, 0, 7, 8.0]])
    want = REGIONS[name](array(X.astype("float16"), "float32"), array(rois, "float32")).asnumpy()
    got = REGIONS[name](array(X, "float16"), array(rois, "float16"))
    assert got.dtype == np.float16
    np.testing.assert_allclose(got.asnumpy(), want, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("f, shapes, kw", [
    (contrib.DeformableConvolution, ((1, 2, 4, 4), (1, 12, 3, 2), (1, 2, 3, 2)), dict(kernel=(2, 3))),
    (contrib.DeformableConvolution, ((1, 2, 4, 4), (1, 10, 3, 2), (1, 2, 2, 3)), dict(kernel=(2, 3))),
    (contrib.DeformableConvolution, ((1, 2, 4, 4), (1, 12, 3, 2), (1, 2, 2, 3)), dict(kernel=(2, 3), layout="NCW")),
    (contrib.DeformableConvolution, ((1, 3, 4, 4), (1, 24, 3, 2), (1, 3, 2, 3)), dict(kernel=(2, 3), num_deformable_group=2)),
    (contrib.ModulatedDeformableConvolution, ((1, 2, 4, 4), (1, 12, 3, 2), (1, 3, 6, 2), (1, 2, 2, 3)), dict(kernel=(2, 3)))])
def test_wrong_shapes_of_deformable_convolutions(f, shapes, kw):
    with pytest.raises(mx.MXNetError, match="DeformableConvolution"):
        f(*(mx.nd.zeros(s) for s in shapes), num_filter=1, no_bias=True, **kw)


def test_wrong_shapes_of_moves():
    kw = dict(output_dim=2, group_size=2, pooled_size=3, part_size=2, spatial_scale=1.0)
    for shape in ((1, 2, 3, 3), (2, 2, 2, 2), (1, 3, 2, 2), (1, 6, 2, 2), (1, 2, 2)):
        with pytest.raises(mx.MXNetError, match="DeformablePSROIPooling"):
            contrib.DeformablePSROIPooling(mx.nd.zeros((1, 8, 6, 7)), mx.nd.zeros((1, 5)), mx.nd.zeros(shape), **kw)


def test_correlation_refuses_even_patches_and_small_images():
    x = mx.nd.zeros((1, 1, 4, 4))
    for kw in (dict(kernel_size=2), dict(max_displacement=2), dict(kernel_size=0), dict(stride1=0)):
        with pytest.raises(mx.MXNetError, match="Correlation"):
            mx.nd.Correlation(x, x, **kw)
    with pytest.raises(mx.MXNetError, match="Correlation"):
        mx.nd.Correlation(x, x[:, :, :3])
