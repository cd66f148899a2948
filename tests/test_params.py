"""Files of arrays: round trips, old forms, and every way a file can be broken."""
import os
import random
import stat
import struct

import numpy as np
import pytest

import mxnd as mx
from mxnd import nd, params, params_reader
from mxnd.params_reader import CODES, HEADER, V1, V2, V3

DTYPES = [name for name in CODES if name != "bfloat16"]


def record(shape, data, *, dtype=0, magic=V2, storage=0, device=1):
    """A dense array as it lies in a file."""
    return (struct.pack("<Ii", magic, storage) if magic in (V2, V3) else struct.pack("<I", magic)) \
        + struct.pack(f"<I{len(shape)}q", len(shape), *shape) + struct.pack("<iii", device, 0, dtype) + data


def contents(*records, names=()):
    named = b"".join(struct.pack("<Q", len(n)) + n for n in names)
    return struct.pack("<QQQ", HEADER, 0, len(records)) + b"".join(records) + struct.pack("<Q", len(names)) + named


def sample():
    """A file with something of everything."""
    return {"w": nd.array(np.arange(6).reshape(2, 3)), "i": nd.array([1, 2], dtype="int64"),
            "c": nd.sparse.csr_matrix(([1.0, 2.0], [0, 2], [0, 1, 1, 2]), shape=(3, 3)),
            "r": nd.sparse.row_sparse_array((np.ones((2, 2), "float32"), [0, 3]), shape=(5, 2))}


@pytest.fixture
def stored(tmp_path):
    nd.save(tmp_path / "all.params", sample())
    return (tmp_path / "all.params").read_bytes()


def same(a, b):
    assert a.shape == b.shape and a.dtype == b.dtype and a.stype == b.stype
    np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3,), (2, 1, 3), (1, 1, 1, 1, 2), (0,), (2, 0, 3), ()])
def test_round_trip(tmp_path, dtype, shape):
    x = nd.array(np.random.RandomState(0).randint(0, 2, shape), dtype=dtype)
    nd.save(tmp_path / "x", x)
    loaded = nd.load(tmp_path / "x")
    assert isinstance(loaded, list) and len(loaded) == 1
    same(loaded[0], x)
    same(nd.load_frombuffer((tmp_path / "x").read_bytes())[0], x)


def test_bfloat16(tmp_path):
    x = nd.array([1.0, -2.5, 3.140625]).astype(mx.bfloat16)
    nd.save(tmp_path / "x", x)
    back = nd.load(tmp_path / "x")[0]
    assert back.dtype is x.dtype
    np.testing.assert_array_equal(back.asnumpy(), x.asnumpy())


def test_lists_dicts_and_order(tmp_path):
    given = sample()
    nd.save(tmp_path / "d", given)
    back = nd.load(tmp_path / "d")
    assert list(back) == list(given)
    for k in given:
        same(back[k], given[k])
    nd.save(tmp_path / "l", list(given.values()))
    for a, b in zip(nd.load(tmp_path / "l"), given.values()):
        same(a, b)
    for nothing in ([], {}):
        nd.save(tmp_path / "e", nothing)
        assert nd.load(tmp_path / "e") == []


def test_names_are_text(tmp_path):
    nd.save(str(tmp_path / "x"), {"": nd.ones((1,)), "größe 重み": nd.ones((2,))})
    assert list(nd.load(str(tmp_path / "x"))) == ["", "größe 重み"]


def test_views_hold_only_their_part(tmp_path):
    x = nd.array(np.arange(12).reshape(4, 3))
    nd.save(tmp_path / "x", [x[1:3], x[0]])
    a, b = nd.load(tmp_path / "x")
    same(a, x[1:3])
    same(b, x[0])


def test_empty_sparse(tmp_path):
    given = [nd.sparse.zeros("csr", (2, 3)), nd.sparse.zeros("row_sparse", (4, 2))]
    nd.save(tmp_path / "x", given)
    for a, b in zip(nd.load(tmp_path / "x"), given):
        same(a, b)


def test_csr_without_indptr():
    raw = struct.pack("<Ii", V2, 2) + struct.pack("<Iq", 1, 0) + struct.pack("<I2q", 2, 3, 4) + struct.pack("<iii", 1, 0, 0) \
        + (struct.pack("<i", 6) + struct.pack("<Iq", 1, 0)) * 2
    a, = nd.load_frombuffer(contents(raw))
    assert a.stype == "csr" and a.shape == (3, 4) and not a.asnumpy().any()


def test_csr_that_stores_more_than_it_uses():
    raw = struct.pack("<Ii", V2, 2) + struct.pack("<Iq", 1, 3) + struct.pack("<I2q", 2, 1, 2) + struct.pack("<iii", 1, 0, 0) \
        + struct.pack("<iIq", 6, 1, 2) + struct.pack("<iIq", 6, 1, 3) + struct.pack("<3f2q3q", 5, 8, 9, 0, 1, 1, 77, -7)
    a, = nd.load_frombuffer(contents(raw))
    np.testing.assert_array_equal(a.asnumpy(), [[0, 5]])


def test_old_records_load():
    data = struct.pack("<3f", 1, 2, 3)
    old = struct.pack("<I2I", 2, 1, 3) + struct.pack("<iii", 2, 0, 0) + data      # a GPU's, with 32-bit sizes
    for raw in (record((1, 3), data), record((1, 3), data, magic=V1), record((1, 3), data, magic=V3), old):
        a, = nd.load_frombuffer(contents(raw))
        assert a.shape == (1, 3) and a.context == mx.cpu()
        np.testing.assert_array_equal(a.asnumpy(), [[1, 2, 3]])


def test_records_without_content():
    for raw in (struct.pack("<IiI", V2, 0, 0), struct.pack("<II", V1, 0), struct.pack("<I", 0)):
        a, b = nd.load_frombuffer(contents(raw, record((1,), b"\0" * 4)))
        assert a.size == 0 and b.shape == (1,)


def test_a_scalar_is_written_as_v3(tmp_path):
    nd.save(tmp_path / "x", nd.array(np.float32(3)))
    assert struct.unpack_from("<I", (tmp_path / "x").read_bytes(), 24) == (V3,)
    assert nd.load(tmp_path / "x")[0].shape == ()


def test_a_bool_is_zero_or_one():
    a, = nd.load_frombuffer(contents(record((3,), b"\0\1\7", dtype=7)))
    assert bytes(memoryview(a)) == b"\0\1\1"


def test_any_bytes_will_do(stored):
    for buf in (bytearray(stored), memoryview(stored), np.frombuffer(stored, np.uint8)):
        assert list(nd.load_frombuffer(buf)) == list(sample())
    for buf in (3, None, ["x"]):
        with pytest.raises(TypeError, match="load_frombuffer"):
            nd.load_frombuffer(buf)


@pytest.mark.parametrize("data, error", [((), ValueError), (np.ones(2), ValueError), (None, ValueError), ("x", ValueError),
                                         ({"x": 3}, TypeError), ({3: nd.ones((1,))}, TypeError), ([nd.ones((1,)), 3], TypeError)])
def test_wrong_data(tmp_path, data, error):
    with pytest.raises(error, match="save: "):
        nd.save(tmp_path / "x", data)
    assert not list(tmp_path.iterdir())


def test_wrong_names(tmp_path):
    for name in (3, None, b"x"):
        with pytest.raises(TypeError, match="file name"):
            nd.save(name, nd.ones((1,)))
        with pytest.raises(TypeError, match="file name"):
            nd.load(name)
    for name in (tmp_path / "none", tmp_path, ""):
        with pytest.raises(mx.MXNetError, match="load: cannot read"):
            nd.load(name)
    for name in (tmp_path / "no" / "folder", tmp_path):
        with pytest.raises(mx.MXNetError, match="save: cannot write"):
            nd.save(name, nd.ones((1,)))
    assert not list(tmp_path.iterdir())


def test_cut_anywhere(tmp_path, stored):
    broken = tmp_path / "cut.params"
    for n in range(len(stored)):
        broken.write_bytes(stored[:n])
        with pytest.raises(mx.MXNetError, match=r"cut\.params', byte \d+: "):
            nd.load(broken)
        with pytest.raises(mx.MXNetError, match=r"byte \d+: "):
            nd.load_frombuffer(stored[:n])


def test_damaged_anywhere(stored):
    draw = random.Random(7)
    for _ in range(4000):
        damaged = bytearray(stored)
        for _ in range(draw.choice((1, 1, 2, 5))):
            damaged[draw.randrange(len(stored))] = draw.choice((0, 1, 0x7f, 0xff, draw.randrange(256)))
        try:
            loaded = nd.load_frombuffer(damaged)
        except mx.MXNetError as e:
            assert "byte" in str(e)
        else:
            for a in loaded.values() if isinstance(loaded, dict) else loaded:
                if a.stype == "default" or max(a.shape) < 1000:
                    a.asnumpy()


@pytest.mark.parametrize("raw, why", [
    (b"\x89PNG\r\n\x1a\n" * 9, "not a file of arrays"),
    (struct.pack("<QQQ", HEADER, 0, 1 << 60), "more arrays than the file can hold"),
    (contents(struct.pack("<IiI", V2, 0, 1 << 31)), "rank of array 0"),
    (contents(record((1 << 40, 1 << 40), b"")), "ends inside the data of array 0"),
    (contents(record((1 << 62, 4), b"")), "ends inside the data of array 0"),
    (contents(record((-1, 3), b"")), "sizes of 0 or more"),
    (contents(record((1,), b"\0" * 4, dtype=8)), "element type of array 0"),
    (contents(record((1,), b"\0" * 4, storage=3)), "storage of array 0"),
    (contents(record((1,), b"\0" * 4, magic=0xF993FACB)), "does not begin as an array"),
    (contents(record((1,), b"\0" * 4), names=(b"a", b"b")), "number of names"),
    (contents(record((1,), b"\0" * 4), names=(b"\xe9",)), "not UTF-8"),
    (contents(record((1,), b"\0" * 4))[:-8] + struct.pack("<QQ", 1, 1 << 63), "ends inside name 0"),
])
def test_what_is_wrong_is_said(raw, why):
    with pytest.raises(mx.MXNetError, match=why):
        nd.load_frombuffer(raw)


def test_sparse_indices_are_checked():
    csr = struct.pack("<Ii", V2, 2) + struct.pack("<Iq", 1, 1) + struct.pack("<I2q", 2, 1, 2) + struct.pack("<iii", 1, 0, 0) \
        + struct.pack("<iIq", 6, 1, 2) + struct.pack("<iIq", 6, 1, 1) + struct.pack("<f2qq", 1, 0, 1, 9)
    with pytest.raises(mx.MXNetError, match="byte 24: csr array 0"):
        nd.load_frombuffer(contents(csr))


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "x"
    nd.save(target, nd.ones((3,)))
    before = target.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(mx.MXNetError, match="No space left"):
        nd.save(target, nd.zeros((1000,)))
    assert target.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["x"]


def test_links_and_permissions_stay(tmp_path):
    target, link = tmp_path / "x", tmp_path / "link"
    nd.save(target, nd.ones((3,)))
    target.chmod(0o640)
    link.symlink_to(target)
    nd.save(link, nd.zeros((2,)))
    assert link.is_symlink() and nd.load(target)[0].shape == (2,)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_new_file_follows_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        nd.save(tmp_path / "x", nd.ones((1,)))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


def test_a_pipe(tmp_path, stored):
    import threading
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(stored,))
    writer.start()
    loaded = nd.load(pipe)
    writer.join()
    assert list(loaded) == list(sample())


def many():
    """Arrays of all sizes, so that blocks end and begin anywhere."""
    rng = np.random.RandomState(4)
    out = {}
    for k in range(400):
        shape = tuple(rng.randint(0, 9, rng.randint(0, 4))) if k % 37 else (rng.randint(1, 90), 1000)
        out[f"array {k}"] = nd.array(rng.randint(0, 2, shape), dtype=DTYPES[k % len(DTYPES)])
    out |= {f"sparse {k}": x for k, x in sample().items()}
    out["bfloat16"] = nd.ones((3,)).astype(mx.bfloat16)
    return out


def test_blocks_and_single_records_are_the_same_files(tmp_path, monkeypatch):
    given = many()
    nd.save(tmp_path / "blocks", given)
    monkeypatch.setattr(params.records, "packed", lambda arrays, first, np_shape: (b"", first))
    nd.save(tmp_path / "single", given)
    assert (tmp_path / "blocks").read_bytes() == (tmp_path / "single").read_bytes()


@pytest.mark.parametrize("piece", [100, 1000, 1 << 18])
@pytest.mark.parametrize("alone", [False, True])
def test_files_are_read_in_pieces(tmp_path, monkeypatch, piece, alone):
    given = many()
    nd.save(tmp_path / "x", given)
    monkeypatch.setattr(params_reader, "PIECE", piece)
    if alone:
        monkeypatch.setattr(params_reader.records, "unpack", lambda source, start, arrays, count: start)
        monkeypatch.setattr(params_reader.records, "names", lambda source, start, found, count: start)
    back = nd.load(tmp_path / "x")
    assert list(back) == list(given)
    for k in given:
        same(back[k], given[k])


def test_absurd_shapes_of_nothing():
    for shape in ((0, 1 << 62, 8), (1 << 62, 8, 0)):
        with pytest.raises(mx.MXNetError, match=r"byte .*too large"):
            nd.load_frombuffer(contents(record(shape, b"")))
