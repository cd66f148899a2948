"""Wrong arguments raise an error that names the operator; nothing crashes."""
import numpy as np
import pytest
from samples import ALL, ident

import mxnd as mx
from mxnd.ops.errors import MXNetError
from mxnd.ops.params import REQUIRED

ERRORS = (MXNetError, TypeError, ValueError, IndexError, AssertionError, KeyError, ZeroDivisionError)
CASES = [s for s in ALL if s.op.name != "_custom_function"]


def call(s, inputs=None, **params):
    f = mx.nd.functions.FUNCTIONS[s.op.name]
    return f(*(s.arrays() if inputs is None else inputs), **{**s.params, **params})


@pytest.mark.parametrize("s", CASES, ids=ident)
def test_wrong_inputs(s):
    op, arrays = s.op, s.arrays()
    with pytest.raises(MXNetError, match=op.name):
        call(s, no_such_parameter=1)
    if not arrays:
        return
    for wrong in ("text", None, np.ones(3), 3.5):
        if wrong is None and len(arrays) == 1 and not op.variadic or wrong is not None:
            with pytest.raises(ERRORS):
                call(s, [wrong, *arrays[1:]])
    with pytest.raises(ERRORS):
        call(s, [*arrays, *[arrays[-1]] * 12]) if not op.variadic else call(s, [])


@pytest.mark.parametrize("s", [s for s in CASES if len(s.inputs) > 1 and s.smooth[0] and s.smooth[1]], ids=ident)
def test_wrong_shapes_and_dtypes_never_crash(s):
    arrays = s.arrays()
    odd = mx.nd.ones((7, 11, 13), dtype="float64")
    for k in range(len(arrays)):
        given = list(arrays)
        given[k] = odd
        try:
            y = call(s, given)
        except ERRORS:
            continue
        [v.asnumpy() for v in (y if isinstance(y, list) else [y])]
    for dtype in ("int32", "uint8", "float16", "bool"):
        given = list(arrays)
        given[-1] = given[-1].astype(dtype)
        try:
            y = call(s, given)
        except ERRORS:
            continue
        [v.asnumpy() for v in (y if isinstance(y, list) else [y])]


@pytest.mark.parametrize("s", [s for s in CASES if s.op.params and s.op.family == "general"], ids=ident)
def test_wrong_parameters(s):
    for name, p in s.op.params.items():
        if name in ("ctx", s.op.variadic):
            continue
        wrong = {int: ["x", 1.5, (1, 2, 3)], float: ["x", (1.0, 2.0), "1,2"], bool: ["maybe", 0.5], "shape": ["x", 1.5, ("a",)],
                 "floats": ["x", ("a",)], "dtype": ["float99", 3.5]}.get(p.kind, [3.5, object()])
        for value in wrong + (["no such choice"] if p.choices else []):
            with pytest.raises(ERRORS, match=s.op.name):
                call(s, **{name: value})
        if p.default is REQUIRED:
            params = {k: v for k, v in s.params.items() if k != name}
            with pytest.raises(MXNetError, match=f"{s.op.name}.*{name}"):
                mx.nd.functions.FUNCTIONS[s.op.name](*s.arrays(), **params)


@pytest.mark.parametrize("s", [s for s in CASES if s.op.family == "general" and s.inputs], ids=ident)
def test_hostile_numbers_never_crash(s):
    """Huge, negative and zero parameters raise or give a result; they never read out of bounds."""
    for name, p in s.op.params.items():
        values = {int: [0, -1, -2**31, 2**35, 2**62], "shape": [(), (0,), (-1,), (-7, 9), (2**20, 2**20), (2**33,)],
                  float: [0.0, -1.0, 1e300, float("nan"), float("inf")]}.get(p.kind, [])
        for value in values:
            try:
                y = call(s, **{name: value})
            except (*ERRORS, MemoryError, OverflowError):
                continue
            for v in y if isinstance(y, list) else [y]:
                assert v.size < 10**7
                v.asnumpy()


@pytest.mark.parametrize("s", [s for s in CASES if s.inputs], ids=ident)
def test_empty_and_scalar_arrays_never_crash(s):
    for shape in ((), (0,), (0, 3), (2, 0, 1)):
        given = [mx.nd.zeros(shape, dtype="float64") if ok else a for a, ok in zip(s.arrays(), s.smooth)]
        try:
            y = call(s, given)
        except ERRORS:
            continue
        [v.asnumpy() for v in (y if isinstance(y, list) else [y])]


def test_out_must_fit():
    x = mx.nd.ones((2, 3))
    with pytest.raises(MXNetError, match="out has a wrong shape"):
        mx.nd.exp(x, out=mx.nd.ones((3, 2)))
    with pytest.raises(MXNetError, match="out has a wrong dtype"):
        mx.nd.exp(x, out=mx.nd.ones((2, 3), dtype="float64"))
    with pytest.raises(TypeError):
        mx.nd.exp(x, out=np.ones((2, 3)))
    out = mx.nd.zeros((2, 3))
    assert mx.nd.exp(x, out=out) is out
