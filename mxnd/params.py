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

from ._core import records
from .ops.errors import MXNetError
from .params_reader import CODES, HEADER, INDEX_ARRAYS, STORAGE, V2, V3, Reader, read


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
    from .util import is_np_shape
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
            at = 0
            while at < len(arrays):
                block, at = records.packed(arrays, at, is_np_shape())
                f.write(block)
                if not block:
                    _write_array(f, arrays[at])
                    at += 1
            f.write(len(names).to_bytes(8, "little") + b"".join([len(name).to_bytes(8, "little") + name for name in names]))
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
                return read(Reader(f, info.st_size, fname))
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
    return read(Reader(None, len(view), _name, view))


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
    parts = (a,) if not kind else (a._store.data, *(getattr(a._store, name) for name in INDEX_ARRAYS[a.stype]))
    f.write(b"".join([struct.pack("<Ii", V3 if not a.shape or is_np_shape() else V2, kind),
                      _shape(parts[0].shape) if kind else b"", _shape(a.shape),
                      struct.pack("<iii", context.device_typeid, context.device_id, CODES[parts[0]._dtype_name]),
                      *[struct.pack("<i", CODES[part._dtype_name]) + _shape(part.shape) for part in parts[1:]]]))
    for part in parts:
        f.write(_content(part))


if sys.byteorder != "little":                    # the data of a file go to memory and back as they are
    raise ImportError("mxnd.params: files of arrays are read and written on little-endian machines only")
