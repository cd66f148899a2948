"""Reading of MXNet's files of arrays; see `mxnd.params`.

Numbers of a file are compared with the bytes that remain before anything is allocated for them."""
import struct
from contextlib import contextmanager
from math import prod

import numpy as np

from ._core import records
from ._core.array import empty, from_numpy_copy
from .ops.errors import MXNetError
from .ops.params import FILE_CODES as CODES

HEADER = 0x112                                   # first number of every file
V1, V2, V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA  # first number of a record; older ones begin with the rank
NAMES = {code: name for name, code in CODES.items()}
SIZES = dict(zip(CODES, (4, 8, 2, 1, 4, 1, 8, 1, 2)))
STORAGE = ("default", "row_sparse", "csr")
INDEX_ARRAYS = {"row_sparse": ("indices",), "csr": ("indptr", "indices")}
MAX_RANK = 16
LARGEST = 1 << 59                                # product of the sizes of a shape, those of 0 left out
PIECE = 1 << 18                                  # bytes that are read at once


class Reader:
    """A file, how far it is read, and checks of what comes next.

    buffer: bytes of the file from number `start` on, which holds number `at` or ends there; file is read behind it."""

    def __init__(self, file, size, name, buffer=b""):
        self.file, self.size, self.name, self.buffer = file, size, name, memoryview(buffer)
        self.start = self.at = 0

    @property
    def left(self):
        return self.size - self.at

    def fail(self, why, at=None):
        raise MXNetError(f"load: {self.name!r}, byte {self.at if at is None else at}: {why}")

    def expect(self, n, what):
        """Refuse when fewer than n bytes are left."""
        if n > self.left:
            self.fail(f"the file ends inside {what}; expected {n} more bytes, got {max(self.left, 0)}")

    def ahead(self, n, what):
        """Where `at` is in the buffer, once it holds the next n bytes."""
        begin = self.at - self.start
        if len(self.buffer) - begin < n:
            rest = bytes(self.buffer[begin:])
            self.buffer = memoryview(rest + self.file.read(max(PIECE, n - len(rest)))) if self.file else self.buffer[begin:]
            self.start, begin = self.at, 0
            if len(self.buffer) < n:
                self.fail(f"the file was cut while it was read, inside {what}")
        return begin

    def numbers(self, form, what):
        """Numbers in struct's notation."""
        form = "<" + form
        n = struct.calcsize(form)
        self.expect(n, what)
        begin = self.ahead(n, what)
        got = struct.unpack_from(form, self.buffer, begin)
        self.at += n
        return got

    def number(self, form, what):
        return self.numbers(form, what)[0]

    def text(self, n, what):
        at = self.at
        self.expect(n, what)
        return self.decoded(self.numbers(f"{n}s", what)[0], what, at)

    def decoded(self, raw, what, at):
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self.fail(f"{what} is not UTF-8 text", at)

    def fill(self, a, what):
        """Read the bytes of a dense array straight into its memory."""
        if not a.size:
            return
        into = memoryview(a).cast("B")
        begin = self.at - self.start
        n = min(len(into), len(self.buffer) - begin)
        into[:n] = self.buffer[begin:begin + n]
        self.at += len(into)
        if n < len(into):
            self.buffer, self.start = memoryview(b""), self.at
            if self.file is None or self.file.readinto(into[n:]) != len(into) - n:
                self.fail(f"the file was cut while it was read, inside {what}")


def read(r):
    """All arrays: a list, or a dict if they have names."""
    first = r.number("Q", "the header")
    if first != HEADER:
        r.fail(f"this is not a file of arrays; expected 0x{HEADER:x} as the first number, got 0x{first:x}", 0)
    count = r.numbers("QQ", "the header")[1]
    if count > r.left // 4:                       # the smallest record takes 4 bytes
        r.fail(f"more arrays than the file can hold; expected at most {r.left // 4}, got {count}", r.at - 8)
    arrays = []
    while len(arrays) < count:
        begin = r.ahead(min(r.left, 1), "the file")
        r.at = r.start + records.unpack(r.buffer, begin, arrays, count - len(arrays))
        if len(arrays) < count:
            arrays.append(_read_array(r, f"array {len(arrays)} of {count}"))
    at = r.at
    named = r.number("Q", "the number of names")
    if named not in (0, count):
        r.fail(f"number of names; expected 0 or {count}, got {named}", at)
    if not named:
        return arrays
    names = []
    while len(names) < named:
        at, found, begin = r.at, [], r.ahead(min(r.left, 1), "the file")
        r.at = r.start + records.names(r.buffer, begin, found, named - len(names))
        for raw in found:
            names.append(r.decoded(raw, f"name {len(names)}", at))
            at += 8 + len(raw)
        if len(names) < named:
            names.append(r.text(r.number("Q", f"name {len(names)}"), f"name {len(names)}"))
    return dict(zip(names, arrays))


def _read_shape(r, what, dims="q", rank=None):
    at = r.at
    if rank is None:
        rank = r.number("I", what)
    if rank > MAX_RANK:
        r.fail(f"rank of {what}; expected at most {MAX_RANK}, got {rank}", at)
    shape = r.numbers(f"{rank}{dims}", what)
    if any(n < 0 for n in shape):
        r.fail(f"shape of {what}; expected sizes of 0 or more, got {shape}", at)
    return shape


def _read_dtype(r, what, allowed=CODES):
    code = r.number("i", what)
    name = NAMES.get(code)
    if name not in allowed:
        r.fail(f"element type of {what}; expected one of {', '.join(f'{CODES[n]} ({n})' for n in allowed)}, "
               f"got {code}", r.at - 4)
    return name


def _bytes_of(shape, dtype):
    n = SIZES[dtype]
    for k in shape:
        n *= k
    return n


@contextmanager
def _blame(r, what, at):
    """What the array classes refuse is reported as a fault of the file."""
    try:
        yield
    except MemoryError:
        r.fail(f"not enough memory for {what}", at)
    except (MXNetError, ValueError, IndexError, OverflowError, TypeError) as e:
        r.fail(f"{what}: {e}", at)


def _read_dense(r, shape, dtype, what):
    at = r.at
    r.expect(_bytes_of(shape, dtype), f"the data of {what}")
    if prod(n for n in shape if n) > LARGEST:
        r.fail(f"shape of {what}: {shape} is too large", at)
    with _blame(r, what, at):
        a = empty(tuple(shape), dtype)
    r.fill(a, f"the data of {what}")
    if dtype == "bool" and a.size:
        raw = np.frombuffer(memoryview(a).cast("B"), np.uint8)
        if raw.max() > 1:                        # a bool is 0 or 1 for every kernel
            np.minimum(raw, 1, out=raw)
    return a


def _read_array(r, what):
    """One record of any version."""
    at = r.at
    magic = r.number("I", what)
    if magic in (V2, V3):
        kind = r.number("i", what)
        if not 0 <= kind < len(STORAGE):
            r.fail(f"storage of {what}; expected 0 (default), 1 (row_sparse) or 2 (csr), got {kind}", r.at - 4)
        stored = _read_shape(r, what) if kind else None
        shape = _read_shape(r, what)
    else:
        kind = 0
        if magic != V1 and magic > MAX_RANK:
            r.fail(f"{what} does not begin as an array does: 0x{magic:08x}", at)
        shape = _read_shape(r, what) if magic == V1 else _read_shape(r, what, "I", magic)
    if not shape and magic != V3:                # before V3 this stood for an array without content
        return _read_dense(r, (0,), "float32", what)
    r.numbers("ii", what)                        # the device: arrays come back on the CPU
    dtype = _read_dtype(r, what)
    if not kind:
        return _read_dense(r, shape, dtype, what)
    return _read_sparse(r, STORAGE[kind], stored, shape, dtype, what, at)


def _read_sparse(r, stype, stored, shape, dtype, what, at):
    from .sparse.base import Store
    from .sparse.csr import CSRNDArray
    from .sparse.row_sparse import RowSparseNDArray
    indices = [(name, _read_dtype(r, f"{name} of {what}", ("int64", "int32")), _read_shape(r, f"{name} of {what}"))
               for name in INDEX_ARRAYS[stype]]
    # all sizes are known here: refuse before allocating the first array
    r.expect(_bytes_of(stored, dtype) + sum(_bytes_of(s, t) for _, t, s in indices), f"the data of {what}")
    data = _read_dense(r, stored, dtype, what)
    parts = {name: _read_dense(r, s, t, f"{name} of {what}") for name, t, s in indices}
    with _blame(r, f"{stype} {what}", at):
        if stype == "row_sparse":
            rows = parts["indices"]
            if not shape or len(rows.shape) != 1:
                raise ValueError(f"expected a shape and a list of rows, got shapes {shape} and {rows.shape}")
            x = RowSparseNDArray(Store(data, _int64(rows)), shape)
            x._check()
            return x
        if not parts["indptr"].size and not data.size and len(shape) == 2:      # left out when nothing is stored
            if shape[0] > r.size:
                raise ValueError(f"indptr; expected {shape[0] + 1} numbers, got none")
            parts["indptr"] = from_numpy_copy(np.zeros(shape[0] + 1, np.int64), "int64")
        ends = parts["indptr"]._numpy_view()
        if len(shape) != 2 or ends.shape != (shape[0] + 1,) or ends[0] != 0 or (ends[1:] < ends[:-1]).any() \
                or ends[-1] > min(data.size, parts["indices"].size):
            raise ValueError("indptr does not ascend from 0 to at most the number of stored values, in rows + 1 steps")
        if len(data.shape) != 1 or len(parts["indices"].shape) != 1:
            raise ValueError(f"expected lists of values and columns, got shapes {data.shape} and {parts['indices'].shape}")
        used = int(ends[-1])                     # MXNet sometimes stores more than it uses
        if not data.size == parts["indices"].size == used:
            data, parts["indices"] = data[:used], parts["indices"][:used]
        x = CSRNDArray(Store(data, _int64(parts["indices"]), _int64(parts["indptr"])), shape)
        x._check()
        return x


def _int64(a):
    return a if a._dtype_name == "int64" else from_numpy_copy(a._numpy_view(), "int64")
