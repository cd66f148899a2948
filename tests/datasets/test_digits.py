"""The handwritten digits."""
import zlib

import numpy as np

from mxnd.datasets import digits


def test_digits():
    data = digits()
    assert data.train_images.shape == (1437, 1, 8, 8) and data.test_images.shape == (360, 1, 8, 8)
    assert data.train_labels.shape == (1437,) and data.test_labels.shape == (360,)
    for part in data:
        assert part.dtype == np.float32
    images = np.concatenate([data.train_images, data.test_images])
    assert images.min() == 0 and images.max() == 1
    assert set(data.test_labels) == set(data.train_labels) == set(range(10))
    assert np.bincount(data.test_labels.astype(int)).min() >= 25


def test_the_split_never_changes():
    data = digits()
    assert zlib.crc32(data.test_labels.astype("uint8").tobytes()) == 3314422698
    assert zlib.crc32((data.test_images * 16).astype("uint8").tobytes()) == 336887291
