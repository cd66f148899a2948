"""Symbol files on disk."""
import os
import tempfile

from ..ops.errors import MXNetError


def write(fname, text):
    """Write a text file that appears as a whole or not at all."""
    try:
        handle, part = tempfile.mkstemp(prefix=os.path.basename(fname) + ".", dir=os.path.dirname(fname) or ".")
        try:
            with open(handle, "w", encoding="utf-8") as f:
                f.write(text)
            os.chmod(part, 0o666 & ~_umask())
            os.replace(part, fname)
        except BaseException:
            os.unlink(part)
            raise
    except OSError as e:
        raise MXNetError(f"save: cannot write {os.fspath(fname)!r}: {e.strerror or e}") from None


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read(fname):
    """The text of a file."""
    try:
        with open(fname, encoding="utf-8") as f:
            return f.read()
    except OSError as e:
        raise MXNetError(f"load: cannot read {os.fspath(fname)!r}: {e.strerror or e}") from None
    except UnicodeDecodeError as e:
        raise MXNetError(f"load: {os.fspath(fname)!r} is no text: {e}") from None
