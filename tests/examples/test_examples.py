"""The examples run and do what they say; their pictures and bars are in order."""
import io
import struct
import zlib

import numpy as np
import pytest

from mxnd import nd
from mxnd.examples import corpus, digits, picture, text
from mxnd.examples.progress import Progress


def read_png(fname):
    """(height, width, 3) points of a PNG without filters."""
    raw = fname.read_bytes()
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    at, found = 8, {}
    while at < len(raw):
        n, kind = struct.unpack_from(">I4s", raw, at)
        assert struct.unpack_from(">I", raw, at + 8 + n)[0] == zlib.crc32(raw[at + 4:at + 8 + n])
        found[kind] = raw[at + 8:at + 8 + n]
        at += 12 + n
    width, height = struct.unpack_from(">II", found[b"IHDR"])
    rows = np.frombuffer(zlib.decompress(found[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any() and b"IEND" in found
    return rows[:, 1:].reshape(height, width, 3)


@pytest.mark.slow
def test_digits(tmp_path, capsys):
    assert digits.main(["--out", str(tmp_path / "out"), "--epochs", "20"]) == 0
    shown = capsys.readouterr()
    assert shown.out.count("of the test images right") == 2 and shown.out.count("loaded them") == 2
    assert "100%" in shown.err
    for title in ("arrays", "symbol"):
        assert (tmp_path / "out" / f"digits-{title}-symbol.json").exists()
        assert len(nd.load(tmp_path / "out" / f"digits-{title}-0020.params")) == 8
    points = read_png(tmp_path / "out" / "digits.png")
    assert points.shape == (640, 760, 3)
    for colour in (picture.BLUE, picture.ORANGE, picture.GREEN):
        assert (points == colour).all(2).sum() > 100


def test_digits_refuses_nonsense(capsys):
    assert digits.main(["--epochs", "0"]) == 2
    with pytest.raises(SystemExit):
        digits.main(["--epochs", "many"])


@pytest.mark.slow
def test_text(capsys):
    assert text.main(["--epochs", "3"]) == 0
    shown = capsys.readouterr().out
    assert "always saying" in shown and "asyncio" in shown


def test_corpus():
    train, test, words, topics = corpus.load()
    assert len(topics) >= 10 and len(words) > 1000 and not set(topics) & set(words)
    for rows in (train, test):
        assert len(rows.indptr) == len(rows.labels) + 1 and rows.indptr[-1] == len(rows.data) == len(rows.indices)
        assert rows.indices.min() >= 0 and rows.indices.max() < len(words)
        norms = np.add.reduceat(rows.data ** 2, rows.indptr[:-1])
        np.testing.assert_allclose(norms, 1, rtol=1e-5)
    few = corpus.choose(train, np.array([5, 0, 5]))
    one = slice(*train.indptr[5:7])
    assert list(few.indices[:few.indptr[1]]) == list(train.indices[one]) == list(few.indices[few.indptr[2]:])
    assert list(few.labels) == list(train.labels[[5, 0, 5]])


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_in_a_file():
    out = io.StringIO()
    with Progress("work", 40, out) as progress:
        for i in range(40):
            progress.step(f"loss {i}")
    lines = out.getvalue().splitlines()
    assert len(lines) == 10 and "\r" not in out.getvalue() and "\x1b" not in out.getvalue()
    assert "100%" in lines[-1] and "loss 39" in lines[-1] and " 10%" in lines[0]


def test_progress_on_a_terminal():
    out = Terminal()
    with Progress("work", 3, out) as progress:
        for _ in range(3):
            progress.step()
    assert out.getvalue().startswith("\r") and out.getvalue().endswith("\n")
    assert "[########################] 100%" in out.getvalue()


def test_progress_of_nothing_and_of_little():
    for total in (0, 1, 3):
        out = io.StringIO()
        with Progress("work", total, out) as progress:
            for _ in range(total):
                progress.step()
        assert len(out.getvalue().splitlines()) == total


def test_canvas(tmp_path):
    canvas = picture.Canvas(40, 20)
    canvas.box(-5, -5, 8, 8, picture.RED)
    canvas.line([0, 39], [19, 19], picture.BLUE, thick=1)
    canvas.text(10, 2, "a?", picture.BLACK, scale=1)
    canvas.image(30, 0, np.array([[0.0, 1.0]]), 2)
    canvas.save(tmp_path / "x.png")
    points = read_png(tmp_path / "x.png")
    np.testing.assert_array_equal(points, canvas.points)
    assert tuple(points[0, 0]) == picture.RED and tuple(points[3, 3]) == picture.WHITE
    assert (points[19] == picture.BLUE).all()
    assert (points[2:7, 10:13] == picture.BLACK).all(2).sum() == 10      # the letter A
    assert tuple(points[0, 30]) == (255, 255, 255) and tuple(points[0, 32]) == (0, 0, 0)


def test_curves_of_any_values():
    for values in ([1.0], [1e-3, 1e-3], [5.0, 0.2, 0.01], [1.0] * 100):
        canvas = picture.Canvas(300, 200)
        picture.curves(canvas, 60, 30, 200, 150, [("x", picture.BLUE, values)], "loss")
        if len(values) > 1:
            assert (canvas.points == picture.BLUE).all(2).sum() > 50
