"""The UCI handwritten digits: 1797 grey images of 8 x 8 pixels."""
from collections import namedtuple
from pathlib import Path

import numpy as np

TEST = 360                                 # a fifth of the images

Digits = namedtuple("Digits", "train_images train_labels test_images test_labels")


def digits():
    """Handwritten digits, split once and for all into images to train with and images to test with.

    Returns
    -------
    Digits
        A named tuple of NumPy arrays: `train_images` (1437, 1, 8, 8) and `test_images` (360, 1, 8, 8), float32
        from 0 to 1; `train_labels` and `test_labels`, float32 from 0 to 9, as MXNet's losses take them.

    Notes
    -----
    The images are in a fixed random order, so writers and digits are spread over both parts.

    Examples
    --------
    >>> data = mx.datasets.digits()
    >>> batch = mx.nd.array(data.train_images[:32])
    """
    with np.load(Path(__file__).with_name("digits.npz"), allow_pickle=False) as stored:
        images = stored["images"][:, None].astype(np.float32) / 16
        labels = stored["labels"].astype(np.float32)
    order = np.random.RandomState(0).permutation(len(labels))     # NumPy keeps this stream for ever
    train, test = order[TEST:], order[:TEST]
    return Digits(images[train], labels[train], images[test], labels[test])
