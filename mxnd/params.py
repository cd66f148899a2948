"""Arrays in MXNet's binary files (`.params`): `nd.save`, `nd.load`, `nd.load_frombuffer`.

A file is a header, n array records and the names.  A record tells storage, shape, context and element
type, then come the bytes of the array as they lie in memory (little endian).  Numbers read from a file are
compared with the bytes that remain before anything is allocated for them, so a damaged or foreign file costs
no more memory than its own size.
"""
import os
import stat
import struct
import sys
from contextlib import contextmanager, suppress

import numpy as np

from .ops.errors import MXNetError

HEADER = 0x112                                   # first number of every file
V1, V2, V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA  # first number of a record; older ones begin with the rank
CODES = {"float32": 0, "float64": 1, "float16": 2, "uint8": 3, "int32": 4, "int8": 5, "int64": 6, "bool": 7,
         "bfloat16": 12}
NAMES = {code: name for name, code in CODES.items()}
SIZES = {name: 2 if name == "bfloat16" else np.dtype(name).itemsize for name in CODES}
STORAGE = ("default", "row_sparse", "csr")
INDEX_ARRAYS = {"row_sparse": ("indices",), "csr": ("indptr", "indices")}
MAX_RANK = 16


class _FileNameError(TypeError, AttributeError):
    """MXNet raises AttributeError for a file name that is no text; TypeError is what is meant."""


# ---- public functions -----------------------------------------------------------------------------

def save(fname, data):
    """Save arrays to a file in MXNet's format.

    The file appears complete or not at all: the bytes go to a temporary file beside it, which then takes its name.

    Parameters
    ----------
    fname : str or path
        The file to write.
    data : NDArray, list of NDArray or dict of str to NDArray
        What to save; dense and sparse arrays of every dtype.

    Raises
    ------
    ValueError, TypeError
        If `data` is something else.
    MXNetError
        If the file cannot be written.
    """
    from .ndarray import NDArray
    if not isinstance(fname, (str, os.PathLike)):
        raise _FileNameError(f"save: file name; expected text or a path, got {type(fname).__name__}")
    if isinstance(data, NDArray):
        names, arrays = [], [data]
    elif isinstance(data, dict):
        names, arrays = list(data), list(data.values())
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"save: key of the dict; expected str, got {type(name).__name__} {name!r:.60}")
    elif isinstance(data, list):
        names, arrays = [], data
    else:
        raise ValueError(f"save: data; expected an NDArray, a list of them or a dict from str to them, "
                         f"got {type(data).__name__}")
    for i, a in enumerate(arrays):
        if not isinstance(a, NDArray):
            where = f"data[{names[i] if names else i!r}]"
            raise TypeError(f"save: {where}; expected an NDArray, got {type(a).__name__}")
    names = [name.encode() for name in names]
    fname = os.fspath(fname)
    try:
        with _replacing(fname) as f:
            f.write(struct.pack("<QQQ", HEADER, 0, len(arrays)))
            for a in arrays:
                _write_array(f, a)
            f.write(struct.pack("<Q", len(names)))
            for name in names:
                f.write(struct.pack("<Q", len(name)) + name)
    except OSError as e:
        raise MXNetError(f"save: cannot write {fname!r}: {e.strerror or e}") from e


def load(fname):
    """Load arrays that `save` of mxnd or of MXNet 1.x wrote.

    Parameters
    ----------
    fname : str or path
        The file to read.

    Returns
    -------
    list of NDArray or dict of str to NDArray
        As they were saved.  A single array comes back in a list, an empty dict as an empty list.

    Raises
    ------
    MXNetError
        If the file cannot be read or is not such a file; the message tells the byte where that shows.
    """
    if not isinstance(fname, (str, os.PathLike)):
        raise TypeError(f"load: file name; expected text or a path, got {type(fname).__name__}")
    fname = os.fspath(fname)
    try:
        with open(fname, "rb") as f:
            info = os.fstat(f.fileno())
            if stat.S_ISREG(info.st_mode):
                return _read_file(_Reader(f, info.st_size, fname))
            start = f.read(8)                     # a pipe: look at the first number before taking in the rest
            if start == struct.pack("<Q", HEADER):
                start += f.read()
        return load_frombuffer(start, fname)
    except OSError as e:
        raise MXNetError(f"load: cannot read {fname!r}: {e.strerror or e}") from e


def load_frombuffer(buf, _name="buffer"):
    """Load arrays from the content of a file.

    Parameters
    ----------
    buf : bytes
        What such a file holds (any object with contiguous bytes will do).

    Returns
    -------
    list of NDArray or dict of str to NDArray
        As `load` returns.
    """
    try:
        view = memoryview(buf.encode() if isinstance(buf, str) else buf).cast("B")
    except TypeError:
        raise TypeError(f"load_frombuffer: buf; expected bytes, got {type(buf).__name__}") from None
    return _read_file(_Reader(_Bytes(view), len(view), _name))


# ---- writing --------------------------------------------------------------------------------------

@contextmanager
def _replacing(fname):
    """A binary file to write, which takes the name `fname` when the block ends without an error."""
    target = os.path.realpath(fname)             # a link stays, what it points to is replaced
    try:
        old = os.stat(target)
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):
        with open(target, "wb") as f:            # a device or a pipe (a folder raises here)
            yield f
        return
    folder, base = os.path.split(target)
    temporary = os.path.join(folder, f".{base[:100]}.{os.getpid()}-{os.urandom(4).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(descriptor, "wb") as f:
            if old is not None:
                with suppress(OSError):
                    os.chmod(temporary, stat.S_IMODE(old.st_mode))
            yield f
            f.flush()
            os.fsync(f.fileno())                 # so that after a power cut the name never stands for half a file
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    with suppress(OSError):                      # not every file system lets a folder be synchronised
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def _dtype_name(a):
    """Name of an array's dtype (bfloat16 has no NumPy class)."""
    return getattr(a.dtype, "__name__", None) or a.dtype.name


def _shape(shape):
    return struct.pack(f"<I{len(shape)}q", len(shape), *shape)


def _content(a):
    """The bytes of a dense array, in place."""
    return memoryview(a).cast("B") if a.size else b""


def _write_array(f, a):
    """One record: V2, which every MXNet since 1.0 reads, unless the shape needs V3."""
    from .context import cpu
    from .util import is_np_shape
    context = a.context
    if context.device_type == "gpu":
        a = a.as_in_context(cpu())
    kind = STORAGE.index(a.stype)
    parts = (a,) if not kind else (a.data, *(getattr(a, name) for name in INDEX_ARRAYS[a.stype]))
    f.write(struct.pack("<Ii", V3 if not a.shape or is_np_shape() else V2, kind))
    if kind:
        f.write(_shape(parts[0].shape))
    f.write(_shape(a.shape))
    f.write(struct.pack("<iii", context.device_typeid, context.device_id, CODES[_dtype_name(parts[0])]))
    for part in parts[1:]:
        f.write(struct.pack("<i", CODES[_dtype_name(part)]) + _shape(part.shape))
    for part in parts:
        f.write(_content(part))


# ---- reading --------------------------------------------------------------------------------------

class _Bytes:
    """The two methods of a binary file that reading needs, over bytes in memory."""

    def __init__(self, view):
        self.view, self.at = view, 0

    def read(self, n):
        self.at += n
        return self.view[self.at - n:self.at]

    def readinto(self, target):
        piece = self.read(len(target))
        target[:len(piece)] = piece
        return len(piece)


class _Reader:
    """A file, how far it is read, and checks of what comes next."""

    def __init__(self, file, size, name):
        self.file, self.size, self.name, self.at = file, size, name, 0

    @property
    def left(self):
        return self.size - self.at

    def fail(self, why, at=None):
        raise MXNetError(f"load: {self.name!r}, byte {self.at if at is None else at}: {why}")

    def expect(self, n, what):
        """Refuse when fewer than n bytes are left."""
        if n > self.left:
            self.fail(f"the file ends inside {what}; expected {n} more bytes, got {max(self.left, 0)}")

    def numbers(self, form, what):
        """Numbers in struct's notation."""
        form = "<" + form
        n = struct.calcsize(form)
        self.expect(n, what)
        got = self.file.read(n)
        if len(got) < n:
            self.fail(f"the file was cut while it was read, inside {what}")
        self.at += n
        return struct.unpack(form, got)

    def number(self, form, what):
        return self.numbers(form, what)[0]

    def text(self, n, what):
        at = self.at
        self.expect(n, what)
        raw = self.numbers(f"{n}s", what)[0]
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self.fail(f"{what} is not UTF-8 text", at)

    def fill(self, a, what):
        """Read the bytes of a dense array straight into its memory."""
        into = _content(a)
        if len(into) and self.file.readinto(into) != len(into):
            self.fail(f"the file was cut while it was read, inside {what}")
        self.at += len(into)


def _read_file(r):
    first = r.number("Q", "the header")
    if first != HEADER:
        r.fail(f"this is not a file of arrays; expected 0x{HEADER:x} as the first number, got 0x{first:x}", 0)
    count = r.numbers("QQ", "the header")[1]
    if count > r.left // 4:                       # the smallest record takes 4 bytes
        r.fail(f"more arrays than the file can hold; expected at most {r.left // 4}, got {count}", r.at - 8)
    arrays = [_read_array(r, f"array {i} of {count}") for i in range(count)]
    at = r.at
    named = r.number("Q", "the number of names")
    if named not in (0, count):
        r.fail(f"number of names; expected 0 or {count}, got {named}", at)
    if not named:
        return arrays
    names = [r.text(r.number("Q", f"name {i}"), f"name {i}") for i in range(named)]
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
    from .ndarray import empty
    at = r.at
    r.expect(_bytes_of(shape, dtype), f"the data of {what}")
    with _blame(r, what, at):
        a = empty(tuple(shape), dtype=dtype)
    r.fill(a, f"the data of {what}")
    if dtype == "bool" and a.size:
        raw = np.frombuffer(_content(a), np.uint8)
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
    from .ndarray import sparse, zeros
    indices = [(name, _read_dtype(r, f"{name} of {what}", ("int64", "int32")), _read_shape(r, f"{name} of {what}"))
               for name in INDEX_ARRAYS[stype]]
    # all sizes are known here: refuse before allocating the first array
    r.expect(_bytes_of(stored, dtype) + sum(_bytes_of(s, t) for _, t, s in indices), f"the data of {what}")
    data = _read_dense(r, stored, dtype, what)
    parts = {name: _read_dense(r, s, t, f"{name} of {what}") for name, t, s in indices}
    with _blame(r, f"{stype} {what}", at):
        if stype == "row_sparse":
            _check_range("row", parts["indices"].asnumpy(), shape[0] if shape else 0)
            return sparse.row_sparse_array((data, parts["indices"]), shape=shape, dtype=dtype)
        if not parts["indptr"].size and not data.size and len(shape) == 2:      # left out when nothing is stored
            if shape[0] > r.size:
                raise ValueError(f"indptr; expected {shape[0] + 1} numbers, got none")
            parts["indptr"] = zeros((shape[0] + 1,), dtype="int64")
        ends = parts["indptr"].asnumpy()
        if len(shape) != 2 or ends.shape != (shape[0] + 1,) or ends[0] != 0 or (ends[1:] < ends[:-1]).any() \
                or ends[-1] > min(data.size, parts["indices"].size):
            raise ValueError("indptr does not ascend from 0 to at most the number of stored values, in rows + 1 steps")
        used = slice(0, int(ends[-1]))           # MXNet sometimes stores more than it uses
        _check_range("column", parts["indices"].asnumpy()[used], shape[1])
        return sparse.csr_matrix((data[used], parts["indices"][used], parts["indptr"]), shape=shape, dtype=dtype)


def _check_range(kind, numbers, bound):
    """No index of a file may lead out of the array."""
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < bound:
        raise ValueError(f"{kind} out of range; expected 0 to {bound - 1}, got {numbers.min()} to {numbers.max()}")


if sys.byteorder != "little":                    # the data of a file go to memory and back as they are
    raise ImportError("mxnd.params: files of arrays are read and written on little-endian machines only")
