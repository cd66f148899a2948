"""The CUDA elementwise kernels, run on the CPU, agree with NumPy and with the CPU's loops."""
import ctypes

import numpy as np
import pytest

import mxnd as mx
from mxnd import nd
from mxnd.ndarray.functions import FUNCTIONS
from mxnd.ops import REGISTRY

TYPES = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool", "bfloat16"]
NUMBER = -1
CLOSE = {"float32": 1e-5, "float64": 1e-12, "float16": 2e-3, "bfloat16": 2e-2}
LOOP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p,
                        ctypes.c_ssize_t, ctypes.c_void_p)
OPERATORS = [op for op in dict.fromkeys(REGISTRY.values()) if op.c is not None and op.family in ("unary", "binary", "scalar")]


class Row(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("loop", ctypes.c_void_p * len(TYPES))]


@pytest.fixture(scope="module")
def rows(kernels):
    """Name of a loop -> addresses by type."""
    kernels.mxnd_cuda_rows.restype = ctypes.POINTER(Row)
    table, found, i = kernels.mxnd_cuda_rows(), {}, 0
    while table[i].name:
        found[table[i].name.decode()] = list(table[i].loop)
        i += 1
    return found


def pointer(a):
    return None if a is None else a.ctypes.data


def run(rows, name, type, a, sa, b, sb, n, item):
    """Bytes that a loop writes for operands in memory."""
    out = np.full(n * item, 0xAA, np.uint8)
    assert LOOP(rows[name][type])(pointer(a), sa, pointer(b), sb, pointer(out), n, None) == 0
    return out


def values(op, dtype, seed=0):
    """Operands of an operator as arrays of mxnd: its domain, and for integers what they can hold."""
    draw = np.random.RandomState(seed)
    made = []
    for which in range(2 if op.family == "binary" else 1):
        domain = (getattr(op, "domain_y", None) if which else None) or op.domain
        if dtype == "bool":
            x = draw.randint(0, 2, 70)
        elif "int" in dtype:
            info = np.iinfo(dtype)
            x = draw.randint(max(info.min, -9), 10, 70).astype(dtype)
            x[:3] = info.max, info.min, info.max // 2
            if which and getattr(op, "refuses_zero", False):
                x[x == 0] = 3
        else:
            x = draw.uniform(*domain, 70)
        made.append(nd.array(x, dtype="float64" if dtype == "bfloat16" else dtype))
        if dtype == "bfloat16":
            made[-1] = made[-1].astype(mx.bfloat16)
    return made


def parameters(op):
    """Values for the parameters of an operator, and as the two numbers that its loop gets."""
    given = {k: 0.75 + 0.5 * i if p.required else p.default for i, (k, p) in enumerate(op.params.items())}
    numbers = [float(v) for v in given.values() if isinstance(v, (int, float))]
    return given, (numbers + [0.0, 0.0])[:2]


def raw(x):
    return np.frombuffer(memoryview(x).cast("B"), np.uint8).copy()


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
def test_as_on_the_cpu(rows, op):
    for type, dtype in enumerate(TYPES):
        if not rows[op.loop][type]:
            continue
        given, numbers = parameters(op) if op.family == "unary" else ({}, [])
        operands = values(op, dtype)
        if op.family == "scalar":
            given, numbers = {"scalar": 3.0}, [3.0, 0.0]
        try:
            want = FUNCTIONS[op.name](*operands, **given)
        except mx.MXNetError:
            continue                                      # the operator does not take this dtype
        if want.dtype != operands[0].dtype:
            continue
        a = raw(operands[0])
        n, item = 70, len(a) // 70
        b, sb = (raw(operands[1]), 1) if op.family == "binary" else (None, 0)
        if numbers:
            b, sb = raw(nd.array(numbers, dtype="float64").astype(mx.bfloat16 if dtype == "bfloat16" else dtype)), NUMBER
        got = nd.empty((n,), dtype=dtype)
        memoryview(got).cast("B")[:] = memoryview(run(rows, op.loop, type, a, 1, b, sb, n, item))
        got, want = got.asnumpy(), want.asnumpy()
        if dtype in CLOSE:
            np.testing.assert_allclose(got, want, rtol=CLOSE[dtype], atol=CLOSE[dtype], err_msg=dtype)
        else:
            np.testing.assert_array_equal(got, want, err_msg=dtype)


@pytest.mark.parametrize("op", [op for op in OPERATORS if op.numpy and not op.params], ids=lambda op: op.name)
def test_as_in_numpy(rows, op):
    operands = [x.asnumpy() for x in values(op, "float64")]
    names = {"x": operands[0], "y": operands[-1], "np": np, **dict(zip(op.inputs, operands))}
    try:
        with np.errstate(all="ignore"):
            want = eval(op.numpy, names)
    except (NameError, AttributeError):
        pytest.skip("its expression needs more than NumPy")
    b = operands[1] if len(operands) > 1 else None
    got = run(rows, op.loop, 1, operands[0], 1, b, 1, 70, 8).view("float64")
    np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


def test_strides_and_numbers(rows):
    x, y = np.arange(10.0), np.array([7.0])
    assert list(run(rows, "sub", 1, x, 1, y, 0, 10, 8).view("float64")) == list(x - 7)
    assert list(run(rows, "sub", 1, y, 0, x, 1, 10, 8).view("float64")) == list(7 - x)
    assert list(run(rows, "sub", 1, x, 1, y, NUMBER, 10, 8).view("float64")) == list(x - 7)
    assert list(run(rows, "sub", 1, y, NUMBER, x, 1, 10, 8).view("float64")) == list(7 - x)
    assert len(run(rows, "sub", 1, x, 1, y, 0, 0, 8)) == 0


def test_more_elements_than_threads(rows):
    n = 256 * 8192 + 77
    x = np.random.RandomState(0).randint(-128, 128, n).astype("int8")
    np.testing.assert_array_equal(run(rows, "negative", 5, x, 1, None, 0, n, 1).view("int8"), -x)


def test_special_numbers(rows):
    x = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-310, 65519, 65520, -1e300])
    for type, dtype in ((1, "float64"), (0, "float32"), (2, "float16")):
        with np.errstate(over="ignore", under="ignore"):
            given = x.astype(dtype)
        got = run(rows, "negative", type, given, 1, None, 0, len(x), given.itemsize).view(dtype)
        np.testing.assert_array_equal(got, -given)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(-given))


def test_every_16_bit_float_survives(rows):
    every = np.arange(65536, dtype="uint16")
    for type in (2, 8):
        twice = every
        for _ in range(2):
            twice = run(rows, "negative", type, twice, 1, None, 0, 65536, 2).view("uint16")
        nan = (every & 0x7fff) > (0x7c00 if type == 2 else 0x7f80)
        np.testing.assert_array_equal(twice[~nan], every[~nan])
        assert ((twice[nan] & 0x7fff) > (0x7c00 if type == 2 else 0x7f80)).all()


def test_memory(kernels):
    count, total, available, capability = ctypes.c_int(), ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_int()
    name = ctypes.create_string_buffer(8)
    assert kernels.mxnd_cuda_count(ctypes.byref(count)) == 0 and count.value == 1
    assert kernels.mxnd_cuda_about(0, name, 8, ctypes.byref(total), ctypes.byref(capability)) == 0
    assert len(name.value) == 7 and total.value > 0
    assert kernels.mxnd_cuda_memory(0, ctypes.byref(available), ctypes.byref(total)) == 0
    x, y = np.arange(100, dtype="float32"), np.zeros(100, "float32")
    a, b, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t(400)
    assert kernels.mxnd_cuda_alloc(0, size, ctypes.byref(a)) == 0 and kernels.mxnd_cuda_alloc(0, size, ctypes.byref(b)) == 0
    assert kernels.mxnd_cuda_copy(0, a, ctypes.c_void_p(pointer(x)), size, 1) == 0
    assert kernels.mxnd_cuda_copy(0, b, a, size, 3) == 0
    assert kernels.mxnd_cuda_copy(0, ctypes.c_void_p(pointer(y)), b, size, 2) == 0
    np.testing.assert_array_equal(x, y)
    assert kernels.mxnd_cuda_wait(0) == 0
    assert kernels.mxnd_cuda_free(0, a) == 0 and kernels.mxnd_cuda_free(0, b) == 0
    kernels.mxnd_cuda_error.restype = ctypes.c_char_p
    for wrong in (kernels.mxnd_cuda_alloc(1, size, ctypes.byref(a)), kernels.mxnd_cuda_copy(0, b, a, size, 9)):
        assert wrong != 0 and kernels.mxnd_cuda_error(wrong)
