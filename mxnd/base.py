"""Error classes, type groups and small helpers that MXNet code imports from `mxnet.base`."""
import numpy as np

from .ops.errors import MXNetError, NotImplementedForSymbol, NotSupportedForSparseNDArray

string_types = (str,)
numeric_types = (float, int, np.generic)
integer_types = (int, np.int32, np.int64)
__all__ = ["MXCallbackList", "MXNetError", "NotImplementedForSymbol", "NotSupportedForSparseNDArray", "build_param_doc",
           "check_call", "integer_types", "numeric_types", "py_str", "string_types"]


class MXCallbackList:
    """Functions with their contexts, as MXNet handed them to its library; mxnd calls Python functions directly.

    Attributes
    ----------
    num_callbacks : int
    callbacks, contexts : list
    """

    def __init__(self, *args, **kwargs):
        given = {**dict(zip(("num_callbacks", "callbacks", "contexts"), args)), **kwargs}
        self.num_callbacks = given.get("num_callbacks", 0)
        self.callbacks, self.contexts = list(given.get("callbacks", ())), list(given.get("contexts", ()))


def check_call(ret):
    """Raise MXNetError for a status other than 0, as MXNet's library returned it.

    Examples
    --------
    >>> mx.base.check_call(0)
    """
    if ret != 0:
        raise MXNetError(f"check_call: a call failed with status {ret}")


def py_str(x):
    """Text from bytes.

    Examples
    --------
    >>> mx.base.py_str(b"data")
    'data'
    """
    return x.decode("utf-8")


def build_param_doc(arg_names, arg_types, arg_descs, remove_dup=True):
    """The part of a docstring that lists parameters.

    Parameters
    ----------
    arg_names, arg_types, arg_descs : list of str
        Names, types and descriptions.
    remove_dup : bool, default True
        List a name once.

    Returns
    -------
    str

    Examples
    --------
    >>> mx.base.build_param_doc(["axis"], ["int"], ["Which axis."])
    'Parameters\\n----------\\naxis : int\\n    Which axis.\\n'
    """
    seen, lines = set(), ["Parameters", "----------"]
    for name, kind, what in zip(arg_names, arg_types, arg_descs):
        if name == "num_args" or remove_dup and name in seen:
            continue
        seen.add(name)
        lines.append(f"{name} : {kind}")
        if what:
            lines.append(f"    {what}")
    return "\n".join(lines) + "\n"
