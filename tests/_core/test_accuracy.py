"""Stated errors of the vectorised float32 functions, over the whole range: every 1021st of the 2**32 bit patterns, and the
neighbours of special values.  `loops/math_f32.h` says what was measured over all of them."""
import numpy as np
import pytest

import mxnd as mx

special = pytest.importorskip("scipy.special")
BOUND = 2.0                                          # units in the last place
FUNCTIONS = {"exp": np.exp, "log": np.log, "tanh": np.tanh, "sigmoid": special.expit, "erf": special.erf, "expm1": np.expm1,
             "log1p": np.log1p, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos}
EDGES = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.17549435e-38, -1.17549435e-38, 3.4028235e38, -3.4028235e38,
                  1.0, -1.0, 88.72284, 88.7229, -87.33655, -103.97208, -103.9721, 0.5, -0.5, 9.0, -9.0, 4.0, -4.0], "float32")


def inputs():
    bits = np.arange(7, 2**32, 1021, dtype=np.uint32)
    with np.errstate(all="ignore"):
        around = np.concatenate([np.nextafter(EDGES, np.float32(np.inf)), EDGES, np.nextafter(EDGES, np.float32(-np.inf))])
    return np.concatenate([bits.view(np.float32), around])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float32(name):
    x = inputs()
    with np.errstate(all="ignore"):
        want = FUNCTIONS[name](x.astype("float64"))
        rounded = want.astype("float32")
    got = getattr(mx.nd, name)(mx.nd.array(x)).asnumpy()
    exact = ~np.isfinite(rounded) | ~np.isfinite(got)
    near_overflow = exact & np.isfinite(want) & (np.abs(want) < 3.4028238e38)
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    assert (same | near_overflow | ~exact).all(), x[exact & ~same][:5]
    zero = rounded == 0
    assert (np.signbit(got) == np.signbit(rounded))[zero & (x == 0)].all()
    ulp = np.abs(got[~exact].astype("float64") - want[~exact]) / np.spacing(np.abs(rounded[~exact])).astype("float64")
    worst = ulp.argmax()
    assert ulp[worst] <= BOUND, (x[~exact][worst], ulp[worst])
