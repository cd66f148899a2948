"""All built instruction sets give the same numbers, to rounding."""
import os
import subprocess
import sys

import numpy as np
import pytest

import mxnd as mx

CODE = """
import sys, numpy as np, mxnd as mx
x = mx.nd.array(np.linspace(-4, 4, 5001))
y = [mx.nd.exp(x), mx.nd.tanh(x), mx.nd.erf(x), mx.nd.log(x * x + 1), x.astype('float16') + 1, mx.nd.sort(mx.nd.sin(x * 50)),
     mx.nd.dot(x[:4900].reshape((70, 70)), x[:4900].reshape((70, 70))), mx.nd.softmax(x), (x * x).sum(), x.max()]
np.savez(sys.argv[1], *[v.astype('float64').asnumpy() for v in y], isa=np.array(mx._core.isa))
"""


@pytest.mark.parametrize("level", mx._core.BUILT)
def test_levels_agree(level, tmp_path):
    results = []
    for name in (level, mx._core.isa):
        path = tmp_path / f"{name}.npz"
        subprocess.run([sys.executable, "-P", "-c", CODE, path], env={**os.environ, "MXND_ISA": name}, check=True)
        results.append(dict(np.load(path)))
    assert str(results[1].pop("isa")) == mx._core.isa
    results[0].pop("isa")
    for k in results[0]:
        scale = np.abs(results[1][k]).max()           # sums differ by their order
        np.testing.assert_allclose(results[0][k], results[1][k], rtol=1e-5, atol=1e-5 * max(1.0, scale), err_msg=k)
