"""Checkpoints: a symbol and its parameters in files, as MXNet names them."""
import logging
import os

from . import params
from .ops.errors import MXNetError

__all__ = ["load_checkpoint", "load_params", "save_checkpoint"]
_log = logging.getLogger(__name__)


def save_checkpoint(prefix, epoch, symbol, arg_params, aux_params, remove_amp_cast=True):
    """Save a model to `prefix-symbol.json` and `prefix-0007.params` (for epoch 7).

    Parameters
    ----------
    prefix : str or path
        Beginning of the file names, with the folder.
    epoch : int
        Number in the name of the parameter file.
    symbol : Symbol or None
        The network; None leaves its file alone.
    arg_params, aux_params : dict of str to NDArray
        Arguments (weights) and auxiliary states by name.
    remove_amp_cast : bool, optional
        Leave out the casts of mixed precision when the symbol is written.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mx.model.save_checkpoint(os.path.join(folder, 'net'), 7, mx.sym.var('x') * 2, {'x': mx.nd.ones(2)}, {})
    ...     sorted(os.listdir(folder))
    ['net-0007.params', 'net-symbol.json']
    """
    prefix = os.fspath(prefix)
    if symbol is not None:
        symbol.save(f"{prefix}-symbol.json", remove_amp_cast=remove_amp_cast)
    named = {f"arg:{name}": a for name, a in arg_params.items()}
    named.update((f"aux:{name}", a) for name, a in (aux_params or {}).items())
    fname = _params_name(prefix, epoch)
    params.save(fname, named)
    _log.info('Saved checkpoint to "%s"', fname)


def load_params(prefix, epoch):
    """Load the parameters of a checkpoint.

    Parameters
    ----------
    prefix : str or path
        Beginning of the file names, with the folder.
    epoch : int
        Number in the name of the parameter file.

    Returns
    -------
    arg_params, aux_params : dict of str to NDArray
        Arguments and auxiliary states by name.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     prefix = os.path.join(folder, 'net')
    ...     mx.model.save_checkpoint(prefix, 7, None, {'x': mx.nd.ones(2)}, {})
    ...     sorted(mx.model.load_params(prefix, 7)[0])
    ['x']
    """
    fname = _params_name(os.fspath(prefix), epoch)
    loaded = params.load(fname)
    found = {"arg": {}, "aux": {}}
    if not loaded:
        _log.warning("load_params: %r holds no arrays", fname)
        return found["arg"], found["aux"]
    if not isinstance(loaded, dict):
        raise MXNetError(f"load_params: {fname!r}; expected names arg:... and aux:..., got a list of arrays without names")
    for key, a in loaded.items():
        kind, colon, name = key.partition(":")
        if not colon:
            raise MXNetError(f"load_params: {fname!r}; expected names arg:... and aux:..., got {key!r}")
        if kind in found:
            found[kind][name] = a
    return found["arg"], found["aux"]


def load_checkpoint(prefix, epoch):
    """Load a model that `save_checkpoint` wrote.

    Parameters
    ----------
    prefix : str or path
        Beginning of the file names, with the folder.
    epoch : int
        Number in the name of the parameter file.

    Returns
    -------
    symbol : Symbol
        The network.
    arg_params, aux_params : dict of str to NDArray
        Arguments and auxiliary states by name.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     prefix = os.path.join(folder, 'net')
    ...     mx.model.save_checkpoint(prefix, 7, mx.sym.var('x') * 2, {'x': mx.nd.ones(2)}, {})
    ...     net, args, states = mx.model.load_checkpoint(prefix, 7)
    >>> net.list_arguments(), sorted(args)
    (['x'], ['x'])
    """
    from . import symbol
    network = symbol.load(f"{os.fspath(prefix)}-symbol.json")
    return (network, *load_params(prefix, epoch))


def _params_name(prefix, epoch):
    return f"{prefix}-{epoch:04d}.params"
