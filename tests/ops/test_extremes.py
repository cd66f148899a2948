"""Places of extremes in every dtype, for rows and columns that span several blocks and threads."""
import numpy as np
import pytest

import mxnd as mx

SHAPES = [((7,), 0), ((300001,), 0), ((2, 200003), 1), ((5000, 300), 0), ((17, 33, 5), 1), ((70000, 3), 0), ((2, 9000, 2), 1)]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int32", "int64"])
@pytest.mark.parametrize("shape, axis", SHAPES)
def test_places_of_extremes(shape, axis, dtype, threads):
    rng = np.random.default_rng(len(shape))
    x = rng.integers(0 if dtype == "uint8" else -100, 100, shape).astype(dtype)         # many equal elements: the first one counts
    if dtype.startswith("float"):
        x.flat[x.size // 2] = np.nan
    before = mx.get_num_threads()
    mx.set_num_threads(threads)
    try:
        a = mx.nd.array(x, dtype=dtype)
        for f in ("argmax", "argmin"):
            with np.errstate(over="ignore"):
                place = getattr(np, f)(x, axis=axis).astype(dtype)                     # places have the dtype of the elements
            np.testing.assert_array_equal(getattr(mx.nd, f)(a, axis=axis).asnumpy(), place.reshape(-1) if place.ndim == 0 else place)
    finally:
        mx.set_num_threads(before)
