"""Damaged files: thousands of small changes, drawn with a fixed seed.  Whatever comes, it is MXNetError or a sound object,
and memory stays bounded by the size of the file."""
import json
import random
import re
import resource
import struct

import numpy as np
import pytest

import mxnd as mx
from mxnd import nd
from mxnd.params_reader import HEADER, V1

S, V = mx.sym, mx.sym.Variable
MEMORY = 80 << 10                        # KiB that reading thousands of small damaged files may add
TEXTS = ("0", "-1", "65536", "2147483648", "99999999999999999999", "1e999", "nan", "", "None", "True", "()", "(0,)", "(-1, 2)", "(1, 2",
         "(1000000, 1000000, 1000000)", "(" + "1, " * 99 + ")", "[[1]]", "(None,)", "1_000", "\u0663", "\\", "\0", "x" * 999)
VALUES = ("-1", "0", "1", "2", "99", "1e999", "null", "true", '"x"', "[]", "{}", "1.5", "9" * 40, '""', "[[0, 0, 0]]")


@pytest.fixture
def bounded():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEMORY


def graphs():
    x, s = V("x", shape=(2, 3), lr_mult=2), V("s")
    net = S.SoftmaxOutput(S.BatchNorm(S.FullyConnected(x, num_hidden=4, name="fc"), name="bn"), name="softmax")
    parts = S.split(S.Convolution(x, kernel=(3, 3), num_filter=4), num_outputs=2)
    scan = S.Group(S.contrib.foreach(lambda d, t: (d * V("w") + t, t + 1), x, s))
    branch = S.contrib.cond(x > 1, lambda: x * 2, lambda: s)
    return [g.tojson() for g in (net, S.Group([parts[0], S.concat(parts[1], x)]), scan, branch)]


def changed(text, draw):
    """A text with one small change: of characters, of a number, of an attribute, or of the structure."""
    kind = draw.randrange(7)
    at = draw.randrange(len(text))
    if kind == 0:
        return text[:at] + chr(draw.randrange(32, 127)) + text[at + 1:]
    if kind == 1:
        return text[:at] + text[at + draw.randrange(1, 40):]
    if kind == 2:
        return text[:at] + text[at:at + draw.randrange(1, 200)] + text[at:]
    if kind == 3:
        number = draw.choice(list(re.finditer(r"\d+", text)))
        return text[:number.start()] + draw.choice(VALUES) + text[number.end():]
    graph = json.loads(text)
    if kind == 6:
        attrs = draw.choice([n["attrs"] for n in graph["nodes"] if n.get("attrs")])
        attrs[draw.choice((*attrs, "__shape__", "__dtype__", "num_args", "lr_mult", "x_lr_mult"))] = draw.choice(TEXTS)
        return json.dumps(graph)
    outer, key, inner = None, None, graph
    for _ in range(draw.randrange(1, 7)):
        if not isinstance(inner, (dict, list)) or not inner:
            break
        outer, key = inner, draw.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
        inner = outer[key]
    if kind == 4:
        outer[key] = json.loads(draw.choice(VALUES))
    else:
        del outer[key]
    return json.dumps(graph)


def test_symbol_files(bounded):
    texts, draw = graphs(), random.Random(5)
    refused = 0
    for _ in range(3000):
        text = changed(draw.choice(texts), draw)
        try:
            s = S.load_json(text)
        except mx.MXNetError as e:
            assert len(str(e)) > 20
            refused += 1
            continue
        assert S.load_json(s.tojson()).tojson() == s.tojson()
        s.debug_str(), s.attr_dict(), s.list_outputs()
        try:
            s.infer_shape_partial(), s.infer_type_partial()
        except mx.MXNetError:
            pass
    assert 1000 < refused < 2900


def test_symbol_files_cut_anywhere():
    text = graphs()[0]
    for n in range(len(text)):
        with pytest.raises(mx.MXNetError, match=r"load_json: the text is not JSON.*char"):
            S.load_json(text[:n])


def files_of_all_versions(tmp_path):
    arrays = {"w": nd.array(np.arange(6).reshape(2, 3)), "i": nd.array([1, 2], dtype="int64"), "s": nd.array(3.0),
              "c": nd.sparse.csr_matrix(([1.0, 2.0], [0, 2], [0, 1, 1, 2]), shape=(3, 3)),
              "r": nd.sparse.row_sparse_array((np.ones((2, 2), "float32"), [0, 3]), shape=(5, 2))}
    nd.save(tmp_path / "new", arrays)
    data = np.arange(6, dtype="<f4").tobytes()
    v1 = struct.pack("<II2qiii", V1, 2, 2, 3, 1, 0, 0) + data
    first = struct.pack("<III", 2, 2, 3) + struct.pack("<iii", 1, 0, 0) + data
    old = struct.pack("<QQQ", HEADER, 0, 2) + v1 + first + struct.pack("<Q", 2) + struct.pack("<Q1sQ1s", 1, b"a", 1, b"b")
    return [(tmp_path / "new").read_bytes(), old]


def look_at(raw):
    """Load what may be broken, and use what comes."""
    try:
        loaded = nd.load_frombuffer(raw)
    except mx.MXNetError as e:
        assert "byte" in str(e)
        return False
    for a in loaded.values() if isinstance(loaded, dict) else loaded:
        if a.stype == "default" or max(a.shape) < 1000:
            a.asnumpy()
    return True


def test_every_number_of_a_file(tmp_path, bounded):
    for raw in files_of_all_versions(tmp_path):
        assert look_at(raw)
        for at in range(len(raw) - 8):
            for value in (0, 1, 17, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1, 2**64 - 1):
                look_at(raw[:at] + struct.pack("<Q", value) + raw[at + 8:])
                if at % 4 == 0 and value < 2**32:
                    look_at(raw[:at] + struct.pack("<I", value) + raw[at + 4:])


def test_missing_and_doubled_bytes(tmp_path, bounded):
    draw = random.Random(3)
    for raw in files_of_all_versions(tmp_path):
        for _ in range(2000):
            at, n = draw.randrange(len(raw)), draw.randrange(1, 32)
            look_at(raw[:at] + raw[at + n:])
            look_at(raw[:at + n] + raw[at:])
