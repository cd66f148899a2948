"""Symbols from text: `mx.sym.load_json` and `mx.sym.load`."""
import os

from ..ops.errors import MXNetError
from . import files, json
from .symbol import Symbol

__all__ = ["load", "load_json"]


def load_json(json_str):
    """The symbol that a text holds.

    Parameters
    ----------
    json_str : str
        As `Symbol.tojson` writes it, of any release since 0.8.

    Returns
    -------
    Symbol

    Examples
    --------
    >>> text = (mx.sym.var('a') + mx.sym.var('b')).tojson()
    >>> mx.sym.load_json(text).list_arguments()
    ['a', 'b']
    """
    if not isinstance(json_str, str):
        raise TypeError(f"load_json: expected text, got {type(json_str).__name__}")
    return Symbol(json.loads(json_str, Symbol))


def load(fname):
    """The symbol in a text file.

    Parameters
    ----------
    fname : str or path

    Returns
    -------
    Symbol

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     name = os.path.join(folder, 'sum-symbol.json')
    ...     (mx.sym.var('a') + mx.sym.var('b')).save(name)
    ...     mx.sym.load(name).list_arguments()
    ['a', 'b']
    """
    if not isinstance(fname, (str, os.PathLike)):
        raise TypeError(f"load: fname: expected a path, got {type(fname).__name__}")
    text = files.read(fname)
    try:
        return load_json(text)
    except MXNetError as e:
        raise MXNetError(f"{os.fspath(fname)}: {e}") from None
